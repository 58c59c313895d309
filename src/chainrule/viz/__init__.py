"""What a graph looks like: as text, SVG, Graphviz and HTML. Everything is drawn from a `Picture`."""

from .model import Picture as Picture
from .model import picture as picture

__all__ = ["Picture", "picture"]
