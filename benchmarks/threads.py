"""How much faster is one large batch on two threads than on one? The results must be equal to the last
bit.

On a rented machine, two cores are sometimes two hyperthreads of one physical core. Then two independent
programs take twice as long together as one alone, and threads cannot help. So two such programs run
before and after every round, to test whether the machine really had two cores. No round is repeated or
left out: whether the target is met depends on all rounds; the lower rows show only the rounds that had
two cores. Each ratio is the row's time divided by the time on two threads.
"""

from __future__ import annotations

import gc
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
from measure import QUICK, Row, Table, Times, Work, check_close, in_time_units, progress, sized, timed
from programs import START

from chainrule import Value
from chainrule.compiler import compile

PATHS, STEPS = sized(32_768, 256), sized(100, 10)
SAMPLES = sized(16_384, 256)
PROBED = sized(4_096, 256)
ROUNDS = 1 if QUICK else 25
FASTER = 1.7
ENOUGH, TOO_MUCH = 1.7, 2.1  # speedup over one core; more means that the single run was disturbed


def path_model(paths: int) -> Work:
    start = [Value(x) for x in START]
    step = compile(lambda shocks: programs.path_payoff(programs.OURS, start, shocks), start)
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
        os.environ["CHAINRULE_THREADS"] = str(count)  # read at every call
        value, gradients = work()
        return np.append(gradients, value)

    return run


def stay_on(core: int) -> None:
    """Pin this thread to a core, if the system supports it: otherwise both callers may start on the same
    core.
    """
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[core % len(cores)]})


def two_callers(start: Callable[[int], Work], units: int) -> Work:
    """Two batches at once, each computed by an independent thread."""
    works = [with_threads(1, start, units) for _ in range(2)]
    callers = [ThreadPoolExecutor(1, initializer=partial(stay_on, core)) for core in range(2)]

    def run() -> Any:
        first, second = [caller.submit(work) for caller, work in zip(callers, works, strict=True)]
        second.result()
        return first.result()

    return run


class TwoCores:
    """Tests whether the machine really has two cores at the moment.

    If so, two programs at once take little longer than one.
    """

    def __init__(self) -> None:
        self.alone = with_threads(1, network, PROBED)
        self.both = two_callers(network, PROBED)

    def __call__(self) -> bool:
        alone, both = (min(timed(work) for _ in range(3)) for work in (self.alone, self.both))
        return ENOUGH <= 2 * alone / both <= TOO_MUCH


def measured(works: dict[str, Work], two_cores: TwoCores) -> tuple[dict[str, Times], list[bool]]:
    """The time of each workload in each round, in seconds, and whether the round had two cores."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    had_two = []
    for index in range(-1, ROUNDS):
        before = two_cores()
        for name, work in works.items():
            gc.collect()
            time.sleep(measure.REST)
            took = timed(work)
            if index >= 0:
                seconds[name].append(took)
        if index >= 0:
            had_two.append(two_cores() and before)
    return {name: Times(tuple(each)) for name, each in seconds.items()}, had_two


def table(title: str, start: Callable[[int], Work], units: int, two_cores: TwoCores) -> Table:
    progress(title)
    works = {f"{count}": with_threads(count, start, units) for count in (2, 1)}
    check_close(title, works["2"](), works["1"](), tolerance=0.0)
    works["both"] = two_callers(start, units)
    took, had_two = measured(works, two_cores)
    took["both"] = took["both"].of(0.5)  # each run computes two batches
    rows = rows_of_rounds(took, f"all {ROUNDS} rounds", FASTER)
    counted = sum(had_two)
    if counted:
        chosen = {name: times.only(had_two) for name, times in took.items()}
        rows += rows_of_rounds(chosen, f"the {counted} of {ROUNDS} rounds with two cores", None)
    else:
        rows.append(Row([f"no round of {ROUNDS} had two cores", ""]))
    return Table([title, "median"], rows)


def rows_of_rounds(took: dict[str, Times], which: str, target: float | None) -> list[Row]:
    def row(text: str, name: str, target: float | None = None) -> Row:
        ratio = None if name == "2" else took[name].to(took["2"])
        return Row([f"{text}, {which}", in_time_units(took[name].median)], ratio, at_least=target)

    return [
        row("two threads", "2"),
        row("one thread", "1", target),
        row("a batch on each core at once, time per batch", "both"),
    ]


def tables() -> Iterator[Table]:
    two_cores = TwoCores()
    yield table(f"path model, {STEPS} steps, {PATHS:,} paths", path_model, PATHS, two_cores)
    yield table(f"MLP(64, [128, 10]), batch of {SAMPLES:,}", network, SAMPLES, two_cores)


if __name__ == "__main__":
    sys.exit(measure.main(tables))
