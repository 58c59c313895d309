"""Compiles random graphs with the Python and the C pipeline; both must give the same, valid bytes.

`python -m tests.conformance.campaigns.pipeline_graphs COUNT SEED` runs a campaign.
"""

import random
import sys
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from tqdm import tqdm

import chainrule
from chainrule import Value, ops
from chainrule.compiler.backends.native import encoded
from chainrule.compiler.flat import Flat
from chainrule.compiler.graph import CONSTANT, Graph, from_values
from chainrule.compiler.lowering import lower
from chainrule.compiler.passes import values_only
from chainrule.compiler.pipeline import NativePipeline, Pipeline
from chainrule.compiler.reverse import reverse
from chainrule.value import c_core

NAMES = (
    *("params", "inputs", "shared_rows", "each_rows", "constants", "rows"),
    *("once", "each", "pull_each", "pull_once", "outputs", "guards"),
)
CONSTANTS = (0.0, -0.0, 1.0, -1.0, 2.0, 3.0, 4.0, 0.5, float("inf"), float("nan"))
FIXED = [op for op in ops.TABLE if op.arity > 0]
VARIADIC = [op for op in ops.TABLE if isinstance(op, ops.Variadic)]


def readable(graph: Graph) -> list[Any]:
    """The parts of a graph, with constants as hexadecimal text."""
    nodes = [(what, args[0].hex()) if what == CONSTANT else (what, args) for what, args in graph.nodes]
    return [nodes, graph.outputs, graph.guards]


def same_machine(capsule: Any, program: Any, back: Any, what: str) -> None:
    for name, made, part in zip(
        NAMES, c_core.machine_parts(capsule), encoded(program, back), strict=True
    ):
        if name == "constants":
            made, part = [[x.hex() for x in xs] for xs in (np.frombuffer(made).tolist(), part.tolist())]
        assert made == (part if isinstance(part, (int, list)) else part.tobytes()), f"{what}: {name}"


def compare(
    outputs: Sequence[Any],
    guards: Sequence[Any],
    inputs: Sequence[Value],
    params: Sequence[Value] = (),
    made: Collection[Value] = (),
    rng: random.Random | None = None,
) -> Pipeline:
    """Compare the graphs of both pipelines, and all machines built from them."""
    found, again = list(params), list(params)
    graph = from_values(outputs, guards, inputs, found, made)
    flat = Flat.from_values(outputs, guards, inputs, again, made)
    assert [*map(id, found)] == [*map(id, again)]
    assert readable(flat.unpack()) == readable(graph)
    assert len(flat) == len(graph)
    python, native = Pipeline(graph), NativePipeline(flat)
    assert readable(Flat(native.graph).unpack()) == readable(python.graph)
    sizes = len(found), len(inputs)
    some = tuple(sorted((rng or random.Random(0)).sample(range(len(inputs)), len(inputs) // 2)))
    for narrow in (False, True):
        program = python.lowered(*sizes, narrow).verify()
        same_machine(native.machine(*sizes, narrow).capsule, program, None, f"narrow {narrow}")
        program = python.lowered(*sizes, narrow, differentiated=True).verify()
        for wanted in ((), some, tuple(range(len(inputs)))):
            for differentiate in (False, True):
                machine = native.machine(*sizes, narrow, wanted, differentiate)
                back = reverse(program, differentiate, wanted).verify(program, wanted)
                what = f"narrow {narrow}, wanted {wanted}, params {differentiate}"
                same_machine(machine.capsule, program, back, what)
        guarding = values_only(Graph(python.graph.nodes, [], python.graph.guards))
        machine = native.guards(*sizes, narrow)
        same_machine(machine.capsule, lower(guarding, *sizes, narrow).verify(), None, "guards")
    return python


class Maker:
    """Grows a pool of Values with what users write: operations, layers, tables, choices."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.inputs = [Value(rng.uniform(-2, 2)) for _ in range(rng.randint(1, 6))]
        self.params = [Value(rng.uniform(-2, 2)) for _ in range(rng.randint(0, 12))]
        self.made: list[Value] = []  # constants, unless the comparison takes them for parameters
        self.pool: list[Any] = [*self.inputs, *self.params]

    def number(self) -> float:
        return self.rng.choice(CONSTANTS) if self.rng.random() < 0.5 else self.rng.uniform(-2, 2)

    def operand(self, constants: float = 0.15) -> Any:
        if self.rng.random() < constants:
            if self.rng.random() < 0.7:
                return self.number()
            self.made.append(Value(self.number()))
            return self.made[-1]
        if self.rng.random() < 0.5:
            return self.rng.choice(self.pool)
        return self.pool[-1 - self.rng.randrange(min(6, len(self.pool)))]

    def vector(self, length: int) -> list[Any]:
        """Several Values, adjacent in the pool or arbitrary."""
        if self.rng.random() < 0.6 and len(self.pool) >= length:
            first = self.rng.randrange(len(self.pool) - length + 1)
            step = self.rng.choice((1, 1, 1, -1))
            return self.pool[first : first + length][::step]
        return [self.operand() for _ in range(length)]

    def grow(self) -> None:
        steps = (
            *(self.operation, self.operation, self.fold, self.choice, self.layer, self.elementwise),
            *(self.chain, self.products, self.table, self.power),
        )
        self.rng.choice(steps)()

    def add(self, *values: Any) -> None:
        self.pool += [value for value in values if isinstance(value, Value)]

    def operation(self) -> None:
        op = self.rng.choice(FIXED)
        self.add(op(*(self.operand() for _ in range(op.arity))))

    def fold(self) -> None:
        op = self.rng.choice(VARIADIC)
        self.add(op(*self.vector(op.width * max(op.least, self.rng.randint(1, 5)))))

    def choice(self) -> None:
        """Add a `where` with branches that nothing else uses."""
        yes, no = (chainrule.exp(self.operand(0.0) * self.operand()) for _ in range(2))
        if self.rng.random() < 0.3:
            length = self.rng.randint(1, 4)
            yes = chainrule.dot(self.vector(length), self.vector(length))
        if self.rng.random() < 0.3:
            yes = chainrule.max([yes, *self.vector(3)])
        condition = chainrule.less(self.operand(), self.operand()) if self.rng.random() < 0.8 else 1.0
        self.add(chainrule.where(condition, yes, no))

    def layer(self) -> None:
        """Add neurons, on one or several sets of inputs, with or without biases."""
        terms, count = self.rng.randint(1, 4), self.rng.randint(1, 4)
        weights = [self.weights(terms) for _ in range(count)]
        biases = self.weights(count)
        bias = self.rng.random()
        for _ in range(self.rng.randint(1, 3)):
            xs = self.vector(terms)
            sums = [chainrule.dot(w, xs) for w in weights]
            if bias < 0.7:
                sums = [b + s if bias < 0.3 else s + b for s, b in zip(sums, biases, strict=True)]
            self.add(*sums)

    def weights(self, count: int) -> list[Any]:
        if len(self.params) >= count and self.rng.random() < 0.8:
            first = self.rng.randrange(len(self.params) - count + 1)
            return self.params[first : first + count]
        return [self.rng.choice(self.pool) for _ in range(count)]

    def elementwise(self) -> None:
        op, length = self.rng.choice(FIXED), self.rng.randint(2, 6)
        columns = [
            [self.operand()] * length if self.rng.random() < 0.3 else self.vector(length)
            for _ in range(op.arity)
        ]
        self.add(*(op(*args) for args in zip(*columns, strict=True)))

    def chain(self) -> None:
        total = self.operand(0.0)
        for _ in range(self.rng.randint(1, 6)):
            term = self.operand()
            if self.rng.random() < 0.5:
                term = term * self.operand(0.0)
            total = total + term if self.rng.random() < 0.7 else term + total
        self.add(chainrule.sum([total]) if self.rng.random() < 0.2 else total)

    def products(self) -> None:
        self.add(chainrule.sum([self.operand(0.0) * self.operand() for _ in range(3)]))

    def table(self) -> None:
        index = self.operand() if self.rng.random() < 0.7 else self.rng.choice((0.0, 1.0, -0.0, 7.0))
        rows = self.rng.randint(1, 4)
        for _ in range(self.rng.randint(1, 3)):
            self.add(ops.take(rows)(index, *self.vector(rows)))

    def power(self) -> None:
        self.add(
            self.operand(0.0) ** self.rng.choice((-1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 0.5, self.operand()))
        )

    def results(self) -> tuple[list[Any], list[Any]]:
        outputs = [self.pool[-1], *(self.operand() for _ in range(self.rng.choice((0, 0, 1, 3))))]
        outputs = [x if isinstance(x, Value) else float(x) for x in outputs]
        tests = [v for v in self.pool if v.op in ("less", "less_equal", "equal")]
        return outputs, self.rng.sample(tests, min(len(tests), self.rng.choice((0, 0, 1, 2))))


def compare_random(seed: int) -> None:
    rng = random.Random(seed)
    made = Maker(rng)
    for _ in range(rng.choice((3, 10, 30, 60))):
        made.grow()
    outputs, guards = made.results()
    named = [p for p in made.params if rng.random() < 0.7]
    compare(outputs, guards, made.inputs, named, made.made if rng.random() < 0.7 else (), rng)


if __name__ == "__main__":
    count, first = int(sys.argv[1]), int(sys.argv[2])
    for seed in tqdm(range(first, first + count), unit=" graphs", mininterval=10):
        try:
            compare_random(seed)
        except BaseException:
            print(f"seed {seed}")
            raise
    print(f"{count:,} random graphs: the Python and the C pipeline give the same steps")
