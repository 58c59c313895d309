"""Symbols: numbers that are not known yet, on which the formulas of the table are traced.

What the writers of C share: each formula is run once on symbols, and the tree of operations
that comes out is written down in one dialect of C or another.
"""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))
os.environ["CHAINRULE_CORE"] = "python"  # the compiled core may still be that of the old table

from chainrule import ops  # noqa: E402

COMPARISONS = ("less", "less_equal", "equal")


class Symbol:
    """A number that is not known yet: an operation and its arguments, or a name."""

    def __init__(self, name: str, args: tuple[Any, ...] = ()) -> None:
        self.name = name
        self.args = args
        self.key: tuple[Any, ...] = (
            name,
            *(arg.key if isinstance(arg, Symbol) else float.hex(arg) for arg in args),
        )

    @staticmethod
    def _apply(op: ops.Op, args: Any) -> Symbol:
        return Symbol(
            op.name, tuple(a if isinstance(a, Symbol) else float(a) for a in op.complete(args))
        )

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


def is_test(x: Any) -> bool:
    """A comparison, or a product of comparisons, which is 1 if all of them hold."""
    if not isinstance(x, Symbol):
        return False
    return x.name in COMPARISONS or (x.name == "mul" and all(map(is_test, x.args)))


def literal(x: float) -> str:
    if math.isnan(x):
        return "NAN"
    if math.isinf(x):
        return "INFINITY" if x > 0 else "-INFINITY"
    return repr(x) if math.copysign(1.0, x) > 0 else f"({x!r})"


def names(op: ops.Op) -> list[str]:
    return ["x", "y", "z"][: op.arity]


def code(op: ops.Op) -> str:
    return f"OP_{op.name.upper()}"


FIXED = [op for op in ops.TABLE if not isinstance(op, ops.Variadic)]
VARIADIC = [op for op in ops.TABLE if isinstance(op, ops.Variadic)]
