"""Sources of training batches: arrays that we shuffle, or an iterator with its own order.

An engine asks a `Plan` for the batches of its steps and reads them one at a time. Otherwise it
uses only `X` and `y`, which for an iterator are the first batch.
"""

from __future__ import annotations

import itertools
import numbers
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..data.splitting import as_samples, check_count, check_lengths, take


@dataclass
class Plan:
    """The steps to take: their learning rates and the order of the samples."""

    data: Data
    rates: Any  # an array with one rate per step; for a Stream, one rate for all
    order: Any = None  # sample indices of all epochs; None if every step uses all samples
    first: int = 0  # steps already taken
    epochs: tuple[int, int] = (1, 1)  # the first and last epoch still to run
    passes: int = field(default=0, init=False)  # completed passes over a Stream

    def pieces(self) -> Iterator[tuple[float, Any]]:
        """The learning rate and the batch of each step, in the form that `Data.read` takes."""
        if isinstance(self.data, Stream):
            for piece in self.data.pieces():
                yield float(self.rates[0]), piece
            self.passes += 1
        else:
            for i in range(self.first, len(self.rates)):
                yield float(self.rates[i]), self.piece(i)

    def piece(self, step: int) -> Any:
        """The sample indices of a step."""
        data = self.data
        if self.order is None:
            return np.arange(data.samples)
        epoch, batch = divmod(step, data.in_epoch)
        start = batch * data.size
        return self.order[epoch * data.samples :][start : min(start + data.size, data.samples)]

    def finished(self, steps: int, finite: bool) -> tuple[int, int]:
        """After this many steps: the completed epochs, and the steps taken in the next one.

        An engine may read a Stream to its end before it finds that a loss or gradient was not finite.
        """
        if isinstance(self.data, Stream):
            return (self.passes, 0) if finite and self.passes else (0, steps)
        return divmod(self.first + steps, self.data.in_epoch)


@dataclass
class Data:
    """Arrays to train on, and the order of their samples."""

    X: Any
    y: Any
    batch_size: int | None
    shuffle: bool
    rng: np.random.Generator

    def __post_init__(self) -> None:
        self.samples: int = len(self.X)
        if self.batch_size is not None:
            check_count("batch_size", self.batch_size)
        self.size: int = min(self.batch_size or self.samples, self.samples)
        self.in_epoch: int = -(-self.samples // self.size) if self.size else 0  # steps
        rest = self.samples - self.size * (self.in_epoch - 1)
        self.sizes: list[int] = [self.size] * (self.in_epoch - 1) + [rest]  # of the batches of an epoch

    def order(self) -> Any:
        """The sample indices of one epoch, in order of use."""
        return self.rng.permutation(self.samples) if self.shuffle else np.arange(self.samples)

    def plan(self, epochs: int, rate: float) -> Plan:
        """Plan the next epochs, all with one learning rate. Full-batch steps are not shuffled."""
        order = None
        if self.size < self.samples:
            order = np.concatenate([self.order() for _ in range(epochs)])
        return Plan(self, np.full(epochs * self.in_epoch, rate), order)

    def skip(self) -> None:
        """Advance past an epoch that was already trained."""
        self.plan(1, 0.0)

    def read(self, piece: Any, process: int = 0, processes: int = 1) -> tuple[Any, Any]:
        """The samples of a batch, or one process's part of them."""
        share = len(piece) // processes
        mine = piece[process * share : (process + 1) * share]
        return take(self.X, mine), take(self.y, mine)


class Stream(Data):
    """Batches (X, y) from an iterable, or from a function that returns one.

    Each epoch is one pass. X and y are the first batch, which is read now and trained on later.
    With several processes, each has its own iterable, which yields its part of every batch.
    """

    def __init__(self, source: Any) -> None:
        self.source = source
        self.epoch: int = 0  # passes started
        self.behind: int = 0  # passes to skip
        opened = self.open()
        batch = next(opened, None)
        if batch is None:
            raise ValueError("the iterator is empty: expected at least one batch to train on")
        first = _pair(batch, 1)
        super().__init__(*first, None, False, np.random.default_rng(0))
        self.opened: Iterator[Any] | None = itertools.chain([first], opened)

    def plan(self, epochs: int, rate: float) -> Plan:
        """Plan one pass over the batches, in their own order."""
        return Plan(self, np.array([rate]))

    def open(self) -> Iterator[Any]:
        """Start a new pass; calls the source's `set_epoch`, as in PyTorch, if it has one."""
        if hasattr(self.source, "set_epoch"):
            self.source.set_epoch(self.epoch)
        if hasattr(self.source, "__iter__"):
            return iter(self.source)
        if callable(self.source):
            return iter(self.source())
        raise TypeError(
            f"without y, the data must be an iterable of batches (X, y), or a function that returns an "
            f"iterator over them, got {type(self.source).__name__}"
        )

    def pieces(self) -> Iterator[tuple[Any, Any]]:
        while self.behind:
            self.behind -= 1
            deque(self.one_pass(), maxlen=0)
        yield from self.one_pass()

    def one_pass(self) -> Iterator[tuple[Any, Any]]:
        opened, self.opened = self.opened or self.open(), None
        self.epoch += 1
        number = 0
        for number, batch in enumerate(opened, 1):
            yield _pair(batch, number)
        if number == 0:
            raise ValueError(
                f"no batches are left for epoch {self.epoch}: an iterator can be read only once, so "
                f"pass a list of batches, or a function that returns a new iterator"
            )

    def skip(self) -> None:
        """Skip an epoch. If the source has no `set_epoch`, read and discard its batches later.

        Reading them brings a source that shuffles with its own generator into the right state.
        """
        if hasattr(self.source, "set_epoch"):
            self.opened = None
            self.epoch += 1
        else:
            self.behind += 1

    def read(self, piece: Any, process: int = 0, processes: int = 1) -> tuple[Any, Any]:
        """Return the batch unchanged: an iterator yields only the part of its own process."""
        X, y = piece
        return X, y


def _is_sample(batch: Any) -> bool:
    """Whether a batch lacks targets: it is an array or a list of numbers."""
    if not isinstance(batch, (tuple, list)):
        return hasattr(batch, "__array__")
    return len(batch) > 0 and all(isinstance(part, numbers.Real) for part in batch)


def _pair(batch: Any, number: int) -> tuple[Any, Any]:
    """X and y of a batch, with arrays from other libraries converted to NumPy."""
    if _is_sample(batch):
        raise TypeError(
            f"y is missing: without it, X must be batches (X, y), but batch {number} has only numbers; "
            f"call fit(model, loss, X, y)"
        )
    if not isinstance(batch, (tuple, list)) or len(batch) != 2:
        raise TypeError(f"batch {number} must be a pair (X, y), got {type(batch).__name__}")
    try:
        X, y = as_samples("X", batch[0]), as_samples("y", batch[1])
        check_lengths(X, y)
    except (TypeError, ValueError) as error:
        raise type(error)(f"batch {number}: {error}") from None
    return X, y
