"""The arguments of a compiled function: batches of numbers, lists and dicts, stored as rows.

An argument is an array whose leading axes (one by default) are batch axes, which broadcast against
those of the other arguments without copying. A single number is the same for all samples.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..support.tree import unflatten
from ..value import Value

Array = Any
MOST_AXES = 4


class Inputs:
    """For every number in a sample, an array over the batch; all the arrays have the same shape.

    The arrays are stored in blocks. The first axis of a block numbers the inputs, of which there may be
    a hundred thousand.
    """

    def __init__(self, blocks: Sequence[Array], shape: tuple[int, ...]) -> None:
        self.blocks = blocks
        self.shape = shape
        self.count: int = sum(map(len, blocks))
        self.samples: int = math.prod(shape)

    def rows(self) -> Array:
        """One array with a row for each input and a column for each sample."""
        result = np.empty((self.count, self.samples))
        np.concatenate([block.reshape(len(block), self.samples) for block in self.blocks], out=result)
        return result

    def chosen(self, index: Array) -> Inputs:
        """A subset of the samples."""
        rows = self.rows()[:, index]
        return Inputs([rows], (rows.shape[1],))

    def addresses(self) -> Array:
        """The address and strides of each input, in the form that the virtual machine takes."""
        lines = np.empty((self.count, 1 + len(self.shape)), dtype=np.int64)
        first = 0
        for block in self.blocks:
            part = lines[first : first + len(block)]
            first += len(block)
            step, *strides = block.strides
            part[:, 0] = block.__array_interface__["data"][0] + step * np.arange(len(block))
            part[:, 1:] = strides
        return lines


class Batch(Inputs):
    """The arguments of a call."""

    def __init__(self, arguments: tuple[Any, ...], axes: int = 1) -> None:
        if not arguments:
            raise TypeError("a compiled function needs at least one array of samples")
        self.axes = axes
        self.trees: list[tuple[list[Array], Any, Any]] = [_flatten(tree) for tree in arguments]
        arrays = self.arrays()
        if not arrays:
            raise TypeError("a batch needs at least one number for each sample, got none")
        for array in arrays:
            if 0 < array.ndim < axes:
                raise ValueError(
                    f"a batch must have {axes} {'axis' if axes == 1 else 'axes'} for its samples, "
                    f"got an array of shape {array.shape}"
                )
        leading = [array.shape[:axes] for array in arrays if array.ndim]
        if not leading:
            raise ValueError("a batch must have one entry for every sample, got only single numbers")
        if axes == 1 and len(set(leading)) > 1:
            lengths = ", ".join(str(lead[0]) for lead in leading)
            raise ValueError(f"all arguments need the same number of samples, got {lengths}")
        try:
            shape = np.broadcast_shapes(*leading)
        except ValueError:
            raise ValueError(f"the batch axes of the arguments do not broadcast: {leading}") from None
        blocks: list[Array] = []
        count = 0
        self.parts: list[list[range]] = []  # for each argument, the inputs that each of its arrays holds
        for arrays, _, _ in self.trees:
            parts = []
            for array in arrays:
                width = math.prod(array.shape[axes:])
                flat = np.moveaxis(array.reshape(*array.shape[:axes], width), -1, 0)
                parts.append(range(count, count + width))
                count += width
                blocks.append(np.broadcast_to(flat, (width, *shape)))
            self.parts.append(parts)
        super().__init__(blocks, shape)
        shapes = tuple(tuple(array.shape[axes:] for array in arrays) for arrays, _, _ in self.trees)
        listed = tuple(isinstance(array, Listed) for array in self.arrays())
        self.key: tuple[Any, ...] = (shapes, tuple(key for _, _, key in self.trees), listed)

    def arrays(self) -> list[Array]:
        return [array for arrays, _, _ in self.trees for array in arrays]

    def sample(self, i: int) -> list[Any]:
        """One sample: for each argument, a number, an array, nested lists, or dicts of these.

        The types match eager mode: a row of an array is an array, a row of a list is a list.
        """
        if not self.samples:
            raise ValueError("the batch is empty: tracing the function needs at least one sample")
        place = np.unravel_index(i, self.shape)
        result = []
        for arrays, rebuild, _ in self.trees:
            numbers = []
            for array in arrays:
                own = tuple(k if n > 1 else 0 for k, n in zip(place, array.shape, strict=False))
                row = array[own]
                numbers.append(row if row.ndim and not isinstance(array, Listed) else row.tolist())
            result.append(unflatten(rebuild, numbers))
        return result

    def inputs_of(self, arguments: Sequence[int]) -> list[int]:
        """The inputs that belong to these arguments."""
        return [i for a in arguments for part in self.parts[a] for i in part]

    def gradients(self, arguments: Sequence[int], adjoints: Array) -> tuple[Any, ...]:
        """The adjoints of inputs, as arrays shaped like these arguments, summed over broadcast axes."""
        start, result = 0, []
        for a in arguments:
            arrays, rebuild, _ = self.trees[a]
            grads = []
            for array, part in zip(arrays, self.parts[a], strict=True):
                rows = adjoints[start : start + len(part)].reshape(len(part), *self.shape)
                start += len(part)
                own = array.shape[: self.axes] or (1,) * self.axes
                repeated = tuple(k + 1 for k, n in enumerate(self.shape) if own[k] == 1 and n > 1)
                rows = rows.sum(repeated, keepdims=True) if repeated else rows
                grads.append(np.moveaxis(rows, 0, -1).reshape(array.shape))
            result.append(unflatten(rebuild, grads))
        return tuple(result)


def _flatten(tree: Any) -> tuple[list[Array], Any, Any]:
    """The arrays of an argument, how to rebuild it, and a key for its structure."""
    if isinstance(tree, dict):
        keys = list(tree)
        parts = [_flatten(tree[key]) for key in keys]

        def rebuild(items: Any) -> Any:
            return dict(zip(keys, [part[1](items) for part in parts], strict=True))

        key = tuple(zip(keys, (part[2] for part in parts), strict=True))
        return [array for part in parts for array in part[0]], rebuild, key
    return [_numbers(tree)], next, None


class Listed(np.ndarray[Any, Any]):
    """An array that was passed as a list, so its samples become lists again."""


def _numbers(tree: Any) -> Array:
    if isinstance(tree, Value):
        raise TypeError("a compiled function takes arrays; for Values, call the original function")
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
        kind = type(tree).__name__ if array.ndim == 0 else f"numbers of type {array.dtype}"
        raise TypeError(f"a batch must be an array of real numbers, got {kind}")
    numbers = np.require(array, float, "A")
    return numbers if isinstance(tree, np.ndarray) else numbers.view(Listed)
