"""Generates the table as scalar C, for src/_core/generated/ops_scalar.h: the core's arithmetic."""

from __future__ import annotations

from dataclasses import replace

from symbols import FIXED, VARIADIC, C, Symbol, code, literal, names

from chainrule import ops
from chainrule.support.formulas.writing import Folds, Writer

CORE = replace(C, counter="Py_ssize_t")


def parameters(op: ops.Op) -> str:
    return ", ".join(f"double {name}" for name in names(op))


def value_function(op: ops.Op) -> list[str]:
    """`op_NAME(x, ...)`: the forward formula."""
    if op.name in CORE.spelling:
        body = [f"    return {CORE.spelling[op.name].format(*names(op))};"]
    else:
        writer = Writer(CORE, "    ")
        result = writer.write(CORE.formula(op))
        body = [*writer.lines, f"    return {result};"]
    return [f"static inline double op_{op.name}({parameters(op)}) {{", *body, "}", ""]


def partial_case(op: ops.Op) -> list[str]:
    """The `case` that computes the requested partials of one operation into p."""
    names_ = names(op)
    lines = [f"    case {code(op)}: {{"]
    lines.append(
        "        const double " + ", ".join(f"{n} = a[{i}]" for i, n in enumerate(names_)) + ";"
    )
    lines.append("        " + " ".join(f"(void){n};" for n in names_))
    for i, partial in enumerate(op.partials):
        if partial is None:
            lines.append(f"        p[{i}] = 0.0;")
            continue
        writer = Writer(CORE, "            ")
        result = writer.write(partial(*map(Symbol, names_), Symbol("out")))
        if writer.lines:
            lines += [f"        if (wanted & {1 << i}) {{", *writer.lines]
            lines += [f"            p[{i}] = {result};", "        }"]
        else:
            lines.append(f"        p[{i}] = {result};")
    return [*lines, "        break;", "    }"]


def variadic_functions(op: ops.Variadic) -> list[str]:
    places = ["i", "i + n", "i + 2 * n"][: op.width]
    folds = Folds(CORE, op, [f"a[{place}]" for place in places])
    lines = folds.lines()
    count = "    const double count = (double)n;"
    more, result = folds.finish()
    value = [
        f"static inline double op_{op.name}(const double *a, Py_ssize_t n) {{",
        count,
        "    (void)count;",
        *lines,
        *more,
        f"    return {result};",
        "}",
        "",
    ]
    head = (
        f"static inline void op_{op.name}_partials("
        "const double *a, Py_ssize_t n, double out, double *p) {"
    )
    if op.leave_one_out:
        return [*value, head, "    (void)out;", *folds.leave_one_out("p[i]"), "}", ""]
    partials = []
    for place, partial in zip(places, op.partials, strict=True):
        assert partial is not None
        inner, result = folds.partial(partial)
        partials += [f"    {CORE.loop()}", *inner, f"        p[{place}] = {result};", "    }"]
    if not any(total in line for total in folds.totals for line in partials):
        lines = []
    return [*value, head, count, "    (void)count, (void)out, (void)a;", *lines, *partials, "}", ""]


def row_info(op: ops.Op) -> str:
    mask = 0xFF
    if not isinstance(op, ops.Variadic):
        mask = sum(1 << i for i, partial in enumerate(op.partials) if partial is not None)
    width = op.width if isinstance(op, ops.Variadic) else 0
    least = op.least if isinstance(op, ops.Variadic) else 0
    default = literal(op.defaults[0]) if op.defaults else "0.0"
    return (
        f'    [{code(op)}] = {{"{op.name}", {max(op.arity, 0)}, '
        f"{len(op.defaults)}, {mask:#x}, {int(op.selects)}, {width}, {least}, {default}}},"
    )


def generate() -> str:
    lines = [
        '#include "ops_codes.h"',
        "",
        "/* name, arity, defaults, differentiable, selects, width, least, default */",
        "static const Row ROWS[OP_END] = {",
        *(row_info(op) for op in ops.TABLE),
        "};",
        "",
        "/* The operations as methods and functions: (code, name, docstring). */",
        "#define FIXED_METHODS(X) \\",
        " \\\n".join(
            f'    X({code(op)}, {name}, "{op.doc}")'
            for op in FIXED
            for name in (op.name, *op.aliases)
            if name != "where"
        ),
        "",
        "#define VARIADIC_METHODS(X) \\",
        " \\\n".join(f'    X({code(op)}, {op.name}, "{op.doc}")' for op in VARIADIC),
        "",
        *(f"static inline double op_{op.name}({parameters(op)});" for op in FIXED),
        "",
    ]
    for op in FIXED:
        lines += value_function(op)
    for op in VARIADIC:
        lines += variadic_functions(op)
    lines += ["static inline double fixed_value(int op, const double *a) {", "    switch (op) {"]
    for op in FIXED:
        args = ", ".join(f"a[{i}]" for i in range(op.arity))
        lines.append(f"    case {code(op)}: return op_{op.name}({args});")
    lines += ["    default: return NAN;", "    }", "}", ""]
    lines += [
        "static inline double variadic_value(int op, const double *a, Py_ssize_t n) {",
        "    switch (op) {",
    ]
    lines += [f"    case {code(op)}: return op_{op.name}(a, n);" for op in VARIADIC]
    lines += ["    default: return NAN;", "    }", "}", ""]
    lines += [
        "/* Inlined where it is used, so that partials stay in registers. */",
        "static inline __attribute__((always_inline)) void",
        "fixed_partials(int op, const double *a, double out, unsigned wanted, double *p) {",
        "    (void)out;",
        "    switch (op) {",
    ]
    for op in FIXED:
        lines += partial_case(op)
    lines += ["    default: break;", "    }", "}", ""]
    lines += [
        "static inline void",
        "variadic_partials(int op, const double *a, Py_ssize_t n, double out, double *p) {",
        "    switch (op) {",
        *(f"    case {code(op)}: op_{op.name}_partials(a, n, out, p); break;" for op in VARIADIC),
        "    default: break;",
        "    }",
        "}",
    ]
    return "\n".join(lines) + "\n"
