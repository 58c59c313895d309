"""Estimate how much a hidden level moves, and how noisy its measurements are, with a Kalman filter.

The state is a level and its trend. The filter gives the likelihood of the measurements, compile
differentiates all of it, and gradient steps find the three standard deviations of the noise.
"""

from typing import Any

import numpy as np

from chainrule import compile, exp, linalg, log, sum

TRUTH = (0.3, 0.05, 1.0)  # standard deviations: level, trend, measurement
STEP = np.array([[1.0, 1.0], [0.0, 1.0]])  # the level moves by the trend
SEEN = np.array([[1.0, 0.0]])  # only the level is measured


def measurements(n: int = 100, seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    state, seen = np.zeros(2), []
    for _ in range(n):
        state = STEP @ state + rng.normal(size=2) * TRUTH[:2]
        seen.append(state[0] + rng.normal() * TRUTH[2])
    return np.array(seen)


def negative_log_likelihood(logs: Any, series: Any) -> Any:
    """The mean over the series; `logs` are the logarithms of the standard deviations."""
    level, trend, noise = (exp(2 * x) for x in logs)
    moves = np.array([[level, 0.0], [0.0, trend]])
    mean, cov = np.zeros(2), 10.0 * np.eye(2)
    terms = []
    for y in series:
        mean, cov = STEP @ mean, STEP @ cov @ STEP.T + moves  # predict
        error, spread = y - SEEN @ mean, SEEN @ cov @ SEEN.T + noise
        terms.append(log(2 * np.pi * linalg.det(spread)) + error @ linalg.solve(spread, error))
        gain = linalg.solve(spread, SEEN @ cov).T  # update
        mean, cov = mean + gain @ error, cov - gain @ SEEN @ cov
    return sum(terms) / (2 * len(terms))


def fit(series: Any, steps: int = 300, rate: float = 1.0) -> tuple[Any, list[float]]:
    """The standard deviations, and the loss before each step."""
    step = compile(lambda logs: negative_log_likelihood(logs, series), batch=None)
    logs, losses = np.zeros(3), []
    for _ in range(steps):
        loss, gradient = step.value_and_grad(logs)
        losses.append(loss)
        logs = logs - rate * gradient
    return np.exp(logs), losses


def main(steps: int = 300) -> None:
    found, losses = fit(measurements(), steps)
    print(f"negative log-likelihood {losses[0]:.4f} -> {losses[-1]:.4f}")
    for name, value, truth in zip(("level", "trend", "noise"), found, TRUTH, strict=True):
        print(f"{name} {value:.4f}   truth {truth}")


if __name__ == "__main__":
    main()
