"""The reverse program: which adjoints to accumulate, and in what order.

Each step names an instruction and one of its arguments; a backend takes the derivative from the
table. The first step that writes an adjoint assigns it and later steps add to it, so that memory
need not be cleared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .instructions import ASSIGN, PART, Gather, Instruction, Kind, Map, Read, Take
from .program import Program, Written, check


@dataclass(frozen=True)
class Pull:
    """Propagates the adjoint of a result to an argument."""

    instruction: Instruction
    part: int
    assign: bool = False

    @property
    def target(self) -> Read:
        """The rows whose adjoints receive the contribution."""
        return self.instruction.reads[self.part]

    def encode(self) -> list[int]:
        numbers = self.instruction.encode()
        numbers[PART], numbers[ASSIGN] = self.part, self.assign
        return numbers

    def __str__(self) -> str:
        verb = "set" if self.assign else "add to"
        return f"{verb} the adjoint of argument {self.part} of: {self.instruction}"


@dataclass(frozen=True)
class Zero:
    """Sets the adjoints of some rows of `each` to 0."""

    start: int
    count: int

    @property
    def rows(self) -> range:
        return range(self.start, self.start + self.count)

    def encode(self) -> list[int]:
        return [Kind.ZERO, 0, 0, self.start, self.count, 1, 1, *[0] * 21]

    def __str__(self) -> str:
        return f"clear the adjoints of each[{self.start}:{self.start + self.count}]"


Step = Pull | Zero


@dataclass
class Reverse:
    """Steps for each sample, then steps for shared rows."""

    each: list[Step] = field(default_factory=list)
    shared: list[Step] = field(default_factory=list)

    def __str__(self) -> str:
        lines = ["for each sample:", *(f"  {step}" for step in self.each)]
        return "\n".join([*lines, "once:", *(f"  {step}" for step in self.shared)])

    def verify(self, program: Program, inputs: Iterable[int] = ()) -> Reverse:
        """Raise a ValueError that says which rule is broken, and where; return self.

        An adjoint of `each` must be set or cleared once, then added to, and complete before a step
        propagates it; adjoints of shared rows start at 0. `inputs` are those whose adjoints are needed.
        """
        rules = _Rules(program)
        for shared, steps in ((False, self.each), (True, self.shared)):
            for step in steps:
                check(step, rules.faults(step, shared))
                rules.follow(step)
        for row in inputs:
            check(f"the adjoint of input {row}", rules.written.missing([row]))
        return self


class _Rules:
    """The state of the adjoints after some steps: which were written, and which were propagated."""

    def __init__(self, program: Program) -> None:
        self.known = {True: {*map(id, program.shared)}, False: {*map(id, program.each)}}
        self.written = Written("each", program.each_rows)
        self.written.write([view.start for view in program.outputs if not view.shared])
        rows = (True, program.shared_rows), (False, program.each_rows)
        self.passed_on = {shared: bytearray(count) for shared, count in rows}

    def faults(self, step: Step, shared: bool) -> Iterator[str]:
        match step:
            case Zero(count=count, rows=rows):
                if shared or count < 1:
                    yield "only per-sample adjoints can be cleared, and at least one"
                yield from self.written.taken(rows)
            case Pull(instruction=instruction, part=part):
                if id(instruction) not in self.known[shared]:
                    yield "this instruction does not belong to this part of the program"
                if not 0 <= part < len(instruction.reads) or not instruction.differentiable(part):
                    yield "this argument does not exist or is not differentiable"
                if not shared:
                    yield from self.written.missing(instruction.writes)
                yield from self.target_faults(step)

    def target_faults(self, step: Pull) -> Iterator[str]:
        target = step.target
        if step.assign and not may_assign(step.instruction, step.part):
            yield "its contributions may overlap, so they can only be added"
        if any(self.passed_on[target.shared][row] for row in target.rows):
            yield "its target's adjoint has already been propagated"
        if not target.shared:
            yield from (self.written.taken if step.assign else self.written.missing)(target.rows)

    def follow(self, step: Step) -> None:
        match step:
            case Zero(rows=rows):
                self.written.write(rows)
            case Pull(instruction=instruction, target=target):
                if not target.shared:
                    self.written.write(target.rows)
                for row in instruction.writes:
                    self.passed_on[instruction.shared][row] = 1


class _Activity:
    """Which rows depend on a parameter or input whose gradient is needed."""

    def __init__(self, program: Program, params: bool, inputs: Collection[int]) -> None:
        self.shared = bytearray(program.shared_rows)
        self.each = bytearray(program.each_rows)
        self.shared[: program.params] = bytes([params]) * program.params
        for row in inputs:
            self.each[row] = 1
        self.parts: dict[int, list[int]] = {}  # per instruction, the arguments that receive a gradient
        for instruction in [*program.shared, *program.each]:
            parts = self.parts[id(instruction)] = self.active(instruction)
            if parts:
                memory, rows = self.shared if instruction.shared else self.each, instruction.writes
                memory[rows.start : rows.stop] = b"\1" * len(rows)

    def active(self, instruction: Instruction) -> list[int]:
        """The arguments that depend on a parameter or input whose gradient is needed."""
        return [
            part
            for part, read in enumerate(instruction.reads)
            if instruction.differentiable(part)
            and some(self.shared if read.shared else self.each, read.rows)
        ]


def some(memory: bytearray, rows: Sequence[int]) -> bool:
    """Whether any of the rows is marked."""
    if isinstance(rows, range):
        return memory.find(1, rows.start, rows.stop) >= 0
    return any(memory[row] for row in rows)


def reverse(program: Program, params: bool = True, inputs: Iterable[int] = ()) -> Reverse:
    """The steps that compute the adjoints of the parameters, of some inputs, or of both."""
    inputs = frozenset(inputs)
    activity = _Activity(program, params, inputs)
    result = Reverse()
    written = bytearray(program.each_rows)
    for view in program.outputs:
        if not view.shared:
            written[view.start] = 1  # the seed
    for instruction in reversed(program.each):
        parts = activity.parts[id(instruction)]
        if not parts or not some(written, instruction.writes):
            continue
        clear(result.each, written, instruction.writes)
        for part in parts:
            result.each.append(pull(result.each, written, instruction, part))
    clear(result.each, written, list(inputs))
    reached = shared_rows(program, result.each)
    for instruction in reversed(program.shared):
        if not some(reached, instruction.writes):
            continue
        for part in activity.parts[id(instruction)]:
            step = Pull(instruction, part)
            result.shared.append(step)
            for row in step.target.rows:
                reached[row] = 1
    return result


def shared_rows(program: Program, steps: list[Step]) -> bytearray:
    """Which shared rows receive an adjoint: from the samples, or as an output."""
    reached = bytearray(program.shared_rows)
    for view in program.outputs:
        if view.shared:
            reached[view.start] = 1
    for step in steps:
        if isinstance(step, Pull) and step.target.shared:
            for row in step.target.rows:
                reached[row] = 1
    return reached


def pull(steps: list[Step], written: bytearray, instruction: Instruction, part: int) -> Pull:
    """The step for one argument: it assigns if the adjoints have not been written, else it adds."""
    step = Pull(instruction, part)
    target = step.target
    if target.shared:
        return step
    if may_assign(instruction, part) and not some(written, target.rows):
        for row in target.rows:
            written[row] = 1
        return Pull(instruction, part, assign=True)
    clear(steps, written, target.rows)
    return step


def may_assign(instruction: Instruction, part: int) -> bool:
    """Whether each adjoint of an argument receives exactly one contribution per sample."""
    read = instruction.reads[part]
    match instruction:
        case Gather() | Take():  # a row may be copied twice; each sample takes a different row
            return False
        case Map(args=args, count=count) if args[part].step == 0 and count > 1:
            return False
    return not read.shared and (isinstance(read.rows, range) or len({*read.rows}) == len(read.rows))


def clear(steps: list[Step], written: bytearray, rows: Sequence[int]) -> None:
    """Clear those rows that have not been written."""
    if isinstance(rows, range) and written.find(0, rows.start, rows.stop) < 0:
        return
    for row in sorted({row for row in rows if not written[row]}):
        written[row] = 1
        last = steps[-1] if steps else None
        if isinstance(last, Zero) and last.start + last.count == row:
            steps[-1] = Zero(last.start, last.count + 1)
        else:
            steps.append(Zero(row, 1))
