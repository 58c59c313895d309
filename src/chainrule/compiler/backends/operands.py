"""`Numbers`: an array on which the table's formulas can run, for array backends.

NumPy and JAX share this code, which runs formulas on arrays. The subclass of each backend defines how
to apply a row to arrays, and which array a constant becomes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from ...ops import Formula, Op, Variadic
from ...support.formulas.symbols import Operand

Array = Any


class Numbers(Operand, ABC):
    """An array that formulas treat as a number."""

    def __init__(self, array: Array) -> None:
        self.array = array

    @staticmethod
    @abstractmethod
    def apply(op: Op, arrays: Sequence[Array]) -> Array:
        """Apply one row of the table to arrays, or to arrays and floats."""

    @staticmethod
    @abstractmethod
    def plain(result: Any, like: Array) -> Array:
        """Convert the result of a formula, which may be a constant, to an array."""

    def _apply(self, op: Op, args: Sequence[Any]) -> Numbers:
        arrays = [a.array if isinstance(a, Numbers) else a for a in op.complete(args)]
        return type(self)(self.apply(op, arrays))

    @classmethod
    def run(cls, formula: Formula, arrays: Sequence[Array], like: Array) -> Array:
        """The value of a formula on arrays."""
        return cls.plain(formula(*map(cls, arrays)), like)

    @classmethod
    def slopes(cls, op: Variadic, parts: Sequence[Array], wanted: int, out: Array) -> list[Array]:
        """The partial derivatives of a variadic row with respect to the terms of one part."""
        terms = parts[0].shape[1]
        asked = [part == wanted for part in range(len(parts)) for _ in range(terms)]
        found = op.derivatives([*map(cls, columns(parts))], cls(out), asked)
        return [cls.plain(partial, out) for partial in found[wanted * terms : (wanted + 1) * terms]]


def columns(parts: Sequence[Array]) -> list[Array]:
    """The arguments of a variadic row: all terms of each part, along the second axis."""
    return [x[:, k] for x in parts for k in range(x.shape[1])]
