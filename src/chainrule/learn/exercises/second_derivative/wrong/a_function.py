# returns the function instead of its value
from chainrule import grad


def second_derivative(f, x):
    return grad(grad(f))
