"""PyTorch and ONNX: converted models give the same outputs, and every weight survives the round trip."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chainrule import compile, nn, tanh
from chainrule.functional import logsumexp, take, where
from chainrule.interop import export_onnx, from_torch, to_torch
from chainrule.value import Value

from ...conftest import require
from ...near import near

ACTIVATIONS = ["tanh", "relu", "sigmoid", "gelu", "silu", "softplus", "elu", "leaky_relu", "linear"]
RNG = np.random.default_rng(0)


@pytest.fixture
def torch() -> Any:
    return require("torch")


@pytest.fixture
def onnx() -> Any:
    return require("onnx")


def outputs(model: Any, X: Any) -> Any:
    return np.column_stack([[v.data for v in np.atleast_1d(model(x))] for x in X]).T


def scattered(model: Any) -> Any:
    """A model with distinct parameters; the biases of a new one are all 0."""
    for i, p in enumerate(model.parameters(), 1):
        p.data += 0.01 * i
    return model


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_to_torch_and_back(torch: Any, activation: str) -> None:
    model = scattered(nn.MLP(3, [5, 4, 2], activation=activation, output_activation="tanh", seed=1))
    X = RNG.normal(size=(20, 3)) * 8
    moved = to_torch(model)
    found = moved(torch.tensor(X)).detach().numpy()
    tolerance = 1e-14 if activation == "gelu" else 0.0  # PyTorch computes 1 + erf, which cancels
    assert found == near(outputs(model, X), rel=1e-12, abs=tolerance)
    back = from_torch(moved)
    assert np.array_equal(outputs(back, X), outputs(model, X))
    weights = [[w.data for w in neuron.w] for neuron in model.layers[0].neurons]
    assert [[w.data for w in row] for row in back.layers[0].weight] == weights
    assert len(back.parameters()) == len(model.parameters())


def test_other_models_to_torch(torch: Any) -> None:
    sequential = scattered(nn.Sequential(nn.Layer(2, 3, "relu", seed=0), nn.Layer(3, 1, None, seed=1)))
    x = torch.tensor([[0.5, -1.0]], dtype=torch.float64)
    assert to_torch(sequential)(x).item() == near(sequential([0.5, -1.0]).data, ulps=4)
    neuron = scattered(nn.Neuron(2, seed=3))
    assert to_torch(neuron)(x).item() == near(neuron([0.5, -1.0]).data, ulps=4)


def test_unsupported_modules_are_rejected(torch: Any) -> None:
    with pytest.raises(TypeError, match="cannot convert Conv1d; supported: Linear, Embedding, Layer"):
        from_torch(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Conv1d(1, 1, 1)))
    with pytest.raises(TypeError, match="settings that chainrule does not have"):
        from_torch(torch.nn.Sequential(torch.nn.ELU(alpha=0.5)))
    with pytest.raises(TypeError, match=r"takes a torch.nn.Sequential"):
        from_torch(torch.nn.Linear(2, 2))
    with pytest.raises(TypeError, match="no module for the activation sin"):
        to_torch(nn.MLP(2, [2, 1], activation="sin", seed=0))
    mixed = nn.Layer(2, 2, "relu", seed=0)
    mixed.neurons[1].activation = tanh
    with pytest.raises(TypeError, match="no layer with the activation relu"):
        to_torch(mixed)
    with pytest.raises(TypeError, match="cannot convert int"):
        to_torch(3)  # type: ignore[arg-type]
    linear = torch.nn.Linear(2, 1, bias=False, dtype=torch.float64)
    without = torch.nn.Sequential(linear, torch.nn.Identity())
    expected = without(torch.tensor([[1.0, 2.0]], dtype=torch.float64)).item()
    assert from_torch(without)([1.0, 2.0])[0].data == near(expected, ulps=4)
    assert len(from_torch(without).parameters()) == 2


# --- converted correctly or rejected -------------------------------------------------------------


class Doubled(nn.MLP):
    def forward(self, x: Any) -> Any:
        return super().forward(x) * 2


class Called(nn.Sequential):
    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return super().__call__(*args, **keywords) * 2


class Reversed(nn.Layer):
    def forward(self, x: Any) -> Any:
        return super().forward(x)[::-1]


class Squared(nn.Neuron):
    def forward(self, x: Any) -> Any:
        return super().forward(x) ** 2


class Seeded(nn.MLP):
    """It overrides only the constructor, so it computes the same as an MLP."""

    def __init__(self, hidden: int) -> None:
        super().__init__(2, [hidden, 1], seed=7)


def replaced() -> Any:
    model = nn.MLP(2, [2, 1], seed=0)
    model.forward = lambda x: model.layers[0](x)[0]  # type: ignore[method-assign]
    return model


def with_neuron() -> Any:
    layer = nn.Layer(2, 3, seed=0)
    layer.neurons[1] = Squared(2, seed=1)
    return nn.Sequential(layer)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: Doubled(2, [2, 1], seed=0), "Doubled to PyTorch: it has a custom forward"),
        (
            lambda: nn.Sequential(Doubled(2, [2, 1], seed=0)),
            "Doubled to PyTorch: it has a custom forward",
        ),
        (lambda: Called(nn.Layer(2, 1, seed=0)), "Called to PyTorch: it has a custom __call__"),
        (lambda: nn.Sequential(Reversed(2, 2, seed=0)), "Reversed to PyTorch: it has a custom forward"),
        (with_neuron, "Squared to PyTorch: it has a custom forward"),
        (lambda: Squared(2, seed=0), "Squared to PyTorch: it has a custom forward"),
        (replaced, "MLP to PyTorch: it has a custom forward"),
    ],
)
def test_to_torch_rejects_overridden_methods(torch: Any, make: Any, name: str) -> None:
    message = f"^cannot convert {name}, which to_torch would ignore"
    with pytest.raises(TypeError, match=message):
        to_torch(make())


def test_to_torch_accepts_a_subclass_that_gives_the_same_results(torch: Any) -> None:
    model = Seeded(4)
    X = RNG.normal(size=(5, 2))
    found = to_torch(model)(torch.tensor(X)).detach().numpy()
    np.testing.assert_allclose(found, outputs(model, X), rtol=1e-13)


def test_to_torch_rejects_replaced_activations(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = nn.MLP(2, [3, 1], activation="relu", seed=0)
    monkeypatch.setattr(Value, "relu", lambda self: self * 3)
    message = r"^Layer\(2, 3, relu\) gives .*, but PyTorch gives .*: to_torch"
    with pytest.raises(TypeError, match=message):
        to_torch(model)


def test_to_torch_keeps_layers_tied(torch: Any) -> None:
    layer = nn.Layer(3, 3, "tanh", seed=0)
    model = nn.Sequential(layer, nn.Layer(3, 3, "relu", seed=1), layer)
    moved = to_torch(model)
    assert moved[0] is moved[4]
    assert len(list(moved.parameters())) == 4
    X = RNG.normal(size=(5, 3))
    found = moved(torch.tensor(X)).detach().numpy()
    np.testing.assert_allclose(found, outputs(model, X), rtol=1e-13, atol=1e-15)
    back = from_torch(moved)
    assert len(back.parameters()) == len(model.parameters()) == 24
    assert np.array_equal(outputs(back, X), outputs(model, X))


def test_to_torch_keeps_shared_weights_shared(torch: Any) -> None:
    first, second = nn.Layer(2, 2, seed=0), nn.Layer(2, 2, "relu", seed=1)
    for neuron, other in zip(first.neurons, second.neurons, strict=True):
        other.w = list(neuron.w)
    moved = to_torch(nn.Sequential(first, second))
    assert moved[0].weight is moved[2].weight
    assert moved[0].bias is not moved[2].bias
    second.neurons[0].w[0] = Value(1.0)  # now only three of the four weights are shared
    message = r"^two weights are the same Value, but PyTorch can share only whole layers"
    with pytest.raises(TypeError, match=message):
        to_torch(nn.Sequential(first, second))
    twice = nn.Layer(2, 2, seed=0)
    twice.neurons[1] = twice.neurons[0]
    with pytest.raises(TypeError, match=r"^two weights are the same Value"):
        to_torch(nn.Sequential(twice))


def test_to_torch_rejects_weights_that_are_not_parameters(torch: Any) -> None:
    model = nn.MLP(2, [2, 1], seed=0)
    model.layers[0].neurons[0].b = 0.0  # type: ignore[assignment]
    with pytest.raises(TypeError, match=r"^to_torch needs weights that are leaf Values, got 0\.0$"):
        to_torch(model)
    model.layers[0].neurons[0].b = Value(1.0) * 2
    with pytest.raises(TypeError, match=r"leaf Values, got a Value computed from others$"):
        to_torch(model)
    ragged = nn.Layer(2, 2, seed=0)
    ragged.neurons[1] = nn.Neuron(3, seed=0)
    with pytest.raises(TypeError, match=r"no layer whose neurons have \[2, 3\] inputs"):
        to_torch(nn.Sequential(ragged))


def torch_subclass(base: str, **attributes: Any) -> Any:
    torch = require("torch")
    return type(f"My{base}", (getattr(torch.nn, base),), attributes)


def doubled(self: Any, x: Any) -> Any:
    return super(type(self), self).forward(x) * 2


@pytest.mark.parametrize("base", ["Linear", "Tanh", "Identity", "Sequential", "GELU"])
@pytest.mark.parametrize("method", ["forward", "__call__", "instance"])
def test_from_torch_rejects_overridden_methods(torch: Any, base: str, method: str) -> None:
    kind = torch_subclass(base, **({} if method == "instance" else {method: doubled}))
    made = kind(2, 2) if base == "Linear" else kind()
    if method == "instance":
        made.forward = lambda x: 2 * x
    name = "__call__" if method == "__call__" else "forward"
    match = f"^cannot convert My{base}: it has a custom {name}, which from_torch would ignore"
    with pytest.raises(TypeError, match=match):
        from_torch(torch.nn.Sequential(torch.nn.Linear(2, 2), made))
    if base == "Sequential":
        with pytest.raises(TypeError, match=match):
            from_torch(made)


def test_from_torch_accepts_subclasses_that_give_the_same_results(torch: Any) -> None:
    linear = torch_subclass("Linear", extra=3)(2, 1, dtype=torch.float64)
    linear.register_buffer("unused", torch.zeros(1))
    module = torch_subclass("Sequential")(linear, torch_subclass("Tanh")())
    found = from_torch(module)([0.5, -2.0])[0].data
    x = torch.tensor([[0.5, -2.0]], dtype=torch.float64)
    assert abs(found - module(x).item()) <= 1e-15


COMPUTED, FROZEN = "its parameters are computed", "it has parameters with requires_grad=False"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda linear, nn: linear.register_forward_hook(lambda *a: None), "it has hooks"),
        (lambda linear, nn: linear.register_forward_pre_hook(lambda *a: None), "it has hooks"),
        (lambda linear, nn: linear.register_full_backward_hook(lambda *a: None), "it has hooks"),
        (lambda linear, nn: nn.utils.parametrizations.weight_norm(linear), COMPUTED),
        (lambda linear, nn: nn.utils.parametrizations.spectral_norm(linear), COMPUTED),
        (lambda linear, nn: linear.requires_grad_(False), FROZEN),
        (lambda linear, nn: linear.bias.requires_grad_(False), FROZEN),
    ],
)
def test_from_torch_rejects_changed_layers(torch: Any, change: Any, why: str) -> None:
    linear = torch.nn.Linear(2, 2)
    change(linear, torch.nn)
    name = type(linear).__name__
    with pytest.raises(TypeError, match=f"^cannot convert {name}: {why}"):
        from_torch(torch.nn.Sequential(linear, torch.nn.Tanh()))


def test_from_torch_rejects_hooks_on_activations_and_lazy_layers(torch: Any) -> None:
    act = torch.nn.Tanh()
    act.register_forward_hook(lambda module, x, y: 2 * y)
    with pytest.raises(TypeError, match=r"^cannot convert Tanh: it has hooks"):
        from_torch(torch.nn.Sequential(torch.nn.Linear(2, 2), act))
    outer = torch.nn.Sequential(torch.nn.Linear(2, 2))
    outer.register_forward_hook(lambda module, x, y: 2 * y)
    with pytest.raises(TypeError, match=r"^cannot convert Sequential: it has hooks"):
        from_torch(outer)
    message = r"^cannot convert LazyLinear: its parameters have no shape yet"
    with pytest.raises(TypeError, match=message):
        from_torch(torch.nn.Sequential(torch.nn.LazyLinear(2)))


def test_from_torch_keeps_layers_tied(torch: Any) -> None:
    torch.manual_seed(0)
    shared = torch.nn.Linear(3, 3, dtype=torch.float64)
    block = torch.nn.Sequential(shared, torch.nn.Tanh())
    module = torch.nn.Sequential(block, shared, torch.nn.ReLU(), block)
    model = from_torch(module)
    assert len(model.parameters()) == 12
    X = RNG.normal(size=(4, 3))
    expected = module(torch.tensor(X)).detach().numpy()
    np.testing.assert_allclose(outputs(model, X), expected, rtol=1e-13, atol=1e-15)
    total = sum(v * v for v in model(X[0].tolist()))
    total.backward()
    (module(torch.tensor(X[:1])) ** 2).sum().backward()
    grads = np.array([[w.grad for w in row] for row in model.layers[0].weight])
    np.testing.assert_allclose(grads, shared.weight.grad.numpy(), rtol=1e-12)


def test_from_torch_shares_parameters_and_rejects_shared_memory(torch: Any) -> None:
    first, second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
    second.weight = first.weight
    model = from_torch(torch.nn.Sequential(first, torch.nn.Tanh(), second))
    assert len(model.parameters()) == 9 + 3 + 3
    assert model.layers[0].weight[1][2] is model.layers[2].weight[1][2]
    second.weight = torch.nn.Parameter(first.weight.T)
    message = r"^two parameters share memory but are different objects"
    with pytest.raises(TypeError, match=message):
        from_torch(torch.nn.Sequential(first, torch.nn.Tanh(), second))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_from_torch_converts_every_dtype(torch: Any, dtype: str) -> None:
    linear = torch.nn.Linear(2, 2).to(getattr(torch, dtype))
    layer = from_torch(torch.nn.Sequential(linear)).layers[0]
    assert [[w.data for w in row] for row in layer.weight] == linear.weight.double().tolist()


def run_onnx(path: Path, *arrays: Any) -> list[Any]:
    runtime = require("onnxruntime")
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    kinds = {"tensor(float)": np.float32, "tensor(double)": np.float64}
    pairs = zip(session.get_inputs(), arrays, strict=True)
    return session.run(None, {each.name: np.asarray(array, kinds[each.type]) for each, array in pairs})


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("samples", [1, 7])
def test_networks_in_onnx(onnx: Any, activation: str, samples: int, tmp_path: Path) -> None:
    model = nn.MLP(3, [8, 8, 2], activation=activation, seed=2)
    path = tmp_path / "model.onnx"
    export_onnx(model, path)
    X = np.random.default_rng(samples).normal(size=(samples, 3)).astype(np.float32)
    expected = compile(model)(X.astype(float))
    for ours, theirs in zip(expected, run_onnx(path, X), strict=True):
        np.testing.assert_allclose(theirs, ours, rtol=1e-6, atol=1e-6)  # terms near 1 may cancel


def test_functions_in_onnx(onnx: Any, tmp_path: Path) -> None:
    model = nn.MLP(2, [4, 3], seed=0)

    def loss(x: Any, t: Any) -> Any:
        logits = model(x)
        losses = logsumexp(logits) - take(logits, t)
        return {"loss": losses, "large": where(x[0] > 0, x[1], 2.0), "one": 1.0}

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


def test_export_errors(onnx: Any, tmp_path: Path) -> None:
    two_axes = compile(lambda x: x * 2, axes=2)
    two_axes(np.ones((2, 3)))
    with pytest.raises(TypeError, match="with one batch axis, got axes=2"):
        export_onnx(two_axes, tmp_path / "x.onnx")
    with pytest.raises(FileNotFoundError):
        export_onnx(nn.MLP(2, [1], seed=0), tmp_path / "nowhere" / "x.onnx")
    with pytest.raises(ValueError, match="pass a batch"):
        export_onnx(compile(lambda x: x), tmp_path / "x.onnx")
    assert not list(tmp_path.iterdir())
