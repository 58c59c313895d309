"""Rolling: finds the loops in a traced program, where the same operations were recorded again and again.

A Python `for` of n steps is traced as n copies of its body. Operations are numbered in order, apart from
leaves, so that equal copies are equally long, however many constants each of them uses. A period is a
candidate if short sequences of operations often recur at that distance. In a loop of this period,
operations and their arguments within a copy are the same in every copy; what a copy takes from
elsewhere, from earlier copies or leaves, becomes an argument of the loop. Time and memory are linear in
the operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...ops import TABLE, take
from .. import passes
from ..flat import LEAVES, TAKE_CODE, Flat
from ..graph import CONSTANT, Graph

Array = Any

NEVER, ALWAYS, SOMETIMES = range(3)  # for which samples a gradient reaches a node
LEAST_NODES = 100  # nodes of a trace in which loops are looked for
LEAST_COUNT = 4  # copies that make a loop
LEAST_SAVED = 32  # operations that a loop must save,
LEAST_SHARE = 0.05  # and this share of the trace
GRAM = 8  # operations in a sequence whose returns suggest a period
CANDIDATES = 12  # periods tried for each stretch of a program
MOST_LAG = 16  # iterations that a loop looks back
FIRST_LEAF = TAKE_CODE + 1


@dataclass(frozen=True)
class Stretch:
    """Consecutive operations: `count` copies of `period` operations; straight code is a single copy."""

    start: int
    period: int
    count: int

    @property
    def stop(self) -> int:
        return self.start + self.period * self.count

    def has(self, references: Array) -> Array:
        """Which references are to operations of this stretch."""
        return (references >= self.start) & (references < self.stop)


class Trace:
    """A graph as arrays. Operations have numbers from 0; reference -1 - i stands for leaf node i."""

    def __init__(self, graph: Graph | Flat) -> None:
        codes, first, args, numbers, outputs, guards, reach = _arrays(graph)
        is_leaf = codes >= FIRST_LEAF
        lengths = np.diff(first)
        number = np.cumsum(~is_leaf) - 1
        reference = np.where(is_leaf, -1 - np.arange(len(codes)), number)
        owner = np.repeat(np.arange(len(codes)), lengths)
        inner = ~is_leaf[owner]
        self.codes: Array = codes
        self.leaf: Array = np.where(is_leaf, args[np.minimum(first[:-1], max(len(args) - 1, 0))], -1)
        self.numbers: Array = numbers
        self.op: Array = codes[~is_leaf]
        self.arity: Array = lengths[~is_leaf]
        self.first: Array = np.concatenate([[0], np.cumsum(self.arity)])
        self.refs: Array = reference[args[inner]]
        self.owner: Array = number[owner[inner]]
        self.reach: Array = reach[~is_leaf]  # NEVER, ALWAYS or SOMETIMES
        self.outputs: Array = reference[outputs]
        self.guards: Array = reference[guards]

    def __len__(self) -> int:
        return len(self.op)

    def kinds(self, leaves: Array) -> Array:
        """The kinds of leaves."""
        return np.array([*LEAVES.values()])[self.codes[leaves] - FIRST_LEAF]

    def constant(self, references: Array) -> float | None:
        """The number to which all references refer, if there is one."""
        first = references[0]
        if first >= 0 or (references != first).any() or self.kinds(-1 - first) != CONSTANT:
            return None
        return float(self.numbers[self.leaf[-1 - first]])

    def row(self, number: int) -> Any:
        """The operation of the table with this number in the trace."""
        code = int(self.op[number])
        if code == TAKE_CODE:
            return take(int(self.arity[number]) - 1)
        return TABLE[code - 1]


def _arrays(graph: Graph | Flat) -> tuple[Array, ...]:
    """The codes of all nodes, where their arguments begin, these arguments, the constants, the results,
    the guards, and which nodes a gradient reaches.
    """
    if isinstance(graph, Flat):
        codes, *parts = graph.parts()
        return codes.astype(np.int64), *parts, np.frombuffer(graph.reach(), np.uint8)
    known = {op: i for i, op in enumerate(TABLE, 1)}
    leaves = {kind: code for code, kind in LEAVES.items()}
    codes, first, args, numbers = list[int](), [0], list[Any](), list[float]()
    for what, own in graph.nodes:
        if not isinstance(what, str):
            codes.append(known.get(what, TAKE_CODE))
            args += own
        elif what == CONSTANT:
            codes.append(leaves[what])
            args.append(len(numbers))
            numbers.append(own[0])
        else:
            codes.append(leaves[what])
            args += own
        first.append(len(args))
    reach = np.zeros(len(graph), np.uint8)
    for kind, nodes in zip((ALWAYS, SOMETIMES), passes.reach(graph), strict=True):
        reach[list(nodes)] = kind
    as_ints = (np.array(items, np.int64) for items in (codes, first, args))
    results = (np.array(items, np.int64) for items in (graph.outputs, graph.guards))
    return *as_ints, np.array(numbers, float), *results, reach


def stretches(trace: Trace) -> list[Stretch]:
    """The loops of a trace and the straight code between them, in order."""
    found: list[Stretch] = []
    todo = [(0, len(trace))]
    while todo:
        low, high = todo.pop()
        loop = best_loop(trace, low, high)
        if loop is None:
            if high > low:
                found.append(Stretch(low, high - low, 1))
            continue
        found.append(loop)
        todo += [(low, loop.start), (loop.stop, high)]
    return sorted(found, key=lambda each: each.start)


def best_loop(trace: Trace, low: int, high: int) -> Stretch | None:
    """The loop between two operations that saves the most, if one saves enough."""
    best, saved = None, max(LEAST_SAVED, int(LEAST_SHARE * len(trace))) - 1
    if high - low <= saved:
        return None
    for period in periods(trace, low, high):
        if high - low - period <= saved:
            continue
        loop = longest_run(trace, low, high, period)
        if loop is not None and loop.count >= LEAST_COUNT:
            loop = usable(trace, widened(trace, loop, low, high))
            if loop.count >= LEAST_COUNT and (gain := (loop.count - 1) * loop.period) > saved:
                best, saved = loop, gain
    return best


def periods(trace: Trace, low: int, high: int) -> Iterator[int]:
    """Likely periods: distances after which the same short sequence of operations returns.

    Sequences are compared twice: by their operations and kinds of arguments, and by how far back their
    arguments are too. The second finds the period of code that repeats itself within an iteration.
    """
    refs, place = trace.refs[trace.first[low] : trace.first[high]], trace.first[low:high]
    owner = trace.owner[trace.first[low] : trace.first[high]]
    kinds = np.where(refs >= 0, 7, trace.codes[-1 - np.minimum(refs, -1)]).astype(np.uint64)
    slots = np.arange(len(refs)) - np.repeat(place - trace.first[low], trace.arity[low:high])
    weights = (slots.astype(np.uint64) * np.uint64(2) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    back = np.where(refs >= 0, owner - refs, 0).astype(np.uint64) * np.uint64(31)
    likely: set[int] = set()
    for kind in (kinds, kinds + back):
        token = np.add.reduceat(kind * weights, place - trace.first[low])
        token = token ^ (trace.op[low:high].astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F))
        length = high - low - GRAM + 1
        gram = np.zeros(length, np.uint64)
        for k in range(GRAM):
            gram = gram * np.uint64(0x100000001B3) + token[k : k + length]
        order = np.argsort(gram, kind="stable")
        returned = gram[order[1:]] == gram[order[:-1]]
        distances, counts = np.unique(np.diff(order)[returned], return_counts=True)
        likely.update(distances[np.argsort(-distances * counts, kind="stable")[:CANDIDATES]].tolist())
    yield from sorted(likely)


def longest_run(trace: Trace, low: int, high: int, period: int) -> Stretch | None:
    """The longest stretch in which each operation equals the one a period before."""
    now = slice(low + period, high)
    before = slice(low, high - period)
    same = (trace.op[now] == trace.op[before]) & (trace.arity[now] == trace.arity[before])
    places = np.arange(trace.first[low + period], trace.first[high])
    owner = trace.owner[places]
    partner = trace.first[owner - period] + (places - trace.first[owner])
    a, b = trace.refs[places], trace.refs[np.minimum(partner, len(trace.refs) - 1)]
    far = (owner - a >= period) & (owner - period - b >= period)  # elsewhere, as leaves are too
    leaf = (a < 0) & (b < 0)
    alike = trace.codes[-1 - np.minimum(a, -1)] == trace.codes[-1 - np.minimum(b, -1)]
    good = np.where(leaf, alike, (a >= 0) & (b >= 0) & ((a - b == period) | far))
    same[owner[~good] - low - period] = False
    edges = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]]).astype(np.int8)))
    if not len(edges):
        return None
    starts, ends = edges[::2], edges[1::2]
    k = int(np.argmax(ends - starts))
    return Stretch(low + int(starts[k]), period, int(ends[k] - starts[k]) // period + 1)


def widened(trace: Trace, loop: Stretch, low: int, high: int) -> Stretch:
    """Add copies before and after that differ only in what they take from elsewhere."""
    start, period, count = loop.start, loop.period, loop.count
    shape = _shape(trace, start + period, period)
    while start - period >= low and _equal(_shape(trace, start - period, period), shape):
        start, count = start - period, count + 1
    while start + period * (count + 1) <= high and _equal(
        _shape(trace, start + period * count, period), shape
    ):
        count += 1
    if not _equal(_shape(trace, start, period), shape):  # its first copy differs within
        start, count = start + period, count - 1
    return Stretch(start, period, count)


def usable(trace: Trace, loop: Stretch) -> Stretch:
    """A loop without those first copies to which later ones refer in different ways.

    What a copy takes from earlier ones must always come from the same number of copies before.
    """
    first, last = trace.first[loop.start], trace.first[loop.start + loop.period]
    refs = trace.refs[first : first + (last - first) * loop.count].reshape(loop.count, last - first)
    columns = refs[:, refs[0] < loop.start]
    inside = loop.has(columns)
    columns, inside = columns[:, inside.any(0)], inside[:, inside.any(0)]
    times = np.arange(loop.count)[:, None]
    lags = times - (columns - loop.start) // loop.period
    lag = np.where(inside[-1], lags[-1], 0)
    if (lag > MOST_LAG).any():
        return replace(loop, count=1)
    wrong = (
        np.where(times < lag, inside, ~inside | (lags != lag)) if lag.size else np.zeros((1, 1), bool)
    )
    wrong = np.where(lag == 0, inside, wrong) if lag.size else wrong
    if not wrong.any():
        return loop
    peeled = int(np.flatnonzero(wrong.any(1))[-1]) + 1
    if loop.count - peeled < LEAST_COUNT:
        return replace(loop, count=1)
    return usable(trace, Stretch(loop.start + loop.period * peeled, loop.period, loop.count - peeled))


def _shape(trace: Trace, start: int, period: int) -> tuple[Array, Array, Array]:
    """The operations of a copy, and which arguments are within it."""
    refs = trace.refs[trace.first[start] : trace.first[start + period]]
    inside = np.where(refs >= start, refs - start, -1)
    return trace.op[start : start + period], trace.arity[start : start + period], inside


def _equal(one: tuple[Array, ...], other: tuple[Array, ...]) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(one, other, strict=True))
