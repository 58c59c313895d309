"""A program as a function of arrays: each instruction's result is one array, never a memory.

For engines that take whole programs, such as JAX and ONNX. A `Target` says how arrays are sliced,
joined and computed with; here is only which rows of which arrays an instruction reads. Arrays of
shared numbers have the shape (rows,), all others (rows, samples).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ...ops import Op, Variadic
from ..program import Instruction, Program, View
from .numpy import indices

Array = Any


class Target(Protocol):
    """What an engine can do with arrays; rows are the first axis."""

    def rows(self, x: Array, which: np.ndarray[Any, Any]) -> Array: ...
    def join(self, parts: Sequence[Array]) -> Array: ...
    def shape(self, x: Array, *sizes: int) -> Array:
        """Split the first axis into axes of these sizes."""

    def swap(self, x: Array) -> Array:
        """Exchange the first two axes."""

    def spread(self, x: Array) -> Array:
        """Shared numbers for every sample: (rows,) to (rows, samples)."""

    def constant(self, numbers: Sequence[float]) -> Array: ...
    def apply(self, op: Op, args: Sequence[Array]) -> Array: ...
    def fold(self, op: Variadic, x: Array) -> Array:
        """Over the second axis."""

    def product(self, sizes: tuple[int, int, int], a: Array, x: Array, start: Array | None) -> Array:
        """(r, k) times (k, c, ...), with start(r) added: (r c, ...), for sizes r, k, c."""

    def dots(self, a: Array, b: Array) -> Array:
        """The sums of products over the second axis."""

    def take(self, x: Array, index: Array, shared: bool, terms: int) -> Array:
        """Of (rows, terms, ...) the term that the index of each sample says; `shared` says x is.

        NaN where the index is not a whole number from 0 to terms - 1.
        """


class Segments:
    """Runs a program on a target; `params` are arrays with the numbers of the rows they hold."""

    def __init__(
        self,
        program: Program,
        target: Target,
        params: Sequence[tuple[Array, Any]],
        inputs: Sequence[Array],
        masks: Any = None,
    ) -> None:
        self.program, self.target, self.masks = program, target, masks
        self.arrays: tuple[list[Array], list[Array]] = ([], [])  # of each sample, and shared
        self.sizes: tuple[list[int], list[int]] = ([], [])
        rows = program.each_rows, program.shared_rows
        self.array_of = tuple(np.full(n, -1, dtype=np.int64) for n in rows)
        self.place_of = tuple(np.zeros(n, dtype=np.int64) for n in rows)
        for array, which in params:
            self.put(True, np.asarray(which), array)
        if program.constants:
            first = program.params
            which = np.arange(first, first + len(program.constants))
            self.put(True, which, target.constant(program.constants))
        first = 0
        for array, count in inputs:
            self.put(False, np.arange(first, first + count), array)
            first += count
        for instruction in (*program.shared, *program.each):
            which = np.arange(instruction.out, instruction.out + instruction.count)
            self.put(instruction.shared, which, self.compute(instruction))

    def put(self, shared: bool, which: np.ndarray[Any, Any], array: Array) -> None:
        self.array_of[shared][which] = len(self.arrays[shared])
        self.place_of[shared][which] = np.arange(len(which))
        self.arrays[shared].append(array)
        self.sizes[shared].append(len(which))

    def read(self, shared: bool, which: np.ndarray[Any, Any]) -> Array:
        """These rows as one array: as it is if they are all of it and in order, else put together."""
        arrays, places = self.array_of[shared][which], self.place_of[shared][which]
        if arrays.min(initial=0) < 0:
            raise ValueError("a row is read before it is computed, or a parameter is missing")
        breaks = np.flatnonzero(np.diff(arrays)) + 1
        parts = []
        for run, place in zip(np.split(arrays, breaks), np.split(places, breaks), strict=True):
            whole = self.arrays[shared][run[0]]
            size = self.sizes[shared][run[0]]
            same = len(place) == size and np.array_equal(place, np.arange(size))
            parts.append(whole if same else self.target.rows(whole, place))
        return parts[0] if len(parts) == 1 else self.target.join(parts)

    def argument(self, view: View, count: int, terms: int | None = None) -> Array:
        """(row, ...) or (row, term, ...)."""
        if terms is None:
            return self.read(view.shared, indices(view, count if view.step else 1))
        which = indices(view, count, terms)
        if terms > 1 and count > 1 and view.step < view.term_step:  # one after another the other way
            flat = self.read(view.shared, which.T.ravel())
            return self.target.swap(self.target.shape(flat, terms, count))
        return self.target.shape(self.read(view.shared, which.ravel()), count, terms)

    def arguments(self, instruction: Instruction) -> list[Array]:
        """Of a map. A row that all results use is read once, unless all inputs are such rows."""
        n, views = instruction.count, instruction.args
        found = [self.argument(view, n) for view in views]
        if not any(view.step for view in views):
            found[0] = self.read(views[0].shared, indices(views[0], n))
        return found

    def compute(self, instruction: Instruction) -> Array:
        n, terms, target = instruction.count, instruction.terms, self.target
        if instruction.kind == "gather":
            return self.read(instruction.shared, np.array(instruction.rows))
        if instruction.kind == "spread":
            return target.spread(self.read(True, np.array(instruction.rows)))
        if instruction.kind == "map":
            assert instruction.op is not None
            return target.apply(instruction.op, self.arguments(instruction))
        if instruction.kind == "dense":
            view_a, view_x, *start = instruction.args
            lines = n // instruction.columns
            a = self.argument(view_a, lines, terms)
            x = target.swap(self.argument(view_x, instruction.columns, terms))
            first = self.argument(start[0], lines) if start else None
            return target.product((lines, terms, instruction.columns), a, x, first)
        if instruction.kind == "dots":
            a, b = (self.argument(view, n, terms) for view in instruction.args)
            return target.dots(a, b)
        if instruction.kind == "take":
            index, x = instruction.args
            return target.take(self.argument(x, n, terms), self.argument(index, 1), x.shared, terms)
        assert isinstance(instruction.op, Variadic)
        return target.fold(instruction.op, self.argument(instruction.args[0], n, terms))

    def outputs(self) -> list[Array]:
        """One array of samples for each result; shared ones are the same for all."""
        found = []
        for view in self.program.outputs:
            row = self.read(view.shared, np.array([view.start]))
            found.append(self.target.spread(row) if view.shared else row)
        return found
