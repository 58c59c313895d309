# one derivative too many
from chainrule import grad


def second_derivative(f, x):
    return grad(grad(grad(f)))(x)
