"""Every operation and partial is within 4 ulp of the true result, on the core in use."""

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


def test_every_elementwise_operation_has_a_true_result() -> None:
    without = {op.name for op in ops.TABLE} - set(truth.TRUTH)
    comparisons = {"less", "less_equal", "equal"}
    variadic = {op.name for op in ops.TABLE if isinstance(op, ops.Variadic)}
    assert without == comparisons | variadic


@pytest.mark.parametrize("op", ELEMENTARY, ids=lambda op: op.name)
def test_within_4_ulp(op: ops.Op) -> None:
    assert check.inaccuracies(op, 1000) == []


def vectors(count: int) -> list[list[float]]:
    rng = random.Random(7)
    sizes = [1, 2, 3, 10, 100]
    spread = [1e-3, 1.0, 30.0, 1e3]
    return [[rng.gauss(0, rng.choice(spread)) for _ in range(rng.choice(sizes))] for _ in range(count)]


def close(result: float, expected: object, scale: object, n: int) -> bool:
    """Whether the error is within the usual bound, n · eps · (sum of absolute terms)."""
    return abs(mpf(result) - expected) <= (n + 4) * mpf(2) ** -53 * scale


@pytest.mark.parametrize("xs", vectors(60), ids=len)
def test_sum_mean_dot(xs: list[float]) -> None:
    n, exact = len(xs), [mpf(x) for x in xs]
    scale = sum(map(abs, exact))
    value, gradient = check.evaluate(ops.sum, tuple(xs))
    assert close(value, sum(exact), scale, n)
    assert gradient == [1.0] * n
    value, gradient = check.evaluate(ops.mean, tuple(xs))
    assert close(value, sum(exact) / n, scale / n, n)
    assert gradient == [1.0 / n] * n
    value, gradient = check.evaluate(ops.dot, tuple(xs + xs[::-1]))
    products = [x * y for x, y in zip(exact, reversed(exact), strict=True)]
    assert close(value, sum(products), sum(map(abs, products)), n)
    assert gradient == xs[::-1] + xs


@pytest.mark.parametrize("xs", vectors(60), ids=len)
def test_prod(xs: list[float]) -> None:
    n, exact = len(xs), [mpf(x) for x in xs]
    value, gradient = check.evaluate(ops.prod, tuple(xs))
    assert close(value, mp.fprod(exact), abs(mp.fprod(exact)) + truth.TINY * 2**60, n)
    for i in range(n):
        others = mp.fprod(exact[:i] + exact[i + 1 :])
        assert close(gradient[i], others, abs(others) + truth.TINY * 2**60, n)


@pytest.mark.parametrize("xs", vectors(60), ids=len)
def test_logsumexp(xs: list[float]) -> None:
    n, exact = len(xs), [mpf(x) for x in xs]
    value, gradient = check.evaluate(ops.logsumexp, tuple(xs))
    total = sum(mp.exp(x) for x in exact)
    assert close(value, mp.log(total), abs(mp.log(total)) + abs(max(exact)), n)
    for i in range(n):
        weight = mp.exp(exact[i]) / total
        scale = weight * (4 + abs(exact[i] - max(exact))) + truth.TINY * 2**54
        assert close(gradient[i], weight, scale, n)


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1.0, 1e200, 1e304])
@pytest.mark.parametrize("xs", vectors(30), ids=len)
def test_norm(xs: list[float], size: float) -> None:
    n, scaled = len(xs), [0.1 * x * size for x in xs]
    exact = [mpf(x) for x in scaled]
    value, gradient = check.evaluate(ops.norm, tuple(scaled))
    true = mp.norm(exact)
    assert close(value, true, true + truth.TINY * 2**53, n)
    for slope, x in zip(gradient, exact, strict=True):
        assert close(slope, x / true, abs(x / true), n)


def test_norm_at_the_origin_and_at_infinity() -> None:
    assert check.evaluate(ops.norm, (0.0, -0.0)) == (0.0, [0.0, 0.0])
    assert check.evaluate(ops.norm, (3.0, -math.inf)) == (math.inf, [0.0, -1.0])
    assert math.isnan(chainrule.norm(math.inf, math.nan))
    assert chainrule.norm() == 0.0


def test_logsumexp_keeps_terms_far_below_the_largest() -> None:
    assert chainrule.logsumexp([-40.0, 0.0]) == near(4.248354255291589e-18, rel=1e-15)
    assert check.evaluate(ops.logsumexp, (math.inf, 1.0)) == (math.inf, [1.0, 0.0])
    assert check.evaluate(ops.logsumexp, (2.0, 2.0))[1] == [0.5, 0.5]


def test_max_and_min_split_ties_and_propagate_nan() -> None:
    assert check.evaluate(ops.max, (1.0, 3.0, 2.0)) == (3.0, [0.0, 1.0, 0.0])
    assert check.evaluate(ops.max, (3.0, 3.0, 2.0)) == (3.0, [0.5, 0.5, 0.0])
    assert check.evaluate(ops.min, (5.0, 3.0, 3.0, 3.0)) == (3.0, [0.0, 1 / 3, 1 / 3, 1 / 3])
    assert math.isnan(chainrule.max(1.0, math.nan))
    assert math.isnan(chainrule.max(Value(1.0), math.nan).data)
    assert math.isnan(chainrule.dot([Value(math.nan)], [0.0]).data)
