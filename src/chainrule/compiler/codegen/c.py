"""C: `Compiled.source('c')`. The code uses math.h and defines all other operations itself."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from ...support.formulas import writing
from .helpers import ExportLanguage, Helpers, mentions
from .text import Export, Statements, about, attempts, comment, indented, statements

STACK = 16384  # if the arrays of a call hold more numbers than this, they are static, not on the stack

TYPES = {"v": "const double *v", "g": "double *g", "r": "unsigned char *r", "a": "const int *a"}
TYPES |= {"b": "const int *b", "c": "const int *c", "n": "int n", "o": "int o"}
TYPES |= {"scratch": "int scratch", "t": "int t", "u": "int u", "w": "int w"}


class _C(ExportLanguage):
    def function(
        self, returns: bool, name: str, params: Sequence[str], body: Sequence[str]
    ) -> list[str]:
        types = TYPES | ({"v": "double *v"} if name.startswith("forward_") else {})
        head = ", ".join(types.get(p, f"double {p}") for p in params)
        unused = [f"    (void){p};" for p in params if not mentions(p, body)]
        return [f"static {'double' if returns else 'void'} {name}({head}) {{", *unused, *body, "}"]

    def table(self, name: str, places: str) -> str:
        return f"static const int {name}[] = {{{places}}};"

    def numbers(self, name: str, literals: str) -> str:
        return f"static const double {name}[] = {{{literals}}};"

    def local_table(self, name: str, places: Sequence[str]) -> str:
        return f"const int {name}[] = {{{', '.join(places)}}};"


C = _C(**vars(writing.C))


def source(export: Export) -> str:
    """A C file: a function for the values and, if there is one output, one for its gradient."""
    helpers = Helpers(C)
    variants = statements(export, helpers)
    lines = [
        *comment(about(export, usage(export))),
        *("", "#include <math.h>", "#include <string.h>", ""),
        *parameters(export),
        *helpers.lines(),
        *value_function(export, variants),
    ]
    if export.output_count == 1:
        lines += ["", *gradient_function(export, variants)]
    return "\n".join(lines) + "\n"


def value_head(name: str) -> str:
    return f"void {name}_value(const double *params, const double *inputs, double *outputs)"


def gradient_head(name: str) -> str:
    return (
        f"double {name}_value_and_grad(const double *params, const double *inputs,\n"
        "    double *param_grads, double *input_grads)"
    )


def usage(export: Export) -> list[str]:
    name, outputs = export.name, export.output_count
    given = f"{name}_parameters" if export.params else "NULL"
    lines = ["To call it:", ""]
    if export.params:
        lines.append(f"    extern const double {given}[{len(export.params)}];  // values at export")
    lines.append(f"    {value_head(name)};")
    if outputs == 1:
        lines += [f"    {line}" for line in f"{gradient_head(name)};".split("\n")]
    lines += [
        "",
        f"    double inputs[{max(export.input_count, 1)}] = {{0.0}}, outputs[{max(outputs, 1)}];",
        f"    {name}_value({given}, inputs, outputs);",
    ]
    if outputs == 1:
        lines += [
            f"    double grads[{max(len(export.params), 1)}];",
            f"    double value = {name}_value_and_grad({given}, inputs, grads, NULL);",
            "",
            "Gradients overwrite the arrays; they are not accumulated. Pass NULL for those you do",
            "not need.",
        ]
    else:
        reason = "because the function does not have exactly one output."
        lines += ["", f"There is no gradient function, {reason}"]
    return [
        *lines,
        "With the same C library, -ffp-contract=off and -fno-builtin-pow (compilers turn pow(x, 2)",
        "into x * x), this code gives the same bits as eager mode, with one exception: if the condition",
        "of a where or the index of a take is written with a comparison operator, as in",
        "where(a < b, x, y), gradients may be added in a different order.",
    ]


def parameters(export: Export) -> list[str]:
    if not export.params:
        return []
    head = f"const double {export.name}_parameters[{len(export.params)}]"
    text = f"{head} = {{{', '.join(map(C.literal, export.numbers))}}};"
    return [*textwrap.wrap(text, 100, subsequent_indent="    ", break_long_words=False), ""]


def blocks(export: Export) -> list[tuple[str, str, int, int]]:
    """For parameters and inputs: the pointers to them and to their gradients, offset and count."""
    count = len(export.params)
    return [("params", "param_grads", 0, count), ("inputs", "input_grads", count, export.input_count)]


def offset(array: str, place: int) -> str:
    return f"{array} + {place}" if place else array


def memory(export: Export, variants: Sequence[Statements], grads: bool) -> list[str]:
    """Declare the arrays of a call, and copy parameters and inputs into them."""
    size = max(1, *(each.size for each in variants))
    scratch = max(each.scratch for each in variants)
    storage = "static _Thread_local " if size * (1 + grads) + scratch > STACK else ""
    lines = [f"{storage}double v[{size}];"]
    if grads:
        lines.append(f"{storage}double g[{size + scratch}];")
    if grads and any(each.conditional for each in variants):
        lines.append(f"{storage}unsigned char r[{size}];")
    for pointer, target, place, count in blocks(export):
        copy = f"memcpy({offset('v', place)}, {pointer}, {count} * sizeof *v);"
        lines.append(copy if count else f"(void){pointer};")
        lines += [f"(void){target};"] if grads and not count else []
    return lines


def value_function(export: Export, variants: Sequence[Statements]) -> list[str]:
    results = []
    for each in variants:
        found = [f"outputs[{k}] = v[{place}];" for k, place in enumerate(each.outputs)]
        results.append([*found, "return;"] if export.branches else found)
    lines = [*memory(export, variants, grads=False), *attempts(export, variants, results, C)]
    if export.branches:
        lines += [f"outputs[{k}] = NAN;" for k in range(export.output_count)]
    return [f"{value_head(export.name)} {{", *indented(lines), "}"]


def gradient_function(export: Export, variants: Sequence[Statements]) -> list[str]:
    wanted = [block for block in blocks(export) if block[3]]
    results = []
    for each in variants:
        (out,) = each.outputs
        found = ["memset(g, 0, sizeof g);", *["memset(r, 0, sizeof r);"] * bool(each.conditional)]
        found += [f"g[{out}] = 1.0;", each.backward]
        for _, target, place, count in wanted:
            copy = f"memcpy({target}, {offset('g', place)}, {count} * sizeof *g);"
            found += [f"if ({target} != NULL) {{", f"    {copy}", "}"]
        results.append([*found, f"return v[{out}];"])
    lines = [*memory(export, variants, grads=True), *attempts(export, variants, results, C)]
    if export.branches:
        for _, target, _, count in wanted:
            loop = f"for (int i = 0; {target} != NULL && i < {count}; i++) {{"
            lines += [loop, f"    {target}[i] = NAN;", "}"]
        lines.append("return NAN;")
    return [f"{gradient_head(export.name)} {{", *indented(lines), "}"]
