"""Turn numbers into probabilities.

`softmax(xs)` takes a list of Values and returns a list of as many Values: exp(x) for each of them,
divided by the sum of all these exp. They are positive and add up to 1, and gradients flow through
them.

It must work for large numbers: for [1000, 1001] the probabilities are 0.269 and 0.731, the same as
for [0, 1]. Use `exp` of chainrule.
"""

from chainrule import exp


def softmax(xs):
    pass  # your code here
