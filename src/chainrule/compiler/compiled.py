"""`compile`: a function of one sample, made into one over batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..tree import flatten, unflatten
from ..value import Value
from . import backends, passes
from .graph import Graph
from .program import Program, lower
from .reverse import Reverse, reverse
from .tracing import Trace, built, trace

Array = Any

NARROW = 8  # samples below which rows are too short to be worth an instruction each
MOST_BRANCHES = 64
REDUCTIONS = ("mean", "sum", "none")


class Compiled:
    """A function over batches: call it, or ask it for `value_and_grad`.

    The first call with arrays of a new shape traces the function. Parameters are leaf Values;
    their `.data` is read at every call, so changing it needs no word.
    """

    def __init__(
        self,
        function: Any,
        params: Iterable[Value] | None = None,
        inputs: Iterable[Value] | None = None,
        reduction: str = "mean",
        backend: str | None = None,
        branches: int = MOST_BRANCHES,
    ) -> None:
        self.leaves = None if inputs is None else list(inputs)
        if self.leaves is None and not callable(function):
            raise TypeError(
                f"compile needs a function or a model, or a Value and inputs=[...], the leaves to vary; "
                f"got {type(function).__name__}"
            )
        if reduction not in REDUCTIONS:
            raise ValueError(f"reduction must be 'mean', 'sum' or 'none', got {reduction!r}")
        self.function = function
        self.params: list[Value] = list(params or [])
        self.known = params is not None
        for p in self.params:
            if not isinstance(p, Value) or not p.is_leaf:
                raise TypeError("params must be leaf Values, such as model.parameters()")
        self.reduction = reduction
        self.machine = backends.named(backend)
        self.branches = branches
        self.variants: dict[Any, list[_Variant]] = {}

    def __call__(self, *batch: Any) -> Any:
        """The results for every sample: arrays in the place of the Values that the function returns."""
        inputs = _Batch(batch)
        merged: list[Array] | None = None
        rebuild: Any = None
        for variant, chosen in self.partition(inputs):
            results = variant.run(self.numbers(), inputs.rows[:, chosen])
            if merged is None:
                merged = [np.empty(inputs.samples) for _ in results.outputs]
                rebuild = variant.trace.rebuild
            if len(results.outputs) != len(merged):
                raise TypeError("the function returns different numbers of values for different samples")
            for whole, part in zip(merged, results.outputs, strict=True):
                whole[chosen] = part
        assert merged is not None
        return unflatten(rebuild, merged)

    def value_and_grad(self, *batch: Any, inputs: bool = False) -> Any:
        """The loss over the batch and its gradient for the parameters, as an array.

        The function must return one Value. With `reduction='none'` the value is an array, and
        the gradient that of its sum. `inputs=True` adds the gradients for the arguments.
        """
        data = _Batch(batch)
        values = np.empty(data.samples)
        grads = np.zeros(0)
        input_grads = np.zeros_like(data.rows)
        seed = 1.0 / data.samples if self.reduction == "mean" else 1.0
        for variant, chosen in self.partition(data):
            rows = data.rows[:, chosen]
            results = variant.differentiate(self.numbers(), rows, seed, inputs)
            values[chosen] = results.outputs[0]
            grads = results.param_adjoints + (grads if len(grads) else 0.0)
            input_grads[:, chosen] = results.input_adjoints
        value: Any = values
        if self.reduction != "none":
            value = float(values.mean() if self.reduction == "mean" else values.sum())
        return (value, grads, data.trees(input_grads)) if inputs else (value, grads)

    def grad(self, *batch: Any) -> Array:
        """The gradient for the parameters alone."""
        return self.value_and_grad(*batch)[1]

    @property
    def program(self) -> str:
        """What was made of the code, for every shape and branch seen so far."""
        variants = [variant for each in self.variants.values() for variant in each]
        if not variants:
            return "not traced yet: call it with a batch first"
        return "\n\n".join(variant.describe() for variant in variants)

    def numbers(self) -> Array:
        """The parameters as they are now."""
        return np.array([p.data for p in self.params], dtype=float)

    # --- branches --------------------------------------------------------------------------------

    def partition(self, batch: _Batch) -> list[tuple[_Variant, Array]]:
        """Which samples run on which variant; new variants are traced as they are needed."""
        variants = self.variants.setdefault(batch.key, [])
        if not variants:
            self.trace(batch, 0, variants)
        waiting = np.arange(batch.samples)
        parts = []
        for number in range(self.branches + 1):
            if number == len(variants):
                self.trace(batch, int(waiting[0]), variants)
            variant = variants[number]
            fits = variant.fits(self.numbers(), batch.rows[:, waiting])
            if fits.any():
                parts.append((variant, slice(None) if fits.all() and not parts else waiting[fits]))
            waiting = waiting[~fits]
            if not len(waiting):
                return parts
        site = next((s for s in variants[-1].trace.sites[::-1]), "an unknown line")
        raise ValueError(
            f"the function takes more than {self.branches} different branches, the last one at {site}: "
            f"use where(a < b, x, y), which stays one program, or compile(..., branches=...)"
        )

    def trace(self, batch: _Batch, sample: int, variants: list[_Variant]) -> None:
        found = len(self.params)
        if self.leaves is not None:
            if len(self.leaves) != len(batch.rows):
                raise ValueError(f"{len(self.leaves)} inputs were named, got numbers for {len(batch.rows)}")
            result = built(self.function, self.leaves, self.params, self.known)
        else:
            result = trace(self.function, batch.sample(sample), self.params, self.known)
        if len(self.params) > found:  # programs made before have a shorter list of parameters
            for each in self.variants.values():
                for variant in each:
                    variant.count = len(self.params)
                    variant.machines.clear()
        variants.append(_Variant(result, len(self.params), len(batch.rows), self.machine))


class _Batch:
    """The arguments of a call: a row for every number of a sample, a column for every sample."""

    def __init__(self, batch: tuple[Any, ...]) -> None:
        if not batch:
            raise TypeError("a compiled function needs at least one array of samples")
        self.shapes: list[Any] = []
        self.rebuilds: list[Any] = []
        rows: list[Array] = []
        lengths: set[int] = set()
        for tree in batch:
            arrays, rebuild = flatten_arrays(tree)
            self.rebuilds.append(rebuild)
            self.shapes.append(tuple(array.shape[1:] for array in arrays))
            lengths |= {len(array) for array in arrays}
            rows += [array.reshape(len(array), -1).T for array in arrays]
        if len(lengths) != 1:
            raise ValueError(f"all arguments need the same number of samples, got {sorted(lengths)}")
        (self.samples,) = lengths
        if not self.samples:
            raise ValueError("the batch is empty: there is no sample to trace the function with")
        self.rows = np.ascontiguousarray(np.concatenate(rows) if rows else np.zeros((0, self.samples)))
        self.key = str([(shapes, str(flatten_keys(tree))) for shapes, tree in zip(self.shapes, batch)])

    def trees(self, rows: Array) -> tuple[Any, ...]:
        """Arrays of the shapes of the arguments, from a row for every number of a sample."""
        start, result = 0, []
        for shapes, rebuild in zip(self.shapes, self.rebuilds, strict=True):
            arrays = []
            for shape in shapes:
                size = int(np.prod(shape, dtype=int))
                arrays.append(rows[start : start + size].T.reshape(self.samples, *shape))
                start += size
            result.append(unflatten(rebuild, arrays))
        return tuple(result)

    def sample(self, i: int) -> list[Any]:
        """One sample: for each argument a tree of numbers and nested lists of them."""
        trees = self.trees(self.rows)
        return [_pick(tree, i) for tree in trees]


def _pick(tree: Any, i: int) -> Any:
    if isinstance(tree, np.ndarray):
        return tree[i].tolist()
    if isinstance(tree, dict):
        return {key: _pick(item, i) for key, item in tree.items()}
    return type(tree)(_pick(item, i) for item in tree)


def flatten_keys(tree: Any) -> Any:
    """The shape of a tree without its arrays."""
    if isinstance(tree, dict):
        return {key: flatten_keys(item) for key, item in tree.items()}
    return "array"


def flatten_arrays(tree: Any) -> tuple[list[Array], Any]:
    """The arrays of an argument: itself, or those in a dict."""
    if isinstance(tree, dict):
        keys = list(tree)
        parts = [flatten_arrays(tree[key]) for key in keys]

        def rebuild(items: Any) -> Any:
            return dict(zip(keys, [each(items) for _, each in parts], strict=True))

        return [array for arrays, _ in parts for array in arrays], rebuild
    return [_numbers(tree)], next


def _numbers(tree: Any) -> Array:
    try:
        array = np.asarray(tree)
        if array.dtype == object or not (array.dtype.kind in "biuf"):
            raise ValueError
        array = array.astype(float)
    except (ValueError, TypeError):
        raise TypeError(
            f"a batch must be an array of real numbers, got {type(tree).__name__}"
        ) from None
    if array.ndim == 0:
        raise ValueError("a batch must have one entry for every sample, got a single number")
    return array


@dataclass
class _Variant:
    """One trace with its programs: for many samples and for few, with and without gradients."""

    trace: Trace
    count: int  # parameters
    inputs: int
    maker: Any

    def __post_init__(self) -> None:
        self.graph: Graph = passes.optimise(self.trace.graph)
        self.machines: dict[Any, Any] = {}
        self.programs: dict[tuple[bool, bool], Program] = {}

    def lowered(self, samples: int, differentiated: bool = False) -> Program:
        key = samples < NARROW, differentiated
        program = self.programs.get(key)
        if program is None or program.params != self.count:
            graph = passes.with_masks(self.graph) if differentiated else self.graph
            program = self.programs[key] = lower(graph, self.count, self.inputs, samples < NARROW)
        return program

    def run(self, params: Array, rows: Array) -> Any:
        return self.made(rows.shape[1], None).run(params, rows)

    def differentiate(self, params: Array, rows: Array, seed: float, inputs: bool) -> Any:
        if len(self.graph.outputs) != 1:
            raise TypeError(
                f"value_and_grad needs a function that returns one Value, this one returns "
                f"{len(self.graph.outputs)}"
            )
        return self.made(rows.shape[1], inputs).run(params, rows, np.full(rows.shape[1], seed))

    def made(self, samples: int, inputs: bool | None) -> Any:
        key = (samples < NARROW, inputs)
        if key not in self.machines:
            program = self.lowered(samples, inputs is not None)
            back: Reverse | None = None
            if inputs is not None:
                back = reverse(program, True, inputs)
            self.machines[key] = self.maker(program, back)
        return self.machines[key]

    def fits(self, params: Array, rows: Array) -> Array:
        """Which samples take the branches of this trace."""
        if not self.trace.expected:
            return np.ones(rows.shape[1], dtype=bool)
        guards = self.run(params, rows).guards
        pairs = zip(guards, self.trace.expected, strict=True)
        return np.logical_and.reduce([(guard != 0.0) == expected for guard, expected in pairs])

    def describe(self) -> str:
        traced = len(self.trace.graph.nodes)
        program = self.lowered(NARROW)
        steps = len(program.shared) + len(program.each)
        head = f"{traced} nodes traced, {len(self.graph.nodes)} after the passes, {steps} instructions"
        return f"{head}\n{program}"


def compile(
    function: Any,
    params: Iterable[Value] | None = None,
    *,
    inputs: Iterable[Value] | None = None,
    reduction: str = "mean",
    backend: str | None = None,
    branches: int = MOST_BRANCHES,
) -> Compiled:
    """Make a function of one sample into one over batches, as fast as the machine allows.

    Arguments:
        function: a function of numbers and lists or dicts of them, or a model, written for one
            sample with Values. Or a Value already computed, with `inputs`.
        params: the leaf Values to differentiate for; found by themselves if None.
        inputs: for a Value already computed, the leaves that differ from sample to sample.
        reduction: what `value_and_grad` does with the losses of the samples: 'mean', 'sum', 'none'.
        backend: 'native' or 'numpy'; native if the C core was built.
        branches: how many different ways through the function there may be.

    >>> step = chainrule.compile(lambda x, y: (model(x) - y) ** 2, params=model.parameters())
    >>> value, grads = step.value_and_grad(X, Y)

    """
    return Compiled(function, params, inputs, reduction, backend, branches)
