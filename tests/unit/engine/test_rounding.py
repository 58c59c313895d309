"""Rounding, remainders and what is built on them: operators, NumPy's names, interp and cumsum."""

import math
import random
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, compile, grad

from ...near import near

NUMBERS = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 3.0, -7.25, 1e16, 4503599627370497.5, 1e300]
NUMBERS += [5e-324, -5e-324, 0.49999999999999994, -0.49999999999999994, math.inf, -math.inf, math.nan]


def any_float(rng: random.Random) -> float:
    return struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0]


def pairs() -> list[tuple[float, float]]:
    rng = random.Random(3)
    far = [(any_float(rng), any_float(rng)) for _ in range(2000)]
    near = [(rng.uniform(-9, 9), rng.choice((0.1, -0.25, 3.0, rng.uniform(-2, 2)))) for _ in range(2000)]
    return [*((x, y) for x in NUMBERS for y in NUMBERS), *far, *near]


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "rint", "sign"])
def test_rounding_as_in_numpy(name: str) -> None:
    rng = random.Random(5)
    for x in [
        *NUMBERS,
        *(rng.uniform(-1e3, 1e3) for _ in range(1000)),
        *(any_float(rng) for _ in range(500)),
    ]:
        result = getattr(Value(x), name)().data
        assert result.hex() == float(getattr(np, name)(x)).hex(), (name, x)


@pytest.mark.parametrize("name", ["fmod", "remainder", "floor_divide"])
def test_remainders_as_in_numpy(name: str) -> None:
    with np.errstate(all="ignore"):
        for x, y in pairs():
            result = getattr(chainrule, name)(x, y)
            expected = float(getattr(np, name)(x, y))
            assert result.hex() == expected.hex(), (name, x, y)


def test_operators() -> None:
    a, b = Value(-7.5), Value(2.0)
    assert ((a % b).data, (a // b).data, (a % 2).data, (a // 2).data) == (0.5, -4.0, 0.5, -4.0)
    assert ((9 % b).data, (9 // b).data, (np.float64(9) % b).data) == (1.0, 4.0, 1.0)
    assert ((a % b).op, (a // b).op) == ("remainder", "floor_divide")
    assert (a % True).data == 0.5
    c = a
    c %= b
    assert c.inputs == (a, b)
    assert math.isnan((a % 0).data)
    assert (a // 0).data == -math.inf
    assert grad(lambda x, y: x % y, (0, 1))(-7.5, 2.0) == (1.0, 4.0)
    assert grad(lambda x, y: x // y, (0, 1))(-7.5, 2.0) == (0.0, 0.0)


def test_conversions_give_values() -> None:
    """They stay in the graph, so that nothing is cut in silence; int and float still raise."""
    v = Value(-2.5)
    for convert, name, expected in (
        (round, "round", -2.0),
        (math.floor, "floor", -3.0),
        (math.ceil, "ceil", -2.0),
        (math.trunc, "trunc", -2.0),
    ):
        out: Any = convert(v)
        assert (out.op, out.inputs, out.data) == (name, (v,), expected)
        out.backward()
        assert v.grad == 0.0
    assert round(v, None).data == -2.0
    assert grad(lambda x: x - math.floor(x))(2.25) == 1.0


def test_numpy_names_on_arrays_of_values() -> None:
    xs = np.array([-1.5, 2.5, 0.25])
    values = np.array([Value(x) for x in xs])
    names = ["floor", "ceil", "trunc", "rint", "fix", "round", "sign", "exp2", "cumsum"]
    for name in [*names, "deg2rad", "rad2deg", "radians", "degrees"]:
        expected = getattr(np, name)(xs)
        found = [getattr(v, "data", v) for v in getattr(np, name)(values)]
        assert found == near(expected.tolist(), rel=1e-15), name
    for name in ("mod", "remainder", "floor_divide", "fmod"):
        found = [v.data for v in getattr(np, name)(values, 0.75)]
        assert found == getattr(np, name)(xs, 0.75).tolist()
    assert [v.data for v in np.round(values, 1)] == np.round(xs, 1).tolist()
    assert np.clip(values, -1.0, 1.0)[2] is values[2]
    assert np.linalg.norm(values).data == np.linalg.norm(xs)
    assert np.logaddexp(1.0, values[1]).data == near(np.logaddexp(1.0, 2.5), rel=1e-15)


def test_a_compiled_function_with_remainders() -> None:
    def wave(x: Any, period: Any) -> Any:
        phase = x % period
        return chainrule.where(phase < 0.5 * period, phase, period - phase) + x // period + np.sign(x)

    at = np.linspace(-7.3, 9.1, 40), np.linspace(0.7, 3.0, 40)
    step = compile(wave, batch=0)
    values, slopes = step.value_and_grad(*at, argnums=(0, 1))
    for i, (x, y) in enumerate(zip(*at, strict=True)):
        assert values[i] == near(wave(x, y), abs=1e-14)
        expected = grad(wave, (0, 1))(x, y)
        assert [slope[i] for slope in slopes] == near(list(expected), abs=1e-14)


# --- interp and cumsum -----------------------------------------------------------------------------

XP, FP = [0.0, 1.0, 2.5, 4.0], [1.0, 3.0, -1.0, 0.5]


def test_interp_as_in_numpy() -> None:
    at = [-1.0, 0.0, 0.3, 1.0, 2.0, 2.5, 3.9, 4.0, 7.0, math.inf, -math.inf]
    expected = np.interp(at, XP, FP)
    assert chainrule.interp(at, XP, FP) == near(expected.tolist(), rel=1e-15)
    found = chainrule.interp(np.array([Value(x) for x in at]), XP, FP)
    assert [v.data for v in found] == chainrule.interp(at, XP, FP)
    assert compile(lambda x: chainrule.interp(x, XP, FP), reduction="none")(np.array(at)).tolist() == [
        v.data for v in found
    ]
    assert math.isnan(chainrule.interp(math.nan, XP, FP))
    assert math.isnan(chainrule.interp(math.nan, [1.0], [2.0]))
    assert chainrule.interp(9.0, [1.0], [2.0]) == 2.0
    assert chainrule.interp(1.0, [0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 5.0, 6.0]) == 5.0  # a jump


def test_interp_is_differentiable_in_everything() -> None:
    at: Callable[..., Any] = lambda x, xp, fp: chainrule.interp(x, xp, fp)  # noqa: E731
    dx, dxp, dfp = grad(at, (0, 1, 2))(2.0, XP, FP)
    assert dx == near(-4.0 / 1.5, ulps=4)
    assert dfp == near([0.0, 1 / 3, 2 / 3, 0.0], ulps=4)
    assert dxp == near([0.0, 4.0 / 1.5 / 3, 8.0 / 1.5 / 3, 0.0], ulps=4)
    assert grad(at)(1.0, XP, FP) == near(-4.0 / 1.5, ulps=4)  # at a point, the slope to its right
    assert grad(at)(9.0, XP, FP) == 0.0


def test_interp_names_what_is_wrong() -> None:
    with pytest.raises(ValueError, match=r"^interp needs as many values as points, got 2 values and 3"):
        chainrule.interp(1.0, [0.0, 1.0, 2.0], [0.0, 1.0])
    with pytest.raises(ValueError, match=r"^interp needs at least one point, got none$"):
        chainrule.interp(1.0, [], [])
    with pytest.raises(ValueError, match=r"^interp needs points that increase, got 1 after 3$"):
        chainrule.interp(1.0, [0.0, 3.0, 1.0], [0.0, 1.0, 2.0])


def test_cumsum() -> None:
    assert chainrule.cumsum([1, 2.5, -4.0]) == [1.0, 3.5, -0.5]
    assert chainrule.cumsum([]) == []
    assert chainrule.cumsum(np.array([1.0, 2.0])).tolist() == [1.0, 3.0]
    a, b = Value(1.0), Value(2.0)
    totals = chainrule.cumsum([a, b, 3.0])
    assert [v.data for v in totals] == [1.0, 3.0, 6.0]
    totals[-1].backward()
    assert (a.grad, b.grad) == (1.0, 1.0)
