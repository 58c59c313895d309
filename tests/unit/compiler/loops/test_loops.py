"""A Python `for` becomes a loop of the program, with the results of eager mode."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import chainrule as cr
from chainrule.compiler.backends import native
from chainrule.compiler.backends.kernels import building
from chainrule.compiler.codegen.values import Lanes
from chainrule.compiler.instructions import Gather, Loop, Map, Move, View
from chainrule.compiler.pipeline import RolledPipeline
from chainrule.compiler.program import Program
from chainrule.compiler.reverse import reverse
from chainrule.ops import TABLE
from tests.near import near

from .programs import check, decay

needs_c = pytest.mark.skipif(cr.core != "c", reason="needs the compiled core")


def loops_of(f: Any) -> list[Loop]:
    """The loops of the only program for values."""
    (variants,) = f.variants.values()
    (variant,) = variants
    if not isinstance(variant.pipeline, RolledPipeline):
        return []
    program = variant.pipeline.lowered(variant.count, variant.inputs, False)
    return [each for each in [*program.shared, *program.each] if isinstance(each, Loop)]


def agree(function: Callable[..., Any], *arguments: Any, backend: Any = None) -> Any:
    """Compile a function of one sample, compare with eager mode, and return it."""
    f = cr.compile(function, batch=None, backend=backend)
    places = tuple(range(len(arguments)))
    value, grads = cr.value_and_grad(function, argnums=places)(*arguments)
    got, found = f.value_and_grad(*arguments, argnums=places)
    assert got == near(value, rel=1e-12)
    for ours, theirs in zip(found, grads, strict=True):
        assert ours == near(theirs, rel=1e-10, abs=1e-14)
    assert f(*arguments) == near(value, rel=1e-12)
    return f


def test_a_for_becomes_a_loop_as_long_as_one_step() -> None:
    rates = np.linspace(0.1, 0.5, 200)
    f = agree(decay, 0.3, rates)
    (loop,) = loops_of(f)
    assert loop.count >= 197
    assert len(loop.body) < 15
    (variants,) = f.variants.values()
    assert "repeat 19" in variants[0].describe()


@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed: int) -> None:
    check(seed)


@pytest.mark.parametrize(
    ("others", "counts"),
    [
        *(([30], [29, 29]), ([40, 41, 43, 46, 47, 51, 53, 54, 58], [39])),
        (range(20, 40), [19, 20, 20]),
    ],
)
def test_steps_with_another_argument_end_a_loop(others: list[int], counts: list[int]) -> None:
    """Theirs was computed just before, that of the steps in a loop before it."""

    def f(x: Any, numbers: Any) -> Any:
        early, y = cr.exp(x), x
        for k, number in enumerate(numbers):
            now = cr.sin(y + number)
            y = cr.tanh(y) * (now if k in others else early) + cr.cos(now)
        return y

    assert [each.count for each in loops_of(agree(f, 0.3, np.linspace(0.1, 0.5, 60)))] == counts


def test_a_loop_that_runs_in_order_has_at_least_twelve_copies() -> None:
    """Fewer are straight code: they may be the layers of a network, which become products."""
    programs = [cr.compile(decay, batch=None) for _ in range(9, 20)]
    counts = []
    for steps, f in enumerate(programs, 9):
        f(0.3, np.linspace(0.1, 0.5, steps))
        counts.append([loop.count for loop in loops_of(f)])
    assert counts == sorted(counts)
    assert counts[0] == []
    assert next(count for count in counts if count) == [12]


def require_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Build kernels at once; skip where there is nothing to build them with."""
    monkeypatch.setenv("CHAINRULE_KERNELS", "wait")
    if reason := building.unavailable():
        pytest.skip(f"no kernels: {reason}")


def test_the_program_says_what_became_of_its_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    require_kernels(monkeypatch)
    rates = np.linspace(0.1, 0.5, 100)
    f = agree(decay, 0.3, rates)
    assert re.search(r"kernel for values and gradients of one sample: built in \d+\.\d\d s", f.program)
    g = cr.compile(lambda rows, x: [cr.dot(row, x) for row in rows], batch=(None, 0))
    g(np.ones((50, 50)), np.ones((9, 50)))
    assert "kernel for values of many samples: none, because its matrix products are large" in g.program


def test_a_mode_of_kernels_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    require_kernels(monkeypatch)
    monkeypatch.setenv("CHAINRULE_KERNELS", "sometimes")
    with pytest.raises(Exception, match="CHAINRULE_KERNELS must be on, off or wait, got 'sometimes'"):
        cr.compile(decay, batch=None)(0.3, np.linspace(0.1, 0.5, 100))


def test_a_kernel_takes_over_after_some_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    require_kernels(monkeypatch)
    monkeypatch.setenv("CHAINRULE_KERNELS", "on")
    rates = np.linspace(0.1, 0.5, 300)
    f = cr.compile(decay, batch=None)
    first = f.value_and_grad(0.3, rates, argnums=1)
    assert "kernel" not in f.program
    for _ in range(2000):
        value, gradient = f.value_and_grad(0.3, rates, argnums=1)
        assert value == first[0]
        assert (gradient == first[1]).all()
        if "built in" in f.program:
            break
        time.sleep(0.01)
    assert "values and gradients of one sample: built in" in f.program
    value, gradient = f.value_and_grad(0.3, rates, argnums=1)
    assert value == first[0]
    assert (gradient == first[1]).all()


@needs_c
@pytest.mark.parametrize("f", [decay, lambda x, rates: [decay(x, rates)]])
def test_planned_calls_run_the_kernel(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINRULE_KERNELS", "wait")
    if building.unavailable():
        pytest.skip("needs a C compiler")
    run, machines = native.c_core.run_machine, []

    def recorded(machine: Any, *arguments: Any) -> None:
        machines.append(machine)
        run(machine, *arguments)

    monkeypatch.setattr(native.c_core, "run_machine", recorded)
    step, rates = cr.compile(f, batch=None), np.linspace(0.1, 0.5, 200)
    first, second, third = step(0.3, rates), step(0.3, rates), step(0.3, rates)
    assert first == second == third
    (variants,) = step.variants.values()
    (machine,) = variants[0].machines.values()
    kernel = machine.kernels.built[Lanes.ONE].machine
    assert [each is kernel for each in machines] == [True, True, True]


def test_what_is_carried_over_two_steps() -> None:
    def fibonacci(x: Any, weights: Any) -> Any:
        old, new = x, 2.0 * x
        for w in weights:
            old, new = new, w * new + cr.sin(old)
        return new

    (loop,) = loops_of(agree(fibonacci, 0.4, np.linspace(-0.5, 0.5, 60)))
    assert loop.count >= 57


@pytest.mark.parametrize(
    "order", [slice(None), slice(None, None, -1), slice(None, None, 3), slice(5, 150)]
)
def test_inputs_in_any_order(order: slice) -> None:
    series = np.cos(np.arange(150.0))
    assert loops_of(agree(lambda x, ys: decay(x, ys[order]), 0.3, series))


def test_constants_that_differ_from_step_to_step() -> None:
    rates = [0.1, 0.7, 0.1, 0.3, 0.3, 0.2] * 12
    assert loops_of(agree(lambda x, k: decay(x, [k * rate for rate in rates]), 0.3, 1.1))
    assert loops_of(agree(lambda x: decay(x, rates), 0.3))


@pytest.mark.parametrize("samples", [1, 8, 9])
def test_series_of_inputs_and_constants(samples: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step takes another input, and some a constant: all are copied to one place first."""

    def mixed(x: Any, y: Any) -> Any:
        state = x
        for t in range(30):
            rate = (x, y)[t % 2] if t not in (7, 20) else 0.5
            state = cr.tanh(state * 0.9 + cr.sin(state) * rate + 0.1 * cr.cos(state))
        return state

    def reversed_history(x: Any, y: Any) -> Any:
        history = [0.5]
        for _ in range(30):
            last = history[-1]
            history.append(cr.tanh(last * x + cr.sin(last) * y + 0.1 * cr.cos(last)))
        state = x
        for old, new in zip(reversed(history), history, strict=True):
            state = cr.tanh(state + old * new + cr.sin(state))
        return state

    x, y = np.linspace(0.1, 1.0, samples), np.linspace(-1.0, 1.0, samples)
    for function in (mixed, reversed_history):
        found = []
        for mode in ("off", "wait"):
            monkeypatch.setenv("CHAINRULE_KERNELS", mode)
            f = cr.compile(function, batch=(0, 0), reduction="sum")
            value, (dx, dy) = f.value_and_grad(x, y, argnums=(0, 1))
            found.append([value, *dx, *dy, *f(x, y)])
            assert loops_of(f)
        assert found[0] == found[1]
        want = [cr.value_and_grad(function, argnums=(0, 1))(*pair) for pair in zip(x, y, strict=True)]
        slopes = [g for k in (0, 1) for _, grads in want for g in [grads[k]]]
        values = [v for v, _ in want]
        assert found[0] == near([sum(values), *slopes, *values], rel=1e-10, abs=1e-14)


def test_first_and_last_steps_that_differ() -> None:
    def uneven(x: Any, rates: Any) -> Any:
        for t, rate in enumerate(rates):
            x = x + rate * (cr.exp(-x) if t < 3 or t > 70 else cr.sin(x) * cr.cos(x))
        return x

    longest = max(loop.count for loop in loops_of(agree(uneven, 0.3, np.linspace(0.1, 0.5, 80))))
    assert 64 <= longest <= 68


def test_results_of_every_step() -> None:
    def path(x: Any, rate: Any) -> Any:
        found = []
        for _ in range(60):
            x = x + 0.1 * cr.sin(rate * x)
            found.append(x)
        return found

    f = cr.compile(path, batch=None)
    want = path(cr.Value(0.5), cr.Value(1.3))
    assert f(0.5, 1.3) == near([v.data for v in want], rel=1e-13)
    assert loops_of(f)
    want = cr.jacobian(lambda r: path(0.5, r))(1.3)
    assert f.jacobian(0.5, 1.3, argnums=1) == near(np.asarray(want), rel=1e-10)


@pytest.mark.parametrize("fold", [cr.sum, cr.mean, cr.logsumexp, cr.max, cr.norm])
def test_folds_over_what_a_loop_collects(
    fold: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def collected(x: Any, rates: Any) -> Any:
        found = []
        for rate in rates:
            x = cr.tanh(x * 1.5 + rate)
            found.append(x)
        return fold(found)

    assert loops_of(agree(collected, 0.3, np.linspace(-0.4, 0.5, 90)))
    if cr.core != "c":
        return
    require_kernels(monkeypatch)
    f = agree(collected, 0.3, np.linspace(-0.4, 0.5, 90))
    assert "kernel for values and gradients of one sample: built" in f.program


def test_branches_inside_a_loop_are_guards_of_every_step() -> None:
    def bounce(x: Any, v: Any) -> Any:
        for _ in range(40):
            x, v = x + 0.1 * v, v - 0.05 * cr.sin(x)
            if x < 0.0:
                x, v = -x, -0.9 * v
        return x

    f = cr.compile(bounce, batch=(0, 0), reduction="sum")
    x, v = np.array([1.0, 0.2, 3.0, 0.1]), np.array([0.3, -0.2, 0.1, -0.9])
    want = [cr.value_and_grad(bounce, argnums=(0, 1))(*pair) for pair in zip(x, v, strict=True)]
    value, (dx, dv) = f.value_and_grad(x, v, argnums=(0, 1))
    assert value == near(sum(w for w, _ in want), rel=1e-12)
    assert dx == near(np.array([g[0] for _, g in want]), rel=1e-10)
    assert dv == near(np.array([g[1] for _, g in want]), rel=1e-10)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_branch_of_where_that_is_not_taken_gets_no_gradient(backend: Any) -> None:
    """sqrt has an infinite slope at 0, where the other branch is taken."""

    def guarded(x: Any, ys: Any) -> Any:
        total = x
        for y in ys:
            total = total + cr.where(y > 0.0, cr.sqrt(y * x), 0.5 * cr.sin(total))
        return total

    ys = np.array([1.0, 0.0, 2.0, 0.0, 0.0, 0.5] * 15)
    if backend == "numpy" or cr.core == "c":
        assert loops_of(agree(guarded, 0.7, ys, backend=backend))


def test_a_result_that_later_steps_use_only_sometimes_gets_its_mask() -> None:
    """The slope of sqrt at 0 is infinite, and the step after it does not use it."""

    def gated(x: Any, ys: Any) -> Any:
        root, total = x, 0.0
        for y, next_y in pairwise(ys):
            total = total + cr.where(y > 0.0, root * y, 0.1 * cr.tanh(total))
            root = cr.sqrt(x * cr.maximum(next_y, 0.0))
        return total

    ys = np.array([1.0, -0.5, -0.1, 2.0, 0.3] * 20)
    gradient = cr.grad(gated)(0.7, ys)
    assert np.isfinite(gradient)
    agree(gated, 0.7, ys)


def test_forward_over_reverse_of_a_loop() -> None:
    rates = np.linspace(0.1, 0.5, 40)
    f = cr.compile(decay, batch=None)
    for argnums in (0, 1):
        got = f.hessian(0.3, rates, argnums=argnums)
        want = cr.hessian(decay, argnums=argnums)(0.3, rates)
        assert got == near(np.asarray(want), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("samples", [1, 5, 9])
def test_a_loop_over_large_products(samples: int) -> None:
    """A recurrent network of 18 units, whose weights all steps share, with `take` and biases."""
    rng = np.random.default_rng(3)
    recurrent, embeddings, biases = (0.3 * rng.normal(size=s) for s in ((18, 18), (4, 18), (18,)))
    texts = rng.integers(0, 4, (samples, 20)).astype(float)

    def network(recurrent: Any, embeddings: Any, biases: Any, text: Any) -> Any:
        hidden: list[Any] = [0.1] * 18
        for character in text:
            rows = zip(cr.take(embeddings, character), recurrent, biases, strict=True)
            hidden = [cr.tanh(x + cr.dot(row, hidden) + bias) for x, row, bias in rows]
        return cr.logsumexp(hidden)

    arguments = (recurrent, embeddings, biases, texts)
    f = cr.compile(network, batch=(None, None, None, 0), reduction="sum")
    value, grads = f.value_and_grad(*arguments, argnums=(0, 1, 2))
    wanted = [cr.value_and_grad(network, argnums=(0, 1, 2))(*arguments[:3], text) for text in texts]
    assert value == near(sum(w for w, _ in wanted), rel=1e-12)
    for k, got in enumerate(grads):
        assert got == near(sum(np.asarray(g[k]) for _, g in wanted), rel=1e-9, abs=1e-13)
    assert loops_of(f)
    assert "dense" in f.program


@pytest.mark.parametrize("sizes", [[16, 16, 1], [8] * 8])
def test_the_layers_of_a_network_stay_matrix_products(sizes: list[int]) -> None:
    model = cr.nn.MLP(3, sizes)
    f = cr.compile(lambda x: model(x))
    f(np.ones((10, 3)))
    assert loops_of(f) == []
    assert "dense" in f.program


def test_a_recurrent_network_is_a_loop() -> None:
    generator = np.random.default_rng(0)
    u, w, xs = generator.normal(size=(5, 5)), generator.normal(size=5), generator.normal(size=40)

    def network(u: Any, w: Any, xs: Any) -> Any:
        h = [0.0] * 5
        for x in xs:
            h = [
                cr.tanh(sum(a * b for a, b in zip(row, h, strict=True)) + k * x)
                for row, k in zip(u, w, strict=True)
            ]
        return h[0]

    assert loops_of(agree(network, u, w, xs))


def small_loop() -> tuple[Loop, Program]:
    """x -> sin(x), ten times."""
    sin = next(op for op in TABLE if op.name == "sin")
    body = (Map(False, 3, 1, sin, (View(False, 2),)), Gather(False, 4, (3,)))
    loop = Loop(10, 2, 2, 1, body, (Move(2, (2,)), Move(2, (2,))))
    program = Program(0, 1, (), 0, 23, [], [Gather(False, 2, (0,)), loop], [View(False, 22)])
    return loop, program


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_program_with_a_loop(backend: str) -> None:
    _, program = small_loop()
    back = reverse(program.verify(), False, [0]).verify(program, [0])
    assert "backwards" in str(back)
    x, slope = 0.8, 1.0
    for _ in range(10):
        slope *= np.cos(x)
        x = np.sin(x)
    if backend == "native" and cr.core != "c":
        return
    from chainrule.compiler.backends import numpy as reference
    from chainrule.compiler.inputs import Inputs

    module = native if backend == "native" else reference
    found = module.Machine(program, back).run(
        np.zeros(0), Inputs([np.array([[0.8, 0.8]])], (2,)), np.ones(2), [0]
    )
    assert np.asarray(found.outputs)[0] == near(np.array([x, x]), rel=1e-14)
    assert found.input_adjoints[0] == near(np.array([slope, slope]), rel=1e-14)


@needs_c
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"count": 0}, "malformed"),
        ({"count": 2**30}, "malformed"),
        ({"moves": (Move(40, (2,)), Move(2, (2,)))}, "malformed"),
        ({"moves": (Move(-1, (2,)), Move(2, (2,)))}, "malformed"),
        ({"body": ()}, "malformed"),
    ],
)
def test_the_machine_refuses_loops_that_leave_the_memory(change: dict[str, Any], message: str) -> None:
    from dataclasses import replace

    loop, program = small_loop()
    moves = change.get("moves", loop.moves)
    body = change.get("body", loop.body)
    broken = replace(loop, body=body or loop.body, moves=moves, count=change.get("count", loop.count))
    each = native.encode([program.each[0], broken], {id(program.each[0]): 0, id(loop.body[1]): 1})
    if not body:
        each = each[:2]
    parts = list(native.encoded(program))
    parts[7] = each
    with pytest.raises(ValueError, match=message):
        native.c_core.machine(*parts)
