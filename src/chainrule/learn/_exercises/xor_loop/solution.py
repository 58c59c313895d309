"""Write the training loop."""

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
    losses = []
    for _ in range(steps):
        result = loss()
        for p in parameters:
            p.grad = 0.0
        result.backward()
        for p in parameters:
            p.data -= rate * p.grad
        losses.append(result.data)
    return losses


if __name__ == "__main__":
    parameters = make_parameters()
    losses = train(lambda: xor_loss(parameters), parameters)
    print(f"loss {losses[0]:.3f} at the start, {losses[-1]:.3f} at the end")
