"""The native backend: runs programs on the virtual machine, with SIMD and threads."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...value import c_core
from ..codegen.kernels import Kernel, kernel
from ..codegen.values import NoKernelError
from ..inputs import Inputs
from ..instructions import (
    MOST_ARGUMENTS,
    ROWS,
    Code,
    Gather,
    Instruction,
    Kind,
    Loop,
    Move,
    Spread,
    View,
)
from ..program import Program
from ..reverse import STILL, LoopBack, Pull, Reverse, Step, Zero
from .kernels import building

Array = Any

STEP = 33  # numbers per step in steps.h

WORTH_BUILDING = (
    500_000  # vectors of numbers that the interpreter computes before a kernel is built: some 10 ms
)

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

    kernels: Any = None  # faster machines for the same program, once they are built

    def __init__(self, program: Program, reverse: Reverse | None = None) -> None:
        self.capsule: Any = c_core.machine(*encoded(program, reverse))
        if any(isinstance(each, Loop) for each in [*program.shared, *program.each]):
            c_core.machine_kernel(self.capsule, 0, 0, self.capsule)  # pads rows as kernels do
            self.kernels = Kernels(program, reverse, self.capsule)
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
        single = dtype == np.float32
        c_core.run_machine(
            self.fastest(inputs.samples, single),
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
            single,
        )
        return results

    def fastest(self, samples: int, float32: bool, runs: int = 1) -> Any:
        """What runs so many samples: a kernel, if there is one, or else the interpreter."""
        if self.kernels is None or float32:
            return self.capsule
        return self.kernels.machine(samples, runs) or self.capsule


class Results:
    """The results of a run: a row for each result, a column for each sample."""

    def __init__(self, machine: Machine, samples: int, adjoints: bool, wanted: int) -> None:
        self.outputs: Any = np.empty((machine.outputs, samples))
        self.guards: Any = np.empty((machine.guards, samples))
        self.param_adjoints: Any = np.empty(machine.params if adjoints else 0)
        self.input_adjoints: Any = np.empty((wanted, samples))


class Kernels:
    """The kernels of a program, built when needed: one for a single sample, and one for more."""

    def __init__(self, program: Program, reverse: Reverse | None, capsule: Any) -> None:
        self.program: Program = program
        self.reverse: Reverse | None = reverse
        self.capsule: Any = capsule
        self.builds: dict[bool, tuple[Kernel, Any] | None] = {}
        self.machines: dict[bool, Any] = {}
        self.refusal = ""  # why there can be no kernel
        self.left: float = WORTH_BUILDING  # of the work that the interpreter does before
        self.length: int = program.length * (1 if reverse is None else 3)

    def machine(self, samples: int, runs: int = 1) -> Any:
        """The machine that runs the kernel for so many samples; None as long as there is none."""
        if self.left > 0 and building.mode() != "wait":
            self.left -= self.length * (1 + samples / 16) * runs
            return None
        single = samples == 1
        if single not in self.builds:
            self.builds[single] = self.build(single)
        build = self.builds[single]
        if self.machines.get(single) is None and build is not None:
            self.machines[single] = self.made(*build, single)
        return self.machines.get(single)

    def status(self) -> Iterator[str]:
        """The state of each kernel, one line each."""
        what = "values" if self.reverse is None else "values and gradients"
        for single, build in list(self.builds.items()):
            state = self.refusal
            if build is not None:
                made = build[1]
                state = f"built in {made.seconds:.2f} s" if made.ready else made.error or "being built"
            yield f"kernel for {what} of {'one sample' if single else 'many samples'}: {state}"

    def build(self, single: bool) -> tuple[Kernel, Any] | None:
        try:
            found = kernel(self.program, self.reverse, single)
        except NoKernelError as error:
            self.refusal = f"none, because {error}"
            return None
        return found, building.build(found.text)

    def made(self, found: Kernel, built: Any, single: bool) -> Any:
        address = built.address("block")
        if address is None:
            return None
        program = self.program
        moved = replace(
            program,
            each_rows=found.each_rows,
            each=[],
            outputs=[
                replace(view, start=row)
                for view, row in zip(program.outputs, found.outputs, strict=True)
            ],
            guards=[
                replace(view, start=row) for view, row in zip(program.guards, found.guards, strict=True)
            ],
        )
        back = None if self.reverse is None else Reverse([*found.pulls], self.reverse.shared)
        copies = [*program.each, *(pull.instruction for pull in found.pulls)]
        capsule = c_core.machine(*encoded(moved, back, copies))
        c_core.machine_kernel(capsule, address, found.kept * (1 if single else 8), self.capsule)
        return capsule


def encoded(
    program: Program, reverse: Reverse | None = None, more: Sequence[Code] = ()
) -> tuple[Any, ...]:
    """Encode a program for the virtual machine; `more` are other copies whose row numbers it keeps."""
    rows: list[int] = []
    begin: dict[int, int] = {}  # id of a copy -> where its rows start
    for code in [*program.shared, *program.each, *more]:
        for instruction in code.body if isinstance(code, Loop) else (code,):
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


def encode(steps: Sequence[Code | Step], begin: dict[int, int]) -> Array:
    """Encode steps as numbers, in the order of the fields of `Step` in steps.h."""
    numbers: list[int] = []
    for step in steps:
        match step:
            case Loop(count=count, body=body, moves=moves):
                numbers += [Kind.LOOP, 0, step.shared, 0, count, len(body), *[0] * (STEP - 6)]
                for each, move in zip(body, moves, strict=True):
                    numbers += encode_step(each, begin, move)
            case LoopBack(loop=loop, pulls=pulls):
                numbers += [Kind.LOOP, 0, loop.shared, 0, loop.count, len(pulls), *[0] * (STEP - 6)]
                for pull, move in zip(pulls, step.moves, strict=True):
                    numbers += encode_step(pull, begin, move)
            case _:
                numbers += encode_step(step, begin, STILL)
    return np.array(numbers, dtype=np.int32).reshape(-1, STEP)


def encode_step(step: Instruction | Pull | Zero, begin: dict[int, int], move: Move) -> list[int]:
    encoded = step.encode()
    encoded[ROWS] = begin.get(id(step.instruction if isinstance(step, Pull) else step), 0)
    moves = [*move.args, *[0] * (MOST_ARGUMENTS - len(move.args))]
    return [*encoded, move.out, *moves, move.mask]


def views(of: Sequence[View]) -> Array:
    return np.array([view.encode() for view in of], dtype=np.int32).reshape(-1, 4)
