"""`custom_op`: user-defined operations that work like those of the table."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from .. import ops
from ..ops import BY_NAME, Op
from ..value import Value, modes

ORDERS = 2  # compiled functions differentiate what they traced at most twice: hessian and hvp


class Custom(Op):
    """An operation defined with `custom_op`. While a function is traced, it writes itself out in the
    table's operations.
    """

    def __call__(self, *args: Any) -> Any:
        if modes().tracing and any(isinstance(arg, Value) for arg in args):
            try:
                return self.written_out(*self.complete(args))
            except TypeError as error:
                error.add_note(
                    f"this happened in the custom operation '{self.name}': inside a compiled function, "
                    f"its value and its partials take Values, so they need operators and chainrule's "
                    f"functions instead of those of math"
                )
                raise
        return super().__call__(*args)

    def written_out(self, *args: Any) -> Any:
        """The value, with the partials as its derivatives.

        A partial may use the result, which has these derivatives too. The innermost result instead has
        those of the formula for the value, which are the same unless the partials differ from them on
        purpose, and which only a derivative of a higher order would use.
        """
        value = result = self.forward(*args)
        for _ in range(ORDERS):
            partials = self.derivatives(args, result, [isinstance(arg, Value) for arg in args])
            result = ops.stop_gradient(value)
            for arg, partial in zip(args, partials, strict=True):
                if partial is not None:
                    result = ops.with_partial(result, arg, partial)
        return result


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
    return Custom(name, len(rules), forward, rules)


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
