"""PyTorch and ONNX: the same outputs there, and every weight back again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chainrule import compile, nn, ops
from chainrule.functional import logsumexp, take, where
from chainrule.interop import export_onnx, from_torch, to_torch
from chainrule.value import Value

from ..conftest import require

ACTIVATIONS = ["tanh", "relu", "sigmoid", "gelu", "silu", "softplus", "elu", "leaky_relu", "linear"]
RNG = np.random.default_rng(0)


def outputs(model: Any, X: Any) -> Any:
    return np.column_stack([[v.data for v in np.atleast_1d(model(x))] for x in X]).T


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_to_torch_and_back(activation: str) -> None:
    torch = require("torch")
    model = nn.MLP(3, [5, 4, 2], activation=activation, output_activation="tanh", seed=1)
    X = RNG.normal(size=(20, 3)) * 8
    moved = to_torch(model)
    assert moved(torch.tensor(X)).detach().numpy() == pytest.approx(
        outputs(model, X), rel=1e-12, abs=1e-14
    )
    back = from_torch(moved)
    assert np.array_equal(outputs(back, X), outputs(model, X))
    assert [p.data for p in back.parameters()] == [p.data for p in model.parameters()]


def test_other_models_to_torch() -> None:
    torch = require("torch")
    sequential = nn.Sequential(nn.Layer(2, 3, "relu", seed=0), nn.Layer(3, 1, None, seed=1))
    x = torch.tensor([[0.5, -1.0]], dtype=torch.float64)
    assert to_torch(sequential)(x).item() == pytest.approx(sequential([0.5, -1.0]).data)
    neuron = nn.Neuron(2, seed=3)
    assert to_torch(neuron)(x).item() == pytest.approx(neuron([0.5, -1.0]).data)


def test_what_torch_has_and_we_have_not() -> None:
    torch = require("torch")
    with pytest.raises(TypeError, match="cannot take over a Dropout"):
        from_torch(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout()))
    with pytest.raises(TypeError, match="settings that chainrule does not have"):
        from_torch(torch.nn.Sequential(torch.nn.ELU(alpha=0.5)))
    with pytest.raises(TypeError, match=r"takes a torch.nn.Sequential"):
        from_torch(torch.nn.Linear(2, 2))
    with pytest.raises(TypeError, match="no module for the activation sin"):
        to_torch(nn.MLP(2, [2, 1], activation="sin", seed=0))
    with pytest.raises(TypeError, match="cannot move a int"):
        to_torch(3)  # type: ignore[arg-type]
    without = torch.nn.Sequential(
        torch.nn.Linear(2, 1, bias=False, dtype=torch.float64), torch.nn.Identity()
    )
    assert from_torch(without)([1.0, 2.0]).data == pytest.approx(
        without(torch.tensor([[1.0, 2.0]], dtype=torch.float64)).item()
    )


def run_onnx(path: Path, *arrays: Any) -> list[Any]:
    runtime = require("onnxruntime")
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]
    kinds = {"tensor(float)": np.float32, "tensor(double)": np.float64}
    feed = {
        each.name: np.asarray(array, kinds[each.type])
        for each, array in zip(session.get_inputs(), arrays, strict=True)
    }
    assert list(feed) == names
    found: list[Any] = session.run(None, feed)
    return found


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("samples", [1, 7])
def test_networks_in_onnx(activation: str, samples: int, tmp_path: Path) -> None:
    require("onnx")
    model = nn.MLP(3, [8, 8, 2], activation=activation, seed=2)
    path = tmp_path / "model.onnx"
    export_onnx(model, path)
    X = np.random.default_rng(samples).normal(size=(samples, 3)).astype(np.float32)
    expected = compile(model)(X.astype(float))
    for ours, theirs in zip(expected, run_onnx(path, X), strict=True):
        np.testing.assert_allclose(theirs, ours, rtol=1e-6, atol=1e-6)  # of sums of terms near 1


@pytest.mark.parametrize(
    "op", [op for op in ops.TABLE if not isinstance(op, ops.Variadic)], ids=lambda o: o.name
)
def test_every_operation_in_onnx(op: ops.Op, tmp_path: Path) -> None:
    require("onnx")
    low = 1.1 if op.name == "acosh" else 0.1
    columns = list(RNG.uniform(low, low + 0.8, (op.arity, 9)).astype(np.float32))
    step = compile(lambda *x: Value._apply(op, x))
    expected = step(*(c.astype(float) for c in columns))
    export_onnx(step, tmp_path / "op.onnx")
    (found,) = run_onnx(tmp_path / "op.onnx", *columns)
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min", "logsumexp", "dot"])
def test_variadic_operations_in_onnx(name: str, tmp_path: Path) -> None:
    require("onnx")
    from chainrule import functional

    row = getattr(functional, name)
    step = compile((lambda x: row(x, x)) if name == "dot" else (lambda x: row(x)))
    X = RNG.normal(size=(6, 4)).astype(np.float32)
    expected = step(X.astype(float))
    export_onnx(step, tmp_path / "fold.onnx")
    (found,) = run_onnx(tmp_path / "fold.onnx", X)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_functions_in_onnx(tmp_path: Path) -> None:
    require("onnx")
    model = nn.MLP(2, [4, 3], seed=0)

    def loss(x: Any, t: Any) -> Any:
        logits = model(x)
        return {
            "loss": logsumexp(logits) - take(logits, t),
            "large": where(x[0] > 0, x[1], 2.0),
            "one": 1.0,
        }

    step = compile(loss)
    X, t = RNG.normal(size=(5, 2)).astype(np.float32), np.array([0, 1, 2, 1, 0])
    expected = step(X.astype(float), t)
    export_onnx(step, tmp_path / "loss.onnx", dtype=np.float64)
    found = run_onnx(tmp_path / "loss.onnx", X, t)
    for ours, theirs in zip(expected.values(), found, strict=True):
        np.testing.assert_allclose(theirs, ours, rtol=1e-9)
    table = [Value(float(i)) for i in range(5)]
    embedding = compile(lambda i: take(table, i) * 2)
    embedding(np.array([1, 2]))
    export_onnx(embedding, tmp_path / "take.onnx")
    assert run_onnx(tmp_path / "take.onnx", np.array([4, 0, 3]))[0].tolist() == [8.0, 0.0, 6.0]


def test_what_cannot_be_exported(tmp_path: Path) -> None:
    require("onnx")
    branching = compile(lambda x: x * 2 if x > 1 else x)
    branching(np.array([0.5, 2.0]))
    with pytest.raises(TypeError, match="branches on Values"):
        export_onnx(branching, tmp_path / "x.onnx")
    with pytest.raises(FileNotFoundError):
        export_onnx(nn.MLP(2, [1], seed=0), tmp_path / "nowhere" / "x.onnx")
    with pytest.raises(ValueError, match="say for which arguments"):
        export_onnx(compile(lambda x: x), tmp_path / "x.onnx")
    assert not list(tmp_path.iterdir())
