"""The reverse program: which adjoints to add to which, in what order.

Each step names an instruction and one of its arguments; what the derivative is, a backend
takes from the table. An adjoint is assigned by the first step that writes it and added to by
the others, so that memory need not be cleared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from .graph import is_fold
from .program import Instruction, Program, View


@dataclass(frozen=True)
class Pull:
    """Adds to the adjoint of an argument what the adjoint of the result gives it."""

    instruction: Instruction
    part: int
    assign: bool = False

    def __str__(self) -> str:
        verb = "set" if self.assign else "add to"
        return f"{verb} the adjoint of argument {self.part} of: {self.instruction}"


@dataclass(frozen=True)
class Zero:
    """Clears the adjoints of rows of `each`."""

    start: int
    count: int

    def __str__(self) -> str:
        return f"clear the adjoints of each[{self.start}:{self.start + self.count}]"


@dataclass
class Reverse:
    """Steps for each sample, then for what is shared."""

    each: list[Pull | Zero] = field(default_factory=list)
    shared: list[Pull | Zero] = field(default_factory=list)

    def __str__(self) -> str:
        lines = ["for each sample:", *(f"  {step}" for step in self.each)]
        return "\n".join([*lines, "once:", *(f"  {step}" for step in self.shared)])


def rows_of(view: View, instruction: Instruction) -> Sequence[int]:
    """Every row that an argument reads; one that all rows of the result read is there once."""
    if instruction.kind == "map":
        return range(view.start, view.start + (instruction.count if view.step else 1))
    if instruction.kind == "dense" and view is not instruction.args[1]:
        count = instruction.count // instruction.columns
    elif instruction.kind == "dense":
        count = instruction.columns
    else:
        count = instruction.count
    if view.step == 0:
        count = 1
    terms = instruction.terms
    if instruction.kind == "take" and view is instruction.args[0]:
        terms = 1
    if instruction.kind == "dense" and view in instruction.args[2:]:
        terms = 1
    return [view.row(i, k) for i in range(count) for k in range(terms)]


def differentiable(instruction: Instruction, part: int) -> bool:
    op = instruction.op
    if instruction.kind == "take":
        return part == 1
    return op is None or is_fold(op) or op.partials[part] is not None


class _Activity:
    """Which rows depend on something whose gradient is wanted."""

    def __init__(self, program: Program, params: bool, inputs: Collection[int]) -> None:
        self.shared = bytearray(program.shared_rows)
        self.each = bytearray(program.each_rows)
        self.shared[: program.params] = bytes([params]) * program.params
        for row in inputs:
            self.each[row] = 1
        self.parts: dict[int, list[int]] = {}  # of an instruction, to which a gradient is passed on
        for instruction in [*program.shared, *program.each]:
            parts = self.parts[id(instruction)] = self.active(instruction)
            if parts:
                memory = self.shared if instruction.shared else self.each
                out = instruction.out
                memory[out : out + instruction.count] = b"\1" * instruction.count

    def active(self, instruction: Instruction) -> list[int]:
        """The arguments that depend on something whose gradient is wanted."""
        if instruction.rows:
            memory = self.shared if instruction.kind == "spread" or instruction.shared else self.each
            return [0] if any(memory[row] for row in instruction.rows) else []
        return [
            part
            for part, view in enumerate(instruction.args)
            if differentiable(instruction, part)
            and some(self.shared if view.shared else self.each, rows_of(view, instruction))
        ]


def some(memory: bytearray, rows: Sequence[int]) -> bool:
    """Whether one of the rows is marked."""
    if isinstance(rows, range):
        return 1 in memory[rows.start : rows.stop]
    return any(memory[row] for row in rows)


def reverse(program: Program, params: bool = True, inputs: Iterable[int] = ()) -> Reverse:
    """The steps that give the adjoints of the parameters, of some inputs, or of both."""
    inputs = frozenset(inputs)
    activity = _Activity(program, params, inputs)
    result = Reverse()
    written = bytearray(program.each_rows)
    for view in program.outputs:
        if not view.shared:
            written[view.start] = 1  # the seed
    for instruction in reversed(program.each):
        out = range(instruction.out, instruction.out + instruction.count)
        parts = activity.parts[id(instruction)]
        if not parts or not some(written, out):
            continue
        clear(result.each, written, out)
        for part in parts:
            result.each.append(pull(result.each, written, instruction, part))
    clear(result.each, written, list(inputs))
    reached = shared_rows(program, result.each)
    for instruction in reversed(program.shared):
        if not some(reached, range(instruction.out, instruction.out + instruction.count)):
            continue
        for part in activity.parts[id(instruction)]:
            result.shared.append(Pull(instruction, part))
            for row in targets(instruction, part):
                reached[row] = 1
    return result


def targets(instruction: Instruction, part: int) -> Sequence[int]:
    """The rows to whose adjoints a pull adds."""
    return instruction.rows or rows_of(instruction.args[part], instruction)


def shared_rows(program: Program, steps: list[Pull | Zero]) -> bytearray:
    """Which shared rows get an adjoint from the samples, or are the output."""
    reached = bytearray(program.shared_rows)
    for view in program.outputs:
        if view.shared:
            reached[view.start] = 1
    for step in steps:
        if isinstance(step, Zero):
            continue
        instruction, part = step.instruction, step.part
        if instruction.kind == "spread" or (instruction.args and instruction.args[part].shared):
            for row in targets(instruction, part):
                reached[row] = 1
    return reached


def pull(steps: list[Pull | Zero], written: bytearray, instruction: Instruction, part: int) -> Pull:
    """A step for one argument: assigning if its adjoints are fresh, else adding."""
    if instruction.kind == "spread":
        return Pull(instruction, part)
    if instruction.kind == "gather":
        clear(steps, written, instruction.rows)
        return Pull(instruction, part)
    view = instruction.args[part]
    if view.shared:
        return Pull(instruction, part)
    rows = rows_of(view, instruction)
    if instruction.kind == "take":  # each sample adds to a row of its own choice
        clear(steps, written, rows)
        return Pull(instruction, part)
    once = isinstance(rows, range) or len(set(rows)) == len(rows)
    if once and not (view.step == 0 and instruction.count > 1) and not some(written, rows):
        for row in rows:
            written[row] = 1
        return Pull(instruction, part, assign=True)
    clear(steps, written, rows)
    return Pull(instruction, part)


def clear(steps: list[Pull | Zero], written: bytearray, rows: Sequence[int]) -> None:
    """Clear those of the rows that nothing was written to."""
    if isinstance(rows, range) and 0 not in written[rows.start : rows.stop]:
        return
    for row in sorted({row for row in rows if not written[row]}):
        written[row] = 1
        last = steps[-1] if steps else None
        if isinstance(last, Zero) and last.start + last.count == row:
            steps[-1] = Zero(last.start, last.count + 1)
        else:
            steps.append(Zero(row, 1))
