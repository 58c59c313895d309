"""Write a neuron.

`Neuron(3)` has a list `w` of three weights and a bias `b`, all Values. The weights start as random
numbers between -1 and 1, the bias as any number you like. `neuron(x)`, for a list x with one number
or Value per weight, returns a Value: the tanh of `w[0] * x[0] + w[1] * x[1] + ... + b`.
`neuron.parameters()` returns a list of all the weights and the bias.

`Value` is chainrule's: it has all the operations that you have written.
"""

import random

from chainrule import Value


class Neuron:
    def __init__(self, nin):
        pass  # your code here

    def __call__(self, x):
        pass  # your code here

    def parameters(self):
        pass  # your code here
