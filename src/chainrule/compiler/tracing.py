"""Running a function once on Values, and writing down what it did.

While it runs, a comparison is a Value, and asking it for its truth is a guard: what follows
holds only for samples that answer the same. Looking at a number itself is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import errors
from ..tree import Rebuild, flatten, unflatten
from ..value import Value, set_tracer
from .graph import CONSTANT, INPUT, PARAM, CompileError, Graph, from_values


class TraceError(CompileError):
    """A compiled function looked at a number that differs from sample to sample."""


class Tracer:
    """Answers what Values ask while a function is traced."""

    def __init__(self) -> None:
        self.guards: list[tuple[Any, bool, str]] = []
        clock = Value(0.0)
        clock.data = 1.0  # advances the clock: whatever is made from now on carries a later time
        self.start = clock._time

    def made_here(self, value: Any) -> bool:
        return bool(value.is_leaf and value._time >= self.start)

    def read(self, value: Any) -> None:
        if not self.made_here(value) or value in self.inputs:
            raise TraceError(
                f"reading .data inside a compiled function would fix the number of one sample, at "
                f"{errors.user_line()}: compute with the Value itself, use detach() to stop the "
                f"gradient, and max, where(a < b, x, y) or a plain `if a < b` to branch"
            )

    def assign(self, value: Any) -> None:
        if not self.made_here(value) or value in self.inputs:
            raise TraceError(
                f"assigning to .data inside a compiled function would happen once, not for every "
                f"sample, at {errors.user_line()}: return the new number instead"
            )

    def guard(self, value: Any, outcome: bool) -> bool:
        self.guards.append((value, outcome, errors.user_line()))
        return outcome

    inputs: set[Any] = frozenset()  # type: ignore[assignment]


@dataclass
class Trace:
    """What a function did with one sample."""

    graph: Graph
    rebuild: Rebuild  # from numbers to what the function returned
    expected: list[bool] = field(default_factory=list)  # of each guard
    sites: list[str] = field(default_factory=list)  # the source line of each guard


def trace(
    function: Callable[..., Any], sample: Sequence[Any], params: list[Value], known: bool
) -> Trace:
    """Run a function on a sample, a tree of numbers for each argument.

    Leaves that it closes over become parameters; those not in `params` are added to the list,
    or refused if `known` says that the list is complete.
    """
    arguments, inputs = [], []
    for tree in sample:
        numbers, rebuild = flatten(tree)
        leaves = [Value(x) for x in numbers]
        inputs += leaves
        arguments.append(unflatten(rebuild, leaves))
    tracer = Tracer()
    places = {leaf: i for i, leaf in enumerate(inputs)}
    tracer.inputs = set(inputs)
    before = set_tracer(tracer)
    try:
        result = function(*arguments)
    finally:
        set_tracer(before)
    outputs, rebuild = flatten(result)
    _check_outputs(outputs)
    positions = {p: i for i, p in enumerate(params)}

    def leaf(value: Any) -> tuple[str, int | float]:
        if value in places:
            return INPUT, places[value]
        if value in positions:
            return PARAM, positions[value]
        if tracer.made_here(value) or known:
            return CONSTANT, value.data
        positions[value] = len(params)
        params.append(value)
        return PARAM, positions[value]

    graph = from_values(outputs, [guard for guard, _, _ in tracer.guards], leaf)
    return Trace(
        graph, rebuild, [outcome for _, outcome, _ in tracer.guards], [s for *_, s in tracer.guards]
    )


def built(result: Any, inputs: Sequence[Value], params: list[Value], known: bool) -> Trace:
    """The same for a result that was computed already: `inputs` are leaves of its graph."""
    outputs, rebuild = flatten(result)
    _check_outputs(outputs)
    places = {leaf: i for i, leaf in enumerate(inputs)}
    positions = {p: i for i, p in enumerate(params)}

    def leaf(value: Any) -> tuple[str, int | float]:
        if value in places:
            return INPUT, places[value]
        if value not in positions:
            if known:
                return CONSTANT, value.data
            positions[value] = len(params)
            params.append(value)
        return PARAM, positions[value]

    return Trace(from_values(outputs, [], leaf), rebuild)


def _check_outputs(outputs: list[Any]) -> None:
    for output in outputs:
        if not isinstance(output, (Value, float, int)):
            raise TypeError(
                f"a compiled function must return Values, or lists or dicts of them, "
                f"got {type(output).__name__}"
            )
