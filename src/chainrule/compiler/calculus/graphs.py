"""Graphs from graphs: forward mode, weighted sums of results, and other choices of leaves and results.

Each function has a twin for graphs in the C core, which makes the same nodes in the same order: forward
mode in C (src/_core/compiler/calculus.c), the others on arrays (flat.py). A derivative is again a graph
of the table's operations, so it can be compiled, and differentiated once more by the reverse pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ... import ops
from ...ops import Op, Variadic
from ...support.formulas import derivatives
from ...support.formulas.derivatives import FOLDS, NAMES, Formula
from ..flat import Flat
from ..graph import CONSTANT, INPUT, PARAM, Graph
from ..passes import Builder


def forward(
    graph: Graph | Flat,
    inputs: Sequence[int],
    params: Sequence[int],
    counts: tuple[int, int],
    as_inputs: bool = False,
    careful: bool = False,
) -> Any:
    """Forward mode: the results, then their derivatives along a direction.

    The direction's numbers are new leaves: an input for each of `inputs`, then a parameter for each of
    `params`, or an input if `as_inputs`. They are numbered after the existing leaves, of which there are
    `counts`. If `careful`, nothing passes through a leaf whose number in the direction is 0, not even 0
    times infinity; no number may be negative then.
    """
    if isinstance(graph, Flat):
        return graph.forward(inputs, params, counts, as_inputs, careful)
    made = _Forward(graph)
    kind, first = (INPUT, counts[0] + len(inputs)) if as_inputs else (PARAM, counts[1])
    new = {(INPUT, k): (INPUT, counts[0] + j) for j, k in enumerate(inputs)}
    new |= {(PARAM, k): (kind, first + j) for j, k in enumerate(params)}
    slopes = made.along(new, careful)
    return made.finished(slopes)


def partials(graph: Graph | Flat, inputs: Sequence[int], params: Sequence[int]) -> Any:
    """The results, then their derivatives with respect to each of these leaves in turn."""
    if isinstance(graph, Flat):
        return graph.partials(inputs, params)
    made = _Forward(graph)
    leaves = [*((INPUT, k) for k in inputs), *((PARAM, k) for k in params)]
    slopes = [made.along({leaf: (CONSTANT, 1.0)}) for leaf in leaves]
    if not leaves:
        made.along({})
    return made.finished([slope for each in slopes for slope in each])


class _Forward:
    """The graph under construction; the same as support.sweeps.tangents does with Values."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.builder = Builder()
        self.places: list[int] = []
        self.moving: dict[int, int] = {}  # the derivative of each old node that has one
        self.active: dict[int, int | None] = {}  # 0 where no path of `where` reaches it; None: always

    def along(self, direction: dict[Any, tuple[str, Any]], careful: bool = False) -> list[int]:
        """The derivatives of the results along a direction, given as leaves for leaves."""
        first = not self.places
        self.moving, self.active = {}, {}
        for i, (what, args) in enumerate(self.graph.nodes):
            if not isinstance(what, str):
                self.add_node(i, what, args)
                continue
            if first:
                self.places.append(self.builder.node(what, args))
            if what != CONSTANT and (what, args[0]) in direction:
                kind, number = direction[what, args[0]]
                self.moving[i] = self.builder.node(kind, (number,))
                self.active[i] = self.moving[i] if careful else None
        moving, outputs = self.moving, self.graph.outputs
        return [moving[i] if i in moving else self.builder.constant(0.0) for i in outputs]

    def finished(self, slopes: Sequence[int]) -> Graph:
        result = self.builder.graph
        result.outputs = [*(self.places[i] for i in self.graph.outputs), *slopes]
        result.guards = [self.places[i] for i in self.graph.guards]
        return result

    def add_node(self, i: int, op: Op, args: Sequence[int]) -> None:
        places = tuple(self.places[a] for a in args)
        out = self.builder.node(op, places)
        if len(self.places) == i:
            self.places.append(out)
        wanted = [a in self.moving and op.differentiable(k) for k, a in enumerate(args)]
        if not any(wanted):
            return
        for k, partial in self.partials(op, places, out, wanted):
            self.add_share(i, op, args[k], partial)

    def partials(
        self, op: Op, args: tuple[int, ...], out: int, wanted: Sequence[bool]
    ) -> Iterator[tuple[int, int]]:
        """The wanted arguments of a node, and the derivative with respect to each."""
        if op.name == "take":
            for k in range(1, len(args)):
                if wanted[k]:
                    place = self.builder.constant(float(k - 1))
                    yield k, self.builder.node(ops.equal, (args[0], place))
            return
        if not isinstance(op, Variadic):
            known = [*args, *[-1] * (3 - len(args)), out]
            for k, asked in enumerate(wanted):
                formula = derivatives.partial(op, k)
                if asked and formula is not None:
                    yield k, self.built(formula, known)
            return
        elements = op.elements(args)
        if op.leave_one_out:
            others = self.all_but_one(op, elements)
            yield from ((k, others[k]) for k, asked in enumerate(wanted) if asked)
            return
        n = len(elements)
        found = [derivatives.partial(op, part) for part in range(op.width)]
        asked_of = [any(wanted[part * n : part * n + n]) for part in range(op.width)]
        needed = [f for f, asked in zip(found, asked_of, strict=True) if f is not None and asked]
        count = [self.builder.constant(float(n))]
        totals = self.folded(op, elements) if any(f.uses_folds for f in needed) else []
        for k, asked in enumerate(wanted):
            formula = found[k // n]
            if asked and formula is not None:
                element = elements[k % n]
                known = [*element, *[-1] * (3 - op.width), out, *count, *totals]
                yield k, self.built(formula, known)

    def folded(self, op: Variadic, elements: Sequence[tuple[int, ...]]) -> list[int]:
        totals: list[int] = []
        for number, fold in enumerate(op.folds):
            total = self.builder.constant(fold.start)
            for element in elements:
                known = [*element, *[-1] * (FOLDS - op.width), *totals, total]
                total = self.built(derivatives.step(op, number), known)
            totals.append(total)
        return totals

    def all_but_one(self, op: Variadic, elements: Sequence[tuple[int, ...]]) -> list[int]:
        """For each element, the fold over all others."""
        start, formula = self.builder.constant(op.folds[0].start), derivatives.step(op, 0)

        def step(total: int, x: int) -> int:
            return self.built(formula, [x, *[-1] * (FOLDS - 1), total])

        before = [start]
        for (x,) in elements[:-1]:
            before.append(step(before[-1], x))
        result, after = [], start
        for i in reversed(range(len(elements))):
            result.append(step(before[i], after))
            after = step(after, elements[i][0])
        return result[::-1]

    def built(self, formula: Formula, known: Sequence[int]) -> int:
        """Append the lines of a formula; `known` are the places of its names."""
        places = [*known, *[-1] * (len(NAMES) - len(known))]
        for line in formula.lines:
            if isinstance(line, float):
                places.append(self.builder.constant(line))
            else:
                op, args = line
                places.append(self.builder.node(op, tuple(places[a] for a in args)))
        return places[formula.result]

    def product(self, a: int, b: int) -> int:
        """a · b, without a node for a factor of exactly one."""
        if self.builder.number(a) == 1.0:
            return b
        if self.builder.number(b) == 1.0:
            return a
        return self.builder.node(ops.mul, (a, b))

    def add_share(self, i: int, op: Op, arg: int, partial: int) -> None:
        """Add what one argument contributes to the derivative of node i, unless `where` cuts it off."""
        path = self.active[arg]
        if op.selects:
            path = partial if path is None else self.product(path, partial)
            if self.builder.number(path) is not None:
                if self.builder.number(path) == 0.0:
                    return
                path = None
        share = self.product(self.moving[arg], partial)
        if path is not None:
            share = self.builder.node(ops.where, (path, share, self.builder.constant(0.0)))
        if i not in self.moving:
            self.moving[i], self.active[i] = share, path
            return
        self.moving[i] = self.builder.node(ops.add, (self.moving[i], share))
        seen = self.active[i]
        both = path is None or seen is None
        self.active[i] = None if both else self.builder.node(ops.add, (seen, path))


def weighted(graph: Graph | Flat, first: int, careful: bool = False) -> Any:
    """The sum of all results, each times a new input, numbered from `first`; the results as guards.

    If `careful`, a result whose weight is 0 is left out, even if its derivative is infinite.
    """
    if isinstance(graph, Flat):
        return graph.weighted(first, careful)
    new = Graph(list(graph.nodes))
    weights = [new.add(INPUT, (first + j,)) for j in range(len(graph.outputs))]
    terms = list(graph.outputs)
    if careful:
        zero = new.add(CONSTANT, (0.0,))
        pairs = zip(weights, terms, strict=True)
        terms = [new.add(ops.where, (weight, term, zero)) for weight, term in pairs]
    new.guards = list(graph.outputs)
    new.outputs = [new.add(ops.dot, (*weights, *terms))]
    return new


def choose(
    graph: Graph | Flat,
    outputs: Sequence[int],
    others: Sequence[int] = (),
    params: Sequence[int] = (),
    first: int = 0,
) -> Any:
    """Only these results: the `others` are computed too, but not differentiated, so they become guards.

    Both are positions among the outputs and then the guards. The parameters `params` become inputs,
    numbered from `first`.
    """
    if isinstance(graph, Flat):
        return graph.choose(outputs, others, params, first)
    places = {(PARAM, k): first + j for j, k in enumerate(params)}
    nodes: list[Any] = []
    for what, args in graph.nodes:
        moved = isinstance(what, str) and what == PARAM and (what, args[0]) in places
        nodes.append((INPUT, (places[PARAM, args[0]],)) if moved else (what, args))
    results = graph.results()
    return Graph(nodes, [results[i] for i in outputs], [results[i] for i in others])
