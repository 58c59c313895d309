"""Write a class that holds a number.

`Value(2.0)` stores its number in `data`, prints as `Value(2.0)`, and can be added to another Value:
`Value(2.0) + Value(-3.0)` is a new Value with the number -1.0.
"""


class Value:
    def __init__(self, data):
        pass  # your code here

    def __repr__(self):
        return "a Value"  # your code here

    def __add__(self, other):
        pass  # your code here
