"""Compares compiled random programs with the same programs in eager mode.

`python -m tests.conformance.campaigns.compiled_graphs COUNT SEED` runs a campaign;
append `jax` to test JAX.
"""

import math
import multiprocessing
import os
import random
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from tqdm import tqdm

from chainrule import Value, ops
from chainrule.compiler import compile
from chainrule.value import c_core

from . import random_graphs

BACKENDS = ("numpy",) if c_core is None else ("native", "numpy")
SAMPLES = (1, 3, 19)  # one, a few, and more than a vector
LIMIT = 1e-9  # relative to the sum of |contributions|, over a few hundred operations


def compare(seed: int, backends: Sequence[str] = BACKENDS) -> bool:
    """Compare one compiled program with eager mode.

    Some leaves are taken as inputs, the rest as parameters. Returns False if rounding errors explode, so
    that nothing can be compared.
    """
    rng = random.Random(seed)
    program = random_graphs.make(rng, Value)
    values = random_graphs.run(program, Value, lambda name, args: ops.BY_NAME[name](*args))
    leaves, out = values[: len(program.leaves)], values[-1]
    inputs = [leaf for i, leaf in enumerate(leaves) if i == 0 or rng.random() < 0.6]
    params = [leaf for leaf in leaves if leaf not in inputs]
    samples = rng.choice(SAMPLES)
    batch = [
        np.array([leaf.data + (rng.uniform(-1e-4, 1e-4) if k else 0.0) for k in range(samples)])
        for leaf in inputs
    ]
    points = [eager(program, values, inputs, params, [row[k] for row in batch]) for k in range(samples)]
    if any(point is None for point in points):
        return False
    for backend in backends:
        if backend == "jax":
            check(seed, backend, points, *on_jax(out, params, inputs, batch))
            continue
        step = compile(out, params, inputs=inputs, reduction="sum", backend=backend)
        total, (grads, *input_grads) = step.value_and_grad(
            *batch, argnums=("params", *range(len(batch)))
        )
        check(seed, backend, points, step(*batch), total, grads, input_grads)
    return True


def on_jax(out: Any, params: list[Any], inputs: list[Any], batch: list[Any]) -> tuple[Any, ...]:
    """The values, their sum, and its gradients with respect to parameters and inputs."""
    import jax

    jax.config.update("jax_enable_x64", True)
    function = compile(out, params, inputs=inputs).to_jax(*batch)

    def both(numbers: Any, batch: Any) -> Any:
        results, pull = jax.vjp(function, numbers, batch)
        return results, pull(jax.numpy.ones_like(results))

    results, (grads, input_grads) = jax.jit(both)(function.initial(), tuple(batch))
    jax.clear_caches()  # every graph is a different program
    return results, float(results.sum()), function.tree.flatten(grads), input_grads


Point = tuple[float, float, list[float], list[float], list[float], list[float]]


def eager(
    program: random_graphs.Program,
    values: list[Any],
    inputs: list[Any],
    params: list[Any],
    at: list[float],
) -> Point | None:
    """The value, its scale, the gradients and their scales; None where rounding errors explode."""
    for leaf, x in zip(inputs, at, strict=True):
        leaf.data = float(x)
    out = values[-1].forward()
    out.backward(reset=True)
    scale = dict(zip(values, random_graphs.sensitivity(program, values), strict=False))
    if not all(math.isfinite(s) and s < 1e6 for s in scale.values()):
        return None
    sizes = [max(1.0, scale[v]) for v in inputs], [max(1.0, scale[v]) for v in params]
    largest = max(1.0, *(abs(v.data) for v in values), *scale.values())
    return out.data, largest, [v.grad for v in inputs], [v.grad for v in params], *sizes


def check(
    seed: int, backend: str, points: list[Any], results: Any, total: float, grads: Any, input_grads: Any
) -> None:
    for k, (value, size, slopes, _, sizes, _) in enumerate(points):
        assert abs(results[k] - value) <= LIMIT * size, f"value: seed {seed}, {backend}"
        for array, expected, scale in zip(input_grads, slopes, sizes, strict=True):
            assert abs(array[k] - expected) <= LIMIT * scale, f"input gradient: seed {seed}, {backend}"
    assert abs(total - sum(p[0] for p in points)) <= LIMIT * sum(p[1] for p in points)
    for i, grad in enumerate(grads):
        expected, scale = sum(p[3][i] for p in points), sum(p[5][i] for p in points)
        assert abs(grad - expected) <= LIMIT * scale, f"gradient: seed {seed}, {backend}"


CHUNK = 200
QUICK = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"


def compare_some(seeds: range, backends: Sequence[str] = BACKENDS) -> int:
    return sum(compare(seed, backends) for seed in seeds)


if __name__ == "__main__":
    count, start, *names = sys.argv[1:]
    if names == ["jax"]:  # fast compilation matters more than fast execution
        os.environ.update(JAX_PLATFORMS="cpu", XLA_FLAGS=f"{os.environ.get('XLA_FLAGS', '')} {QUICK}")
    size = 10 if names else CHUNK
    end = int(start) + int(count)
    chunks = [range(first, min(first + size, end)) for first in range(int(start), end, size)]
    with multiprocessing.get_context("spawn").Pool() as pool:
        results = pool.imap_unordered(partial(compare_some, backends=names or BACKENDS), chunks)
        compared = sum(tqdm(results, total=len(chunks), unit=f" x {size} graphs", mininterval=10))
    engines = " and ".join(names or BACKENDS)
    print(f"{compared:,} of {int(count):,} random graphs agree, compiled for {engines}")
