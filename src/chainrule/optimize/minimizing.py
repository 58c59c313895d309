"""minimize: chooses the derivatives that each method of scipy.optimize.minimize takes."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import functional as F
from ..autodiff import grad
from ..linalg import LinAlgError
from ..support.arrays import is_array
from ..support.tree import children, flatten
from .implicit import advice, differentiable, polished
from .problems import SMALL, Array, Problem, plain, plain_numbers, scipy_optimize

WITHOUT_GRADIENT = ("nelder-mead", "powell", "cobyla", "cobyqa")
DENSE_HESSIAN = ("dogleg", "trust-exact")
SPARSE_HESSIAN = ("newton-cg", "trust-constr")
Limit = tuple[Any, Problem]  # a constraint as it was given, and its function
AT_BOUND = 1e-3  # how far from its bound a solver may leave an active constraint, relative to the bound
PUSHES = 1e-6  # the least multiplier of an active inequality, whose sign is then known
ROUNDING = 1e-12  # SLSQP leaves numbers this close to their bounds, relative to their size
EXACT = 1e-9  # how far from its bound a constraint may be at a refined solution
ANY_HESSIAN = (*SPARSE_HESSIAN, "trust-ncg", "trust-krylov")  # a matrix or products with vectors


def minimize(
    fun: Callable[..., Any],
    x0: Any,
    args: Any = (),
    method: Any = None,
    *,
    bounds: Any = None,
    constraints: Any = (),
    tol: float | None = None,
    callback: Callable[..., Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Minimise fun(x, *args) with scipy.optimize.minimize and compiled derivatives.

    Arguments:
        fun: returns one number. It is compiled, and so are the functions of the constraints.
        x0: the starting point: a number, or a list, dict or array of numbers.
        method: as in SciPy. Methods that use second derivatives get them: a matrix if x is small or the
            matrix is sparse, otherwise products with vectors.
        bounds: as in SciPy, a pair for each number; also in the structure of x0.
        constraints: as in SciPy, for functions of an x in the structure of x0. `jac` and `hess` of
            theirs are not used.

    Returns SciPy's OptimizeResult, in which x has the structure of x0. If `fun` depends on Values, in
    `args` or around it, x and fun are Values too, with their derivatives by the implicit function
    theorem (x the first three). The other entries remain numbers.

    """
    problem = Problem("minimize", fun, x0, args, single=True)
    optimize = scipy_optimize("minimize")
    name = method.lower() if isinstance(method, str) else method
    limits = [_constraint(each, problem, optimize) for each in _listed(constraints)]
    chosen: dict[str, Any] = {"fun": problem.value_and_grad, "jac": True}
    if name in WITHOUT_GRADIENT:
        chosen = {"fun": problem.value}
    with plain_numbers():
        chosen |= _second(problem, name)
        result = optimize.minimize(
            x0=problem.start,
            method=method,
            bounds=_bounds(bounds, problem, optimize),
            constraints=[_compiled(each, optimize, name == "trust-constr") for each in limits] or (),
            tol=tol,
            callback=None if callback is None else _callback(callback, problem, optimize),
            options=None if options is None else dict(options),
            **chosen,
        )
    if any(each.depends_on_values for each in (problem, *(own for _, own in limits))):
        free = _free(result.x, bounds, problem, optimize)
        active = _active(result.x, free, problem, limits)
        if active:
            _with_multipliers(result, problem, active, free)
        else:
            with_derivatives(result, problem, free)
        _check_limits(plain(flatten(result.x)[0]), limits)
        return result
    result.x = problem.tree(result.x)
    return result


def with_derivatives(result: Any, problem: Problem, free: Array) -> Any:
    """A minimum whose x and fun are Values."""
    with plain_numbers():
        x, inverse = polished(result.x, problem.grad, problem.hessian, free, problem.name)

    def gradient(values: Sequence[Any]) -> list[Any]:
        found: list[Any] = grad(lambda items: problem.call(items, problem.args))(list(values))
        return found

    found = differentiable(gradient, x, inverse)
    result.x = problem.tree(found)
    result.fun = problem.call(found, problem.args)
    return result


class Active(NamedTuple):
    """A number of a constraint that is at a bound of it."""

    constraint: Problem
    place: int
    bound: float
    side: float  # 1 at a lower bound, -1 at an upper one, 0 for an equality
    multiplier: float = 0.0


def _active(x: Array, free: Array, problem: Problem, limits: Sequence[Limit]) -> list[Active]:
    """The constraints that hold a solution back, with their multipliers."""
    found: list[Active] = []
    rows: list[Array] = []
    with plain_numbers():
        for given, each in limits:
            values = np.ravel(each.value(x))
            slopes = np.reshape(each.jacobian(x), (len(values), len(x)))
            for i, (lower, upper) in enumerate(_sides(given, len(values))):
                gaps = [abs(values[i] - b) / (1.0 + abs(b)) for b in (lower, upper) if np.isfinite(b)]
                if not gaps or min(gaps) > AT_BOUND:
                    continue
                is_lower = bool(abs(values[i] - lower) <= abs(values[i] - upper))
                side = 0.0 if lower == upper else 1.0 if is_lower else -1.0
                found.append(Active(each, i, float(lower if is_lower else upper), side))
                rows.append(slopes[i][free])
        gradient = problem.grad(x)[free]
    while found:
        weights = np.linalg.lstsq(np.transpose(rows), gradient, rcond=None)[0].tolist()
        found = [each._replace(multiplier=w) for each, w in zip(found, weights, strict=True)]
        # An inequality pushes in one direction only; the one that pulls most is not active.
        least = min(range(len(found)), key=lambda i: _push(found[i]))
        if _push(found[least]) > PUSHES:
            break
        del found[least], rows[least]
    return found


def _push(active: Active) -> float:
    return active.side * active.multiplier if active.side else np.inf


def _check_limits(x: Sequence[float], limits: Sequence[Limit]) -> None:
    """Raise if a refined solution violates a constraint, which then was taken for inactive."""
    with plain_numbers():
        for given, each in limits:
            values = np.ravel(each.value(np.array(x)))
            for value, (lower, upper) in zip(values, _sides(given, len(values)), strict=True):
                if not lower - EXACT * (1 + abs(value)) <= value <= upper + EXACT * (1 + abs(value)):
                    raise LinAlgError(advice("minimize", "it violates a constraint"))


def _with_multipliers(result: Any, problem: Problem, active: list[Active], free: Array) -> None:
    """A minimum with constraints whose x and fun are Values: where the Lagrangian is stationary."""
    own = list(dict.fromkeys(each.constraint for each in active))

    def lagrangian(point: Any, args: Any, others: Any) -> Any:
        tree, multipliers = point
        numbers = {
            each: flatten(each.function(tree, *more))[0] for each, more in zip(own, others, strict=True)
        }
        gaps = [numbers[each.constraint][each.place] - each.bound for each in active]
        return flatten(problem.function(tree, *args))[0][0] - F.dot(multipliers, gaps)

    multipliers = [each.multiplier for each in active]
    args = problem.args, tuple(each.args for each in own)
    whole = Problem("minimize", lagrangian, [problem.x0, multipliers], args, single=True)
    result.x = np.concatenate([result.x, multipliers])
    with_derivatives(result, whole, np.concatenate([free, np.ones(len(active), bool)]))
    result.x, weights = result.x
    result.fun = problem.call(flatten(result.x)[0], problem.args)
    refined = zip(active, plain(weights), strict=True)
    if min(_push(each._replace(multiplier=w)) for each, w in refined) <= PUSHES:
        raise LinAlgError(advice("minimize", "it is unclear which constraints are active"))


def _second(problem: Problem, method: Any) -> dict[str, Any]:
    """The second derivatives that a method takes."""
    if method in DENSE_HESSIAN or (method in ANY_HESSIAN and problem.count <= SMALL):
        return {"hess": problem.hessian}
    if method in SPARSE_HESSIAN and problem.is_sparse(second=True):
        return {"hess": problem.sparse_hessian}
    return {"hessp": problem.hvp} if method in ANY_HESSIAN else {}


# --- callbacks, bounds and constraints -------------------------------------------------------------


def _callback(callback: Callable[..., Any], problem: Problem, optimize: Any) -> Callable[..., Any]:
    """The callback, which gets x in the structure of x0; SciPy chooses by the names of the arguments."""
    try:
        named = set(inspect.signature(callback).parameters) == {"intermediate_result"}
    except (TypeError, ValueError):
        named = False
    if named:

        def with_result(*, intermediate_result: Any) -> Any:
            told = optimize.OptimizeResult(intermediate_result)
            told.x = problem.tree(told.x)
            return callback(intermediate_result=told)

        return with_result
    return lambda x, *more: callback(problem.tree(x), *more)


def _bounds(bounds: Any, problem: Problem, optimize: Any) -> Any:
    if bounds is None:
        return None
    if isinstance(bounds, optimize.Bounds):
        lower, upper = np.ravel(bounds.lb), np.ravel(bounds.ub)
        return optimize.Bounds(lower, upper, keep_feasible=bounds.keep_feasible)
    if len(bounds) == problem.count and all(_is_pair(each) for each in bounds):
        return list(bounds)
    return _pairs(problem.x0, bounds)


def _is_pair(thing: Any) -> bool:
    plain = isinstance(thing, (tuple, list)) or is_array(thing)
    return plain and len(thing) == 2 and all(x is None or isinstance(x, numbers.Real) for x in thing)


def _pairs(tree: Any, bounds: Any) -> list[Any]:
    """A pair of bounds for each number of x0; a pair given for a list, dict or array holds for all."""
    inside = (range(len(tree)), tree) if is_array(tree) and tree.ndim else children(tree)
    if inside is None:
        if not _is_pair(bounds):
            raise ValueError(f"bounds must have a pair (lower, upper) for each number, got {bounds!r}")
        return [bounds]
    names, parts = inside
    if _is_pair(bounds):
        given: Sequence[Any] = [bounds] * len(parts)
    elif isinstance(bounds, Mapping) and set(bounds) == set(names):
        given = [bounds[name] for name in names]
    elif not isinstance(bounds, Mapping) and len(bounds) == len(parts):
        given = bounds
    else:
        raise ValueError(
            f"bounds must have the structure of x0, with {len(parts)} entries, got {len(bounds)}"
        )
    return [pair for part, each in zip(parts, given, strict=True) for pair in _pairs(part, each)]


def _free(x: Array, bounds: Any, problem: Problem, optimize: Any) -> Array:
    """Which numbers of a solution are not at a bound; others do not change with the arguments."""
    found = _bounds(bounds, problem, optimize)
    if found is None:
        return np.ones(len(x), bool)
    if isinstance(found, optimize.Bounds):
        lower, upper = np.broadcast_to(found.lb, x.shape), np.broadcast_to(found.ub, x.shape)
    else:
        lower, upper = np.array(
            [[-np.inf if a is None else a, np.inf if b is None else b] for a, b in found]
        ).T
    room = ROUNDING * (1.0 + np.abs(x))
    return (x > lower + room) & (x < upper - room)


def _listed(constraints: Any) -> list[Any]:
    return list(constraints) if isinstance(constraints, (list, tuple)) else [constraints]


def _constraint(given: Any, problem: Problem, optimize: Any) -> Limit:
    """A constraint, and its function."""
    if isinstance(given, Mapping):
        return given, Problem("minimize", given["fun"], problem.x0, given.get("args", ()))
    if isinstance(given, optimize.NonlinearConstraint):
        return given, Problem("minimize", given.fun, problem.x0)
    matrix = given.A.toarray() if hasattr(given.A, "toarray") else np.atleast_2d(given.A)
    return given, Problem("minimize", lambda x: list(matrix @ np.array(flatten(x)[0])), problem.x0)


def _compiled(limit: Limit, optimize: Any, with_hessian: bool) -> Any:
    """A constraint as SciPy takes it, with compiled derivatives."""
    given, each = limit
    if isinstance(given, Mapping):
        if not with_hessian:
            return {"type": given["type"], "fun": each.value, "jac": each.jacobian}
        upper = np.inf if given["type"] == "ineq" else 0.0
        return optimize.NonlinearConstraint(each.value, 0.0, upper, each.jacobian, _hessian(each))
    if not isinstance(given, optimize.NonlinearConstraint):
        return given
    more = {"hess": _hessian(each)} if with_hessian else {}
    return optimize.NonlinearConstraint(
        each.value, given.lb, given.ub, each.jacobian, keep_feasible=given.keep_feasible, **more
    )


def _sides(given: Any, count: int) -> Any:
    """The lower and the upper bound of each number of a constraint."""
    if isinstance(given, Mapping):
        return [(0.0, np.inf if given["type"] == "ineq" else 0.0)] * count
    lower, upper = (np.broadcast_to(each, count) for each in (given.lb, given.ub))
    return zip(lower, upper, strict=True)


def _hessian(constraint: Problem) -> Callable[[Array, Array], Array]:
    """The Hessian of a weighted sum of constraints, as a function of x and the weights."""

    def weighted(x_and_weights: Any) -> Any:
        vector, weights = x_and_weights
        return F.dot(list(weights), list(constraint.on_vector(vector)))

    made: list[Problem] = []

    def hessian(x: Array, weights: Array) -> Array:
        if not made:
            made.append(Problem("minimize", weighted, [x, weights], single=True))
        return made[0].hessian(np.concatenate([x, weights]))[: len(x), : len(x)]

    return hessian
