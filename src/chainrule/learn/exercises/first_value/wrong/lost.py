# writes the number to a local name, not to self
class Value:
    def __init__(self, data):
        data = data

    def __repr__(self):
        return f"Value({self.data})"

    def __add__(self, other):
        return Value(self.data + other.data)
