"""Draw a graph as text.

`draw(value)` returns a string with a line for the value and, below it, the drawings of its inputs,
indented by two more spaces. A line contains the number and, for a result, a space and the
operation. For `a = Value(2.0)` and `b = Value(-3.0)`, `draw(a * b + a)` returns

    -4.0 +
      -6.0 *
        2.0
        -3.0
      2.0

A value that is used twice is drawn twice.
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


def draw(value, depth=0):
    pass  # your code here
