"""The table's operations in terms of ONNX operators: operator names for rows, formulas for the rest.

ONNX operators are used only where onnxruntime agrees with the table. It does not everywhere: its Sigmoid
is 0 at -20 in single precision, its Softplus is infinite at 800 in double precision, and its ReduceMax
and ReduceMin ignore a NaN that is not the first element. Some formulas are shorter than the table's and
slightly less accurate.

One difference remains: the sign of a zero selected by Where is lost, because onnxruntime adds 0 to the
selected number.
"""

from __future__ import annotations

import math
from typing import Any

from .. import ops
from ..ops import Op

SAME = (
    "add sub mul div neg abs exp log sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    "erf relu pow floor"
)
NAMES = {name: name.title() for name in SAME.split()}
NAMES |= {"maximum": "Max", "minimum": "Min", "pos": "Identity", "stop_gradient": "Identity"}
COMPARISONS = {"less": "Less", "less_equal": "LessOrEqual", "equal": "Equal"}
FOLDS = {"sum": "ReduceSum", "mean": "ReduceMean", "prod": "ReduceProd", "max": "ReduceMax"}
FOLDS["min"] = "ReduceMin"
LARGE = 1e9  # above this, adding 1 to the square changes nothing


def _sign(x: Any) -> Any:
    """1 or -1, and -1 for -0; written without Where, which would lose the sign of a zero."""
    return 1.0 - 2.0 * ops.maximum(ops.less(x, 0.0), ops.less(ops.div(1.0, x), 0.0))


def _expm1(x: Any) -> Any:
    """Kahan's method: the rounding error of exp(x) cancels between the factors."""
    e = ops.exp(x)
    near = ops.where(ops.equal(e, 1.0), x, (e - 1.0) * ops.div(x, ops.log(e)))
    return ops.where(ops.less(ops.abs(x), 0.5), near, e - 1.0)


def _log1p(x: Any) -> Any:
    """Kahan's method: the rounding error of 1 + x cancels between the factors."""
    u = 1.0 + x
    near = ops.where(ops.equal(u, 1.0), x, ops.log(u) * ops.div(x, u - 1.0))
    return ops.where(ops.less(ops.abs(x), 0.5), near, ops.log(u))


def _atan2(y: Any, x: Any) -> Any:
    """The angle in the first quadrant, mirrored by arithmetic, so that zeros keep their signs."""
    height, width = ops.abs(y), ops.abs(x)
    ratio = ops.where(ops.equal(height, width), 1.0, ops.div(height, width))  # inf / inf
    ratio = ops.where(ops.equal(height, 0.0), height * 0.0, ratio)  # 0 / 0
    angle = ops.atan(ratio) + 0.0 * ops.minimum(width, 1.0)  # NaN stays NaN
    return _sign(y) * ops.abs(angle - math.pi * (0.5 - 0.5 * _sign(x)))


def _cbrt(x: Any) -> Any:
    """A power and one Newton step: the rounding of 1/3 matters for large arguments."""
    size = ops.abs(x)
    guess = ops.pow(size, 1.0 / 3.0)
    root = guess + (ops.div(size, guess * guess) - guess) * (1.0 / 3.0)
    there = ops.less(0.0, size) * ops.less(size, math.inf)
    return _sign(x) * ops.where(there, root, guess)


def _silu(x: Any) -> Any:
    """As in the table, exp(x) is split into two factors where the sigmoid may be subnormal.

    The threshold is that of single precision.
    """
    x = ops.maximum(x, -1000.0)  # 0 times -inf would be NaN
    half = ops.exp(0.5 * x)
    return ops.where(ops.less(x, -80.0), x * half * half, x * ops.sigmoid(x))


FORMULAS: dict[str, Any] = {
    "silu": _silu,
    "sigmoid": lambda x: ops.div(ops.exp(ops.minimum(x, 0.0)), 1.0 + ops.exp(-ops.abs(x))),
    "softplus": lambda x: ops.relu(x) + ops.log1p(ops.exp(-ops.abs(x))),
    "cbrt": _cbrt,
    "expm1": _expm1,
    "log1p": _log1p,
    "log2": lambda x: ops.log(x) * (1.0 / math.log(2.0)),
    "log10": lambda x: ops.log(x) * (1.0 / math.log(10.0)),
    "atan2": _atan2,
}


def extreme(name: str, x: Any) -> Any:
    """The maximum or minimum over the second axis, which is kept; NaN if any element is NaN."""
    same = x.writer.reduced("ReduceMin", ops.equal(x, x))  # NaN is not equal to itself
    return ops.where(same, x.writer.reduced(FOLDS[name], x), math.nan)


def logsumexp(x: Any) -> Any:
    """As in the table, the largest terms are left out, so that log1p keeps the small ones."""
    largest = extreme("max", x)
    tied = ops.equal(x, largest)
    ties = x.writer.reduced("ReduceSum", tied)
    rest = x.writer.reduced("ReduceSum", ops.where(tied, 0.0, ops.exp(x - largest)))
    near = largest + (ops.log(ties) + ops.log1p(ops.div(rest, ties)))
    return ops.where(ops.equal(ops.abs(largest), math.inf), largest, near)


# --- functions that onnxruntime has only in single precision -------------------------------------


def _atan(x: Any) -> Any:
    """The angle in single precision, corrected by a series in the small residual."""
    angle = x.writer.rough("Atan", x)
    s, c = ops.sin(angle), ops.cos(angle)
    rest = ops.div(x * c - s, c + x * s)
    near = angle + rest * (1.0 - rest * rest * (1.0 / 3.0))
    return ops.where(ops.less(1e17, ops.abs(x)), _sign(x) * (0.5 * math.pi), near)


def _sinh(x: Any) -> Any:
    size = ops.abs(x)
    e, half = ops.expm1(size), ops.exp(0.5 * size)  # in halves, because exp overflows before sinh
    far = 0.5 * half * half - ops.div(ops.div(0.5, half), half)
    return _sign(x) * ops.where(ops.less(size, 0.5), 0.5 * (e + ops.div(e, 1.0 + e)), far)


def _cosh(x: Any) -> Any:
    half = ops.exp(0.5 * ops.abs(x))
    return 0.5 * half * half + ops.div(ops.div(0.5, half), half)


def _asinh(x: Any) -> Any:
    size = ops.abs(x)
    square = size * size
    near = ops.log1p(size + ops.div(square, 1.0 + ops.sqrt(1.0 + square)))
    return _sign(x) * ops.where(ops.less(LARGE, size), ops.log(size) + math.log(2.0), near)


def _acosh(x: Any) -> Any:
    above = x - 1.0
    near = ops.log1p(above + ops.sqrt(above) * ops.sqrt(above + 2.0))
    return ops.where(ops.less(LARGE, x), ops.log(x) + math.log(2.0), near)


def _atanh(x: Any) -> Any:
    size = ops.abs(x)
    return _sign(x) * (0.5 * ops.log1p(ops.div(2.0 * size, 1.0 - size)))


def _erf(x: Any) -> Any:
    """Near 0 the series 2/√π (x - x³/3 + x⁵/10 - ...), elsewhere 1 minus the table's erfc."""
    total: Any = 0.0
    for n in reversed(range(16)):
        total = total * (x * x) + 2.0 / math.sqrt(math.pi) * (-1.0) ** n / (
            math.factorial(n) * (2 * n + 1)
        )
    size = ops.abs(x)
    far = 1.0 - ops.where(ops.less(28.0, size), 0.0, ops.erfc_tail(size))
    return ops.where(ops.less(size, 0.7), x * total, _sign(x) * far)


IN_DOUBLE: dict[str, Any] = {
    "tan": lambda x: ops.div(ops.sin(x), ops.cos(x)),
    "atan": _atan,
    "asin": lambda x: ops.atan(ops.div(x, ops.sqrt((1.0 - x) * (1.0 + x)))),
    "acos": lambda x: 2.0 * ops.atan(ops.sqrt(ops.div(1.0 - x, 1.0 + x))),
    "sinh": _sinh,
    "cosh": _cosh,
    "asinh": _asinh,
    "acosh": _acosh,
    "atanh": _atanh,
    "erf": _erf,
}


def formula(op: Op, double: bool) -> Any:
    """The formula for a row that ONNX or onnxruntime lacks or computes wrongly; else None."""
    if double and op.name in IN_DOUBLE:
        return IN_DOUBLE[op.name]
    if op.name in FORMULAS:
        return FORMULAS[op.name]
    return None if op.name in {*NAMES, *COMPARISONS, "where", "fmod"} else op.forward
