"""Engines: they execute the steps of a training run.

`Engine` is the protocol that `fit` and the studio use. `EagerEngine` computes the steps on Values,
native_engine.py in native code, and jax_engine.py on JAX devices; choosing.py selects one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .. import nn, optim
from ..nn.architectures import describe
from ..nn.layers import Layer
from ..nn.vectors import TorchLayer
from ..nn.watching import watch
from ..support.atomic.committing import commit_training
from ..value import Value, no_grad
from .feeding import Data, Plan
from .metrics import number

Array = Any
Loss = Callable[..., Any]
Interrupted = Callable[[], bool]


@dataclass
class Outcome:
    """The result of some steps. If not `finite`, the last step failed and changed nothing."""

    losses: Sequence[float]
    finite: bool = True
    sizes: Sequence[int] = ()  # samples in each step, if different from `Data.sizes`
    norms: Array = None  # gradient norms of each layer for each epoch, if the engine computes them
    piece: Any = None  # the batch of the failed step, if any


class Engine(Protocol):
    """Runs training steps. If it trains a copy of the parameters, `write_back` updates the model."""

    name: str
    reason: str  # why native code was not used, or not for everything; otherwise empty
    at_once: int  # epochs per call, if nothing is observed in between
    writes_files: bool  # with several processes, only one writes
    parameters: dict[str, list[Value]]  # of each layer

    def steps(self, plan: Plan, interrupted: Interrupted = bool) -> Outcome:
        """Run the steps of a plan; stop early if interrupted or if a loss or gradient is not finite."""

    def evaluate(self, xs: Any, ys: Any) -> tuple[list[Any], float]:
        """The predictions for some samples, and their loss."""

    def dead_units(self, xs: Any, ys: Any) -> float:
        """The fraction of hidden units whose output is exactly 0 for all samples."""

    @property
    def numbers(self) -> Array:
        """All trained numbers, in rows: gradients, parameters, and each entry of the optimiser state."""

    @property
    def made(self) -> int:
        """The number of steps taken so far."""

    def restore(self, numbers: Array, made: int) -> None:
        """Continue from other numbers, after `made` steps."""

    def refresh(self) -> None:
        """Read the numbers from the model and the optimiser, which may have changed."""

    def write_back(self) -> None:
        """Write the numbers to the model and the optimiser."""


class EagerEngine:
    """Computes on Values, so the model is always up to date."""

    name = "eager"
    at_once = 1
    writes_files = True

    def __init__(
        self, model: nn.Module, loss: Loss, optimizer: optim.Optimizer, data: Data, reason: str = ""
    ) -> None:
        self.model: nn.Module = model
        self.optimizer: optim.Optimizer = optimizer
        self.loss = loss
        self.data = data
        self.reason = reason
        found = layers_with_parameters(model)
        self.layers: dict[str, nn.Module] = {name: layer for name, (layer, _) in found.items()}
        self.parameters: dict[str, list[Value]] = {name: each for name, (_, each) in found.items()}

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
        """Take one optimiser step, unless the loss or a gradient is not finite."""
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
        rows = np.array([[p.grad for p in params], [p.data for p in params]], dtype=float)
        return np.vstack([rows, self.optimizer.state_rows()])

    @property
    def made(self) -> int:
        return self.optimizer.steps

    def restore(self, numbers: Array, made: int) -> None:
        commit_training(self.optimizer, numbers[:2], numbers[2:].copy(), made)

    def refresh(self) -> None: ...

    def write_back(self) -> None: ...


# --- models, losses and layers -------------------------------------------------------------------


def is_plain(model: nn.Module) -> bool:
    """Whether the model consists of `nn` modules only, so that every call computes the same function."""
    return describe(model) is not None


def check_loss(loss: Any) -> Value:
    """Return the loss; raise if it does not depend on the parameters."""
    if not isinstance(loss, Value):
        kind = type(loss).__name__
        raise TypeError(f"the loss must be a Value, got {kind}: it does not depend on the model")
    if loss.is_leaf:
        raise ValueError("the loss does not depend on the model: was it computed inside no_grad()?")
    return loss


def layers_of(model: nn.Module) -> dict[str, nn.Module]:
    """The layers of a model that have parameters, by name, in order."""
    return {name: layer for name, (layer, _) in layers_with_parameters(model).items()}


def layers_with_parameters(model: nn.Module) -> dict[str, tuple[nn.Module, list[Value]]]:
    """The same layers, each with its parameters; finding them takes long in a large model."""
    layers = [each for each in model.modules() if isinstance(each, (Layer, TorchLayer))]
    found = [(layer, parameters) for layer in layers if (parameters := layer.parameters())]
    return {f"layer {i}": each for i, each in enumerate(found, 1)}


def outputs_of_layers(model: nn.Module, xs: Any) -> dict[str, list[list[float]]]:
    """The outputs of each layer for every sample, with one row per call to the layer."""
    layers = layers_of(model)
    with no_grad():
        _, found = watch(layers.values(), lambda: [model(x) for x in xs])
    pairs = zip(layers, found, strict=True)
    return {name: [[number(v) for v in row] for row in rows] for name, rows in pairs}


def dead_share(outputs: dict[str, list[list[Any]]]) -> float:
    """The fraction of hidden units that are 0 in all rows; the last layer is not hidden."""
    hidden = list(outputs.values())[:-1]
    units = [column for rows in hidden if rows for column in zip(*rows, strict=True)]
    return sum(not any(column) for column in units) / len(units) if units else 0.0
