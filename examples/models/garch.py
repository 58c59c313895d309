"""Estimate how the volatility of a market moves, with a GARCH(1, 1) model.

Each day's variance depends on the return and the variance of the day before. The likelihood is a loop
over the days; compile differentiates all of it, and Newton's method in SciPy gets an exact Hessian.
"""

from typing import Any

import numpy as np
from scipy.optimize import minimize

from chainrule import compile, exp, log, mean

TRUTH = (0.1, 0.15, 0.8)  # omega, alpha, beta


def returns(days: int = 1000, seed: int = 5) -> Any:
    """Daily returns in percent."""
    rng = np.random.default_rng(seed)
    omega, alpha, beta = TRUTH
    variance, found = omega / (1 - alpha - beta), []
    for _ in range(days):
        found.append(np.sqrt(variance) * rng.normal())
        variance = omega + alpha * found[-1] ** 2 + beta * variance
    return np.array(found)


def negative_log_likelihood(logs: Any, series: Any) -> Any:
    """The mean over the days, without the constant; `logs` are the logarithms of the parameters."""
    omega, alpha, beta = exp(logs)
    variances = [np.mean(series**2)]
    for r in series[:-1]:
        variances.append(omega + alpha * r**2 + beta * variances[-1])
    return mean(log(variances) + series**2 / variances) / 2


loss = compile(negative_log_likelihood, batch=None)


def fit(series: Any) -> tuple[Any, Any]:
    """The parameters and their standard errors."""
    start, second = np.log([0.2, 0.1, 0.6]), {"hess": loss.hessian, "method": "trust-exact"}
    found = minimize(loss.value_and_grad, start, series, jac=True, **second)
    covariance = np.linalg.inv(loss.hessian(found.x, series)) / len(series)
    return np.exp(found.x), np.exp(found.x) * np.sqrt(np.diag(covariance))


def main() -> None:
    series = returns()
    found = fit(series)
    print(f"negative log-likelihood {loss(np.log(found[0]), series):.6f}")
    for name, value, error, truth in zip(("omega", "alpha", "beta"), *found, TRUTH, strict=True):
        print(f"{name:5} {value:.4f} ± {error:.4f}   truth {truth}")


if __name__ == "__main__":
    main()
