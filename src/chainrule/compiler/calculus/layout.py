"""What a derivative is taken with respect to, and the trees that hold it.

Numbers are counted in columns: those of each chosen argument in order, and of the parameters. A
derivative is computed for all columns at once and then arranged like the arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ...support.caching import cached_property
from ...support.tree import split, unflatten
from ..inputs import Batch, Leaf, aligned

Array = Any
PARAMS = "params"
Argnum = int | Literal["params"]
Argnums = Argnum | Sequence[Argnum] | None


class Part(NamedTuple):
    """One array of an argument, or the parameters: some columns."""

    columns: slice
    shape: tuple[int, ...]  # of one sample
    shared: bool  # whether it is the same for all samples
    leaf: Leaf | None  # None for the parameters


class Columns:
    """The numbers with respect to which a call is differentiated."""

    def __init__(self, batch: Batch, argnums: Argnums, named: int, names: Sequence[str]) -> None:
        self.batch = batch
        self.alone: bool = isinstance(argnums, (int, str)) or not isinstance(argnums, Sequence)
        given: Any = [argnums] if self.alone else argnums
        self.chosen: list[int | None] = [position(each, len(batch.leaves), names) for each in given]
        if len({*self.chosen}) < len(self.chosen):
            raise ValueError(f"argnums lists an argument twice: {argnums}")
        if self.alone and self.chosen == [None] and not named:
            raise ValueError("the function has no parameters to differentiate with respect to")
        self.parts: list[list[Part]] = []
        first = 0
        for argument in self.chosen:
            found = []
            leaves: list[Leaf | None] = [None] if argument is None else [*batch.leaves[argument]]
            for leaf in leaves:
                shape = (named,) if leaf is None else leaf.shape
                width = math.prod(shape)
                place = slice(first, first + width)
                found.append(Part(place, shape, leaf is None or leaf.shared, leaf))
                first += width
            self.parts.append(found)
        self.count = first
        self.is_param: Array = np.zeros(first, bool)
        self.number: Array = np.zeros(first, np.int32)
        for part in self.all_parts():
            shared = len(batch.shared)
            numbers = range(shared, shared + named) if part.leaf is None else part.leaf.numbers
            self.is_param[part.columns] = part.shared
            self.number[part.columns] = numbers

    def all_parts(self) -> Iterator[Part]:
        for parts in self.parts:
            yield from parts

    @cached_property
    def inputs(self) -> Array:
        """The columns that are inputs, in the order of their numbers."""
        return self._sorted(~self.is_param)

    @cached_property
    def params(self) -> Array:
        """The columns that are parameters or shared numbers, in the order of their numbers."""
        return self._sorted(self.is_param)

    def _sorted(self, which: Array) -> Array:
        columns = np.flatnonzero(which)
        return columns[np.argsort(self.number[columns], kind="stable")]

    def numbers(self, columns: Array) -> tuple[int, ...]:
        return tuple(self.number[columns].tolist())

    # --- trees ------------------------------------------------------------------------------------

    def arrange(self, of: Callable[[Part], Any]) -> Any:
        """Something for each part, arranged like the arguments."""
        trees = []
        for argument, parts in zip(self.chosen, self.parts, strict=True):
            rebuild: Any = next if argument is None else self.batch.rebuilds[argument]
            trees.append(unflatten(rebuild, [of(part) for part in parts]))
        return trees[0] if self.alone else tuple(trees)

    def rows_of(self, tangents: Any, what: str) -> Array:
        """A direction, given as a tree like the arguments: for each column, a row over the samples."""
        given = [tangents] if self.alone else list(tangents)
        if len(given) != len(self.chosen):
            plural = "" if len(self.chosen) == 1 else "s"
            raise ValueError(f"expected {len(self.chosen)} {what}{plural}, got {len(given)}")
        result = np.zeros((self.count, self.batch.samples))
        for tree, argument, parts in zip(given, self.chosen, self.parts, strict=True):
            leaves = [tree]
            if argument is not None:
                leaves = aligned(tree, *self.batch.arguments[argument], what)
            for array, part in zip(leaves, parts, strict=True):
                result[part.columns] = self._rows(np.asarray(array, float), part, what)
        return result

    def _rows(self, array: Array, part: Part, what: str) -> Array:
        leaf, width = part.leaf, math.prod(part.shape)
        expected = part.shape if leaf is None or leaf.axis is None else leaf.sized(leaf.array).shape
        if array.shape != tuple(expected):
            raise ValueError(
                f"a {what} must have the shape of its argument, {tuple(expected)}, got {array.shape}"
            )
        if leaf is None or leaf.axis is None:
            return array.reshape(width, 1)
        axes = self.batch.axes
        array = np.moveaxis(array, leaf.axis, 0) if leaf.axis else array
        flat = np.moveaxis(array.reshape(*array.shape[:axes], width), -1, 0)
        return np.broadcast_to(flat, (width, *self.batch.shape)).reshape(width, -1)


def position(given: Any, arguments: int, names: Sequence[str]) -> int | None:
    """The position of an argument from 0; None for the parameters."""
    if given == PARAMS:
        return None
    if isinstance(given, str) and given in names:
        given = names.index(given)
    if isinstance(given, bool) or not isinstance(given, int):
        raise TypeError(
            f"argnums must be positions of arguments or 'params', or a tuple of these, got {given!r}"
        )
    if not -arguments <= given < arguments:
        plural = "" if arguments == 1 else "s"
        raise TypeError(f"argnums is {given}, but the call has {arguments} argument{plural}")
    return given % arguments


def filled(template: Any, of: Callable[[Any], Any]) -> Any:
    """A return value from its template; `of` takes the position of a number, or an array of them."""
    leaves, rebuild = split(template)
    items = [of(leaf) if isinstance(leaf, (int, np.ndarray)) else leaf.thing for leaf in leaves]
    return unflatten(rebuild, items)


def positions(template: Any) -> list[int]:
    """The positions of the numbers in a template, in order."""
    leaves = [leaf for leaf in split(template)[0] if isinstance(leaf, (int, np.ndarray))]
    found: list[int] = []
    for leaf in leaves:
        found += [leaf] if isinstance(leaf, int) else leaf.ravel().tolist()
    return found
