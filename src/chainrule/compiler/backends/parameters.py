"""Parameters as a tree of arrays with the model's names, as JAX takes them.

`layers.0.neurons.3.w.1` is `tree["layers"][0]["neurons"]["w"][3, 1]`: lists of items with the same
structure become axes of an array, up to two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

Array = Any
MOST_AXES = 2


class ParameterTree:
    """Maps parameters, by index, to their places in a tree."""

    def __init__(self, names: Sequence[str]) -> None:
        if len(set(names)) < len(names):
            raise ValueError("two parameters have the same name")
        self.names: list[str] = list(names)
        nested: dict[Any, Any] = {}
        for number, name in enumerate(names):
            *path, last = map(_word, name.split("."))
            place = nested
            for word in path:
                place = place.setdefault(word, {})
                if not isinstance(place, dict):
                    raise ValueError(f"{name} is inside another parameter")
            if last in place:
                raise ValueError(f"{name} is also the prefix of other parameters' names")
            place[last] = number
        self.places: Any = _gathered(nested)  # a tree of arrays of parameter indices

    def build(self, numbers: Array) -> Any:
        """Build the tree from one number per parameter."""
        return _map(lambda which: numbers[which], self.places)

    def leaves(self, tree: Any) -> list[tuple[Array, Any]]:
        """Each array of a tree, flattened, with the indices of its parameters."""
        return [
            (array.reshape(-1), np.asarray(which).reshape(-1))
            for array, which in _pairs(tree, self.places, "")
        ]

    def flatten(self, tree: Any) -> Array:
        """The numbers of a tree, in the order of the names."""
        result = np.full(len(self.names), np.nan)
        for array, which in self.leaves(tree):
            result[which] = np.asarray(array)
        return result


def names_of(step: Any, model: Any = None) -> list[str]:
    """The names of a compiled function's parameters: in the model, their labels, or their indices."""
    source = model if model is not None else step.function
    named = getattr(source, "named_parameters", None)
    known = {p: name for name, p in named()} if callable(named) else {}
    labels = [known.get(p) or p.label for p in step.params]
    if all(labels) and len(set(labels)) == len(labels):
        try:
            ParameterTree(labels)
        except ValueError:  # names such as a and a.0 do not form a tree
            pass
        else:
            return labels
    return [f"params.{i}" for i in range(len(labels))]


def _word(text: str) -> int | str:
    """A list index or a name."""
    return int(text) if text.isdecimal() and str(int(text)) == text else text


def _gathered(nested: Any) -> Any:
    """Turn dicts with the keys 0, 1, ... into lists, and lists of equal structure into arrays."""
    if not isinstance(nested, dict):
        return np.asarray(nested)
    items = {key: _gathered(item) for key, item in nested.items()}
    if not items or set(items) != set(range(len(items))):
        return {str(key): item for key, item in items.items()}
    listed = [items[i] for i in range(len(items))]
    stacked = _stacked(listed)
    return listed if stacked is None else stacked


def _stacked(items: list[Any]) -> Any:
    """Stack items of equal structure into one tree with an extra axis; None if they differ."""
    first = items[0]
    if isinstance(first, np.ndarray):
        alike = all(isinstance(x, np.ndarray) and x.shape == first.shape for x in items)
        return np.stack(items) if alike and first.ndim < MOST_AXES else None
    if not isinstance(first, dict) or any(
        not isinstance(x, dict) or x.keys() != first.keys() for x in items
    ):
        return None
    parts = {key: _stacked([x[key] for x in items]) for key in first}
    return None if any(part is None for part in parts.values()) else parts


def _map(function: Any, tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _map(function, item) for key, item in tree.items()}
    if isinstance(tree, list):
        return [_map(function, item) for item in tree]
    return function(tree)


def _pairs(tree: Any, places: Any, path: str) -> Iterator[tuple[Array, Any]]:
    if isinstance(places, dict):
        if not isinstance(tree, dict) or tree.keys() != places.keys():
            raise ValueError(
                f"the parameters at {path or 'the top'} must be a dict with the keys {list(places)}"
            )
        for key, item in places.items():
            yield from _pairs(tree[key], item, f"{path}.{key}" if path else key)
    elif isinstance(places, list):
        if not isinstance(tree, (list, tuple)) or len(tree) != len(places):
            raise ValueError(f"the parameters at {path} must be a list of length {len(places)}")
        for i, item in enumerate(places):
            yield from _pairs(tree[i], item, f"{path}.{i}")
    else:
        shape = getattr(tree, "shape", None)
        if shape != places.shape:
            raise ValueError(f"the parameters at {path} must have the shape {places.shape}, got {shape}")
        yield tree, places
