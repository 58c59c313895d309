"""`Compiled.to_jax`: a traced function as an ordinary JAX function of parameters and a batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...support.tree import children
from ..calculus.layout import filled
from ..codegen.exporting import Paths
from ..inputs import leaves_of
from .parameters import ParameterTree, names_of

if TYPE_CHECKING:
    from ..compiled import Compiled

Array = Any


class JaxFunction:
    """`f(params, batch)`: the results for every sample.

    `params` is a tree of arrays; `initial()` returns it with the current values. `batch` is the
    tuple of arguments, or the argument itself if there is only one. This is plain JAX: jit it,
    differentiate it, map it, shard it.

    A function that branches on Values has the paths traced so far. Each sample takes one of them; on any
    other path, its results and all their derivatives are NaN, because a JAX program cannot raise.
    """

    def __init__(self, step: Compiled[Any], batch: Sequence[Any], model: Any = None) -> None:
        from . import jax as backend

        self.backend: Any = backend
        self.step = step
        self.paths: Paths = Paths(step, batch, differentiated=True)
        self.key: Any = self.paths.key
        self.tree: ParameterTree = ParameterTree(names_of(step, model))
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
        arrays = [jnp.asarray(array, dtype) for array in _arrays(self.arguments(batch), self.key)]
        leaves = leaves_of(self.key)
        shape = self.batch_shape(arrays)
        single = all(axis is None for _, axis in leaves)
        shared: list[tuple[Array, Any]] = []
        inputs: list[tuple[Array, int]] = []
        first, samples = 0, math.prod(shape)
        for array, (own, axis) in zip(arrays, leaves, strict=True):
            width = math.prod(own)
            if axis is None and not single:
                shared.append((array.reshape(-1), range(first, first + width)))
                first += width
                continue
            if axis and array.ndim:
                array = jnp.moveaxis(array, axis, 0)
            rows = jnp.moveaxis(array.reshape(*array.shape[: array.ndim - len(own)], width), -1, 0)
            inputs.append((jnp.broadcast_to(rows, (width, *shape)).reshape(width, samples), width))
        shared += [(array, which + first) for array, which in self.tree.leaves(params)]
        outputs = self.backend.run_paths(self.paths, shared, inputs, samples, dtype)

        def of_leaf(leaf: Any) -> Any:
            if isinstance(leaf, int):
                return outputs[leaf].reshape(shape)
            rows = jnp.stack([outputs[k] for k in leaf.ravel()], -1)
            return rows.reshape(*shape, *leaf.shape)

        return filled(self.paths.template, of_leaf)

    def arguments(self, batch: Any) -> tuple[Any, ...]:
        """The arguments. One that is a tuple itself needs no further tuple around it."""
        first, *others = self.key[1]
        is_argument = not others and first is not None and len(batch) == len(first) > 1
        if is_argument or not isinstance(batch, tuple) or hasattr(batch, "_fields"):
            return (batch,)
        return batch

    def batch_shape(self, arrays: Sequence[Array]) -> tuple[int, ...]:
        """The lengths of the batch axes of all arguments together; none for a single sample."""
        axes = self.step.axes
        names = ["batch"] if axes == 1 else [f"batch{k}" for k in range(axes)]
        found: list[tuple[int, ...]] = []
        for array, (own, axis) in zip(arrays, leaves_of(self.key), strict=True):
            at, alone = axis or 0, not array.ndim and not own  # a number may be the same for all samples
            expected = own if axis is None or alone else (*own[:at], *names, *own[at:])
            pairs = zip(array.shape, expected, strict=False)
            if array.ndim != len(expected) or any(n != m and m not in names for n, m in pairs):
                text = ", ".join(map(str, expected)) + ("," if len(expected) == 1 else "")
                raise ValueError(f"expected an array of shape ({text}), got {array.shape}")
            if expected != own:
                found.append(array.shape[at : at + axes])
        if axes == 1 and len(set(found)) > 1:
            counts = ", ".join(str(shape[0]) for shape in found)
            raise ValueError(f"all arguments need the same number of samples, got {counts}")
        try:
            shape: tuple[int, ...] = np.broadcast_shapes(*found)
        except ValueError:
            raise ValueError(f"the batch axes of the arguments do not broadcast: {found}") from None
        return shape


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
