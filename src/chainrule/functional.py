"""Functions on Values and plain numbers, applied elementwise to lists and NumPy arrays.

There is one for every row of the table, and others composed from rows: softmax, log_softmax,
log_sigmoid, clip, take. The type stub beside this file is generated from this file and the table.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
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


def log_sigmoid(x: Any) -> Any:
    """log(sigmoid(x)) without overflow."""
    return F.neg(F.softplus(F.neg(x)))


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


__all__ = sorted([*ops.BY_NAME, "clip", "log_sigmoid", "log_softmax", "softmax", "take"])
