"""Number formatting, the same in reprs, messages and every view; numbers.js mirrors it in the browser.

A number fits into 11 characters, so boxes need not grow when numbers change. Ties are rounded
away from zero, on the exact binary value, as in JavaScript.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from . import graph

MISSING = "–"  # shown for a number that was not computed, or stands for several
LONGEST = 11  # characters, as in -99999.1234, -12345678.9 and -1.234e-300

_FIXED = Context(prec=28, rounding=ROUND_HALF_UP, traps=[])
_EXPONENT = Context(prec=4, rounding=ROUND_HALF_UP, traps=[])
_DECIMALS = {1e5: 4, 1e6: 3, 1e7: 2, 1e8: 1}  # for magnitudes below each of these


def format(x: float | None) -> str:
    """Four decimals, fewer for large numbers; 1.234e-7 or 1.234e21 if that does not fit."""
    if x is None:
        return MISSING
    if not math.isfinite(x):
        return "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"
    size = abs(x)
    if size == 0.0:
        return "0.0000"
    if 1e-3 <= size < 1e8:
        decimals = next(count for limit, count in _DECIMALS.items() if size < limit)
        return str(_FIXED.quantize(Decimal.from_float(x), Decimal(1).scaleb(-decimals)))
    return f"{_EXPONENT.create_decimal_from_float(x):.3e}".replace("+", "")


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def signed(x: float | None) -> str:
    """Like `format`, with a plus sign for positive numbers."""
    text = format(x)
    return f"+{text}" if x is not None and x > 0 else text


def show(value: Any) -> str:
    """The repr of a Value, in both cores."""
    label = f", label={value.label!r}" if value.label else ""
    return f"Value(data={format(graph.number(value))}, grad={format(graph.gradient(value))}{label})"
