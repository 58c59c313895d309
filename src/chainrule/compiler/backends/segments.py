"""A program as a function of arrays: each instruction's result is a separate array.

This is for systems that take whole programs, such as JAX and ONNX. A `Target` implements slicing,
joining, arithmetic and loops; this file only decides which rows of which arrays an instruction reads.
Arrays of shared numbers have the shape (rows,), all others (rows, samples).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from ...ops import Op, Variadic
from ..instructions import (
    Argument,
    Code,
    Dense,
    Dots,
    Fold,
    Gather,
    Instruction,
    Loop,
    Map,
    Spread,
    Take,
)
from ..program import Program
from .numpy import indices
from .scans import Plan

Array = Any

MOST_SLICES = 16  # rows of an iteration that are sliced one by one; more are copied by their indices


class Target(Protocol):
    """The array operations of a system; rows are the first axis."""

    def rows(self, x: Array, which: np.ndarray[Any, Any]) -> Array: ...
    def join(self, parts: Sequence[Array]) -> Array: ...
    def shape(self, x: Array, *sizes: int) -> Array:
        """Split the first axis into axes of these sizes."""

    def swap(self, x: Array) -> Array:
        """Swap the first two axes."""

    def spread(self, x: Array) -> Array:
        """Broadcast shared numbers over the samples: (rows,) to (rows, samples)."""

    def constant(self, numbers: Sequence[float]) -> Array: ...
    def apply(self, op: Op, args: Sequence[Array]) -> Array: ...
    def fold(self, op: Variadic, parts: Sequence[Array], terms: int) -> Array:
        """Reduce over the second axis; element k consists of term k of each array."""

    def product(self, sizes: tuple[int, int, int], a: Array, x: Array, start: Array | None) -> Array:
        """(r, k) times (k, c, ...), plus start(r): (r c, ...), for sizes r, k, c."""

    def dots(self, a: Array, b: Array) -> Array:
        """Sums of products over the second axis."""

    def take(self, x: Array, index: Array, shared: bool, terms: int) -> Array:
        """Take from x, of shape (rows, terms, ...), the term at each sample's index; x may be shared.

        The result is NaN where the index is not an integer from 0 to terms - 1.
        """

    def full(self, x: Array, shared: bool) -> Array:
        """An array whose shape and type do not depend on how it was computed."""

    def scan(
        self, body: Body, start: Array | None, slices: Sequence[Array], count: int
    ) -> tuple[Array | None, Array | None]:
        """Run a loop; iteration t takes entry t of the first axis of each of the slices.

        Returns what the last iteration leaves, and the rows that all iterations keep, in order.
        """


# Takes what the iteration before left, and the slices; returns what this one leaves and keeps, if any.
Body = Callable[[Array | None, Sequence[Array]], tuple[Array | None, Array | None]]


class Segments:
    """Runs a program on a target; `params` are pairs of an array and the rows it holds."""

    def __init__(
        self,
        program: Program,
        target: Target,
        params: Sequence[tuple[Array, Any]],
        inputs: Sequence[Array],
        masks: Any = None,
    ) -> None:
        self.prepare(program, target, masks)
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
        self.run([*program.shared, *program.each])

    def prepare(self, program: Program, target: Any, masks: Any) -> None:
        """Start without any rows."""
        self.program = program
        self.target = target
        self.masks = masks
        self.arrays: tuple[list[Array], list[Array]] = ([], [])  # per sample, and shared
        self.sizes: tuple[list[int], list[int]] = ([], [])
        rows = program.each_rows, program.shared_rows
        self.array_of: Any = tuple(np.full(n, -1, dtype=np.int64) for n in rows)
        self.place_of: Any = tuple(np.zeros(n, dtype=np.int64) for n in rows)

    def run(self, code: Sequence[Code]) -> None:
        for k, each in enumerate(code):
            if isinstance(each, Loop):
                self.scan(each, code[k + 1 :])
            else:
                self.put(each.shared, np.array(each.writes), self.compute(each))

    def scan(self, loop: Loop, later: Sequence[Code]) -> None:
        """Run a loop; keep of each iteration only what later code reads."""
        plan, target, shared = Plan(loop, self.program, later), self.target, loop.shared
        still = {region: self.read(region, rows) for region, rows in plan.still.items()}
        moving = [self.moving(loop, *key, rows) for key, rows in plan.moving.items()]
        start = None
        if loop.carried:
            start = target.full(self.read(shared, loop.start + np.arange(loop.carried)), shared)

        def iteration(carried: Array | None, slices: Sequence[Array], masks: Any) -> Segments:
            made: Segments = type(self).__new__(type(self))
            made.prepare(plan.body, target, masks)
            for region, rows in plan.still.items():
                made.put(region, rows, still[region])
            for ((region, step), rows), array in zip(plan.moving.items(), slices, strict=True):
                made.put(region, plan.place(step, rows), array)
            if loop.carried:
                made.put(shared, plan.own(np.arange(loop.carried)), carried)
            made.run(plan.code)
            return made

        def body(carried: Array | None, slices: Sequence[Array]) -> tuple[Array | None, Array | None]:
            made = iteration(carried, slices, None)
            if self.masks is not None and any(each.masking is not None for each in loop.body):
                made = iteration(carried, slices, made)

            def result(places: Array) -> Array | None:
                return target.full(made.read(shared, plan.own(places)), shared) if len(places) else None

            return result(loop.width + np.arange(loop.carried)), result(plan.kept)

        last, kept = target.scan(body, start, moving, loop.count)
        if len(plan.kept):
            rows = loop.start + loop.width * np.arange(loop.count)[:, None] + plan.kept
            self.put(shared, rows.ravel(), kept)
        if loop.carried:
            self.put(shared, loop.start + loop.width * loop.count + np.arange(loop.carried), last)

    def moving(self, loop: Loop, region: bool, step: int, rows: Any) -> Array:
        """Rows that move from iteration to iteration, with one entry of the first axis for each."""
        target, times = self.target, step * np.arange(loop.count)
        flat = (rows + times[:, None]).ravel()
        if len(rows) > MOST_SLICES or len(set(np.diff(flat).tolist())) < 2:
            return target.shape(self.read(region, flat), loop.count, len(rows))
        each = target.join([self.read(region, row + times) for row in rows])
        return target.swap(target.shape(each, len(rows), loop.count))

    def put(self, shared: bool, which: np.ndarray[Any, Any], array: Array) -> None:
        self.array_of[shared][which] = len(self.arrays[shared])
        self.place_of[shared][which] = np.arange(len(which))
        self.arrays[shared].append(array)
        self.sizes[shared].append(len(which))

    def read(self, shared: bool, which: np.ndarray[Any, Any]) -> Array:
        """These rows as one array: an existing one if it has exactly these rows, else assembled."""
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

    def argument(self, argument: Argument) -> Array:
        """An argument, (row, ...) or (row, term, ...); a row that all results use is read once."""
        view, count, terms = argument.view, argument.count, argument.terms
        if terms is None:
            return self.read(view.shared, np.array(argument.rows))
        which = indices(argument)
        if terms > 1 and count > 1 and view.step < view.term_step:  # consecutive along terms instead
            flat = self.read(view.shared, which.T.ravel())
            return self.target.swap(self.target.shape(flat, terms, count))
        return self.target.shape(self.read(view.shared, which.ravel()), count, terms)

    def arguments(self, instruction: Instruction) -> list[Array]:
        return [self.argument(argument) for argument in instruction.arguments]

    def arguments_of_map(self, instruction: Map) -> list[Array]:
        """The arguments; at least one has as many rows as the result, even if all its rows are equal."""
        found = self.arguments(instruction)
        if not any(view.step for view in instruction.args):
            first = instruction.arguments[0]
            found[0] = self.read(first.view.shared, indices(first))
        return found

    def compute(self, instruction: Instruction) -> Array:
        target = self.target
        match instruction:
            case Gather(shared=shared, rows=rows):
                return self.read(shared, np.array(rows))
            case Spread(rows=rows):
                return target.spread(self.read(True, np.array(rows)))
            case Map(op=op):
                return target.apply(op, self.arguments_of_map(instruction))
            case Dense(lines=lines, terms=terms, columns=columns):
                a, x, *start = self.arguments(instruction)
                first = start[0] if start else None
                return target.product((lines, terms, columns), a, target.swap(x), first)
            case Dots():
                return target.dots(*self.arguments(instruction))
            case Take(x=x, terms=terms):
                index, numbers = self.arguments(instruction)
                return target.take(numbers, index, x.shared, terms)
            case Fold(op=op, terms=terms):
                return target.fold(op, self.arguments(instruction), terms)
        raise TypeError(f"cannot compute {instruction} on whole arrays")

    def outputs(self) -> list[Array]:
        """One array over the samples for each result; a shared result is the same for all samples."""
        found = []
        for view in self.program.outputs:
            row = self.read(view.shared, np.array([view.start]))
            found.append(self.target.spread(row) if view.shared else row)
        return found
