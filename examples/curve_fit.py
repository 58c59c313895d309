"""Fit a * exp(-b x) + c to noisy measurements, with standard errors.

The gradient comes from backward(), the updates from Adam. At the minimum, the curvature of the sum of
squares (its Hessian) shows how quickly the fit gets worse as each parameter moves. The standard
errors follow from it.
"""

from typing import Any

import numpy as np

from chainrule import Value, exp, hessian, optim

TRUTH = (2.5, 1.3, 0.5)
NOISE = 0.05


def measurements(n: int = 40, seed: int = 0) -> tuple[list[float], list[float]]:
    """Points on the true curve, with normal noise."""
    rng = np.random.default_rng(seed)
    a, b, c = TRUTH
    x = np.linspace(0.0, 4.0, n)
    y = a * np.exp(-b * x) + c + rng.normal(0.0, NOISE, n)
    return x.tolist(), y.tolist()


def sum_of_squares(parameters: Any, xs: list[float], ys: list[float]) -> Any:
    """The sum of squared distances between the curve and the measurements."""
    a, b, c = parameters
    return sum((a * exp(-b * x) + c - y) ** 2 for x, y in zip(xs, ys, strict=True))


def fit(xs: list[float], ys: list[float], steps: int = 400) -> list[float]:
    """The parameters that minimise the sum of squares, starting from (1, 1, 0)."""
    parameters = [Value(1.0, label="a"), Value(1.0, label="b"), Value(0.0, label="c")]
    optimizer = optim.Adam(parameters, lr=0.1)
    schedule = optim.CosineAnnealingLR(optimizer, T_max=steps)
    for _ in range(steps):
        optimizer.zero_grad()
        sum_of_squares(parameters, xs, ys).backward()
        optimizer.step()
        schedule.step()
    return [p.data for p in parameters]


def standard_errors(parameters: list[float], xs: list[float], ys: list[float]) -> list[float]:
    """The square roots of the diagonal of the covariance, 2 s² H⁻¹ for a sum of squares."""
    H = np.array(hessian(sum_of_squares)(parameters, xs, ys))
    variance = sum_of_squares(parameters, xs, ys) / (len(xs) - len(parameters))
    return np.sqrt(np.diag(2 * variance * np.linalg.inv(H))).tolist()


def main() -> None:
    xs, ys = measurements()
    parameters = fit(xs, ys)
    errors = standard_errors(parameters, xs, ys)
    for name, value, error, truth in zip("abc", parameters, errors, TRUTH, strict=True):
        print(f"{name} = {value:.4f} ± {error:.4f}   truth {truth}")


if __name__ == "__main__":
    main()
