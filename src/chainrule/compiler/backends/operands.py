"""`Numbers`: an array on which the formulas of the table can run, for backends that compute on arrays.

What NumPy and JAX share: running a formula on arrays, and all partials of a variadic row. How one row
is applied to arrays, and which array a constant becomes, the class of each backend says.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from ...ops import Formula, Op, Variadic
from ...support.formulas.operands import Operand

Array = Any


class Numbers(Operand, ABC):
    """An array that formulas take for a number."""

    def __init__(self, array: Array) -> None:
        self.array = array

    @staticmethod
    @abstractmethod
    def apply(op: Op, arrays: Sequence[Array]) -> Array:
        """One row of the table on arrays, or on arrays and floats."""

    @staticmethod
    @abstractmethod
    def plain(result: Any, like: Array) -> Array:
        """An array from what a formula gave: one of these, or a constant."""

    def _apply(self, op: Op, args: Sequence[Any]) -> Numbers:
        arrays = [a.array if isinstance(a, Numbers) else a for a in op.complete(args)]
        return type(self)(self.apply(op, arrays))

    @classmethod
    def run(cls, formula: Formula, arrays: Sequence[Array], like: Array) -> Array:
        """The value of a formula on arrays."""
        return cls.plain(formula(*map(cls, arrays)), like)

    @classmethod
    def slopes(cls, op: Variadic, terms: Sequence[Array], out: Array) -> list[Array]:
        """The partial derivatives of a variadic row with respect to all its terms."""
        found = op.derivatives([*map(cls, terms)], cls(out), [True] * len(terms))
        return [cls.plain(partial, out) for partial in found]


def columns(x: Array) -> list[Array]:
    """The terms of a variadic row, which are the second axis."""
    return [x[:, k] for k in range(x.shape[1])]
