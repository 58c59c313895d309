"""root, least_squares and curve_fit: against SciPy with finite differences."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, compile, exp, optimize
from chainrule.compiler import CompileError

from ...conftest import require
from ...near import near

scipy = require("scipy.optimize")


# --- root -----------------------------------------------------------------------------------------


def circle_and_line(p: dict[str, Any]) -> list[Any]:
    return [p["x"] ** 2 + p["y"] ** 2 - 1, p["x"] - p["y"]]


@pytest.mark.parametrize("method", ["hybr", "lm", "broyden1", "krylov", "df-sane"])
def test_root(method: str) -> None:
    found = optimize.root(circle_and_line, {"x": 1.0, "y": 0.5}, method=method, tol=1e-9)
    assert found.success
    assert found.x == near({"x": 0.5**0.5, "y": 0.5**0.5}, rel=1e-7)


def test_root_of_one_equation() -> None:
    found = optimize.root(lambda x, a: x * exp(x) - a, 1.0, (2.0,))
    assert isinstance(found.x, float)
    assert found.x == near(0.8526055020137255, rel=1e-12)


def test_root_uses_the_jacobian() -> None:
    found = optimize.root(circle_and_line, {"x": 1.0, "y": 0.5})
    assert found.njev >= 1
    assert found.nfev < 12  # finite differences would take two more calls for each Jacobian


def test_root_needs_as_many_equations_as_unknowns() -> None:
    message = "as many equations as unknowns, got 2 equations for 1 numbers in x0; use optimize.least"
    with pytest.raises(ValueError, match=message):
        optimize.root(lambda x: [x, x], 1.0)


def test_callbacks_of_root() -> None:
    seen: list[Any] = []
    x0 = {"x": 1.0, "y": 0.5}
    optimize.root(circle_and_line, x0, method="krylov", callback=lambda x, f: seen.append(x))
    assert seen[-1] == near({"x": 0.5**0.5, "y": 0.5**0.5}, rel=1e-4)


# --- least_squares --------------------------------------------------------------------------------

TIMES = np.linspace(0.0, 4.0, 50)
NOISY = 2.5 * np.exp(-1.3 * TIMES) + 0.5 + 0.01 * np.sin(50 * TIMES)


def decay_error(p: dict[str, Any], times: Any, values: Any) -> list[Any]:
    model = [p["height"] * exp(-p["rate"] * t) + p["offset"] for t in times]
    return [m - v for m, v in zip(model, values, strict=True)]


def in_scipy(p: Any) -> Any:
    return p[0] * np.exp(-p[1] * TIMES) + p[2] - NOISY


START = {"height": 1.0, "rate": 1.0, "offset": 1.0}


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
def test_least_squares(method: str) -> None:
    found = optimize.least_squares(decay_error, START, (TIMES, NOISY), method=method)
    expected = scipy.least_squares(in_scipy, [1.0, 1.0, 1.0], method=method)
    assert list(found.x) == list(START)
    assert list(found.x.values()) == near(expected.x.tolist(), rel=1e-6)
    assert found.cost == near(expected.cost, rel=1e-9)


def test_least_squares_with_bounds_and_a_robust_loss() -> None:
    upper = {"height": 2.0, "rate": np.inf, "offset": np.inf}
    found = optimize.least_squares(decay_error, START, (TIMES, NOISY), bounds=(0, upper), loss="soft_l1")
    expected = scipy.least_squares(
        in_scipy, [1.0, 1.0, 1.0], bounds=(0, [2, np.inf, np.inf]), loss="soft_l1"
    )
    assert list(found.x.values()) == near(expected.x.tolist(), rel=1e-5)
    same = scipy.Bounds([0, 0, 0], [2, np.inf, np.inf])
    again = optimize.least_squares(decay_error, START, (TIMES, NOISY), bounds=same, loss="soft_l1")
    assert again.x == found.x


def test_large_sparse_problems_get_sparse_jacobians() -> None:
    def chain(x: Any) -> list[Any]:
        return [x[0] - 1] + [10 * (b - a**0.5) for a, b in pairwise(x)]

    x0 = np.full(60, 0.9)
    found = optimize.least_squares(chain, x0)
    assert require("scipy.sparse").issparse(found.jac)
    assert found.jac.nnz == 2 * 60 - 1
    assert found.x == near(np.ones(60), abs=1e-6)
    dense = optimize.least_squares(chain, x0, method="lm")
    assert isinstance(dense.jac, np.ndarray)
    assert optimize.least_squares(lambda x: [chainrule.sum(x), *x], x0).jac.shape == (61, 60)


# --- curve_fit ------------------------------------------------------------------------------------


def decay(t: Any, height: Any, rate: Any, offset: Any) -> Any:
    return height * exp(-rate * t) + offset


def decay_in_scipy(t: Any, height: Any, rate: Any, offset: Any) -> Any:
    return height * np.exp(-rate * t) + offset


OPTIONS: list[dict[str, Any]] = [
    {},
    {"p0": [1.0, 2.0, 0.0]},
    {"sigma": 0.01 + 0.01 * TIMES},
    {"sigma": 0.01 + 0.01 * TIMES, "absolute_sigma": True},
    {"bounds": ([0, 0, 0], [2.4, np.inf, 1])},
    {"method": "dogbox", "ftol": 1e-12},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_curve_fit(options: dict[str, Any]) -> None:
    popt, pcov = optimize.curve_fit(decay, TIMES, NOISY, **options)
    expected, covariance = scipy.curve_fit(decay_in_scipy, TIMES, NOISY, **options)
    assert popt == near(expected, rel=1e-6)
    assert pcov == near(covariance, rel=1e-4)


def test_curve_fit_of_several_predictors() -> None:
    """A row for each sample, where SciPy takes a column."""
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = 2 * X[:, 0] - 3 * X[:, 1] ** 2 + 1
    (popt, _), *more = (
        optimize.curve_fit(lambda x, a, b, c: a * x[0] + b * x[1] ** 2 + c, X, y, full_output=False),
        None,
    )
    assert popt == near([2.0, -3.0, 1.0], rel=1e-9)
    assert more == [None]
    with pytest.raises(ValueError, match=r"xdata has 2 samples and ydata has 30; .*: xdata.T"):
        optimize.curve_fit(lambda x, a: a * x[0], X.T, y)


def test_curve_fit_leaves_out_samples_without_a_number() -> None:
    y = NOISY.copy()
    y[3] = np.nan
    kept = np.arange(50) != 3
    found, _ = optimize.curve_fit(decay, TIMES, y, nan_policy="omit")
    expected, _ = optimize.curve_fit(decay, TIMES[kept], y[kept])
    assert found == near(expected, rel=1e-9)
    with pytest.raises(ValueError, match="must not contain infs or NaNs"):
        optimize.curve_fit(decay, np.where(kept, TIMES, np.nan), NOISY)


def test_a_jacobian_is_not_taken() -> None:
    text = "compiles the Jacobian of your function: leave out jac"
    with pytest.raises(TypeError, match=f"optimize.least_squares {text}"):
        optimize.least_squares(lambda x: x - 1.0, 0.0, jac="3-point")
    with pytest.raises(TypeError, match=f"optimize.curve_fit {text}"):
        optimize.curve_fit(decay, [1.0], [1.0], jac="3-point")


def test_errors_of_curve_fit() -> None:
    with pytest.raises(ValueError, match="xdata has 3 samples and ydata has 2"):
        optimize.curve_fit(decay, [1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="the number of parameters is unknown: pass p0"):
        optimize.curve_fit(lambda x, *params: params[0] * x, [1.0, 2.0], [1.0, 2.0])
    popt, _ = optimize.curve_fit(lambda x, *params: params[0] * x, [1.0, 2.0, 3.0], [2, 4, 6], [1])
    assert popt == near([2.0], rel=1e-9)
    with pytest.raises(TypeError, match=r"ydata has Values: use optimize.least_squares"):
        optimize.curve_fit(decay, [1.0], [Value(1.0)])
    with pytest.raises(TypeError, match=r"optimize.curve_fit needs a function, got int"):
        optimize.curve_fit(3, [1.0], [2.0])  # type: ignore[arg-type]
    inside = compile(lambda a: optimize.curve_fit(decay, [1.0], [2.0])[0][0] * a)
    with pytest.raises(CompileError, match=r"optimize.curve_fit cannot run inside a compiled function"):
        inside([1.0, 2.0])
