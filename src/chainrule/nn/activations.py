"""Activations, given by name or as a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

from .. import functional
from ..value import Value

Activation = Callable[[Any], Any]
# All but "linear" are methods of a Value.
ActivationName = Literal[
    "linear", "tanh", "relu", "sigmoid", "gelu", "silu", "softplus", "elu", "leaky_relu", "sin", "exp"
]


def linear(x: Any) -> Any:
    """Return x unchanged."""
    return x


def _method(name: str) -> Activation:
    """A method of Value, looked up at each call because a learner may have replaced it."""

    def activate(x: Any) -> Any:
        return getattr(x, name)() if hasattr(x, name) else getattr(functional, name)(x)

    activate.__name__ = activate.__qualname__ = name
    return activate


NAMES: tuple[str, ...] = get_args(ActivationName)
BY_NAME: dict[str, Activation] = {"linear": linear, **{name: _method(name) for name in NAMES[1:]}}
globals().update(BY_NAME)  # so that pickle finds them by name


def activation_named(activation: str | Activation | None) -> Activation:
    """Look up an activation by name; return a function unchanged, and linear for None."""
    if activation is None:
        return linear
    if callable(activation):
        return activation
    if activation not in NAMES:
        known = ", ".join(NAMES)
        raise ValueError(f"unknown activation {activation!r}; expected a function or one of: {known}")
    return BY_NAME[activation]


def known_name(activation: Activation) -> str | None:
    """The name of a built-in activation; None for a user's function, whatever its name."""
    name = name_of(activation)
    if name not in NAMES:
        return None
    twins = (BY_NAME[name], getattr(functional, name, None), getattr(Value, name, None))
    return name if any(activation is twin for twin in twins) else None


def name_of(activation: Activation) -> str:
    """The name of an activation as shown in a repr."""
    return str(getattr(activation, "__name__", activation))
