"""A graph as plain data, from which every view is drawn.

`picture(v)` reads values, gradients and local derivatives from a graph once. Text, SVG, HTML, the studio
and `explain` use only the result, and so does JavaScript, as JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from .. import ops
from ..support import graph
from ..support.errors import StaleValueError
from ..support.ieee import as_float
from ..value import Value

LEAF, CONSTANT, OPERATION, GROUP = "leaf", "constant", "operation", "group"
TABLE, CUSTOM, BY_HAND = "table", "custom", "by hand"
CHANGED = "out of date"  # shown for a node whose shares are no longer known

TYPESET = {"-": "−", "*": "×", "/": "÷", "neg": "−"}  # symbols of the table


@dataclass(frozen=True)
class Node:
    """One value: a leaf, a constant, the result of an operation, or a group of these."""

    id: int
    kind: str
    op: str  # the row's name; "" for leaves and constants
    symbol: str  # as shown
    label: str
    data: float | None  # None: a group of more than one value
    grad: float | None  # None: not computed yet
    inputs: tuple[int, ...] = ()
    count: int = 1  # nodes in a group
    changed: bool = False  # it or an input was assigned to later, so the shares are unknown
    inside: Picture | None = None  # a computable group: its arguments come first, as leaves
    rule: str = ""  # the source of its formula: TABLE, CUSTOM or BY_HAND; "" if it has none


@dataclass(frozen=True)
class Edge:
    """An edge from an input to the node computed from it."""

    id: int
    source: int
    target: int
    slot: int  # which argument of the target
    partial: float | None  # the local derivative; None if there is none, or it is outdated
    share: float | None  # the gradient of the target times the partial


@dataclass(frozen=True)
class Step:
    """One step of the forward pass or the backward pass.

    `forward`: a node gets its value. `seed`: the output gets the gradient 1. `backward`: the target's
    gradient times the partial flows through an edge; `first` means that this share is the first to
    arrive at the source, and later shares are added (+=).
    """

    kind: str  # forward, seed, backward
    node: int  # whose value or gradient changes
    edge: int | None = None
    first: bool = False


@dataclass(frozen=True)
class Picture:
    """A graph as plain data; node i is nodes[i], inputs before results."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    outputs: tuple[int, ...]
    steps: tuple[Step, ...] = field(default=())
    title: str = ""

    def into(self, node: int) -> list[Edge]:
        """The edges from a node's arguments, in order."""
        return [edge for edge in self.edges if edge.target == node]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON; infinities and NaN, which JSON lacks, become strings."""
        found = plain(asdict(self))
        assert isinstance(found, dict)
        return found

    def json(self) -> str:
        return json.dumps(self.as_dict(), allow_nan=False, separators=(",", ":"))


def picture(
    outputs: Any, *, names: Mapping[Any, str] | None = None, title: str = "", most: int | None = None
) -> Picture:
    """Read the graph of a Value, or of several.

    `names` gives labels to Values that have none. A graph of more than `most` nodes raises
    ValueError before it is read.
    """
    roots = roots_of(outputs)
    order = values_of([graph.topological(root, check=False) for root in roots])
    if most is not None and len(order) > most:
        raise ValueError(f"the graph has {len(order):,} nodes, more than {most:,}")
    return read(order, roots, names, title)


def roots_of(outputs: Any) -> list[Any]:
    """The outputs as a list of Values."""
    if isinstance(outputs, Value):
        return [outputs]
    roots = list(outputs) if hasattr(outputs, "__iter__") else []
    if not roots or not all(isinstance(root, Value) for root in roots):
        raise TypeError(f"expected a Value, or a list of Values, got {type(outputs).__name__}")
    return roots


def read(
    order: Sequence[Any],
    roots: Sequence[Any],
    names: Mapping[Any, str] | None = None,
    title: str = "",
    rest: Node | None = None,
) -> Picture:
    """A picture of some values, inputs before results; `rest` stands for inputs not among them."""
    start = 0 if rest is None else 1
    places = {value: i for i, value in enumerate(order, start)}
    known = any(_gradient(root) != 0.0 for root in roots)
    changed = _changed(order, roots)
    slopes = {value: _partials(value) for value in order}
    reached = _reached(order, roots, slopes)
    nodes = [] if rest is None else [rest]
    edges: list[Edge] = []
    for i, value in enumerate(order, start):
        partials = dict(enumerate(slopes[value]))
        inputs = [places.get(v, 0) for v in value.inputs]
        if rest is not None and inputs.count(0) > 1:  # one edge for all hidden inputs
            partials = {slot: x for slot, x in partials.items() if inputs[slot]}
            partials[inputs.index(0)] = None
        shown = tuple(inputs[slot] for slot in sorted(partials))
        node = _node(i, value, shown, (value.label or (names or {}).get(value, "")), known)
        nodes.append(replace(node, changed=value in changed))
        for slot, (source, at) in enumerate(zip(shown, sorted(partials), strict=True)):
            partial, grad = partials[at], nodes[-1].grad
            share = None if partial is None or grad is None else _share(value, partial, grad, reached)
            edges.append(Edge(len(edges), source, i, slot, partial, share))
    found = tuple(dict.fromkeys(places.get(root, 0) for root in roots))
    steps = () if rest is not None else tuple(steps_of(nodes, edges, found))
    if changed:
        edges = [replace(e, partial=None, share=None) if nodes[e.target].changed else e for e in edges]
    return Picture(tuple(nodes), tuple(edges), found, steps, title)


def values_of(orders: Sequence[Sequence[Any]]) -> list[Any]:
    """Every value once, constants included, inputs before results."""
    seen: dict[Any, None] = {}
    for order in orders:
        for value in order:
            for v in value.inputs:
                if v.is_constant:
                    seen.setdefault(v)
            seen.setdefault(value)
    return list(seen)


def _node(i: int, value: Any, inputs: tuple[int, ...], label: str, known: bool) -> Node:
    kind = CONSTANT if value.is_constant else OPERATION if inputs else LEAF
    name = value.op or ""
    row = ops.BY_NAME.get(name, graph.row(value))
    symbol = "" if row is None else row.symbol
    grad: float | None = _gradient(value)
    if kind == CONSTANT or (grad == 0.0 and not known):
        grad = None
    rule = _rule(value) if value.inputs else ""
    shown = TYPESET.get(symbol, symbol) or name
    return Node(i, kind, name, shown, label, value.data, grad, inputs, rule=rule)


def _rule(value: Any) -> str:
    """Where a Value's formula is: in the table, in a custom_op, or only in a `_backward` function."""
    row = graph.formula(value)
    if row is None:
        return BY_HAND
    return TABLE if ops.is_known(row) else CUSTOM


def _partials(value: Any) -> Sequence[float | None]:
    """The local derivative with respect to each input; None for constants, or if there is no formula."""
    inputs = value.inputs
    if not inputs:
        return ()
    row = graph.formula(value)
    if row is None:
        return [None] * len(inputs)
    wanted = [not v.is_constant for v in inputs]
    found = row.derivatives([v.data for v in inputs], value.data, wanted)
    return [
        as_float(x) if asked and x is not None else None for x, asked in zip(found, wanted, strict=True)
    ]


def _gradient(value: Any) -> float:
    """The gradient as a number, also after backward(create_graph=True)."""
    return float(value.grad.data if isinstance(value.grad, Value) else value.grad)


def _changed(order: Sequence[Any], roots: Sequence[Any]) -> set[Any]:
    """The results whose shares are outdated.

    Either an input is newer than the result (stale, in the engine's terms), or the result is newer than
    something computed from it, directly or not (overwritten, or recomputed on its own).
    """
    if not any(map(_is_stale, roots)):
        return set()
    oldest: dict[Any, int] = {}  # the time of the oldest result that a value is used for
    found = set()
    for value in reversed(order):
        least = min(graph.time(value), oldest.get(value, graph.time(value)))
        newer = any(graph.time(v) > graph.time(value) for v in value.inputs)
        if newer or (value.inputs and graph.time(value) > least) or _is_overwritten(value):
            found.add(value)
        for v in value.inputs:
            oldest[v] = min(least, oldest.get(v, least))
    return found


def _is_stale(root: Any) -> bool:
    try:
        graph.topological(root)
    except StaleValueError:
        return True
    return False


def _is_overwritten(value: Any) -> bool:
    """Whether a Value's number differs from its formula's by more than rounding on different cores."""
    row = graph.formula(value)
    if not value.inputs or row is None or not ops.is_known(row):
        return False
    again = as_float(row.forward(*(v.data for v in value.inputs)))
    same = math.isclose(again, value.data, rel_tol=1e-9, abs_tol=1e-300)
    return not same and not (math.isnan(again) and math.isnan(value.data))


def _share(value: Any, partial: float, grad: float, reached: set[Any]) -> float:
    """The share as backward computes it: in a row that selects, a partial of exactly 0 cuts the edge.

    A node that no gradient reaches passes none on, even if its slope is infinite. A nonzero gradient
    must have reached it, perhaps from a result outside the picture.
    """
    unreached = grad == 0.0 and value not in reached
    return 0.0 if _is_cut(value, partial) or unreached else grad * partial


def _is_cut(value: Any, partial: float | None) -> bool:
    row = graph.row(value)
    selects = row is not None and row.selects
    return partial is None or (selects and partial == 0.0)


def _reached(order: Sequence[Any], roots: Sequence[Any], partials: Mapping[Any, Any]) -> set[Any]:
    """The values that the roots' gradient reaches."""
    found = set(roots)
    for value in reversed(order):
        if (
            value in found and value.inputs and _rule(value) == BY_HAND
        ):  # its function may pass a gradient to any input
            found.update(value.inputs)
        elif value in found:
            pairs = zip(value.inputs, partials[value], strict=True)
            found.update(v for v, partial in pairs if not _is_cut(value, partial))
    return found


def steps_of(nodes: Sequence[Node], edges: Sequence[Edge], outputs: Sequence[int]) -> Iterator[Step]:
    """The steps of the forward pass, then those of the backward pass."""
    for node in nodes:
        if node.kind == OPERATION or node.inside is not None:
            yield Step("forward", node.id)
    into: dict[int, list[Edge]] = {}
    for edge in edges:
        into.setdefault(edge.target, []).append(edge)
    reached = set(outputs)
    for output in outputs:
        yield Step("seed", output)
    for node in reversed(nodes):
        if node.id not in reached:
            continue
        for edge in into.get(node.id, ()):
            if edge.partial is not None:
                yield Step("backward", edge.source, edge.id, edge.source not in reached)
                reached.add(edge.source)


def plain(x: Any) -> Any:
    """Non-finite numbers become "NaN", "Infinity" and "-Infinity"; `inside` is left out if None."""
    if isinstance(x, float) and not math.isfinite(x):
        return "NaN" if math.isnan(x) else "Infinity" if x > 0 else "-Infinity"
    if isinstance(x, dict):
        return {key: plain(item) for key, item in x.items() if key != "inside" or item is not None}
    return [plain(item) for item in x] if isinstance(x, (list, tuple)) else x
