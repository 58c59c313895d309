"""Compute derivatives on the way forward."""

import math


class Dual:
    def __init__(self, value, tangent=0.0):
        self.value = value
        self.tangent = tangent

    def __repr__(self):
        return f"Dual({self.value}, {self.tangent})"

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.value + other.value, self.tangent + other.tangent)

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        tangent = self.tangent * other.value + self.value * other.tangent
        return Dual(self.value * other.value, tangent)

    def exp(self):
        value = math.exp(self.value)
        return Dual(value, value * self.tangent)

    __radd__ = __add__
    __rmul__ = __mul__


def derivative(f, x):
    return f(Dual(x, 1.0)).tangent
