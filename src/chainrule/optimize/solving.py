"""root and least_squares: systems of equations, with compiled dense or sparse Jacobians."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import functional as F
from ..support.tree import flatten
from .implicit import differentiable, polished
from .minimizing import with_derivatives
from .problems import (
    Array,
    Problem,
    check_has_no_jacobian,
    numbers_of,
    plain_numbers,
    scipy_optimize,
)

WITH_JACOBIAN = ("hybr", "lm")
# SciPy's losses of a squared residual
LOSSES: dict[str, Callable[[Any], Any]] = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2.0 * (F.sqrt(1.0 + z) - 1.0),
    "huber": lambda z: F.where(z <= 1.0, z, 2.0 * F.sqrt(F.where(z <= 1.0, 1.0, z)) - 1.0),
    "cauchy": F.log1p,
    "arctan": F.atan,
}


def root(
    fun: Callable[..., Any],
    x0: Any,
    args: Any = (),
    method: str = "hybr",
    *,
    tol: float | None = None,
    callback: Callable[..., Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Solve fun(x, *args) = 0 with scipy.optimize.root and the compiled Jacobian.

    `fun` returns as many numbers as x has: one number, or a list, dict or array. In the OptimizeResult,
    x has the structure of x0. If `fun` depends on Values, in `args` or around it, x consists of Values
    that carry their first three derivatives, by the implicit function theorem.
    """
    problem = Problem("root", fun, x0, args)
    optimize = scipy_optimize("root")
    with plain_numbers():
        outputs = len(problem.value(problem.start))
        if outputs != problem.count:
            raise ValueError(
                f"optimize.root needs as many equations as unknowns, got {outputs} equations for "
                f"{problem.count} numbers in x0; use optimize.least_squares"
            )
        result = optimize.root(
            problem.value,
            problem.start,
            method=method,
            jac=problem.jacobian if method.lower() in WITH_JACOBIAN else None,
            tol=tol,
            callback=None if callback is None else lambda x, *more: callback(problem.tree(x), *more),
            options=None if options is None else dict(options),
        )
    if not problem.depends_on_values:
        result.x = problem.tree(result.x)
        return result
    with plain_numbers():
        everything = np.ones(problem.count, bool)
        start = np.reshape(result.x, problem.count)
        x, inverse = polished(start, problem.value, problem.jacobian, everything, "root")

    def equations(values: Sequence[Any]) -> Sequence[Any]:
        found: Sequence[Any] = problem.call(values, problem.args)
        return found

    result.x = problem.tree(differentiable(equations, x, inverse))
    return result


def least_squares(
    fun: Callable[..., Any],
    x0: Any,
    args: Any = (),
    *,
    bounds: Any = (-np.inf, np.inf),
    method: str = "trf",
    loss: Any = "linear",
    **options: Any,
) -> Any:
    """Minimise half the sum of squares of fun(x, *args) with scipy.optimize.least_squares.

    The compiled Jacobian is sparse if x is large and every residual depends on few of its numbers.

    Arguments:
        fun: returns the residuals, in a list, dict or array.
        bounds: as in SciPy, a pair of lower and upper bounds, each one number or in the structure of x0.
        options: further arguments of SciPy.

    In the OptimizeResult, x has the structure of x0. If `fun` depends on Values, in `args` or around it,
    x, cost and fun consist of Values; the loss must then be one of SciPy's, by name.

    """
    check_has_no_jacobian("least_squares", options)
    problem = Problem("least_squares", fun, x0, args)
    optimize = scipy_optimize("least_squares")
    if problem.depends_on_values and callable(loss):
        raise TypeError(
            f"the solution of optimize.least_squares depends on Values, so it needs a loss that can be "
            f"differentiated: one of {', '.join(map(repr, LOSSES))}, got a function; or pass the sum of "
            f"the losses to optimize.minimize"
        )
    with plain_numbers():
        is_sparse = method != "lm" and problem.is_sparse(second=False)
        result = optimize.least_squares(
            problem.value,
            problem.start,
            jac=problem.sparse_jacobian if is_sparse else problem.jacobian,
            bounds=_bounds(bounds, optimize),
            method=method,
            loss=loss,
            **options,
        )
    if not problem.depends_on_values:
        result.x = problem.tree(result.x)
        return result
    unit = options.get("f_scale", 1.0)  # residuals above it count less

    def total(x: Any, *args: Any) -> Any:
        residuals = flatten(fun(x, *args))[0]
        if loss == "linear":
            return 0.5 * F.dot(residuals, residuals)
        return 0.5 * unit**2 * F.sum([LOSSES[loss]((r / unit) ** 2) for r in residuals])

    free = np.asarray(result.active_mask) == 0
    with_derivatives(result, Problem("least_squares", total, x0, args, True), free)
    result.cost = result.fun
    result.fun = problem.call(flatten(result.x)[0], problem.args)
    return result


def _bounds(bounds: Any, optimize: Any) -> Any:
    if isinstance(bounds, optimize.Bounds):
        return optimize.Bounds(np.ravel(bounds.lb), np.ravel(bounds.ub))
    lower, upper = bounds
    return tuple(_side(each) for each in (lower, upper))


def _side(side: Any) -> float | Array:
    return float(side) if np.ndim(side) == 0 and not isinstance(side, Mapping) else numbers_of(side)
