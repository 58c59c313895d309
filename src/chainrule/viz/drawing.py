"""`draw`: shows a graph in a notebook or a terminal, or saves it to a file."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from ..support import graph
from ..support.atomic.files import place, write_atomically
from ..support.caching import cached_property
from .explaining.module_names import parameter_names
from .formats.dot import dot
from .formats.png import png
from .formats.svg import THEMES, size_of, svg
from .formats.text import tree
from .layout.folding import fold as folded
from .layout.folding import nearest
from .layout.places import Layout, layout
from .model import Picture, read, roots_of, values_of

FOLDED = 150  # larger graphs are folded by default
LARGEST = 5_000  # the most nodes drawn without folding
READ = 30_000  # the most nodes read for folding


@dataclass(frozen=True)
class Drawing:
    """A drawing of a graph: SVG in notebooks, a text tree when printed; `save` writes files."""

    picture: Picture
    theme: str | None = None

    @cached_property
    def layout(self) -> Layout:
        """The positions of boxes and edges."""
        return layout(self.picture)

    @cached_property
    def svg(self) -> str:
        """The picture as SVG text."""
        return svg(self.picture, self.layout, self.theme)

    def __str__(self) -> str:
        return tree(self.picture)

    def __repr__(self) -> str:
        return f"<drawing of {len(self.picture.nodes)} nodes: print it, or .save() it>"

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """The display hook of Jupyter, marimo and VS Code."""
        box = '<div style="overflow:auto;max-height:80vh">'
        bundle = {
            "text/html": f"{box}{self.svg}</div>",
            "image/svg+xml": self.svg,
            "text/plain": str(self),
        }
        wanted = set(bundle if include is None else include) - set(exclude or ())
        return {kind: text for kind, text in bundle.items() if kind in wanted}

    def save(self, path: str | Path) -> None:
        """Write a file in the format of its suffix: .svg, .html, .png, .dot or .txt."""
        ending = Path(path).suffix.lower()
        if ending not in FORMATS:
            raise ValueError(f"a drawing can be saved as {', '.join(FORMATS)}, got {str(path)!r}")
        where = place(path)
        write_atomically(where, FORMATS[ending](self))


def _html(drawing: Drawing) -> bytes:
    from .formats import html  # imported late, because it is large

    return str(html.page(drawing.picture, title=drawing.picture.title)).encode()


def _png(drawing: Drawing) -> bytes:
    """From SVG with a fixed theme, light by default: a PNG cannot adapt to the reader's system."""
    text = svg(drawing.picture, drawing.layout, drawing.theme or THEMES[0])
    return png(text, *size_of(drawing.picture, drawing.layout))


FORMATS: dict[str, Callable[[Drawing], bytes]] = {
    ".svg": lambda drawing: drawing.svg.encode(),
    ".html": _html,
    ".png": _png,
    ".dot": lambda drawing: dot(drawing.picture).encode(),
    ".txt": lambda drawing: f"{drawing}\n".encode(),
}


def draw(
    v: Any,
    *,
    fold: bool | None = None,
    names: Any = None,
    title: str = "",
    theme: Literal["light", "dark"] | None = None,
) -> Drawing:
    """Draw the graph of a Value, or of several, with its current values and gradients.

    `fold` merges equal parts, and parts that only one value uses; None folds only large graphs. `names`
    are labels for Values that have none: a dict, or the module whose parameters they are. `theme` is
    "light" or "dark"; None follows the reader's system.
    """
    if theme not in (None, *THEMES):
        raise ValueError(f"theme must be 'light', 'dark' or None, got {theme!r}")
    names = parameter_names(names)
    roots = roots_of(v)
    orders = [graph.topological(root, check=False) for root in roots]
    count = max(map(len, orders))
    if fold is False and count > LARGEST:
        raise ValueError(
            f"the graph has {count:,} nodes, too many to draw individually (at most {LARGEST:,}): "
            f"draw(v) folds it"
        )
    if count > READ:
        everything = orders[0] if len(orders) == 1 else list(dict.fromkeys(chain(*orders)))
        return Drawing(nearest(everything, roots, names=names, title=title), theme)
    picture = read(values_of(orders), roots, names, title)
    if fold or (fold is None and len(picture.nodes) > FOLDED):
        picture = folded(picture)
    return Drawing(picture, theme)
