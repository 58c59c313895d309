"""Rewrite rules: pairs of formulas, the pattern to match and a cheaper replacement.

The compiler tries them in this order when it simplifies a graph: compiler/passes.py reads them here,
passes.c as generated/rewrites.h. In a pattern, numbers match constants and names match anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import ops
from .symbols import Symbol

X = Symbol("x")

REWRITES: tuple[tuple[Symbol, Any], ...] = (
    (ops.pos(X), X),
    (ops.mul(1.0, X), X),
    (ops.mul(X, 1.0), X),
    (ops.div(X, 1.0), X),
    (ops.pow(X, 1.0), X),
    (ops.pow(X, -1.0), ops.div(1.0, X)),
    # Small integer powers as products, without a call of pow; within 2 ulp.
    (ops.pow(X, 2.0), X * X),
    (ops.pow(X, 3.0), X * X * X),
    (ops.pow(X, 4.0), (X * X) * (X * X)),
)

BY_ROW = {
    row.name: [(before, after) for before, after in REWRITES if before.name == row.name]
    for row in ops.TABLE
}


def bound(before: Symbol, args: Sequence[Any], numbers: Sequence[float | None]) -> dict[str, Any] | None:
    """What each name of a pattern matches; None if the arguments do not match."""
    found: dict[str, Any] = {}
    for wanted, arg, number in zip(before.args, args, numbers, strict=True):
        fits = (
            found.setdefault(wanted.name, arg) == arg if isinstance(wanted, Symbol) else number == wanted
        )
        if not fits:
            return None
    return found


def built(
    after: Any, known: dict[str, Any], constant: Callable[[float], Any], node: Callable[..., Any]
) -> Any:
    """Build a replacement with `constant(number)` and `node(row, arguments)`, arguments first."""
    if not isinstance(after, Symbol):
        return constant(after)
    if not after.args:
        return known[after.name]
    args = tuple(built(arg, known, constant, node) for arg in after.args)
    return node(ops.BY_NAME[after.name], args)
