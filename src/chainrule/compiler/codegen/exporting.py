"""What `Compiled.source` writes: everything that was traced, with names for a reader."""

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
    """All ways through a function that were traced, for the one shape of its arguments."""
    traced = [(key, variants) for key, variants in step.variants.items() if variants]
    if not traced:
        raise ValueError("there is nothing to write yet: call it with a batch first")
    if len(traced) > 1:
        raise ValueError(
            f"it was called with batches of {len(traced)} shapes, which are different programs: "
            f"compile it again, and call it with the one to write"
        )
    ((key, variants),) = traced
    # The graphs as they were traced: the passes would change the last bits.
    graphs = [(passes.drop_dead(v.trace.graph), v.trace.expected) for v in variants]
    return Export(*names(step), labels(step), step.numbers().tolist(), arguments(step, key), graphs)


def names(step: Compiled[Any]) -> tuple[str, str]:
    """What the function is called: as a word of the language, and to a reader."""
    if step.leaves is not None:
        name, kind = getattr(step.function, "label", ""), "a Value"
    else:
        name, kind = getattr(step.function, "__name__", type(step.function).__name__), "the function"
    word = re.fullmatch(r"_*([A-Za-z][A-Za-z0-9_]*)", name)
    return word[1] if word else "model", f"{kind} {name!r}" if name else kind


def labels(step: Compiled[Any]) -> list[str]:
    """For each parameter its label, or its name in the model that was compiled."""
    named = getattr(step.function, "named_parameters", None)
    known = {p: name for name, p in named()} if callable(named) else {}
    return [repr(p.label) if p.label else known.get(p, "") for p in step.params]


def arguments(step: Compiled[Any], key: Any) -> list[Argument]:
    """The name and shape of every array, as the function calls its arguments."""
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
    """Where each array of an argument is: '' if it is the argument itself, else keys of dicts."""
    if tree is None:
        yield ""
    else:
        for key, item in tree:
            for path in paths(item):
                yield f"[{key!r}]{path}"
