"""Counter-based random numbers (Philox 4x64): any number of a stream can be computed on its own."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..support.arrays import as_array
from ..value import modes

Array = Any
EAGER = 2**64 - 1  # the stream of numbers drawn outside compiled functions


class _State:
    """A generator's state. What needs numpy.random is made when first used: importing it takes time."""

    def __init__(self, seed: int | None) -> None:
        self.seed = seed
        self.calls: Iterator[int] = itertools.count()
        self.made: dict[str, Any] = {}

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """The same object for all threads."""
        found = self.made.get(name)
        return self.made.setdefault(name, make()) if found is None else found

    @property
    def key(self) -> Array:
        def make() -> Array:
            return np.random.SeedSequence(self.seed).generate_state(2, np.uint64)

        return self.once("key", make)


class Generator:
    """A source of random numbers. The same seed gives the same numbers; without one, they are new."""

    def __init__(self, seed: int | None = None) -> None:
        self.seed(seed)

    def seed(self, seed: int | None = None) -> None:
        """Start again, with this seed."""
        self._state = _State(None if seed is None else operator.index(seed))

    def _stream(self, call: int, source: int) -> np.random.Generator:
        """The numbers of a source during a call, in the order of the samples."""
        counter = np.array([0, 0, source, call], np.uint64)  # drawing advances the first two
        return np.random.Generator(np.random.Philox(key=self._state.key, counter=counter))

    def next_call(self) -> int:
        """The number of a new call of a compiled function."""
        return next(self._state.calls)

    def drawn(self, kind: str, call: int, source: int, samples: int) -> Array:
        """The numbers of a source for the first samples."""
        stream = self._stream(call, source)
        return stream.standard_normal(samples) if kind == "normal" else stream.random(samples)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw from the normal distribution with mean `loc` and standard deviation `scale`."""
        return self._shaped("normal", size, lambda z: loc + scale * z)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Draw from [low, high)."""
        return self._shaped("uniform", size, lambda u: low + (high - low) * u)

    def _shaped(self, kind: str, size: Any, scaled: Any) -> Any:
        if size is None:
            return scaled(self._one(kind))
        shape = tuple(np.atleast_1d(size).tolist())
        items = [scaled(self._one(kind)) for _ in range(int(np.prod(shape)))]
        plain = all(isinstance(x, float) for x in items)
        return (np.array(items, float) if plain else as_array(items)).reshape(shape)

    def _one(self, kind: str) -> Any:
        """A Value that stands for one number for each sample, or a float outside compiled functions."""
        now = modes()
        if now.tracing:
            return now.tracer.source(self, kind)
        stream = self._state.once("eager", lambda: self._stream(EAGER, 0))
        return float(stream.standard_normal() if kind == "normal" else stream.random())

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.Generator>"


DEFAULT = Generator()


def seed(seed: int | None = None) -> None:
    """Start the default generator again. Functions that are already compiled use the new seed too."""
    DEFAULT.seed(seed)


def normal(
    loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, generator: Generator | None = None
) -> Any:
    """Draw from the normal distribution with mean `loc` and standard deviation `scale`.

    In a compiled function, this is a new number for each sample and each call; gradients treat it as a
    constant, and flow to `loc` and `scale`. Otherwise it is a float, or an array if there is a size.
    """
    return (generator or DEFAULT).normal(loc, scale, size)


def uniform(
    low: Any = 0.0, high: Any = 1.0, size: Any = None, *, generator: Generator | None = None
) -> Any:
    """Draw from [low, high); otherwise as `normal`."""
    return (generator or DEFAULT).uniform(low, high, size)
