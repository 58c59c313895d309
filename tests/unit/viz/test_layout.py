"""Layouts: nothing overlaps, no edge runs through a box, there are few crossings, and runs agree."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chainrule import Value, where
from chainrule.viz import picture
from chainrule.viz.layout import layers
from chainrule.viz.layout.folding import fold
from chainrule.viz.layout.places import Layout, layout
from chainrule.viz.model import Picture

from .drawn import expression, network


def boxes(places: Layout) -> Any:
    """Left, right, top, bottom of every node."""
    return np.array([(p.x, p.x + p.width, p.y, p.y + p.height) for p in places.nodes]).T


def assert_nothing_overlaps(places: Layout) -> None:
    left, right, top, bottom = boxes(places)
    assert left.min() >= 0
    assert top.min() >= 0
    assert right.max() <= places.width
    assert bottom.max() <= places.height
    beside = (left[:, None] < right) & (left < right[:, None])
    over = (top[:, None] < bottom) & (top < bottom[:, None])
    assert np.argwhere(np.triu(beside & over, 1)).tolist() == []


def assert_edges_avoid_boxes(drawn: Picture, places: Layout) -> None:
    """Between two points an edge stays inside the rectangle that they span."""
    left, right, top, bottom = boxes(places)
    for edge, points in zip(drawn.edges, places.edges, strict=True):
        source, target = places.nodes[edge.source], places.nodes[edge.target]
        assert points[0] == (source.x + source.width, source.y + source.height / 2)
        assert points[-1][0] == target.x
        assert target.y < points[-1][1] < target.y + target.height
        for (x1, y1), (x2, y2) in pairwise(points):
            assert x1 < x2
            assert 0 <= y1 <= places.height
            low, high = min(y1, y2), max(y1, y2)
            hit = (left < x2) & (right > x1) & (top < high + 1) & (bottom > low - 1)
            assert np.flatnonzero(hit).tolist() == [], f"edge {edge.id} runs through a box"


def laid_out(drawn: Picture) -> Layout:
    places = layout(drawn)
    assert_nothing_overlaps(places)
    assert_edges_avoid_boxes(drawn, places)
    return places


def crossings_seen(drawn: Picture, places: Layout) -> int:
    """Count the crossings in the drawing: pairs of lines that swap sides between two columns."""
    columns: dict[float, list[float]] = {}
    for place in places.nodes:
        box = columns.setdefault(place.x + place.width // 2, [place.x, place.x + place.width])
        box[:] = min(box[0], place.x), max(box[1], place.x + place.width)
    ordered: list[list[float]] = []
    for low, high in sorted(columns.values()):  # a centre may be off by a pixel
        if ordered and low < ordered[-1][1]:
            ordered[-1] = [min(ordered[-1][0], low), max(ordered[-1][1], high)]
        else:
            ordered.append([low, high])
    total = 0
    for (_, start), (end, _) in pairwise(ordered):
        lines = set()
        for edge, points in zip(drawn.edges, places.edges, strict=True):
            for (x1, y1), (x2, y2) in pairwise(points):
                if x1 <= start and x2 >= end:
                    lines.add((edge.source, y1, y2))
        total += sum((a[1] - b[1]) * (a[2] - b[2]) < 0 for a, b in combinations(sorted(lines), 2))
    return total


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("nodes", [1, 2, 3, 5, 10, 30, 100])
def test_random_expressions(nodes: int, seed: int) -> None:
    drawn = picture(expression(nodes, seed))
    places = laid_out(drawn)
    assert len(drawn.nodes) == nodes
    assert places.crossings == crossings_seen(drawn, places)


def deep(rounds: int) -> Any:
    """Every value is used again much later, so there are many long edges."""
    x = Value(1.0)
    values = [x]
    for _ in range(rounds):
        values.append(values[-1].sin())
    out = values[-1]
    for value in reversed(values):
        out = out * value
    return out


def folded(samples: int, most: int) -> Picture:
    return fold(picture(network(3, 8, 8, 1, samples=samples)[0]), most)


@pytest.mark.parametrize(
    "make",
    [
        *(lambda: picture(expression(300)), lambda: picture(expression(1000))),
        *(lambda: picture(expression(2000)), lambda: picture(deep(40))),
        *(partial(folded, samples, most) for samples in (1, 3) for most in (10, 10_000)),
    ],
)
def test_large_graphs(make: Callable[[], Picture]) -> None:
    laid_out(make())


@pytest.mark.parametrize("seed", range(5))
def test_sweeps_remove_crossings(seed: int) -> None:
    drawn = picture(expression(200, seed))
    graph = layers.build(drawn)
    before = layers.crossings(graph, graph.columns)
    _, after = layers.arrange(graph, drawn)
    assert after < before / 2


def test_a_tree_has_no_crossings() -> None:
    level: list[Any] = [Value(float(i)) for i in range(64)]
    while len(level) > 1:
        level = [a - b for a, b in zip(level[::2], level[1::2], strict=True)]
    places = layout(picture(level[0]))
    assert places.crossings == 0


def test_a_chain_is_one_straight_line() -> None:
    out: Any = Value(0.5)
    for _ in range(20):
        out = out.tanh()
    places = layout(picture(out))
    assert len({place.y for place in places.nodes}) == 1
    assert all(len(points) == 2 for points in places.edges)


def test_edges_arrive_in_the_order_of_arguments() -> None:
    """Where the order matters, the first argument is on top."""
    a, b, c = Value(1.0), Value(2.0), Value(3.0)
    for out in (a - b, b / a, where(a, c, b), (b - a) - (a - b)):
        drawn = picture(out)
        places = layout(drawn)
        for node in drawn.nodes:
            heights = [places.edges[edge.id][-1][1] for edge in drawn.into(node.id)]
            assert heights == sorted(set(heights))


def test_a_leaf_is_placed_next_to_its_first_use() -> None:
    a, b = Value(1.0, label="a"), Value(2.0, label="b")
    drawn = picture(a.sin().sin().sin() + b)
    names = [node.label or node.op for node in drawn.nodes]
    column = dict(zip(names, layers.depths(drawn), strict=True))
    assert column["b"] == column["add"] - 1
    assert column["a"] == 0


def test_the_numbers_do_not_move_the_boxes() -> None:
    a, b = Value(2.0), Value(-3.0)
    out = (a * b + a).tanh()
    before = layout(picture(out))
    a.data, b.data = -1e-300, 12345.678
    out.forward().backward()
    assert layout(picture(out)) == before


def test_long_labels_get_wide_boxes() -> None:
    drawn = picture([Value(1.0, label="x"), Value(1.0, label="a" * 30), Value(1.0, label="字" * 15)])
    short, long, wide = (place.width for place in layout(drawn).nodes)
    assert short < long == wide


def test_a_layout_as_json() -> None:
    drawn = picture(expression(30))
    found = json.loads(json.dumps(layout(drawn).as_dict(), allow_nan=False))
    assert set(found) >= {"width", "height", "nodes", "edges"}
    assert set(found["nodes"][0]) == {"x", "y", "width", "height"}
    assert len(found["nodes"]) == len(drawn.nodes)
    assert len(found["edges"]) == len(drawn.edges)


def test_drawings_are_the_same_for_every_hash_seed() -> None:
    code = (
        "from tests.unit.viz.drawn import expression, network\n"
        "from chainrule import draw\n"
        "print(draw(expression(120)).svg, draw(network(3, 16, 8, 1)[0]).svg)\n"
    )
    outputs = set()
    for seed in range(2):
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            cwd=Path(__file__).resolve().parents[3],
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1
