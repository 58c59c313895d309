"""minimize: every method of SciPy, trees of parameters, bounds, constraints, callbacks, errors."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, compile, optimize
from chainrule.compiler import CompileError

from ...conftest import require
from ...near import near

scipy = require("scipy.optimize")

Tree = dict[str, Any]
METHODS = {
    "Nelder-Mead": set[str](),
    "Powell": set[str](),
    "COBYLA": set[str](),
    "CG": {"jac"},
    "BFGS": {"jac"},
    "L-BFGS-B": {"jac"},
    "TNC": {"jac"},
    "SLSQP": {"jac"},
    "Newton-CG": {"jac", "hess"},
    "dogleg": {"jac", "hess"},
    "trust-exact": {"jac", "hess"},
    "trust-ncg": {"jac", "hess"},
    "trust-krylov": {"jac", "hess"},
    "trust-constr": {"jac", "hess"},
}


def bowl(p: Tree) -> Value:
    """Its minimum, 3, is at a = 1, b = (2, 0.5)."""
    first, second = p["b"]
    value: Value = (p["a"] - 1) ** 2 + chainrule.cosh(first - 2) + chainrule.exp(second) - second * 1.5
    return value + (second - 0.5) ** 2 + second * (1.5 - chainrule.exp(0.5))


MINIMUM = {"a": 1.0, "b": [2.0, 0.5]}


def rosenbrock(x: Any) -> Value:
    pairs = pairwise(x)
    return chainrule.sum([100 * (b - a**2) ** 2 + (1 - a) ** 2 for a, b in pairs])


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The arguments of the last call of SciPy."""
    seen: dict[str, Any] = {}
    original = scipy.minimize

    def minimize(*args: Any, **keywords: Any) -> Any:
        seen.clear()
        seen.update(keywords)
        return original(*args, **keywords)

    monkeypatch.setattr(scipy, "minimize", minimize)
    return seen


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gets_the_derivatives_it_takes(method: str, given: dict[str, Any]) -> None:
    found = optimize.minimize(bowl, {"a": 0.0, "b": [1.0, 0.0]}, method=method)
    assert isinstance(found, scipy.OptimizeResult)
    assert found.success
    assert found.x == near(MINIMUM, abs=1e-3)
    assert {name for name in ("jac", "hess", "hessp") if given.get(name)} == METHODS[method]


@pytest.mark.parametrize(
    ("method", "wanted"),
    [("Newton-CG", "hess"), ("trust-ncg", "hessp"), ("trust-constr", "hess"), ("trust-exact", "hess")],
)
def test_large_problems_with_sparse_hessians(method: str, wanted: str, given: dict[str, Any]) -> None:
    x0 = np.full(40, 0.9)
    found = optimize.minimize(rosenbrock, x0, method=method, tol=1e-8)
    assert found.x == near(np.ones(40), abs=1e-3)
    assert given.get(wanted) is not None
    is_sparse = wanted == "hess" and scipy_sparse(given["hess"](x0))
    assert is_sparse == (method in ("Newton-CG", "trust-constr"))


def scipy_sparse(matrix: Any) -> bool:
    return bool(require("scipy.sparse").issparse(matrix))


def test_large_problems_with_dense_hessians_get_products(given: dict[str, Any]) -> None:
    def dense(x: Any) -> Value:
        return chainrule.exp(chainrule.sum(x) - 40) + chainrule.dot(x - 1, x - 1)

    for method in ("Newton-CG", "trust-constr", "trust-krylov"):
        optimize.minimize(dense, np.zeros(40), method=method, options={"maxiter": 3})
        assert given.get("hess") is None
        direction = np.cos(np.arange(40.0))
        full = np.exp(-40.0) * np.ones((40, 40)) + 2 * np.eye(40)
        assert given["hessp"](np.zeros(40), direction) == near(full @ direction, rel=1e-13)


@pytest.mark.parametrize(
    "x0", [3.0, [3.0], (3.0,), {"x": 3}, np.array([[3.0]]), np.float64(3), np.array(3)]
)
def test_x_has_the_structure_of_x0(x0: Any) -> None:
    found = optimize.minimize(lambda x: (chainrule.sum(leaves(x)) - 2) ** 2, x0)
    (number,) = leaves(found.x)
    assert number == near(2.0, abs=1e-6)
    assert np.shape(found.x) == np.shape(x0)
    expected = float if isinstance(x0, (float, np.ndarray)) and np.ndim(x0) == 0 else type(x0)
    assert isinstance(found.x, (expected, np.ndarray) if isinstance(x0, np.ndarray) else expected)
    assert not any(isinstance(v, Value) for v in leaves(found.x))


def leaves(x: Any) -> list[Any]:
    found: list[Any] = chainrule.support.tree.flatten(x)[0]
    return found


def test_further_arguments_may_be_anything() -> None:
    def f(x: Value, data: Any, name: str, scale: Any) -> Value:
        assert name == "sum"
        return chainrule.sum([(x - d) ** 2 for d in data]) * scale["factor"]

    data = np.array([1, 2, 6])
    assert optimize.minimize(f, 0.0, (data, "sum", {"factor": 2.0})).x == near(3.0, abs=1e-6)
    assert optimize.minimize(lambda x, a: (x - a) ** 2, 0.0, 7.0).x == near(7.0, abs=1e-6)


def test_compiled_functions_and_branches() -> None:
    f = compile(lambda x: (x[0] - 1) ** 2 if x[0] > 0 else 1 - 4 * x[0], batch=None)
    assert optimize.minimize(f, [-2.0]).x == near([1.0], abs=1e-6)


BOUNDS: list[Any] = [
    [(0, 3), (None, 1.5), (0, None)],
    {"a": (0, 3), "b": [(None, 1.5), (0, None)]},
    scipy.Bounds([0, -np.inf, 0], [3, 1.5, np.inf]),
]


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("method", ["L-BFGS-B", "SLSQP", "TNC", None])
def test_bounds(bounds: Any, method: str | None) -> None:
    found = optimize.minimize(bowl, {"a": 0.5, "b": [1.0, 0.1]}, method=method, bounds=bounds)
    assert found.x == near({"a": 1.0, "b": [1.5, 0.5]}, abs=1e-4)


def test_one_pair_of_bounds_for_a_whole_array() -> None:
    x0 = {"a": np.full((2, 3), 0.5), "b": 0.0}

    def distance(x: Any) -> Value:
        return chainrule.sum([(v - 2) ** 2 for v in leaves(x)])

    found = optimize.minimize(distance, x0, bounds={"a": (0, 1), "b": (None, None)})
    assert found.x == near({"a": np.ones((2, 3)), "b": 2.0}, abs=1e-6)
    with pytest.raises(ValueError, match="bounds must have the structure of x0, with 2 entries, got 1"):
        optimize.minimize(distance, x0, bounds={"a": (0, 1)})
    with pytest.raises(ValueError, match=r"a pair \(lower, upper\) for each number, got 3"):
        optimize.minimize(distance, x0, bounds={"a": (0, 1), "b": 3})


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr", None])
def test_constraints(method: str | None) -> None:
    """On the unit disc, right of the line x = y. Their functions are compiled too."""

    def distance(p: Tree) -> Value:
        return (p["x"] - 1) ** 2 + (p["y"] - 2.5) ** 2

    def disc(p: Tree, size: float) -> Value:
        return size - p["x"] ** 2 - p["y"] ** 2

    x0 = {"x": 0.5, "y": 0.0}
    inside: dict[str, Any] = {"type": "ineq", "fun": disc, "args": (1.0,)}
    line = {"type": "ineq", "fun": lambda p: p["x"] - p["y"]}
    found = optimize.minimize(distance, x0, method=method, constraints=[inside, line])
    assert found.x == near({"x": 0.5**0.5, "y": 0.5**0.5}, abs=1e-4)
    found = optimize.minimize(distance, x0, method=method, constraints=inside)
    assert found.x == near({"x": 1 / 7.25**0.5, "y": 2.5 / 7.25**0.5}, abs=1e-4)
    both = scipy.NonlinearConstraint(
        lambda p: [p["x"] ** 2 + p["y"] ** 2, p["x"] - p["y"]], [-np.inf, 0], [1, np.inf]
    )
    found = optimize.minimize(distance, x0, method=method, constraints=both)
    assert found.x == near({"x": 0.5**0.5, "y": 0.5**0.5}, abs=1e-4)
    linear = scipy.LinearConstraint([[1.0, 1.0]], 0.0, 1.0)
    found = optimize.minimize(distance, x0, method=method, constraints=linear)
    assert found.x == near({"x": -0.25, "y": 1.25}, abs=1e-3)


def test_callbacks_get_x_in_the_structure_of_x0() -> None:
    seen: list[Any] = []
    optimize.minimize(bowl, MINIMUM, method="BFGS", tol=1e-9, callback=lambda x: seen.append(x))
    x0 = {"a": 0.0, "b": [1.0, 0.0]}
    optimize.minimize(bowl, x0, callback=lambda xk: seen.append(xk))
    assert seen[-1] == near(MINIMUM, abs=1e-4)

    def stop(intermediate_result: Any) -> None:
        seen.append(intermediate_result.x)
        raise StopIteration

    found = optimize.minimize(bowl, x0, callback=stop)
    assert found.nit == 1
    assert found.x == seen[-1]
    optimize.minimize(bowl, x0, method="trust-constr", callback=lambda x, state: seen.append(x))
    assert seen[-1] == near(MINIMUM, abs=1e-4)


def test_errors() -> None:
    with pytest.raises(TypeError, match=r"optimize.minimize needs a function, got float"):
        optimize.minimize(3.0, 1.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"optimize.minimize needs at least one number in x0, got none"):
        optimize.minimize(bowl, [])
    message = (
        "optimize.minimize needs a function that returns one number, got a list of 2; "
        "optimize.least_squares minimises the sum of their squares"
    )
    with pytest.raises(TypeError, match=message):
        optimize.minimize(lambda x: [x, x], 1.0)
    with pytest.raises(TypeError, match="returned None: is its return statement missing"):
        optimize.minimize(lambda x: None, 1.0)
    inside = compile(lambda a: optimize.minimize(lambda x: (x - a) ** 2, 0.0).x)
    with pytest.raises(CompileError, match=r"optimize.minimize cannot run inside a compiled function"):
        inside([1.0, 2.0])
