"""Coordinates: columns from left to right, boxes that do not touch, edges around them.

`layout(picture)` is deterministic and ignores the numbers, so boxes stay in place when numbers change.
Edges bend only between columns and cross a column on a straight line through free space, so none can run
through a box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, pairwise
from math import inf
from typing import Any

from ...support import numbers
from .. import labels
from ..model import CONSTANT, GROUP, Node, Picture
from . import layers
from .layers import Layers, Order

# In pixels. A character of the fonts used is at most this wide.
CHARACTER, PADDING = 7.6, 12.0
WIDTH, HEIGHT, LINE = 136.0, 64.0, 16.0
CONSTANT_HEIGHT = 30.0
PORT, TALLEST = 18.0, 216.0  # height per argument, and the largest height of a box
MARGIN = 16.0
GAP, WIDEST_GAP = 112.0, 260.0  # between columns; wider where edges are steep
BETWEEN, BESIDE, LANE = 24.0, 20.0, 14.0  # gaps: box to box, box to edge, edge to edge
SNAP = 3.0  # nearly horizontal edges become horizontal
ROUNDS, WORK = 16, 50_000  # of moving boxes; points moved in all rounds together


@dataclass(frozen=True)
class Place:
    """A box: its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Layout:
    """The boxes of nodes and the points of edges, in the order of the picture.

    Consecutive points of an edge are joined by a straight line if they have the same height, otherwise
    by a curve that is horizontal at both ends.
    """

    width: float
    height: float
    nodes: tuple[Place, ...]
    edges: tuple[tuple[tuple[float, float], ...], ...]
    crossings: int = 0

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def layout(picture: Picture) -> Layout:
    """Place the nodes of a picture and route its edges around them."""
    graph = layers.build(picture)
    order, crossings = layers.arrange(graph, picture)
    sizes = [_size(node) for node in picture.nodes]
    heights = [height for _, height in sizes]
    ports = _ports(graph, order, heights)
    middles = _middles(graph, order, heights, ports)
    return _draw(picture, graph, sizes, middles, ports, crossings)


def _size(node: Node) -> tuple[float, float]:
    if node.kind == CONSTANT:
        text = labels.columns(numbers.format(node.data))
        return max(46.0, text * CHARACTER + 2 * PADDING), CONSTANT_HEIGHT
    text = labels.columns(labels.shorten(labels.name_of(node)))
    lines = 1 if node.kind == GROUP and node.data is not None else -1 if node.kind == GROUP else 0
    # The order of arguments matters for an operation, but not for a group.
    ports = 0 if node.inside else len(node.inputs)
    height = max(HEIGHT if node.inside else HEIGHT + LINE * lines, min(TALLEST, PORT * ports))
    return max(WIDTH, round(text * CHARACTER + 2 * PADDING)), height


Ports = list[list[float]]  # for each argument of each node, its offset below the middle


def _ports(graph: Layers, order: Order, heights: Sequence[float]) -> Ports:
    """Ports in argument order where that matters, otherwise in the order of the edges."""
    place = graph.places(order)
    ports: Ports = []
    for node, height in enumerate(heights):
        before = graph.before[node]
        count = len(before)
        ranks = list(range(count))
        if not graph.ordered[node]:
            ranks.sort(key=lambda i: place[before[i]])
        found = [0.0] * count
        for rank, i in enumerate(ranks):
            found[i] = round(height * ((rank + 1) / (count + 1) - 0.5))
        ports.append(found)
    return ports


# --- heights -------------------------------------------------------------------------------------

Pull = tuple[int, float, float]  # (point, offset below its middle, weight)


def _middles(graph: Layers, order: Order, heights: Sequence[float], ports: Ports) -> list[float]:
    """The vertical positions of all points: near their neighbours, with minimum gaps."""
    pulls = _pulls(graph, ports)
    rooms = [_rooms(column, heights) for column in order]
    middles = [0.0] * len(graph.owner)
    for column, room in zip(order, rooms, strict=True):
        for point, at in zip(column, _centred(room), strict=True):
            middles[point] = at
    rounds = max(1, min(ROUNDS, WORK // max(1, len(middles))))
    for i in range(rounds):
        turn = range(len(order)) if i % 2 else reversed(range(len(order)))
        for c in turn:
            _settle(order[c], rooms[c], pulls, middles)
    middles = [float(round(at)) for at in middles]
    for _ in range((rounds + 1) // 2):
        _pull_taut(graph, order, rooms, ports, middles)
    return middles


def _pulls(graph: Layers, ports: Ports) -> list[list[Pull]]:
    """The points that each point should align with; long edges have more weight."""
    nodes = len(ports)
    pulls: list[list[Pull]] = [[] for _ in graph.owner]
    for point, before in enumerate(graph.before):
        for i, source in enumerate(before):
            offset = ports[point][i] if point < nodes else 0.0
            weight = (1.0, 2.0, 8.0)[(point >= nodes) + (source >= nodes)]
            pulls[point].append((source, -offset, weight))
            pulls[source].append((point, offset, weight))
    return pulls


def _rooms(column: Sequence[int], heights: Sequence[float]) -> list[float]:
    """The minimum distance of each point from the one above it; 0 for the first."""
    nodes = len(heights)
    rooms = [0.0]
    for upper, lower in pairwise(column):
        if upper >= nodes and lower >= nodes:
            rooms.append(LANE)
        elif upper >= nodes or lower >= nodes:
            rooms.append(heights[min(upper, lower)] / 2 + BESIDE)
        else:
            rooms.append((heights[upper] + heights[lower]) / 2 + BETWEEN)
    return rooms


def _centred(rooms: Sequence[float]) -> list[float]:
    tops = list(accumulate(rooms))
    return [top - tops[-1] / 2 for top in tops]


def _settle(
    column: Sequence[int], rooms: Sequence[float], pulls: list[list[Pull]], middles: list[float]
) -> None:
    """Compute the best positions in one column while its neighbours stay fixed.

    With the gaps subtracted, points only have to keep their order, so this is isotonic regression: pool
    adjacent violators.
    """
    pools: list[tuple[float, float, int]] = []  # weighted sum of targets, weight, points
    tops = list(accumulate(rooms))
    for point, top in zip(column, tops, strict=True):
        weight = total = 0.0
        for other, offset, matters in pulls[point]:
            weight += matters
            total += matters * (middles[other] + offset)
        if not weight:
            weight, total = 1.0, middles[point]
        total -= weight * top
        count = 1
        while pools and pools[-1][0] * weight > total * pools[-1][1]:
            more, heavy, several = pools.pop()
            total, weight, count = total + more, weight + heavy, count + several
        pools.append((total, weight, count))
    i = 0
    for total, weight, count in pools:
        base = total / weight
        for _ in range(count):
            middles[column[i]] = base + tops[i]
            i += 1


def _pull_taut(
    graph: Layers, order: Order, rooms: list[list[float]], ports: Ports, middles: list[float]
) -> None:
    """Straighten long edges where there is room.

    Starts with the outermost edges, because only those are free on one side.
    """
    place = graph.places(order)
    centre = (min(middles) + max(middles)) / 2
    for way in sorted(
        graph.ways(), key=lambda way: -abs(sum(middles[p] - centre for p in way) / len(way))
    ):
        targets = [middles[way[0]], *_ends(graph, way[-1], ports, middles)]
        run: list[int] = []
        low, high = -inf, inf
        for point in way[1:]:
            bottom, top = _free(point, place[point], graph.column[point], order, rooms, middles)
            if max(low, bottom) > min(high, top):
                _level(run, low, high, targets, middles)
                run, low, high = [], -inf, inf
                targets = [middles[way[0]], *targets[1:]]
            run.append(point)
            low, high = max(low, bottom), min(high, top)
        _level(run, low, high, targets, middles)


def _free(
    point: int, i: int, column: int, order: Order, rooms: list[list[float]], middles: list[float]
) -> tuple[float, float]:
    """The range in which a point can move without violating the gaps."""
    points, room = order[column], rooms[column]
    low = middles[points[i - 1]] + room[i] if i > 0 else -inf
    high = middles[points[i + 1]] - room[i + 1] if i + 1 < len(points) else inf
    return min(low, middles[point]), max(high, middles[point])  # rounding may have exceeded the gap


def _ends(graph: Layers, last: int, ports: Ports, middles: list[float]) -> list[float]:
    """The positions at which the edges from the last point arrive."""
    ends = {target for target, _ in graph.after[last]}
    return [
        middles[target] + port
        for target in sorted(ends)
        for source, port in zip(graph.before[target], ports[target], strict=True)
        if source == last
    ]


def _level(
    run: list[int], low: float, high: float, targets: Sequence[float], middles: list[float]
) -> None:
    """Give points one common height: the first target that is free, otherwise the nearest height."""
    if not run:
        return
    free = [at for at in targets if low <= at <= high]
    level = free[0] if free else min(max(middles[run[len(run) // 2]], low), high)
    for point in run:
        middles[point] = level


# --- coordinates ----------------------------------------------------------------------------------


def _draw(
    picture: Picture,
    graph: Layers,
    sizes: Sequence[tuple[float, float]],
    middles: list[float],
    ports: Ports,
    crossings: int,
) -> Layout:
    tops = [middles[i] - height / 2 for i, (_, height) in enumerate(sizes)]
    down = MARGIN - min([*tops, *middles], default=0.0)
    middles = [at + down for at in middles]
    lefts, rights = _columns(graph, sizes, middles, ports)
    places = []
    for i, (width, height) in enumerate(sizes):
        c = graph.column[i]
        x = lefts[c] + (rights[c] - lefts[c] - width) // 2
        places.append(Place(x, middles[i] - height / 2, width, height))
    taken = [0] * len(places)
    edges = []
    for edge in picture.edges:
        slot = taken[edge.target]
        taken[edge.target] += 1
        last = graph.before[edge.target][slot]
        arrival = middles[edge.target] + ports[edge.target][slot]
        if abs(arrival - middles[last]) <= SNAP and len(ports[edge.target]) * 2 * SNAP < HEIGHT:
            arrival = middles[last]
        source, target = places[edge.source], places[edge.target]
        points = [(source.x + source.width, middles[edge.source])]
        points.append((rights[graph.column[edge.source]], middles[edge.source]))
        for point in graph.way_to(edge.source, last):
            c = graph.column[point]
            points += [(lefts[c], middles[point]), (rights[c], middles[point])]
        points += [(lefts[graph.column[edge.target]], arrival), (target.x, arrival)]
        edges.append(_without_waypoints(points))
    bottom = max([*(p.y + p.height for p in places), *middles], default=0.0)
    width = rights[-1] + MARGIN if rights else 2 * MARGIN
    return Layout(width, bottom + MARGIN, tuple(places), tuple(edges), crossings)


def _columns(
    graph: Layers, sizes: Sequence[tuple[float, float]], middles: list[float], ports: Ports
) -> tuple[list[float], list[float]]:
    """The left and the right side of every column."""
    widths = [0.0] * len(graph.columns)
    steepest = [0.0] * len(graph.columns)
    for point, c in enumerate(graph.column):
        node = point < len(sizes)
        widths[c] = max(widths[c], sizes[point][0] if node else 0.0)
        for i, source in enumerate(graph.before[point]):
            arrival = middles[point] + (ports[point][i] if node else 0.0)
            steepest[c] = max(steepest[c], abs(arrival - middles[source]))
    lefts, rights = [], []
    x = MARGIN
    for c, width in enumerate(widths):
        if c:
            x += min(WIDEST_GAP, GAP + round(0.08 * max(0.0, steepest[c] - 150.0)))
        lefts.append(x)
        x += width
        rights.append(x)
    return lefts, rights


def _without_waypoints(points: list[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Drop points between two others of the same height."""
    kept = points[:1]
    for i, point in enumerate(points[1:], 1):
        if point == kept[-1]:
            continue
        if i + 1 < len(points) and kept[-1][1] == point[1] == points[i + 1][1]:
            continue
        kept.append(point)
    return tuple(kept)
