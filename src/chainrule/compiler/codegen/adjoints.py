"""The adjoints of a kernel: its reverse pass.

Adjoints are local variables that start at 0. Only those of rows that a loop walks along, and of results
of a loop that later code uses, are in memory. An iteration loads what its loop kept, and computes the
other values that it needs again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ...ops import Op
from ..backends.kernels import headers
from ..instructions import Dense, Dots, Fold, Gather, Instruction, Loop, Map, Move, Spread, Take
from ..program import Program
from ..reverse import STILL, LoopBack, Pull, Reverse, Zero
from .values import (
    MOST_COPIES,
    Lanes,
    NoKernelError,
    Resolve,
    Values,
    at,
    elements,
    fused,
    moving,
    reads,
)

CHEAP = {"add", "sub", "mul", "neg", "pos", "abs", "where", "less", "less_equal", "equal"}
CHEAP |= {"maximum", "minimum", "stop_gradient", "relu"}


class Adjoints(Values):
    def __init__(self, program: Program, reverse: Reverse | None, lanes: Lanes) -> None:
        super().__init__(program, lanes)
        self.reverse = reverse
        self.arrays: dict[
            tuple[int, int], int
        ] = {}  # loop and offset -> place of adjoints from outside of it
        self.left: list[tuple[int, int]] = []  # rows whose values are left in memory, rows of the kernel
        # First rows of copies in loops -> rows of their adjoints, and how far these move.
        self.copied: dict[int, tuple[int, int]] = {}
        self.memory: dict[int, int] = {}  # rows whose adjoints are in memory -> row of the kernel

    def place_adjoints(self) -> list[Pull | LoopBack]:
        """Find the rows that loops walk along, and those whose adjoints must be in memory."""
        for loop in self.loops:
            for each, move in zip(loop.body, loop.moves, strict=True):
                for row, step in reads(each, move):
                    if step and self.loop_of(row) is None:
                        rows = range(row, row + step * loop.count, step)
                        inputs = max(rows[0], rows[-1]) < self.program.inputs
                        if not inputs and len({id(self.owner.get(each)) for each in rows}) > 1:
                            raise NoKernelError("its loops walk along rows of several instructions")
                        self.walked.update(rows)
        for code in self.program.each:
            if isinstance(code, Dots | Fold) and code.terms > self.most_terms:
                self.walked.update(row for read in code.reads for row in read.rows)
        for code in self.program.each:
            if isinstance(code, Gather) and self.loop_of(code.out) is None:
                many = self.loops and len(code.rows) > MOST_COPIES
                if many or any(row in self.walked for row in code.writes):
                    self.packed[code.out] = len(code.rows)
                    runs = [run for run in self.runs(code.rows) if run[2]]
                    self.walked.update(row for at, n, _ in runs for row in code.rows[at : at + n])
        pulls: list[Pull | LoopBack] = []
        for back in [] if self.reverse is None else self.reverse.each:
            if isinstance(back, LoopBack):
                pulls += self.place_copies(back)
            elif isinstance(back, Pull) and isinstance(back.instruction, Spread):
                pulls.append(Pull(replace(back.instruction, out=self.each_rows), 0))
                self.reserve_adjoints(back.instruction.writes)
            elif isinstance(back, Pull) and isinstance(back.instruction, Take) and back.target.shared:
                pulls.append(self.place_take(back.instruction))
            elif isinstance(back, Pull) and isinstance(back.instruction, Dense) and back.part != 1:
                pulls.append(self.place_product(back.instruction, back.part))
        self.memory.update({row: row for row in self.walked if row < self.program.inputs})
        return pulls

    def place_copies(self, back: LoopBack) -> list[LoopBack]:
        """The pulls to shared numbers that a loop uses, on adjoints that the kernel leaves in memory."""
        pairs = zip(back.pulls, back.moves, strict=True)
        copies = [(pull, move) for pull, move in pairs if pull.target.shared]
        width = sum(len(pull.instruction.writes) for pull, _ in copies)
        first = place = self.each_rows
        body = []
        for each in (pull.instruction for pull, _ in copies):
            if isinstance(each, Take) and each.index.start >= self.program.inputs:
                raise NoKernelError("its loops take shared numbers at places that they compute")
            self.copied[each.out] = place, width
            body.append(replace(each, out=place))
            place += len(each.writes)
        if not body:
            return []
        moves = tuple(Move(width, move.args) for _, move in copies)
        loop = Loop(back.loop.count, first, width, 0, tuple(body), moves)
        self.each_rows += width * loop.count
        parts = [pull.part for pull, _ in copies]
        return [LoopBack(loop, tuple(map(Pull, body, parts)))]

    def place_take(self, each: Take) -> Pull:
        """A pull to a shared table, on rows that the kernel leaves in memory."""
        self.reserve_adjoints(each.writes)
        index = each.index
        if index.start >= self.program.inputs:
            self.left.append((index.start, self.each_rows))
            index = replace(index, start=self.each_rows)
            self.each_rows += 1
        return Pull(replace(each, out=self.memory[each.out], index=index), 1)

    def place_product(self, each: Dense, part: int) -> Pull:
        """A pull to shared factors, on rows that the kernel leaves in memory."""
        if each.out not in self.memory:
            self.reserve_adjoints(each.writes)
        x, rows = each.x, each.reads[1].rows
        if part == 0 and max(rows) >= self.program.inputs:
            first, last = min(rows), max(rows)
            if last - first >= 4 * len(rows):
                raise NoKernelError("its matrix products use numbers that are far apart")
            self.left += [(row, self.each_rows + row - first) for row in rows]
            x = replace(x, start=self.each_rows)
            self.each_rows += last - first + 1
        return Pull(replace(each, out=self.memory[each.out], x=x), part)

    def reserve_adjoints(self, rows: Sequence[int]) -> None:
        self.memory.update({row: self.each_rows + k for k, row in enumerate(rows)})
        self.each_rows += len(rows)

    def backward(self, out_rows: dict[int, int], seeded: Sequence[int]) -> list[str]:
        assert self.reverse is not None
        lines: list[str] = []
        self.started: set[str] = set()  # adjoints outside of loops that have a variable
        self.variables: list[str] = []
        cleared = sorted({place for row, place in self.memory.items() if row in self.walked})
        for first, last in ranges(cleared):
            lines.append(
                f"for (ptrdiff_t r = {first}; r <= {last}; r++) STORE(ADJOINT(r) + v, v_splat(0.0));"
            )
        for number, loop in enumerate(self.loops):
            if any(key[0] == number for key in self.arrays):
                zero = f"STORE(KEPT(E{number} + i), v_splat(0.0));"
                lines.append(f"for (ptrdiff_t i = 0; i < NE{number} * {loop.count}L; i++) {zero}")
        for out, count in self.packed.items():
            lines.append(
                f"for (ptrdiff_t i = 0; i < {count}; i++) STORE(KEPT(P{out} + i), v_splat(0.0));"
            )
        for row in seeded:
            lines.append(self.assigned(row, 0, None, f"LOAD(ADJOINT({out_rows[row]}) + v)"))
        for step in self.reverse.each:
            match step:
                case Zero():
                    continue
                case LoopBack(loop=loop):
                    lines += self.backward_loop(self.loops.index(loop), step)
                case Pull() if step.target.shared:
                    continue
                case Pull(instruction=Gather() as copy) if copy.out in self.packed:
                    lines += self.unpack(copy)
                case Pull():
                    lines += self.pulled(step, STILL, None, self.outside)
        for row in sorted(
            {row for each in self.reverse.each if isinstance(each, Zero) for row in each.rows}
        ):
            if row < self.program.inputs and row not in self.walked:
                self.variable(f"a{row}")
        for row in range(self.program.inputs):
            if f"a{row}" in self.started:
                lines.append(f"STORE(ADJOINT({row}) + v, a{row});")
        for row, place in self.memory.items():
            if row not in self.walked:
                lines.append(f"STORE(ADJOINT({place}) + v, {self.adjoint(row, 0, None)});")
        return [*(f"vec {name} = v_splat(0.0);" for name in self.variables), *lines]

    def adjoint(self, row: int, move: int, here: int | None) -> str:
        """The adjoint of a row, to be read."""
        place, name = self.adjoint_place(row, move, here)
        return name if place is None else f"LOAD({place})"

    def assigned(self, row: int, move: int, here: int | None, text: str) -> str:
        place, name = self.adjoint_place(row, move, here)
        return f"{name} = {text};" if place is None else f"STORE({place}, {text});"

    def adjoint_place(self, row: int, move: int, here: int | None) -> tuple[str | None, str]:
        """Where the adjoint of a row is: in memory, or in a variable."""
        number = self.loop_of(row)
        if number is not None:
            loop = self.loops[number]
            time, offset = divmod(row - loop.start, loop.width)
            if number == here and move == loop.width:
                if time == 1:
                    return None, f"b{number}_{offset}"
                return None, f"c{number}_{offset}" if offset < loop.carried else f"a{number}_{offset}"
            if time in (0, loop.count) and offset < loop.carried and not move:
                return None, self.variable(f"c{number}_{offset}")
            if not move and time == loop.count - 1 and (number, offset) not in self.arrays:
                return None, self.variable(f"e{number}_{offset}")
            index = self.array(number, offset)
            moved = moving(time, move // loop.width)
            return f"KEPT(E{number} + ({moved}) * NE{number} + {index})", ""
        if row in self.memory and row in self.walked:
            return f"ADJOINT({moving(self.memory[row], move)}) + v", ""
        if row in self.owner and self.owner[row].out in self.packed:
            out = self.owner[row].out
            return f"KEPT(P{out} + {moving(row - out, move)})", ""
        return None, self.variable(f"a{row}")

    def variable(self, name: str) -> str:
        if name not in self.started:
            self.started.add(name)
            self.variables.append(name)
        return name

    def pulled(self, pull: Pull, move: Move, here: int | None, resolve: Resolve) -> list[str]:
        """The statements of a pull."""
        lines: list[str] = []
        if pull.target.shared:
            place, width = self.copied[pull.instruction.out]
            for i, out in enumerate(pull.instruction.writes):
                adjoint = self.adjoint(out, move.out, here)
                lines.append(f"STORE(ADJOINT({moving(place + i, width)}) + v, {adjoint});")
            return lines
        if isinstance(pull.instruction, Dense):
            return self.pulled_product(pull, pull.instruction)
        for i in range(len(pull.instruction.writes)):
            lines += self.pulled_row(pull, i, move, here, resolve)
        return lines

    def pulled_product(self, pull: Pull, each: Dense) -> list[str]:
        """The statements of a pull to the numbers that a matrix is multiplied by."""
        lines = []
        for k in range(each.terms):
            factors = [
                f"SHARED({each.a.start + line * each.a.step + k * each.a.term_step})"
                for line in range(each.lines)
            ]
            for column in range(each.columns):
                row = each.x.start + column * each.x.step + k * each.x.term_step
                outs = range(each.out + column, each.writes.stop, each.columns)
                adjoints = [self.adjoint(out, 0, None) for out in outs]
                before = "" if pull.assign else self.adjoint(row, 0, None)
                if not self.is_vector(each):
                    total = fused("v_splat(0.0)", factors, adjoints)
                    text = f"{before} + {total}" if before else total
                elif before:
                    text = fused(before, factors, adjoints)
                else:
                    text = fused(f"{factors[0]} * {adjoints[0]}", factors[1:], adjoints[1:])
                lines.append(self.assigned(row, 0, None, text))
        return lines

    def pulled_row(
        self, pull: Pull, i: int, move: Move, here: int | None, resolve: Resolve
    ) -> list[str]:
        """The statements of a pull for row i of its instruction."""
        each, part = pull.instruction, pull.part
        out = each.writes.start + i
        adjoint = self.adjoint(out, move.out, here)
        moves = at(move, each.views() or [0])

        def sum_of(row: int, text: str) -> str:
            return self.assigned(row, moves[part], here, text)

        match each:
            case Gather(rows=rows):
                before = "" if pull.assign else f"{self.adjoint(rows[i], moves[0], here)} + "
                return [sum_of(rows[i], before + adjoint)]
            case Map(op=op, args=args, mask=mask):
                places = [view.start + i * view.step for view in args]

                def operand(name: str) -> str:
                    if name == "out":
                        return resolve(out, move.out)
                    return resolve(places["xyz".index(name)], moves["xyz".index(name)])

                share = self.share(op, part, adjoint, operand) or "v_splat(0.0)"
                if mask is not None:
                    share = f"where_wanted({resolve(mask.start + i * mask.step, move.mask)}, {share})"
                before = "" if pull.assign else f"{self.adjoint(places[part], moves[part], here)} + "
                return [sum_of(places[part], before + share)]
            case Take(x=x, terms=terms):
                index, lines = resolve(each.index.start, moves[0]), []
                for k in range(terms):
                    row = x.start + i * x.step + k * x.term_step
                    before = self.adjoint(row, moves[1], here)
                    chosen = f"v_equal({index}, v_splat({k}.0))"
                    lines.append(sum_of(row, f"v_select({chosen}, {before} + {adjoint}, {before})"))
                return lines
            case Dots() if move is STILL and each.terms > self.most_terms:
                return self.pulled_memory(each, i, pull, adjoint, resolve)
            case Dots():
                others = self.terms(each, i, move, resolve)[1 - part]
                lines = []
                for row, other in zip(self.term_rows(each, part, i), others, strict=True):
                    before = self.adjoint(row, moves[part], here)
                    product = f"{adjoint} * {other}"
                    lines.append(
                        sum_of(row, product if pull.assign else f"v_fma({adjoint}, {other}, {before})")
                    )
                return lines
            case Fold():
                return self.pulled_fold(each, i, pull, move, here, resolve, adjoint)
        raise NoKernelError(f"it has {each}")

    def share(self, op: Op, part: int, adjoint: str, operand: Callable[[str], str]) -> str | None:
        """What a pull adds to an adjoint; None if it is nothing."""
        found = headers.partial(op.name, part)
        if found is None:
            return None
        name, parameters = found
        partial = f"{name}({', '.join(map(operand, parameters))})"
        return f"unless_0({partial}, {adjoint})" if op.selects else f"{adjoint} * {partial}"

    def pulled_fold(
        self,
        each: Fold,
        i: int,
        pull: Pull,
        move: Move,
        here: int | None,
        resolve: Resolve,
        adjoint: str,
    ) -> list[str]:
        if move is STILL and each.terms > self.most_terms:
            return self.pulled_memory(each, i, pull, adjoint, resolve)
        step = at(move, each.args)[pull.part]
        rows = self.term_rows(each, pull.part, i)
        before = [self.adjoint(row, step, here) for row in rows]
        if each.mask is not None or len({*rows}) < len(rows):
            raise NoKernelError("it folds the same number twice, or where a mask is needed")
        if each.op.name == "sum":
            pairs = zip(rows, before, strict=True)
            return [
                self.assigned(row, step, here, f"{old} + {adjoint} * v_splat(1.0)") for row, old in pairs
            ]
        terms = elements(self.terms(each, i, move, resolve), each.terms)
        out = resolve(each.out + i, move.out)
        function = f"fold_{each.op.name}_pull{pull.part}"
        return [
            "{",
            f"    vec sums[{each.terms}] = {{{', '.join(before)}}};",
            f"    {function}((real *)sums, {adjoint}, {terms}, 0, {out}, NULL, LANES, 0);",
            *(f"    {self.assigned(row, step, here, f'sums[{k}]')}" for k, row in enumerate(rows)),
            "}",
        ]

    def unpack(self, each: Gather) -> list[str]:
        """Add the adjoints of many copies to those of their originals."""
        lines = []
        for begin, count, step in self.runs(each.rows):
            adjoint = f"LOAD(KEPT(P{each.out} + {begin}{' + t' if step else ''}))"
            before = self.adjoint(each.rows[begin], step, None)
            text = self.assigned(each.rows[begin], step, None, f"{before} + {adjoint}")
            lines.append(f"for (ptrdiff_t t = 0; t < {count}; t++) {text}" if step else text)
        return lines

    def pulled_memory(
        self, each: Dots | Fold, i: int, pull: Pull, adjoint: str, resolve: Resolve
    ) -> list[str]:
        """A pull for many terms, which are in memory, as their adjoints are."""
        view = each.views()[pull.part]
        if view.term_step == 0 or getattr(each, "mask", None) is not None:
            raise NoKernelError("it adds up the same number many times, or where a mask is needed")
        first = view.start + i * view.step
        self.in_memory(each, pull.part, i)  # or it raises
        place, _ = self.adjoint_place(first, 0, None)
        number = self.loop_of(first)
        if number is not None:  # the same distance in the memory of adjoints
            time, offset = divmod(first - self.loops[number].start, self.loops[number].width)
            index = self.array(number, offset)
            place = f"KEPT(E{number} + {time} * NE{number} + {index})"
            distance = f"{view.term_step // self.loops[number].width} * NE{number} * STEP"
        elif first < self.program.inputs:
            distance = f"{view.term_step} * stride"
        else:
            distance = f"{view.term_step} * STEP"
        if place is None:
            raise NoKernelError(f"it adds up {each.terms} numbers that are not in one place")
        loop = f"for (ptrdiff_t k = 0; k < {each.terms}; k++) "
        here = f"{place} + k * {distance}"
        if isinstance(each, Dots):
            other, step = self.in_memory(each, 1 - pull.part, i)
            return [f"{loop}STORE({here}, v_fma({adjoint}, LOAD({other} + k * {step}), LOAD({here})));"]
        if each.op.name == "sum":
            return [f"{loop}STORE({here}, LOAD({here}) + {adjoint} * v_splat(1.0));"]
        terms = [self.in_memory(each, part, i) for part in range(len(each.args))]
        if terms[pull.part][1] != distance:
            raise NoKernelError("it folds numbers whose adjoints are elsewhere")
        rows, steps = zip(*terms, strict=True)
        elements = f"&(Elements){{{{{', '.join(rows)}}}, {{{', '.join(steps)}}}, {each.terms}}}"
        out = resolve(each.out + i, 0)
        function = f"fold_{each.op.name}_pull{pull.part}"
        return [f"{function}({place}, {adjoint}, {elements}, 0, {out}, NULL, some, 0);"]

    def array(self, number: int, offset: int) -> int:
        """The place of a row among the adjoints that a loop gets from outside."""
        own = sum(1 for key in self.arrays if key[0] == number)
        return self.arrays.setdefault((number, offset), own)

    def backward_loop(self, number: int, step: LoopBack) -> list[str]:
        loop = step.loop
        back = _Iteration(self, number, loop)
        pulls: list[str] = []
        for pull, move in zip(step.pulls, step.moves, strict=True):
            pulls += self.pulled(pull, move, number, back.value)
        lines = [f"for (ptrdiff_t t = {loop.count - 1}; t >= 0; t--) {{"]
        for offset in range(loop.carried):
            name = self.variable(f"c{number}_{offset}")
            lines.append(f"    const vec b{number}_{offset} = {name};")
            lines.append(f"    {name} = v_splat(0.0);")
        for offset in range(loop.carried, loop.width):
            name = f"a{number}_{offset}"
            if not any(name in line for line in pulls):
                continue
            start = "v_splat(0.0)"
            if (number, offset) in self.arrays:
                start = f"LOAD(KEPT(E{number} + t * NE{number} + {self.arrays[number, offset]}))"
            elif f"e{number}_{offset}" in self.started:
                start = f"e{number}_{offset}"
            lines.append(f"    vec {name} = {start};")
            if start.startswith("e"):
                lines.append(f"    {start} = v_splat(0.0);")
        return [*lines, *(f"    {line}" for line in [*back.lines, *pulls]), "}"]


@dataclass
class _Iteration:
    """The values that the pulls of an iteration need: loaded, or computed again."""

    printer: Adjoints
    number: int
    loop: Loop
    lines: list[str] = field(default_factory=list)
    known: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.makers = {
            row - self.loop.start: (each, i, move)
            for each, move in zip(self.loop.body, self.loop.moves, strict=True)
            for i, row in enumerate(each.writes)
        }

    def value(self, row: int, move: int) -> str:
        offset = row - self.loop.start
        if row not in self.loop.rows or move != self.loop.width:
            return self.remember(-1 - row, self.printer.value(row, move, -1))
        if offset in self.known:
            return self.known[offset]
        each, i, step = self.makers.get(offset, (None, 0, STILL))
        if isinstance(each, Gather):
            return self.value(each.rows[i], step.args[0])
        if each is None or not is_cheap(each):
            return self.remember(offset, self.printer.keep(self.number, offset, "t"))
        return self.remember(offset, self.printer.computed(each, i, step, self.value))

    def remember(self, offset: int, text: str) -> str:
        if offset < 0 and text.isidentifier():
            return text
        name = f"r{self.number}_{offset}" if offset >= 0 else f"q{self.number}_{-offset}"
        if offset not in self.known:
            self.known[offset] = name
            self.lines.append(f"const vec {name} = {text};")
        return name


def is_cheap(each: Instruction) -> bool:
    """Whether computing a value again costs about as much as loading it."""
    match each:
        case Spread():
            return True
        case Map(op=op):
            return op.name in CHEAP
        case Dots(terms=terms) | Fold(terms=terms):
            return terms <= 4 and (isinstance(each, Dots) or each.op.name == "sum")
    return False


def ranges(places: Sequence[int]) -> list[tuple[int, int]]:
    """Runs of consecutive numbers, as their first and last."""
    found: list[tuple[int, int]] = []
    for place in places:
        if found and place == found[-1][1] + 1:
            found[-1] = found[-1][0], place
        else:
            found.append((place, place))
    return found
