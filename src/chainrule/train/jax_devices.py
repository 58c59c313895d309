"""Places the arrays of a training run on JAX devices, and copies them back.

Batches are split over the first axis of the mesh. Parameters and the optimiser's state are
replicated or, if requested, split over the same axis. This file knows nothing about models.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any

FAILED = -1  # sent by a process that failed, instead of a number


class Devices:
    """A mesh, or JAX's default device."""

    def __init__(self, jax: Any, mesh: Any, shard_parameters: bool) -> None:
        self.jax = jax
        self.mesh = mesh
        self.shard_parameters = shard_parameters
        self.processes: Any = jax.process_count()
        self.process: Any = jax.process_index()
        self.parts: int = 1
        if mesh is not None:
            self.axis: Any = mesh.axis_names[0]
            self.mesh = _automatic(jax, mesh)
            self.parts = mesh.shape[self.axis]
        elif self.processes > 1:
            raise ValueError("several processes need a mesh: fit(..., mesh=jax.make_mesh(...))")
        elif shard_parameters:
            raise ValueError("shard_parameters needs a mesh: fit(..., mesh=jax.make_mesh(...))")

    def sharding(self, *axes: str | None) -> Any:
        """The sharding along the named axes; None, which lets JAX decide, if there is no mesh."""
        if self.mesh is None:
            return None
        sharding = self.jax.sharding
        return sharding.NamedSharding(self.mesh, sharding.PartitionSpec(*axes))

    def sharding_of(self, parameter: Array) -> Any:
        """Split along the first axis whose length divides evenly; replicate if there is no such axis."""
        if self.shard_parameters:
            for i, size in enumerate(parameter.shape):
                if size and size % self.parts == 0:
                    return self.sharding(*[None] * i, self.axis)
        return self.sharding()

    def gathered(self, parameters: Any) -> Any:
        """Inside a step: gather the parameters where they are used, instead of moving the samples."""
        if not self.shard_parameters:
            return parameters
        constrain = self.jax.lax.with_sharding_constraint
        return self.jax.tree.map(lambda p: constrain(p, self.sharding()), parameters)

    def put(self, x: Array) -> Array:
        """Replicate on every device."""
        return self._place(x, self.sharding())

    def put_parameter(self, x: Array) -> Array:
        return self._place(x, self.sharding_of(x))

    def _place(self, x: Array, sharding: Any) -> Array:
        if sharding is None:
            return self.jax.numpy.asarray(x)
        x = np.asarray(x)  # the host sends each device only its part of the array
        return self.jax.make_array_from_callback(x.shape, sharding, lambda part: x[part])

    def put_batch(self, arrays: Sequence[Array]) -> tuple[Array, ...]:
        """Assemble a global batch from the part of each process."""
        if self.mesh is None:
            return tuple(self.jax.numpy.asarray(a) for a in arrays)
        size = len(arrays[0]) * self.processes
        if size % self.parts:
            raise ValueError(
                f"a batch of {size} samples cannot be split over {self.parts} devices: yield batches "
                f"whose sizes are multiples of {self.parts}, and drop or pad the last one"
            )
        split = self.sharding(self.axis)
        make = self.jax.make_array_from_process_local_data
        return tuple(make(split, a, (size, *a.shape[1:])) for a in arrays)

    def get(self, array: Array) -> Array:
        """Copy a whole array to the host; every process must call this."""
        if array.is_fully_addressable or array.is_fully_replicated:
            return np.asarray(array)
        from jax.experimental.multihost_utils import process_allgather

        return process_allgather(array, tiled=True)


def gather(number: Any) -> list[Any]:
    """Gather one number from every process, or one list; all lists must have the same length."""
    from jax.experimental.multihost_utils import process_allgather

    found: list[Any] = process_allgather(np.asarray(number)).tolist()
    return found


@dataclass(frozen=True)
class Common:
    """Something that must be the same in all processes: its name, content and display text."""

    name: str
    content: bytes
    shown: str

    def digest(self) -> list[int]:
        """32-bit integers, because JAX may not support larger ones."""
        made = hashlib.sha256(self.content).digest()[:8]
        return [int(number) for number in np.frombuffer(made, np.int32)]


def check_common(things: Sequence[Common]) -> None:
    """Raise in all processes if any process differs from process 0."""
    found = gather([number for thing in things for number in thing.digest()])
    for i, thing in enumerate(things):
        digests = [numbers[2 * i : 2 * i + 2] for numbers in found]
        different = [str(k) for k, digest in enumerate(digests) if digest != digests[0]]
        if different:
            who = f"process{'' if len(different) == 1 else 'es'} {', '.join(different)}"
            raise ValueError(
                f"the {thing.name} of {who} differ from those of process 0 (here: {thing.shown}): "
                f"all processes of a training run must agree"
            )


@contextlib.contextmanager
def all_or_none(doing: str) -> Iterator[None]:
    """With several processes, if one fails in this block, the others fail too instead of waiting."""
    jax = sys.modules.get("jax")  # already imported if there are several processes
    if jax is None or jax.process_count() == 1:
        yield
        return
    try:
        yield
    except Exception:
        gather(FAILED)
        raise
    check_none_failed(gather(0), doing)


def check_none_failed(numbers: Sequence[int], doing: str) -> None:
    if FAILED in numbers:
        raise RuntimeError(f"process {numbers.index(FAILED)} could not {doing}: see its error")


def _automatic(jax: Any, mesh: Any) -> Any:
    """Return the mesh with Auto axes, so that XLA decides how intermediate results are split.

    jax.make_mesh may give Explicit axes, where every operation must state its result's sharding.
    """
    sharding = jax.sharding
    if not hasattr(sharding, "AxisType"):  # older versions have only Auto axes
        return mesh
    kinds = (sharding.AxisType.Auto,) * len(mesh.axis_names)
    return sharding.Mesh(mesh.devices, mesh.axis_names, axis_types=kinds)
