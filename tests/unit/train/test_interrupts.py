"""Ctrl-C at every instruction: parameters, optimiser state and step count stay consistent.

`python -m tests.unit.train.test_interrupts` interrupts at every point; the tests use a subset.
"""

import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from chainrule import Value, compile, data, nn, optim
from chainrule.compiler import Batch, Trainer
from chainrule.train import fit
from chainrule.value import c_core

from ...conftest import require
from ...interrupting import Prepare, check_interrupts, visits
from .test_runs import OPTIMIZERS

X, Y = data.moons(10, seed=0)
Moment = tuple[Any, ...]


def moment(optimizer: optim.Optimizer) -> Moment:
    """Everything that must change together, as bits."""
    numbers = [p.data.hex() for p in optimizer.params]
    states = [tuple(float(x).hex() for x in row) for row in optimizer.state]
    return optimizer.steps, numbers, states


def model_and_optimizer(name: str) -> tuple[nn.MLP, optim.Optimizer]:
    model = nn.MLP(2, [2, 1], seed=0)
    return model, OPTIMIZERS[name](model.parameters())


# --- one step, and other single changes ----------------------------------------------------------


def single(
    start: Callable[[], Any], change: Callable[[Any], Any], seen: Callable[[Any], Any]
) -> Prepare:
    """The change happens completely or not at all, and can be repeated."""
    thing = start()
    old = seen(thing)
    change(thing)
    new = seen(thing)
    change(thing)
    newer = seen(thing)

    def prepare() -> tuple[Callable[[], Any], Callable[[bool], None]]:
        thing = start()

        def check(came: bool) -> None:
            found = seen(thing)
            assert found in ([old, new] if came else [new])
            change(thing)
            assert seen(thing) == (newer if found == new else new)

        return partial(change, thing), check

    return prepare


def stepping(name: str) -> Prepare:
    def start() -> optim.Optimizer:
        _, optimizer = model_and_optimizer(name)
        for i, p in enumerate(optimizer.params):
            p.grad = 0.1 * (i + 1)
        return optimizer

    return single(start, lambda optimizer: optimizer.step(), moment)


def scheduling() -> Prepare:
    def start() -> optim.StepLR:
        return optim.StepLR(optim.SGD([Value(1.0)], lr=0.5), step_size=1)

    return single(start, lambda s: s.step(), lambda s: (s.last_epoch, s.optimizer.lr))


def clipping() -> Prepare:
    def start() -> list[Value]:
        params = [Value(1.0), Value(2.0)]
        for p in params:
            p.grad = 30.0
        return params

    def change(params: list[Value]) -> None:
        optim.clip_grad_norm_(params, 0.1 * sum(p.grad for p in params))

    return single(start, change, lambda params: [p.grad for p in params])


def loading_a_model() -> Prepare:
    target = nn.MLP(2, [2, 1], seed=1).state_dict()
    return single(
        lambda: nn.MLP(2, [2, 1], seed=0), lambda m: m.load_state_dict(target), lambda m: m.state_dict()
    )


def loading_an_optimizer() -> Prepare:
    trained = model_and_optimizer("adam")[1]
    trained.lr = 0.5
    trained.step()
    state = trained.state_dict()
    return single(
        lambda: model_and_optimizer("adam")[1],
        lambda optimizer: optimizer.load_state_dict(state),
        lambda optimizer: optimizer.state_dict(),
    )


def tracing_more_parameters() -> Prepare:
    """A second branch uses another parameter, so the first branch's programs need a longer list too."""
    samples = np.array([1.0, -1.0, 2.0])

    def start() -> Any:
        w, v = Value(2.0), Value(3.0)
        step = compile(lambda x: w * x if x > 0 else v * x)
        step(samples[:1])
        return step

    def prepare() -> tuple[Callable[[], Any], Callable[[bool], None]]:
        step = start()

        def check(came: bool) -> None:
            for _ in range(2):
                assert step(samples).tolist() == [2.0, -3.0, 4.0]
                value, gradients = step.value_and_grad(samples)
                assert (value, gradients.tolist()) == (1.0, [1.0, -1.0 / 3.0])

        return partial(step, samples), check

    return prepare


# --- native training ---------------------------------------------------------------------------------


def trainer_and_optimizer() -> tuple[Any, optim.Optimizer]:
    model, optimizer = model_and_optimizer("adam")
    step = compile(lambda x, t: (model(x) - t) ** 2, params=model.parameters())
    return Trainer(step, optimizer), optimizer


def trajectory(steps: int) -> list[Moment]:
    """The state that eager mode sees after each step and write_back()."""
    trainer, optimizer = trainer_and_optimizer()
    found = [moment(optimizer)]
    for _ in range(steps):
        trainer.step(X, Y)
        trainer.write_back()
        found.append(moment(optimizer))
    return found


def native(action: Callable[[Any], Any]) -> Prepare:
    """Interrupt an action after 3 steps: the state is consistent, and training continues correctly."""
    moments = trajectory(12)

    def prepare() -> tuple[Callable[[], Any], Callable[[bool], None]]:
        trainer, optimizer = trainer_and_optimizer()
        for _ in range(3):
            trainer.step(X, Y)

        def check(came: bool) -> None:
            assert moment(optimizer) in moments
            trainer.write_back()
            made = optimizer.steps
            assert moment(optimizer) == moments[made]
            trainer.step(X, Y)
            trainer.write_back()
            assert moment(optimizer) == moments[made + 1]

        return partial(action, trainer), check

    return prepare


def run_five_steps(trainer: Any) -> None:
    trainer.run(Batch((X, Y)), np.full(5, trainer.optimizer.lr))
    trainer.write_back()


# --- fit -------------------------------------------------------------------------------------------


def fitting(engine: str, epochs: int = 3, **options: Any) -> Prepare:
    """Wherever fit was interrupted, the model and its optimiser can be trained further."""
    settings = {"batch_size": 5, "shuffle": False, "progress": False, "engine": engine, **options}

    def train(model: Any, optimizer: Any, epochs: int, **more: Any) -> None:
        fit(model, "mse", X, Y, optimizer=optimizer, epochs=epochs, **settings, **more)

    moments = {}
    model, optimizer = model_and_optimizer("adam")
    moments[0] = moment(optimizer)
    for i in range(2 * (epochs + 1)):  # one batch at a time: the order is fixed
        half = slice(5) if i % 2 == 0 else slice(5, 10)
        plain = {**settings, "batch_size": None, "validation": None}
        fit(model, "mse", X[half], Y[half], optimizer=optimizer, epochs=1, **plain)
        moments[optimizer.steps] = moment(optimizer)

    def prepare() -> tuple[Callable[[], Any], Callable[[bool], None]]:
        model, optimizer = model_and_optimizer("adam")
        before = signal.getsignal(signal.SIGINT)

        def check(came: bool) -> None:
            assert moment(optimizer) == moments[optimizer.steps]
            assert signal.getsignal(signal.SIGINT) is before
            assert all(layer.watched is None for layer in model.layers)
            if optimizer.steps % 2 == 0:
                made = optimizer.steps
                train(model, optimizer, 1)
                assert moment(optimizer) == moments[made + 2]

        return partial(train, model, optimizer, epochs), check

    return prepare


def finishing_in_jax() -> Prepare:
    """Writing JAX's numbers back, after an epoch of two steps."""
    from chainrule.train.choosing import make_engine
    from chainrule.train.feeding import Data

    model, optimizer = model_and_optimizer("adam")
    samples = Data(X, Y, 5, False, np.random.default_rng(0))
    run: Any = make_engine("jax", model, nn.mse_loss, optimizer, samples)
    start, old = (model.state_dict(), optimizer.state_dict()), moment(optimizer)
    run.steps(samples.plan(1, optimizer.lr))
    grads, new = run.function.tree.build(np.ones(len(optimizer.params))), moment(optimizer)

    def prepare() -> tuple[Callable[[], Any], Callable[[bool], None]]:
        model.load_state_dict(start[0])
        optimizer.load_state_dict(start[1])

        def check(came: bool) -> None:
            assert moment(optimizer) in ([old, new] if came else [new])

        return partial(run.finish, run.jax.tree.map(run.devices.put_parameter, grads), 2), check

    return prepare


# --- the list of interrupted actions -----------------------------------------------------------------

EVERYWHERE: dict[str, Callable[[], Prepare]] = {
    **{f"{name}.step": partial(stepping, name) for name in OPTIMIZERS},
    "schedule.step": scheduling,
    "clip_grad_norm_": clipping,
    "Module.load_state_dict": loading_a_model,
    "compile, a new parameter": tracing_more_parameters,
    "Optimizer.load_state_dict": loading_an_optimizer,
    "fit eager": partial(fitting, "eager", 1),
    "fit eager with validation": partial(fitting, "eager", 1, validation=(X[:3], Y[:3])),
}
NATIVELY: dict[str, Callable[[], Prepare]] = {
    "Trainer.write_back": lambda: native(lambda trainer: trainer.write_back()),
    "Trainer.refresh": lambda: native(lambda trainer: (trainer.write_back(), trainer.refresh())),
    "Trainer.step": lambda: native(lambda trainer: trainer.step(X, Y)),
    "Trainer.run": lambda: native(run_five_steps),
    "fit native": partial(fitting, "native"),
    "fit native with validation": partial(fitting, "native", validation=(X[:3], Y[:3])),
}
IN_JAX: dict[str, tuple[Callable[[], Prepare], int]] = {
    "JaxRun.finish": (finishing_in_jax, 120),
    "fit jax": (partial(fitting, "jax", 1), 6),  # every attempt compiles again
}


def some_of(prepare: Prepare, at_most: int = 120) -> None:
    """Interrupt at a subset of the points; the command above uses all of them."""
    action, _ = prepare()
    assert check_interrupts(prepare, stride=1 + 2 * len(visits(action)) // at_most) > at_most // 8


@pytest.mark.parametrize("name", EVERYWHERE)
def test_an_interrupt_leaves_the_old_or_the_new_state(name: str) -> None:
    some_of(EVERYWHERE[name]())


@pytest.mark.skipif(c_core is None, reason="there is no C core")
@pytest.mark.parametrize("name", NATIVELY)
def test_an_interrupt_of_native_training_leaves_the_old_or_the_new_state(name: str) -> None:
    some_of(NATIVELY[name]())


@pytest.mark.parametrize("name", IN_JAX)
def test_an_interrupt_of_training_in_jax_leaves_the_old_or_the_new_state(name: str) -> None:
    make, at_most = IN_JAX[name]
    with require("jax").enable_x64(True):
        some_of(make(), at_most)


if __name__ == "__main__":
    chosen = sys.argv[1:]
    known = EVERYWHERE | (NATIVELY if c_core is not None else {})
    for name, make in known.items():
        if not chosen or name in chosen:
            print(f"{name}: {check_interrupts(make())} interrupts", flush=True)
