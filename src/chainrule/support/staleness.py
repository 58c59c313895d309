"""Staleness in the reference core: detects a number changed after a result was computed from it.

A clock advances with every assignment to `.data`, and each node stores the time of its number. A
result is stale if one of its inputs has a later time. The fields are those of engine.py.
"""

from __future__ import annotations

import math
from itertools import repeat
from typing import Any

from . import errors
from .ieee import as_float

_now = 0


def now() -> int:
    return _now


def tick() -> int:
    global _now
    _now += 1
    return _now


def same(a: float, b: float) -> bool:
    """Whether the numbers are equal, including the sign of 0."""
    return a == b and math.copysign(1.0, a) == math.copysign(1.0, b)


def assignments(node: Any, number: float) -> dict[str, Any]:
    """The fields that an assignment to `.data` changes."""
    if same(number, node._Value__number):
        return {}
    overwritten = not node.is_leaf
    return {"_Value__number": number, "_Value__time": tick(), "_Value__overwritten": overwritten}


def assign(node: Any, number: float) -> None:
    changes = assignments(node, number)
    any(map(setattr, repeat(node), changes, changes.values()))  # one call, which Ctrl-C cannot split


def check(node: Any) -> None:
    """Raise if gradients through this node would be wrong."""
    if node._Value__overwritten:
        raise errors.overwritten(node)
    changed = _changed_input(node)
    if changed is not None:
        raise errors.stale(changed, node)


def _changed_input(node: Any) -> Any:
    return next((v for v in node.inputs if v._Value__time > node._Value__time), None)


def recompute(order: list[Any]) -> None:
    """Recompute everything from the leaves, in place; an exception leaves everything unchanged."""
    before = [(node._Value__number, node._Value__time) for node in order]
    time = tick()
    try:
        for node in order:
            if node._Value__row is not None:
                number = as_float(node._Value__row.forward(*(v._Value__number for v in node.inputs)))
                unchanged = same(number, node._Value__number)
                inherited = max(node._Value__time, *(v._Value__time for v in node.inputs))
                node._Value__number, node._Value__time = number, inherited if unchanged else time
            elif node._Value__overwritten or _changed_input(node) is not None:
                raise errors.no_formula(node, "recompute")
    except BaseException:
        for node, (number, moment) in zip(order, before, strict=True):
            node._Value__number, node._Value__time = number, moment
        raise
    for node in order:
        node._Value__overwritten = False
