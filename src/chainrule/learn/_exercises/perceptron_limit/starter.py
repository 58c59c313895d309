"""Teach one neuron, and see where it ends.

A neuron with a sharp edge says 1 where w1 * x1 + w2 * x2 + b is positive and -1 where it is
negative: it draws one straight line. Rosenblatt's rule teaches it. Begin with w1 = w2 = b = 0. Go
through the points again and again. If a point is on the wrong side, or on the line, add label * x1
to w1, label * x2 to w2 and label to b. If it is on the right side, change nothing.

`perceptron(points, labels, rounds)` returns (w1, w2, b) as soon as a whole round made no change,
and None if that has not happened after `rounds` rounds. `points` are pairs, `labels` are 1 and -1.
For exclusive or there is no such line.
"""


def perceptron(points, labels, rounds=1000):
    pass  # your code here
