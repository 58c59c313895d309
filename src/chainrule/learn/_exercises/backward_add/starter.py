"""Send the gradient back through a sum.

`c = a + b` gets a function `c._backward()`. When it is called, `c.grad` already holds how fast the
final result changes with c. Fill in the inner function, so that it stores in `a.grad` and `b.grad`
how fast the final result changes with a and with b. Nothing may happen until it is called.

Here every value is used once, so `=` is enough; a later exercise covers values that are used more
often.
"""


class Value:
    def __init__(self, data, inputs=(), op=""):
        self.data = data
        self.grad = 0.0
        self.inputs = inputs
        self.op = op
        self._backward = lambda: None

    def __repr__(self):
        return f"Value({self.data})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            pass  # your code here

        out._backward = _backward
        return out

    def __radd__(self, other):
        return self + other
