"""What the works have in common: C libraries, loops in JAX and CasADi, results as one array.

A hand-written C function takes pointers to doubles. With vectors, it includes the core's own simd.h and
vmath.h, and its batch is split over two OpenMP threads.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from measure import Work
from race import OURS, TWO_DEVICES, Contestant

from chainrule.compiler.backends.kernels import cc, headers

THREADS = {"OMP_WAIT_POLICY": "passive"}  # threads that wait must not spin while another contestant runs
FAST = {"jit": True, "compiler": "shell", "jit_options": {"flags": ["-Ofast", "-march=native"]}}
KERNELS = {"CHAINRULE_KERNELS": "wait"}  # the first call returns when the kernel is built
PARTS = 2  # devices or threads
NUMBERS = count()


def joined(*parts: Any) -> Any:
    """All numbers of a result in one row."""
    return np.concatenate([np.ravel(np.asarray(part, dtype=float)) for part in parts])


# --- C -------------------------------------------------------------------------------------------


def built(source: str, *flags: str) -> ctypes.CDLL:
    """Compile C to a shared library, in the contestant's working directory."""
    # A second library of the same name would not be loaded.
    name = Path.cwd() / f"library{next(NUMBERS)}"
    name.with_suffix(".c").write_text(source)
    files = [str(name.with_suffix(".c")), "-o", str(name.with_suffix(".so"))]
    options = ["-O3", "-march=native", "-fPIC", "-shared", *flags]
    subprocess.run(["cc", *options, *files, "-lm"], check=True)
    return ctypes.CDLL(str(name.with_suffix(".so")))


def built_with_vectors(source: str) -> ctypes.CDLL:
    """The same with the core's vectors and two threads."""
    folders = [f"-I{path}" for path in headers.include_dirs()]
    return built(source, *folders, f"-DSIMD_{cc.instruction_set().upper()}", "-fopenmp")


def pointer(array: Any) -> Any:
    """A pointer for C that keeps the array alive."""
    return np.ctypeslib.as_ctypes(array)


def called(function: Any, size: int, inputs: Sequence[Any], result: Any) -> Work:
    """A call of function(size, inputs ..., result); returns a copy of the result."""
    arrays = [np.ascontiguousarray(each, dtype=float) for each in inputs]
    pointers = [pointer(array) for array in (*arrays, result)]

    def run() -> Any:
        function(size, *pointers)
        return result.copy()

    return run


# --- JAX -----------------------------------------------------------------------------------------


def last(
    step: Callable[[Any, Any], Any], begin: Any, series: Any, unroll: int, length: Any = None
) -> Any:
    """The final state of a scan."""
    import jax

    def body(state: Any, each: Any) -> Any:
        return step(state, each), None

    return jax.lax.scan(body, begin, series, length=length, unroll=unroll)[0]


def on_devices(devices: int, run: Callable[[Any, Any], Any], whole: Any, rows: Any) -> Work:
    """run(whole, rows), jitted, with half of the rows on each of two devices. Results have rows too."""
    import jax

    if devices == 1:
        jitted = jax.jit(run)
        return lambda: jitted(whole, rows)
    mesh, spec = jax.make_mesh((PARTS,), ("rows",)), jax.sharding.PartitionSpec
    parts = spec(), spec("rows")
    mapped = jax.shard_map(run, mesh=mesh, in_specs=parts, out_specs=parts[1], check_vma=False)
    given = [
        jax.device_put(each, jax.sharding.NamedSharding(mesh, part))
        for each, part in zip((whole, rows), parts, strict=True)
    ]
    spread = jax.jit(mapped)
    return lambda: spread(*given)


# --- CasADi --------------------------------------------------------------------------------------


def folded(
    step: Callable[..., Any], begin: Sequence[Any], series: Any, parameters: Any, length: int
) -> Any:
    """The final state of a loop that CasADi keeps: step(state, parameters[, element]) as a function."""
    import casadi

    state, given = casadi.SX.sym("state", len(begin)), casadi.SX.sym("given", parameters.numel())
    element = casadi.SX.sym("element", 0 if series is None else 1)
    after = step(casadi.vertsplit(state), casadi.vertsplit(given), *casadi.vertsplit(element))
    function = casadi.Function("step", [state, given, element], [casadi.vertcat(*after)])
    series = casadi.DM(0, length) if series is None else casadi.DM(series).T
    repeated = casadi.repmat(parameters, 1, length)
    return function.fold(length)(casadi.vertcat(*begin), repeated, series)


def casadi_gradient(loss: Callable[[Any], Any], given: Any, kind: str, options: dict[str, Any]) -> Any:
    """A function of the parameters that returns the loss and its gradient."""
    import casadi

    parameters = getattr(casadi, kind).sym("parameters", len(given))
    value = loss(parameters)
    results = [casadi.vertcat(value, casadi.gradient(value, parameters))]
    return casadi.Function("gradient", [parameters], results, options)


def casadi_work(loss: Callable[[Any], Any], given: Any, kind: str, options: dict[str, Any]) -> Work:
    import casadi

    run, numbers = casadi_gradient(loss, given, kind, options), casadi.DM(given)
    return lambda: joined(run(numbers))


# --- contestants ---------------------------------------------------------------------------------


def ours(start: Callable[[int], Work], units: int) -> Contestant:
    return Contestant(OURS, "the loop as it is", start, units, environment=KERNELS)


def jax_scans(start: Callable[..., Work], units: int, text: str = "scan") -> list[Contestant]:
    """start(unroll, units), with and without unrolling."""
    return [
        Contestant("JAX", f"{text}{how}", partial(start, unroll), units, modules=["jax"])
        for how, unroll in (("", 1), (" with unroll=8", 8))
    ]


def jax_scans_on_devices(start: Callable[..., Work], units: int, unroll: int = 8) -> list[Contestant]:
    """start(unroll, devices, units), with and without unrolling, on one and on two devices."""
    return [
        Contestant(
            *("JAX", f"scan{how}{where}", partial(start, factor, devices), units),
            modules=["jax"],
            environment=TWO_DEVICES if devices > 1 else {},
        )
        for how, factor in (("", 1), (f" with unroll={unroll}", unroll))
        for where, devices in (("", 1), (", two host devices", PARTS))
    ]


def casadi(text: str, start: Callable[[int], Work], units: int, *needed: str) -> Contestant:
    return Contestant("CasADi", text, start, units, modules=["casadi"], programs=needed)


def by_hand(text: str, start: Callable[[int], Work], units: int) -> Contestant:
    return Contestant("C", text, start, units, programs=["cc"], environment=THREADS)
