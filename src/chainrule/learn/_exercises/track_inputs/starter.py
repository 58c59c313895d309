"""Let results remember their inputs.

A Value has `inputs`, a tuple, and `op`, a string. For a leaf such as `Value(2.0)` they are empty:
`()` and `""`. For `c = a * b` they are `(a, b)` and `"*"`, for `a + b` they are `(a, b)` and `"+"`.
The inputs are the objects themselves, in order. A plain number is turned into a Value first, so
`a + 1` has two inputs as well.
"""


class Value:
    def __init__(self, data, inputs=(), op=""):
        self.data = data
        # your code here

    def __repr__(self):
        return f"Value({self.data})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data)  # your code here

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data)  # your code here

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other
