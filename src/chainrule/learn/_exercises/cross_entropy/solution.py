"""Write the loss for a classifier."""

from chainrule import exp, log


def cross_entropy(logits, target):
    largest = max(logit.data for logit in logits)
    total = sum(exp(logit - largest) for logit in logits)
    return log(total) + largest - logits[target]
