# the square of the first derivative
from chainrule import grad


def second_derivative(f, x):
    return grad(f)(x) ** 2
