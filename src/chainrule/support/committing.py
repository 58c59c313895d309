"""`commit`: several changes that are all made or, wherever Ctrl-C comes, none.

Python raises KeyboardInterrupt between two of its own instructions. `commit` makes all changes in one
instruction, a call into C that runs no Python, so that none can come between two of them. Whatever
can fail (a rule, a conversion) is done before, while the changes are written down.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import chain, repeat, starmap
from operator import call
from typing import Any

from .. import engine
from ..value import Value, core
from . import staleness
from .ieee import as_float

Change = tuple[Any, ...]  # a function written in C, such as setattr, and its arguments


def commit(*changes: Iterable[Change]) -> None:
    """Make all changes. They come from lists, or from iterators that run no Python, such as `zip`."""
    deque(starmap(call, chain.from_iterable(changes)), maxlen=0)


def assign(target: Any, **attributes: Any) -> list[Change]:
    """The changes that set attributes of an object."""
    return [(setattr, target, name, value) for name, value in attributes.items()]


def commit_training(optimizer: Any, numbers: Any, steps: int, *more: Iterable[Change]) -> None:
    """Set all that a training step changes: gradients, parameters and the optimiser's state and steps.

    `numbers` is an array with gradients, parameters and each number of the state in its rows.
    """
    gradients, data = numbers[:2].tolist()
    commit(
        data_of(optimizer.params, data),
        gradients_of(optimizer.params, gradients),
        assign(optimizer, state=list(map(tuple, numbers[2:].T.tolist())), steps=steps),
        *more,
    )


def data_of(values: Sequence[Value], numbers: Iterable[Any]) -> Iterable[Change]:
    """The changes that set `.data` of each Value to a number.

    A subclass with a setter of its own, as `chainrule.micrograd.Value`, has it called. It is Python, so
    Ctrl-C may come between two such Values.
    """
    floats = [x if type(x) is float else as_float(x) for x in numbers]
    if core == "c" or _has_own(values, "data"):
        return zip(repeat(setattr), values, repeat("data"), floats, strict=False)
    # The setter of the reference class is Python: these are its assignments.
    return [
        change
        for value, x in zip(values, floats, strict=True)
        for change in assign(value, **staleness.assignments(value, x))
    ]


def gradients_of(values: Sequence[Value], gradients: Iterable[Any]) -> Iterable[Change]:
    """The changes that set `.grad` of each Value to a number or, after create_graph, a Value."""
    given = [g if type(g) is float or isinstance(g, Value) else as_float(g) for g in gradients]
    name = "grad" if core == "c" or _has_own(values, "grad") else "_Value__gradient"
    return zip(repeat(setattr), values, repeat(name), given, strict=False)


def _has_own(values: Sequence[Value], attribute: str) -> bool:
    """Whether one of them is of a subclass with a setter of its own."""
    known = getattr(engine.Value, attribute)
    return any(getattr(type(value), attribute) is not known for value in values)
