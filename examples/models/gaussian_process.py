"""Fit a smooth curve with error bars through noisy points: Gaussian process regression.

The marginal likelihood needs the Cholesky factor of a matrix that depends on three hyper-parameters.
Its gradient goes through the factor, and gradient steps find the parameters.
"""

from typing import Any

import numpy as np

from chainrule import compile, dot, linalg, log, sum


def points(n: int = 20, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-3, 3, n))
    return x, np.sin(2 * x) + 0.2 * rng.normal(size=n)


def kernel(logs: Any, x1: Any, x2: Any) -> Any:
    """The covariances of the curve at x1 and x2; `logs`: of height, length and noise."""
    height, length, _ = np.exp(logs)
    return height**2 * np.exp(-(((x1[:, None] - x2) / length) ** 2) / 2)


def negative_log_likelihood(logs: Any, x: Any, y: Any) -> Any:
    """The mean over the points of -log p(y)."""
    lower = linalg.cholesky(kernel(logs, x, x) + np.exp(2 * logs[2]) * np.eye(len(x)))
    white = linalg.solve(lower, y)
    half = dot(white, white) / 2 + sum([log(pivot) for pivot in np.diag(lower)])
    return half / len(x) + np.log(2 * np.pi) / 2


def fit(x: Any, y: Any, steps: int = 200, rate: float = 0.3) -> tuple[Any, list[float]]:
    """The logarithms of the hyper-parameters, and the loss before each step."""
    step = compile(lambda logs: negative_log_likelihood(logs, x, y), batch=None)
    logs, losses = np.zeros(3), []
    for _ in range(steps):
        loss, gradient = step.value_and_grad(logs)
        losses.append(loss)
        logs = logs - rate * gradient
    return logs, losses


def predict(logs: Any, x: Any, y: Any, at: Any) -> tuple[Any, Any]:
    """The mean and standard deviation of the curve."""
    across = kernel(logs, x, at)
    lower = linalg.cholesky(kernel(logs, x, x) + np.exp(2 * logs[2]) * np.eye(len(x)))
    white = linalg.solve(lower, across)
    variance = np.exp(2 * logs[0]) - (white**2).sum(axis=0)
    return white.T @ linalg.solve(lower, y), np.sqrt(variance)


def main() -> None:
    x, y = points()
    logs, losses = fit(x, y)
    print(f"negative log-likelihood {losses[0]:.4f} -> {losses[-1]:.4f}")
    print("height {:.3f}   length {:.3f}   noise {:.3f}".format(*np.exp(logs)))
    at = np.linspace(-3, 3, 7)
    for place, mean, deviation in zip(at, *predict(logs, x, y, at), strict=True):
        print(f"{place:5.1f}   {mean:7.4f} ± {deviation:.4f}   truth {np.sin(2 * place):7.4f}")


if __name__ == "__main__":
    main()
