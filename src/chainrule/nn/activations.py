"""Activations by name or function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import functional

Activation = Callable[[Any], Any]

NAMES = (
    "linear",
    "tanh",
    "relu",
    "sigmoid",
    "gelu",
    "silu",
    "softplus",
    "elu",
    "leaky_relu",
    "sin",
    "exp",
)


def linear(x: Any) -> Any:
    """Return x itself."""
    return x


def activation_named(activation: str | Activation | None) -> Activation:
    """The function for a name; a function is returned as it is, None is linear."""
    if activation is None:
        return linear
    if callable(activation):
        return activation
    if activation not in NAMES:
        known = ", ".join(NAMES)
        raise ValueError(f"unknown activation {activation!r}; known are {known}, or give a function")
    return KNOWN[activation]


def _method(name: str) -> Activation:
    """The method of a Value, looked up at each call: a learner may have replaced it."""

    def activate(x: Any) -> Any:
        return getattr(x, name)() if hasattr(x, name) else getattr(functional, name)(x)

    activate.__name__ = name
    return activate


KNOWN: dict[str, Activation] = {name: linear if name == "linear" else _method(name) for name in NAMES}


def name_of(activation: Activation) -> str:
    """How a repr shows an activation."""
    return str(getattr(activation, "__name__", activation))
