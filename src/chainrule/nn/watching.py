"""`watch`: runs an action and collects the outputs of layers.

The collector belongs to the call, not to the layers: threads that use one model do not see each other's
outputs, and nothing keeps collecting after an error or an interrupt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

Result = TypeVar("Result")
Rows = list[list[Any]]  # the outputs of one layer: a row for each call

collector: ContextVar[dict[int, Rows] | None] = ContextVar("chainrule_outputs", default=None)


def watch(layers: Iterable[Any], action: Callable[[], Result]) -> tuple[Result, list[Rows]]:
    """Run an action; returns its result and, for each layer, the outputs of every call to it."""
    layers = list(layers)
    rows: dict[int, Rows] = {id(layer): [] for layer in layers}

    def collecting() -> Result:
        collector.set(rows)
        return action()

    result = copy_context().run(collecting)  # C code leaves the context again, whatever happens in it
    return result, [rows[id(layer)] for layer in layers]


def collect(layer: Any, outputs: list[Any]) -> None:
    """Add a layer's outputs to its rows, if an action is running that watches the layer."""
    rows = collector.get()
    if rows is not None and id(layer) in rows:
        rows[id(layer)].append(outputs)
