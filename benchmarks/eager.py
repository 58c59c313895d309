"""What does the eager engine cost? Compared with plain Python floats and with micrograd.

On floats, the loop computes the value but no gradient. On Values, it also computes the gradients and
frees its graph; each part is listed, followed by the total. Here the ratio is our time divided by
that of the floats. In the comparison with micrograd, chainrule runs with Python's cyclic garbage
collector on, as it is by default; micrograd is measured with it on and with it off.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import measure
import numpy as np
from measure import Row, Table, Work, check_close, in_rounds, in_time_units, sized, timed
from race import OURS, Contestant, Race

import chainrule

PEERS = ("micrograd",)
ROUNDS = sized(100_000, 1_000)
OTHER_ROUNDS = (sized(10_000, 100), sized(500_000, 5_000))
SHORT_ROUNDS = 300  # micrograd's backward is recursive, which limits the depth
SHORT_TIMES = sized(20, 2)
STEPS = sized(3, 1)
SIZES = (2, 16, 16, 1)
SAMPLES = 100
WEIGHT_DECAY = 1e-4
LEARNING_RATE = 0.1
FACTOR = 0.9999

# --- a chain -------------------------------------------------------------------------------------


def chain(x: Any, a: Any, rounds: int) -> Any:
    """The loop that every contestant runs: two operations per round."""
    for _ in range(rounds):
        x = x * a
        x = x + a
    return x


def backward_of_chain(rounds: int) -> float:
    root = chain(chainrule.Value(1.0), chainrule.Value(FACTOR), rounds)
    return timed(root.backward)


def free_chain(rounds: int) -> float:
    roots = [chain(chainrule.Value(1.0), chainrule.Value(FACTOR), rounds)]
    return timed(roots.clear)


def check_chain(rounds: int) -> None:
    """Check the value against floats, and the gradient against the hand-derived one."""
    x, a = chainrule.Value(1.0), chainrule.Value(FACTOR)
    root = chain(x, a, rounds)
    assert root.data == chain(1.0, FACTOR, rounds)
    root.backward()
    value, slope = 1.0, 0.0
    for _ in range(rounds):
        value, slope = value * FACTOR + FACTOR, slope * FACTOR + value + 1.0
    check_close("the gradient of the chain", [x.grad, a.grad], [FACTOR**rounds, slope])


def chain_rows(rounds: int, with_target: bool) -> list[Row]:
    check_chain(rounds)
    nodes = 2 * rounds
    value = chainrule.Value
    took = in_rounds(
        {
            "floats": lambda: timed(lambda: chain(1.0, FACTOR, rounds)),
            "forward": lambda: timed(lambda: chain(value(1.0), value(FACTOR), rounds)),
            "backward": lambda: backward_of_chain(rounds),
            "free": lambda: free_chain(rounds),
        }
    )
    took["forward + backward + free"] = took["forward"].plus(took["backward"], took["free"])
    theirs = f"{in_time_units(took['floats'].median / nodes)}/op"
    targets = {"forward": 2.0, "backward": 0.75} if with_target else {}
    return [
        Row(
            [f"{name}, chain of {nodes:,} nodes", f"{in_time_units(times.median / nodes)}/node", theirs],
            times.to(took["floats"]),
            targets.get(name),
        )
        for name, times in took.items()
        if name != "floats"
    ]


def floats_table() -> Table:
    rounds = (ROUNDS, *OTHER_ROUNDS)
    rows = [row for count in rounds for row in chain_rows(count, count == ROUNDS)]
    return Table(["chains, compared with the same loop on floats", "chainrule", "floats"], rows)


# --- micrograd -----------------------------------------------------------------------------------


def set_collector(on: bool) -> None:
    sys.setrecursionlimit(20_000)  # for micrograd's backward
    if not on:
        gc.disable()


def value_of(library: str) -> Any:
    return chainrule.Value if library == OURS else importlib.import_module("micrograd.engine").Value


def short_chains(library: str, collect: bool, count: int) -> Work:
    set_collector(collect)
    value = value_of(library)

    def run() -> Any:
        for _ in range(count):
            x, a = value(1.0), value(FACTOR)
            root = chain(x, a, SHORT_ROUNDS)
            root.backward()
        return [root.data, x.grad, a.grad]

    return run


def short_chain_race() -> Race:
    def spelled(library: str, text: str, collect: bool) -> Contestant:
        modules = [] if library == OURS else ["micrograd"]
        start = partial(short_chains, library, collect)
        return Contestant(library, text, start, SHORT_TIMES, compiles=False, modules=modules)

    contestants = [
        spelled(OURS, "", True),
        spelled("micrograd", "collector on", True),
        spelled("micrograd", "collector off", False),
    ]
    title = f"chain of {2 * SHORT_ROUNDS} nodes, forward + backward"
    return Race(title, contestants, checked=1, targets={"micrograd": 25.0})


def moons() -> tuple[list[list[float]], list[int]]:
    """Two interleaving half circles with noise; labels -1 and 1."""
    generator = np.random.default_rng(1337)
    angles = np.linspace(0.0, np.pi, SAMPLES // 2)
    upper = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    lower = np.stack([1.0 - np.cos(angles), 0.5 - np.sin(angles)], axis=1)
    points = np.concatenate([upper, lower]) + generator.normal(0.0, 0.1, (SAMPLES, 2))
    return points.tolist(), [-1] * (SAMPLES // 2) + [1] * (SAMPLES // 2)


def micrograd_nn_on(value: Any) -> ModuleType:
    """micrograd's nn module, from its installed source, running on a different Value class."""
    spec = importlib.util.find_spec("micrograd.nn")
    assert spec is not None
    assert spec.loader is not None
    engine = ModuleType("micrograd.engine")
    engine.Value = value  # type: ignore[attr-defined]
    before = importlib.import_module("micrograd.engine")
    sys.modules["micrograd.engine"] = engine
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.modules["micrograd.engine"] = before
    return module


def first_weights() -> list[list[tuple[list[float], float]]]:
    """The initial weights of micrograd's MLP: for each layer, each neuron's weights and bias."""
    rng = random.Random(1337)
    return [
        [([rng.uniform(-1.0, 1.0) for _ in range(inputs)], 0.0) for _ in range(outputs)]
        for inputs, outputs in pairwise(SIZES)
    ]


class Demo:
    """Training steps of micrograd's moons demo, written as in its notebook."""

    def __init__(self, nn: Any, value: Any) -> None:
        self.model = nn.MLP(SIZES[0], list(SIZES[1:]))
        numbers = [x for layer in first_weights() for w, b in layer for x in (*w, b)]
        for p, number in zip(self.parameters(), numbers, strict=True):
            p.data = number
        self.value = value
        self.points, self.labels = moons()

    def parameters(self) -> list[Any]:
        return list(self.model.parameters())

    def loss(self) -> Any:
        inputs = [list(map(self.value, point)) for point in self.points]
        scores = list(map(self.model, inputs))
        losses = [(1 + -y * score).relu() for y, score in zip(self.labels, scores, strict=True)]
        data_loss = sum(losses) * (1.0 / len(losses))
        return data_loss + WEIGHT_DECAY * sum(p * p for p in self.parameters())

    def step(self) -> None:
        loss = self.loss()
        for p in self.parameters():
            p.grad = 0.0
        loss.backward()
        for p in self.parameters():
            p.data -= LEARNING_RATE * p.grad


class DotDemo(Demo):
    """The same network in chainrule's style: a neuron is one dot product."""

    def __init__(self) -> None:
        value = chainrule.Value
        self.layers = [
            [([value(w) for w in row], value(bias)) for row, bias in layer] for layer in first_weights()
        ]
        self.points, self.labels = moons()

    def parameters(self) -> list[Any]:
        return [p for layer in self.layers for w, b in layer for p in (*w, b)]

    def score(self, x: list[Any]) -> Any:
        dot = chainrule.dot
        for layer in self.layers[:-1]:
            x = [(dot(w, x) + b).relu() for w, b in layer]
        ((w, b),) = self.layers[-1]
        return dot(w, x) + b

    def loss(self) -> Any:
        pairs = zip(self.labels, self.points, strict=True)
        losses = [(1 - y * self.score(point)).relu() for y, point in pairs]
        parameters = self.parameters()
        return chainrule.mean(losses) + WEIGHT_DECAY * chainrule.dot(parameters, parameters)


def trained(demo: Demo, steps: int) -> Work:
    def run() -> Any:
        for _ in range(steps):
            demo.step()
        return [float(p.data) for p in demo.parameters()]

    return run


def dot_steps(steps: int) -> Work:
    return trained(DotDemo(), steps)


def same_source_steps(library: str, collect: bool, steps: int) -> Work:
    set_collector(collect)
    value = value_of(library)
    return trained(Demo(micrograd_nn_on(value), value), steps)


def moons_race() -> Race:
    def spelled(library: str, text: str, collect: bool) -> Contestant:
        start = partial(same_source_steps, library, collect)
        return Contestant(library, text, start, STEPS, compiles=False, modules=["micrograd"])

    contestants = [
        Contestant(OURS, "one dot product per neuron", dot_steps, STEPS, compiles=False),
        spelled(OURS, "micrograd's source", True),
        spelled("micrograd", "collector on", True),
        spelled("micrograd", "collector off", False),
    ]
    return Race("moons demo, one eager step", contestants, checked=2, targets={"micrograd": 100.0})


# --- memory --------------------------------------------------------------------------------------

COUNT_BYTES = """
import gc, os
from chainrule import Value

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

x = total = Value(1.0)
gc.collect()
before = resident()
for _ in range(1_000_000):
    total = total + x
print((resident() - before) / 1_000_000)
"""


def memory() -> Table | str:
    """Measured in a fresh interpreter, which has no freed nodes to reuse."""
    if not Path("/proc/self/statm").exists():
        return "Memory is not measured: it is read from /proc, which this system does not have."
    source = str(Path(__file__).parents[1] / "src")
    environment = {**os.environ, "PYTHONPATH": source, "CHAINRULE_CORE": chainrule.core}
    run = subprocess.run(
        [sys.executable, "-c", COUNT_BYTES], env=environment, capture_output=True, text=True, check=True
    )
    size = float(run.stdout)
    row = Row(["a chain of 1,000,000 nodes", f"{size:.1f} B"], size, at_most=96.0)
    return Table(["bytes per node", "resident memory"], [row])


# --- the tables ----------------------------------------------------------------------------------


def tables() -> Iterator[Table | str]:
    if measure.CHECK:
        check_chain(ROUNDS)
    else:
        yield floats_table()
    yield short_chain_race().table()
    yield moons_race().table()
    if not measure.CHECK:
        yield memory()


if __name__ == "__main__":
    sys.exit(measure.main(tables, PEERS))
