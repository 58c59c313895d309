"""How much time and memory does compiling take, for programs of up to a million nodes?

Times compilation from a Python function to the first gradient, on a batch too small to matter. Each
measurement runs in a separate process, and its peak memory is that of the whole process, including the
interpreter and imports. The sizes alternate, so that a temporary slowdown of the machine affects all of
them. In the last three rows of a table, the ratio column shows seconds, gigabytes or growth instead of a
ratio: the figures that have targets. The next table is about a likelihood that walks along one series of
a million steps, with 17 operations each, and becomes a loop; its ratio column shows gigabytes. The last
table divides the time of the reference pipeline in Python by that of the C pipeline, from the traced
graph to a program that is ready to run.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import measure
import numpy as np
import programs
from measure import Row, Table, Times, in_rounds, in_time_units, sized, timed
from programs import OURS, START
from works import kalman

from chainrule import Value
from chainrule.compiler import Compiled, compile
from chainrule.compiler.backends import native
from chainrule.compiler.flat import Flat
from chainrule.compiler.pipeline import NativePipeline, Pipeline

SIZES = (1_000, 10_000) if measure.QUICK else (1_000, 10_000, 100_000, 1_000_000)
PROCESSES = sized(5, 1)
PIPELINE_NODES = sized(10_000, 1_000)  # the Python pipeline is slow
PIPELINE_ROUNDS = sized(5, 1)
SAMPLES = 8
MOST_SECONDS, MOST_GIGABYTES = 2.0, 1.0  # the targets for the largest size
STEPS = sized(1_000_000, 10_000)  # of the long series
MOST_FOR_STEPS = 1.5  # its target for gigabytes
MOST_GROWTH = 1.5  # how much more a node may cost at the largest size than at the one before

Case = tuple[Compiled, tuple[Any, ...]]  # the compiled function and a batch


def chain(nodes: int) -> Case:
    """A chain of operations, two per round."""
    a = Value(0.9999)

    def rounds(x: Any) -> Any:
        for _ in range(nodes // 2):
            x = x * a
            x = x + a
        return x

    return compile(rounds, [a]), (np.ones(SAMPLES),)


def path_model(nodes: int) -> Case:
    """About 20 nodes per step."""
    start = [Value(x) for x in START]
    shocks = programs.normals(SAMPLES, 2 * (nodes // 20))
    return compile(lambda shocks: programs.path_payoff(OURS, start, shocks), start), (shocks,)


def wide_network(nodes: int) -> Case:
    """Most nodes are weights: 64 + 1 + 10 per hidden neuron, plus its dot product, sum and relu."""
    model, loss = programs.classifier(64, nodes // 78)
    return compile(loss, model.parameters()), programs.samples(SAMPLES, 64)


def long_series(steps: int) -> Case:
    """The likelihood of a Kalman filter, whose gradient is that of its four parameters."""
    measurements = np.random.default_rng(3).standard_normal(steps).cumsum() * 0.1
    step = compile(lambda parameters: kalman.likelihood(parameters, measurements), batch=None)
    return step, (kalman.PARAMETERS,)


CASES: dict[str, Callable[[int], Case]] = {
    "chain": chain,
    "path model": path_model,
    "wide MLP": wide_network,
}


def measure_here(name: str, size: int) -> dict[str, float]:
    """Measure in this process: nodes, seconds and gigabytes."""
    step, batch = {**CASES, "long series": long_series}[name](size)
    start = time.perf_counter()
    step.value_and_grad(*batch)
    seconds = time.perf_counter() - start
    ((variant,),) = step.variants.values()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    return {"nodes": len(variant.trace.source), "seconds": seconds, "gigabytes": peak}


def measure_in_new_process(name: str, size: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", name, str(size)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, float] = json.loads(run.stdout)
    return result


def table(name: str) -> Table:
    rows, seconds_per_node = [], []
    rounds = [[measure_in_new_process(name, size) for size in SIZES] for _ in range(PROCESSES)]
    for runs in zip(*rounds, strict=True):
        nodes = runs[0]["nodes"]
        times = Times(tuple(run["seconds"] for run in runs))
        peak = statistics.median(run["gigabytes"] for run in runs)
        seconds_per_node.append(times.median / nodes)
        cells = [
            in_time_units(times.median),
            f"{in_time_units(min(times.seconds))} - {in_time_units(max(times.seconds))}",
            in_time_units(seconds_per_node[-1]),
            f"{peak:.3f} GB",
        ]
        rows.append(Row([f"{nodes:,.0f} nodes", *cells]))
    last, blank = f"{SIZES[-1]:,} nodes", [""] * 4
    growth = seconds_per_node[-1] / seconds_per_node[-2]
    # Scaled to the nominal size, because the actual number of nodes differs slightly.
    rows += [
        Row([f"{last}: seconds", *blank], seconds_per_node[-1] * SIZES[-1], at_most=MOST_SECONDS),
        Row([f"{last}: gigabytes", *blank], peak / nodes * SIZES[-1], at_most=MOST_GIGABYTES),
        Row([f"time per node: {last} relative to {SIZES[-2]:,}", *blank], growth, at_most=MOST_GROWTH),
    ]
    return Table([f"compiling a {name}", "median", "fastest - slowest", "per node", "peak"], rows)


def steps() -> Table:
    found = measure_in_new_process("long series", STEPS)
    rows = [
        Row(["nodes", f"{found['nodes']:,.0f}"]),
        Row(["seconds", in_time_units(found["seconds"])]),
        Row(["gigabytes", ""], found["gigabytes"], at_most=MOST_FOR_STEPS),
    ]
    return Table([f"compiling the likelihood of one series of {STEPS:,} steps", ""], rows)


def pipelines() -> Table:
    """Run a graph through both pipelines; `tests/conformance` checks that the steps are the same."""
    rows = []
    for name, case in CASES.items():
        step, batch = case(PIPELINE_NODES)
        step.value_and_grad(*batch)
        ((variant,),) = step.variants.values()
        source = variant.trace.source
        if not isinstance(source, Flat):
            return Table(["pipelines: not measured, because the C core is missing"])
        took = in_rounds(pipeline_contestants(variant, source), PIPELINE_ROUNDS)
        each = [in_time_units(took[who].median / len(source)) for who in ("Python", "C")]
        cells = [f"{name}, {len(source):,} nodes", *each]
        rows.append(Row(cells, took["Python"].to(took["C"])))
    return Table(["from graph to machine, per node", "Python", "C"], rows)


def pipeline_contestants(variant: Any, source: Flat) -> dict[str, Callable[[], float]]:
    graph = source.unpack()
    sizes = variant.count, variant.inputs

    def in_python() -> Any:
        return Pipeline(graph, native.Machine).machine(*sizes, wanted=())

    def in_c() -> Any:
        return NativePipeline(source).machine(*sizes, wanted=())

    return {"Python": lambda: timed(in_python), "C": lambda: timed(in_c)}


def tables() -> Iterator[Table]:
    for name in CASES:
        yield table(name)
    yield steps()
    yield pipelines()


if __name__ == "__main__":
    if "--one" in sys.argv:
        print(json.dumps(measure_here(sys.argv[2], int(sys.argv[3]))))
    else:
        sys.exit(measure.main(tables))
