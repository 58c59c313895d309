"""What do two threads bring? One large batch, with the same bits as on one thread.

Two cores of a rented machine are halves of one at times, as its host has put them. Then two programs
that have nothing to do with each other take twice as long at once as one alone, and threads can bring
nothing. So a turn counts if two such programs ran as on two cores before and after it; how often they
did not is told.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import measure
import numpy as np
import programs
from measure import QUICK, Contestant, Race, Table, Work, sized, timed
from programs import OURS, START

from chainrule import Value
from chainrule.compiler import compile

PATHS, STEPS = sized(32_768, 256), sized(100, 10)
SAMPLES = sized(16_384, 256)
PROBED = sized(4_096, 256)
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


def stay_on(core: int) -> None:
    """Keep this thread on one of the cores, where the system can: it likes to start both on one."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[core % len(cores)]})


def two_callers(start: Callable[[int], Work], units: int) -> Work:
    """Two batches at once, each computed by a thread that waits for nobody."""
    works = [with_threads(1, start, units) for _ in range(2)]
    callers = [ThreadPoolExecutor(1, initializer=partial(stay_on, core)) for core in range(2)]

    def run() -> Any:
        first, second = [caller.submit(work) for caller, work in zip(callers, works, strict=True)]
        second.result()
        return first.result()

    return run


class TwoCores:
    """Tells whether the machine has two cores now: two programs at once take little longer than one."""

    ENOUGH = 1.7  # times the work of one core,
    AT_MOST = 2.1  # and more means that the one alone was disturbed
    PATIENCE = 300  # looks in vain, before it says yes all the same
    PAUSE = 0.5  # seconds: when both are idle, the host may find a better place for them

    def __init__(self) -> None:
        self.alone = with_threads(1, network, PROBED)
        self.both = two_callers(network, PROBED)
        self.looks = self.found = self.given_up = 0

    def __call__(self) -> bool:
        alone, both = (min(timed(work) for _ in range(3)) for work in (self.alone, self.both))
        self.looks += 1
        if self.ENOUGH <= 2 * alone / both <= self.AT_MOST:
            self.found += 1
            return True
        if QUICK or self.looks - self.found > self.PATIENCE:
            self.given_up += 1
            return True
        time.sleep(self.PAUSE)
        return False

    def __str__(self) -> str:
        given_up = f", given up {self.given_up} times" if self.given_up else ""
        return (
            f"Two programs at once ran as on two cores in {self.found} of {self.looks} looks{given_up}."
        )


def race(title: str, start: Callable[[int], Work], units: int, two_cores: TwoCores) -> Table:
    two, one = (partial(with_threads, count, start) for count in (2, 1))
    contestants = [
        Contestant("two threads", two, units),
        Contestant("one thread", one, units, FASTER),
        Contestant("a batch on each core at once", lambda _: two_callers(start, units), 2 * units),
    ]
    race = Race(title, contestants, checked=units, shown=units, tolerance=0.0, steady=two_cores)
    return race.table()


def tables() -> Iterator[Table | str]:
    two_cores = TwoCores()
    yield race(f"path model, {STEPS} steps, {PATHS:,} paths", path_model, PATHS, two_cores)
    yield race(f"MLP(64, [128, 10]), batch of {SAMPLES:,}", network, SAMPLES, two_cores)
    yield str(two_cores)


if __name__ == "__main__":
    sys.exit(measure.main(tables))
