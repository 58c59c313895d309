"""The operation table: each operation with its value and its partial derivatives, one row each.

The rest of chainrule interprets these rows: on floats (the reference engine), as
generated C (the compiled core), on Values (higher derivatives) and on graph nodes
(the compiler). So each formula is written once, in the table's own operations. The rules:

* Write `div(a, b)` and `pow(a, b)`, not `/` and `**`, which raise on Python floats.
* Branch with `where(less(x, y), a, b)`, not with `if`, so that the branch is part of
  the formula and can be recomputed, compiled and differentiated.
* A partial takes the arguments and the output; `None` means "not differentiable".
* A formula must be accurate to 4 ulp over the whole range of doubles: see docs/numerics.md.
* Take constants that depend on the range or precision of doubles from `_format`, so that
  the formula also works in single precision.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .support import ieee
from .support.ieee import INF, NAN

Formula = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Op:
    """One operation: its value, and its partial derivative with respect to each argument."""

    name: str
    arity: int
    forward: Formula
    partials: tuple[Formula | None, ...]
    symbol: str = ""  # shown in graphs; if empty, the name is shown
    doc: str = ""
    aliases: tuple[str, ...] = ()  # more method names, so that np.arcsin(array of Values) works
    defaults: tuple[float, ...] = ()  # of the last arguments
    domain: tuple[float, float] = (-INF, INF)  # of the first argument; the result is NaN outside
    kink: Formula | None = None  # 0 where there is no derivative, and the partials are a convention
    selects: bool = False  # a partial of exactly 0 cuts the edge: not even inf or NaN passes

    def __call__(self, *args: Any) -> Any:
        """Apply to floats, or call `_apply` of the first argument that has it."""
        for arg in args:
            if type(arg) is not float:
                break
        else:
            return self.forward(*(args if len(args) == self.arity else self.complete(args)))
        for arg in args:
            apply = getattr(arg, "_apply", None)
            if apply is not None:
                return apply(self, args)
        return self.forward(*self.complete([ieee.as_float(arg) for arg in args]))

    def complete(self, args: Sequence[Any]) -> Sequence[Any]:
        """Fill in the defaults; raise if the number of arguments is wrong."""
        missing = self.arity - len(args)
        if 0 < missing <= len(self.defaults):
            return [*args, *self.defaults[-missing:]]
        if missing:
            plural = "" if self.arity == 1 else "s"
            raise TypeError(f"{self.name} takes {self.arity} argument{plural}, got {len(args)}")
        return args

    def differentiable(self, index: int) -> bool:
        return self.partials[index] is not None

    def derivatives(self, args: Sequence[Any], out: Any, wanted: Sequence[bool]) -> list[Any]:
        """The partials with respect to the wanted arguments, `None` for the others."""
        pairs = zip(self.partials, wanted, strict=True)
        return [partial(*args, out) if partial is not None and want else None for partial, want in pairs]

    def __repr__(self) -> str:
        return f"<operation {self.name}>"

    def __reduce__(self) -> Any:
        """Pickle a row by name, `take` by its count, and a custom operation by its parts."""
        if BY_NAME.get(self.name) is self:
            return row_named, (self.name,)
        if is_known(self):
            return take, (self.arity - 1,)
        return type(self), (self.name, self.arity, self.forward, self.partials)


@dataclass(frozen=True)
class Fold:
    """A left fold over the elements: total = step(total, *element, *totals of earlier folds)."""

    start: float
    step: Formula


@dataclass(frozen=True, eq=False, repr=False)
class Variadic(Op):
    """An operation on any number of elements, written as folds so that C can loop over it.

    An element consists of `width` arguments, at most 3: `dot` of (x1, x2, y1, y2) has the
    elements (x1, y1) and (x2, y2). `finish(n, *folds)` computes the value. Each of
    `partials(*element, out, n, *folds)` computes the derivative with respect to one part
    of an element. With `leave_one_out`, the derivative is the fold over all other elements.
    """

    folds: tuple[Fold, ...] = ()
    finish: Formula = lambda n, total: total
    width: int = 1
    least: int = 0  # minimum number of elements
    leave_one_out: bool = False

    def complete(self, args: Sequence[Any]) -> Sequence[Any]:
        if len(args) < self.least * self.width:
            plural = "" if self.least == 1 else "s"
            given = len(args) // self.width or "none"
            raise TypeError(f"{self.name} needs at least {self.least} value{plural}, got {given}")
        if len(args) % self.width:
            raise TypeError(f"{self.name} takes {self.width} sequences of the same length")
        return args

    def differentiable(self, index: int) -> bool:
        return True

    def elements(self, args: Sequence[Any]) -> list[tuple[Any, ...]]:
        n = len(args) // self.width
        return list(zip(*(args[i * n : i * n + n] for i in range(self.width)), strict=True))

    def fold(self, elements: list[tuple[Any, ...]]) -> list[Any]:
        totals: list[Any] = []
        for fold in self.folds:
            total: Any = fold.start
            for element in elements:
                total = fold.step(total, *element, *totals)
            totals.append(total)
        return totals

    def derivatives(self, args: Sequence[Any], out: Any, wanted: Sequence[bool]) -> list[Any]:
        elements = self.elements(args)
        n = len(elements)
        if self.leave_one_out:
            found = self._all_but_one(elements)
            return [x if asked else None for x, asked in zip(found, wanted, strict=True)]
        totals = self.fold(elements)
        return [
            partial(*element, out, float(n), *totals) if wanted[part * n + i] and partial else None
            for part, partial in enumerate(self.partials)
            for i, element in enumerate(elements)
        ]

    def _all_but_one(self, elements: list[tuple[Any, ...]]) -> list[Any]:
        """Combine fold(elements before i) with fold(elements after i), in linear time."""
        start, step = self.folds[0].start, self.folds[0].step
        before: list[Any] = [start]
        for (x,) in elements[:-1]:
            before.append(step(before[-1], x))
        result: list[Any] = []
        after: Any = start
        for i in reversed(range(len(elements))):
            result.append(step(before[i], after))
            after = step(after, elements[i][0])
        return result[::-1]


def _variadic(name: str, folds: tuple[Fold, ...], *partials: Formula, **fields: Any) -> Variadic:
    def forward(*args: Any) -> Any:
        elements = row.elements(args)
        return row.finish(float(len(elements)), *row.fold(elements))

    row = Variadic(name, -1, forward, partials, folds=folds, **fields)
    return row


# --- helpers for the formulas below, which are not operations themselves -------------------------


@dataclass(frozen=True)
class Format:
    """The properties of a floating-point format that formulas depend on."""

    bits: int  # of the significand
    deep: float  # exponentials smaller than exp(-deep) lose bits to underflow
    small: float  # a result below this may have lost bits to underflow
    large: float  # a result above this may overflow in later operations
    root_of_small: float  # squares of numbers between these two neither overflow nor underflow
    root_of_large: float
    scaling: int  # 2**scaling moves numbers from either end of the range to the middle


DOUBLE = Format(53, 700.0, 1e-290, 1e290, 1e-140, 1e140, 600)
SINGLE = Format(24, 80.0, 1e-30, 1e30, 1e-15, 1e15, 90)


def _format(*operands: Any) -> Format:
    """The format of the operands: that of the first operand that declares one, else double."""
    for operand in operands:
        found: Format | None = getattr(operand, "_number_format", None)
        if found is not None:
            return found
    return DOUBLE


def _leading(x: Any, parts: int) -> Any:
    """Round x to one half or one third of its bits, so that its square or cube is exact.

    This is Veltkamp splitting. It fails if a compiler fuses the product with the difference,
    as XLA may, so operands can provide their own `_rounded`.
    """
    format = _format(x)
    bits = format.bits // parts
    rounded = getattr(x, "_rounded", None)
    if rounded is not None:
        return rounded(bits)
    shifted = (2.0 ** (format.bits - bits) + 1.0) * x
    return shifted - (shifted - x)


def _both(p: Any, q: Any) -> Any:
    return p * q


def _rounded(x: Any) -> Any:
    """The nearest integer; of two equally near ones, the even one. A zero keeps the sign of x."""
    whole = floor(x)
    rest = x - whole
    odd = whole - 2.0 * floor(0.5 * whole)
    nearest = whole + where(less(rest, 0.5), 0.0, where(equal(rest, 0.5), odd, 1.0))
    return where(equal(nearest, 0.0), 0.0 * x, nearest)


def _square(x: Any) -> Any:
    return x * x


def _opposite(x: Any, y: Any) -> Any:
    """Whether x is not 0 and its sign is not that of y."""
    return where(less(y, 0.0), less(0.0, x), less(x, 0.0))


def _remainder(x: Any, y: Any) -> Any:
    """fmod, which has the sign of x, moved to the sign of y. It is exact for quotients of any size."""
    rest = fmod(x, y)
    moved = where(_opposite(rest, y), rest + y, rest)
    return where(equal(rest, 0.0), where(less(y, 0.0), -0.0, 0.0), moved)


def _floor_divide(x: Any, y: Any) -> Any:
    """(x - remainder) / y, an integer up to rounding; a zero has the sign of x / y, as in NumPy."""
    rest, ratio = fmod(x, y), div(x, y)
    quotient = div(x - rest, y) - _opposite(rest, y)
    whole = floor(quotient)
    nearest = whole + less(0.5, quotient - whole)
    return where(equal(y, 0.0), ratio, where(equal(nearest, 0.0), 0.0 * ratio, nearest))


def _to_multiple(x: Any, y: Any) -> Any:
    """The distance from x to the nearest multiple of y."""
    rest = abs(fmod(x, y))
    return minimum(rest, abs(y) - rest)


def _bell(x: Any) -> Any:
    """e / (1 + e)² with e = exp(-|x|): the derivative of the sigmoid, accurate far into the tails.

    |x| is written with `where`, not `abs`: both branches are smooth, so derivatives of
    every order are correct at 0 too.
    """
    e = exp(where(less(x, 0.0), x, -x))
    return div(e, 1.0 + e * (2.0 + e))


def _softmax_of_two(x: Any, y: Any) -> Any:
    """The slope of logaddexp with respect to x; for two equal infinities that of logsumexp."""
    both_infinite = _both(equal(x, y), equal(abs(x), INF))
    return where(both_infinite, where(less(x, 0.0), 0.0, 0.5), sigmoid(x - y))


def _unless_0(x: Any, y: Any, product: Any) -> Any:
    """The product of x and a function of y; 0 where x is 0, unless y is NaN."""
    return where(_both(equal(x, 0.0), equal(y, y)), 0.0, product)


def _unless_vague(x: Any, y: Any, slope: Any) -> Any:
    """A derivative of x log(y); 0 by convention where x is 0 and y is not positive."""
    return where(_both(equal(x, 0.0), less_equal(y, 0.0)), 0.0, slope)


def _over_square(x: Any, y: Any) -> Any:
    """x / y² without spurious overflow, and without losing bits where x / y is subnormal."""
    q = div(x, y)
    size = abs(q)
    lost = _both(less(0.0, size), less(size, _format(x, y).small))
    return where(lost, div(x, y * y), div(q, y))


def _quotient_error(x: Any, y: Any, quotient: Any) -> Any:
    """The relative error of a rounded quotient, from halves whose products are exact."""
    u, v = _leading(quotient, 2), _leading(y, 2)
    return div(((x - u * v) - u * (y - v)) - (quotient - u) * y, x)


def _gaussian(factor: Any, x: Any, scale: float, error: Any = 0.0) -> Any:
    """factor · exp(-scale · x²) to about an ulp; scale is 1 or ½, error the relative one of the factor.

    Rounding x² would cost up to x² ulps, so x is split into a high part with half of the
    bits, whose square is exact, and a remainder that enters through a short series. Where the
    exponential is subnormal, the factor is multiplied in halfway, before bits are lost.
    """
    high = _leading(x, 2)
    square = scale * high * high
    z = -scale * (x - high) * (x + high)
    series = z * (1.0 + z * (0.5 + z * (1.0 / 6.0))) + error
    e, half = exp(-square), exp(-0.5 * square)
    deep = factor * half * (half + half * series)
    value = where(less(_format(x).deep, square), deep, factor * (e + e * series))
    return where(less(1600.0, x * x), 0.0, value)


# Chebyshev fits in 60-digit arithmetic, generated by tools/fit_erfc.py: x exp(x²) erfc(x) for
# 0.64 <= x <= 28.5, and x exp(x²/2) Φ(-x) for 0.9 <= x <= 40.5, where Φ is the normal CDF. The third is
# √(2π) exp(x²/2) Φ(x) for -0.92 <= x <= 0, in x + 0.46.
# fmt: off
_ERFC_TAIL = (
    -1.3948238822037281e-09, 5.109700928463397e-07, -1.5841199402994402e-06, 4.070833795381134e-07,
    1.8586295887506923e-06, 7.069160546743763e-07, 2.454969588778001e-07, -3.4774483443329614e-06,
    -9.27425139523432e-06, -4.579518936004241e-06, 2.4328581586716806e-05, 6.039691058873441e-05,
    1.2791203764093609e-05, -0.0002179647924793206, -0.00038991252570686933, 0.00040834971237136325,
    0.002330547550611729, 0.00024020960085594035, -0.01283569824165594, -0.0032359378650534494,
    0.09778825221221718, -0.21385470725570538, 0.19517270530480552, 0.49870141079051367,
)
_NORMAL_TAIL = (
    -3.781977220946943e-08, 4.642175737039127e-07, -1.0887306719833636e-06, 5.222203352569594e-08,
    1.2799883631680893e-06, 5.952843746139928e-07, 4.0156195214973863e-07, -1.9370786659147376e-06,
    -6.452093869750818e-06, -4.76865240222145e-06, 1.4319316112632404e-05, 4.2958184365097303e-05,
    1.908768067646918e-05, -0.00014039187243244702, -0.00029338317028938164, 0.000217489184138791,
    0.0016486801344341574, 0.0004565742670093648, -0.009007517699530638, -0.0035754253874364537,
    0.0706132265594008, -0.15085243167224832, 0.13648225752794654, 0.3533283284514383,
)
_MILLS_MIDDLE = (
    3.70500422395657e-07, 1.5046273884716127e-06, 5.617952618042915e-06, 2.1227279250434854e-05,
    7.725246962203065e-05, 0.00026928239912239613, 0.0008963845642750712, 0.0028358459520623257,
    0.008475566375400659, 0.023749684386373305, 0.061778253044454744, 0.14716641826288893,
    0.3148095645791247, 0.5863116544958794, 0.8993224902263525,
)
# fmt: on


def _fitted(x: Any, centre: float, coefficients: tuple[float, ...]) -> Any:
    """A polynomial in (x - centre) / (x + centre)."""
    t = div(x - centre, x + centre)
    total: Any = coefficients[0]
    for coefficient in coefficients[1:]:
        total = total * t + coefficient
    return total


def erfc_tail(x: Any) -> Any:
    """erfc(x) for 0.64 <= x <= 28."""
    return _gaussian(div(_fitted(x, 1.75, _ERFC_TAIL), x), x, 1.0)


def _normal_tail(x: Any) -> Any:
    """x exp(x²/2) Φ(-x) for 0.9 <= x <= 40: the tail of Φ, scaled so that it varies slowly."""
    return _fitted(x, 2.5, _NORMAL_TAIL)


def _left_tail(x: Any) -> Any:
    """Φ(-x) for 0.9 <= x <= 40.5. Without the error of the quotient, 4 ulp would be exceeded."""
    tail = _normal_tail(x)
    factor = div(tail, x)
    return _gaussian(factor, x, 0.5, _quotient_error(tail, x, factor))


def _mills(x: Any) -> Any:
    """√(2π) x exp(x²/2) Φ(-x) for x >= 0.9 of any size: it tends to 1, by a series in 1 / x²."""
    inverse = div(1.0, x)
    u = inverse * inverse
    total: Any = 1.0
    for k in (11.0, 9.0, 7.0, 5.0, 3.0, 1.0):
        total = 1.0 - k * u * total
    return where(less(x, 40.0), _SQRT_TWO_PI * _normal_tail(x), total)


def _log_normal_cdf(x: Any) -> Any:
    """The logarithm of Φ, where the left tail is never computed itself, so that it cannot underflow."""
    left = (log(div(_mills(-x), -x)) - _LOG_SQRT_TWO_PI) - 0.5 * x * x
    right = where(less(x, 0.0), log(normal_cdf(x)), log1p(-normal_cdf(-x)))
    return where(less(x, -0.91), left, right)


# Fits generated by tools/fit_gamma.py: lgamma(x) / ((x - 1)(x - 2)) for 0.5 <= x <= 4, digamma(x) /
# (x - root) for 1 <= x <= 4, and, in 1 / x², what their Stirling formulas lack from 4 on.
# fmt: off
_GAMMA_MIDDLE = (
    0.17376571220520606, -0.07512708145693324, -0.16158816917616745, 0.019772108000672643,
    0.12247696290117395, -0.03943651924989051, -0.011295423590704654, -0.021762551904493905,
    0.03282642085961665, -0.02936010652458664, 0.026941518603503932, -0.03234681580274781,
    0.03175404739410823, -0.037277483093243316, 0.03620143389696575, -0.0438262922936162,
    0.042327242835901134, -0.053194700422982355, 0.05091574030442064, -0.06769490415797559,
    0.06382812062113474, -0.09321052270151807, 0.08530564281234779, -0.15080363092800778,
    0.12832292192817457, -0.4378796877429183, 0.4831289505409809,
)
_DIGAMMA_MIDDLE = (
    -1.2961992760875918, 1.2942452439988197, -0.5042695952773063, 0.5030955373909065,
    -0.713442970397327, 0.7116445214134494, -0.6825045615261452, 0.6802385731925122,
    -0.6857311757515434, 0.6826984896609327, -0.6860976571407249, 0.6818440940515491,
    -0.6870424842040613, 0.680680105820702, -0.6890177886225417, 0.67874747527837, -0.695067676631197,
    0.6777531349128925, -0.7262245808989884, 0.7010428535500061, -1.0429558187320056,
    0.7853075386041053,
)
_GAMMA_TAIL = (
    0.03686739114470535, -0.018529842349409912, 0.005842830219816524, -0.0018988790775843355,
    0.0008413741438815142, -0.0005952337085914222, 0.0007936507676291937, -0.0027777777777176055,
    0.08333333333333331,
)
_DIGAMMA_TAIL = (
    -2.7632461441771197, 1.317667749896685, -0.3487583555569305, 0.07978585893797804,
    -0.021004729764303443, 0.007574376314502456, -0.00416665393289541, 0.003968253907681641,
    -0.00833333333322018, 0.0833333333333333,
)
_DIGAMMA_ROOT = (1.4616321449683622, 9.549995429965697e-17)
# Bernoulli numbers over factorials: the coefficients of the Euler-Maclaurin formula.
_EULER_MACLAURIN = (
    0.08333333333333333, -0.001388888888888889, 3.306878306878307e-05, -8.267195767195768e-07,
    2.08767569878681e-08, -5.284190138687493e-10, 1.3382536530684679e-11, -3.3896802963225827e-13,
    8.586062056277845e-15, -2.174868698558062e-16, 5.5090028283602295e-18, -1.3954464685812522e-19,
)
# fmt: on


def _polynomial(x: Any, coefficients: tuple[float, ...]) -> Any:
    total: Any = coefficients[0]
    for coefficient in coefficients[1:]:
        total = total * x + coefficient
    return total


def _fraction(x: Any) -> Any:
    """x minus the integer nearest to it, which is exact."""
    return x - stop_gradient(round(x))


def _sin_pi(x: Any) -> Any:
    """sin(πx), up to the sign."""
    return sin(math.pi * _fraction(x))


def cot_pi(x: Any) -> Any:
    """cot(πx), precise near its zeros and poles."""
    rest = _fraction(x)
    size = where(less(rest, 0.0), -rest, rest)
    near = less(size, 0.25)
    tangent = tan(math.pi * where(near, size, 0.5 - size))
    cotangent = div(where(near, 1.0, tangent), where(near, tangent, 1.0))
    return where(less(rest, 0.0), -cotangent, cotangent)


def _pole(x: Any) -> Any:
    """Whether x is a negative integer, as all numbers below -2⁵² are, or -inf."""
    return _both(less(x, 0.0), equal(x, floor(x)))


def _lgamma_above(x: Any) -> Any:
    """lgamma for x > -½. The zeros at 1 and 2 are factors; below ½, it is log Γ(1 + x) - log |x|."""
    small = less(x, 0.5)
    y = where(small, 1.0 + x, x)
    middle = where(small, x, x - 1.0) * where(small, x - 1.0, x - 2.0) * _fitted(y, 1.5, _GAMMA_MIDDLE)
    inverse = div(1.0, y)
    rest = _HALF_LOG_TWO_PI_OVER_E + inverse * _polynomial(inverse * inverse, _GAMMA_TAIL)
    value = where(less(y, 4.0), middle, (y - 0.5) * (log(y) - 1.0) + rest)
    return where(small, value - log(abs(x)), value)


def _lgamma(x: Any) -> Any:
    """Below -½ by reflection, Γ(x) Γ(1 - x) = π / sin(πx), but between -4 and -1 by recurrence.

    There the two terms of the reflection cancel. Between -3 and -2 the product of the recurrence,
    x (x + 1)(x + 2)(x + 3), is 1 - ((x + 1.5)² - 1.25)²: where it is near 1, its logarithm is small.
    """
    reflects = less(x, -0.5)
    recurs = _both(less(-4.0, x), less(x, -1.0))
    above = _lgamma_above(where(recurs, 1.0 + (x - floor(x)), where(reflects, 1.0 - x, x)))
    reflected = log(div(math.pi, abs(_sin_pi(x)))) - above
    last = where(less(x, -3.0), (x + 3.0) * (x + 4.0), where(less(x, -2.0), x + 3.0, 1.0))
    factors = abs((x * (x + 1.0)) * ((x + 2.0) * last))
    root = _square(x + 1.5) - 1.25
    near_1 = _both(_both(less(-3.0, x), less(x, -2.0)), less(0.5, factors))
    recurred = above - where(near_1, log1p(-root * root), log(factors))
    return where(_pole(x), INF, where(recurs, recurred, where(reflects, reflected, above)))


def _digamma_from_1(x: Any) -> Any:
    """digamma for x >= 1. The zero is a factor."""
    root, rest_of_root = _DIGAMMA_ROOT
    middle = ((x - root) - rest_of_root) * _fitted(x, 2.0, _DIGAMMA_MIDDLE)
    inverse = div(1.0, x)
    rest = inverse * (0.5 + inverse * _polynomial(inverse * inverse, _DIGAMMA_TAIL))
    return where(less(x, 4.0), middle, log(x) - rest)


def _digamma(x: Any) -> Any:
    """Below 0 by reflection, ψ(x) = ψ(1 - x) - π cot(πx); up to 1 by recurrence, ψ(1 + x) - 1 / x."""
    negative, small = less(x, 0.0), less(x, 1.0)
    above = _digamma_from_1(where(negative, 1.0 - x, where(small, 1.0 + x, x)))
    positive = where(small, above - div(1.0, x), above)
    return where(_pole(x), NAN, where(negative, above - math.pi * cot_pi(x), positive))


def _digamma_slope(x: Any) -> Any:
    """Σ 1 / (x + k)², also below 0, where it is the reflection's derivative.

    Positive numbers do not reach the sine, which is 0 at integers, so detect_anomaly sees no infinity.
    """
    negative = less(x, 0.0)
    above = zeta(2.0, where(negative, 1.0 - x, x))
    sine = _sin_pi(where(negative, x, 0.5))
    return where(negative, div(math.pi * math.pi, _square(sine)) - above, above)


def _zeta(x: Any, q: Any) -> Any:
    """The sum of (q + k)^-x: its first 8 terms, then the Euler-Maclaurin formula for the rest.

    The formula suffices where q is larger than x; the terms suffice where x is much larger than q.
    """
    size = abs(q)
    near = less(size, x + 8.0)
    a = where(near, size + 8.0, size)
    inverse = div(1.0, a)
    series: Any = _EULER_MACLAURIN[-1]
    for k in range(len(_EULER_MACLAURIN) - 1, 0, -1):
        ratio = ((x + (2.0 * k - 1.0)) * inverse) * ((x + 2.0 * k) * inverse)
        series = _EULER_MACLAURIN[k - 1] + ratio * series
    rest = div(1.0, x - 1.0) + inverse * (0.5 + x * inverse * series)
    total = where(less(a, x * (1.0 / 30.0)), 0.0, pow(a, 1.0 - x) * rest)
    terms: Any = total
    for k in range(7, -1, -1):
        terms = pow(size + float(k), -x) + terms
    outside = where(less(x, 1.0), 1.0, less(q, 0.0))
    return where(outside, NAN, where(near, terms, total))


def _inverse_mills(x: Any) -> Any:
    """φ(x) / Φ(x), by fits where Φ would lose bits to rounding, and later to underflow."""
    left = where(less(x, -0.91), -div(x, _mills(-x)), div(1.0, _polynomial(x + 0.46, _MILLS_MIDDLE)))
    return where(less(x, 0.0), left, div(normal_pdf(x), normal_cdf(x)))


def _gelu_slope(x: Any) -> Any:
    """Φ(x) + x φ(x). The left tail, where erfc is steep, uses one exponential for both terms."""
    bump = _ONE_OVER_SQRT_TWO_PI * x
    tail = _gaussian(bump - div(_normal_tail(-x), x), x, 0.5)
    return where(less(x, -0.91), tail, 0.5 * erfc(-x * _SQRT_HALF) + _gaussian(bump, x, 0.5))


def _silu_slope(x: Any, out: Any) -> Any:
    """s(x) + x s(x) s(-x), where s is the sigmoid; the left half uses a common denominator."""
    e = exp(x)
    left = _times_exp(div(x + (1.0 + e), 1.0 + e * (2.0 + e)), x)
    right = where(less(800.0, x), 1.0, sigmoid(x) + out * sigmoid(-x))
    return where(less(x, 0.0), where(less(x, -800.0), 0.0, left), right)


def _hypot_ratio(x: Any, y: Any, out: Any) -> Any:
    """x / hypot(x, y), scaled where hypot overflows or loses bits; 0 at the origin."""
    format = _format(x, y)
    up, down = 2.0**format.scaling, 2.0**-format.scaling
    scale = where(less(out, format.small), up, where(less(format.large, out), down, 1.0))
    ratio = div(x * scale, hypot(x * scale, y * scale))
    limit = where(equal(abs(x), INF), where(less(x, 0.0), -1.0, 1.0), 0.0)
    one_infinite = _both(equal(out, INF), less(0.0, abs(equal(abs(x), INF) - equal(abs(y), INF))))
    return where(equal(out, 0.0), 0.0, where(one_infinite, limit, ratio))


def _angle_slope(x: Any, y: Any, out: Any) -> Any:
    """x / (x² + y²), scaled so that no square overflows or underflows.

    0 at the origin by convention, and at infinity as the limit.
    """
    size = where(less(abs(x), abs(y)), abs(y), abs(x))
    format = _format(x, y)
    up, down = 2.0**format.scaling, 2.0**-format.scaling
    far = where(less(format.root_of_large, size), down, 1.0)
    scale = where(less(size, format.root_of_small), up, far)
    u, v = x * scale, y * scale
    slope = div(u, u * u + v * v) * scale
    return where(_both(less(0.0, size), less(size, INF)), slope, 0.0 * out)


def _times_exp(factor: Any, x: Any) -> Any:
    """factor · exp(x), correct even where exp(x) underflows and the factor is large."""
    half = exp(0.5 * x)
    return where(less(x, -_format(x).deep), factor * half * half, factor * exp(x))


def _pow_dx(x: Any, y: Any, out: Any) -> Any:
    """y x^(y-1): 0 at y = 0 even for x = 0; rescaled where the power alone overflows or underflows.

    At y = 0 and x > 0 the formula is kept, so that its derivative with respect to y is correct too.
    """
    p = pow(x, y - 1.0)
    inside = _both(_both(less(0.0, abs(x)), less(abs(x), INF)), less(abs(y), INF))
    half = pow(abs(x), 0.5 * (y - 1.0))
    small = pow(where(less(x, 0.0), -1.0, 1.0), y - 1.0) * (y * half) * half
    vanishes = _both(equal(abs(y), INF), equal(p, 0.0))
    slope = where(_both(inside, equal(abs(p), INF)), div(y * out, x), where(vanishes, 0.0, y * p))
    underflow = _both(inside, less(abs(p), _format(x, y).small))
    constant = _both(equal(y, 0.0), where(less(0.0, abs(x)), 0.0, 1.0))
    return where(constant, 0.0, where(underflow, small, slope))


def _pow_dy(x: Any, y: Any, out: Any) -> Any:
    """x^y log x as √(x^y) log x √(x^y), which overflows only if the result does.

    0 as the limit at x = 0 for y > 0 and at x = inf for y < 0; 0 at y = 0 by convention.
    """
    half = pow(x, 0.5 * y)
    slope = where(equal(half, 0.0), 0.0, half * log(x) * half)
    vanishes = _both(equal(x, where(less(y, 0.0), INF, 0.0)), equal(y, y))
    return where(less(x, 0.0), NAN, where(vanishes, 0.0, slope))


def _cbrt(x: Any) -> Any:
    """Cube root for x >= 0: an estimate with a third of the bits, whose cube is exact, plus a series."""
    format = _format(x)
    tiny = less(x, format.root_of_small)
    scaled = where(tiny, x * 2.0**format.scaling, x)
    guess = _leading(pow(scaled, 1.0 / 3.0), 3)
    cube = guess * guess * guess
    d = div(scaled - cube, cube)
    root = guess + guess * (d * (1.0 / 3.0 - d * (1.0 / 9.0 - d * (5.0 / 81.0))))
    return where(
        _both(less(0.0, x), less(x, INF)), where(tiny, root * 2.0 ** -(format.scaling // 3), root), x
    )


_LN2 = 0.6931471805599453
_LN10 = 2.302585092994046
_RADIANS = 0.017453292519943295  # in a degree
_DEGREES = 57.29577951308232  # in a radian
_SQRT_HALF = 0.7071067811865476
_TWO_OVER_SQRT_PI = 1.1283791670955126
_ONE_OVER_SQRT_TWO_PI = 0.3989422804014327
_SQRT_TWO_PI = 2.5066282746310002
_LOG_SQRT_TWO_PI = 0.9189385332046728
_HALF_LOG_TWO_PI_OVER_E = 0.4189385332046727

# Rows are easier to read on few lines.
# fmt: off

# --- arithmetic ----------------------------------------------------------------------------------

add = Op("add", 2, lambda x, y: x + y, (lambda x, y, out: 1.0, lambda x, y, out: 1.0), "+", "x + y")
sub = Op("sub", 2, lambda x, y: x - y, (lambda x, y, out: 1.0, lambda x, y, out: -1.0), "-", "x - y")
mul = Op("mul", 2, lambda x, y: x * y, (lambda x, y, out: y, lambda x, y, out: x), "*", "x * y")
div: Op = Op(
    "div",
    2,
    ieee.div,
    # not -x / y², which is -0 at 1e200 / 1e200
    (lambda x, y, out: div(1.0, y), lambda x, y, out: -_over_square(x, y)),
    "/",
    "x / y; a zero divisor gives inf or NaN",
)
pow = Op("pow", 2, ieee.pow, (_pow_dx, _pow_dy), "**", "x to the power y over the reals")
neg = Op("neg", 1, lambda x: -x, (lambda x, out: -1.0,), "neg", "-x")
pos = Op("pos", 1, lambda x: +x, (lambda x, out: 1.0,), "pos", "x itself, as a separate node")
stop_gradient = Op("stop_gradient", 1, lambda x: +x, (None,), doc="x itself, as a constant: no gradient")
with_partial = Op("with_partial", 3, lambda y, x, partial: +y,
    (lambda y, x, partial, out: 1.0, lambda y, x, partial, out: partial, None),
    doc="y itself, but its derivative with respect to x is larger by `partial`")
abs = Op("abs", 1, lambda x: x if x > 0.0 else 0.0 - x,
    (lambda x, out: where(less(x, 0.0), -1.0, where(less(0.0, x), 1.0, 0.0 * x)),),
    doc="the absolute value; the derivative at 0 is 0", kink=lambda x: x)

# --- choices -------------------------------------------------------------------------------------

less: Op = Op("less", 2, lambda x, y: 1.0 if x < y else 0.0, (None, None), "<", "1 if x < y, else 0")
less_equal = Op("less_equal", 2, lambda x, y: 1.0 if x <= y else 0.0, (None, None), "<=",
    "1 if x <= y, else 0")
equal = Op("equal", 2, lambda x, y: 1.0 if x == y else 0.0, (None, None), "==", "1 if x == y, else 0")
where: Op = Op("where", 3, lambda condition, x, y: x if condition != 0.0 else y,
    (None, lambda condition, x, y, out: where(condition, 1.0, 0.0),
    lambda condition, x, y, out: where(condition, 0.0, 1.0)),
    doc="x where the condition is not 0, else y; the branch not taken gets no gradient at all",
    selects=True)
maximum = Op("maximum", 2,
    lambda x, y: where(less(y, x), x, where(less(x, y), y, where(equal(x, y), x, x + y))),
    (lambda x, y, out: where(less(x, y), 0.0, where(less(y, x), 1.0, where(equal(x, y), 0.5, NAN))),
    lambda x, y, out: where(less(y, x), 0.0, where(less(x, y), 1.0, where(equal(x, y), 0.5, NAN)))),
    doc="the larger of two numbers; on a tie each gets half of the gradient",
    kink=lambda x, y: x - y)
minimum = Op("minimum", 2,
    lambda x, y: where(less(x, y), x, where(less(y, x), y, where(equal(x, y), x, x + y))),
    (lambda x, y, out: where(less(y, x), 0.0, where(less(x, y), 1.0, where(equal(x, y), 0.5, NAN))),
    lambda x, y, out: where(less(x, y), 0.0, where(less(y, x), 1.0, where(equal(x, y), 0.5, NAN)))),
    doc="the smaller of two numbers; on a tie each gets half of the gradient",
    kink=lambda x, y: x - y)

# --- rounding and remainders ---------------------------------------------------------------------

sign = Op("sign", 1,
    lambda x: where(less(x, 0.0), -1.0, where(less(0.0, x), 1.0, where(equal(x, 0.0), 0.0, x))),
    (lambda x, out: 0.0,), doc="-1, 0 or 1; the derivative is 0", kink=lambda x: x)
floor = Op("floor", 1, ieee.floor, (lambda x, out: 0.0,),
    doc="the largest integer up to x; the derivative is 0", kink=lambda x: _to_multiple(x, 1.0))
ceil = Op("ceil", 1, lambda x: -floor(-x), (lambda x, out: 0.0,),
    doc="the smallest integer from x on; the derivative is 0", kink=lambda x: _to_multiple(x, 1.0))
trunc = Op("trunc", 1, lambda x: where(less(x, 0.0), -floor(-x), floor(x)), (lambda x, out: 0.0,),
    doc="x without its fraction; the derivative is 0",
    kink=lambda x: where(less(abs(x), 0.5), 1.0, _to_multiple(x, 1.0)))
round = Op("round", 1, _rounded, (lambda x, out: 0.0,),
    doc="the nearest integer, the even one if two are equally near; the derivative is 0",
    aliases=("rint",), kink=lambda x: _to_multiple(x + 0.5, 1.0))
fmod = Op("fmod", 2, ieee.fmod,
    (lambda x, y, out: 1.0, lambda x, y, out: -sign(x) * sign(y) * floor_divide(abs(x), abs(y))),
    doc="the remainder of x / y with the sign of x, as in C",
    kink=lambda x, y: where(less(abs(x), 0.5 * abs(y)), 1.0, _to_multiple(x, y)))
remainder = Op("remainder", 2, _remainder,
    (lambda x, y, out: 1.0, lambda x, y, out: -floor_divide(x, y)), "%",
    "the remainder of x / y with the sign of y, as in Python", aliases=("mod",), kink=_to_multiple)
floor_divide: Op = Op("floor_divide", 2, _floor_divide,
    (lambda x, y, out: 0.0, lambda x, y, out: 0.0), "//",
    "the largest integer up to x / y; the derivatives are 0", kink=_to_multiple)

# --- exponentials and logarithms -----------------------------------------------------------------

exp = Op("exp", 1, ieee.exp, (lambda x, out: out,), doc="e to the power x")
exp2 = Op("exp2", 1, lambda x: pow(2.0, x), (lambda x, out: out * _LN2,), doc="2 to the power x")
expm1 = Op("expm1", 1, ieee.expm1, (lambda x, out: exp(x),), doc="exp(x) - 1, accurate near 0")
log = Op("log", 1, ieee.log, (lambda x, out: where(less(x, 0.0), NAN, div(1.0, x)),),
    doc="the natural logarithm", domain=(0.0, INF))
log1p = Op("log1p", 1, ieee.log1p, (lambda x, out: where(less(x, -1.0), NAN, div(1.0, 1.0 + x)),),
    doc="log(1 + x), accurate near 0", domain=(-1.0, INF))
log2 = Op("log2", 1, ieee.log2, (lambda x, out: where(less(x, 0.0), NAN, div(1.0 / _LN2, x)),),
    doc="the logarithm to base 2", domain=(0.0, INF))
log10 = Op("log10", 1, ieee.log10, (lambda x, out: where(less(x, 0.0), NAN, div(1.0 / _LN10, x)),),
    doc="the logarithm to base 10", domain=(0.0, INF))
logaddexp = Op(
    "logaddexp",
    2,
    lambda x, y: where(
        equal(x, y),  # even if both are infinite
        x + _LN2,
        where(less(x, y), y + log1p(exp(x - y)), x + log1p(exp(y - x))),
    ),
    (lambda x, y, out: _softmax_of_two(x, y), lambda x, y, out: _softmax_of_two(y, x)),
    doc="log(exp(x) + exp(y)) without overflow",
)
xlogy = Op("xlogy", 2, lambda x, y: _unless_0(x, y, x * log(y)),
    (lambda x, y, out: _unless_vague(x, y, log(y)),
    lambda x, y, out: _unless_vague(x, y, where(less(y, 0.0), NAN, div(x, y)))),
    doc="x * log(y), and 0 where x is 0; for y up to 0 the derivatives are then 0 too",
    kink=lambda x, y: where(less_equal(y, 0.0), x, 1.0))
xlog1py = Op("xlog1py", 2, lambda x, y: _unless_0(x, y, x * log1p(y)),
    (lambda x, y, out: _unless_vague(x, 1.0 + y, log1p(y)),
    lambda x, y, out: _unless_vague(x, 1.0 + y, where(less(y, -1.0), NAN, div(x, 1.0 + y)))),
    doc="x * log(1 + y), and 0 where x is 0; for y up to -1 the derivatives are then 0 too",
    kink=lambda x, y: where(less_equal(y, -1.0), x, 1.0))
sqrt = Op("sqrt", 1, ieee.sqrt, (lambda x, out: div(0.5, out),),
    doc="the square root; the derivative at 0 is inf", domain=(0.0, INF))
cbrt = Op(
    "cbrt",
    1,
    # the C library's cbrt is up to 3.7 ulp off, and the derivative would double the error
    lambda x: where(less(x, 0.0), -1.0, 1.0) * _cbrt(where(less(x, 0.0), -x, x)),
    (lambda x, out: div(1.0, 3.0 * out * out),),
    doc="the cube root; the derivative at 0 is inf",
)

# --- trigonometric and hyperbolic functions ------------------------------------------------------

deg2rad = Op("deg2rad", 1, lambda x: x * _RADIANS, (lambda x, out: _RADIANS,),
    doc="degrees as radians", aliases=("radians",))
rad2deg = Op("rad2deg", 1, lambda x: x * _DEGREES, (lambda x, out: _DEGREES,),
    doc="radians as degrees", aliases=("degrees",))
sin = Op("sin", 1, ieee.sin, (lambda x, out: cos(x),), doc="the sine of x radians")
cos: Op = Op("cos", 1, ieee.cos, (lambda x, out: -sin(x),), doc="the cosine of x radians")
tan = Op("tan", 1, ieee.tan, (lambda x, out: 1.0 + out * out,), doc="the tangent of x radians")
asin = Op("asin", 1, ieee.asin, (lambda x, out: div(1.0, sqrt((1.0 - x) * (1.0 + x))),),
    doc="the angle in radians whose sine is x", aliases=("arcsin",), domain=(-1.0, 1.0))
acos = Op("acos", 1, ieee.acos, (lambda x, out: -div(1.0, sqrt((1.0 - x) * (1.0 + x))),),
    doc="the angle in radians whose cosine is x", aliases=("arccos",), domain=(-1.0, 1.0))
atan = Op(
    "atan",
    1,
    ieee.atan,
    # from 1e8 on, 1 + x² rounds to x², which may overflow where 1 / x² is still representable
    (lambda x, out: where(less(1e16, x * x), div(div(1.0, x), x), div(1.0, 1.0 + x * x)),),
    doc="the angle in radians whose tangent is x",
    aliases=("arctan",),
)
sinh = Op("sinh", 1, ieee.sinh, (lambda x, out: cosh(x),), doc="the hyperbolic sine")
cosh: Op = Op("cosh", 1, ieee.cosh, (lambda x, out: sinh(x),), doc="the hyperbolic cosine")
tanh = Op(
    "tanh",
    1,
    ieee.tanh,
    # not 1 - out², which is 0 from x = 19.07 on, where the exact value is 1e-16
    (lambda x, out: 4.0 * _bell(2.0 * x),),
    doc="the hyperbolic tangent",
)
asinh = Op("asinh", 1, ieee.asinh, (lambda x, out: div(1.0, hypot(1.0, x)),),
    doc="the inverse hyperbolic sine", aliases=("arcsinh",))
acosh = Op("acosh", 1, ieee.acosh, (lambda x, out: div(1.0, sqrt(x - 1.0) * sqrt(x + 1.0)),),
    doc="the inverse hyperbolic cosine", aliases=("arccosh",), domain=(1.0, INF))
atanh = Op("atanh", 1, ieee.atanh,
    (lambda x, out: where(less(1.0, x * x), NAN, div(1.0, (1.0 - x) * (1.0 + x))),),
    doc="the inverse hyperbolic tangent", aliases=("arctanh",), domain=(-1.0, 1.0))
hypot: Op = Op("hypot", 2, lambda x, y: _hypot(abs(x), abs(y)),
    (_hypot_ratio, lambda x, y, out: _hypot_ratio(y, x, out)),
    doc="√(x² + y²) without overflow; the derivatives at the origin are 0",
    kink=lambda x, y: hypot(x, y))
atan2 = Op("atan2", 2, ieee.atan2,
    (lambda y, x, out: _angle_slope(x, y, out), lambda y, x, out: -_angle_slope(y, x, out)),
    doc="the angle of the point (x, y), called as atan2(y, x); the derivatives at the origin are 0",
    aliases=("arctan2",), kink=lambda y, x: hypot(x, y))


def _hypot(x: Any, y: Any) -> Any:
    """hypot of two magnitudes: the larger times √(1 + ratio²)."""
    big, small = where(less(x, y), y, x), where(less(x, y), x, y)
    ratio = div(small, big)
    scaled = big * sqrt(1.0 + ratio * ratio)
    infinite = where(equal(x, INF), 1.0, equal(y, INF))
    return where(infinite, INF, where(equal(big, 0.0), x + y, scaled))


# --- the error function and activations ----------------------------------------------------------

erf = Op("erf", 1, ieee.erf, (lambda x, out: _gaussian(_TWO_OVER_SQRT_PI, x, 1.0),),
    doc="the error function")
erfc = Op(
    "erfc",
    1,
    # the C library's erfc is up to 5 ulp off in the tail
    lambda x: where(less(x, 0.64), 1.0 - erf(x), where(less(28.0, x), 0.0, erfc_tail(x))),
    (lambda x, out: _gaussian(-_TWO_OVER_SQRT_PI, x, 1.0),),
    doc="1 - erf(x), accurate in the tail",
)
lgamma = Op("lgamma", 1, _lgamma, (lambda x, out: digamma(x),),
    doc="the logarithm of |Γ(x)|; inf at 0, -1, -2, ...")
digamma: Op = Op("digamma", 1, _digamma, (lambda x, out: _digamma_slope(x),),
    doc="the derivative of lgamma; NaN at -1, -2, ..., and at 0 infinite")
zeta: Op = Op(
    "zeta",
    2,
    _zeta,
    (None, lambda x, q, out: where(less(x, 1.0), NAN, -x * zeta(x + 1.0, q))),
    doc="Hurwitz's zeta function, the sum of 1 / (q + k)**x over k = 0, 1, 2, ..., for x > 1 and q > 0",
    domain=(1.0, INF),
)
normal_pdf = Op("normal_pdf", 1, lambda x: _gaussian(_ONE_OVER_SQRT_TWO_PI, x, 0.5),
    (lambda x, out: _gaussian(-_ONE_OVER_SQRT_TWO_PI * x, x, 0.5),),
    doc="the density of the standard normal distribution")
normal_cdf = Op(
    "normal_cdf",
    1,
    lambda x: where(
        less(x, -0.91),
        where(less(x, -40.0), 0.0, _left_tail(-x)),
        0.5 * (1.0 + erf(x * _SQRT_HALF)),
    ),
    (lambda x, out: _gaussian(_ONE_OVER_SQRT_TWO_PI, x, 0.5),),
    doc="the distribution function of the standard normal distribution, accurate in the left tail",
)
log_normal_cdf = Op(
    "log_normal_cdf",
    1,
    _log_normal_cdf,
    (lambda x, out: _inverse_mills(x),),
    doc="log(normal_cdf(x)) without underflow",
)
sigmoid = Op(
    "sigmoid",
    1,
    lambda x: where(less(x, 0.0), div(exp(x), 1.0 + exp(x)), div(1.0, 1.0 + exp(-x))),
    # not out (1 - out), which is 0 at x = 40, where the exact value is 4e-18
    (lambda x, out: _bell(x),),
    doc="1 / (1 + exp(-x)) without overflow",
    aliases=("expit",),
)
logit = Op(
    "logit",
    1,
    lambda x: where(
        _both(less(0.25, x), less(x, 0.75)),
        log1p(div(2.0 * (x - 0.5), 1.0 - x)),  # the numerator is exact, so bits are kept near ½
        log(div(x, 1.0 - x)),
    ),
    (lambda x, out: where(less(x * (1.0 - x), 0.0), NAN, div(1.0, x) + div(1.0, 1.0 - x)),),
    doc="log(x / (1 - x)), the inverse of sigmoid",
    domain=(0.0, 1.0),
)
softplus = Op("softplus", 1, lambda x: where(less(0.0, x), x + log1p(exp(-x)), log1p(exp(x))),
    (lambda x, out: sigmoid(x),), doc="log(1 + exp(x)) without overflow")
log_sigmoid = Op("log_sigmoid", 1, lambda x: -softplus(-x), (lambda x, out: sigmoid(-x),),
    doc="log(sigmoid(x)) without overflow")
relu = Op("relu", 1, lambda x: where(less(x, 0.0), 0.0, x),
    (lambda x, out: where(less_equal(x, 0.0), 0.0, 1.0),),
    doc="x if positive, else 0; the derivative at 0 is 0", kink=lambda x: x)
leaky_relu = Op("leaky_relu", 2, lambda x, negative_slope: where(less(0.0, x), x, negative_slope * x),
    (lambda x, negative_slope, out: where(less(0.0, x), 1.0, negative_slope),
    lambda x, negative_slope, out: where(less(0.0, x), 0.0, x)),
    doc="x if positive, else negative_slope * x; the derivative at 0 is negative_slope",
    defaults=(0.01,), kink=lambda x, negative_slope: x)
elu = Op("elu", 2, lambda x, alpha: where(less(0.0, x), x, alpha * expm1(x)),
    (lambda x, alpha, out: where(less(0.0, x), 1.0, _times_exp(alpha, x)),
    lambda x, alpha, out: where(less(0.0, x), 0.0, expm1(x))),
    doc="x if positive, else alpha * (exp(x) - 1)", defaults=(1.0,),
    kink=lambda x, alpha: x)
silu = Op(
    "silu",
    1,
    lambda x: where(
        less(x, -_format(x).deep),  # where the sigmoid is subnormal and loses bits
        where(less(x, -800.0), -0.0, _times_exp(x, x)),
        x * sigmoid(x),
    ),
    (_silu_slope,),
    doc="x * sigmoid(x)",
)
gelu = Op(
    "gelu",
    1,
    lambda x: where(
        less(x, -0.91),
        where(less(x, -40.0), -0.0, _gaussian(-_normal_tail(-x), x, 0.5)),
        0.5 * x * (1.0 + erf(x * _SQRT_HALF)),
    ),
    (lambda x, out: _gelu_slope(x),),
    doc="x times the standard normal distribution function of x",
)
# fmt: on


# --- operations on any number of values ----------------------------------------------------------

sum = _variadic(
    "sum",
    (Fold(0.0, lambda total, x: total + x),),
    lambda x, out, n, total: 1.0,
    doc="the sum, added from left to right",
)
mean = _variadic(
    "mean",
    (Fold(0.0, lambda total, x: total + x),),
    lambda x, out, n, total: div(1.0, n),
    finish=lambda n, total: div(total, n),
    least=1,
    doc="the arithmetic mean",
)
prod = _variadic(
    "prod",
    (Fold(1.0, lambda total, x: total * x),),
    leave_one_out=True,  # not out / x, which fails at 0
    doc="the product, multiplied from left to right",
)
dot = _variadic(
    "dot",
    (Fold(0.0, lambda total, x, y: total + x * y),),
    lambda x, y, out, n, total: y,
    lambda x, y, out, n, total: x,
    width=2,
    doc="x1 * y1 + x2 * y2 + ..., added from left to right",
)


def _exp_below(x: Any, largest: Any) -> Any:
    """exp(x - largest), also where both are infinite; the largest is a constant."""
    return exp(where(equal(abs(x), INF), 0.0, x - stop_gradient(largest)))


logsumexp = _variadic(
    "logsumexp",
    (
        Fold(-INF, lambda largest, x: maximum(largest, x)),
        # 1 for each of the largest terms, as an exponential, so that its derivatives are right too
        Fold(0.0, lambda ties, x, largest: ties + where(equal(x, largest), _exp_below(x, largest), 0.0)),
        # leave out the largest terms, so that log1p keeps the precision of the small ones
        Fold(
            0.0,
            lambda rest, x, largest, ties: (
                rest + where(equal(x, largest), 0.0, exp(x - stop_gradient(largest)))
            ),
        ),
    ),
    lambda x, out, n, largest, ties, rest: where(
        equal(abs(largest), INF),
        where(less(largest, 0.0), 0.0, div(equal(x, largest), ties)),
        div(exp(x - stop_gradient(largest)), ties + rest),
    ),
    finish=lambda n, largest, ties, rest: where(
        equal(abs(largest), INF), largest, largest + (log(ties) + log1p(div(rest, ties)))
    ),
    least=1,
    doc="log(exp(x1) + exp(x2) + ...) without overflow; its gradient is the softmax",
)


def _norm_scale(largest: Any) -> Any:
    """A power of 2 by which numbers can be multiplied so that no square overflows or vanishes."""
    format = _format(largest)
    far = where(less(format.root_of_large, largest), 2.0**-format.scaling, 1.0)
    return where(less(largest, format.root_of_small), 2.0**format.scaling, far)


def _norm_slope(x: Any, largest: Any, infinite: Any, total: Any) -> Any:
    """x / norm; 0 at the origin. If one number is infinite, its slope is ±1 and the others' are 0."""
    ratio = div(x * _norm_scale(largest), sqrt(total))
    limit = where(equal(infinite, 1.0), sign(x), NAN)
    return where(equal(total, 0.0), 0.0, where(equal(abs(x), INF), limit, ratio))


norm: Variadic = _variadic(
    "norm",
    (
        Fold(0.0, lambda largest, x: maximum(largest, abs(x))),
        Fold(0.0, lambda infinite, x, largest: infinite + equal(abs(x), INF)),
        Fold(0.0, lambda total, x, largest, infinite: total + _square(x * _norm_scale(largest))),
    ),
    lambda x, out, n, largest, infinite, total: _norm_slope(x, largest, infinite, total),
    finish=lambda n, largest, infinite, total: div(sqrt(total), _norm_scale(largest)),
    doc="√(x1² + x2² + ...) without overflow; the derivatives at the origin are 0",
    kink=lambda *xs: norm(*xs),
)


def _lead(xs: Sequence[float]) -> float:
    """How far the largest number is above the next one."""
    largest, *rest = sorted(xs, reverse=True)
    return largest - rest[0] if rest else INF


max = _variadic(
    "max",
    (
        Fold(-INF, lambda largest, x: maximum(largest, x)),
        Fold(0.0, lambda ties, x, largest: ties + equal(x, largest)),
    ),
    lambda x, out, n, largest, ties: div(equal(x, largest), ties),
    finish=lambda n, largest, ties: largest,
    least=1,
    doc="the largest number; ties share the gradient equally",
    kink=lambda *xs: _lead(xs),
)
min = _variadic(
    "min",
    (
        Fold(INF, lambda smallest, x: minimum(smallest, x)),
        Fold(0.0, lambda ties, x, smallest: ties + equal(x, smallest)),
    ),
    lambda x, out, n, smallest, ties: div(equal(x, smallest), ties),
    finish=lambda n, smallest, ties: smallest,
    least=1,
    doc="the smallest number; ties share the gradient equally",
    kink=lambda *xs: _lead([-x for x in xs]),
)

TABLE: tuple[Op, ...] = tuple(row for row in globals().values() if isinstance(row, Op))
BY_NAME: dict[str, Op] = {row.name: row for row in TABLE}


@functools.cache
def take(count: int) -> Op:
    """The operation that picks one of `count` numbers; its arguments are the index and the numbers.

    It is not a row of the table, because its number of arguments varies.
    """

    def forward(index: Any, *numbers: Any) -> Any:
        picked: Any = NAN
        for k in reversed(range(count)):
            picked = where(equal(index, float(k)), numbers[k], picked)
        return picked

    def partial(k: int) -> Formula:
        return lambda index, *rest: equal(index, float(k))

    partials = (None, *map(partial, range(count)))
    return Op("take", count + 1, forward, partials, doc="one of several numbers", selects=True)


def is_known(op: Op) -> bool:
    """Whether this is a row of the table, or `take`, which is composed of rows."""
    return BY_NAME.get(op.name) is op or (op.name == "take" and take(op.arity - 1) is op)


def row_named(name: str) -> Op:
    """The row of the table with this name."""
    return BY_NAME[name]
