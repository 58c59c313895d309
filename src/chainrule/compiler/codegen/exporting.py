"""Collects what exports write: every path traced through a function, with readable names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .. import passes
from ..graph import Graph, Node
from ..pipeline import Pipeline, pipeline
from .text import Argument, Export

if TYPE_CHECKING:
    from ..compiled import Compiled
    from ..program import Program
    from ..variants import Variant


class Paths:
    """The traced paths through a function as programs, and the conditions that choose among them.

    The parameters of a program are the numbers that all samples share, then those of the function. A
    condition that several paths have in common is computed once: if two programs rounded it differently,
    a sample might belong to none of them, or to two.
    """

    def __init__(self, step: Compiled[Any], batch: Sequence[Any], differentiated: bool) -> None:
        self.key, variants = _traced(step, batch)
        first = variants[0]
        for variant in variants:
            variant.check_not_random("be exported")
            variant.trace.check_shape(first.trace.shape)
        self.template: Any = first.trace.template
        self.shared: int = first.shared
        counts = first.count, first.inputs

        def program(nodes: list[Node], outputs: list[int], differentiated: bool) -> Program:
            stages = pipeline(Graph(nodes, outputs), None)
            assert isinstance(stages, Pipeline)
            return stages.lowered(*counts, False, differentiated)

        graphs = [variant.trace.graph for variant in variants]
        self.programs: list[Program] = [program(g.nodes, g.outputs, differentiated) for g in graphs]
        # Each outcome of a condition: the outcome before it or -1, the number of the condition, and
        # whether it is true. A path consists of the outcomes that lead to its last one.
        self.outcomes: list[tuple[int, int, bool]] = []
        self.last: list[int] = []
        expected = [variant.trace.expected for variant in variants]
        graph = self._conditions(graphs, expected)
        #: Computes all conditions; None if the function does not branch.
        self.conditions: Program | None = None
        if graph.outputs:
            self.conditions = program(graph.nodes, graph.outputs, False)

    def _conditions(self, graphs: Sequence[Graph], expected: Sequence[Sequence[bool]]) -> Graph:
        """A graph of all conditions, each of them once: it follows from the outcomes before it."""
        found = Graph()
        after: dict[int, int] = {}  # the number of the condition that follows an outcome
        known: dict[tuple[int, bool], int] = {}  # the outcome that follows another
        for graph, outcomes in zip(graphs, expected, strict=True):
            begin, last = len(found), -1
            for what, args in graph.nodes if outcomes else ():
                found.add(what, args if isinstance(what, str) else (a + begin for a in args))
            for guard, outcome in zip(graph.guards, outcomes, strict=True):
                if last not in after:
                    after[last] = len(found.outputs)
                    found.outputs.append(begin + guard)
                if (last, outcome) not in known:
                    known[last, outcome] = len(self.outcomes)
                    self.outcomes.append((last, after[last], outcome))
                last = known[last, outcome]
            self.last.append(last)
        return found


def _traced(step: Compiled[Any], batch: Sequence[Any]) -> tuple[Any, list[Variant]]:
    """The key of the arguments' shapes, and the paths for it, those of all samples of the batch."""
    if batch:
        made = step.batch_of(tuple(batch), {})
        step.partition(made)
        return made.key, list(step.variants[made.key])
    traced = [(key, list(found)) for key, found in step.variants.items() if found]
    if len(traced) != 1:
        raise ValueError(
            f"the function was called with {len(traced)} different shapes, expected 1: pass arrays "
            f"of the shapes to export"
        )
    return traced[0]


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
