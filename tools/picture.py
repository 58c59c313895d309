"""Draws docs/graph.svg, the picture in the README, from computed values and gradients.

Run by `make regen`; a test compares the committed file with its output.
"""

from __future__ import annotations

from typing import Any

from symbols import ROOT

from chainrule import Value, viz

PICTURE = ROOT / "docs" / "graph.svg"


def expression() -> Any:
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    y = (a * b + a**2).tanh()
    y.label = "y"
    y.backward()
    return y


def draw(root: Any) -> str:
    return viz.draw(root, title="The graph of tanh(a*b + a**2) with values and gradients").svg


if __name__ == "__main__":
    PICTURE.write_text(draw(expression()))
    print(f"wrote {PICTURE.relative_to(ROOT)}")
