"""The C headers that kernels include: the core's vectors and the table's formulas.

A checkout has them in src/_core; a wheel has copies. The text of a kernel begins with
`#include "kernel.h"`, which defines, for vectors `vec` of LANES numbers:

- `vec v_op_NAME(vec x, vec y, vec z)`: the value of an operation, with as many arguments as it has;
- `vec v_op_NAME_dPART(...)`: its partial derivative with respect to argument PART. It takes what its
  formula needs, in the order x, y, z, out; `partial` returns the name and these arguments.

If the text defines SIMD_ONE before this line, LANES is 2 and only lane 0 counts: a single sample. If it
defines SINGLE, numbers are stored as floats. Functions marked KERNEL are exported.

setup.py runs this file on its own, so it imports nothing from the package.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

NAMES = (
    *("kernel.h", "simd.h", "vmath.h", "real.h", "folds.h", "matrix.h"),
    *("steps.h", "ops_simd.h", "ops_folds.h", "ops_codes.h"),
)
PACKAGE = Path(__file__).resolve().parents[3]
COPIES = PACKAGE / "_headers"  # in a wheel
SOURCES = PACKAGE.parent / "_core"  # in a checkout
FOLDERS = ("kernels", "generated", "machine")
FUNCTION = re.compile(r"^static inline vec (v_op_\w+)\((.*)\) \{", re.MULTILINE)
LIBRARY_CALL = re.compile(r"v_each2?\((\w+),")
EXACT = {
    "f",
    "sqrt",
}  # f: the parameter of v_each itself; a compiler may replace sqrt by its instruction


def include_dirs() -> list[Path]:
    """The folders with the headers; none if they are missing, as in a copy of the package alone."""
    if COPIES.is_dir():
        return [COPIES]
    return [SOURCES / name for name in FOLDERS] if (SOURCES / "kernels" / "kernel.h").is_file() else []


@cache
def texts() -> dict[str, str]:
    """The text of each header, by name; raises FileNotFoundError for a missing one."""
    found = {}
    for name in NAMES:
        paths = [folder / name for folder in include_dirs() if (folder / name).is_file()]
        if not paths:
            raise FileNotFoundError(f"the header {name} is missing: reinstall chainrule")
        found[name] = paths[0].read_text(encoding="utf-8")
    return found


@cache
def digest() -> str:
    """The hash of all headers, as part of a kernel's key."""
    text = "\0".join(f"{name}\0{content}" for name, content in texts().items())
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def functions() -> dict[str, tuple[str, ...]]:
    """The functions on vectors, with the names of their parameters."""
    found = FUNCTION.findall(texts()["ops_simd.h"])
    return {name: tuple(re.findall(r"vec (\w+)", parameters)) for name, parameters in found}


def partial(name: str, part: int) -> tuple[str, tuple[str, ...]] | None:
    """The function for a partial derivative of an operation, and its parameters among x, y, z and out.

    None if the operation is not differentiable with respect to this argument.
    """
    function = f"v_op_{name}_d{part}"
    parameters = functions().get(function)
    return None if parameters is None else (function, parameters)


@cache
def library_calls() -> list[str]:
    """The functions of the C library that kernels call for each lane."""
    found = {name for text in texts().values() for name in LIBRARY_CALL.findall(text)}
    return sorted(found - EXACT)


@cache
def folds() -> frozenset[str]:
    """The variadic operations on vectors."""
    return frozenset(re.findall(r"^INLINE vec fold_([a-z]\w*)\(", texts()["ops_folds.h"], re.MULTILINE))
