"""The arguments of a compiled function: batches of numbers, stored as rows, and what all samples share.

`batch` says where the samples are in each argument: the number of its batch axis, or None if all samples
share the argument. With several batch axes, they come first and broadcast without copying.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any, NamedTuple

import numpy as np

from ..support.tree import Rebuild, children, rebuilt, settings, split, unflatten
from ..value import Value

Array = Any
Axes = Any  # an int, None, or a tuple, list, dict or other tree of these, like the argument
MOST_AXES = 4
VECTOR = 64  # a longer vector is tried as one sample by its first two numbers


class GivenValuesError(TypeError):
    """An argument of a compiled function holds Values."""


class Inputs:
    """For every number in a sample, an array over the batch; all the arrays have the same shape.

    They are stored in blocks, whose first axis numbers the inputs: there may be a hundred thousand.
    """

    def __init__(self, blocks: Sequence[Array], shape: tuple[int, ...]) -> None:
        self.blocks = blocks
        self.shape = shape
        self.count: int = sum(map(len, blocks))
        self.samples: int = math.prod(shape)

    def rows(self) -> Array:
        """One array with a row for each input and a column for each sample."""
        result = np.empty((self.count, self.samples))
        if self.blocks:
            blocks = [block.reshape(len(block), self.samples) for block in self.blocks]
            np.concatenate(blocks, out=result)
        return result

    def chosen(self, index: Array) -> Inputs:
        """A subset of the samples."""
        rows = self.rows()[:, index]
        return Inputs([rows], (rows.shape[1],))

    def with_blocks(self, *blocks: Array) -> Inputs:
        """More inputs, after these."""
        return Inputs([*self.blocks, *blocks], self.shape)


class Leaf(NamedTuple):
    """One array of an argument."""

    array: Array  # its batch axes, if it has any, come first
    axis: int | None  # where the batch axis was in the argument; None if all samples share the array
    shared: bool  # whether its numbers are numbered among the shared ones, not among the inputs
    numbers: range
    shape: tuple[int, ...]  # of one sample

    @property
    def is_list(self) -> bool:
        return isinstance(self.array, Listed) and self.array.ndim > 0

    def sized(self, array: Array) -> Array:
        """An array over the samples and one sample's numbers, with its batch axis where it was."""
        return np.moveaxis(array, 0, self.axis) if self.axis else array


class Batch(Inputs):
    """The arguments of a call."""

    draws: Any = None  # the random numbers of the call, once it needs any

    def __init__(
        self, arguments: tuple[Any, ...], axes: int = 1, batch: Axes = 0, values: bool = False
    ) -> None:
        if not arguments:
            raise TypeError("a compiled function needs at least one array of samples")
        self.axes = axes
        self.names: tuple[str, ...] = ()  # of the last arguments, if they were passed by name
        self.order: Sequence[int] = range(len(arguments))  # positions among the function's arguments
        self.arguments: list[tuple[Any, Axes]] = [*zip(arguments, _each(batch, arguments), strict=True)]
        found = [_flatten(tree, spec, values) for tree, spec in self.arguments]
        arrays = [(array, axis) for leaves, _, _ in found for array, axis in leaves]
        if not arrays:
            raise TypeError("a batch needs at least one number for each sample, got none")
        self.single: bool = all(axis is None for _, axis in arrays)  # one sample, without a batch axis
        shape = (1,) * axes if self.single else _batch_shape(arrays, axes)
        blocks: list[Array] = []
        shared: list[Array] = []
        self.leaves: list[list[Leaf]] = []  # of each argument
        self.rebuilds: list[Rebuild] = [rebuild for _, rebuild, _ in found]
        counts = [0, 0]  # of inputs, and of shared numbers
        for each, _, _ in found:
            leaves = []
            for array, axis in each:
                own = array.shape if axis is None else array.shape[axes:]
                width = math.prod(own)
                is_shared = axis is None and not self.single
                place = range(counts[is_shared], counts[is_shared] + width)
                counts[is_shared] += width
                if is_shared:
                    shared.append(array.ravel())
                elif axis is None:
                    blocks.append(array.reshape(width, *shape))
                else:
                    flat = np.moveaxis(array.reshape(*array.shape[:axes], width), -1, 0)
                    blocks.append(np.broadcast_to(flat, (width, *shape)))
                leaves.append(Leaf(array, axis, is_shared, place, own))
            self.leaves.append(leaves)
        super().__init__(blocks, shape)
        self.shared: Array = np.concatenate([*shared, np.zeros(0)])  # the numbers that all samples share
        shapes = tuple(tuple(leaf.shape for leaf in leaves) for leaves in self.leaves)
        flags = tuple((leaf.axis, leaf.is_list) for leaves in self.leaves for leaf in leaves)
        kinds = tuple(_kind(tree, spec) for tree, spec in self.arguments)
        self.key: tuple[Any, ...] = (shapes, tuple(key for _, _, key in found), flags, kinds)

    def sample(self, i: int) -> list[Any]:
        """One sample: for each argument, a number, an array, nested lists, or dicts of these.

        The types match eager mode: a row of an array is an array, a row of a list is a list.
        """
        if not self.samples:
            raise ValueError("the batch is empty: tracing the function needs at least one sample")
        place = np.unravel_index(i, self.shape)
        result = []
        for leaves, rebuild in zip(self.leaves, self.rebuilds, strict=True):
            numbers = []
            for leaf in leaves:
                row = leaf.array
                if leaf.axis is not None:
                    row = row[tuple(k if n > 1 else 0 for k, n in zip(place, row.shape, strict=False))]
                numbers.append(row if row.ndim and not leaf.is_list else row.tolist())
            result.append(unflatten(rebuild, numbers))
        return result

    @property
    def sharing(self) -> list[bool]:
        """For each number of a sample, in order, whether all samples share it."""
        return [leaf.shared for leaves in self.leaves for leaf in leaves for _ in leaf.numbers]

    def gradient(self, leaf: Leaf, inputs: Array, shared: Array) -> Array:
        """The gradient of a leaf in its own shape, from those of all inputs and shared numbers."""
        numbers = slice(leaf.numbers.start, leaf.numbers.stop)
        if leaf.shared:
            return shared[numbers].reshape(leaf.array.shape)
        rows = inputs[numbers].reshape(len(leaf.numbers), *self.shape)
        if leaf.axis is None:
            return rows.reshape(leaf.array.shape)
        own = leaf.array.shape[: self.axes] or (1,) * self.axes
        repeated = tuple(k + 1 for k, n in enumerate(self.shape) if own[k] == 1 and n > 1)
        rows = rows.sum(repeated, keepdims=True) if repeated else rows
        return leaf.sized(np.moveaxis(rows, 0, -1).reshape(leaf.array.shape))

    def over_samples(self, rows: Array, dtype: Any) -> Any:
        """Numbers of all samples, (..., samples), with the batch axes first; or of the only sample."""
        if self.single:
            found = rows[..., 0]
            return found.astype(dtype) if found.ndim else float(found)
        first = rows if rows.ndim == 1 else np.moveaxis(rows, -1, 0)
        return np.asarray(first.reshape(*self.shape, *rows.shape[:-1]), dtype)

    def results(self, template: Any, rows: Array, dtype: Any) -> Any:
        """A return value from its template, with a row of numbers for each position."""
        leaves, rebuild = split(template)
        items = [
            self.over_samples(rows[leaf], dtype) if isinstance(leaf, (int, np.ndarray)) else leaf.thing
            for leaf in leaves
        ]
        return unflatten(rebuild, items)

    def mistaken_for_shared(self) -> str:
        """Describe a shared argument that looks like a batch; '' if there is none."""
        for k, leaves in enumerate(self.leaves):
            for leaf in leaves:
                if leaf.shared and leaf.shape and leaf.shape[0] == self.samples:
                    return (
                        f"argument {k} is shared by all samples (batch=None), but its shape is "
                        f"{leaf.shape}, with one entry for each sample: is batch=0 meant?"
                    )
        return ""

    def tried_as_one(self) -> Batch | None:
        """The arguments as one sample, if all are vectors or single numbers and could be meant so."""
        arrays = [leaf.array for leaves in self.leaves for leaf in leaves]
        if max((a.ndim for a in arrays), default=0) != 1 or self.samples < 2 or self.axes > 1:
            return None
        some = slice(None if self.samples <= VECTOR else 2)
        trees = [
            unflatten(rebuild, [leaf.array[some] if leaf.array.ndim else leaf.array for leaf in leaves])
            for leaves, rebuild in zip(self.leaves, self.rebuilds, strict=True)
        ]
        return Batch(tuple(trees), batch=None)


def leaves_of(key: Any) -> list[tuple[tuple[int, ...], int | None]]:
    """The shape of one sample of each array, and its batch axis, from the key of a batch."""
    shapes = [shape for shapes in key[0] for shape in shapes]
    return [(shape, axis) for shape, (axis, _) in zip(shapes, key[2], strict=True)]


def _batch_shape(arrays: Sequence[tuple[Array, int | None]], axes: int) -> tuple[int, ...]:
    """The shape of the batch axes of all arguments together."""
    batched = [array for array, axis in arrays if axis is not None]
    for array in batched:
        if 0 < array.ndim < axes:
            raise ValueError(
                f"a batch must have {axes} {'axis' if axes == 1 else 'axes'} for its samples, "
                f"got an array of shape {array.shape}"
            )
    leading = [array.shape[:axes] for array in batched if array.ndim]
    if not leading:
        raise ValueError(
            "a batch must have one entry for every sample, got only single numbers: use "
            "compile(f, batch=None) to call the function with numbers"
        )
    if axes > 1 and any(axis not in (0, None) for _, axis in arrays):
        raise ValueError(f"with axes={axes}, the batch axes come first: batch must be 0 or None")
    if axes == 1 and len(set(leading)) > 1:
        lengths = ", ".join(str(lead[0]) for lead in leading)
        raise ValueError(
            f"all arguments need the same number of samples, got {lengths}; use "
            f"compile(..., batch=(0, None, ...)) with None for an argument that all samples share"
        )
    try:
        return np.broadcast_shapes(*leading)
    except ValueError:
        raise ValueError(f"the batch axes of the arguments do not broadcast: {leading}") from None


def _each(batch: Axes, parts: Sequence[Any], names: Sequence[Any] = ()) -> Sequence[Axes]:
    """What `batch` says of each argument, or of each part of an argument."""
    if batch is None or isinstance(batch, int):
        return [batch] * len(parts)
    if isinstance(batch, Mapping):
        if set(batch) != set(names):
            raise ValueError(f"batch has the keys {list(batch)}, but the argument has {list(names)}")
        return [batch[name] for name in names]
    inside = children(batch)
    if inside is None:
        raise TypeError(f"batch must be an int or None for each argument, got {type(batch).__name__}")
    if len(inside[1]) != len(parts):
        raise ValueError(
            f"batch has {len(inside[1])} entries, but there are {len(parts)} arguments or parts"
        )
    return inside[1]


def _is_tree(tree: Any, batch: Axes) -> bool:
    """Whether an argument consists of several arrays, not of the numbers of one."""
    if isinstance(tree, dict) or is_dataclass(tree) or hasattr(tree, "_fields"):
        return True
    if not isinstance(tree, (list, tuple)) or not tree:
        return False
    if isinstance(batch, (list, tuple)) or any(_is_tree(part, None) for part in tree):
        return True
    arrays = any(isinstance(part, np.ndarray) for part in tree)
    if arrays and (isinstance(tree, tuple) or batch is None):
        return True
    return arrays and len({np.shape(part) for part in tree}) > 1


def aligned(tree: Any, like: Any, batch: Axes, what: str) -> list[Any]:
    """The parts of a tree that stand in the places of the arrays of an argument."""
    if not _is_tree(like, batch):
        return [tree]
    names, inside = children(like) or ((), ())
    given = children(tree)
    if given is None or set(given[0]) != set(names):
        raise ValueError(f"a {what} must have the structure of its argument, with {list(names)}")
    parts = dict(zip(*given, strict=True))
    specs = zip(names, inside, _each(batch, inside, names), strict=True)
    return [leaf for name, part, spec in specs for leaf in aligned(parts[name], part, spec, what)]


def _kind(tree: Any, batch: Axes) -> Any:
    """What a function can tell of an argument besides its numbers and names."""
    if not _is_tree(tree, batch):
        return None
    names, inside = children(tree) or ((), ())
    specs = _each(batch, inside, names)
    parts = tuple(_kind(part, spec) for part, spec in zip(inside, specs, strict=True))
    return type(tree), settings(tree), parts


def _flatten(
    tree: Any, batch: Axes, values: bool
) -> tuple[list[tuple[Array, int | None]], Rebuild, Any]:
    """The arrays of an argument with their batch axes, how to rebuild it, and its structure."""
    if not _is_tree(tree, batch):
        if batch is not None and not isinstance(batch, int):
            raise TypeError(f"batch must be an int or None for an array, got {type(batch).__name__}")
        return [_moved(_numbers(tree, values), batch)], next, None
    names, inside = children(tree) or ((), ())
    found = [
        _flatten(part, spec, values)
        for part, spec in zip(inside, _each(batch, inside, names), strict=True)
    ]

    def rebuild(items: Any) -> Any:
        return rebuilt(tree, [part(items) for _, part, _ in found])

    key = tuple(zip(names, (part for _, _, part in found), strict=True))
    return [leaf for leaves, _, _ in found for leaf in leaves], rebuild, key


def _moved(array: Array, axis: int | None) -> tuple[Array, int | None]:
    """Put the batch axis first; the axis, from 0."""
    if axis is None or not array.ndim:
        return array, axis if axis is None else 0
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(f"batch is {axis}, but the argument has the shape {array.shape}")
    return np.moveaxis(array, axis, 0), axis % array.ndim


class Listed(np.ndarray[Any, Any]):
    """An array that was passed as a list, so its samples become lists again."""


def _numbers(tree: Any, values: bool = False) -> Array:
    """The numbers of an argument; if `values`, Values may be among them."""
    if isinstance(tree, Value) and not values:
        raise GivenValuesError
    masked = sys.modules.get("numpy.ma")  # using np.ma would import it
    if masked is not None and isinstance(tree, masked.MaskedArray):
        raise TypeError("a batch must not have masked entries: fill them, or drop them")
    try:
        array = np.asarray(tree)
    except ValueError:
        raise TypeError(
            "a batch must be an array of real numbers, got lists of different lengths"
        ) from None
    if array.dtype.kind not in "biuf":
        if array.dtype.kind == "O" and any(isinstance(x, Value) for x in array.flat):
            if not values:
                raise GivenValuesError
            return array if isinstance(tree, np.ndarray) else array.view(Listed)
        kind = type(tree).__name__ if array.ndim == 0 else f"numbers of type {array.dtype}"
        raise TypeError(f"a batch must be an array of real numbers, got {kind}")
    numbers = np.require(array, float, "A")
    return numbers if isinstance(tree, np.ndarray) else numbers.view(Listed)
