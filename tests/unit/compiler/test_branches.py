"""Compiled functions with conditions give the same results as eager mode, sample by sample."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, abs, clip, compile, exp, log, mean, nn, prod, sin, sqrt, take, tanh, where
from chainrule.compiler import TraceError
from chainrule.functional import logsumexp, softmax, softplus

from ...near import near
from .compiled import RNG, agrees, backends

# --- functions without branches ------------------------------------------------------------------


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "polynomial": lambda x: x**3 - 2 * x**2 + x - 7,
    "powers": lambda x: x**-1 + x**4 + x**2.5,
    "softplus": lambda x: softplus(sin(x)) * exp(-x),
    "logsumexp": lambda x: logsumexp([x, 2 * x, 1 - x]),
    "softmax": lambda x: softmax([x, x * x, 1.0])[0],
    "product": lambda x: prod([x, x + 1, x - 1, 2.0]),
    "clip": lambda x: clip(x, 0.5, 1.5) * x,
    "detach": lambda x: x * x.detach(),
    "repeated": lambda x: (x + x) * (x + x),
}


@backends
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str, backend: str) -> None:
    agrees(FUNCTIONS[name], RNG.uniform(0.2, 2, 37), backend=backend)


@backends
def test_where_blocks_an_infinite_derivative(backend: str) -> None:
    agrees(lambda x: where(x > 0, sqrt(x), x), np.array([-1.0, 0.0, 1.0, 4.0]), backend=backend)
    agrees(
        lambda x: where(x > 1, log(x - 1) * sqrt(x - 1), where(x < 0, 1 / x, x)),
        np.array([-2.0, 0.0, 0.5, 1.0, 3.0]),
        backend=backend,
    )


@backends
def test_take_blocks_an_infinite_derivative(backend: str) -> None:
    batch = np.array([0.0, 1.0, 4.0]), np.array([1.0, 2.0, 3.0]), np.array([1, 0, 0])
    agrees(lambda a, b, i: take([sqrt(a), b * 2], i) + 0 * i, *batch, backend=backend)


@pytest.mark.parametrize("function", [tanh, chainrule.sigmoid, lambda z: where(z > 0, sqrt(z), z * z)])
def test_a_second_derivative_does_not_branch(function: Any) -> None:
    """Whether a selected path is cut was asked of a Value, so each answer became another program."""
    step = compile(lambda x: chainrule.hessian(lambda z: function(z) * z)(x))
    points = np.array([-3.0, 0.0, 0.5, 400.0])
    assert step(points).tolist() == near(
        [chainrule.hessian(lambda z: function(z) * z)(x) for x in points], rel=1e-12
    )
    assert repr(step) == "<compiled <lambda>: 1 program>"
    assert "branches" not in step.source("c")


@backends
@pytest.mark.parametrize("fold", [logsumexp, chainrule.max, chainrule.min, prod, mean])
def test_ties_in_a_fold_inside_where(backend: str, fold: Callable[..., Any]) -> None:
    batch = np.array([0.0, 1.0, 2.0]), *[np.zeros(3)] * 3
    agrees(lambda c, *xs: where(c < 1.5, fold(xs), 0.0 * xs[0]), *batch, backend=backend)


@backends
def test_nodes_that_no_gradient_reaches_are_not_differentiated(backend: str) -> None:
    ends = np.array([0.0, 1.0, 0.5])
    agrees(nn.binary_cross_entropy, ends, ends, backend=backend)
    agrees(lambda x, y: sqrt(x).detach() + sqrt(y), np.zeros(3), np.ones(3), backend=backend)
    agrees(lambda x, y: x * y if sqrt(x) < 1 else y, np.zeros(9), np.ones(9), backend=backend)
    p = Value(0.0)
    step = compile(lambda x: x * p + sqrt(p).detach(), backend=backend)
    assert step.value_and_grad(np.ones(9))[1].tolist() == [1.0]


# --- branches ------------------------------------------------------------------------------------


def collatz(x: Any) -> Any:
    steps = 0
    while x > 1 and steps < 6:
        x = x / 2 if x < 10 else x - 7
        steps += 1
    return x * steps


def bisect(x: Any) -> Any:
    low, high = Value(0.0), Value(4.0)
    for _ in range(4):
        middle = (low + high) / 2
        if middle * middle < x:
            low = middle + 0 * x
        else:
            high = middle + 0 * x
    return low * x


BRANCHING: dict[str, Callable[..., Any]] = {
    "if": lambda x, y: x * x if x > 1 else y,
    "if and else": lambda x, y: x + y if x < y else x - y,
    "nested": lambda x, y: (x if y > 0 else -x) if x > 0 else (y if y > 0 else x * y),
    "max": lambda x, y: max(x, y) * x,
    "min": lambda x, y: min(x * y, y, x),
    "sorted": lambda x, y: sorted([x, y, x * y])[1],
    "sorted by key": lambda x, y: sorted([x, y], key=lambda v: -v)[0] ** 2,
    "while": lambda x, y: collatz(x * 4),
    "bisection": lambda x, y: bisect(abs(x) + 0.1),
    "and": lambda x, y: x * y if x > 0 and y > 0 else x + y,
    "or": lambda x, y: x * y if x > 0 or y > 0 else x + y,
    "not": lambda x, y: x if not x < y else y,
    "chained": lambda x, y: x * 2 if -1 < x < 1 else y * 3,
    "count": lambda x, y: sum(v > 0 for v in (x, y)) * x + y,
    "any": lambda x, y: x * 5 if any(v > 1 for v in (x, y)) else y,
    "all": lambda x, y: x * 5 if all(v < 1 for v in (x, y)) else y,
    "filtered": lambda x, y: sum([v for v in (x, y, x * y) if v > 0], Value(0.0)) + 0 * x + 0 * y,
    "early return": lambda x, y: next((v * v for v in (x, y) if v >= 0.5), x * y),
    "index of the largest": lambda x, y: [x, y, -x][max(range(3), key=lambda i: [x, y, -x][i])] * y,
    "where inside if": lambda x, y: where(x < y, x, y) if x > -0.5 else tanh(x * y),
    "comparison with a number": lambda x, y: x if x <= 0.3 else x * x + y,
}


@backends
@pytest.mark.parametrize("name", BRANCHING)
def test_branches(name: str, backend: str) -> None:
    """Samples that take a different branch get a separate program; all results are merged."""
    rng = np.random.default_rng(3)
    agrees(BRANCHING[name], rng.normal(size=60) * 2, rng.normal(size=60) * 2, backend=backend)


@backends
def test_a_take_checks_only_the_indices_of_its_own_branch(backend: str) -> None:
    step = compile(
        lambda i, x: x * take([1.0, 2.0], i) if i < 2 else x * take([5.0, 6.0], i - 2), backend=backend
    )
    assert step(np.arange(4.0), np.ones(4)).tolist() == [1.0, 2.0, 5.0, 6.0]


def test_a_sample_on_the_boundary_takes_a_branch() -> None:
    weights = [0.1, 0.7, -1.3]
    for seed in range(30):
        x = np.random.default_rng(seed).normal(size=3)
        edge = float(sum(w * v for w, v in zip(weights, x.tolist(), strict=True)))

        def f(x: Any, edge: float = edge) -> Any:
            return x[0] if sum(w * v for w, v in zip(weights, x, strict=True)) <= edge else x[1]

        assert compile(f)(np.tile(x, (9, 1))).tolist() == [x[0]] * 9


def test_where_stays_one_program() -> None:
    step = compile(lambda x: where(x > 0, x, -x))
    step(np.array([-1.0, 2.0, -3.0]))
    assert len(next(iter(step.variants.values()))) == 1


@backends
def test_conditions_are_combined_as_in_eager_mode(backend: str) -> None:
    X = np.array([-1.0, 0.0, 1.0, 2.0, 3.0])
    for function in (
        lambda x: where((x > 0) & (x < 2), x, -x),
        lambda x: where((x < 0) | (x >= 2), x * x, -x),
        lambda x: where(((x < 0) | (x > 2)) & (x < 3), 5.0, x) + where(True & (x < 1), x, 0.0),
        lambda x: 7.0 if (x > -0.5) & (x < 2) | (x == 3) else x,
    ):
        step = compile(function, backend=backend)
        assert step(X).tolist() == [float(getattr(y := function(x), "data", y)) for x in X.tolist()]
    with pytest.raises(TypeError, match="unsupported operand"):
        compile(lambda x: x & x)(X)


def test_equality_matches_eager_mode_on_plain_samples() -> None:
    """`==` compares numbers if either side depends only on samples, otherwise Values by identity."""
    X, Y = np.array([0.0, 1.0, 2.0, 2.0]), np.array([0.0, 2.0, 2.0, 4.0])
    v, w = Value(1.0), Value(2.0)

    def argmax(x: Any, y: Any) -> Any:
        scores = [v * x, w * x - y, v * y + x]
        return float(scores.index(max(scores)))

    for function in (
        *(lambda x, y: 7.0 if x == 0 else x, lambda x, y: 7.0 if x != 0 else x),
        *(lambda x, y: 7.0 if x in (0, 2) else x, lambda x, y: 7.0 if x == y else x),
        *(lambda x, y: 7.0 if x * 2 == y + 0.0 else x, lambda x, y: 7.0 if x != exp(y) - 1.0 else x),
        *(lambda x, y: 7.0 if w == 2 else x, lambda x, y: 7.0 if x == w or w == x else x),
        *(lambda x, y: 7.0 if w * x == w * x else x, lambda x, y: 7.0 if w == w and w != v else x),
        lambda x, y: 7.0 if x == None or x == "x" else x,  # noqa: E711
        argmax,
    ):
        pairs = zip(X.tolist(), Y.tolist(), strict=True)
        eager = [float(getattr(r := function(x, y), "data", r)) for x, y in pairs]
        assert compile(function)(X, Y).tolist() == eager


def test_equality_of_a_long_chain_needs_no_recursion() -> None:
    def function(x: Any) -> Any:
        y = x
        for _ in range(20_000):
            y = y + 1.0
        return 7.0 if y == 20_000 else x

    assert compile(function)(np.array([0.0, 1.0])).tolist() == [7.0, 1.0]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x if x else 1.0, "a Value as a condition inside a compiled function.*`if v > 0`"),
        (lambda x: math.sin(x), "converting a Value to a plain number.*functions of chainrule"),
        (lambda x: [1.0, 2.0][int(x)], r"a plain number.*take\(table, index\)"),
    ],
)
def test_reading_a_number_while_tracing_suggests_the_fix(function: Any, message: str) -> None:
    with pytest.raises(TraceError, match=message):
        compile(function)(np.array([0.0, 1.0]))


def test_the_error_for_too_many_branches_names_the_line() -> None:
    def halve(x: Any) -> Any:
        while x > 1:  # the line that the error names
            x = x / 1.1
        return x

    with pytest.raises(ValueError, match=r"paths than the limit of 64; .*the line that the error names"):
        compile(halve)(np.geomspace(1, 1e6, 200))
    assert compile(halve, branches=200)(np.geomspace(1, 1e6, 200)).max() <= 1
    two = np.array([-1.0, 1.0])
    with pytest.raises(ValueError, match="branches must be 1 or more, got 0"):
        compile(halve, branches=0)
    with pytest.raises(ValueError, match="more paths than the limit of 1; the last branch is at "):
        compile(lambda x: x if x > 0 else -x, branches=1)(two)
    assert compile(lambda x: x if x > 0 else -x, branches=2)(two).tolist() == [1.0, 1.0]
