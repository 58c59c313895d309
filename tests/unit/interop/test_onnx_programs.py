"""ONNX files of whole programs: loops become Scan, branches become Where, and every batch axis fits."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chainrule import Value, compile, exp, log, sin, sqrt, take, tanh, where
from chainrule.compiler.pipeline import RolledPipeline
from chainrule.interop import export_onnx

from ...conformance.campaigns.compiled_programs import Steps, columns
from ...conformance.campaigns.eager_programs import samples
from ...conformance.campaigns.program_writer import make
from ...conftest import require
from ..compiler.loops.programs import Program
from ..compiler.loops.test_exported_loops import changing, chosen, kalman, layers, second_order
from .test_interop import run_onnx

DTYPES = {np.float64: 1e-12, np.float32: 3e-5}
RNG = np.random.default_rng(8)
W = Value(0.7, label="w")


@pytest.fixture(autouse=True)
def onnx() -> Any:
    return require("onnx")


def flat(tree: Any) -> list[Any]:
    """The arrays of a tree of lists, tuples and dicts."""
    if isinstance(tree, dict):
        tree = list(tree.values())
    return [x for part in tree for x in flat(part)] if isinstance(tree, (list, tuple)) else [tree]


def agrees(step: Any, batch: tuple[Any, ...], folder: Path, others: Any = None) -> list[str]:
    """Compare results in both precisions, also for other samples; the operators of the last file."""
    path = folder / "f.onnx"
    step(*batch)
    for dtype, tolerance in DTYPES.items():
        export_onnx(step, path, *batch, dtype=dtype)
        for given in (batch, others or batch):
            expected = flat(step(*given))
            found = run_onnx(path, *flat(given))
            for ours, theirs in zip(expected, found, strict=True):
                assert np.shape(ours) == theirs.shape
                scale = np.max(np.abs(ours), initial=1.0)
                np.testing.assert_allclose(theirs, ours, rtol=tolerance, atol=tolerance * scale)
    return operators(path)


def operators(path: Path) -> list[str]:
    return [node.op_type for node in require("onnx").load(path).graph.node]


def normal(*shape: int) -> Any:
    return RNG.normal(size=shape)


# --- loops -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", [kalman, layers, changing, second_order, chosen])
def test_a_loop_is_a_scan(program: Any, tmp_path: Path) -> None:
    p, y = RNG.uniform(0.1, 0.9, (3, 4)), RNG.uniform(-1.0, 1.0, (3, 40))
    found = agrees(compile(program, batch=(0, 0)), (p, y), tmp_path, (p[:1], y[:1]))
    assert "Scan" in found


def pendulum(angle: Any, speed: Any) -> Any:
    """A loop that reads no series."""
    path = [angle]
    for _ in range(60):
        speed = speed - 0.1 * sin(angle)
        angle = angle + 0.1 * speed
        path.append(angle)
    return [angle, speed, sum(path), path[30]]


def backwards(a: Any, x: Any, y: Any) -> Any:
    """A series from its end, another in steps of two, and a table of constants."""
    state = a
    for t in range(30):
        state = tanh(W * state + x[-1 - t]) * y[2 * t] + np.cos(0.1 * t * t)
    return state


def shared_loop(a: Any, series: Any) -> Any:
    """The loop depends on nothing that differs between samples."""
    state = total = W
    for x in series:
        state = tanh(state + x)
        total = total + exp(-state)
    return a * total + state


@pytest.mark.parametrize("samples", [1, 7])
def test_what_a_loop_reads(samples: int, tmp_path: Path) -> None:
    assert "Scan" in agrees(compile(pendulum), (normal(samples), normal(samples)), tmp_path)
    step = compile(backwards, batch=(0, None, 1))
    assert "Scan" in agrees(step, (normal(samples), normal(60), normal(60, samples)), tmp_path)
    step = compile(shared_loop, batch=(0, None))
    assert "Scan" in agrees(step, (normal(samples), normal(40)), tmp_path)


def test_nested_loops(tmp_path: Path) -> None:
    def f(x: Any, rows: Any) -> Any:
        state = x
        for row in rows:
            for weight in row:
                state = tanh(weight * state + W)
        return state

    agrees(compile(f, batch=(0, None)), (normal(4), normal(15, 6)), tmp_path, (normal(9), normal(15, 6)))


def test_a_file_does_not_grow_with_the_steps(tmp_path: Path) -> None:
    sizes = []
    for steps in (100, 1000):
        x, y = normal(3, steps), normal(3, steps)

        def f(x: Any, y: Any) -> Any:
            state, kept = 0.1, []
            for a, b in zip(x, reversed(y), strict=True):
                state = tanh(0.5 * state + W * a * b)
                kept.append(state)
            return sum(kept) / len(kept), state

        agrees(compile(f), (x, y), tmp_path)
        sizes.append((tmp_path / "f.onnx").stat().st_size)
    assert sizes[1] < 5000
    assert sizes[1] - sizes[0] < 20


def test_random_programs(tmp_path: Path) -> None:
    scans = 0
    for seed in range(12):
        program = Program(seed)
        step = compile(program, batch=(None, 0))
        batch = program.theta, program.series + 0.1 * normal(3, len(program.series))
        step(*batch)
        ((variant,),) = step.variants.values()
        found = agrees(step, batch, tmp_path)
        assert ("Scan" in found) == isinstance(variant.pipeline, RolledPipeline)
        scans += "Scan" in found
    assert scans >= 3


# --- arguments -------------------------------------------------------------------------------------


def test_shared_arguments_and_batch_axes(tmp_path: Path) -> None:
    step = compile(
        lambda x, tree, s: [x[0] * tree["a"][1] + W, tree["b"] * x[1] * s],
        batch=(1, {"a": None, "b": 0}, None),
    )
    batch = normal(2, 5), {"a": normal(3), "b": normal(5)}, np.float64(0.3)
    others = normal(2, 1), {"a": normal(3), "b": normal(1)}, np.float64(-0.4)
    agrees(step, batch, tmp_path, others)
    session = require("onnxruntime").InferenceSession(str(tmp_path / "f.onnx"))
    shapes = [each.shape for each in session.get_inputs()]
    assert shapes == [[2, "batch"], [3], ["batch"], []]


def test_one_sample_without_a_batch_axis(tmp_path: Path) -> None:
    step = compile(lambda x, y: [sum(x) * y, where(y > 0, x[0], x[1])], batch=None)
    agrees(step, (normal(3), np.float64(0.5)), tmp_path, (normal(3), np.float64(-0.5)))


# --- branches --------------------------------------------------------------------------------------


def rooted(x: Any, y: Any) -> Any:
    if x > 0:
        return sqrt(x) * y * W, x
    if y > 1:
        return log(W * (y - 1)) * x, W
    return -y, x / (y - 2)


def looping(x: Any, series: Any) -> Any:
    state = x
    for r in series:
        state = sin(state) + W * r
    if state > 0:
        return sqrt(state)
    for r in series:
        state = state * tanh(r - x) - 0.1
    return state


def test_each_sample_takes_its_branch(tmp_path: Path) -> None:
    batch = np.array([-1.0, 0, 2, 4, -3]), np.array([2.0, 0.5, 1, 3, 0.25])
    agrees(compile(rooted), batch, tmp_path, (batch[0][:1], batch[1][:1]))
    step = compile(looping, batch=(0, None))
    found = agrees(step, (np.array([-1.5, 0.7, 3.0]), normal(50)), tmp_path)
    assert found.count("Scan") >= 2
    one = compile(lambda x: take([x, 2.0, 3.0], 0 * x) if x < 1 else -x, batch=None)
    one(0.5)
    agrees(one, (np.float64(2.0),), tmp_path, (np.float64(0.25),))


def test_a_branch_that_was_not_traced_gives_nan(tmp_path: Path) -> None:
    step = compile(rooted)
    step(np.array([1.0]), np.array([1.0]))
    export_onnx(step, tmp_path / "f.onnx", dtype=np.float64)
    first, second = run_onnx(tmp_path / "f.onnx", [4.0, -1.0, np.nan], [3.0, 3.0, 1.0])
    assert first[0] == 6 * W.data
    assert np.isnan(first[1:]).all()
    assert np.isnan(second[1:]).all()


def test_random_programs_with_branches(tmp_path: Path) -> None:
    paths = 0
    for seed in range(2000, 2011):
        case = make(seed)
        step = Steps(case).outputs
        batch = columns(case, samples(case, exact=True) + samples(case, exact=False))
        expected = [np.asarray(array) for array in flat(step(*batch))]
        export_onnx(step, tmp_path / "f.onnx", *batch, dtype=np.float64)
        found = run_onnx(tmp_path / "f.onnx", *flat(batch))
        rows = [row for array in expected for row in array.reshape(len(array), -1).T]
        np.testing.assert_allclose(found, rows, rtol=1e-9, atol=1e-9)
        paths += len(step.traces()) > 1
    assert paths >= 6
