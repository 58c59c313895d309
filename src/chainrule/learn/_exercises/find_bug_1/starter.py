"""Find the bug: x overshoots.

`minimise(f, start)` does gradient descent: it should approach the x where f is smallest. For
`(x - 3) * (x - 3)` and a start of 0, every step should cover a fifth of the remaining distance:
0.6, 1.08, 1.464, ... Here the first step is right. But the second gets to 1.68, and after that x
swings past 3 and back.

There is one bug. Fix it with as small a change as you can.
"""

# your code here: fix the mistake, wherever it is


class Value:
    def __init__(self, data, inputs=(), op=""):
        self.data = data
        self.grad = 0.0
        self.inputs = inputs
        self.op = op
        self._backward = lambda: None

    def __repr__(self):
        return f"Value({self.data})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def topological(self):
        order, seen, stack = [], set(), [(self, False)]
        while stack:
            node, inputs_done = stack.pop()
            if inputs_done:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                for child in reversed(node.inputs):
                    stack.append((child, False))
        return order

    def backward(self):
        order = self.topological()
        for node in order:
            if node.inputs:
                node.grad = 0.0
        self.grad += 1.0
        for node in reversed(order):
            node._backward()


def minimise(f, start, rate=0.1, steps=50):
    x = Value(start)
    for _ in range(steps):
        loss = f(x)
        loss.backward()
        x.data -= rate * x.grad
    return x.data
