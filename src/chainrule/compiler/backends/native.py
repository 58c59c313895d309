"""The native backend: runs programs on the virtual machine, with SIMD and threads."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...value import c_core
from ..codegen.kernels import Kernel, kernel
from ..codegen.values import Lanes, NoKernelError
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
Programs = tuple[Program, Reverse | None]

STEP = 33  # numbers per step in steps.h

# Before a kernel is built, the interpreter computes so many vectors of numbers: some 10 ms of work, and
# more for a long text, since the compiler takes longer too.
WORTH_BUILDING, PER_STATEMENT = 500_000, 10_000
# A new kernel is compared with the interpreter.
COMPARED = 64  # samples at most
ROUNDS = 3
LEAST_SECONDS = 0.001  # per round

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

    kernels: Kernels | None  # faster machines for the same program, once they are built

    def __init__(self, program: Program, reverse: Reverse | None = None) -> None:
        self.capsule: Any = c_core.machine(*encoded(program, reverse))
        self.params: int = program.params
        self.outputs: int = len(program.outputs)
        self.guards: int = len(program.guards)
        self.kernels = Kernels(lambda: (program, reverse), self.capsule, *program.sizes)

    @classmethod
    def made(
        cls, capsule: Any, params: int, outputs: int, guards: int, kernels: Kernels | None = None
    ) -> Machine:
        """Wrap a machine built in C."""
        machine = cls.__new__(cls)
        machine.capsule, machine.kernels = capsule, kernels
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
        results = Results(self, inputs.samples, len(wanted))
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

    def __init__(self, machine: Machine, samples: int, wanted: int) -> None:
        self.outputs: Any = np.empty((machine.outputs, samples))
        self.guards: Any = np.empty((machine.guards, samples))
        self.param_adjoints: Any = np.empty(machine.params)  # not written without a seed
        self.input_adjoints: Any = np.empty((wanted, samples))


@dataclass
class _Kernel:
    """A kernel, the machine that runs it once it is built, and how it compares with the interpreter."""

    kernel: Kernel
    build: building.Build
    machine: Any = None
    ratio: float | None = None  # the interpreter's time, divided by the kernel's

    def __str__(self) -> str:
        if not self.build.ready:
            return self.build.error or "being built"
        text = f"built in {self.build.seconds:.2f} s"
        if self.ratio is None:
            return text
        used = "" if self.ratio >= 1.0 else ", so the interpreter runs"
        return f"{text}, {self.ratio:.2g} times as fast as the interpreter{used}"


class Kernels:
    """The kernels of a program: one for a single sample, one for fewer than 8, and one for more. Each is
    built when it is needed, and used if it turns out to be faster than the interpreter.

    `programs` returns the program and its reverse program, which computes about so many rows in so many
    different statements.
    """

    def __init__(
        self, programs: Callable[[], Programs], capsule: Any, rows: int, statements: int
    ) -> None:
        self.programs = programs
        self.capsule: Any = capsule
        self.built: dict[Lanes, _Kernel | str] = {}  # or why there can be none
        self.left: float = WORTH_BUILDING + PER_STATEMENT * statements
        self.rows: int = rows
        self.known: Programs | None = None

    def machine(self, samples: int, runs: int = 1) -> Any:
        """The machine that runs the kernel for so many samples; None if there is none or it is slow."""
        waits = building.mode() == "wait"
        if self.left > 0 and not waits:
            self.left -= self.rows * (1 + samples / 16) * runs
            return None
        lanes = Lanes.of(samples)
        if lanes not in self.built:
            self.built[lanes] = self.build(lanes)
        found = self.built[lanes]
        if isinstance(found, str):
            return None
        if found.machine is None:
            address = found.build.address("block")
            if address is None:
                return None
            made = self.made(found.kernel, address)
            if not waits:
                found.ratio = self.compared(made, min(samples, COMPARED))
            found.machine = made
        return found.machine if found.ratio is None or found.ratio >= 1.0 else None

    def status(self) -> Iterator[str]:
        """The state of each kernel, one line each."""
        for lanes, found in list(self.built.items()):
            what = "values" if self.both()[1] is None else "values and gradients"
            yield f"kernel for {what} of {lanes}: {found}"

    def both(self) -> Programs:
        if self.known is None:
            self.known = self.programs()
        return self.known

    def build(self, lanes: Lanes) -> _Kernel | str:
        if (reason := building.unavailable()) is not None:
            return reason
        try:
            found = kernel(*self.both(), lanes)
        except NoKernelError as error:
            return f"none, because {error}"
        return _Kernel(found, building.build(found.text))

    def made(self, found: Kernel, address: int) -> Any:
        program, reverse = self.both()
        outputs, guards = (
            [replace(view, start=row) for view, row in zip(views, rows, strict=True)]
            for views, rows in ((program.outputs, found.outputs), (program.guards, found.guards))
        )
        moved = replace(program, each_rows=found.each_rows, each=[], outputs=outputs, guards=guards)
        back = None if reverse is None else Reverse([*found.pulls], reverse.shared)
        copies = [*program.each, *map(copied, found.pulls)]
        capsule = c_core.machine(*encoded(moved, back, copies))
        c_core.machine_kernel(capsule, address, found.kept, found.padded, self.capsule)
        return capsule

    def compared(self, made: Any, samples: int) -> float:
        """How many times as fast as the interpreter a kernel is, on one thread."""
        program, reverse = self.both()
        results = np.empty((len(program.outputs) + len(program.guards), samples))
        outputs, guards = np.split(results, [len(program.outputs)])
        numbers = np.full((program.inputs, samples), 0.5), np.full(program.params, 0.5)
        seed = NOTHING if reverse is None else np.ones(samples)
        adjoints = NOTHING if reverse is None else np.empty(program.params)

        def seconds(machine: Any, runs: int) -> float:
            start = time.perf_counter()
            for _ in range(runs):
                shape = np.array([samples], dtype=np.int64)
                results = (
                    seed,
                    outputs,
                    guards,
                    adjoints,
                    np.zeros(0, np.int32),
                    np.empty((0, samples)),
                )
                with suppress(IndexError):  # of a `take`, whose index is not that of a real sample
                    c_core.run_machine(machine, shape, numbers[1], (numbers[0],), *results, 1, False)
            return time.perf_counter() - start

        once = seconds(made, 1) + seconds(self.capsule, 1)
        runs = 1 + int(LEAST_SECONDS / once)
        rounds = ROUNDS if once < 10 * LEAST_SECONDS else 1
        pairs = [(seconds(self.capsule, runs), seconds(made, runs)) for _ in range(rounds)]
        theirs, ours = map(min, zip(*pairs, strict=True))
        return float(theirs / ours)


def copied(step: Pull | LoopBack) -> Code:
    """What a step of the reverse program belongs to."""
    return step.loop if isinstance(step, LoopBack) else step.instruction


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
