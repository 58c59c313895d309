"""The table as scalar C, for src/_core/ops_scalar.h: what the compiled Value computes with."""

from __future__ import annotations

from typing import Any

from symbols import FIXED, VARIADIC, Symbol, code, is_test, literal, names

from chainrule import ops

# How C spells the operations that the hardware or libm has. All others are written out.
SPELLING = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "div": "{} / {}",
    "neg": "-{}",
    "pos": "{}",
    "stop_gradient": "{}",
    "abs": "fabs({})",
    "less": "({} < {} ? 1.0 : 0.0)",
    "less_equal": "({} <= {} ? 1.0 : 0.0)",
    "equal": "({} == {} ? 1.0 : 0.0)",
    "where": "({} != 0.0 ? {} : {})",
}
LIBM = (
    *("pow", "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "sin", "cos", "tan"),
    *("asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "atan2", "erf"),
)
SPELLING |= {name: f"{name}({', '.join(['{}'] * ops.BY_NAME[name].arity)})" for name in LIBM}
COMPARISONS = {"less": "<", "less_equal": "<=", "equal": "=="}


class Writer:
    """Writes a formula as C statements; a branch of `where` becomes a block of its own."""

    def __init__(self, indent: str) -> None:
        self.lines: list[str] = []
        self.scopes: list[dict[Any, str]] = [{}]
        self.indent = indent
        self.count = 0

    def line(self, text: str) -> None:
        self.lines.append(self.indent + "    " * (len(self.scopes) - 1) + text)

    def write(self, x: Any) -> str:
        """The C expression for x, after writing the statements it needs."""
        if not isinstance(x, Symbol):
            return literal(x)
        if x.key == (x.name,):
            return x.name
        for scope in self.scopes:
            if x.key in scope:
                return scope[x.key]
        if x.name == "where":
            return self.choose(x)
        args = [self.write(arg) for arg in x.args]
        text = SPELLING[x.name].format(*args) if x.name in SPELLING else call(x.name, args)
        return self.name(x, f"const double {{}} = {text};")

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
            return self.name(x, f"const double {{}} = {text};")
        name = self.name(x, "double {};")
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
            return f"{left} {COMPARISONS[x.name]} {right}"
        if is_test(x):
            return " && ".join(self.test(arg) for arg in x.args)
        return f"{self.write(x)} != 0.0"


def call(name: str, args: list[str]) -> str:
    return f"op_{name}({', '.join(args)})"


def parameters(op: ops.Op) -> str:
    return ", ".join(f"double {name}" for name in names(op))


def value_function(op: ops.Op) -> list[str]:
    """`op_NAME(x, ...)`: the forward formula."""
    if op.name in SPELLING:
        body = [f"    return {SPELLING[op.name].format(*names(op))};"]
    else:
        writer = Writer("    ")
        result = writer.write(op.forward(*map(Symbol, names(op))))
        body = [*writer.lines, f"    return {result};"]
    return [f"static inline double op_{op.name}({parameters(op)}) {{", *body, "}", ""]


def partial_case(op: ops.Op) -> list[str]:
    """The `case` that computes the wanted partials of one operation into p."""
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
        writer = Writer("            ")
        result = writer.write(partial(*map(Symbol, names_), Symbol("out")))
        if writer.lines:
            lines += [f"        if (wanted & {1 << i}) {{", *writer.lines]
            lines += [f"            p[{i}] = {result};", "        }"]
        else:
            lines.append(f"        p[{i}] = {result};")
    return [*lines, "        break;", "    }"]


def loop_body(op: ops.Variadic, step: Any, total: str, earlier: list[str], indent: str) -> list[str]:
    writer = Writer(indent)
    result = writer.write(step(Symbol(total), *elements(op), *map(Symbol, earlier)))
    return [*writer.lines, f"{indent}{total} = {result};"]


def elements(op: ops.Variadic) -> list[Symbol]:
    return [Symbol(f"a[i{f' + {k} * n' if k > 1 else ' + n' if k else ''}]") for k in range(op.width)]


def fold_lines(op: ops.Variadic) -> tuple[list[str], list[str]]:
    lines: list[str] = []
    totals: list[str] = []
    for k, fold in enumerate(op.folds):
        lines.append(f"    double fold{k} = {literal(fold.start)};")
        lines.append("    for (Py_ssize_t i = 0; i < n; i++) {")
        lines += loop_body(op, fold.step, f"fold{k}", totals, "        ")
        lines.append("    }")
        totals.append(f"fold{k}")
    return lines, totals


def variadic_functions(op: ops.Variadic) -> list[str]:
    lines, totals = fold_lines(op)
    count = "    const double count = (double)n;"
    writer = Writer("    ")
    result = writer.write(op.finish(Symbol("count"), *map(Symbol, totals)))
    value = [
        f"static inline double op_{op.name}(const double *a, Py_ssize_t n) {{",
        count,
        "    (void)count;",
        *lines,
        *writer.lines,
        f"    return {result};",
        "}",
        "",
    ]
    head = (
        f"static inline void op_{op.name}_partials("
        "const double *a, Py_ssize_t n, double out, double *p) {"
    )
    if op.leave_one_out:
        return [*value, head, "    (void)out;", *leave_one_out(op), "}", ""]
    partials = []
    for k, partial in enumerate(op.partials):
        assert partial is not None
        writer = Writer("        ")
        arguments = (Symbol("out"), Symbol("count"), *map(Symbol, totals))
        result = writer.write(partial(*elements(op), *arguments))
        partials += ["    for (Py_ssize_t i = 0; i < n; i++) {", *writer.lines]
        partials += [f"        p[i{' + n' if k else ''}] = {result};", "    }"]
    if not any(total in line for total in totals for line in partials):
        lines = []
    return [*value, head, count, "    (void)count, (void)out, (void)a;", *lines, *partials, "}", ""]


def leave_one_out(op: ops.Variadic) -> list[str]:
    start, step = literal(op.folds[0].start), op.folds[0].step
    writer = Writer("        ")
    combined = writer.write(step(Symbol("p[i]"), Symbol("after")))
    further = writer.write(step(Symbol("after"), *elements(op)))
    return [
        f"    double before = {start}, after = {start};",
        "    for (Py_ssize_t i = 0; i < n; i++) {",
        "        p[i] = before;",
        *loop_body(op, step, "before", [], "        "),
        "    }",
        "    for (Py_ssize_t i = n - 1; i >= 0; i--) {",
        *writer.lines,
        f"        p[i] = {combined};",
        f"        after = {further};",
        "    }",
    ]


def row_info(op: ops.Op) -> str:
    mask = 0xFF
    if not isinstance(op, ops.Variadic):
        mask = sum(1 << i for i, partial in enumerate(op.partials) if partial is not None)
    width = op.width if isinstance(op, ops.Variadic) else 0
    least = op.least if isinstance(op, ops.Variadic) else 0
    default = literal(op.defaults[0]) if op.defaults else "0.0"
    return (
        f'    [{code(op)}] = {{"{op.name}", "{op.symbol or op.name}", {max(op.arity, 0)}, '
        f"{len(op.defaults)}, {mask:#x}, {int(op.selects)}, {width}, {least}, {default}}},"
    )


def generate() -> str:
    lines = [
        '#include "ops_codes.h"',
        "",
        "/* name, symbol, arity, defaults, differentiable, selects, width, least, default */",
        "static const Row ROWS[OP_END] = {",
        *(row_info(op) for op in ops.TABLE),
        "};",
        "",
        "/* The rows as methods and functions: (code, name, what it says). */",
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
