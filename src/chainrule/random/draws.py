"""The random numbers of one call of a compiled function, which are inputs of its program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

Array = Any


class Source(NamedTuple):
    """A random number in a traced function."""

    generator: Any
    kind: str


class Draws:
    """The random numbers of one call of a compiled function."""

    def __init__(self, samples: int) -> None:
        self.samples = samples
        self.calls: dict[int, int] = {}  # the number of the call for each generator, by its id
        self.known: dict[tuple[int, Source], Array] = {}

    def row(self, place: int, source: Source) -> Array:
        """The numbers of the source with this place in a program, for all samples."""
        if (place, source) not in self.known:
            which = id(source.generator)
            if which not in self.calls:
                self.calls[which] = source.generator.next_call()
            call = self.calls[which]
            drawn = source.generator.drawn(source.kind, call, place, self.samples)
            self.known[place, source] = drawn
        return self.known[place, source]


def draws_of(batch: Any) -> Draws:
    """The random numbers of a call, the same for all programs that compute it."""
    if batch.draws is None:
        batch.draws = Draws(batch.samples)
    found: Draws = batch.draws
    return found


def with_draws(part: Any, sources: Sequence[Source], batch: Any, chosen: Array = None) -> Any:
    """Some samples of a batch, with a row for each source after their other inputs."""
    if not sources:
        return part
    draws = draws_of(batch)
    rows = np.array([draws.row(k, source) for k, source in enumerate(sources)])
    rows = rows if chosen is None else rows[:, chosen]
    return part.with_blocks(rows.reshape(len(rows), *part.shape))
