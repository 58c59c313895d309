"""Training in native code: compiles the loss of one sample and the optimiser's rule.

One trace of a sample gives three programs: the loss, the prediction with its loss, and the outputs
of the layers. A model that cannot be compiled raises CompileError.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import nn, optim
from ..compiler import Batch, Compiled, CompileError, Trainer
from ..compiler.compiled import compile_parts
from ..compiler.training import not_traced
from ..nn.losses import LOSSES, check_targets
from ..nn.watching import watch
from ..value import Value
from .engines import (
    EagerEngine,
    Interrupted,
    Loss,
    Outcome,
    check_loss,
    dead_share,
    is_plain,
)
from .feeding import Data, Plan, Stream
from .metrics import number

SECONDS = 0.2  # native code returns after about this long, to update the progress bar
MOST_PLACES = 2_000_000  # limit on the number of sample indices per call


class NativeEngine(EagerEngine):
    """Runs whole epochs in one call, or one batch of an iterator at a time."""

    name = "native"

    def __init__(self, model: nn.Module, loss: Loss, optimizer: optim.Optimizer, data: Data) -> None:
        super().__init__(model, loss, optimizer, data)
        self.batch: Batch = as_batch(data.X, data.y)
        # Modules and losses from `nn` behave the same at every call, in training and in evaluation
        # mode, so one trace is enough.
        self.plain: bool = is_plain(model) and loss in LOSSES.values()
        step, *watched = self.compiled(self.batch)
        self.watched: list[Compiled[Any]] | None = watched if self.plain else None
        self.trainer: Trainer = Trainer(step, optimizer)
        self.trainer.machine(self.batch, data.size)
        self.check_batch: BatchCheck = BatchCheck(loss, watched[0])
        self.check_batch(data.X, data.y)
        places = {p: i for i, params in enumerate(self.parameters.values()) for p in params}
        self.judged: bool = False  # whether samples have been evaluated yet
        self.groups = np.array([places.get(p, -1) for p in optimizer.params], dtype=np.int32)

    def of_one(self, x: Any, y: Any) -> tuple[Any, Any, Any]:
        """The function to compile: a sample's loss, its prediction, and the outputs of the layers."""
        prediction, rows = watch(self.layers.values(), lambda: self.model(x))
        loss = check_loss(self.loss([prediction], [y]))
        return loss, (prediction, loss), dict(zip(self.layers, rows, strict=True))

    def compiled(self, batch: Batch) -> list[Compiled[Any]]:
        """The three programs, in the model's current mode; raises if two traces of the model differ."""
        params = self.optimizer.params
        with_again = 1 if self.plain else 2
        try:
            found = [compile_parts(self.of_one, batch, params, "native") for _ in range(with_again)]
        except (CompileError, MemoryError):
            raise
        except Exception as error:
            self.of_one(*batch.sample(0))  # raises the model's or the loss's own error, if it has one
            raise not_traced("the model or the loss", error) from error
        programs = [[part.traces() for part in parts] for parts in found]
        if programs[0] != programs[-1]:
            raise CompileError(
                "two traces of the model differ, perhaps because it uses random numbers; train it with "
                "engine='eager'"
            )
        return found[0]

    # --- steps -----------------------------------------------------------------------------------

    def steps(self, plan: Plan, interrupted: Interrupted = bool) -> Outcome:
        if isinstance(self.data, Stream):
            return self.steps_of_stream(plan, interrupted)
        start = time.perf_counter()
        ran = self.trainer.run(
            *(self.batch, plan.rates, plan.order, self.data.size, self.groups, interrupted, plan.first)
        )
        made = len(ran.losses) - (not ran.finite)
        took = (time.perf_counter() - start) / max(1, made // self.data.in_epoch)
        most = 1 + MOST_PLACES // self.data.samples
        self.at_once: int = max(1, min(8 * self.at_once, int(SECONDS / took), most))
        piece = None if ran.finite else plan.piece(plan.first + made)
        return Outcome(ran.losses, ran.finite, norms=ran.norms, piece=piece)

    def steps_of_stream(self, plan: Plan, interrupted: Interrupted) -> Outcome:
        losses, sizes = [], []
        for rate, piece in plan.pieces():
            self.check_batch(*piece)
            ran = self.trainer.run(Batch(piece), np.array([rate]))
            losses.append(float(ran.losses[0]))
            sizes.append(len(piece[0]))
            if not ran.finite:
                return Outcome(losses, False, sizes, piece=piece)
            if interrupted():
                break
        return Outcome(losses, True, sizes)

    # --- evaluation ------------------------------------------------------------------------------

    def evaluate(self, xs: Any, ys: Any) -> tuple[list[Any], float]:
        return self.natively(self.judge, xs, ys) or super().evaluate(xs, ys)

    def dead_units(self, xs: Any, ys: Any) -> float:
        share = self.natively(self.dead_share, xs, ys)
        return super().dead_units(xs, ys) if share is None else share

    def natively(self, look: Callable[..., Any], xs: Any, ys: Any) -> Any:
        """Evaluate in native code. Returns None if that is not possible; `reason` then says why."""
        if self.reason:
            return None
        try:
            if self.watched is None:  # a user's model may differ in evaluation mode
                self.watched = self.compiled(as_batch(xs, ys))[1:]
            return look(xs, ys)
        except CompileError as error:
            self.reason: str = f"evaluated in eager mode: {error}"
            return None

    def judge(self, xs: Any, ys: Any) -> tuple[list[Any], float]:
        assert self.watched is not None
        outputs, losses = self.watched[0](xs, ys)
        predictions, loss = as_values(outputs), mean_of(losses)
        if not self.judged:  # the loss function sees all targets once, and may reject one
            check_mean(number(self.loss(predictions, list(ys))), loss)
        self.judged = True
        return predictions, loss

    def dead_share(self, xs: Any, ys: Any) -> float:
        assert self.watched is not None
        outputs = self.watched[1](xs, ys)
        return dead_share(
            {name: [[u.any() for u in row] for row in rows] for name, rows in outputs.items()}
        )

    # --- numbers ---------------------------------------------------------------------------------

    @property
    def numbers(self) -> Any:
        return self.trainer.numbers

    @property
    def made(self) -> int:
        return self.trainer.steps

    def restore(self, numbers: Any, made: int) -> None:
        self.trainer.restore(numbers, made)

    def refresh(self) -> None:
        self.trainer.refresh()

    def write_back(self) -> None:
        self.trainer.write_back()


class BatchCheck:
    """Validates batches as eager mode would: the targets of every batch, and the loss of the first.

    The loss must accept the first batch and be the mean over its samples. A single sample cannot tell
    a mean from a sum, so the first batch with more than one sample is checked too. No check depends on
    the parameters, so they may be outdated, such as those from before the epoch.
    """

    def __init__(self, loss: Loss, judged: Compiled[Any], most: int | None = None) -> None:
        self.loss = loss
        self.judged = judged
        self.most = most
        self.seen: int = 0  # samples in the largest batch whose mean was checked
        self.output: Any = None  # the prediction for one sample

    def __call__(self, X: Any, y: Any) -> None:
        if self.seen < 2 and len(X) > self.seen:
            self.check_mean(X[: self.most], y[: self.most])
        check_targets(self.loss, self.output, y)

    def check_mean(self, X: Any, y: Any) -> None:
        outputs, losses = self.judged(X, y)
        predictions = as_values(outputs)
        check_mean(number(self.loss(predictions, list(y))), mean_of(losses))
        self.seen, self.output = len(X), predictions[0]


def mean_of(losses: Any) -> float:
    """The mean of an array; infinite losses of both signs give NaN without a warning."""
    with np.errstate(invalid="ignore"):
        return float(losses.mean())


def check_mean(whole: float, mean: float) -> None:
    """Raise unless the loss of a batch is the mean of the losses of its samples."""
    if math.isfinite(whole) and not math.isclose(whole, mean, rel_tol=1e-9):
        raise CompileError("the loss of a batch is not the mean of the losses of its samples")


def as_batch(*arguments: Any) -> Batch:
    """The arguments of a compiled function; raises CompileError if they are not arrays of numbers."""
    try:
        return Batch(arguments)
    except (TypeError, ValueError) as error:
        raise CompileError(str(error)) from None


def as_values(outputs: Any) -> list[Any]:
    """Predictions for a batch as Values, one entry per sample, as in eager mode."""
    if isinstance(outputs, np.ndarray):
        return [Value(x) for x in outputs.tolist()]
    if not isinstance(outputs, (list, tuple)) or not all(isinstance(x, np.ndarray) for x in outputs):
        kind = type(outputs).__name__
        raise CompileError(f"the model must return a Value or a list of Values, got a nested {kind}")
    return [[Value(x) for x in row] for row in np.column_stack(outputs).tolist()]
