"""Prints polynomials in ops.py for erfc and the normal distribution: fits in 60-digit arithmetic.

Two are x exp(x²) erfc(x), for erfc, and x exp(x²/2) Φ(-x), for the left tail of Φ, the standard normal
CDF, as polynomials in t = (x - c) / (x + c). The factors before erfc and Φ make both functions vary
slowly. Each has its own fit, because computing one from the other would cost an extra rounding. Each has
its own centre c, chosen so that the polynomial's terms hardly cancel. The third is √(2π) exp(x²/2) Φ(x),
for the slope of log Φ, in x + 0.46.
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


def mills_middle(t: Any) -> Any:
    x = t - mp.mpf("0.46")
    return mp.sqrt(2 * mp.pi) * mp.exp(x * x / 2) * mp.erfc(-x / mp.sqrt(2)) / 2


def fit(function: Callable[[Any], Any], low: float, high: float, centre: float) -> None:
    ends = [mp.mpf(x - centre) / (x + centre) for x in (low, high)]
    print(f"# {function.__name__}, {low} <= x <= {high}, c = {centre}")
    show(lambda t: function(centre * (1 + t) / (1 - t)), ends, COEFFICIENTS)


def show(function: Callable[[Any], Any], ends: list[Any], count: int) -> None:
    coefficients, error = mp.chebyfit(function, ends, count, error=True)
    print(f"# largest error {float(error):.1e}")
    for coefficient in coefficients:
        print(f"{float(coefficient)!r},")


if __name__ == "__main__":
    mp.dps = 60
    fit(erfc_tail, 0.64, 28.5, 1.75)
    fit(normal_tail, 0.9, 40.5, 2.5)
    print("# mills_middle, -0.92 <= x <= 0, in x + 0.46")
    show(mills_middle, [mp.mpf("-0.46"), mp.mpf("0.46")], 15)
