"""The layers that PyTorch has too: the same numbers, gradients and initial distribution."""

import json
import math
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, load, nn, save
from chainrule.compiler import CompileError
from chainrule.interop import from_torch, to_torch
from chainrule.nn.architectures import TORCH_LAYERS, architecture_of, count
from chainrule.nn.saving import ModelFileError
from chainrule.support.tree import flatten
from chainrule.train import accuracy, fit
from chainrule.value import c_core

from ...conftest import require
from ...near import near

RNG = np.random.default_rng(0)
VECTORS: dict[str, Callable[[], Any]] = {
    "Linear(4, 3)": lambda: nn.Linear(4, 3, seed=1),
    "Linear(4, 1)": lambda: nn.Linear(4, 1, seed=1),
    "Linear(4, 3, bias=False)": lambda: nn.Linear(4, 3, False, seed=1),
    "LayerNorm(4)": lambda: nn.LayerNorm(4),
    "LayerNorm(4, eps=0.1)": lambda: nn.LayerNorm([4], 0.1),
    "LayerNorm(4, elementwise_affine=False)": lambda: nn.LayerNorm((4,), elementwise_affine=False),
    "LayerNorm(4, bias=False)": lambda: nn.LayerNorm(4, bias=False),
}
CELLS: dict[str, Callable[[], Any]] = {
    "RNNCell(4, 3)": lambda: nn.RNNCell(4, 3, seed=1),
    "RNNCell(4, 3, nonlinearity='relu')": lambda: nn.RNNCell(4, 3, True, "relu", seed=1),
    "RNNCell(4, 1, bias=False)": lambda: nn.RNNCell(4, 1, bias=False, seed=1),
    "LSTMCell(4, 3)": lambda: nn.LSTMCell(4, 3, seed=1),
    "LSTMCell(4, 3, bias=False)": lambda: nn.LSTMCell(4, 3, bias=False, seed=1),
    "GRUCell(4, 3)": lambda: nn.GRUCell(4, 3, seed=1),
    "GRUCell(4, 3, bias=False)": lambda: nn.GRUCell(4, 3, False, seed=1),
}
OTHERS: dict[str, Callable[[], Any]] = {
    "Embedding(5, 3)": lambda: nn.Embedding(5, 3, seed=1),
    "Dropout(0.25)": lambda: nn.Dropout(0.25),
}
EVERY = {**VECTORS, **CELLS, **OTHERS}


@pytest.fixture
def torch() -> Any:
    return require("torch")


def scattered(layer: Any) -> Any:
    """A layer with distinct parameters: those of a new LayerNorm are all 1 and 0."""
    for i, p in enumerate(layer.parameters()):
        p.data += 0.1 * math.sin(i)
    return layer


def total(outputs: Any) -> Any:
    """One number that depends on every output in its own way."""
    return sum((v * math.sin(i + 1.0) for i, v in enumerate(flatten(outputs)[0])), Value(0.0))


def torch_total(torch: Any, outputs: Any) -> Any:
    parts = outputs if isinstance(outputs, tuple) else (outputs,)
    flat = torch.cat([part.reshape(-1) for part in parts])
    return (flat * torch.sin(torch.arange(1.0, len(flat) + 1.0, dtype=torch.float64))).sum()


def numbers(outputs: Any) -> list[float]:
    return [v.data for v in flatten(outputs)[0]]


def compare_gradients(layer: Any, twin: Any) -> None:
    for name, parameter in twin.named_parameters():
        grads = [p.grad for p in flatten(getattr(layer, name))[0]]
        assert grads == near(parameter.grad.reshape(-1).tolist(), rel=1e-11, abs=1e-13), name


# --- outputs and gradients -----------------------------------------------------------------------


@pytest.mark.parametrize("name", VECTORS)
def test_vectors(torch: Any, name: str) -> None:
    layer = scattered(VECTORS[name]())
    (twin,) = to_torch(layer)
    x = [Value(v) for v in RNG.normal(size=4) * 3]
    tensor = torch.tensor([v.data for v in x], dtype=torch.float64, requires_grad=True)
    outputs, expected = layer(x), twin(tensor)
    assert numbers(outputs) == near(expected.tolist(), rel=1e-12, abs=1e-14)
    total(outputs).backward()
    torch_total(torch, expected).backward()
    compare_gradients(layer, twin)
    assert [v.grad for v in x] == near(tensor.grad.tolist(), rel=1e-10, abs=1e-13)


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("given", [False, True])
def test_three_steps_of_a_cell(torch: Any, name: str, given: bool) -> None:
    cell = CELLS[name]()
    (twin,) = to_torch(cell)
    steps, size = RNG.normal(size=(3, 4)), cell.hidden_size
    start = (RNG.normal(size=size), RNG.normal(size=size))
    pair = isinstance(cell, nn.LSTMCell)
    state: Any = None
    tensors: Any = None
    if given:
        state = start if pair else start[0]
        tensors = tuple(map(torch.tensor, start)) if pair else torch.tensor(start[0])
    for x in steps:
        state, tensors = cell(x, state), twin(torch.tensor(x), tensors)
    expected = [v for part in (tensors if pair else (tensors,)) for v in part.tolist()]
    assert numbers(state) == near(expected, rel=1e-12, abs=1e-14)
    total(state).backward()
    torch_total(torch, tensors).backward()
    compare_gradients(cell, twin)


def test_embedding(torch: Any) -> None:
    layer = nn.Embedding(5, 3, seed=1)
    (twin,) = to_torch(layer)
    index = [4, 0, 4]
    outputs, expected = layer(index), twin(torch.tensor(index))
    assert numbers(outputs) == expected.reshape(-1).tolist()
    total(outputs).backward()
    torch_total(torch, expected).backward()
    compare_gradients(layer, twin)
    for one in (4, 4.0, np.int64(4), np.array(4), Value(4.0)):
        assert numbers(layer(one)) == twin(torch.tensor(4)).tolist()
    assert layer(np.array([[1, 2], [3, 4]]))[1][0] == layer(3)
    layer(3).clear()  # a copy: the table is unchanged
    assert len(layer.weight[3]) == 3
    for wrong in (5, -1, 0.5):
        with pytest.raises(IndexError, match=rf"^take needs a whole number from 0 to 4, got {wrong}$"):
            layer(wrong)


# --- initial parameters --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Linear", "RNNCell", "LSTMCell", "GRUCell", "Embedding"])
def test_initial_parameters_have_pytorchs_distribution(torch: Any, name: str) -> None:
    """Range and moments of every parameter, for 40 layers here and 40 there."""
    layers = [TORCH_LAYERS[name](20, 30, seed=i) for i in range(40)]
    torch.manual_seed(0)
    twins = [getattr(torch.nn, name)(20, 30) for _ in range(40)]
    for parameter in dict(twins[0].named_parameters()):
        ours = np.array([v.data for each in layers for v in flatten(getattr(each, parameter))[0]])
        theirs = np.concatenate([getattr(t, parameter).detach().numpy().ravel() for t in twins])
        assert ours.shape == theirs.shape
        spread = theirs.std()
        assert abs(ours.mean()) < 5 * spread / math.sqrt(len(ours))
        assert ours.std() == near(spread, rel=0.1)
        if name == "Embedding":
            assert abs((ours**4).mean() - 3.0) < 0.3  # normal
        else:
            limit = 1.0 / math.sqrt(20 if name == "Linear" else 30)
            assert limit * 0.97 < abs(ours).max() <= limit
            assert limit * 0.97 < abs(theirs).max() <= limit * (1 + 1e-6)


def test_layer_norm_starts_as_the_identity_on_normalised_numbers() -> None:
    layer = nn.LayerNorm(3)
    assert [p.data for p in layer.parameters()] == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]


def test_layer_norm_of_equal_numbers_without_eps_is_nan() -> None:
    """On floats too, as in PyTorch: no ZeroDivisionError."""
    layer = nn.LayerNorm(3, eps=0.0, elementwise_affine=False)
    assert all(map(math.isnan, layer([2.0, 2.0, 2.0])))


def test_the_seed_and_the_random_module_decide() -> None:
    assert nn.Linear(3, 2, seed=4).state_dict() == nn.Linear(3, 2, seed=4).state_dict()
    random.seed(5)
    first = nn.GRUCell(3, 2).state_dict()
    assert nn.GRUCell(3, 2).state_dict() != first
    random.seed(5)
    assert nn.GRUCell(3, 2).state_dict() == first


# --- what they look like, and errors -------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_repr_and_names(torch: Any, name: str) -> None:
    layer = EVERY[name]()
    assert repr(layer) == name
    names = {re.sub(r"[.\d]+$", "", each) for each, _ in layer.named_parameters()}
    (twin,) = to_torch(layer)
    assert names == {each for each, _ in twin.named_parameters()}
    assert len(layer.parameters()) == sum(p.numel() for p in twin.parameters())
    assert count(architecture_of(layer)) == len(layer.parameters())


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda: nn.Linear(0, 1), "^in_features must be a positive integer, got 0$"),
        (lambda: nn.Linear(1, 2.0), r"^out_features must be a positive integer, got 2\.0$"),  # type: ignore[arg-type]
        (lambda: nn.Embedding(-1, 1), "^num_embeddings must be a positive integer, got -1$"),
        (lambda: nn.LSTMCell(1, 0), "^hidden_size must be a positive integer, got 0$"),
        (lambda: nn.RNNCell(1, 1, True, "sin"), "^nonlinearity must be 'tanh' or 'relu', got 'sin'$"),  # type: ignore[arg-type]
        (lambda: nn.LayerNorm((2, 3)), r"one list of numbers: expected its length, got \[2, 3\]$"),
        (lambda: nn.Dropout(1.5), r"^p is a probability, from 0 to 1, got 1\.5$"),
        (lambda: nn.Dropout(math.nan), r"^p is a probability, from 0 to 1, got nan$"),
        (lambda: nn.Linear(2, 1)([1.0]), "^Linear expects 2 inputs, got 1$"),
        (
            lambda: nn.Linear(2, 1)([[1.0, 2.0]]),
            r"^Linear expects 2 inputs, got 1: pass one sample at a time, \[model\(x\) for x in X\]$",
        ),
        (lambda: nn.LayerNorm(2)([1.0, 2.0, 3.0]), "^LayerNorm expects 2 inputs, got 3$"),
        (lambda: nn.GRUCell(2, 3)([1.0]), "^GRUCell expects 2 inputs, got 1$"),
        (
            lambda: nn.GRUCell(2, 3)([1.0, 2.0], [0.0]),
            "^GRUCell expects 3 numbers of the state, got 1$",
        ),
    ],
)
def test_errors(action: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        action()


# --- compiled ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*VECTORS, *CELLS])
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_compiled_into_one_program(name: str, backend: Any) -> None:
    if backend == "native" and c_core is None:
        pytest.skip("there is no C core")
    layer = scattered(EVERY[name]())
    X = RNG.normal(size=(6, 4))
    step = chainrule.compile(lambda x: total(layer(x)), params=layer.parameters(), backend=backend)
    eager = [total(layer(x)) for x in X]
    np.testing.assert_allclose(step(X), [v.data for v in eager], rtol=1e-12, atol=1e-14)
    assert str(step.program).count("nodes traced") == 1
    if layer.parameters():
        _, grads = step.value_and_grad(X)
        layer.zero_grad()
        chainrule.functional.mean(eager).backward()
        found = [p.grad for p in layer.parameters()]
        np.testing.assert_allclose(grads, found, rtol=1e-10, atol=1e-13)


class Recurrent(nn.Module):
    """Reads a list of tokens, and gives a score for each of two classes."""

    def __init__(self, kind: str = "LSTMCell", p: float = 0.0) -> None:
        self.embedding = nn.Embedding(4, 3, seed=0)
        self.cell = TORCH_LAYERS[kind](3, 4, seed=1)
        self.norm, self.dropout, self.last = nn.LayerNorm(4), nn.Dropout(p), nn.Linear(4, 2, seed=2)

    def forward(self, x: Any) -> Any:
        state = None
        for token in x:
            state = self.cell(self.embedding(token), state)
        hidden = state[0] if isinstance(state, tuple) else state
        return self.last(self.dropout(self.norm(hidden)))


TOKENS = RNG.integers(0, 4, size=(24, 3))
CLASSES = (TOKENS[:, 0] == TOKENS[:, 2]).astype(int)


def test_an_embedding_is_compiled_with_an_integer_input() -> None:
    model = Recurrent()
    step = chainrule.compile(model)
    found = np.array(step(TOKENS)).T
    np.testing.assert_allclose(found, [numbers(model(x)) for x in TOKENS], rtol=1e-12)
    assert str(step.program).count("nodes traced") == 1


# --- trained -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["RNNCell", "LSTMCell", "GRUCell"])
def test_every_engine_trains_them(kind: str) -> None:
    losses = []
    for engine in ("eager", *(["native"] if c_core is not None else [])):
        model = Recurrent(kind)
        history = fit(
            *(model, "cross_entropy", TOKENS, CLASSES),
            epochs=100,
            optimizer=chainrule.optim.Adam(model.parameters(), lr=0.05),
            metrics={"accuracy": accuracy},
            engine=engine,  # type: ignore[arg-type]
            progress=False,
        )
        assert history.engine == engine
        assert history.metrics["accuracy"][-1] > 0.95
        assert len(history.gradient_norms) == 4  # embedding, cell, norm, linear
        losses.append(history.losses)
    np.testing.assert_allclose(losses[0], losses[-1], rtol=1e-6)


def network(p: float) -> nn.Module:
    layers = nn.Linear(2, 8, seed=0), chainrule.tanh, nn.Dropout(p), nn.Linear(8, 1, seed=1)
    return nn.Sequential(*layers)


@pytest.mark.skipif(c_core is None, reason="there is no C core")
def test_auto_compiles_the_layers() -> None:
    X, y = chainrule.data.moons(20, seed=0)
    options: Any = {"epochs": 3, "progress": False, "metrics": {"accuracy": accuracy}}
    history = fit(network(0.0), "binary_cross_entropy_with_logits", X, y, **options)
    eager = fit(network(0.0), "binary_cross_entropy_with_logits", X, y, engine="eager", **options)
    assert (history.engine, history.reason) == ("native", "")
    np.testing.assert_allclose(history.losses, eager.losses, rtol=1e-9)
    np.testing.assert_allclose(
        history.gradient_norms["layer 2"], eager.gradient_norms["layer 2"], rtol=1e-9
    )


WHY = (
    r"Dropout in training mode inside a compiled function would drop the same numbers at every call, "
    r"at .*: call model\.eval\(\), or train with engine='eager'$"
)


def test_dropout_is_never_frozen() -> None:
    X, y = chainrule.data.moons(20, seed=0)
    model = network(0.5)
    options: Any = {"epochs": 3, "progress": False, "validation": 0.25}
    history = fit(model, "binary_cross_entropy_with_logits", X, y, **options)
    assert history.engine == "eager"
    if c_core is not None:
        assert re.fullmatch(WHY, history.reason)
        with pytest.raises(CompileError, match=WHY):
            fit(model, "binary_cross_entropy_with_logits", X, y, engine="native", **options)
    assert not model.training
    predict = chainrule.compile(model)
    np.testing.assert_allclose(predict(X)[0], [model(x)[0].data for x in X], rtol=1e-12)
    model.train()
    with pytest.raises(CompileError, match=f"^{WHY}"):
        chainrule.compile(model)(X)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_dropout_in_training_mode(p: float) -> None:
    random.seed(0)
    layer = nn.Dropout(p)
    x = [Value(1.0 + i) for i in range(5000)]
    y = layer(x)
    kept = [i for i, v in enumerate(y) if v.data]
    assert len(kept) == near(5000 * (1 - p), rel=0.1)
    assert all(y[i].data == x[i].data * (1.0 / (1.0 - p)) for i in kept)
    chainrule.sum(y).backward()
    assert {v.grad for v in x} == {0.0, 1.0 / (1.0 - p)}
    random.seed(0)
    assert numbers(layer(x)) == numbers(y)
    assert layer.eval()(x) is x


def test_dropout_of_nothing_and_of_everything() -> None:
    x = {"a": [Value(2.0)], "b": Value(3.0)}
    assert nn.Dropout(0.0)(x) is x
    assert numbers(nn.Dropout(1.0)(x)) == [0.0, 0.0]
    assert nn.Dropout(1.0)(3.0) == 0.0


def test_a_list_of_one_score_is_one_score() -> None:
    assert accuracy([[Value(0.3)], [Value(-0.2)]], [1, 1]) == 0.5


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_saved_and_loaded(name: str, tmp_path: Path) -> None:
    for model in (EVERY[name](), nn.Sequential(EVERY[name](), chainrule.tanh)):
        scattered(model)
        save(model, tmp_path / "model")
        again = load(tmp_path / "model")
        assert repr(again) == repr(model)
        assert again.state_dict() == model.state_dict()
        assert load(tmp_path / "model", again) is again


@pytest.mark.parametrize(
    "change",
    [
        *({"in_features": x} for x in (0, -1, True, 2.0, "2", None, 10**9)),
        *({"bias": x} for x in (1, 0, "yes", None, -(10**9), False)),
        *({"kind": kind} for kind in ("Embedding", "Dropout", "GRUCell", "torch", ["Linear"])),
        {"extra": 1},
    ],
    ids=repr,
)
def test_damaged_settings(change: dict[str, Any], tmp_path: Path) -> None:
    from safetensors import safe_open
    from safetensors.numpy import save as to_bytes

    path = tmp_path / "model"
    save(nn.Linear(2, 2, seed=0), path)
    with safe_open(str(path), "numpy") as file:
        metadata, parameters = dict(file.metadata()), file.get_tensor("parameters")
    architecture = {**json.loads(metadata["architecture"]), **change}
    metadata["architecture"] = json.dumps(architecture)
    path.write_bytes(to_bytes({"parameters": parameters}, metadata))
    with pytest.raises(ModelFileError, match=f"^{re.escape(str(path))}: the architecture does not fit"):
        load(path)


# --- to PyTorch and back -------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_to_torch_and_back(torch: Any, name: str) -> None:
    layer = scattered(EVERY[name]())
    back = from_torch(to_torch(layer)).layers[0]
    assert type(back) is type(layer)
    assert repr(back) == repr(layer)
    assert back.state_dict() == layer.state_dict()  # type: ignore[attr-defined]


def test_the_mode_is_kept(torch: Any) -> None:
    model = network(0.5)
    assert to_torch(model).training
    moved = to_torch(model.eval())
    assert not any(part.training for part in moved.modules())
    x = [0.3, -0.7]
    expected = moved(torch.tensor([x], dtype=torch.float64)).item()
    assert model(x)[0].data == near(expected, ulps=4)
    moved[2].train()
    back = from_torch(moved)
    assert [m.training for m in back.modules()] == [False, False, True, False]


def test_layers_that_differ_are_rejected(torch: Any) -> None:
    class Doubled(nn.Linear):
        def forward(self, x: Any) -> Any:
            return [v * 2 for v in super().forward(x)]

    with pytest.raises(TypeError, match=r"^cannot convert Doubled to PyTorch: it has a custom forward"):
        to_torch(nn.Sequential(Doubled(2, 2)))
    for options in ({"padding_idx": 0}, {"max_norm": 1.0}, {"sparse": True}):
        with pytest.raises(TypeError, match=r"has settings that chainrule does not have$"):
            from_torch(torch.nn.Sequential(torch.nn.Embedding(3, 2, **options)))
    with pytest.raises(ValueError, match="one list of numbers"):
        from_torch(torch.nn.Sequential(torch.nn.LayerNorm((2, 3))))
    with pytest.raises(TypeError, match=r"^cannot convert Dropout2d"):
        from_torch(torch.nn.Sequential(torch.nn.Dropout2d()))


def test_a_shared_layer_stays_shared(torch: Any) -> None:
    layer = nn.Linear(2, 2, seed=0)
    moved = to_torch(nn.Sequential(layer, chainrule.tanh, layer))
    assert moved[0] is moved[2]
    assert len(from_torch(moved).parameters()) == 6
