"""The options the page offers, as a JavaScript module generated from the Python schema."""

from __future__ import annotations

import json
from dataclasses import asdict

from ..data.datasets import PLANE
from ..nn.activations import NAMES as ACTIVATIONS
from ..optim.optimizers import BY_NAME as OPTIMIZERS
from . import limits
from .trainer.config import DATA_SETS, LOSSES, Config

NAME = "studio/static/training/choices.js"  # the path it is served at


def choices_module() -> str:
    """The module as text."""
    chosen = {
        "DATA_SETS": DATA_SETS,
        "MADE": PLANE,
        "ACTIVATIONS": ACTIVATIONS,
        "LOSSES": LOSSES,
        "OPTIMIZERS": {name: kind.__name__ for name, kind in OPTIMIZERS.items()},
        "MOST_LAYERS": limits.LAYERS,
        "MOST_NEURONS": limits.NEURONS,
        "DEFAULTS": asdict(Config()),
    }
    lines = [f"export const {name} = {json.dumps(value)};" for name, value in chosen.items()]
    return "\n".join(["// Written by studio/choices.py.", *lines, ""])
