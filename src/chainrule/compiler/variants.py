"""`Variant`: one trace of a function with its programs, for many samples and for few, with and without
gradients. `Turn`: one thread at a time.
"""

from __future__ import annotations

import math
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat, starmap
from typing import Any

import numpy as np

from .flat import Flat
from .graph import INPUT, PARAM, Graph, Node
from .inputs import Inputs, leaves_of
from .passes import optimise
from .pipeline import Pipeline, RolledPipeline, pipeline
from .tracing import Trace, TraceError

Array = Any

NARROW = 8  # with fewer samples, rows are too short for one instruction each
TRACING = threading.RLock()  # one function at a time, so that none picks up another's parameters


def _unlock_in_child() -> None:
    """Replace the lock in a forked child: the thread that held it does not exist there."""
    global TRACING
    TRACING = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock_in_child)


class Turn:
    """This thread's turn with a lock, by default that for tracing; it ends when the block exits or the
    object is destroyed.

    Acquiring the lock and recording that it is held happen in one bytecode instruction, and so does
    undoing both, so that Ctrl-C cannot come in between and leave other threads waiting forever. With a
    message in `busy`, it is an error if another thread has the lock.
    """

    def __init__(self, lock: Any = None, busy: str = "") -> None:
        self.lock, self.busy = TRACING if lock is None else lock, busy
        self.held: list[bool] = []

    def __enter__(self) -> None:
        try:
            self.held.extend(filter(None, map(self.lock.acquire, (not self.busy,))))
            if not self.held:
                raise RuntimeError(self.busy)
        except BaseException:  # a traceback may keep this object alive
            self.__exit__()
            raise

    def __exit__(self, *error: object) -> None:
        held = getattr(self, "held", [])
        if held:
            releases = starmap(self.lock.release, repeat(()))
            deque(zip(map(held.pop, [0] * len(held)), releases, strict=False), maxlen=0)

    __del__ = __exit__


def simplified(graph: Graph | Flat) -> Graph | Flat:
    """The graph after the passes."""
    return graph.optimised() if isinstance(graph, Flat) else optimise(graph)


def fitted(numbers: Array, machine: Any) -> Array:
    """The numbers of as many parameters as a machine has: another thread may just have found more, which
    this program does not use.
    """
    missing = machine.params - len(numbers)
    if not missing:
        return numbers
    return np.concatenate([numbers, np.zeros(missing)]) if missing > 0 else numbers[: machine.params]


@dataclass
class Variant:
    """One trace with its programs."""

    trace: Trace
    shared: int  # how many numbers of the arguments all samples share
    params: int  # how many parameters; in a program they follow the shared numbers
    inputs: int  # how many inputs, random numbers included
    maker: Any

    def __post_init__(self) -> None:
        self.inputs += len(self.trace.sources)
        self.pipeline: Any = pipeline(self.trace.source, self.maker)
        self.machines: dict[Any, Any] = {}
        self.pipelines: dict[Any, Any] = {}  # those of derivatives
        self.plans: dict[Any, Any] = {}  # those of sparse matrices

    @property
    def count(self) -> int:
        """The number of a program's parameters."""
        return self.shared + self.params

    @cached_property
    def simplified(self) -> Graph | Flat:
        """The graph after the passes, to be differentiated: the derivative of x * x is far simpler than
        that of x**2, whose formula must allow for any exponent.
        """
        return simplified(self.trace.source)

    def machine(self, samples: int, wanted: Sequence[int] | None = None, params: bool = True) -> Any:
        """The machine for this many samples; `wanted` adds the gradients of these inputs.

        Those of the parameters are added too, if `params`.
        """
        key = (samples < NARROW, wanted, params)
        machine = self.machines.get(key)
        if machine is None:
            machine = self.pipeline.machine(self.count, self.inputs, key[0], wanted, params)
            self.machines[key] = machine
        return machine

    def derived(
        self,
        key: tuple[Any, ...],
        graph: Callable[[], Any],
        more: tuple[int, int],
        samples: int,
        wanted: Sequence[int] | None = None,
        params: bool = False,
    ) -> Any:
        """The machine of another graph, which has `more` parameters and inputs; as in `machine`."""
        which = (key, samples < NARROW, wanted, params)
        machine = self.machines.get(which)
        if machine is None:
            made = self.pipelines.get(key)
            if made is None:
                made = self.pipelines[key] = pipeline(graph(), self.maker)
            counts = self.count + more[0], self.inputs + more[1]
            machine = self.machines[which] = made.machine(*counts, which[1], wanted, params)
        return machine

    def fits(self, params: Array, inputs: Inputs, dtype: Any) -> Array:
        """Which samples take the branches of this trace."""
        key = (inputs.samples < NARROW, "guards")
        machine = self.machines.get(key)
        if machine is None:
            machine = self.machines[key] = self.pipeline.guards(self.count, self.inputs, key[0])
        guards = machine.run(fitted(params, machine), inputs, dtype=dtype).guards
        pairs = zip(guards, self.trace.expected, strict=True)
        return np.logical_and.reduce([(guard != 0.0) == expected for guard, expected in pairs])

    def one_sample(self, key: Any) -> Graph:
        """The graph with all numbers of the arguments as inputs, in the order of the arguments."""
        self.check_not_random("be exported")
        leaves = leaves_of(key)
        if not self.shared:
            return self.trace.graph
        places: dict[Any, int] = {}
        counts = {PARAM: 0, INPUT: 0}
        for shape, axis in leaves:
            kind = PARAM if axis is None else INPUT
            for _ in range(math.prod(shape)):
                places[kind, counts[kind]] = len(places)
                counts[kind] += 1
        graph = self.trace.graph
        nodes: list[Node] = []
        for what, args in graph.nodes:
            if isinstance(what, str) and (what, args[0]) in places:
                nodes.append((INPUT, (places[what, args[0]],)))
            else:
                nodes.append((what, (args[0] - self.shared,)) if what == PARAM else (what, args))
        return Graph(nodes, graph.outputs, graph.guards)

    def check_not_random(self, what: str) -> None:
        if self.trace.sources:
            raise TraceError(
                f"a function that draws random numbers cannot {what}: draw them outside, and pass them "
                f"as an argument"
            )

    def describe(self) -> str:
        rolled = isinstance(self.pipeline, RolledPipeline)
        reference: Pipeline = self.pipeline if rolled else Pipeline(self.trace.graph)
        program = reference.lowered(self.count, self.inputs, narrow=False)
        steps = len(program.shared) + len(program.each)
        nodes = f"{len(self.trace.source)} nodes traced, {len(reference.graph)} after the passes"
        head = f"{nodes}, {steps} instructions"
        kernels = [
            line
            for machine in self.machines.values()
            if getattr(machine, "kernels", None) is not None
            for line in machine.kernels.status()
        ]
        return "\n".join([head, str(program), *dict.fromkeys(kernels)])
