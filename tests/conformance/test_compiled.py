"""Compares compiled random graphs and programs with eager mode, on all backends and instruction sets."""

import math
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, compile
from chainrule.value import c_core

from ..conftest import require, require_program
from .campaigns import (
    compiled_graphs,
    compiled_programs,
    eager_programs,
    exports,
    random_programs,
)
from .campaigns.eager_programs import DisagreementError
from .campaigns.program_writer import Case, make

CHUNK = 100
SIMD = ("base",) if c_core is None else [*c_core._simd_kernels()]


@pytest.mark.parametrize("first", range(0, 2000, CHUNK))
def test_random_graphs(first: int) -> None:
    compared = sum(compiled_graphs.compare(seed) for seed in range(first, first + CHUNK))
    assert compared > 0.8 * CHUNK


@pytest.mark.skipif(c_core is None, reason="needs the C core")
@pytest.mark.parametrize("simd", SIMD)
def test_random_graphs_with_every_instruction_set(simd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINRULE_SIMD", simd)
    compared = sum(compiled_graphs.compare(seed) for seed in range(5000, 5000 + CHUNK))
    assert compared > 0.8 * CHUNK


# --- whole programs ------------------------------------------------------------------------------

PROGRAMS = 10


@pytest.mark.parametrize("first", range(0, 120, PROGRAMS))
def test_random_programs(first: int) -> None:
    """Eager mode on both cores, finite differences, every backend and the exports agree."""
    assert random_programs.examine_some(range(first, first + PROGRAMS)) == []


@pytest.mark.parametrize("first", range(100_000, 100_020, PROGRAMS))
def test_random_programs_on_jax(first: int) -> None:
    require("jax")
    cases = [make(seed) for seed in range(first, first + PROGRAMS)]
    taking_part = [case for case in cases if compiled_programs.takes_part(case)]
    assert len(taking_part) > PROGRAMS // 2
    for each in taking_part:
        random_programs.examine(each, jax=True)


def case(*lines: str) -> Case:
    return Case(7, "\n".join(["def program(x):", *lines]) + "\n", "scalar", 1, 0)


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (["    return x * (2.0 if type(x) is float else 3.0)"], "reverse mode"),
        (["    return x * (2.0 if c.core == 'c' else 3.0)"], "plain call on the other core"),
        (["    return c.custom_op('wrong', lambda z: z * z, lambda z, out: z)(x)"], "differences"),
        (["    return x.missing + 1.0"], "plain call raised AttributeError"),
    ],
    ids=["a different value", "a different core", "a wrong derivative", "an exception"],
)
def test_disagreements_are_found(lines: list[str], what: str) -> None:
    if "core" in what and eager_programs.other_core() is None:
        pytest.skip("needs the C core")
    with pytest.raises(DisagreementError, match=what):
        random_programs.examine(case(*lines))


@pytest.mark.skipif(c_core is None, reason="needs the C core")
@pytest.mark.parametrize("size", [7, 17, compiled_programs.MANY])
def test_bits_that_depend_on_the_batch_are_found(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last sample of some batches is off by one bit."""
    right = compiled_programs.Steps.__call__

    def wrong(steps: Any, points: Any) -> Any:
        found = right(steps, points)
        if len(points) == size:
            found.each[-1] = np.nextafter(found.each[-1], np.inf)
        return found

    monkeypatch.setattr(compiled_programs.Steps, "__call__", wrong)
    monkeypatch.setattr(compiled_programs, "SIZES", (size, 8))
    with pytest.raises(DisagreementError, match="other bits than before"):
        random_programs.examine(case("    return c.sin(x)"))


@pytest.mark.parametrize(("language", "program"), [("c", "cc"), ("javascript", "node")])
@pytest.mark.parametrize("returned", ["c.sin(x) * 0.25", "[c.sin(x), x * 0.25]"])
def test_wrong_exports_are_found(
    language: str, program: str, returned: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or those that no compiler accepts, of which the other programs know nothing."""
    require_program(program)
    right, before, after = exports.written, "0.25", "0.26"

    def wrong(steps: Any, to: str) -> Any:
        texts = right(steps, to)
        edit = lambda text: text.replace(before, after) if to == language else text  # noqa: E731
        return {name: edit(text) for name, text in texts.items()}

    monkeypatch.setattr(exports, "written", wrong)
    with pytest.raises(DisagreementError, match=f"exported to {language}"):
        random_programs.examine(case(f"    return {returned}"))
    after = "("
    good = random_programs.run_here(Case(8, case("    return x").source, "scalar", 1, 0))
    bad = random_programs.run_here(case(f"    return {returned}"))
    (failure,) = exports.disagreements([*good, *bad])
    assert str(failure).startswith(f"seed 7, exporting to {language}: ")


def test_a_failing_program_is_shortened() -> None:
    """Irrelevant lines are removed; the message contains the seed and the program."""
    lines = ["    a = c.sin(x)", "    for i in range(3):", "        a = a + x"]
    lines += ["    b = 2.0 if type(x) is float else 3.0", "    return x * b"]
    with pytest.raises(DisagreementError) as caught:
        random_programs.examine(case(*lines))
    short = random_programs.shortened(caught.value, jax=False)
    assert short.case.source == case(*lines[-2:]).source
    assert str(short).startswith("seed 7, reverse mode: ")
    assert str(short).endswith(short.case.source)


def test_programs_are_reproducible_and_varied() -> None:
    assert make(11) == make(11)
    text = "".join(make(seed).source for seed in range(500))
    words = (
        "while for if elif else def lambda sorted( max( min( abs( c.take c.where c.grad(c.grad c.jvp "
    )
    for word in (words + "c.hessian c.no_grad c.less( ['u'] {'p':").split():
        assert word in text


# --- allowed differences -------------------------------------------------------------------------
# Random programs found them, and docs/numerics.md documents them.


@pytest.mark.skipif(c_core is None, reason="needs the C core")
def test_single_precision_changes_gradients_near_an_infinite_slope() -> None:
    """sin(atan2(0, -1.5)) is 1e-16 in double precision and -9e-8 in single: cbrt is steep there."""

    def function(x: Any) -> Any:
        return chainrule.cbrt(chainrule.sin(chainrule.atan2(x, -1.5)))

    exact = chainrule.grad(function)(0.0)
    slopes = {}
    for dtype in ("float64", "float32"):
        step = compile(function, reduction="sum", dtype=dtype)
        slopes[dtype] = float(step.value_and_grad(np.zeros(1), argnums=0)[1][0])
    assert abs(slopes["float64"] - exact) <= 1e-9 * exact
    # the slope of cbrt at the argument that single precision gives
    stored = float(np.float32(math.sin(float(np.float32(math.pi)))))
    assert abs(slopes["float32"] - chainrule.grad(chainrule.cbrt)(abs(stored)) / 1.5) <= 1e-5 * exact
    assert 50.0 < slopes["float32"] < 1e7 < exact


@pytest.mark.parametrize("backend", compiled_graphs.BACKENDS)
def test_a_shared_gradient_is_multiplied_once(backend: str) -> None:
    """The gradients of 65 samples are summed before one multiplication, not multiplied one by one."""
    weight = Value(0.7)
    tiny = 5e-324

    def function(x: Any) -> Any:
        return x + weight.tanh() * tiny

    slope = 1.0 - math.tanh(0.7) ** 2  # 0.63
    each = chainrule.grad(lambda w: w.tanh() * tiny)(0.7)
    assert each == tiny == slope * tiny
    step = compile(function, [weight], reduction="sum", backend=backend)
    _, (found,) = step.value_and_grad(np.arange(65.0))
    assert found == 65.0 * tiny * slope == 41 * tiny  # exact: 41.3 times the smallest number
    assert sum(each for _ in range(65)) == 65 * tiny


@pytest.mark.parametrize("backend", compiled_graphs.BACKENDS)
def test_repeated_expressions_are_computed_once(backend: str) -> None:
    """inf + 0 · inf is NaN, but (1 + 0) · inf is inf, as in eager mode with a shared expression."""

    def twice(b: Any) -> Any:
        return chainrule.tanh(b * math.inf) + b * math.inf

    def once(b: Any) -> Any:
        product = b * math.inf
        return chainrule.tanh(product) + product

    assert math.isnan(chainrule.grad(twice)(1.0))
    assert chainrule.grad(once)(1.0) == math.inf
    for function in (twice, once):
        step = compile(function, reduction="sum", backend=backend)
        assert step.value_and_grad(np.ones(1), argnums=0)[1].tolist() == [math.inf]
