"""What do two threads bring? One large batch, with the same bits as on one thread.

Two cores of a rented machine may be halves of one: then two programs that have nothing to do with
each other are as slow as two threads. Both are shown.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import measure
import numpy as np
import programs
from measure import Contestant, Race, Table, Work, sized
from programs import OURS, START

from chainrule import Value
from chainrule.compiler import compile

PATHS, STEPS = sized(32_768, 256), sized(100, 10)
SAMPLES = sized(16_384, 256)
FASTER = 1.7


def path_model(paths: int) -> Work:
    start = [Value(x) for x in START]
    step = compile(lambda shocks: programs.path_payoff(OURS, start, shocks), start)
    shocks = programs.normals(2 * STEPS, paths).T
    return lambda: step.value_and_grad(shocks)


def network(samples: int) -> Work:
    model, loss = programs.classifier(64, 128)
    step = compile(loss, model.parameters())
    batch = programs.samples(samples, 64)
    return lambda: step.value_and_grad(*batch)


def with_threads(count: int, start: Callable[[int], Work], units: int) -> Work:
    work = start(units)

    def run() -> Any:
        os.environ["CHAINRULE_THREADS"] = str(count)  # is read at every call
        value, gradients = work()
        return np.append(gradients, value)

    return run


def two_callers(start: Callable[[int], Work], units: int) -> Work:
    """Two batches at once, each computed by a thread that waits for nobody."""
    works = [with_threads(1, start, units) for _ in range(2)]
    pool = ThreadPoolExecutor(2)

    def run() -> Any:
        first, second = [pool.submit(work) for work in works]
        second.result()
        return first.result()

    return run


def race(title: str, start: Callable[[int], Work], units: int) -> Table:
    two, one = (partial(with_threads, count, start) for count in (2, 1))
    contestants = [
        Contestant("two threads", two, units),
        Contestant("one thread", one, units, FASTER),
        Contestant("a batch on each core at once", lambda _: two_callers(start, units), 2 * units),
    ]
    return Race(title, contestants, checked=units, shown=units, tolerance=0.0).table()


def tables() -> Iterator[Table]:
    yield race(f"path model, {STEPS} steps, {PATHS:,} paths", path_model, PATHS)
    yield race(f"MLP(64, [128, 10]), batch of {SAMPLES:,}", network, SAMPLES)


if __name__ == "__main__":
    sys.exit(measure.main(tables))
