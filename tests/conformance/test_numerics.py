"""Each case in which a well-known system differs from the truth, by name.

The right values are facts of calculus; who gets them wrong is in docs/numerics.md.
"""

from __future__ import annotations

import math

import pytest

import chainrule
from chainrule import Value, dot, grad, log_softmax, logsumexp, softmax, softplus, where

from ..near import near

INF, NAN = math.inf, math.nan


def partials(function: object, *args: float) -> list[float]:
    leaves = [Value(x) for x in args]
    function(*leaves).backward()  # type: ignore[operator]
    return [leaf.grad for leaf in leaves]


def test_tanh_slope_far_out() -> None:
    assert grad(chainrule.tanh)(20.0) == near(1.6993417021166355e-17, rel=1e-15)
    assert grad(chainrule.tanh)(-300.0) == near(4 * math.exp(-600), rel=1e-13)


def test_sigmoid_slope_far_out() -> None:
    assert grad(chainrule.sigmoid)(40.0) == near(4.248354255291589e-18, rel=1e-15)
    assert grad(chainrule.sigmoid)(-40.0) == near(4.248354255291589e-18, rel=1e-15)


@pytest.mark.parametrize("x", [-1e308, -1000.0, -1.0, 0.0, 1.0, 1000.0, 1e308])
def test_no_overflow_in_the_exponential_family(x: float) -> None:
    for function in (chainrule.sigmoid, chainrule.log_sigmoid, chainrule.softplus):
        v = Value(x)
        out = function(v)
        out.backward()
        assert math.isfinite(out.data)
        assert 0.0 <= abs(v.grad) <= 1.0
    vector = [Value(x / 2), Value(0.0), Value(-x / 2)]
    for out in (logsumexp(vector), *softmax(vector), *log_softmax(vector)):
        out.backward(reset=True)
        assert math.isfinite(out.data)
        assert all(abs(v.grad) <= 2.0 for v in vector)


def test_softplus_slope_at_infinity() -> None:
    assert partials(softplus, INF) == [1.0]
    assert partials(softplus, -INF) == [0.0]


def test_logsumexp_of_nothing_but_minus_infinity() -> None:
    xs = [Value(-INF), Value(-INF)]
    out = logsumexp(xs)
    out.backward()
    assert out.data == -INF
    assert [x.grad for x in xs] == [0.0, 0.0]


def test_quotient_slope_of_huge_numbers() -> None:
    assert partials(lambda x, y: x / y, 1e200, 1e200) == [1e-200, -1e-200]


def test_power_at_zero() -> None:
    assert partials(lambda x, y: x**y, 0.0, 1.0) == [1.0, 0.0]
    assert partials(lambda x, y: x**y, 0.0, 0.0) == [0.0, 0.0]
    assert partials(lambda x, y: x**y, 0.0, 2.5) == [0.0, 0.0]
    assert grad(lambda x: x**0.0)(0.0) == 0.0
    assert grad(grad(lambda x: x**2.0))(0.0) == 2.0


def test_power_of_a_negative_base() -> None:
    slope, exponent_slope = partials(lambda x, y: x**y, -2.0, 3.0)
    assert slope == 12.0
    assert math.isnan(exponent_slope)
    assert math.isnan((Value(-8.0) ** (1 / 3)).data)


def test_square_root_at_zero() -> None:
    assert Value(0.0).sqrt().data == 0.0
    assert partials(chainrule.sqrt, 0.0) == [INF]


def test_logarithm_outside_its_domain() -> None:
    assert Value(0.0).log().data == -INF
    assert partials(chainrule.log, 0.0) == [INF]
    assert math.isnan(Value(-1.0).log().data)
    assert math.isnan(partials(chainrule.log, -1.0)[0])


def test_overflow_is_infinite_not_an_exception() -> None:
    assert Value(1000.0).exp().data == INF
    assert (1 / Value(0.0)).data == INF
    assert (Value(0.0) ** -1).data == INF
    assert (2 ** Value(1e10)).data == INF


def test_kinks() -> None:
    assert partials(abs, 0.0) == [0.0]
    assert partials(chainrule.relu, 0.0) == [0.0]


def test_ties_are_shared() -> None:
    assert partials(chainrule.maximum, 2.0, 2.0) == [0.5, 0.5]
    assert partials(chainrule.minimum, 2.0, 2.0) == [0.5, 0.5]
    assert partials(chainrule.max, 2.0, 2.0) == [0.5, 0.5]
    assert partials(chainrule.min, 2.0, 2.0) == [0.5, 0.5]


@pytest.mark.parametrize("bad", [chainrule.sqrt, chainrule.log, lambda x: 1 / x, lambda x: x**-2.0])
def test_the_branch_not_taken_gets_exactly_nothing(bad: object) -> None:
    """Even where its value or derivative is infinite or NaN, and in second derivatives too."""

    def safe(x: Value) -> Value:
        return where(chainrule.less(0.0, x), bad(x), 3 * x)  # type: ignore[operator]

    assert partials(safe, 0.0) == [3.0]
    assert grad(grad(safe))(0.0) == 0.0
    assert math.isfinite(grad(grad(safe))(2.0))


def test_a_value_shared_by_both_branches() -> None:
    def function(x: Value) -> Value:
        root = x.sqrt()
        return where(chainrule.less(0.0, x), root, x) + 2 * x

    assert partials(function, 0.0) == [3.0]


def test_where_inside_where() -> None:
    def function(x: Value) -> Value:
        inner = where(chainrule.less(x, 1.0), x, x.log())
        return where(chainrule.less(0.0, x), 1 / x, inner * 2)

    assert partials(function, 0.0) == [2.0]
    assert partials(function, -1.0) == [2.0]
    assert partials(function, 2.0) == [-0.25]


def test_origin_of_hypot_and_atan2() -> None:
    assert partials(chainrule.hypot, 0.0, 0.0) == [0.0, 0.0]
    assert partials(chainrule.atan2, 0.0, 0.0) == [0.0, 0.0]
    assert partials(chainrule.hypot, 1e308, 1e308) == near([math.sqrt(0.5)] * 2, rel=1e-15)


def test_minus_zero_and_subnormals_are_kept() -> None:
    assert math.copysign(1.0, (Value(-0.0) * 1.0).data) == -1.0
    assert (Value(5e-324) * 1.0).data == 5e-324
    assert partials(lambda x: x * 5e-324, 1.0) == [5e-324]


def test_nan_goes_through() -> None:
    for function in (chainrule.exp, chainrule.relu, chainrule.tanh, abs, lambda x: x * 0.0):
        assert math.isnan(function(Value(NAN)).data)
    assert math.isnan(dot([Value(NAN)], [0.0]).data)
    assert math.isnan(chainrule.maximum(Value(NAN), 1.0).data)
