"""Put neurons side by side.

`Layer(3, 2)` has a list `neurons` of two neurons that take three inputs each. `layer(x)` is the
list of its neurons' outputs: every neuron receives all of x. `layer.parameters()` is one flat list
of the parameters of all neurons, in order.
"""

import random

from chainrule import Value


class Neuron:
    def __init__(self, nin):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b = Value(0.0)

    def __call__(self, x):
        total = self.b
        for w, each in zip(self.w, x, strict=True):
            total = total + w * each
        return total.tanh()

    def parameters(self):
        return self.w + [self.b]


class Layer:
    def __init__(self, nin, nout):
        pass  # your code here

    def __call__(self, x):
        pass  # your code here

    def parameters(self):
        pass  # your code here
