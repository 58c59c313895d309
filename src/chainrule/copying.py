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

from . import errors


def _parts(node: Any) -> tuple[Any, ...]:
    """What is needed to build a node again, besides its inputs' own parts."""
    if node._by_hand:
        raise errors.no_formula(node, "copy")
    grad = node.grad if isinstance(node.grad, float) else node.grad.data
    extra = getattr(node, "__dict__", None)
    return type(node), node._row, node._arguments, node.data, grad, node.label, node._op, extra


def _build(
    cls: Any, row: Any, args: Any, data: float, grad: Any, label: str, name: str, extra: Any
) -> Any:
    if cls is None:
        from .value import Value  # whichever core is in use where the pickle is read

        cls = Value
    if row is not None:
        node = cls._node(row, args, data)
    else:
        node = cls.__new__(cls)
        cls.__init__(node, data, args, name) if extra is None else _plain(cls).__init__(node, data)
    node.grad, node.label = grad, label
    if extra:
        node.__dict__.update(extra)
    return node


def _plain(cls: Any) -> Any:
    """The Value class under a user's subclass, whose __init__ may want other arguments."""
    return next(base for base in cls.__mro__ if "_apply" in vars(base))


def copy(self: Any) -> Any:
    """A second node with the same inputs."""
    if not self.is_leaf and not self._arguments:
        raise errors.freed(self)
    return _build(*_parts(self))


def deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    """A second graph, node for node."""
    for node in self._topological():
        if id(node) not in memo:
            cls, row, args, data, grad, label, name, extra = _parts(node)
            args = tuple(arg if isinstance(arg, float) else memo[id(arg)] for arg in args)
            twin = _build(cls, row, args, data, grad, label, name, None if extra is None else {})
            memo[id(node)] = twin
            if extra:
                twin.__dict__.update(_copy.deepcopy(extra, memo))
    return memo[id(self)]


# Pickle asks each object for its parts and recurses into them, which a deep graph would not
# survive. So the first result it meets hands over the list of everything below it, inputs before
# results; pickle then meets each node with its inputs already done, and goes no deeper.


class _Nodes:
    """Pickles as the list of all nodes below `root`, inputs before results."""

    def __init__(self, root: Any) -> None:
        self.order = root._topological()
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


def _last(nodes: list[Any]) -> Any:
    return nodes[-1]


def reduce(self: Any) -> tuple[Any, ...]:
    """How pickle takes this value apart."""
    if self.is_leaf or any(self in graph.members for graph in _live.graphs):
        cls, *rest = _parts(self)
        return _build, (None if cls is _plain(cls) else cls, *rest)
    return _last, (_Nodes(self),)
