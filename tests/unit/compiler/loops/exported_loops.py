"""Random programs with loops, exported to C: the same bits as eager mode.

    python -m tests.unit.compiler.loops.exported_loops [PROGRAMS] [SEED]

Bodies are random expressions of parameters, inputs at step t, constants that change or not, earlier
states and values of the same step; with inner loops, conditions, folds, `take`, first steps of their own
and inputs in random order.
"""

import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chainrule import Value, less, mean, ops, sqrt, sum, take, where
from chainrule.compiler import Compiled, compile

from ....conformance.campaigns.exports import Result, all_identical, build, in_c, written

UNARY = ("tanh", "sin", "sigmoid", "exp", "abs", "relu", "softplus")
BINARY = ("add", "sub", "mul", "div", "maximum", "pow")
BATCH = 50  # programs in one library


def program(rng: random.Random, steps: int | None = None) -> tuple[Value, list[Value], list[Value]]:
    """A random result with its parameters and inputs."""
    steps = rng.randint(5, 30) if steps is None else steps
    params = [Value(rng.uniform(-1.0, 1.0)) for _ in range(rng.randint(1, 4))]
    inputs = [Value(rng.uniform(-2.0, 2.0)) for _ in range(steps + 1)]
    order = rng.sample(range(steps), steps) if rng.random() < 0.2 else list(range(steps))
    states = [[params[0], inputs[0]]]
    layers, width = rng.choice([0, 0, 3, 6]), rng.randint(1, 6)
    body = [step(rng) for _ in range(width)]
    inner = [step(rng) for _ in range(2)]
    collected: list[Any] = []
    total: Any = 0.0
    for t in range(steps):
        known = [*params, inputs[order[t]], *states[-1], *states[max(0, len(states) - 2)]]
        if t == 0 and width > 3:
            known[0] = known[0] * 2.0
        for make in body:
            known.append(make(known, t))
        for layer in range(layers):
            for make in inner:
                known.append(make([params[layer % len(params)], *known[-2:]], t))
        states.append(known[-2:])
        total = total + known[-1]
        collected.append(known[-2])
    pick = rng.randrange(3)
    return (
        total + (mean(collected) if pick == 0 else sum(collected) if pick == 1 else 0.0),
        params,
        inputs,
    )


def step(rng: random.Random) -> Callable[[list[Any], int], Any]:
    """One operation of a body, the same in every step."""
    kind, constant, places = rng.random(), rng.uniform(-1.0, 1.0), [rng.random() for _ in range(4)]

    def chosen(known: list[Any], k: int) -> Any:
        return known[int(places[k] * len(known))]

    unary, binary = ops.BY_NAME[rng.choice(UNARY)], ops.BY_NAME[rng.choice(BINARY)]

    def make(known: list[Any], t: int) -> Any:
        x, y, z = (chosen(known, k) for k in range(3))
        if kind < 0.25:
            return unary(x)
        if kind < 0.6:
            return binary(x, y)
        if kind < 0.7:
            return x * constant + y
        if kind < 0.75:
            return x * (constant * t) + 0.25
        if kind < 0.85:
            return where(less(x, y), sqrt(x), z)
        if kind < 0.95:
            return sum([x, y, z])
        return take([x, y, z], where(less(x, y), 0.0, 2.0))

    return make


def exported(out: Value, params: list[Value], inputs: list[Value]) -> tuple[Compiled, Result]:
    """The compiled program, and what eager mode gives."""
    made = compile(out, params=params, inputs=inputs)
    made(*([leaf.data] for leaf in inputs))
    out.backward(reset=True)
    return made, (out.data, [p.grad for p in params], [x.grad for x in inputs])


def run(seeds: range, folder: Path) -> int:
    """Export the programs with these seeds, and compare; returns how many were written with a loop."""
    sources, calls = {}, []
    for seed in seeds:
        out, params, inputs = program(random.Random(seed))
        out.label = f"program_{seed}"
        made, expected = exported(out, params, inputs)
        sources |= written({out.label: made}, "c")
        call = out.label, [p.data for p in params], [x.data for x in inputs]
        calls.append((call, expected))
    library = build(folder, sources)
    for call, expected in calls:
        assert all_identical(in_c(library, call), expected), call[0]
    return [" t++" in text for text in sources.values()].count(True)


def main() -> None:
    count, seed = (int(word) for word in [*sys.argv[1:3], *("2000", "0")[len(sys.argv[1:3]) :]])
    rolled = 0
    for first in range(seed, seed + count, BATCH):
        with tempfile.TemporaryDirectory() as folder:
            rolled += run(range(first, min(first + BATCH, seed + count)), Path(folder))
        print(f"{first + BATCH - seed} programs, {rolled} with loops", flush=True)


if __name__ == "__main__":
    main()
