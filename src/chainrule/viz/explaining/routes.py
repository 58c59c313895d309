"""The paths of a gradient from a result to one of the values it depends on.

`flow` repeats the backward pass with the same products and sums in the same order, so the bits are the
same, but does not write to the graph. `largest` finds the paths that contribute most.
"""

from __future__ import annotations

import heapq
import itertools
import math
from array import array
from typing import Any, NamedTuple

from ...support import errors, graph
from ...support.ieee import as_float

MANY = 10**1000  # the path count saturates here
STEPS = 100_000  # of the search for the largest paths
SCALE = 2**20  # sizes are compared by integer logarithms, so that equal ones stay equal
ZERO = -(10**12)  # the logarithm of 0
INFINITE = 10**24  # the logarithm of infinity and NaN, whatever the other factors are


class Edge(NamedTuple):
    """The share of the gradient that flows from a result to one of its arguments."""

    target: int
    slot: int
    source: int
    partial: float
    share: float


class Flow:
    """The values between a result and `w` that the gradient passes through, inputs first.

    Edges are stored as columns of numbers, in the order of backward: there may be millions.
    """

    def __init__(self, nodes: list[Any]) -> None:
        self.nodes = nodes  # the first is w, because all others depend on it
        self.gradients: list[float] = [0.0] * len(nodes)
        self.count = 0  # paths, or MANY
        self.into: array[int] = array("q")  # the edges to w
        self.first: array[int] = array(
            "q", bytes(8 * len(nodes))
        )  # first edge of each target, and how many
        self.width: array[int] = array("q", bytes(8 * len(nodes)))
        self.targets: array[int] = array("q")
        self.slots: array[int] = array("q")
        self.sources: array[int] = array("q")
        self.partials: array[float] = array("d")
        self.shares: array[float] = array("d")

    @property
    def gradient(self) -> float:
        """The gradient with respect to w."""
        return self.gradients[0] if self.nodes else 0.0

    def edge(self, k: int) -> Edge:
        places = self.targets[k], self.slots[k], self.sources[k]
        return Edge(*places, self.partials[k], self.shares[k])

    def edges(self, target: int) -> range:
        return range(self.first[target], self.first[target] + self.width[target])


def flow(order: list[Any], w: Any) -> Flow:
    """Follow the gradient of the last of `order` back to `w`.

    Values that do not depend on `w` are left out.
    """
    place: dict[Any, int] = {}
    for node in order:
        if node is w or any(type(arg) is not float and arg in place for arg in graph.arguments(node)):
            place[node] = len(place)
    found = Flow(list(place))
    if order[-1] not in place:
        return found
    paths = [0] * len(place)
    found.gradients[-1], paths[-1] = 1.0, 1
    for i in range(len(place) - 1, 0, -1):
        if paths[i]:  # otherwise no gradient arrives: a branch that `where` did not take
            _pass_on(found, i, place, paths)
            paths[i] = 0  # frees memory: path counts can be long integers
    found.count = paths[0]
    return found


def _pass_on(found: Flow, i: int, place: dict[Any, int], paths: list[int]) -> None:
    """Pass shares to the arguments of a node; the counterpart of `Value.__propagate`."""
    node, gradient, count = found.nodes[i], found.gradients[i], paths[i]
    row = graph.formula(node)
    if row is None:
        raise errors.no_formula(node, "explain")
    args = graph.arguments(node)
    wanted = [type(arg) is not float and arg in place for arg in args]
    numbers = [arg if type(arg) is float else arg.data for arg in args]
    found.first[i] = edges = len(found.targets)
    for slot, partial in enumerate(row.derivatives(numbers, node.data, wanted)):
        if partial is None or not wanted[slot] or (row.selects and partial == 0.0):
            continue
        if type(partial) is not float:
            partial = as_float(partial)
        share, source = gradient * partial, place[args[slot]]
        found.gradients[source] += share
        paths[source] = min(paths[source] + count, MANY)
        if source == 0:
            found.into.append(len(found.targets))
        found.targets.append(i)
        found.slots.append(slot)
        found.sources.append(source)
        found.partials.append(partial)
        found.shares.append(share)
    found.width[i] = len(found.targets) - edges


class Path(NamedTuple):
    """One path from the result to w, and its contribution: the product of its derivatives."""

    edges: tuple[Edge, ...]
    contribution: float


def largest(found: Flow, most: int) -> list[Path]:
    """Up to `most` paths, the largest contributions first, NaN before all others.

    Fewer if the paths are too long to list.
    """
    ahead = _ahead(found)
    start = len(found.nodes) - 1
    if ahead[start] is None or start == 0:
        return []
    paths: list[Path] = []
    ties = itertools.count()
    # Best-first search. Among equals, complete paths come first, then the longest.
    queue: list[Any] = [(0, 1, 0, next(ties), start, 0, None)]
    for _ in range(STEPS):
        if not queue or len(paths) == most:
            break
        _, _, depth, _, i, behind, link = heapq.heappop(queue)
        if i == 0:
            paths.append(_path(found, link))
            continue
        for k in found.edges(i):
            source = found.sources[k]
            rest = ahead[source]
            if rest is not None:
                size = behind + _size(found.partials[k])
                entry = (-(size + rest), source != 0, depth - 1, next(ties), source, size, (k, link))
                heapq.heappush(queue, entry)
    return sorted(
        paths, key=lambda path: -math.inf if math.isnan(path.contribution) else -abs(path.contribution)
    )


def rank(x: float) -> float:
    """The absolute value; NaN counts as infinite."""
    return math.inf if math.isnan(x) else abs(x)


def _ahead(found: Flow) -> list[int | None]:
    """For each node the size of the largest path from there to w; None if no path leads there."""
    ahead: list[int | None] = [0] + [None] * (len(found.nodes) - 1)
    for i in range(1, len(found.nodes)):
        for k in found.edges(i):
            rest, best = ahead[found.sources[k]], ahead[i]
            if rest is not None:
                size = rest + _size(found.partials[k])
                ahead[i] = size if best is None or size > best else best
    return ahead


def _size(partial: float) -> int:
    if partial == 1.0:
        return 0
    if partial == 0.0:
        return ZERO
    return round(math.log(abs(partial)) * SCALE) if math.isfinite(partial) else INFINITE


def _path(found: Flow, link: Any) -> Path:
    edges = []
    while link is not None:
        k, link = link
        edges.append(found.edge(k))
    edges.reverse()
    contribution = 1.0
    for edge in edges:
        contribution *= edge.partial
    return Path(tuple(edges), contribution)
