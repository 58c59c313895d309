"""Solve u'' + u = 0 with u(0) = 0 and u'(0) = 1 by training a network: the solution is sin(x).

The loss at a point is how far the network is from fulfilling the equation. It contains u'', which is
grad of grad; compile differentiates the loss once more, with respect to the weights.
"""

import math
from typing import Any

import numpy as np

from chainrule import compile, grad, nn, optim

END = math.pi


def solution(model: Any, x: Any) -> Any:
    """A function that starts at 0 with slope 1, whatever the weights are."""
    return x + x**2 * model([x / END])


def residual(model: Any, x: Any) -> Any:
    """What is left of u'' + u."""
    return grad(grad(lambda x: solution(model, x)))(x) + solution(model, x)


def train(steps: int = 2000, seed: int = 0) -> tuple[Any, list[float]]:
    """The trained network, and the loss at each step."""
    model = nn.MLP(1, [16, 1], init="xavier", seed=seed)
    points = np.linspace(0.0, END, 50)
    optimizer = optim.Adam(model.parameters(), lr=0.02)
    schedule = optim.CosineAnnealingLR(optimizer, T_max=steps)
    step = compile(lambda x: residual(model, x) ** 2, model.parameters(), batch=0, reduction="mean")
    losses = []
    for _ in range(steps):
        loss, gradient = step.value_and_grad(points)
        losses.append(loss)
        for weight, slope in zip(model.parameters(), gradient, strict=True):
            weight.grad = slope
        optimizer.step()
        schedule.step()
    return model, losses


def main(steps: int = 2000) -> None:
    model, losses = train(steps)
    print(f"loss {losses[0]:.6f} -> {losses[-1]:.6f}")
    for x in np.linspace(0.0, END, 5):
        print(f"u({x:.3f}) = {solution(model, x).data:7.4f}   sin(x) = {math.sin(x):7.4f}")


if __name__ == "__main__":
    main()
