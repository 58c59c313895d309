# the text has the number only
class Value:
    def __init__(self, data):
        self.data = data

    def __repr__(self):
        return str(self.data)

    def __add__(self, other):
        return Value(self.data + other.data)
