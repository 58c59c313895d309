"""Second and higher derivatives of the operations, on the core in use."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest
from mpmath import mp, mpf

import chainrule
from chainrule import Value, engine, grad, hessian, jvp, ops

from ..near import near
from . import truth
from .campaigns import check, special

ORDINARY = (-2.7, -1.3, -0.6, -0.4, 0.1, 0.3, 0.7, 1.6, 2.9)


def second_derivatives(op: ops.Op, args: tuple[float, ...], cls: Any = Value) -> list[list[float]]:
    """Compute all second partials, by differentiating each first partial again."""
    leaves = [cls(x) for x in args]
    out = op(*leaves)
    out.backward(create_graph=True)
    firsts = [leaf.grad for leaf in leaves]
    rows = []
    for first in firsts:
        for leaf in leaves:
            leaf.grad = 0.0
        first.backward()
        rows.append([leaf.grad for leaf in leaves])
    return rows


def smooth(op: ops.Op, args: tuple[float, ...]) -> bool:
    if not all(map(math.isfinite, args)):
        return False
    low, high = op.domain
    away = op.kink is None or op.kink(*args) != 0.0
    if op.name in ("fmod", "remainder") and abs(args[0]) > 1e20 * abs(args[1]):
        return False  # the difference quotient would step over jumps
    return low < args[0] < high and away and not (op.name == "pow" and args[0] <= 0)


def true_second(op: ops.Op, part: int, by: int, args: tuple[float, ...]) -> mpf | None:
    """A difference quotient of the true partial; None if it has no two-sided derivative."""
    formula = truth.TRUTH[op.name][1][check.parts(op).index(part)]
    with mp.workdps(800):  # steps far below the smallest subnormal, added to the largest numbers
        exact = [mpf(x) for x in args]
        step = mpf(10) ** -30 * min([mpf(1), *(abs(x) for x in exact if x)])
        beside = ([x + sign * step * (k == by) for k, x in enumerate(exact)] for sign in (1, 0, -1))
        try:
            above, here, below = (formula(*point) for point in beside)
        except (ZeroDivisionError, ValueError):
            return None
        if above == below:  # an even function about this point
            return mpf(0)
        bent = abs(above - 2 * here + below) > mpf(10) ** -20 * abs(above - below)
        return None if bent else (above - below) / (2 * step)


def right(result: float, true: mpf) -> bool:
    if abs(true) > truth.MAX * (1 + mpf(10) ** -20):  # a difference quotient is itself a little off
        return result == math.copysign(math.inf, true)
    return math.isfinite(result) and abs(result - true) <= 1e-11 * abs(true) + 1e-300


# How many second derivatives on the grid are wrong because an intermediate term over- or underflows,
# although the result does not: with arguments below 1e-300 or above 1e300. May only decrease.
OVERFLOWS = {"div": 60, "pow": 29, "hypot": 24, "atan2": 96}


@pytest.mark.parametrize(
    "op", [op for op in ops.TABLE if truth.TRUTH.get(op.name, (0, ()))[1]], ids=lambda op: op.name
)
def test_second_derivatives_are_correct(op: ops.Op) -> None:
    """Compared with 800-digit arithmetic, on the special grid and at ordinary points."""
    differentiable = check.parts(op)
    ordinary = itertools.product(ORDINARY, repeat=op.arity)
    checked = overflows = 0
    for args in (*special.grid(op), *ordinary):
        if not smooth(op, args):
            continue
        rows = second_derivatives(op, args)
        extreme = any(x and not 1e-300 < abs(x) < 1e300 for x in args)
        for i, j in itertools.product(differentiable, repeat=2):
            true = true_second(op, i, j, args)
            if true is None:
                continue
            checked += 1
            fine = right(rows[i][j], true)
            overflows += not fine
            assert fine or extreme, (op.name, args, i, j, rows[i][j], true)
    assert checked >= 5
    assert overflows <= OVERFLOWS.get(op.name, 0)


@pytest.mark.skipif(chainrule.core == "python", reason="compares the two cores; one run is enough")
@pytest.mark.parametrize("op", special.elementwise(), ids=lambda op: op.name)
def test_the_cores_agree_on_second_derivatives(op: ops.Op) -> None:
    """Bit for bit, on the special grid."""
    points = list(special.grid(op))
    for args in points:
        compiled = second_derivatives(op, args)
        reference = second_derivatives(op, args, engine.Value)
        assert repr(compiled) == repr(reference), (op.name, args)


@pytest.mark.parametrize(
    "op", [op for op in ops.TABLE if isinstance(op, ops.Variadic)], ids=lambda op: op.name
)
def test_second_derivatives_of_reductions(op: ops.Variadic) -> None:
    """Compared with central differences of the gradient."""
    args = (0.3, -1.2, 2.1, 0.9)
    rows = second_derivatives(op, args)
    step = 1e-6
    for j in range(len(args)):
        above = check.evaluate(op, tuple(x + step * (i == j) for i, x in enumerate(args)))[1]
        below = check.evaluate(op, tuple(x - step * (i == j) for i, x in enumerate(args)))[1]
        for i in range(len(args)):
            assert rows[i][j] == near((above[i] - below[i]) / (2 * step), abs=1e-9)


def test_prod_with_zeros_has_the_right_mixed_derivative() -> None:
    """Formulas that divide by a factor give 0 or NaN here; the correct result is the third factor."""
    assert hessian(chainrule.prod)([0.0, 0.0, 5.0])[0] == [0.0, 5.0, 0.0]


@pytest.mark.parametrize(
    ("function", "at", "expected"),
    [
        (chainrule.tanh, 0.0, [1.0, 0.0, -2.0, 0.0, 16.0, 0.0, -272.0]),
        (chainrule.sigmoid, 0.0, [0.25, 0.0, -0.125, 0.0, 0.25, 0.0, -1.0625]),
        (chainrule.exp, 0.0, [1.0] * 6),
        (lambda x: x**5, 0.0, [0.0, 0.0, 0.0, 0.0, 120.0, 0.0]),
        (lambda x: 1 / x, 1.0, [-1.0, 2.0, -6.0, 24.0, -120.0]),
        (chainrule.sin, 0.0, [1.0, 0.0, -1.0, 0.0, 1.0]),
        (chainrule.erf, 0.0, [2 / math.sqrt(math.pi), 0.0, -4 / math.sqrt(math.pi)]),
        (chainrule.gelu, 0.0, [0.5, 2 / math.sqrt(2 * math.pi), 0.0]),
        (chainrule.softplus, 0.0, [0.5, 0.25, 0.0, -0.125]),
        (chainrule.silu, 0.0, [0.5, 0.5, 0.0]),
        (chainrule.log1p, 0.0, [1.0, -1.0, 2.0, -6.0]),
        (chainrule.atan, 0.0, [1.0, 0.0, -2.0, 0.0, 24.0]),
    ],
)
def test_high_orders_where_formulas_with_abs_would_fail(
    function: Callable[[Any], Any], at: float, expected: list[float]
) -> None:
    for value in expected:
        function = grad(function)
        assert function(at) == near(value, ulps=2)


@pytest.mark.parametrize("op", [op for op in ops.TABLE if op.arity == 1], ids=lambda op: op.name)
def test_forward_mode_gives_the_same_derivative(op: ops.Op) -> None:
    for x in ORDINARY:
        low, high = op.domain
        if low < x < high:
            assert jvp(op, (x,), (1.0,))[1] == check.evaluate(op, (x,))[1][0]
