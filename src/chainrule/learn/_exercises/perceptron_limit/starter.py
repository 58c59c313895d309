"""Train one neuron, and find its limit.

A neuron with a step function outputs 1 where w1 * x1 + w2 * x2 + b is positive and -1 where it is
negative: it separates points by a straight line. Rosenblatt's rule trains it. Start with w1 = w2 =
b = 0. Go through the points again and again. If a point is on the wrong side, or on the line, add
label * x1 to w1, label * x2 to w2 and label to b. If it is on the right side, change nothing.

`perceptron(points, labels, rounds)` returns (w1, w2, b) as soon as a whole round makes no change,
and None if that does not happen within `rounds` rounds. `points` is a list of pairs, and every
label is 1 or -1. For exclusive or there is no such line.
"""


def perceptron(points, labels, rounds=1000):
    pass  # your code here
