"""Copies and pickles graphs of any depth without recursion, and preserves sharing.

After `backward(create_graph=True)` a gradient is a Value. It is copied as a plain number, because
its graph refers to the original nodes.
"""

from __future__ import annotations

import copy as _copy
import threading
from typing import Any
from weakref import WeakSet

from .. import ops
from . import classic, errors, graph


def _parts(node: Any) -> tuple[Any, ...]:
    """Everything needed to rebuild a node, except its inputs' parts and its attributes."""
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
        from ..value import Value  # the core in use where the pickle is loaded

        cls = Value
    plain = classic.value_class(cls)
    if row is not None:
        node = graph.result(cls, row, args, data)
        if type(node) is not cls:
            node.__class__ = cls
        if node._op != name:  # `_op` was assigned
            node._op = name
    else:
        node = cls.__new__(cls)
        plain.__init__(node, data, args, name)
        if unrecorded:
            graph.make_unrecorded(node)
    node.grad, node.label = grad, label
    return node


def _attributes(node: Any) -> dict[str, Any]:
    """User attributes, including those in slots of a subclass."""
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
    """Inside grad, a copy of a node that depends on the arguments; the copy depends on them too."""
    from ..value import modes

    return node._apply(ops.pos, (node,)) if modes().arguments.depends(node) else None


def copy(self: Any) -> Any:
    """Return a new node with the same inputs."""
    if (same := _of_an_argument(self)) is not None:
        return same
    if not self.is_leaf and not graph.arguments(self):
        raise errors.freed(self)
    twin = _build(*_parts(self))
    _set_attributes(twin, _attributes(self))
    return twin


def deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    """Copy the graph node by node."""
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
    for node, attributes in with_attributes:  # attributes may refer to any node
        _set_attributes(memo[id(node)], _copy.deepcopy(attributes, memo))
    return memo[id(self)]


# Pickle recurses into the parts of each object, which would exceed the recursion limit on a deep
# graph. So the first result that pickle meets reduces to the list of all nodes below it, inputs first;
# pickle then finds the inputs of each node already pickled, and recurses no deeper.


class _Nodes:
    """Pickles as the list of all nodes below `root`, inputs first."""

    def __init__(self, root: Any) -> None:
        self.order = graph.topological(root)
        self.members = set(self.order)
        _live.graphs.add(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (), None, iter(self.order)


class _Live(threading.local):
    """The graphs being pickled: a pickler keeps its `_Nodes` alive until it is done."""

    def __init__(self) -> None:
        self.graphs: WeakSet[_Nodes] = WeakSet()


_live = _Live()


def _restore(nodes: list[Any], attributes: list[tuple[int, dict[str, Any]]]) -> Any:
    for place, named in attributes:
        _set_attributes(nodes[place], named)
    return nodes[-1]


def reduce(self: Any) -> tuple[Any, ...]:
    """Implements `__reduce__` for a Value."""
    inside = any(self in nodes.members for nodes in _live.graphs)
    if self.is_leaf or inside:
        cls, *rest = _parts(self)
        parts = (None if cls is classic.value_class(cls) else cls, *rest)
        attributes = {} if inside else _attributes(self)
        return (
            (_build, parts, attributes, None, None, _set_attributes) if attributes else (_build, parts)
        )
    nodes = _Nodes(self)
    # Attributes come after the nodes, because they may refer to any of them.
    with_attributes = [(i, named) for i, node in enumerate(nodes.order) if (named := _attributes(node))]
    return _restore, (nodes, with_attributes)
