"""`make demo`: prints the graph of an expression, checks its gradients, and trains a network on XOR.

The network uses only Value.
"""

from __future__ import annotations

import random
import time
from typing import Any

from . import Value, check_gradients, core
from .viz import picture
from .viz.formats import text


def show_expression() -> None:
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    y = (a * b + a**2).tanh()
    y.label = "y"
    y.backward()
    print("y = tanh(a*b + a**2), every value with its gradient:\n")
    text.show(picture(y))
    print("\nThe gradients, checked with finite differences:\n")
    print(check_gradients(y))


class Neuron:
    """tanh(w·x + b), with the operators of Value."""

    def __init__(self, inputs: int, rng: random.Random) -> None:
        self.w: list[Value] = [Value(rng.uniform(-1, 1)) for _ in range(inputs)]
        self.b: Value = Value(0.0)

    def __call__(self, x: list[Any]) -> Any:
        return sum((w * xi for w, xi in zip(self.w, x, strict=True)), self.b).tanh()


def learn_xor(epochs: int = 500, rate: float = 0.5) -> None:
    rng = random.Random(1)
    hidden = [Neuron(2, rng) for _ in range(4)]
    output = Neuron(4, rng)
    parameters = [p for neuron in (*hidden, output) for p in (*neuron.w, neuron.b)]
    data = [((0.0, 0.0), -1.0), ((0.0, 1.0), 1.0), ((1.0, 0.0), 1.0), ((1.0, 1.0), -1.0)]

    def predict(x: tuple[float, float]) -> Any:
        return output([neuron(list(x)) for neuron in hidden])

    print(f"\nXOR with {len(parameters)} parameters, {epochs} epochs:\n")
    start = time.perf_counter()
    for epoch in range(epochs + 1):
        loss = sum((predict(x) - target) ** 2 for x, target in data) / len(data)
        if epoch % (epochs // 5) == 0:
            print(f"  epoch {epoch:4}   loss {loss:.6f}")
        loss.backward(reset=True)
        for p in parameters:
            p.data -= rate * p.grad
    seconds = time.perf_counter() - start
    print()
    for x, target in data:
        print(f"  {x[0]:.0f} xor {x[1]:.0f}: {predict(x):+.3f}   target {target:+.0f}")
    print(f"\n{seconds:.2f} s on the {'compiled' if core == 'c' else 'reference'} core.")


def main() -> None:
    show_expression()
    learn_xor()


if __name__ == "__main__":
    main()
