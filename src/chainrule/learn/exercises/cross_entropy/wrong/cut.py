# uses the number of the right logit: it gets a wrong gradient
from chainrule import exp, log


def cross_entropy(logits, target):
    largest = max(logit.data for logit in logits)
    total = sum(exp(logit - largest) for logit in logits)
    return log(total) + largest - logits[target].data
