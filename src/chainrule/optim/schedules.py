"""Schedules: the learning rate as a function of the number of completed epochs."""

from __future__ import annotations

import math
from operator import setitem

from ..support.atomic.committing import assign, commit
from .optimizers import Optimizer, checked


class Schedule:
    """Sets the learning rate of an optimiser; call `step()` after each epoch."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.base_lr: float = optimizer.lr
        self.last_epoch = 0
        optimizer.lr = self.lr_at(0)

    def lr_at(self, epoch: int) -> float:
        """The learning rate after this many epochs."""
        raise TypeError(
            f"{type(self).__name__} has no lr_at(): define lr_at(epoch), which returns the learning "
            f"rate after `epoch` epochs"
        )

    def step(self) -> None:
        """Advance by one epoch."""
        epoch, settings = self.last_epoch + 1, self.optimizer.hyperparameters
        rate = checked("lr", self.lr_at(epoch))
        commit(assign(self, last_epoch=epoch), [(setitem, settings, "lr", rate)])

    def get_last_lr(self) -> list[float]:
        """The current learning rate, in a list as in PyTorch."""
        return [self.optimizer.lr]


class StepLR(Schedule):
    """Multiply the learning rate by gamma every `step_size` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        if step_size < 1:
            raise ValueError(f"step_size must be at least 1, got {step_size}")
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer)

    def lr_at(self, epoch: int) -> float:
        return float(self.base_lr * self.gamma ** (epoch // self.step_size))


class CosineAnnealingLR(Schedule):
    """Decay to eta_min along half a period of a cosine, in T_max epochs."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0) -> None:
        if T_max < 1:
            raise ValueError(f"T_max must be at least 1, got {T_max}")
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer)

    def lr_at(self, epoch: int) -> float:
        share = (1 + math.cos(math.pi * epoch / self.T_max)) / 2
        return self.eta_min + (self.base_lr - self.eta_min) * share


class LinearLR(Schedule):
    """Change the learning rate linearly from start_factor to end_factor times its initial value, in
    total_iters epochs.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
    ) -> None:
        if total_iters < 1:
            raise ValueError(f"total_iters must be at least 1, got {total_iters}")
        if not 0 < start_factor <= 1 or not 0 <= end_factor <= 1:
            raise ValueError("start_factor must be above 0, end_factor at least 0, and both at most 1")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer)

    def lr_at(self, epoch: int) -> float:
        done = min(epoch, self.total_iters) / self.total_iters
        return self.base_lr * (self.start_factor + (self.end_factor - self.start_factor) * done)
