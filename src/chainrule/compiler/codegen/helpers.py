"""The functions that generated code calls: rows of the table that the language lacks.

Each is written when first needed, after the functions it calls.
"""

from __future__ import annotations

import re
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from ... import ops
from ...ops import Op, Variadic
from ...support.formulas.symbols import Symbol, free_names, names
from ...support.formulas.writing import Folds, Language, Writer

STATEMENTS = 64  # per function: compile time grows faster than linearly with function length
INFIX = ("add", "sub", "mul", "div")


class ExportLanguage(Language, ABC):
    """A language in which functions and tables can be written.

    Parameters have fixed names: `v` numbers, `g` their gradients, `r` whether a gradient reached
    them, `a`, `b` and `c` tables of indices into these, `n` the length of the tables, `o` the index
    of a result, `scratch` the start of free space; `t`, `u` and `w` count the iterations of nested
    loops. All other parameters are numbers.
    """

    @abstractmethod
    def function(
        self, returns: bool, name: str, params: Sequence[str], body: Sequence[str]
    ) -> list[str]:
        """A function of these parameters that returns a number or nothing."""

    @abstractmethod
    def table(self, name: str, places: str) -> str:
        """A constant table of indices."""

    @abstractmethod
    def numbers(self, name: str, literals: str) -> str:
        """A constant table of numbers."""

    @abstractmethod
    def local_table(self, name: str, places: Sequence[str]) -> str:
        """A table of indices that depend on the counters of loops, as a statement."""


def mentions(name: str, lines: Iterable[str]) -> bool:
    return any(re.search(rf"\b{name}\b", line) for line in lines)


class Helpers:
    """The functions and tables of a file, each written once."""

    def __init__(self, language: ExportLanguage) -> None:
        self.language = language
        self.functions: dict[str, list[str]] = {}
        self.tables: dict[tuple[int, ...], str] = {}
        self.literals: dict[tuple[str, ...], str] = {}
        self.slopes: dict[tuple[Op, int], Any] = {}

    def lines(self) -> list[str]:
        """The text of all tables and functions."""
        lines: list[str] = []
        for places, name in self.tables.items():
            lines += self.wrapped(self.language.table(name, ", ".join(map(str, places))))
        for texts, name in self.literals.items():
            lines += self.wrapped(self.language.numbers(name, ", ".join(texts)))
        lines += [""] if lines else []
        for function in self.functions.values():
            lines += [*function, ""]
        return lines

    def wrapped(self, text: str) -> list[str]:
        return textwrap.wrap(text, 100, subsequent_indent="    ", break_long_words=False)

    def add(self, name: str, params: Sequence[str], body: Sequence[str], returns: bool = False) -> None:
        self.functions[name] = self.language.function(returns, name, params, body)

    def table(self, places: tuple[int, ...]) -> str:
        return self.tables.setdefault(places, f"places_{len(self.tables)}")

    def numbers(self, texts: tuple[str, ...]) -> str:
        return self.literals.setdefault(texts, f"numbers_{len(self.literals)}")

    def sequence(self, name: str, params: Sequence[str], statements: Sequence[str]) -> str:
        """Write statements as a function, split if long; returns the statement that calls it."""
        starts = range(0, len(statements), STATEMENTS)
        if len(starts) > 1:
            chunks = [statements[start : start + STATEMENTS] for start in starts]
            statements = [self.sequence(f"{name}_{k}", params, part) for k, part in enumerate(chunks)]
        self.add(name, params, [f"    {line}" for text in statements for line in text.split("\n")])
        return f"{name}({', '.join(params)});"

    # --- rows with a fixed number of arguments ---------------------------------------------------

    def value(self, name: str) -> None:
        """Write `op_NAME`: the value of a row."""
        function, op = f"op_{name}", ops.BY_NAME[name]
        if function not in self.functions:
            self.functions[function] = []  # stops the recursion: erf and erfc may call each other
            body = self.formula(self.language.formula(op))
            del self.functions[function]
            self.add(function, names(op), body, returns=True)

    def formula(self, formula: Any) -> list[str]:
        """The body of a function that returns a formula."""
        writer = Writer(self.language, "    ")
        result = writer.write(formula)
        for name in writer.calls:
            self.value(name)
        return [*writer.lines, f"    return {result};"]

    def apply(self, name: str, args: Sequence[str]) -> str:
        """Apply a row to expressions."""
        writer = Writer(self.language, "")
        text = writer.expression(name, args)
        for called in writer.calls:
            self.value(called)
        return text

    def slope(self, op: Op, part: int, args: Sequence[str], out: str) -> str:
        """The derivative of a row with respect to one argument, as an expression.

        A single operation is written inline; anything longer becomes a function `NAME_dPART`.
        """
        places = [*names(op), "out"]
        if (op, part) not in self.slopes:
            partial = op.partials[part]
            assert partial is not None
            self.slopes[op, part] = partial(*map(Symbol, places))
        formula = self.slopes[op, part]
        given = dict(zip(places, [*args, out], strict=True))
        if not isinstance(formula, Symbol):
            return self.language.literal(formula)
        if not formula.args:
            return given[formula.name]
        if not any(isinstance(arg, Symbol) and arg.args for arg in formula.args):
            leaves = [
                given[a.name] if isinstance(a, Symbol) else self.language.literal(a)
                for a in formula.args
            ]
            text = self.apply(formula.name, leaves)
            return f"({text})" if formula.name in INFIX else text
        name = f"{op.name}_d{part}"
        used = [place for place in places if place in free_names(formula)]
        if name not in self.functions:
            self.add(name, used, self.formula(formula), returns=True)
        return f"{name}({', '.join(given[place] for place in used)})"

    # --- rows with any number of arguments -------------------------------------------------------

    def fold(self, op: Variadic) -> None:
        """Write `op_NAME`: a variadic row over the numbers at some indices."""
        name, tables = f"op_{op.name}", "abc"[: op.width]
        if name in self.functions:
            return
        folds = Folds(self.language, op, [f"v[{table}[i]]" for table in tables])
        lines = folds.lines()
        more, result = folds.finish()
        body = self.counted(folds, [*lines, *more, f"    return {result};"])
        self.add(name, ["v", *tables, "n"], body, returns=True)

    def pull(self, op: Variadic) -> str:
        """Write `pull_NAME`: propagates the gradient of the result to the numbers at some indices."""
        name, tables = f"pull_{op.name}", "abc"[: op.width]
        if name in self.functions:
            return name
        folds = Folds(self.language, op, [f"v[{table}[i]]" for table in tables])
        lines = [f"    {self.language.constant} gradient = g[o];"]
        if op.leave_one_out:
            lines += folds.leave_one_out("g[scratch + i]")
            lines += [
                f"    {self.language.loop()}",
                "        g[a[i]] += gradient * g[scratch + i];",
                "    }",
            ]
        else:
            loops: list[str] = []
            for table, partial in zip(tables, op.partials, strict=True):
                assert partial is not None
                inner, result = folds.partial(partial)
                loops += [f"    {self.language.loop()}", *inner]
                loops += [f"        g[{table}[i]] += gradient * {result};", "    }"]
            if mentions("out", loops):
                lines.append(f"    {self.language.constant} out = v[o];")
            if any(mentions(total, loops) for total in folds.totals):
                lines += folds.lines()
            lines += loops
        self.add(name, ["v", "g", "o", *tables, "n", "scratch"], self.counted(folds, lines))
        return name

    def counted(self, folds: Folds, lines: list[str]) -> list[str]:
        """Write the functions that the lines call, and add the element count if they use it."""
        for name in folds.calls:
            self.value(name)
        count = [f"    {self.language.constant} count = n;"] if mentions("count", lines) else []
        return [*count, *lines]

    def take(self, name: str, first: Sequence[str], action: str, last: Sequence[str] = ()) -> str:
        """Write a function that acts on the element selected by the index, if the index is valid."""
        if name not in self.functions:
            body = [
                f"    {self.language.loop()}",
                f"        if (index {self.language.equal} i) {{",
                f"            {action}",
                "        }",
                "    }",
                *last,
            ]
            self.add(name, [*first, "index", "a", "n"], body, returns=bool(last))
        return name
