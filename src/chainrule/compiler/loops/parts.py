"""A rolled trace: parts in order, each a loop over a small graph, or straight code, run once.

The graph of a part computes one copy of its body. Its leaves are constants and the arguments of the
part: argument k is the leaf `input k`. For each copy, a column says where an argument comes from: a
reference to an operation of an earlier part or of an earlier copy, or to a leaf of the trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from .. import passes
from ..graph import CONSTANT, INPUT, Graph
from .rolling import ALWAYS, NEVER, SOMETIMES, Stretch, Trace, stretches

Array = Any

MOST_BODY = 2000  # operations in the body of a loop
LEAST_STEPS = (
    12  # iterations that must run in order: the layers of a network are fewer, and are products
)


@dataclass
class Part:
    """One loop, or straight code if its stretch is a single copy."""

    stretch: Stretch
    body: Graph  # its outputs are the results that other copies, parts or the trace need
    columns: list[Array]  # for each argument, the reference of each copy
    results: list[int]  # the operation of each output of the body, counted from the start of a copy

    @property
    def count(self) -> int:
        return self.stretch.count

    def once(self) -> Part:
        """A part that runs once, with the arguments of the first copy and no results."""
        stretch = Stretch(self.stretch.start, self.stretch.period, 1)
        return Part(stretch, Graph(), [column[:1] for column in self.columns], [])

    def is_carried(self, argument: int) -> bool:
        """Whether a copy takes this argument from an earlier copy."""
        return bool(self.stretch.has(self.columns[argument]).any())

    def lag(self, argument: int) -> tuple[int, int]:
        """From how many copies before a carried argument comes, and from which operation of the copy."""
        column = self.columns[argument]
        inside = int(np.argmax(self.stretch.has(column)))
        copy, op = divmod(int(column[inside]) - self.stretch.start, self.stretch.period)
        return inside - copy, op

    def __str__(self) -> str:
        lines = [f"for {self.count} copies:" if self.count > 1 else "once:"]
        for k, column in enumerate(self.columns):
            told = f"{column[0]}" if (column == column[0]).all() else f"{column[0]}, {column[1]}, ..."
            lines.append(f"  argument {k} is {told}")
        return "\n".join([*lines, *(f"  {line}" for line in str(self.body).split("\n"))])


class Rolled:
    """A trace as parts."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.parts: list[Part] = []
        self.stretches: list[Stretch] = stretches(trace)
        if self.is_worth_it():
            needed = self._needed()
            parts = [self._part(stretch, needed) for stretch in self.stretches]
            self.parts = parts if all(map(self._is_reached_alike, parts)) else []
        trace.drop_operations()

    def is_worth_it(self) -> bool:
        """Whether loops make up most of the trace, and at least one of them must run sequentially.

        Copies that do not depend on each other run side by side as rows of one instruction instead.
        """
        remaining = sum(each.period for each in self.stretches)
        small = all(each.period <= MOST_BODY for each in self.stretches)
        long = [each for each in self.stretches if each.count >= LEAST_STEPS]
        return small and 2 * remaining <= len(self.trace) and any(map(self._is_sequential, long))

    def _is_reached_alike(self, part: Part) -> bool:
        """Whether the gradient reaches, in every copy, the same samples as the body alone suggests.

        Where it reaches an operation only for some samples, a mask guards the derivative. The masks of a
        loop are those of its body, which does not show that a later copy uses a result only sometimes.
        """
        stretch, body = part.stretch, part.body
        reach = self.trace.reach[stretch.start : stretch.stop].reshape(part.count, stretch.period)
        always, sometimes = passes.reach(body)
        own = [i for i in range(len(body)) if not body.is_leaf(i)]
        seen = np.array([ALWAYS if i in always else SOMETIMES if i in sometimes else NEVER for i in own])
        return bool(((reach == seen) | (reach == NEVER)).all() and (reach == reach[0]).all())

    def _is_sequential(self, loop: Stretch) -> bool:
        """Whether copies depend on each other in a chain, other than that of a sum to which all add."""
        trace, begin = self.trace, loop.start + loop.period * (loop.count - 1)
        first = trace.first[begin]
        refs = trace.refs[first : trace.first[begin + loop.period]]
        depends = np.zeros(loop.period, bool)  # on what a copy takes from earlier ones
        given: list[int] = []  # the operations whose results later copies take
        for op in range(loop.period):
            own = trace.refs[trace.first[begin + op] : trace.first[begin + op + 1]]
            for ref in own.tolist():
                if ref >= begin:
                    depends[op] |= depends[ref - begin]
                elif ref >= loop.start:
                    is_sum = (
                        trace.row(begin + op).name in ("add", "sub") and begin + op - ref == loop.period
                    )
                    if not (is_sum and int((refs == ref).sum()) == 1 and not (refs == begin + op).any()):
                        depends[op] = True
                        given.append((ref - loop.start) % loop.period)
        return bool(depends[given].any())

    def _needed(self) -> Array:
        """Which operations another copy or part needs, or the trace returns."""
        trace = self.trace
        needed = np.zeros(len(trace), bool)
        for each in self.stretches:
            for first, refs in trace.copies(each):
                begin = each.start + each.period * np.arange(first, first + len(refs))[:, None]
                needed[refs[(refs >= 0) & (refs < begin)]] = True
        for results in (trace.outputs, trace.guards):
            needed[results[results >= 0]] = True
        return needed

    def _part(self, stretch: Stretch, needed: Array) -> Part:
        trace, start, period, count = self.trace, stretch.start, stretch.period, stretch.count
        first, last = trace.first[start], trace.first[start + period]
        width = int(last - first)
        refs = trace.refs[first : first + width * count].reshape(count, width)
        columns: list[Array] = []
        graph = Graph()
        known: dict[bytes, int] = {}  # the leaf for each column, by its hash
        made: list[int] = []  # the node of each operation
        for b in range(period):
            args = []
            for j in range(trace.first[start + b] - first, trace.first[start + b + 1] - first):
                if refs[0, j] >= start:
                    args.append(made[refs[0, j] - start])
                    continue
                column = np.ascontiguousarray(refs[:, j])
                key = blake2b(column.data).digest()
                if key not in known:
                    if (column == column[0]).all():
                        column = np.broadcast_to(column[:1].copy(), count)
                    number = trace.constant(column)
                    known[key] = graph.add(
                        *((INPUT, (len(columns),)) if number is None else (CONSTANT, (number,)))
                    )
                    if number is None:
                        columns.append(column)
                args.append(known[key])
            made.append(graph.add(trace.row(start + b), args))
        results = np.flatnonzero(needed[start : stretch.stop].reshape(count, period).any(0)).tolist()
        graph.outputs = [made[b] for b in results]
        return Part(stretch, graph, columns, results)
