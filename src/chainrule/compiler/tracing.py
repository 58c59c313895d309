"""Runs a function once on Values and records what it does.

While it runs, a comparison is a Value, and using one in an `if` adds a guard: the trace is valid
only for samples that take the same branch. Reading a number raises an error.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..support import errors
from ..support.ieee import as_float
from ..support.modes import Numbers
from ..support.tree import Rebuild, flatten, unflatten
from ..value import Mode, Value, core
from .flat import Flat
from .graph import CompileError, Graph, from_values


class TraceError(CompileError):
    """A function does something that cannot be compiled or exported, such as reading `.data`."""


class Tracer(Numbers):
    """Observes Values while a function is traced."""

    def __init__(self, inputs: Iterable[Any]) -> None:
        super().__init__(inputs)
        self.guards: list[tuple[Any, bool, str]] = []
        self.made: set[Any] = set()  # the leaves that the function creates, which are constants

    def created(self, leaf: Any) -> None:
        self.made.add(leaf)

    def is_own_leaf(self, value: Any) -> bool:
        return value in self.made and bool(value.is_leaf)

    def read(self, value: Any, attribute: str) -> None:
        if not self.is_own_leaf(value):
            raise TraceError(
                f"reading .{attribute} inside a compiled function would bake one number into the "
                f"program, at {errors.user_line()}: compute with the Value itself, use detach() to stop "
                f"the gradient, and max, where(a < b, x, y) or a plain `if a < b` to branch"
            )

    def sweep(self, root: Any) -> None:
        raise TraceError(
            f"backward() inside a compiled function would give the gradients of one sample only, at "
            f"{errors.user_line()}: use grad(...)"
        )

    def no_grad(self) -> None:
        raise TraceError(
            f"no_grad() inside a compiled function would bake one sample's numbers into the "
            f"program, at {errors.user_line()}: use detach() on Values that need no gradient"
        )

    def assign(self, value: Any) -> None:
        if not self.is_own_leaf(value):
            raise TraceError(
                f"assigning to .data inside a compiled function would happen once, not for every "
                f"sample, at {errors.user_line()}: return the new number instead"
            )

    def truth(self) -> None:
        raise TraceError(
            f"a Value as a condition inside a compiled function would decide by one sample only, at "
            f"{errors.user_line()}: compare it instead, as in `if v > 0`"
        )

    def number(self) -> None:
        raise TraceError(
            f"converting a Value to a plain number inside a compiled function would bake one sample's "
            f"number into the program, at {errors.user_line()}: use the functions of chainrule instead "
            f"of int, float and math, and take(table, index) to select by index"
        )

    def guard(self, value: Any, outcome: bool) -> bool:
        self.guards.append((value, outcome, errors.user_line()))
        return outcome


@dataclass
class Trace:
    """The recorded computation of one sample."""

    source: Graph | Flat
    rebuild: Rebuild  # rebuilds the function's return value from numbers
    shape: str  # the structure of the return value, as text
    expected: list[bool] = field(default_factory=list)  # the outcome of each guard
    sites: list[str] = field(default_factory=list)  # the source line of each guard

    @functools.cached_property
    def graph(self) -> Graph:
        """The graph in Python, even if it was recorded in C."""
        return self.source if isinstance(self.source, Graph) else self.source.unpack()


def trace(function: Callable[..., Any], sample: Sequence[Any], params: list[Value]) -> Trace:
    """Run a function on one sample, given as a tree of numbers per argument.

    Leaves that it closes over become parameters; those not in `params` are added to the list.
    """
    return trace_parts(lambda *arguments: (function(*arguments),), sample, params)[0]


def trace_parts(
    function: Callable[..., Sequence[Any]], sample: Sequence[Any], params: list[Value]
) -> list[Trace]:
    """Run a function that returns several results once, and trace each result separately."""
    arguments, inputs = [], []
    for tree in sample:
        numbers, rebuild = flatten(tree)
        leaves = [Value(x) for x in numbers]
        inputs += leaves
        arguments.append(unflatten(rebuild, leaves))
    tracer = Tracer(inputs)
    with Mode(tracer=tracer):
        results = function(*arguments)
    return [traced(result, inputs, params, tracer) for result in results]


def traced(
    result: Any, inputs: Sequence[Value], params: list[Value], tracer: Tracer | None = None
) -> Trace:
    """The trace of a result that is already computed; `inputs` are leaves of its graph."""
    outputs, rebuild = flatten(result)
    outputs = [output if isinstance(output, Value) else _number(output) for output in outputs]
    guards = tracer.guards if tracer is not None else []
    made = tracer.made if tracer is not None else ()
    extract = Flat.from_values if core == "c" else from_values
    source = extract(outputs, [guard for guard, _, _ in guards], inputs, params, made)
    shape = repr(unflatten(rebuild, ["_"] * len(outputs)))
    return Trace(
        source, rebuild, shape, [outcome for _, outcome, _ in guards], [site for *_, site in guards]
    )


def _number(output: Any) -> float:
    """A plain number that a function returned; it is the same for all samples."""
    try:
        return as_float(output)
    except TypeError:
        raise CompileError(
            f"a compiled function must return Values, or lists or dicts of them, "
            f"got {type(output).__name__}"
        ) from None
