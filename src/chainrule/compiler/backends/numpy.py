"""The reference backend: runs programs on NumPy arrays, one instruction at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ops import TABLE, Op
from ..inputs import Inputs
from ..instructions import (
    Argument,
    Dense,
    Dots,
    Fold,
    Gather,
    Instruction,
    Map,
    Spread,
    Take,
    View,
    unrolled,
)
from ..program import Program
from ..reverse import Pull, Reverse, Zero, followed
from .operands import Numbers, columns

Array = Any

# Rows that are computed directly. All others are computed by their formulas in terms of these.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "pos": np.positive,
    "stop_gradient": np.positive,
    "less": lambda x, y: np.less(x, y).astype(float),
    "less_equal": lambda x, y: np.less_equal(x, y).astype(float),
    "equal": lambda x, y: np.equal(x, y).astype(float),
    "where": lambda c, x, y: np.where(np.not_equal(c, 0.0), x, y),
    "pow": np.float_power,
    "erf": np.vectorize(math.erf, otypes=[float]),
}
SAME = "abs floor fmod exp expm1 log log1p log2 log10 sqrt sin cos tan sinh cosh tanh"
FUNCTIONS |= {name: getattr(np, name) for name in SAME.split()}
FUNCTIONS |= {  # arcsin, arctan2, ...
    op.name: getattr(np, name) for op in TABLE for name in op.aliases if hasattr(np, name)
}


class NumpyNumbers(Numbers):
    """A NumPy array."""

    @staticmethod
    def apply(op: Op, arrays: Sequence[Array]) -> Array:
        if op.name in FUNCTIONS:
            return FUNCTIONS[op.name](*arrays)
        return NumpyNumbers.run(op.forward, arrays, arrays[0])

    @staticmethod
    def plain(result: Any, like: Array) -> Array:
        return result.array if isinstance(result, Numbers) else np.full(np.shape(like), float(result))


class Machine:
    """Runs one program, and its reverse program for adjoints."""

    def __init__(self, program: Program, reverse: Reverse | None = None) -> None:
        self.program = program
        self.params: int = program.params
        self.reverse = reverse

    def run(
        self,
        params: Array,
        inputs: Inputs,
        seed: Array | None = None,
        wanted: Sequence[int] = (),
        dtype: Any = np.float64,
    ) -> Results:
        """All results for every sample; given a seed for the only result, the adjoints too.

        `wanted` lists the inputs whose adjoints are needed; `dtype` is the type in which intermediate
        numbers are stored.
        """
        with np.errstate(all="ignore"):
            run = _Run(self.program, params, inputs.rows(), dtype)
            for instruction in unrolled([*self.program.shared, *self.program.each]):
                run.execute(instruction)
            if seed is not None and self.reverse is not None:
                run.pull_all(self.reverse, seed)
        return Results(run, self.program, wanted)


class Results:
    """The results of a run."""

    def __init__(self, run: _Run, program: Program, wanted: Sequence[int]) -> None:
        self.outputs: list[Array] = [run.read(view) for view in program.outputs]
        self.guards: list[Array] = [run.read(view) for view in program.guards]
        self.param_adjoints: Any = run.shared_adjoint[: program.params].copy()
        self.input_adjoints: Any = run.each_adjoint[list(wanted)]


class _Run:
    """The memory regions of one run, for values and for adjoints."""

    def __init__(self, program: Program, params: Array, inputs: Array, dtype: Any) -> None:
        self.samples: int = inputs.shape[1]
        self.shared: Array = np.zeros(program.shared_rows, dtype)
        self.shared[: program.params] = params
        self.shared[program.params : program.params + len(program.constants)] = program.constants
        self.each: Array = np.zeros((program.each_rows, self.samples), dtype)
        self.each[: program.inputs] = inputs
        self.shared_adjoint: Array = np.zeros_like(self.shared)
        self.each_adjoint: Array = np.zeros_like(self.each)
        self.outputs: list[View] = program.outputs

    def read(self, view: View) -> Array:
        row = self.shared[view.start] if view.shared else self.each[view.start]
        return np.broadcast_to(row, self.samples).copy()

    def memory(self, shared: bool) -> Array:
        return self.shared if shared else self.each

    def adjoint(self, shared: bool) -> Array:
        return self.shared_adjoint if shared else self.each_adjoint

    def argument(self, argument: Argument) -> Array:
        """The numbers of an argument, for each row of the result (and each term)."""
        return self.memory(argument.view.shared)[indices(argument)].astype(float, copy=False)

    def arguments(self, instruction: Instruction) -> list[Array]:
        return [self.argument(argument) for argument in instruction.arguments]

    def results(self, memory: Array, instruction: Instruction) -> Array:
        return memory[instruction.writes.start : instruction.writes.stop]

    def execute(self, instruction: Instruction) -> None:
        self.results(self.memory(instruction.shared), instruction)[:] = self.compute(instruction)

    def compute(self, instruction: Instruction) -> Array:
        match instruction:
            case Gather(shared=shared, rows=rows):
                return self.memory(shared)[list(rows)]
            case Spread(rows=rows):
                return self.shared[list(rows)][:, None]
            case Map(op=op):
                return NumpyNumbers.apply(op, self.arguments(instruction))
            case Dense():
                a, x, *start = self.arguments(instruction)
                product = np.tensordot(a, x.swapaxes(0, 1), 1)  # (r, c, samples)
                if start:
                    product += start[0].reshape(-1, *[1] * (product.ndim - 1))
                return product.reshape(len(instruction.writes), *product.shape[2:])
            case Dots():
                a, b = self.arguments(instruction)
                return (a * b).sum(1)
            case Take():
                index, x = self.picked(instruction)
                return np.take_along_axis(x, index, 1)[:, 0]
            case Fold(op=op):
                parts = self.arguments(instruction)
                return NumpyNumbers.run(op.forward, columns(parts), parts[0][:, 0])
        raise TypeError(f"NumPy cannot compute {instruction}")

    def picked(self, instruction: Take) -> tuple[Array, Array]:
        """The index of each sample, and the numbers to choose from: (row, term, ...)."""
        index, x = self.arguments(instruction)
        terms = instruction.terms
        wrong = index[~((index == np.floor(index)) & (index >= 0) & (index < terms))]
        if wrong.size:
            raise IndexError(f"take needs a whole number from 0 to {terms - 1}, got {wrong[0]:g}")
        if x.ndim <= index.ndim:  # shared numbers, the same for every sample
            x = np.broadcast_to(x[..., None], (*x.shape, self.samples))
        return index[:, None].astype(int), x

    # --- adjoints --------------------------------------------------------------------------------

    def pull_all(self, reverse: Reverse, seed: Array) -> None:
        (view,) = self.outputs
        if view.shared:
            self.shared_adjoint[view.start] += seed.sum()
        else:
            self.each_adjoint[view.start] = seed
            for step in followed(reverse.each):
                self.pull(step)
        for step in followed(reverse.shared):
            self.pull(step)

    def pull(self, step: Pull | Zero) -> None:
        match step:
            case Zero(rows=rows):
                self.each_adjoint[rows.start : rows.stop] = 0.0
            case Pull(instruction=instruction, part=part, target=target):
                memory = self.adjoint(target.shared)
                adjoint = self.results(self.adjoint(instruction.shared), instruction)
                share = self.share(instruction, part, adjoint)
                if target.shared and not instruction.shared:
                    share = share.sum(-1)
                if step.assign:
                    memory[list(target.rows)] = 0.0
                copied = isinstance(instruction, Gather | Spread)
                places = list(target.rows) if copied else indices(instruction.arguments[part])
                np.add.at(memory, places, share)

    def share(self, instruction: Instruction, part: int, adjoint: Array) -> Array:
        """The contribution of the result's adjoint to an argument: (row, ...) or (row, term, ...)."""
        match instruction:
            case Gather() | Spread():
                return adjoint
            case Map():
                return self.share_of_map(instruction, part, adjoint)
            case Fold():
                return self.share_of_fold(instruction, part, adjoint)
            case Dense(columns=columns):
                a, x, *_ = self.arguments(instruction)
                adjoint = adjoint.reshape(-1, columns, *adjoint.shape[1:])  # (r, c, ...)
                if part == 2:
                    return adjoint.sum(1)
                if part == 0:
                    return np.einsum("rc...,ck...->rk...", adjoint, x)
                return np.einsum("rk,rc...->ck...", a, adjoint)
            case Dots():
                return adjoint[:, None] * self.argument(instruction.arguments[1 - part])
            case Take():
                index, x = self.picked(instruction)
                share = np.zeros(x.shape)
                np.put_along_axis(share, index, adjoint[:, None], 1)
                return share
        raise TypeError(f"NumPy cannot differentiate {instruction}")

    def share_of_fold(self, instruction: Fold, part: int, adjoint: Array) -> Array:
        out = self.results(self.memory(instruction.shared), instruction)
        slopes = NumpyNumbers.slopes(instruction.op, self.arguments(instruction), part, out)
        share = adjoint[:, None] * np.stack(slopes, 1)
        if instruction.masking is not None:
            share = np.where(self.argument(instruction.masking)[:, None] == 0.0, 0.0, share)
        return share

    def share_of_map(self, instruction: Map, part: int, adjoint: Array) -> Array:
        partial = instruction.op.partials[part]
        assert partial is not None
        out = self.results(self.memory(instruction.shared), instruction)
        slope = NumpyNumbers.run(partial, [*self.arguments(instruction), out], out)
        share = adjoint * slope
        if instruction.op.selects:
            share = np.where(slope == 0.0, 0.0, share)
        if instruction.masking is not None:
            share = np.where(self.argument(instruction.masking) == 0.0, 0.0, share)
        return share


def indices(argument: Argument) -> Array:
    """The row indices of an argument, as an array of shape (rows,) or (rows, terms)."""
    view = argument.view
    rows = view.start + view.step * np.arange(argument.count)
    if argument.terms is None:
        return rows
    return rows[:, None] + view.term_step * np.arange(argument.terms)
