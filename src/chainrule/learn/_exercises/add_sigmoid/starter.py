"""Add the sigmoid, and keep it from overflowing.

Write `sigmoid`, so that `a.sigmoid()` returns a Value with `s = 1 / (1 + exp(-a))`, a number
between 0 and 1. Its slope is `s * (1 - s)`.

It must work for every a, however far from 0: `math.exp(1000)` raises OverflowError, so the formula
above fails for a = -1000, where the answer is 0. Do not clip a either: the sigmoid of -30 is
9.4e-14, and your result must be accurate to many digits. Name the operation `"sigmoid"`.
"""

import math


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

    def sigmoid(self):
        pass  # your code here
