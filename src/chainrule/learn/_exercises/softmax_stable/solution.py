"""Turn numbers into probabilities."""

from chainrule import exp


def softmax(xs):
    largest = max(x.data for x in xs)
    powers = [exp(x - largest) for x in xs]
    total = sum(powers)
    return [power / total for power in powers]
