"""The minima of 14 problems of Moré, Garbow and Hillstrom, found with compiled derivatives."""

from typing import Any

import numpy as np
import pytest

from chainrule import dot, jacobian, optimize

from ...conftest import require
from ...near import near
from .more import PROBLEMS, Problem

scipy = require("scipy.optimize")

problems = pytest.mark.parametrize("problem", PROBLEMS, ids=[problem.name for problem in PROBLEMS])
DIGITS = 5e-6  # the paper gives six
ZERO = 1e-15


def check(problem: Problem, sum_of_squares: float, x: Any) -> None:
    assert sum_of_squares == near(problem.minimum, rel=DIGITS, abs=0.0 if problem.minimum else ZERO)
    if problem.at is not None:
        scale = np.maximum(np.abs(problem.at), 1e-3)
        assert np.divide(x, scale) == near(np.divide(problem.at, scale), abs=5e-2)


@problems
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # far from the minimum
@pytest.mark.parametrize("method", ["BFGS", "trust-exact"])
def test_minimize(problem: Problem, method: str) -> None:
    """With the gradient, and with the Hessian; bad scaling takes the second method 1,010 steps."""

    def sum_of_squares(x: list[Any]) -> Any:
        residuals = problem.residuals(x)
        return dot(residuals, residuals)

    found = optimize.minimize(
        sum_of_squares, problem.start, method=method, tol=1e-12, options={"maxiter": 2000}
    )
    check(problem, found.fun, found.x)


@problems
@pytest.mark.parametrize("method", ["lm", "trf"])
def test_least_squares(problem: Problem, method: str) -> None:
    tolerances = dict.fromkeys(("ftol", "xtol", "gtol"), 1e-15)
    found = optimize.least_squares(
        problem.residuals, problem.start, method=method, max_nfev=1000, **tolerances
    )
    check(problem, 2 * found.cost, found.x)


@pytest.mark.parametrize("name", ["Rosenbrock", "Powell badly scaled", "helical valley"])
@pytest.mark.parametrize("method", ["hybr", "lm"])
def test_root(name: str, method: str) -> None:
    (problem,) = (each for each in PROBLEMS if each.name == name)
    found = optimize.root(problem.residuals, problem.start, method=method, tol=1e-13)
    assert found.success
    check(problem, float(found.fun @ found.fun), found.x)


@problems
def test_the_compiled_jacobian_is_that_of_eager_mode(problem: Problem) -> None:
    """SciPy gets exact derivatives: central differences would lose half of the digits."""
    found = optimize.least_squares(problem.residuals, problem.start, method="lm", max_nfev=1)
    expected = np.array(jacobian(problem.residuals)(found.x))
    assert found.jac == near(expected, rel=1e-12, abs=1e-12 * np.abs(expected).max())
