"""The values of a kernel: where the number in a row of a program comes from, and the forward pass.

Outside of loops, a row is a local variable. So is a row of the current iteration; those of other
iterations are loaded from what the loop keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from typing import Any

from ..instructions import (
    MOST_TERMS,
    Code,
    Dense,
    Dots,
    Fold,
    Gather,
    Instruction,
    Loop,
    Map,
    Move,
    Spread,
    Take,
)
from ..program import Program
from ..reverse import STILL

MOST_TERMS_INSIDE = 256  # of a fold or dots in a loop, which are always in one expression
MOST_COPIES = 16  # rows that are copied to variables; more are copied to memory
Resolve = Callable[[int, int], str]  # the name of the value in a row that moves


class NoKernelError(Exception):
    """A program that kernels do not support; the text says why."""


class Lanes(Enum):
    """For how many samples a kernel is: one, a part of a vector at a time, or whole vectors."""

    ONE = "one sample", "#define ONE\n"
    FEW = "few samples", "#define FEW\n"
    MANY = "many samples", ""

    @classmethod
    def of(cls, samples: int) -> Lanes:
        return cls.ONE if samples == 1 else cls.FEW if samples < 8 else cls.MANY

    def __str__(self) -> str:
        return self.value[0]


class Values:
    def __init__(self, program: Program, lanes: Lanes) -> None:
        self.program = program
        self.lanes = lanes
        self.loops: list[Loop] = [each for each in program.each if isinstance(each, Loop)]
        # Without loops, no number has to be in memory, and expressions may be long.
        self.most_terms: int = MOST_TERMS if self.loops else MOST_TERMS_INSIDE
        self.owner: dict[int, Instruction] = {}  # of rows outside of loops
        self.begin: dict[int, int] = {}  # of each copy, where its rows begin
        count = 0
        for each in [*instructions(program.shared), *instructions(program.each)]:
            if isinstance(each, Gather | Spread):
                self.begin[id(each)] = count
                count += len(each.rows)
        for code in program.each:
            if not isinstance(code, Loop):
                self.owner.update(dict.fromkeys(code.writes, code))
        self.kept: dict[tuple[int, int], int] = {}  # loop and offset -> place among what it keeps
        self.walked: set[int] = set()  # rows outside of loops that a loop walks along
        self.packed: dict[int, int] = {}  # first rows of copies that are in memory -> how many
        self.each_rows: int = program.inputs
        self.outputs: list[int] = []
        self.guards: list[int] = []

    def loop_of(self, row: int) -> int | None:
        for number, loop in enumerate(self.loops):
            if row in loop.rows:
                return number
        return None

    def value(self, row: int, move: int, here: int | None) -> str:
        """The value in a row; `here` is the number of the loop that reads it, if any."""
        number = self.loop_of(row)
        if number is not None:
            loop = self.loops[number]
            time, offset = divmod(row - loop.start, loop.width)
            if number == here and move == loop.width:
                return self.local(number, offset)
            if not move:
                if time >= loop.count - 1:  # of the last iteration, or what it leaves
                    return self.local(number, offset)
                return self.keep(number, offset, f"{time}")
            return self.keep(number, offset, moving(time, move // loop.width))
        if row < self.program.inputs:
            if move or row in self.walked:
                return f"LOAD(ROW({moving(row, move)}) + v)"
            name = f"i{row}"
            self.declare(name, f"const vec {name} = LOAD(ROW({row}) + v);")
            return name
        owner = self.owner[row]
        if isinstance(owner, Spread):
            place = self.begin[id(owner)] + row - owner.out
            if move:
                steps = {b - a for a, b in zip(owner.rows, owner.rows[1:], strict=False)}
                if len(steps) == 1:
                    return f"SHARED({moving(owner.rows[row - owner.out], move * steps.pop())})"
                return f"SHARED(rows[{moving(place, move)}])"
            name = f"h{row}"
            self.declare(name, f"const vec {name} = SHARED({owner.rows[row - owner.out]});")
            return name
        if owner.out in self.packed:
            return f"LOAD(KEPT(G{owner.out} + {moving(row - owner.out, move)}))"
        return f"v{row}"

    def outside(self, row: int, move: int) -> str:
        """The value in a row that code outside of loops reads."""
        return self.value(row, move, None)

    def declare(self, name: str, line: str) -> None:
        if name not in self.names:
            self.names.add(name)
            self.declared.append(line)

    def local(self, number: int, offset: int) -> str:
        return f"v{number}_{offset}"

    def keep(self, number: int, offset: int, time: str) -> str:
        place = self.kept.setdefault((number, offset), sum(1 for key in self.kept if key[0] == number))
        return f"LOAD(KEPT(K{number} + ({time}) * NK{number} + {place}))"

    def computed(self, each: Instruction, i: int, move: Move, resolve: Resolve) -> str:
        """The value of row i of an instruction."""
        match each:
            case Gather(rows=rows):
                return resolve(rows[i], at(move, [0])[0])
            case Spread(rows=rows):
                return f"SHARED({moving(rows[i], at(move, [0])[0])})"
            case Map(op=op, args=args):
                parts = [
                    resolve(view.start + i * view.step, step)
                    for view, step in zip(args, at(move, args), strict=True)
                ]
                return f"v_op_{op.name}({', '.join(parts)})"
            case Dots() | Fold() if move is STILL and each.terms > self.most_terms:
                return self.folded(each, i)
            case Dots(terms=terms):
                return fused("v_splat(0.0)", *self.terms(each, i, move, resolve))
            case Dense():
                return self.product(each, i, resolve)
            case Take():
                return self.taken(each, i, move, resolve)
            case Fold(op=op, terms=terms):
                columns = self.terms(each, i, move, resolve)
                if op.name == "sum":
                    return nested("v_splat(0.0)", [f"({{}} + {part})" for part in columns[0]])
                return f"fold_{op.name}({elements(columns, terms)}, 0, LANES)"
        raise NoKernelError(f"it has {each}")

    def taken(self, each: Take, i: int, move: Move, resolve: Resolve) -> str:
        """Row i of what each sample takes from a table."""
        steps = at(move, each.views())
        index, first = resolve(each.index.start, steps[0]), each.x.start + i * each.x.step
        if each.x.shared:
            table = f"shared + {moving(first, steps[1])}, {each.x.term_step}"
            return f"take_of({table}, {index}, {each.terms}, m->lanes - v)"
        if each.terms > MOST_TERMS_INSIDE:
            raise NoKernelError(f"it takes one of more than {MOST_TERMS_INSIDE} numbers")
        rows = [resolve(first + k * each.x.term_step, steps[1]) for k in range(each.terms)]
        forms = [
            f"v_select(v_equal({index}, v_splat({k}.0)), {row}, {{}})" for k, row in enumerate(rows)
        ]
        return nested("v_splat(NAN)", forms)

    def before(self, each: Instruction, move: Move, resolve: Resolve) -> list[str]:
        """The statements that an instruction needs before it."""
        if isinstance(each, Take):
            index = resolve(each.index.start, at(move, each.views())[0])
            return [f"check_index({index}, {each.terms}, m->lanes - v, m->wrong);"]
        if isinstance(each, Dense) and self.is_vector(each):
            numbers = [f"{resolve(row, 0)}[0]" for row in each.reads[1].rows]
            return [f"const real x{each.out}[] = {{{', '.join(numbers)}}};"]
        return []

    def product(self, each: Dense, i: int, resolve: Resolve) -> str:
        """Row i of a matrix product, in the interpreter's order."""
        line, column = divmod(i, each.columns)
        start, first = "v_splat(0.0)", each.a.start + line * each.a.step
        if each.start is not None:
            start = f"SHARED({each.start.start + line * each.start.step})"
        if self.is_vector(each):
            return f"(v_splat(dot(shared + {first}, x{each.out}, {each.terms})) + {start})"
        factors = [f"SHARED({first + k * each.a.term_step})" for k in range(each.terms)]
        begin, step = each.x.start + column * each.x.step, each.x.term_step
        return fused(start, factors, [resolve(begin + k * step, 0) for k in range(each.terms)])

    def is_vector(self, each: Dense) -> bool:
        """Whether the interpreter computes a product as one with a vector, in another order."""
        contiguous = each.a.term_step == each.x.term_step == 1
        return self.lanes is Lanes.ONE and each.columns == 1 and contiguous

    def terms(self, each: Dots | Fold, i: int, move: Move, resolve: Resolve) -> list[list[str]]:
        """The terms of row i of an instruction, for each argument."""
        if each.terms > MOST_TERMS_INSIDE:
            raise NoKernelError(f"a loop adds up more than {MOST_TERMS_INSIDE} numbers in one step")
        moves = at(move, each.views())
        return [
            [resolve(row, moves[part]) for row in self.term_rows(each, part, i)]
            for part in range(len(moves))
        ]

    def term_rows(self, each: Dots | Fold, part: int, i: int) -> list[int]:
        view = each.views()[part]
        return [view.start + i * view.step + k * view.term_step for k in range(each.terms)]

    def folded(self, each: Dots | Fold, i: int) -> str:
        """The value of row i of an instruction with many terms, which are in memory."""
        terms = [self.in_memory(each, part, i) for part in range(len(each.views()))]
        if isinstance(each, Dots):
            (a, a_step), (b, b_step) = terms
            return f"dot_of({a}, {a_step}, {b}, {b_step}, {each.terms}, some)"
        rows, steps = zip(*terms, strict=True)
        elements = f"&(Elements){{{{{', '.join(rows)}}}, {{{', '.join(steps)}}}, {each.terms}}}"
        return f"fold_{each.op.name}({elements}, 0, some)"

    def in_memory(self, each: Dots | Fold, part: int, i: int) -> tuple[str, str]:
        """Where the terms of an argument begin in memory, and how far apart they are."""
        view = each.views()[part]
        row = view.start + i * view.step
        last = row + (each.terms - 1) * view.term_step
        if view.term_step == 0:
            return f"(const real *)(const vec[]){{{self.value(row, 0, None)}}}", "0"
        number = self.loop_of(row)
        if number is not None:
            loop = self.loops[number]
            time, offset = divmod(row - loop.start, loop.width)
            if view.term_step % loop.width == 0 and last < loop.start + loop.width * loop.count:
                place = self.keep(number, offset, str(time)).removeprefix("LOAD(").removesuffix(")")
                return place, f"{view.term_step // loop.width} * NK{number} * STEP"
        elif last < self.program.inputs:
            return f"ROW({row}) + v", f"{view.term_step} * stride"
        elif self.packed.get(self.owner[row].out, 0) > last - self.owner[row].out:
            out = self.owner[row].out
            return f"KEPT(G{out} + {row - out})", f"{view.term_step} * STEP"
        raise NoKernelError(f"it adds up {each.terms} numbers that are not in one place")

    def place_of(self, row: int) -> tuple[int, int, int]:
        """The loop that computes a row, its place there and the iteration; -1 if no loop does."""
        number = self.loop_of(row)
        if number is None:
            return -1, row, 0
        time, offset = divmod(row - self.loops[number].start, self.loops[number].width)
        return (number, offset, time) if time < self.loops[number].count else (-1, row, 0)

    def runs(self, rows: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        """Runs of rows at equal distances that a loop can walk along: where each begins, its length and
        the distance.
        """
        begin = 0
        while begin < len(rows):
            number, step, end = self.loop_of(rows[begin]), 0, begin + 1
            if end < len(rows) and (number is not None or rows[begin] < self.program.inputs):
                step = rows[end] - rows[begin]
                steady = step != 0 and (number is None or step % self.loops[number].width == 0)
                while steady and end < len(rows) and rows[end] - rows[end - 1] == step:
                    other = self.loop_of(rows[end])
                    if other != number or (number is None and rows[end] >= self.program.inputs):
                        break
                    if number is not None and self.place_of(rows[end])[0] < 0:  # what the loop leaves
                        break
                    end += 1
            yield begin, end - begin, step if end - begin > 1 else 0
            begin = end

    def pack(self, each: Gather) -> list[str]:
        """Copy many rows to memory."""
        lines = []
        for begin, count, step in self.runs(each.rows):
            text = self.value(each.rows[begin], step, None)
            place = f"KEPT(G{each.out} + {begin}{' + t' if step else ''})"
            loop = f"for (ptrdiff_t t = 0; t < {count}; t++) " if step else ""
            lines.append(f"{loop}STORE({place}, {text});")
        return lines

    def forward(self) -> list[str]:
        self.names: set[str] = set()
        self.declared: list[str] = []
        lines: list[str] = []
        for each in self.program.each:
            if isinstance(each, Loop):
                lines += self.forward_loop(self.loops.index(each), each)
            elif isinstance(each, Gather) and each.out in self.packed:
                lines += self.pack(each)
            elif isinstance(each, Spread):
                for row, source in zip(each.writes, each.rows, strict=True):
                    if self.loop_of(row) is not None:
                        lines.append(f"vec {self.target(row)} = SHARED({source});")
            else:
                lines += self.before(each, STILL, self.outside)
                for i, row in enumerate(each.writes):
                    text = self.computed(each, i, STILL, self.outside)
                    lines.append(
                        f"const vec {self.target(row)} = {text};"
                        if self.loop_of(row) is None
                        else f"vec {self.target(row)} = {text};"
                    )
        return lines

    def target(self, row: int) -> str:
        """The variable that a row is written to outside of loops: its own, or what a loop carries."""
        number = self.loop_of(row)
        return f"v{row}" if number is None else self.local(number, row - self.loops[number].start)

    def forward_loop(self, number: int, loop: Loop) -> list[str]:
        def resolve(row: int, move: int) -> str:
            return self.value(row, move, number)

        own = [
            offset
            for each in loop.body
            for offset in range(each.out - loop.start, each.out - loop.start + len(each.writes))
        ]
        names = [self.local(number, offset) for offset in own if offset < loop.width]
        lines = [f"vec {', '.join(names)};"] if names else []
        lines.append(f"for (ptrdiff_t t = 0; t < {loop.count}; t++) {{")
        for offset in range(loop.carried):
            lines += self.kept_line(number, offset)
        carry: list[str] = []
        for each, move in zip(loop.body, loop.moves, strict=True):
            lines += [f"    {line}" for line in self.before(each, move, resolve)]
            for i, row in enumerate(each.writes):
                offset = row - loop.start
                text = self.computed(each, i, move, resolve)
                if offset >= loop.width:
                    lines.append(f"    const vec next{offset - loop.width} = {text};")
                    carry.append(
                        f"    {self.local(number, offset - loop.width)} = next{offset - loop.width};"
                    )
                else:
                    lines.append(f"    {self.local(number, offset)} = {text};")
                    lines += self.kept_line(number, offset)
        return [*lines, *carry, "}"]

    def kept_line(self, number: int, offset: int) -> list[str]:
        place = self.kept.get((number, offset))
        if place is None:
            return []
        return [f"    STORE(KEPT(K{number} + t * NK{number} + {place}), {self.local(number, offset)});"]


def nested(start: str, forms: Sequence[str]) -> str:
    """Forms put into each other, the first one innermost; many of them as statements in a row."""
    if len(forms) > MOST_TERMS:
        steps = "".join(f" total = {form.format('total')};" for form in forms)
        return f"({{ vec total = {start};{steps} total; }})"
    for form in forms:
        start = form.format(start)
    return start


def fused(start: str, left: Sequence[str], right: Sequence[str]) -> str:
    """The sum of products, each added in one rounding."""
    return nested(start, [f"v_fma({a}, {b}, {{}})" for a, b in zip(left, right, strict=True)])


def instructions(code: Iterable[Code]) -> Iterable[Instruction]:
    for each in code:
        yield from each.body if isinstance(each, Loop) else (each,)


def reads(each: Instruction, move: Move) -> list[tuple[int, int]]:
    """Every row that an instruction reads, and how far it moves."""
    found = [
        (row, step)
        for read, step in zip(each.reads, at(move, each.reads), strict=True)
        for row in read.rows
        if not read.shared
    ]
    if each.masking is not None:
        found += [(row, move.mask) for row in each.masking.rows]
    return found


def at(move: Move, arguments: Sequence[Any]) -> Sequence[int]:
    """How far each argument moves."""
    return move.args or [0] * len(arguments)


def moving(start: int, step: int) -> str:
    return f"{start} + {step} * t" if step else str(start)


def elements(parts: Sequence[Sequence[str]], terms: int) -> str:
    rows = ", ".join(f"(const real *)(const vec[]){{{', '.join(part)}}}" for part in parts)
    steps = ", ".join(["LANES"] * len(parts))
    return f"&(Elements){{{{{rows}}}, {{{steps}}}, {terms}}}"
