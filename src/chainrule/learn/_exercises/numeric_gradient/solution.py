"""Compute a gradient without differentiation rules."""


def numeric_gradient(f, x, epsilon=1e-5):
    gradient = []
    for i in range(len(x)):
        above, below = list(x), list(x)
        above[i] += epsilon
        below[i] -= epsilon
        gradient.append((f(above) - f(below)) / (2 * epsilon))
    return gradient
