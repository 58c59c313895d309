"""Type stubs generated from the table: the functions of functional.py and the methods of Value."""

from __future__ import annotations

import ast
import inspect

from symbols import ROOT

from chainrule import ops

PACKAGE = ROOT / "src" / "chainrule"
BEGIN, END = "    # --- one for each row, written by tools/gen_ops.py: begin\n", "    # --- end\n"
HEAD = '''"""The types of functional.py, generated from it and from ops.py by tools/gen_ops.py."""

from collections.abc import Iterable, Sequence
from typing import Any, overload

from .value import Value

'''


def defaults(op: ops.Op) -> list[tuple[str, float]]:
    """The trailing arguments with their default values."""
    names = list(inspect.signature(op.forward).parameters)
    return list(zip(names[-len(op.defaults) :], op.defaults, strict=True)) if op.defaults else []


def function(op: ops.Op) -> list[str]:
    """The stub of an operation: a Value gives a Value, a number a number, anything else Any."""
    if isinstance(op, ops.Variadic):
        return [f"def {op.name}(*args: Any) -> Any: ..."]
    given = "xyz"[: op.arity - len(op.defaults)]
    lines = []
    for kind, other, result in (
        ("Value", "Any", "Value"),
        ("float", "float", "float"),
        ("Any", "Any", "Any"),
    ):
        first = [f"{name}: {kind if i == 0 else other}" for i, name in enumerate(given)]
        last = [f"{name}: {other} = {x!r}" for name, x in defaults(op)]
        lines += ["@overload", f"def {op.name}({', '.join([*first, '/', *last])}) -> {result}: ..."]
    return lines


def method(op: ops.Op) -> list[str]:
    if isinstance(op, ops.Variadic):
        others = ["other: Operand", "third: Operand"][: op.width - 1]
        rest = ", ".join([*others, "/"]) if others else "*others: Operand"
    else:
        count = op.arity - 1 - len(op.defaults)
        names = ["other"] if count == 1 else ["condition", "other"][:count]
        parts = [
            *(f"{name}: Operand" for name in names),
            *(f"{n}: Operand = ..." for n, _ in defaults(op)),
        ]
        rest = ", ".join([*parts, "/"]) if parts else ""
    return [
        f"    def {name}({', '.join(['self', *([rest] if rest else [])])}) -> Value: ..."
        for name in (op.name, *op.aliases)
    ]


def functional() -> str:
    """The operations, then the functions that functional.py itself defines."""
    source = ast.parse((PACKAGE / "functional.py").read_text())
    own = [
        f"def {node.name}({ast.unparse(node.args)}) -> {ast.unparse(node.returns)}: ..."
        for node in source.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and node.returns
    ]
    names = sorted([*ops.BY_NAME, *(line.split("(")[0].removeprefix("def ") for line in own)])
    listed = "__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]\n"
    return (
        HEAD
        + listed
        + "\n"
        + "\n".join([*(line for op in ops.TABLE for line in function(op)), *own])
        + "\n"
    )


def methods() -> str:
    """_core.pyi with the table's methods between its two marks."""
    text = (PACKAGE / "_core.pyi").read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + "".join(f"{line}\n" for op in ops.TABLE for line in method(op)) + END + after
