# moves x itself and does not put it back
def numeric_gradient(f, x, epsilon=1e-5):
    gradient = []
    for i in range(len(x)):
        x[i] += epsilon
        high = f(x)
        x[i] -= 2 * epsilon
        gradient.append((high - f(x)) / (2 * epsilon))
    return gradient
