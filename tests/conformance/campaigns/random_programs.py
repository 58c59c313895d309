"""Random whole programs: Python source generated from a seed, run in every possible way.

A program has loops, branches, lists, dicts, closures, helpers and nested derivatives. It is called
with plain floats, differentiated in reverse mode, in forward mode and by finite differences, compiled
for every backend in double and single precision, and run in JAX; all must agree. Branches depend only
on numbers that every precision represents exactly, so rounding cannot flip them.

`python -m tests.conformance.campaigns.random_programs COUNT SEED` runs a campaign; append `jax` to
include JAX. A failing program is printed with its seed, after removing all lines without which it
still fails in the same way.
"""

import math
import multiprocessing
import os
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from tqdm import tqdm

import chainrule
from chainrule import Value
from chainrule.compiler import compile as compile_program
from chainrule.compiler.tracing import TraceError
from chainrule.support import graph
from chainrule.support.tree import flatten
from chainrule.value import c_core

from .compiled_graphs import QUICK

BACKENDS = ("numpy",) if c_core is None else ("native", "numpy")
EPSILON = {"float64": 2.0**-50, "float32": 2.0**-22}  # 4 ulp: the error allowed for one operation
TINY = {"float64": 5e-324, "float32": 1.4e-45}
SAFE = 40.0  # the allowed error, as a multiple of the spread of a few perturbed runs
SMOOTH = [
    *("tanh", "sigmoid", "sin", "cos", "softplus", "silu", "gelu", "atan", "erf", "erfc", "asinh"),
    *("relu", "abs", "neg", "elu", "leaky_relu", "cbrt"),
]
EQUALITY = ["==", "!="]
FOLDS = ["sum", "mean", "logsumexp", "max", "min", "prod"]


# --- generating programs ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A program and how to call it: its source, the kind and size of its arguments, its parameters."""

    seed: int
    source: str
    kind: str  # vector: f(x); scalar: f(x); record: f(d); two: f(x, y)
    width: int
    parameters: int

    @property
    def stops(self) -> bool:
        """Whether gradients are stopped somewhere, which finite differences do not notice."""
        return "stop_gradient" in self.source or "no_grad" in self.source


class Writer:
    """Writes one program, line by line, tracking what each name holds."""

    def __init__(self, seed: int, special: bool, straight: bool) -> None:
        self.rng = random.Random(seed)
        self.straight = straight  # no Python branch depends on a sample
        self.lines: list[str] = []
        self.indent = 1
        self.count = 0
        self.depth = 0
        self.constants = ["0.5", "-1.5", "2.0", "0.25", "3", "1", "0", "-0.0"]
        if special:
            self.constants += ["float('inf')", "-float('inf')", "float('nan')", "5e-324", "-1e-310"]
        self.kind = self.rng.choice(["vector", "scalar", "record", "two"])
        self.width = self.rng.choice([1, 2, 3])
        self.parameters = self.rng.choice([0, 0, 1, 2])
        vector = [f"x[{i}]" for i in range(self.width)]
        self.exact = {  # names of small numbers with few binary digits, which rounding never changes
            "vector": vector,
            "scalar": ["x"],
            "record": ["d['a']", *(f"d['b'][{i}]" for i in range(self.width))],
            "two": [*vector, "y"],
        }[self.kind]
        self.inputs = list(self.exact)
        self.degree = dict.fromkeys(self.exact, 1)  # in the inputs
        self.numbers = [*self.exact, *(f"w[{i}]" for i in range(self.parameters))]

    def write(self) -> str:
        for _ in range(self.rng.randint(2, 9)):
            self.statement()
        self.emit(f"return {self.number()} + c.tanh({self.expression()}) * 0.25 + {self.input()}")
        signature = {"record": "d", "two": "x, y"}.get(self.kind, "x")
        helpers = [
            "def scaled(a, b, by=0.5):\n    return c.tanh(a) * by + b\n",
            "def clipped(a, low=-1.0):\n    return c.clip(a, low, 1.5)\n",
            "def nearest(numbers, to):\n    return min(numbers, key=lambda z: abs(z - to))\n",
        ]
        used = [text for text in helpers if f"{text[4:11]}" in "\n".join(self.lines)]
        return "\n".join([*used, f"def program({signature}):", *self.lines]) + "\n"

    # names, numbers and conditions

    def emit(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def new(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def input(self) -> str:
        return self.rng.choice(self.inputs)

    def number(self) -> str:
        return self.rng.choice(self.numbers[-6:] + self.numbers)

    def constant(self) -> str:
        return self.rng.choice(self.constants)

    def exactly(self) -> tuple[str, int]:
        """An expression that is computed without rounding, and its degree."""
        a, b = self.rng.choice(self.exact), self.rng.choice(self.exact)
        kind = self.rng.random()
        if kind < 0.4:
            return a, self.degree[a]
        if kind < 0.75:
            return f"({a} {self.rng.choice('+-')} {b})", max(self.degree[a], self.degree[b])
        if kind < 0.85:
            return f"abs({a})", self.degree[a]
        if self.degree[a] + self.degree[b] <= 4:
            return f"({a} * {b})", self.degree[a] + self.degree[b]
        return a, self.degree[a]

    def condition(self) -> str:
        """A condition that is true or false about equally often: inputs are small multiples of 1/2."""
        if self.straight:
            return f"{self.edge()} {self.rng.choice(['<', '<=', '==', '!='])} {self.edge()}"
        sides = [self.exactly()[0], self.exactly()[0] if self.rng.random() < 0.5 else self.edge()]
        if self.rng.random() < 0.2:
            self.rng.shuffle(sides)
        sign = self.rng.choice(["<", "<=", ">", ">=", *EQUALITY])
        text = f"{sides[0]} {sign} {sides[1]}"
        if self.rng.random() < 0.15:
            return f"{text} {self.rng.choice(['and', 'or'])} {self.exactly()[0]} < {self.edge()}"
        return f"not {text}" if self.rng.random() < 0.05 else text

    def about(self, name: str) -> str:
        """A condition on one number, unless branches must not depend on samples."""
        sign = self.rng.choice(["<", ">", "<=", ">=", *EQUALITY])
        return self.condition() if self.straight else f"{name} {sign} {self.edge()}"

    def comparison(self) -> str:
        """A condition for `where`: a comparison, which is a Value during compilation."""
        return f"{self.exactly()[0]} {self.rng.choice(['<', '<=', '>', '>=', *EQUALITY])} {self.edge()}"

    def edge(self) -> str:
        return self.rng.choice(["0.5", "0", "1.0", "-0.5", "2"])

    def expression(self, depth: int = 0) -> str:
        rng = self.rng
        if depth > 2 or rng.random() < 0.25:
            return self.number() if rng.random() < 0.85 else self.constant()
        inner = partial(self.expression, depth + 1)
        some = [self.expression(depth + 2) for _ in range(rng.randint(1, 4))]
        half = some[: len(some) // 2 or 1]
        return rng.choice(
            [
                lambda: f"({inner()} {rng.choice('+-*')} {inner()})",
                lambda: f"({inner()} {rng.choice('+-*')} {inner()})",
                lambda: f"c.{rng.choice(SMOOTH)}({inner()})",
                lambda: f"c.{rng.choice(SMOOTH)}({inner()})",
                lambda: f"({inner()} / (2.0 + c.abs({inner()})))",
                lambda: f"c.{rng.choice(['sqrt', 'log'])}(1.0 + ({self.number()})**2)",
                lambda: f"c.exp(c.clip({inner()}, -2.0, 1.0))",
                lambda: f"({self.number()})**{rng.choice([0, 1, 2, 3])}",
                lambda: (
                    f"c.{rng.choice(['maximum', 'minimum', 'hypot', 'atan2'])}({inner()}, {inner()})"
                ),
                lambda: f"c.where({self.comparison()}, {inner()}, {inner()})",
                lambda: f"c.{rng.choice(FOLDS)}([{', '.join(some)}])",
                lambda: f"c.dot([{', '.join(half)}], [{', '.join(reversed(half))}])",
                lambda: f"c.softmax([{', '.join(some)}])[{rng.randrange(len(some))}]",
                lambda: f"c.stop_gradient({self.number()})",
                lambda: f"sum([{', '.join(some)}])",
                lambda: f"scaled({inner()}, {inner()})",
                lambda: f"scaled({inner()}, {inner()}, by={self.number()})",
                lambda: f"clipped({inner()})",
            ]
        )()

    # statements

    def statement(self) -> None:
        kinds = [self.assign, self.choose, self.close, self.take, self.differentiate, self.simplify]
        kinds += [self.collect, self.look_up, self.untracked]
        if not self.straight:
            kinds += [self.sort, self.extreme]
        if self.depth < 2:
            kinds += [self.branch, self.branch, self.repeat, self.walk]
            kinds += [] if self.straight else [self.shrink_down]
        self.rng.choice(kinds)()

    def assign(self) -> None:
        name, text = self.new(), self.expression()
        self.emit(f"{name} = {text}")
        self.numbers.append(name)

    def simplify(self) -> None:
        name, (text, degree) = self.new(), self.exactly()
        self.emit(f"{name} = {text}")
        self.exact.append(name)
        self.numbers.append(name)
        self.degree[name] = degree

    def block(self, head: str, *lines: str) -> None:
        """Emit lines, and possibly another statement, in a scope of their own."""
        self.emit(head)
        self.indent += 1
        self.depth += 1
        known = list(self.numbers), list(self.exact)
        for line in lines:
            self.emit(line)
        if self.rng.random() < 0.25:
            self.statement()
        self.numbers, self.exact = known
        self.indent -= 1
        self.depth -= 1

    def branch(self) -> None:
        name = self.new()
        self.emit(f"{name} = {self.expression(2)}")
        self.block(f"if {self.condition()}:", f"{name} = {self.expression()}")
        if self.rng.random() < 0.2:
            self.block(f"elif {self.condition()}:", f"{name} = {name} * {self.number()}")
        if self.rng.random() < 0.6:
            self.block("else:", f"{name} = {name} - {self.expression()}")
        self.numbers.append(name)
        if self.rng.random() < 0.1:
            self.block(f"if {self.condition()}:", f"return {name} + {self.input()}")

    def choose(self) -> None:
        name = self.new()
        self.emit(f"{name} = {self.expression()} if {self.condition()} else {self.expression()}")
        self.numbers.append(name)

    def repeat(self) -> None:
        name, index = self.new(), self.new()
        self.emit(f"{name} = {self.expression(2)}")
        end = self.rng.choice(["", f"if {self.condition()}: break", f"if {index} == 1: continue"])
        lines = [f"{name} = c.tanh({name}) + {self.expression(1)} * 0.5"]
        self.block(f"for {index} in range({self.rng.randint(0, 4)}):", *([end] if end else []), *lines)
        self.numbers.append(name)

    def walk(self) -> None:
        """Emit a loop over numbers and their indices."""
        name, index, each = self.new(), self.new(), self.new()
        items = ", ".join(self.exactly()[0] for _ in range(self.rng.randint(1, 4)))
        self.emit(f"{name} = {self.constant()}")
        test = f"if {self.about(each)}: continue"
        add = f"{name} = {name} + {each} * ({index} + 1) * {self.number()}"
        self.block(f"for {index}, {each} in enumerate([{items}]):", test, add)
        self.numbers.append(name)

    def shrink_down(self) -> None:
        """Emit a while loop whose end depends on the inputs."""
        name, steps, (start, degree) = self.new(), self.new(), self.exactly()
        self.emit(f"{name}, {steps} = {start}, 0")
        self.emit(f"while {name} > {self.edge()} and {steps} < 5:")
        self.emit(f"    {name} = {name} - {self.rng.choice(['0.5', '1', '2.0'])}")
        self.emit(f"    {steps} += 1")
        self.numbers += [name, steps]
        self.exact.append(name)
        self.degree[name] = degree

    def sort(self) -> None:
        name, items = self.new(), [self.exactly()[0] for _ in range(self.rng.randint(2, 3))]
        more = self.rng.choice(["", ", reverse=True", ", key=lambda z: -z", ", key=abs"])
        self.emit(f"{name} = sorted([{', '.join(items)}]{more})")
        self.numbers.append(f"{name}[{self.rng.randrange(len(items))}]")

    def extreme(self) -> None:
        name, items = self.new(), ", ".join(self.exactly()[0] for _ in range(self.rng.randint(2, 3)))
        call = self.rng.choice(
            [f"max([{items}])", f"min({items})", f"nearest([{items}], {self.edge()})"]
        )
        self.emit(f"{name} = {call}")
        self.numbers.append(name)

    def close(self) -> None:
        """Emit a closure over the names so far, called twice."""
        name, function = self.new(), self.new()
        self.emit(f"def {function}(a, b={self.expression(2)}):")
        self.emit(f"    if {self.condition()}:")
        self.emit(f"        return a * {self.number()} + b")
        self.emit(f"    return a - c.tanh(b) * {self.number()}")
        self.emit(f"{name} = {function}({self.number()}) + {function}({self.number()}, {self.number()})")
        self.numbers.append(name)

    def collect(self) -> None:
        name, each = self.new(), self.new()
        items = ", ".join(self.exactly()[0] for _ in range(self.rng.randint(1, 4)))
        test = self.about(each)
        body = self.rng.choice([each, f"{each} * {self.number()}", f"c.sin({each})"])
        self.emit(f"{name} = sum({body} for {each} in [{items}] if {test})")
        self.numbers.append(name)

    def look_up(self) -> None:
        """Emit a dict that holds a growing list."""
        name = self.new()
        self.emit(f"{name} = {{'u': {self.expression(1)}, 'v': [{self.expression(2)}]}}")
        self.emit(f"{name}['v'].append({self.expression(2)})")
        if self.rng.random() < 0.5:
            self.block(f"if {self.condition()}:", f"{name}['u'] = {name}['v'][-1]")
        self.numbers += [f"{name}['u']", f"{name}['v'][{self.rng.randrange(2)}]"]

    def take(self) -> None:
        name, size = self.new(), self.rng.randint(1, 4)
        items = ", ".join(self.expression(2) for _ in range(size))
        places = [f"{self.rng.randrange(size)}.0" for _ in range(2)]
        self.emit(f"{name} = c.take([{items}], c.where({self.comparison()}, {', '.join(places)}))")
        self.numbers.append(name)

    def differentiate(self) -> None:
        """Emit a nested derivative, sometimes at a constant."""
        name, at = self.new(), self.number() if self.rng.random() < 0.85 else self.constant()
        inside = f"c.tanh(z) * {self.number()} + z * z"
        branched = f"(z if {self.condition()} else c.sin(z)) * {self.number()} + z * z"
        text = self.rng.choice(
            [
                f"c.grad(lambda z: {inside})({at})",
                f"c.grad(lambda z: {branched})({at})",
                f"c.value_and_grad(lambda z: {inside})({at})[0]",
                f"c.grad(c.grad(lambda z: {inside}))({at})",
                f"c.jvp(lambda z: {inside}, ({at},), (1.0,))[1]",
                f"c.hessian(lambda z: c.sin(z[0]) * z[1] + z[0] * z[0])([{at}, {self.number()}])[0][1]",
                f"c.jacobian(lambda z: [{inside}, z * 2.0])({at})[0]",
                f"c.hvp(lambda z: {inside}, ({at},), (0.5,))",
            ]
        )
        self.emit(f"{name} = {text}")
        self.numbers.append(name)

    def untracked(self) -> None:
        name = self.new()
        if self.rng.random() < 0.8:
            self.emit(f"{name} = c.stop_gradient({self.expression(1)})")
        else:
            self.emit("with c.no_grad():")
            self.emit(f"    {name} = {self.expression(1)}")
        self.numbers.append(name)


def make(seed: int) -> Case:
    """Generate the program for a seed. Every fifth may contain infinities, NaN and subnormal numbers.

    In every fourth program, no branch depends on a sample, so that JAX can run it.
    """
    writer = Writer(seed, special=seed % 5 == 4, straight=seed % 4 == 3)
    return Case(seed, writer.write(), writer.kind, writer.width, writer.parameters)


# --- running programs ------------------------------------------------------------------------------


class DisagreementError(AssertionError):
    """Two ways of running a program gave different numbers, or one of them failed."""

    def __init__(self, case: Case, what: str, *numbers: object) -> None:
        self.case, self.what = case, what
        shown = ", ".join(str(x) for x in numbers)
        super().__init__(f"seed {case.seed}, {what}: {shown}\n\n{case.source}")


def loaded(case: Case, parameters: Sequence[Any]) -> Any:
    names: dict[str, Any] = {"c": chainrule, "w": parameters}
    exec(compile(case.source, f"<program {case.seed}>", "exec"), names)
    return names["program"]


def starts(case: Case) -> list[float]:
    return [0.3 * (i + 1) - 0.5 for i in range(case.parameters)]


def arguments(case: Case, numbers: Sequence[Any]) -> tuple[Any, ...]:
    """Arrange numbers as the arguments that the program expects."""
    if case.kind == "vector":
        return (list(numbers),)
    if case.kind == "scalar":
        return (numbers[0],)
    if case.kind == "record":
        return ({"a": numbers[0], "b": list(numbers[1:])},)
    return list(numbers[:-1]), numbers[-1]


def samples(case: Case, exact: bool) -> list[list[float]]:
    """The inputs of a few samples: multiples of 1/2, which hit every edge case, or arbitrary numbers."""
    rng = random.Random(f"{case.seed} {exact}")
    size = case.width + (case.kind in ("record", "two")) if case.kind != "scalar" else 1
    count = rng.choice([1, 3, 9]) if exact else 3
    if exact:
        return [[rng.randint(-4, 4) / 2.0 for _ in range(size)] for _ in range(count)]
    return [[rng.uniform(-2.0, 2.0) for _ in range(size)] for _ in range(count)]


@dataclass
class Point:
    """The eager-mode results for one sample."""

    numbers: list[float]
    value: float
    grads: list[float]  # with respect to the inputs, then the parameters
    merged: list[float]  # the gradients if repeated expressions are computed only once
    spread: dict[str, list[float]]  # for each precision, the allowed errors of value and gradients


def eager(case: Case, numbers: list[float]) -> Point:
    """Compute value and gradients in reverse mode; check them against a plain call and forward mode."""
    args = arguments(case, numbers)
    plain = run(case, "a plain call", lambda: float(loaded(case, starts(case))(*args)))
    parameters = [Value(x) for x in starts(case)]
    function = loaded(case, parameters)
    seen: list[Any] = []

    def recorded(*given: Any) -> Any:
        seen.append((flatten(given)[0], function(*given)))
        return seen[-1][1]

    places = list(range(len(args)))
    found = run(case, "value_and_grad", lambda: chainrule.value_and_grad(recorded, places)(*args))
    value, *grads = map(number, flatten(found)[0])
    if not same(value, plain):
        raise DisagreementError(case, "eager value", value, plain, numbers)
    leaves, out = seen[0]
    leaves = [*leaves, *parameters]
    tangents = [((i * 5) % 4 - 1.5) for i in range(len(numbers))]
    pair = run(
        case, "jvp", lambda: chainrule.jvp(loaded(case, starts(case)), args, arguments(case, tangents))
    )
    if not same(number(pair[0]), plain):
        raise DisagreementError(case, "value of jvp", pair[0], plain, numbers)
    whole = gradients(out, leaves)
    grads += whole[len(grads) :]
    spread = {dtype: scattered(case, out, leaves, dtype) for dtype in EPSILON}
    slope = sum(g * t for g, t in zip(grads, tangents, strict=False))
    room = sum(s * abs(t) for s, t in zip(spread["float64"][1:], tangents, strict=False))
    # A NaN value has NaN slopes, which reverse mode cuts off but forward mode multiplies by 0.
    if math.isfinite(slope + value) and not near(number(pair[1]), slope, room):
        raise DisagreementError(case, "forward mode", pair[1], slope, numbers)
    return Point(numbers, value, grads, gradients(out, leaves, merged=True), spread)


def run(case: Case, what: str, call: Any) -> Any:
    try:
        return call()
    except Exception as error:
        raise DisagreementError(case, f"{what} raised {type(error).__name__}", error) from error


def number(x: Any) -> float:
    return float(x.data if isinstance(x, Value) else x)


def same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def near(a: float, b: float, room: float) -> bool:
    return same(a, b) or abs(a - b) <= room or math.isnan(room)


# --- allowed errors ----------------------------------------------------------------------------------


def gradients(out: Any, leaves: Sequence[Any], merged: bool = False) -> list[float]:
    """Run backward over a recorded graph in floats; `merged` computes equal nodes once."""
    return _swept(out, leaves, float, merged)[1:]


def scattered(case: Case, out: Any, leaves: Sequence[Any], dtype: str) -> list[float]:
    """How far results may be off: how far they move if every operation is off by a few ulps."""
    exact = _swept(out, leaves, float)
    found = [100.0 * EPSILON[dtype] * abs(x) + 1e3 * TINY[dtype] for x in exact]
    runs = [
        _swept(out, leaves, partial(_off, random.Random(f"{case.seed} {i}"), dtype)) for i in range(4)
    ]
    if dtype == "float32":  # a tiny constant becomes 0, where the slope may be different
        runs.append(_swept(out, leaves, _rounded, constant=_rounded))
    for moved in runs:
        apart = [SAFE * abs(a - b) for a, b in zip(moved, exact, strict=True)]
        found = [x if math.isnan(x) else max(room, x) for room, x in zip(found, apart, strict=True)]
    return found


def _rounded(x: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(x))


def _off(rng: random.Random, dtype: str, x: float) -> float:
    """Perturb the result of an operation; subnormals move by up to twice the smallest number."""
    x = float(x)
    if x == 0.0 or not math.isfinite(x):
        return x
    few = 2.0 * TINY[dtype] * rng.uniform(-1.0, 1.0) if abs(x) < TINY[dtype] / EPSILON[dtype] else 0.0
    return x * (1.0 + EPSILON[dtype] * rng.uniform(-1.0, 1.0)) + few


def _swept(
    out: Any, leaves: Sequence[Any], off: Any, merged: bool = False, constant: Any = float
) -> list[float]:
    """The value of a graph and the gradients of its leaves.

    `off` perturbs the results of operations, `constant` the constants of the program.
    """
    if not isinstance(out, Value):
        return [float(out), *(0.0 for _ in leaves)]
    # After a derivative was computed, the engine treats its inputs as constants; here they are leaves.
    data: dict[Any, float] = {leaf: off(leaf.data) for leaf in leaves}
    first: dict[Any, Any] = {leaf: leaf for leaf in leaves}  # the representative of equal nodes
    nodes: dict[Any, Any] = {}
    order = [node for node in graph.topological(out) if node not in data]
    for node in order:
        inputs = [data[v] if v in data else constant(v.data) for v in node.inputs]
        row = graph.row(node)
        again = row.forward(*inputs) if node.inputs and row.name not in EXACT else node.data
        chooses = bool(node.inputs) and (row.selects or row.name in EXACT)
        data[node] = float(again) if chooses else off(again)
        arguments = tuple(first.get(v, repr(v.data)) for v in node.inputs)
        first[node] = nodes.setdefault((row, *arguments) if merged and node.inputs else node, node)
    grads: dict[Any, float] = {first[out]: 1.0}
    for node in reversed(order):
        if first[node] is not node or node not in grads or not node.inputs:
            continue
        needed = [v in data for v in node.inputs]
        inputs = [data[v] if v in data else constant(v.data) for v in node.inputs]
        slopes = graph.row(node).derivatives(inputs, data[node], needed)
        for v, slope, asked in zip(node.inputs, slopes, needed, strict=True):
            if asked and slope is not None and not (graph.row(node).selects and slope == 0.0):
                grads[first[v]] = grads.get(first[v], 0.0) + off(grads[node] * slope)
    return [data[out], *(grads.get(leaf, 0.0) for leaf in leaves)]


EXACT = ("less", "less_equal", "equal")


# --- comparing results -------------------------------------------------------------------------------


def examine(case: Case, jax: bool = False) -> None:
    """Run a program in every way; raise DisagreementError if two of them disagree."""
    exact = [eager(case, numbers) for numbers in samples(case, exact=True)]
    other = [eager(case, numbers) for numbers in samples(case, exact=False)]
    for point in other:
        by_differences(case, point)
    if refused(case):
        return
    for backend in BACKENDS:
        compare(case, f"compiled for {backend}", exact + other, *on(case, exact + other, backend))
    if c_core is not None:
        compare(case, "compiled, float32", exact, *on(case, exact, "native", "float32"), "float32")
    if jax:
        on_jax(case, exact + other)


def by_differences(case: Case, point: Point) -> None:
    """Compare a directional derivative with finite differences, unless gradients are stopped."""
    if case.stops or not all(map(math.isfinite, [point.value, *point.grads, *point.spread["float64"]])):
        return
    function = loaded(case, starts(case))
    direction = [1.0 - 0.75 * i for i in range(len(point.numbers))]
    slope = sum(g * t for g, t in zip(point.grads, direction, strict=False))
    tried = []

    def at(step: float) -> float:
        moved = [x + step * t for x, t in zip(point.numbers, direction, strict=True)]
        return float(function(*arguments(case, moved)))

    for step in (1e-4, 1e-5, 1e-6, 1e-7):
        tried.append((at(step) - at(-step)) / (2 * step))
        if abs(tried[-1] - slope) <= 1e-4 * (1.0 + abs(slope)) + point.spread["float64"][0] / step:
            return
    raise DisagreementError(case, "differences", slope, tried, point.numbers)


def columns(case: Case, numbers: Sequence[list[float]]) -> tuple[Any, ...]:
    """Arrange the samples as a batch."""
    table = np.array(numbers)
    if case.kind == "vector":
        return (table,)
    if case.kind == "scalar":
        return (table[:, 0],)
    if case.kind == "record":
        return ({"a": table[:, 0], "b": table[:, 1:]},)
    return table[:, :-1], table[:, -1]


def on(case: Case, points: Sequence[Point], backend: str, dtype: str = "float64") -> tuple[Any, ...]:
    """Compile and run a program.

    Returns the values, from value_and_grad and from a call, then the gradients with respect to the
    inputs, per sample, and to the parameters.
    """
    parameters = [Value(x) for x in starts(case)]
    batch = columns(case, [point.numbers for point in points])
    what = f"compiled for {backend}, {dtype}"
    function = loaded(case, parameters)
    options: Any = {"reduction": "none", "backend": backend, "branches": 4096, "dtype": dtype}
    step = run(case, what, lambda: compile_program(function, parameters, **options))
    values, grads, inputs = run(case, what, lambda: step.value_and_grad(*batch, inputs=True))
    called = run(case, what, lambda: step(*batch))
    results = np.stack([np.asarray(values, float), np.asarray(called, float)])
    return results, joined(inputs, len(points)), np.asarray(grads, float).ravel()


def refused(case: Case) -> bool:
    """Whether compilation fails because of no_grad(), before anything is computed."""
    batch = columns(case, samples(case, exact=True) + samples(case, exact=False))
    try:
        compile_program(loaded(case, starts(case)), [], branches=4096)(*batch)
    except TraceError as error:
        return "no_grad() inside a compiled function" in str(error)
    return False


def joined(tree: Any, count: int) -> Any:
    """Join the gradients of the inputs into one table, in the order of the arguments."""
    given = tree if isinstance(tree, (list, tuple)) else [tree]
    arrays = [array for each in given for array in (each.values() if isinstance(each, dict) else [each])]
    return np.concatenate([np.asarray(array, float).reshape(count, -1) for array in arrays], axis=1)


def takes_part(case: Case) -> bool:
    """Whether JAX can run a program: one trace serves all samples, so no branch may depend on them."""
    try:
        compile_program(loaded(case, starts(case))).to_jax(*columns(case, samples(case, exact=True)))
    except TraceError:
        return False
    return True


def on_jax(case: Case, points: Sequence[Point]) -> None:
    import jax

    jax.config.update("jax_enable_x64", True)
    if not takes_part(case):
        return
    parameters = [Value(x) for x in starts(case)]
    batch = columns(case, [point.numbers for point in points])
    function = compile_program(loaded(case, parameters), parameters).to_jax(*batch)

    def both(numbers: Any, given: Any) -> Any:
        results, pull = jax.vjp(function, numbers, given)
        return results, pull(jax.numpy.ones_like(results))

    results, (grads, inputs) = jax.jit(both)(function.initial(), batch)
    jax.clear_caches()  # every program is different
    flat = np.array([float(x) for x in function.tree.flatten(grads)]) if parameters else np.zeros(0)
    compare(case, "JAX", points, np.asarray(results)[None], joined(inputs, len(points)), flat)


def compare(
    case: Case,
    what: str,
    points: Sequence[Point],
    values: Any,
    inputs: Any,
    grads: Any,
    dtype: str = "float64",
) -> None:
    size = len(points[0].numbers)
    for i, point in enumerate(points):
        for value in values[:, i]:
            if not near(value, point.value, point.spread[dtype][0]):
                raise DisagreementError(case, f"{what}: value", value, point.value, point.numbers)
        for k in range(size):
            agreed(case, f"{what}: input gradient", inputs[i][k], [point], k, dtype)
    for k, grad in enumerate(grads):
        agreed(case, f"{what}: parameter gradient", grad, points, size + k, dtype)


def agreed(case: Case, what: str, found: float, points: Sequence[Point], k: int, dtype: str) -> None:
    """Check a gradient summed over samples.

    It must be eager mode's or, where that is infinite or NaN, the gradient of merged nodes.
    """
    eager, merged = (sum(getattr(p, name)[k] for p in points) for name in ("grads", "merged"))
    room = sum(point.spread[dtype][1 + k] for point in points)
    if near(found, eager, room) or (not math.isfinite(eager) and same(found, merged)):
        return
    raise DisagreementError(case, what, found, eager, [point.numbers for point in points])


# --- campaigns ---------------------------------------------------------------------------------------


def shortened(failure: DisagreementError, jax: bool) -> DisagreementError:
    """The same failure of a program from which all unnecessary lines and blocks are removed."""
    shorter = True
    while shorter:
        shorter = False
        for source in without_one(failure.case.source):
            try:
                examine(replace(failure.case, source=source), jax)
            except DisagreementError as error:
                if error.what == failure.what:
                    failure, shorter = error, True
                    break
            except Exception:
                continue
    return failure


def without_one(source: str) -> Iterator[str]:
    """Yield the program without one of its lines and the block below it, last lines first."""
    lines = source.splitlines()
    depth = [len(line) - len(line.lstrip()) for line in lines]
    for i in reversed(range(len(lines))):
        end = next((j for j in range(i + 1, len(lines)) if depth[j] <= depth[i]), len(lines))
        if not lines[i].startswith("def program"):
            yield "\n".join(lines[:i] + lines[end:]) + "\n"


CHUNK = 20


def examine_some(seeds: range, jax: bool = False) -> list[str]:
    """Run the programs of these seeds; returns the failures as text."""
    found = []
    for seed in seeds:
        try:
            examine(make(seed), jax)
        except DisagreementError as failure:
            found.append(str(shortened(failure, jax)))
    return found


if __name__ == "__main__":
    count, start, *names = sys.argv[1:]
    if names == ["jax"]:  # fast compilation matters more than fast execution
        os.environ.update(JAX_PLATFORMS="cpu", XLA_FLAGS=f"{os.environ.get('XLA_FLAGS', '')} {QUICK}")
    end = int(start) + int(count)
    chunks = [range(first, min(first + CHUNK, end)) for first in range(int(start), end, CHUNK)]
    failures = []
    with multiprocessing.get_context("spawn").Pool() as pool:
        results = pool.imap_unordered(partial(examine_some, jax=names == ["jax"]), chunks)
        for found in tqdm(results, total=len(chunks), unit=f" x {CHUNK} programs", mininterval=10):
            failures += found
            print(*found, sep="\n", end="" if not found else "\n", flush=True)
    if failures:
        sys.exit(f"{len(failures):,} of {int(count):,} random programs disagree")
    print(f"{int(count):,} random programs give the same results in every way of running them")
