"""The reverse program: which adjoints to accumulate, and in what order.

Each step names an instruction and one of its arguments; a backend takes the derivative from the
table. The first step that writes an adjoint assigns it and later steps add to it, so that memory
need not be cleared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ..support.caching import cached_property
from .instructions import (
    ASSIGN,
    PART,
    Fold,
    Gather,
    Instruction,
    Kind,
    Loop,
    Map,
    Move,
    Read,
    Take,
    unrolled,
)
from .program import Program, Written, check

Marks = Any  # an array of bools, one for each row


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


@dataclass(frozen=True)
class LoopBack:
    """Runs pulls of the instructions of a loop for each of its iterations, the last one first."""

    loop: Loop
    pulls: tuple[Pull, ...]  # of iteration 0

    @cached_property
    def moves(self) -> list[Move]:
        """How far the instruction of each pull moves from one iteration to the next."""
        moves = {id(each): move for each, move in zip(self.loop.body, self.loop.moves, strict=True)}
        return [moves[id(pull.instruction)] for pull in self.pulls]

    def iteration(self, time: int) -> Iterator[Pull]:
        for pull, move in zip(self.pulls, self.moves, strict=True):
            yield replace(pull, instruction=pull.instruction.moved(move, time))

    def __str__(self) -> str:
        lines = [f"repeat {self.loop.count} times, backwards:", *(f"  {pull}" for pull in self.pulls)]
        return "\n".join(lines)


Step = Pull | Zero | LoopBack


def followed(steps: Iterable[Step]) -> Iterator[Pull | Zero]:
    """Every pull in the order in which it runs."""
    for step in steps:
        if isinstance(step, LoopBack):
            for time in reversed(range(step.loop.count)):
                yield from step.iteration(time)
        else:
            yield step


@dataclass
class Reverse:
    """Steps for each sample, then steps for shared rows."""

    each: list[Step] = field(default_factory=list)
    shared: list[Step] = field(default_factory=list)

    def __str__(self) -> str:
        lines: list[str] = []
        for title, steps in (("for each sample:", self.each), ("once:", self.shared)):
            lines += [title, *(f"  {line}" for step in steps for line in str(step).split("\n"))]
        return "\n".join(lines)

    def verify(self, program: Program, inputs: Iterable[int] = ()) -> Reverse:
        """Raise a ValueError that says which rule is broken, and where; return self.

        An adjoint of `each` must be set or cleared once, then added to, and complete before a step
        propagates it; adjoints of shared rows start at 0. `inputs` are those whose adjoints are needed.
        """
        rules = _Rules(program)
        for shared, steps in ((False, self.each), (True, self.shared)):
            for step in followed(steps):
                check(step, rules.faults(step, shared))
                rules.follow(step)
        for row in inputs:
            check(f"the adjoint of input {row}", rules.written.missing([row]))
        return self


class _Rules:
    """The state of the adjoints after some steps: which were written, and which were propagated."""

    def __init__(self, program: Program) -> None:
        self.known = {shared: {*unrolled(program.code(shared))} for shared in (True, False)}
        self.written = Written("each", program.each_rows)
        self.added = Written("each", program.each_rows)  # which have a contribution
        for written in (self.written, self.added):
            written.write([view.start for view in program.outputs if not view.shared])
        rows = (True, program.shared_rows), (False, program.each_rows)
        self.passed_on = {shared: bytearray(count) for shared, count in rows}

    def faults(self, step: Pull | Zero, shared: bool) -> Iterator[str]:
        match step:
            case Zero(count=count, rows=rows):
                if shared or count < 1:
                    yield "only per-sample adjoints can be cleared, and at least one"
                yield from self.written.taken(rows)
            case Pull(instruction=instruction, part=part):
                if instruction not in self.known[shared]:
                    yield "this instruction does not belong to this part of the program"
                if not 0 <= part < len(instruction.reads) or not instruction.differentiable(part):
                    yield "this argument does not exist or is not differentiable"
                if not shared:
                    yield from self.written.missing(instruction.writes)
                yield from self.target_faults(step)

    def target_faults(self, step: Pull) -> Iterator[str]:
        target = step.target
        if step.assign and not can_assign(step):
            yield "its contributions may overlap, so they can only be added"
        if any(self.passed_on[target.shared][row] for row in target.rows):
            yield "its target's adjoint has already been propagated"
        if not target.shared:
            yield from (self.added.taken if step.assign else self.written.missing)(target.rows)

    def follow(self, step: Pull | Zero) -> None:
        match step:
            case Zero(rows=rows):
                self.written.write(rows)
            case Pull(instruction=instruction, target=target):
                if not target.shared:
                    self.written.write(target.rows)
                    self.added.write(target.rows)
                for row in instruction.writes:
                    self.passed_on[instruction.shared][row] = 1


class _Activity:
    """Which rows depend on a parameter or input whose gradient is needed."""

    def __init__(self, program: Program, params: bool, inputs: Collection[int]) -> None:
        self.memory = marks(program)
        self.memory[True][: program.params] = params
        for row in inputs:
            self.memory[False][row] = True
        self.parts: dict[int, list[int]] = {}  # per instruction, the arguments that receive a gradient
        for each in [*program.shared, *program.each]:
            if isinstance(each, Loop):
                while self.spread(each):
                    pass
            else:
                self.pass_on(each, STILL, 1)

    def spread(self, loop: Loop) -> bool:
        """Follow the dependences through a loop once; whether that found new ones."""
        found = [self.pass_on(*each, loop.count) for each in zip(loop.body, loop.moves, strict=True)]
        return any(found)

    def pass_on(self, instruction: Instruction, move: Move, count: int) -> bool:
        """Mark what an instruction computes; whether it has more active arguments than before."""
        parts = [
            part
            for part, read in enumerate(instruction.reads)
            if instruction.differentiable(part)
            and some(self.memory[read.shared], Rows(read.rows, move.args[part : part + 1], count))
        ]
        if parts:
            mark(self.memory[instruction.shared], Rows(instruction.writes, (move.out,), count))
        before = self.parts.get(id(instruction))
        self.parts[id(instruction)] = parts
        return parts != (before or [])


STILL = Move(0, ())


class Rows(NamedTuple):
    """Rows that move from one iteration of a loop to the next."""

    rows: Sequence[int]
    move: Sequence[int] = ()  # by how much, if they move
    times: int = 1

    def slices(self) -> Iterator[slice]:
        step = self.move[0] if self.move else 0
        if self.times == 1 or not step:
            if isinstance(self.rows, range) and self.rows.step == 1:
                yield slice(self.rows.start, self.rows.stop)
            else:
                yield from (slice(row, row + 1) for row in self.rows)
            return
        for row in self.rows:
            first, last = sorted((row, row + step * (self.times - 1)))
            yield slice(first, last + 1, abs(step))


def marks(program: Program) -> dict[bool, Marks]:
    """A mark for each row of both memory regions, which no row has yet."""
    counts = {True: program.shared_rows, False: program.each_rows}
    return {shared: np.zeros(count, bool) for shared, count in counts.items()}


def some(memory: Marks, rows: Rows) -> bool:
    """Whether any of the rows is marked."""
    return any(memory[part].any() for part in rows.slices())


def mark(memory: Marks, rows: Rows) -> None:
    for part in rows.slices():
        memory[part] = True


def reverse(program: Program, params: bool = True, inputs: Iterable[int] = ()) -> Reverse:
    """The steps that compute the adjoints of the parameters, of some inputs, or of both."""
    return _Reversing(program, params, frozenset(inputs)).result


class _Reversing:
    def __init__(self, program: Program, params: bool, inputs: frozenset[int]) -> None:
        self.result = Reverse()
        self.parts = _Activity(program, params, inputs).parts
        # Which adjoints receive a contribution, and which have been written: cleared, or assigned.
        self.reached, self.written = marks(program), marks(program)[False]
        for view in program.outputs:
            self.reached[view.shared][view.start] = True
            if not view.shared:
                self.written[view.start] = True  # the seed
        for loop in program.each:
            if isinstance(loop, Loop) and any(self.parts[id(each)] for each in loop.body):
                self.clear(Rows(loop.rows[loop.carried :]))
        for each in reversed(program.each):
            self.go_back(self.result.each, each)
        self.clear(Rows(list(inputs)))
        for each in reversed(program.shared):
            self.go_back(self.result.shared, each)

    def go_back(self, steps: list[Step], each: Instruction | Loop) -> None:
        if isinstance(each, Loop):
            self.go_back_through(steps, each)
            return
        parts = self.parts[id(each)]
        if not parts or not some(self.reached[each.shared], Rows(each.writes)):
            return
        if not each.shared:
            self.clear(Rows(each.writes))
        for part in parts:
            steps.append(self.pull(each, part))

    def go_back_through(self, steps: list[Step], loop: Loop) -> None:
        """The pulls of a loop. Adjoints are cleared before it, so that all its pulls add."""
        pulls: dict[int, list[Pull]] = {}
        before_loop = self.reached[False].copy()
        while True:
            before = len(pulls)
            for instruction, move in zip(reversed(loop.body), reversed(loop.moves), strict=True):
                out = Rows(instruction.writes, (move.out,), loop.count)
                parts = self.parts[id(instruction)]
                if id(instruction) in pulls or not parts or not some(self.reached[loop.shared], out):
                    continue
                pulls[id(instruction)] = [Pull(instruction, part) for part in parts]
                for pull in pulls[id(instruction)]:
                    target = Rows(pull.target.rows, move.args[pull.part : pull.part + 1], loop.count)
                    mark(self.reached[pull.target.shared], target)
                    if not pull.target.shared:
                        self.clear(target)
            if len(pulls) == before:
                break
        found = [pull for each in reversed(loop.body) for pull in pulls.get(id(each), ())]
        if found:
            steps.append(LoopBack(loop, tuple(self.assigning(loop, found, before_loop))))

    def assigning(self, loop: Loop, pulls: Iterable[Pull], reached: Marks) -> Iterator[Pull]:
        """The pulls, of which the first that reaches rows of the loop assigns their adjoints, unless
        something had reached them before the loop.
        """
        seen: set[int] = set()
        for pull in pulls:
            rows = pull.target.rows
            new = not pull.target.shared and all(row in loop.rows and row not in seen for row in rows)
            if new and can_assign(pull) and not isinstance(pull.instruction, Fold):
                new = not some(reached, Rows(list(rows), (loop.width,), loop.count))
                yield replace(pull, assign=new)
            else:
                yield pull
            seen.update(rows)

    def pull(self, instruction: Instruction, part: int) -> Pull:
        """The step for one argument: it assigns if the adjoints have not been written, else it adds."""
        step = Pull(instruction, part)
        target = step.target
        if not target.shared:
            if may_assign(instruction, part) and not some(self.written, Rows(target.rows)):
                mark(self.written, Rows(target.rows))
                step = Pull(instruction, part, assign=True)
            else:
                self.clear(Rows(target.rows))
        mark(self.reached[target.shared], Rows(target.rows))
        return step

    def clear(self, rows: Rows) -> None:
        """Clear those rows that have not been written."""
        found: list[Marks] = []
        for part in rows.slices():
            known = self.written[part]
            if not known.all():
                found.append(part.start + (part.step or 1) * np.flatnonzero(~known))
                known[:] = True
        if not found:
            return
        new, steps = np.sort(np.concatenate(found)), self.result.each
        for run in np.split(new, np.flatnonzero(np.diff(new) != 1) + 1):
            start, last = int(run[0]), steps[-1] if steps else None
            if isinstance(last, Zero) and last.start + last.count == start:
                steps[-1] = Zero(last.start, last.count + len(run))
            else:
                steps.append(Zero(start, len(run)))


def can_assign(pull: Pull) -> bool:
    """Whether a pull can assign: in a loop, a copy's pull can too, if no row is copied twice."""
    rows = pull.target.rows
    copied = isinstance(pull.instruction, Gather) and len({*rows}) == len(rows)
    return copied or may_assign(pull.instruction, pull.part)


def may_assign(instruction: Instruction, part: int) -> bool:
    """Whether each adjoint of an argument receives exactly one contribution per sample."""
    read = instruction.reads[part]
    match instruction:
        case Gather() | Take():  # a row may be copied twice; each sample takes a different row
            return False
        case Map(args=args, count=count) if args[part].step == 0 and count > 1:
            return False
    return not read.shared and len({*read.rows}) == len(read.rows)
