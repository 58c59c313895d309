"""`fit`: the training loop, with what people expect around it.

Progress, early stopping, the best checkpoint, callbacks, a clean end on Ctrl-C, and an
explanation when the loss is no longer a number.
"""

from __future__ import annotations

import contextlib
import math
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from . import nn, optim
from .data import batches, train_test_split
from .data.splitting import check_lengths
from .errors import AnomalyError
from .history import History
from .nn.layers import Layer
from .saving import save
from .value import Value, detect_anomaly, no_grad

Metrics = dict[str, Callable[[list[Any], Any], float]]

LOSSES: dict[str, Callable[..., Any]] = {
    "mse": nn.mse_loss,
    "l1": nn.l1_loss,
    "huber": nn.huber_loss,
    "hinge": nn.hinge_loss,
    "binary_cross_entropy": nn.binary_cross_entropy,
    "binary_cross_entropy_with_logits": nn.binary_cross_entropy_with_logits,
    "cross_entropy": nn.cross_entropy,
    "nll": nn.nll_loss,
}


class NonFiniteLossError(ArithmeticError):
    """The loss became infinite or NaN; the parameters are those of the last good step."""


def loss_named(loss: str | Callable[..., Any]) -> Callable[..., Any]:
    """The function for a name; a function is returned as it is."""
    if callable(loss):
        return loss
    if loss not in LOSSES:
        raise ValueError(f"unknown loss {loss!r}; known are {', '.join(LOSSES)}, or give a function")
    return LOSSES[loss]


def fit(
    model: nn.Module,
    loss: str | Callable[..., Any],
    X: Any,
    y: Any,
    *,
    optimizer: optim.Optimizer | None = None,
    epochs: int = 100,
    batch_size: int | None = None,
    validation: tuple[Any, Any] | float | None = None,
    metrics: Metrics | None = None,
    schedule: Any = None,
    patience: int | None = None,
    checkpoint: str | Path | None = None,
    callbacks: Iterable[Callable[[int, History], Any]] = (),
    shuffle: bool = True,
    seed: int = 0,
    progress: bool = True,
) -> History:
    """Train a model and return what happened.

    Arguments:
        loss: a name or a function of a list of predictions and a list of targets.
        optimizer: Adam with a learning rate of 0.01 if None.
        batch_size: samples in a step; all of them if None.
        validation: data to watch, as (X, y), or the share of the data to take for it.
        metrics: name and function of (predictions, targets), measured on the validation data,
            or on the training data if there is none.
        patience: stop after so many epochs without a better loss, and go back to the best.
        checkpoint: a file that always holds the best model so far.
        callbacks: called after each epoch with its number and the history; True stops.

    Ctrl-C ends training after the current step, with what was learned so far.

    """
    if epochs < 0:
        raise ValueError(f"epochs must not be negative, got {epochs}")
    if patience is not None and patience < 1:
        raise ValueError(f"patience must be at least 1, got {patience}")
    callbacks = list(callbacks)
    loss_function = loss_named(loss)
    check_lengths(X, y)
    if isinstance(validation, float):
        X, X_validation, y, y_validation = train_test_split(X, y, validation, seed)
        validation = (X_validation, y_validation)
    if validation is not None:
        check_lengths(*validation)
    optimizer = optimizer or optim.Adam(model.parameters(), lr=0.01)
    run = _Run(model, loss_function, optimizer, History(), validation, metrics or {}, checkpoint)
    run.keep_best = run.keep_best or patience is not None
    rng = np.random.default_rng(seed)
    start = time.perf_counter()
    model.train()
    with _interruptible() as interrupted, tqdm(total=epochs, disable=not progress, unit="epoch") as bar:
        for epoch in range(1, epochs + 1):
            for number, (xs, ys) in enumerate(batches(X, y, batch_size, shuffle, rng), 1):
                run.step(xs, ys, f"epoch {epoch}, batch {number}")
                if interrupted():
                    break
            if interrupted():
                run.history.stopped = f"interrupted in epoch {epoch}"
                break
            run.finish_epoch(epoch, X, y)
            if schedule is not None:
                schedule.step()
            bar.update()
            bar.set_postfix_str(run.summary(), refresh=False)
            answers = [callback(epoch, run.history) for callback in callbacks]
            if any(answers):
                run.history.stopped = f"a callback stopped it after epoch {epoch}"
                break
            if patience is not None and epoch - run.history.best_epoch >= patience:
                run.history.stopped = f"no better loss for {patience} epochs"
                break
    if patience is not None:
        run.back_to_best()
    model.eval()
    run.history.seconds = time.perf_counter() - start
    return run.history


class _Run:
    """One training: what changes from step to step."""

    def __init__(
        self,
        model: nn.Module,
        loss: Callable[..., Any],
        optimizer: optim.Optimizer,
        history: History,
        validation: tuple[Any, Any] | None,
        metrics: Metrics,
        checkpoint: str | Path | None,
    ) -> None:
        self.model, self.loss, self.optimizer = model, loss, optimizer
        self.history, self.validation, self.metrics = history, validation, metrics
        self.checkpoint = checkpoint
        self.keep_best = checkpoint is not None
        self.layers = {name: layer.parameters() for name, layer in layers_of(model).items()}
        self.best = math.inf
        self.best_state = model.state_dict()
        self.batch_losses: list[tuple[float, int]] = []

    def step(self, xs: Any, ys: Any, where: str) -> None:
        loss = self.loss([self.model(x) for x in xs], list(ys))
        if not isinstance(loss, Value):
            kind = type(loss).__name__
            raise TypeError(f"the loss must be a Value, got {kind}: it does not depend on the model")
        if not math.isfinite(loss.data):
            raise NonFiniteLossError(self.explain(xs, ys, loss.data, where))
        self.optimizer.zero_grad()
        loss.backward()
        if not all(math.isfinite(number(p.grad)) for p in self.optimizer.params):
            raise NonFiniteLossError(
                f"a gradient is not finite in {where}, though the loss is {loss.data:g}. "
                f"The parameters are those of the last good step; compute the step inside "
                f"detect_anomaly() to see where"
            )
        self.optimizer.step()
        self.batch_losses.append((loss.data, len(xs)))

    def explain(self, xs: Any, ys: Any, value: float, where: str) -> str:
        """Compute the step again and watch for the first number that is not finite."""
        text = f"the loss is {value} in {where}"
        try:
            with detect_anomaly():
                self.loss([self.model(x) for x in xs], list(ys))
        except AnomalyError as error:
            text += f": {error}"
        return (
            f"{text}. The parameters are those of the last good step; try a smaller learning rate "
            f"(now {self.optimizer.lr:g}) or clip_grad_norm_."
        )

    def finish_epoch(self, epoch: int, X: Any, y: Any) -> None:
        history = self.history
        count = sum(n for _, n in self.batch_losses)
        history.losses.append(math.fsum(loss * n for loss, n in self.batch_losses) / count)
        self.batch_losses.clear()
        history.learning_rates.append(self.optimizer.lr)
        for name, params in self.layers.items():
            history.gradient_norms.setdefault(name, []).append(math.hypot(*(p.grad for p in params)))
        watched = history.losses[-1]
        xs, ys = self.validation or (X, y)
        if self.validation or self.metrics or self.keep_best:
            self.model.eval()
            with no_grad():
                predictions = [self.model(x) for x in xs]
                # Without validation data the loss of the epoch was that of older parameters.
                watched = number(self.loss(predictions, list(ys)))
                if self.validation:
                    history.validation_losses.append(watched)
                for name, metric in self.metrics.items():
                    history.metrics.setdefault(name, []).append(float(metric(predictions, ys)))
            self.model.train()
        history.dead_units.append(dead_share(self.model, xs[:32]))
        if watched < self.best:
            self.best, history.best_epoch = watched, epoch
            self.best_state = self.model.state_dict()
            if self.checkpoint is not None:
                save(self.model, self.checkpoint)

    def back_to_best(self) -> None:
        if self.history.best_epoch:
            self.model.load_state_dict(self.best_state)

    def summary(self) -> str:
        parts = [f"{name} {numbers[-1]:.4g}" for name, numbers in self.history.curves().items()]
        return ", ".join(parts)


def number(x: Any) -> float:
    """The number of a Value, or a number itself."""
    return float(x.data) if isinstance(x, Value) else float(x)


def layers_of(model: nn.Module) -> dict[str, Layer]:
    """The layers of a model by name, in order."""
    found = [module for module in model.modules() if isinstance(module, Layer)]
    return {f"layer {i}": layer for i, layer in enumerate(dict.fromkeys(found), 1)}


def outputs_of_layers(model: nn.Module, xs: Any) -> dict[str, list[list[float]]]:
    """For each layer, its outputs for every sample."""
    layers = layers_of(model)
    for layer in layers.values():
        layer.watched = []
    try:
        with no_grad():
            for x in xs:
                model(x)
        return {
            name: [[number(v) for v in row] for row in layer.watched or []]
            for name, layer in layers.items()
        }
    finally:
        for layer in layers.values():
            layer.watched = None


def dead_share(model: nn.Module, xs: Any) -> float:
    """The share of hidden units whose output is exactly 0 for all samples."""
    outputs = list(outputs_of_layers(model, xs).values())[:-1]
    units = [column for rows in outputs if rows for column in zip(*rows, strict=True)]
    return sum(not any(column) for column in units) / len(units) if units else 0.0


def accuracy(predictions: list[Any], targets: Any) -> float:
    """The share of right classes: the largest of several scores, or the sign of one.

    Targets of a single score are 0 and 1, or -1 and 1; the score is a logit.
    """
    right = 0
    for prediction, target in zip(predictions, targets, strict=True):
        if hasattr(prediction, "__len__"):
            scores = [number(score) for score in prediction]
            right += scores.index(max(scores)) == int(target)
        else:
            right += (number(prediction) > 0) == (target > 0)
    return right / len(predictions)


@contextlib.contextmanager
def _interruptible() -> Iterator[Callable[[], bool]]:
    """Let the first Ctrl-C finish the step; a second one interrupts as usual."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return
    before = signal.getsignal(signal.SIGINT)

    def handler(number: int, frame: Any) -> None:
        if pressed.is_set():
            signal.default_int_handler(number, frame)
        pressed.set()

    signal.signal(signal.SIGINT, handler)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)
