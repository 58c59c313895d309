# keeps the sum as the new bias
import random

from chainrule import Value


class Neuron:
    def __init__(self, nin):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b = Value(0.0)

    def __call__(self, x):
        for w, each in zip(self.w, x, strict=True):
            self.b = self.b + w * each
        return self.b.tanh()

    def parameters(self):
        return self.w + [self.b]
