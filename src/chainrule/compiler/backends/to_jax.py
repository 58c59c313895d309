"""`Compiled.to_jax`: a traced function as an ordinary JAX function of parameters and a batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...support.tree import children
from ..calculus.layout import filled
from ..inputs import leaves_of
from ..pipeline import Pipeline, pipeline
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
        self.template: Any = variant.trace.template
        self.tree: ParameterTree = ParameterTree(names_of(step, model))
        stages = pipeline(variant.one_sample(self.key), None)
        inputs = variant.inputs + variant.shared
        assert isinstance(stages, Pipeline)
        self.program: Program = stages.lowered(variant.params, inputs, False, differentiated=True)
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
        leaves = leaves_of(self.key)
        batched = [
            array.shape[axis]
            for array, (_, axis) in zip(arrays, leaves, strict=True)
            if array.ndim and axis is not None
        ]
        samples = max(batched, default=1)
        inputs = []
        for array, (shape, axis) in zip(arrays, leaves, strict=True):
            expected = shape if axis is None else (*shape[:axis], samples, *shape[axis:])
            if array.shape != expected and (array.ndim or shape):
                raise ValueError(f"expected an array of shape {expected}, got {array.shape}")
            width = math.prod(shape)
            if array.ndim and axis is not None:
                flat = jnp.moveaxis(array, axis, 0).reshape(samples, width).T
            else:
                flat = array.reshape(width, 1)
            inputs.append((jnp.broadcast_to(flat, (width, samples)), width))
        outputs = self.backend.run(self.program, self.tree.leaves(params), inputs, samples, dtype)

        def of_leaf(leaf: Any) -> Any:
            if isinstance(leaf, int):
                return outputs[leaf] if batched else outputs[leaf][0]
            rows = jnp.stack([outputs[k] for k in leaf.ravel()], -1).reshape(samples, *leaf.shape)
            return rows if batched else rows[0]

        return filled(self.template, of_leaf)


def traced_once(step: Compiled[Any], batch: Sequence[Any]) -> tuple[Any, Any]:
    """The key of the arguments' shapes, and the variant for it; raises if there are several variants."""
    if step.axes != 1:
        raise ValueError(f"only functions with one batch axis can be exported, not {step.axes} axes")
    if batch:
        made = step.batch_of(tuple(batch), {})
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
        found = children(tree)
        if found is None or set(found[0]) != set(names):  # any order: jax.jit sorts keys
            given = type(tree).__name__ if found is None else f"the keys {list(found[0])}"
            raise TypeError(f"expected a dict with the keys {names} in the batch, got {given}")
        parts = dict(zip(*found, strict=True))
        return [array for name, inner in keys for array in walk(parts[name], inner)]

    return [array for tree, keys in zip(arguments, key[1], strict=True) for array in walk(tree, keys)]
