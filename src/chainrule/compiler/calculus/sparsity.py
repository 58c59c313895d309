"""Which derivatives may differ from 0, and which of them one product with a vector computes together.

A pattern follows from the graph and from the table: an argument matters to a derivative if the formula
of the derivative mentions it. Columns without a common row may get the same colour, greedily, those with
the most neighbours first (Curtis, Powell and Reid 1974; Gebremedhin, Manne and Pothen 2005).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...ops import TABLE, Op, Variadic
from ...support.formulas import derivatives
from ...support.formulas.derivatives import FOLDS, NAMES, Formula
from ...support.formulas.symbols import COMPARISONS
from ...support.tree import children
from ...value import c_core
from ..flat import Flat
from ..graph import INPUT, PARAM, Graph
from ..inputs import Batch
from ..tracing import Trace

Array = Any
Pairs = tuple[Array, Array]


def jacobian(source: Graph | Flat, outputs: Sequence[int], is_param: Array, number: Array) -> Pairs:
    """The rows (outputs) and columns of the derivatives that may differ from 0."""
    if isinstance(source, Flat):
        return _split(source.pattern(outputs, *_columns(is_param, number), len(number)), len(number))
    depends = _dependence(source, is_param, number)
    found = [sorted(depends[source.outputs[k]]) for k in outputs]
    rows = np.repeat(np.arange(len(found)), [len(each) for each in found])
    return rows, np.array([c for each in found for c in each], int)


def hessian(source: Graph | Flat, outputs: Sequence[int], is_param: Array, number: Array) -> Pairs:
    """The rows and columns of the second derivatives of the only output that may differ from 0."""
    if isinstance(source, Flat):
        leaves = _columns(is_param, number)
        return _split(source.pattern(outputs, *leaves, len(number), interactions()), len(number))
    depends = _dependence(source, is_param, number)
    found: list[set[int]] = [set() for _ in number]
    needed = _needed(source, [source.outputs[k] for k in outputs])
    seen: set[tuple[int, int]] = set()
    for i, (op, args) in enumerate(source.nodes):
        if isinstance(op, str) or not needed[i] or not depends[i]:
            continue
        for k, j in _interacting(op, len(args)):
            a, b = depends[args[k]], depends[args[j]]
            if not a or not b or (id(a), id(b)) in seen:
                continue
            seen.add((id(a), id(b)))
            for c in a:
                found[c] |= b
            for c in b:
                found[c] |= a
    rows = np.repeat(np.arange(len(found)), [len(each) for each in found])
    return rows, np.array([c for each in found for c in sorted(each)], int)


def _columns(is_param: Array, number: Array) -> Pairs:
    """The column of each input and of each parameter, by number; -1 if it has none."""
    found = []
    for which in (~is_param, is_param):
        columns = np.full(1 + number[which].max(initial=-1), -1, np.int32)
        columns[number[which]] = np.flatnonzero(which)
        found.append(columns)
    return found[0], found[1]


def _split(places: Array, columns: int) -> Pairs:
    """The rows and columns of places, which are counted row by row."""
    return np.divmod(places, max(columns, 1))


def is_elementwise(trace: Trace, batch: Batch) -> bool:
    """Whether each number of the result depends on its own place in the arguments only.

    `batch` has the arguments as one sample: vectors of one length, and single numbers.
    """
    places: list[int] = []
    for leaf in (leaf for leaves in batch.leaves for leaf in leaves):
        places += range(len(leaf.numbers)) if leaf.shape else [-1]
    graph = trace.graph
    depends = _dependence(graph, np.zeros(len(places), bool), np.arange(len(places)))

    def fits(result: int, place: int) -> bool:
        return not {places[c] for c in depends[graph.outputs[result]]} - {-1, place}

    def look(tree: Any, place: int = -1) -> bool:
        if isinstance(tree, int):
            return fits(tree, place)
        if isinstance(tree, np.ndarray):
            return all(fits(k, i) for i, row in enumerate(tree) for k in np.ravel(row).tolist())
        inside = children(tree)
        return inside is None or all(look(part, i) for i, part in enumerate(inside[1]))

    return look(trace.template)


def _dependence(graph: Graph, is_param: Array, number: Array) -> list[frozenset[int]]:
    """For each node, the columns on which it depends."""
    pairs = zip(is_param.tolist(), number.tolist(), strict=True)
    columns = {(PARAM if p else INPUT, k): frozenset((c,)) for c, (p, k) in enumerate(pairs)}
    nothing: frozenset[int] = frozenset()
    found: list[frozenset[int]] = []
    for what, args in graph.nodes:
        if isinstance(what, str):
            found.append(columns.get((what, args[0]), nothing))
            continue
        total = nothing
        for k, a in enumerate(args):
            more = found[a]
            if more and more is not total and what.differentiable(k):
                total = more if not total else total if more <= total else total | more
        found.append(total)
    return found


def _needed(graph: Graph, outputs: Sequence[int]) -> bytearray:
    needed = bytearray(len(graph.nodes))
    for i in outputs:
        needed[i] = 1
    for i in range(len(graph.nodes) - 1, -1, -1):
        what, args = graph.nodes[i]
        if needed[i] and not isinstance(what, str):
            for a in args:
                needed[a] = 1
    return needed


# --- which arguments of an operation interact -------------------------------------------------------


def _interacting(op: Op, count: int) -> list[tuple[int, int]]:
    """The pairs of arguments with a second derivative that may differ from 0."""
    if op.name == "take":
        return []
    if not isinstance(op, Variadic):
        return _pairs(op)
    n = count // op.width
    if op.leave_one_out:
        return [(k, j) for k in range(n) for j in range(k)]
    own, all_elements = _pairs_of_parts(op)
    pairs = [(a * n + i, b * n + i) for a, b in own for i in range(n)]
    if all_elements:
        pairs += [(k, j) for k in range(count) for j in range(k + 1)]
    return pairs


@functools.cache
def interactions() -> bytes:
    """For each operation, a byte for the C core: a bit for each of the pairs (0, 0), (1, 0), (1, 1),
    (2, 0), (2, 1), (2, 2) of arguments, or of parts of an element; 64 for all elements, 128 for all but
    with themselves.
    """
    found = [0]
    for op in TABLE:
        if isinstance(op, Variadic) and op.leave_one_out:
            found.append(128)
            continue
        every = False
        pairs = _pairs(op) if not isinstance(op, Variadic) else []
        if isinstance(op, Variadic):
            pairs, every = _pairs_of_parts(op)
        bits = {max(a, b) * (max(a, b) + 1) // 2 + min(a, b) for a, b in pairs}
        found.append(sum(1 << bit for bit in bits) + 64 * every)
    return bytes(found)


@functools.cache
def _pairs(op: Op) -> list[tuple[int, int]]:
    found = set()
    for k in range(op.arity):
        formula = derivatives.partial(op, k)
        mentioned = _mentioned(formula) if formula is not None else set()
        arguments = range(op.arity) if "out" in mentioned else range(3)
        for j in arguments:
            possible = op.differentiable(k) and j < op.arity and op.differentiable(j)
            if possible and ("out" in mentioned or NAMES[j] in mentioned):
                found.add((max(k, j), min(k, j)))
    return sorted(found)


@functools.cache
def _pairs_of_parts(op: Variadic) -> tuple[list[tuple[int, int]], bool]:
    """The parts of an element that interact, and whether all elements do."""
    found, everything = set(), False
    for a in range(op.width):
        formula = derivatives.partial(op, a)
        mentioned = _mentioned(formula) if formula is not None else set()
        everything |= bool(mentioned & {"out", *NAMES[FOLDS:]})
        found |= {(a, b) for b in range(op.width) if NAMES[b] in mentioned}
    return sorted(found), everything


def _mentioned(formula: Formula) -> set[str]:
    """The names on which a formula depends; comparisons do not count, since they are constant."""
    needed, found = {formula.result}, set()
    for place in range(len(NAMES) + len(formula.lines) - 1, -1, -1):
        if place not in needed:
            continue
        if place < len(NAMES):
            found.add(NAMES[place])
            continue
        line = formula.lines[place - len(NAMES)]
        if isinstance(line, tuple) and line[0].name not in COMPARISONS:
            op, args = line
            needed |= {a for k, a in enumerate(args) if op.differentiable(k)}
    return found


# --- colours -----------------------------------------------------------------------------------------


def coloured(rows: Array, cols: Array, shape: tuple[int, int]) -> Array:
    """A colour for each column, so that no row has two columns of one colour."""
    if np.bincount(rows).max(initial=0) == shape[1]:  # a full row: every column needs its own colour
        return np.arange(shape[1])
    if c_core is not None:
        places = rows.astype(np.int32), cols.astype(np.int32)
        return np.frombuffer(c_core.columns_coloured(*places, *shape), np.int32)
    return coloured_in_python(rows, cols, shape)


def coloured_in_python(rows: Array, cols: Array, shape: tuple[int, int]) -> Array:
    """The same as in the C core."""
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], np.arange(shape[0] + 1))
    in_row = [cols[order[a:b]].tolist() for a, b in pairwise(starts)]
    rows_of: list[list[int]] = [[] for _ in range(shape[1])]
    for r, found in enumerate(in_row):
        for c in found:
            rows_of[c].append(r)
    colours = [-1] * shape[1]
    degrees = [sum(len(in_row[r]) for r in found) for found in rows_of]
    for c in sorted(range(shape[1]), key=lambda c: -degrees[c]):
        taken = {colours[other] for r in rows_of[c] for other in in_row[r]}
        colour = 0
        while colour in taken:
            colour += 1
        colours[c] = colour
    return np.array(colours, int)


class Plan:
    """How to compute a sparse matrix with few products: found once for each program, and kept."""

    def __init__(self, rows: Array, cols: Array, shape: tuple[int, int], symmetric: bool) -> None:
        self.shape = shape
        self.cols: Any = cols.astype(np.int32)
        self.starts: Any = np.searchsorted(rows, np.arange(shape[0] + 1)).astype(np.int32)
        across = coloured(rows, cols, shape)
        down = across if symmetric else coloured(cols, rows, shape[::-1])
        self.along: bool = int(across.max(initial=-1)) <= int(down.max(initial=-1))
        colours, width = (across, shape[0]) if self.along else (down, shape[1])
        self.directions: Any = (colours[None] == np.arange(1 + colours.max(initial=-1))[:, None]).astype(
            float
        )
        # Where the products, written one after the other, hold each number of the matrix.
        self.places: Any = (
            colours[cols] * np.int64(width) + rows
            if self.along and not symmetric
            else colours[rows] * np.int64(width) + cols
        )
        self.width = width

    def matrix(self, products: Array) -> Any:
        """The products with all directions as a scipy.sparse.csr_array."""
        try:
            from scipy.sparse import csr_array
        except ImportError:
            raise ImportError("sparse=True needs SciPy: pip install scipy") from None
        numbers = products.reshape(-1)[self.places]
        return csr_array((numbers, self.cols.copy(), self.starts.copy()), shape=self.shape)
