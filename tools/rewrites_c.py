"""Generates the rules of support/formulas/rewrites.py as C, for src/_core/generated/rewrites.h."""

from __future__ import annotations

from typing import Any

from symbols import Symbol, code, literal

from chainrule import ops
from chainrule.support.formulas.rewrites import BY_ROW, built


def condition(before: Symbol) -> tuple[str, dict[str, str]]:
    """Whether the arguments of a node match the left side of a rule, and the bindings of its names."""
    tests: list[str] = []
    known: dict[str, str] = {}
    for i, pattern in enumerate(before.args):
        place = f"args[{i}]"
        if not isinstance(pattern, Symbol):
            tests.append(f"is_number(r, {place}, {literal(pattern)})")
        elif known.setdefault(pattern.name, place) != place:
            tests.append(f"{place} == {known[pattern.name]}")
    return " && ".join(tests), known


def rule(before: Symbol, after: Any) -> list[str]:
    """Statements that build the right side, each part once and in order."""
    test, known = condition(before)
    named: dict[str, str] = {}

    def name(text: str) -> str:
        return named.setdefault(text, f"t{len(named) + 1}")

    def node(op: ops.Op, args: tuple[str, ...]) -> str:
        return name(f"built(r, {code(op)}, {len(args)}, (int32_t[]){{{', '.join(args)}}})")

    result = built(after, known, lambda number: name(f"constant(r, {literal(number)})"), node)
    lines = [f"    const int32_t {each} = {text};" for text, each in named.items()]
    lines.append(f"    return {result};")
    return [f"if ({test}) {{" if test else "{", *lines, "}"]


def generate() -> str:
    lines = [
        "/* A cheaper node for an operation, or a fault; NO_REWRITE if there is none. */",
        "static int32_t rewritten(Builder *r, int code, const int32_t *args) {",
        "    switch (code) {",
    ]
    for name, rules in BY_ROW.items():
        if rules:
            lines.append(f"    case {code(ops.BY_NAME[name])}:")
            lines += [f"        {line}" for before, after in rules for line in rule(before, after)]
            lines.append("        break;")
    return "\n".join([*lines, "    default: break;", "    }", "    return NO_REWRITE;", "}"]) + "\n"
