"""fit and History: what is learned, what is recorded, and how training ends.

XOR and moons are solved with every seed; Ctrl-C, NaN, early stopping and callbacks end a run cleanly.
"""

import contextlib
import math
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, data, nn, optim, train
from chainrule.nn.losses import NAMES, short_name
from chainrule.train import NonFiniteLossError, accuracy, fit, loss_named
from chainrule.train.history import History
from chainrule.value import c_core

from ...conftest import require
from ...near import near

XOR = data.xor()


def xor_model(seed: int = 0) -> nn.MLP:
    return nn.MLP(2, [4, 4, 1], seed=seed)


def quick(model: Any = None, loss: Any = "mse", X: Any = None, y: Any = None, **options: Any) -> History:
    """A few epochs of XOR without a progress bar."""
    X, y = (XOR[0] if X is None else X), (XOR[1] if y is None else y)
    return fit(model or xor_model(), loss, X, y, **{"epochs": 5, "progress": False, **options})


def mse(model: nn.Module, X: Any = XOR[0], y: Any = XOR[1]) -> float:
    return float(nn.mse_loss([model(x) for x in X], y).data)


def bits(numbers: list[float]) -> list[str]:
    return [x.hex() for x in numbers]


# --- what is learned -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_xor_is_solved_with_the_defaults(seed: int) -> None:
    model = nn.MLP(2, [4, 4, 1], seed=seed)
    fit(model, "mse", *data.xor(), epochs=500, progress=False)
    assert [model(x).data for x in XOR[0]] == near(XOR[1].tolist(), abs=0.1)


@pytest.mark.parametrize("seed", range(10))
def test_moons_are_separated(seed: int) -> None:
    model = nn.MLP(2, [16, 16, 1], init="xavier", seed=seed)
    adam = optim.Adam(model.parameters(), lr=0.05)
    stop = [lambda epoch, history: history.metrics["accuracy"][-1] >= 0.99]
    options = {"optimizer": adam, "epochs": 100, "metrics": {"accuracy": accuracy}, "callbacks": stop}
    history = quick(model, "binary_cross_entropy_with_logits", *data.moons(100, seed=seed), **options)
    assert history.metrics["accuracy"][-1] >= 0.99


def test_three_classes() -> None:
    model = nn.MLP(2, [8, 3], init="xavier", seed=0)
    adam = optim.Adam(model.parameters(), lr=0.05)
    options = {"optimizer": adam, "epochs": 30, "metrics": {"accuracy": accuracy}}
    history = quick(model, "cross_entropy", *data.blobs(60, noise=0.2), **options)
    assert history.metrics["accuracy"][-1] == 1.0


def test_digits_are_recognised() -> None:
    """Trained on half of the digits, tested on the other half; 2 s on the compiled core."""
    require("sklearn")
    X_train, X_test, y_train, y_test = data.train_test_split(*data.digits(), test_size=0.5, seed=1)
    model = nn.MLP(64, [16, 10], init="xavier", seed=1)
    adam = optim.Adam(model.parameters(), lr=0.03)
    schedule = optim.CosineAnnealingLR(adam, T_max=4)
    options = {"optimizer": adam, "schedule": schedule, "epochs": 4, "batch_size": 16, "seed": 1}
    quick(model, "cross_entropy", X_train, y_train, **options)
    assert accuracy([model(x) for x in X_test], y_test) >= 0.95


class Scaled(nn.Module):
    """A layer whose gradients are all of one size."""

    def __init__(self, scale: float) -> None:
        self.layer = nn.Layer(2, 1, "linear", seed=0)
        self.scale = scale

    def forward(self, x: Any) -> Any:
        return self.layer(x) * self.scale


@pytest.mark.parametrize("engine", ["eager", "native", "jax"])
@pytest.mark.parametrize("scale", [1.0, 1e200, 1e-200, 1e307, 1e-300, 0.0])
def test_the_norm_of_gradients_of_any_size(scale: float, engine: str) -> None:
    if engine == "native" and chainrule.value.c_core is None:
        pytest.skip("there is no C core")
    model = Scaled(scale)
    precise: Any = contextlib.nullcontext()
    if engine == "jax":
        precise = require("jax").enable_x64(True)
    frozen = optim.SGD(model.parameters(), lr=0.0)
    with precise:
        options: Any = {"optimizer": frozen, "epochs": 2, "engine": engine, "progress": False}
        history = fit(model, "l1", np.ones((4, 2)), np.zeros(4), **options)
    norm = math.hypot(scale, scale, scale)
    assert history.gradient_norms == {"layer 1": [near(norm, ulps=2)] * 2}


def test_an_epoch_of_finite_losses_whose_sum_overflows() -> None:
    model = Scaled(1e308)
    options: Any = {"optimizer": optim.SGD(model.parameters(), lr=0.0), "batch_size": 1}
    history = quick(model, "l1", np.ones((4, 2)), np.zeros(4), engine="eager", **options)
    assert history.losses == [math.inf] * 5


def test_one_epoch_matches_one_step_of_a_hand_written_loop() -> None:
    model, other = xor_model(), xor_model()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    history = quick(model, optimizer=optimizer, epochs=1, shuffle=False, engine="eager")
    loss = nn.mse_loss([other(x) for x in XOR[0]], XOR[1])
    loss.backward()
    norms = [math.hypot(*(p.grad for p in layer.parameters())) for layer in other.layers]
    optim.SGD(other.parameters(), lr=0.1).step()
    assert model.state_dict() == other.state_dict()
    assert history.losses == [loss.data]
    assert history.gradient_norms == {f"layer {i}": [norm] for i, norm in enumerate(norms, 1)}
    assert history.learning_rates == [0.1]


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (XOR[0].tolist(), XOR[1].tolist()),
        (XOR[0], XOR[1].reshape(-1, 1)),
        ([tuple(row) for row in XOR[0]], XOR[1].astype(int)),
        ([[Value(x) for x in row] for row in XOR[0]], [Value(target) for target in XOR[1]]),
    ],
    ids=["lists", "a column", "tuples and integers", "Values"],
)
def test_other_kinds_of_data(X: Any, y: Any) -> None:
    assert bits(quick(X=X, y=y, engine="eager").losses) == bits(quick(engine="eager").losses)
    assert quick(X=X, y=y).losses == near(quick().losses, rel=1e-12)


class Table:
    """Like a DataFrame: indexed by column name; iterating over it yields the names."""

    def __init__(self, rows: Any) -> None:
        self.rows = np.asarray(rows)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.rows if dtype is None else self.rows.astype(dtype)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            raise KeyError(key)
        return self.rows[:, int(key[1:])]

    def __iter__(self) -> Iterator[str]:
        return (f"x{i}" for i in range(self.rows.shape[1]))


def tables(library: str) -> list[tuple[Any, Any]]:
    """XOR as a library's tables: one or more kinds of X and y."""
    X, y = XOR[0], XOR[1]
    if library == "own":
        return [(Table(X), Table(y)), (X, Table(y)), (Table(X), y.tolist())]
    found: Any = require(library)
    if library == "pandas":
        frame = found.DataFrame(X, columns=["a", "b"], index=[7, 5, 3, 1])
        mixed = found.DataFrame({"a": X[:, 0].astype(bool), "b": X[:, 1]})  # has dtype object
        whole = found.DataFrame(X.astype(int), columns=["a", "b"]).astype("Int64")
        target = found.Series(y, index=list("wxyz"))
        rows = [row for _, row in frame.iterrows()]
        return [
            *((frame, target), (mixed, target.astype(bool)), (whole, target.to_frame())),
            *((rows, list(target)), (frame, y)),
        ]
    if library == "polars":
        return [(found.DataFrame(X, schema=["a", "b"]), found.Series(y))]
    if library == "xarray":
        return [(found.DataArray(X, dims=["sample", "input"]), found.DataArray(y, dims=["sample"]))]
    return [(found.tensor(X), found.tensor(y))]


@pytest.mark.parametrize("library", ["own", "pandas", "polars", "xarray", "torch"])
def test_tables_and_arrays_of_other_libraries(library: str) -> None:
    expected = bits(quick(engine="eager", batch_size=2).losses)
    whole = quick(validation=XOR, metrics={"accuracy": accuracy}, batch_size=2)
    for X, y in tables(library):
        assert bits(quick(X=X, y=y, engine="eager", batch_size=2).losses) == expected
        history = quick(X=X, y=y, validation=(X, y), metrics={"accuracy": accuracy}, batch_size=2)
        assert (history.losses, history.metrics) == (whole.losses, whole.metrics)
        assert history.validation_losses == whole.validation_losses
        assert quick(X=X, y=y, validation=0.25).epochs == 5
        stream = fit(xor_model(), "mse", [(X, y)], epochs=5, progress=False)
        assert stream.losses == quick().losses


def test_tables_whose_rows_are_in_a_different_order() -> None:
    pandas: Any = require("pandas")
    frame, target = pandas.DataFrame(XOR[0]), pandas.Series(XOR[1])
    with pytest.raises(
        ValueError, match=r"^X and y have the same index in a different order, but samples"
    ):
        quick(X=frame, y=target[::-1])
    assert quick(X=frame[::-1], y=target[::-1]).epochs == 5


def test_accuracy_needs_class_targets() -> None:
    message = r"^accuracy expects class targets \(0 and 1, or -1 and 1\), got 0.5"
    with pytest.raises(ValueError, match=message):
        accuracy([Value(1.0)], [0.5])
    with pytest.raises(ValueError, match=r"class targets \(0, 1, 2 and so on\), got 1.5"):
        accuracy([[Value(1.0), Value(2.0)]], [1.5])


@pytest.mark.parametrize("library", ["own", "pandas"])
def test_a_table_with_a_cell_that_is_not_a_number(library: str) -> None:
    rows = [["a", 1.0], ["b", 2.0]]
    X: Any = Table(np.array(rows, dtype=object))
    if library == "pandas":
        X = require("pandas").DataFrame(rows)
    name = type(X).__name__
    with pytest.raises(TypeError, match=rf"X must hold numbers, got a {name} with 'a': drop such"):
        quick(X=X, y=[0.0, 1.0])
    with pytest.raises(TypeError, match=r"y must hold numbers"):
        quick(X=[0.0, 1.0], y=Table(np.array(["yes", "no"])))


class Classic:
    """A network as in tutorials, without `nn.Module`."""

    def __init__(self, returned: Callable[[list[Value]], Any] = list) -> None:
        rng = np.random.default_rng(0)
        self.hidden = [[Value(x) for x in rng.normal(size=3)] for _ in range(3)]
        self.last = [Value(x) for x in rng.normal(size=4)]
        self.returned = returned

    def __call__(self, x: Any) -> Value:
        hidden = [
            sum((wi * xi for wi, xi in zip(w, x, strict=False)), w[-1]).tanh() for w in self.hidden
        ]
        return sum((wi * hi for wi, hi in zip(self.last, hidden, strict=False)), self.last[-1])

    def parameters(self) -> Any:
        return self.returned([p for w in [*self.hidden, self.last] for p in w])


@pytest.mark.parametrize("returned", [list, tuple, iter, np.array, lambda ps: ps + ps])
@pytest.mark.parametrize("engine", ["auto", "eager", "native"])
def test_any_callable_with_parameters(returned: Any, engine: str) -> None:
    """Takes the same steps as a hand-written loop; duplicates in `parameters()` count once."""
    if engine == "native" and chainrule.value.c_core is None:
        pytest.skip("there is no C core")
    model, by_hand = Classic(returned), Classic()
    history = quick(model, engine=engine, epochs=3)
    optimizer = optim.Adam(by_hand.parameters(), lr=0.01)
    for _ in range(3):
        loss = nn.mse_loss([by_hand(x) for x in XOR[0]], XOR[1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    found = [p.data for w in [*model.hidden, model.last] for p in w]
    np.testing.assert_allclose(found, [p.data for p in by_hand.parameters()], rtol=1e-10)
    assert history.engine == ("native" if engine == "native" else "eager")
    optimizer = optim.Adam(dict.fromkeys(model.parameters()), lr=0.01)
    assert quick(model, optimizer=optimizer, engine=engine, patience=2).epochs == 5


def test_a_plain_function_with_parameters() -> None:
    w = Value(0.5)

    def model(x: Any) -> Value:
        return w * x

    model.parameters = lambda: (p for p in [w])  # type: ignore[attr-defined]
    sgd = optim.SGD([w], lr=0.1)
    fit(model, "mse", [1.0, 2.0], [3.0, 6.0], epochs=200, optimizer=sgd, progress=False)
    assert abs(w.data - 3.0) < 1e-6


def test_modules_inside_a_callable_switch_between_training_and_evaluation() -> None:
    class Holder:
        training = True

        def __init__(self) -> None:
            self.parts = [nn.MLP(2, [3, 1], seed=0)]
            self.seen: set[tuple[bool, bool]] = set()

        def __call__(self, x: Any) -> Any:
            self.seen.add((self.training, self.parts[0].training))
            return self.parts[0](x)

        def parameters(self) -> Any:
            return self.parts[0].parameters()

    model = Holder()
    history = quick(model, validation=XOR)  # type: ignore[arg-type]
    assert model.seen == {(True, True), (False, False)}
    assert not model.training
    assert not model.parts[0].training
    assert list(history.gradient_norms) == ["layer 1", "layer 2"]


def test_errors_for_plain_callables() -> None:
    with pytest.raises(ValueError, match=r"^Classic.parameters\(\) is empty: return the leaf Values"):
        quick(Classic(lambda params: []))
    with pytest.raises(
        ValueError, match=r"^Classic.parameters\(\) contains the result of '\+': return the"
    ):
        quick(Classic(lambda params: [params[0] + params[1]]))


def test_one_input_without_brackets() -> None:
    model = nn.MLP(1, [1], seed=0)
    adam = optim.Adam(model.parameters(), lr=0.1)
    history = quick(model, X=[0.0, 1.0, 2.0], y=[1.0, 3.0, 5.0], optimizer=adam, epochs=400)
    assert history.losses[-1] < 1e-4
    assert model(3.0).data == near(7.0, abs=0.1)


# --- seeds and batches ---------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bits() -> None:
    runs = [quick(epochs=20, batch_size=3, seed=seed, validation=0.25) for seed in (1, 1, 2)]
    first, same, other = ((bits(h.losses), bits(h.validation_losses), h.gradient_norms) for h in runs)
    assert first == same
    assert first != other


def test_without_shuffling_the_seed_does_not_matter() -> None:
    runs = [quick(batch_size=3, seed=seed, shuffle=False) for seed in (1, 2)]
    assert bits(runs[0].losses) == bits(runs[1].losses)


class Watching:
    """A loss that records its arguments."""

    def __init__(self) -> None:
        self.targets: list[list[float]] = []

    def __call__(self, predictions: list[Any], targets: list[Any]) -> Any:
        assert len(predictions) == len(targets)
        self.targets.append([float(t) for t in targets])
        return nn.mse_loss(predictions, targets)


def test_batches() -> None:
    X, y = np.zeros((10, 2)), np.arange(10.0)
    loss = Watching()
    history = quick(None, loss, X, y, batch_size=4, epochs=2)
    assert [len(ys) for ys in loss.targets] == [4, 4, 2] * 2
    epochs = [list(chain(*loss.targets[i : i + 3])) for i in (0, 3)]
    assert [sorted(epoch) for epoch in epochs] == [y.tolist()] * 2
    assert epochs[0] != epochs[1]  # reshuffled
    assert len(history.losses) == 2


def test_the_loss_of_an_epoch_weights_every_sample_equally() -> None:
    model = xor_model()
    still = optim.SGD(model.parameters(), lr=0.0)
    for batch_size in (1, 3, 4):
        history = quick(model, optimizer=still, batch_size=batch_size, epochs=1)
        assert history.losses[0] == near(mse(model), rel=1e-14)


# --- validation, metrics, early stopping ---------------------------------------------------------


def test_validation_data() -> None:
    X, y = data.moons(20, seed=1)
    model = xor_model()
    history = quick(
        model, validation=(X, y), metrics={"first": lambda p, t: p[0].data, "n": lambda p, t: len(t)}
    )
    assert len(history.validation_losses) == 5
    assert history.validation_losses[-1] == near(mse(model, X, y), rel=1e-14)
    assert history.metrics["n"] == [20.0] * 5
    assert history.metrics["first"][-1] == near(model(X[0]).data, rel=1e-14)


def test_a_fraction_for_validation() -> None:
    X, y = np.zeros((10, 2)), np.arange(10.0)
    loss = Watching()
    history = quick(None, loss, X, y, validation=0.3, epochs=1)
    assert [len(ys) for ys in loss.targets] == [7, 3]
    assert sorted(chain(*loss.targets)) == y.tolist()
    assert len(history.validation_losses) == 1


def test_a_fraction_that_is_a_numpy_scalar() -> None:
    expected = quick(validation=0.25).validation_losses
    assert quick(validation=np.float32(0.25)).validation_losses == expected


def test_a_loss_is_a_metric() -> None:
    history = quick(validation=XOR, metrics={"mse": nn.mse_loss})
    assert history.metrics["mse"] == near(history.validation_losses, rel=1e-14)


def test_metrics_without_validation_are_computed_on_the_training_data() -> None:
    history = quick(metrics={"n": lambda predictions, targets: len(targets)})
    assert history.metrics == {"n": [4.0] * 5}


class Seeing(nn.Module):
    """Records in which mode it is called."""

    def __init__(self) -> None:
        self.neuron = nn.Neuron(2, seed=0)
        self.modes: list[bool] = []

    def forward(self, x: Any) -> Any:
        self.modes.append(self.training)
        return self.neuron(x)


def test_validation_runs_in_evaluation_mode() -> None:
    model = Seeing()
    model.eval()
    validation = (XOR[0][:1], XOR[1][:1])
    quick(model, epochs=2, X=XOR[0][:2], y=XOR[1][:2], validation=validation, engine="eager")
    assert model.modes[:3] == [True, True, False]
    assert set(model.modes[model.modes.index(True, 3) :][:2]) == {True}  # and back for the next epoch
    assert not model.training


def rising(rates: list[float], optimizer: optim.Optimizer) -> Any:
    """A schedule with these learning rates, one per epoch."""

    class Schedule:
        def __init__(self) -> None:
            self.rest = list(rates)
            self.step()

        def step(self) -> None:
            optimizer.lr = self.rest.pop(0) if self.rest else 0.0

    return Schedule()


def trained(path: Path, rates: list[float], **options: Any) -> tuple[nn.MLP, History, list[Any]]:
    """XOR with these learning rates: the model, its history, and its state after each epoch."""
    model, states = xor_model(), []
    sgd = optim.SGD(model.parameters())
    options |= {"callbacks": [lambda epoch, history: states.append(model.state_dict())]}
    history = quick(model, optimizer=sgd, schedule=rising(rates, sgd), checkpoint=path, **options)
    return model, history, states


def test_early_stopping_restores_the_best_model(tmp_path: Path) -> None:
    """Two good epochs, then bad ones: the model and the file hold the state after the second."""
    path, rates = tmp_path / "best.safetensors", [0.1, 0.1, 3.0, 0.1, 0.1, 0.1]
    model, history, states = trained(path, rates, validation=XOR, patience=2, epochs=10)
    assert history.best_epoch == 2
    assert history.stopped == "no improvement for 2 epochs"
    assert history.epochs == 4
    assert history.validation_losses[1] == min(history.validation_losses)
    assert model.state_dict() == states[1]
    assert chainrule.load(path).state_dict() == states[1]
    assert mse(model) == near(history.validation_losses[1], rel=1e-14)


def test_without_validation_the_training_data_decides_which_model_is_best(tmp_path: Path) -> None:
    """The loss of an epoch is measured before its steps, so it does not describe the resulting
    parameters.
    """
    path, rates = tmp_path / "best.safetensors", [0.1, 0.1, 3.0, 0.1, 0.1, 0.1]
    model, history, states = trained(path, rates, patience=2, epochs=10)
    losses = []
    for state in states:
        model.load_state_dict(state)
        losses.append(mse(model))
    assert chainrule.load(path).state_dict() == states[losses.index(min(losses))]
    assert history.best_epoch == 1 + losses.index(min(losses))


def test_patience_without_a_checkpoint_restores_the_best_model() -> None:
    model = xor_model()
    sgd = optim.SGD(model.parameters())
    schedule = rising([0.1, 0.1, 3.0, 0.1, 0.1, 0.1], sgd)
    history = quick(model, optimizer=sgd, schedule=schedule, validation=XOR, patience=2, epochs=10)
    assert (history.best_epoch, history.epochs) == (2, 4)
    assert mse(model) == near(history.validation_losses[1], rel=1e-14)


def test_without_patience_the_last_parameters_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "best.safetensors"
    model, history, _ = trained(path, [0.1, 3.0, 3.0], validation=XOR, epochs=3)
    assert history.best_epoch == 1
    assert mse(model) == near(history.validation_losses[-1], rel=1e-14)
    assert mse(chainrule.load(path)) == near(history.validation_losses[0], rel=1e-14)


def test_a_callback_stops_training() -> None:
    calls = []

    def callback(epoch: int, history: History) -> bool:
        calls.append((epoch, history.epochs))
        return epoch == 3

    history = quick(callbacks=[callback, lambda epoch, history: None])
    assert calls == [(1, 1), (2, 2), (3, 3)]
    assert history.stopped == "stopped by a callback after epoch 3"


def test_callbacks_from_a_generator_are_called_every_epoch() -> None:
    calls: list[int] = []
    quick(callbacks=(function for function in [lambda epoch, history: calls.append(epoch)]))
    assert calls == [1, 2, 3, 4, 5]


def test_an_exception_in_a_callback_propagates() -> None:
    def callback(epoch: int, history: History) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        quick(callbacks=[callback])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


class PlannedError(Exception):
    """Raised on purpose."""


def fail(*arguments: Any) -> Any:
    raise PlannedError


class FailingLoss(Watching):
    def __call__(self, predictions: list[Any], targets: list[Any]) -> Any:
        loss = super().__call__(predictions, targets)
        return fail() if len(self.targets) > 2 else loss


def failing_schedule(model: nn.Module) -> dict[str, Any]:
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    schedule = optim.StepLR(optimizer, 1)
    schedule.step = fail  # type: ignore[method-assign]
    return {"optimizer": optimizer, "schedule": schedule}


@pytest.mark.parametrize("engine", ["auto", "eager", *(["native"] if c_core is not None else [])])
@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize(
    ("options", "error"),
    [
        (lambda model: {}, None),
        (lambda model: {"patience": 1}, None),
        (lambda model: {"callbacks": [fail]}, PlannedError),
        (lambda model: {"metrics": {"failing": fail}}, PlannedError),
        (failing_schedule, PlannedError),
        (lambda model: {"loss": FailingLoss(), "engine": "eager"}, PlannedError),
        (lambda model: {"loss": Pressing(1, 1), "engine": "eager"}, KeyboardInterrupt),
        (lambda model: {"y": [0.0, 1.0, 1.0, math.inf]}, NonFiniteLossError),
        (lambda model: {"loss": "hinge"}, ValueError),
        (lambda model: {"X": [[0.0] * 3] * 4}, ValueError),
        (lambda model: {"loss": lambda predictions, targets: 1.0}, TypeError),
    ],
)
def test_the_model_is_in_evaluation_mode_whatever_happened(
    engine: str, before: bool, options: Any, error: type[BaseException] | None
) -> None:
    """Which engine trains does not matter, nor the mode before."""
    model = xor_model().train(before)
    with nullcontext() if error is None else pytest.raises(error):
        quick(model, **{"batch_size": 1, "engine": engine, **options(model)})
    assert {module.training for module in model.modules()} == {False}


def test_refused_arguments_leave_the_mode() -> None:
    model = xor_model()
    wrong: list[dict[str, Any]] = [{"loss": "unknown"}, {"epochs": -1}, {"metrics": 3}]
    for options in [*wrong, {"validation": 2.0}, {"batch_size": 0}, {"X": []}]:
        with pytest.raises((TypeError, ValueError)):
            quick(model, **options)
        assert model.training


def test_a_model_that_fails_in_evaluation_mode_is_switched_by_its_own_train() -> None:
    class Own(Seeing):
        def __init__(self) -> None:
            super().__init__()
            self.calls: list[bool] = []

        def train(self, mode: bool = True) -> nn.Module:
            self.calls.append(mode)
            return super().train(mode)

    model = Own()
    with pytest.raises(PlannedError):
        quick(model, metrics={"failing": fail})
    assert model.calls[:2] == [True, False]
    assert not model.calls[-1]
    assert not model.neuron.training


def test_a_schedule_is_stepped_after_each_epoch() -> None:
    model = xor_model()
    optimizer = optim.SGD(model.parameters(), lr=0.8)
    history = quick(model, optimizer=optimizer, schedule=optim.StepLR(optimizer, 2, 0.5), batch_size=1)
    assert history.learning_rates == [0.8, 0.8, 0.4, 0.4, 0.2]
    assert optimizer.lr == 0.2


def test_dead_units() -> None:
    model = nn.MLP(2, [4, 1], "relu", seed=0)
    for neuron in model.layers[0].neurons[:3]:
        neuron.b.data = -100.0
    model.layers[0].neurons[3].b.data = 100.0
    assert quick(model, epochs=2).dead_units == [0.75, 0.75]
    assert quick(nn.Neuron(2), epochs=1).dead_units == [0.0]


def test_progress_is_printed_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    history = quick(progress=True)
    quick(progress=False)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("5/5") >= 1
    assert "epoch" in printed.err
    assert f"loss {history.losses[-1]:.4g}]" in printed.err


def test_without_progress_the_lock_of_tqdm_is_not_needed() -> None:
    """A process that was killed while it held the lock leaves it locked for its parent, for good."""
    from tqdm import tqdm

    training = threading.Thread(target=quick, kwargs={"progress": False}, daemon=True)
    with tqdm.get_lock():
        training.start()
        training.join(60.0)
        assert not training.is_alive()


# --- Ctrl-C --------------------------------------------------------------------------------------


class Pressing(Watching):
    """A loss that simulates Ctrl-C in some of its calls."""

    def __init__(self, *calls: int) -> None:
        super().__init__()
        self.calls = calls

    def __call__(self, predictions: list[Any], targets: list[Any]) -> Any:
        loss = super().__call__(predictions, targets)
        for _ in range(self.calls.count(len(self.targets))):
            signal.raise_signal(signal.SIGINT)
        return loss


def test_control_c_finishes_the_step_and_restores_the_handler() -> None:
    model = xor_model()
    before = model.state_dict()
    history = quick(model, Pressing(6), batch_size=1)
    assert (history.stopped, history.epochs) == ("interrupted in epoch 2", 1)
    assert model.state_dict() != before
    assert not model.training
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_interrupted_before_an_epoch_was_finished() -> None:
    history = quick(None, Pressing(1), batch_size=1)
    assert (history.stopped, history.epochs) == ("interrupted in epoch 1", 0)
    assert str(history) == "History: no epoch was completed; interrupted in epoch 1"


def test_a_second_control_c_interrupts_at_once() -> None:
    with pytest.raises(KeyboardInterrupt):
        quick(None, Pressing(2, 2), batch_size=1)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_training_in_another_thread() -> None:
    """Only the main thread may set a signal handler."""
    histories: list[History] = []
    thread = threading.Thread(target=lambda: histories.append(quick()))
    thread.start()
    thread.join()
    assert bits(histories[0].losses) == bits(quick().losses)


# --- non-finite losses, gradients and data -------------------------------------------------------


def test_a_loss_that_is_not_finite_is_explained() -> None:
    model = xor_model()
    states = []

    def loss(predictions: list[Any], targets: list[Any]) -> Any:
        states.append(model.state_dict())
        wrong = -1.0 if len(states) >= 6 else 1.0
        return nn.mse_loss([chainrule.log(p * 0.0 + wrong) for p in predictions], targets)

    message = (
        r"^the loss is nan in epoch 2, batch 2: log\(-1\.0000\) is nan, at "
        r".*test_train\.py:\d+: return nn\.mse_loss\(\[chainrule\.log\(.*\. The parameters are those of "
        r"the last good step; try a smaller learning rate \(now 0\.01\) or clip_grad_norm_\.$"
    )
    with pytest.raises(NonFiniteLossError, match=message):
        quick(model, loss, batch_size=1)
    assert model.state_dict() == states[5]
    assert isinstance(NonFiniteLossError(""), ArithmeticError)


def test_a_learning_rate_far_too_large() -> None:
    model = nn.MLP(2, [4, 1], "relu", seed=0)
    message = r"the loss is inf in epoch \d+, batch 1: \w+\(.* is inf, at "
    with pytest.raises(NonFiniteLossError, match=message):
        quick(model, optimizer=optim.SGD(model.parameters(), lr=1e6), epochs=1000)
    assert all(math.isfinite(p.data) for p in model.parameters())


def test_a_gradient_that_is_not_finite_does_not_reach_the_parameters() -> None:
    """The square root at 0: the loss is 1, but its gradient is infinity times 0, which is NaN."""
    model = nn.Neuron(1, lambda x: chainrule.sqrt(x * 0.0), seed=0)
    before = model.state_dict()
    sgd = optim.SGD(model.parameters(), lr=0.1)
    with pytest.raises(NonFiniteLossError, match="gradient"):
        quick(model, X=[[1.0]], y=[1.0], optimizer=sgd)
    assert model.state_dict() == before


def test_non_finite_numbers_in_the_data() -> None:
    X = XOR[0].copy()
    X[2, 1] = math.nan
    message = (
        r"the loss is nan in epoch 1, batch 1: dot\(.*nan.*\) is nan, .*"
        r"; the data contains numbers that are not finite\.$"
    )
    with pytest.raises(NonFiniteLossError, match=message):
        quick(X=X)
    with pytest.raises(NonFiniteLossError, match=r"; the data contains numbers that are not finite\.$"):
        quick(y=[0.0, 1.0, math.inf, 0.0])


def test_samples_that_are_not_numbers() -> None:
    """How a model handles a string is up to the model, but the error is explained anyway."""

    class Reading(nn.Module):
        def __init__(self) -> None:
            self.w = Value(0.0)

        def forward(self, x: str) -> Any:
            return chainrule.log(self.w) * len(x)

    with pytest.raises(NonFiniteLossError, match=r"log\(0\.0000\) is -inf, .*; try a smaller"):
        quick(Reading(), X=["a", "bc"], y=[0.0, 1.0])


# --- bad arguments -------------------------------------------------------------------------------

VALIDATION = r"^validation must be \(X, y\) or a fraction between 0 and 1, got "
OTHER = optim.SGD(xor_model().parameters())
SCHEDULE = optim.StepLR(OTHER, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": -1}, "^epochs must be at least 0, got -1$"),
        ({"batch_size": 0}, "^batch_size must be at least 1, got 0$"),
        ({"loss": "foo"}, "^unknown loss 'foo'; expected a function or one of: mse, l1, .*nll$"),
        ({"X": XOR[0][:2]}, "^X has 2 samples and y has 4$"),
        ({"X": [], "y": []}, "^the data set is empty$"),
        ({"validation": 1}, rf"{VALIDATION}1$"),
        ({"validation": True}, rf"{VALIDATION}True$"),
        ({"validation": 1.5}, rf"{VALIDATION}1\.5$"),
        ({"validation": 0.0}, rf"{VALIDATION}0\.0$"),
        ({"validation": -0.25}, rf"{VALIDATION}-0\.25$"),
        ({"validation": math.nan}, rf"{VALIDATION}nan$"),
        ({"validation": XOR[0]}, rf"{VALIDATION}ndarray$"),
        ({"validation": (*XOR, XOR[1])}, rf"{VALIDATION}tuple$"),
        ({"validation": ([], [])}, "^the data set is empty$"),
        ({"validation": (XOR[0], XOR[1][:2])}, "^X has 4 samples and y has 2$"),
        ({"patience": 0}, "^patience must be at least 1, got 0$"),
        ({"patience": -1}, "^patience must be at least 1, got -1$"),
        (
            {"model": nn.Sequential(chainrule.tanh)},
            "^the optimizer needs at least one parameter, got none$",
        ),
        ({"model": nn.MLP(3, [1])}, "^Neuron expects 3 inputs, got 2$"),
        ({"optimizer": OTHER}, "^the optimizer has none of this model's parameters$"),
        (
            {"schedule": SCHEDULE},
            "^the schedule belongs to another optimizer; pass that optimizer to fit$",
        ),
    ],
)
def test_bad_arguments(options: Any, message: str) -> None:
    model = options.setdefault("model", xor_model())
    before = model.state_dict()
    with pytest.raises(ValueError, match=message):
        quick(**options)
    assert model.state_dict() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"model": nn.MLP},
            r"^the model must be an instance, got the class MLP; create one with MLP\(...\)$",
        ),
        (
            {"model": len},
            r"^the model must be a Module, or a callable whose parameters\(\) returns its leaf Values, "
            r"got builtin_function_or_method$",
        ),
        (
            {"model": Classic(lambda ps: 3.0)},
            r"^Classic.parameters\(\) must return .* leaf .* got float$",
        ),
        ({"model": Classic(lambda ps: {"w": 1})}, r"parameters\(\) must return .* got dict$"),
        ({"model": Classic(lambda ps: [1.0])}, r"but the result contains builtins.float$"),
        ({"loss": XOR[0]}, r"^the loss must be a name .*, got \w+: call fit\(model, loss, X, y\)$"),
        ({"optimizer": "adam"}, r"^optimizer must be an optimizer such as optim\.Adam\(.*\), got str$"),
        ({"optimizer": optim.Adam}, r"^optimizer must be an optimizer .*, got the class Adam$"),
        ({"metrics": accuracy}, r"^metrics must be a dict such as \{'accuracy': .*\}, got function$"),
        ({"metrics": ["accuracy"]}, r"^metrics must be a dict such as .*, got list$"),
        ({"epochs": 2.5}, r"^epochs must be an integer, got 2\.5$"),
        ({"epochs": "5"}, r"^epochs must be an integer, got '5'$"),
        ({"patience": 1.5}, r"^patience must be an integer, got 1\.5$"),
        ({"batch_size": 2.0}, r"^batch_size must be an integer, got 2\.0$"),
        ({"X": iter([[0.0, 1.0]])}, "^X must be a list or an array of samples, got list_iterator$"),
    ],
)
def test_arguments_of_the_wrong_type(options: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        quick(**options)


def test_a_checkpoint_that_cannot_be_written_is_reported_before_training(tmp_path: Path) -> None:
    loss = Watching()
    with pytest.raises(FileNotFoundError, match=r"^the directory of .* does not exist$"):
        quick(None, loss, checkpoint=tmp_path / "missing" / "model")
    assert loss.targets == []


def test_training_inside_no_grad() -> None:
    """It would run all epochs and learn nothing."""
    message = r"^fit inside no_grad\(\) would learn nothing: call fit outside it$"
    with chainrule.no_grad(), pytest.raises(RuntimeError, match=message):
        quick()


def test_a_loss_that_returns_a_plain_number() -> None:
    with pytest.raises(TypeError, match=r"loss .*Value.*got float"):
        quick(None, lambda predictions, targets: 3.0)


def test_losses_by_name() -> None:
    assert loss_named("mse") is nn.mse_loss
    assert loss_named("nll") is nn.nll_loss
    assert loss_named(abs) is abs


@pytest.mark.parametrize("name", NAMES)
def test_a_loss_is_known_by_its_short_name_and_by_the_name_of_its_function(name: str) -> None:
    function = loss_named(name)
    assert name in (function.__name__, function.__name__.removesuffix("_loss"))
    assert {short_name(name), function.__name__} <= set(NAMES)
    assert train.LOSSES[short_name(name)] is function
    assert short_name("cross_entropy_loss") == "cross_entropy_loss"  # neither spelling


def test_both_spellings_train_alike() -> None:
    assert quick(None, "mse_loss").losses == quick(None, "mse").losses


def test_no_epochs() -> None:
    model = xor_model()
    before = model.state_dict()
    history = quick(model, epochs=0)
    assert str(history) == "History: no epoch was completed"
    assert model.state_dict() == before


# --- accuracy ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("predictions", "targets", "expected"),
    [
        ([Value(0.3), Value(-0.2), Value(0.1)], [1, 0, 0], 2 / 3),
        ([Value(0.3), Value(-0.2)], [1, -1], 1.0),
        ([0.3, -0.2], np.array([0.0, 1.0]), 0.0),
        ([Value(0.3), Value(-0.2)], np.array([[1], [1]]), 0.5),
        ([[Value(0.1), Value(0.9)], [Value(0.1), Value(0.0)]], [1, 1], 0.5),
        ([[0.1, 0.9, 0.3]], [1.0], 1.0),
        (np.array([0.3, -0.2]), np.array([1, 0]), 1.0),
        (np.array([0.3, -0.2], dtype=np.float32), np.array([1, 0]), 1.0),
    ],
    ids=["logits", "signs", "floats", "a column", "rows", "row of floats", "array", "array of float32"],
)
def test_accuracy(predictions: Any, targets: Any, expected: float) -> None:
    assert accuracy(predictions, targets) == near(expected, rel=1e-15)


def test_the_accuracy_of_probabilities() -> None:
    assert accuracy([Value(0.7), Value(0.2)], [1, 0], threshold=0.5) == 1.0
    assert accuracy([Value(0.7), Value(0.2)], [1, 0]) == 0.5  # as logits, both mean class 1


@pytest.mark.parametrize(("count", "targets"), [(1, [1, 0]), (2, [1]), (0, [])])
def test_accuracy_needs_a_target_for_each_prediction(count: int, targets: list[int]) -> None:
    message = f"^accuracy needs a target for each prediction, got {len(targets)} for {count}$"
    with pytest.raises(ValueError, match=message):
        accuracy([0.5] * count, targets)
