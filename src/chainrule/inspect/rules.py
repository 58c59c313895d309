"""How each operation is written, and how its local derivative is taught: one row for each.

The table in `ops.py` computes: its formulas hold to 4 ulp at 1e300 too. Those here are for reading:
`1 - out**2` for tanh. They compute nothing but what the tests compare with the table. Both are
in the syntax of `expressions.py`, in the names x, y, z for the arguments and out for the result;
the arguments of operations on any number of values are x1, x2, ... (and y1, y2, ... for dot).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from .expressions import Expression, parse
from .notation import Latex, MathML, Text, call, elided, formula, joined, substituted

SHOWN = 4  # elements of a sum or a product that are written out


@dataclass(frozen=True)
class Row:
    """An operation as it is written, the derivative for each argument (None: there is none), and
    in words what the formulas leave out.
    """

    notation: str
    partials: tuple[str | None, ...]
    note: str = ""


ROWS: dict[str, Row] = {
    "add": Row("x + y", ("1", "1")),
    "sub": Row("x - y", ("1", "-1")),
    "mul": Row("x * y", ("y", "x")),
    "div": Row("x / y", ("1 / y", "-x / y**2")),
    "pow": Row("x ** y", ("y * x**(y - 1)", "out * log(x)")),
    "neg": Row("-x", ("-1",)),
    "pos": Row("+x", ("1",)),
    "stop_gradient": Row("stop_gradient(x)", (None,), "counts as a constant"),
    "abs": Row("abs(x)", ("where(less(x, 0), -1, 1)",), "0 at the kink, x = 0"),
    "less": Row("less(x, y)", (None, None), "a step has no slope"),
    "less_equal": Row("less_equal(x, y)", (None, None), "a step has no slope"),
    "equal": Row("equal(x, y)", (None, None), "a step has no slope"),
    "where": Row(
        "where(x, y, z)",
        (None, "where(x, 1, 0)", "where(x, 0, 1)"),
        "nothing at all flows into the branch not taken",
    ),
    "maximum": Row(
        "maximum(x, y)", ("where(less(y, x), 1, 0)", "where(less(x, y), 1, 0)"), "½ each on a tie"
    ),
    "minimum": Row(
        "minimum(x, y)", ("where(less(x, y), 1, 0)", "where(less(y, x), 1, 0)"), "½ each on a tie"
    ),
    "exp": Row("exp(x)", ("out",)),
    "expm1": Row("expm1(x)", ("exp(x)",)),
    "log": Row("log(x)", ("1 / x",)),
    "log1p": Row("log1p(x)", ("1 / (1 + x)",)),
    "log2": Row("log2(x)", ("1 / (x * log(2))",)),
    "log10": Row("log10(x)", ("1 / (x * log(10))",)),
    "sqrt": Row("sqrt(x)", ("1 / (2 * out)",), "infinite at x = 0"),
    "cbrt": Row("cbrt(x)", ("1 / (3 * out**2)",), "infinite at x = 0"),
    "sin": Row("sin(x)", ("cos(x)",)),
    "cos": Row("cos(x)", ("-sin(x)",)),
    "tan": Row("tan(x)", ("1 + out**2",)),
    "asin": Row("asin(x)", ("1 / sqrt(1 - x**2)",)),
    "acos": Row("acos(x)", ("-1 / sqrt(1 - x**2)",)),
    "atan": Row("atan(x)", ("1 / (1 + x**2)",)),
    "sinh": Row("sinh(x)", ("cosh(x)",)),
    "cosh": Row("cosh(x)", ("sinh(x)",)),
    "tanh": Row("tanh(x)", ("1 - out**2",)),
    "asinh": Row("asinh(x)", ("1 / sqrt(x**2 + 1)",)),
    "acosh": Row("acosh(x)", ("1 / sqrt(x**2 - 1)",)),
    "atanh": Row("atanh(x)", ("1 / (1 - x**2)",)),
    "hypot": Row("hypot(x, y)", ("x / out", "y / out"), "0 at the origin"),
    "atan2": Row("atan2(x, y)", ("y / (x**2 + y**2)", "-x / (x**2 + y**2)"), "0 at the origin"),
    "erf": Row("erf(x)", ("2 * exp(-x**2) / sqrt(pi)",)),
    "erfc": Row("erfc(x)", ("-2 * exp(-x**2) / sqrt(pi)",)),
    "sigmoid": Row("sigmoid(x)", ("out * (1 - out)",)),
    "softplus": Row("softplus(x)", ("sigmoid(x)",)),
    "relu": Row("relu(x)", ("where(less(0, x), 1, 0)",), "0 at the kink, x = 0"),
    "leaky_relu": Row("leaky_relu(x, y)", ("where(less(0, x), 1, y)", "where(less(0, x), 0, x)")),
    "elu": Row("elu(x, y)", ("where(less(0, x), 1, y * exp(x))", "where(less(0, x), 0, exp(x) - 1)")),
    "silu": Row("silu(x)", ("out + sigmoid(x) * (1 - out)",)),
    "gelu": Row(
        "gelu(x)", ("(1 + erf(x / sqrt(2))) / 2 + x * exp(-x**2 / 2) / sqrt(2 * pi)",)
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Elements:
    """The same for an operation on any number of elements, joined by an operator or in a call.

    In the derivative for one part of an element, {x} is the argument, {y} its partner in dot, and
    {n} the number of elements.
    """

    operator: ast.operator | None
    partials: tuple[str, ...]
    note: str = ""


VARIADIC: dict[str, Elements] = {
    "sum": Elements(ast.Add(), ("1",)),
    "mean": Elements(None, ("1 / {n}",)),
    "prod": Elements(ast.Mult(), ("out / {x}",), "the product of the others, also where one is 0"),
    "dot": Elements(ast.Add(), ("{y}", "{y}")),
    "logsumexp": Elements(None, ("exp({x} - out)",)),
    "max": Elements(None, ("where(equal({x}, out), 1, 0)",), "ties share it equally"),
    "min": Elements(None, ("where(equal({x}, out), 1, 0)",), "ties share it equally"),
}


@dataclass(frozen=True)
class Rule:
    """The local derivative of an operation for one of its arguments."""

    expression: Expression
    note: str = ""

    @cached_property
    def text(self) -> str:
        return Text()(self.expression.tree)

    @cached_property
    def latex(self) -> str:
        return Latex()(self.expression.tree)

    @cached_property
    def mathml(self) -> str:
        return formula(MathML()(self.expression.tree))


def argument(op: str, slot: int, count: int) -> str:
    """What the rules call argument number `slot` of an operation that has `count` of them."""
    if op == "take":
        return f"y{slot}" if slot else "x"
    if op not in VARIADIC:
        return "xyz"[slot]
    n = count // len(VARIADIC[op].partials)
    return f"{'xy'[slot // n]}{slot % n + 1}"


def slot_of(op: str, name: str, count: int) -> int:
    """The number of the argument that the rules call so."""
    if op not in VARIADIC:
        return int(name[1:] or "xyz".index(name))
    n = count // len(VARIADIC[op].partials)
    return "xy".index(name[0]) * n + int(name[1:]) - 1


@lru_cache(4096)
def rule(op: str, slot: int, count: int) -> Rule | None:
    """How the derivative of an operation for its argument number `slot` of `count` is computed.

    None where the operation has no derivative for this argument.
    """
    if not is_known(op):
        raise ValueError(f"the table has no operation {op!r}, so there is no rule for it")
    if not 0 <= slot < count or (op in ROWS and count != len(ROWS[op].partials)):
        raise ValueError(f"{op} has no argument {slot} of {count}")
    if op == "take":
        chosen = f"where(equal(x, {slot - 1}), 1, 0)"
        return Rule(parse(chosen), "nothing at all flows into the others") if slot else None
    if op in ROWS:
        partial, note = ROWS[op].partials[slot], ROWS[op].note
        return None if partial is None else Rule(parse(partial), note)
    return Rule(parse(_variadic(op, slot, count)), VARIADIC[op].note)


def _variadic(op: str, slot: int, count: int) -> str:
    if op == "prod" and count <= SHOWN:
        return " * ".join(argument(op, i, count) for i in range(count) if i != slot) or "1"
    n = count // len(VARIADIC[op].partials)
    x, y = argument(op, slot, count), argument(op, (slot + n) % count, count)
    return VARIADIC[op].partials[slot // n].format(x=x, y=y, n=n)


def written(op: str, args: Sequence[Any], name: Callable[[Any], ast.expr]) -> ast.expr:
    """An operation on arguments as a tree: `x * y`, `tanh(x)`. `name` gives the tree of each
    argument; of many arguments only some are asked for.
    """
    if op in ROWS and len(args) == len(ROWS[op].partials):
        names = dict(zip("xyz", map(name, args), strict=False))
        return substituted_plainly(parse(ROWS[op].notation).tree, names)
    row = VARIADIC.get(op)
    if row is None or row.operator is None or not args or len(args) % len(row.partials):
        return call(op or "f", elided(args, SHOWN, name))
    n = len(args) // len(row.partials)
    elements = [args[i::n] for i in range(n)] if len(row.partials) > 1 else [(arg,) for arg in args]
    return joined(row.operator, elided(elements, SHOWN, lambda e: joined(ast.Mult(), [*map(name, e)])))


def substituted_plainly(tree: ast.expr, names: dict[str, ast.expr]) -> ast.expr:
    """One step of an expression as it was computed: 1 * x stays what it is."""
    if isinstance(tree, ast.BinOp):
        return ast.BinOp(substituted(tree.left, names), tree.op, substituted(tree.right, names))
    return substituted(tree, names)


def is_known(op: str) -> bool:
    """Whether there is a rule for the operation of this name."""
    return op in ROWS or op in VARIADIC or op == "take"
