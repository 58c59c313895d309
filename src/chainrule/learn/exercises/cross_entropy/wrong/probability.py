# minus the probability
from chainrule import exp, log


def cross_entropy(logits, target):
    largest = max(logit.data for logit in logits)
    powers = [exp(logit - largest) for logit in logits]
    return 1 - powers[target] / sum(powers)
