"""Count the Values of a graph.

`count_nodes(value)` is the number of Values that the value was made from, itself included, each
counted once however often it is used. `a * b + a` has four: a, b, the product and the sum. Two
Values with the same number are two Values.

A graph can have very many paths with few nodes: `c = a + a`, `d = c + c`, `e = d + d`, and so on.
Do not walk through the same node again.
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
