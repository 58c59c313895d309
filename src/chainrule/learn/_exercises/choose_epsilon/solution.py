"""Find the best epsilon."""

CANDIDATES = [10.0**-k for k in range(1, 16)]


def error(f, slope, x, epsilon):
    difference = (f(x + epsilon) - f(x - epsilon)) / (2 * epsilon)
    return abs(difference - slope)


def choose_epsilon(f, slope, x):
    return min(CANDIDATES, key=lambda epsilon: error(f, slope, x, epsilon))
