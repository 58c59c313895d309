"""Labels as they may be shown: they come from anywhere, and go into terminals, XML and Graphviz.

Knows what a node is called, and nothing of how it is drawn.
"""

from __future__ import annotations

import unicodedata

from ..inspect.notation import clean as clean
from .model import CONSTANT, GROUP, LEAF, Node

LONGEST = 36  # columns of a name in a box


def columns(text: str) -> int:
    """How many columns of a fixed font it takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def shorten(text: str, most: int = LONGEST) -> str:
    """At most so many columns; what is left out becomes one character."""
    if 2 * len(text) <= most or columns(text) <= most:
        return text
    while columns(text) > most - 1:
        text = text[: min(len(text) - 1, most)]
    return f"{text.rstrip()}…"


def name_of(node: Node) -> str:
    """What stands at the top of a box."""
    label = clean(node.label)
    if node.kind == CONSTANT:
        return ""
    if node.kind == GROUP or (node.kind == LEAF and label):
        return label
    symbol = clean(node.symbol) or "leaf"
    return f"{label} = {symbol}" if label else symbol


def kind_of(node: Node) -> str:
    """How it came about, in a word: for people who do not see the box."""
    return clean(node.op) or node.kind
