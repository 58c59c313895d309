"""Every operation and partial in 60-digit arithmetic, written independently of the table.

This module must not import formulas from chainrule; otherwise it would not be an independent check.
"""

import math
import random
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from mpmath import mp, mpf

mp.dps = 60


@dataclass(frozen=True)
class Kind:
    """A floating-point format, to which results are rounded and from which points are drawn."""

    bits: int  # of the significand
    least: int  # the exponent of the smallest subnormal
    most: int  # the exponent of the first power of 2 that overflows
    letters: str  # struct's codes for a number and for an unsigned integer of the same size

    @property
    def size(self) -> int:
        return 8 * struct.calcsize(self.letters[1])

    @cached_property
    def largest(self) -> Any:
        return mpf(2) ** self.most - mpf(2) ** (self.most - self.bits)

    @property
    def smallest_normal(self) -> float:
        return 2.0 ** (self.least + self.bits - 1)

    def from_bits(self, bits: int) -> float:
        number, integer = self.letters
        return struct.unpack(f"<{number}", struct.pack(f"<{integer}", bits))[0]

    def rounded(self, x: float) -> float:
        """The nearest number of this format; infinite beyond the largest."""
        try:
            return struct.unpack(f"<{self.letters[0]}", struct.pack(f"<{self.letters[0]}", x))[0]
        except OverflowError:
            return math.copysign(math.inf, x)


DOUBLE = Kind(53, -1074, 1024, "dQ")
SINGLE = Kind(24, -149, 128, "fI")
MAX = DOUBLE.largest
TINY = mpf(2) ** DOUBLE.least


def phi(x: Any) -> Any:
    """The density of the standard normal distribution."""
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def erfc(x: Any) -> Any:
    """erfc with clipped arguments, because mpmath's overflows on huge ones."""
    return mp.erfc(max(min(x, mpf(1000)), mpf(-1000)))


def cdf(x: Any) -> Any:
    """The distribution function of the standard normal distribution."""
    return erfc(-x / mp.sqrt(2)) / 2


def log_cdf(x: Any) -> Any:
    """The logarithm of cdf, which mpmath cannot compute in the far left tail."""
    if x > 0:
        return mp.log1p(-cdf(-x))
    return mp.log(cdf(x)) if x > -1000 else -x * x / 2 + mp.log(tail_ratio(-x))


def inverse_mills(x: Any) -> Any:
    return phi(x) / cdf(x) if x > -1000 else 1 / (tail_ratio(-x) * mp.sqrt(2 * mp.pi))


def tail_ratio(x: Any) -> Any:
    """exp(x²/2) Φ(-x) for x > 1000, by the first 20 terms of its asymptotic series."""
    terms = [(-1) ** k * mp.fac2(2 * k - 1) / x ** (2 * k) for k in range(20)]
    return sum(terms) / (x * mp.sqrt(2 * mp.pi))


def positive(x: Any) -> Any:
    """x itself; an error where the logarithm is complex."""
    if x < 0:
        raise ValueError
    return x


def real_log(x: Any, log: Any = mp.log, pole: int = 0) -> Any:
    """A logarithm; an error where it is complex."""
    if x < pole:
        raise ValueError
    return log(x)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def sech2(x: Any) -> Any:
    return 1 / mp.cosh(x) ** 2


@lru_cache(maxsize=1024)
def _growth(x: Any, precision: int) -> tuple[Any, Any]:
    return mp.exp(x), mp.expm1(x)


def growth(x: Any) -> tuple[Any, Any]:
    """exp(x) and expm1(x), cached: the grid combines each x with every alpha."""
    return _growth(x, mp.prec)


def step(x: Any, high: Any, low: Any) -> Any:
    return high if x > 0 else low


def share(x: Any, y: Any) -> Any:
    """The fraction of the gradient that x gets from the maximum of x and y."""
    return mpf(1) if x > y else mpf(0) if x < y else mpf("0.5")


def power(x: Any, y: Any) -> Any:
    """`x ** y`, where y may be beyond the range of a float.

    For integer y, mpmath squares x repeatedly, which takes half a second for y = 1e1500. An
    exponential with extra precision, as many bits as y has, gives the same 60 digits.
    """
    if abs(y) < 2**64 or not x:
        return x**y
    with mp.extraprec(mp.mag(y) + 20):
        size = mp.exp(y * mp.log(abs(x)))
    return -size if x < 0 and int(y) % 2 else +size


def division(x: Any, y: Any) -> tuple[Any, Any]:
    """floor(x / y) and x - y floor(x / y), exactly, however large the quotient is."""
    if not y:
        raise ZeroDivisionError
    shift = -min(int(mp.mag(z)) for z in (x, y) if z) + 4000
    with mp.workprec(20000):
        whole, rest = divmod(*(int(mp.ldexp(z, shift)) for z in (x, y)))
        return mpf(whole), mp.ldexp(rest, -shift)


def truncated(x: Any, y: Any) -> tuple[Any, Any]:
    """The same, rounded towards 0: the remainder has the sign of x."""
    whole, rest = division(abs(x), abs(y))
    return mp.sign(x) * mp.sign(y) * whole, mp.sign(x) * rest


def none(*args: Any) -> Any:
    """The derivative of a function that is constant between its jumps."""
    return mpf(0)


def one(*args: Any) -> Any:
    return mpf(1)


def log_gamma(x: Any) -> Any:
    """log |Γ(x)|, below 0 by reflection."""
    if x > 0:
        return mp.loggamma(x) if x < 1e20 else (x - mpf(1) / 2) * mp.log(x) - x + mp.log(2 * mp.pi) / 2
    return mp.log(mp.pi / abs(mp.sinpi(x))) - log_gamma(1 - x)


def psi(x: Any) -> Any:
    """The derivative of log_gamma."""
    if x > 0:
        return mp.psi(0, x) if x < 1e20 else mp.log(x) - 1 / (2 * x) - 1 / (12 * x * x)
    return psi(1 - x) - mp.pi * mp.cospi(x) / mp.sinpi(x)


def psi1(x: Any) -> Any:
    """The derivative of psi."""
    return hurwitz(mpf(2), x) if x > 0 else (mp.pi / mp.sinpi(x)) ** 2 - hurwitz(mpf(2), 1 - x)


def psi2(x: Any) -> Any:
    """The derivative of psi1."""
    if x > 0:
        return -2 * hurwitz(mpf(3), x)
    return -2 * mp.pi**3 * mp.cospi(x) / mp.sinpi(x) ** 3 + 2 * hurwitz(mpf(3), 1 - x)


@lru_cache(maxsize=1)
def bernoulli() -> list[Any]:
    return [mp.bernoulli(2 * j) / mp.fac(2 * j) for j in range(1, 51)]


def hurwitz(s: Any, q: Any) -> Any:
    """The Hurwitz zeta function: 40 terms and 50 of the Euler-Maclaurin formula, for any s and q.

    mpmath's own takes minutes if one of them is large.
    """
    if s < 1 or q < 0:
        raise ValueError
    total, a = mpf(0), q
    if q < 10 * s + 100:
        for _ in range(40):
            term = power(a, -s)
            total, a = total + term, a + 1
            if term < total * mpf(10) ** -70 or s > 10**6 * a:
                return total
    last = power(a, -s)
    total += last * (a / (s - 1) + mpf(1) / 2)
    factor = s / a
    for j, b in enumerate(bernoulli()):
        total += last * b * factor
        factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (a * a)
    return total


Real = Callable[..., Any]

# name: (value, (partial, ...)), with the arguments in the table's order
TRUTH: dict[str, tuple[Real, tuple[Real, ...]]] = {
    "add": (lambda x, y: x + y, (lambda x, y: mpf(1), lambda x, y: mpf(1))),
    "sub": (lambda x, y: x - y, (lambda x, y: mpf(1), lambda x, y: mpf(-1))),
    "mul": (lambda x, y: x * y, (lambda x, y: y, lambda x, y: x)),
    "div": (lambda x, y: x / y, (lambda x, y: 1 / y, lambda x, y: -x / y**2)),
    "pow": (power, (lambda x, y: y * power(x, y - 1), lambda x, y: power(x, y) * mp.log(x))),
    "neg": (lambda x: -x, (lambda x: mpf(-1),)),
    "pos": (lambda x: x, (lambda x: mpf(1),)),
    "stop_gradient": (lambda x: x, ()),
    "with_partial": (lambda y, x, partial: y, (one, lambda y, x, partial: partial)),
    "abs": (abs, (mp.sign,)),
    "where": (
        lambda c, x, y: x if c else y,
        (lambda c, x, y: mpf(1) if c else mpf(0), lambda c, x, y: mpf(0) if c else mpf(1)),
    ),
    "maximum": (max, (share, lambda x, y: share(y, x))),
    "minimum": (min, (lambda x, y: share(y, x), share)),
    "sign": (mp.sign, (none,)),
    "floor": (mp.floor, (none,)),
    "ceil": (mp.ceil, (none,)),
    "trunc": (lambda x: mp.sign(x) * mp.floor(abs(x)), (none,)),
    "round": (mp.nint, (none,)),
    "fmod": (lambda x, y: truncated(x, y)[1], (one, lambda x, y: -truncated(x, y)[0])),
    "remainder": (lambda x, y: division(x, y)[1], (one, lambda x, y: -division(x, y)[0])),
    "floor_divide": (lambda x, y: division(x, y)[0], (none, none)),
    "exp": (mp.exp, (mp.exp,)),
    "exp2": (lambda x: power(mpf(2), x), (lambda x: power(mpf(2), x) * mp.log(2),)),
    "expm1": (mp.expm1, (mp.exp,)),
    "log": (mp.log, (lambda x: 1 / x,)),
    "log1p": (mp.log1p, (lambda x: 1 / (1 + x),)),
    "log2": (lambda x: mp.log(x) / mp.log(2), (lambda x: 1 / (x * mp.log(2)),)),
    "log10": (lambda x: mp.log(x) / mp.log(10), (lambda x: 1 / (x * mp.log(10)),)),
    "logaddexp": (
        lambda x, y: max(x, y) + mp.log1p(mp.exp(-abs(x - y))),
        (lambda x, y: sigmoid(x - y), lambda x, y: sigmoid(y - x)),
    ),
    "xlogy": (lambda x, y: x * real_log(y), (lambda x, y: real_log(y), lambda x, y: x / positive(y))),
    "xlog1py": (
        lambda x, y: x * real_log(y, mp.log1p, -1),
        (lambda x, y: real_log(y, mp.log1p, -1), lambda x, y: x / positive(1 + y)),
    ),
    "sqrt": (mp.sqrt, (lambda x: 1 / (2 * mp.sqrt(x)),)),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), (lambda x: 1 / (3 * mp.cbrt(abs(x)) ** 2),)),
    "deg2rad": (mp.radians, (lambda x: mp.pi / 180,)),
    "rad2deg": (mp.degrees, (lambda x: 180 / mp.pi,)),
    "sin": (mp.sin, (mp.cos,)),
    "cos": (mp.cos, (lambda x: -mp.sin(x),)),
    "tan": (mp.tan, (lambda x: 1 / mp.cos(x) ** 2,)),
    "asin": (mp.asin, (lambda x: 1 / mp.sqrt((1 - x) * (1 + x)),)),
    "acos": (mp.acos, (lambda x: -1 / mp.sqrt((1 - x) * (1 + x)),)),
    "atan": (mp.atan, (lambda x: 1 / (1 + x * x),)),
    "sinh": (mp.sinh, (mp.cosh,)),
    "cosh": (mp.cosh, (mp.sinh,)),
    "tanh": (mp.tanh, (sech2,)),
    "asinh": (mp.asinh, (lambda x: 1 / mp.hypot(1, x),)),
    "acosh": (mp.acosh, (lambda x: 1 / mp.sqrt((x - 1) * (x + 1)),)),
    "atanh": (mp.atanh, (lambda x: 1 / ((1 - x) * (1 + x)),)),
    "hypot": (mp.hypot, (lambda x, y: x / mp.hypot(x, y), lambda x, y: y / mp.hypot(x, y))),
    "atan2": (mp.atan2, (lambda y, x: x / (x * x + y * y), lambda y, x: -y / (x * x + y * y))),
    "erf": (
        lambda x: 1 - erfc(x) if abs(x) > 1 else mp.erf(x),
        (lambda x: 2 * mp.exp(-x * x) / mp.sqrt(mp.pi),),
    ),
    "erfc": (erfc, (lambda x: -2 * mp.exp(-x * x) / mp.sqrt(mp.pi),)),
    "lgamma": (log_gamma, (psi,)),
    "digamma": (psi, (psi1,)),
    "zeta": (hurwitz, (lambda s, q: -s * hurwitz(s + 1, q),)),
    "normal_pdf": (phi, (lambda x: -x * phi(x),)),
    "normal_cdf": (cdf, (phi,)),
    "log_normal_cdf": (log_cdf, (inverse_mills,)),
    "sigmoid": (sigmoid, (lambda x: sigmoid(x) * sigmoid(-x),)),
    "softplus": (lambda x: mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x)), (sigmoid,)),
    "log_sigmoid": (
        lambda x: -mp.log1p(mp.exp(-x)) if x > 0 else x - mp.log1p(mp.exp(x)),
        (lambda x: sigmoid(-x),),
    ),
    "logit": (lambda x: mp.log(x) - mp.log1p(-x), (lambda x: 1 / (x * (1 - x)),)),
    "relu": (lambda x: step(x, x, mpf(0)), (lambda x: step(x, mpf(1), mpf(0)),)),
    "leaky_relu": (
        lambda x, a: step(x, x, a * x),
        (lambda x, a: step(x, mpf(1), a), lambda x, a: step(x, mpf(0), x)),
    ),
    "elu": (
        lambda x, a: step(x, x, a * growth(x)[1]),
        (lambda x, a: step(x, mpf(1), a * growth(x)[0]), lambda x, a: step(x, mpf(0), growth(x)[1])),
    ),
    "silu": (lambda x: x * sigmoid(x), (lambda x: sigmoid(x) + x * sigmoid(x) * sigmoid(-x),)),
    "gelu": (lambda x: x * cdf(x), (lambda x: cdf(x) + x * phi(x),)),
}


def scale(name: str, part: int | None, args: tuple[Any, ...], truth: Any) -> Any:
    """The allowed error as a multiple of 4 ulp: 1 except for ill-conditioned results.

    `pow` and `logaddexp` are scaled by their condition numbers. A partial that is a sum with
    cancellation is scaled by the ratio of the sum of absolute terms to the sum itself.
    """
    if name == "pow":
        x, y = args
        return 1 + abs((y if part is None else abs(y) + 1) * mp.log(abs(x))) if x else mpf(1)
    if name == "zeta":
        s, q = args
        return 1 + s * (1 + abs(mp.log(q)))
    if name in ("lgamma", "digamma") and truth:
        (x,) = args
        slopes = (psi, psi1, psi2)[name == "digamma" :]
        return max(1, abs(x * slopes[0 if part is None else 1](x) / truth))
    if name == "logaddexp":
        x, y = args
        if part is None:
            terms = abs(x) * sigmoid(x - y) + abs(y) * sigmoid(y - x)
            return max(1, terms / abs(truth)) if truth else mpf(1)
        return 1 + abs(x - y) * sigmoid(y - x if part == 0 else x - y)
    if part is None or not truth:
        return mpf(1)
    (x,) = args[:1]
    if name == "silu":
        return (sigmoid(x) + abs(x) * sigmoid(x) * sigmoid(-x)) / abs(truth)
    if name == "gelu":
        return (cdf(x) + abs(x) * phi(x)) / abs(truth)
    return mpf(1)


def ulps(result: float, truth: Any, kind: Kind = DOUBLE) -> float:
    """The distance of a float from the true result, in ulps of the true result."""
    if math.isnan(result):
        return math.inf
    largest = kind.largest
    if abs(truth) > largest:
        overflow = math.isinf(result) and (result > 0) == (truth > 0)
        return 0.0 if overflow else float(abs(mpf(result) - truth) / largest * 2**kind.bits)
    if math.isinf(result):
        return 0.0 if abs(truth) > largest * (1 - mpf(2) ** (2 - kind.bits)) else math.inf
    exponent = mp.frexp(truth)[1] if truth else 2 * kind.least
    return float(abs(mpf(result) - truth) / mpf(2) ** max(exponent - kind.bits, kind.least))


def any_float(rng: random.Random, kind: Kind = DOUBLE) -> float:
    """A finite float with a uniformly random bit pattern: all exponents occur, subnormals too."""
    while True:
        x = kind.from_bits(rng.getrandbits(kind.size))
        if math.isfinite(x):
            return x


def sample(
    rng: random.Random, domain: tuple[float, float] = (-math.inf, math.inf), kind: Kind = DOUBLE
) -> float:
    """A point in the domain: anywhere, in the usual range, near ±1 or 0, or near a boundary."""
    low, high = domain
    while True:
        choice = rng.random()
        if choice < 0.35:
            x = any_float(rng, kind)
        elif choice < 0.6:
            x = rng.uniform(-50, 50)
        elif choice < 0.75:
            x = rng.choice((-1, 1)) * (1 + rng.choice((-1, 1)) * 10 ** rng.uniform(-17, 0))
        elif choice < 0.85:
            x = rng.uniform(-1000, 1000)
        elif choice < 0.92:
            x = rng.uniform(-2, 2)
        elif choice < 0.95:
            x = kind.from_bits(rng.getrandbits(kind.bits - 1)) * rng.choice((-1, 1))  # subnormal
        else:
            end = rng.choice([e for e in domain if math.isfinite(e)] or [0.0])
            x = end + rng.choice((-1, 1)) * 10 ** rng.uniform(-300, 0)
        x = kind.rounded(x)
        if low < x < high and x:  # zeros are in the special grid
            return x


QUOTIENTS = ("div", "fmod", "remainder", "floor_divide")


def point(
    name: str, arity: int, domain: tuple[float, float], rng: random.Random, kind: Kind = DOUBLE
) -> tuple[float, ...]:
    """Random arguments for an operation, inside its domain."""
    args = [sample(rng, domain, kind), *(sample(rng, kind=kind) for _ in range(arity - 1))]
    if name == "pow":
        args[0] = abs(args[0]) or 1.0
        if rng.random() < 0.8:  # keep most results between underflow and overflow
            reach = -kind.least * math.log(2)
            args[1] = rng.uniform(-reach, reach) / (abs(math.log(args[0])) or 1.0)
    elif name == "div" and rng.random() < 0.1:  # here x / y has fewer bits than x / y²
        least = 2.0**kind.least
        args = [kind.from_bits(rng.getrandbits(kind.bits - 13)) or least, 10 ** rng.uniform(-30, 0)]
    elif name in ("xlogy", "zeta"):
        args[1] = abs(args[1])
    elif name == "xlog1py":
        args[1] = sample(rng, (-1.0, math.inf), kind)
    elif name in ("hypot", "atan2", "logaddexp", *QUOTIENTS) and rng.random() < 0.5:
        args[1] = args[0] * rng.uniform(-3, 3) * 10 ** rng.uniform(-3, 3)
    if name in ("lgamma", "digamma") and args[0] < -1e4 and rng.random() < 0.9:
        args[0] = -(10 ** rng.uniform(0, 4))
    if name == "where":
        args[0] = float(rng.randrange(2))
    args = [kind.rounded(x) for x in args]
    pole = name in ("lgamma", "digamma") and args[0] < 0.0 and args[0].is_integer()
    if pole or (name in QUOTIENTS and args[1] == 0.0) or not all(map(math.isfinite, args)):
        return point(name, arity, domain, rng, kind)
    return tuple(args)
