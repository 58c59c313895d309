"""Put a graph in topological order.

`topological(value)` returns a list of all Values from which `value` was computed, including itself.
Each appears once, after all of its inputs, so `value` comes last. For `c = a * b` and `d = c + a`,
both `[a, b, c, d]` and `[b, a, c, d]` are right.

A graph with few nodes can have very many paths, so visit each node only once.
"""


class Value:
    def __init__(self, data, inputs=(), op=""):
        self.data = data
        self.inputs = inputs
        self.op = op

    def __repr__(self):
        return f"Value({self.data})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), "*")

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other


def topological(value):
    pass  # your code here
