"""Prints the polynomials in ops.py for lgamma and digamma: Chebyshev fits in 60-digit arithmetic.

Up to 4, the zeros are divided out. The quotients, lgamma(x) / ((x - 1)(x - 2)) and digamma(x) / (x -
root), are polynomials in t = (x - c) / (x + c), which maps the poles at 0, -1, -2, ... to points outside
the interval. From 4 on, both are Stirling's formula and a correction, a polynomial in 1 / x². The root
of digamma is printed in two parts, because one double is not precise enough near it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mpmath import mp, mpf


def root() -> Any:
    return mp.findroot(lambda x: mp.psi(0, x), mpf("1.46"))


def gamma_middle(x: Any) -> Any:
    """lgamma without its zeros at 1 and 2, where it is the limit."""
    if abs(x - 1) < mpf(10) ** -25:
        return mp.euler
    if abs(x - 2) < mpf(10) ** -25:
        return 1 - mp.euler
    return mp.loggamma(x) / ((x - 1) * (x - 2))


def digamma_middle(x: Any) -> Any:
    """digamma without its zero, where it is the limit."""
    zero = root()
    return mp.psi(1, zero) if abs(x - zero) < mpf(10) ** -25 else mp.psi(0, x) / (x - zero)


def gamma_tail(u: Any) -> Any:
    """x times what Stirling's formula lacks, for x = 1 / √u."""
    if not u:
        return mpf(1) / 12
    with mp.workdps(120):
        x = 1 / mp.sqrt(u)
        return x * (mp.loggamma(x) - (x - 0.5) * (mp.log(x) - 1) - (mp.log(2 * mp.pi) - 1) / 2)


def digamma_tail(u: Any) -> Any:
    """x² times what log(x) - 1 / (2 x) exceeds digamma by, for x = 1 / √u."""
    if not u:
        return mpf(1) / 12
    with mp.workdps(120):
        x = 1 / mp.sqrt(u)
        return x * x * (mp.log(x) - 1 / (2 * x) - mp.psi(0, x))


def fit(function: Callable[[Any], Any], low: Any, high: Any, count: int, about: str) -> None:
    coefficients, error = mp.chebyfit(function, [mpf(low), mpf(high)], count, error=True)
    print(f"# {function.__name__}, {about}, largest error {float(error):.1e}")
    for coefficient in coefficients:
        print(f"{float(coefficient)!r},")


def fit_middle(
    function: Callable[[Any], Any], low: float, high: float, centre: float, count: int
) -> None:
    def of_t(t: Any) -> Any:
        return function(centre * (1 + t) / (1 - t))

    of_t.__name__ = function.__name__
    first, last = ((mpf(x) - centre) / (mpf(x) + centre) for x in (low, high))
    fit(of_t, first, last, count, f"{low} <= x <= {high}, c = {centre}")


if __name__ == "__main__":
    mp.dps = 60
    zero = root()
    print(f"# the root of digamma: {float(zero)!r} and {float(zero - float(zero))!r}")
    fit_middle(gamma_middle, 0.5, 4.0, 1.5, 27)
    fit_middle(digamma_middle, 1.0, 4.0, 2.0, 22)
    fit(gamma_tail, 0, mpf(1) / 16, 9, "x >= 4")
    fit(digamma_tail, 0, mpf(1) / 16, 10, "x >= 4")
