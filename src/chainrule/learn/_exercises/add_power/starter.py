"""Add powers.

Write `__pow__`, so that `a**n` works for a Value a and a plain number n, which may be whole,
negative or fractional. The slope of `x**n` is `n * x**(n - 1)`. The name of the operation includes
the exponent, as in `"**3"`.
"""


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

    def __pow__(self, n):
        pass  # your code here
