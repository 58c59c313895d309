"""From a traced graph to machines that run it: passes, lowering and reverse mode in turn.

A trace that consists mostly of loops is rolled (loops/) and compiled in Python, which takes little time.
For other traces, there are two pipelines. The Python pipeline is the reference: `program` shows its
result, and the NumPy backend and the reference core use it. The C pipeline (src/_core, from flat.h on)
does the same in the same order, for the native backend on Values of the C core;
benchmarks/compile_time.py measures how much faster it is. tests/conformance/test_pipeline.py checks that
both give the same steps, byte for byte. With CHAINRULE_VERIFY=1, all programs are built in Python and
verified.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..value import c_core
from . import passes
from .backends import native
from .codegen.kernels import MOST_STATEMENTS
from .flat import Flat
from .graph import Graph
from .loops.lowering import lower as lower_rolled
from .loops.parts import Rolled
from .loops.rolling import LEAST_NODES, Trace
from .lowering import lower
from .program import Program
from .reverse import Reverse, reverse


def verifying() -> bool:
    """Whether to verify every program."""
    return os.environ.get("CHAINRULE_VERIFY") == "1"


class Pipeline:
    """The reference pipeline, in Python; `maker` builds a machine from a program and its reverse."""

    def __init__(self, graph: Graph, maker: Any = None) -> None:
        self.graph: Graph = passes.optimise(graph)
        self.maker = maker
        self.outputs: int = len(graph.outputs)
        self.known: dict[tuple[int, int, bool, bool], Program] = {}

    def lowered(self, params: int, inputs: int, narrow: bool, differentiated: bool = False) -> Program:
        key = params, inputs, narrow, differentiated
        if key not in self.known:
            prepared = passes.with_masks if differentiated else passes.values_only
            graph = prepared(self.graph)
            program = lower(graph, params, inputs, narrow)
            self.known[key] = program.verify() if verifying() else program
        return self.known[key]

    def machine(
        self,
        params: int,
        inputs: int,
        narrow: bool = False,
        wanted: Sequence[int] | None = None,
        differentiate: bool = True,
    ) -> Any:
        """Build a machine for these numbers of parameters and inputs; `narrow` is for few samples.

        With `wanted`, it also computes the gradients of these inputs, and of the parameters if
        `differentiate`.
        """
        return self.maker(*self.programs(params, inputs, narrow, wanted, differentiate))

    def programs(
        self,
        params: int,
        inputs: int,
        narrow: bool,
        wanted: Sequence[int] | None,
        differentiate: bool,
    ) -> tuple[Program, Reverse | None]:
        """What a machine is built from, as in `machine`."""
        program = self.lowered(params, inputs, narrow, wanted is not None)
        if wanted is None:
            return program, None
        back = reverse(program, differentiate, wanted)
        return program, back.verify(program, wanted) if verifying() else back

    def guards(self, params: int, inputs: int, narrow: bool) -> Any:
        """Build a machine for the guards only: the rest may be invalid for samples on other branches."""
        graph = passes.values_only(Graph(self.graph.nodes, [], self.graph.guards))
        program = lower(graph, params, inputs, narrow)
        return self.maker(program.verify() if verifying() else program, None)


class NativePipeline:
    """The C pipeline. The kernels of a program are written by the Python pipeline, from `source`."""

    def __init__(self, graph: Flat) -> None:
        self.graph: Any = c_core.graph_optimise(graph.capsule)
        self.nodes, self.outputs, self.conditions = c_core.graph_sizes(self.graph)
        self.source: Flat | None = graph if self.nodes <= MOST_STATEMENTS else None

    def machine(
        self,
        params: int,
        inputs: int,
        narrow: bool = False,
        wanted: Sequence[int] | None = None,
        differentiate: bool = True,
    ) -> native.Machine:
        rows = None if wanted is None else np.array(wanted, dtype=np.int32)
        machine = c_core.graph_machine(self.graph, params, inputs, narrow, differentiate, rows)
        kernels, source = None, self.source
        if source is not None:
            shape = params, inputs, narrow, wanted, differentiate
            kernels = native.Kernels(
                lambda: Pipeline(source.unpack()).programs(*shape), machine, self.nodes, self.nodes
            )
        return native.Machine.made(machine, params, self.outputs, self.conditions, kernels)

    def guards(self, params: int, inputs: int, narrow: bool) -> native.Machine:
        graph = c_core.graph_guards(self.graph)
        machine = c_core.graph_machine(graph, params, inputs, narrow, False, None)
        return native.Machine.made(machine, params, 0, self.conditions)


class RolledPipeline(Pipeline):
    """A pipeline for traces with loops, in Python: a loop is as long as one of its iterations."""

    def __init__(self, source: Graph | Flat, rolled: Rolled, maker: Any) -> None:
        self.graph: Any = source
        self.rolled: Rolled = rolled
        self.maker = maker
        self.outputs = len(rolled.trace.outputs)
        self.known = {}

    def lowered(self, params: int, inputs: int, narrow: bool, differentiated: bool = False) -> Program:
        key = params, inputs, False, differentiated
        if key not in self.known:
            program = lower_rolled(self.rolled, params, inputs, differentiated)
            self.known[key] = program.verify() if verifying() else program
        return self.known[key]

    def guards(self, params: int, inputs: int, narrow: bool) -> Any:
        if isinstance(self.graph, Flat):
            guards: Graph | Flat = self.graph.guarding()
        else:
            guards = passes.drop_dead(Graph(self.graph.nodes, [], self.graph.guards))
        return pipeline(guards, self.maker).machine(params, inputs, narrow)


def pipeline(graph: Graph | Flat, maker: Any) -> Pipeline | NativePipeline:
    """The fastest pipeline available for a graph and a backend."""
    if len(graph) >= LEAST_NODES:
        source = (
            graph.simplified() if isinstance(graph, Flat) else passes.drop_dead(passes.simplify(graph))
        )
        rolled = Rolled(Trace(source))
        if rolled.parts:
            return RolledPipeline(source, rolled, maker)
    if isinstance(graph, Graph):
        return Pipeline(graph, maker)
    in_c = maker is native.Machine and not verifying()
    return NativePipeline(graph) if in_c else Pipeline(graph.unpack(), maker)
