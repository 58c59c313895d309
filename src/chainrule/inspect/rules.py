"""Textbook notation for the local derivatives of each operation.

The formulas in `ops.py` are written for accuracy, 4 ulp even at 1e300. Running a row on `Written`
operands gives its formula as text. Where textbooks use a different form, such as `1 - out**2` for tanh,
that form is listed here, and tests compare the two. Formulas use the syntax of `expressions.py`, with x,
y, z for the arguments and out for the result; the arguments of operations on any number of values are
x1, x2, ... (and y1, y2, ... for the second part of each element, as in dot).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from .. import ops
from ..support.formulas.symbols import Operand
from .expressions import Expression, parse
from .notation import call, elided, joined, substituted

SHOWN = 4  # longer sums and products are abbreviated with dots

# Partials whose textbook form differs from the table's.
TAUGHT: dict[str, tuple[str | None, ...]] = {
    "div": ("1 / y", "-x / y**2"),
    "pow": ("y * x**(y - 1)", "out * log(x)"),
    "abs": ("where(less(x, 0), -1, 1)",),
    "maximum": ("where(less(y, x), 1, 0)", "where(less(x, y), 1, 0)"),
    "minimum": ("where(less(x, y), 1, 0)", "where(less(y, x), 1, 0)"),
    "exp2": ("out * log(2)",),
    "logaddexp": ("exp(x - out)", "exp(y - out)"),
    "xlogy": ("log(y)", "x / y"),
    "xlog1py": ("log(1 + y)", "x / (1 + y)"),
    "logit": ("1 / (x * (1 - x))",),
    "fmod": ("1", "-trunc(x / y)"),
    "remainder": ("1", "-floor(x / y)"),
    "deg2rad": ("pi / 180",),
    "rad2deg": ("180 / pi",),
    "digamma": ("where(less(x, 0), (pi / sin(pi * x))**2 - zeta(2, 1 - x), zeta(2, x))",),
    "zeta": (None, "-x * zeta(x + 1, y)"),
    "normal_pdf": ("-x * out",),
    "normal_cdf": ("normal_pdf(x)",),
    "log_normal_cdf": ("normal_pdf(x) / normal_cdf(x)",),
    "log": ("1 / x",),
    "log1p": ("1 / (1 + x)",),
    "log2": ("1 / (x * log(2))",),
    "log10": ("1 / (x * log(10))",),
    "sqrt": ("1 / (2 * out)",),
    "cbrt": ("1 / (3 * out**2)",),
    "tan": ("1 + out**2",),
    "asin": ("1 / sqrt(1 - x**2)",),
    "acos": ("-1 / sqrt(1 - x**2)",),
    "atan": ("1 / (1 + x**2)",),
    "tanh": ("1 - out**2",),
    "asinh": ("1 / sqrt(x**2 + 1)",),
    "acosh": ("1 / sqrt(x**2 - 1)",),
    "atanh": ("1 / (1 - x**2)",),
    "hypot": ("x / out", "y / out"),
    "atan2": ("y / (x**2 + y**2)", "-x / (x**2 + y**2)"),
    "erf": ("2 * exp(-x**2) / sqrt(pi)",),
    "erfc": ("-2 * exp(-x**2) / sqrt(pi)",),
    "sigmoid": ("out * (1 - out)",),
    "relu": ("where(less(0, x), 1, 0)",),
    "elu": ("where(less(0, x), 1, y * exp(x))", "where(less(0, x), 0, exp(x) - 1)"),
    "silu": ("out + sigmoid(x) * (1 - out)",),
    "gelu": ("(1 + erf(x / sqrt(2))) / 2 + x * exp(-x**2 / 2) / sqrt(2 * pi)",),
}
# The same for operations on any number of elements; one formula for each part of an element. {x} is the
# argument, {y} its partner in dot, and {n} the number of elements.
TAUGHT_ELEMENTS: dict[str, tuple[str, ...]] = {
    "mean": ("1 / {n}",),
    "prod": ("out / {x}",),
    "dot": ("{y}", "{y}"),
    "logsumexp": ("exp({x} - out)",),
    "norm": ("{x} / out",),
    "max": ("where(equal({x}, out), 1, 0)",),
    "min": ("where(equal({x}, out), 1, 0)",),
}
BINARY: dict[str, ast.operator] = {
    "add": ast.Add(),
    "sub": ast.Sub(),
    "mul": ast.Mult(),
    "div": ast.Div(),
    "pow": ast.Pow(),
}
UNARY: dict[str, ast.unaryop] = {"neg": ast.USub(), "pos": ast.UAdd()}
JOINED: dict[str, ast.operator] = {"sum": ast.Add(), "prod": ast.Mult(), "dot": ast.Add()}


class Written(Operand):
    """A symbolic operand: running a formula on it yields the formula's text."""

    def __init__(self, tree: ast.expr) -> None:
        self.tree = tree

    @staticmethod
    def _apply(op: ops.Op, args: Sequence[Any]) -> Written:
        trees = [arg.tree if isinstance(arg, Written) else _constant(arg) for arg in op.complete(args)]
        return Written(_applied(op.name, trees))


def _constant(x: float) -> ast.expr:
    size = ast.Constant(int(abs(x)) if float(x).is_integer() else abs(x))
    return ast.UnaryOp(ast.USub(), size) if x < 0 else size


def _applied(op: str, args: list[ast.expr]) -> ast.expr:
    if op in BINARY:
        return ast.BinOp(args[0], BINARY[op], args[1])
    return ast.UnaryOp(UNARY[op], args[0]) if op in UNARY else call(op, args)


def _width(op: str) -> int:
    """Arguments per element of an operation on any number of elements; 0 for other operations."""
    row = ops.BY_NAME.get(op)
    return row.width if isinstance(row, ops.Variadic) else 0


def argument(op: str, slot: int, count: int) -> str:
    """The name that the rules use for argument number `slot` of `count`."""
    if op == "take":
        return f"y{slot}" if slot else "x"
    if not _width(op):
        return "xyz"[slot]
    n = count // _width(op)
    return f"{'xyz'[slot // n]}{slot % n + 1}"


def slot_of(op: str, name: str, count: int) -> int:
    """The number of the argument that has this name in the rules."""
    if not _width(op):
        return int(name[1:] or "xyz".index(name))
    n = count // _width(op)
    return "xyz".index(name[0]) * n + int(name[1:]) - 1


@lru_cache(4096)
def rule(op: str, slot: int, count: int) -> Expression | None:
    """The formula of an operation's derivative with respect to argument number `slot` of `count`.

    None if the operation is not differentiable with respect to that argument.
    """
    if not is_known(op):
        raise ValueError(f"the table has no operation {op!r}, so there is no rule for it")
    row = ops.take(count - 1) if op == "take" and count > 1 else ops.BY_NAME.get(op)
    if row is None or not 0 <= slot < count or (not _width(op) and count != row.arity):
        raise ValueError(f"{op} has no argument {slot} of {count}")
    if not row.differentiable(slot):
        return None
    return parse(_partial(row, slot, count))


def _partial(row: ops.Op, slot: int, count: int) -> str:
    """The text of a partial: its textbook form, or else the table's."""
    op = row.name
    if op == "take":
        return f"where(equal(x, {slot - 1}), 1, 0)"
    if op in TAUGHT and (taught := TAUGHT[op][slot]) is not None:
        return taught
    if op == "prod" and count <= SHOWN:
        return " * ".join(argument(op, i, count) for i in range(count) if i != slot) or "1"
    if op in TAUGHT_ELEMENTS:
        n = count // _width(op)
        x, y = argument(op, slot, count), argument(op, (slot + n) % count, count)
        return TAUGHT_ELEMENTS[op][slot // n].format(x=x, y=y, n=n)
    args = [Written(ast.Name(argument(op, i, count))) for i in range(count)]
    found = row.derivatives(args, Written(ast.Name("out")), [i == slot for i in range(count)])[slot]
    tree = found.tree if isinstance(found, Written) else _constant(found)
    return ast.unparse(substituted(tree, {}))


def written(op: str, args: Sequence[Any], name: Callable[[Any], ast.expr]) -> ast.expr:
    """An operation on arguments as a tree: `x * y`, `tanh(x)`.

    `name` returns the tree of an argument; of many arguments, `name` is called only for those shown.
    """
    row, width = ops.BY_NAME.get(op), _width(op)
    if row is not None and not width and len(args) == row.arity:
        return _applied(op, [*map(name, args)])
    if op not in JOINED or not args or len(args) % width:
        return call(op or "f", elided(args, SHOWN, name))
    n = len(args) // width
    elements = [args[i::n] for i in range(n)] if width > 1 else [(arg,) for arg in args]
    return joined(JOINED[op], elided(elements, SHOWN, lambda e: joined(ast.Mult(), [*map(name, e)])))


def is_known(op: str) -> bool:
    """Whether there is a rule for the operation with this name."""
    return op in ops.BY_NAME or op == "take"
