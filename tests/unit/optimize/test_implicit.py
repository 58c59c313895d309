"""Derivatives of solutions: against closed forms, and finite differences of SciPy's solutions."""

from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, detect_anomaly, exp, grad, hessian, jacobian, jvp, no_grad, optimize
from chainrule import functional as F
from chainrule.linalg import LinAlgError
from chainrule.optimize.problems import Problem

from ...conftest import require
from ...near import near

require("scipy.optimize")


def lambert(a: Any) -> Any:
    """W(a), which solves w exp(w) = a."""
    return optimize.root(lambda w, a: w * exp(w) - a, 1.0, (a,)).x


def test_a_root_has_three_derivatives() -> None:
    w = 0.8526055020137255  # W(2)
    first = w / (2 * (1 + w))
    second = -(w**2) * (w + 2) / (4 * (1 + w) ** 3)
    third = w**3 * (2 * w**2 + 8 * w + 9) / (8 * (1 + w) ** 5)
    found = [lambert, grad(lambert), grad(grad(lambert)), grad(grad(grad(lambert)))]
    assert [f(2.0) for f in found] == near([w, first, second, third], rel=1e-12)
    assert jvp(lambert, (2.0,), (3.0,)) == near((w, 3 * first), rel=1e-12)


def test_a_fourth_derivative_is_not_silently_wrong() -> None:
    assert not np.isfinite(grad(grad(grad(grad(lambert))))(2.0))


def bowl(x: Any, a: Any) -> Any:
    return (x["u"] - a[0]) ** 2 + (x["v"] - x["u"] * a[1]) ** 2 + 0.1 * x["v"] ** 4


def minimum(a: Any) -> Any:
    x0 = {"u": 1.0, "v": 1.0}
    return optimize.minimize(bowl, x0, (a,), method="trust-exact", tol=1e-12).x["v"]


def test_a_minimum_has_three_derivatives() -> None:
    at, step = np.array([1.5, 0.7]), 1e-4

    def differences(f: Any) -> Any:
        return np.array([(f(at + d) - f(at - d)) / (2 * step) for d in step * np.eye(2)])

    assert grad(minimum)(at) == near(differences(minimum), rel=1e-6)
    assert hessian(minimum)(at) == near(differences(grad(minimum)), rel=1e-6)
    third = jacobian(hessian(minimum))(at)
    assert third == near(np.moveaxis(differences(hessian(minimum)), 0, -1), rel=1e-5)


def test_the_value_of_a_minimum_is_differentiable_too() -> None:
    """Its gradient is the partial derivative at the minimum (the envelope theorem)."""
    a = [1.5, 0.7]
    found = optimize.minimize(bowl, {"u": 1.0, "v": 1.0}, (a,)).x
    expected = grad(lambda a: bowl(found, a))(a)
    assert grad(lambda a: optimize.minimize(bowl, found, (a,)).fun)(a) == near(expected, rel=1e-4)


def test_values_outside_grad() -> None:
    a = Value(2.0)
    w = lambert(a)
    assert isinstance(w, Value)
    w.backward()
    assert a.grad == near(0.23010983749291723, rel=1e-12)
    result = optimize.root(lambda w: [w[0] * exp(w[0]) - a], np.array([1.0]))  # closes over it
    assert result.x.shape == (1,)
    chainrule.sum(result.x).backward(reset=True)
    assert a.grad == near(0.23010983749291723, rel=1e-12)


def test_values_computed_from_others() -> None:
    a = Value(1.0)
    lambert(2 * a**2).backward()
    assert a.grad == near(4 * 0.23010983749291723, rel=1e-12)


def test_plain_numbers_give_plain_numbers() -> None:
    assert isinstance(lambert(2.0), float)
    assert isinstance(optimize.minimize(bowl, {"u": 1.0, "v": 1.0}, ([1.0, 2.0],)).fun, float)

    def inside(a: Any) -> Any:
        assert isinstance(lambert(2.0), float)
        return a * lambert(2.0)

    assert grad(inside)(3.0) == lambert(2.0)


def test_the_starting_point_has_no_derivative() -> None:
    assert grad(lambda x: optimize.root(lambda w: w * exp(w) - 2.0, x).x + x)(1.0) == 1.0


def test_a_solution_recomputed_for_other_arguments_is_nan() -> None:
    """Only the solver could find it."""
    a = Value(2.0)
    w = lambert(a)
    w.forward()
    assert w.data == near(lambert(2.0), ulps=1)
    a.data = 2.001
    w.forward()
    assert np.isnan(w.data)


def test_inside_no_grad_nothing_is_recorded() -> None:
    with no_grad():
        w = lambert(Value(2.0))
    with pytest.raises(RuntimeError, match="no_grad"):
        w.backward()


def test_anomaly_detection_accepts_solutions() -> None:
    with detect_anomaly():
        found = grad(lambert)(2.0)
    assert found == grad(lambert)(2.0)


def test_least_squares() -> None:
    """The solution of a linear problem is a linear function of its right-hand side."""
    A = np.random.default_rng(0).normal(size=(6, 2))
    b = np.arange(6.0)

    def solve(b: Any) -> Any:
        return optimize.least_squares(lambda x, b: A @ x - b, np.zeros(2), (b,)).x

    assert jacobian(solve)(b) == near(np.linalg.pinv(A), rel=1e-9, abs=1e-12)

    def cost(b: Any) -> Any:
        return optimize.least_squares(lambda x, b: A @ x - b, np.zeros(2), (b,)).cost

    assert grad(cost)(b) == near(b - A @ np.linalg.pinv(A) @ b, rel=1e-9)
    with pytest.raises(
        TypeError, match="'cauchy', 'arctan', got a function; or pass the sum of the losses"
    ):
        optimize.least_squares(lambda x, b: A @ x - b, np.zeros(2), (Value(1.0),), loss=np.log1p)


# The first and second derivatives of SciPy's losses with respect to the residual, in units of f_scale
SLOPES: dict[str, tuple[Any, Any]] = {
    "linear": (lambda u: u, lambda u: 1.0 + 0.0 * u),
    "soft_l1": (lambda u: u / np.sqrt(1 + u * u), lambda u: (1 + u * u) ** -1.5),
    "huber": (lambda u: np.clip(u, -1, 1), lambda u: 1.0 * (abs(u) <= 1)),
    "cauchy": (lambda u: u / (1 + u * u), lambda u: (1 - u * u) / (1 + u * u) ** 2),
    "arctan": (lambda u: u / (1 + u**4), lambda u: (1 - 3 * u**4) / (1 + u**4) ** 2),
}


@pytest.mark.parametrize("unit", [1.0, 0.3])
@pytest.mark.parametrize("loss", SLOPES)
def test_losses_of_least_squares(loss: str, unit: float) -> None:
    A, b = np.random.default_rng(0).normal(size=(8, 2)), np.linspace(-1.0, 1.0, 8)

    def solve(b: Any) -> Any:
        return optimize.least_squares(lambda x, b: A @ x - b, [0.0, 0.0], (b,), loss=loss, f_scale=unit)

    found = solve([Value(each) for each in b])
    first, second = (f((A @ [x.data for x in found.x] - b) / unit) for f in SLOPES[loss])
    assert jacobian(lambda b: solve(b).x)(b) == near(
        np.linalg.inv(A.T @ np.diag(second) @ A) @ A.T @ np.diag(second), rel=1e-9, abs=1e-12
    )
    assert grad(lambda b: solve(b).cost)(b) == near(-unit * first, rel=1e-9, abs=1e-12)
    assert found.cost.data == near(solve(b).cost, rel=1e-9)


def test_numbers_at_a_bound_do_not_move() -> None:
    def solve(a: Any) -> Any:
        f = lambda x, a: (x[0] - a) ** 2 + (x[1] - a - x[0]) ** 2  # noqa: E731
        return optimize.minimize(f, [0.0, 0.0], (a,), bounds=[(0, 1), (None, None)]).x

    assert solve(3.0) == near([1.0, 4.0], rel=1e-7)
    assert [grad(lambda a, i=i: solve(a)[i])(3.0) for i in (0, 1)] == near([0.0, 1.0], abs=1e-9)
    assert [grad(lambda a, i=i: solve(a)[i])(0.5) for i in (0, 1)] == near([1.0, 2.0], rel=1e-9)


def test_solutions_that_cannot_be_differentiated() -> None:
    with pytest.raises(LinAlgError, match="cannot be differentiated: its Jacobian is singular"):
        grad(lambda a: optimize.minimize(lambda x, a: (x[0] + x[1] - a) ** 2, [0.0, 0.0], (a,)).fun)(1.0)
    with pytest.raises(LinAlgError, match="the solution is not unique"):
        grad(lambda a: optimize.minimize(lambda x, a: (x - a) ** 4, 0.0, (a,)).x)(1.0)
    options = {"maxiter": 1}
    with pytest.raises(LinAlgError, match="Newton's method leaves this point"):
        grad(lambda a: optimize.minimize(lambda x, a: exp(x) - a * x, 5.0, (a,), options=options).x)(1.0)
    twice = {"type": "eq", "fun": lambda x: [x[0] - x[1], 2.0 * (x[0] - x[1])]}
    with pytest.raises(LinAlgError, match="cannot be differentiated: its Jacobian is singular"):
        optimize.minimize(
            lambda x, a: (x[0] - a) ** 2 + x[1] ** 2, [0.0, 0.0], (Value(1.0),), constraints=twice
        )


def on_circle(a: Any, radius: Any, method: str) -> Any:
    """The point of a disc that is nearest to a point."""
    disc = {"type": "ineq", "fun": lambda x, r: r * r - x["x"] ** 2 - x["y"] ** 2, "args": (radius,)}
    f = lambda p, a: (p["x"] - a[0]) ** 2 + (p["y"] - a[1]) ** 2  # noqa: E731
    start = {"x": 0.3, "y": 0.2}
    found = optimize.minimize(f, start, (a,), method, constraints=disc, tol=1e-10)
    return [found.x["x"], found.x["y"], found.fun]


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr", "COBYLA"])
def test_constraints(method: str) -> None:
    """Outside of the disc, the nearest point is radius · a / |a|; inside, it is the point itself."""
    a, r = np.array([3.0, 4.0]), 2.0
    x, y, distance = on_circle([Value(3.0), Value(4.0)], Value(r), method)
    assert [x.data, y.data, distance.data] == near([1.2, 1.6, 9.0], rel=1e-9)
    by_a, by_r = (
        np.array(jacobian(lambda a, r: on_circle(a, r, method), argnums=i)(a, r)) for i in (0, 1)
    )
    turn = r / 5.0 * (np.eye(2) - np.outer(a, a) / 25.0)
    assert by_a == near(np.array([*turn, 2.0 * 3.0 * a / 5.0]), rel=1e-8, abs=1e-10)
    assert by_r == near([0.6, 0.8, -6.0], rel=1e-8)
    curved = hessian(lambda a: on_circle(a, r, method)[2])(a)
    assert curved == near(2.0 * np.eye(2) - 2.0 * turn, rel=1e-7)
    inside = np.array(jacobian(lambda a: on_circle(a, r, method)[:2])(np.array([0.5, 0.25])))
    assert inside == near(np.eye(2), abs=1e-9)


@pytest.mark.parametrize("kind", ["dict", "nonlinear", "linear"])
@pytest.mark.parametrize("bounds", [None, [(None, None), (None, 0.25), (None, None)]])
def test_kinds_of_constraints(kind: str, bounds: Any) -> None:
    """The point of a plane nearest to a, with a second constraint that is not active."""
    scipy = require("scipy.optimize")
    rows = np.array([[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]])
    constraints = {
        "dict": [
            {"type": "eq", "fun": lambda x: x[0] + x[1] + x[2] - 1.0},
            {"type": "ineq", "fun": lambda x: 9.0 - x[0]},
        ],
        "nonlinear": [
            scipy.NonlinearConstraint(lambda x: rows[0] @ x, 1.0, 1.0),
            scipy.NonlinearConstraint(lambda x: [x[0]], -9.0, 9.0),
        ],
        "linear": [
            scipy.LinearConstraint(rows[0], 1.0, 1.0),
            scipy.LinearConstraint(rows[1:], [-9.0], [9.0]),
        ],
    }[kind]

    def solve(a: Any) -> Any:
        f = lambda x, a: F.sum([(p - q) ** 2 for p, q in zip(x, a, strict=True)])  # noqa: E731
        return optimize.minimize(f, np.zeros(3), (a,), bounds=bounds, constraints=constraints).x

    a = np.array([1.0, 2.0, -0.5])
    moves = np.array([1.0, 0.0 if bounds else 1.0, 1.0])
    slopes = np.diag(moves) - np.outer(moves, moves) / moves.sum()
    assert jacobian(solve)(a) == near(slopes, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_random_quadratic_problems(seed: int) -> None:
    """With equations, inequalities and bounds: against finite differences of SciPy's solutions."""
    rng = np.random.default_rng(seed)
    Q, A, G = rng.normal(size=(4, 4)), rng.normal(size=(1, 4)), rng.normal(size=(3, 4))
    Q, limits = Q @ Q.T + np.eye(4), rng.uniform(0.1, 1.0, 3)

    def solve(a: Any, b: Any) -> Any:
        constraints = [
            {"type": "eq", "fun": lambda x, b: A @ x - b, "args": (b,)},
            {"type": "ineq", "fun": lambda x: limits - G @ x - 0.05 * F.dot(x, x)},
        ]
        f = lambda x, a: 0.5 * F.dot(x, Q @ x) - F.dot(x, a)  # noqa: E731
        options = {"bounds": [(-0.4, None)] * 4 if seed % 2 else None, "tol": 1e-12}
        return optimize.minimize(f, np.zeros(4), (a,), "SLSQP", constraints=constraints, **options).x

    a, b = 2.0 * rng.normal(size=4), 0.3 * rng.normal(size=1)
    by_a, by_b = (jacobian(solve, argnums=i)(a, b) for i in (0, 1))
    step = 1e-4
    slopes = [(solve(a + step * u, b) - solve(a - step * u, b)) / (2 * step) for u in np.eye(4)]
    assert by_a == near(np.transpose(slopes), abs=1e-4)
    assert by_b[:, 0] == near((solve(a, b + step) - solve(a, b - step)) / (2 * step), abs=1e-4)


@pytest.mark.parametrize("method", ["BFGS", "trust-exact", "trust-ncg", "Nelder-Mead"])
def test_a_function_that_solves_a_problem_is_differentiated_eagerly(method: str) -> None:
    """The minimum of (W(a) - 0.5)² is at a = 0.5 exp(0.5)."""
    found = optimize.minimize(lambda a: (lambert(a) - 0.5) ** 2, 1.0, method=method)
    assert isinstance(found.x, float)
    assert found.x == near(0.5 * np.exp(0.5), rel=1e-3)
    inverse = optimize.root(lambert_minus, [1.0], (0.5,))
    assert inverse.x == near([0.5 * np.exp(0.5)], rel=1e-12)
    assert not Problem("", lambda x: lambert(x[0]) + x[1] ** 2, np.ones(33), single=True).is_sparse(True)


def lambert_minus(a: Any, y: Any) -> Any:
    return [lambert(a[0]) - y]


def test_solutions_of_nested_problems_have_derivatives() -> None:
    def inverse(y: Any) -> Any:
        return optimize.root(lambert_minus, [1.0], (y,)).x[0]

    expected = 1.5 * np.exp(0.5)
    assert grad(inverse)(0.5) == near(expected, rel=1e-10)
    y = Value(0.5)
    optimize.root(lambda a: lambert(a) - y, 1.0).x.backward()
    assert y.grad == near(expected, rel=1e-10)
