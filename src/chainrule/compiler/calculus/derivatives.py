"""Derivatives of a compiled function at a batch: gradients, Jacobians, Hessians and their products.

One pass over a derivative's program gives a product with one vector. A Jacobian or a Hessian takes one
pass for each direction or, if it is sparse, for each group of directions that do not overlap. With many
samples the directions run one after the other; with few they become samples themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from ...random.draws import with_draws
from ...support.caching import cached_property
from ...support.tree import children, split
from ..inputs import Batch, Inputs
from ..variants import NARROW, Variant, simplified
from . import sparsity
from .graphs import choose, forward, partials, weighted
from .layout import Columns, Part, filled, positions

Array = Any
Partition = list[tuple[Variant, Array]]  # the samples of each branch; None for all
AT_ONCE = 2**21  # numbers in the results of directions that run together
MOST_COLUMNS = 8  # with more, one program for all second derivatives would be too long
MOST_NODES = 20_000  # likewise, before common subexpressions are merged
FORWARD, REVERSE, SECOND = "forward", "reverse", "second"


class Step(Protocol):
    """What is needed of a compiled function."""

    reduction: Any
    dtype: Any

    def numbers(self, batch: Batch) -> Array: ...


class Derivatives:
    """One call of a compiled function that is to be differentiated."""

    def __init__(
        self, step: Step, batch: Batch, columns: Columns, has_aux: bool, partition: Partition
    ) -> None:
        self.step = step
        self.batch = batch
        self.columns = columns
        self.numbers: Array = step.numbers(batch)
        self.partition: Partition = partition
        self.kept_rows: dict[int, Array] = {}
        self.shape: str = self.partition[0][0].trace.shape
        for variant, _ in self.partition:
            variant.trace.check_shape(self.shape)
        template = self.partition[0][0].trace.template
        self.template: Any = template
        self.aux_template: Any = None
        if has_aux:
            if not isinstance(template, tuple) or len(template) != 2:
                raise TypeError("has_aux=True needs a function that returns a pair, (value, aux)")
            self.template, self.aux_template = template
        self.outputs: list[int] = positions(self.template)
        self.others: list[int] = positions(self.aux_template)
        mean = step.reduction == "mean" and not batch.single
        self.seed: float = 1.0 / batch.samples if mean else 1.0
        self.ins: tuple[int, ...] = columns.numbers(columns.inputs)
        self.shared: tuple[int, ...] = columns.numbers(columns.params)

    def pieces(self) -> Iterator[tuple[Variant, Any, Inputs]]:
        """The samples of each variant."""
        for variant, chosen in self.partition:
            part: Inputs = self.batch if chosen is None else self.batch.chosen(chosen)
            part = with_draws(part, variant.trace.sources, self.batch, chosen)
            yield variant, slice(None) if chosen is None else chosen, part

    def rows_of(self, variant: Variant, part: Inputs) -> Array:
        """The inputs of a variant's samples as rows, copied once for all directions."""
        if id(variant) not in self.kept_rows:
            self.kept_rows[id(variant)] = part.rows()
        return self.kept_rows[id(variant)]

    # --- trees ------------------------------------------------------------------------------------

    def results(self, template: Any, rows: Array) -> Any:
        """A return value with numbers from `rows`: a row for each output, a column for each sample."""
        return self.batch.results(template, rows, self.step.dtype)

    def over_samples(self, rows: Array) -> Any:
        """Numbers of all samples, (..., samples), with the batch axes first; or of the only sample."""
        return self.batch.over_samples(rows, self.step.dtype)

    @cached_property
    def aux(self) -> list[Any]:
        """The auxiliary results, to be appended to a result."""
        if self.aux_template is None:
            return []
        rows = np.empty((1 + max(self.others, default=-1), self.batch.samples))
        for variant, where, part in self.pieces():
            found = variant.machine(part.samples).run(self.numbers, part, dtype=self.step.dtype).outputs
            for i in self.others:
                rows[i, where] = found[i]
        return [self.results(self.aux_template, rows)]

    def like_argument(self, part: Part, array: Any) -> Any:
        """A derivative without a batch axis as a list, if the argument is a list."""
        return (
            array.tolist() if part.leaf is not None and part.leaf.is_list and np.ndim(array) else array
        )

    # --- one result -------------------------------------------------------------------------------

    @property
    def output(self) -> int:
        """The position of the only output."""
        if len(self.outputs) != 1:
            raise TypeError(
                f"a gradient or a Hessian needs a function that returns one Value, but this one returns "
                f"{len(self.outputs)}: use jacobian"
            )
        return self.outputs[0]

    def value_and_grad(self) -> tuple[Array, Array, Array]:
        """The value of each sample, and the gradients: a row for each input column, and shared ones."""
        wanted = self.ins
        values = np.empty(self.batch.samples)
        each = np.empty((len(wanted), self.batch.samples), self.step.dtype)
        total: Array = np.zeros(len(self.numbers))
        params, output = bool(self.shared), self.output
        for variant, where, part in self.pieces():
            if variant.pipeline.outputs == 1:
                machine = variant.machine(part.samples, wanted, params)
            else:
                source = variant.simplified
                machine = variant.derived(
                    ("one", output),
                    lambda source=source: choose(source, [output]),  # type: ignore[misc]
                    *((0, 0), part.samples, wanted, params),
                )
            seeds = np.full(part.samples, self.seed)
            found = machine.run(self.numbers, part, seeds, wanted, self.step.dtype)
            values[where] = found.outputs[0]
            each[:, where] = found.input_adjoints
            total = total + found.param_adjoints
        return values, each, total

    def gradient(self, each: Array, total: Array) -> Any:
        """The gradient as a tree; `each` has a row for each input column, `total` all shared numbers."""
        columns, batch = self.columns, self.batch
        everything = np.zeros((batch.count, batch.samples), self.step.dtype)
        everything[list(self.ins)] = each

        def of(part: Part) -> Any:
            if part.leaf is None:
                numbers = columns.number[part.columns]
                return total[numbers].astype(self.step.dtype, copy=False)
            array = batch.gradient(part.leaf, everything, total)
            if part.leaf.shared:
                array = array.astype(self.step.dtype, copy=False)
            if not array.ndim and batch.single:
                return float(array)
            return self.like_argument(part, array) if batch.single or part.shared else array

        return columns.arrange(of)

    # --- products with a vector -------------------------------------------------------------------

    def jvp(self, rows: Array) -> tuple[Array, Array]:
        """The outputs, and their derivatives along a direction: `rows` has a row for each column."""
        ins, count = self.ins, len(self.outputs)
        values, slopes = np.empty((2, count, self.batch.samples))
        for variant, where, part in self.pieces():
            machine = self.forward(variant, part.samples)
            new = rows[self.columns.inputs][:, where].reshape(len(ins), *part.shape)
            numbers = np.concatenate([self.numbers, rows[self.columns.params, 0]])
            found = machine.run(numbers, part.with_blocks(new), dtype=self.step.dtype).outputs
            values[:, where], slopes[:, where] = found[:count], found[count:]
        return values, slopes

    def forward(self, variant: Variant, samples: int) -> Any:
        outputs, ins, shared = self.outputs, self.ins, self.shared
        counts = variant.inputs, variant.count

        def graph() -> Any:
            return forward(choose(variant.simplified, outputs), ins, shared, counts)

        more = len(shared), len(ins)
        return variant.derived((FORWARD, tuple(outputs), ins, shared), graph, more, samples)

    def vjp(self, rows: Array) -> tuple[Array, Array, Array]:
        """The outputs, and the gradients of their sum, each weighted by a row of `rows`."""
        ins, shared, outputs = self.ins, self.shared, self.outputs
        values = np.empty((len(outputs), self.batch.samples))
        each = np.empty((len(ins), self.batch.samples), self.step.dtype)
        total: Array = np.zeros(len(self.numbers))
        for variant, where, part in self.pieces():
            first = variant.inputs

            def graph(variant: Variant = variant, first: int = first) -> Any:
                return weighted(choose(variant.simplified, outputs), first)

            key, more = (REVERSE, tuple(outputs)), (0, len(outputs))
            machine = variant.derived(key, graph, more, part.samples, ins, bool(shared))
            new = rows[:, where].reshape(len(outputs), *part.shape)
            seeds = np.ones(part.samples)
            found = machine.run(self.numbers, part.with_blocks(new), seeds, ins, self.step.dtype)
            for k, row in enumerate(found.guards):
                values[k, where] = row
            each[:, where] = found.input_adjoints
            total = total + found.param_adjoints
        return values, each, total

    def hvp(self, rows: Array) -> tuple[Array, Array]:
        """The gradients of the derivative along a direction."""
        ins = self.ins
        each = np.empty((len(ins), self.batch.samples), self.step.dtype)
        total: Array = np.zeros(len(self.numbers))
        for variant, where, part in self.pieces():
            machine = self.second(variant, part.samples)
            new = rows[self.columns.inputs][:, where].reshape(len(ins), *part.shape)
            numbers = np.concatenate([self.numbers, rows[self.columns.params, 0]])
            seeds = np.full(part.samples, self.seed)
            found = machine.run(numbers, part.with_blocks(new), seeds, ins, self.step.dtype)
            each[:, where] = found.input_adjoints
            total = total + found.param_adjoints[: len(self.numbers)]
        return each, total

    def second(self, variant: Variant, samples: int, careful: bool = False) -> Any:
        output, ins, shared = self.output, self.ins, self.shared
        counts = variant.inputs, variant.count

        def graph() -> Any:
            one = choose(variant.simplified, [output])
            return choose(forward(one, ins, shared, counts, careful=careful), [1])

        more = len(shared), len(ins)
        key = SECOND, output, ins, shared, careful
        return variant.derived(key, graph, more, samples, ins, bool(shared))

    # --- whole matrices ---------------------------------------------------------------------------

    def jacobian(self) -> Array:
        """All derivatives: (samples, outputs, columns)."""
        columns = self.columns.count
        result = np.empty((self.batch.samples, len(self.outputs), columns), self.step.dtype)
        if columns <= len(self.outputs):
            for c, slopes in self.along(FORWARD, np.eye(columns)):
                result[:, :, c] = slopes.T
        else:
            for k, grads in self.along(REVERSE, np.eye(len(self.outputs))):
                result[:, k] = grads.T
        return result

    def hessian(self) -> tuple[Array, Array]:
        """Second derivatives: (samples, columns, columns) with respect to what differs between samples,
        and (columns, columns) with respect to what they share.
        """
        count, samples = self.columns.count, self.batch.samples
        found = self.hessian_at_once()
        if found is not None:
            return found, np.zeros((count, count))
        each = np.zeros((samples if self.ins else 0, count, count), self.step.dtype)
        total = np.zeros((count, count), self.step.dtype)
        for c, (adjoints, shared) in self.along(SECOND, np.eye(count)):
            if self.ins:
                each[:, c] = adjoints.T
            total[c] = shared
        return each, total

    def hessian_at_once(self) -> Array | None:
        """All second derivatives of many samples from one program, in forward mode twice; every number
        of the first derivatives is computed once. None if that would be too long, or gives NaN.
        """
        count, samples, output, ins = self.columns.count, self.batch.samples, self.output, self.ins
        nodes = sum(len(variant.simplified) for variant, _ in self.partition)
        many = not 0 < count <= MOST_COLUMNS or nodes * count**2 > MOST_NODES
        if samples < NARROW or self.shared or many:
            return None
        # Where the first number is computed before the second, both have the same derivative.
        second = [count + max(i, j) * count + min(i, j) for i in range(count) for j in range(count)]
        found = np.empty((count * count, samples))
        for variant, where, part in self.pieces():

            def graph(variant: Variant = variant) -> Any:
                first = simplified(partials(choose(variant.simplified, [output]), ins, ()))
                slopes = simplified(choose(first, range(1, 1 + count)))
                return choose(partials(slopes, ins, ()), second)

            machine = variant.derived(("at once", output, ins), graph, (0, 0), part.samples)
            rows = machine.run(self.numbers, part, dtype=self.step.dtype).outputs
            if len(self.partition) == 1:
                found = np.asarray(rows)
            else:
                found[:, where] = rows
        if np.isnan(found).any():
            return None
        order = np.argsort(self.columns.inputs)
        matrices = np.moveaxis(found.reshape(count, count, samples), 2, 0)
        if (np.diff(order) < 0).any():
            matrices = matrices[:, order[:, None], order]
        if self.seed != 1.0:
            matrices *= self.seed
        return matrices.astype(self.step.dtype, copy=False)

    def sparse_jacobian(self) -> Any:
        """The matrix of all derivatives of the only sample, as a scipy.sparse.csr_array."""
        plan = self.plan(FORWARD)
        found = np.empty((len(plan.directions), plan.width), self.step.dtype)
        for k, row in self.along(FORWARD if plan.along else REVERSE, plan.directions):
            found[k] = row[:, 0]
        return plan.matrix(found)

    def sparse_hessian(self) -> Any:
        """The matrix of all second derivatives at the only sample, as a scipy.sparse.csr_array."""
        plan = self.plan(SECOND)
        found = np.empty((len(plan.directions), plan.width), self.step.dtype)
        for k, (row, _) in self.along(SECOND, plan.directions):
            found[k] = row[:, 0]
        return plan.matrix(found)

    def plan(self, kind: str) -> sparsity.Plan:
        """The pattern and its colours, found once for the branch that was taken."""
        if not self.batch.single:
            raise ValueError("sparse=True needs a function without a batch axis: compile(f, batch=None)")
        variant = self.partition[0][0]
        columns, second = self.columns, kind == SECOND
        key = kind, tuple(self.outputs), columns.is_param.tobytes(), columns.number.tobytes()
        if key not in variant.plans:
            find = sparsity.hessian if second else sparsity.jacobian
            rows, cols = find(variant.simplified, self.outputs, columns.is_param, columns.number)
            shape = columns.count if second else len(self.outputs), columns.count
            variant.plans[key] = sparsity.Plan(rows, cols, shape, symmetric=second)
        plan: sparsity.Plan = variant.plans[key]
        return plan

    # --- many directions --------------------------------------------------------------------------

    def along(self, kind: str, directions: Array) -> Iterator[tuple[int, Any]]:
        """The result for each direction: numbers for all columns or, in reverse, for all outputs.

        Where a derivative is NaN, a direction is tried again without the paths that it does not use.
        """
        for k, found in self.attempts(kind, directions, range(len(directions)), careful=False):
            numbers = found[0] if kind == SECOND else found
            if np.isnan(numbers).any() or (kind == SECOND and np.isnan(found[1]).any()):
                ((_, found),) = self.attempts(kind, directions, [k], careful=True)
            yield k, found

    def attempts(
        self, kind: str, directions: Array, chosen: Sequence[int], careful: bool
    ) -> Iterator[tuple[int, Any]]:
        samples = self.batch.samples
        width = self.columns.count + len(self.outputs)
        together = max(1, AT_ONCE // (samples * width)) if samples < NARROW or kind == REVERSE else 1
        for start in range(0, len(chosen), together):
            some = [*chosen[start : start + together]]
            yield from zip(some, self.stacked(kind, directions[some], careful), strict=True)

    def stacked(self, kind: str, directions: Array, careful: bool) -> Sequence[Any]:
        """The results for several directions, which become samples: (directions, samples) of each."""
        count, samples = len(directions), self.batch.samples
        ins, shared = self.ins, self.shared
        alone = count == 1 and samples >= NARROW and kind != REVERSE  # shared numbers stay shared
        width = len(self.outputs) if kind == FORWARD else self.columns.count
        found = np.empty((count, width, samples), self.step.dtype)
        totals = np.zeros((count, self.columns.count))
        order = np.concatenate([self.columns.inputs, self.columns.params])
        for variant, where, part in self.pieces():
            size = part.samples
            rows = self.rows_of(variant, part)
            blocks = [np.broadcast_to(rows[:, None], (len(rows), count, size))]
            numbers = self.numbers
            given = directions if kind == REVERSE else directions[:, order]
            if (
                kind != FORWARD and not alone
            ):  # gradients with respect to shared numbers, for each sample
                values = self.numbers[list(shared)]
                blocks.append(np.broadcast_to(values[:, None, None], (len(shared), count, size)))
            if alone and shared:
                numbers = np.concatenate([numbers, given[0, len(ins) :]])
                given = given[:, : len(ins)]
            new = given.T[:, :, None]
            blocks.append(np.broadcast_to(new, (len(new), count, size)))
            inputs = Inputs(blocks, (count, size))
            machine, wanted = self.machine(kind, variant, inputs.samples, alone, careful)
            seeds = (
                None if kind == FORWARD else np.full(count * size, 1.0 if kind == REVERSE else self.seed)
            )
            run = machine.run(numbers, inputs, seeds, wanted, self.step.dtype)
            if kind == FORWARD:
                slopes = np.reshape(run.outputs, (-1, count, size))[len(self.outputs) :]
                found[:, :, where] = np.moveaxis(slopes, 0, 1)
                continue
            adjoints = np.moveaxis(run.input_adjoints.reshape(-1, count, size), 0, 1)
            if alone:
                place = self.columns.inputs
                totals[0, self.columns.params] += run.param_adjoints[list(shared)]
                found[:, self.columns.params] = 0.0
            else:
                place = order
                totals[:, order] += adjoints.sum(2)
            at = np.ix_(range(count), place, np.arange(samples)[where])
            found[at] = adjoints
        return list(zip(found, totals, strict=True)) if kind == SECOND else list(found)

    def machine(
        self, kind: str, variant: Variant, samples: int, alone: bool, careful: bool
    ) -> tuple[Any, tuple[int, ...]]:
        """The machine for some directions, and the inputs whose gradients it computes."""
        ins, shared, outputs = self.ins, self.shared, self.outputs
        counts = variant.inputs, variant.count
        source = variant.simplified
        if alone and kind == SECOND:
            return self.second(variant, samples, careful), ins
        if kind == FORWARD:

            def ahead() -> Any:
                chosen = choose(source, outputs)
                return forward(chosen, ins, shared, counts, not alone, careful)

            more = (len(shared), len(ins)) if alone else (0, len(ins) + len(shared))
            key = "along", kind, tuple(outputs), ins, shared, alone, careful
            return variant.derived(key, ahead, more, samples), ()
        moved = tuple(range(counts[0], counts[0] + len(shared)))  # shared numbers as inputs
        first = counts[0] + len(shared)
        wanted = (*ins, *moved)

        def back() -> Any:
            if kind == REVERSE:
                return weighted(choose(source, outputs, (), shared, counts[0]), first, careful)
            one = choose(source, [self.output], (), shared, counts[0])
            return choose(forward(one, wanted, (), (first, counts[1]), False, careful), [1])

        more = 0, len(shared) + (len(outputs) if kind == REVERSE else len(wanted))
        key = "along", kind, tuple(outputs), ins, shared, False, careful
        return variant.derived(key, back, more, samples, wanted), wanted


def arranged_jacobian(call: Derivatives, matrix: Array) -> Any:
    """A Jacobian (samples, outputs, columns) as a tree like the outputs, of trees like the arguments."""
    place = np.zeros(1 + max(call.outputs, default=-1), int)
    place[call.outputs] = np.arange(len(call.outputs))

    def of_output(leaf: Any) -> Any:
        rows = place[np.asarray(leaf, int)]

        def of_part(part: Part) -> Any:
            block = matrix[:, rows.reshape(-1), part.columns]
            shape = (*np.shape(leaf), *part.shape)
            array = call.over_samples(np.moveaxis(block.reshape(len(block), *shape), 0, -1))
            return call.like_argument(part, array) if call.batch.single else array

        return call.columns.arrange(of_part)

    return filled(call.template, of_output)


def arranged_hessian(call: Derivatives, each: Array, total: Array) -> Any:
    """A Hessian as a tree like the arguments, of trees like the arguments."""

    def of_first(a: Part) -> Any:
        def of_second(b: Part) -> Any:
            shape = (*a.shape, *b.shape)
            if a.shared and b.shared:
                return call.like_argument(b, total[a.columns, b.columns].reshape(shape))
            block = each[:, a.columns, b.columns]
            if b.shared:
                block = np.swapaxes(each[:, b.columns, a.columns], 1, 2)
            array = call.over_samples(np.moveaxis(block.reshape(len(block), *shape), 0, -1))
            return call.like_argument(b, array) if call.batch.single else array

        return call.columns.arrange(of_second)

    return call.columns.arrange(of_first)


def weights_of(call: Derivatives, cotangents: Any) -> Array:
    """Cotangents, given as a tree like the outputs, in rows over the samples."""
    wanted = split(call.template)[0]
    given = _matched(cotangents, call.template)
    rows = np.empty((len(call.outputs), call.batch.samples))
    place = {k: i for i, k in enumerate(call.outputs)}
    batch_shape = () if call.batch.single else call.batch.shape
    for leaf, array in zip(wanted, given, strict=True):
        expected = (*batch_shape, *np.shape(leaf))
        numbers = np.asarray(array, float)
        if numbers.shape != expected:
            raise ValueError(f"a cotangent must have the shape {expected}, got {numbers.shape}")
        flat = numbers.reshape(call.batch.samples, -1).T
        for k, row in zip(np.ravel(leaf).tolist(), flat, strict=True):
            rows[place[k]] = row
    return rows


def _matched(tree: Any, template: Any) -> list[Any]:
    """The parts of a tree that stand in the places of a result's arrays and numbers."""
    inside = children(template)
    if inside is None:
        return [tree]
    given = children(tree)
    if given is None or set(given[0]) != set(inside[0]):
        raise ValueError("a cotangent must have the structure of the result")
    parts = dict(zip(*given, strict=True))
    return [leaf for name, part in zip(*inside, strict=True) for leaf in _matched(parts[name], part)]
