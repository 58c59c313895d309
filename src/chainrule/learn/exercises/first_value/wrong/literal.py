# forgets the f before the text
class Value:
    def __init__(self, data):
        self.data = data

    def __repr__(self):
        return "Value({self.data})"

    def __add__(self, other):
        return Value(self.data + other.data)
