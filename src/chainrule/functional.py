"""Functions on Values, on plain numbers, and element by element on lists and NumPy arrays.

Every row of the table under its own name, and what composes from the rows: softmax,
log_softmax, log_sigmoid, clip.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, overload

from . import ops
from .support import arrays
from .support.ieee import as_float
from .value import Value, reduction

# fmt: off
__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "clip",
    "cos",
    "cosh",
    "div",
    "dot",
    "elu",
    "equal",
    "erf",
    "erfc",
    "exp",
    "expm1",
    "gelu",
    "hypot",
    "leaky_relu",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_sigmoid",
    "log_softmax",
    "logsumexp",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "mul",
    "neg",
    "pos",
    "pow",
    "prod",
    "relu",
    "sigmoid",
    "silu",
    "sin",
    "sinh",
    "softmax",
    "softplus",
    "sqrt",
    "stop_gradient",
    "sub",
    "sum",
    "take",
    "tan",
    "tanh",
    "where",
]
# fmt: on


class Elementwise(Protocol):
    """A function of one or more numbers, spread over sequences."""

    __name__: str

    @overload
    def __call__(self, x: Value, /, *args: Any) -> Value: ...
    @overload
    def __call__(self, x: float, /, *args: float) -> float: ...
    @overload
    def __call__(self, x: Any, /, *args: Any) -> Any: ...


def _elementwise(op: ops.Op) -> Elementwise:
    if op.arity == 1:
        method = getattr(Value, op.name)  # the short way for the usual case

        def unary(*args: Any) -> Any:
            if len(args) == 1 and isinstance(args[0], Value):
                return method(args[0])
            return function(*args)

    def function(*args: Any) -> Any:
        for arg in args:
            if arrays.is_sequence(arg):
                return arrays.spread_over(function, args)
        return op(*args)

    result: Elementwise = _named(unary if op.arity == 1 else function, op)
    return result


def _named(function: Any, op: ops.Op) -> Any:
    function.__name__ = function.__qualname__ = op.name
    function.__doc__ = op.doc
    return function


add = _elementwise(ops.add)
sub = _elementwise(ops.sub)
mul = _elementwise(ops.mul)
div = _elementwise(ops.div)
pow = _elementwise(ops.pow)
neg = _elementwise(ops.neg)
pos = _elementwise(ops.pos)
stop_gradient = _elementwise(ops.stop_gradient)
abs = _elementwise(ops.abs)
less = _elementwise(ops.less)
less_equal = _elementwise(ops.less_equal)
equal = _elementwise(ops.equal)
where = _elementwise(ops.where)
maximum = _elementwise(ops.maximum)
minimum = _elementwise(ops.minimum)
exp = _elementwise(ops.exp)
expm1 = _elementwise(ops.expm1)
log = _elementwise(ops.log)
log1p = _elementwise(ops.log1p)
log2 = _elementwise(ops.log2)
log10 = _elementwise(ops.log10)
sqrt = _elementwise(ops.sqrt)
cbrt = _elementwise(ops.cbrt)
sin = _elementwise(ops.sin)
cos = _elementwise(ops.cos)
tan = _elementwise(ops.tan)
asin = _elementwise(ops.asin)
acos = _elementwise(ops.acos)
atan = _elementwise(ops.atan)
sinh = _elementwise(ops.sinh)
cosh = _elementwise(ops.cosh)
tanh = _elementwise(ops.tanh)
asinh = _elementwise(ops.asinh)
acosh = _elementwise(ops.acosh)
atanh = _elementwise(ops.atanh)
hypot = _elementwise(ops.hypot)
atan2 = _elementwise(ops.atan2)
erf = _elementwise(ops.erf)
erfc = _elementwise(ops.erfc)
sigmoid = _elementwise(ops.sigmoid)
softplus = _elementwise(ops.softplus)
relu = _elementwise(ops.relu)
silu = _elementwise(ops.silu)
gelu = _elementwise(ops.gelu)

# Floats alone give a float.
sum = reduction("sum")
mean = reduction("mean")
prod = reduction("prod")
dot = reduction("dot")
logsumexp = reduction("logsumexp")
max = reduction("max")
min = reduction("min")

_leaky_relu = _elementwise(ops.leaky_relu)
_elu = _elementwise(ops.elu)


def leaky_relu(x: Any, negative_slope: Any = 0.01) -> Any:
    """x if positive, else negative_slope * x; the derivative at 0 is negative_slope."""
    return _leaky_relu(x, negative_slope)


def elu(x: Any, alpha: Any = 1.0) -> Any:
    """x if positive, else alpha * (exp(x) - 1)."""
    return _elu(x, alpha)


def log_sigmoid(x: Any) -> Any:
    """log(sigmoid(x)) without overflow."""
    return neg(softplus(neg(x)))


def log_softmax(values: Iterable[Any]) -> Any:
    """The logarithm of the softmax, without overflow."""
    xs: Sequence[Any] = list(values)
    total = logsumexp(xs)
    return _like(values, [x - total for x in xs])


def softmax(values: Iterable[Any]) -> Any:
    """exp(x) for each, divided by their sum, without overflow."""
    xs: Sequence[Any] = list(values)
    largest = stop_gradient(max(xs))  # any shift gives the same, so its own gradient is 0
    powers = [exp(x - largest) for x in xs]
    total = sum(powers)
    return _like(values, [div(power, total) for power in powers])


def _like(values: Any, results: list[Any]) -> Any:
    """A list, or an array if an array was given."""
    if not arrays.is_array(values):
        return results
    return arrays.spread_over(lambda x: x, (arrays.as_array(results),))


def take(table: Sequence[Any], index: Any) -> Any:
    """table[index], where the index may be a Value, as inside a compiled function.

    Of a list of rows, such as an embedding, it takes a row.

    The index must be a whole number from 0 to len(table) - 1. Anything else raises IndexError, in a
    compiled function too. What cannot raise gives NaN: a Value as an index outside of a compiled
    function, because the graph may be recomputed with another one, and programs in JAX, ONNX, C and
    JavaScript.
    """
    if not len(table):
        raise IndexError("take needs at least one number to choose from, got none")
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
    """x held between low and high; at an end the gradient still goes to x, as in PyTorch."""
    for bound in (low, high):
        if not isinstance(bound, Value) and not arrays.is_sequence(bound):
            as_float(bound)
    return where(less(x, low), low, where(less(high, x), high, x))
