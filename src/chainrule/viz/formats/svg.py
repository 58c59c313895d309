"""A picture and its layout as SVG text.

Shapes and dashes distinguish the kinds of nodes; colours only repeat the distinction. Avoids CSS
variables and markers, which some SVG renderers do not support. Rules apply only inside `.chainrule`, so
several pictures can share a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from zlib import crc32

from ...support import numbers
from .. import labels
from ..layout.folding import notes
from ..layout.places import LINE, MARGIN, PADDING, Layout, Place, layout
from ..model import CHANGED, CONSTANT, GROUP, LEAF, Edge, Node, Picture

THEMES = ("light", "dark")
MOST_SHARES = 12  # a box with more arguments has no room for their shares
ARROW, SHARE = 7.0, 6.7  # the length of an arrowhead, the width of a character on an edge
MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"


@dataclass(frozen=True)
class Palette:
    """Colours; blue and orange are safe for colour-blind readers."""

    ground: str
    text: str
    muted: str
    edge: str
    grad: str
    operation: tuple[str, str]  # fill, stroke
    leaf: tuple[str, str]
    constant: tuple[str, str]
    group: tuple[str, str]


LIGHT = Palette(
    *("#ffffff", "#1f2328", "#636c76", "#8c959f", "#b35900"),
    operation=("#f6f8fa", "#57606a"),
    leaf=("#ddf4ff", "#0969da"),
    constant=("#ffffff", "#8c959f"),
    group=("#f5efff", "#8250df"),
)
DARK = Palette(
    *("#0d1117", "#e6edf3", "#9198a1", "#6e7681", "#ffa657"),
    operation=("#1c2128", "#9198a1"),
    leaf=("#0c2d4d", "#58a6ff"),
    constant=("#0d1117", "#8b949e"),
    group=("#2a1f45", "#bc8cff"),
)

SHAPES = (
    f".chainrule text{{font:12px {MONO};white-space:pre}}"
    ".chainrule .name{font-weight:600;font-size:12.5px}"
    ".chainrule .number{text-anchor:end}"
    ".chainrule .only{text-anchor:middle}"
    ".chainrule .share{font-size:11px;text-anchor:end}"
    ".chainrule .edge{fill:none;stroke-width:1.5}"
    ".chainrule .still{stroke-dasharray:2 3}"
    ".chainrule .box{stroke-width:1.3}"
    ".chainrule .constant{stroke-dasharray:4 3}"
    ".chainrule .output{stroke-width:2.8}"
)


def svg(picture: Picture, places: Layout | None = None, theme: str | None = None) -> str:
    """SVG text; `theme` is light, dark, or None to follow the reader's system."""
    if theme not in (None, *THEMES):
        raise ValueError(f"theme must be 'light', 'dark' or None, got {theme!r}")
    places = places or layout(picture)
    many = [len(node.inputs) > MOST_SHARES for node in picture.nodes]
    title, about = title_of(picture), description(picture)
    mark = f"{crc32(picture.json().encode()):08x}"
    width, height = map(_n, size_of(picture, places))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chainrule {theme or "auto"}" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-labelledby="t{mark} d{mark}">',
        f'<title id="t{mark}">{escape(title)}</title>',
        f'<desc id="d{mark}">{escape(about)}</desc>',
        f"<style>{style(theme)}</style>",
        f'<rect class="ground" width="{width}" height="{height}" rx="10"/>',
    ]
    for edge, points in zip(picture.edges, places.edges, strict=True):
        lines += _edge(picture, edge, points)
    for edge, points in zip(picture.edges, places.edges, strict=True):
        if edge.share is not None and not many[edge.target]:
            lines += _share(edge.share, points[-1])
    for node, place in zip(picture.nodes, places.nodes, strict=True):
        lines += _box(node, place, node.id in picture.outputs)
    for i, note in enumerate(notes(picture)):
        lines.append(_text("word", MARGIN, places.height + 4 + LINE * i, note))
    return "\n".join([*lines, "</svg>"]) + "\n"


def size_of(picture: Picture, places: Layout) -> tuple[float, float]:
    """Width and height; each note takes one line."""
    return places.width, places.height + LINE * len(notes(picture))


# --- words ---------------------------------------------------------------------------------------


def title_of(picture: Picture) -> str:
    """The picture's title, or one built from its outputs."""
    if picture.title:
        return labels.clean(picture.title)
    names = [labels.name_of(picture.nodes[i]) or "a number" for i in picture.outputs[:3]]
    more = ", ..." if len(picture.outputs) > 3 else ""
    return f"The graph of {', '.join(names)}{more}, with values and gradients"


def description(picture: Picture) -> str:
    """A description of the picture for screen readers."""
    total = sum(node.count for node in picture.nodes)
    parts = [f"{total:,} node{'s' if total != 1 else ''} from left to right."]
    for name, ids in (
        ("Output", picture.outputs[:5]),
        ("Leaf", [node.id for node in picture.nodes if node.kind == LEAF and node.label][:12]),
    ):
        for i in ids:
            node = picture.nodes[i]
            found = labels.shorten(labels.name_of(node)) or "constant"
            numbers_ = f"data {numbers.format(node.data)}, grad {numbers.format(node.grad)}"
            parts.append(f"{name} {found}: {numbers_}.")
    return " ".join([*parts, *(f"{note}." for note in notes(picture) if CHANGED in note)])


def style(theme: str | None) -> str:
    """The rules for one theme, or for both, chosen by the reader's system."""
    if theme is None:
        dark = f"@media (prefers-color-scheme:dark){{{_colors('auto', DARK)}}}"
        return f"{SHAPES}{_colors('auto', LIGHT)}{dark}"
    return SHAPES + _colors(theme, LIGHT if theme == "light" else DARK)


def _colors(name: str, palette: Palette) -> str:
    rules = {
        ".ground": f"fill:{palette.ground}",
        "text": f"fill:{palette.text}",
        ".word": f"fill:{palette.muted}",
        ".grad": f"fill:{palette.grad}",
        ".edge": f"stroke:{palette.edge}",
        ".head": f"fill:{palette.edge}",
        ".plate": f"fill:{palette.ground}",
    }
    for kind in ("operation", "leaf", "constant", "group"):
        fill, stroke = getattr(palette, kind)
        rules[f".{kind}"] = f"fill:{fill};stroke:{stroke}"
    return "".join(f".chainrule.{name} {selector}{{{rule}}}" for selector, rule in rules.items())


# --- parts ---------------------------------------------------------------------------------------


def _n(x: float) -> str:
    return f"{x:.1f}".removesuffix(".0")


def _text(kind: str, x: float, y: float, text: str) -> str:
    return f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}">{escape(text)}</text>'


def _box(node: Node, place: Place, output: bool) -> list[str]:
    x, y, width, height = place.x, place.y, place.width, place.height
    radius = {LEAF: 18.0, CONSTANT: height / 2}.get(node.kind, 8.0)
    size = f'width="{_n(width)}" height="{_n(height)}" rx="{_n(radius)}"'
    kind = f"box {node.kind}{' output' if output else ''}"
    lines = [f"<g><title>{escape(_hint(node))}</title>"]
    if node.kind == GROUP:  # a stack of cards
        lines.append(f'<rect class="box group" x="{_n(x + 5)}" y="{_n(y + 5)}" {size}/>')
    lines.append(f'<rect class="{kind}" x="{_n(x)}" y="{_n(y)}" {size}/>')
    left, right = x + PADDING, x + width - PADDING
    if node.kind == CONSTANT:
        lines.append(_text("only", x + width / 2, y + height / 2 + 4, numbers.format(node.data)))
        return [*lines, "</g>"]
    rows = [("data", "number", numbers.format(node.data))] if node.data is not None else []
    rows.append(("grad", "number grad", numbers.format(node.grad)))
    if node.kind == GROUP and node.inside is None:
        rows = [("nodes", "number", f"{node.count:,}"), *(rows if node.data is not None else [])]
    top = y + height / 2 - (LINE / 2 * len(rows) - 4.5)
    lines.append(_text("name", left, top, labels.shorten(labels.name_of(node))))
    for i, (word, style, text) in enumerate(rows, 1):
        lines.append(_text("word", left, top + LINE * i, word))
        lines.append(_text(style, right, top + LINE * i, text))
    return [*lines, "</g>"]


def _hint(node: Node) -> str:
    """The tooltip: all numbers, with all digits."""
    name = labels.name_of(node)
    kind = labels.kind_of(node)
    lines = [f"{name} ({kind})" if name and name != kind else kind]
    if node.count > 1:
        lines.append(f"{node.count:,} nodes")
    lines.append(f"data {'–' if node.data is None else repr(node.data)}")
    if node.kind != CONSTANT:
        lines.append(f"grad {'–' if node.grad is None else repr(node.grad)}")
    if node.changed:
        lines.append(CHANGED)
    return "\n".join(lines)


def _edge(picture: Picture, edge: Edge, points: Sequence[tuple[float, float]]) -> list[str]:
    (x, y), rest = points[0], points[1:]
    path = [f"M{_n(x)},{_n(y)}"]
    end_x, end_y = rest[-1]
    for i, (next_x, next_y) in enumerate(rest):
        to = next_x - ARROW if i == len(rest) - 1 else next_x
        if next_y == y:
            path.append(f"H{_n(to)}")
        else:
            middle = (x + to) / 2
            path.append(f"C{_n(middle)},{_n(y)} {_n(middle)},{_n(next_y)} {_n(to)},{_n(next_y)}")
        x, y = to, next_y
    still = " still" if picture.nodes[edge.source].kind == CONSTANT else ""
    head = f"M{_n(end_x)},{_n(end_y)}l-{_n(ARROW + 1)},-4v8z"
    return [f'<path class="edge{still}" d="{"".join(path)}"/>', f'<path class="head" d="{head}"/>']


def _share(share: float, end: tuple[float, float]) -> list[str]:
    """The contribution of an edge, on a plate that covers the end of the edge."""
    text = numbers.signed(share)
    x, y = end[0] - ARROW - 5, end[1]
    width = len(text) * SHARE + 6
    plate = f'<rect class="plate" x="{_n(x - width + 3)}" y="{_n(y - 7)}" width="{_n(width)}"'
    return [f'{plate} height="14" rx="3"/>', _text("share grad", x, y + 4, text)]
