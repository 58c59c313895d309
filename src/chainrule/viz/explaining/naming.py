"""Names of values: a label, else a short expression in labels and numbers, else v12."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from ...inspect.expressions import Expression
from ...inspect.notation import Text, split, substituted
from ...inspect.rules import slot_of, written
from ...support import graph

PARTS = 8  # the most operations in an expression used as a name
NAME = 28  # characters
FORMULA = 50


class Names:
    """Names for the values of one graph, as trees that can be written in any notation.

    `given` are labels for values that have none. The last value, the result, is called `output` if it
    has none either. The numbers in v12 are node numbers in a picture of the graph, unless a label uses
    that name.
    """

    def __init__(self, order: list[Any], given: Mapping[Any, str] | None = None) -> None:
        self.order = order
        self.given: Mapping[Any, str] | dict[Any, str] = given or {}
        self.result: Any = order[-1]
        self.numbers: dict[Any, int] = {}
        self.text: Text = Text()
        self.known: dict[Any, ast.expr] = {}
        self.numbered: dict[str, Any] = {}  # the values named v12
        self.taken: set[str] = set()  # by labels
        self.free: int = -1  # the last number used

    def label(self, value: Any) -> str:
        own: str = value.label
        return own if own.strip() else self.given.get(value, "")

    def name(self, value: Any) -> ast.expr:
        """The name of a value, or a plain number among arguments."""
        if isinstance(value, float):
            return ast.Constant(value)
        if value not in self.known:
            tree = None if value is self.result else self._expression(value)
            if tree is None or len(self.text(tree)) > NAME:
                tree = self.short(value)
            self.known[value] = tree
        return self.known[value]

    def short(self, value: Any) -> ast.expr:
        """Its label, else `output` or v12."""
        if isinstance(value, float):
            return ast.Constant(value)
        if self.label(value):
            return ast.Name(self.label(value))
        if value is self.result:
            return ast.Name("output")
        if value.is_constant:
            return ast.Constant(value.data)
        if not self.numbers:
            self._count()
        if value not in self.numbers:
            self.numbers[value] = self.free = next(self._free(self.free + 1))
        name = f"v{self.numbers[value]}"
        self.numbered[name] = value
        return ast.Name(name)

    def formula(self, value: Any) -> ast.expr | None:
        """The operation that computed a value, applied to names."""
        args = graph.arguments(value)
        if not args:
            return None
        tree = written(value.op, args, self.name)
        return tree if len(self.text(tree)) <= FORMULA else written(value.op, args, self.short)

    def rule(self, rule: Expression, value: Any) -> ast.expr:
        """A rule of the operation that computed `value`, in the names of its arguments."""
        args = graph.arguments(value)
        used = {
            name: value if name == "out" else args[slot_of(value.op, name, len(args))]
            for name in rule.names
        }
        for way in (self.name, self.short):
            tree = substituted(rule.tree, {name: way(v) for name, v in used.items()})
            if len(self.text(tree)) <= FORMULA:
                break
        return tree

    def _expression(self, value: Any) -> ast.expr | None:
        """An expression in labels, numbers and leaves; None if it needs more than a few operations."""
        left = PARTS

        def tree(value: Any) -> ast.expr:
            if isinstance(value, float) or self.label(value) or not graph.arguments(value):
                return self.short(value)
            nonlocal left
            left -= 1
            return self.short(value) if left < 0 else written(value.op, graph.arguments(value), tree)

        found = tree(value)
        return None if left < 0 else found

    def _count(self) -> None:
        # Compared as rendered: v_1 looks like v1.
        self.taken = {"".join(split(self.text.name(self.label(value)))) for value in self.order}
        for value in self.order:
            self.free += 1 + sum(type(arg) is float for arg in graph.arguments(value))
            if f"v{self.free}" not in self.taken:
                self.numbers[value] = self.free

    def _free(self, first: int) -> Iterator[int]:
        return (number for number in itertools.count(first) if f"v{number}" not in self.taken)
