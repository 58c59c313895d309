"""Threads: entry points run at the same time, on separate and on shared objects, and every result is
exact.

    python -m tests.campaigns.threads [--rounds 100] [--seed 0]

Run it on a core built with ThreadSanitizer as well: `make sanitize`.
"""

import argparse
import random
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import chainrule
from chainrule import StaleValueError, Value, compile, nn, optim
from chainrule.compiler import Trainer
from chainrule.value import c_core

from .entries import OPTIMIZERS, X, Y, entries

THREADS = 4
SECONDS = 300.0  # after which a deadlock is assumed


@contextmanager
def switching_often() -> Iterator[None]:
    """Make Python switch threads as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def together(*actions: Callable[[], Any]) -> None:
    """Start these at the same instant, each in a thread; raise the first exception."""
    start, problems = threading.Barrier(len(actions)), []

    def run(action: Callable[[], Any]) -> None:
        try:
            start.wait(SECONDS)
            action()
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=run, args=(action,), daemon=True) for action in actions]
    with switching_often():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SECONDS)
    assert not any(thread.is_alive() for thread in threads), "threads wait for each other"
    if problems:
        raise problems[0]


# --- what threads do together --------------------------------------------------------------------------


def disjoint(rng: random.Random) -> None:
    """Each thread runs entry points in random order, on its own objects."""
    chosen = [entry for entry in entries() if entry.needs != "jax"]

    def work(order: list[Any]) -> Callable[[], None]:
        def run() -> None:
            for prepare in order:
                action, check = prepare()
                action()
                check(False)

        return run

    together(
        *(work([each.prepare() for each in rng.sample(chosen, 6)]) for _ in range(THREADS)),
    )


def sharing_leaves(rng: random.Random) -> None:
    """Every contribution of every thread arrives in the gradient of a shared leaf."""
    leaves, times = [Value(1.0), Value(2.0)], rng.randint(20, 60)

    def run() -> None:
        for _ in range(times):
            a, b = leaves
            (a * b + a + chainrule.sum([a, b, a])).backward()

    together(*[run] * THREADS)
    assert [leaf.grad for leaf in leaves] == [5.0 * times * THREADS, 2.0 * times * THREADS]


def changing_leaves(rng: random.Random) -> None:
    """While one thread assigns to a leaf, the others get a gradient for a number that it has had, or an
    error.
    """
    leaf, times, over = Value(1.0), rng.randint(20, 60), threading.Event()

    def change() -> None:
        try:
            for i in range(times):
                leaf.data = float(1 + i % 2)
        finally:
            over.set()

    def derive() -> None:
        while not over.is_set():
            own = Value(0.0)
            y = leaf * leaf * (own + 1.0)
            try:
                y.backward()
            except StaleValueError:
                continue
            assert own.grad in (1.0, 2.0, 4.0), own.grad  # the product reads the leaf twice

    together(change, *[derive] * (THREADS - 1))


def one_compiled_function(rng: random.Random) -> None:
    """Threads call a function at once that has not been compiled yet; all get the same bits."""
    model = nn.MLP(2, [4, 1], seed=rng.randrange(1000))
    step = compile(lambda x, t: (model(x) - t) ** 2 if x[0] > 0 else model(x) * t, model.parameters())
    sizes = [rng.randint(1, 40) for _ in range(5)]
    batches = [np.random.default_rng(rng.randrange(1000)).normal(size=(n, 3)) for n in sizes]
    found: list[list[Any]] = []

    def run() -> None:
        results = [step.value_and_grad(batch[:, :2], batch[:, 2]) for batch in batches]
        found.append([(value, grads.tolist()) for value, grads in results])

    together(*[run] * THREADS)
    assert all(each == found[0] for each in found[1:])


def training(rng: random.Random) -> None:
    """Each thread trains a model of its own, in native code and in eager mode."""

    def work(name: str, seed: int) -> Callable[[], None]:
        def run() -> None:
            for engine in ("eager", "native")[: 1 if c_core is None else 2]:
                models = [nn.MLP(2, [3, 1], seed=seed) for _ in range(2)]
                histories = [
                    chainrule.train.fit(
                        *(model, "mse", X, Y),
                        optimizer=OPTIMIZERS[name](model.parameters()),
                        epochs=2,
                        batch_size=5,
                        progress=False,
                        engine=engine,
                    )
                    for model in models
                ]
                assert models[0].state_dict() == models[1].state_dict()
                assert histories[0].losses == histories[1].losses

        return run

    together(*(work(rng.choice(list(OPTIMIZERS)), rng.randrange(100)) for _ in range(THREADS)))


def one_trainer(rng: random.Random) -> None:
    """Threads that share a Trainer: a step counts, or raises an error because another is running."""
    if c_core is None:
        return
    model = nn.MLP(2, [3, 1], seed=0)
    optimizer = optim.SGD(model.parameters(), lr=1e-3)
    trainer = Trainer(compile(lambda x, t: (model(x) - t) ** 2, model.parameters()), optimizer)
    times, made = rng.randint(5, 20), []

    def run() -> None:
        for _ in range(times):
            try:
                made.append(trainer.step(X, Y))
            except RuntimeError as error:
                if "another thread" not in str(error):
                    raise

    together(*[run] * THREADS)
    trainer.write_back()
    alone = nn.MLP(2, [3, 1], seed=0)
    plain = optim.SGD(alone.parameters(), lr=1e-3)
    other = Trainer(compile(lambda x, t: (alone(x) - t) ** 2, alone.parameters()), plain)
    wanted = [other.step(X, Y) for _ in made]
    other.write_back()
    assert optimizer.steps == plain.steps == len(made) >= 1  # how many depends on the scheduler
    assert sorted(made) == sorted(wanted)
    assert model.state_dict() == alone.state_dict()


def saving(rng: random.Random) -> None:
    """Threads save to one path: the file is always one of the models, and nothing is left beside it."""
    models = [nn.MLP(2, [2, 1], seed=i) for i in range(THREADS)]
    known = [model.state_dict() for model in models]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        chainrule.save(models[0], path)

        def work(model: Any) -> Callable[[], None]:
            def run() -> None:
                for _ in range(5):
                    chainrule.save(model, path)
                    assert chainrule.load(path).state_dict() in known

            return run

        together(*map(work, models))
        assert [each.name for each in Path(folder).iterdir()] == [path.name]


KINDS = [
    *(disjoint, sharing_leaves, changing_leaves, one_compiled_function, training, one_trainer, saving),
]


def main(rounds: int, seed: int) -> None:
    for kind in KINDS:
        for i in range(rounds):
            try:
                kind(random.Random(f"{kind.__name__} {seed} {i}"))
            except BaseException as error:
                error.add_note(f"{kind.__name__}, round {i} of seed {seed}")
                raise
        print(f"{kind.__name__}: {rounds} rounds with {THREADS} threads", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    main(given.rounds, given.seed)
