"""Long traces: results become nodes of a graph in C while the function still runs.

Here, that happens after a few results.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import chainrule as cr
from chainrule import Value
from chainrule.compiler import compile, tracing
from chainrule.compiler.tracing import trace
from chainrule.support.errors import GraphFreedError
from chainrule.value import c_core
from tests.near import near

from .loops.programs import check, decay

pytestmark = pytest.mark.skipif(cr.core != "c", reason="needs the compiled core")


@pytest.fixture(params=[1, 3, 20], autouse=True)
def most(request: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    """After how many results they are settled."""
    monkeypatch.setattr(tracing, "MOST_RESULTS", request.param)
    monkeypatch.setenv("CHAINRULE_KERNELS", "off")
    return int(request.param)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed: int) -> None:
    check(seed)


def test_the_graph_is_that_of_a_short_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where results are computed in the order in which the last one needs them."""

    def chain(x: Any) -> Any:
        for k in range(50):
            x = cr.sin(x * 0.5 + float(k % 3)) * x
        return x

    settled = trace(chain, [0.3], []).source
    monkeypatch.setattr(tracing, "MOST_RESULTS", sys.maxsize)
    assert settled == trace(chain, [0.3], []).source


def test_only_a_few_results_are_kept(most: int) -> None:
    kept = []

    def watched(x: Any) -> Any:
        for _ in range(100):
            x = cr.sin(x) + x
            kept.append(len(c_core.modes()[2].log))
        return x

    trace(watched, [0.3], [])
    assert max(kept) <= most
    assert min(kept) < max(kept) or most == 1


def test_results_without_use_are_no_nodes() -> None:
    def wasteful(x: Any) -> Any:
        for _ in range(10):
            cr.exp(x)
            x = cr.sin(x)
        return x

    assert str(trace(wasteful, [0.3], []).graph).count("exp") == 0
    assert len(trace(wasteful, [0.3], []).source) == 11


def test_parameters_are_found_once_and_read_at_every_call() -> None:
    a, b, c = Value(0.5), Value(0.7), Value(1.1)
    b_doubled = b * 2.0  # computed outside

    def model(x: Any) -> Any:
        for k in range(10):
            x = cr.tanh(x * a + b_doubled) + (c if k == 8 else 0.0)
        return x

    step = compile(model)
    assert step([0.3]) == near(np.array([model(0.3).data]), rel=1e-14)
    assert step.params == [a, b, c]
    a.data = -0.4
    assert step([0.3]) == near(np.array([model(0.3).data]), rel=1e-14)


def test_shared_arguments_constants_and_branches() -> None:
    def model(scale: Any, x: Any) -> Any:
        half = Value(0.5)
        for _ in range(12):
            x = scale * half * (x - 1.0 if x > 1.0 else cr.where(x < 0.0, x + 2.0, x * 3.0))
        return [x, scale]

    step = compile(model, batch=(None, 0))
    xs = np.linspace(-2.0, 3.0, 7)
    want = np.array([[v.data for v in model(Value(1.3), Value(x))] for x in xs])
    got = np.asarray(step(1.3, xs)).T
    assert got == near(want, rel=1e-13)


def test_random_numbers_drawn_late_are_inputs() -> None:
    generator = cr.random.Generator(3)

    def walk(x: Any) -> Any:
        for _ in range(6):
            x = x + cr.sin(x) + generator.normal()
        return x

    first = trace(walk, [0.3], [])
    assert len(first.sources) == 6
    assert str(first.graph).count("input") == 7


def test_several_results_share_one_trace() -> None:
    rates = np.linspace(0.1, 0.5, 8)

    def path(x: Any) -> list[Any]:
        found = []
        for rate in rates:
            x = x - rate * cr.sin(x)
            found.append(x)
        return found

    step = compile(path, batch=None)
    assert step.jacobian(0.4) == near(np.asarray(cr.jacobian(path)(0.4)), rel=1e-12)


def test_a_function_that_differentiates_is_traced_with_its_graph() -> None:
    def slope(x: Any) -> Any:
        y = cr.sin(x) * x + cr.exp(x * 0.1)
        return cr.grad(lambda z: decay(z, [0.1, 0.2, 0.3]) * y)(x) + y

    step = compile(slope, batch=None)
    assert step(0.4) == near(slope(0.4), rel=1e-12)
    assert step.grad(0.4) == near(cr.grad(slope)(0.4), rel=1e-12)


def test_a_function_that_reads_its_graph_is_traced_again() -> None:
    calls = []

    def reads(x: Any) -> Any:
        calls.append(x)
        y = cr.sin(x * 2.0)
        for _ in range(30):
            y = cr.tanh(y) + x
        first = y
        while not first.is_leaf:
            first = first.inputs[0]
        return y if first is x else y * 0.0

    step = compile(reads, batch=None)
    want = reads(Value(0.4)).data
    calls.clear()
    assert step(0.4) == near(want, rel=1e-14)
    assert len(calls) == 2


def test_equality_of_values_takes_the_branch_of_a_plain_call() -> None:
    def equal(x: Any, y: Any) -> Any:
        a, b = cr.sin(x) + 1.0, cr.sin(y) + 1.0
        for _ in range(25):
            a, b = cr.tanh(a) + x, cr.tanh(b) + y
        return a * 2.0 if a == b else a * 3.0

    step = compile(equal, batch=(0, 0))
    got = step([0.3, 0.3], [0.3, 0.4])
    assert got == near(np.array([equal(0.3, 0.3), equal(0.3, 0.4)]), rel=1e-14)


def test_values_that_outlive_the_trace_have_no_graph() -> None:
    kept: list[Any] = []

    def leaks(x: Any) -> Any:
        for _ in range(30):
            x = cr.sin(x) + x
            kept.append(x)
        return x

    trace(leaks, [0.3], [])
    with pytest.raises(
        GraphFreedError, match=r"below 'add' was freed, because a long compiled function"
    ):
        kept[0].backward()
    with pytest.raises(GraphFreedError, match="return it from that function"):
        _ = kept[0].inputs
    old = kept[0]
    with pytest.raises(ValueError, match="another trace computed has no graph any more"):
        trace(lambda x: x + old, [0.3], [])


def test_operations_that_cannot_be_compiled_are_rejected() -> None:
    def by_hand(x: Any) -> Any:
        y = Value(2.0, (x,), "double")
        return decay(y, [0.1] * 20)

    with pytest.raises(TypeError, match="cannot compile 'double'"):
        trace(by_hand, [0.3], [])


def test_an_error_of_the_function_is_its_own() -> None:
    def fails(x: Any) -> Any:
        decay(x, [0.1] * 20)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        trace(fails, [0.3], [])
