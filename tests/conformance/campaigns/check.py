"""Checks the value and the partial derivatives of one operation, computed with Values.

The suite runs these checks on the table's operations, and on operations with injected faults, to
verify that the faults are caught.
"""

import math
import random
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from mpmath import mpf

from chainrule import Value
from chainrule.ops import BY_NAME, Op

from .. import truth

LIMIT = 4.0  # ulps


def evaluate(op: Op, args: tuple[float, ...]) -> tuple[float, list[float]]:
    """The value of an operation and its partials, as a user gets them."""
    leaves = [Value(x) for x in args]
    out = op(*leaves)
    out.backward()
    return out.data, [leaf.grad for leaf in leaves]


def parts(op: Op) -> list[int]:
    """The indices of the arguments that have a partial derivative."""
    return [i for i, partial in enumerate(op.partials) if partial is not None]


def points(
    op: Op, count: int, seed: int = 0, kind: truth.Kind = truth.DOUBLE
) -> Iterator[tuple[float, ...]]:
    rng = random.Random(f"{op.name} {seed}")
    for _ in range(count):
        yield truth.point(op.name, op.arity, op.domain, rng, kind)


class Truth(NamedTuple):
    """A true value or partial, and its allowed error as a multiple of 4 ulp."""

    what: str
    part: int | None  # None means the value itself
    expected: Any
    scale: float


Known = tuple[tuple[float, ...], list[Truth]]  # arguments, and the true results for them


def truths(op: Op, args: tuple[float, ...]) -> list[Truth]:
    """The true results at a point: the value, then every partial."""
    exact = tuple(map(mpf, args))
    found = []
    value, partials = truth.TRUTH[op.name]
    for part, formula in zip([None, *parts(op)], [value, *partials], strict=True):
        expected = formula(*exact)
        scale = float(truth.scale(op.name, part, exact, expected))
        found.append(Truth("value" if part is None else f"partial {part}", part, expected, scale))
    return found


def known(op: Op, count: int, seed: int = 0, kind: truth.Kind = truth.DOUBLE) -> list[Known]:
    """Random points and the true results; faulty operations are compared with the same results."""
    return _known(op.name, count, seed, kind)


@lru_cache(maxsize=64)  # faults and instruction sets reuse the points of an operation
def _known(name: str, count: int, seed: int, kind: truth.Kind) -> list[Known]:
    op = BY_NAME[name]
    return [(args, truths(op, args)) for args in points(op, count, seed, kind)]


def distances(
    true: list[Truth],
    value: float,
    partials: list[float],
    kind: truth.Kind = truth.DOUBLE,
    flushed: float = 0.0,
) -> dict[str, float]:
    """The errors of these results, in ulps; numbers below `flushed` count as equal."""
    result = {}
    for what, part, expected, scale in true:
        number = value if part is None else partials[part]
        if abs(expected) >= flushed or not abs(number) <= flushed:
            result[what] = truth.ulps(number, expected, kind) / scale
    return result


def inaccuracies(op: Op, count: int, seed: int = 0) -> list[str]:
    """Report the points at which an operation is off by more than the limit."""
    found = []
    for args, true in known(op, count, seed):
        for what, ulps in distances(true, *evaluate(op, args)).items():
            if not ulps <= LIMIT:
                found.append(f"{op.name}{args}: {what} is {ulps:.3g} ulp off")
    return found


def same(a: float, b: float) -> bool:
    """Equal up to 4 ulp, with the same sign of zero and the same infinity, or both NaN."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if a == b:
        return math.copysign(1.0, a) == math.copysign(1.0, b)
    return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= LIMIT * math.ulp(b)
