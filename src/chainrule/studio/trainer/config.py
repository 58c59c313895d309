"""The configuration of a run, as plain data and as the library's objects.

The run, the program that reproduces the run, and the picture of one sample are all built from this
configuration. schemas.py defines what a client may request.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ... import nn
from ...data.datasets import PLANE
from ..limits import RefusedError

DATA_SETS = ("xor", *PLANE, "csv", "points")
SHORT = {"bce": "binary_cross_entropy_with_logits"}
LOSSES = {  # as the page calls them
    "binary_cross_entropy_with_logits": "binary cross-entropy",
    "cross_entropy": "cross-entropy",
    "mse": "mean squared error",
    "l1": "mean absolute error",
    "huber": "Huber",
    "hinge": "hinge",
}


@dataclass(frozen=True)
class Config:
    """The settings of a run; `batch` 0 means all samples in each step."""

    data: str = "moons"
    csv: str = ""
    points: tuple[tuple[float, float, int], ...] = ()
    samples: int = 100
    noise: float = 0.1
    layers: tuple[int, ...] = (8, 8)
    activation: str = "tanh"
    loss: str = "binary_cross_entropy_with_logits"
    optimizer: str = "adam"
    rate: float = 0.03
    batch: int = 0
    seed: int = 0


def model_for(config: Config, classes: int) -> nn.MLP:
    outputs = classes if config.loss == "cross_entropy" else 1
    activation = nn.activation_named(config.activation)
    return nn.MLP(2, [*config.layers, outputs], activation, init="xavier", seed=config.seed)


def targets_for(config: Config, y: Any) -> Any:
    """Class labels in the form that the loss expects."""
    return 2 * y - 1 if config.loss == "hinge" else y


def check_classes(config: Config, classes: int) -> None:
    if classes > 2 and config.loss in ("hinge", SHORT["bce"]):
        raise RefusedError(f"{config.loss} needs two classes, got {classes}: use cross_entropy")
