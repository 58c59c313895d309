# has no __rmul__
class Value:
    def __init__(self, data):
        self.data = data

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data)
