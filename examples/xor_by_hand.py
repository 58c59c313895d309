"""XOR with nothing but Value: a network of four hidden units, written out.

Every epoch has the four steps of any training loop: compute the loss (forward), set the gradients to
0 (zero), compute them (backward), and move each parameter downhill (update).
"""

import random

from chainrule import Value

CASES = [((0.0, 0.0), 0.0), ((0.0, 1.0), 1.0), ((1.0, 0.0), 1.0), ((1.0, 1.0), 0.0)]
HIDDEN = 4


def make_parameters(seed: int = 0) -> dict[str, list[Value]]:
    """Random weights: two into each hidden unit, one out of it; the biases start at 0."""
    rng = random.Random(seed)

    def draw() -> Value:
        return Value(rng.uniform(-1, 1))

    return {
        "from first input": [draw() for _ in range(HIDDEN)],
        "from second input": [draw() for _ in range(HIDDEN)],
        "hidden bias": [Value(0.0) for _ in range(HIDDEN)],
        "to output": [draw() for _ in range(HIDDEN)],
        "output bias": [Value(0.0)],
    }


def predict(parameters: dict[str, list[Value]], x1: float, x2: float) -> Value:
    """The network's answer: near 0 for "equal", near 1 for "different"."""
    output = parameters["output bias"][0]
    for w1, w2, bias, out in zip(
        parameters["from first input"],
        parameters["from second input"],
        parameters["hidden bias"],
        parameters["to output"],
        strict=True,
    ):
        output = output + out * (w1 * x1 + w2 * x2 + bias).tanh()
    return output


def train(parameters: dict[str, list[Value]], epochs: int = 500, rate: float = 0.1) -> list[float]:
    """Gradient descent on the squared error; returns the loss of every epoch."""
    everything = [p for group in parameters.values() for p in group]
    losses = []
    for _ in range(epochs):
        # Forward: the loss records the graph of how it was computed.
        loss = Value(0.0)
        for (x1, x2), target in CASES:
            loss = loss + (predict(parameters, x1, x2) - target) ** 2

        # Zero: gradients accumulate, so those of the last epoch must be cleared.
        for p in everything:
            p.grad = 0.0

        # Backward: d loss / d p for every p.
        loss.backward()

        # Update: a small step against the gradient.
        for p in everything:
            p.data = p.data - rate * p.grad

        losses.append(loss.data)
    return losses


def main() -> None:
    parameters = make_parameters()
    losses = train(parameters)
    print(f"loss {losses[0]:.4f} at the start, {losses[-1]:.6f} after {len(losses)} epochs")
    for (x1, x2), target in CASES:
        print(f"{x1:.0f} xor {x2:.0f} = {predict(parameters, x1, x2):.3f}   target {target:.0f}")


if __name__ == "__main__":
    main()
