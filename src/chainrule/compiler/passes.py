"""Passes: functions from a graph to a better graph with the same results up to rounding.

`simplify` folds constants and merges equal expressions, `join_products` turns sums of products written
with + and * into dots, and `drop_dead` removes nodes that no result needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..ops import Op
from ..support.formulas import rewrites
from .graph import CONSTANT, Graph, uses

Pass = Callable[[Graph], Graph]


class Builder:
    """Builds a graph without duplicate nodes, folding constants along the way."""

    def __init__(self) -> None:
        self.graph: Graph = Graph()
        self.known: dict[Any, int] = {}

    def constant(self, number: float) -> int:
        return self.node(CONSTANT, (number,))

    def node(self, what: Op | str, args: tuple[Any, ...]) -> int:
        key = (what, args[0].hex()) if what == CONSTANT else (what, args)
        if key not in self.known:
            self.known[key] = self.graph.add(what, args)
        return self.known[key]

    def number(self, i: int) -> float | None:
        what, args = self.graph.nodes[i]
        return args[0] if what == CONSTANT else None

    def apply(self, op: Op, args: tuple[int, ...]) -> int:
        numbers = [self.number(a) for a in args]
        if all(x is not None for x in numbers):
            return self.constant(float(op.forward(*numbers)))
        if op.name == "take" and (index := numbers[0]) is not None and index in range(op.arity - 1):
            return args[1 + int(index)]
        for before, after in rewrites.BY_ROW.get(op.name, ()):
            known = rewrites.bound(before, args, numbers)
            if known is not None:
                return int(rewrites.built(after, known, self.constant, self.node))
        return self.node(op, args)


def simplify(graph: Graph) -> Graph:
    """Fold constants, merge equal expressions, and apply rewrites."""
    made = Builder()
    places: list[int] = []
    for what, args in graph.nodes:
        if isinstance(what, str):
            places.append(made.node(what, args))
        else:
            places.append(made.apply(what, tuple(places[a] for a in args)))
    return _finish(made.graph, graph, places)


def _finish(new: Graph, old: Graph, places: list[int]) -> Graph:
    new.outputs = [places[i] for i in old.outputs]
    new.guards = [places[i] for i in old.guards]
    return new


def values_only(graph: Graph) -> Graph:
    """The graph without the partials of custom operations, if it will not be differentiated."""
    return drop_dead(graph, values=True)


def drop_dead(graph: Graph, values: bool = False) -> Graph:
    """Remove nodes that no result needs; with `values`, those that only derivatives need as well."""
    needed = [False] * len(graph.nodes)
    for i in graph.results():
        needed[i] = True
    for i in range(len(graph.nodes) - 1, -1, -1):
        what, args = graph.nodes[i]
        if needed[i] and not isinstance(what, str):
            for a in args[:1] if values and what is ops.with_partial else args:
                needed[a] = True
    new = Graph()
    places: list[int] = [-1] * len(graph.nodes)
    for i, (what, args) in enumerate(graph.nodes):
        if needed[i] and values and what is ops.with_partial:
            places[i] = places[args[0]]
        elif needed[i]:
            places[i] = new.add(what, args if isinstance(what, str) else (places[a] for a in args))
    return _finish(new, graph, places)


def join_products(graph: Graph) -> Graph:
    """Turn each chain of + into one sum, and the products in it into one dot.

    A chain continues through sums that are used nowhere else. Products keep their order, and so do the
    other terms, which are added after them.
    """
    counts = uses(graph)
    terms: dict[int, list[int]] = {}  # the terms of sums that may still become part of a longer sum
    inside: set[int] = set()
    for i, (what, args) in enumerate(graph.nodes):
        if what is not ops.add and what is not ops.sum:
            continue
        row: list[int] = []
        for a in args:
            if a in terms and counts[a] == 1:
                row += terms.pop(a)
                inside.add(a)
            else:
                row.append(a)
        terms[i] = row
    made, varying = Graph(), graph.varying()
    places: list[int] = [-1] * len(graph.nodes)
    for i, (what, args) in enumerate(graph.nodes):
        if isinstance(what, str):
            places[i] = made.add(what, args)
        elif i in terms and (len(terms[i]) > 2 or any(a in inside for a in args)):
            places[i] = _sum_of(made, graph, varying, counts, places, terms[i])
        elif i not in inside:
            places[i] = made.add(what, (places[a] for a in args))
    return drop_dead(_finish(made, graph, places))


def _sum_of(
    made: Graph, graph: Graph, varying: list[bool], counts: Any, places: list[int], terms: list[int]
) -> int:
    products = [t for t in terms if graph.nodes[t][0] is ops.mul and counts[t] == 1]
    others = [t for t in terms if graph.nodes[t][0] is not ops.mul or counts[t] != 1]
    if len(products) < 2:
        return made.add(ops.sum, (places[t] for t in terms))
    # Put the factor that does not vary first, whichever way each product was written.
    pairs = [sorted(graph.nodes[t][1], key=varying.__getitem__) for t in products]
    pairs = [[places[a] for a in pair] for pair in pairs]
    total = made.add(ops.dot, (*(x for x, _ in pairs), *(y for _, y in pairs)))
    if not others:
        return total
    rest = places[others[0]]
    if len(others) > 1:
        rest = made.add(ops.sum, (places[t] for t in others))
    return made.add(ops.add, (total, rest))


PASSES: tuple[Pass, ...] = (simplify, join_products)


def optimise(graph: Graph) -> Graph:
    """Run all passes, and verify the graph after each."""
    graph = drop_dead(graph.verify())
    for each in PASSES:
        graph = drop_dead(each(graph)).verify()
    return graph


def with_masks(graph: Graph) -> Graph:
    """For each node that only some samples use, add a mask: another node, 0 for the other samples.

    Derivatives need the masks.
    """
    always, sometimes = reach(graph)
    new = Graph(list(graph.nodes), graph.outputs, graph.guards, reached=always | sometimes)
    for i in range(len(graph.nodes) - 1, -1, -1):
        what, args = graph.nodes[i]
        if isinstance(what, str) or (i not in always and i not in sometimes):
            continue
        for k, a in enumerate(args):
            if a not in sometimes or not what.differentiable(k):
                continue
            path = new.masks.get(i)
            if _selects(what):
                taken = _taken(new, what, args[0], k)
                path = taken if path is None else new.add(ops.mul, (path, taken))
            if path is not None:
                seen = new.masks.get(a)
                new.masks[a] = path if seen is None else new.add(ops.maximum, (seen, path))
    return new


def _selects(what: Op | str) -> bool:
    """Whether this is `where` or `take`, whose first argument selects among the others."""
    return isinstance(what, Op) and what.selects


def _taken(graph: Graph, what: Op | str, choice: int, k: int) -> int:
    """A node that is 1 where argument k is selected, else 0."""
    if what is not ops.where:
        return graph.add(ops.equal, (choice, graph.add(CONSTANT, (float(k - 1),))))
    second = graph.add(ops.equal, (choice, graph.add(CONSTANT, (0.0,))))
    return second if k == 2 else graph.add(ops.sub, (graph.add(CONSTANT, (1.0,)), second))


def reach(graph: Graph) -> tuple[set[int], set[int]]:
    """The nodes that the gradient reaches for every sample, and those it reaches only for some."""
    always, sometimes = set(graph.outputs), set[int]()
    for i in range(len(graph.nodes) - 1, -1, -1):
        what, args = graph.nodes[i]
        if isinstance(what, str) or (i not in always and i not in sometimes):
            continue
        for k, a in enumerate(args):
            if what.differentiable(k):
                (always if i in always and not _selects(what) else sometimes).add(a)
    return always, {i for i in sometimes - always if not graph.is_leaf(i)}
