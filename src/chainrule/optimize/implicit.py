"""Derivatives of solutions, by the implicit function theorem.

x(a) solves F(x, a) = 0. From a solution x₀ that is known as plain numbers, the chord method takes the
steps x - J⁻¹ F(x, a), with the fixed matrix J = ∂F/∂x. They do not change the numbers. Each step makes
one more derivative with respect to `a` exact: the error is of second order in a change of `a` after one
step, of third order after two. No step needs a Jacobian of Values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import functional as F
from ..linalg import LinAlgError
from ..support import graph
from ..value import Value
from .problems import constant

Array = Any
ORDERS = 3  # how many derivatives are exact
ATTEMPTS = 8  # Newton steps to polish a solution; from there, each doubles the number of digits
CLOSE = 1e-8  # a relative step below this is followed by one more, which reaches rounding error
FARTHEST = 0.01  # a solution that moves by a larger share of itself was not one
GOLDEN = 0.6180339887498949


def polished(
    x: Array,
    function: Callable[[Array], Array],
    jacobian: Callable[[Array], Array],
    free: Array,
    name: str,
) -> tuple[Array, Array]:
    """A solution up to rounding error by Newton's method, and the inverse of the Jacobian there.

    Only the numbers for which `free` is set move. The rows and columns of others are 0 in the inverse.
    """
    start, x, last = x, x.copy(), np.inf
    inside = np.ix_(free, free)
    for _ in range(ATTEMPTS):
        inverse = np.zeros((len(x), len(x)))
        try:
            inverse[inside] = np.linalg.inv(jacobian(x)[inside])
        except LinAlgError:
            raise LinAlgError(advice(name, "its Jacobian is singular")) from None
        if last <= CLOSE:
            return x, inverse
        step = inverse @ function(x)
        x = x - step
        scale = 1.0 + np.abs(x).max(initial=0.0)
        last = np.abs(step).max(initial=0.0) / scale
        if not np.abs(x - start).max(initial=0.0) <= FARTHEST * scale:  # also if it is NaN
            raise LinAlgError(advice(name, "Newton's method leaves this point"))
    raise LinAlgError(advice(name, "Newton's method does not converge there"))


def advice(name: str, reason: str) -> str:
    return (
        f"the solution of optimize.{name} depends on Values, but it cannot be differentiated: {reason}. "
        f"Either the solver stopped too early (pass a smaller tol, or a better x0), or the solution is "
        f"not unique"
    )


def differentiable(
    system: Callable[[Sequence[Any]], Sequence[Any]], x: Array, inverse: Array
) -> list[Value]:
    """The solution x of system(x) = 0 as Values.

    Derivatives above the third are infinite or NaN rather than wrong. Recomputing the Values for other
    arguments gives NaN, because only the solver could find the new solution.
    """
    values: list[Any] = [constant(each) for each in x]
    first: list[Any] = []
    for _ in range(ORDERS):
        residuals = list(system(values))
        first = first or residuals
        values = [v - F.dot(row.tolist(), residuals) for v, row in zip(values, inverse, strict=True)]
    total = F.dot([1.0 + GOLDEN * i % 1.0 for i in range(len(first))], first)
    if not isinstance(total, Value):
        return values
    change = total - F.stop_gradient(total)  # 0, but with derivatives
    beyond = F.pow(change, ORDERS + 0.5)
    known = F.equal(F.stop_gradient(total), graph.number(total))
    return [v + beyond + F.where(known, 0.0, np.nan) for v in values]
