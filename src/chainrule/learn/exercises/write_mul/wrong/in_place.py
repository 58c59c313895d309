# changes its first factor
class Value:
    def __init__(self, data):
        self.data = data

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        self.data *= other.data
        return self

    def __rmul__(self, other):
        return self * other
