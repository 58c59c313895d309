"""Functions on Values and plain numbers, applied elementwise to lists and NumPy arrays.

There is one for every row of the table, and others composed from rows: softmax, log_softmax, clip,
take, interp, cumsum, polygamma. The type stub beside this file is generated from both files.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, pairwise
from types import SimpleNamespace
from typing import Any

from . import ops
from .support import arrays
from .support.ieee import as_float
from .value import Value, reduction


def _elementwise(op: ops.Op) -> Callable[..., Any]:
    """Apply a row to numbers, lists and arrays. Arguments with a default may be passed by name."""
    parameters = list(inspect.signature(op.forward).parameters) if op.defaults else []

    def function(*args: Any, **named: Any) -> Any:
        if named:
            args = _in_order(op, parameters, args, named)
        for arg in args:
            if arrays.is_sequence(arg):
                return arrays.spread_over(function, args)
        return op(*args)

    if op.arity > 1:
        return function
    method = getattr(Value, op.name)

    def unary(*args: Any) -> Any:  # fast path for the common case
        if len(args) == 1 and isinstance(args[0], Value):
            return method(args[0])
        return function(*args)

    return unary


def _in_order(op: ops.Op, parameters: list[str], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Put named arguments and defaults in their positions."""
    first = op.arity - len(op.defaults)
    op.complete(args)  # raises if there are too few arguments or too many
    values = [*args, *op.defaults[len(args) - first :]]
    for name, x in named.items():
        if name not in parameters[first:]:
            raise TypeError(f"{op.name} got an unexpected argument {name!r}")
        place = parameters.index(name)
        if place < len(args):
            raise TypeError(f"{op.name} got multiple values for argument {name!r}")
        values[place] = x
    return tuple(values)


def _function(op: ops.Op) -> Callable[..., Any]:
    if isinstance(op, ops.Variadic):
        return reduction(op.name)  # returns a float if all arguments are floats
    function = _elementwise(op)
    function.__name__ = function.__qualname__ = op.name
    function.__doc__ = op.doc
    return function


F = SimpleNamespace(**{op.name: _function(op) for op in ops.TABLE})
globals().update(vars(F))


def expit(x: Any) -> Any:
    """The sigmoid, by its name in SciPy."""
    return F.sigmoid(x)


def log_softmax(values: Iterable[Any]) -> Any:
    """The logarithm of the softmax, without overflow."""
    xs: Sequence[Any] = list(values)
    total = F.logsumexp(xs)
    return _like(values, [x - total for x in xs])


def softmax(values: Iterable[Any]) -> Any:
    """exp(x) for each element, divided by the sum of them all, without overflow."""
    xs: Sequence[Any] = list(values)
    largest = F.stop_gradient(F.max(xs))  # softmax does not depend on the shift, so it needs no gradient
    powers = [F.exp(x - largest) for x in xs]
    total = F.sum(powers)
    return _like(values, [F.div(power, total) for power in powers])


def _like(values: Any, results: list[Any]) -> Any:
    """Return a list, or an array if an array was given."""
    if not arrays.is_array(values):
        return results
    return arrays.spread_over(lambda x: x, (arrays.as_array(results),))


def take(table: Sequence[Any], index: Any) -> Any:
    """table[index], where the index may be a Value, as inside a compiled function.

    If the table is a list of rows, such as an embedding, this returns a row.

    The index must be an integer from 0 to len(table) - 1. Anything else raises IndexError, in a
    compiled function too. Two cases give NaN instead: a Value as the index outside a compiled
    function, because the graph may be recomputed with a different index, and exported programs
    (JAX, ONNX, C and JavaScript), which cannot raise.
    """
    if not len(table):
        raise IndexError("take needs at least one entry to choose from, got none")
    if not isinstance(index, Value):
        index = as_float(index)
        if not index.is_integer() or not 0 <= index < len(table):
            raise IndexError(f"take needs a whole number from 0 to {len(table) - 1}, got {index:g}")
        return table[int(index)]
    rows = list(table)
    if arrays.is_sequence(rows[0]):
        return [take(column, index) for column in zip(*rows, strict=True)]
    return ops.take(len(rows))(index, *rows)


def clip(x: Any, low: Any, high: Any) -> Any:
    """Clamp x to [low, high]; at either bound the gradient still flows to x, as in PyTorch."""
    for bound in (low, high):
        if not isinstance(bound, Value) and not arrays.is_sequence(bound):
            as_float(bound)
    return F.where(F.less(x, low), low, F.where(F.less(high, x), high, x))


def cumsum(values: Iterable[Any]) -> Any:
    """The sums of the first 1, 2, 3, ... values."""
    return _like(values, list(accumulate(map(F.pos, values), F.add)))


def interp(x: Any, xp: Sequence[Any], fp: Sequence[Any]) -> Any:
    """Piecewise linear interpolation through the points (xp, fp), where xp increases, as in NumPy.

    Left of the first point the result is fp[0], right of the last one fp[-1]. The derivative at a
    point is that to its right.
    """
    if arrays.is_sequence(x):
        return arrays.spread_over(lambda each: interp(each, xp, fp), (x,))
    if len(xp) != len(fp):
        counts = f"{len(fp)} values and {len(xp)} points"
        raise ValueError(f"interp needs as many values as points, got {counts}")
    if not len(xp):
        raise ValueError("interp needs at least one point, got none")
    if not any(isinstance(point, Value) for point in xp):
        for before, after in pairwise(xp):
            if not before <= after:
                raise ValueError(f"interp needs points that increase, got {after:g} after {before:g}")
    first, last = fp[0], fp[-1]
    if len(xp) == 1:
        return F.where(F.less_equal(x, x), first, x)  # NaN stays NaN
    segment = F.sum([0.0, *(F.less_equal(point, x) for point in list(xp)[1:-1])])
    left, right = take(xp[:-1], segment), take(xp[1:], segment)
    low, high = take(fp[:-1], segment), take(fp[1:], segment)
    inside = low + F.div(high - low, right - left) * (x - left)
    return F.where(F.less(x, xp[0]), first, F.where(F.less_equal(xp[-1], x), last, inside))


def polygamma(n: int, x: Any) -> Any:
    """The derivative of order n of digamma, as in SciPy; below 0 too.

    Above 0 it is (-1)^(n + 1) n! zeta(n + 1, x). Below, the derivatives of the reflection are added:
    those of the cotangent c are polynomials in c, because c' = -(1 + c²).
    """
    if isinstance(n, bool) or not isinstance(n, int) or not 0 <= n <= 170:
        raise ValueError(f"polygamma needs a whole number from 0 to 170 as its order, got {n!r}")
    if n == 0:
        return F.digamma(x)
    if arrays.is_sequence(x):
        return arrays.spread_over(lambda each: polygamma(n, each), (x,))
    x = x if isinstance(x, Value) else as_float(x)
    negative = F.less(x, 0.0)
    above = math.factorial(n) * F.zeta(n + 1.0, F.where(negative, 1.0 - x, x))
    cotangent = ops.cot_pi(F.where(negative, x, 0.5))
    coefficients = [0, 1]  # of the powers of the cotangent
    for _ in range(n):
        slopes = [k * c for k, c in enumerate(coefficients)][1:]
        pairs = zip([*slopes, 0, 0], [0, 0, *slopes], strict=True)
        coefficients = [-a - b for a, b in pairs]
    total: Any = float(coefficients.pop())
    for coefficient in reversed(coefficients):
        total = total * cotangent + float(coefficient)
    return F.where(negative, -above - math.pi ** (n + 1) * total, (-1.0) ** (n + 1) * above)


OWN = ("clip", "cumsum", "expit", "interp", "log_softmax", "polygamma", "softmax", "take")
__all__ = sorted([*ops.BY_NAME, *OWN])
