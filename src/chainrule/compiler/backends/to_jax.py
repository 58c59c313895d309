"""`Compiled.to_jax`: a traced function as an ordinary JAX function of parameters and a batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...support.tree import unflatten
from ..inputs import Batch
from ..pipeline import Pipeline
from ..tracing import TraceError
from .parameters import ParameterTree, names_of

if TYPE_CHECKING:
    from ..compiled import Compiled
    from ..program import Program

Array = Any


class JaxFunction:
    """`f(params, batch)`: the results for every sample.

    `params` is a tree of arrays; `initial()` returns it with the current values. `batch` is the
    tuple of arguments, or the argument itself if there is only one. This is plain JAX: jit it,
    differentiate it, map it, shard it.
    """

    def __init__(self, step: Compiled[Any], batch: Sequence[Any], model: Any = None) -> None:
        from . import jax as backend

        self.backend: Any = backend
        self.step = step
        self.key, variant = traced_once(step, batch)
        self.rebuild: Any = variant.trace.rebuild
        self.tree: ParameterTree = ParameterTree(names_of(step, model))
        pipeline = Pipeline(variant.trace.graph)
        self.program: Program = pipeline.lowered(
            variant.count, variant.inputs, False, differentiated=True
        )
        self.__name__: str = getattr(step.function, "__name__", "compiled")

    def initial(self) -> Any:
        """The current values of the parameters, as JAX arrays."""
        jnp = self.backend.jnp
        numbers = jnp.asarray(self.step.numbers(), self.dtype)
        return self.tree.build(numbers)

    @property
    def dtype(self) -> Any:
        jax = self.backend.jax
        if self.step.dtype == "float64" and not jax.config.jax_enable_x64:
            raise TypeError(
                "JAX computes in single precision by default: call "
                'jax.config.update("jax_enable_x64", True) first, or use to_jax on a function that was '
                'compiled with dtype="float32"'
            )
        return self.step.dtype

    def __call__(self, params: Any, batch: Any) -> Any:
        jnp, dtype = self.backend.jnp, self.dtype
        arguments = batch if isinstance(batch, tuple) else (batch,)
        arrays = [jnp.asarray(array, dtype) for array in _arrays(arguments, self.key)]
        samples = max((array.shape[0] for array in arrays if array.ndim), default=1)
        inputs = []
        for array, shape in zip(arrays, (s for shapes in self.key[0] for s in shapes), strict=True):
            if array.shape[1:] != shape or (array.ndim and array.shape[0] != samples):
                raise ValueError(f"expected an array of shape {(samples, *shape)}, got {array.shape}")
            width = math.prod(shape)
            flat = array.reshape(samples if array.ndim else 1, width).T
            inputs.append((jnp.broadcast_to(flat, (width, samples)), width))
        leaves = self.tree.leaves(params)
        outputs = self.backend.run(self.program, leaves, inputs, samples, dtype)
        return unflatten(self.rebuild, outputs)


def traced_once(step: Compiled[Any], batch: Sequence[Any]) -> tuple[Any, Any]:
    """The key of the arguments' shapes, and the variant for it; raises if there are several variants."""
    if step.axes != 1:
        raise ValueError(f"only functions with one batch axis can be exported, not {step.axes} axes")
    if batch:
        made = Batch(tuple(batch))
        key, variants = made.key, step.variants_for(made)
    else:
        traced = [(key, found) for key, found in step.variants.items() if found]
        if len(traced) != 1:
            raise ValueError(
                f"the function was called with {len(traced)} different shapes, expected 1: pass arrays "
                f"of the shapes to export"
            )
        ((key, variants),) = traced
    if len(variants) > 1 or variants[0].trace.expected:
        raise TraceError(
            "a function that branches on Values has several programs and cannot be exported: write the "
            "branch as where(a < b, x, y)"
        )
    return key, variants[0]


def _arrays(arguments: Sequence[Any], key: Any) -> list[Any]:
    """The arrays of the arguments, in the order in which they were traced."""
    if len(arguments) != len(key[1]):
        raise TypeError(f"expected {len(key[1])} arguments in the batch, got {len(arguments)}")

    def walk(tree: Any, keys: Any) -> list[Any]:
        if keys is None:
            return [tree]
        names = [name for name, _ in keys]
        if not isinstance(tree, dict) or set(tree) != set(names):  # any order: jax.jit sorts keys
            given = f"the keys {list(tree)}" if isinstance(tree, dict) else type(tree).__name__
            raise TypeError(f"expected a dict with the keys {names} in the batch, got {given}")
        return [array for name, inner in keys for array in walk(tree[name], inner)]

    return [array for tree, keys in zip(arguments, key[1], strict=True) for array in walk(tree, keys)]
