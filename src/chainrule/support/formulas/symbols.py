"""`Operand`: the base class of non-numbers on which the table's formulas can run. `Symbol`: a formula as
an expression tree, built by running the formula on names.
"""

from __future__ import annotations

from typing import Any

from ... import ops
from ...ops import Op

COMPARISONS = ("less", "less_equal", "equal")


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


class Symbol(Operand):
    """A symbolic number: an operation and its arguments, or a name."""

    def __init__(self, name: str, args: tuple[Any, ...] = ()) -> None:
        self.name = name
        self.args = args
        self.key: tuple[Any, ...] = (
            name,
            *(arg.key if isinstance(arg, Symbol) else float.hex(arg) for arg in args),
        )

    @staticmethod
    def _apply(op: Op, args: Any) -> Symbol:
        return Symbol(
            op.name, tuple(a if isinstance(a, Symbol) else float(a) for a in op.complete(args))
        )


def names(op: Op) -> list[str]:
    """The names of a row's arguments in generated text."""
    return ["x", "y", "z"][: op.arity]


def free_names(x: Any) -> set[str]:
    """The names that a formula uses."""
    if not isinstance(x, Symbol):
        return set()
    return set().union(*map(free_names, x.args)) if x.args else {x.name}


def is_test(x: Any) -> bool:
    """Whether x is a comparison, or a product of comparisons, which is 1 if all hold."""
    if not isinstance(x, Symbol):
        return False
    return x.name in COMPARISONS or (x.name == "mul" and all(map(is_test, x.args)))
