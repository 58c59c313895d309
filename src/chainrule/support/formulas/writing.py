"""Writes formulas as source text, by running them once on symbols and recording statements.

A `Language` defines how numbers, operations and declarations are spelled; the formulas come only
from the table. tools/ generates the C core with this, and compiler/codegen generates `Compiled.source`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ... import ops
from ...ops import Formula, Op, Variadic
from .symbols import COMPARISONS, Symbol, is_test, names


def spelling(equal: str, functions: Mapping[str, str]) -> dict[str, str]:
    """How C-like languages spell rows: with operators and library functions."""
    spelled = {"add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "div": "{} / {}", "neg": "-{}"}
    spelled |= {"pos": "{}", "stop_gradient": "{}"}
    for name, operator in (("less", "<"), ("less_equal", "<="), ("equal", equal)):
        spelled[name] = f"({{}} {operator} {{}} ? 1.0 : 0.0)"
    spelled["where"] = f"({{}} !{equal[1:]} 0.0 ? {{}} : {{}})"
    for name, function in functions.items():
        spelled[name] = f"{function}({', '.join(['{}'] * ops.BY_NAME[name].arity)})"
    return spelled


@dataclass(frozen=True)
class Language:
    """How a language spells the parts of formulas."""

    spelling: Mapping[str, str]  # of the rows that the language has; the others are expanded
    equal: str
    constant: str  # how the declaration of a constant begins
    variable: str
    counter: str  # how the declaration of a loop counter begins
    infinity: str
    nan: str
    # For rows whose `forward` is not a formula.
    formulas: Mapping[str, Formula] = field(default_factory=dict)

    def literal(self, x: float) -> str:
        if math.isnan(x):
            return self.nan
        text = self.infinity if math.isinf(x) else repr(abs(x))
        if math.copysign(1.0, x) > 0:
            return text
        return f"-{text}" if math.isinf(x) else f"(-{text})"

    @property
    def unequal(self) -> str:
        return "!" + self.equal[1:]

    def comparison(self, name: str) -> str:
        return {"less": "<", "less_equal": "<=", "equal": self.equal}[name]

    def formula(self, op: Op) -> Any:
        """The value of a row as a formula of symbols."""
        symbols = [Symbol(name) for name in names(op)]
        if op.name in self.spelling:
            return Symbol(op.name, tuple(symbols))
        return self.formulas.get(op.name, op.forward)(*symbols)

    def loop(self) -> str:
        return f"for ({self.counter} i = 0; i < n; i++) {{"


class Writer:
    """Writes a formula as statements; each branch of `where` becomes a block."""

    def __init__(self, language: Language, indent: str, calls: dict[str, None] | None = None) -> None:
        self.language = language
        self.lines: list[str] = []
        self.scopes: list[dict[Any, str]] = [{}]
        self.indent = indent
        self.calls: dict[str, None] = {} if calls is None else calls  # rows that must exist as functions
        self.count: int = 0

    def line(self, text: str) -> None:
        self.lines.append(self.indent + "    " * (len(self.scopes) - 1) + text)

    def write(self, x: Any) -> str:
        """Write the statements that x needs, and return the expression for x."""
        if not isinstance(x, Symbol):
            return self.language.literal(x)
        if not x.args:
            return x.name
        for scope in self.scopes:
            if x.key in scope:
                return scope[x.key]
        if x.name == "where":
            return self.choose(x)
        text = self.expression(x.name, [self.write(arg) for arg in x.args])
        return self.name(x, f"{self.language.constant} {{}} = {text};")

    def expression(self, name: str, args: Sequence[str]) -> str:
        """Apply one row to expressions."""
        if name in self.language.spelling:
            return self.language.spelling[name].format(*args)
        self.calls[name] = None
        return f"op_{name}({', '.join(args)})"

    def name(self, x: Symbol, statement: str) -> str:
        self.count += 1
        name = f"t{self.count}"
        self.line(statement.format(name))
        self.scopes[-1][x.key] = name
        return name

    def choose(self, x: Symbol) -> str:
        condition, yes, no = x.args
        test = self.test(condition)
        if all(not isinstance(arg, Symbol) or not arg.args for arg in (yes, no)):
            text = f"{test} ? {self.write(yes)} : {self.write(no)}"
            return self.name(x, f"{self.language.constant} {{}} = {text};")
        name = self.name(x, f"{self.language.variable} {{}};")
        self.branch(f"if ({test}) {{", name, yes)
        self.branch("} else {", name, no)
        self.line("}")
        return name

    def branch(self, head: str, name: str, x: Any) -> None:
        self.line(head)
        self.scopes.append({})
        self.line(f"{name} = {self.write(x)};")
        self.scopes.pop()

    def test(self, x: Any) -> str:
        if isinstance(x, Symbol) and x.name in COMPARISONS:
            left, right = (self.write(arg) for arg in x.args)
            return f"{left} {self.language.comparison(x.name)} {right}"
        if is_test(x):
            return " && ".join(self.test(arg) for arg in x.args)
        return f"{self.write(x)} {self.language.unequal} 0.0"


class Folds:
    """The loops of a variadic row; `elements` are the parts of element i as text."""

    def __init__(self, language: Language, op: Variadic, elements: Sequence[str]) -> None:
        self.language = language
        self.op = op
        self.elements: list[Symbol] = [Symbol(text) for text in elements]
        self.totals: list[str] = [f"fold{k}" for k in range(len(op.folds))]
        self.calls: dict[str, None] = {}

    def writer(self, indent: str) -> Writer:
        return Writer(self.language, indent, self.calls)

    def lines(self) -> list[str]:
        """One loop for each fold, with its total in a separate variable."""
        lines: list[str] = []
        for k, (fold, total) in enumerate(zip(self.op.folds, self.totals, strict=True)):
            lines.append(f"    {self.language.variable} {total} = {self.language.literal(fold.start)};")
            lines.append(f"    {self.language.loop()}")
            lines += self.step(fold.step, total, self.totals[:k])
            lines.append("    }")
        return lines

    def step(self, step: Formula, total: str, earlier: Sequence[str] = ()) -> list[str]:
        writer = self.writer("        ")
        result = writer.write(step(Symbol(total), *self.elements, *map(Symbol, earlier)))
        return [*writer.lines, f"        {total} = {result};"]

    def finish(self) -> tuple[list[str], str]:
        """The statements that compute the value, and the expression for it."""
        writer = self.writer("    ")
        result = writer.write(self.op.finish(Symbol("count"), *map(Symbol, self.totals)))
        return writer.lines, result

    def partial(self, formula: Formula) -> tuple[list[str], str]:
        """The statements that compute a derivative inside a loop, and the expression for it."""
        writer = self.writer("        ")
        arguments = (Symbol("out"), Symbol("count"), *map(Symbol, self.totals))
        result = writer.write(formula(*self.elements, *arguments))
        return writer.lines, result

    def leave_one_out(self, place: str) -> list[str]:
        """Loops that store, for each element, the fold over all others in `place`, in linear time."""
        language, fold = self.language, self.op.folds[0]
        start = language.literal(fold.start)
        writer = self.writer("        ")
        combined = writer.write(fold.step(Symbol(place), Symbol("after")))
        further = writer.write(fold.step(Symbol("after"), *self.elements))
        return [
            f"    {language.variable} before = {start}, after = {start};",
            f"    {language.loop()}",
            f"        {place} = before;",
            *self.step(fold.step, "before"),
            "    }",
            f"    for ({language.counter} i = n - 1; i >= 0; i--) {{",
            *writer.lines,
            f"        {place} = {combined};",
            f"        after = {further};",
            "    }",
        ]


MATH_H = (
    *("pow", "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "sin", "cos", "tan"),
    *("asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "atan2", "erf"),
    *("floor", "fmod"),
)
C = Language(
    spelling=spelling("==", {"abs": "fabs"} | {name: name for name in MATH_H}),
    equal="==",
    constant="const double",
    variable="double",
    counter="int",
    infinity="INFINITY",
    nan="NAN",
)
