"""Generates the elementwise operations as vectorised C: ops_simd.h and ops_map.h in src/_core/generated.

All lanes take the same path, so `where` computes both sides and selects. Two things reduce the cost.
If both sides call the same function, it is called once, on the selected arguments. And a side with an
expensive call is skipped if no lane needs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symbols import COMPARISONS, FIXED, Symbol, code, free_names, is_test, literal, names

from chainrule import ops

SPELLING = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "div": "{} / {}",
    "neg": "-{}",
    "pos": "{}",
    "stop_gradient": "{}",
    "abs": "v_abs({})",
    "sqrt": "v_sqrt({})",
    "floor": "v_floor({})",
    "where": "v_select(v_unequal({}, v_splat(0.0)), {}, {})",
}
SPELLING |= {name: f"v_select(v_{name}({{}}, {{}}), v_splat(1.0), v_splat(0.0))" for name in COMPARISONS}
CHEAP = set(SPELLING)
VMATH = (
    *("exp", "expm1", "log", "log1p", "log2", "log10", "pow", "sin", "cos", "sinh", "cosh"),
    *("tanh", "erf"),
)
SPELLING |= {name: f"v_{name}({', '.join(['{}'] * ops.BY_NAME[name].arity)})" for name in VMATH}
LANE_BY_LANE = ("tan", "asin", "acos", "atan", "asinh", "acosh", "atanh")
SPELLING |= {name: f"v_each({name}, {{}})" for name in LANE_BY_LANE}
SPELLING |= {name: f"v_each2({name}, {{}}, {{}})" for name in ("atan2", "fmod")}

Key = tuple[Any, ...]


class Writer:
    """Writes a formula as C statements on vectors; computes each common subexpression once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.scopes: list[dict[Key, str]] = [{}]  # the name of each subexpression
        self.blocks: list[dict[str, str]] = [{}]  # the declarations in each block of C
        self.count = 0

    def line(self, text: str) -> None:
        self.lines.append("    " * len(self.blocks) + text)

    def declare(self, kind: str, text: str) -> str:
        self.count += 1
        self.line(f"{kind} t{self.count} = {text};")
        return f"t{self.count}"

    def constant(self, text: str, kind: str = "const vec") -> str:
        """The name of an expression, declared if it is new."""
        if text.isidentifier():
            return text
        for block in self.blocks:
            if text in block:
                return block[text]
        return self.blocks[-1].setdefault(text, self.declare(kind, text))

    def known(self, key: Key) -> str | None:
        return next((scope[key] for scope in self.scopes if key in scope), None)

    def write(self, x: Any) -> str:
        """The C expression for x, after writing the statements it needs."""
        if not isinstance(x, Symbol):
            return f"v_splat({literal(x).strip('()')})"
        if not x.args:
            return x.name
        name = self.known(x.key)
        if name is None and x.name == "where":
            name = self.choose(x)
        elif name is None:
            name = self.constant(apply(x.name, [self.write(arg) for arg in x.args]))
        self.scopes[-1][x.key] = name
        return name

    def write_in(self, scope: dict[Key, str], x: Any) -> str:
        self.scopes.append(scope)
        text = self.write(x)
        self.scopes.pop()
        return text

    def test(self, x: Any) -> str:
        """The mask of the lanes in which x is not 0."""
        if isinstance(x, Symbol) and x.name in COMPARISONS:
            text = f"v_{x.name}({', '.join(map(self.write, x.args))})"
        elif is_test(x):
            text = f"v_and({', '.join(map(self.test, x.args))})"
        else:
            text = f"v_unequal({self.write(x)}, v_splat(0.0))"
        return self.constant(text, "const mask")

    def choose(self, x: Symbol) -> str:
        condition, yes, no = x.args
        mask = self.test(condition)
        in_yes, in_no = self.share(mask, yes, no)
        skip_yes, skip_no = self.is_costly(yes, in_yes), self.is_costly(no, in_no)
        if not skip_yes and not skip_no:
            sides = self.write_in(in_yes, yes), self.write_in(in_no, no)
            return self.constant(select(mask, *sides))
        if skip_yes and skip_no:
            name = self.declare("vec", "v_splat(0.0)")
        else:
            name = self.declare(
                "vec", self.write_in(in_no, no) if skip_yes else self.write_in(in_yes, yes)
            )
        if skip_yes:
            self.block(
                f"if (v_any({mask})) {{", in_yes, yes, f"{name} = v_select({mask}, {{}}, {name});"
            )
        if skip_no:
            self.block(f"if (!v_all({mask})) {{", in_no, no, f"{name} = v_select({mask}, {name}, {{}});")
        return name

    def block(self, head: str, scope: dict[Key, str], x: Any, last: str) -> None:
        self.line(head)
        self.blocks.append({})
        self.line(last.format(self.write_in(scope, x)))
        self.blocks.pop()
        self.line("}")

    def share(self, mask: str, yes: Any, no: Any) -> tuple[dict[Key, str], dict[Key, str]]:
        """Write the calls that both sides share; return their names on each side."""
        in_yes: dict[Key, str] = {}
        in_no: dict[Key, str] = {}
        of_yes, of_no = self.calls(yes), self.calls(no)
        for key, call in of_yes.items():
            if key in of_no:
                self.write(call)
        partners = [call for key, call in of_no.items() if key not in of_yes]
        for key, call in of_yes.items():
            partner = next((other for other in partners if other.name == call.name), None)
            if partner is None or key in of_no:
                continue
            partners.remove(partner)
            pairs = zip(call.args, partner.args, strict=True)
            args = [select(mask, self.write_in(in_yes, a), self.write_in(in_no, b)) for a, b in pairs]
            in_yes[key] = in_no[partner.key] = self.constant(apply(call.name, args))
        return in_yes, in_no

    def calls(self, x: Any) -> dict[Key, Symbol]:
        """The calls worth sharing that x always needs, inner calls first."""
        found = (s for s in needed(x) if s.name not in CHEAP or s.name in ("div", "sqrt"))
        return {s.key: s for s in found if self.known(s.key) is None}

    def is_costly(self, x: Any, scope: dict[Key, str]) -> bool:
        """Whether x has a call worth skipping that is not computed yet."""
        if not isinstance(x, Symbol) or not x.args or x.key in scope or self.known(x.key) is not None:
            return False
        return x.name not in CHEAP or any(self.is_costly(arg, scope) for arg in x.args)


def needed(x: Any) -> Iterator[Symbol]:
    """The subexpressions that x always evaluates, x itself last; not those in the sides of a `where`."""
    if isinstance(x, Symbol) and x.args:
        for arg in x.args[:1] if x.name == "where" else x.args:
            yield from needed(arg)
        yield x


def select(mask: str, yes: str, no: str) -> str:
    return yes if yes == no else f"v_select({mask}, {yes}, {no})"


def apply(name: str, args: list[str]) -> str:
    return SPELLING[name].format(*args) if name in SPELLING else f"v_op_{name}({', '.join(args)})"


def function(name: str, parameters: list[str], formula: Any) -> list[str]:
    writer = Writer()
    result = writer.write(formula)
    head = ", ".join(f"vec {p}" for p in parameters) or "void"
    return [f"static inline vec {name}({head}) {{", *writer.lines, f"    return {result};", "}"]


def value_function(op: ops.Op) -> list[str]:
    """`v_op_NAME(x, ...)`: the forward formula."""
    symbols = [Symbol(name) for name in names(op)]
    formula = Symbol(op.name, tuple(symbols)) if op.name in SPELLING else op.forward(*symbols)
    return function(f"v_op_{op.name}", names(op), formula)


def partials(op: ops.Op) -> Iterator[tuple[int, Any, list[str]]]:
    """Each partial: which argument, its formula, and the arguments and output it needs."""
    places = [*names(op), "out"]
    for i, partial in enumerate(op.partials):
        if partial is not None:
            formula = partial(*map(Symbol, places))
            yield i, formula, [name for name in places if name in free_names(formula)]


def kernel(macro: str, name: str, function: str, parameters: list[str]) -> str:
    """A function over arrays; the macro in map.h supplies its parameters and loop."""
    return f"{macro}({name}, {function}({', '.join(f'v_some({p} + i, some)' for p in parameters)}))"


def generate() -> str:
    """ops_simd.h: the operations on vectors."""
    lines = ["/* Operations on LANES numbers at once; a partial takes what its formula needs. */"]
    lines += ['#include "vmath.h"', ""]
    lines += [f"static inline vec v_op_{op.name}({', '.join(['vec'] * op.arity)});" for op in FIXED]
    for op in FIXED:
        lines += ["", *value_function(op)]
        for i, formula, parameters in partials(op):
            lines += ["", *function(f"v_op_{op.name}_d{i}", parameters, formula)]
    return "\n".join(lines) + "\n"


def generate_map() -> str:
    """ops_map.h: the same operations on arrays."""
    value_kernels, pull_kernels, values, pulls = [], [], [], []
    for op in FIXED:
        value_kernels.append(kernel("VALUES", f"values_{op.name}", f"v_op_{op.name}", names(op)))
        values.append(f"    [{code(op)}] = values_{op.name},")
        macro = "PULL_IF_NOT_0" if op.selects else "PULL"
        for i, _, parameters in partials(op):
            name = f"{op.name}_d{i}"
            pull_kernels.append(kernel(macro, f"pull_{name}", f"v_op_{name}", parameters))
            pulls.append(f"    [{code(op)}][{i}] = pull_{name},")
    lines = ["/* The operations of ops_simd.h on arrays. */", *value_kernels, *pull_kernels, ""]
    lines += ["static const Values VALUES_OF[OP_END] = {", *values, "};", ""]
    lines += ["/* NULL where an operation is not differentiable. */"]
    lines += ["static const Pull PULL_OF[OP_END][3] = {", *pulls, "};"]
    return "\n".join(lines) + "\n"
