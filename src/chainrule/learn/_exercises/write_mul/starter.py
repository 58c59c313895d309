"""Let Values be multiplied.

Write `__mul__` so that `Value(2.0) * Value(-3.0)` is a new Value with the number -6.0, and write
`__rmul__` so that `10 * Value(2.0)` works as well as `Value(2.0) * 10`.
"""


class Value:
    def __init__(self, data):
        self.data = data

    def __repr__(self):
        return f"Value({self.data})"

    def __mul__(self, other):
        pass  # your code here
