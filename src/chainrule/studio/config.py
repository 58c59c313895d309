"""What a run is made of: read from JSON, checked, and as the library's own objects.

The same config gives the run, the program that reproduces it, and the picture of one sample.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from .. import nn
from ..nn.activations import NAMES as ACTIVATIONS
from ..optim.optimizers import BY_NAME as OPTIMIZERS
from ..train import loss_named
from . import limits
from .limits import RefusedError

DATA_SETS = ("xor", "moons", "circles", "spirals", "csv", "points")
SHORT = {"bce": "binary_cross_entropy_with_logits"}
LOSSES = ("binary_cross_entropy_with_logits", "mse", "l1", "huber", "hinge", "cross_entropy")


@dataclass(frozen=True)
class Config:
    """The settings of a run; `batch` 0 takes all samples in each step."""

    data: str = "moons"
    csv: str = ""
    points: tuple[tuple[float, float, int], ...] = ()
    samples: int = 100
    noise: float = 0.1
    layers: tuple[int, ...] = (16, 16)
    activation: str = "tanh"
    loss: str = "binary_cross_entropy_with_logits"
    optimizer: str = "adam"
    rate: float = 0.05
    batch: int = 0
    seed: int = 0


def read(given: Any) -> Config:
    """The config of a request; what is not given is as in the class."""
    if not isinstance(given, dict):
        raise RefusedError("config must be an object with the settings of a run")
    known = [field.name for field in fields(Config)]
    for name in given:
        if name not in known:
            raise RefusedError(f"config has no {name[:40]!r}; it has {', '.join(known)}")
    settings = {name: READERS[name](name, x) for name, x in given.items() if x is not None}
    return Config(**settings)


def model_for(config: Config, classes: int) -> nn.MLP:
    outputs = classes if config.loss == "cross_entropy" else 1
    return nn.MLP(2, [*config.layers, outputs], config.activation, init="xavier", seed=config.seed)


def loss_for(config: Config) -> Callable[..., Any]:
    return loss_named(config.loss)


def targets_for(config: Config, y: Any) -> Any:
    """Classes as the loss takes them."""
    return 2 * y - 1 if config.loss == "hinge" else y


def check_classes(config: Config, classes: int) -> None:
    if classes > 2 and config.loss in ("hinge", SHORT["bce"]):
        raise RefusedError(f"{config.loss} needs two classes, there are {classes}: use cross_entropy")


# --- reading one setting -------------------------------------------------------------------------


def number(name: str, x: Any, low: float = -math.inf, high: float = math.inf) -> float:
    """A finite number in a range."""
    try:
        found = math.nan if isinstance(x, bool) or not isinstance(x, (int, float)) else float(x)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise RefusedError(f"{name} must be a finite number, got {shown(x)}")
    if not low <= found <= high:
        raise RefusedError(f"{name} must be {_range(low, high)}, got {found:g}")
    return found


def whole(name: str, x: Any, low: int, high: int) -> int:
    """A whole number in a range."""
    found = number(name, x)
    if not found.is_integer() or not low <= found <= high:
        raise RefusedError(f"{name} must be a whole number {_range(low, high)}, got {found:g}")
    return int(found)


def text(name: str, x: Any) -> str:
    if not isinstance(x, str):
        raise RefusedError(f"{name} must be text, got {shown(x)}")
    return x


def items(name: str, x: Any, most: int) -> list[Any]:
    if not isinstance(x, list):
        raise RefusedError(f"{name} must be a list, got {shown(x)}")
    if len(x) > most:
        raise RefusedError(f"{name} has {len(x):,} entries, more than {most:,}")
    return x


def learning_rate(name: str, x: Any) -> float:
    rate = number(name, x)
    if rate <= 0.0:
        raise RefusedError(f"{name} must be above 0, got {rate:g}")
    return rate


def shown(x: Any) -> str:
    """A short form of what was given."""
    return x.__class__.__name__ if isinstance(x, (dict, list)) else repr(x)[:40]


def _range(low: float, high: float) -> str:
    return f"from {low:,g} to {high:,g}" if math.isfinite(high) else f"at least {low:g}"


def _choice(choices: Sequence[str]) -> Callable[[str, Any], str]:
    def read_choice(name: str, x: Any) -> str:
        found = SHORT.get(x, x) if isinstance(x, str) else None
        if found not in choices:
            raise RefusedError(f"{name} must be one of {', '.join(choices)}, got {shown(x)}")
        return str(found)

    return read_choice


def _layers(name: str, x: Any) -> tuple[int, ...]:
    sizes = items(name, x, limits.LAYERS)
    return tuple(whole("a layer", size, 1, limits.NEURONS) for size in sizes)


def _points(name: str, x: Any) -> tuple[tuple[float, float, int], ...]:
    most, found = limits.COORDINATE, []
    for i, point in enumerate(items(name, x, limits.SAMPLES)):
        if not isinstance(point, list) or len(point) != 3:
            raise RefusedError(f"point {i} must be [x, y, class], got {shown(point)}")
        a, b = (number(f"a coordinate of point {i}", c, -most, most) for c in point[:2])
        found.append((a, b, whole(f"the class of point {i}", point[2], 0, limits.CLASSES - 1)))
    return tuple(found)


READERS: dict[str, Callable[[str, Any], Any]] = {
    "data": _choice(DATA_SETS),
    "csv": text,
    "points": _points,
    "samples": lambda name, x: whole(name, x, 2, limits.SAMPLES),
    "noise": lambda name, x: number(name, x, 0.0, 10.0),
    "layers": _layers,
    "activation": _choice(ACTIVATIONS),
    "loss": _choice(LOSSES),
    "optimizer": _choice(tuple(OPTIMIZERS)),
    "rate": learning_rate,
    "batch": lambda name, x: whole(name, x, 0, limits.SAMPLES),
    "seed": lambda name, x: whole(name, x, 0, limits.SEED),
}
