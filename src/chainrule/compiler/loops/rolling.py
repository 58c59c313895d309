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
BLOCK = 2**16  # operations that are compared at once, for the cache
WINDOW = 2**20  # operations in which periods are looked for at once
FIRST_LEAF = TAKE_CODE + 1
INPUTS, PARAMS, CONSTANTS = range(3)  # the kinds of leaves, in the order of their codes


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

    def lags(self, copies: Any, references: Array) -> Array:
        """How many copies before these copies the references lead."""
        return copies - (references - self.start) // self.period


class Trace:
    """A graph as arrays. Operations have numbers from 0; reference -1 - k stands for leaf k."""

    def __init__(self, graph: Graph | Flat) -> None:
        codes, first, args, numbers, outputs, guards, reach = _arrays(graph)
        is_leaf = codes >= FIRST_LEAF
        leaves = np.flatnonzero(is_leaf)
        reference = np.cumsum(~is_leaf, dtype=np.int32) - np.int32(1)
        reference[leaves] = -1 - np.arange(len(leaves))
        inner = np.ones(len(args), bool)
        inner[first[leaves]] = False
        self.kind: Array = codes[leaves] - np.uint8(FIRST_LEAF)  # INPUTS, PARAMS or CONSTANTS
        self.leaf: Array = args[first[leaves]]  # the number of an input or parameter, or a place in:
        self.numbers: Array = numbers
        self.op: Array = codes[~is_leaf]
        self.first: Array = np.zeros(len(self.op) + 1, np.int32)
        np.cumsum(np.diff(first)[~is_leaf], out=self.first[1:])
        self.refs: Array = np.empty(self.first[-1], np.int32)
        filled = 0
        for begin, end in blocks(0, len(args)):
            part = reference[args[begin:end][inner[begin:end]]]
            self.refs[filled : filled + len(part)] = part
            filled += len(part)
        self.reach: Array = reach[~is_leaf]  # NEVER, ALWAYS or SOMETIMES
        self.outputs: Array = reference[outputs]
        self.guards: Array = reference[guards]

    def __len__(self) -> int:
        return len(self.op)

    def arity(self, start: int, stop: int) -> Array:
        """How many arguments operations have."""
        return np.diff(self.first[start : stop + 1])

    def copies(self, stretch: Stretch) -> Iterator[tuple[int, Array]]:
        """The arguments of a stretch, a row for each copy, in blocks: the first copy, and the rows."""
        width = int(self.first[stretch.start + stretch.period] - self.first[stretch.start])
        refs = self.refs[self.first[stretch.start] :][: width * stretch.count].reshape(-1, width)
        for begin, end in blocks(0, stretch.count, max(1, BLOCK // width)):
            yield begin, refs[begin:end]

    def constant(self, references: Array) -> float | None:
        """The number to which all references refer, if there is one."""
        leaf = -1 - int(references[0])
        if leaf < 0 or self.kind[leaf] != CONSTANTS or (references != references[0]).any():
            return None
        return float(self.numbers[self.leaf[leaf]])

    def row(self, number: int) -> Any:
        """The operation of the table with this number in the trace."""
        code = int(self.op[number])
        if code == TAKE_CODE:
            return take(int(self.arity(number, number + 1)[0]) - 1)
        return TABLE[code - 1]

    def drop_operations(self) -> None:
        """Free the operations, which only the search for loops needs."""
        del self.op, self.first, self.refs, self.reach


def blocks(low: int, high: int, size: int = BLOCK) -> Iterator[tuple[int, int]]:
    """The ends of blocks that are small enough for the cache, where long arrays are walked."""
    for begin in range(low, high, size):
        yield begin, min(begin + size, high)


def _arrays(graph: Graph | Flat) -> tuple[Array, ...]:
    """The codes of all nodes, where their arguments begin, these arguments, the constants, the results,
    the guards, and which nodes a gradient reaches.
    """
    if isinstance(graph, Flat):
        return *graph.parts(), np.frombuffer(graph.reach(), np.uint8)
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
    places = (np.array(items, np.int32) for items in (first, args))
    results = (np.array(items, np.int32) for items in (graph.outputs, graph.guards))
    return np.array(codes, np.uint8), *places, np.array(numbers, float), *results, reach


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
    counts = np.zeros((2, min(high - low, WINDOW)), np.int64)  # of each distance
    for begin, end in blocks(low, high, WINDOW):
        if end - begin >= GRAM:
            parts = [tokens(trace, *block) for block in blocks(begin, end)]
            for count, token in zip(counts, map(np.concatenate, zip(*parts, strict=True)), strict=True):
                found = np.bincount(returns(token))
                count[: len(found)] += found
    likely: set[int] = set()
    for count in counts:
        distances = np.flatnonzero(count)
        gain = distances * count[distances]
        likely.update(distances[np.argsort(-gain, kind="stable")[:CANDIDATES]].tolist())
    yield from sorted(likely)


def returns(token: Array) -> Array:
    """The distances after which sequences of operations return, given a number for each operation."""
    gram, factor = token, np.array([0x100000001B3], np.uint64)
    for length in (1, 2, 4):  # half a sequence
        gram, factor = gram[:-length] * factor + gram[length:], factor * factor
    place = np.uint64(WINDOW - 1)  # the low bits of a key say where the sequence begins
    keys = gram & ~place | np.arange(len(gram), dtype=np.uint64)
    keys.sort()
    returned = keys[1:] & ~place == keys[:-1] & ~place
    return (keys[1:][returned] - keys[:-1][returned]).astype(np.int64)


def tokens(trace: Trace, low: int, high: int) -> tuple[Array, Array]:
    """Two numbers for each operation: what it is, and how far back its arguments are as well."""
    refs, first, arity = trace.refs[trace.first[low] :], trace.first[low:high], trace.arity(low, high)
    refs, place = refs[: arity.sum()], first - first[0]
    slots = np.arange(len(refs)) - np.repeat(place, arity)
    weights = (slots.astype(np.uint64) * np.uint64(2) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    inner = refs >= 0
    kinds = np.full(len(refs), 7, np.uint64)
    kinds[~inner] = trace.kind[-1 - refs[~inner]] + np.uint64(FIRST_LEAF)
    back = np.where(inner, np.repeat(np.arange(low, high), arity) - refs, 0).astype(np.uint64)
    op = trace.op[low:high].astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
    both = (np.add.reduceat(each * weights, place) for each in (kinds, kinds + back * np.uint64(31)))
    one, other = both
    return one ^ op, other ^ op


def longest_run(trace: Trace, low: int, high: int, period: int) -> Stretch | None:
    """The longest stretch in which each operation equals the one a period before."""
    same = np.zeros(high - low - period + 2, np.int8)  # with an end on either side
    for begin, end in blocks(low + period, high):
        at = begin - low - period + 1
        same[at : at + end - begin] = repeats(trace, begin, end, period)
    edges = np.flatnonzero(np.diff(same))
    if not len(edges):
        return None
    starts, ends = edges[::2], edges[1::2]
    k = int(np.argmax(ends - starts))
    return Stretch(low + int(starts[k]), period, int(ends[k] - starts[k]) // period + 1)


def repeats(trace: Trace, low: int, high: int, period: int) -> Array:
    """Which operations equal the ones a period before."""
    arity, earlier = trace.arity(low, high), trace.arity(low - period, high - period)
    same = (trace.op[low:high] == trace.op[low - period : high - period]) & (arity == earlier)
    begin, end = trace.first[low], trace.first[high]
    a = trace.refs[begin:end]
    if np.array_equal(arity, earlier):
        b = trace.refs[trace.first[low - period] :][: len(a)]
    else:
        back = np.repeat(trace.first[low:high] - trace.first[low - period : high - period], arity)
        b = trace.refs[np.minimum(np.arange(begin, end) - back, len(trace.refs) - 1)]
    owner = np.repeat(np.arange(low, high, dtype=np.int32), arity)
    far = (owner - a >= period) & (owner - b >= 2 * period)  # elsewhere, as leaves are too
    good = (a - b == period) | far
    one, other = a < 0, b < 0
    good &= ~(one | other)
    leaves = np.flatnonzero(one & other)
    good[leaves] = trace.kind[-1 - a[leaves]] == trace.kind[-1 - b[leaves]]
    same[owner[~good] - low] = False
    return same


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
    _, refs = next(trace.copies(loop))
    outer = np.flatnonzero(refs[0] < loop.start)
    carried = np.zeros(len(outer), bool)
    for _, refs in trace.copies(loop):
        carried |= loop.has(refs[:, outer]).any(0)
    columns = outer[carried]
    lag = np.where(loop.has(refs[-1, columns]), loop.lags(loop.count - 1, refs[-1, columns]), 0)
    if (lag > MOST_LAG).any():
        return replace(loop, count=1)
    peeled = 0
    for begin, refs in trace.copies(loop):
        taken = refs[:, columns]
        inside, times = loop.has(taken), np.arange(begin, begin + len(refs))[:, None]
        wrong = np.where(times < lag, inside, ~inside | (loop.lags(times, taken) != lag))
        found = np.flatnonzero(np.where(lag == 0, inside, wrong).any(1))
        peeled = begin + int(found[-1]) + 1 if len(found) else peeled
    if not peeled:
        return loop
    if loop.count - peeled < LEAST_COUNT:
        return replace(loop, count=1)
    return usable(trace, Stretch(loop.start + loop.period * peeled, loop.period, loop.count - peeled))


def _shape(trace: Trace, start: int, period: int) -> tuple[Array, Array, Array]:
    """The operations of a copy, and which arguments are within it."""
    refs = trace.refs[trace.first[start] : trace.first[start + period]]
    inside = np.where(refs >= start, refs - start, -1)
    return trace.op[start : start + period], trace.arity(start, start + period), inside


def _equal(one: tuple[Array, ...], other: tuple[Array, ...]) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(one, other, strict=True))
