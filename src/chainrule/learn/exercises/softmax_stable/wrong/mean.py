# subtracts the mean: still overflows when numbers are far apart
from chainrule import exp


def softmax(xs):
    largest = sum(x.data for x in xs) / len(xs)
    powers = [exp(x - largest) for x in xs]
    total = sum(powers)
    return [power / total for power in powers]
