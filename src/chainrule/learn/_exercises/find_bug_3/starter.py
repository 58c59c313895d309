"""Find the bug: too early.

This engine gives the right gradients for `a * b + a` and for many other expressions. With `a = 2`,
`c = a * a` and `d = ((c + a) * a) * c`, the gradient of a is 160.0, but it should be 112.0.

There is one bug, and it is not in the rules of the operations. Fix it; you may need a new method.
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

    def backward(self):
        self.grad = 1.0
        waiting = [self]
        while waiting:
            value = waiting.pop(0)
            value._backward()
            for each in value.inputs:
                if each not in waiting:
                    waiting.append(each)
