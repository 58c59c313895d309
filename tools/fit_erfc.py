"""Prints the two polynomials in ops.py: Chebyshev fits in 60-digit arithmetic.

They are x exp(x²) erfc(x), for erfc, and x exp(x²/2) Φ(-x), for gelu, as polynomials in t = (x - c) / (x
+ c); Φ is the standard normal CDF. The factors before erfc and Φ make both functions vary slowly. Each
has its own fit, because computing one from the other would cost an extra rounding. Each has its own
centre c, chosen so that the polynomial's terms hardly cancel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mpmath import mp

COEFFICIENTS = 24


def erfc_tail(x: Any) -> Any:
    return x * mp.exp(x * x) * mp.erfc(x)


def normal_tail(x: Any) -> Any:
    return x * mp.exp(x * x / 2) * mp.erfc(x / mp.sqrt(2)) / 2


def fit(function: Callable[[Any], Any], low: float, high: float, centre: float) -> None:
    ends = [mp.mpf(x - centre) / (x + centre) for x in (low, high)]
    coefficients, error = mp.chebyfit(
        lambda t: function(centre * (1 + t) / (1 - t)), ends, COEFFICIENTS, error=True
    )
    print(f"# {function.__name__}, {low} <= x <= {high}, c = {centre}, largest error {float(error):.1e}")
    for coefficient in coefficients:
        print(f"{float(coefficient)!r},")


if __name__ == "__main__":
    mp.dps = 60
    fit(erfc_tail, 0.64, 28.5, 1.75)
    fit(normal_tail, 0.9, 40.5, 2.5)
