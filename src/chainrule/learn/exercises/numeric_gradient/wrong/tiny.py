# an epsilon so small that rounding takes over
def numeric_gradient(f, x, epsilon=1e-5):
    gradient = []
    epsilon = epsilon * 1e-7
    for i in range(len(x)):
        above, below = list(x), list(x)
        above[i] += epsilon
        below[i] -= epsilon
        gradient.append((f(above) - f(below)) / (2 * epsilon))
    return gradient
