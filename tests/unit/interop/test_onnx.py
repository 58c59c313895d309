"""ONNX files give eager-mode results even for extreme floats, and their names do not collide."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chainrule import compile, functional, nn, ops
from chainrule.interop import export_onnx
from chainrule.value import Value

from ...conftest import require
from .test_interop import run_onnx

TOLERANCE = {np.float64: 1e-13, np.float32: 2e-6}
ROWS = [op for op in ops.TABLE if not isinstance(op, ops.Variadic)]


@pytest.fixture(autouse=True)
def onnx() -> Any:
    return require("onnx")


def in_onnx(function: Any, dtype: Any, folder: Path, *arrays: Any) -> Any:
    """Export the function to ONNX and run the file."""
    step = compile(function)
    step(*(np.ones_like(array[:2]) for array in arrays))
    export_onnx(step, folder / "f.onnx", dtype=dtype)
    (found,) = run_onnx(folder / "f.onnx", *arrays)
    return found


def grid(dtype: Any) -> Any:
    """Zeros, the smallest and largest floats, infinity, NaN, and points where formulas change."""
    limits = np.finfo(dtype)
    sizes = [0.0, limits.smallest_subnormal, limits.tiny, 1e-9, 0.03, 0.5, 0.7, 1.0, 2.0, 3.0, 20.0]
    sizes += [100.0, 709.9, 800.0, limits.max, np.inf]
    return np.array([*sizes, *(-x for x in sizes), np.nan], dtype)


def check(found: Any, eager: list[float], dtype: Any, absolute: float = 0.0) -> None:
    """The same infinities and NaNs, else close; zeros may differ in sign, subnormals may be flushed."""
    with np.errstate(over="ignore"):
        expected = np.array(eager).astype(dtype)
    absolute = max(absolute, float(np.finfo(dtype).tiny))
    np.testing.assert_allclose(found, expected, rtol=TOLERANCE[dtype], atol=absolute)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("op", ROWS, ids=lambda op: op.name)
def test_every_operation_on_the_special_grid(op: ops.Op, dtype: Any, tmp_path: Path) -> None:
    at = grid(dtype)
    if op.arity == 1:
        spread = np.random.default_rng(0).uniform(-6.0, 2.0, 200)
        at = np.concatenate([at, 10**spread, -(10**spread)]).astype(dtype)
    points = list(itertools.product(at[:: 1 if op.arity < 3 else 4], repeat=op.arity))
    found = in_onnx(lambda *x: Value._apply(op, x), dtype, tmp_path, *np.array(points, dtype).T)
    eager = [Value._apply(op, [Value(float(x)) for x in point]).data for point in points]
    has_zeros = op.name in ("lgamma", "digamma")  # where terms cancel
    check(found, eager, dtype, TOLERANCE[dtype] if has_zeros else 0.0)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(("op", "bound"), [(ops.cbrt, 2), (ops.silu, 6)], ids=["cbrt", "silu"])
def test_cbrt_and_silu_to_the_last_bits(op: ops.Op, bound: int, dtype: Any, tmp_path: Path) -> None:
    """The cube root once used pow, which was 100 ulps off; silu lost bits to a subnormal sigmoid."""
    limits, rng = np.finfo(dtype), np.random.default_rng(0)
    sizes = 10 ** rng.uniform(np.log10(limits.tiny), np.log10(limits.max), 500)
    subnormal = float(limits.smallest_subnormal) * rng.integers(1, 1 << 20, 50)
    at = np.concatenate([sizes, -sizes, subnormal, -subnormal, -rng.uniform(0.0, 800.0, 1000)])
    at = np.concatenate([at, -rng.uniform(80.0, 110.0, 500)]).astype(dtype)
    found = in_onnx(lambda x: Value._apply(op, [x]), dtype, tmp_path, at)
    eager = np.array([Value._apply(op, [Value(float(x))]).data for x in at], dtype)
    np.testing.assert_array_less(np.abs(found - eager) / np.spacing(np.abs(eager)), bound + 0.5)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "logsumexp", "dot"])
def test_every_fold_on_the_special_grid(name: str, dtype: Any, tmp_path: Path) -> None:
    row = getattr(functional, name)
    function = (lambda x: row(x, x[::-1])) if name == "dot" else row
    rows = np.array(list(itertools.product(grid(dtype), repeat=2)), dtype)
    found = in_onnx(lambda x: function(list(x)), dtype, tmp_path, rows)
    if name == "dot" and dtype is np.float32:  # eager mode adds in double precision
        rows, found = rows[np.isfinite(found)], found[np.isfinite(found)]
    check(found, [function([Value(float(x)) for x in row]).data for row in rows], dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_atan2_of_signed_zeros(dtype: Any, tmp_path: Path) -> None:
    y, x = np.array([[0.0, 0.0, -0.0, -0.0, -0.0, 0.0], [0.0, -0.0, 0.0, -0.0, 1.0, -1.0]], dtype)
    found = in_onnx(lambda y, x: functional.atan2(y, x), dtype, tmp_path, y, x)
    pi = dtype(np.pi)
    assert found.tolist() == [0.0, pi, 0.0, -pi, 0.0, pi]
    assert np.signbit(found).tolist() == np.signbit(np.arctan2(y, x)).tolist()


@pytest.mark.parametrize("activation", ["gelu", "silu", "softplus", "sigmoid", "elu"])
def test_networks_in_double_precision(activation: str, tmp_path: Path) -> None:
    model = nn.MLP(3, [8, 8, 2], activation=activation, seed=2)
    export_onnx(model, tmp_path / "model.onnx", dtype=np.float64)
    X = 10 * np.random.default_rng(0).normal(size=(20, 3))
    for ours, theirs in zip(compile(model)(X), run_onnx(tmp_path / "model.onnx", X), strict=True):
        np.testing.assert_allclose(theirs, ours, rtol=1e-12)


# --- names ---------------------------------------------------------------------------------------


def names(path: Path) -> tuple[list[str], list[str]]:
    session = require("onnxruntime").InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return [each.name for each in session.get_inputs()], [each.name for each in session.get_outputs()]


@pytest.mark.parametrize(
    ("function", "inputs", "outputs"),
    [
        (lambda x, x_, _x: x - 2 * x_ + 3 * _x, ["x", "x_", "_x"], ["output"]),
        (lambda output, y: output - y, ["output", "y"], ["output_2"]),
        (lambda output0, output1: [output0, -output1], None, ["output0_2", "output1_2"]),
        (lambda add1, parameters2: add1 - parameters2, ["add1", "parameters2"], ["output"]),
        (lambda transpose2, shape1, sub5: transpose2 - shape1 * sub5, None, ["output"]),
    ],
)
def test_names_do_not_collide(function: Any, inputs: Any, outputs: Any, tmp_path: Path) -> None:
    step = compile(function)
    arrays = np.arange(3.0 * step.function.__code__.co_argcount).reshape(-1, 3)
    expected = np.atleast_2d(step(*arrays))
    export_onnx(step, tmp_path / "f.onnx")
    inputs = inputs or list(function.__code__.co_varnames)
    assert names(tmp_path / "f.onnx") == (inputs, outputs)
    for ours, theirs in zip(expected, run_onnx(tmp_path / "f.onnx", *arrays), strict=True):
        np.testing.assert_array_equal(theirs, ours)


def test_keys_of_dicts_are_part_of_names(tmp_path: Path) -> None:
    """An argument that already has such a name keeps it."""
    step = compile(lambda at, at_x: at["x"] - at["y"] * at_x)
    batch = {"x": np.ones(3), "y": np.arange(3.0)}
    expected = step(batch, np.arange(3.0))
    export_onnx(step, tmp_path / "f.onnx")
    assert names(tmp_path / "f.onnx")[0] == ["at_x_2", "at_y", "at_x"]
    (found,) = run_onnx(tmp_path / "f.onnx", *batch.values(), np.arange(3.0))
    np.testing.assert_array_equal(found, expected)


# --- take ----------------------------------------------------------------------------------------

WRONG = [-1.0, -0.5, 0.5, 1.7, 2.999, 3.0, 1e9, 1e30, -np.inf, np.inf, np.nan]


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("kind", ["parameters", "numbers", "samples", "rows"])
def test_take_with_an_invalid_index_is_nan(kind: str, dtype: Any, tmp_path: Path) -> None:
    """Gather would accept -1, and a cast would turn 1.7 into 1; compiled functions raise for both."""
    shared: list[Any] = [Value(10.0), Value(20.0), Value(30.0)] if kind == "parameters" else [10, 20, 30]

    def function(i: Any, x: Any) -> Any:
        if kind == "rows":
            return functional.take([[10.0, x], [20.0, x], [30.0, x]], i)[0]
        return functional.take([10 * x, 20 * x, 30 * x] if kind == "samples" else shared, i) + 0 * x

    step = compile(function)
    good = np.array([0.0, 1.0, 2.0, -0.0])
    assert step(good, np.ones(4)).tolist() == [10.0, 20.0, 30.0, 10.0]
    for wrong in WRONG:
        with pytest.raises(IndexError, match=r"^take needs a whole number from 0 to 2, got "):
            step(np.array([wrong]), np.ones(1))
    export_onnx(step, tmp_path / "take.onnx", dtype=dtype)
    index = np.array([*good, *WRONG])
    (found,) = run_onnx(tmp_path / "take.onnx", index, np.ones(len(index)))
    assert found[:4].tolist() == [10.0, 20.0, 30.0, 10.0]
    assert np.isnan(found[4:]).all()
