"""How fast are long loops, and single samples? Compared with JAX, CasADi, PyTorch and C by hand.

Likelihoods that walk along one series, ODEs in many steps, a recurrent network; then a Hessian at one
point after another, and a small formula that is called repeatedly. Ours is the plain Python loop over
scalars. JAX runs `lax.scan`, unrolled or not, and on two devices where there is a batch. CasADi writes
the loop out or keeps it, and generates C. The C by hand has its own reverse sweep and is compiled with
-O3 -march=native; for a batch, it uses the core's own vectors and two threads. `compile` includes our
kernel. The last table shows what a user waits for instead: the first call, which the interpreter
answers, and from then on the time until calls run at full speed, in seconds also in the ratio column.
"""

from __future__ import annotations

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import measure
import race
from measure import Row, Table, Times, Work, in_time_units, progress, sized, timed
from works import hidden_markov, kalman, lotka_volterra, network, oscillator, single

PEERS = ("jax", "casadi", "torch")
WORKS = {
    "kalman": (kalman.chainrule_kalman, partial(kalman.jax_kalman, 1), kalman.LENGTH),
    "hidden_markov": (
        *(hidden_markov.chainrule_markov, partial(hidden_markov.jax_vectors, 1)),
        hidden_markov.LENGTH,
    ),
    "lotka_volterra": (
        *(lotka_volterra.chainrule_sets, partial(lotka_volterra.jax_sets, 1, 1)),
        lotka_volterra.SETS,
    ),
    "oscillator": (
        oscillator.chainrule_oscillator,
        partial(oscillator.jax_oscillator, 1),
        oscillator.STEPS,
    ),
}
ONE = "--one"  # followed by a work, by `ours` or `jax`, and by the seconds of a call at full speed
PROCESSES = sized(3, 1)
PATIENCE = sized(20, 2)  # seconds to wait for full speed
STEADY = 100 if not measure.QUICK else 2  # calls whose median is full speed
NEARLY = 1.5  # a call at full speed takes at most so many times as long as that
MOST_COLD, MOST_WARM = 1.0, 0.05  # the targets for the seconds until full speed
FIRST = 2.0  # the target for JAX's first call


# --- the first call, and how soon calls run at full speed ----------------------------------------


def measure_here(start: Callable[[int], Work], units: int, full_speed: float) -> dict[str, float]:
    """The time of the first call with all that precedes it, and from then until full speed.

    A `full_speed` of 0 is unknown: then it is measured instead.
    """
    begin = time.perf_counter()
    work = start(units)
    work()
    answered = began = time.perf_counter()
    took = [timed(work)]
    if full_speed:
        while took[-1] > NEARLY * full_speed and began < answered + PATIENCE:
            began = time.perf_counter()
            took.append(timed(work))
    else:
        took = [timed(work) for _ in range(STEADY)]
    steady = statistics.median(took)
    return {"first": answered - begin, "full": began - answered, "steady": steady}


def measure_in_new_process(
    name: str, who: str, cache: str, full_speed: float = 0.0, kernels: str = "on"
) -> dict[str, float]:
    command = [sys.executable, __file__, ONE, name, who, str(full_speed)]
    command += ["--quick"] if measure.QUICK else []
    environment = {**os.environ, "CHAINRULE_CACHE": cache, "CHAINRULE_KERNELS": kernels}
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    result: dict[str, float] = json.loads(run.stdout.splitlines()[-1])
    return result


def main_of_one(name: str, who: str, full_speed: str) -> int:
    ours, jax, units = WORKS[name]
    if who == "jax":
        race.load(["jax"])
    print(json.dumps(measure_here(ours if who == "ours" else jax, units, float(full_speed))))
    return 0


def first_calls(names: Sequence[str]) -> Table:
    rows = []
    for name in names:
        progress(f"first call: {name}")
        runs: dict[str, list[dict[str, float]]] = {"cold": [], "warm": [], "jax": []}
        for _ in range(PROCESSES):
            with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as filled:
                built = measure_in_new_process(name, "ours", filled, kernels="wait")
                for which, cache in (("cold", empty), ("warm", filled)):
                    runs[which].append(measure_in_new_process(name, "ours", cache, built["steady"]))
            if importlib.util.find_spec("jax"):
                runs["jax"].append(measure_in_new_process(name, "jax", ""))
        rows += rows_of(name.replace("_", " "), runs)
    return Table(["first call, from tracing to the answer", "ours", "JAX"], rows)


def rows_of(name: str, runs: dict[str, list[dict[str, float]]]) -> list[Row]:
    def times(which: str, what: str) -> Times:
        return Times(tuple(run[what] for run in runs[which]))

    first = times("cold", "first")
    rows = [Row([f"{name}: JAX not installed", in_time_units(first.median), ""], None, None, FIRST)]
    if runs["jax"]:
        jax = times("jax", "first")
        cells = [in_time_units(first.median), in_time_units(jax.median)]
        rows = [Row([f"{name}: JAX's first call", *cells], jax.to(first), None, FIRST)]
    for which, most in (("cold", MOST_COLD), ("warm", MOST_WARM)):
        full = times(which, "full")
        text = f"{name}: seconds from then to full speed, {which} cache"
        rows.append(Row([text, in_time_units(full.median), ""], full, at_most=most))
    return rows


def tables() -> Iterator[Table | str]:
    for work in (kalman, hidden_markov, oscillator, lotka_volterra, network):
        yield work.race().table()
    yield single.hessians().table()
    yield single.calls().table()
    yield first_calls(list(WORKS)[: 1 if measure.CHECK else None])


if __name__ == "__main__":
    if ONE in sys.argv:
        at = sys.argv.index(ONE) + 1
        sys.exit(main_of_one(*sys.argv[at : at + 3]))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CHAINRULE_CACHE"] = folder  # a kernel is compiled, not found
        sys.exit(measure.main(tables, PEERS))
