"""Random programs in eager mode: a plain call, reverse and forward mode, on both cores.

The results come with the error that other ways of running the program are allowed. It is measured on the
program itself, by perturbing the result of each operation.
"""

import atexit
import json
import math
import operator
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache, lru_cache, partial, reduce
from typing import Any

import numpy as np

import chainrule
from chainrule import Value
from chainrule.support import graph
from chainrule.support.tree import flatten
from chainrule.value import c_core

from ...campaigns.states import Player
from .program_writer import Case

EPSILON = {"float64": 2.0**-50, "float32": 2.0**-22}  # 4 ulp: the error allowed for one operation
TINY = {"float64": 5e-324, "float32": 1.4e-45}
SAFE = 40.0  # the allowed error, as a multiple of the spread of a few perturbed runs
EXACT = ("less", "less_equal", "equal")


# --- running a program -------------------------------------------------------------------------------


class DisagreementError(AssertionError):
    """Two ways of running a program gave different numbers, or one of them failed."""

    def __init__(self, case: Case, what: str, *numbers: object) -> None:
        self.case, self.what = case, what
        shown = ", ".join(str(x) for x in numbers)
        super().__init__(f"seed {case.seed}, {what}: {shown}\n\n{case.source}")


def loaded(case: Case, parameters: Sequence[Any]) -> Any:
    names: dict[str, Any] = {"c": chainrule, "w": parameters}
    exec(code(case.source, case.seed), names)
    names["program"].__name__ = f"program_{case.seed}"
    return names["program"]


@lru_cache(maxsize=64)
def code(source: str, seed: int) -> Any:
    return compile(source, f"<program {seed}>", "exec")


def total(case: Case, program: Any) -> Any:
    """The program itself, or the sum of its outputs if it has several: a gradient needs one number."""
    if not case.several:
        return program

    def total(*given: Any) -> Any:
        return summed(flatten(program(*given))[0])

    total.__name__ = f"total_{case.seed}"
    return total


def summed(outputs: list[Any]) -> Any:
    return reduce(operator.add, outputs)


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
    outputs: list[float]
    value: float  # the sum of the outputs
    grads: list[float]  # with respect to the inputs, then the parameters
    merged: list[float]  # the gradients if repeated expressions are computed only once
    rooms: dict[str, list[float]]  # for each precision, the allowed errors of value, outputs, gradients

    def gradient_room(self, dtype: str, k: int) -> float:
        return self.rooms[dtype][1 + len(self.outputs) + k]


def eager(case: Case, exact: bool) -> list[Point]:
    """The results of the two cores, which must be equal to the last bit."""
    numbers = samples(case, exact)
    found = [measured(case, each) for each in numbers]
    player = other_core()
    if player is not None:
        player.ask(asdict(case), numbers)
        for each, (ours, _, _), theirs in zip(numbers, found, player.answer(), strict=True):
            for what, row in ours.items():
                if repr(row) != repr(theirs.get(what)):
                    raise DisagreementError(case, f"{what} on the other core", theirs, ours, each)
    return [checked(case, *each) for each in zip(numbers, found, strict=True)]


Results = dict[str, list[float]]
Recorded = tuple[Results, list[Any], list[Any]]  # the results, the leaves, the sum and its terms


def measured(case: Case, numbers: list[float]) -> Recorded:
    """Run a program as plain Python, in reverse mode and in forward mode."""
    args, start = arguments(case, numbers), starts(case)
    places = range(len(args))
    nodes: list[Any] = []

    def recorded(*given: Any) -> Any:
        *inputs, parameters = given
        outputs = flatten(loaded(case, parameters)(*inputs))[0]
        nodes[:] = flatten(given)[0], [summed(outputs), *outputs]
        return nodes[1][0]

    ways = {
        "plain call": lambda: [float(x) for x in flatten(loaded(case, start)(*args))[0]],
        "reverse mode": lambda: chainrule.value_and_grad(recorded, [*places, len(args)])(*args, start),
        "closed-over parameters": lambda: chainrule.value_and_grad(
            total(case, loaded(case, [Value(x) for x in start])), places
        )(*args),
        "forward mode": lambda: chainrule.jvp(
            total(case, loaded(case, start)), args, arguments(case, tangents(numbers))
        ),
    }
    results = {what: run(case, what, way) for what, way in ways.items()}
    return {what: [number(x) for x in flatten(found)[0]] for what, found in results.items()}, *nodes


def tangents(numbers: list[float]) -> list[float]:
    return [(i * 5) % 4 - 1.5 for i in range(len(numbers))]


def checked(case: Case, numbers: list[float], recorded: Recorded) -> Point:
    """The results, after comparing the modes with each other."""
    results, leaves, outs = recorded
    outputs, (value, *grads), closed, (again, slope) = results.values()
    plain = summed(outputs)
    if not same(value, plain):
        raise DisagreementError(case, "reverse mode", value, plain, numbers)
    if not same(again, plain):
        raise DisagreementError(case, "value of forward mode", again, plain, numbers)
    if not all(map(same, closed, [value, *grads])):
        raise DisagreementError(case, "closed-over parameters", closed, [value, *grads], numbers)
    rooms = {dtype: scattered(case, outs, leaves, dtype) for dtype in EPSILON}
    merged = _swept(outs, leaves, float, merged=True)[len(outs) :]
    point = Point(numbers, outputs, value, grads, merged, rooms)
    expected = sum(g * t for g, t in zip(grads, tangents(numbers), strict=False))
    errors = (point.gradient_room("float64", k) * abs(t) for k, t in enumerate(tangents(numbers)))
    # A NaN value has NaN slopes, which reverse mode cuts off but forward mode multiplies by 0.
    if math.isfinite(expected + value) and not near(slope, expected, sum(errors)):
        raise DisagreementError(case, "forward mode", slope, expected, numbers)
    return point


def run(case: Case, what: str, call: Callable[[], Any]) -> Any:
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


def by_differences(case: Case, point: Point) -> None:
    """Compare a directional derivative with finite differences, unless gradients are stopped."""
    if case.stops or not all(map(math.isfinite, [point.value, *point.grads, *point.rooms["float64"]])):
        return
    function = total(case, loaded(case, starts(case)))
    direction = [1.0 - 0.75 * i for i in range(len(point.numbers))]
    slope = sum(g * t for g, t in zip(point.grads, direction, strict=False))
    tried = []

    def at(step: float) -> float:
        moved = [x + step * t for x, t in zip(point.numbers, direction, strict=True)]
        return float(function(*arguments(case, moved)))

    for step in (1e-4, 1e-5, 1e-6, 1e-7):
        tried.append((at(step) - at(-step)) / (2 * step))
        if abs(tried[-1] - slope) <= 1e-4 * (1.0 + abs(slope)) + point.rooms["float64"][0] / step:
            return
    raise DisagreementError(case, "differences", slope, tried, point.numbers)


# --- the other core --------------------------------------------------------------------------------


@cache
def other_core() -> Player | None:
    """A process that runs programs on the core that this one does not use, if both are there."""
    if c_core is None:
        return None
    player = Player("python" if chainrule.core == "c" else "c", __name__)
    atexit.register(player.close)
    return player


def serve() -> None:
    """Answer each request, a program and its samples as a line of JSON, with the results."""
    for line in sys.stdin:
        case, numbers = json.loads(line)
        try:
            found = [measured(Case(**case), each)[0] for each in numbers]
        except DisagreementError as error:
            found = [{"error": [str(error)]} for _ in numbers]
        print(json.dumps(found), flush=True)


# --- allowed errors ----------------------------------------------------------------------------------


def scattered(case: Case, outs: Sequence[Any], leaves: Sequence[Any], dtype: str) -> list[float]:
    """How far results may be off: how far they move if every operation is off by a few ulps."""
    exact = _swept(outs, leaves, float)
    found = [100.0 * EPSILON[dtype] * abs(x) + 1e3 * TINY[dtype] for x in exact]
    runs = [
        _swept(outs, leaves, partial(_off, random.Random(f"{case.seed} {i}"), dtype)) for i in range(4)
    ]
    if dtype == "float32":  # a tiny constant becomes 0, where the slope may be different
        runs.append(_swept(outs, leaves, _rounded, constant=_rounded))
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
    outs: Sequence[Any], leaves: Sequence[Any], off: Any, merged: bool = False, constant: Any = float
) -> list[float]:
    """The values of these nodes of a graph, and the gradients of the first one.

    `off` perturbs the results of operations, `constant` the constants of the program.
    """
    if not isinstance(out := outs[0], Value):
        return [*map(float, outs), *(0.0 for _ in leaves)]
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
    values = (data[v] if v in data else constant(number(v)) for v in outs)
    return [*values, *(grads.get(leaf, 0.0) for leaf in leaves)]


if __name__ == "__main__":
    serve()
