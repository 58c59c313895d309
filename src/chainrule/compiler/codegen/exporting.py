"""Collects what `Compiled.source` writes: everything traced, with readable names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .. import passes
from .text import Argument, Export

if TYPE_CHECKING:
    from ..compiled import Compiled


def exported(step: Compiled[Any]) -> Export:
    """All traced paths through a function, for the one shape of its arguments."""
    traced = [(key, variants) for key, variants in step.variants.items() if variants]
    if not traced:
        raise ValueError("there is nothing to export yet: call the compiled function with a batch first")
    if len(traced) > 1:
        raise ValueError(
            f"the function was called with batches of {len(traced)} different shapes, each of which is "
            f"a separate program: compile it again, and call it only with the shape to export"
        )
    ((key, variants),) = traced
    # Use the graphs as traced: the passes would change the last bits.
    graphs = [(passes.drop_dead(v.one_sample(key)), v.trace.expected) for v in variants]
    return Export(*names(step), labels(step), step.numbers().tolist(), arguments(step, key), graphs)


def names(step: Compiled[Any]) -> tuple[str, str]:
    """The function's name as an identifier, and a description for readers."""
    if step.leaves is not None:
        name, kind = getattr(step.function, "label", ""), "a Value"
    else:
        name, kind = getattr(step.function, "__name__", type(step.function).__name__), "the function"
    word = re.fullmatch(r"_*([A-Za-z][A-Za-z0-9_]*)", name)
    return word[1] if word else "model", f"{kind} {name!r}" if name else kind


def labels(step: Compiled[Any]) -> list[str]:
    """For each parameter its label, or its name in the compiled model."""
    named = getattr(step.function, "named_parameters", None)
    known = {p: name for name, p in named()} if callable(named) else {}
    return [repr(p.label) if p.label else known.get(p, "") for p in step.params]


def arguments(step: Compiled[Any], key: Any) -> list[Argument]:
    """The name and shape of every array, using the function's argument names."""
    if step.leaves is not None:
        return [(repr(leaf.label) if leaf.label else "", ()) for leaf in step.leaves]
    try:
        known = list(inspect.signature(step.function).parameters)
    except (TypeError, ValueError):
        known = []
    result: list[Argument] = []
    for k, (shapes, tree) in enumerate(zip(*key[:2], strict=True)):
        name = known[k] if k < len(known) else f"argument {k}"
        result += zip((name + path for path in paths(tree)), shapes, strict=True)
    return result


def paths(tree: Any) -> Iterator[str]:
    """The path of each array in an argument: '' for the argument itself, else dict keys."""
    if tree is None:
        yield ""
    else:
        for key, item in tree:
            for path in paths(item):
                yield f"[{key!r}]{path}"
