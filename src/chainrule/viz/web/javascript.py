"""The table as an ES module, so that a browser computes with the same formulas.

The studio loads `ops_module()`, and every exported file contains it. The formulas come from the table,
the JavaScript syntax from compiler/codegen.
"""

from __future__ import annotations

import functools
import math

from ...compiler.codegen.helpers import Helpers, mentions
from ...compiler.codegen.javascript import JAVASCRIPT
from ...compiler.codegen.text import indented
from ...ops import TABLE, Op, Variadic
from ...support.formulas.symbols import names
from ...support.formulas.writing import Folds
from ...version import __version__

NAME = "viz/web/static/graph/ops.js"  # the path it is served at

HEAD = f"""\
// Written by chainrule {__version__} from its table of operations, src/chainrule/ops.py.
// ops.NAME.value(args) is the value of a row, ops.NAME.partials(args, out) its derivatives, null for
// an argument that has none; where a row selects, a derivative of exactly 0 cuts the edge. The value
// is NaN if the first argument is outside ops.NAME.domain.
"""

# `take` is not a row of the table, because it is a different operation for each number of arguments.
TAKE = [
    "take: {",
    "    value: ([index, ...numbers]) => numbers[index] ?? NaN,",
    "    partials: ([index, ...numbers]) => [null, ...numbers.map((_, i) => Number(i === index))],",
    "    selects: true,",
    "},",
]


@functools.cache
def ops_module() -> str:
    """An ES module that exports `ops`: value, partials and `selects` of every row, by name."""
    helpers = Helpers(JAVASCRIPT)
    entries: list[str] = []
    for op in TABLE:
        value, partials = _fold(op, helpers) if isinstance(op, Variadic) else _row(op, helpers)
        more = [f"selects: {str(op.selects).lower()},", *_domain(op)]
        entries += [f"{op.name}: {{", *indented([*value, *partials, *more]), "},"]
    lines = ["export const ops = {", *indented([*entries, *TAKE]), "};"]
    return "\n".join([HEAD, *helpers.lines(), *lines]) + "\n"


def _domain(op: Op) -> list[str]:
    """The range of the first argument; nothing if it is unrestricted."""
    if not any(map(math.isfinite, op.domain)):
        return []
    low, high = (f"{x:g}".replace("inf", "Infinity") for x in op.domain)
    return [f"domain: [{low}, {high}],"]


def _row(op: Op, helpers: Helpers) -> tuple[list[str], list[str]]:
    """A row with a fixed number of arguments: one expression for the value, one for each partial."""
    args = names(op)
    given = f"[{', '.join(args)}]"
    value = f"value: ({given}) => {helpers.apply(op.name, args)},"
    slopes = [
        helpers.slope(op, part, args, "out") if op.differentiable(part) else "null"
        for part in range(op.arity)
    ]
    return [value], [f"partials: ({given}, out) => [{', '.join(slopes)}],"]


def _fold(op: Variadic, helpers: Helpers) -> tuple[list[str], list[str]]:
    """A row with any number of arguments: loops over them."""
    places = ["i", "n + i", "2 * n + i"][: op.width]
    count = "args.length" if op.width == 1 else f"args.length / {op.width}"
    head = [f"    const n = {count};"]
    folds = Folds(JAVASCRIPT, op, [f"args[{place}]" for place in places])
    more, result = folds.finish()
    value = [*folds.lines(), *more, f"    return {result};"]
    partials = ["    const found = new Array(args.length);"]
    if op.leave_one_out:
        partials += folds.leave_one_out("found[i]")
    else:
        loops: list[str] = []
        for place, partial in zip(places, op.partials, strict=True):
            assert partial is not None
            inner, slope = folds.partial(partial)
            loops += [f"    {JAVASCRIPT.loop()}", *inner, f"        found[{place}] = {slope};", "    }"]
        if any(mentions(total, loops) for total in folds.totals):
            partials += folds.lines()
        partials += loops
    value = ["value: (args) => {", *head, *helpers.counted(folds, value), "},"]
    slopes = [*head, *helpers.counted(folds, partials), "    return found;"]
    return value, ["partials: (args, out) => {", *slopes, "},"]
