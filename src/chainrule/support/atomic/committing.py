"""`commit`: apply several changes atomically, even if Ctrl-C is pressed or memory runs out.

Python raises KeyboardInterrupt only between bytecode instructions. `commit` makes all changes in one
instruction, a call into C that runs no Python code, so an interrupt cannot separate them. Anything that
can fail (a rule, a conversion, an allocation) happens earlier, while the changes are collected.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat, starmap
from operator import call
from typing import Any

from ... import engine
from ...value import Value, c_core, core, modes
from .. import staleness
from ..ieee import as_float

Change = tuple[Any, ...]  # a function implemented in C, such as setattr, and its arguments


def commit(*changes: Iterable[Change]) -> None:
    """Make all changes."""
    any(prepared(*changes))


def prepared(*changes: Iterable[Change]) -> Iterator[None]:
    """An iterator that makes the changes, once: `any` exhausts it without allocating memory.

    The functions must return None, as `setattr` does, or `any` would stop early.
    """
    return starmap(call, list(chain.from_iterable(changes)))


class Afterwards:
    """Makes changes when a block ends, however it ends.

    If an interrupt prevents that, they are made when `self` is destroyed.
    """

    end: Iterable[None] = ()  # on the class, because __init__ may be interrupted too

    def __init__(self, *changes: Iterable[Change]) -> None:
        self.end = prepared(*changes)

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None:
        any(self.end)  # allocates nothing

    __del__ = __exit__


def assign(target: Any, **attributes: Any) -> list[Change]:
    """The changes that set attributes of an object."""
    return [(setattr, target, name, value) for name, value in attributes.items()]


def commit_training(
    optimizer: Any,
    numbers: Any,
    state: Any,
    steps: int,
    *more: Iterable[Change],
    gradients: bool = True,
) -> None:
    """Set everything a training step changes: gradients, parameters, optimiser state and step count.

    `numbers` has a row of gradients and a row of parameters, `state` a row for each number of the state.
    Without `gradients`, those of the parameters stay.
    """
    slopes, data = numbers
    params = optimizer.params
    rest = assign(optimizer, _state=state, steps=steps)
    if c_core is None or core != "c":
        slopes = gradients_of(params, slopes.tolist()) if gradients else ()
        commit(data_of(params, data.tolist()), slopes, rest, *more)
    else:
        _ask_tracer(params)
        # All at once, and first, since it needs memory.
        write = c_core.write_numbers, tuple(params), data, slopes if gradients else b""
        commit([write], rest, *more)


def data_of(values: Sequence[Value], numbers: Iterable[Any]) -> Iterable[Change]:
    """The changes that set `.data` of each Value to a number.

    A tracer is told of all of them now, because it may refuse one.

    A subclass may define its own setter, as `chainrule.micrograd.Value` does. That setter is called;
    it runs Python code, so Ctrl-C may interrupt between two such Values.
    """
    _ask_tracer(values)
    floats = [x if type(x) is float else as_float(x) for x in numbers]
    if core == "c" or _has_own(values, "data"):
        return zip(repeat(setattr), values, repeat("data"), floats, strict=False)
    # The setter of the reference class runs Python code, so make its assignments directly.
    return [
        change
        for value, x in zip(values, floats, strict=True)
        for change in assign(value, **staleness.assignments(value, x))
    ]


def _ask_tracer(values: Sequence[Value]) -> None:
    here = modes()
    if here.tracing:
        for value in values:
            here.tracer.assign(value)


def gradients_of(values: Sequence[Value], gradients: Iterable[Any]) -> Iterable[Change]:
    """The changes that set `.grad` of each Value to a number or, after create_graph, a Value."""
    given = [g if type(g) is float or isinstance(g, Value) else as_float(g) for g in gradients]
    name = "grad" if core == "c" or _has_own(values, "grad") else "_Value__gradient"
    return zip(repeat(setattr), values, repeat(name), given, strict=False)


def _has_own(values: Sequence[Value], attribute: str) -> bool:
    """Whether any of them belongs to a subclass with its own setter."""
    known = getattr(engine.Value, attribute)
    return any(getattr(type(value), attribute) is not known for value in values)
