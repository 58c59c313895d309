"""The numbers of parameters, read from their Values only if `.data` of some Value has changed.

The compiled core counts assignments to `.data` on a global clock. While the clock stands still, the
numbers read last are still right, and a call reads none of a hundred thousand parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from ...value import Value, c_core

Array = Any


def numbers_of(values: Sequence[Value]) -> Array:
    """The current numbers of some Values."""
    if c_core is not None and Value is c_core.Value:
        return np.frombuffer(c_core.read_data(values))
    return np.fromiter(map(attrgetter("data"), values), float, len(values))


class Read(NamedTuple):
    """Numbers, and when they were read."""

    clock: int | None  # None if nothing keeps time: the reference core
    values: Sequence[Value]
    numbers: Array


class Reader:
    """Reads the numbers of a list of Values, which must be replaced rather than changed."""

    def __init__(self) -> None:
        self.last: Read | None = None

    def __call__(self, values: Sequence[Value]) -> Array:
        last, clock = self.last, now()
        if last is None or clock is None or clock != last.clock or values is not last.values:
            # The clock was read first: an assignment in another thread makes this reading outdated.
            self.last = last = Read(clock, values, numbers_of(values))
        return last.numbers


def now() -> int | None:
    """The clock of assignments; None if there is none."""
    return c_core.clock() if c_core is not None and Value is c_core.Value else None
