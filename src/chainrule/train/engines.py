"""Engines: where the steps of a training run are made.

`Engine` is the protocol that `fit` and the studio use, and `EagerEngine` makes the steps on Values.
Native code is in native_engine.py, the devices of JAX are in jax_engine.py; choosing.py chooses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Protocol, get_args

import numpy as np

from .. import nn, optim
from ..nn.layers import Layer
from ..nn.saving import describe
from ..support.committing import Change, assign, commit, commit_training
from ..value import Value, no_grad
from .feeding import Data, Plan
from .metrics import number

Array = Any
Loss = Callable[..., Any]
Interrupted = Callable[[], bool]

LossName = Literal[
    "mse",
    "l1",
    "huber",
    "hinge",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "nll",
]
# `nn` has a function for each, with PyTorch's name.
LOSSES: dict[str, Loss] = {
    name: getattr(nn, name if hasattr(nn, name) else f"{name}_loss") for name in get_args(LossName)
}


@dataclass
class Outcome:
    """What some steps gave. If `finite` is False, the last loss is of a step that changed nothing."""

    losses: Sequence[float]
    finite: bool = True
    sizes: Sequence[int] = ()  # samples in each step, if they are not those of `Data.sizes`
    norms: Array = None  # of the gradients of each layer, for each epoch, if the engine knows them
    piece: Any = None  # the batch of the step that was not finite


class Engine(Protocol):
    """Makes steps. Its numbers may live elsewhere; `write_back` puts them into the model."""

    name: str
    reason: str  # why it is not another one, if that was asked for
    at_once: int  # epochs to do in one call, if nothing is to be looked at in between
    writes_files: bool  # of several processes, one does

    def steps(self, plan: Plan, interrupted: Interrupted = bool) -> Outcome:
        """Make the steps of a plan, fewer if interrupted or if a number is not finite."""

    def evaluate(self, xs: Any, ys: Any) -> tuple[list[Any], float]:
        """Predictions for samples, and their loss."""

    def dead_units(self, xs: Any, ys: Any) -> float:
        """The share of hidden units whose output is exactly 0 for all samples."""

    @property
    def numbers(self) -> Array:
        """Everything that is trained, in rows: gradients, parameters, and each number of the state."""

    @property
    def made(self) -> int:
        """The steps that led to these numbers."""

    def restore(self, numbers: Array, made: int) -> None:
        """Go on from other numbers, after so many steps."""

    def refresh(self) -> None:
        """Take the numbers from the model and the optimiser, where they may have been changed."""

    def write_back(self) -> None:
        """Put the numbers into the model and the optimiser."""


class EagerEngine:
    """Every number is a Value, and the model has them all the time."""

    loss: Loss
    data: Data

    name = "eager"
    at_once = 1
    writes_files = True

    def __init__(
        self, model: nn.Module, loss: Loss, optimizer: optim.Optimizer, data: Data, reason: str = ""
    ) -> None:
        self.model: nn.Module = model
        self.optimizer: optim.Optimizer = optimizer
        self.loss, self.data = loss, data
        self.reason = reason

    def steps(self, plan: Plan, interrupted: Interrupted = bool) -> Outcome:
        losses, sizes = [], []
        for rate, piece in plan.pieces():
            if rate != self.optimizer.lr:
                self.optimizer.lr = rate
            xs, ys = self.data.read(piece)
            loss = check_loss(self.loss([self.model(x) for x in xs], list(ys)))
            losses.append(float(loss.data))
            sizes.append(len(xs))
            if not self.step(loss):
                return Outcome(losses, False, sizes, piece=piece)
            if interrupted():
                break
        return Outcome(losses, True, sizes)

    def step(self, loss: Value) -> bool:
        """One step of the optimiser, unless something is not finite."""
        if math.isfinite(loss.data):
            self.optimizer.zero_grad()
            loss.backward()
            if all(math.isfinite(number(p.grad)) for p in self.optimizer.params):
                self.optimizer.step()
                return True
        return False

    def predict(self, xs: Any) -> list[Any]:
        with no_grad():
            return [self.model(x) for x in xs]

    def evaluate(self, xs: Any, ys: Any) -> tuple[list[Any], float]:
        predictions = self.predict(xs)
        with no_grad():
            return predictions, number(self.loss(predictions, list(ys)))

    def dead_units(self, xs: Any, ys: Any) -> float:
        return dead_share(outputs_of_layers(self.model, xs))

    @property
    def numbers(self) -> Array:
        params = self.optimizer.params
        rows = [[p.grad for p in params], [p.data for p in params]]
        return np.array([*rows, *zip(*self.optimizer.state, strict=True)], dtype=float)

    @property
    def made(self) -> int:
        return self.optimizer.steps

    def restore(self, numbers: Array, made: int) -> None:
        commit_training(self.optimizer, numbers, made)

    def refresh(self) -> None: ...

    def write_back(self) -> None: ...


# --- models, losses and layers -------------------------------------------------------------------


def is_plain(model: nn.Module) -> bool:
    """Whether the model consists of what `nn` has: then it does the same at each call, in both modes."""
    try:
        describe(model)
    except TypeError:
        return False
    return True


def check_loss(loss: Any) -> Value:
    """The loss, if there is a way from it to the parameters."""
    if not isinstance(loss, Value):
        kind = type(loss).__name__
        raise TypeError(f"the loss must be a Value, got {kind}: it does not depend on the model")
    if loss.is_leaf:
        raise ValueError("the loss does not depend on the model: was it computed inside no_grad()?")
    return loss


def layers_of(model: nn.Module) -> dict[str, Layer]:
    """The layers of a model by name, in order."""
    found = [module for module in model.modules() if isinstance(module, Layer)]
    return {f"layer {i}": layer for i, layer in enumerate(found, 1)}


def outputs_of_layers(model: nn.Module, xs: Any) -> dict[str, list[list[float]]]:
    """For each layer, its outputs for every sample: a row for each time that it is called."""
    layers = layers_of(model)
    with no_grad(), Watched(layers.values()):
        for x in xs:
            model(x)
        found = {name: layer.watched or [] for name, layer in layers.items()}
    return {name: [[number(v) for v in row] for row in rows] for name, rows in found.items()}


class Watched:
    """Layers collect their outputs until the block ends or, after an interrupt, this is destroyed."""

    end: Sequence[Change] = ()  # of the class: __init__ may be interrupted too

    def __init__(self, layers: Iterable[Layer]) -> None:
        self.end = [change for layer in layers for change in assign(layer, watched=None)]

    def __enter__(self) -> None:
        commit([(setattr, layer, name, []) for _, layer, name, _ in self.end])

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        commit(self.end)

    def __del__(self) -> None:
        commit(self.end)


def dead_share(outputs: dict[str, list[list[Any]]]) -> float:
    """The share of hidden units that are 0 in all rows; the last layer is not hidden."""
    hidden = list(outputs.values())[:-1]
    units = [column for rows in hidden if rows for column in zip(*rows, strict=True)]
    return sum(not any(column) for column in units) / len(units) if units else 0.0
