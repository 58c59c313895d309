"""The frames of a run: a JSON header followed by 32-bit floats; see ../README.md.

The rasters are computed in batches by compiled functions.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from ...compiler import Compiled
from .. import limits
from ..server import wire
from .config import SHORT
from .training import Training

Array = Any
GRID, SMALL = 50, 20  # points per side of the rasters of the output and of the neurons


def raster(box: tuple[float, float, float, float], side: int) -> Array:
    """The centres of side x side cells of a box, row by row from the smallest y."""
    x0, x1, y0, y1 = box
    places = (np.arange(side) + 0.5) / side
    x, y = np.meshgrid(x0 + (x1 - x0) * places, y0 + (y1 - y0) * places)
    return np.column_stack([x.ravel(), y.ravel()])


class Frames:
    """Builds the frames of a training run."""

    def __init__(self, training: Training) -> None:
        self.training = training
        self.model, params = training.model, training.optimizer.params
        self.layers = self.model.layers
        self.box: tuple[float, float, float, float] = training.points.box()
        self.grid: Array = raster(self.box, GRID)
        self.small: Array = raster(self.box, SMALL)
        self.scores: Compiled[Any] = Compiled(self.model, params)
        self.neurons: Compiled[Any] = Compiled(self.outputs_of_neurons, params)
        loss = training.loss
        self.losses: Compiled[Any] = Compiled(lambda x, y: loss([self.model(x)], [y]), params)
        sizes = [len(layer.parameters()) for layer in self.layers]
        self.groups: Any = np.repeat(np.arange(len(sizes)), sizes)

    def outputs_of_neurons(self, x: Any) -> list[Any]:
        found = []
        for layer in self.layers:
            x = layer(x)
            found += x if isinstance(x, list) else [x]
        return found

    def shown(self, X: Array) -> tuple[Array, Array]:
        """For each point the output as plotted, and the predicted class."""
        config, scores = self.training.config, self.scores(X)
        if config.loss == "cross_entropy":
            rows = np.array(scores)
            classes = rows.argmax(axis=0)
            return (_probability(rows[1] - rows[0]) if len(rows) == 2 else classes), classes
        if config.loss == SHORT["bce"]:
            return _probability(scores), scores > 0.0
        if config.loss == "hinge":
            return scores, scores > 0.0
        return scores, np.clip(np.floor(scores + 0.5), 0, self.training.points.classes - 1)

    def frame(self, since: int, running: bool, speed: float) -> bytes:
        """The current state of training, with the losses of the epochs after `since`."""
        training, points, data = self.training, self.training.points, self.training.data
        training.engine.write_back()
        boundary, _ = self.shown(self.grid)
        outputs, classes = self.shown(points.X)
        gradients = training.gradients
        first = max(since, training.epoch - limits.LOSSES, 0)
        with np.errstate(over="ignore", invalid="ignore"):
            sections = {
                "boundary": boundary,
                "neurons": np.array(self.neurons(self.small)).ravel(),
                "weights": training.params,
                "grads": gradients,
                "updates": training.updates,
                "flow": np.sqrt(np.bincount(self.groups, gradients * gradients)),
                "outputs": outputs,
                "losses": np.array(training.losses[first : training.epoch]),
            }
            body = b"".join(map(floats, sections.values()))
        head = {
            "type": "frame",
            "epoch": training.epoch,
            "steps": training.steps,
            "loss": float(np.mean(self.losses(points.X, data.y))),
            "accuracy": float(np.mean(classes == points.y)),
            "running": running,
            "rate": round(speed),
            "rates": training.rates,
            "sections": [[name, len(part)] for name, part in sections.items()],
        }
        return pack(wire.write(head).encode(), body)

    def ready(self, code: str) -> dict[str, Any]:
        """What a client needs to know before the first frame."""
        points = self.training.points
        names = list(self.model.state_dict())
        return {
            "type": "ready",
            "layers": [2, *(len(layer.neurons) for layer in self.layers)],
            "count": len(names),
            "names": names,
            "points": points.rows(),
            "classes": points.classes,
            "box": self.box,
            "grid": GRID,
            "small": SMALL,
            "code": code,
        }


def floats(numbers: Array) -> bytes:
    """As 32-bit floats; finite numbers stay finite."""
    largest = np.finfo("f4").max
    held = np.where(np.isfinite(numbers), np.clip(numbers, -largest, largest), numbers)
    return bytes(held.astype("<f4").tobytes())


def pack(head: bytes, body: bytes) -> bytes:
    """The length of the header, the header, spaces up to a multiple of 4 bytes, the floats."""
    padding = b" " * (-len(head) % 4)
    return b"".join((struct.pack("<I", len(head)), head, padding, body))


def _probability(x: Array) -> Array:
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + np.exp(-x))
