"""`Program`: instructions on rows of samples, and the rules they must follow.

There are two memory regions. A row of `shared` is one number: parameters, constants, and whatever
depends only on them. A row of `each` has a number for every sample. Shared rows are computed first,
once. lowering.py builds programs, reverse.py differentiates them, backends/ run them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .instructions import Code, Instruction, Loop, View, unrolled


@dataclass
class Program:
    """Instructions for shared rows, then for each sample, and the rows of the results."""

    params: int
    inputs: int
    constants: tuple[float, ...] = ()
    shared_rows: int = 0
    each_rows: int = 0
    shared: list[Code] = field(default_factory=list)
    each: list[Code] = field(default_factory=list)
    outputs: list[View] = field(default_factory=list)
    guards: list[View] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [
            f"{self.params} parameters, {len(self.constants)} constants, {self.shared_rows} shared "
            f"rows; {self.inputs} inputs, {self.each_rows} rows for each sample"
        ]
        for title, code in (("once:", self.shared), ("for each sample:", self.each)):
            text = [line for each in code for line in str(each).split("\n")]
            lines += [title, *(f"  {line}" for line in text)] if text else []
        lines.append("results: " + ", ".join(map(str, self.outputs)))
        return "\n".join(lines)

    def verify(self) -> Program:
        """Raise a ValueError that says which rule is broken, and where; return self.

        Every instruction follows the rules of its kind, reads only rows already written, and writes only
        rows not yet written. A mask may be written later, because only derivatives use it.
        """
        leaves = self.params + len(self.constants), self.inputs
        memories = {True: Written("shared", self.shared_rows), False: Written("each", self.each_rows)}
        for memory, count in zip(memories.values(), leaves, strict=True):
            rows = len(memory.rows)
            if min(count, self.params) < 0 or count > rows:
                raise ValueError(f"malformed program: {count} leaves in {rows} rows of {memory.name}")
            memory.write(range(count))
        code = [(shared, each) for shared in (True, False) for each in unrolled(self.code(shared))]
        for shared, instruction in code:
            check(instruction, self._faults(shared, instruction, memories))
            memories[shared].write(instruction.writes)
        for shared, instruction in code:
            if instruction.masking is not None:
                check(instruction, memories[shared].missing(instruction.masking.rows))
        for name, views in (("output", self.outputs), ("guard", self.guards)):
            for view in views:
                check(f"{name} {view}", memories[view.shared].missing([view.start]))
        return self

    @property
    def sizes(self) -> tuple[int, int]:
        """How many rows its instructions compute, and how many of these in different statements: a loop
        computes the same ones in every iteration.
        """
        rows = statements = 0
        for each in [*self.shared, *self.each]:
            own = sum(len(one.writes) for one in (each.body if isinstance(each, Loop) else (each,)))
            rows += own * (each.count if isinstance(each, Loop) else 1)
            statements += own
        return rows, statements

    def code(self, shared: bool) -> list[Code]:
        return self.shared if shared else self.each

    def _faults(
        self, shared: bool, instruction: Instruction, memories: dict[bool, Written]
    ) -> Iterator[str]:
        if instruction.shared != shared:
            yield "is in the list of the other memory region"
        yield from instruction.faults()
        for read in instruction.reads:
            yield from memories[read.shared].missing(read.rows)
        yield from memories[shared].taken(instruction.writes)


class Written:
    """Which rows of a memory region, or which of its adjoints, have been written."""

    def __init__(self, name: str, rows: int) -> None:
        self.name = name
        self.rows: bytearray = bytearray(max(rows, 0))

    def write(self, rows: Sequence[int]) -> None:
        for row in rows:
            self.rows[row] = 1

    def missing(self, rows: Sequence[int]) -> Iterator[str]:
        """The faults of reading rows that do not exist or have not been written."""
        for row in rows:
            if not 0 <= row < len(self.rows):
                yield f"reads {self.name}[{row}] of {len(self.rows)} rows"
            elif not self.rows[row]:
                yield f"reads {self.name}[{row}], which nothing has written"

    def taken(self, rows: Sequence[int]) -> Iterator[str]:
        """The faults of writing rows that do not exist or have already been written."""
        for row in rows:
            if not 0 <= row < len(self.rows):
                yield f"writes {self.name}[{row}] of {len(self.rows)} rows"
            elif self.rows[row]:
                yield f"writes {self.name}[{row}], which has already been written"


def check(what: object, faults: Iterator[str]) -> None:
    """Raise the first fault of an instruction, a step or a result, if there is one."""
    for fault in faults:
        raise ValueError(f"malformed program: {what}: {fault}")
