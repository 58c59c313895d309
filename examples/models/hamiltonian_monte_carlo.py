"""Draw samples from a posterior distribution with Hamiltonian Monte Carlo.

A sample is moved like a ball that rolls over the negative log-density, so every step needs a gradient.
The density is written for one point; compile makes the gradients of all chains at once.
"""

from typing import Any

import numpy as np

from chainrule import compile, dot, softplus, sum

CHAINS, DRAWS, WARM_UP = 64, 200, 50
MEAN, COVARIANCE = np.array([1.0, -2.0]), np.array([[1.0, 0.9], [0.9, 2.0]])


def gaussian(x: Any) -> Any:
    """The log-density of a normal distribution, up to a constant."""
    return -dot(x - MEAN, np.linalg.inv(COVARIANCE) @ (x - MEAN)) / 2


def points(n: int = 300, seed: int = 0) -> tuple[Any, Any]:
    """Inputs with a column of ones, and labels -1 or 1."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, 2)), np.ones(n)])
    return X, np.where(rng.random(n) < 1 / (1 + np.exp(-X @ [2.0, -1.0, 0.5])), 1.0, -1.0)


def posterior(weights: Any, X: Any, y: Any) -> Any:
    """The log-density of the weights of a logistic regression, each with a normal prior of scale 3."""
    return -sum(softplus(-y * (X @ weights))) - dot(weights, weights) / 18


def sample(
    log_density: Any, start: Any, step: float, steps: int = 8, seed: int = 0
) -> tuple[Any, float]:
    """Draws of all chains, (draws, chains, numbers), and the share of accepted proposals."""
    rng, x, found, accepted = np.random.default_rng(seed), start, [], 0.0
    f = compile(log_density, batch=0)
    height, slope = f.value_and_grad(x)
    for draw in range(WARM_UP + DRAWS):
        momenta = rng.normal(size=x.shape)
        energy = (momenta**2).sum(axis=1) / 2 - height
        moved, uphill, p = x, slope, momenta
        for _ in range(steps):  # leapfrog
            p = p + step / 2 * uphill
            moved = moved + step * p
            high, uphill = f.value_and_grad(moved)
            p = p + step / 2 * uphill
        take = np.log(rng.random(len(x))) < energy + high - (p**2).sum(axis=1) / 2
        height, taken = np.where(take, high, height), take[:, None]
        x, slope = np.where(taken, moved, x), np.where(taken, uphill, slope)
        if draw >= WARM_UP:
            found.append(x)
            accepted += take.mean() / DRAWS
    return np.array(found), accepted


def main() -> None:
    draws, accepted = sample(gaussian, np.zeros((CHAINS, 2)), 0.4)
    print(f"normal distribution, {accepted:.0%} accepted")
    for i, truth in enumerate(MEAN):
        print(f"mean   {draws[..., i].mean():7.3f} ± {draws[..., i].std():.3f}   truth {truth:7.3f}")
    X, y = points()
    draws, accepted = sample(lambda w: posterior(w, X, y), np.zeros((CHAINS, 3)), 0.2)
    print(f"logistic regression, {accepted:.0%} accepted")
    for i, truth in enumerate((2.0, -1.0, 0.5)):
        print(f"weight {draws[..., i].mean():7.3f} ± {draws[..., i].std():.3f}   truth {truth:7.3f}")


if __name__ == "__main__":
    main()
