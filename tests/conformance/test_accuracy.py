"""Every operation and partial within 4 ulp of the true result, on the core in use."""

from __future__ import annotations

import math
import random

import pytest
from mpmath import mp, mpf

import chainrule
from chainrule import Value, ops

from ..near import near
from . import truth
from .campaigns import check

ELEMENTARY = [op for op in ops.TABLE if op.name in truth.TRUTH]


def test_every_row_has_a_truth() -> None:
    without = {op.name for op in ops.TABLE} - set(truth.TRUTH)
    comparisons = {"less", "less_equal", "equal"}
    variadic = {op.name for op in ops.TABLE if isinstance(op, ops.Variadic)}
    assert without == comparisons | variadic


@pytest.mark.parametrize("op", ELEMENTARY, ids=lambda op: op.name)
def test_within_4_ulp(op: ops.Op) -> None:
    assert check.inaccuracies(op, 1000) == []


@pytest.mark.parametrize("op", ELEMENTARY, ids=lambda op: op.name)
def test_kink_convention(op: ops.Op) -> None:
    assert check.breaks_kink(op) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [("less", (1.0, 0.0, 0.0)), ("less_equal", (1.0, 1.0, 0.0)), ("equal", (0.0, 1.0, 0.0))],
)
def test_comparisons(name: str, expected: tuple[float, ...]) -> None:
    op = ops.BY_NAME[name]
    for (x, y), value in zip([(1.0, 2.0), (2.0, 2.0), (3.0, 2.0)], expected, strict=True):
        assert check.evaluate(op, (x, y)) == (value, [0.0, 0.0])


def vectors(count: int) -> list[list[float]]:
    rng = random.Random(7)
    sizes = [1, 2, 3, 10, 100]
    spread = [1e-3, 1.0, 30.0, 1e3]
    return [[rng.gauss(0, rng.choice(spread)) for _ in range(rng.choice(sizes))] for _ in range(count)]


def value_and_gradient(op: ops.Op, xs: list[float]) -> tuple[float, list[float]]:
    return check.evaluate(op, tuple(xs))


def close(result: float, expected: object, scale: object, n: int) -> bool:
    """Within the usual bound n · eps · (sum of absolute terms)."""
    return abs(mpf(result) - expected) <= (n + 4) * mpf(2) ** -53 * scale


@pytest.mark.parametrize("xs", vectors(60), ids=len)
def test_sum_mean_dot(xs: list[float]) -> None:
    n, exact = len(xs), [mpf(x) for x in xs]
    scale = sum(map(abs, exact))
    value, gradient = value_and_gradient(ops.sum, xs)
    assert close(value, sum(exact), scale, n)
    assert gradient == [1.0] * n
    value, gradient = value_and_gradient(ops.mean, xs)
    assert close(value, sum(exact) / n, scale / n, n)
    assert gradient == [1.0 / n] * n
    value, gradient = value_and_gradient(ops.dot, xs + xs[::-1])
    products = [x * y for x, y in zip(exact, reversed(exact), strict=True)]
    assert close(value, sum(products), sum(map(abs, products)), n)
    assert gradient == xs[::-1] + xs


@pytest.mark.parametrize("xs", vectors(60), ids=len)
def test_prod(xs: list[float]) -> None:
    n, exact = len(xs), [mpf(x) for x in xs]
    value, gradient = value_and_gradient(ops.prod, xs)
    assert close(value, mp.fprod(exact), abs(mp.fprod(exact)) + truth.TINY * 2**60, n)
    for i in range(n):
        others = mp.fprod(exact[:i] + exact[i + 1 :])
        assert close(gradient[i], others, abs(others) + truth.TINY * 2**60, n)


@pytest.mark.parametrize("xs", vectors(60), ids=len)
def test_logsumexp(xs: list[float]) -> None:
    n, exact = len(xs), [mpf(x) for x in xs]
    value, gradient = value_and_gradient(ops.logsumexp, xs)
    total = sum(mp.exp(x) for x in exact)
    assert close(value, mp.log(total), abs(mp.log(total)) + abs(max(exact)), n)
    for i in range(n):
        weight = mp.exp(exact[i]) / total
        assert close(
            gradient[i], weight, weight * (4 + abs(exact[i] - max(exact))) + truth.TINY * 2**54, n
        )


def test_logsumexp_sees_what_is_small_beside_the_largest() -> None:
    assert chainrule.logsumexp([-40.0, 0.0]) == near(4.248354255291589e-18, rel=1e-15)
    assert check.evaluate(ops.logsumexp, (math.inf, 1.0)) == (math.inf, [1.0, 0.0])
    assert check.evaluate(ops.logsumexp, (2.0, 2.0))[1] == [0.5, 0.5]


def test_max_and_min_share_ties() -> None:
    assert check.evaluate(ops.max, (1.0, 3.0, 2.0)) == (3.0, [0.0, 1.0, 0.0])
    assert check.evaluate(ops.max, (3.0, 3.0, 2.0)) == (3.0, [0.5, 0.5, 0.0])
    assert check.evaluate(ops.min, (5.0, 3.0, 3.0, 3.0)) == (3.0, [0.0, 1 / 3, 1 / 3, 1 / 3])
    assert math.isnan(chainrule.max(1.0, math.nan))
    assert math.isnan(chainrule.max(Value(1.0), math.nan).data)
