"""Checks one operation against the truth, through Values: its value and every partial.

The suite runs these checks on the rows of the table, and on rows with planted faults, to see
that they are caught.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

from mpmath import mpf

from chainrule import Value
from chainrule.ops import Op

from .. import truth

LIMIT = 4.0  # ulps


def evaluate(op: Op, args: tuple[float, ...]) -> tuple[float, list[float]]:
    """The value of an operation and its partials, as a user gets them."""
    leaves = [Value(x) for x in args]
    out = op(*leaves)
    out.backward()
    return out.data, [leaf.grad for leaf in leaves]


def parts(op: Op) -> list[int]:
    """The arguments with a partial derivative."""
    return [i for i, partial in enumerate(op.partials) if partial is not None]


def points(
    op: Op, count: int, seed: int = 0, kind: truth.Kind = truth.DOUBLE
) -> Iterator[tuple[float, ...]]:
    rng = random.Random(f"{op.name} {seed}")
    for _ in range(count):
        yield truth.point(op.name, op.arity, op.domain, rng, kind)


def errors(op: Op, args: tuple[float, ...]) -> dict[str, float]:
    """How far a Value and its partials are from the truth, in ulps (scaled where it says so)."""
    return distances(op, args, *evaluate(op, args))


def distances(
    op: Op,
    args: tuple[float, ...],
    value: float,
    partials: list[float],
    kind: truth.Kind = truth.DOUBLE,
    flushed: float = 0.0,
) -> dict[str, float]:
    """How far these results are from the truth; what lies below `flushed` may be any number there."""
    exact = tuple(map(mpf, args))
    true_value, true_partials = truth.TRUTH[op.name]
    result = {}
    found: list[tuple[str, int | None, float, Any]] = [("value", None, value, true_value)]
    for i, true in zip(parts(op), true_partials, strict=True):
        found.append((f"partial {i}", i, partials[i], true))
    for what, part, number, true in found:
        expected = true(*exact)
        if abs(expected) >= flushed or not abs(number) <= flushed:
            scale = float(truth.scale(op.name, part, exact, expected))
            result[what] = truth.ulps(number, expected, kind) / scale
    return result


def inaccuracies(op: Op, count: int, seed: int = 0) -> list[str]:
    """The points at which an operation misses the truth by more than the limit."""
    found = []
    for args in points(op, count, seed):
        for what, ulps in errors(op, args).items():
            if not ulps <= LIMIT:
                found.append(f"{op.name}{args}: {what} is {ulps:.3g} ulp off")
    return found


def same(a: float, b: float) -> bool:
    """The same number up to 4 ulp, the same sign of zero, the same infinity, or both NaN."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if a == b:
        return math.copysign(1.0, a) == math.copysign(1.0, b)
    return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= LIMIT * math.ulp(b)


def breaks_kink(op: Op) -> list[str]:
    """The stated convention at the kink, if there is one."""
    if op.kink is None:
        return []
    args = (0.0, *op.defaults) if op.defaults or op.arity == 1 else (0.0,) * op.arity
    assert op.kink.at(*args) == 0.0
    partials = evaluate(op, tuple(args))[1]
    stated: list[Any] = list(op.kink.partials)
    if all(map(same, partials, stated)):
        return []
    return [f"{op.name} at its kink: partials {partials}, stated {stated}"]
