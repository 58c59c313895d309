"""Prints the constants of src/_core/kernels/vmath.h: Chebyshev fits, and numbers in two or more parts.

All in 60-digit arithmetic. Each fit is of the remainder of a function after its leading terms, so
that the rounding of the coefficients does not matter; lowest coefficient first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mpmath import mp, mpf

EDGE = mpf("1.001")  # slightly beyond the range of the reduced arguments
TINY = mpf("1e-20")  # below it, use the limit at 0, since the quotients would lose all digits


def exp_rest(r: Any) -> Any:
    """(exp(r) - 1 - r) / r²."""
    return (mp.exp(r) - 1 - r) / r**2 if abs(r) > TINY else mpf(1) / 2


def log_rest(z: Any) -> Any:
    """(2 atanh(s) - 2 s - 2/3 s³) / s⁵ for z = s²."""
    s = mp.sqrt(z)
    return (2 * mp.atanh(s) - 2 * s - 2 * s**3 / 3) / s**5 if z > TINY else mpf(2) / 5


def sin_rest(z: Any) -> Any:
    """(sin(r) - r) / r³ for z = r²."""
    r = mp.sqrt(z)
    return (mp.sin(r) - r) / r**3 if z > TINY else -mpf(1) / 6


def cos_rest(z: Any) -> Any:
    """(cos(r) - 1 + r²/2) / r⁴ for z = r²."""
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2 if z > TINY else mpf(1) / 24


def erf_rest(z: Any) -> Any:
    """erf(x) / x - 1 for z = x²."""
    x = mp.sqrt(z)
    return mp.erf(x) / x - 1 if z > TINY else 2 / mp.sqrt(mp.pi) - 1


def erfc_rest(t: Any) -> Any:
    """The product x exp(x²) erfc(x) for t = (x - 2) / (x + 2)."""
    x = 2 * (1 + t) / (1 - t)
    return x * mp.exp(x * x) * mp.erfc(x)


def fit(function: Callable[[Any], Any], low: Any, high: Any, count: int) -> None:
    coefficients, error = mp.chebyfit(function, [low, high], count, error=True)
    print(f"\n{function.__name__}, largest error {float(error):.1e}")
    print(", ".join(float(coefficient).hex() for coefficient in reversed(coefficients)))


def parts(name: str, x: Any, bits: list[int]) -> None:
    """Print x as a sum of floats, all but the last cut to fewer bits: integer multiples are exact."""
    found = []
    for keep in bits:
        unit = mpf(2) ** (mp.frexp(x)[1] - keep)
        part = mp.nint(x / unit) * unit
        found.append(float(part).hex())
        x -= part
    print(f"\n{name}: {', '.join([*found, float(x).hex()])}")


def main() -> None:
    mp.dps = 60
    third = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2
    quarter = (mp.pi / 4) ** 2
    fit(exp_rest, -mp.log(2) / 2 * EDGE, mp.log(2) / 2 * EDGE, 11)
    fit(log_rest, 0, third * EDGE, 8)
    fit(sin_rest, 0, quarter * EDGE, 7)
    fit(cos_rest, 0, quarter * EDGE, 6)
    fit(erf_rest, 0, 1, 13)
    fit(erfc_rest, -mpf(1) / 3, mpf(1) / 2, 19)
    parts("ln 2", mp.log(2), [32])
    parts("log10 of 2", mp.log10(2), [32])
    parts("1 / ln 2", 1 / mp.log(2), [53])
    parts("1 / ln 10", 1 / mp.log(10), [53])
    parts("2/3", mpf(2) / 3, [53])
    parts("pi / 2", mp.pi / 2, [32, 32, 32])


if __name__ == "__main__":
    main()
