"""Numbers as text, the same in every view; `viz/web/static/page/numbers.js` is its mirror.

A number fits into 11 characters, so boxes need not grow when numbers change. Ties are rounded
away from zero, on the exact binary value, because JavaScript does it so.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context, Decimal

MISSING = "–"  # not computed, or not one number
LONGEST = 11  # characters, as in -99999.1234 and -1.234e-300

_FIXED = Context(prec=28, rounding=ROUND_HALF_UP, traps=[])
_EXPONENT = Context(prec=4, rounding=ROUND_HALF_UP, traps=[])
_FOUR = Decimal("0.0001")


def format(x: float | None) -> str:
    """Four decimals; 1.234e-7 or 1.234e21 where they would hide or drown the number."""
    if x is None:
        return MISSING
    if not math.isfinite(x):
        return "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"
    size = abs(x)
    if size == 0.0:
        return "0.0000"
    if 1e-3 <= size < 1e5:
        return str(_FIXED.quantize(Decimal.from_float(x), _FOUR))
    return f"{_EXPONENT.create_decimal_from_float(x):.3e}".replace("+", "")


def signed(x: float | None) -> str:
    """The same with a plus before positive numbers: what is added to something."""
    text = format(x)
    return f"+{text}" if x is not None and x > 0 else text
