"""Flattens and rebuilds nested arguments: numbers in lists, tuples, dicts and NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .arrays import as_array, is_array

Rebuild = Callable[[Iterator[Any]], Any]


def flatten(tree: Any) -> tuple[list[Any], Rebuild]:
    """The numbers of a tree in order, and a function that rebuilds the tree from as many items."""
    if is_array(tree):
        return _flatten_array(tree)
    if isinstance(tree, dict):
        keys = list(tree)
        leaves, rebuild = flatten([tree[key] for key in keys])
        return leaves, lambda items: dict(zip(keys, rebuild(items), strict=True))
    if isinstance(tree, (list, tuple)):
        parts = [flatten(item) for item in tree]
        leaves = [leaf for part, _ in parts for leaf in part]
        return leaves, lambda items: _like(tree, [rebuild(items) for _, rebuild in parts])
    return [tree], next


def _like(tree: list[Any] | tuple[Any, ...], items: list[Any]) -> Any:
    if hasattr(tree, "_fields"):  # a namedtuple
        return type(tree)(*items)
    return tuple(items) if isinstance(tree, tuple) else items


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
