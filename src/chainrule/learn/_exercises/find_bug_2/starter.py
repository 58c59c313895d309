"""Find the bug: a gradient gets lost.

In this engine `a * b + a * c` has the right gradients for all three inputs. But `b * a + c * a`,
the same sum with the factors swapped, does not: for a = 2, b = 3 and c = 5 the gradient of a is
3.0, but it should be 8.0.

There is one bug. Fix it with as small a change as you can.
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
            other.grad = self.data * out.grad

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

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += (1.0 - out.data**2) * out.grad

        out._backward = _backward
        return out

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
