"""From a rolled trace to a program with loops.

Every part is lowered like a program of its own (lowering.py), whose inputs are rows computed before. A
loop owns a block of rows for each iteration: first those that it carries from one iteration to the next,
then its own results. While a body is lowered, a row is written as `KIND * k + row`, where k numbers the
distances that rows move from one iteration to the next, so that rows that move differently are never
taken for neighbours.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import ops
from .. import passes
from ..graph import CONSTANT, INPUT, PARAM, Graph, Node
from ..instructions import MOST_TERMS, Gather, Instruction, Loop, Move, Spread, View
from ..lowering import Lowering
from ..program import Program
from .parts import Part, Rolled
from .rolling import CONSTANTS, INPUTS

Array = Any

KIND = 2**40  # more than there are rows
MOST_PRODUCTS = (
    256  # products in dots for a kernel; with more, matrix products in the interpreter are faster
)
STILL, OWN = 0, 1  # rows that do not move, and those of the loop's block


def lower(rolled: Rolled, params: int, inputs: int, differentiated: bool) -> Program:
    """Lower a rolled trace to a program."""
    return _Assembly(rolled, params, inputs, differentiated).program


class _Assembly:
    """Assembles the lowered parts into one program."""

    def __init__(self, rolled: Rolled, params: int, inputs: int, differentiated: bool) -> None:
        self.trace, self.differentiated = rolled.trace, differentiated
        self.found: list[_Results] = [_Results(part) for part in rolled.parts]
        self.constants: dict[str, int] = {}  # the rows in `shared` of those in bodies
        self.constant_rows: Array = np.full(len(self.trace.numbers), -1)  # and of those of the trace
        self.program = Program(params, inputs, (), params, inputs)
        bodies = [self.classified(found) for found in self.found]
        self.place_constants(node for graphs in bodies for graph in graphs for node in graph.nodes)
        self.copies: dict[Gather | Spread, int] = {}
        # The first rows of those that were reserved together, from the parameters and the inputs on.
        self.blocks: dict[bool, list[int]] = {True: [0, params], False: [0]}
        self.blocks[True].append(self.program.shared_rows)
        self.blocks[False].append(inputs)
        for found, (before, body) in zip(self.found, bodies, strict=True):
            first = _Part(self, _Results(found.part.once()), before)
            first.lower()
            _Part(self, found, body, [first.rows[i] for i in before.outputs]).lower()
        self.program.outputs = [self.view(reference) for reference in self.trace.outputs.tolist()]
        self.program.guards = [self.view(reference) for reference in self.trace.guards.tolist()]

    def place_constants(self, nodes: Iterable[Node]) -> None:
        """Give each constant of the trace and of the bodies a row; equal ones share it."""
        more = [args[0] for what, args in nodes if what == CONSTANT]
        numbers = np.concatenate([self.trace.numbers, more])
        numbers[np.isnan(numbers)] = np.nan
        _, first, which = np.unique(numbers.view(np.int64), return_index=True, return_inverse=True)
        rows = self.program.params + np.argsort(np.argsort(first))[which]
        self.constant_rows, own = np.split(rows, [len(self.trace.numbers)])
        self.constants = {number.hex(): row for number, row in zip(more, own.tolist(), strict=True)}
        self.program.constants = tuple(numbers[np.sort(first)].tolist())
        self.program.shared_rows += len(first)

    def classified(self, results: _Results) -> tuple[Graph, Graph]:
        """What is computed before a part, and its body, both optimised. Arguments that no input affects
        become parameters.
        """
        part = results.part
        varies = [self.varies(column) for column in part.columns]
        while True:
            kinds = [INPUT if each else PARAM for each in varies]
            nodes = [
                (kinds[args[0]], args) if what == INPUT else (what, args)
                for what, args in part.body.nodes
            ]
            body = passes.optimise(Graph(nodes, part.body.outputs))
            masked = passes.with_masks(body) if self.differentiated else body
            varying = masked.varying()
            results.shared[part.results] = [not varying[i] for i in body.outputs]
            found = [self.varies(column) for column in part.columns]
            if found == varies:
                break
            varies = found
        if part.count == 1:
            return Graph(), masked
        before, rest = hoisted(part, body, masked.masks)
        return before, passes.with_masks(rest) if self.differentiated else rest

    def varies(self, column: Array) -> bool:
        """Whether an argument differs from sample to sample in any copy."""
        _, shared = self.places(column)
        return not shared.all()

    def view(self, reference: int) -> View:
        rows, shared = self.places(np.array([reference]))
        return View(bool(shared[0]), int(rows[0]))

    def places(self, references: Array) -> tuple[Array, Array]:
        """The rows of operations and leaves, and which of them are in `shared`."""
        rows, shared = np.full(len(references), -1), np.empty(len(references), bool)
        for found in self.found:
            found.place(references, rows, shared)
        is_leaf = references < 0
        leaves = -1 - references[is_leaf]
        kinds, numbers = self.trace.kind[leaves], self.trace.leaf[leaves].astype(np.int64)
        numbers[kinds == CONSTANTS] = self.constant_rows[numbers[kinds == CONSTANTS]]
        rows[is_leaf], shared[is_leaf] = numbers, kinds != INPUTS
        return rows, shared

    def reserve(self, shared: bool, count: int) -> int:
        if shared:
            self.program.shared_rows += count
            start = self.program.shared_rows - count
        else:
            self.program.each_rows += count
            start = self.program.each_rows - count
        self.blocks[shared].append(start)
        return start

    def are_regular(self, rows: Array, shared: bool) -> bool:
        """Whether the rows are equally spaced, and not by chance: all lie in one block."""
        blocks: Array = np.searchsorted(self.blocks[shared], rows, "right")
        return is_regular(rows) and bool((blocks == blocks[0]).all())

    def copy(self, wanted: Gather | Spread) -> int:
        """The first row of a copy; `wanted.out` is ignored, and equal rows are copied only once."""
        if wanted not in self.copies:
            self.copies[wanted] = self.reserve(wanted.shared, len(wanted.rows))
            self.program.code(wanted.shared).append(replace(wanted, out=self.copies[wanted]))
        return self.copies[wanted]

    def write(self, out: int, rows: Array, shared: Array, into: bool) -> None:
        """Copy rows of either memory region to consecutive rows of one.

        One instruction does it, so that a loop that walks along the copies finds all in one place.
        """
        if shared.all() and not into:
            self.program.each.append(Spread(out, tuple(rows.tolist())))
            return
        if shared.any() and not into:
            spread = self.copy(Spread(0, tuple(rows[shared].tolist())))
            rows = rows.copy()
            rows[shared] = spread + np.arange(int(shared.sum()))
        self.program.code(into).append(Gather(into, out, tuple(rows.tolist())))


class _Results:
    """Where the results of a part are: rows of the first copy, how far they move, and which are shared.

    Each array has an entry for every operation of a copy.
    """

    def __init__(self, part: Part) -> None:
        self.part = part
        self.row: Array = np.full(part.stretch.period, -1, np.int64)
        self.move: Array = np.zeros(part.stretch.period, np.int64)
        self.shared: Array = np.ones(part.stretch.period, bool)
        self.last: dict[int, int] = {}  # the rows of operations of the last copy that are elsewhere

    def place(self, references: Array, rows: Array, shared: Array) -> None:
        """Fill in the rows of those references that lead to this part, and whether they are shared."""
        stretch = self.part.stretch
        own = np.flatnonzero(stretch.has(references))
        if not len(own):
            return
        copies, ops = np.divmod(references[own] - stretch.start, stretch.period)
        rows[own] = self.row[ops] + self.move[ops] * copies
        shared[own] = self.shared[ops]
        for op, row in self.last.items():
            rows[own[(ops == op) & (copies == stretch.count - 1)]] = row


@dataclass
class _Carried:
    """A row that an iteration takes from an earlier one."""

    first: int  # the reference to what iteration 0 takes
    result: int  # the operation of the body whose row becomes that of the next iteration
    earlier: int  # or else another carried row, that of an earlier iteration; or -1


def hoisted(part: Part, body: Graph, masked: Collection[int]) -> tuple[Graph, Graph]:
    """Separate what is the same in every iteration: a graph to compute before the loop, and the rest of
    the body, which takes the results of the first as further arguments.
    """
    still: set[int] = set()
    for i, (what, args) in enumerate(body.nodes):
        if what in (INPUT, PARAM):
            column = part.columns[args[0]]
            is_still = bool((column == column[0]).all())
        else:
            is_still = what == CONSTANT or (i not in masked and all(a in still for a in args))
        if is_still:
            still.add(i)
    moving = [i for i in range(len(body)) if i not in still and not body.is_leaf(i)]
    used = {*body.outputs, *(a for i in moving for a in body.nodes[i][1])}
    before = Graph(body.nodes, sorted(i for i in used & still if not body.is_leaf(i)))
    varying = body.varying()
    rest = Graph(list(body.nodes), body.outputs)
    for k, i in enumerate(before.outputs):
        rest.nodes[i] = (INPUT if varying[i] else PARAM, (len(part.columns) + k,))
    return passes.drop_dead(before), passes.drop_dead(rest)


class _Part(Lowering):
    """Lowers one part. A loop becomes up to two: one for shared rows, one for those of each sample."""

    def __init__(
        self, whole: _Assembly, results: _Results, body: Graph, more: Sequence[int] = ()
    ) -> None:
        self.whole, self.results, self.part, self.more = whole, results, results.part, more
        self.is_loop: bool = self.part.count > 1
        self.moves: list[int] = [0, 0]  # by how many rows each kind moves; that of OWN is in `block`
        self.own: dict[bool, int] = {True: 0, False: 0}  # rows of an iteration in the loop's block
        self.block: dict[bool, int] = {True: 0, False: 0}  # where the block begins
        self.carried: dict[bool, list[_Carried]] = {True: [], False: []}
        self.slots: dict[Any, int] = {}  # the row of each carried value
        products = sum(len(args) // 2 for what, args in body.nodes if what is ops.dot)
        super().__init__(body, Program(0, 0), narrow=False, products=products > MOST_PRODUCTS)

    # --- rows --------------------------------------------------------------------------------------

    def place_leaves(self) -> None:
        for i, (what, args) in enumerate(self.graph.nodes):
            if what in (INPUT, PARAM):
                self.rows[i] = self.argument(args[0], what == PARAM)
            elif what == CONSTANT:
                self.rows[i] = self.whole.constants[args[0].hex()]

    def argument(self, k: int, shared: bool) -> int:
        """The row of an argument of the part."""
        if k >= len(self.part.columns):
            return self.more[k - len(self.part.columns)]
        column = self.part.columns[k]
        if self.part.is_carried(k):
            lag, result = self.part.lag(k)
            return self.slot(shared, column[:lag], result)
        rows, regions = self.whole.places(column)
        if (rows == rows[0]).all() and (regions == regions[0]).all():
            rows, regions = rows[:1], regions[:1]
        if not ((regions == shared).all() and self.whole.are_regular(rows, shared)):
            out = self.whole.reserve(shared, len(rows))
            self.whole.write(out, rows, regions, shared)
            rows = out + np.arange(len(rows))
        move = int(rows[1] - rows[0]) if len(rows) > 1 else 0
        if move and move not in self.moves[2:]:
            self.moves.append(move)
        return KIND * (self.moves.index(move, 2) if move else STILL) + int(rows[0])

    def slot(self, shared: bool, firsts: Array, result: int) -> int:
        """The row of what an iteration takes from as many iterations before as there are `firsts`: the
        references to what the first iterations take.
        """
        key = shared, result, firsts.tobytes()
        if key not in self.slots:
            earlier = self.slot(shared, firsts[1:], result) if len(firsts) > 1 else -1
            self.carried[shared].append(_Carried(int(firsts[0]), result, earlier))
            self.slots[key] = KIND * OWN + self.own[shared]
            self.own[shared] += 1
        return self.slots[key]

    def reserve(self, shared: bool, count: int) -> int:
        if not self.is_loop:
            return self.whole.reserve(shared, count)
        self.own[shared] += count
        return KIND * OWN + self.own[shared] - count

    def copy(self, wanted: Gather | Spread) -> int:
        if not self.is_loop:
            return super().copy(wanted)
        if all(row < KIND for row in wanted.rows):  # the same in every iteration
            return self.whole.copy(wanted)
        if wanted not in self.copies:
            self.copies[wanted] = self.reserve(wanted.shared, len(wanted.rows))
            self.copy_to(self.copies[wanted], wanted)
        return self.copies[wanted]

    def copy_to(self, out: int, wanted: Gather | Spread) -> None:
        """Copy rows with one instruction for each run of rows that move alike."""
        for begin, end in runs([row // KIND for row in wanted.rows]):
            self.emit(replace(wanted, out=out + begin, rows=wanted.rows[begin:end]))

    def matrix(self, shared: bool, table: Sequence[Sequence[int]], plain: bool = False) -> View:
        rows = np.array([self.rows[i] for line in table for i in line])
        alike = (rows // KIND == rows[0] // KIND).all()
        if alike and not self.is_loop and len(table[0]) > MOST_TERMS:  # kernels need them in one block
            blocks: Array = np.searchsorted(self.whole.blocks[shared], rows, "right")
            alike = (blocks == blocks[0]).all()
        return super().matrix(shared, table, plain) if alike else self.packed(shared, table)

    # --- the program -------------------------------------------------------------------------------

    def lower(self) -> None:
        """Append the part to the whole program."""
        outputs = dict(zip(self.part.results, self.graph.outputs, strict=False))
        for shared in (True, False):
            if self.is_loop:
                self.add_loop(shared, outputs)
            else:
                self.whole.program.code(shared).extend(self.program.code(shared))
        for op, i in outputs.items():
            self.results.row[op], self.results.move[op] = self.plain(self.rows[i], not self.varying[i])
        for shared, carried in self.carried.items() if self.is_loop else ():
            for k, each in enumerate(carried):  # what the last iteration leaves
                i = outputs[each.result]
                if each.earlier < 0 and self.varying[i] != shared:
                    row = self.block[shared] + self.own[shared] * self.part.count + k
                    self.results.last[each.result] = row

    def add_loop(self, shared: bool, outputs: dict[int, int]) -> None:
        whole, carried = self.whole, self.carried[shared]
        for k, each in enumerate(carried):
            row, region = each.earlier, shared
            if row < 0:
                i = outputs[each.result]
                row, region = self.rows[i], not self.varying[i]
            copy = Gather(shared, 0, (row,)) if region == shared else Spread(0, (row,))
            self.emit(replace(copy, out=KIND * OWN + self.own[shared] + k))
        self.block[shared] = whole.reserve(shared, self.own[shared] * self.part.count + len(carried))
        if carried:
            rows, regions = whole.places(np.array([each.first for each in carried]))
            whole.write(self.block[shared], rows, regions, shared)
        found = [self.decoded(each) for each in self.program.code(shared)]
        if found:
            body, moves = zip(*found, strict=True)
            block = self.block[shared], self.own[shared], len(carried)
            whole.program.code(shared).append(Loop(self.part.count, *block, body, moves))

    def plain(self, row: int, shared: bool) -> tuple[int, int]:
        """A row of iteration 0, and by how many rows it moves."""
        kind, number = divmod(row, KIND)
        return (
            (self.block[shared] + number, self.own[shared])
            if kind == OWN
            else (number, self.moves[kind])
        )

    def decoded(self, each: Any) -> tuple[Instruction, Move]:
        """An instruction with plain rows, and how these move."""
        out, move = self.plain(each.out, each.shared)
        if isinstance(each, Gather | Spread):
            found = [self.plain(row, each.reads[0].shared) for row in each.rows]
            rows = tuple(row for row, _ in found)
            return replace(each, out=out, rows=rows), Move(move, (found[0][1],))
        places = [self.plain(view.start, view.shared) for view in each.views()]
        views = [replace(view, start=row) for view, (row, _) in zip(each.views(), places, strict=True)]
        changes = each.with_views(views) | {"out": out}
        mask = (0, 0)
        if each.masking is not None:
            mask = self.plain(each.mask.start, each.shared)
            changes["mask"] = replace(each.mask, start=mask[0])
        return replace(each, **changes), Move(move, tuple(step for _, step in places), mask[1])


def is_regular(rows: Array) -> bool:
    """Whether consecutive rows have the same distance."""
    return len(rows) < 3 or bool((np.diff(rows) == rows[1] - rows[0]).all())


def runs(items: Sequence[Any]) -> Iterator[tuple[int, int]]:
    """Where runs of equal items begin and end."""
    begin = 0
    for k in range(1, len(items) + 1):
        if k == len(items) or items[k] != items[begin]:
            yield begin, k
            begin = k
