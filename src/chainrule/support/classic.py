"""The attribute names that classic tutorials use for a graph, written once for both cores.

`_prev` and `_op` come from micrograd, `_children` and `_local_grads` from microgpt. All are read from
the graph; assigning inputs or local gradients turns a node into a hand-made operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .. import ops
from . import errors, graph
from .ieee import as_float


class Inputs(frozenset[Any]):
    """A set of nodes that keeps insertion order and can be indexed."""

    _nodes: tuple[Any, ...]

    def __new__(cls, nodes: Iterable[Any] = ()) -> Inputs:
        ordered = tuple(dict.fromkeys(nodes))
        self = super().__new__(cls, ordered)
        self._nodes = ordered
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(self._nodes)

    def __reversed__(self) -> Iterator[Any]:
        return iter(self._nodes[::-1])

    def __getitem__(self, index: Any) -> Any:
        return self._nodes[index]

    def __repr__(self) -> str:
        return f"{{{', '.join(map(repr, self._nodes))}}}" if self._nodes else "set()"


class LocalGradients:
    """A `_backward` made from numbers: the derivative of a node with respect to each child."""

    def __init__(self, node: Any, local_grads: Iterable[Any]) -> None:
        self.node = node
        self.numbers: tuple[Any, ...] = tuple(local_grads)
        if len(self.numbers) != len(node._children):
            raise ValueError(
                f"_local_grads needs one number for each of the {len(node._children)} children, "
                f"got {len(self.numbers)}"
            )

    def __call__(self) -> None:
        for child, number in zip(self.node._children, self.numbers, strict=True):
            child.grad += number * self.node.grad


def _get_children(self: Any) -> tuple[Any, ...]:
    """The inputs in order, with duplicates; as in tutorials, without constants that set the operation.

    These are the exponent of `x**2` and the arguments that have defaults.
    """
    inputs: tuple[Any, ...] = self.inputs
    row = graph.row(self)
    count = 0 if row is None else 1 if row is ops.pow else len(row.defaults)
    settings = inputs[len(inputs) - count :]
    return inputs[: len(inputs) - count] if all(v.is_constant for v in settings) else inputs


def _set_children(self: Any, children: Iterable[Any]) -> None:
    """Make this a hand-made node with these inputs; keep its number, gradient and function."""
    closure = self._backward if graph.is_by_hand(self) else None
    grad, label = self.grad, self.label
    value_class(type(self)).__init__(self, self.data, children, self._op, label)
    self.grad = grad
    if closure is not None:
        self._backward = closure


def _get_prev(self: Any) -> Inputs:
    """The children as an ordered set, without duplicates."""
    return Inputs(_get_children(self))


def _get_local_grads(self: Any) -> tuple[Any, ...]:
    """The derivative with respect to each child, at the current values."""
    if graph.is_by_hand(self):
        return self._backward.numbers if isinstance(self._backward, LocalGradients) else ()
    row = graph.row(self)
    if row is None or not self.inputs:
        return ()
    numbers = [v.data for v in self.inputs]
    partials = row.derivatives(numbers, self.data, [True] * len(numbers))
    local = tuple(0.0 if partial is None else as_float(partial) for partial in partials)
    return local[: len(_get_children(self))]


def _set_local_grads(self: Any, local_grads: Iterable[Any]) -> None:
    self._backward = LocalGradients(self, local_grads)


def _get_op(self: Any) -> str:
    """The operation as shown in graphs; `**2` for a power with a constant exponent."""
    row, args = graph.row(self), graph.arguments(self)
    if row is None or graph.name(self):
        return graph.name(self)
    if row is ops.pow and args and isinstance(args[1], float):
        return f"**{args[1]!r}".removesuffix(".0")
    return row.symbol or row.name


def _set_op(self: Any, name: str) -> None:
    graph.set_name(self, errors.as_text("_op", name))


op = property(_get_op, _set_op)
children = property(_get_children, _set_children)
prev = property(_get_prev, _set_children)
local_grads = property(_get_local_grads, _set_local_grads)


def value_class(cls: Any) -> Any:
    """The Value class that a user's subclass derives from; its __init__ may take other arguments."""
    return next(base for base in cls.__mro__ if "_apply" in vars(base))
