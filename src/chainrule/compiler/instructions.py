"""Instructions: a class for each kind, with the rows it reads and writes, its text and its encoding.

An instruction computes consecutive rows of one of a program's two memory regions (see program.py). It
is encoded as a `Step` of src/_core/machine/steps.h. This file knows nothing about graphs or backends.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, ClassVar, NamedTuple

from ..ops import TABLE, Op, Variadic
from ..support.caching import cached_property

CODES = {op: i for i, op in enumerate(TABLE, 1)}
MOST_ARGUMENTS = 3
MOST_TERMS = 16  # of a fold or dots in one expression of a kernel; more must be in one block of memory
PART, ASSIGN, ROWS = 7, 8, 9  # fields of an encoding that depend on more than the instruction


class Kind(IntEnum):
    """The kinds of steps, numbered as in steps.h."""

    MAP, GATHER, SPREAD, DENSE, DOTS, FOLD, TAKE, ZERO, LOOP = range(9)


@dataclass(frozen=True)
class View:
    """Rows of a memory region: `start + i * step + k * term_step` for row i of the result and term k."""

    shared: bool
    start: int
    step: int = 1
    term_step: int = 0

    def __str__(self) -> str:
        steps = "".join(
            f"+{step}{name}" for step, name in ((self.step, "i"), (self.term_step, "k")) if step
        )
        return f"{'shared' if self.shared else 'each'}[{self.start}{steps}]"

    def encode(self) -> tuple[int, int, int, int]:
        return self.shared, self.start, self.step, self.term_step

    def moved(self, rows: int) -> View:
        return replace(self, start=self.start + rows)


@dataclass(frozen=True)
class Argument:
    """The rows of a view that an instruction reads, and the rules that they must satisfy."""

    view: View
    count: int
    terms: int | None = None  # per row of the result, if any
    shared: bool | None = None  # the memory region that the rows must be in; None for either
    steps: tuple[int, ...] = ()  # allowed steps from row to row; empty for any

    @property
    def rows(self) -> Sequence[int]:
        """Every row it reads. A row that all results read is listed once."""
        start, step, term_step = self.view.start, self.view.step, self.view.term_step
        count = self.count if step else 1
        if self.terms is None and step <= 1:
            return range(start, start + count)
        terms = self.terms or 1
        return [start + i * step + k * term_step for i in range(count) for k in range(terms)]

    def faults(self) -> Iterator[str]:
        view = self.view
        if self.count < 1 or (self.terms is not None and self.terms < 1):
            yield f"reads no rows or no terms of {view}"
        if min(view.encode()) < 0:
            yield f"has a negative start or stride in {view}"
        if self.shared not in (None, view.shared):
            yield f"reads the wrong memory region in {view}"
        if self.count > 1 and self.steps and view.step not in self.steps:
            yield f"needs consecutive rows, not {view}"


CONSECUTIVE = (1,)


class Read(NamedTuple):
    """The rows of one memory region that an argument reads."""

    shared: bool
    rows: Sequence[int]


@dataclass(frozen=True)
class Instruction(ABC):
    """Computes consecutive rows of one memory region, starting at `out`."""

    kind: ClassVar[Kind]
    shared: bool
    out: int

    @property
    @abstractmethod
    def writes(self) -> range:
        """The rows of its memory region that it computes."""

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments it reads through views; none if it copies rows by index."""
        return ()

    @cached_property
    def reads(self) -> tuple[Read, ...]:
        """The rows of each argument; derivatives refer to an argument by its position here."""
        return tuple(Read(argument.view.shared, argument.rows) for argument in self.arguments)

    @property
    def masking(self) -> Argument | None:
        """The rows that are 0 where the instruction's derivative must not be used, if any."""
        mask = getattr(self, "mask", None)
        if mask is None:
            return None
        return Argument(mask, len(self.writes), None, self.shared, CONSECUTIVE)

    def differentiable(self, part: int) -> bool:
        """Whether an argument receives an adjoint."""
        return True

    def moved(self, move: Move, times: int) -> Instruction:
        """This instruction in another iteration of its loop."""
        views = [view.moved(times * rows) for view, rows in zip(self.views(), move.args, strict=True)]
        changes = self.with_views(views) | {"out": self.out + times * move.out}
        mask = getattr(self, "mask", None)
        if mask is not None:
            changes["mask"] = mask.moved(times * move.mask)
        return replace(self, **changes)

    def views(self) -> list[View]:
        return [argument.view for argument in self.arguments]

    @abstractmethod
    def with_views(self, views: Sequence[View]) -> dict[str, Any]:
        """The fields that hold the views of the arguments, with other views."""

    def faults(self) -> Iterator[str]:
        """The rules that this one instruction breaks; the virtual machine checks the same rules."""
        if not self.writes:
            yield "computes no row"
        for argument in self.arguments if self.masking is None else (*self.arguments, self.masking):
            yield from argument.faults()

    def encode(self) -> list[int]:
        """The fields of `Step` in steps.h."""
        arguments, mask, op = self.arguments, self.masking, getattr(self, "op", None)
        code = 0 if op is None else CODES[op]
        terms, columns = getattr(self, "terms", 1), getattr(self, "columns", 1)
        numbers = [self.kind, code, self.shared, self.out, len(self.writes), terms, columns]
        numbers += (0, 0, 0, len(arguments))
        for argument in arguments:
            numbers += argument.view.encode()
        numbers += [0] * (4 * (MOST_ARGUMENTS - len(arguments)))
        return [*numbers, *([0] * 5 if mask is None else (1, *mask.view.encode()))]

    def __str__(self) -> str:
        memory, rows = "shared" if self.shared else "each", self.writes
        out = f"{rows.start}" if len(rows) == 1 else f"{rows.start}:{rows.stop}"
        return f"{memory}[{out}] = {self._text()}"

    def _text(self) -> str:
        name = getattr(self, "op", self.kind).name.lower()
        views = ", ".join(str(argument.view) for argument in self.arguments)
        return (
            f"{name} {views}{self._size()}{'' if self.masking is None else f' if {self.masking.view}'}"
        )

    def _size(self) -> str:
        terms = getattr(self, "terms", 1)
        return f" ({terms} terms)" if terms > 1 else ""


@dataclass(frozen=True)
class _Copy(Instruction):
    rows: tuple[int, ...]

    @property
    def writes(self) -> range:
        return range(self.out, self.out + len(self.rows))

    def moved(self, move: Move, times: int) -> Instruction:
        rows = tuple(row + times * move.args[0] for row in self.rows)
        return replace(self, out=self.out + times * move.out, rows=rows)

    def with_views(self, views: Sequence[View]) -> dict[str, Any]:
        return {}

    def _text(self) -> str:
        rows = ", ".join(map(str, self.rows[:8]))
        return f"{self.kind.name.lower()} {rows}{', ...' if len(self.rows) > 8 else ''}"


@dataclass(frozen=True)
class Gather(_Copy):
    """Copies rows within one memory region."""

    kind = Kind.GATHER

    @cached_property
    def reads(self) -> tuple[Read, ...]:
        return (Read(self.shared, self.rows),)


@dataclass(frozen=True)
class Spread(_Copy):
    """Copies shared numbers to rows of `each`."""

    kind = Kind.SPREAD
    shared: bool = field(default=False, init=False)

    @cached_property
    def reads(self) -> tuple[Read, ...]:
        return (Read(True, self.rows),)


@dataclass(frozen=True)
class _Counted(Instruction):
    count: int

    @property
    def writes(self) -> range:
        return range(self.out, self.out + self.count)

    def _own(self, view: View, terms: int) -> Argument:
        """An argument in consecutive rows of the same memory region."""
        return Argument(view, self.count, terms, self.shared, CONSECUTIVE)


@dataclass(frozen=True)
class Map(_Counted):
    """Applies an operation: row i of the result uses row i, or the only row, of each argument."""

    kind = Kind.MAP
    op: Op
    args: tuple[View, ...]
    mask: View | None = None

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        return tuple(Argument(view, self.count, None, self.shared, (0, 1)) for view in self.args)

    def differentiable(self, part: int) -> bool:
        return self.op.partials[part] is not None

    def with_views(self, views: Sequence[View]) -> dict[str, Any]:
        return {"args": tuple(views)}

    def faults(self) -> Iterator[str]:
        if self.op not in CODES or isinstance(self.op, Variadic) or len(self.args) != self.op.arity:
            plural = "" if len(self.args) == 1 else "s"
            yield f"applies {self.op.name}, which does not take {len(self.args)} argument{plural}"
        yield from super().faults()


@dataclass(frozen=True)
class Dense(Instruction):
    """Row (r, c) of the result is the sum over k of a(r, k) * x(k, c), with `columns` values of c.

    The numbers of `a` are shared, and so are those of `start`: b(r), the initial value of the sums.
    """

    kind = Kind.DENSE
    lines: int
    terms: int
    columns: int
    a: View
    x: View
    start: View | None = None

    @property
    def writes(self) -> range:
        return range(self.out, self.out + self.lines * self.columns)

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        a = Argument(self.a, self.lines, self.terms, True)
        x = Argument(self.x, self.columns, self.terms, self.shared, CONSECUTIVE)
        return (a, x) if self.start is None else (a, x, Argument(self.start, self.lines, None, True))

    def with_views(self, views: Sequence[View]) -> dict[str, Any]:
        return dict(zip(("a", "x", "start"), views, strict=False))

    def _size(self) -> str:
        return f" ({self.lines} x {self.terms} by {self.terms} x {self.columns})"


@dataclass(frozen=True)
class Dots(_Counted):
    """Row i of the result is the sum over k of a(i, k) * b(i, k)."""

    kind = Kind.DOTS
    terms: int
    a: View
    b: View

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        return self._own(self.a, self.terms), self._own(self.b, self.terms)

    def with_views(self, views: Sequence[View]) -> dict[str, Any]:
        return {"a": views[0], "b": views[1]}


@dataclass(frozen=True)
class Fold(_Counted):
    """Row i of the result is a variadic operation applied to elements; element k consists of term k of
    row i of each argument.
    """

    kind = Kind.FOLD
    op: Variadic
    terms: int
    args: tuple[View, ...]
    mask: View | None = None

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        return tuple(self._own(view, self.terms) for view in self.args)

    def with_views(self, views: Sequence[View]) -> dict[str, Any]:
        return {"args": tuple(views)}

    def faults(self) -> Iterator[str]:
        width = self.op.width if isinstance(self.op, Variadic) else 0
        if self.op not in CODES or not width or len(self.args) != width:
            plural = "" if len(self.args) == 1 else "s"
            yield f"folds with {self.op.name}, which does not take {len(self.args)} sequence{plural}"
        yield from super().faults()


@dataclass(frozen=True)
class Take(_Counted):
    """Row i of the result is x(i, k), where each sample's `index` gives k."""

    kind = Kind.TAKE
    terms: int
    index: View
    x: View

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        numbers = Argument(self.x, self.count, self.terms, True if self.shared else None)
        return Argument(self.index, 1, None, self.shared), numbers

    def with_views(self, views: Sequence[View]) -> dict[str, Any]:
        return {"index": views[0], "x": views[1]}

    def differentiable(self, part: int) -> bool:
        return part == 1


class Move(NamedTuple):
    """How many rows an instruction's result, arguments and mask move from one iteration to the next."""

    out: int
    args: tuple[int, ...]  # one entry for each argument; a copy has one entry for all its rows
    mask: int = 0


@dataclass(frozen=True)
class Loop:
    """Runs its instructions in order, several times. The fields of `body` are those of iteration 0.

    An iteration owns `width` rows from `start + width * time` on. The first `carried` of them hold what
    the previous iteration left; for iteration 0, they are written before the loop.
    """

    count: int
    start: int
    width: int
    carried: int
    body: tuple[Instruction, ...]
    moves: tuple[Move, ...]  # of each instruction

    @property
    def shared(self) -> bool:
        return self.body[0].shared

    @property
    def rows(self) -> range:
        """All its rows, with those that its last iteration leaves."""
        return range(self.start, self.start + self.width * self.count + self.carried)

    def iteration(self, time: int) -> Iterator[Instruction]:
        for instruction, move in zip(self.body, self.moves, strict=True):
            yield instruction.moved(move, time)

    def __str__(self) -> str:
        lines = [f"repeat {self.count} times:"]
        for instruction, move in zip(self.body, self.moves, strict=True):
            moves = ", ".join(f"{rows:+d}" for rows in (move.out, *move.args))
            lines.append(f"  {instruction}; then {moves}")
        return "\n".join(lines)


Code = Instruction | Loop


def unrolled(code: Iterable[Code]) -> Iterator[Instruction]:
    """Every instruction in the order in which it runs."""
    for each in code:
        if isinstance(each, Loop):
            for time in range(each.count):
                yield from each.iteration(time)
        else:
            yield each
