"""Training with rewind: the same steps as `train.fit`, one or many at a time, with snapshots.

Any epoch can be recomputed bit for bit from the snapshot before it. Knows nothing of threads, sockets or
pictures.
"""

from __future__ import annotations

import array
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import nn
from ...optim.optimizers import BY_NAME as OPTIMIZERS
from ...optim.optimizers import Optimizer
from ...support import ieee
from ...train import loss_named
from ...train.choosing import make_engine
from ...train.engines import Engine
from ...train.feeding import Data, Plan
from ...train.native_engine import MOST_PLACES
from .. import limits
from ..limits import RefusedError
from .config import Config, model_for, targets_for
from .data_sets import Points

Array = Any
Interrupted = Callable[[], bool]


@dataclass(frozen=True)
class Snapshot:
    """The complete state of a run at the end of an epoch."""

    epoch: int
    steps: int
    numbers: Array
    updates: Array
    random: Any


class Training:
    """A model in training: `advance`, `seek` and `change_rate`."""

    def __init__(self, config: Config, points: Points) -> None:
        self.config = config
        self.points = points
        self.model: nn.MLP = model_for(config, points.classes)
        self.optimizer: Optimizer = OPTIMIZERS[config.optimizer](self.model.parameters(), lr=config.rate)
        targets, rng = targets_for(config, points.y), np.random.default_rng(config.seed)
        self.data: Data = Data(points.X, targets, config.batch or None, True, rng)
        self.loss: Callable[..., Any] = loss_named(config.loss)
        self.engine: Engine = make_engine("auto", self.model, self.loss, self.optimizer, self.data)
        self.in_epoch: int = self.data.in_epoch
        self.epoch: int = 0  # epochs completed
        self.place: int = 0  # steps taken in the current epoch
        self.orders: list[Array] = []  # sample orders of this epoch and of later ones drawn in advance
        self.part: list[float] = []  # the losses of the current epoch's steps
        self.losses: array.array[float] = array.array("d")  # of all epochs reached so far
        self.rates: list[tuple[int, float]] = [(0, config.rate)]  # (first epoch, rate)
        self.updates: Array = np.zeros(len(self.optimizer.params))  # parameter changes of the last step
        self.failure: str = ""
        self.every: int = 1  # epochs between snapshots
        fit = limits.SNAPSHOT_BYTES // self.engine.numbers.nbytes
        self.most: int = max(16, min(limits.SNAPSHOTS, fit))
        self.snapshots: dict[int, Snapshot] = {}
        self.take_snapshot()

    @property
    def steps(self) -> int:
        return self.epoch * self.in_epoch + self.place

    @property
    def params(self) -> Array:
        return self.engine.numbers[1]

    @property
    def gradients(self) -> Array:
        return self.engine.numbers[0]

    # --- training --------------------------------------------------------------------------------

    def advance(self, steps: int, interrupted: Interrupted = bool) -> int:
        """Take up to this many steps, fewer if interrupted or not finite; return how many."""
        before = self.steps
        while self.steps < before + steps and not self.failure:
            # Snapshots hold the last step's updates, so the step before a snapshot is taken separately.
            left = min(before + steps - self.steps, self.until_snapshot())
            if left > 1:
                self.go(left - 1, interrupted)
            if not self.failure:
                params = self.params.copy()
                self.go(1, interrupted)
                self.updates = self.params - params
            if self.place == 0:
                self.take_snapshot()
            if interrupted():
                break
        return self.steps - before

    def until_snapshot(self) -> int:
        epochs = min(self.every - self.epoch % self.every, 1 + MOST_PLACES // self.data.samples)
        return epochs * self.in_epoch - self.place

    def go(self, steps: int, interrupted: Interrupted) -> None:
        """Take several steps in one call of the engine, at most up to the next snapshot."""
        total = self.place + steps  # from the start of the epoch
        epochs, order = -(-total // self.in_epoch), None
        if self.data.size < self.data.samples:  # otherwise each step uses all samples, unshuffled
            while len(self.orders) < epochs:
                self.orders.append(self.data.order())
            order = np.concatenate(self.orders[:epochs])
        plan = Plan(self.data, self.rates_for(total), order, self.place)
        outcome = self.engine.steps(plan, interrupted)
        losses = [float(loss) for loss in outcome.losses]
        if not outcome.finite:
            self.failure = self.explain(losses.pop())
            self.updates = np.zeros(len(self.updates))
        self.book(losses)

    def rates_for(self, steps: int) -> Array:
        """The learning rate of each step from the start of this epoch."""
        epochs = self.epoch + np.arange(steps) // self.in_epoch
        starts, rates = zip(*self.rates, strict=True)
        return np.array(rates)[np.searchsorted(np.array(starts), epochs, side="right") - 1]

    def book(self, losses: list[float]) -> None:
        """Record the losses of steps; an epoch's loss is the mean over its samples, as in fit."""
        data, size = self.data, self.in_epoch
        self.part += losses
        done = len(self.part) // size
        for i in range(done):
            pairs = zip(self.part[i * size : (i + 1) * size], data.sizes, strict=True)
            loss = ieee.fsum(loss * n for loss, n in pairs) / data.samples
            if self.epoch + i < len(self.losses):
                self.losses[self.epoch + i] = loss
            else:
                self.losses.append(loss)
        del self.part[: done * size], self.orders[:done]
        self.epoch += done
        self.place = len(self.part)

    def explain(self, loss: float) -> str:
        """Why training cannot continue, and what to try."""
        kind = "NaN" if math.isnan(loss) else "infinite"
        what = f"a gradient became NaN or infinite, with a loss of {loss:g}"
        what = what if math.isfinite(loss) else f"the loss became {kind}"
        numbers = np.abs(self.params)
        name = list(self.model.state_dict())[int(numbers.argmax())]
        rate = float(self.rates_for(self.place + 1)[-1])
        return (
            f"{what} in epoch {self.epoch + 1}: the weights have grown to {numbers.max():.3g} ({name}). "
            f"The parameters are those before that step; rewind and try a smaller rate than {rate:g}, "
            f"or a different activation or optimizer."
        )

    # --- rewinding -------------------------------------------------------------------------------

    def take_snapshot(self) -> None:
        if self.epoch % self.every or self.epoch in self.snapshots:
            return
        numbers, random = self.engine.numbers.copy(), self.data.rng.bit_generator.state
        shot = Snapshot(self.epoch, self.engine.made, numbers, self.updates.copy(), random)
        self.snapshots[self.epoch] = shot
        if len(self.snapshots) > self.most:
            self.every *= 2
            kept = {epoch: shot for epoch, shot in self.snapshots.items() if epoch % self.every == 0}
            self.snapshots = kept

    def seek(self, epoch: int, interrupted: Interrupted = bool) -> bool:
        """Go to the end of an epoch already reached; False if interrupted on the way."""
        if not 0 <= epoch <= len(self.losses):
            raise RefusedError(f"epoch {epoch} has not been reached yet: the last is {len(self.losses)}")
        start = max(at for at in self.snapshots if at <= epoch)
        # Continue from mid-epoch if possible, so that retrying after an interruption makes progress.
        if not start * self.in_epoch <= self.steps <= epoch * self.in_epoch:
            self.restore(self.snapshots[start])
        self.failure = ""
        self.advance(epoch * self.in_epoch - self.steps, interrupted)
        return self.steps == epoch * self.in_epoch

    def restore(self, snapshot: Snapshot) -> None:
        self.engine.restore(snapshot.numbers, snapshot.steps)
        self.data.rng.bit_generator.state = snapshot.random
        self.epoch, self.place = snapshot.epoch, 0
        self.orders, self.part = [], []
        self.updates = snapshot.updates.copy()

    def change_rate(self, rate: float) -> None:
        """Change the learning rate, starting with the next epoch; discards the epochs after this one."""
        start = self.epoch + (self.place > 0)
        if len(self.rates) > limits.RATES:
            raise RefusedError(f"the rate was changed {limits.RATES:,} times, which is the maximum")
        self.rates = [(at, old) for at, old in self.rates if at < start]
        self.rates.append((start, rate))
        del self.losses[start:]
        self.snapshots = {at: shot for at, shot in self.snapshots.items() if at <= start}
        self.failure = ""
