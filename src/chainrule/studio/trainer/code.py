"""The run or the expression as a Python program that reproduces it.

A client's text enters a program only as numbers and as an expression tree that the parser accepted.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from ...inspect.expressions import CONSTANTS, FUNCTIONS, Expression
from ...optim.optimizers import BY_NAME as OPTIMIZERS
from . import data_sets
from .config import Config

EPOCHS = 100  # in the program of a run that has not started
TAKEN = {"Value", "__debug__", "chainrule", "math", "out", "print"}  # used by the generated program

Rates = Sequence[tuple[int, float]]  # (first epoch, rate)


def program(config: Config, epochs: int = EPOCHS, rates: Rates = ()) -> str:
    """A program with the same model, data and steps, which reproduces the run's numbers."""
    later = dict(rates)
    first = later.pop(0, config.rate)
    outputs = data_sets.load(config).classes if config.loss == "cross_entropy" else 1
    sizes = [*config.layers, outputs]
    made = f'"{config.activation}", init="xavier", seed={config.seed}'
    lines = [
        *data_lines(config),
        f"model = nn.MLP(2, {sizes}, {made})",
        f"optimizer = optim.{OPTIMIZERS[config.optimizer].__name__}(model.parameters(), lr={first!r})",
    ]
    arguments = ["model", f'"{config.loss}"', "X", "y", "optimizer=optimizer", f"epochs={epochs}"]
    if config.batch:
        arguments.append(f"batch_size={config.batch}")
    arguments.append(f"seed={config.seed}")
    if later:
        lines += [
            f"rates = {later!r}  # learning rates, by the epoch after which they apply",
            "",
            "",
            "def change_rate(epoch, history):",
            "    optimizer.lr = rates.get(epoch, optimizer.lr)",
            "",
            "",
        ]
        arguments.append("callbacks=[change_rate]")
    lines += ["history = train.fit(", *(f"    {argument}," for argument in arguments), ")"]
    return "\n".join([*lines, "print(history)", ""])


def data_lines(config: Config) -> list[str]:
    """The imports and the data, with targets in the form that the loss expects."""
    lines = ["from chainrule import data, nn, optim, train", ""]
    if config.data in ("csv", "points"):
        rows = [f"    {row!r}," for row in data_sets.load(config).rows()]
        lines = ["import numpy as np", "", "from chainrule import nn, optim, train", ""]
        lines += ["points = np.array([  # x, y, class", *rows, "])"]
        lines.append("X, y = points[:, :2], points[:, 2].astype(int)")
    elif config.data == "xor":
        lines.append("X, y = data.xor()")
    else:
        made = f"{config.samples}, noise={config.noise!r}, seed={config.seed}"
        lines.append(f"X, y = data.{config.data}({made})")
    return [*lines, "y = 2 * y - 1"] if config.loss == "hinge" else lines


# --- expressions ---------------------------------------------------------------------------------


def expression_program(expression: Expression, values: Mapping[str, float]) -> str:
    """A program that computes an expression and the gradients of its leaves."""
    names: dict[str, str] = {}
    for name in expression.names:
        names[name] = name
        while names[name] in TAKEN or (names[name] != name and names[name] in expression.names):
            names[name] += "_"
    tree = _Writer(names).visit(ast.parse(ast.unparse(expression.tree), mode="eval").body)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    constants = sorted(used & set(CONSTANTS))
    lines = [f"from math import {', '.join(constants)}", ""] if constants else []
    lines += [f"from chainrule import {', '.join(['Value', *sorted(used & set(FUNCTIONS))])}", ""]
    lines += [f"{own} = Value({values[name]!r}, label={name!r})" for name, own in names.items()]
    text = ast.unparse(tree)
    lines += [f"out = {text}" if names else f"out = Value({text})", "out.backward()"]
    lines.append('print("out", out.data)')
    lines += [f'print("d out / d {name}", {own}.grad)' for name, own in names.items()]
    return "\n".join([*lines, ""])


class _Writer(ast.NodeTransformer):
    """Renames clashing names, and makes arithmetic between plain numbers follow IEEE 754.

    Python raises for 1/0 and computes 7**7**7 as an integer; with Values neither happens.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self.names.get(node.id, node.id))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        inner = list(ast.walk(node))
        plain = not any(isinstance(x, ast.Name) and x.id in self.names for x in inner)
        for x in inner:
            if plain and isinstance(x, ast.Constant):
                x.value = float(x.value)  # type: ignore[arg-type]
        left, right = self.visit(node.left), self.visit(node.right)
        name = {ast.Div: "div", ast.Pow: "pow"}.get(type(node.op))
        if plain and name:
            return ast.Call(ast.Name(name), [left, right], [])
        return ast.BinOp(left, node.op, right)
