# moves all numbers together
def numeric_gradient(f, x, epsilon=1e-5):
    gradient = []
    for i in range(len(x)):
        above, below = list(x), list(x)
        above = [each + epsilon for each in x]
        below = [each - epsilon for each in x]
        gradient.append((f(above) - f(below)) / (2 * epsilon))
    return gradient
