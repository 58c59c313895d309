"""Batches from an iterator give the same losses in JAX as arrays, on any number of devices."""

import re
from typing import Any

import numpy as np
import pytest

from chainrule import data, nn
from chainrule.train import fit
from chainrule.train.jax_engine import CHECKED

from ..near import near
from ..unit.train.test_feeding import WRONG_TARGETS
from .conftest import Workers


def test_iterators_give_the_same_losses_as_arrays(workers: Workers) -> None:
    arrays = workers.run(1, 1)
    for processes, devices in ((1, 1), (1, 8), (2, 2)):
        assert workers.run(processes, devices, stream=True) == near(arrays, rel=1e-9)


def test_a_run_resumes_with_a_different_number_of_processes(workers: Workers) -> None:
    """The iterator shuffles with its own generator, whose state must be restored."""
    whole = workers.run(1, 1)
    state = str(workers.folder / "run.safetensors")
    assert len(workers.run(2, 2, stream=True, resume=state, epochs=3)) == 3
    assert workers.run(1, 4, stream=True, resume=state) == near(whole, rel=1e-9)


def test_processes_with_different_batches_stop(workers: Workers) -> None:
    for worker in workers.start(2, 2, stream=True, short=2):
        _, error = worker.communicate(timeout=120)
        assert worker.returncode != 0
        assert "the processes have batches of 16 and 14 samples (0: no batch left)" in error


@pytest.mark.parametrize(("good", "failed"), [(0, "begin"), (1, "read its next batch")])
@pytest.mark.parametrize(
    ("broken", "error"),
    [
        ("read", "the disk is gone"),
        ("width", r"a sample of X has the shape \(1,\)|expects 2 inputs, got 1"),
        ("words", "yes"),
    ],
)
def test_a_process_that_fails_stops_the_others(
    workers: Workers, good: int, failed: str, broken: str, error: str
) -> None:
    """It may fail at the first batch, which is read before training starts, or at the next."""
    first, second = workers.start(2, 2, stream=True, good=good, **{"break": broken})
    told = first.communicate(timeout=60)[1]
    assert f"RuntimeError: process 1 could not {failed}: see its error" in told
    assert re.search(f"Error: .*({error})", second.communicate(timeout=60)[1])


@pytest.mark.parametrize("part", ["X", "y"])
def test_a_batch_of_a_different_width_is_rejected(jax: Any, part: str) -> None:
    """JAX would silently recompile the step and accept the batch."""
    X, y = data.moons(8, seed=0)
    other = (np.hstack([X, X]), y) if part == "X" else (X, np.column_stack([y, y]))
    model = nn.MLP(2, [3, 1], seed=0)
    message = (
        rf"batch 2: a sample of {part} has the shape \(\d,\), but in the first batch it had \(2?,?\)"
    )
    with pytest.raises(ValueError, match=message):
        fit(model, "mse", [(X, y), other], epochs=1, engine="jax", progress=False)


def test_a_batch_that_cannot_be_split_is_rejected(workers: Workers) -> None:
    (worker,) = workers.start(1, 8, stream=True, batch=20)
    _, error = worker.communicate(timeout=120)
    assert "a batch of 20 samples cannot be split over 8 devices: yield batches whose sizes" in error


def test_batches_of_unequal_sizes(jax: Any) -> None:
    """70 batches of different sizes, which is more than `fit` allows JAX to have in flight."""
    X, y = data.moons(240, seed=0)
    cuts = [*np.cumsum([3, 4] * 34), 239]
    batches = list(zip(np.split(X, cuts), np.split(y, cuts), strict=True))
    losses = []
    for engine in ("eager", "jax"):
        model = nn.MLP(2, [3, 1], seed=0)
        losses.append(fit(model, "mse", batches, epochs=3, engine=engine, progress=False).losses)
    assert losses[1] == near(losses[0], rel=1e-9)


def test_a_nonfinite_batch_is_named(jax: Any) -> None:
    X, y = data.moons(150, seed=0)
    X = X.copy()
    X[140, 0] = np.nan
    model = nn.MLP(2, [3, 1], seed=0)
    batches = ((X[i : i + 2], y[i : i + 2]) for i in range(0, 150, 2))
    message = r"epoch 1, batch 71: .*data contains numbers that are not finite"
    with pytest.raises(ArithmeticError, match=message):
        fit(model, "mse", batches, epochs=1, engine="jax", progress=False)


@pytest.mark.parametrize(("loss", "wrong", "error", "message"), WRONG_TARGETS)
def test_a_wrong_target_is_rejected(
    jax: Any, loss: str, wrong: Any, error: type[Exception], message: str
) -> None:
    """In a later batch, or among arrays of more samples than the loss itself looks at."""
    count = CHECKED + 50
    X, right = np.zeros((count, 2)), np.ones(count)
    y = np.array([*right[1:], wrong])
    batches = [(X[:40], right[:40]), (X[-40:], y[-40:])]
    several = loss in ("cross_entropy", "nll")
    for given in ((X, y), (batches,)):
        model = nn.MLP(2, [2 if several else 1], output_activation="sigmoid", seed=0)
        before = model.state_dict()
        with pytest.raises(error, match=message):
            fit(model, loss, *given, engine="jax", progress=False)  # type: ignore[arg-type]
        assert model.state_dict() == before


@pytest.mark.parametrize("ones", [0, 1, 3])
def test_a_summed_loss_is_rejected_even_after_batches_of_one_sample(jax: Any, ones: int) -> None:
    def total(predictions: Any, targets: Any) -> Any:
        return sum((p - t) ** 2 for p, t in zip(predictions, targets, strict=True))

    X, y = data.moons(10, seed=0)
    batches = [*((X[i : i + 1], y[i : i + 1]) for i in range(ones)), (X[ones:], y[ones:])]
    with pytest.raises(TypeError, match="not the mean of the losses of its samples"):
        fit(nn.MLP(2, [3, 1], seed=0), total, batches, epochs=1, engine="jax", progress=False)
