"""The native backend: runs programs on the virtual machine, with SIMD and threads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...value import c_core
from ..inputs import Inputs
from ..instructions import ROWS, Gather, Instruction, Spread, View
from ..program import Program
from ..reverse import Pull, Reverse, Step

Array = Any

STEP = 28  # numbers per step in steps.h

NOTHING = np.zeros(0)


def thread_count() -> int:
    """CHAINRULE_THREADS, or the number of CPUs available to this process."""
    wanted = os.environ.get("CHAINRULE_THREADS", "")
    if wanted:
        if not wanted.isdigit() or wanted == "0":
            raise ValueError(f"CHAINRULE_THREADS must be a positive whole number, got {wanted!r}")
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Machine:
    """Runs one program: the values of a batch and, given a seed, the adjoints."""

    def __init__(self, program: Program, reverse: Reverse | None = None) -> None:
        self.capsule: Any = c_core.machine(*encoded(program, reverse))
        self.params: int = program.params
        self.outputs: int = len(program.outputs)
        self.guards: int = len(program.guards)

    @classmethod
    def made(cls, capsule: Any, params: int, outputs: int, guards: int) -> Machine:
        """Wrap a machine built in C."""
        machine = cls.__new__(cls)
        machine.capsule = capsule
        machine.params, machine.outputs, machine.guards = params, outputs, guards
        return machine

    def run(
        self,
        params: Array,
        inputs: Inputs,
        seed: Array | None = None,
        wanted: Sequence[int] = (),
        dtype: Any = np.float64,
    ) -> Results:
        """All results for every sample; given a seed for the first result, the adjoints too.

        `dtype` is the type in which intermediate numbers are stored.
        """
        results = Results(self, inputs.samples, seed is not None, len(wanted))
        c_core.run_machine(
            self.capsule,
            np.array(inputs.shape, dtype=np.int64),
            params,
            tuple(inputs.blocks),
            NOTHING if seed is None else seed,
            results.outputs,
            results.guards,
            results.param_adjoints,
            np.array(wanted, dtype=np.int32),
            results.input_adjoints,
            thread_count(),
            dtype == np.float32,
        )
        return results


class Results:
    """The results of a run: a row for each result, a column for each sample."""

    def __init__(self, machine: Machine, samples: int, adjoints: bool, wanted: int) -> None:
        self.outputs: Any = np.empty((machine.outputs, samples))
        self.guards: Any = np.empty((machine.guards, samples))
        self.param_adjoints: Any = np.empty(machine.params if adjoints else 0)
        self.input_adjoints: Any = np.empty((wanted, samples))


def encoded(program: Program, reverse: Reverse | None = None) -> tuple[Any, ...]:
    """Encode a program for the virtual machine."""
    rows: list[int] = []
    begin: dict[int, int] = {}  # id of a copy -> where its rows start
    for instruction in [*program.shared, *program.each]:
        if isinstance(instruction, Gather | Spread):
            begin[id(instruction)] = len(rows)
            rows += instruction.rows
    back = reverse or Reverse()
    steps = [encode(part, begin) for part in (program.shared, program.each, back.each, back.shared)]
    return (
        *(program.params, program.inputs, program.shared_rows, program.each_rows),
        *(np.array(program.constants), np.array(rows, dtype=np.int32), *steps),
        *(views(program.outputs), views(program.guards)),
    )


def encode(steps: Sequence[Instruction | Step], begin: dict[int, int]) -> Array:
    """Encode steps as numbers, in the order of the fields of `Step` in steps.h."""
    numbers: list[int] = []
    for step in steps:
        encoded = step.encode()
        encoded[ROWS] = begin.get(id(step.instruction if isinstance(step, Pull) else step), 0)
        numbers += encoded
    return np.array(numbers, dtype=np.int32).reshape(len(steps), STEP)


def views(of: Sequence[View]) -> Array:
    return np.array([view.encode() for view in of], dtype=np.int32).reshape(-1, 4)
