"""diagnose finds each problem in a network built to have it, and none in healthy networks."""

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, data, diagnose, nn, optim
from chainrule.train import diagnosing, fit
from chainrule.train.diagnosing import Diagnosis, check_scale
from chainrule.train.engines import outputs_of_layers

from ...conftest import require

X, Y = data.moons(30)
LOGITS = "binary_cross_entropy_with_logits"


def scaled(model: nn.Module, factor: float) -> nn.Module:
    for p in model.parameters():
        p.data *= factor
    return model


def biased(model: nn.MLP, layer: int, bias: float, share: float = 1.0) -> nn.MLP:
    neurons = model.layers[layer].neurons
    for neuron in neurons[: round(share * len(neurons))]:
        neuron.b.data = bias
    return model


def vanishing() -> nn.MLP:
    return nn.MLP(2, [6] * 8 + [1], "sigmoid", init="xavier", seed=0)


def exploding() -> nn.MLP:
    """The factor 0.001 in the first layer makes its gradient large compared to that of the last."""
    model = nn.MLP(2, [6] * 4 + [1], "linear", init="xavier", seed=0)
    for layer in model.layers[1:]:
        scaled(layer, 20.0)
    scaled(model.layers[0], 1e-3)
    return model


def dead() -> nn.MLP:
    return biased(nn.MLP(2, [8, 8, 1], "relu", init="he", seed=0), 1, -100.0, 0.75)


def saturated(activation: str) -> nn.MLP:
    model = nn.MLP(2, [8, 1], activation, init="xavier", seed=0)
    scaled(model.layers[0], 300.0)
    return model


# --- problems ------------------------------------------------------------------------------------


def test_vanishing() -> None:
    report = diagnose(vanishing(), LOGITS, X, Y)
    assert not report
    assert list(report.findings) == ["vanishing"]
    assert report.findings["vanishing"] == (
        "the gradients of layer 1, layer 2, layer 3, layer 4, layer 5 are less than a thousandth of "
        "that of the last layer, so these layers hardly learn; try relu or "
        "init='xavier', or fewer layers"
    )
    assert len(report.layers) == 9


def test_exploding() -> None:
    report = diagnose(exploding(), "l1", X, Y)
    assert not report
    assert list(report.findings) == ["exploding"]
    assert report.findings["exploding"].startswith("very large gradients in layer 1")
    assert report.findings["exploding"].endswith(
        "; use smaller initial weights (init='xavier' or 'he') or clip_grad_norm_"
    )


def test_large_gradients_in_every_layer_are_exploding_too() -> None:
    report = diagnose(scaled(nn.MLP(2, [6] * 6 + [1], "linear", seed=0), 10.0), "mse", X, Y)
    assert "exploding" in report.findings


@pytest.mark.parametrize("size", [1.2e154, 1e200])
def test_huge_gradients_are_found_without_overflow(size: float) -> None:
    """Their squares, or the sum of the squares, overflow; the gradients do not."""
    model = nn.MLP(2, [2, 1], "linear", seed=0)
    for p in model.parameters():
        p.data = 1.0
    assert "exploding" in diagnose(model, "l1", [[size, size]], [0.0]).findings


def test_dead_units() -> None:
    report = diagnose(dead(), LOGITS, X, Y)
    assert report.findings["dead"] == (
        "75% of the units of layer 2 are 0 for every sample and can no longer learn; "
        "try init='he', leaky_relu or a smaller learning rate"
    )
    assert "saturated" not in report.findings


def test_a_dead_layer_is_not_told_to_use_relu() -> None:
    report = diagnose(biased(nn.MLP(2, [8, 1], "relu", seed=0), 0, -100.0), LOGITS, X, Y)
    assert report.findings["dead"].startswith("100% of the units of layer 1")
    assert "try relu" not in str(report)


@pytest.mark.parametrize("activation", ["tanh", "sigmoid"])
def test_saturated_units(activation: str) -> None:
    report = diagnose(saturated(activation), LOGITS, X, Y)
    assert not report
    text = report.findings["saturated"]
    share = int(text.split("%")[0])
    assert 50 <= share <= 100
    assert text == (
        f"{share}% of the outputs of layer 1 are close to the limits of {activation}, where it is flat; "
        f"use smaller weights (init='xavier') or scale the inputs"
    )


@pytest.mark.parametrize("times", [2, 7])
def test_a_forgotten_zero_grad(times: int) -> None:
    model = nn.MLP(2, [6, 1], init="xavier", seed=0)
    for _ in range(times):
        nn.binary_cross_entropy_with_logits([model(x) for x in X], Y).backward()
    report = diagnose(model, LOGITS, X, Y)
    assert list(report.findings) == ["zero_grad"]
    assert report.findings["zero_grad"] == (
        f"the parameters hold gradients {times}.0 times as large as those of one step: "
        f"call zero_grad() before each backward()"
    )


MOVES = "^one step moves the parameters by"


@pytest.mark.parametrize(
    ("optimizer", "lr", "words"),
    [
        (optim.Adam, 10.0, rf"{MOVES} \d+% of their size: the learning rate of 10 is too large$"),
        (optim.SGD, 100.0, r"% of their size: the learning rate of 100 is too large$"),
        (optim.SGD, 1e-9, rf"{MOVES} only .* of their size: the learning rate of 1e-09 is too small$"),
        (optim.Adam, 1e-8, r"of their size: the learning rate of 1e-08 is too small$"),
        (optim.SGD, 0.0, r"of their size: the learning rate of 0 is too small$"),
    ],
)
def test_the_learning_rate(optimizer: Any, lr: float, words: str) -> None:
    model = nn.MLP(2, [6, 1], init="xavier", seed=0)
    report = diagnose(model, LOGITS, X, Y, optimizer(model.parameters(), lr=lr))
    assert list(report.findings) == ["learning rate"]
    with pytest.raises(ValueError, match=words):
        raise ValueError(report.findings["learning rate"])


def test_the_learning_rate_of_an_optimizer_that_has_run() -> None:
    """Its state affects what a step does."""
    model = nn.MLP(2, [6, 1], init="xavier", seed=0)
    adam = optim.Adam(model.parameters(), lr=0.01)
    fit(model, LOGITS, X, Y, optimizer=adam, epochs=3, progress=False)
    state = adam.state_dict()
    model.zero_grad()
    assert diagnose(model, LOGITS, X, Y, adam)
    assert adam.state_dict() == state


@pytest.mark.parametrize(("weight", "shown"), [(math.inf, "nan"), (1e200, "inf"), (math.nan, "nan")])
def test_a_loss_that_is_not_finite(weight: float, shown: str) -> None:
    model = nn.MLP(2, [4, 1], "linear", seed=0)
    for p in model.parameters():
        p.data = weight
    report = diagnose(model, "mse", [[1.0, 1.0]], [0.0])
    assert list(report.findings) == ["loss"]
    cause = "compute it inside detect_anomaly() to see which operation is responsible"
    assert report.findings["loss"] == f"the loss is {report.loss}; {cause}"
    assert str(report.loss) in (shown, "inf")


def test_a_gradient_that_is_not_finite_is_found() -> None:
    """The square root at 0: its derivative is infinite, and infinity times 0 is NaN."""

    def root(x: Any) -> Any:
        return chainrule.sqrt(x * 0.0) + 1.0

    report = diagnose(nn.MLP(2, [3, 1], root, seed=0), "mse", X, Y)
    assert math.isfinite(report.loss)
    assert not report


# --- healthy networks ----------------------------------------------------------------------------

HEALTHY = {
    "tanh": (nn.MLP(2, [16, 16, 1], init="xavier", seed=0), LOGITS),
    "relu": (nn.MLP(2, [16, 16, 1], "relu", init="he", seed=0), LOGITS),
    "sigmoid": (nn.MLP(2, [8, 1], "sigmoid", init="xavier", seed=0), LOGITS),
    "the defaults": (nn.MLP(2, [4, 4, 1], seed=0), "mse"),
    "one layer": (nn.MLP(2, [1], seed=0), LOGITS),
    "a neuron": (nn.Neuron(2, seed=0), "mse"),
    "Sequential": (nn.Sequential(nn.Layer(2, 4, seed=0), nn.Layer(4, 1, "linear", seed=1)), "mse"),
    "classes": (nn.MLP(2, [8, 2], init="xavier", seed=0), "cross_entropy"),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_healthy_networks(name: str) -> None:
    model, loss = HEALTHY[name]
    report = diagnose(model, loss, X, Y, optim.Adam(model.parameters(), lr=0.01))
    assert report, str(report)
    assert report.findings == {}
    assert str(report).endswith("\nno problems found")


@pytest.mark.parametrize("batch_size", [None, 5])
def test_a_partly_trained_network_is_healthy(batch_size: int | None) -> None:
    """Gradients left by the last batch do not mean that zero_grad was forgotten."""
    model = nn.MLP(2, [8, 1], init="xavier", seed=0)
    adam = optim.Adam(model.parameters(), lr=0.01)
    for _ in range(10):
        fit(model, LOGITS, X, Y, optimizer=adam, epochs=5, batch_size=batch_size, progress=False)
        assert diagnose(model, LOGITS, X, Y, adam).findings == {}


LINE = [[-1.0], [0.0], [1.0], [2.0]]
TINY = "the gradients are tiny: the loss is at a minimum, or on a plateau"


@pytest.mark.parametrize("y", [[0.0, 0.5, 1.0, 1.5], [0.0, 1.0, 0.0, 1.0]], ids=["a line", "no line"])
def test_a_network_at_its_minimum_is_healthy(y: list[float]) -> None:
    """A loss of 0, or one that cannot decrease: small steps are not the learning rate's fault."""
    model = nn.MLP(1, [1], seed=0)
    sgd = optim.SGD(model.parameters(), lr=0.05)
    untrained = diagnose(model, "mse", LINE, y, sgd)
    assert untrained.findings == {}
    assert TINY not in untrained.layers
    fit(model, "mse", LINE, y, optimizer=sgd, epochs=500, progress=False)
    model.zero_grad()
    trained = diagnose(model, "mse", LINE, y, sgd)
    assert trained.findings == {}
    assert trained.layers[-1] == TINY
    sgd.lr = 1e-9
    assert diagnose(model, "mse", LINE, y, sgd).findings == {}


@pytest.mark.parametrize("make", [optim.SGD, optim.Adam])
def test_a_learning_rate_that_is_too_small_is_found_before_and_during_training(make: Any) -> None:
    model = nn.MLP(2, [8, 1], init="xavier", seed=0)
    optimizer = make(model.parameters(), lr=1e-9)
    for _ in range(3):
        assert list(diagnose(model, LOGITS, X, Y, optimizer).findings) == ["learning rate"]
        fit(model, LOGITS, X, Y, optimizer=optimizer, epochs=2, progress=False)
        model.zero_grad()


# --- the model is not changed --------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [vanishing, exploding, dead, lambda: saturated("tanh"), lambda: nn.MLP(2, [1])]
)
def test_diagnose_leaves_the_model_unchanged(make: Any) -> None:
    model = make()
    optimizer = optim.Adam(model.parameters(), lr=0.1)
    for i, p in enumerate(model.parameters()):
        p.grad = i / 7.0
    before = model.state_dict(), [p.grad for p in model.parameters()], optimizer.state_dict()
    diagnose(model, "mse", X, Y, optimizer)
    assert (model.state_dict(), [p.grad for p in model.parameters()], optimizer.state_dict()) == before
    assert model.training


def test_an_error_leaves_the_model_unchanged() -> None:
    model = nn.MLP(2, [3, 1], seed=0)
    model.parameters()[0].grad = 5.0
    with pytest.raises(ValueError, match=r"^Neuron expects 2 inputs, got 3$"):
        diagnose(model, "mse", np.ones((2, 3)), [1.0, 2.0])
    with pytest.raises(ValueError, match=r"^unknown loss 'foo'"):
        diagnose(model, "foo", X, Y)
    assert model.parameters()[0].grad == 5.0


def test_gradients_outside_the_model_are_left_unchanged() -> None:
    model, outside, unused = nn.MLP(2, [3, 1], seed=0), Value(2.0), Value(3.0)
    model.extra = unused  # type: ignore[attr-defined]
    inside = outside * 3.0
    held = {outside: 5.0, inside: Value(7.0), unused: 11.0, model.parameters()[0]: -0.0}

    def loss(predictions: Any, targets: Any) -> Any:
        return nn.mse_loss(predictions, targets) * inside

    for v, grad in held.items():
        v.grad = grad
    assert diagnose(model, loss, X, Y).loss > 0.0
    assert all(v.grad is grad or repr(v.grad) == repr(grad) for v, grad in held.items())


def test_a_parameter_that_the_loss_does_not_use_has_no_gradient() -> None:
    """What it holds from an earlier step is not the gradient of this one."""
    model = nn.Sequential(nn.Layer(2, 2, seed=0), nn.Layer(2, 1, seed=1))
    model[1].extra = Value(1.0)
    wanted = str(diagnose(model, "mse", X, Y))
    model[1].extra.grad = 1e6
    found = diagnose(model, "mse", X, Y)
    assert list(found.findings) == ["zero_grad"]
    assert str(found).startswith("\n".join(wanted.splitlines()[:3]))


def test_a_layer_that_is_never_called() -> None:
    """It has no outputs that could be dead or saturated."""

    class Sparing(nn.Module):
        def __init__(self) -> None:
            self.spare, self.used = nn.Layer(2, 2, seed=0), nn.MLP(2, [3, 1], seed=0)

        def forward(self, x: Any) -> Any:
            return self.used(x)

    found = diagnose(Sparing(), "mse", X, Y)
    assert list(found.findings) == ["vanishing"]
    assert found.layers[0] == "layer 1: gradient 0.00e+00 (root mean square)"


def test_threads_that_share_a_model_see_their_own_outputs() -> None:
    """In each layer, both threads wait until the other has arrived there too."""
    both = threading.Barrier(2, timeout=60)

    def meeting(x: Any) -> Any:
        both.wait()
        return x

    model = nn.MLP(1, [1, 1], meeting, meeting, seed=0)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda x: outputs_of_layers(model, [[x]]), [1.0, 2.0]))
    w, v = (layer.neurons[0].w[0].data for layer in model.layers)
    wanted = [{"layer 1": [[x * w]], "layer 2": [[x * w * v]]} for x in (1.0, 2.0)]
    assert found == wanted


def test_the_optimizer_of_another_model() -> None:
    model, other = nn.MLP(2, [3, 1], seed=0), nn.MLP(2, [3, 1], seed=0)
    with pytest.raises(ValueError, match="optimizer"):
        diagnose(model, LOGITS, X, Y, optim.SGD(other.parameters(), lr=0.1))


def test_a_loss_that_does_not_depend_on_the_model() -> None:
    with pytest.raises(TypeError, match=r"^the loss must be a Value, got float: it does not depend"):
        diagnose(nn.MLP(2, [3, 1]), lambda predictions, targets: 3.0, X, Y)


# --- the data and the results ----------------------------------------------------------------------


def test_badly_scaled_columns() -> None:
    X = np.array([[2000.0, 0.5, 1e-4], [1500.0, -0.5, 0.0], [3000.0, 1.0, 0.0]])
    model = nn.MLP(3, [4, 1], seed=0)
    found = diagnose(model, "mse", X, [0.0, 1.0, 0.5]).findings["scale"]
    assert found == (
        "a network learns best from columns whose values are about 1 in size, and these are not: "
        "x0 (about 2.3e+03), x2 (about 5.8e-05); subtract each column's mean and divide by its standard "
        "deviation"
    )
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    assert "scale" not in diagnose(model, "mse", scaled, [0.0, 1.0, 0.5]).findings


def test_columns_have_the_names_of_the_table() -> None:
    pandas: Any = require("pandas")
    table = pandas.DataFrame({"area": [900.0, 2000.0], "rooms": [1.0, 3.0]})
    found = diagnose(nn.MLP(2, [3, 1], seed=0), "mse", table, pandas.Series([0.0, 1.0]))
    assert "these are not: area (about 1.6e+03); subtract" in found.findings["scale"]


@pytest.mark.parametrize("size", [1e-300, 1e200, 1.7e308])
def test_columns_of_any_size_are_measured_without_overflow(size: float) -> None:
    report = Diagnosis(0.0)
    check_scale(report, [[size, 1.0], [-size, 0.0]], [])
    assert f"x0 (about {size:.2g})" in report.findings["scale"]


@pytest.mark.parametrize(
    "X",
    [
        *([[0.0, 0.0], [1.0, 0.0]], [["a"], ["b"]], [{"a": 1.0}], [[[1e9]]], [[math.nan]]),
        [[1.0], [1.0, 2.0]],
    ],
)
def test_data_without_columns_to_scale(X: Any) -> None:
    report = Diagnosis(0.0)
    check_scale(report, X, [])
    assert not report.findings


def test_constant_predictions_are_reported() -> None:
    model = nn.MLP(2, [3, 1], "relu", seed=0)
    for neuron in model.layers[0].neurons:
        neuron.b.data = -1e3  # dead, so the output is the last bias alone
    found = diagnose(model, "mse", [[0.0, 1.0], [1.0, 0.0]], [0.0, 2.0]).findings
    assert found["constant"] == (
        "the predictions hardly depend on the inputs: they differ by 0, the targets by 2; "
        "scale columns and targets to about 1, train longer, or change the learning rate"
    )
    assert "constant" not in diagnose(model, "mse", [[0.0, 1.0], [1.0, 0.0]], [2.0, 2.0]).findings


# --- where problems begin --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lr", "gradient", "words"),
    [
        *((0.3, 1.0, ""), (0.31, 1.0, "too large")),
        *((1e-6, 1.0, ""), (0.9e-6, 1.0, "too small")),
        *((1e-9, 1e-3, "too small"), (1e-9, 0.9e-3, "tiny")),
    ],
)
def test_how_far_a_step_may_move(lr: float, gradient: float, words: str) -> None:
    report, p = Diagnosis(0.0), Value(0.0)
    diagnosing.check_rate(report, {p: gradient}, optim.SGD([p], lr=lr))
    found = [word for word in ("too large", "too small", "tiny") if word in str(report)]
    assert found == ([words] if words else [])


@pytest.mark.parametrize(
    ("first", "last", "found"),
    [
        *((0.9e-3, 1.0, ["vanishing"]), (1e-3, 1.0, [])),
        *((1.1e3, 1.0, ["exploding"]), (1e3, 1.0, [])),
        *((1.1e6, 1.1e6, ["exploding"]), (1e6, 1e6, [])),
        *((1.0, 0.0, ["exploding"]), (0.0, 0.0, []), (1.0, math.inf, ["loss"])),
    ],
)
def test_how_much_gradients_may_differ(first: float, last: float, found: list[str]) -> None:
    layers = nn.Layer(3, 1), nn.Layer(3, 1)  # of four parameters, whose root mean square is exact
    gradients = dict.fromkeys(layers[0].parameters(), first)
    gradients |= dict.fromkeys(layers[1].parameters(), last)
    report = Diagnosis(0.0)
    diagnosing.check_flow(report, nn.Sequential(*layers), gradients)
    assert list(report.findings) == found


@pytest.mark.parametrize(
    ("column", "found"), [(10.0, False), (10.1, True), (0.01, False), (0.0099, True), (0.0, False)]
)
def test_how_large_and_how_small_a_column_may_be(column: float, found: bool) -> None:
    report = Diagnosis(0.0)
    check_scale(report, [[column, 1.0], [-column, 1.0]], [])
    assert ("scale" in report.findings) == found


@pytest.mark.parametrize(("columns", "more"), [(5, ""), (6, " and 1 more"), (9, " and 4 more")])
def test_at_most_five_columns_are_listed(columns: int, more: str) -> None:
    report = Diagnosis(0.0)
    check_scale(report, [[100.0] * columns], [f"c{i}" for i in range(columns)])
    assert f"c4 (about 1e+02){more}; subtract" in report.findings["scale"]
    assert "c5" not in report.findings["scale"]


@pytest.mark.parametrize(("spread", "found"), [(1.0, True), (1.01, False)])
def test_how_little_predictions_may_differ(spread: float, found: bool) -> None:
    report = Diagnosis(0.0)
    diagnosing.check_constant(report, [0.0, Value(spread), 0.5], [1.0, 3.0, 2.0], 0.5)
    assert ("constant" in report.findings) == found


@pytest.mark.parametrize(
    ("losses", "now", "grew"),
    [
        *(([1.0, 1.0], 1.0, ""), ([1.0, 1.1], 1.1, "from 1 to 1.1:")),
        *(([1.0, 0.5], 2.0, ""), ([1.0, 0.5], 2.1, "from 1 to 2.1:")),
        *(([1.0, 5.0, 0.5], 0.5, ""), ([1.0, 0.5, 5.0], 10.0, "from 1 to 5:")),
        *(([1.0, math.nan], math.nan, "from 1 to nan:"), ([1.0, math.nan], 1.0, "from 1 to nan:")),
    ],
)
def test_a_loss_that_grew(losses: list[float], now: float, grew: str) -> None:
    report = Diagnosis(0.0)
    diagnosing.check_growth(report, losses, now, optim.SGD([Value(1.0)], lr=0.2))
    assert report.findings == (
        {"learning rate": f"the loss grew {grew} the learning rate of 0.2 is too large; try 0.01"}
        if grew
        else {}
    )


@pytest.mark.parametrize(
    ("held", "found"),
    [
        *(([0.0, 100.0], False), ([0.0, 101.0], True)),  # in another direction
        *(([1.5, 0.0], False), ([1.6, 0.0], True), ([1.6, 0.1], False)),
        ([0.0, 0.0], False),
    ],
)
def test_how_large_held_gradients_may_be(held: list[float], found: bool) -> None:
    report = Diagnosis(0.0)
    diagnosing.check_zero_grad(report, held, [1.0, 0.0])
    assert ("zero_grad" in report.findings) == found


def test_when_a_unit_is_saturated() -> None:
    limits = {"tanh": [-1.0, -0.991, 0.991, 1.0], "sigmoid": [0.0, 0.005, 0.995, 1.0], "relu": []}
    inside = {"tanh": [-0.99, 0.0, 0.99], "sigmoid": [0.006, 0.994], "relu": [0.0, 1.0, 9.0]}
    for name in limits:
        assert all(diagnosing.is_saturated(name, x) for x in limits[name])
        assert not any(diagnosing.is_saturated(name, x) for x in inside[name])


@pytest.mark.parametrize(("samples", "reviewed"), [(199, 199), (200, 100), (600, 150)])
def test_a_review_runs_the_model_on_some_samples(samples: int, reviewed: int) -> None:
    neuron, seen = nn.Neuron(1, "linear", seed=0), []

    class Counting(nn.Module):
        def forward(self, x: Any) -> Any:
            seen.append(x[0])
            return neuron(x)

    X = np.linspace(-1.0, 1.0, samples)[:, None]
    history = fit(neuron, "mse", X, X[:, 0], epochs=1, progress=False)
    optimizer = optim.SGD(neuron.parameters(), lr=0.1)
    assert diagnosing.review(Counting(), "mse", X, X[:, 0], ["x"], history, optimizer) == {}
    assert seen == X[:: samples // reviewed, 0].tolist()


# --- printing ------------------------------------------------------------------------------------


def test_printing() -> None:
    model = biased(nn.MLP(2, [2, 1], "relu", init="he", seed=0), 0, -100.0, 0.5)
    biased(model, 1, 0.5)
    report = diagnose(model, "mse", X, Y, optim.SGD(model.parameters(), lr=0.0))
    assert repr(report) == str(report)
    lines = str(report).splitlines()
    assert lines[0] == f"loss {report.loss:.6g}"
    assert [line.split(":")[0] for line in lines[1:3]] == ["layer 1", "layer 2"]
    assert all(line.endswith("(root mean square)") for line in lines[1:3])
    assert lines[3] == "one step moves the parameters by 0.0e+00 of their size"
    assert [line.split(":")[0] for line in lines[4:]] == ["dead", "learning rate"]
