"""Elementary functions on Python floats with the results that IEEE 754 specifies.

`math.log(0)` raises; `log(0)` here is -inf, as in C, NumPy and PyTorch. Each function
calls the same C library routine as the compiled core, so the two agree to the
last bit. This module does not know about derivatives.
"""

import math
import numbers
from collections.abc import Callable, Iterable

INF = math.inf
NAN = math.nan

__all__ = [
    *("INF", "NAN", "div", "pow", "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh"),
    *("atanh", "erf", "atan2", "floor", "fmod", "fsum", "as_float"),
]


def div(x: float, y: float) -> float:
    """x / y, where a zero divisor gives a signed infinity, or NaN for 0/0."""
    if y != 0.0:
        return x / y
    if x == 0.0 or x != x:
        return NAN
    return math.copysign(INF, x) * math.copysign(1.0, y)


def _is_odd(y: float) -> bool:
    return math.fmod(y, 2.0) in (1.0, -1.0)


def pow(x: float, y: float) -> float:
    """x ** y over the reals: never complex, never an exception."""
    try:
        return math.pow(x, y)
    except OverflowError:
        return -INF if x < 0.0 and _is_odd(y) else INF
    except ValueError:
        if x == 0.0:  # a pole: zero to a negative power
            return math.copysign(INF, x) if _is_odd(y) else INF
        return NAN  # a negative base with a fractional exponent


def _unary(function: Callable[[float], float], pole: float | None = None) -> Callable[[float], float]:
    """Turn the exceptions of a `math` function into the IEEE result.

    Overflow gives infinity with the sign of the argument (even functions apply `abs`
    first). At `pole` the result is infinite, and elsewhere outside the domain it is NaN.
    """

    def ieee(x: float) -> float:
        try:
            return function(x)
        except OverflowError:
            return math.copysign(INF, x)
        except ValueError:
            if x == pole:
                return -INF if x <= 0.0 else INF
            if x == -1.0 and pole == 1.0:  # atanh has a pole at each end
                return -INF
            return NAN

    ieee.__name__ = ieee.__qualname__ = function.__name__
    ieee.__doc__ = f"{function.__name__}(x) as IEEE 754 defines it."
    return ieee


exp = _unary(math.exp)  # only a large positive x overflows
expm1 = _unary(math.expm1)
log = _unary(math.log, pole=0.0)
log1p = _unary(math.log1p, pole=-1.0)
log2 = _unary(math.log2, pole=0.0)
log10 = _unary(math.log10, pole=0.0)
sqrt = _unary(math.sqrt)
sin = _unary(math.sin)
cos = _unary(math.cos)
tan = _unary(math.tan)
asin = _unary(math.asin)
acos = _unary(math.acos)
atan = _unary(math.atan)
sinh = _unary(math.sinh)
_cosh = _unary(math.cosh)
tanh = _unary(math.tanh)
asinh = _unary(math.asinh)
acosh = _unary(math.acosh)
atanh = _unary(math.atanh, pole=1.0)
erf = _unary(math.erf)
atan2 = math.atan2


def cosh(x: float) -> float:
    """The hyperbolic cosine; it is even, so it overflows to +inf on both sides."""
    return _cosh(math.fabs(x))


def floor(x: float) -> float:
    """The largest integer up to x, as a float; -0, infinities and NaN are unchanged."""
    if x != x or x == 0.0 or math.fabs(x) == INF:
        return x
    return float(math.floor(x))


def fmod(x: float, y: float) -> float:
    """The exact remainder of x / y with the sign of x; NaN if x is infinite or y is 0."""
    try:
        return math.fmod(x, y)
    except ValueError:
        return NAN


def fsum(numbers: Iterable[float]) -> float:
    """The sum, rounded once; infinite or NaN where `math.fsum` raises."""
    numbers = list(numbers)
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):  # an overflow on the way, or infinities of both signs
        return sum(numbers, 0.0)


def as_float(x: object) -> float:
    """Return the real number `x` as a float; raise for anything else."""
    if isinstance(x, (float, int)):  # bool is an int
        return float(x)
    if isinstance(x, numbers.Real) or _is_numpy_bool(x):
        return float(x)  # type: ignore[arg-type]
    raise TypeError(f"expected a real number (int, float, bool or NumPy scalar), got {_describe(x)}")


def _is_numpy_bool(x: object) -> bool:
    return type(x).__module__ == "numpy" and type(x).__name__ in ("bool", "bool_")


def _describe(x: object) -> str:
    if x is None:
        return "None"
    if hasattr(x, "_apply"):  # a Value inside a Value is ambiguous
        return f"a {type(x).__name__}: use it directly, or read its number with .data"
    if isinstance(x, (str, bytes, complex)):
        return f"{type(x).__name__} {x!r}"
    return type(x).__name__
