"""Functions on lists and arrays, and functions composed from the table."""

import math

import numpy as np
import pytest
from mpmath import mp, mpf

import chainrule
from chainrule import Value, clip, dot, log_softmax, softmax

from ...near import near


def test_functions_apply_element_by_element() -> None:
    assert chainrule.exp([0.0, 1.0]) == [1.0, math.e]
    assert chainrule.hypot([3.0, 6.0], 4.0) == near([5.0, math.hypot(6, 4)], rel=1e-15)
    a = Value(2.0)
    tanh, number = chainrule.tanh((a, 1.0))
    assert tanh.inputs == (a,)
    assert number == math.tanh(1.0)
    assert chainrule.exp([[0.0], [0.0, 0.0]]) == [[1.0], [1.0, 1.0]]
    with pytest.raises(ValueError, match=r"^sequences must have the same length, got 1 and 2$"):
        chainrule.maximum([1.0], [2.0, 3.0])


def test_arrays() -> None:
    result = chainrule.exp(np.zeros((2, 3)))
    assert result.dtype == float
    assert result.shape == (2, 3)
    mixed = chainrule.maximum(np.array([Value(1.0), Value(2.0)]), 1.5)
    assert [v.data for v in mixed] == [1.5, 2.0]
    assert chainrule.exp(np.array(0.0)) == 1.0


def test_numpy_functions_on_arrays_of_values() -> None:
    xs = np.array([Value(0.3), Value(-0.6)])
    names = ["exp", "expm1", "sin", "cos", "tan", "tanh", "sinh", "cosh", "arctan", "arcsinh"]
    names += ["cbrt", "log1p", "arcsin", "arccos", "arctanh"]
    for name in names:
        got = [v.data for v in getattr(np, name)(xs)]
        assert got == near(list(getattr(np, name)(np.array([0.3, -0.6]))), rel=1e-15), name
    assert np.hypot(xs, xs[::-1])[0].data == near(math.hypot(0.3, 0.6), ulps=4)
    assert np.arctan2(xs, xs[::-1])[0].data == near(math.atan2(0.3, -0.6), ulps=4)
    weights = np.array([[Value(1.0), Value(2.0)], [Value(3.0), Value(4.0)]])
    out = (weights @ xs).sum()
    out.backward()
    assert out.data == near(0.3 * 4 - 0.6 * 6, ulps=4)
    assert xs[1].grad == 6.0


def test_operators_between_numpy_and_a_value() -> None:
    v = Value(3.0)
    assert type(np.float64(2) * v) is Value
    assert type(np.float32(2) - v) is Value
    assert type(np.int64(2) / v) is Value
    assert type(np.tanh(v)) is Value
    assert np.maximum(v, 5.0) == 5.0
    product = np.array([1.0, 2.0]) * v
    assert [x.data for x in product] == [3.0, 6.0]
    assert [x.data for x in v - np.array([1.0, 2.0])] == [2.0, 1.0]


def test_reductions() -> None:
    a, b = Value(2.0), Value(3.0)
    assert chainrule.sum([a, b, 1]).data == 6.0
    assert chainrule.sum(a, b).data == 5.0
    assert chainrule.sum(x for x in (a, b)).data == 5.0
    assert chainrule.sum([]) == 0.0
    assert chainrule.prod([]) == 1.0
    assert chainrule.mean([1, 2]) == 1.5
    assert chainrule.mean(np.array([1.0, 2.0, 6.0])) == 3.0
    assert dot([a, 1.0], (4.0, b)).data == 11.0
    assert chainrule.max(a, b).data == 3.0
    assert chainrule.min([a, b, 1.0]).data == 1.0


def test_softmax() -> None:
    xs = [Value(1.0), Value(2.0), Value(3.0)]
    probabilities = softmax(xs)
    assert sum(p.data for p in probabilities) == near(1.0, rel=1e-15)
    probabilities[2].backward()
    p = [q.data for q in probabilities]
    assert [x.grad for x in xs] == near([-p[0] * p[2], -p[1] * p[2], p[2] * (1 - p[2])], ulps=4)
    rest = math.log1p(math.exp(-1) + math.exp(-2))
    assert [x.data for x in log_softmax(xs)] == near([-2 - rest, -1 - rest, -rest], ulps=4)


def test_softmax_is_accurate_far_from_the_largest() -> None:
    """exp(x - logsumexp) would be hundreds of ulps off here."""
    xs = [700.3, 0.1, -3.7]
    exact = [mp.exp(mpf(x) - mpf(xs[0])) for x in xs]
    for p, e in zip(softmax(xs), exact, strict=True):
        assert p == near(float(e / sum(exact)), rel=1e-12)
    assert softmax(np.array([0.0, 0.0])).tolist() == [0.5, 0.5]
    assert softmax([1e308, -1e308]) == [1.0, 0.0]


def test_stop_gradient() -> None:
    x = Value(3.0)
    out = x * chainrule.stop_gradient(x)
    out.backward()
    assert (out.data, x.grad) == (9.0, 3.0)
    x.data = 4.0
    assert out.forward().data == 16.0


def test_clip_passes_the_gradient_to_x_at_the_bounds_too() -> None:
    for x, expected in [(0.5, 1.0), (0.0, 1.0), (1.0, 1.0), (-1.0, 0.0), (2.0, 0.0)]:
        v = Value(x)
        clip(v, 0.0, 1.0).backward()
        assert v.grad == expected
    assert clip(5.0, 0, 1) == 1.0


def test_star_import_does_not_hide_builtins() -> None:
    names: dict[str, object] = {}
    exec("from chainrule import *", names)
    for name in ("abs", "max", "min", "pow", "sum", "compile"):
        assert name not in names
    for name in ("Value", "grad", "tanh", "softmax", "no_grad"):
        assert name in names


def test_arguments_with_a_default_accept_keywords() -> None:
    x = Value(-2.0)
    for slope in (0.5, Value(0.5)):
        assert chainrule.leaky_relu(x, negative_slope=slope).data == -1.0
    assert chainrule.leaky_relu(-2.0, negative_slope=0.5) == chainrule.leaky_relu(-2.0, 0.5) == -1.0
    assert chainrule.elu([-1.0, 1.0], alpha=2.0) == [2.0 * math.expm1(-1.0), 1.0]
    for wrong in ({"alpha": 1.0}, {"x": 1.0}):
        with pytest.raises(TypeError, match=r"^leaky_relu got an unexpected argument '(alpha|x)'$"):
            chainrule.leaky_relu(-2.0, **wrong)
    message = r"^leaky_relu got multiple values for argument 'negative_slope'$"
    with pytest.raises(TypeError, match=message):
        chainrule.leaky_relu(-2.0, 0.5, negative_slope=0.5)
    with pytest.raises(TypeError, match=r"^leaky_relu takes 2 arguments, got 0$"):
        chainrule.leaky_relu(negative_slope=0.5)
