"""The complete class that the course builds, exercise by exercise.

A `Value` is a number that records how it was computed; `backward` applies the chain rule. chainrule's
own `Value` gives the same results; its engine.py also detects stale values and invalid input, and
handles very large graphs.
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
        return f"Value(data={self.data:.4f}, grad={self.grad:.4f})"

    def _result(self, data, op, *edges):
        """A new node; each edge is an input and the derivative of the result with respect to it."""
        out = Value(data, tuple(child for child, _ in edges), op)

        def _backward():
            for child, slope in edges:
                child.grad += slope * out.grad

        out._backward = _backward
        return out

    # --- operations: a number, and its local derivatives -----------------------------------------

    def __add__(self, other):
        other = as_value(other)
        return self._result(self.data + other.data, "+", (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        other = as_value(other)
        return self._result(self.data * other.data, "*", (self, other.data), (other, self.data))

    def __pow__(self, n):
        return self._result(self.data**n, f"**{n}", (self, n * self.data ** (n - 1)))

    def exp(self):
        power = math.exp(self.data)
        return self._result(power, "exp", (self, power))

    def log(self):
        return self._result(math.log(self.data), "log", (self, 1.0 / self.data))

    def tanh(self):
        t = math.tanh(self.data)
        return self._result(t, "tanh", (self, 1.0 - t**2))

    def sigmoid(self):
        # exp of a negative number cannot overflow, so each sign has its own formula.
        z = math.exp(-abs(self.data))
        s = 1.0 / (1.0 + z) if self.data >= 0 else z / (1.0 + z)
        return self._result(s, "sigmoid", (self, s * (1.0 - s)))

    def relu(self):
        return self._result(max(0.0, self.data), "relu", (self, float(self.data > 0)))

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + -as_value(other)

    def __truediv__(self, other):
        return self * as_value(other) ** -1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return self**-1 * other

    # --- the chain rule --------------------------------------------------------------------------

    def topological(self):
        """Everything this Value depends on, inputs before results, without recursion."""
        order, seen, stack = [], set(), [(self, False)]
        while stack:
            node, inputs_done = stack.pop()
            if inputs_done:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(node.inputs))
        return order

    def backward(self):
        """Compute the gradient of this Value with respect to everything it depends on."""
        order = self.topological()
        for node in order:
            if node.inputs:
                node.grad = 0.0
        self.grad += 1.0
        for node in reversed(order):
            node._backward()


def as_value(x):
    return x if isinstance(x, Value) else Value(x)


def main():
    a, b = Value(2.0), Value(-3.0)
    y = (a * b + b**2).tanh() / a
    y.backward()
    print(y)
    print(f"dy/da = {a.grad:.6f}   dy/db = {b.grad:.6f}")


if __name__ == "__main__":
    main()
