# differences: not exact
from chainrule import grad


def second_derivative(f, x):
    return (f(x + 1e-4) - 2 * f(x) + f(x - 1e-4)) / 1e-8
