"""Wrong derivatives, injected to verify that the suite catches them.

Many are rules that well-known systems use: right at most points, wrong at some.
"""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from chainrule import ops
from chainrule.ops import Op


def wrong(name: str, part: int, partial: Callable[..., Any] | None) -> Op:
    """An operation of the table with one partial replaced."""
    row = ops.BY_NAME[name]
    partials = list(row.partials)
    partials[part] = partial
    return dataclasses.replace(row, partials=tuple(partials))


def log(x: float) -> float:
    return ops.log(x)  # type: ignore[no-any-return]


FAULTS: dict[str, Op] = {
    "tanh by 1 - t²": wrong("tanh", 0, lambda x, out: 1.0 - out * out),
    "tanh without the square": wrong("tanh", 0, lambda x, out: 1.0 - out),
    "sigmoid by s(1-s)": wrong("sigmoid", 0, lambda x, out: out * (1.0 - out)),
    "sigmoid with the wrong sign": wrong("sigmoid", 0, lambda x, out: -out * (1.0 - out)),
    "quotient by -x/y²": wrong("div", 1, lambda x, y, out: -ops.div(x, y * y)),
    "quotient without the sign": wrong("div", 1, lambda x, y, out: ops.div(out, y)),
    "quotient by -out/y": wrong("div", 1, lambda x, y, out: -ops.div(out, y)),
    "power: 0 at 0**1": wrong("pow", 0, lambda x, y, out: 0.0 if x == 0 else y * ops.pow(x, y - 1.0)),
    "power: NaN at 0**0": wrong("pow", 0, lambda x, y, out: y * ops.pow(x, y - 1.0)),
    "power by out/x": wrong("pow", 0, lambda x, y, out: ops.div(y * out, x)),
    "exponent by out·log x": wrong("pow", 1, lambda x, y, out: out * log(x)),
    "exponent with log|x|": wrong("pow", 1, lambda x, y, out: out * log(abs(x))),
    "exponent forgotten": wrong("pow", 1, lambda x, y, out: 0.0),
    "power rule off by one": wrong("pow", 0, lambda x, y, out: y * ops.pow(x, y)),
    "sqrt: 0 at 0": wrong("sqrt", 0, lambda x, out: 0.0 if x == 0 else ops.div(0.5, out)),
    "sqrt without the half": wrong("sqrt", 0, lambda x, out: ops.div(1.0, out)),
    "abs: 1 at 0": wrong("abs", 0, lambda x, out: -1.0 if x < 0 else 1.0),
    "relu: 1 at 0": wrong("relu", 0, lambda x, out: 0.0 if x < 0 else 1.0),
    "relu: ½ at 0": wrong("relu", 0, lambda x, out: 0.5 * ((x > 0) + (x >= 0))),
    "maximum: all to the first on a tie": wrong("maximum", 0, lambda x, y, out: float(x >= y)),
    "minimum: all to the second on a tie": wrong("minimum", 1, lambda x, y, out: float(y <= x)),
    "where: both branches": wrong("where", 2, lambda c, x, y, out: 1.0),
    "where: the wrong branch": wrong("where", 1, lambda c, x, y, out: float(c == 0)),
    "log of a negative number": wrong("log", 0, lambda x, out: ops.div(1.0, x)),
    "log2 without the factor 1/log 2": wrong("log2", 0, lambda x, out: ops.div(1.0, x)),
    "log10 by a lossy product": wrong("log10", 0, lambda x, out: ops.div(1.0, x * math.log(10))),
    "log1p by 1/x": wrong("log1p", 0, lambda x, out: ops.div(1.0, x)),
    "expm1 by out + 1": wrong("expm1", 0, lambda x, out: out + 1.0),
    "exp by x·out": wrong("exp", 0, lambda x, out: x * out),
    "sin without cos": wrong("sin", 0, lambda x, out: out),
    "cos without the sign": wrong("cos", 0, lambda x, out: ops.sin(x)),
    "tan by 1 - t²": wrong("tan", 0, lambda x, out: 1.0 - out * out),
    "asin by 1 - x²": wrong("asin", 0, lambda x, out: ops.div(1.0, ops.sqrt(1.0 - x * x))),
    "acos without the sign": wrong(
        "acos", 0, lambda x, out: ops.div(1.0, ops.sqrt((1.0 - x) * (1.0 + x)))
    ),
    "atan with an overflow": wrong("atan", 0, lambda x, out: ops.div(1.0, 1.0 + x * x)),
    "acosh with an overflow": wrong("acosh", 0, lambda x, out: ops.div(1.0, ops.sqrt(x * x - 1.0))),
    "atanh by 1 - x²": wrong("atanh", 0, lambda x, out: ops.div(1.0, 1.0 - x * x)),
    "hypot: NaN at the origin": wrong("hypot", 0, lambda x, y, out: ops.div(x, out)),
    "atan2 by x/(x²+y²)": wrong("atan2", 0, lambda y, x, out: ops.div(x, x * x + y * y)),
    "atan2 without the sign": wrong("atan2", 1, lambda y, x, out: ops.div(y, x * x + y * y)),
    "erf by exp(-x·x)": wrong("erf", 0, lambda x, out: 1.1283791670955126 * ops.exp(-x * x)),
    "erfc without the sign": wrong("erfc", 0, lambda x, out: 1.1283791670955126 * ops.exp(-x * x)),
    "softplus by exp/(1+exp)": wrong(
        "softplus", 0, lambda x, out: ops.div(ops.exp(x), 1.0 + ops.exp(x))
    ),
    "elu with slope 0 below 0": wrong("elu", 0, lambda x, alpha, out: float(x > 0)),
    "leaky_relu with a slope of 1 below 0": wrong("leaky_relu", 0, lambda x, a, out: 1.0),
    "silu by the sigmoid alone": wrong("silu", 0, lambda x, out: ops.sigmoid(x)),
    "gelu without the density": wrong("gelu", 0, lambda x, out: 0.5 * ops.erfc(-x * math.sqrt(0.5))),
    "cosh by -sinh": wrong("cosh", 0, lambda x, out: -ops.sinh(x)),
    "remainder by -x/y": wrong("remainder", 1, lambda x, y, out: -ops.div(x, y)),
    "remainder by a rounded quotient": wrong(
        "remainder", 1, lambda x, y, out: -ops.floor(ops.div(x, y))
    ),
    "logaddexp: NaN for equal infinities": wrong("logaddexp", 0, lambda x, y, out: ops.sigmoid(x - y)),
    "xlogy: NaN at 0": wrong("xlogy", 1, lambda x, y, out: ops.div(x, y)),
    "logit by 1/x": wrong("logit", 0, lambda x, out: ops.div(1.0, x)),
    "log_normal_cdf by a ratio that underflows": wrong(
        "log_normal_cdf", 0, lambda x, out: ops.div(ops.normal_pdf(x), ops.normal_cdf(x))
    ),
    "digamma without the reflection": wrong("digamma", 0, lambda x, out: ops.zeta(2.0, abs(x))),
    "zeta without the factor": wrong("zeta", 1, lambda x, q, out: -ops.zeta(x + 1.0, q)),
    "product rule swapped": wrong("mul", 0, lambda x, y, out: x),
    "difference as a sum": wrong("sub", 1, lambda x, y, out: 1.0),
    "declared not differentiable": wrong("mul", 1, None),
}
