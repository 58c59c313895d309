"""The methods and operators of a Value, generated from the table: `a.tanh()`, `a + b`.

A comparison gives a bool or, while a function is being compiled, a Value, so that
`where(a < b, x, y)` stays a formula; `&` and `|` combine two such Values. A Value never converts
to a plain number implicitly, because that would silently cut the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..ops import Op
from . import arrays, errors, graph
from .ieee import as_float
from .modes import current

_BINARY = {"add": ops.add, "sub": ops.sub, "mul": ops.mul, "truediv": ops.div, "pow": ops.pow}
_BINARY |= {"mod": ops.remainder, "floordiv": ops.floor_divide}
_UNARY = {"neg": ops.neg, "pos": ops.pos, "abs": ops.abs}
_UNARY |= {"floor": ops.floor, "ceil": ops.ceil, "trunc": ops.trunc}  # also used by np.floor(array)
_CONDITIONS = (ops.less, ops.less_equal, ops.equal)


def add_to(cls: Any) -> None:
    """Add the methods, operators, comparisons and conversions to a class of numbers."""
    for op in ops.TABLE:
        for name in (op.name, *op.aliases):
            method = _method(op)
            setattr(cls, name, arrays.numpy_reduction(method) if name in arrays.REDUCTIONS else method)
    cls.where, cls.conjugate = _where, _conjugate
    for name, op in _BINARY.items():
        _set(cls, name, _operator(_binary, op))
        _set(cls, "r" + name, _reflected(_binary, op))
    for name, op in _UNARY.items():
        _set(cls, name, _method(op))
    for name, op in (("lt", ops.less), ("le", ops.less_equal)):
        _set(cls, name, _operator(_compare, op))
        _set(cls, name.replace("l", "g"), _reflected(_compare, op))
    for name, join in (("and", _both), ("or", _either)):
        _set(cls, name, join)
        _set(cls, "r" + name, join)
    for function in (_eq, _ne, _round, _format, _bool, _float, _int, _index):
        _set(cls, function.__name__[1:], function)


def _set(cls: type, name: str, function: Callable[..., Any]) -> None:
    setattr(cls, f"__{name}__", function)


# --- methods -------------------------------------------------------------------------------------


def _method(op: Op) -> Callable[..., Any]:
    def method(self: Any, *args: Any) -> Any:
        return self._apply(op, (self, *args))

    method.__name__, method.__doc__ = op.name, op.doc
    return method


def _where(self: Any, *args: Any) -> Any:
    """Return self where the condition holds, else other; same argument order as PyTorch's method."""
    return self._apply(ops.where, (*args[:1], self, *args[1:]))


def _conjugate(self: Any) -> Any:
    """Return self, because Values are real. NumPy calls this in `np.var`."""
    return self


# --- arithmetic ----------------------------------------------------------------------------------

_Two = Callable[[Op, Any, Any], Any]


def _operator(apply: _Two, op: Op) -> Callable[..., Any]:
    def operator(self: Any, other: Any, *modulus: Any) -> Any:
        return NotImplemented if modulus and modulus != (None,) else apply(op, self, other)

    return operator


def _reflected(apply: _Two, op: Op) -> Callable[..., Any]:
    return lambda self, other: apply(op, other, self)


def _binary(op: Op, left: Any, right: Any) -> Any:
    """Apply a binary operation; return NotImplemented if the other operand is not a number."""
    left, right = _operand(left), _operand(right)
    return NotImplemented if left is None or right is None else op(left, right)


def _operand(x: Any) -> Any:
    """Return a Value unchanged, a real number as a float, None for anything else."""
    if graph.is_value(x):
        return x
    try:
        return as_float(x)
    except TypeError:
        return None


# --- comparisons ---------------------------------------------------------------------------------


def _compare(op: Op, left: Any, right: Any) -> Any:
    result = _binary(op, left, right)
    return result if current().tracing or result is NotImplemented else graph.number(result) != 0.0


def _eq(self: Any, other: Any) -> Any:
    """Compare a Value with a plain number as numbers, and two Values by identity.

    Identity is needed because tutorials keep nodes in lists and sets. But a Value that stands for a
    plain number, such as a sample in a compiled function or an argument inside grad, compares as one.
    """
    modes = current()
    observer = modes.arguments if modes.differentiating else modes.tracer
    if graph.is_value(other) and not observer.compares(self, other):
        return NotImplemented
    try:
        return _compare(ops.equal, self, other)
    except OverflowError:  # an int beyond the range of doubles
        return False


def _ne(self: Any, other: Any) -> Any:
    same = _eq(self, other)
    if same is NotImplemented or isinstance(same, bool):
        return same if same is NotImplemented else not same
    return _binary(ops.equal, same, 0.0)


def _is_condition(x: Any) -> bool:
    """Whether x can be a condition: while a function is being compiled, a comparison is a Value."""
    if not graph.is_value(x):
        return isinstance(x, bool)
    return current().tracing and graph.row(x) in _CONDITIONS


def _both(self: Any, other: Any) -> Any:
    """Whether both conditions hold: their product is 1."""
    known = _is_condition(self) and _is_condition(other)
    return _binary(ops.equal, 1.0, _binary(ops.mul, self, other)) if known else NotImplemented


def _either(self: Any, other: Any) -> Any:
    """Whether either condition holds: their sum is more than 0."""
    known = _is_condition(self) and _is_condition(other)
    return _binary(ops.less, 0.0, _binary(ops.add, self, other)) if known else NotImplemented


# --- conversions ---------------------------------------------------------------------------------


def _round(self: Any, digits: None = None) -> Any:
    """Round to a Value, which stays in the graph; `float` and `int` would cut it."""
    if digits is not None:
        raise TypeError(errors.NO_DIGITS)
    return self._apply(ops.round, (self,))


def _format(self: Any, spec: str) -> str:
    if not spec:
        return repr(self)
    current().tracer.number()
    return format(graph.number(self), spec)


def _bool(self: Any) -> bool:
    tracer = current().tracer
    if _is_condition(self):
        return bool(tracer.guard(self, graph.number(self) != 0.0))
    tracer.truth()
    raise TypeError(errors.NO_BOOL)


def _float(self: Any) -> float:
    current().tracer.number()
    raise TypeError(errors.NO_FLOAT)


def _int(self: Any) -> int:
    return int(float(self))


def _index(self: Any) -> int:
    current().tracer.number()
    raise TypeError(errors.NO_INDEX)
