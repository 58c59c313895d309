"""Assigns nodes to columns and orders each column. Ignores the sizes of boxes.

A value that is used several columns to the right gets one dummy point in each column in between, shared
by all its edges. Crossings are reduced by barycentre sweeps from several starts and by exchanging
neighbours.
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..model import GROUP, Picture

WORK = 60_000  # points sorted in all sweeps together; bounds the time for large graphs
SWEEPS, STARTS, PATIENCE = 24, 8, 4

Order = list[list[int]]


@dataclass
class Layers:
    """Columns of points: nodes keep their numbers, dummy points have the numbers after them.

    `before[p]` are the points in the column to the left that lead to p, by port from top to
    bottom; `after[p]` are the points to the right, each with its port as a fraction of its height.
    """

    columns: Order
    column: list[int]  # of each point
    owner: list[int]  # the node whose value passes through a point
    before: list[list[int]]
    after: list[list[tuple[int, float]]]
    ordered: list[bool]  # whether the ports of a point must keep their order
    on_the_way: dict[tuple[int, int], int] = field(default_factory=dict)  # (node, column): point

    def port(self, point: int, rank: int) -> float:
        """The height of a port, from -0.5 at the top to 0.5 at the bottom."""
        return (rank + 1) / (len(self.before[point]) + 1) - 0.5

    def places(self, order: Order) -> list[int]:
        """The rank of each point in its column."""
        place = [0] * len(self.owner)
        for column in order:
            for i, point in enumerate(column):
                place[point] = i
        return place

    def way_to(self, node: int, last: int) -> list[int]:
        """The dummy points from a node up to the point `last`."""
        columns = range(self.column[node] + 1, self.column[last] + 1)
        return [self.on_the_way[node, c] for c in columns]

    def ways(self) -> Iterator[list[int]]:
        """For each node with dummy points: the node, then the points."""
        ways: dict[int, list[int]] = {}
        for (node, _), point in self.on_the_way.items():
            ways.setdefault(node, [node]).append(point)
        return iter(ways.values())


# --- columns -------------------------------------------------------------------------------------


def depths(picture: Picture) -> list[int]:
    """A column for each node: as near to its users as possible, then moved to shorten the edges."""
    count = len(picture.nodes)
    users: list[list[int]] = [[] for _ in range(count)]
    for node in picture.nodes:
        for source in set(node.inputs):
            users[source].append(node.id)
    depth = [0] * count
    for i in reversed(range(count)):
        depth[i] = min((depth[user] for user in users[i]), default=0) - 1
    _tighten(picture, users, depth)
    taken = {d: i for i, d in enumerate(sorted(set(depth)))}
    return [taken[d] for d in depth]


def _tighten(picture: Picture, users: list[list[int]], depth: list[int]) -> None:
    """Move a node to the left while that shortens the edges overall.

    All edges of a value share one route, as far as its last user. So a step to the left costs 1 for the
    node's own value and saves 1 for each input of which the node is the last user.
    """
    nodes = picture.nodes
    for node in nodes:
        inputs = [i for i in set(node.inputs) if nodes[i].inputs or len(users[i]) > 1]
        if len(inputs) < 2 or not users[node.id]:
            continue
        # How far the inputs' routes reach for other users.
        others = ([depth[user] for user in users[i] if user != node.id] for i in inputs)
        reach = sorted(max(found, default=depth[i] + 1) for i, found in zip(inputs, others, strict=True))
        lowest = max([depth[i] + 1 for i in inputs if nodes[i].inputs], default=reach[1])
        depth[node.id] = min(depth[node.id], max(lowest, reach[1]))
    for node in nodes:
        if not node.inputs and users[node.id]:
            depth[node.id] = min([depth[user] for user in users[node.id]]) - 1


def build(picture: Picture) -> Layers:
    """The columns in node order, with dummy points."""
    depth = depths(picture)
    count = len(depth)
    columns: Order = [[] for _ in range(max(depth, default=-1) + 1)]
    for i, d in enumerate(depth):
        columns[d].append(i)
    ordered = [
        node.kind != GROUP and node.op not in ("add", "mul") and len(node.inputs) <= 3
        for node in picture.nodes
    ]
    empty: list[list[int]] = [[] for _ in range(count)]
    layers = Layers(columns, depth, list(range(count)), empty, [[] for _ in range(count)], ordered)
    for edge in picture.edges:
        point = _lead(layers, edge.source, depth[edge.target] - 1)
        layers.before[edge.target].append(point)
    _connect(layers)
    return layers


def _lead(layers: Layers, node: int, column: int) -> int:
    """The point at which a node's value leaves a column; creates dummy points as needed."""
    d, point = layers.column[node], node
    found = layers.on_the_way.get((node, column))
    if found is not None or column == d:
        return node if found is None else found
    while d < column:
        d += 1
        known = layers.on_the_way.get((node, d))
        if known is None:
            known = len(layers.owner)
            layers.on_the_way[node, d] = known
            layers.owner.append(node)
            layers.column.append(d)
            layers.columns[d].append(known)
            layers.before.append([point])
            layers.after.append([])
            layers.ordered.append(True)
        point = known
    return point


def _connect(layers: Layers) -> None:
    """Fill in `after` from `before`."""
    for following in layers.after:
        following.clear()
    for point, sources in enumerate(layers.before):
        for rank, source in enumerate(sources):
            port = layers.port(point, rank) if layers.ordered[point] else 0.0
            layers.after[source].append((point, port))


# --- crossings -----------------------------------------------------------------------------------


def crossings(layers: Layers, order: Order) -> int:
    """The number of edge crossings over all gaps between columns."""
    place = layers.places(order)
    return sum(_crossings_before(layers, column, place) for column in order[1:])


def _crossings_before(layers: Layers, column: list[int], place: list[int]) -> int:
    """Crossings of the edges into a column: inversions, counted while inserting."""
    seen: list[int] = []
    total = 0
    for point in column:
        sources = [place[source] for source in layers.before[point]]
        if not layers.ordered[point]:
            sources.sort()
        for source in sources:
            total += len(seen) - bisect_right(seen, source)
            insort(seen, source)
    return total


# --- the order -----------------------------------------------------------------------------------


def arrange(layers: Layers, picture: Picture) -> tuple[Order, int]:
    """The order with the fewest crossings found, and their number."""
    size = len(layers.owner) + len(picture.edges)
    budget = max(1, WORK // max(1, size))  # passes over the whole graph
    starts = max(1, min(STARTS, budget // SWEEPS))
    sweeps = min(SWEEPS, budget)
    best, fewest = first_order(layers, picture), -1
    for i, start in enumerate(_starts(best, starts)):
        found, number = _sweep(layers, start, sweeps)
        if i == 0 or number < fewest:
            best, fewest = found, number
        if fewest == 0:
            break
    return best, fewest


def first_order(layers: Layers, picture: Picture) -> Order:
    """The order of a depth-first walk from the outputs: without crossings for a tree."""
    order: Order = [[] for _ in layers.columns]
    seen = [False] * len(layers.owner)
    roots = [*picture.outputs, *(i for i in range(len(picture.nodes)) if not layers.after[i])]
    for root in roots:
        stack = [root]
        while stack:
            point = stack.pop()
            if not seen[point]:
                seen[point] = True
                order[layers.column[point]].append(point)
                stack += reversed(layers.before[point])
    return order


def _starts(first: Order, count: int) -> Iterable[Order]:
    yield first
    rng = random.Random(0)
    for _ in range(count - 1):
        order = [list(column) for column in first]
        for column in order:
            rng.shuffle(column)
        yield order


def _sweep(layers: Layers, start: Order, sweeps: int) -> tuple[Order, int]:
    """Sweep right to left and back until nothing improves for a while; return the best order."""
    order = [list(column) for column in start]
    best, fewest = [list(column) for column in order], crossings(layers, order)
    waited = 0
    for i in range(sweeps):
        if fewest == 0 or waited == PATIENCE:
            break
        place = layers.places(order)
        if i % 2 == 0:
            for column in reversed(order[:-1]):
                _sort(column, place, [_right(layers, p, place) for p in column])
        else:
            for column in order[1:]:
                _sort(column, place, [_left(layers, p, place) for p in column])
        _transpose(layers, order, place, 2)
        number = crossings(layers, order)
        waited += 1
        if number < fewest:
            best, fewest, waited = [list(column) for column in order], number, 0
    return best, fewest


def _right(layers: Layers, point: int, place: list[int]) -> float | None:
    after = layers.after[point]
    return sum(place[p] + port for p, port in after) / len(after) if after else None


def _left(layers: Layers, point: int, place: list[int]) -> float | None:
    before = layers.before[point]
    return sum(place[p] for p in before) / len(before) if before else None


def _sort(column: list[int], place: list[int], wishes: Sequence[float | None]) -> None:
    """Sort points by their desired position; those without one stay in place."""
    movable = [(wish, place[p], p) for p, wish in zip(column, wishes, strict=True) if wish is not None]
    movable.sort()
    following = iter(movable)
    for i, wish in enumerate(wishes):
        if wish is not None:
            column[i] = next(following)[2]
    for i, point in enumerate(column):
        place[point] = i


def _transpose(layers: Layers, order: Order, place: list[int], passes: int) -> None:
    """Exchange neighbours if that removes crossings."""
    for _ in range(passes):
        gained = False
        for column in order:
            for i in range(len(column) - 1):
                p, q = column[i], column[i + 1]
                if _gain(layers, p, q, place) > 0:
                    column[i], column[i + 1] = q, p
                    place[p], place[q] = i + 1, i
                    gained = True
        if not gained:
            break


def _gain(layers: Layers, p: int, q: int, place: list[int]) -> int:
    """How many crossings are saved by moving q above p."""
    gain = _excess([place[x] for x in layers.before[p]], [place[x] for x in layers.before[q]])
    after_p, after_q = layers.after[p], layers.after[q]
    if after_p and after_q:
        gain += _excess(
            [place[x] + port for x, port in after_p], [place[x] + port for x, port in after_q]
        )
    return gain


def _excess(upper: list[Any], lower: list[Any]) -> int:
    """The number of inverted pairs of ends, minus the number in the opposite order."""
    if len(upper) * len(lower) > 64:
        upper.sort()
        return sum(len(upper) - bisect_right(upper, y) - bisect_left(upper, y) for y in lower)
    excess = 0
    for x in upper:
        for y in lower:
            if x > y:
                excess += 1
            elif x < y:
                excess -= 1
    return excess
