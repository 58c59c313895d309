"""`Operand`: the base of non-numbers on which the formulas of the table can run."""

from __future__ import annotations

from typing import Any

from ... import ops


class Operand:
    """An object on which the table's formulas can run; `_apply` performs an operation on it."""

    def __add__(self, other: Any) -> Any:
        return ops.add(self, other)

    def __radd__(self, other: Any) -> Any:
        return ops.add(other, self)

    def __sub__(self, other: Any) -> Any:
        return ops.sub(self, other)

    def __rsub__(self, other: Any) -> Any:
        return ops.sub(other, self)

    def __mul__(self, other: Any) -> Any:
        return ops.mul(self, other)

    def __rmul__(self, other: Any) -> Any:
        return ops.mul(other, self)

    def __neg__(self) -> Any:
        return ops.neg(self)

    def __pos__(self) -> Any:
        return ops.pos(self)
