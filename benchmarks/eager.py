"""What does the eager engine cost? Against plain Python floats, and against micrograd.

Each row is a ratio of medians of measurements in turns, with the bar it has to meet. Results are
compared before anything is timed.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import measure
import numpy as np
from measure import Row, Table, assert_close, in_time_units, medians, sized, timed

import chainrule

ROUNDS = sized(100_000, 1_000)
OTHER_ROUNDS = (sized(10_000, 100), sized(500_000, 5_000))
SHORT_ROUNDS = 300  # micrograd's backward recurses
SHORT_TIMES = sized(20, 2)
STEPS = sized(3, 1)
STEP_REPEATS = sized(5, 1)
SAMPLES = 100
WEIGHT_DECAY = 1e-4
LEARNING_RATE = 0.1
FACTOR = 0.9999

# --- a chain -------------------------------------------------------------------------------------


def chain(x: Any, a: Any, rounds: int) -> Any:
    """The loop that every contestant runs: two operations a round."""
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
    """Against floats for the value, and the derivative by hand for the gradient."""
    x, a = chainrule.Value(1.0), chainrule.Value(FACTOR)
    root = chain(x, a, rounds)
    assert root.data == chain(1.0, FACTOR, rounds)
    root.backward()
    value, slope = 1.0, 0.0
    for _ in range(rounds):
        value, slope = value * FACTOR + FACTOR, slope * FACTOR + value + 1.0
    assert_close("the gradient of the chain", [x.grad, a.grad], [FACTOR**rounds, slope])


def chain_rows() -> list[Row]:
    rows = []
    for rounds in (ROUNDS, *OTHER_ROUNDS):
        check_chain(rounds)
        nodes = 2 * rounds
        took = medians(
            {
                "floats": lambda rounds=rounds: timed(lambda: chain(1.0, FACTOR, rounds)),
                "forward": lambda rounds=rounds: timed(
                    lambda: chain(chainrule.Value(1.0), chainrule.Value(FACTOR), rounds)
                ),
                "backward": lambda rounds=rounds: backward_of_chain(rounds),
                "free": lambda rounds=rounds: free_chain(rounds),
            }
        )
        barred = rounds == ROUNDS
        for name, bar in (("forward", 2.0), ("backward", 0.75), ("free", None)):
            question = f"{name}, chain of {nodes:,} nodes, to floats"
            ours, theirs = took[name] / nodes, took["floats"] / nodes
            shown = (f"{in_time_units(ours)}/node", f"{in_time_units(theirs)}/op")
            rows.append(Row([question, *shown], ours / theirs, bar if barred else None))
    return rows


# --- micrograd -----------------------------------------------------------------------------------


def short_chain(value: Any) -> tuple[float, float, float]:
    x, a = value(1.0), value(FACTOR)
    root = chain(x, a, SHORT_ROUNDS)
    root.backward()
    return root.data, x.grad, a.grad


def short_chain_row(peer: Any) -> Row:
    assert_close("the short chain", short_chain(chainrule.Value), short_chain(peer))

    def many(value: Any) -> float:
        return timed(lambda: [short_chain(value) for _ in range(SHORT_TIMES)])

    took = medians({"ours": lambda: many(chainrule.Value), "micrograd": lambda: many(peer)})
    question = f"forward + backward, chain of {2 * SHORT_ROUNDS} nodes, micrograd to us"
    nodes = 2 * SHORT_ROUNDS * SHORT_TIMES
    shown = [f"{in_time_units(took[name] / nodes)}/node" for name in ("ours", "micrograd")]
    return Row([question, *shown], took["micrograd"] / took["ours"], at_least=25.0)


def moons() -> tuple[list[list[float]], list[int]]:
    """Two half circles that reach into each other, with noise; labels -1 and 1."""
    generator = np.random.default_rng(1337)
    angles = np.linspace(0.0, np.pi, SAMPLES // 2)
    upper = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    lower = np.stack([1.0 - np.cos(angles), 0.5 - np.sin(angles)], axis=1)
    points = np.concatenate([upper, lower]) + generator.normal(0.0, 0.1, (SAMPLES, 2))
    return points.tolist(), [-1] * (SAMPLES // 2) + [1] * (SAMPLES // 2)


def micrograd_nn_on(value: Any) -> ModuleType:
    """The nn module of micrograd, from its installed source, with another Value under it."""
    spec = importlib.util.find_spec("micrograd.nn")
    assert spec is not None
    assert spec.loader is not None
    engine = ModuleType("micrograd.engine")
    engine.Value = value  # type: ignore[attr-defined]
    before = sys.modules["micrograd.engine"]
    sys.modules["micrograd.engine"] = engine
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.modules["micrograd.engine"] = before
    return module


class Demo:
    """One training step of micrograd's moons demo, written as in its notebook."""

    def __init__(self, nn: Any, value: Any) -> None:
        random.seed(1337)  # nn draws its weights from here: the same on all sides
        self.model = nn.MLP(2, [16, 16, 1])
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

    def step(self) -> float:
        loss = self.loss()
        for p in self.parameters():
            p.grad = 0.0
        loss.backward()
        for p in self.parameters():
            p.data -= LEARNING_RATE * p.grad
        return float(loss.data)

    def seconds_per_step(self) -> float:
        """In the middle of training, where the graph of the step before is there to be freed."""
        self.step()
        return timed(lambda: [self.step() for _ in range(STEPS)]) / STEPS


class DotDemo(Demo):
    """The same network in chainrule's own words: a neuron is one dot product."""

    def __init__(self, weights: list[list[tuple[list[float], float]]]) -> None:
        value = chainrule.Value
        self.layers = [
            [([value(w) for w in row], value(bias)) for row, bias in layer] for layer in weights
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


def weights_of(model: Any) -> list[list[tuple[list[float], float]]]:
    return [
        [([float(w.data) for w in neuron.w], float(neuron.b.data)) for neuron in layer.neurons]
        for layer in model.layers
    ]


def moons_rows(peer: Any, peer_nn: Any) -> list[Row]:
    theirs = Demo(peer_nn, peer)
    same = Demo(micrograd_nn_on(chainrule.Value), chainrule.Value)
    dots = DotDemo(weights_of(theirs.model))
    demos: dict[str, Demo] = {"micrograd": theirs, "same source": same, "dot": dots}
    loss = {name: demo.step() for name, demo in demos.items()}
    gradients = {name: [float(p.grad) for p in demo.parameters()] for name, demo in demos.items()}
    for name in ("same source", "dot"):
        assert_close(f"the loss, {name}", [loss[name]], [loss["micrograd"]])
        assert_close(f"the gradients, {name}", gradients[name], gradients["micrograd"])
    steps = {name: demo.seconds_per_step for name, demo in demos.items()}
    took = medians(steps, STEP_REPEATS)
    rows = [moons_row("same source", took, None), moons_row("dot", took, 100.0)]
    # Most of micrograd's time is the garbage collector's, for the cycles that its closures make.
    # Nobody runs the demo without it, but a reader should know how much of the ratio that is.
    gc.disable()
    try:
        took = medians(steps, STEP_REPEATS)
    finally:
        gc.enable()
    return rows + [moons_row(name, took, None, ", gc off") for name in ("same source", "dot")]


def moons_row(name: str, took: dict[str, float], bar: float | None, note: str = "") -> Row:
    shown = (in_time_units(took[name]), in_time_units(took["micrograd"]))
    question = f"moons demo, one step, micrograd to us ({name}{note})"
    return Row([question, *shown], took["micrograd"] / took[name], at_least=bar)


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


def memory_rows() -> list[Row]:
    """In a fresh interpreter, where no freed nodes wait to be used again."""
    if not Path("/proc/self/statm").exists():
        print("memory is not measured: it is read from /proc, which this system has not")
        return []
    source = str(Path(__file__).parents[1] / "src")
    environment = {**os.environ, "PYTHONPATH": source, "CHAINRULE_CORE": chainrule.core}
    run = subprocess.run(
        [sys.executable, "-c", COUNT_BYTES], env=environment, capture_output=True, text=True, check=True
    )
    size = float(run.stdout)
    return [Row(["bytes a node, 1,000,000 nodes", f"{size:.1f} B", ""], size, at_most=96.0)]


# --- the table -----------------------------------------------------------------------------------


def tables() -> Iterator[Table]:
    import micrograd.engine
    import micrograd.nn

    sys.setrecursionlimit(20_000)  # for micrograd's backward
    peer, peer_nn = micrograd.engine.Value, micrograd.nn
    rows = [*chain_rows(), short_chain_row(peer), *moons_rows(peer, peer_nn), *memory_rows()]
    yield Table(["question", "chainrule", "peer"], rows)


if __name__ == "__main__":
    sys.exit(measure.main(tables, ["micrograd"]))
