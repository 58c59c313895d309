"""Draws graphs as text, SVG, Graphviz and HTML. Every view is drawn from a `Picture`."""

from .drawing import Drawing as Drawing
from .drawing import draw as draw
from .explaining.ledger import explain as explain
from .model import Picture as Picture
from .model import picture as picture

__all__ = ["Drawing", "Picture", "draw", "explain", "picture"]
