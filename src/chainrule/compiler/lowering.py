"""Lowering: turns a graph of scalar nodes into a program of array instructions.

Nodes that apply the same operation to consecutive rows become one instruction; dot products that
share operands become a matrix product. src/_core/compiler/lower.c does the same, in the same order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from .. import ops
from ..ops import Op, Variadic
from .graph import CONSTANT, INPUT, PARAM, Graph, uses
from .instructions import Code, Dense, Dots, Fold, Gather, Instruction, Map, Spread, Take, View
from .program import Program


def lower(graph: Graph, params: int, inputs: int, narrow: bool = False) -> Program:
    """Lower a graph to a program.

    Set `narrow` for few samples: rows are short then, so it pays to copy them next to each other and
    process more of them per instruction.
    """
    numbers = tuple(args[0] for what, args in graph.nodes if what == CONSTANT)
    program = Program(params, inputs, numbers, params + len(numbers), inputs)
    lowered = Lowering(graph, program, narrow)
    program.outputs = [lowered.view_of(i) for i in graph.outputs]
    program.guards = [lowered.view_of(i) for i in graph.guards]
    return program


class Lowering:
    """Appends instructions to a program. Without `products`, dots never become matrix products."""

    def __init__(self, graph: Graph, program: Program, narrow: bool, products: bool = True) -> None:
        self.graph, self.program, self.narrow = graph, program, narrow
        self.with_products = products
        self.varying = graph.varying()
        self.uses: Counter[int] = uses(graph)
        self.products: dict[int, int] = {}  # first row in `each` -> index of the instruction
        self.rows: list[int] = [-1] * len(graph.nodes)
        self.masked: list[tuple[list[Code], int, list[int]]] = []
        self.copies: dict[Gather | Spread, int] = {}
        self.place_leaves()
        for what, ids in self.groups():
            if what is ops.dot and ids[0] not in graph.masks:
                self.lower_dots(ids)
            elif isinstance(what, Variadic):
                self.lower_fold(what, ids)
            elif what.name == "take":
                self.lower_take(ids)
            else:
                self.lower_map(what, ids)
        self.attach_masks()

    def view_of(self, i: int) -> View:
        return View(not self.varying[i], self.rows[i])

    def place_leaves(self) -> None:
        constant = self.program.params
        for i, (what, args) in enumerate(self.graph.nodes):
            if what in (INPUT, PARAM):
                self.rows[i] = args[0]
            elif what == CONSTANT:
                self.rows[i] = constant
                constant += 1

    def groups(self) -> Iterator[tuple[Op, list[int]]]:
        """Group nodes with the same operation at the same depth; such nodes are independent."""
        level: list[int] = []
        found: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for i, (what, args) in enumerate(self.graph.nodes):
            if isinstance(what, str):
                level.append(0)
                continue
            level.append(1 + max((level[a] for a in args), default=0))
            kinds = len(args) if isinstance(what, Variadic) else tuple(self.varying[a] for a in args)
            reached = self.graph.reached is None or i in self.graph.reached
            use = (reached, i in self.graph.masks)
            found[(level[i], self.varying[i], what.name, kinds, use)].append(i)
        for _, ids in sorted(found.items(), key=lambda item: (item[0][0], item[1][0])):
            what = self.graph.nodes[ids[0]][0]
            assert isinstance(what, Op)
            yield what, ids

    def remember_mask(self, shared: bool, ids: list[int]) -> None:
        """Remember the last instruction if it has a mask."""
        if ids[0] in self.graph.masks:
            code = self.program.shared if shared else self.program.each
            self.masked.append((code, len(code) - 1, ids))

    def attach_masks(self) -> None:
        """Attach masks at the end, because a node's mask is computed after the node."""
        for code, number, ids in self.masked:
            masks = [self.graph.masks[i] for i in ids]
            view = self.matrix(code is self.program.shared, [[i] for i in masks], plain=True)
            instruction = code[number]
            assert isinstance(instruction, Map | Fold)
            code[number] = replace(instruction, mask=view)

    # --- memory ----------------------------------------------------------------------------------

    def reserve(self, shared: bool, count: int) -> int:
        if shared:
            start = self.program.shared_rows
            self.program.shared_rows += count
        else:
            start = self.program.each_rows
            self.program.each_rows += count
        return start

    def emit(self, instruction: Instruction) -> None:
        (self.program.shared if instruction.shared else self.program.each).append(instruction)

    def gather(self, shared: bool, rows: Iterable[int]) -> int:
        """Copy rows to new rows of the same memory, and return the first."""
        return self.copy(Gather(shared, 0, tuple(rows)))

    def spread(self, rows: Iterable[int]) -> int:
        """Copy shared numbers to new rows of `each`, and return the first."""
        return self.copy(Spread(0, tuple(rows)))

    def copy(self, wanted: Gather | Spread) -> int:
        """The first row of a copy; `wanted.out` is ignored, and equal rows are copied only once."""
        if wanted not in self.copies:
            self.copies[wanted] = self.reserve(wanted.shared, len(wanted.rows))
            self.emit(replace(wanted, out=self.copies[wanted]))
        return self.copies[wanted]

    def operand(self, shared: bool, ids: Sequence[int]) -> View:
        """The rows of one argument for consecutive results, copied to adjacent rows if necessary."""
        rows = [self.rows[i] for i in ids]
        if not shared and not self.varying[ids[0]]:
            if all(row == rows[0] for row in rows) and not self.narrow:
                return View(False, self.spread(rows[:1]), 0)
            return View(False, self.spread(rows))
        if is_run(rows, 1):
            return View(shared, rows[0])
        if is_run(rows, 0) and not shared and not self.narrow:
            return View(shared, rows[0], 0)
        return View(shared, self.gather(shared, rows))

    def matrix(self, shared: bool, table: Sequence[Sequence[int]], plain: bool = False) -> View:
        """The rows of an argument with several terms: `table[i][k]` is term k of result i.

        With `plain`, consecutive i must be in consecutive rows.
        """
        if not shared and not all(self.varying[i] for line in table for i in line):
            return self.packed(shared, table)
        rows = [[self.rows[i] for i in line] for line in table]
        step = rows[1][0] - rows[0][0] if len(rows) > 1 else 1
        term_step = rows[0][1] - rows[0][0] if len(rows[0]) > 1 else 1
        start = rows[0][0]
        regular = all(
            row == start + i * step + k * term_step
            for i, line in enumerate(rows)
            for k, row in enumerate(line)
        )
        if regular and step >= 0 and term_step >= 0 and (not plain or step == 1):
            return View(shared, start, step, term_step)
        return self.packed(shared, table)

    def packed(self, shared: bool, table: Sequence[Sequence[int]]) -> View:
        """Like `matrix`, but always copied, so that the rows of each term are consecutive."""
        ids = [line[k] for k in range(len(table[0])) for line in table]
        if shared:
            start = self.gather(True, (self.rows[i] for i in ids))
        elif any(self.varying[i] for i in ids):
            start = self.gather(False, [self.varied(i) for i in ids])
        else:
            start = self.spread(self.rows[i] for i in ids)
        return View(shared, start, 1, len(table))

    def varied(self, i: int) -> int:
        """The row of a node in `each`, copied there if it is shared."""
        return self.rows[i] if self.varying[i] else self.spread([self.rows[i]])

    # --- instructions ----------------------------------------------------------------------------

    def place(self, ids: Sequence[int], shared: bool) -> int:
        out = self.reserve(shared, len(ids))
        for k, i in enumerate(ids):
            self.rows[i] = out + k
        return out

    def lower_map(self, op: Op, ids: list[int]) -> None:
        shared = not self.varying[ids[0]]
        for run in [ids] if shared or self.narrow else self.runs(ids):
            if op is ops.add and not shared and self.add_to_product(run):
                continue
            columns = zip(*(self.graph.nodes[i][1] for i in run), strict=True)
            args = tuple(self.operand(shared, column) for column in columns)
            self.emit(Map(shared, self.place(run, shared), len(run), op, args))
            self.remember_mask(shared, run)

    def add_to_product(self, run: list[int]) -> bool:
        """Make a shared addend the initial value of the sums of a matrix product, if possible.

        This is how neurons add their biases.
        """
        pairs = [sorted(self.graph.nodes[i][1], key=self.varying.__getitem__) for i in run]
        biases, sums = zip(*pairs, strict=True)
        place = self.products.get(self.rows[sums[0]])
        if place is None or any(self.varying[i] for i in biases) or run[0] in self.graph.masks:
            return False
        product = self.program.each[place]
        assert isinstance(product, Dense)
        rows = [self.rows[i] for i in sums]
        if rows != list(product.writes):
            return False
        columns = product.columns
        if any(self.uses[i] > 1 for i in sums) or any(
            biases[i] != biases[i - i % columns] for i in range(len(run))
        ):
            return False
        view = self.matrix(True, [[i] for i in biases[::columns]])
        self.program.each[place] = replace(product, start=replace(view, term_step=0))
        for i, row in zip(run, rows, strict=True):
            self.rows[i] = row
        del self.products[product.out]
        return True

    def runs(self, ids: list[int]) -> Iterator[list[int]]:
        """Split a group into runs; within each, an argument is in one row or in consecutive rows."""
        run = [ids[0]]
        steps: list[int | None] = []
        for i in ids[1:]:
            pairs = zip(self.graph.nodes[run[-1]][1], self.graph.nodes[i][1], strict=True)
            new = [self.rows[b] - self.rows[a] if self.varying[b] else None for a, b in pairs]
            if any(step not in (0, 1, None) for step in new) or (steps and new != steps):
                yield run
                run, steps = [i], []
            else:
                run.append(i)
                steps = new
        yield run

    def lower_fold(self, op: Variadic, ids: list[int]) -> None:
        shared = not self.varying[ids[0]]
        for part in [ids] if shared or self.narrow else [[i] for i in ids]:
            lines = [self.graph.nodes[i][1] for i in part]
            terms = len(lines[0]) // op.width
            starts = range(0, len(lines[0]), terms)
            views = [self.matrix(shared, [x[s : s + terms] for x in lines], plain=True) for s in starts]
            self.emit(Fold(shared, self.place(part, shared), len(part), op, terms, tuple(views)))
            self.remember_mask(shared, part)

    def lower_take(self, ids: list[int]) -> None:
        """Group takes with the same index, such as the columns of an embedding."""
        shared = not self.varying[ids[0]]
        same: dict[int, list[int]] = defaultdict(list)
        for i in ids:
            same[self.graph.nodes[i][1][0]].append(i)
        for index, group in same.items():
            row = self.rows[index] if shared else self.varied(index)
            table = [self.graph.nodes[i][1][1:] for i in group]
            from_shared = not any(self.varying[a] for line in table for a in line)
            view = self.matrix(from_shared, table)
            out = self.place(group, shared)
            self.emit(Take(shared, out, len(group), len(table[0]), View(shared, row, 0), view))

    def lower_dots(self, ids: list[int]) -> None:
        """Turn dots with a shared operand into matrix products, one for each set of such operands."""
        shared = not self.varying[ids[0]]
        by_x: dict[tuple[int, ...], dict[tuple[int, ...], int]] = defaultdict(dict)
        rest: list[int] = []
        for i in ids:
            a, x = self.sides(i)
            if (
                not self.with_products or a is None or a in by_x[x]
            ):  # equal dots occur only if `simplify` did not run
                rest.append(i)
            else:
                by_x[x][a] = i
        by_set: dict[tuple[tuple[int, ...], ...], list[tuple[int, ...]]] = defaultdict(list)
        for x, dots in by_x.items():
            by_set[tuple(dots)].append(x)
        for lines, xs in by_set.items():
            for columns in [xs] if shared or self.narrow else [[x] for x in xs]:
                self.dense(shared, lines, columns, by_x)
        for part in [rest] if shared or self.narrow else [[i] for i in rest]:
            if part:
                self.dots(shared, part)

    def sides(self, i: int) -> tuple[tuple[int, ...] | None, tuple[int, ...]]:
        """The shared operand of a dot, or None, and the other operand."""
        args = self.graph.nodes[i][1]
        half = len(args) // 2
        a, x = args[:half], args[half:]
        if any(self.varying[k] for k in a):
            a, x = x, a
        if any(self.varying[k] for k in a) or len({self.varying[k] for k in x}) > 1:
            return None, x
        if not self.varying[i] and any(self.graph.nodes[k][0] == PARAM for k in x):
            a, x = (a, x) if a[0] != x[0] and self.graph.nodes[a[0]][0] == PARAM else (x, a)
        return a, x

    def dense(
        self,
        shared: bool,
        lines: tuple[tuple[int, ...], ...],
        columns: list[tuple[int, ...]],
        found: dict[tuple[int, ...], dict[tuple[int, ...], int]],
    ) -> None:
        a = self.matrix(True, lines)
        x = self.matrix(shared, columns, plain=True)
        out = self.place([found[x][line] for line in lines for x in columns], shared)
        if not shared:
            self.products[out] = len(self.program.each)
        self.emit(Dense(shared, out, len(lines), len(lines[0]), len(columns), a, x))

    def dots(self, shared: bool, ids: list[int]) -> None:
        half = len(self.graph.nodes[ids[0]][1]) // 2
        out = self.place(ids, shared)
        a, b = (
            self.matrix(shared, [self.graph.nodes[i][1][s : s + half] for i in ids], plain=True)
            for s in (0, half)
        )
        self.emit(Dots(shared, out, len(ids), half, a, b))


def is_run(rows: Iterable[int], step: int) -> bool:
    """Whether consecutive rows differ by `step`."""
    return all(b - a == step for a, b in pairwise(rows))
