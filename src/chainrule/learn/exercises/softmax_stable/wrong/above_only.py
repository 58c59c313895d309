# subtracts the largest above the line only
from chainrule import exp


def softmax(xs):
    largest = max(x.data for x in xs)
    powers = [exp(x - largest) for x in xs]
    total = sum(exp(x) for x in xs)
    return [power / total for power in powers]
