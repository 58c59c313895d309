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


def matched(tree: Any, like: Any, what: str, places: str) -> list[Any]:
    """The numbers of a tree, in the order of those of a tree with the same structure; parts with names
    are matched by name.
    """
    wanted, given = len(flatten(like)[0]), flatten(tree)[0]
    if len(given) != wanted:
        raise ValueError(f"one {what} is needed for each of the {wanted} {places}, got {len(given)}")
    theirs, ours = children(like), children(tree)
    if is_array(tree) and is_array(like) and tree.shape != like.shape:
        raise ValueError(f"a {what} must have the shape {like.shape}, got {tree.shape}")
    if theirs is None or ours is None:
        return given
    if set(ours[0]) != set(theirs[0]):
        raise ValueError(f"a {what} must have the parts {list(theirs[0])}, got {list(ours[0])}")
    parts = dict(zip(*ours, strict=True))
    pairs = zip(*theirs, strict=True)
    return [x for name, part in pairs for x in matched(parts[name], part, what, places)]


def stacked(trees: Sequence[Any], like: Any, shape: tuple[int, ...]) -> Any:
    """One tree instead of several of the same structure: each number, each array and each list of
    numbers becomes an array or a list of this shape, with the shape that it had.
    """
    import numpy as np

    inside = children(like)
    is_list = isinstance(like, (list, tuple)) and not hasattr(like, "_fields")
    try:
        own = np.shape(like) if inside is None or (is_list and _is_numbers(like)) else None
    except ValueError:  # lists of different lengths
        own = None
    if own is None:
        parts = [children(tree) or ((), ()) for tree in trees]
        columns = ([part[1][k] for part in parts] for k in range(len((inside or ((), ()))[1])))
        pairs = zip(columns, (inside or ((), ()))[1], strict=True)
        return rebuilt(like, [stacked(column, part, shape) for column, part in pairs])
    numbers = [x for tree in trees for x in flatten(tree)[0]]
    plain = all(isinstance(x, float) for x in numbers)
    array = (np.array(numbers, dtype=float) if plain else as_array(numbers)).reshape(*shape, *own)
    return array if inside is None else array.tolist()


def _is_numbers(tree: Any) -> bool:
    """Whether a list consists of numbers, or of lists of numbers."""
    if isinstance(tree, (list, tuple)) and not hasattr(tree, "_fields"):
        return all(map(_is_numbers, tree))
    return children(tree) is None and not is_array(tree)
