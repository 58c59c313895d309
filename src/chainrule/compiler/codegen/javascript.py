"""JavaScript: `Compiled.source('javascript')`, an ES module that defines the functions Math lacks."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from math import factorial
from typing import Any

from ...ops import abs, equal, erfc, less, where
from ...support.formulas.symbols import Symbol
from ...support.formulas.writing import spelling
from ...support.ieee import INF
from .helpers import ExportLanguage, Helpers
from .text import Export, Statements, about, attempts, comment, indented, statements

MATH = (
    *("abs", "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "sin", "cos", "tan"),
    *("asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "atan2"),
    "floor",
)

TWO_OVER_SQRT_PI = 1.1283791670955126
TWO_OVER_SQRT_PI_LESS_ONE = 0.12837916709551256
TERMS = 15  # terms of erf's series, accurate to 1e-18 below 0.64


def _pow(x: Any, y: Any) -> Any:
    """Math.pow gives NaN where IEEE 754 specifies 1: at 1 ** NaN and (-1) ** inf."""
    unit = where(equal(x, 1.0), 1.0, equal(x, -1.0) * equal(abs(y), INF))
    return where(unit, 1.0, Symbol("Math.pow", (x, y)))


def _erf(x: Any) -> Any:
    """The power series near 0, the table's erfc elsewhere; erfc calls erf only near 0."""
    square = x * x
    total: Any = 0.0
    for n in reversed(range(1, TERMS)):
        coefficient = (-1) ** n * TWO_OVER_SQRT_PI / (factorial(n) * (2 * n + 1))
        total = square * (coefficient + total)
    near = x + x * (TWO_OVER_SQRT_PI_LESS_ONE + total)
    far = where(less(x, 0.0), erfc(-x) - 1.0, 1.0 - erfc(x))
    return where(less(square, 0.4096), near, far)


class _JavaScript(ExportLanguage):
    def function(
        self, returns: bool, name: str, params: Sequence[str], body: Sequence[str]
    ) -> list[str]:
        return [f"function {name}({', '.join(params)}) {{", *body, "}"]

    def table(self, name: str, places: str) -> str:
        return f"const {name} = [{places}];"

    def numbers(self, name: str, literals: str) -> str:
        return f"const {name} = [{literals}];"

    def local_table(self, name: str, places: Sequence[str]) -> str:
        return f"const {name} = [{', '.join(places)}];"


JAVASCRIPT = _JavaScript(
    spelling=spelling("===", {name: f"Math.{name}" for name in MATH})
    | {"Math.pow": "Math.pow({}, {})", "fmod": "({} % {})"},
    equal="===",
    constant="const",
    variable="let",
    counter="let",
    infinity="Infinity",
    nan="NaN",
    formulas={"pow": _pow, "erf": _erf},
)


def source(export: Export) -> str:
    """A module: `value` and, if there is one output, `valueAndGrad`."""
    helpers = Helpers(JAVASCRIPT)
    variants = statements(export, helpers)
    numbers = ", ".join(map(JAVASCRIPT.literal, export.numbers))
    parameters = f"export const parameters = Float64Array.of({numbers});"
    lines = [
        *comment(about(export, usage(export))),
        "",
        *textwrap.wrap(parameters, 100, subsequent_indent="    ", break_long_words=False),
        "",
        *helpers.lines(),
        *memory(export, variants),
        "",
        *value_function(export, variants),
    ]
    if export.output_count == 1:
        lines += ["", *gradient_function(export, variants)]
    return "\n".join(lines) + "\n"


def usage(export: Export) -> list[str]:
    zeros = f"new Float64Array({export.input_count})"
    if export.output_count != 1:
        return [
            "To call it:",
            "",
            '    import { parameters, value } from "./model.mjs";',
            f"    const outputs = value(parameters, {zeros});",
            "",
            "There is no gradient function, because the function does not have exactly one output.",
        ]
    return [
        "To call it:",
        "",
        '    import { parameters, value, valueAndGrad } from "./model.mjs";',
        f"    const y = value(parameters, {zeros});",
        f"    const {{ value: same, paramGrads, inputGrads }} = valueAndGrad(parameters, {zeros});",
        "",
        "`parameters` holds the values at the time of export. Plain arrays work too.",
        "The gradients are new arrays.",
    ]


def memory(export: Export, variants: Sequence[Statements]) -> list[str]:
    """Declare the arrays that all calls reuse, and the function that fills them."""
    size = max(each.size for each in variants)
    lines = [f"const v = new Float64Array({size});"]
    if export.output_count == 1:
        lines.append(f"const g = new Float64Array({size + max(each.scratch for each in variants)});")
    if any(each.conditional for each in variants):
        lines.append(f"const r = new Uint8Array({size});")
    count, inputs = len(export.params), export.input_count
    return [
        *lines,
        "",
        "function load(params, inputs) {",
        f"    if (params.length !== {count} || inputs.length !== {inputs}) {{",
        "        throw new RangeError(",
        f'            "expected {count} parameters and {inputs} inputs, "',
        "            + `got ${params.length} and ${inputs.length}`,",
        "        );",
        "    }",
        "    v.set(params, 0);",
        f"    v.set(inputs, {count});",
        "}",
    ]


def value_function(export: Export, variants: Sequence[Statements]) -> list[str]:
    results, missing = [], "NaN"
    for each in variants:
        texts = [f"v[{place}]" for place in each.outputs]
        results.append([f"return {texts[0] if len(texts) == 1 else array(texts)};"])
    if export.output_count != 1:
        missing = array(["NaN"] * export.output_count)
    lines = ["load(params, inputs);", *attempts(export, variants, results, JAVASCRIPT)]
    lines += [f"return {missing};"] if export.branches else []
    return ["export function value(params, inputs) {", *indented(lines), "}"]


def array(texts: Sequence[str]) -> str:
    return f"Float64Array.of({', '.join(texts)})"


def gradient_function(export: Export, variants: Sequence[Statements]) -> list[str]:
    count = len(export.params)
    parts = (
        f"paramGrads: g.slice(0, {count}), inputGrads: g.slice({count}, {count + export.input_count})"
    )
    results = []
    for each in variants:
        (out,) = each.outputs
        found = [
            "g.fill(0.0);",
            *["r.fill(0);"] * bool(each.conditional),
            f"g[{out}] = 1.0;",
            each.backward,
        ]
        results.append([*found, f"return {{ value: v[{out}], {parts} }};"])
    lines = ["load(params, inputs);", *attempts(export, variants, results, JAVASCRIPT)]
    if export.branches:
        lines += ["g.fill(NaN);", f"return {{ value: NaN, {parts} }};"]
    return ["export function valueAndGrad(params, inputs) {", *indented(lines), "}"]
