"""Checkpoint files: every field is validated before anything changes; errors name the wrong field."""

import json
import math
import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save as to_bytes

from chainrule import Value, data, dot, load, nn, optim
from chainrule.nn.saving import ModelFileError
from chainrule.train import fit
from chainrule.train.feeding import Data
from chainrule.train.resuming import setup_of
from chainrule.value import c_core

from ...conftest import require

X, Y = data.moons(20, seed=0)
LOSS = "binary_cross_entropy_with_logits"
ENGINES = ["eager", "native", "jax"]
NATIVE = pytest.mark.skipif(c_core is None, reason="there is no C core")
EACH_ENGINE = [pytest.param(name, marks=NATIVE if name == "native" else ()) for name in ENGINES]


def resumed(model: Any, optimizer: Any, path: Path, **options: Any) -> Any:
    fixed: Any = {"optimizer": optimizer, "batch_size": 8, "resume": path, "progress": False}
    return fit(model, LOSS, X, Y, **{**fixed, **options})


def train(path: Path, epochs: int, engine: str, model: Any = None) -> tuple[Any, Any, Any]:
    model = model or nn.MLP(2, [3, 1], seed=0)
    optimizer = optim.Adam(model.parameters(), lr=0.05)
    metrics = {"first": lambda predictions, targets: predictions[0].data}
    options = {"epochs": epochs, "engine": engine, "validation": (X[:4], Y[:4]), "metrics": metrics}
    return model, optimizer, resumed(model, optimizer, path, **options)


class Content:
    """The content of a file, to be changed and written again."""

    def __init__(self, path: Path) -> None:
        with safe_open(str(path), framework="numpy") as file:
            self.metadata = dict(file.metadata())
            self.tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        self.about = json.loads(self.metadata["training"])

    def write(self, path: Path) -> None:
        path.write_bytes(to_bytes(self.tensors, {**self.metadata, "training": json.dumps(self.about)}))


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("resuming")

    @cache
    def file(engine: str) -> Path:
        with require("jax").enable_x64(True) if engine == "jax" else nullcontext():
            train(folder / engine, 3, engine)
        return folder / engine

    return file


def refused(path: Path, field: str) -> None:
    """Assert that a ModelFileError names file and field, and leaves model and optimiser unchanged."""
    model = nn.MLP(2, [3, 1], seed=1)
    optimizer = optim.Adam(model.parameters(), lr=0.05)
    before, state = model.state_dict(), optimizer.state_dict()
    with pytest.raises(ModelFileError, match=re.escape(str(path))) as caught:
        resumed(model, optimizer, path, epochs=4, engine="eager")
    assert field in str(caught.value)
    assert "\n" not in str(caught.value)
    assert model.state_dict() == before
    assert optimizer.state_dict() == state


@pytest.mark.parametrize("engine", EACH_ENGINE)
def test_a_good_file_is_resumed_by_every_engine(good: Any, engine: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.write_bytes(good(engine).read_bytes())
    _, optimizer, history = train(copy, 5, "eager", nn.MLP(2, [3, 1], seed=1))
    assert (history.epochs, optimizer.steps, history.engine) == (5, 15, "eager")


def test_a_run_with_one_step_an_epoch_is_resumed(tmp_path: Path) -> None:
    """As few steps as a file may have."""
    model = nn.MLP(2, [3, 1], seed=0)
    optimizer = optim.Adam(model.parameters(), lr=0.05)
    for epochs in (1, 3):
        resumed(model, optimizer, tmp_path / "run", epochs=epochs, batch_size=None, engine="eager")
        assert optimizer.steps == epochs


# --- every field, wrong in every way -------------------------------------------------------------

WRONG_NUMBERS = [None, "3", True, [], {}, -3, math.nan, -math.inf, 10**400]
WRONG: dict[str, list[Any]] = {
    "kind": [None, "model", 1, []],
    "setup": [None, 1, ["Adam"], {"loss": 1}],
    "epoch": [*WRONG_NUMBERS, math.inf, 2.5, 3.0, 10**12, 2, 4, 0],
    "steps": [*WRONG_NUMBERS, math.inf, 2.5, 2, 10**30],
    "lr": [*WRONG_NUMBERS, math.inf, 10**400],
    "best": [None, "1", True, [], math.nan, -math.inf, 10**400],
    "history": [None, [], "losses", 3],
    "history.losses": [None, 1.0, [], [1.0], [1.0, 2.0, math.nan], [1.0, 2.0, "3"], [1.0] * 4],
    "history.validation_losses": [None, 1.0, [1.0] * 4, [None] * 3],
    "history.metrics": [None, [], {"first": 1.0}, {"first": [1.0] * 4}, {"first": ["1"]}],
    "history.learning_rates": [None, [], [0.1, 0.1, -0.1], [0.1, 0.1, math.inf], [[]] * 3],
    "history.gradient_norms": [None, [], {"layer 1": 1.0}, {"layer 1": [1.0] * 4}],
    "history.dead_units": [None, [], [0.0, 0.0, 1.5], [0.0, 0.0, -0.5]],
    "history.seconds": [None, "1", -1.0, math.nan, math.inf],
    "history.best_epoch": [None, -1, 4, 10**12, 1.0],
    "history.stopped": [None, 1, []],
}


def changed(content: Content, field: str) -> tuple[dict[str, Any], str]:
    """The object that contains a field, and the field's name in it."""
    *path, name = field.split(".")
    return (content.about["history"] if path else content.about), name


@pytest.mark.parametrize("field", WRONG)
@pytest.mark.parametrize("engine", EACH_ENGINE)
def test_a_wrong_field_is_named_and_nothing_changes(
    good: Any, engine: str, field: str, tmp_path: Path
) -> None:
    for i, value in enumerate(WRONG[field]):
        content = Content(good(engine))
        place, name = changed(content, field)
        place[name] = value
        content.write(tmp_path / str(i))
        # The number of losses must equal the epoch: if they differ, the error names the list.
        refused(tmp_path / str(i), "epoch" if field == "epoch" else f": {field}")


@pytest.mark.parametrize("field", WRONG)
@pytest.mark.parametrize("engine", EACH_ENGINE)
def test_a_missing_field_is_named(good: Any, engine: str, field: str, tmp_path: Path) -> None:
    content = Content(good(engine))
    place, name = changed(content, field)
    del place[name]
    content.write(tmp_path / "file")
    refused(tmp_path / "file", f": {field} is missing, expected ")


@pytest.mark.parametrize("field", ["extra", "history.extra"])
def test_an_unexpected_field_is_named(good: Any, field: str, tmp_path: Path) -> None:
    content = Content(good("eager"))
    place, name = changed(content, field)
    place[name] = 1
    content.write(tmp_path / "file")
    refused(tmp_path / "file", "extra")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", "[" * 100_000, "1" * 10_000, '"x"'])
def test_metadata_that_is_not_an_object(good: Any, text: str, tmp_path: Path) -> None:
    content = Content(good("eager"))
    path = tmp_path / "file"
    path.write_bytes(to_bytes(content.tensors, {**content.metadata, "training": text}))
    refused(path, ": the training metadata is ")


def wrong_tensors(tensor: Any) -> Iterator[Any]:
    for bad in (math.nan, math.inf, -math.inf):
        changed = tensor.copy()
        changed.flat[-1] = bad
        yield changed
    yield tensor.astype(np.float32)
    yield tensor.astype(np.int64)
    yield tensor[:-1]
    yield np.concatenate([tensor, tensor])
    yield tensor.reshape(-1, 1)
    yield np.zeros(0)
    yield np.array(1.0)


@pytest.mark.parametrize("name", ["parameters", "optimizer", "best"])
@pytest.mark.parametrize("engine", EACH_ENGINE)
def test_a_wrong_tensor_is_named(good: Any, engine: str, name: str, tmp_path: Path) -> None:
    for i, tensor in enumerate(wrong_tensors(Content(good(engine)).tensors[name])):
        content = Content(good(engine))
        content.tensors[name] = tensor
        content.write(tmp_path / str(i))
        # Parameter names are compared first, as in every model file.
        wrong = (f": the tensor {name} is ", f": a number in the tensor {name} is ")[i < 3]
        refused(tmp_path / str(i), wrong if name != "parameters" or i < 3 else "names and numbers")
    content = Content(good(engine))
    del content.tensors[name]
    content.write(tmp_path / "missing")
    refused(tmp_path / "missing", name)


def test_a_tensor_with_a_dtype_that_numpy_lacks(good: Any, tmp_path: Path) -> None:
    whole = good("eager").read_bytes()
    size = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + size])
    header["optimizer"]["dtype"] = "BF16"
    header["optimizer"]["shape"][0] *= 4
    text = json.dumps(header).encode()
    path = tmp_path / "file"
    path.write_bytes(len(text).to_bytes(8, "little") + text + whole[8 + size :])
    refused(path, "optimizer")


def test_a_truncated_file(good: Any, tmp_path: Path) -> None:
    whole = good("eager").read_bytes()
    for length in range(0, len(whole), 97):
        (tmp_path / "file").write_bytes(whole[:length])
        refused(tmp_path / "file", "")


def test_the_same_layers_with_a_different_activation(good: Any) -> None:
    with pytest.raises(ModelFileError, match="belongs to a different model: its layers"):
        train(good("eager"), 5, "eager", nn.MLP(2, [3, 1], "relu", seed=0))


def test_an_optimiser_whose_state_has_a_different_size(good: Any) -> None:
    class Adam(optim.Adam):
        state_size = 3

    model = nn.MLP(2, [3, 1], seed=1)
    before = model.state_dict()
    with pytest.raises(ModelFileError, match=r"the tensor optimizer is .* expected float64 of shape"):
        resumed(model, Adam(model.parameters(), lr=0.05), good("eager"))
    assert model.state_dict() == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"loss": "mse"}, "loss differs: 'binary_cross_entropy_with_logits' there, 'mse_loss' here"),
        ({"batch_size": 4}, "batch_size differs: '8' there, '4' here"),
        ({"seed": 1}, "seed differs: '0' there, '1' here"),
        ({"shuffle": False}, "shuffle differs: 'True' there, 'False' here"),
        ({"X": X[::-1].copy()}, "data differs: '20 samples .* there, '20 samples with the digest"),
        ({"X": X[:10], "y": Y[:10]}, "data differs: .* there, '10 samples with the digest"),
        ({"optimizer": ("Adam", {"lr": 0.5})}, "lr differs: '0.05' there, '0.5' here"),
        ({"optimizer": ("Adam", {"lr": 0.05, "eps": 1e-6})}, "eps differs: '1e-08' there, '1e-06' here"),
        ({"optimizer": ("SGD", {"lr": 0.05})}, "optimizer differs: 'Adam' there, 'SGD' here"),
    ],
)
def test_a_run_resumes_only_with_the_same_setup(
    good: Any, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = tmp_path / "run"
    path.write_bytes(good("eager").read_bytes())
    model = nn.MLP(2, [3, 1], seed=1)
    name, options = change.pop("optimizer", ("Adam", {"lr": 0.05}))
    before = model.state_dict()
    given = {"loss": LOSS, "X": X, "y": Y, "batch_size": 8, **change}
    optimizer = getattr(optim, name)(model.parameters(), **options)
    with pytest.raises(ModelFileError, match=f"belongs to a run whose {message}"):
        fit(model, optimizer=optimizer, resume=path, progress=False, **given)
    assert model.state_dict() == before


class Target:
    """Has the repr that all objects have, with an address."""


NESTED: list[Callable[[float], Any]] = [
    lambda x: [x],
    lambda x: [[1.0], [2.0, x]],
    lambda x: [[1.0, x], [2.0]],
    lambda x: [{"a": 1.0, "b": x}, {"a": [1.0, x]}],
    lambda x: [{"a": 1.0}, {"b": x}],
    lambda x: [Value(1.0), Value(x)],
    lambda x: [(1.0, [x, (2.0,)]), None],
    lambda x: [np.array([1.0, x]), np.array([1.0])],
    lambda x: np.array([[1.0, x], [x]], dtype=object),
    lambda x: [["word", str(x)], Target()],
    lambda x: [10**400, x],
]


def digests(y: Any, X: Any = (1.0, 2.0)) -> str:
    samples = Data(X, y, None, True, np.random.default_rng(0))
    return setup_of(len, optim.SGD([Value(1.0)], lr=0.1), samples, 0)["data"]


@pytest.mark.parametrize("make", NESTED)
def test_numbers_in_samples_of_any_structure_belong_to_the_data(make: Callable[[float], Any]) -> None:
    assert digests(make(3.0)) == digests(make(3.0))
    assert digests(make(3.0)) != digests(make(3.0 + 1e-15))
    assert digests(make(3.0), make(3.0)) != digests(make(3.0), make(4.0))


def test_the_structure_of_samples_belongs_to_the_data() -> None:
    structures = [
        *([[[1.0], [2.0, 3.0]], [[1.0, 2.0], [3.0]], [[[1.0]], [2.0, 3.0]], [[1.0, 2.0, 3.0], []]]),
        *([[{"a": 1.0}, {"b": 2.0}], [{"b": 1.0}, {"a": 2.0}], [{"a": 1.0, "b": 2.0}, {}], ["1", "2"]]),
        *([[1.0, 2.0], [[1.0], [2.0]], [None, 2.0], [math.nan, 2.0], ["nan", 2.0], [["a", "b"], "c"]]),
    ]
    assert len({digests(y) for y in structures}) == len(structures)
    for same in ([1, 2], (1.0, 2.0), np.array([1.0, 2.0])):
        assert digests(same) == digests([1.0, 2.0])


def test_a_run_does_not_resume_with_other_targets_in_dicts(tmp_path: Path) -> None:
    def loss(predictions: Any, targets: Any) -> Any:
        return nn.mse_loss(predictions, [target["y"] for target in targets])

    for y, expected in (
        (Y, nullcontext()),
        (1.0 - Y, pytest.raises(ModelFileError, match="whose data")),
    ):
        model = nn.MLP(2, [3, 1], seed=1)
        targets = [{"y": number} for number in y.tolist()]
        with expected:
            fit(model, loss, X, targets, epochs=1, resume=tmp_path / "run", progress=False)


def test_a_run_resumes_after_a_schedule_changed_the_learning_rate(tmp_path: Path) -> None:
    model = nn.MLP(2, [3, 1], seed=1)
    optimizer = optim.Adam(model.parameters(), lr=0.05)
    for epochs in (2, 4):
        schedule = optim.StepLR(optimizer, step_size=1, gamma=0.5)
        history = resumed(model, optimizer, tmp_path / "run", schedule=schedule, epochs=epochs)
    assert history.epochs == 4


# --- one's own models ----------------------------------------------------------------------------


class Own(nn.Module):
    def __init__(self, seed: int) -> None:
        self.hidden = [nn.Neuron(2, seed=seed + i) for i in range(3)]
        self.last = {"weights": [Value(0.1 * i - 0.1 * seed) for i in range(3)], "bias": Value(0.0)}

    def forward(self, x: Any) -> Value:
        outputs = [neuron(x) for neuron in self.hidden]
        return dot(self.last["weights"], outputs) + self.last["bias"]


class Plain:
    """Not a Module, and its parameters have no names."""

    def __init__(self, seed: int) -> None:
        self.inner = {"a": Own(seed)}

    def __call__(self, x: Any) -> Value:
        return self.inner["a"](x)

    def parameters(self) -> list[Value]:
        return self.inner["a"].parameters()


def state(model: Any) -> list[float]:
    return [p.data for p in model.parameters()]


@pytest.mark.parametrize("make", [Own, Plain])
@pytest.mark.parametrize("engine", EACH_ENGINE[:2])
def test_a_run_of_ones_own_model_is_resumed_exactly(make: Any, engine: str, tmp_path: Path) -> None:
    whole, _, expected = train(tmp_path / "whole", 5, engine, make(0))
    train(tmp_path / "run", 2, engine, make(0))
    again, optimizer, history = train(tmp_path / "run", 5, engine, make(1))
    assert state(again) == state(whole)
    assert history.losses == expected.losses
    assert (history.engine, optimizer.steps) == (engine, 15)
    other = make(2)
    assert state(load(tmp_path / "run", other)) == state(whole)


@pytest.mark.parametrize("make", [Own, Plain])
def test_a_checkpoint_holds_the_best_of_ones_own_model(make: Any, tmp_path: Path) -> None:
    model, path = make(0), tmp_path / "best"
    optimizer = optim.SGD(model.parameters(), lr=0.5)
    states = []
    fit(
        *(model, LOSS, X, Y),
        optimizer=optimizer,
        epochs=4,
        checkpoint=path,
        progress=False,
        callbacks=[lambda epoch, history: states.append((history.best_epoch, state(model)))],
    )
    best = states[-1][0]
    assert state(load(path, make(1))) == states[best - 1][1]


def test_a_run_of_another_model_is_refused(tmp_path: Path) -> None:
    train(tmp_path / "run", 2, "eager", Own(0))
    model = nn.MLP(2, [3, 1], seed=0)
    with pytest.raises(ModelFileError, match="belongs to a different model"):
        train(tmp_path / "run", 3, "eager", model)
    assert model.state_dict() == nn.MLP(2, [3, 1], seed=0).state_dict()
