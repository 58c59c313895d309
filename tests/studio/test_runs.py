"""Training runs over a real WebSocket: frames, commands, limits, and the end of their threads."""

import asyncio
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest

from chainrule import nn, optim, train

from ..conftest import require
from ..near import near

require("httpx")
require("websockets")

from websockets.exceptions import ConnectionClosed, InvalidStatus

from chainrule.studio import app, limits, schemas
from chainrule.studio.limits import RefusedError
from chainrule.studio.server import wire
from chainrule.studio.trainer import config, data_sets, runs
from chainrule.studio.trainer.frames import raster
from chainrule.studio.trainer.runs import Outbox

from .client import MOONS, Frame, RunClient, Studio, run_threads, settings_of, until
from .programs import executed


@pytest.fixture
def run(studio: Studio) -> Any:
    with studio.socket() as client:
        yield client
    assert until(lambda: not run_threads()), "closing the socket did not end the thread"


def trained(epochs: int, **given: Any) -> tuple[nn.MLP, train.History]:
    """Train with the library itself, using the config of the run."""
    settings = settings_of({**MOONS, **given})
    points = data_sets.load(settings)
    model = config.model_for(settings, points.classes)
    optimizer = optim.Adam(model.parameters(), lr=settings.rate)
    options: Any = {"epochs": epochs, "batch_size": settings.batch or None, "progress": False}
    history = train.fit(model, settings.loss, points.X, points.y, optimizer=optimizer, **options)
    return model, history


def numbers(model: nn.MLP) -> Any:
    return np.array([p.data for p in model.parameters()])


# --- frames ----------------------------------------------------------------------------------------


def test_the_ready_message(run: RunClient) -> None:
    ready = run.start(layers=[4, 3])
    assert ready["layers"] == [2, 4, 3, 1]
    assert ready["count"] == len(ready["names"]) == 12 + 15 + 4
    assert ready["names"][:3] == [f"layers.0.neurons.0.{name}" for name in ("w.0", "w.1", "b")]
    points = data_sets.load(settings_of(MOONS))
    assert ready["points"] == points.rows()
    assert (ready["classes"], ready["grid"], ready["small"]) == (2, 50, 20)
    assert ready["box"] == list(points.box())
    assert executed(ready["code"])["history"].epochs == 100


def test_frames_contain_the_librarys_numbers(run: RunClient) -> None:
    run.start()
    steps = 6
    frame = run.step(steps)
    sections = {name: len(part) for name, part in frame.sections.items()}
    shown = {"boundary": 2500, "neurons": 5 * 400, **dict.fromkeys(("weights", "grads", "updates"), 17)}
    assert sections == {**shown, "flow": 2, "outputs": 100, "losses": 1}
    head = frame.head
    assert (head["type"], head["epoch"], head["steps"]) == ("frame", steps, steps)
    assert (head["running"], head["rate"], head["rates"]) == (False, 0, [[0, 0.05]])
    before, _ = trained(steps - 1)
    model, history = trained(steps)
    np.testing.assert_array_equal(frame["weights"], numbers(model).astype("f4"))
    grads = np.array([p.grad for p in model.parameters()])
    np.testing.assert_array_equal(frame["grads"], grads.astype("f4"))
    np.testing.assert_array_equal(frame["updates"], (numbers(model) - numbers(before)).astype("f4"))
    norms = [history.gradient_norms[name][-1] for name in ("layer 1", "layer 2")]
    np.testing.assert_allclose(frame["flow"], norms, rtol=1e-6)
    assert frame["losses"].tolist() == [np.float32(history.losses[-1])]
    points = data_sets.load(settings_of(MOONS))
    logits = [model(x) for x in points.X]
    assert head["accuracy"] == train.accuracy(logits, points.y)
    loss = nn.binary_cross_entropy_with_logits(logits, list(points.y))
    assert head["loss"] == near(loss.data, rel=1e-12)
    np.testing.assert_allclose(frame["outputs"], [v.sigmoid().data for v in logits], rtol=1e-6)
    grid = raster(points.box(), 50)
    for place in (0, 49, 1234, 2499):
        assert frame["boundary"][place] == near(model(grid[place]).sigmoid().data, rel=1e-6)
    small = raster(points.box(), 20)
    hidden = [v.data for v in model.layers[0](small[77])]
    np.testing.assert_allclose(frame["neurons"][77 : 4 * 400 : 400], hidden, rtol=1e-6)


def test_training_in_batches(run: RunClient) -> None:
    run.start(batch=30)
    assert run.step().head["epoch"] == 0
    frame = run.step(7)
    assert (frame.head["epoch"], frame.head["steps"]) == (2, 8)
    model, history = trained(2, batch=30)
    np.testing.assert_array_equal(frame["weights"], numbers(model).astype("f4"))
    assert frame["losses"].tolist() == [np.float32(history.losses[-1])]


def test_three_classes(run: RunClient) -> None:
    points = [[0, 0, 0], [1, 0, 1], [0, 1, 2], [1, 1, 1]]
    ready = run.start(data="points", points=points, loss="cross_entropy")
    assert (ready["classes"], ready["layers"]) == (3, [2, 4, 3])
    frame = run.step(60)
    assert set(frame["boundary"].tolist()) <= {0.0, 1.0, 2.0}
    assert frame["outputs"].tolist() == [0.0, 1.0, 2.0, 1.0]
    assert frame.head["accuracy"] == 1.0


def test_losses_have_no_gaps(run: RunClient) -> None:
    """Each frame has all losses since the last frame that arrived, however many were dropped."""
    run.begin()
    losses: list[float] = []
    while len(losses) < 3000:
        frame = run.frame()
        first = frame.head["epoch"] - len(frame["losses"])
        assert first <= len(losses)
        losses[first:] = frame["losses"].tolist()
    frame = run.pause()
    first = frame.head["epoch"] - len(frame["losses"])
    losses[first:] = frame["losses"].tolist()
    _, history = trained(len(losses))
    assert losses == np.array(history.losses, "f4").tolist()


def test_a_slow_reader_gets_only_new_frames(studio: Studio) -> None:
    with studio.socket(slow=True) as run:
        run.begin(layers=[32, 32])
        time.sleep(1.5)
        run.send("pause")
        count, epoch = 0, -1
        while True:
            frame = run.frame()
            assert frame.head["epoch"] >= epoch
            epoch, count = frame.head["epoch"], count + 1
            if not frame.head["running"]:
                break
        assert count < 20  # of the 45 produced in 1.5 seconds; a few were in buffers
    assert until(lambda: not run_threads())


def test_an_outbox_keeps_the_newest_frame_and_all_texts() -> None:
    async def taken() -> list[str | bytes]:
        outbox = Outbox(asyncio.get_running_loop())
        for item in ("a", b"1", b"2", "b", b"3", "c"):
            outbox.put(item)
        assert outbox.has_frame()
        found = [await outbox.take() for _ in range(4)]
        assert not outbox.has_frame()
        for _ in range(limits.WAITING + 10):
            outbox.put("text")
        assert len(outbox.waiting) == limits.WAITING
        return found

    with ThreadPoolExecutor(1) as own:  # this thread may already be running a browser test's event loop
        assert own.submit(asyncio.run, taken()).result() == ["a", "b", b"3", "c"]


# --- commands ------------------------------------------------------------------------------------


def test_pause_and_resume(run: RunClient) -> None:
    run.begin()
    run.frame(lambda frame: frame.head["epoch"] > 0 and frame.head["running"] and frame.head["rate"] > 0)
    paused = run.pause()
    run.nothing_more()
    run.send("resume")
    again = run.frame(lambda frame: frame.head["running"])
    assert again.head["epoch"] > paused.head["epoch"]


def test_rewinding_reproduces_frames_bit_for_bit(run: RunClient) -> None:
    """Each epoch is the same when revisited, and so are the steps after it."""
    run.start(batch=30)
    seen: dict[int, Frame] = {}
    for _ in range(24):
        frame = run.step()
        if frame.head["steps"] % 4 == 0:
            seen[frame.head["epoch"]] = frame
    run.send("resume")
    run.frame(lambda frame: frame.head["epoch"] > 500)
    end = run.pause()
    run.nothing_more()
    reached = end.head["epoch"]
    for epoch in (3, 1, 6, 2):
        assert run.rewind(epoch).same_as(seen[epoch])
        assert run.rewind(epoch)["losses"].tolist() == []
    forward = run.rewind(reached)
    assert len(forward["losses"]) == reached - 2
    again = run.step(end.head["steps"] % 4) if end.head["steps"] % 4 else forward
    assert again.same_as(end)
    assert run.rewind(0).head["steps"] == 0
    run.send("rewind", epoch=reached + 1000)
    assert "has not been reached yet" in run.text("error")["message"]


@pytest.mark.parametrize("then", ["rate", "pause", "resume", "step"])
def test_a_command_right_after_a_long_rewind(
    run: RunClient, then: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command waits until the epoch is reached, and does not abort the rewind."""
    monkeypatch.setattr("chainrule.compiler.training.INTERVAL", 0.0)
    monkeypatch.setattr(limits, "SNAPSHOTS", 1)
    run.start(batch=7)
    run.send("resume")
    run.frame(lambda frame: frame.head["epoch"] > 200)
    run.send("pause")
    run.send("rewind", epoch=191)
    run.send(then, rate=0.01)
    run.send("pause")
    run.nothing_more()
    run.send("step")
    assert run.frame().head["epoch"] >= 191


def test_changing_the_rate(run: RunClient) -> None:
    run.start()
    run.step(2)
    run.send("rate", rate=0.5)
    assert run.frame().head["rates"] == [[0, 0.05], [2, 0.5]]
    end = run.step(3)
    run.rewind(1)
    assert run.step(4).same_as(end)
    for rate, problem in ((0, " > 0.0, got 0"), (-1, " > 0.0, got -1"), ("fast", ", got `str`")):
        run.send("rate", rate=rate)
        assert run.text("error")["message"] == f"rate: expected `float`{problem}"
    body = json.dumps({"config": MOONS, "epochs": 5, "rates": end.head["rates"]})
    names = executed(app.program(wire.read(body, schemas.Code))[2])
    weights = np.array([p.data for p in names["model"].parameters()], "f4")
    np.testing.assert_array_equal(end["weights"], weights)


def test_a_run_stops_when_numbers_become_nonfinite(run: RunClient) -> None:
    run.begin(activation="linear", loss="mse", optimizer="sgd", rate=100.0)
    stopped = run.text("stopped")
    assert stopped["reason"] == "nan"
    pattern = (
        r"(the loss became (NaN|infinite)|a gradient became NaN or infinite, with a loss of \S+) "
        r"in epoch (\d+): the weights have grown to \S+ \(layers\.\S+\)\. The parameters are those "
        r"before that step; rewind and try a smaller rate than 100, or a different activation "
        r"or optimizer\."
    )
    found = re.fullmatch(pattern, stopped["message"])
    last = run.rewind(int(found[3]) - 1)
    assert np.isfinite(last["weights"]).all()
    run.send("resume")  # fails again
    assert run.text("stopped") == stopped
    run.rewind(0)
    run.send("rate", rate=0.01)
    assert run.frame().head["rates"] == [[0, 0.01]]
    assert run.step(10).head["loss"] < 1.0


def test_the_step_limit_ends_a_run(run: RunClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STEPS", 50)
    run.begin()
    assert run.text("stopped")["reason"] == "limit"
    for kind in ("resume", "step"):
        run.send(kind)
        assert run.text("error")["message"] == runs.TOO_LONG
    assert run.rewind(49).head["steps"] == 49
    assert run.step().head["steps"] == 50


def test_stop_and_start_again(run: RunClient) -> None:
    run.start()
    run.step(3)
    run.send("stop")
    stopped = run.text("stopped")
    assert stopped == {"type": "stopped", "reason": "stop", "message": "stopped after 3 epochs"}
    assert until(lambda: not run_threads())
    for kind, more in (("step", {}), ("pause", {}), ("rate", {"rate": 1}), ("rewind", {"epoch": 0})):
        run.send(kind, **more)  # ignored, because no run is active
    assert run.start(layers=[2])["layers"] == [2, 2, 1]
    assert run.start(layers=[3])["layers"] == [2, 3, 1]
    assert len(run_threads()) == 1


def test_rejected_messages(run: RunClient) -> None:
    run.start()
    for text in ("", "[]", "{", "NaN", '"a"', '{"kind": ' + "[" * 99 + "]" * 99 + "}"):
        run.connection.send(text)
        assert run.text("error")["message"].startswith(("the request is not JSON: ", "the request: "))
    run.connection.send(b"\x00\xff")
    assert run.text("error")["message"].startswith("the request is not JSON")
    for kind in ("__init__", "close", "start ", "", "Start"):
        run.connection.send(json.dumps({"type": kind}))
        text = f"type must be one of start, pause, resume, step, rewind, rate, stop, got {kind!r}"
        assert run.text("error")["message"] == text
    for wrong in (["start"], {"start": 1}, 1, None, True, 1.5):
        run.connection.send(json.dumps({"type": wrong}))
        assert run.text("error")["message"].startswith("type: expected `str`, got ")
    run.connection.send("{}")
    assert run.text("error")["message"] == "the request: object missing required field `type`"
    for epoch in (-1, 1.5, "1", None, 10**9, 10**4000):
        run.send("rewind", epoch=epoch)
        assert run.text("error")["message"].startswith("epoch: ")
    assert run.step().head["steps"] == 1  # the run still works


def test_a_rejected_start_ends_the_previous_run(run: RunClient) -> None:
    run.start()
    run.send("start", config={**MOONS, "layers": [1000]})
    assert run.text("error")["message"] == "config.layers[0]: expected `int` <= 64, got 1000"
    assert until(lambda: not run_threads())
    run.send("start", config={**MOONS, "data": "csv", "csv": "0,0,0\n0,1,x"})
    message = "the table, line 2, column 3: 'x' is not a number; write classes as 0, 1, 2"
    assert run.text("error")["message"] == message
    assert run.start()["count"] == 17


def test_a_failing_message_is_reported_without_details(
    run: RunClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The socket accepts the next message, whatever went wrong."""

    def broken(self: Any, command: Any) -> None:
        raise ZeroDivisionError("a secret")

    run.start()
    monkeypatch.setattr(runs.Run, "send", broken)
    run.send("pause")
    assert run.text("error")["message"] == "the studio failed; see its terminal"
    assert "a secret" in caplog.text
    monkeypatch.undo()
    assert run.step().head["steps"] == 1


def test_a_failing_run_is_reported_without_details(
    run: RunClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*arguments: Any) -> None:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(runs, "Training", broken)
    run.send("start", config=MOONS)
    assert run.text("error")["message"] == "the run failed; see the studio's terminal"
    assert "a secret" in caplog.text


# --- limits --------------------------------------------------------------------------------------


def test_a_message_that_is_too_large_closes_the_socket(studio: Studio) -> None:
    with studio.socket() as run:
        run.send("start", config={"csv": "1,2,0\n" * 200_000})
        with pytest.raises(ConnectionClosed) as closed:
            run.receive()
    assert closed.value.rcvd.code == 1009


def test_too_many_messages_are_throttled(run: RunClient) -> None:
    run.start()
    start = time.monotonic()
    for _ in range(limits.BURST + 50):
        run.send("rate", rate=0.1)
    run.send("nonsense")
    run.text("error")
    assert time.monotonic() - start > 0.3


def test_the_queue_of_commands_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    outbox = Outbox(asyncio.new_event_loop())
    run = runs.Run(settings_of(MOONS), outbox)
    monkeypatch.setattr(limits, "COMMANDS", 3)
    for _ in range(9):
        run.send(schemas.Rewind(epoch=1))
    assert list(run.commands) == [schemas.Rewind(epoch=1)]
    run.send(schemas.Pause())
    run.send(schemas.ChangeRate(rate=0.1))
    with pytest.raises(RefusedError, match=r"^3 commands are waiting, which is the maximum$"):
        run.send(schemas.Stop())
    run.close()
    run.start()
    run.join(20)
    assert not run.is_alive()
    run.send(schemas.Pause())
    assert not run.commands
    outbox.loop.close()


def test_two_runs_at_once_are_independent(studio: Studio) -> None:
    with studio.socket() as one, studio.socket() as two:
        one.start(seed=1)
        two.start(seed=2)
        first = [one.step(), two.step()]
        later = [two.step(3), one.step(3)]
        assert one.rewind(1).same_as(first[0])
        assert two.rewind(1).same_as(first[1])
        assert not first[0].same_as(first[1])
        assert one.rewind(4).same_as(later[1])
        assert two.rewind(4).same_as(later[0])
    assert until(lambda: not run_threads())


def test_the_number_of_runs_is_limited(studio: Studio) -> None:
    with ExitStack() as stack:
        *opened, last = [stack.enter_context(studio.socket()) for _ in range(limits.RUNS + 1)]
        for run in opened:
            run.begin()
        last.send("start", config=MOONS)
        message = "4 runs are in progress, which is the maximum: stop one first"
        assert last.text("error")["message"] == message
        opened[0].send("stop")
        opened[0].text("stopped")
        assert until(lambda: len(run_threads()) == limits.RUNS - 1)
        last.begin()
    assert until(lambda: not run_threads())


def test_the_number_of_sockets_is_limited(studio: Studio) -> None:
    with ExitStack() as stack:
        for _ in range(limits.SOCKETS):
            stack.enter_context(studio.socket())
        with pytest.raises(InvalidStatus) as refused, studio.socket():
            pass
        assert refused.value.response.status_code == 429
        assert b"8 pages are open, which is the maximum: close one" in refused.value.response.body
        assert refused.value.response.headers["X-Content-Type-Options"] == "nosniff"

    def opens() -> bool:
        try:
            with studio.socket():
                return True
        except InvalidStatus:
            return False

    assert until(opens)


def test_a_lost_connection_ends_the_thread(studio: Studio) -> None:
    with studio.socket() as run:
        run.begin()
        assert len(run_threads()) == 1
        run.connection.socket.close()
        assert until(lambda: not run_threads())


def test_stopping_the_server_ends_its_runs() -> None:
    studio = Studio()
    studio.enter()
    with studio.socket() as run:
        run.begin()
        studio.close()
        assert until(lambda: not run_threads())
        with pytest.raises(ConnectionClosed):
            run.frame(lambda frame: False)
