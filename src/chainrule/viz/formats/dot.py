"""A picture as text for Graphviz."""

from __future__ import annotations

from ...support import numbers
from .. import labels
from ..model import CHANGED, CONSTANT, GROUP, LEAF, OPERATION, Node, Picture

STYLES = {
    LEAF: 'style="rounded,filled", fillcolor="#ddf4ff", color="#0969da"',
    OPERATION: 'style="filled", fillcolor="#f6f8fa", color="#57606a"',
    CONSTANT: 'style="rounded,dashed", color="#8c959f"',
    GROUP: 'style="filled", fillcolor="#f5efff", color="#8250df", peripheries=2',
}


def dot(picture: Picture) -> str:
    """Graphviz text, from left to right."""
    lines = [
        "digraph {",
        "  rankdir=LR",
        '  node [shape=box, fontname="monospace", fontsize=11]',
        '  edge [fontname="monospace", fontsize=10, color="#8c959f", fontcolor="#b35900"]',
    ]
    if picture.title:
        lines.append(f"  label={_quoted(labels.clean(picture.title))}")
    for node in picture.nodes:
        heavy = ", penwidth=2.5" if node.id in picture.outputs else ""
        lines.append(f"  n{node.id} [label={_quoted(_text(node))}, {STYLES[node.kind]}{heavy}]")
    for edge in picture.edges:
        share = "" if edge.share is None else f" [label={_quoted(numbers.signed(edge.share))}]"
        lines.append(f"  n{edge.source} -> n{edge.target}{share}")
    return "\n".join([*lines, "}"]) + "\n"


def _text(node: Node) -> str:
    if node.kind == CONSTANT:
        return numbers.format(node.data)
    rows = [labels.name_of(node)]
    if node.kind == GROUP:
        rows.append(f"{node.count:,} nodes")
    if node.data is not None:
        rows += [f"data {numbers.format(node.data)}", f"grad {numbers.format(node.grad)}"]
    if node.changed:
        rows.append(CHANGED)
    return "\n".join(rows)


def _quoted(text: str) -> str:
    """A string of Graphviz, in which a backslash is special too."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
