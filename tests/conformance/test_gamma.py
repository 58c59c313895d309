"""The gamma family and the normal distribution: derivatives of every order, against mpmath."""

import math

import numpy as np
import pytest
from mpmath import mp, mpf

import chainrule
from chainrule import Value, digamma, grad, lgamma, polygamma

from ..near import near
from . import truth

POINTS = [0.3, 1.0, 1.4616321449683622, 2.0, 3.7, 12.5, -0.4, -1.3, -2.5, -7.8]


def true_polygamma(n: int, x: float) -> float:
    return float(mp.psi(n, mpf(x)))


def conditioned(n: int, x: float) -> float:
    """The error of the exact result for an argument that is one rounding off."""
    return 2.0**-53 * abs(x * true_polygamma(n + 1, x))


@pytest.mark.parametrize("x", POINTS)
def test_lgamma_has_derivatives_of_every_order(x: float) -> None:
    """The orders after the first are Hurwitz's zeta function, so no digits are lost."""
    function = lgamma
    for n in range(6):
        function = grad(function)
        expected = true_polygamma(n, x)
        assert function(x) == near(expected, rel=1e-13, abs=conditioned(n, x)), n


@pytest.mark.parametrize("x", POINTS)
def test_polygamma(x: float) -> None:
    for n in range(8):
        expected = true_polygamma(n, x)
        found = polygamma(n, Value(x))
        assert found.data == near(expected, rel=1e-13, abs=conditioned(n, x)), n
        found.backward()
        slope = true_polygamma(n + 1, x)
        assert grad(lambda v, n=n: polygamma(n, v))(x) == near(
            slope, rel=1e-13, abs=conditioned(n + 1, x)
        ), n


def test_nothing_is_infinite_on_the_way() -> None:
    """detect_anomaly also looks at the branches that were not taken."""
    with chainrule.detect_anomaly():
        third = grad(grad(grad(lgamma)))
        for x in (2.0, 2.5, -2.5):
            expected = true_polygamma(2, x)
            assert third(x) == near(expected, rel=1e-13, abs=conditioned(2, x))
            assert grad(lambda v: polygamma(1, v))(x) == near(expected, rel=1e-13, abs=conditioned(2, x))


def test_polygamma_of_arrays_and_wrong_orders() -> None:
    assert polygamma(1, [1.0, 2.0]) == near([math.pi**2 / 6, math.pi**2 / 6 - 1], rel=1e-15)
    assert polygamma(0, 2.0) == digamma(2.0)
    assert polygamma(1, -2.0) == math.inf
    for n in (-1, 171, 0.5, True):
        with pytest.raises(
            ValueError, match=r"^polygamma needs a whole number from 0 to 170 as its order, got "
        ):
            polygamma(n, 1.0)


def test_lgamma_near_its_zeros() -> None:
    """To full relative precision at 1 and 2, and between the zeros near -2.46 and -2.75."""
    small = [10.0**-k for k in range(1, 16)]
    at = [z + sign * h for z in (1.0, 2.0) for sign in (1, -1) for h in small]
    check_lgamma([*at, *np.linspace(-2.7, -2.5, 41).tolist()])


def test_lgamma_between_its_poles() -> None:
    """By reflection below -4 and from -1 to -½, by recurrence between."""
    check_lgamma([x for x in np.linspace(-6.0, 0.5, 651).tolist() if x != round(x)])
    check_lgamma([pole + h for pole in range(-6, 1) for h in (-1e-3, -1e-9, 1e-9, 1e-3)])


def check_lgamma(at: list[float]) -> None:
    for x in at:
        true = truth.log_gamma(mpf(x))
        if true:
            scale = float(max(1, abs(x * truth.psi(mpf(x)) / true))) if x < 0 else 1.0
            assert truth.ulps(lgamma(x), true) <= 4 * scale, x


def test_poles() -> None:
    assert lgamma(0.0) == lgamma(-0.0) == lgamma(-3.0) == lgamma(-1e300) == lgamma(-math.inf) == math.inf
    assert (digamma(0.0), digamma(-0.0)) == (-math.inf, math.inf)
    assert math.isnan(digamma(-3.0))
    assert chainrule.zeta(1.0, 2.0) == math.inf
    assert math.isnan(chainrule.zeta(0.5, 2.0))
    assert math.isnan(chainrule.zeta(2.0, -0.5))


def test_the_normal_distribution_far_in_the_left_tail() -> None:
    """log_normal_cdf and its derivative, the inverse Mills ratio, where the density itself is 0."""
    for x in (-5.0, -38.0, -39.9, -40.1, -1e3, -1e8, -1e150):
        assert chainrule.log_normal_cdf(x) == near(float(truth.log_cdf(mpf(x))), ulps=4)
        assert grad(chainrule.log_normal_cdf)(x) == near(float(truth.inverse_mills(mpf(x))), ulps=4)
    assert grad(grad(chainrule.log_normal_cdf))(-1e8) == near(-1.0, rel=1e-15)
    assert chainrule.normal_cdf(-38.0) == near(2.885428360068784e-316, ulps=4)
    third = grad(grad(grad(chainrule.normal_cdf)))
    assert third(0.0) == near(-1.0 / math.sqrt(2.0 * math.pi), ulps=4)
