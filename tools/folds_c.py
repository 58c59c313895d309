"""Generates the variadic operations as vectorised C, for src/_core/generated/ops_folds.h.

An operation passes over its terms once for each of its folds, LANES samples at a time.
"""

from __future__ import annotations

from typing import Any

from simd_c import Writer
from symbols import Symbol, code, free_names, literal

from chainrule import ops

# The derivative of a product needs all other terms, and is done per sample.
FOLDS = [op for op in ops.TABLE if isinstance(op, ops.Variadic) and not op.leave_one_out]


def statements(formula: Any, target: str) -> list[str]:
    writer = Writer()
    result = writer.write(formula)
    return [*writer.lines, f"    {target} = {result};"]


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def parts(op: ops.Variadic) -> list[str]:
    return ["x", "y", "z"][: op.width]


def prologue(op: ops.Variadic) -> list[str]:
    """Statements that declare the count and the place of each part as local variables."""
    lines = ["    const ptrdiff_t terms = e->terms;", "    const vec count = v_splat((double)terms);"]
    for i, name in enumerate(parts(op)):
        lines.append(f"    const ptrdiff_t {name}_term = e->term[{i}];")
        lines.append(f"    const real *const {name}_row = e->row[{i}] + j;")
        lines.append(f"    (void){name}_term, (void){name}_row;")
    return [*lines, "    (void)count;"]


def element(op: ops.Variadic, formula: Any) -> list[str]:
    """Statements that load those parts of element k that a formula uses."""
    used = free_names(formula)
    return [
        f"        const vec {name} = v_some({name}_row + k * {name}_term, some);"
        for name in parts(op)
        if name in used
    ]


def totals(op: ops.Variadic) -> tuple[list[str], list[str]]:
    """Statements that compute the folds, and their names."""
    lines: list[str] = []
    earlier: list[str] = []
    for k, fold in enumerate(op.folds):
        name = f"fold{k}"
        step = fold.step(Symbol(name), *map(Symbol, parts(op)), *map(Symbol, earlier))
        lines += [f"    vec {name} = v_splat({literal(fold.start).strip('()')});"]
        lines += ["    for (ptrdiff_t k = 0; k < terms; k++) {"]
        lines += [*element(op, step), *indented(statements(step, name)), "    }"]
        earlier.append(name)
    return lines, earlier


def value(op: ops.Variadic) -> list[str]:
    lines, names = totals(op)
    formula = op.finish(Symbol("count"), *map(Symbol, names))
    return [
        f"INLINE vec fold_{op.name}(const Elements *e, ptrdiff_t j, ptrdiff_t some) {{",
        *prologue(op),
        *lines,
        "    vec result;",
        *statements(formula, "result"),
        "    return result;",
        "}",
        "",
    ]


def pull(op: ops.Variadic, part: int) -> list[str]:
    lines, names = totals(op)
    partial = op.partials[part]
    assert partial is not None
    formula = partial(*map(Symbol, (*parts(op), "out", "count", *names)))
    used = free_names(formula)
    if not used & set(names):
        lines = []
    return [
        f"INLINE void fold_{op.name}_pull{part}(",
        "    real *grad, vec adjoint, const Elements *e, ptrdiff_t j, vec out, const real *wanted,",
        "    ptrdiff_t some, int assign) {",
        *prologue(op),
        "    (void)out;",
        *lines,
        "    for (ptrdiff_t k = 0; k < terms; k++) {",
        *element(op, formula),
        "        vec slope;",
        *indented(statements(formula, "slope")),
        f"        real *to = grad + k * {parts(op)[part]}_term;",
        "        const vec before = assign ? v_splat(0.0) : v_some(to, some);",
        "        v_put(to, before + pulled(adjoint, slope, wanted, some), some);",
        "    }",
        "}",
        "",
    ]


def generate() -> str:
    lines = ["/* Variadic operations on LANES samples from j on, of which `some` are used. */", ""]
    for op in FOLDS:
        lines += value(op)
        for part in range(op.width):
            lines += pull(op, part)
    lines += ["#define FOLDS(X) \\"]
    lines += [" \\\n".join(f"    X({code(op)}, fold_{op.name})" for op in FOLDS), ""]
    lines += ["#define FOLD_PULLS(X) \\"]
    pulls = [(op, part) for op in FOLDS for part in range(op.width)]
    lines += [" \\\n".join(f"    X({code(op)}, {k}, fold_{op.name}_pull{k})" for op, k in pulls)]
    return "\n".join(lines) + "\n"
