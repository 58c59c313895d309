"""Applies the C core's elementwise kernels to lists of numbers, for each instruction set."""

import math
from array import array
from collections.abc import Sequence
from ctypes import CFUNCTYPE, addressof, c_double, c_int, c_ssize_t, c_void_p
from typing import Any

from chainrule.compiler.instructions import CODES
from chainrule.ops import Op
from chainrule.value import c_core

core: Any = c_core  # None if it was not built
NAMES: list[str] = [*core._simd_kernels()] if core else []

Numbers = Sequence[float]

VALUES = CFUNCTYPE(None, c_int, *[c_void_p] * 4, c_ssize_t)  # see elementwise.h
PULL = CFUNCTYPE(None, c_int, c_int, c_int, *[c_void_p] * 6, c_ssize_t)


def map_values(simd: str, op: Op, out: Any, args: Sequence[Any]) -> None:
    """Apply an operation to arrays of doubles of the same length."""
    VALUES(core._simd_kernels()[simd][0])(CODES[op], *map(address, (out, *three(args))), len(out))


def map_pull(
    simd: str, op: Op, part: int, assign: bool, grad: Any, adjoint: Any, args: Sequence[Any], out: Any
) -> None:
    arrays = (grad, adjoint, *three(args), out)
    PULL(core._simd_kernels()[simd][1])(CODES[op], part, assign, *map(address, arrays), len(grad))


def three(args: Sequence[Any]) -> list[Any]:
    return [*args, None, None][:3]


def address(numbers: Any) -> int | None:
    return None if numbers is None else addressof((c_double * len(numbers)).from_buffer(numbers))


def values(simd: str, op: Op, args: Sequence[Numbers]) -> list[float]:
    out = array("d", [math.nan]) * len(args[0])
    map_values(simd, op, out, tuple(array("d", arg) for arg in args))
    return list(out)


def pulls(
    simd: str,
    op: Op,
    part: int,
    args: Sequence[Numbers],
    out: Numbers,
    adjoint: Numbers | None = None,
    grad: Numbers | None = None,
) -> list[float]:
    """Add a pull's contributions to the gradients `grad`; without `grad`, assign them.

    An assigned 0 may be negative, where a Value's gradient, which starts at 0, is not.
    """
    n = len(args[0])
    result = array("d", [math.nan] * n if grad is None else grad)
    seeds = array("d", [1.0] * n if adjoint is None else adjoint)
    arguments = tuple(array("d", arg) for arg in args)
    map_pull(simd, op, part, grad is None, result, seeds, arguments, array("d", out))
    return [0.0 + x for x in result]


def columns(points: Sequence[Numbers]) -> list[list[float]]:
    return [list(column) for column in zip(*points, strict=True)]


def evaluate(simd: str, op: Op, points: Sequence[Numbers]) -> list[tuple[float, list[float]]]:
    """The value and the partials at each point, in the format of check.evaluate."""
    args = columns(points)
    out = values(simd, op, args)
    partials = columns([pulls(simd, op, part, args, out) for part in range(op.arity)])
    return list(zip(out, partials, strict=True))
