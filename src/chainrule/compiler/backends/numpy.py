"""The reference backend: programs on NumPy arrays, one instruction after another."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ops import Op, Variadic
from ...support.operands import Operand
from ..inputs import Inputs
from ..program import Instruction, Program, View
from ..reverse import Pull, Reverse, Zero, rows_of

Array = Any

# What NumPy has. All other rows are computed by their formulas, from these.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "pos": np.positive,
    "stop_gradient": np.positive,
    "abs": np.abs,
    "less": lambda x, y: np.less(x, y).astype(float),
    "less_equal": lambda x, y: np.less_equal(x, y).astype(float),
    "equal": lambda x, y: np.equal(x, y).astype(float),
    "where": lambda c, x, y: np.where(np.not_equal(c, 0.0), x, y),
    "pow": np.float_power,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "atan2": np.arctan2,
    "erf": np.vectorize(math.erf, otypes=[float]),
}
FUNCTIONS |= {
    name: getattr(np, name)
    for name in (
        *("exp", "expm1", "log", "log1p", "log2", "log10", "sqrt"),
        *("sin", "cos", "tan", "sinh", "cosh", "tanh"),
    )
}


class Numbers(Operand):
    """An array on which the formulas of the table can run."""

    def __init__(self, array: Array) -> None:
        self.array = array

    @staticmethod
    def _apply(op: Op, args: Any) -> Numbers:
        arrays = [a.array if isinstance(a, Numbers) else a for a in op.complete(args)]
        return Numbers(apply(op, arrays))


def apply(op: Op, arrays: list[Array]) -> Array:
    """One row of the table on arrays."""
    if op.name in FUNCTIONS:
        return FUNCTIONS[op.name](*arrays)
    return plain(op.forward(*map(Numbers, arrays)), arrays[0])


def plain(result: Any, like: Array) -> Array:
    """An array from what a formula gave: it may be a constant."""
    return result.array if isinstance(result, Numbers) else np.full(np.shape(like), float(result))


class Machine:
    """Runs one program, and the reverse one for adjoints."""

    def __init__(self, program: Program, reverse: Reverse | None = None) -> None:
        self.program, self.reverse = program, reverse

    def run(
        self,
        params: Array,
        inputs: Inputs,
        seed: Array | None = None,
        wanted: Sequence[int] = (),
        dtype: Any = np.float64,
    ) -> Results:
        """Values of all results for every sample; with a seed for the first, the adjoints too.

        `wanted` are the inputs whose adjoints are asked for, `dtype` is how numbers are stored
        in between.
        """
        with np.errstate(all="ignore"):
            run = _Run(self.program, params, inputs.rows(), dtype)
            for instruction in self.program.shared + self.program.each:
                run.execute(instruction)
            if seed is not None and self.reverse is not None:
                run.pull_all(self.reverse, seed)
        return Results(run, self.program, wanted)


class Results:
    """What a run gave."""

    def __init__(self, run: _Run, program: Program, wanted: Sequence[int]) -> None:
        self.outputs = [run.read(view) for view in program.outputs]
        self.guards = [run.read(view) for view in program.guards]
        self.param_adjoints = run.shared_adjoint[: program.params].copy()
        self.input_adjoints = run.each_adjoint[list(wanted)]


class _Run:
    """The memories of one run."""

    def __init__(self, program: Program, params: Array, inputs: Array, dtype: Any) -> None:
        self.samples = inputs.shape[1]
        self.shared = np.zeros(program.shared_rows, dtype)
        self.shared[: program.params] = params
        self.shared[program.params : program.params + len(program.constants)] = program.constants
        self.each = np.zeros((program.each_rows, self.samples), dtype)
        self.each[: program.inputs] = inputs
        self.shared_adjoint = np.zeros_like(self.shared)
        self.each_adjoint = np.zeros_like(self.each)
        self.outputs = program.outputs

    def read(self, view: View) -> Array:
        row = self.shared[view.start] if view.shared else self.each[view.start]
        return np.broadcast_to(row, self.samples).copy()

    def memory(self, shared: bool) -> Array:
        return self.shared if shared else self.each

    def adjoint(self, shared: bool) -> Array:
        return self.shared_adjoint if shared else self.each_adjoint

    def argument(self, view: View, count: int, terms: int | None = None) -> Array:
        """The numbers of an argument, for each row of the result (and each term)."""
        return self.memory(view.shared)[indices(view, count, terms)].astype(float, copy=False)

    def execute(self, instruction: Instruction) -> None:
        out = slice(instruction.out, instruction.out + instruction.count)
        self.memory(instruction.shared)[out] = self.compute(instruction)

    def compute(self, instruction: Instruction) -> Array:
        n, terms = instruction.count, instruction.terms
        if instruction.kind == "gather":
            return self.memory(instruction.shared)[list(instruction.rows)]
        if instruction.kind == "spread":
            return self.shared[list(instruction.rows)][:, None]
        if instruction.kind == "map":
            assert instruction.op is not None
            return apply(instruction.op, [self.argument(view, n) for view in instruction.args])
        if instruction.kind == "dense":
            a, x = self.sides(instruction)
            product = np.tensordot(a, x, 1)  # (r, c, samples)
            if len(instruction.args) == 3:
                start = self.argument(instruction.args[2], len(a))
                product += start.reshape(-1, *[1] * (product.ndim - 1))
            return product.reshape(n, *product.shape[2:])
        if instruction.kind == "dots":
            a, b = (self.argument(view, n, terms) for view in instruction.args)
            return (a * b).sum(1)
        if instruction.kind == "take":
            index, x = self.picked(instruction)
            return np.take_along_axis(x, index, 1)[:, 0]
        x = self.argument(instruction.args[0], n, terms)
        assert isinstance(instruction.op, Variadic)
        result = instruction.op.forward(*(Numbers(x[:, k]) for k in range(terms)))
        return plain(result, x[:, 0])

    def sides(self, instruction: Instruction) -> tuple[Array, Array]:
        """The matrices of a product: (r, k) and (k, c, ...)."""
        view_a, view_x = instruction.args[:2]
        a = self.argument(view_a, instruction.count // instruction.columns, instruction.terms)
        return a, self.argument(view_x, instruction.columns, instruction.terms).swapaxes(0, 1)

    def picked(self, instruction: Instruction) -> tuple[Array, Array]:
        """For each row and sample the index, and the numbers to choose from: (row, term, ...)."""
        n, terms = instruction.count, instruction.terms
        index = self.argument(instruction.args[0], n)
        wrong = index[~((index == np.floor(index)) & (index >= 0) & (index < terms))]
        if wrong.size:
            raise IndexError(f"take needs a whole number from 0 to {terms - 1}, got {wrong[0]:g}")
        x = self.argument(instruction.args[1], n, terms)
        if x.ndim <= index.ndim:  # shared numbers, for every sample
            x = np.broadcast_to(x[..., None], (*x.shape, self.samples))
        return index[:, None].astype(int), x

    # --- adjoints --------------------------------------------------------------------------------

    def pull_all(self, reverse: Reverse, seed: Array) -> None:
        (view,) = self.outputs
        if view.shared:
            self.shared_adjoint[view.start] += seed.sum()
        else:
            self.each_adjoint[view.start] = seed
            for step in reverse.each:
                self.pull(step)
        for step in reverse.shared:
            self.pull(step)

    def pull(self, step: Pull | Zero) -> None:
        if isinstance(step, Zero):
            self.each_adjoint[step.start : step.start + step.count] = 0.0
            return
        instruction, part = step.instruction, step.part
        out = slice(instruction.out, instruction.out + instruction.count)
        adjoint = self.adjoint(instruction.shared)[out]
        if instruction.kind == "spread":
            np.add.at(self.shared_adjoint, list(instruction.rows), adjoint.sum(1))
            return
        if instruction.kind == "gather":
            np.add.at(self.adjoint(instruction.shared), list(instruction.rows), adjoint)
            return
        view = instruction.args[part]
        share = self.share(instruction, part, adjoint)
        if view.shared and not instruction.shared:
            share = share.sum(-1)
        target = self.adjoint(view.shared)
        if step.assign:
            target[rows_of(view, instruction)] = 0.0
        single = instruction.kind == "map" or (instruction.kind == "dense" and part == 2)
        terms = None if single else instruction.terms
        np.add.at(target, indices(view, len(share), terms), share)

    def share(self, instruction: Instruction, part: int, adjoint: Array) -> Array:
        """What the adjoint of the result gives to an argument: (row, ...) or (row, term, ...)."""
        n, terms = instruction.count, instruction.terms
        if instruction.kind == "map":
            return self.share_of_map(instruction, part, adjoint)
        if instruction.kind == "dense":
            a, x = self.sides(instruction)
            columns = adjoint.reshape(-1, instruction.columns, *adjoint.shape[1:])  # (r, c, ...)
            if part == 2:
                return columns.sum(1)
            if part == 0:
                return np.einsum("rc...,kc...->rk...", columns, x)
            return np.einsum("rk,rc...->ck...", a, columns)
        if instruction.kind == "dots":
            return adjoint[:, None] * self.argument(instruction.args[1 - part], n, terms)
        if instruction.kind == "take":
            index, x = self.picked(instruction)
            share = np.zeros(x.shape)
            np.put_along_axis(share, index, adjoint[:, None], 1)
            return share
        x = self.argument(instruction.args[0], n, terms)
        out = self.memory(instruction.shared)[instruction.out : instruction.out + n]
        op = instruction.op
        assert isinstance(op, Variadic)
        numbers = [Numbers(x[:, k]) for k in range(terms)]
        partials = op.derivatives(numbers, Numbers(out), [True] * terms)
        share = adjoint[:, None] * np.stack([plain(p, out) for p in partials], 1)
        if instruction.mask is not None:
            share = np.where(self.argument(instruction.mask, n)[:, None] == 0.0, 0.0, share)
        return share

    def share_of_map(self, instruction: Instruction, part: int, adjoint: Array) -> Array:
        n, op = instruction.count, instruction.op
        assert op is not None
        partial = op.partials[part]
        assert partial is not None
        args = [Numbers(self.argument(view, n)) for view in instruction.args]
        out = self.memory(instruction.shared)[instruction.out : instruction.out + n]
        slope = plain(partial(*args, Numbers(out)), out)
        share = adjoint * slope
        if op.selects:
            share = np.where(slope == 0.0, 0.0, share)
        if instruction.mask is not None:
            share = np.where(self.argument(instruction.mask, n) == 0.0, 0.0, share)
        return share


def indices(view: View, count: int, terms: int | None = None) -> Array:
    """Row numbers of an argument, as an array of (row) or (row, term)."""
    rows = view.start + view.step * np.arange(count)
    return rows if terms is None else rows[:, None] + view.term_step * np.arange(terms)
