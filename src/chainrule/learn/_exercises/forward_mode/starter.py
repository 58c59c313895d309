"""Compute derivatives on the way forward.

A Dual is a number, `value`, together with its `tangent`: how fast it changes when the input moves.
Every operation computes both at once, and nothing has to be remembered or walked back. A constant
does not move: its tangent is 0.

Write `__add__`, `__mul__` and `exp`, for Duals and for plain numbers on either side, and
`derivative(f, x)`: the slope of f, a function that uses these operations, at the number x.
"""

import math


class Dual:
    def __init__(self, value, tangent=0.0):
        self.value = value
        self.tangent = tangent

    def __repr__(self):
        return f"Dual({self.value}, {self.tangent})"

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        pass  # your code here

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        pass  # your code here

    def exp(self):
        pass  # your code here

    __radd__ = __add__
    __rmul__ = __mul__


def derivative(f, x):
    pass  # your code here
