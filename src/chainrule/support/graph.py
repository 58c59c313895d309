"""What the package may ask of a recorded graph, beyond the public attributes of a Value.

Both cores keep these fields under mangled names, so that attributes of the user's own cannot
collide with them. Nothing but the cores and this file uses those names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..ops import Op


def is_value(x: Any) -> bool:
    """Whether it is a Value, of either core."""
    return hasattr(x, "_Value__number")


def number(node: Any) -> float:
    """The number, without telling a tracer that it was read."""
    return node._Value__number  # type: ignore[no-any-return]


def gradient(node: Any) -> float:
    """The gradient as a number, also where it is a Value, without telling a tracer."""
    found = node._Value__gradient
    return number(found) if is_value(found) else found


def row(node: Any) -> Op | None:
    """The row of the table it was computed by; None for a leaf or an operation made by hand."""
    return node._Value__row  # type: ignore[no-any-return]


def name(node: Any) -> str:
    """The name of an operation made by hand, or one assigned to `_op`; '' if there is none."""
    return node._Value__name  # type: ignore[no-any-return]


def set_name(node: Any, name: str) -> None:
    node._Value__name = name


def is_by_hand(node: Any) -> bool:
    """Whether the derivative is known only to a function assigned to `_backward`."""
    return node._Value__closure is not None


def formula(node: Any) -> Op | None:
    """The row whose derivatives hold for this node; None if there is none, or one was assigned."""
    return None if is_by_hand(node) else row(node)


def arguments(node: Any) -> tuple[Any, ...]:
    """The inputs, with constants as plain numbers."""
    return node._Value__arguments  # type: ignore[no-any-return]


def time(node: Any) -> int:
    """When the number was last assigned, on the clock of all Values."""
    return node._Value__time  # type: ignore[no-any-return]


def site(node: Any) -> str:
    """The source line where it was computed, if that was inside `detect_anomaly()`."""
    return node._Value__site  # type: ignore[no-any-return]


def is_unrecorded(node: Any) -> bool:
    """Whether it was computed where nothing is recorded."""
    return node._Value__unrecorded  # type: ignore[no-any-return]


def attributes(node: Any) -> dict[str, Any]:
    """The user's own attributes."""
    return node._Value__attributes or {}


def topological(root: Any, check: bool = True) -> list[Any]:
    """Everything below `root` and itself, inputs before results, constants left out.

    With `check`, a value that was changed after a result was computed from it is an error.
    """
    return root._Value__topological(check)  # type: ignore[no-any-return]


def result(cls: Any, row: Op | None, args: Iterable[Any], data: float) -> Any:
    """A result whose number is known already; plain numbers among `args` are constants."""
    return cls._Value__result(row, args, data)


def make_constant(leaf: Any) -> None:
    """Turn a leaf into a plain number: it gets no gradient from now on."""
    leaf._Value__constant = True


def make_unrecorded(leaf: Any) -> None:
    leaf._Value__unrecorded = True
