"""The special grid: every operation at zeros, subnormals, the largest numbers, infinities and NaN.

`special_values.txt` is the committed table, written by `python -m
tests.conformance.campaigns.special`. A row is explained if 60-digit arithmetic gives the same result,
or if a NaN argument gives a NaN result. Every other row must carry a reason and have the value that
REASONS gives for it.
"""

import ctypes
import itertools
import math
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from mpmath import mp, mpf

from chainrule import ops
from chainrule.ops import Op

from .. import truth
from . import check

TABLE = Path(__file__).with_name("special_values.txt")
SIZES = (0.0, 5e-324, 2.2250738585072014e-308, 0.5, 1.0, 2.0, 3.0, 1.7976931348623157e308, math.inf)
GRID = (*(sign * x for x in SIZES for sign in (1.0, -1.0)), math.nan)
CONDITIONS = (0.0, -0.0, 1.0, math.nan)

Args = tuple[float, ...]


def grid(op: Op) -> Iterator[Args]:
    if op.name == "where":
        return itertools.product(CONDITIONS, GRID, GRID)
    if op.name == "with_partial":  # its second argument changes nothing
        return itertools.product(GRID, (2.0,), GRID)
    return itertools.product(GRID, repeat=op.arity)


def explained(op: Op, part: int | None, args: Args, result: float) -> bool:
    """Whether exact arithmetic, or a limit that does not depend on the path, gives this result."""
    if op.name in ("less", "less_equal", "equal"):
        return result == op.forward(*args)
    if op.name == "where":
        return check.same(result, chosen(args, part))
    if any(map(math.isnan, args)):
        return math.isnan(result) or ignores_nan(op, part, args, result)
    low, high = op.domain
    if not low <= args[0] <= high:
        return math.isnan(result)
    if part is not None and op.kink is not None and op.kink(*args) == 0.0:
        return False  # a convention: needs a reason
    if not infinite(args):
        expected = exact(op, part, args)
        if expected is not None:
            scale = float(truth.scale(op.name, part, tuple(map(mpf, args)), expected))
            return truth.ulps(result, expected) <= check.LIMIT * scale
    return is_limit(op, part, args, result)


def chosen(args: Args, part: int | None) -> float:
    """The semantics of `where`: NaN is not 0, so it selects the first branch."""
    condition, x, y = args
    if part is None:
        return y if condition == 0.0 else x
    return float((part == 1) == (condition != 0.0))


def exact(op: Op, part: int | None, args: tuple[object, ...]) -> mpf | None:
    """The true result at a point; None if it is not a real number."""
    value, partials = truth.TRUTH[op.name]
    formula = value if part is None else partials[check.parts(op).index(part)]
    try:
        result = formula(*map(mpf, args))
    except (ZeroDivisionError, ValueError, OverflowError):
        return None
    return mpf(result) if isinstance(result, (mpf, int, float)) and mp.isfinite(result) else None


def is_limit(op: Op, part: int | None, args: Args, result: float) -> bool:
    """Whether all paths to the point, at different speeds, lead to this result."""
    nearby = [approach(x, op.domain if i == 0 else (0.0, 0.0)) for i, x in enumerate(args)]
    ends = [exact(op, part, point) for point in itertools.product(*nearby)]
    known = [end for end in ends if end is not None]
    if len(known) < len(ends):
        return False
    rounded = [round_to_float(end) for end in known]
    if max(rounded) == min(rounded) or max(rounded) - min(rounded) < 1e-15:
        return result == rounded[0] or truth.ulps(result, known[0]) <= check.LIMIT
    if len(known) == 2 and abs(known[1]) > abs(known[0]) > 1 and known[0] * known[1] > 0:
        return result == math.copysign(math.inf, known[0])  # the result grows without bound
    return math.isnan(result)  # the limit depends on the path


def approach(x: float, domain: tuple[float, float]) -> list[mpf]:
    """Numbers that approach x: a zero or infinity from the side of its sign, a boundary from inside."""
    sign = math.copysign(1.0, x)
    if math.isinf(x):
        return [sign * mpf(10) ** 700, sign * mpf(10) ** 1500]
    if x == 0.0:
        return [sign * mpf(10) ** -700, sign * mpf(10) ** -1500]
    if x in domain:
        inward = 1 if x == domain[0] else -1
        return [mpf(x) + inward * mpf(10) ** -40, mpf(x) + inward * mpf(10) ** -50]
    return [mpf(x)]


def round_to_float(x: mpf) -> float:
    if abs(x) > truth.MAX:
        return math.inf if x > 0 else -math.inf
    return float(x)


def ignores_nan(op: Op, part: int | None, args: Args, result: float) -> bool:
    """Whether any number in place of NaN would give the same result."""
    trials = itertools.product(*((-2.0, 0.5, 3.0) if math.isnan(x) else (x,) for x in args))
    return all(not any(map(math.isnan, t)) and explained(op, part, t, result) for t in trials)


def infinite(args: Args) -> bool:
    return any(map(math.isinf, args))


def minus_zero(x: float) -> bool:
    return x == 0.0 and math.copysign(1.0, x) < 0


# C's own functions: Annex F of its standard defines their results at zeros and infinities.
_libm = ctypes.CDLL(None)
for _name in ("pow", "atan2", "fmod"):
    getattr(_libm, _name).restype = ctypes.c_double
    getattr(_libm, _name).argtypes = [ctypes.c_double] * 2


def power(part: int | None, x: float, y: float) -> float:
    """x ** y, or one of its partials as its formula rounds, where an argument is zero or infinite."""
    if part is None:
        return _libm.pow(x, y)
    if part == 0:
        return 0.0 if y == 0.0 else y * _libm.pow(x, y - 1.0)
    if x == 0.0:
        return 0.0 if y > 0.0 else -math.inf
    return math.inf if y >= 0.0 else 0.0


def quotient(name: str, part: int | None, x: float, y: float) -> float:
    """fmod, remainder or floor_divide, or one of its partials, from C's fmod and Python's operators."""
    if part == 0 or (part == 1 and name == "floor_divide"):
        return float(name != "floor_divide")
    if name == "fmod":
        rest = _libm.fmod(x, y)
        return (
            rest if part is None else -math.copysign(abs(x) // abs(y), x / y) if rest == rest else rest
        )
    if y == 0.0:
        ratio = x / math.copysign(5e-324, y) * math.inf  # as the division gives it, inf or NaN
        return math.nan if name == "remainder" and part is None else ratio if part is None else -ratio
    return x % y if part is None and name == "remainder" else x // y if part is None else -(x // y)


def product(name: str, part: int | None, x: float, y: float) -> float:
    """xlogy or xlog1py, or one of its partials, from the functions of math."""
    y = 1.0 + y if name == "xlog1py" else y
    if x == 0.0 and (y <= 0.0 or (part is None and y == y)):
        return 0.0
    logarithm = math.log(y) if y > 0.0 else math.nan if y != 0.0 else -math.inf
    if part == 1:
        return (
            math.nan if y < 0.0 else x / y if y else math.copysign(math.inf, x) * math.copysign(1.0, y)
        )
    return logarithm if part == 0 else x * logarithm


PRODUCTS = ("xlogy", "xlog1py")
QUOTIENTS = ("fmod", "remainder", "floor_divide")

Rule = tuple[str, Callable[[Op, int | None, Args], bool], Callable[[int | None, Args], float]]


def named(name: str, text: str, expected: Callable[[str, int | None, float, float], float]) -> Rule:
    """A rule for every result of one operation that needs a reason."""
    return text, lambda op, part, args: op.name == name, lambda part, args: expected(name, part, *args)


# For results that 60-digit arithmetic does not give: the reason, the points, and the expected result.
# The first rule that matches a point applies.
REASONS: list[Rule] = [
    (
        "a negative base has no real logarithm",
        lambda op, part, args: op.name == "pow" and part == 1 and args[0] < 0.0,
        lambda part, args: math.nan,
    ),
    (
        "a negative base with a fractional exponent",
        lambda op, part, args: op.name == "pow" and -math.inf < args[0] < 0.0 and args[1] % 1.0 != 0.0,
        lambda part, args: math.nan,
    ),
    (
        "0 ** 0 is 1 and its derivatives are 0, by convention",
        lambda op, part, args: op.name == "pow" and args[0] == args[1] == 0.0,
        lambda part, args: 1.0 if part is None else 0.0,
    ),
    (
        "the base -0 keeps its sign in odd powers, and counts as 0 in the logarithm",
        lambda op, part, args: op.name == "pow" and minus_zero(args[0]),
        lambda part, args: power(part, *args),
    ),
    (
        "for the base 0 or inf, the power jumps to its limit, however small the exponent",
        lambda op, part, args: (
            op.name == "pow" and args[0] in (0.0, math.inf) and 0 < abs(args[1]) < 1e-300
        ),
        lambda part, args: power(part, *args),
    ),
    (
        "infinite arguments as in C's pow",
        lambda op, part, args: op.name == "pow" and infinite(args),
        lambda part, args: power(part, *args),
    ),
    (
        "a tie, even between infinities: each argument gets half the gradient",
        lambda op, part, args: op.name in ("maximum", "minimum") and args[0] == args[1],
        lambda part, args: args[0] if part is None else 0.5,
    ),
    (
        "-0 counts as 0, but a division by it keeps its sign",
        lambda op, part, args: op.name in ("log", "log2", "log10", "logit") and minus_zero(args[0]),
        lambda part, args: -math.inf,
    ),
    (
        "-0 counts as 0, but a division by it keeps its sign",
        lambda op, part, args: op.name == "sqrt" and minus_zero(args[0]),
        lambda part, args: -0.0 if part is None else -math.inf,
    ),
    (
        "signed zeros and infinities as in C's atan2",
        lambda op, part, args: op.name == "atan2" and part is None,
        lambda part, args: _libm.atan2(*args),
    ),
    (
        "NaN counts as positive, as in PyTorch; the value is NaN anyway",
        lambda op, part, args: op.name == "relu" and math.isnan(args[0]),
        lambda part, args: math.nan if part is None else 1.0,
    ),
    (
        "NaN counts as not positive, as in PyTorch; the value is NaN anyway",
        lambda op, part, args: op.name == "leaky_relu" and math.isnan(args[0]),
        lambda part, args: args[1] if part == 0 else math.nan,
    ),
    (
        "at the kink, the left derivative, as in PyTorch",
        lambda op, part, args: op.name in ("leaky_relu", "elu") and args[0] == 0.0 and part is not None,
        lambda part, args: args[1] if part == 0 else 0.0,
    ),
    (
        "at the kink, 0 by convention",
        lambda op, part, args: op.name in ("abs", "relu") and args[0] == 0.0 and part is not None,
        lambda part, args: 0.0,
    ),
    (
        "at the origin, 0 by convention",
        lambda op, part, args: (
            op.name in ("hypot", "atan2") and args[0] == args[1] == 0.0 and part is not None
        ),
        lambda part, args: 0.0,
    ),
    (
        "constant between jumps: 0, at a jump by convention, and even for NaN",
        lambda op, part, args: (
            op.name in ("sign", "floor", "ceil", "trunc", "round", "floor_divide") and part is not None
        ),
        lambda part, args: 0.0,
    ),
    *(named(name, "as C's fmod or Python's operator", quotient) for name in QUOTIENTS),
    *(
        named(name, "0 where x is 0, else as its factors; NaN for a complex logarithm", product)
        for name in PRODUCTS
    ),
    (
        "equal infinities, as in logsumexp",
        lambda op, part, args: op.name == "logaddexp" and args[0] == args[1],
        lambda part, args: 0.5 if args[0] > 0.0 else 0.0,
    ),
    (
        "a pole with inf on both sides, as in C; the slope changes its sign",
        lambda op, part, args: op.name == "lgamma" and args[0] < 0.0,
        lambda part, args: math.inf if part is None else math.nan,
    ),
    (
        "a pole where the sign changes, as in SciPy; the slope is inf on both sides",
        lambda op, part, args: op.name == "digamma" and args[0] < 0.0,
        lambda part, args: math.nan if part is None or infinite(args) else math.inf,
    ),
    (
        "defined for q > 0 only",
        lambda op, part, args: op.name == "zeta" and args[1] < 0.0,
        lambda part, args: math.nan,
    ),
    (
        "the pole at 1, and the argument -0 counts as 0",
        lambda op, part, args: op.name == "zeta" and (args[0] == 1.0 or minus_zero(args[1])),
        lambda part, args: math.inf if part is None else 0.0 if args[1] == math.inf else -math.inf,
    ),
    (
        "0 times infinity",
        lambda op, part, args: op.name in ("leaky_relu", "elu", "zeta") and infinite(args),
        lambda part, args: math.nan,
    ),
]


def reason(op: Op, part: int | None, args: Args, result: float) -> str:
    """Why a result is right: '' if exact arithmetic gives it, '?' if nothing explains it."""
    if explained(op, part, args, result):
        return ""
    for text, fits, expected in REASONS:
        if fits(op, part, args):
            number = expected(part, args) + (0.0 if part is not None else -0.0)  # gradients start at +0
            return text if check.same(result, number) else "?"
    return "?"


def rows(op: Op) -> Iterator[tuple[Args, list[float], list[str]]]:
    """Yield the arguments, the value and all partials, and a reason or '' for each result."""
    for args in grid(op):
        value, partials = check.evaluate(op, args)
        results = [value, *partials]
        whats: list[int | None] = [None, *range(op.arity)]
        differentiable = check.parts(op)
        yield (
            args,
            results,
            [
                "" if part is not None and part not in differentiable else reason(op, part, args, result)
                for part, result in zip(whats, results, strict=True)
            ],
        )


def elementwise() -> list[Op]:
    return [op for op in ops.TABLE if not isinstance(op, ops.Variadic)]


def lines(op: Op) -> Iterator[str]:
    """An operation's rows as text: name, arguments | value | partials | reasons."""
    for args, (value, *partials), whys in rows(op):
        why = "; ".join(dict.fromkeys(text for text in whys if text))
        fields = [" ".join(map(repr, args)), repr(value), " ".join(map(repr, partials)), why]
        yield f"{op.name} " + " | ".join(fields).rstrip(" |")


@cache
def read() -> dict[str, list[tuple[Args, list[float], str]]]:
    """The committed table: each operation's arguments, results and reasons."""
    table: dict[str, list[tuple[Args, list[float], str]]] = {}
    for line in TABLE.read_text().splitlines():
        if line.startswith("#"):
            continue
        name, rest = line.split(" ", 1)
        args, value, partials, *why = rest.split(" | ")
        numbers = [float(value), *map(float, partials.split())]
        table.setdefault(name, []).append((tuple(map(float, args.split())), numbers, "".join(why)))
    return table


if __name__ == "__main__":
    header = (
        "# operation arguments | value | partials | reason, unless exact arithmetic gives the result"
    )
    TABLE.write_text("\n".join([header, *(line for op in elementwise() for line in lines(op))]) + "\n")
    print(f"wrote {TABLE.name}: {sum(map(len, read().values()))} rows")
