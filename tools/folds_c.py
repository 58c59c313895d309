"""Generates the variadic operations as vectorised C, for src/_core/generated/ops_folds.h.

An operation passes over its terms once for each of its folds, LANES samples at a time.
"""

from __future__ import annotations

from typing import Any

from simd_c import Writer
from symbols import Symbol, code, free_names, literal

from chainrule import ops

# `dot` is a matrix product; the derivative of a product needs all other terms, and is done per sample.
FOLDS = [
    op for op in ops.TABLE if isinstance(op, ops.Variadic) and op.width == 1 and not op.leave_one_out
]


def statements(formula: Any, target: str) -> list[str]:
    writer = Writer()
    result = writer.write(formula)
    return [*writer.lines, f"    {target} = {result};"]


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def totals(op: ops.Variadic) -> tuple[list[str], list[str]]:
    """Statements that compute the folds, and their names."""
    lines: list[str] = []
    earlier: list[str] = []
    for k, fold in enumerate(op.folds):
        name = f"fold{k}"
        step = fold.step(Symbol(name), Symbol("x"), *map(Symbol, earlier))
        lines += [f"    vec {name} = v_splat({literal(fold.start).strip('()')});"]
        lines += ["    for (ptrdiff_t k = 0; k < terms; k++) {"]
        lines += ["        const vec x = v_some(row + k * term, some);"]
        lines += [*indented(statements(step, name)), "    }"]
        earlier.append(name)
    return lines, earlier


def value(op: ops.Variadic) -> list[str]:
    lines, names = totals(op)
    formula = op.finish(Symbol("count"), *map(Symbol, names))
    return [
        f"INLINE vec fold_{op.name}(",
        "    const real *row, ptrdiff_t term, ptrdiff_t terms, ptrdiff_t some) {",
        "    const vec count = v_splat((double)terms);",
        "    (void)count;",
        *lines,
        "    vec result;",
        *statements(formula, "result"),
        "    return result;",
        "}",
        "",
    ]


def pull(op: ops.Variadic) -> list[str]:
    lines, names = totals(op)
    (partial,) = op.partials
    assert partial is not None
    formula = partial(*map(Symbol, ("x", "out", "count", *names)))
    used = free_names(formula)
    if not used & set(names):
        lines = []
    return [
        f"INLINE void fold_{op.name}_pull(real *grad, vec adjoint, const real *row, vec out,",
        "    ptrdiff_t term, ptrdiff_t terms, ptrdiff_t some, int assign) {",
        "    const vec count = v_splat((double)terms);",
        "    (void)count, (void)out;",
        *lines,
        "    for (ptrdiff_t k = 0; k < terms; k++) {",
        "        const vec x = v_some(row + k * term, some);",
        "        (void)x;",
        "        vec slope;",
        *indented(statements(formula, "slope")),
        "        real *to = grad + k * term;",
        "        v_put(to, (assign ? v_splat(0.0) : v_some(to, some)) + adjoint * slope, some);",
        "    }",
        "}",
        "",
    ]


def generate() -> str:
    lines = ["/* Variadic operations on LANES samples at once, of which `some` are used. */", ""]
    for op in FOLDS:
        lines += [*value(op), *pull(op)]
    lines += ["#define FOLDS(X) \\"]
    lines += [" \\\n".join(f"    X({code(op)}, fold_{op.name})" for op in FOLDS)]
    return "\n".join(lines) + "\n"
