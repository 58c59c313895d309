"""Finds out whether a function draws random numbers while it is traced.

Numbers from generators other than chainrule's would be fixed then. This shows in the generators' states.
"""

from __future__ import annotations

import functools
import random
import sys
from types import FunctionType, MethodType, ModuleType
from typing import Any

MOST_LOOKED_AT = 1000  # objects around a function, in which generators are looked for
UNUSED = 623  # the position of numpy.random's generator in its state before the first number


class Watched:
    """The states of the generators that a function may use."""

    def __init__(self, function: Any) -> None:
        self.generators = _generators(function)
        self.before = self.states()

    def states(self) -> list[Any]:
        legacy = sys.modules.get("numpy.random.mtrand")
        numpy_state = None if legacy is None else _comparable(legacy.get_state(legacy=False))
        return [random.getstate(), numpy_state, *map(_state, self.generators)]

    def changed(self) -> str:
        """What was drawn from since then; '' if nothing."""
        names = ["the random module", "numpy.random", *map(_name, self.generators)]
        pairs = zip(names, self.before, self.states(), strict=True)
        return next((name for name, *states in pairs if _has_drawn(*states)), "")


def _has_drawn(before: Any, after: Any) -> bool:
    if (
        before is None and after is not None
    ):  # numpy.random was imported since, perhaps by chainrule.random
        return bool(after["state"]["pos"] != UNUSED)
    return bool(before != after)


def _state(generator: Any) -> Any:
    if isinstance(generator, random.Random):
        return generator.getstate()
    bits = getattr(generator, "bit_generator", None)
    return _comparable(generator.get_state(legacy=False) if bits is None else bits.state)


def _comparable(state: Any) -> Any:
    """NumPy's state of a generator with bytes in place of arrays, so that == gives one answer."""
    if isinstance(state, dict):
        return {name: _comparable(part) for name, part in state.items()}
    return state.tobytes() if hasattr(state, "tobytes") else state


def _name(generator: Any) -> str:
    kind = type(generator)
    return f"a {kind.__module__.partition('.')[0]} generator ({kind.__name__})"


def _generators(function: Any) -> list[Any]:
    """The generators that a function refers to: in closures, globals, defaults, attributes of objects.

    A generator that the function reaches in another way is not found.
    """
    numpy_random = sys.modules.get("numpy.random")
    kinds: tuple[Any, ...] = (random.Random,)
    if numpy_random is not None:
        kinds += (numpy_random.Generator, numpy_random.RandomState)
    shared = {id(getattr(random, "_inst", None))}  # the random module's own
    todo, seen, found = [function], set(shared), []
    while todo and len(seen) < MOST_LOOKED_AT:
        thing = todo.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, kinds):
            found.append(thing)
        else:
            todo += _referred(thing)
    return found


def _referred(thing: Any) -> list[Any]:
    if isinstance(thing, FunctionType):
        if (thing.__module__ or "").startswith("chainrule.") and thing.__closure__ is None:
            return []
        names = [name for name in thing.__code__.co_names if name in thing.__globals__]
        cells = [_contents(cell) for cell in thing.__closure__ or ()]
        return [*cells, *(thing.__globals__[name] for name in names), *(thing.__defaults__ or ())]
    if isinstance(thing, MethodType):
        return [thing.__self__, thing.__func__]
    if isinstance(thing, functools.partial):
        return [thing.func, *thing.args, *thing.keywords.values()]
    if isinstance(thing, (ModuleType, type)) or not hasattr(thing, "__dict__"):
        return []
    methods = [each for each in vars(type(thing)).values() if isinstance(each, FunctionType)]
    return [*vars(thing).values(), *methods]


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return None
