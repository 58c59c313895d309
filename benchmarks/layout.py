"""How long does it take to lay out a graph, and how tangled is the result?

Lays out random expressions with shared parts, without Graphviz. The table counts edge
crossings twice: with the boxes of each column in the order of computation, and after layout. Nothing
may overlap, at any size. In the last row, the ratio column shows the time in seconds, because the
target is a time.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import measure
import numpy as np
from measure import Row, Table, in_rounds, in_time_units, timed

from chainrule import Value, viz
from chainrule.viz.layout import layers
from chainrule.viz.layout.places import Layout, layout

SIZES = (10, 100) if measure.QUICK else (10, 100, 300, 1_000, 2_000)
SECONDS = 1.0  # the target for the largest graph
REPEATS = 1 if measure.QUICK else 5


def expression(nodes: int) -> Any:
    """A random expression, built mostly from recent results, partly from older ones."""
    rng = random.Random(nodes)
    leaves = nodes // 5
    unused: list[Any] = [Value(rng.uniform(0.5, 1.5), label=f"x{i}") for i in range(leaves)]
    known = list(unused)
    for left in range(nodes - leaves, 0, -1):
        a = unused.pop(rng.randrange(len(unused)))
        if len(unused) < left and rng.random() < 0.3:
            out = rng.choice([a.tanh, a.sin, a.sigmoid])()
        else:
            together = unused and (len(unused) >= left or rng.random() < 0.5)
            b = unused.pop(rng.randrange(len(unused))) if together else rng.choice(known[-20:])
            out = rng.choice([lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b])(a, b)
        unused.append(out)
        known.append(out)
    return unused[0]


def faults(places: Layout) -> int:
    """Overlapping boxes, and edges that run through boxes."""
    sides = np.array([(p.x, p.x + p.width, p.y, p.y + p.height) for p in places.nodes]).T
    left, right, top, bottom = sides
    beside = (left[:, None] < right) & (left < right[:, None])
    over = (top[:, None] < bottom) & (top < bottom[:, None])
    count = int(np.triu(beside & over, 1).sum())
    for points in places.edges:
        for (x1, y1), (x2, y2) in pairwise(points):
            low, high = min(y1, y2), max(y1, y2)
            count += int(((left < x2) & (right > x1) & (top < high) & (bottom > low)).sum())
    return count


def row(nodes: int) -> Row:
    picture = viz.picture(expression(nodes))
    graph = layers.build(picture)
    before = layers.crossings(graph, graph.columns)
    places = layout(picture)
    times = in_rounds({"layout": lambda: timed(lambda: layout(picture))}, REPEATS)["layout"]
    cells = [
        f"{len(picture.nodes):,} nodes",
        f"{len(picture.edges):,}",
        f"{before:,}",
        f"{places.crossings:,}",
        f"{faults(places)}",
        in_time_units(times.median),
        f"{in_time_units(min(times.seconds))} - {in_time_units(max(times.seconds))}",
    ]
    last = nodes == SIZES[-1]
    return Row(cells, times.median if last else None, at_most=SECONDS if last else None)


def tables() -> Iterator[Table]:
    head = ["graph", "edges", "crossings before layout", "after layout", "faults", "median"]
    yield Table([*head, "fastest - slowest"], [row(nodes) for nodes in SIZES])


if __name__ == "__main__":
    sys.exit(measure.main(tables))
