"""Trainer: native steps match those of eager mode, and outside changes are detected."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import StaleValueError, Value, compile, mean, micrograd, nn, optim, take
from chainrule.compiler import Batch, CompileError, Trainer
from chainrule.compiler.calls import reading
from chainrule.compiler.calls.reading import numbers_of
from chainrule.value import c_core

from ...near import near
from .compiled import RNG

pytestmark = pytest.mark.skipif(c_core is None, reason="there is no C core")


def test_a_trainer_takes_the_same_steps_as_eager_mode() -> None:
    X, y = RNG.normal(size=(12, 2)), RNG.normal(size=12)
    eager_model, model = nn.MLP(2, [4, 1], seed=0), nn.MLP(2, [4, 1], seed=0)
    by_hand = optim.Adam(eager_model.parameters(), lr=0.05)
    optimizer = optim.Adam(model.parameters(), lr=0.05)
    step = compile(lambda x, t: (model(x) - t) ** 2, params=model.parameters())
    with Trainer(step, optimizer) as trainer:
        for _ in range(20):
            loss = mean([(eager_model(x) - t) ** 2 for x, t in zip(X.tolist(), y.tolist(), strict=True)])
            by_hand.zero_grad()
            loss.backward()
            by_hand.step()
            assert trainer.step(X, y) == near(loss.data, rel=1e-10)
    pairs = zip(model.parameters(), eager_model.parameters(), strict=True)
    assert all(p.data == near(q.data, rel=1e-10) for p, q in pairs)
    assert optimizer.steps == by_hand.steps == 20
    np.testing.assert_allclose(optimizer.state, by_hand.state, rtol=1e-9)


def test_an_index_outside_the_table_stops_training() -> None:
    table = [Value(1.0), Value(2.0)]
    step = compile(lambda i, t: (take(table, i) - t) ** 2, params=table)
    with Trainer(step, optim.SGD(table, lr=0.25)) as trainer:
        trainer.step(np.array([0, 1]), np.array([0.0, 0.0]))
        with pytest.raises(IndexError, match=r"a whole number from 0 to 1, got 2$"):
            trainer.step(np.array([0, 2]), np.array([0.0, 0.0]))
    assert [p.data for p in table] == [0.75, 1.5]


def test_a_trainer_rejects_wrong_arguments() -> None:
    table = [Value(1.0)]
    step = compile(lambda x: x * table[0], params=table)
    with pytest.raises(TypeError, match=r"needs a compiled loss.*got Compiled and the class Adam"):
        Trainer(step, optim.Adam)
    with pytest.raises(TypeError, match=r"got function and SGD"):
        Trainer(lambda x: x, optim.SGD(table, lr=0.1))


class Branching(optim.SGD):
    """Its rule cannot be compiled."""

    def rule(self, p: Any, g: Any, state: Any, t: Any, **hyper: Any) -> Any:
        return (p - hyper["lr"] * g if g > 0.0 else p), state


@pytest.mark.parametrize(
    ("backend", "reduction", "make", "error"),
    [
        ("numpy", "mean", optim.SGD, "needs backend='native'"),
        ("native", "sum", optim.SGD, "needs reduction='mean'"),
        ("native", "mean", Branching, "must branch with where"),
    ],
)
def test_a_rejected_function_is_unchanged(backend: Any, reduction: Any, make: Any, error: str) -> None:
    v, w = Value(2.0), Value(3.0)
    step = compile(lambda x: v * w * x, backend=backend, reduction=reduction)
    wanted = step.value_and_grad(np.ones(1))
    program = step.program
    with pytest.raises((ValueError, TypeError), match=error):
        Trainer(step, make([w, v]))
    assert step.program == program
    value, gradient = step.value_and_grad(np.ones(1))
    assert (value, gradient.tolist()) == (wanted[0], wanted[1].tolist()) == (6.0, [3.0, 2.0])
    trainer = Trainer(compile(lambda x: v * w * x), optim.SGD([w, v]))
    assert trainer.compiled.grad(np.ones(1)).tolist() == [2.0, 3.0]


def test_a_value_that_is_not_a_parameter_of_the_optimizer_is_reported() -> None:
    v, w = Value(2.0), Value(3.0)
    with (
        pytest.raises(CompileError, match="depends on Values that are not parameters of the optimizer"),
        Trainer(compile(lambda x: v * w * x), optim.SGD([w])) as trainer,
    ):
        trainer.step(np.ones(1))
    step = compile(lambda x: v * w * x, params=[w])
    step(np.ones(1))
    with pytest.raises(CompileError, match="depends on Values that are not parameters of the optimizer"):
        Trainer(step, optim.SGD([w]))


def test_steps_before_a_wrong_index_are_taken_and_counted() -> None:
    table = [Value(1.0), Value(2.0)]
    step = compile(lambda i, t: (take(table, i) - t) ** 2, params=table)
    optimizer = optim.SGD(table, lr=0.25)
    with Trainer(step, optimizer) as trainer, pytest.raises(IndexError, match=r"to 1, got 2$"):
        trainer.run(Batch((np.array([0, 1, 1, 2]), np.zeros(4))), np.full(4, 0.25), np.arange(8) % 4, 2)
    assert [p.data for p in table] == [0.75, 1.5]
    assert optimizer.steps == 1


def test_training_resumes_in_the_middle_of_an_epoch() -> None:
    """Ten samples in batches of four: the last batch of an epoch is smaller, and runs separately."""
    X, y = RNG.normal(size=(10, 2)), RNG.normal(size=10)
    order = np.concatenate([np.random.default_rng(i).permutation(10) for i in range(4)])
    rates = np.linspace(0.01, 0.1, 12)

    def trained(*pieces: int) -> tuple[list[float], list[float]]:
        model = nn.MLP(2, [5, 1], seed=0)
        step = compile(lambda x, t: (model(x) - t) ** 2, params=model.parameters())
        losses: list[float] = []
        done = 0
        with Trainer(step, optim.Adam(model.parameters())) as trainer:
            for piece in pieces:
                epochs = -(-(done + piece) // 3)
                part = order[: 10 * epochs]
                outcome = trainer.run(Batch((X, y)), rates[: done + piece], part, 4, first=done)
                losses += outcome.losses.tolist()
                done += piece
        return losses, [p.data for p in model.parameters()]

    whole = trained(12)
    assert len(whole[0]) == 12
    assert trained(*[1] * 12) == trained(2, 5, 1, 4) == whole


def test_a_parameter_changed_behind_the_trainers_back_is_detected() -> None:
    w = Value(1.0)
    step = compile(lambda x: (w * x - 1) ** 2, params=[w])
    trainer = Trainer(step, optim.SGD([w], lr=0.1))
    trainer.step(np.ones(4))
    w.data = 7.0
    with pytest.raises(StaleValueError, match="changed during native training"):
        trainer.write_back()
    trainer.refresh()
    trainer.step(np.ones(4))
    trainer.write_back()
    assert w.data == near(7.0 - 0.1 * 2 * 6.0, ulps=4)


def change_state(optimizer: optim.Optimizer) -> None:
    optimizer.state = [(0.0,) * optimizer.state_size for _ in optimizer.params]


def change_steps(optimizer: optim.Optimizer) -> None:
    optimizer.steps = 0


def change_betas(optimizer: optim.Optimizer) -> None:
    optimizer.hyperparameters["betas"] = (0.5, 0.5)


def load(optimizer: optim.Optimizer) -> None:
    optimizer.load_state_dict(optim.Adam(optimizer.params, weight_decay=0.5).state_dict())


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (change_state, "the optimizer's state"),
        (change_steps, "the optimizer's step count"),
        (change_betas, "the optimizer's betas"),
        (load, "the optimizer's state"),
    ],
)
def test_an_optimizer_changed_behind_the_trainers_back_is_detected(
    change: Callable[[optim.Optimizer], None], what: str
) -> None:
    def prepare() -> tuple[Value, optim.Optimizer, Trainer]:
        w = Value(1.0)
        optimizer = optim.Adam([w], lr=0.1)
        trainer = Trainer(compile(lambda x: (w * x - 1) ** 2, params=[w]), optimizer)
        trainer.step(2.0 * np.ones(4))
        trainer.write_back()
        return w, optimizer, trainer

    w, optimizer, trainer = prepare()
    change(optimizer)
    changed, before = optimizer.state_dict(), w.data
    trainer.step(np.ones(4))
    with pytest.raises(StaleValueError, match=f"^{what} was changed during native training: change it"):
        trainer.write_back()
    assert (optimizer.state_dict(), w.data) == (changed, before)
    trainer.refresh()
    trainer.step(np.ones(4))
    trainer.write_back()
    other, by_hand, _ = prepare()
    change(by_hand)
    other.grad = 2.0 * (other.data - 1.0)
    by_hand.step()
    assert w.data == near(other.data, rel=1e-12)
    assert optimizer.steps == by_hand.steps


def test_the_learning_rate_may_change_between_any_two_steps() -> None:
    w = Value(1.0)
    optimizer = optim.SGD([w], lr=0.5)
    schedule = optim.StepLR(optimizer, step_size=1, gamma=0.5)
    with Trainer(compile(lambda x: w * x, params=[w]), optimizer) as trainer:
        trainer.step(np.ones(1))
        schedule.step()
        trainer.step(np.ones(1))
    assert w.data == 1.0 - 0.5 - 0.25


def test_state_that_is_not_finite_counts_as_unchanged() -> None:
    w = Value(1.0)
    optimizer = optim.Adam([w], lr=0.1)
    trainer = Trainer(compile(lambda x: 1e200 * w * x, params=[w]), optimizer)
    optimizer.state = [(math.nan, math.inf)]
    trainer.refresh()
    for _ in range(2):
        trainer.step(np.ones(1))
        trainer.write_back()
    assert math.isnan(optimizer.state[0][0])


def test_gradients_are_written_only_after_a_step() -> None:
    w = Value(1.0)
    trainer = Trainer(compile(lambda x: chainrule.sqrt(w * x), params=[w]), optim.SGD([w], lr=0.0))
    w.grad = 7.0
    trainer.write_back()
    assert w.grad == 7.0
    trainer.refresh()
    trainer.write_back()
    assert w.grad == 7.0
    trainer.step(np.ones(1))
    trainer.write_back()
    assert w.grad == 0.5
    w.grad = 0.0
    trainer.write_back()
    assert w.grad == 0.0
    with np.errstate(all="ignore"):
        trainer.step(np.zeros(1))  # as in eager mode, a step that fails shows its gradient
    trainer.write_back()
    assert not math.isfinite(w.grad)


def test_refresh_picks_up_changed_hyperparameters() -> None:
    w = Value(1.0)
    optimizer = optim.SGD([w], lr=0.1, momentum=0.9)
    trainer = Trainer(compile(lambda x: (w * x) ** 2, params=[w]), optimizer)
    trainer.step(np.ones(1))
    trainer.write_back()
    optimizer.hyperparameters["momentum"] = 0.0
    trainer.refresh()
    before = trainer.params[0]
    trainer.step(np.ones(1))
    assert trainer.params[0] == near(before - 0.1 * 2 * before, ulps=4)


# --- reading and writing many parameters -----------------------------------------------------------

on_c = pytest.mark.skipif(chainrule.core != "c", reason="only the compiled core counts assignments")


@on_c
def test_parameters_are_read_again_only_after_an_assignment(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = []

    def counted(values: Any) -> Any:
        reads.append(len(values))
        return numbers_of(values)

    monkeypatch.setattr(reading, "numbers_of", counted)
    w, other = Value(2.0), Value(1.0)
    f = compile(lambda x: w * x, [w])
    assert [f(np.ones(2)).tolist() for _ in range(3)] == [[2.0, 2.0]] * 3
    assert f.grad(np.full(4, 3.0)) == 3.0
    assert reads == [1]
    w.data = 5.0
    assert f(np.ones(1)) == [5.0]
    other.data = 7.0  # the clock does not know which Value it was
    assert f(np.ones(1)) == [5.0]
    w.data = 5.0  # changes nothing
    assert f(np.ones(1)) == [5.0]
    assert reads == [1, 1, 1]


@pytest.mark.parametrize("change", [lambda w: w.__init__(3.0), lambda w: setattr(w, "data", 3)])
def test_however_a_parameter_changes_the_next_call_sees_it(change: Callable[[Value], Any]) -> None:
    w = Value(2.0)
    f = compile(lambda x: w * x, [w])
    assert f(np.ones(1)) == [2.0]
    change(w)
    assert f(np.ones(1)) == [3.0]
    assert f.grad(np.ones(1)) == 1.0


def test_new_parameters_of_another_branch_are_read_too() -> None:
    a, b = Value(2.0), Value(3.0)
    f = compile(lambda x: a * x if x > 0 else b * x)
    assert f(np.ones(1)) == [2.0]
    assert f(-np.ones(1)) == [-3.0]
    f.retrace()
    assert f(-np.ones(1)) == [-3.0]
    assert f(np.array([1.0, -1.0])).tolist() == [2.0, -3.0]


@on_c
def test_numbers_and_gradients_of_many_values_are_written_at_once() -> None:
    values = Value(1.0), micrograd.Value(2.0), Value(3.0)
    result = values[0] * values[2]
    c_core.write_numbers(values, np.array([1.0, 5.0, 6.0]), np.array([7.0, 8.0, 9.0]))
    assert [v.data for v in values] == [1.0, 5.0, 6.0]
    assert [v.grad for v in values] == [7.0, 8.0, 9.0]
    with pytest.raises(StaleValueError):
        result.backward()
    c_core.write_numbers(values, np.array([0.0, 0.0, -0.0]), b"")
    assert [math.copysign(1.0, v.data) for v in values] == [1.0, 1.0, -1.0]
    assert [v.grad for v in values] == [7.0, 8.0, 9.0]
    with pytest.raises(ValueError, match="expected a number for each Value"):
        c_core.write_numbers(values, np.zeros(2), b"")


def test_the_state_after_training_is_a_list_of_tuples_that_can_be_changed() -> None:
    w = [Value(1.0), Value(2.0)]
    step = compile(lambda x: (w[0] + w[1]) * x, w)
    optimizer = optim.Adam(w, lr=0.1)
    with Trainer(step, optimizer) as trainer:
        trainer.step(np.ones(4))
        trainer.write_back()
        mean, square = optimizer.state[0]
        assert optimizer.state == [(near(0.1, ulps=4), near(0.001, ulps=4))] * 2
        optimizer.state[1] = (mean, square)  # no change
        trainer.step(np.ones(4))
        optimizer.state[1] = (0.5, 0.5)
        with pytest.raises(StaleValueError, match="the optimizer's state was changed"):
            trainer.write_back()
        trainer.refresh()
    assert optimizer.state[1] == (0.5, 0.5)


def test_refresh_after_restoring_other_numbers_reads_the_model_again() -> None:
    w = Value(1.0)
    trainer = Trainer(compile(lambda x: w * x, [w]), optim.SGD([w], lr=0.5))
    trainer.restore(trainer.numbers + 1.0, 0)
    trainer.refresh()
    assert trainer.params.tolist() == [1.0]
