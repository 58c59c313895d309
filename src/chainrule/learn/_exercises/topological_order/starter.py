"""Put a graph in order.

`topological(value)` is a list of all Values that `value` was made from, itself included, each of
them once, such that every Value comes after its inputs. The value itself is then the last one. For
`c = a * b` and `d = c + a`, both `[a, b, c, d]` and `[b, a, c, d]` are right.

A graph can have very many paths with few nodes, so do not walk through the same node again.
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
