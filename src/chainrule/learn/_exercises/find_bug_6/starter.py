"""Find the bug: counted twice.

In this engine `a + a` has the right gradient, 2. But for `c = a * b` and `d = c + c` the gradients
are twice as large as they should be: for a = 2 and b = 3 the gradient of a is 12.0 instead of 6.0.
With `c = a * a` and `d = c + a` they are right again.

There is one bug, and it is not in the rules of the operations. Fix it with as small a change as you
can.
"""

import math

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

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += (1.0 - out.data**2) * out.grad

        out._backward = _backward
        return out

    def topological(self):
        order, seen = [], set()

        def visit(value):
            seen.add(value)
            for each in [v for v in value.inputs if v not in seen]:
                visit(each)
            order.append(value)

        visit(self)
        return order

    def backward(self):
        self.grad = 1.0
        for value in reversed(self.topological()):
            value._backward()
