"""Draws docs/graph.svg, the picture in the README, from the values and gradients themselves.

Left to right: leaves, operations, result. On each edge stands the contribution that flowed
back through it. Run by `make regen`; a test compares the committed file with what it writes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from chainrule import Value  # noqa: E402

PICTURE = ROOT / "docs" / "graph.svg"
WIDTH, HEIGHT, GAP_X, GAP_Y = 132, 62, 100, 26
STYLE = (
    "text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#1f2328}"
    ".share{paint-order:stroke;stroke:#fff;stroke-width:5px}"
    ".name{font-weight:600}.grad{fill:#b3261e}.edge{fill:none;stroke:#8c959f;stroke-width:1.5}"
    ".leaf{fill:#ddf4ff;stroke:#0969da}.node{fill:#f6f8fa;stroke:#57606a}"
    ".constant{fill:#fff;stroke:#8c959f;stroke-dasharray:4 3}"
)


def expression() -> Any:
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    y = (a * b + a**2).tanh()
    y.label = "y"
    y.backward()
    return y


def places(root: Any) -> dict[Any, tuple[float, float]]:
    """A column for each distance from the leaves, in the order of the walk."""
    nodes: list[Any] = []
    for node in root._topological():
        nodes += [v for v in node.inputs if v.is_constant] + [node]
    depth: dict[Any, int] = {}
    for node in nodes:
        depth[node] = 1 + max((depth[v] for v in node.inputs), default=-1)
    columns: dict[int, list[Any]] = {}
    for node in nodes:
        columns.setdefault(depth[node], []).append(node)
    tallest = max(len(column) for column in columns.values())
    result: dict[Any, tuple[float, float]] = {}
    for x, column in columns.items():
        top = (tallest - len(column)) * (HEIGHT + GAP_Y) / 2
        for y, node in enumerate(column):
            result[node] = (12 + x * (WIDTH + GAP_X), 12 + top + y * (HEIGHT + GAP_Y))
    return result


def box(node: Any, x: float, y: float) -> list[str]:
    kind = "constant" if node.is_constant else "leaf" if node.is_leaf else "node"
    name = node.label if node.is_leaf else f"{node.label} = {node.op}" if node.label else node.op
    lines = [
        f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="8"/>',
        f'<text class="name" x="{x + 12:g}" y="{y + 19:g}">{name or "constant"}</text>',
        f'<text x="{x + 12:g}" y="{y + 36:g}">data {node.data:.4f}</text>',
    ]
    if not node.is_constant:
        lines.append(f'<text class="grad" x="{x + 12:g}" y="{y + 53:g}">grad {node.grad:.4f}</text>')
    return lines


def edge(start: tuple[float, float], end: tuple[float, float], slot: float, share: str) -> list[str]:
    x1, y1 = start[0] + WIDTH, start[1] + HEIGHT / 2
    x2, y2 = end[0], end[1] + slot
    middle = (x1 + x2) / 2
    path = f"M{x1:g},{y1:g} C{middle:g},{y1:g} {middle:g},{y2:g} {x2:g},{y2:g}"
    lines = [f'<path class="edge" d="{path}"/>']
    if share:
        lines.append(
            f'<text class="grad share" x="{x2 - 6:g}" y="{y2 - 4:g}" text-anchor="end">{share}</text>'
        )
    return lines


def draw(root: Any) -> str:
    at = places(root)
    width = max(x for x, _ in at.values()) + WIDTH + 12
    height = max(y for _, y in at.values()) + HEIGHT + 12
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}">',
        "<title>The graph of tanh(a*b + a**2) with values and gradients</title>",
        f"<style>{STYLE}</style>",
        f'<rect width="{width:g}" height="{height:g}" rx="10" fill="#fff"/>',
    ]
    for node in at:
        if not node.inputs:
            continue
        data = [v.data for v in node.inputs]
        partials = node._row.derivatives(data, node.data, [not v.is_constant for v in node.inputs])
        for i, (child, partial) in enumerate(zip(node.inputs, partials, strict=True)):
            slot = HEIGHT * (i + 1) / (len(node.inputs) + 1)
            share = "" if partial is None else f"{node.grad * partial:+.4f}"
            lines += edge(at[child], at[node], slot, share)
    for node, (x, y) in at.items():
        lines += box(node, x, y)
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(draw(expression()))
    print(f"wrote {PICTURE.relative_to(ROOT)}")
