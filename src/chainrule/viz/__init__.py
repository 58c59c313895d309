"""What a graph looks like: as text, SVG, Graphviz and HTML. Everything is drawn from a `Picture`."""

from .drawing import Drawing as Drawing
from .drawing import draw as draw
from .explaining.ledger import explain as explain
from .model import Picture as Picture
from .model import picture as picture

__all__ = ["Drawing", "Picture", "draw", "explain", "picture"]
