"""Count the Values in a graph.

`count_nodes(value)` returns the number of Values from which `value` was computed, including itself;
each is counted once, however often it is used. `a * b + a` has four: a, b, the product and the sum.
Two Values with the same number count as two.

A graph with few nodes can have very many paths: `c = a + a`, `d = c + c`, `e = d + d`, and so on.
Visit each node only once.
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


def count_nodes(value):
    pass  # your code here
