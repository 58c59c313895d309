"""Add division without a new rule.

Write `__truediv__`, so that `a / b` works for Values and for a plain number in place of b, and
`__rtruediv__`, so that `2 / a` works. A quotient is a product with a power of the divisor, so no
new `_backward` is needed.
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
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += n * self.data ** (n - 1) * out.grad

        out._backward = _backward
        return out

    def __truediv__(self, other):
        pass  # your code here

    def __rtruediv__(self, other):
        pass  # your code here
