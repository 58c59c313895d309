"""Labels made safe for terminals, XML and Graphviz, because they may contain any text.

Knows the names of nodes, not how they are drawn.
"""

from __future__ import annotations

import unicodedata

from ..inspect.notation import clean as clean
from .model import CONSTANT, GROUP, LEAF, Node

LONGEST = 36  # maximum width of a name in a box, in columns


def columns(text: str) -> int:
    """The width of a text in a fixed-width font, in columns."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def shorten(text: str, most: int = LONGEST) -> str:
    """Shorten to this many columns; an ellipsis marks what is left out."""
    if 2 * len(text) <= most or columns(text) <= most:
        return text
    while columns(text) > most - 1:
        text = text[: min(len(text) - 1, most)]
    return f"{text.rstrip()}…"


def name_of(node: Node) -> str:
    """The heading of a box."""
    label = clean(node.label)
    if node.kind == CONSTANT:
        return ""
    if node.kind == GROUP or (node.kind == LEAF and label):
        return label
    symbol = clean(node.symbol) or "leaf"
    return f"{label} = {symbol}" if label else symbol


def kind_of(node: Node) -> str:
    """The kind of node in a word, for screen readers and text."""
    return clean(node.op) or node.kind
