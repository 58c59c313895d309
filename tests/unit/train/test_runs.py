"""fit in native code: the same numbers as eager mode, and the choice between the two."""

import math
import re
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, data, nn, optim
from chainrule.compiler import CompileError
from chainrule.train import accuracy, fit

from ...near import near
from .test_train import XOR, bits, quick, xor_model

native = pytest.mark.skipif(chainrule.value.c_core is None, reason="there is no C core")
OPTIMIZERS: dict[str, Callable[[Any], optim.Optimizer]] = {
    "sgd": lambda params: optim.SGD(params, lr=0.1, weight_decay=1e-3),
    "momentum": lambda params: optim.SGD(params, lr=0.05, momentum=0.9, nesterov=True),
    "rmsprop": lambda params: optim.RMSprop(params, lr=0.002, momentum=0.5),
    "adagrad": lambda params: optim.Adagrad(params, lr=0.05, lr_decay=0.01),
    "adam": lambda params: optim.Adam(params, lr=0.02),
    "adamw": lambda params: optim.AdamW(params, lr=0.02),
}


def both(
    loss: str, X: Any, y: Any, nouts: list[int], optimizer: str = "adam", **options: Any
) -> tuple[Any, Any]:
    """The same training run in eager mode and in native code: models and histories."""
    results = []
    for engine in ("eager", "native"):
        model = nn.MLP(X.shape[1], nouts, seed=0)
        made = OPTIMIZERS[optimizer](model.parameters())
        history = fit(model, loss, X, y, optimizer=made, engine=engine, progress=False, **options)
        results.append((model, history))
    return results[0], results[1]


@native
def test_parameters_that_a_callback_changes_are_trained_on() -> None:
    """As in eager mode: an engine reads the model again before each epoch."""
    results = []
    for engine in ("eager", "native"):
        model = nn.MLP(2, [3, 1], seed=0)

        def halve(epoch: int, history: Any, model: nn.Module = model) -> None:
            for p in model.parameters():
                p.data *= 0.5

        history = fit(
            *(model, "mse", *XOR),
            optimizer=optim.SGD(model.parameters(), lr=0.1),
            epochs=3,
            callbacks=[halve],
            progress=False,
            engine=engine,
        )
        results.append((history.losses, [p.data for p in model.parameters()]))
    assert results[1][0] == near(results[0][0], rel=1e-10)
    assert results[1][1] == near(results[0][1], rel=1e-10)


def close(first: Any, second: Any) -> None:
    """Loss curves and weights within 1e-9."""
    assert second[1].losses == near(first[1].losses, rel=1e-9)
    names = first[0].state_dict()
    assert second[0].state_dict() == near(names, rel=1e-9)
    assert second[1].gradient_norms.keys() == first[1].gradient_norms.keys()
    for name, norms in first[1].gradient_norms.items():
        assert second[1].gradient_norms[name] == near(norms, rel=1e-7)
    assert second[1].learning_rates == first[1].learning_rates


@native
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_native_code_matches_eager_mode_for_100_epochs(optimizer: str) -> None:
    X, y = data.moons(40, seed=1)
    close(*both("binary_cross_entropy_with_logits", X, y, [6, 1], optimizer, epochs=100, batch_size=16))


@native
@pytest.mark.parametrize("loss", ["mse", "l1", "huber", "hinge", "cross_entropy"])
def test_native_code_matches_eager_mode_for_other_losses(loss: str) -> None:
    X, y = data.moons(30, seed=2)
    y = 2 * y - 1 if loss == "hinge" else y
    nouts = [5, 2] if loss == "cross_entropy" else [5, 1]
    close(*both(loss, X, y, nouts, epochs=30))


@native
def test_native_code_follows_a_schedule_and_stops_early() -> None:
    models = []
    for engine in ("eager", "native"):
        model = nn.MLP(2, [4, 1], seed=0)
        sgd = optim.SGD(model.parameters(), lr=0.5)
        schedule = optim.StepLR(sgd, step_size=5, gamma=0.5)
        history = quick(model, optimizer=sgd, schedule=schedule, epochs=40, patience=3, engine=engine)
        models.append((model, history))
    close(*models)
    assert models[0][1].epochs == models[1][1].epochs


class Custom(nn.Module):
    """A custom model: a weight, and a function of the model and the sample."""

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self.w, self.function = Value(0.5), function

    def forward(self, x: Any) -> Any:
        return self.function(self, x)


@native
def test_models_that_cannot_be_compiled_train_eagerly() -> None:
    def branching(model: Any, x: Any) -> Any:
        return model.w * x[0] if x[0] > 0.5 else model.w * x[1]

    losses = [quick(Custom(branching), engine=engine).losses for engine in ("auto", "eager")]
    assert bits(losses[0]) == bits(losses[1])
    with pytest.raises(TypeError, match="branches on Values cannot be trained natively"):
        quick(Custom(branching), engine="native")


def largest(predictions: Any, targets: Any) -> Any:
    return chainrule.max([(p - t) ** 2 for p, t in zip(predictions, targets, strict=True)])


def per_positive(predictions: Any, targets: Any) -> Any:
    """Infinite for some samples taken alone."""
    pairs = zip(predictions, targets, strict=True)
    return chainrule.sum([(p - t) ** 2 for p, t in pairs]) / sum(t > 0.0 for t in targets)


@native
@pytest.mark.parametrize("loss", [largest, per_positive])
def test_a_loss_that_is_not_a_mean_is_rejected(loss: Any) -> None:
    with pytest.raises(TypeError, match="not the mean of the losses of its samples"):
        quick(loss=loss, engine="native")
    assert quick(loss=loss).epochs == 5


def test_an_unknown_engine() -> None:
    with pytest.raises(ValueError, match="engine must be one of auto, eager, native, jax, got 'gpu'"):
        quick(engine="gpu")


@native
def test_many_short_epochs_run_in_one_call() -> None:
    history = quick(epochs=20_000, engine="native")
    assert history.epochs == len(history.dead_units) == len(history.learning_rates) == 20_000
    assert history.losses[-1] < 1e-3
    assert math.isnan(history.dead_units[-2]) or history.dead_units[-2] >= 0.0


def test_an_overridden_step_is_called() -> None:
    class Counting(optim.SGD):
        calls = 0

        def step(self) -> None:
            type(self).calls += 1
            super().step()

    model = xor_model()
    history = quick(model, optimizer=Counting(model.parameters(), lr=0.1), epochs=3)
    assert Counting.calls == 3
    if chainrule.value.c_core is not None:
        reason = "Counting overrides step(), which native code would not call: define a rule() instead"
        assert history.reason == reason


def test_training_some_of_the_parameters() -> None:
    model, other = xor_model(), xor_model()
    for each, engine in ((model, "auto"), (other, "eager")):
        some = each.parameters()[:5]
        quick(each, optimizer=optim.SGD(some, lr=0.1), epochs=3, engine=engine)
    assert model.state_dict() == other.state_dict()
    assert [p.data for p in model.parameters()[5:]] == [p.data for p in xor_model().parameters()[5:]]


# --- what engine='auto' chooses, and what it reports -------------------------------------------------


class Rule(optim.Optimizer):
    """Gradient descent with a custom rule."""

    def __init__(self, params: Any, update: Callable[[Any, Any], Any]) -> None:
        super().__init__(params, lr=0.1)
        self.update = update

    def rule(self, p: Any, g: Any, state: Any, t: Any, **hyper: Any) -> Any:
        return self.update(p, g), ()


@native
def test_the_history_names_the_engine() -> None:
    for engine in ("auto", "native"):
        history = quick(engine=engine)
        assert (history.engine, history.reason) == ("native", "")
    history = quick(engine="eager")
    assert (history.engine, history.reason) == ("eager", "")
    assert str(history).endswith(", engine eager")


@native
def test_the_history_says_why_auto_stays_eager() -> None:
    class Doubling(nn.Module):
        def __init__(self) -> None:
            self.mlp = nn.MLP(2, [3, 1], seed=0)

        def forward(self, x: Any) -> Any:
            return self.mlp(x * 2)  # x is an array, so every number is doubled

    history, eager = quick(Doubling()), quick(Doubling(), engine="eager")
    assert bits(history.losses) == bits(eager.losses)
    assert quick(Doubling(), engine="native").losses == near(eager.losses, rel=1e-9)
    reason = (
        "the model is user-defined and may behave differently at each call; if it has no Python "
        "branches, use engine='native' to compile it"
    )
    assert (history.engine, history.reason) == ("eager", reason)
    assert str(history).endswith(f", engine eager ({reason})")
    history = quick(loss=lambda predictions, targets: nn.mse_loss(predictions, targets))
    assert (history.engine, history.reason[:24]) == ("eager", "the loss is user-defined")


CANNOT_BE_TRACED: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "a branch": (lambda p, g: p - 0.1 * g if g > 0 else p - 0.2 * g, "must branch with where"),
    "a method of floats": (lambda p, g: p - 0.1 * float.fromhex(g.hex()), "AttributeError"),
    "a function of math": (lambda p, g: p - math.copysign(1.0, g), "use the functions of chainrule"),
    "a table": (lambda p, g: p - {True: 0.1, False: 0.2}[g.is_integer()] * g, "AttributeError"),
    "an index": (lambda p, g: p - [0.1, 0.2][int(g > 1e9)] * g, "plain number|must branch"),
}


@native
@pytest.mark.parametrize("name", CANNOT_BE_TRACED)
def test_a_rule_that_cannot_be_traced_trains_eagerly_and_the_history_says_why(name: str) -> None:
    update, reason = CANNOT_BE_TRACED[name]
    model, eager = xor_model(), xor_model()
    history = quick(model, optimizer=Rule(model.parameters(), update))
    assert history.engine == "eager"
    assert re.search(reason, history.reason)
    quick(eager, optimizer=Rule(eager.parameters(), update), engine="eager")
    assert model.state_dict() == eager.state_dict()
    with pytest.raises(CompileError, match=reason):
        quick(optimizer=Rule(model.parameters(), update), model=model, engine="native")


@native
@pytest.mark.parametrize("engine", ["auto", "native", "eager"])
@pytest.mark.parametrize("kind", [TypeError, ValueError, AttributeError, KeyError, ZeroDivisionError])
def test_an_error_in_a_rule_propagates(engine: str, kind: Any) -> None:
    def update(p: Any, g: Any) -> Any:
        raise kind("mine")

    model = xor_model()
    before = model.state_dict()
    with pytest.raises(kind, match="mine"):
        quick(model, optimizer=Rule(model.parameters(), update), engine=engine)
    assert model.state_dict() == before


@native
@pytest.mark.parametrize("engine", ["native", "eager"])
@pytest.mark.parametrize("kind", [TypeError, ValueError, AttributeError, KeyError])
@pytest.mark.parametrize("when_training", [True, False])
def test_an_error_in_a_model_propagates(engine: str, kind: Any, when_training: bool) -> None:
    def wrong(model: Any, x: Any) -> Any:
        if model.training is when_training:
            raise kind("mine")
        return model.w * x[0]

    with pytest.raises(kind, match="mine"):
        quick(Custom(wrong), engine=engine, validation=XOR)


@native
def test_a_rule_with_a_different_state_size() -> None:
    class Sized(Rule):
        state_size = 2

    model = xor_model()
    history = quick(model, optimizer=Sized(model.parameters(), lambda p, g: p - 0.1 * g))
    reason = "rule() of Sized must return a number and a state of length 2, as state_size says"
    assert history.reason == reason


@native
def test_eager_monitoring_is_reported() -> None:
    def branching(model: Any, x: Any) -> Any:
        out = model.w * x[0]
        return out if model.training or float(out.data) > 0.1 else model.w

    history = quick(Custom(branching), engine="native", validation=XOR)
    assert history.engine == "native"
    assert history.reason.startswith("evaluated in eager mode: reading .data inside a compiled function")


@native
def test_progress_names_the_engine_and_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    quick(progress=True)
    assert "native" in capsys.readouterr().err
    quick(loss=lambda predictions, targets: nn.mse_loss(predictions, targets), progress=True)
    assert "engine eager: the loss is user-defined" in capsys.readouterr().err


# --- monitoring: what is evaluated after an epoch ------------------------------------------------


def watched(model: Callable[[], nn.Module], **options: Any) -> tuple[Any, Any]:
    """Histories of the same training run in eager mode and in native code, compared completely."""
    options = {"metrics": {"first": first_output}, **options}
    eager, native = (quick(model(), engine=engine, **options) for engine in ("eager", "native"))
    assert native.epochs == eager.epochs
    for name, numbers in eager.curves().items():
        assert native.curves()[name] == near(numbers, rel=1e-9, nan_ok=True)
    assert native.dead_units == eager.dead_units
    assert (native.best_epoch, native.stopped) == (eager.best_epoch, eager.stopped)
    return eager, native


def first_output(predictions: list[Any], targets: Any) -> float:
    first = predictions[0]
    return float(first.data if isinstance(first, Value) else first[-1].data)


class Scaled(nn.Module):
    """Its output differs in evaluation mode, as with dropout."""

    def __init__(self, evaluated: Callable[[Any], Any]) -> None:
        self.mlp, self.evaluated = nn.MLP(2, [3, 1], "relu", seed=0), evaluated

    def forward(self, x: Any) -> Any:
        return self.mlp(x) * 2.0 if self.training else self.evaluated(self.mlp(x))


class Dropout(nn.Module):
    """Zeros about half of its inputs, in one of the modes."""

    def __init__(self, when_training: bool) -> None:
        self.when_training, self.rng = when_training, np.random.default_rng(0)

    def forward(self, x: Any) -> Any:
        if self.training is not self.when_training:
            return x
        return [v * 2.0 * float(self.rng.integers(2)) for v in x]


@native
@pytest.mark.parametrize("validation", [None, 0.25])
@pytest.mark.parametrize("batch_size", [None, 16])
@pytest.mark.parametrize(
    ("loss", "outputs"), [("mse", 1), ("binary_cross_entropy_with_logits", 1), ("cross_entropy", 3)]
)
def test_native_code_monitors_as_eager_mode_does(
    loss: str, outputs: int, batch_size: int | None, validation: float | None
) -> None:
    X, y = data.blobs(60, centers=max(outputs, 2), seed=3)
    options = {"batch_size": batch_size, "validation": validation, "patience": 2, "epochs": 20}
    options |= {"metrics": {"accuracy": accuracy, "first": first_output}}
    watched(lambda: nn.MLP(2, [6, 5, outputs], "relu", seed=2), loss=loss, X=X, y=y, **options)


@native
@pytest.mark.parametrize("validation", [None, XOR])
def test_monitoring_is_compiled_once(validation: Any) -> None:
    """Neither the model nor the loss is called for each epoch."""
    calls = []
    for epochs in (2, 20):
        model, seen = Counting(), 0

        def loss(predictions: Any, targets: Any) -> Any:
            nonlocal seen
            seen += 1
            return nn.mse_loss(predictions, targets)

        options = {"metrics": {"accuracy": accuracy}, "patience": 100, "validation": validation}
        quick(model, loss, engine="native", epochs=epochs, **options)
        calls.append((seen, model.calls))
    assert calls[0] == calls[1]


class Counting(nn.Module):
    def __init__(self) -> None:
        self.mlp, self.calls = nn.MLP(2, [3, 1], seed=0), 0

    def forward(self, x: Any) -> Any:
        self.calls += 1
        return self.mlp(x)


@native
@pytest.mark.parametrize("outputs", [1, 2])
def test_metrics_get_the_same_arguments_as_in_eager_mode(outputs: int) -> None:
    kinds, modes = [], []

    def metric(predictions: Any, targets: Any) -> float:
        first = predictions[0]
        inner = [] if isinstance(first, Value) else [type(score) for score in first]
        kinds.append((type(predictions), len(predictions), type(first), inner, type(targets)))
        modes.append(model.training)
        return 0.0

    for engine in ("eager", "native"):
        model = nn.MLP(2, [3, outputs], seed=0)
        loss = "mse" if outputs == 1 else "cross_entropy"
        quick(model, loss, y=[0, 1, 1, 0], engine=engine, metrics={"kinds": metric}, epochs=2)
    assert kinds[0] == kinds[1] == kinds[2] == kinds[3]
    assert modes == [False] * 4


@native
@pytest.mark.parametrize(
    ("evaluated", "options"),
    [
        (lambda out: out * 3.0, {"validation": None, "patience": 3}),
        (lambda out: out * 3.0, {"validation": XOR, "patience": 3}),
        (lambda out: out if out > 0.0 else -out, {"validation": XOR, "epochs": 20}),
        (lambda out: out * round(out.data, 1), {"validation": XOR, "patience": 3}),
    ],
    ids=["on the training data", "on other data", "with a branch", "not compilable"],
)
def test_monitoring_is_traced_in_evaluation_mode(evaluated: Any, options: Any) -> None:
    watched(lambda: Scaled(evaluated), **options)


@native
def test_validation_samples_of_different_lengths() -> None:
    validation = ([[1.0], [1.0, 2.0, 3.0]], [0.5, 2.0])
    watched(lambda: Custom(lambda m, x: m.w * sum(x)), X=XOR[0].tolist(), validation=validation)


@native
def test_a_model_that_is_random_in_evaluation_mode() -> None:
    model = nn.Sequential(nn.Layer(2, 16, seed=0), Dropout(when_training=False), nn.Neuron(16, seed=1))
    different = {"outputs": lambda predictions, targets: len({p.data for p in predictions})}
    history = quick(model, validation=([[1.0, 0.5]] * 8, [1.0] * 8), metrics=different, engine="native")
    assert min(history.metrics["outputs"]) > 1


def test_dropout_is_trained_eagerly() -> None:
    def model() -> nn.Module:
        return nn.Sequential(nn.Layer(2, 16, seed=0), Dropout(when_training=True), nn.Neuron(16, seed=1))

    options = {"validation": XOR, "metrics": {"accuracy": accuracy}, "patience": 3}
    auto, eager = (quick(model(), engine=engine, **options) for engine in ("auto", "eager"))
    assert auto.curves() == eager.curves()
    if chainrule.value.c_core is not None:
        with pytest.raises(TypeError, match="two traces of the model differ"):
            quick(model(), engine="native", **options)


@native
def test_an_overridden_train_is_called() -> None:
    class Freezing(nn.Module):
        def __init__(self) -> None:
            self.mlp, self.factor = nn.MLP(2, [3, 1], seed=0), 1.0

        def train(self, mode: bool = True) -> nn.Module:
            self.factor = 1.0 if mode else 3.0
            return super().train(mode)

        def forward(self, x: Any) -> Any:
            return self.mlp(x) * self.factor

    watched(Freezing, validation=XOR, patience=3)


BINARY = "binary_cross_entropy_with_logits"


@pytest.mark.parametrize("engine", ["auto", "eager", pytest.param("native", marks=native)])
@pytest.mark.parametrize(
    ("loss", "X", "y", "message"),
    [
        (BINARY, [[0.0, 1.0]] * 2, [1.0, 2.0], "^the binary cross-entropy needs .* 0 to 1, got 2.0$"),
        ("mse", [[0.0, 1.0, 2.0]], [1.0], "^Neuron expects 2 inputs, got 3$"),
    ],
)
def test_invalid_validation_data(engine: str, loss: str, X: Any, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        quick(loss=loss, validation=(X, y), engine=engine)


@native
@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_non_finite_validation_data(wrong: float) -> None:
    eager, _ = watched(xor_model, validation=([[0.0, 1.0], [1.0, 1.0]], [1.0, wrong]), patience=3)
    assert not any(map(math.isfinite, eager.validation_losses))


@native
def test_infinite_losses_of_both_signs() -> None:
    def signed(predictions: Any, targets: Any) -> Any:
        return chainrule.mean([p * t for p, t in zip(predictions, targets, strict=True)])

    validation = ([[0.0, 1.0], [0.0, 1.0]], [math.inf, -math.inf])
    eager, _ = watched(xor_model, loss=signed, validation=validation)
    assert all(map(math.isnan, eager.validation_losses))


@native
@pytest.mark.parametrize("wrong", [-1.0, 2.0])
def test_a_loss_that_is_not_a_mean_over_the_validation_data(wrong: float) -> None:
    """A loss that divides by weights is a mean only on training data whose weights are all 1."""

    def weighted(predictions: Any, targets: Any) -> Any:
        pairs = zip(predictions, targets, strict=True)
        weights = chainrule.sum([(t + 1.0) / 2.0 for t in targets])
        return chainrule.sum([(p - t) ** 2 for p, t in pairs]) / weights

    validation = (XOR[0], [wrong, 1.0, 1.0, 1.0])
    watched(xor_model, loss=weighted, y=[1.0] * 4, validation=validation, patience=3)


# --- how many files a reader has to follow -------------------------------------------------------


@pytest.mark.skipif(chainrule.core != "c", reason="on the Python core, calls into its class count too")
def test_a_run_goes_through_few_files_and_traces_once() -> None:
    """XOR with validation and a metric, 5 epochs: counts calls that enter a different file."""
    package = str(Path(chainrule.__file__).parent)
    model = nn.MLP(2, [4, 1])
    files: list[str] = []
    traces = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal traces
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(package):
            files.append(name)
            traces += frame.f_code.co_name == "trace_parts" and name.endswith("tracing.py")

    options: dict[str, Any] = {"validation": XOR, "metrics": {"ones": lambda p, t: 1.0}}
    optimizer = optim.Adam(model.parameters(), lr=0.05)
    sys.setprofile(note)
    try:
        history = fit(model, "mse", *XOR, optimizer=optimizer, epochs=5, progress=False, **options)
    finally:
        sys.setprofile(None)
    assert len(model.parameters()) == 17
    assert sum(a != b for a, b in pairwise(files)) <= 700
    assert (history.engine, traces) == ("native", 2)  # the model with its loss; the optimiser's rule


@pytest.mark.skipif(chainrule.core != "c", reason="on the Python core, calls into its class count too")
def test_an_epoch_of_a_larger_model_takes_no_more_python_calls() -> None:
    """Nothing in Python grows with the parameters: they are read and written in bulk."""
    counts = []
    for width in (3, 3, 300):  # the first run imports modules
        model, X, y = nn.MLP(width, [4, 1]), np.ones((6, width)), np.ones(6)
        calls: list[int] = []
        known = 0

        def note(frame: Any, event: str, argument: Any) -> None:
            nonlocal known
            known += 1

        def after_epoch(epoch: int, history: Any) -> None:
            calls.append(known)  # noqa: B023

        optimizer = optim.Adam(model.parameters(), lr=0.05)
        sys.setprofile(note)
        try:
            fit(
                model,
                "mse",
                X,
                y,
                optimizer=optimizer,
                epochs=4,
                callbacks=[after_epoch],
                progress=False,
            )
        finally:
            sys.setprofile(None)
        counts.append(calls[3] - calls[2])
    assert counts[1] == counts[2] < 2000
