"""`custom_op`: user-defined operations that work like those of the table."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ..ops import BY_NAME, Op


def custom_op(
    name: str,
    forward: Callable[..., Any],
    partials: Callable[..., Any] | Sequence[Callable[..., Any] | None],
) -> Op:
    """Define an operation by its value and its partial derivatives.

    `forward` takes numbers and returns a number. `partials` has one function per argument; each
    takes the same arguments and the result. If they use operators and chainrule functions
    instead of those of math, they also work on Values, and the operation has derivatives of
    every order. `None` means that an argument has no derivative.

    >>> cube = custom_op("cube", lambda x: x**3, lambda x, out: 3 * x**2)
    >>> cube(Value(2.0)).data
    8.0
    """
    if not callable(partials) and not isinstance(partials, Sequence):
        raise TypeError(
            f"partials must be functions, one for each argument, got {type(partials).__name__}"
        )
    rules = (partials,) if callable(partials) else tuple(partials)
    if not isinstance(name, str) or not name:
        raise TypeError(f"custom_op needs a name, got {name!r}")
    if name in BY_NAME:
        raise ValueError(f"the table already has an operation '{name}': choose a different name")
    if not callable(forward):
        raise TypeError(f"forward must be callable, got {type(forward).__name__}")
    if not rules:
        raise TypeError("custom_op needs one partial derivative for each argument, got none")
    for rule in rules:
        if rule is not None and not callable(rule):
            raise TypeError(f"a partial must be callable or None, got {type(rule).__name__}")
    _check_arguments("forward", forward, len(rules), "the arguments")
    for rule in rules:
        if rule is not None:
            _check_arguments("a partial", rule, len(rules) + 1, "the arguments and the result")
    return Op(name, len(rules), forward, rules)


def _check_arguments(what: str, function: Callable[..., Any], count: int, which: str) -> None:
    """Raise if the function's signature, where known, does not accept `count` arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*range(count))
    except TypeError:
        raise TypeError(
            f"{what} must take {count} argument{'' if count == 1 else 's'}, {which}, because each "
            f"argument has one partial; it takes {signature}"
        ) from None
