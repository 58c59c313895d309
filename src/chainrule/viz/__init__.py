"""Draws graphs as text, SVG, Graphviz and HTML. Every view is drawn from a `Picture`."""

from .drawing import Drawing, draw
from .explaining.ledger import explain
from .model import Picture, picture

__all__ = ["Drawing", "Picture", "draw", "explain", "picture"]
