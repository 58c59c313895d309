"""Rewindable training takes the same steps as `fit` and reproduces every epoch bit for bit."""

import math
from typing import Any

import numpy as np
import pytest

from chainrule import train
from chainrule.studio import limits
from chainrule.studio.limits import RefusedError
from chainrule.studio.trainer import code, data_sets
from chainrule.studio.trainer.frames import GRID, SMALL, Frames, floats, pack, raster
from chainrule.studio.trainer.training import Training
from chainrule.train import choosing
from chainrule.train.engines import EagerEngine
from chainrule.train.native_engine import NativeEngine
from chainrule.value import c_core

from ..conftest import require
from ..near import near

for name in ("httpx", "msgspec", "websockets"):
    require(name)

from .client import settings_of
from .programs import executed

CONFIGS: list[dict[str, Any]] = [
    {"layers": [5]},
    {"layers": [4, 3], "batch": 30, "optimizer": "adamw", "activation": "relu", "seed": 3},
    {"data": "xor", "layers": [3], "loss": "mse", "optimizer": "sgd", "rate": 0.5},
    {
        "data": "circles",
        "loss": "hinge",
        "optimizer": "rmsprop",
        "rate": 0.01,
        "batch": 7,
        "samples": 20,
    },
    {"data": "spirals", "loss": "cross_entropy", "layers": [], "optimizer": "adagrad", "noise": 0},
    {"data": "points", "points": [[0, 0, 0], [1, 1, 1], [0, 2, 2]], "loss": "cross_entropy", "batch": 2},
    {"data": "csv", "csv": "x,y,c\n0,0,0\n1,1,1\n0,1,1\n", "loss": "huber", "batch": 3},
    {"samples": 9, "batch": 4, "loss": "l1", "layers": [2]},
]


def training_of(given: dict[str, Any]) -> Training:
    settings = settings_of(given)
    return Training(settings, data_sets.load(settings))


def state(training: Training) -> bytes:
    """The whole state of a run."""
    random = str(training.data.rng.bit_generator.state)
    numbers = training.engine.numbers.tobytes() + training.updates.tobytes()
    return numbers + f"{training.epoch} {training.place} {training.engine.made} {random}".encode()


@pytest.fixture(params=["native", "eager"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the test with both engines; without the C core, only with the eager engine."""
    if request.param == "eager":
        monkeypatch.setattr(choosing, "c_core", None)
    elif c_core is None:
        pytest.skip("needs the C core")
    return str(request.param)


def test_an_epoch_of_finite_losses_whose_sum_overflows() -> None:
    training = training_of({"samples": 9, "batch": 4})
    training.book([4e307, 4e307, 4e307])
    assert training.losses.tolist() == [math.inf]


@pytest.mark.parametrize("given", CONFIGS)
def test_training_takes_the_same_steps_as_fit(given: dict[str, Any], engine: str) -> None:
    training = training_of(given)
    assert type(training.engine) is (NativeEngine if engine == "native" else EagerEngine)
    for steps in (1, 2, 1, 5, 4):
        assert training.advance(steps) == steps
    while training.place:
        training.advance(1)
    names = executed(code.program(training.config, epochs=training.epoch))
    assert names["history"].losses == list(training.losses)
    assert [p.data for p in names["model"].parameters()] == training.params.tolist()
    assert [p.grad for p in names["model"].parameters()] == training.gradients.tolist()


@pytest.mark.parametrize("given", CONFIGS)
def test_every_epoch_is_reproduced_bit_for_bit(given: dict[str, Any], engine: str) -> None:
    training = training_of({**given, "samples": 10, "batch": min(4, given.get("batch", 0))})
    training.most = 4  # few snapshots, so that they are soon thinned out
    seen = {0: state(training)}
    for count in range(40):
        training.advance(1 + count % 3)
        if training.place == 0:
            seen[training.epoch] = state(training)
    assert training.every > 1
    for epoch in sorted(seen, key=lambda epoch: (epoch * 7) % 11):
        assert training.seek(epoch)
        assert state(training) == seen[epoch]


def test_snapshots_are_thinned_out() -> None:
    training = training_of({"data": "xor", "layers": [2], "loss": "mse"})
    training.most = 8
    training.advance(1000)
    assert len(training.snapshots) <= 8
    assert training.every == 128
    assert sorted(training.snapshots) == list(range(0, 1001, 128))


def test_changes_of_the_rate_are_replayed(engine: str) -> None:
    given = {"samples": 10, "batch": 4, "layers": [3], "optimizer": "sgd", "rate": 0.5}
    training = training_of(given)
    training.advance(7)  # in the middle of the third epoch
    training.change_rate(0.1)
    assert training.rates == [(0, 0.5), (3, 0.1)]
    training.advance(11)
    training.change_rate(0.02)
    training.advance(6)
    end, losses = state(training), list(training.losses)
    assert training.rates == [(0, 0.5), (3, 0.1), (6, 0.02)]
    names = executed(code.program(training.config, epochs=training.epoch, rates=training.rates))
    assert names["history"].losses == losses
    assert names["history"].learning_rates == [0.5] * 3 + [0.1] * 3 + [0.02] * 2
    for epoch in (1, 5, 3, 8):
        training.seek(epoch)
    assert state(training) == end
    assert training.rates == [(0, 0.5), (3, 0.1), (6, 0.02)]
    training.seek(4)
    training.change_rate(1.0)
    assert training.rates == [(0, 0.5), (3, 0.1), (4, 1.0)]
    assert list(training.losses) == losses[:4]
    with pytest.raises(RefusedError, match="epoch 5 has not been reached yet: the last is 4"):
        training.seek(5)
    training.advance(12)
    assert list(training.losses)[:4] == losses[:4]
    assert list(training.losses)[5:] != losses[5:]


def test_changes_of_the_rate_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RATES", 3)
    training = training_of({"data": "xor", "loss": "mse", "layers": [2]})
    for _ in range(9):
        training.change_rate(0.1)  # without steps in between, they count as one change
    for _ in range(3):
        training.advance(1)
        training.change_rate(0.1)
    training.advance(1)
    with pytest.raises(RefusedError, match="the rate was changed 3 times, which is the maximum"):
        training.change_rate(0.2)


def test_training_can_be_interrupted(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Training stops between steps when asked to, and can continue from there."""
    monkeypatch.setattr("chainrule.compiler.training.INTERVAL", 0.0)
    training = training_of({"layers": [3], "batch": 40})
    training.most = 1  # no snapshot in between
    assert 0 < training.advance(10_000_000, lambda: True) < 10_000_000
    training.advance(60)
    while training.place:
        training.advance(1)
    end, reached = state(training), training.epoch
    training.seek(0)
    assert not training.seek(reached, lambda: True)
    assert training.seek(reached)
    assert state(training) == end


def test_seeking_continues_where_it_was_interrupted(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even in the middle of an epoch: otherwise frequent interrupts would prevent any progress."""
    monkeypatch.setattr("chainrule.compiler.training.INTERVAL", 0.0)
    training = training_of({"layers": [3], "batch": 7, "samples": 60})
    training.most = 1  # no snapshot in between
    training.advance(13 * training.in_epoch)
    end = state(training)
    training.seek(0)
    places = set()
    for _ in range(13 * training.in_epoch):
        if training.seek(13, lambda: True):
            break
        places.add(training.place)
    assert len(places) > 1
    assert state(training) == end


def test_training_stops_when_numbers_become_nonfinite(engine: str) -> None:
    given = {"layers": [4], "activation": "linear", "loss": "mse", "optimizer": "sgd", "rate": 100.0}
    training = training_of(given)
    training.advance(1000)
    assert "rewind and try a smaller rate than 100, or a different activation" in training.failure
    assert f"in epoch {training.epoch + 1}: the weights have grown to " in training.failure
    assert "(layers." in training.failure
    assert np.isfinite(training.params).all()
    assert not training.updates.any()
    assert training.advance(5) == 0
    epoch = training.epoch
    training.seek(epoch - 1)
    assert training.failure == ""
    training.change_rate(1e-9)
    assert math.isfinite(training.params.max())


# --- data sets -----------------------------------------------------------------------------------


def test_loading_data_sets() -> None:
    for name in ("moons", "circles", "spirals"):
        points = data_sets.load(settings_of({"data": name, "samples": 21, "seed": 4}))
        assert points.X.shape == (21, 2)
        assert points.classes == 2
    table = data_sets.load(settings_of({"data": "csv", "csv": "\ufeffx,y,c\r\n1,2,0\r\n\r\n3,4,1\r\n"}))
    assert table.rows() == [[1.0, 2.0, 0], [3.0, 4.0, 1]]
    assert table.box() == near((0.7, 3.3, 1.7, 4.3), ulps=4)
    one = data_sets.load(settings_of({"data": "points", "points": [[5, 6, 0]]}))
    assert one.box() == near((4.35, 5.65, 5.35, 6.65), ulps=4)
    assert one.classes == 2


# --- frames --------------------------------------------------------------------------------------


def test_a_raster_starts_at_the_smallest_y() -> None:
    points = raster((0.0, 1.0, 10.0, 20.0), 2)
    assert points.tolist() == [[0.25, 12.5], [0.75, 12.5], [0.25, 17.5], [0.75, 17.5]]


def test_packing_a_frame() -> None:
    numbers = np.frombuffer(floats(np.array([1.5, 1e200, -1e200, np.inf, np.nan])), "<f4")
    assert np.isfinite(numbers).tolist() == [True, True, True, False, False]
    assert numbers[1] == -numbers[2] == np.finfo("f4").max
    assert pack(b"{}", b"abcd") == b"\x02\x00\x00\x00{}  abcd"
    assert pack(b"{  }", b"") == b"\x04\x00\x00\x00{  }"


@pytest.mark.parametrize("given", CONFIGS)
def test_displayed_outputs_match_the_model(given: dict[str, Any], engine: str) -> None:
    """On the plane, at the points and for every neuron."""
    training = training_of(given)
    frames = Frames(training)
    training.advance(7)
    training.engine.write_back()
    model, points, loss = training.model, training.points, training.config.loss

    def plotted(x: Any) -> tuple[float, int]:
        output = model(x)
        scores = [v.data for v in output] if isinstance(output, list) else [output.data]
        best = max(range(len(scores)), key=scores.__getitem__)
        if len(scores) > 2:
            return best, best
        if len(scores) == 2:
            return 1 / (1 + math.exp(scores[0] - scores[1])), best
        if loss == "binary_cross_entropy_with_logits":
            return 1 / (1 + math.exp(-scores[0])), int(scores[0] > 0)
        if loss == "hinge":
            return scores[0], int(scores[0] > 0)
        return scores[0], min(points.classes - 1, max(0, math.floor(scores[0] + 0.5)))

    for X in (points.X, raster(frames.box, GRID)[::97]):
        shown, classes = frames.shown(X)
        expected = [plotted(x) for x in X]
        np.testing.assert_allclose(shown, [number for number, _ in expected], rtol=1e-12)
        assert classes.astype(int).tolist() == [best for _, best in expected]
    small = raster(frames.box, SMALL)
    rows = np.array(frames.neurons(small))
    x = list(small[33])
    for layer, place in zip(model.layers, np.cumsum([0, *training.config.layers]), strict=True):
        outputs = layer(x)
        x = outputs if isinstance(outputs, list) else [outputs]
        np.testing.assert_allclose(rows[place : place + len(x), 33], [v.data for v in x], rtol=1e-12)


def test_the_displayed_loss_belongs_to_the_displayed_parameters() -> None:
    training = training_of({"layers": [4], "batch": 10})
    frames = Frames(training)
    training.advance(25)
    head = frames.frame(0, True, 0.0)
    model = training.model
    predictions = [model(x) for x in training.points.X]
    loss = train.loss_named(training.config.loss)(predictions, list(training.points.y)).data
    accuracy = train.accuracy(predictions, training.points.y)
    assert f'"loss":{loss!r}'[:22].encode() in head
    assert f'"accuracy":{accuracy!r}'.encode() in head
