# the formula as it is: overflows
from chainrule import exp, log


def cross_entropy(logits, target):
    total = sum(exp(logit) for logit in logits)
    return -log(exp(logits[target]) / total)
