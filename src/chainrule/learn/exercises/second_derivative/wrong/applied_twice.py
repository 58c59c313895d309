# the slope at the slope
from chainrule import grad


def second_derivative(f, x):
    return grad(f)(grad(f)(x))
