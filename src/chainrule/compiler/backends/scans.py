"""Plans a loop of a program as a scan: what it carries, takes from elsewhere, and leaves for later code.

One iteration becomes a program of its own, in which rows that move differently from one iteration to the
next are apart: those of kind k are numbered from k times the rows of the memory region.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..instructions import Code, Instruction, Loop, Move
from ..program import Program

Array = Any

STILL, OWN = 0, 1  # rows that do not move, and those of the iteration itself


class Plan:
    """A loop as a scan."""

    def __init__(self, loop: Loop, program: Program, later: Sequence[Code]) -> None:
        self.loop = loop
        self.rows: int = max(program.shared_rows, program.each_rows)
        self.steps: list[int] = [0, 0]  # by how many rows each kind moves
        self.found: dict[tuple[bool, int], set[int]] = {}  # by region and kind: rows read by iteration 0
        self.code: list[Code] = [
            self.moved(each, move) for each, move in zip(loop.body, loop.moves, strict=True)
        ]
        size = len(self.steps) * self.rows
        self.body: Program = replace(program, shared_rows=size, each_rows=size)
        own = self.found.pop((loop.shared, OWN), set())
        assert all(row in loop.rows for row in own)
        taken = {key: np.array(sorted(rows)) for key, rows in self.found.items()}
        self.still: dict[bool, Any] = {
            region: rows for (region, kind), rows in taken.items() if kind == STILL
        }
        self.moving = {
            (region, self.steps[kind]): rows for (region, kind), rows in taken.items() if kind != STILL
        }
        self.kept: Array = self.needed(program, later)

    def moved(self, instruction: Instruction, move: Move) -> Instruction:
        """An instruction of iteration 0, with its rows numbered by kind."""
        offsets = []
        for shared, rows, step in reads(instruction, move):
            kind = self.kind(shared, rows, step)
            self.found.setdefault((shared, kind), set()).update(rows.tolist())
            offsets.append(kind * self.rows)
        count = len(move.args)
        mask = offsets[count] if instruction.masking is not None else 0
        return instruction.moved(Move(OWN * self.rows, tuple(offsets[:count]), mask), 1)

    def kind(self, shared: bool, rows: Array, step: int) -> int:
        if shared == self.loop.shared and step == self.loop.width and int(rows[0]) in self.loop.rows:
            return OWN
        if step == 0:
            return STILL
        if step not in self.steps[2:]:
            self.steps.append(step)
        return self.steps.index(step, 2)

    def own(self, places: Array) -> Array:
        """Rows of the iteration, in the numbering of the body."""
        return OWN * self.rows + self.loop.start + places

    def place(self, step: int, rows: Array) -> Array:
        """Rows that move by a step, in the numbering of the body."""
        return self.steps.index(step, 2) * self.rows + rows

    def needed(self, program: Program, later: Sequence[Code]) -> Array:
        """Which rows of an iteration later code reads, of any iteration."""
        used = np.zeros(len(self.loop.rows) + 1, bool)
        for shared, rows in read_by(program, later):
            if shared == self.loop.shared:
                places = rows - self.loop.start
                used[places[(places >= 0) & (places < len(self.loop.rows))]] = True
        inside = used[: self.loop.width * self.loop.count].reshape(self.loop.count, self.loop.width)
        return np.flatnonzero(inside.any(0))


def reads(instruction: Instruction, move: Move | None = None) -> Iterator[tuple[bool, Array, int]]:
    """The rows that an instruction reads, those of its mask last, and by how many they move."""
    steps = move.args if move is not None else (0,) * len(instruction.reads)
    for read, step in zip(instruction.reads, steps, strict=True):
        yield read.shared, np.array(read.rows), step
    if instruction.masking is not None:
        mask = instruction.masking
        yield mask.view.shared, np.array(mask.rows), move.mask if move is not None else 0


def read_by(program: Program, code: Iterable[Code]) -> Iterator[tuple[bool, Array]]:
    """The rows that code reads, in all iterations, and the results."""
    for each in code:
        if isinstance(each, Loop):
            times = np.arange(each.count)[:, None]
            for instruction, move in zip(each.body, each.moves, strict=True):
                for shared, rows, step in reads(instruction, move):
                    yield shared, (rows + step * times).ravel()
        else:
            yield from ((shared, rows) for shared, rows, _ in reads(each))
    for view in (*program.outputs, *program.guards):
        yield view.shared, np.array([view.start])
