"""`Run`: the state of one training run.

A run lets an engine train for some epochs, evaluates and records them, keeps the best model and writes
files. `fit` loops over the epochs; resuming.py saves and restores a run.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import nn, optim
from ..nn.saving import save
from ..support import ieee
from ..support.atomic.committing import Afterwards, Change, assign, commit, prepared
from ..support.errors import AnomalyError
from ..support.tree import flatten
from ..value import Value, detect_anomaly
from .engines import Engine, Interrupted, Loss, Outcome, is_plain
from .feeding import Data
from .history import History
from .metrics import Metrics, number


class NonFiniteLossError(ArithmeticError):
    """The loss or a gradient became infinite or NaN; the parameters are those of the last good step."""


class ModelMode:
    """Switches a model between training and evaluation mode."""

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        # Found once, not in every epoch. That is safe for a plain model: its train() only sets the
        # mode of its modules.
        self.modules: list[nn.Module] = list(model.modules())
        self.plain: bool = is_plain(model)

    def switch(self, training: bool) -> None:
        if self.plain:
            commit(*self.changes(training))
        else:
            self.model.train(training)

    def changes(self, training: bool) -> list[Iterable[Change]]:
        return [assign(module, training=training) for module in self.modules]


# These are not generators: if Ctrl-C arrives in the code of contextlib, one can stay suspended in a
# reference cycle, and the model in the wrong mode until garbage is collected.


class Training(Afterwards):
    """Training mode from `begin` on, and evaluation mode after this block, whatever happened."""

    def __init__(self, mode: ModelMode) -> None:
        self.mode = mode

    def begin(self) -> None:
        self.end = prepared(*self.mode.changes(training=False))
        self.mode.switch(training=True)

    def __exit__(self, *error: object) -> None:
        if self.end:  # begun
            any(self.end)  # first, because it cannot fail
            if not self.mode.plain:
                self.mode.model.train(False)


class Evaluation:
    """Evaluation mode in this block, and training mode after it."""

    def __init__(self, mode: ModelMode) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        self.mode.switch(training=False)

    def __exit__(self, *error: object) -> None:
        self.mode.switch(training=True)


@dataclass
class Run:
    """The model, data, loss, optimiser and engine of a run, and what is observed after each epoch."""

    model: nn.Module
    loss: Loss
    optimizer: optim.Optimizer
    data: Data
    engine: Engine
    mode: ModelMode
    setup: dict[str, str]  # a file to resume from must have the same setup
    validation: tuple[Any, Any] | None = None
    metrics: Metrics = field(default_factory=dict)
    checkpoint: str | Path | None = None
    keep_best: bool = False
    stepwise: bool = False  # run one epoch per call, because something is observed after each

    def __post_init__(self) -> None:
        self.history: History = History(engine=self.engine.name, reason=self.engine.reason)
        self.best: float = math.inf
        self.best_state: dict[str, float] = self.model.state_dict() if self.stepwise else {}

    # --- epochs ----------------------------------------------------------------------------------

    def train(self, before: int, left: int, interrupted: Interrupted) -> int:
        """Train one epoch, or several if nothing is observed in between; returns how many finished."""
        epochs = 1 if self.stepwise else min(left, self.engine.at_once)
        plan = self.data.plan(epochs, self.optimizer.lr)
        plan.epochs = before + 1, before + left
        self.engine.refresh()
        try:
            outcome = self.engine.steps(plan, interrupted)
        finally:
            self.engine.write_back()
        made = len(outcome.losses) - (not outcome.finite)
        done, rest = plan.finished(made, outcome.finite)
        for i in range(done):
            self.record(outcome, i)
            if not self.stepwise and self.history.losses[-1] < self.best:
                self.best, self.history.best_epoch = self.history.losses[-1], before + i + 1
        if not outcome.finite:
            xs, ys = self.data.read(outcome.piece)
            where = f"epoch {before + done + 1}, batch {rest + 1}"
            raise self.failure(xs, ys, float(outcome.losses[-1]), where)
        return done

    def record(self, outcome: Outcome, epoch: int) -> None:
        """Record an epoch: the mean loss over its samples, and the gradient norms."""
        sizes = outcome.sizes or self.data.sizes
        losses = outcome.losses[epoch * len(sizes) : (epoch + 1) * len(sizes)]
        total = ieee.fsum(float(loss) * n for loss, n in zip(losses, sizes, strict=True))
        self.history.losses.append(total / sum(sizes))
        self.history.learning_rates.append(self.optimizer.lr)
        for i, (name, params) in enumerate(self.engine.parameters.items()):
            known = outcome.norms is not None
            norm = outcome.norms[epoch, i] if known else math.hypot(*(p.grad for p in params))
            self.history.gradient_norms.setdefault(name, []).append(float(norm))

    def watch(self, epoch: int) -> None:
        """Evaluate the model after an epoch, and keep the best."""
        history = self.history
        watched = history.losses[-1]
        xs, ys = self.validation or (self.data.X, self.data.y)
        with Evaluation(self.mode):
            if self.validation or self.metrics or self.keep_best:
                # Even without validation data: the epoch's training loss belongs to older parameters.
                predictions, watched = self.engine.evaluate(xs, ys)
                if self.validation:
                    history.validation_losses.append(watched)
                for name, metric in self.metrics.items():
                    history.metrics.setdefault(name, []).append(number(metric(predictions, ys)))
            history.dead_units += [math.nan] * (epoch - 1 - len(history.dead_units))
            history.dead_units.append(self.engine.dead_units(xs[:32], ys[:32]))
        history.reason = self.engine.reason
        if watched < self.best:
            self.best, history.best_epoch = watched, epoch
            if self.keep_best:
                self.best_state = self.model.state_dict()
            if self.checkpoint is not None and self.engine.writes_files:
                save(self.model, self.checkpoint)

    def summary(self) -> str:
        parts = [f"{name} {curve[-1]:.4g}" for name, curve in self.history.curves().items()]
        return ", ".join(parts)

    # --- non-finite losses and gradients ---------------------------------------------------------

    def failure(self, xs: Any, ys: Any, loss: float, where: str) -> NonFiniteLossError:
        """The error for a loss or a gradient that is not finite."""
        if not math.isfinite(loss):
            return NonFiniteLossError(self.explain(xs, ys, loss, where))
        return NonFiniteLossError(
            f"a gradient is not finite in {where}, though the loss is {loss:g}. "
            f"The parameters are those of the last good step; compute the loss and its gradients inside "
            f"detect_anomaly() to see which operation is responsible"
        )

    def explain(self, xs: Any, ys: Any, loss: float, where: str) -> str:
        """Recompute the step to find the first number that is not finite."""
        text = f"the loss is {loss} in {where}"
        try:
            with detect_anomaly():
                self.loss([self.model(x) for x in xs], list(ys))
        except AnomalyError as error:
            text += f": {error}"
        text += ". The parameters are those of the last good step; "
        if not all(map(_is_finite, flatten([list(xs), list(ys)])[0])):
            return f"{text}the data contains numbers that are not finite."
        return f"{text}try a smaller learning rate (now {self.optimizer.lr:g}) or clip_grad_norm_."


def _is_finite(x: Any) -> bool:
    """Whether x is finite; anything that is not a number counts as finite."""
    return not isinstance(x, (Value, numbers.Real)) or math.isfinite(number(x))
