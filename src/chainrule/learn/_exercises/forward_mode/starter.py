"""Compute derivatives on the way forward.

A Dual is a number, `value`, together with its `tangent`: how fast it changes with the input. Every
operation computes both at once, so nothing has to be recorded, and there is no backward pass. A
constant does not change, so its tangent is 0.

Write `__add__`, `__mul__` and `exp`; sums and products must also work with a plain number on either
side. Then write `derivative(f, x)`, which returns the slope at the number x of a function f that
uses these operations.
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
