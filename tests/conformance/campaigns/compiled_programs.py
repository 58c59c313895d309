"""Random programs compiled for every backend: batches of many sizes, instruction sets and threads.

All must agree with eager mode within the errors that it allows. Beyond that, a sample's results have the
same bits at any place of any batch and on any number of threads; but one sample, a few samples, and 8 or
more are computed by different kernels.
"""

import os
import random
from collections.abc import Sequence
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from chainrule import Value
from chainrule.compiler import compile as compile_program
from chainrule.compiler.tracing import TraceError
from chainrule.compiler.variants import NARROW
from chainrule.value import c_core

from .eager_programs import DisagreementError, Point, loaded, run, samples, starts, total
from .program_writer import Case

BACKENDS = ("numpy",) if c_core is None else ("native", "numpy")
SIMD = () if c_core is None else [*c_core._simd_kernels()]
SIZES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33)  # around the widths of vectors
MANY = 1001  # samples, enough work for several threads
THREADS = ("1", "2", "3")
MOST_PATHS = 6  # of a program that runs in JAX: XLA takes a second for each


class Results(NamedTuple):
    """What a batch gave."""

    each: Any  # a row per sample: the value, the outputs of a call, the gradients of the inputs
    grads: Any  # with respect to the parameters


def results(values: Sequence[Any], inputs: Any, grads: Any) -> Results:
    arrays = [np.asarray(array, float) for array in [*values, *leaves(inputs)]]
    each = np.concatenate([array.reshape(len(array), -1) for array in arrays], axis=1)
    return Results(each, np.asarray(grads, float).ravel())


class Steps:
    """A compiled program: one function for gradients, one for the outputs."""

    def __init__(self, case: Case, backend: str = "native", dtype: str = "float64") -> None:
        self.case, self.parameters = case, [Value(x) for x in starts(case)]
        program = loaded(case, self.parameters)
        options: Any = {"batch": 0, "backend": backend, "branches": 4096, "dtype": dtype}
        self.total = compile_program(total(case, program), self.parameters, **options)
        self.outputs = self.total
        if case.several:
            self.outputs = compile_program(program, self.parameters, **options)

    def __call__(self, points: Sequence[Point]) -> Results:
        batch = columns(self.case, [point.numbers for point in points])
        everything = ("params", *range(len(batch)))
        values, (grads, *inputs) = self.total.value_and_grad(*batch, argnums=everything)
        return results([values, *leaves(self.outputs(*batch))], inputs, grads)


def compiled(case: Case, points: Sequence[Point], backend: str, dtype: str = "float64") -> Steps:
    """Compile a program, and run batches of several sizes, each starting at another sample."""
    steps = run(case, f"compiling for {backend}, {dtype}", lambda: Steps(case, backend, dtype))
    rng = random.Random(case.seed)
    kinds = SIMD if backend == "native" else [""]
    ways = [(simd, "", size) for simd in kinds for size in (len(points), *rng.sample(SIZES, 2))]
    if backend == "native":
        ways += [("", threads, MANY) for threads in THREADS]
    known: dict[Any, Any] = {}
    for simd, threads, size in ways:
        chosen = (size + np.arange(size)) % len(points)
        batch = [points[i] for i in chosen]
        what = f"compiled for {backend} {simd}, {dtype}, {size} samples, threads: {threads or 'all'}"
        with mock.patch.dict(os.environ, CHAINRULE_SIMD=simd, CHAINRULE_THREADS=threads):
            found = run(case, what, lambda batch=batch: steps(batch))
        compare(case, what, batch, found, dtype)
        if backend == "native":
            # A branch splits a batch into smaller ones of unknown sizes.
            machine = (size > 1) + (size >= NARROW) if len(steps.total.traces()) == 1 else size
            rows = {(simd, machine, i): found.each[chosen == i] for i in set(chosen.tolist())}
            for key, row in [*rows.items(), ((simd, size), found.grads[None])]:
                bits = np.where(np.isnan(row), np.nan, row).view(np.int64)
                if (bits != known.setdefault(key, bits[0])).any():
                    raise DisagreementError(case, f"{what}: other bits than before", key, row)
    return steps


def columns(case: Case, numbers: Sequence[list[float]]) -> tuple[Any, ...]:
    """Arrange the samples as a batch."""
    table = np.array(numbers)
    if case.kind == "vector":
        return (table,)
    if case.kind == "scalar":
        return (table[:, 0],)
    if case.kind == "record":
        return ({"a": table[:, 0], "b": table[:, 1:]},)
    return table[:, :-1], table[:, -1]


def leaves(tree: Any) -> list[Any]:
    """The arrays of a tree, in order."""
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, (list, tuple)):
        return [array for each in tree for array in leaves(each)]
    return [tree]


def refused(case: Case) -> bool:
    """Whether compilation fails because of no_grad(), before anything is computed."""
    if "no_grad" not in case.source:
        return False
    batch = columns(case, samples(case, exact=True) + samples(case, exact=False))
    try:
        compile_program(loaded(case, starts(case)), [], branches=4096)(*batch)
    except TraceError as error:
        return "no_grad() inside a compiled function" in str(error)
    return False


def takes_part(case: Case) -> bool:
    """Whether a program has so few paths that XLA compiles it in a few seconds."""
    batch = columns(case, samples(case, exact=True) + samples(case, exact=False))
    try:
        step = Steps(case).total
        step(*batch)
    except TraceError:
        return False
    return len(step.traces()) <= MOST_PATHS


def on_jax(case: Case, points: Sequence[Point]) -> None:
    import jax

    jax.config.update("jax_enable_x64", True)
    if not takes_part(case):
        return
    steps = Steps(case)
    batch = columns(case, [point.numbers for point in points])
    function, outputs = steps.total.to_jax(*batch), steps.outputs.to_jax(*batch)

    def all_results(numbers: Any, given: Any) -> Any:
        results, pull = jax.vjp(function, numbers, given)
        return results, outputs(numbers, given), pull(jax.numpy.ones_like(results))

    values, called, (grads, inputs) = jax.jit(all_results)(function.initial(), batch)
    jax.clear_caches()  # every program is different
    flat = [float(x) for x in function.tree.flatten(grads)] if steps.parameters else []
    compare(case, "JAX", points, results([values, *leaves(called)], inputs, flat))


def compare(
    case: Case, what: str, points: Sequence[Point], found: Results, dtype: str = "float64"
) -> None:
    """Compare each sample's results, and the gradients of the parameters, which are summed over samples.

    A gradient must be eager mode's or, where that is infinite or NaN, the gradient of merged nodes.
    """
    eager = np.array([[p.value, *p.outputs, *p.grads] for p in points])
    merged = np.array([[p.value, *p.outputs, *p.merged] for p in points])
    rooms = np.array([p.rooms[dtype] for p in points])
    width = found.each.shape[1]
    for part, mine, choose in (
        ("a sample", found.each, lambda table: table[:, :width]),
        ("parameters", found.grads[None], lambda table: table[:, width:].sum(axis=0, keepdims=True)),
    ):
        with np.errstate(all="ignore"):
            right, other, room = map(choose, (eager, merged, rooms))
            good = same(mine, right) | (abs(mine - right) <= room) | np.isnan(room)
            good |= ~np.isfinite(right) & same(mine, other)
        if not good.all():
            i, k = np.argwhere(~good)[0]
            kind = "value" if part == "a sample" and k <= len(points[0].outputs) else "gradient"
            shown = float(mine[i, k]), float(right[i, k])
            at = points[i].numbers if part == "a sample" else [point.numbers for point in points]
            raise DisagreementError(case, f"{what}: {kind} of {part}", *shown, at)


def same(a: Any, b: Any) -> Any:
    return (a == b) | (np.isnan(a) & np.isnan(b))
