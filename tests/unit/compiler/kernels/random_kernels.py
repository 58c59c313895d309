"""Kernels repeat every bit of the interpreter: random graphs, programs, loops, networks and tables.

`python -m tests.unit.compiler.kernels.random_kernels COUNT SEED` runs a campaign. Each function runs
twice: on the interpreter, then on its kernels. Many kernels are compiled together, since most of
the time would be spent on the headers that each includes.
"""

import multiprocessing
import os
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
from tqdm import tqdm

import chainrule as cr
from chainrule import Value, ops
from chainrule.compiler.backends.kernels import building
from chainrule.compiler.backends.kernels.compiling import Running

from ....conformance.campaigns import random_graphs
from ....conformance.campaigns.compiled_programs import Steps, leaves, refused
from ....conformance.campaigns.eager_programs import samples
from ....conformance.campaigns.program_writer import make
from ..loops.programs import Program

SIZES = (1, 1, 2, 5, 7, 8, 9, 17, 65)  # samples: one, a part of a vector, whole vectors and a rest
MOST = 25  # kernels compiled together
START = "KERNEL void block("


class Together:
    """Builds kernels like `building`, but only when asked, and many at a time."""

    def __init__(self) -> None:
        self.waiting: list[building.Build] = []

    def build(self, text: str) -> building.Build:
        made = building.Build(text)
        self.waiting.append(made)
        return made

    def finish(self, folder: Path) -> None:
        alike = defaultdict(list)
        for made in self.waiting:
            alike[made.source.partition(START)[0]].append(made)
        for head, found in alike.items():
            for first in range(0, len(found), MOST):
                self.compile(head, found[first : first + MOST], folder)

    def compile(self, head: str, some: list[building.Build], folder: Path) -> None:
        work = Path(tempfile.mkdtemp(dir=folder))
        functions = [
            START.replace("block", f"block{k}") + made.source.partition(START)[2]
            for k, made in enumerate(some)
        ]
        text = "\n".join([head, *functions])
        library = building.load(Running().compile(text, building.compiler(), building.folder(), work))
        for k, made in enumerate(some):
            made.settle(SimpleNamespace(block=getattr(library, f"block{k}")))


def graph(seed: int) -> Callable[[], Any]:
    """A random graph of all operations."""
    rng = random.Random(seed)
    made = random_graphs.make(rng, Value)
    values = random_graphs.run(made, Value, lambda name, args: ops.BY_NAME[name](*args))
    nodes = values[: len(made.leaves)]
    inputs = [leaf for i, leaf in enumerate(nodes) if i == 0 or rng.random() < 0.6]
    params = [leaf for leaf in nodes if leaf not in inputs]
    count = rng.choice(SIZES)
    batch = [leaf.data + np.array([rng.uniform(-1e-4, 1e-4) for _ in range(count)]) for leaf in inputs]
    f = cr.compile(values[-1], params, inputs=inputs, reduction="sum")
    everything = ("params", *range(len(batch)))
    return lambda: (f(*batch), f.value_and_grad(*batch, argnums=everything))


def program(seed: int) -> Callable[[], Any] | None:
    """A whole program, with branches, lists, closures and nested derivatives."""
    case = make(seed)
    if refused(case):
        return None
    points = [*samples(case, exact=True), *samples(case, exact=False)]
    rng = random.Random(seed)
    batch = [points[k % len(points)] for k in range(rng.choice(SIZES))]
    steps = Steps(case)
    return lambda: steps([SimpleNamespace(numbers=numbers) for numbers in batch])


def loop(seed: int) -> Callable[[], Any]:
    """A program with loops."""
    made, rng = Program(seed), np.random.default_rng(seed)
    count = random.Random(seed).choice(SIZES)
    batch = random.Random(seed + 1).choice(((None, 0), (0, None), (0, 0)))
    arguments = [
        own if axis is None else own + 0.1 * rng.normal(size=(count, *own.shape))
        for own, axis in zip((made.theta, made.series), batch, strict=True)
    ]
    f = cr.compile(made, batch=batch, reduction="sum")
    return lambda: (f(*arguments), f.value_and_grad(*arguments, argnums=(0, 1)))


def network(seed: int) -> Callable[[], Any]:
    """A small network: products with matrices, whose numbers are shared by all samples."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    inputs, *sizes = [rng.randint(1, 9) for _ in range(rng.randint(2, 4))]
    model = cr.nn.MLP(inputs, sizes, rng.choice(("tanh", "relu", "sigmoid")), seed=seed)
    weights = numbers.normal(size=(rng.randint(1, 6), sizes[-1]))

    def loss(x: Any, weights: Any) -> Any:
        out = model(x) if sizes[-1] > 1 else [model(x)]
        return cr.logsumexp([cr.dot(row, out) for row in weights]) + cr.sum(x)

    x = numbers.normal(size=(rng.choice(SIZES), inputs))
    f = cr.compile(loss, model.parameters(), batch=(0, None), reduction="sum")
    return lambda: (f(x, weights), f.value_and_grad(x, weights, argnums=("params", 0, 1)))


def table(seed: int) -> Callable[[], Any]:
    """Samples choose from shared tables and from their own numbers, in a loop or once."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    steps, length, width = rng.choice((1, 3, 40)), rng.randint(2, 9), rng.randint(1, 3)
    computed, looped = rng.random() < 0.5, rng.random() < 0.7

    def path(rows: Any, weights: Any, places: Any) -> Any:
        state, mine = [0.1] * width, [cr.sin(w) for w in weights]
        for place in places:
            if computed:
                place = cr.where(state[0] > 0.2, place, length - 1.0 - place)
            found = cr.take(rows, place) if looped else rows[0]
            own = cr.take(mine, place)
            state = [cr.tanh(x + 0.5 * y + own) for x, y in zip(found, state, strict=True)]
        return cr.logsumexp(state) + cr.take(mine, places[-1])

    count, shared = rng.choice(SIZES), rng.random() < 0.7
    rows = numbers.normal(size=(length, width) if shared else (count, length, width))
    weights = numbers.normal(size=(count, length))
    places = numbers.integers(0, length, (count, steps)).astype(float)
    f = cr.compile(path, batch=(None if shared else 0, 0, 0), reduction="sum")
    return lambda: (f(rows, weights, places), f.value_and_grad(rows, weights, places, argnums=(0, 1)))


KINDS: dict[str, Callable[[int], Callable[[], Any] | None]] = {
    "graph": graph, "program": program, "loop": loop, "network": network, "table": table
}  # fmt: skip


def bits(results: Any) -> list[bytes]:
    """The bits of all results; a NaN may be any NaN."""
    arrays = [np.asarray(array, float) for array in leaves(results)]
    return [np.where(np.isnan(array), np.nan, array).tobytes() for array in arrays]


def examine(seeds: range) -> tuple[int, list[str]]:
    """How many kernels ran, and the functions whose bits differ."""
    together, failures, found = Together(), [], []
    with (
        mock.patch.dict(os.environ, CHAINRULE_KERNELS="wait"),
        mock.patch.object(building, "build", together.build),
        np.errstate(all="ignore"),
        tempfile.TemporaryDirectory() as folder,
    ):
        for seed in seeds:
            for kind, make_one in KINDS.items():
                run = make_one(seed)
                if run is not None:
                    found.append((f"{kind} {seed}", run, bits(run())))
        together.finish(Path(folder))
        for name, run, known in found:
            if bits(run()) != known:
                failures.append(f"{name}: other bits than the interpreter")
    return len(together.waiting), failures


def chunks(count: int, start: int, size: int = 25) -> Iterator[range]:
    for first in range(start, start + count, size):
        yield range(first, min(first + size, start + count))


if __name__ == "__main__":
    count, start = map(int, sys.argv[1:])
    kernels, failures, parts = 0, [], [*chunks(count, start)]
    with multiprocessing.get_context("spawn").Pool(maxtasksperchild=10) as pool:
        for some, found in tqdm(pool.imap_unordered(examine, parts), total=len(parts)):
            kernels += some
            failures += found
            print(*found, sep="\n", end="" if not found else "\n", flush=True)
    if failures:
        sys.exit(f"{len(failures)} functions differ")
    print(f"{kernels:,} kernels of {count:,} functions of each kind repeat every bit")
