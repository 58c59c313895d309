"""Flattens and rebuilds nested arguments: numbers in lists, dicts, dataclasses and NumPy arrays."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from .arrays import as_array, is_array

Rebuild = Callable[[Iterator[Any]], Any]


def children(tree: Any) -> tuple[Sequence[Any], Sequence[Any]] | None:
    """The names and the parts of a container, or None if the tree is a leaf."""
    if isinstance(tree, dict):
        return list(tree), list(tree.values())
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):  # a namedtuple
        return tree._fields, tree
    if isinstance(tree, (list, tuple)):
        return range(len(tree)), tree
    if is_dataclass(tree) and not isinstance(tree, type):
        names = [f.name for f in fields(tree) if not _is_setting(getattr(tree, f.name))]
        return names, [getattr(tree, name) for name in names]
    return None


def _is_setting(x: Any) -> bool:
    """Whether a field of a dataclass is not a number, so that it stays as it is."""
    return x is None or isinstance(x, (str, bytes, bool)) or callable(x)


def settings(tree: Any) -> tuple[Any, ...]:
    """The fields of a dataclass that are not numbers, to compare; callables by identity."""
    if not is_dataclass(tree) or isinstance(tree, type):
        return ()
    found = [getattr(tree, f.name) for f in fields(tree)]
    return tuple(id(x) if callable(x) else x for x in found if _is_setting(x))


def rebuilt(tree: Any, parts: Sequence[Any]) -> Any:
    """A container like `tree` with other parts."""
    if isinstance(tree, dict):
        return dict(zip(tree, parts, strict=True))
    if isinstance(tree, tuple):
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    if isinstance(tree, list):
        return list(parts)
    new = copy.copy(tree)
    for name, part in zip((children(tree) or ((), ()))[0], parts, strict=True):
        object.__setattr__(new, name, part)  # works for frozen dataclasses too
    return new


def flatten(tree: Any) -> tuple[list[Any], Rebuild]:
    """The numbers of a tree in order, and a function that rebuilds the tree from as many items."""
    inside = children(tree)
    if inside is None:
        return _flatten_array(tree) if hasattr(tree, "ravel") and is_array(tree) else ([tree], next)
    parts = [flatten(part) for part in inside[1]]
    leaves = [leaf for part, _ in parts for leaf in part]
    return leaves, lambda items: rebuilt(tree, [rebuild(items) for _, rebuild in parts])


def _flatten_array(array: Any) -> tuple[list[Any], Rebuild]:
    import numpy as np

    def rebuild(items: Iterator[Any]) -> Any:
        things = [next(items) for _ in range(array.size)]
        if all(isinstance(thing, float) for thing in things):
            return np.array(things, dtype=float).reshape(array.shape)
        if things and all(is_array(thing) for thing in things):  # a Jacobian: out.shape + in.shape
            return np.array(things).reshape(array.shape + things[0].shape)
        return as_array(things).reshape(array.shape)

    return list(array.ravel()), rebuild


def unflatten(rebuild: Rebuild, items: list[Any]) -> Any:
    """The tree with its numbers replaced by these items."""
    return rebuild(iter(items))


def split(tree: Any) -> tuple[list[Any], Rebuild]:
    """Like `flatten`, with whole arrays as leaves."""
    inside = children(tree)
    if inside is None:
        return [tree], next
    parts = [split(part) for part in inside[1]]
    leaves = [leaf for part, _ in parts for leaf in part]
    return leaves, lambda items: rebuilt(tree, [rebuild(items) for _, rebuild in parts])
