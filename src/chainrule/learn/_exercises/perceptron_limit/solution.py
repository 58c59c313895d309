"""Train one neuron, and find its limit."""


def perceptron(points, labels, rounds=1000):
    w1 = w2 = b = 0.0
    for _ in range(rounds):
        mistakes = 0
        for (x1, x2), label in zip(points, labels):
            if label * (w1 * x1 + w2 * x2 + b) <= 0:
                w1 += label * x1
                w2 += label * x2
                b += label
                mistakes += 1
        if mistakes == 0:
            return w1, w2, b
    return None
