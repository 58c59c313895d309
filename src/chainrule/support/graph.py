"""Access to a recorded graph for the rest of the package, beyond a Value's public attributes.

Both cores keep these fields under mangled names, so that user attributes cannot collide with
them. Only the cores and this file use those names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..ops import Op


def is_value(x: Any) -> bool:
    """Whether this is a Value of either core."""
    return hasattr(x, "_Value__number")


def number(node: Any) -> float:
    """The number, without notifying a tracer."""
    return node._Value__number  # type: ignore[no-any-return]


def gradient(node: Any) -> float:
    """The gradient as a number, even if it is a Value, without notifying a tracer."""
    found = node._Value__gradient
    return number(found) if is_value(found) else found


def row(node: Any) -> Op | None:
    """The row of the table that computed the node; None for a leaf or a hand-made operation."""
    return node._Value__row  # type: ignore[no-any-return]


def name(node: Any) -> str:
    """The name of a hand-made operation, or the name assigned to `_op`; '' if there is none."""
    return node._Value__name  # type: ignore[no-any-return]


def set_name(node: Any, name: str) -> None:
    node._Value__name = name


def is_by_hand(node: Any) -> bool:
    """Whether a function was assigned to `_backward`, so that only it can compute the derivative."""
    return node._Value__closure is not None


def formula(node: Any) -> Op | None:
    """The row that defines this node's derivatives; None if none does, or `_backward` was assigned."""
    return None if is_by_hand(node) else row(node)


def arguments(node: Any) -> tuple[Any, ...]:
    """The inputs, with constants as plain numbers."""
    return node._Value__arguments  # type: ignore[no-any-return]


def time(node: Any) -> int:
    """When the number was last assigned, on the clock shared by all Values."""
    return node._Value__time  # type: ignore[no-any-return]


def site(node: Any) -> str:
    """The source line where the node was computed, if inside `detect_anomaly()`."""
    return node._Value__site  # type: ignore[no-any-return]


def is_unrecorded(node: Any) -> bool:
    """Whether this is a result that was not recorded."""
    return node._Value__unrecorded  # type: ignore[no-any-return]


def attributes(node: Any) -> dict[str, Any]:
    """User attributes."""
    return node._Value__attributes or {}


def topological(root: Any, check: bool = True) -> list[Any]:
    """`root` and everything it depends on in topological order, inputs first, without constants.

    With `check`, raise if a value was changed after a result was computed from it.
    """
    return root._Value__topological(check)  # type: ignore[no-any-return]


def result(cls: Any, row: Op | None, args: Iterable[Any], data: float) -> Any:
    """A result whose number is already known; plain numbers among `args` are constants."""
    return cls._Value__result(row, args, data)


def make_constant(leaf: Any) -> None:
    """Turn a leaf into a constant, which gets no gradient from now on."""
    leaf._Value__constant = True


def make_unrecorded(leaf: Any) -> None:
    leaf._Value__unrecorded = True
