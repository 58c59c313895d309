# no division, but the sum overflows
from chainrule import exp, log


def cross_entropy(logits, target):
    return log(sum(exp(logit) for logit in logits)) - logits[target]
