"""Expressions as text: parsed with a whitelist, never evaluated by Python.

`parse("tanh(a*b + a**2)")` returns an expression that computes on Values or floats. It may contain
numbers, names, `+ - * / **`, parentheses, and calls to the table's operations.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .. import functional, ops

OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: functional.div,
    ast.Pow: functional.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {op.name: getattr(functional, op.name) for op in ops.TABLE}
CONSTANTS = {"pi": 3.141592653589793, "e": 2.718281828459045}
LONGEST = 10_000


class ExpressionError(ValueError):
    """The text is not an allowed expression; the message says where."""


@dataclass(frozen=True)
class Expression:
    """A parsed expression: its text and the names it needs values for, in order."""

    text: str
    names: tuple[str, ...]
    tree: ast.expr

    def __call__(self, values: Mapping[str, Any]) -> Any:
        missing = [name for name in self.names if name not in values]
        if missing:
            raise ExpressionError(f"no value for {', '.join(missing)}: write {missing[0]}=1.5")
        try:
            return _evaluate(self.tree, values)
        except RecursionError:
            raise ExpressionError("the expression is nested too deeply") from None


def parse(text: str) -> Expression:
    """Check an expression and find its names."""
    if len(text) > LONGEST:
        raise ExpressionError(f"the expression is longer than {LONGEST} characters")
    if not text.strip():
        raise ExpressionError("the expression is empty: write one such as tanh(a*b + a**2)")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SyntaxWarning, as for "1if a else b"
            tree = ast.parse(text.strip(), mode="eval").body
        names: dict[str, None] = {}
        _check(tree, names)
    except SyntaxError as error:
        product = re.search(r"\d(?=[A-Za-z_(])", text)
        if product and error.msg.startswith("invalid"):
            rest = re.match(r"\w*", text[product.end() :])
            factor, name = product[0], rest[0] if rest else ""
            raise ExpressionError(f"a product needs a * sign: write {factor}*{name or '('}") from None
        where = f"at column {error.offset}" if error.offset else "at the end"
        raise ExpressionError(f"{error.msg} {where}: {text.strip()}") from None
    except (RecursionError, MemoryError, ValueError) as error:
        if isinstance(error, ExpressionError):
            raise
        raise ExpressionError("the expression is nested too deeply, or not text") from None
    return Expression(text.strip(), tuple(names), tree)


def _refuse(node: ast.AST, what: str) -> ExpressionError:
    column = getattr(node, "col_offset", 0) + 1
    return ExpressionError(f"{what} at column {column}")


def _check(node: ast.AST, names: dict[str, None]) -> None:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
            raise _refuse(node, f"{node.value!r} is not a number")
        try:
            float(node.value)
        except OverflowError:
            raise _refuse(node, "the number is too large") from None
    elif isinstance(node, ast.Name):
        if node.id in FUNCTIONS:
            raise _refuse(node, f"{node.id} is a function: write {node.id}(...)")
        if node.id not in CONSTANTS:
            names[node.id] = None
    elif isinstance(node, (ast.BinOp, ast.UnaryOp)):
        if type(node.op) not in OPERATORS:
            power = isinstance(node.op, ast.BitXor)
            hint = "write a power with **, as in a**2" if power else "only + - * / ** are allowed"
            raise _refuse(node, hint)
        for child in (node.left, node.right) if isinstance(node, ast.BinOp) else (node.operand,):
            _check(child, names)
    elif isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
            if isinstance(node.func, ast.Attribute) and node.func.attr in FUNCTIONS:
                raise _refuse(node, f"write {node.func.attr}(...) instead of .{node.func.attr}()")
            name = node.func.id if isinstance(node.func, ast.Name) else "that"
            raise _refuse(node, f"{name} is not a chainrule function")
        if node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
            raise _refuse(node, "only plain arguments are allowed")
        for child in node.args:
            _check(child, names)
    elif isinstance(node, (ast.Compare, ast.IfExp)):
        raise _refuse(node, "write a choice as where(less(a, b), x, y), a comparison as less(a, b)")
    else:
        raise _refuse(node, f"{type(node).__name__} is not allowed")


def _evaluate(node: ast.AST, values: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return float(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        return CONSTANTS[node.id] if node.id in CONSTANTS else values[node.id]
    if isinstance(node, ast.BinOp):
        left, right = _evaluate(node.left, values), _evaluate(node.right, values)
        return OPERATORS[type(node.op)](left, right)
    if isinstance(node, ast.UnaryOp):
        return OPERATORS[type(node.op)](_evaluate(node.operand, values))
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    return FUNCTIONS[node.func.id](*(_evaluate(arg, values) for arg in node.args))
