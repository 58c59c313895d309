"""Generates the formulas of support/formulas/derivatives.py as C tables, for generated/derivatives.h.

The compiler appends them to graphs (src/_core/compiler/calculus.c).
"""

from __future__ import annotations

from symbols import code, literal

from chainrule import ops
from chainrule.support.formulas.derivatives import NAMES, Formula, partial, step

HEAD = f"""/* A formula is a range of lines and the place of its result. A line applies an operation to
 * places, or is the number NUMBERS[place[0]]. Places below {len(NAMES)} are {", ".join(NAMES)}. */
enum {{ NAME_COUNT = {len(NAMES)}, OUT_PLACE = {NAMES.index("out")} }};
enum {{ FOLD_PLACE = {NAMES.index("fold0")} }};

typedef struct {{
    uint8_t code; /* 0 for a number */
    uint16_t place[3];
}} Line;

typedef struct {{
    uint16_t first, lines, result;
    uint8_t uses_folds, exists;
}} Formula;
"""


class Tables:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.numbers: dict[str, int] = {}
        self.most = 0

    def formula(self, formula: Formula | None) -> str:
        """The initialiser of a formula, after its lines were added."""
        if formula is None:
            return "{0}"
        first = len(self.lines)
        for line in formula.lines:
            if isinstance(line, float):
                number = self.numbers.setdefault(literal(line), len(self.numbers))
                self.lines.append(f"{{0, {{{number}}}}}")
            else:
                op, places = line
                self.lines.append(f"{{{code(op)}, {{{', '.join(map(str, places))}}}}}")
        self.most = max(self.most, len(formula.lines))
        return f"{{{first}, {len(formula.lines)}, {formula.result}, {int(formula.uses_folds)}, 1}}"


def generate() -> str:
    tables = Tables()
    partials, steps, starts = [], [], []
    for op in ops.TABLE:
        count = op.width if isinstance(op, ops.Variadic) else op.arity
        found = ", ".join(tables.formula(partial(op, part)) for part in range(count))
        partials.append(f"    [{code(op)}] = {{{found}}},")
        if isinstance(op, ops.Variadic):
            folds = ", ".join(tables.formula(step(op, k)) for k in range(len(op.folds)))
            steps.append(f"    [{code(op)}] = {{{folds}}},")
            starts.append(
                f"    [{code(op)}] = {{{', '.join(literal(fold.start) for fold in op.folds)}}},"
            )
    lines = [
        HEAD,
        f"enum {{ MOST_LINES = {tables.most} }};",
        "",
        "static const double NUMBERS[] = {",
        *(f"    {number}," for number in tables.numbers),
        "};",
        "",
        "static const Line LINES[] = {",
        *(f"    {line}," for line in tables.lines),
        "};",
        "",
        "/* With respect to each argument or, if variadic, to each part of an element. */",
        "static const Formula PARTIALS[OP_END][3] = {",
        *partials,
        "};",
        "",
        "/* The steps of the folds of variadic operations, and the numbers that they start with. */",
        "static const Formula STEPS[OP_END][3] = {",
        *steps,
        "};",
        "static const double STARTS[OP_END][3] = {",
        *starts,
        "};",
    ]
    return "\n".join(lines) + "\n"
