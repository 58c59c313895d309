"""Copying and pickling graphs of any depth without recursion, sharing kept.

A gradient that is a Value, after `backward(create_graph=True)`, is copied as its number: the
graph behind it is about the original.
"""

from __future__ import annotations

import copy as _copy
import threading
from collections.abc import Iterator
from typing import Any
from weakref import WeakSet

from .. import ops
from . import classic, errors, graph


def _parts(node: Any) -> tuple[Any, ...]:
    """What is needed to build a node again, besides its inputs' own parts and its attributes."""
    if graph.is_by_hand(node):
        raise errors.no_formula(node, "copy")
    grad = node.grad.data if hasattr(node.grad, "_apply") else node.grad
    shown = (grad, node.label, node._op)
    made = (graph.row(node), graph.arguments(node), node.data)
    return type(node), *made, *shown, graph.is_unrecorded(node)


def _build(
    cls: Any, row: Any, args: Any, data: float, grad: Any, label: str, name: str, unrecorded: bool
) -> Any:
    if cls is None:
        from ..value import Value  # whichever core is in use where the pickle is read

        cls = Value
    plain = classic.value_class(cls)
    if row is not None:
        node = graph.result(cls, row, args, data)
        if type(node) is not cls:
            node.__class__ = cls
        if node._op != name:  # somebody assigned to it
            node._op = name
    else:
        node = cls.__new__(cls)
        plain.__init__(node, data, args, name)
        if unrecorded:
            graph.make_unrecorded(node)
    node.grad, node.label = grad, label
    return node


def _attributes(node: Any) -> dict[str, Any]:
    """The user's own attributes, also those in slots of a subclass."""
    found: dict[str, Any] = dict(graph.attributes(node))
    for cls in type(node).__mro__:
        if "_apply" in vars(cls):
            break
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(node, name):
                found[name] = getattr(node, name)
    return found


def _set_attributes(node: Any, attributes: dict[str, Any]) -> None:
    for name, thing in attributes.items():
        setattr(node, name, thing)


def _of_an_argument(node: Any) -> Any:
    """Inside grad, a copy of what depends on the arguments: it depends on them too."""
    from ..value import modes

    return node._apply(ops.pos, (node,)) if modes().arguments.depends(node) else None


def copy(self: Any) -> Any:
    """A second node with the same inputs."""
    if (same := _of_an_argument(self)) is not None:
        return same
    if not self.is_leaf and not graph.arguments(self):
        raise errors.freed(self)
    twin = _build(*_parts(self))
    _set_attributes(twin, _attributes(self))
    return twin


def deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    """A second graph, node for node."""
    if (same := _of_an_argument(self)) is not None:
        return memo.setdefault(id(self), same)
    with_attributes = []
    for node in graph.topological(self):
        if id(node) not in memo:
            cls, row, args, *rest = _parts(node)
            args = tuple(arg if isinstance(arg, float) else memo[id(arg)] for arg in args)
            memo[id(node)] = _build(cls, row, args, *rest)
            if attributes := _attributes(node):
                with_attributes.append((node, attributes))
    for node, attributes in with_attributes:  # these may refer to any of the nodes
        _set_attributes(memo[id(node)], _copy.deepcopy(attributes, memo))
    return memo[id(self)]


# Pickle asks each object for its parts and recurses into them, which a deep graph would not
# survive. So the first result it meets hands over the list of everything below it, inputs before
# results; pickle then meets each node with its inputs already done, and goes no deeper.


class _Nodes:
    """Pickles as the list of all nodes below `root`, inputs before results."""

    def __init__(self, root: Any) -> None:
        self.order = graph.topological(root)
        self.members = set(self.order)
        _live.graphs.add(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (), None, self._items()

    def _items(self) -> Iterator[Any]:
        yield from self.order


class _Live(threading.local):
    """The graphs being pickled: a pickler holds on to its `_Nodes` until it is done."""

    def __init__(self) -> None:
        self.graphs: WeakSet[_Nodes] = WeakSet()


_live = _Live()


def _restore(nodes: list[Any], attributes: list[tuple[int, dict[str, Any]]]) -> Any:
    for place, named in attributes:
        _set_attributes(nodes[place], named)
    return nodes[-1]


def reduce(self: Any) -> tuple[Any, ...]:
    """How pickle takes this value apart."""
    inside = any(self in nodes.members for nodes in _live.graphs)
    if self.is_leaf or inside:
        cls, *rest = _parts(self)
        parts = (None if cls is classic.value_class(cls) else cls, *rest)
        attributes = {} if inside else _attributes(self)
        return (
            (_build, parts, attributes, None, None, _set_attributes) if attributes else (_build, parts)
        )
    nodes = _Nodes(self)
    # After the nodes, since attributes may refer to any of them.
    with_attributes = [(i, named) for i, node in enumerate(nodes.order) if (named := _attributes(node))]
    return _restore, (nodes, with_attributes)
