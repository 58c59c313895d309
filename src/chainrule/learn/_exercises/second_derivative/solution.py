"""Differentiate twice."""

from chainrule import grad


def second_derivative(f, x):
    return grad(grad(f))(x)
