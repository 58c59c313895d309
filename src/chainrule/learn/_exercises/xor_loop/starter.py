"""Write the training loop.

`loss` is a function without arguments, such as `lambda: xor_loss(parameters)`. It computes the loss
as a Value from `parameters`, a list of Values. `train(loss, parameters, rate, steps)` repeats
`steps` times: compute the loss, set the gradients of the parameters to 0, run backward, and move
every parameter downhill by `rate` times its gradient. It returns a list of the losses as plain
numbers, one for each step, each computed before the parameters move.

The network and its loss are already written. When the loop is right, the network learns exclusive
or.
"""

import random

from chainrule import Value

CASES = [((0.0, 0.0), 0.0), ((0.0, 1.0), 1.0), ((1.0, 0.0), 1.0), ((1.0, 1.0), 0.0)]


def make_parameters(hidden=4, seed=0):
    rng = random.Random(seed)
    return [Value(rng.uniform(-1, 1)) for _ in range(4 * hidden + 1)]


def predict(parameters, x1, x2):
    out = parameters[-1]
    for i in range(0, len(parameters) - 1, 4):
        w1, w2, b, v = parameters[i : i + 4]
        out = out + v * (w1 * x1 + w2 * x2 + b).tanh()
    return out


def xor_loss(parameters):
    total = Value(0.0)
    for (x1, x2), target in CASES:
        total = total + (predict(parameters, x1, x2) - target) ** 2
    return total


def train(loss, parameters, rate=0.1, steps=300):
    pass  # your code here
