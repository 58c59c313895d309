# a stable probability, whose logarithm is infinite when it is 0
from chainrule import exp, log


def cross_entropy(logits, target):
    largest = max(logit.data for logit in logits)
    powers = [exp(logit - largest) for logit in logits]
    return -log(powers[target] / sum(powers))
