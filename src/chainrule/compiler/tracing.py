"""Runs a function once on Values and records what it does.

While it runs, a comparison is a Value, and using one in an `if` adds a guard: the trace is valid
only for samples that take the same branch. Reading a number raises an error.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..random.draws import Source
from ..random.frozen import Watched
from ..support import errors
from ..support.arrays import as_array, is_array
from ..support.caching import cached_property
from ..support.ieee import as_float
from ..support.modes import Numbers
from ..support.tree import flatten, split, unflatten
from ..value import Mode, Value, core
from .flat import Flat
from .graph import CompileError, Graph, from_values

Draw = Callable[[int, Source], float]
ATTEMPTS = 4  # at tracing, if other threads draw random numbers meanwhile
MOST_RESULTS = 2**20  # that are kept as Values while a function is traced: some 80 MB


class TraceError(CompileError):
    """A function does something that cannot be compiled or exported, such as reading `.data`."""


class Tracer(Numbers):
    """Observes Values while a function is traced.

    The compiled core adds every result to `log`, and has them settled whenever there are `most` of them.
    So a long trace needs memory for a graph in C, but not for its Values.
    """

    def __init__(
        self,
        leaves: Sequence[Any],
        params: Sequence[Any] = (),
        shared: Sequence[bool] = (),
        draw: Draw | None = None,
        most: int = MOST_RESULTS,
    ) -> None:
        super().__init__(leaves)
        flags = shared or [False] * len(leaves)
        pairs = [*zip(leaves, flags, strict=True)]
        self.own: list[Any] = [leaf for leaf, is_shared in pairs if not is_shared]
        first = [leaf for leaf, is_shared in pairs if is_shared]
        self.known: list[Any] = [*first, *params]  # the parameters, and those that are found
        self.named: int = len(first)  # how many of them are arguments
        self.log: list[Any] = []
        self.most = most
        self.tape: Any = None  # has what was settled
        self.draw = draw
        self.sources: list[Source] = []  # the random numbers that the function draws
        self.drawn: list[Any] = []  # the Values that stand for them
        self.guards: list[tuple[Any, bool, str]] = []
        self.made: set[Any] = set()  # the leaves that the function creates, which are constants

    def settle(self) -> None:
        """Turn the results so far into nodes of a graph in C, and free those that nobody refers to."""
        inputs = [*self.own, *self.drawn]
        self.tape = Flat.settle(self.log, inputs, self.known, self.made, self.tape)

    def extracted(self, outputs: Sequence[Any]) -> Graph | Flat:
        """The graph of these outputs and of the guards."""
        guards, inputs = [guard for guard, _, _ in self.guards], [*self.own, *self.drawn]
        if core != "c":
            return from_values(outputs, guards, inputs, self.known, self.made)
        if self.tape is not None:
            self.settle()
        self.log.clear()
        return Flat.from_values(outputs, guards, inputs, self.known, self.made, self.tape)

    def created(self, leaf: Any) -> None:
        self.made.add(leaf)

    def is_own_leaf(self, value: Any) -> bool:
        return value in self.made and bool(value.is_leaf)

    def source(self, generator: Any, kind: str) -> Any:
        """A new input, for a random number that is drawn at each call."""
        source = Source(generator, kind)
        leaf = Value(0.5 if self.draw is None else self.draw(len(self.sources), source))
        self.made.discard(leaf)
        self.inputs.add(leaf)
        self.sources.append(source)
        self.drawn.append(leaf)
        return leaf

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


class Constant:
    """A part of a return value that is not a number, such as a name: the same for all samples."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __repr__(self) -> str:
        return repr(self.thing)


@dataclass
class Trace:
    """The recorded computation of one sample."""

    source: Graph | Flat
    template: Any  # the return value with each number replaced by its position among the outputs
    shape: str  # the structure of the return value, as text
    expected: list[bool] = field(default_factory=list)  # the outcome of each guard
    sites: list[str] = field(default_factory=list)  # the source line of each guard
    sources: Sequence[Source] = ()  # random numbers, which follow the sample's numbers as inputs

    def check_shape(self, shape: str) -> None:
        """Raise unless samples on other branches have results of the same structure."""
        if self.shape != shape:
            raise TypeError(f"the function returns {shape} for some samples and {self.shape} for others")

    @cached_property
    def graph(self) -> Graph:
        """The graph in Python, even if it was recorded in C."""
        return self.source if isinstance(self.source, Graph) else self.source.unpack()


def trace(
    function: Callable[..., Any],
    sample: Sequence[Any],
    params: list[Value],
    shared: Sequence[bool] = (),
    draw: Draw | None = None,
) -> Trace:
    """Run a function on one sample, given as a tree of numbers per argument.

    Leaves that it closes over become parameters; those not in `params` are added to the list. The
    numbers of the sample for which `shared` is set become parameters too, numbered before all others.
    `draw` gives the random numbers of the sample.
    """
    return trace_parts(lambda *arguments: (function(*arguments),), sample, params, shared, draw)[0]


def trace_parts(
    function: Callable[..., Sequence[Any]],
    sample: Sequence[Any],
    params: list[Value],
    shared: Sequence[bool] = (),
    draw: Draw | None = None,
) -> list[Trace]:
    """Run a function that returns several results once, and trace each result separately."""
    most = MOST_RESULTS
    for _ in range(ATTEMPTS):
        arguments, leaves = [], []
        for tree in sample:
            numbers, rebuild = flatten(tree)
            new = [Value(x) for x in numbers]
            leaves += new
            arguments.append(unflatten(rebuild, new))
        tracer = Tracer(leaves, params, shared, draw, most)
        watched = Watched(function)
        try:
            with Mode(tracer=tracer):
                results = function(*arguments)
        except errors.GraphFreedError:
            if tracer.tape is None:
                raise
            most = sys.maxsize  # the function needs the graph of its Values
            continue
        drawn = watched.changed()
        if not drawn:
            return [finished(result, tracer, params) for result in results]
        if threading.active_count() == 1:  # with others, one of them may have drawn the numbers
            break
    raise TraceError(
        f"the function draws numbers from {drawn}, and compiling would freeze them: they would be the "
        f"same for all samples and calls. Use chainrule.random.normal() or uniform(), which draw new "
        f"ones each time, or draw them outside and pass them as an argument"
    )


def traced(result: Any, leaves: Sequence[Value], params: list[Value]) -> Trace:
    """The trace of a result that is already computed; `leaves` are leaves of its graph."""
    return finished(result, Tracer(leaves, params), params)


def finished(result: Any, tracer: Tracer, params: list[Value]) -> Trace:
    """The trace of a result; new parameters are added to the list."""
    template, outputs = placed(result)
    source = tracer.extracted(outputs)
    params += tracer.known[tracer.named + len(params) :]
    places, rebuild = split(template)
    blanks = [leaf if isinstance(leaf, Constant) else _blank(leaf) for leaf in places]
    shape = repr(unflatten(rebuild, blanks))
    expected = [outcome for _, outcome, _ in tracer.guards]
    return Trace(source, template, shape, expected, [site for *_, site in tracer.guards], tracer.sources)


def placed(result: Any) -> tuple[Any, list[Any]]:
    """A return value with each number replaced by its position, and the numbers."""
    outputs: list[Any] = []
    leaves, rebuild = split(result)
    template = unflatten(rebuild, [_placed(leaf, outputs) for leaf in leaves])
    if isinstance(template, Constant):
        raise _not_a_number(result)
    return template, outputs


def _placed(leaf: Any, outputs: list[Any]) -> Any:
    """Add the numbers of a leaf of a return value to the outputs; returns their positions."""
    if hasattr(leaf, "ravel") and is_array(leaf):
        items = [x if isinstance(x, Value) else as_float(x) for x in leaf.ravel()]
        places = as_array([*range(len(outputs), len(outputs) + len(items))]).astype(int)
        outputs += items
        return places.reshape(leaf.shape)
    if not isinstance(leaf, Value):
        try:
            leaf = as_float(leaf)
        except TypeError:
            try:
                hash(leaf)
            except TypeError:
                raise _not_a_number(leaf) from None
            return Constant(leaf)
    outputs.append(leaf)
    return len(outputs) - 1


def _blank(leaf: Any) -> Any:
    return "_" if isinstance(leaf, int) else f"array{leaf.shape}"


def _not_a_number(given: Any) -> CompileError:
    return CompileError(
        f"a compiled function must return Values, or lists or dicts of them, got {type(given).__name__}"
    )
