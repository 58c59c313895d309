"""The table's partial derivatives as lists of operations that the compiler appends to a graph.

Each formula is run once on symbols and written as lines: an operation on names or on earlier lines, or a
number. compiler/calculus/graphs.py reads them here, calculus.c as generated/derivatives.h.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from ...ops import BY_NAME, Op, Variadic
from .symbols import Symbol, names

# What a formula may refer to: the parts of an element, the result, the number of elements, the folds.
NAMES = ("x", "y", "z", "out", "n", "fold0", "fold1", "fold2")
FOLDS = NAMES.index("fold0")

Line = tuple[Op, tuple[int, ...]] | float


@dataclass(frozen=True)
class Formula:
    """Lines, and the place of the result: places are those of NAMES, then those of the lines."""

    lines: tuple[Line, ...]
    result: int

    @property
    def uses_folds(self) -> bool:
        """Whether it needs the folds over all elements."""
        places = [self.result, *(a for line in self.lines if isinstance(line, tuple) for a in line[1])]
        return any(FOLDS <= place < len(NAMES) for place in places)


def written(formula: Any) -> Formula:
    """A formula on symbols as lines, each shared part once."""
    lines: list[Line] = []
    known: dict[Any, int] = {}

    def place(x: Any) -> int:
        if isinstance(x, Symbol) and not x.args:
            return NAMES.index(x.name)
        key = id(x) if isinstance(x, Symbol) else float(x).hex()
        if key not in known:
            line = (BY_NAME[x.name], tuple(map(place, x.args))) if isinstance(x, Symbol) else float(x)
            known[key] = len(NAMES) + len(lines)
            lines.append(line)
        return known[key]

    result = place(formula)
    return Formula(tuple(lines), result)


@functools.cache
def partial(op: Op, part: int) -> Formula | None:
    """The derivative of a row with respect to an argument or, if variadic, to one part of an element."""
    formula = op.partials[part] if part < len(op.partials) else None
    if formula is None:
        return None
    if isinstance(op, Variadic):
        return written(formula(*map(Symbol, (*parts(op), *NAMES[3 : FOLDS + len(op.folds)]))))
    return written(formula(*map(Symbol, (*names(op), "out"))))


@functools.cache
def step(op: Variadic, fold: int) -> Formula:
    """One step of a fold; its name stands for the total so far, those before it for their totals."""
    earlier = NAMES[FOLDS : FOLDS + fold]
    return written(op.folds[fold].step(*map(Symbol, (NAMES[FOLDS + fold], *parts(op), *earlier))))


def parts(op: Variadic) -> tuple[str, ...]:
    """The names of the parts of an element."""
    return NAMES[: op.width]
