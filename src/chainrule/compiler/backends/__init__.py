"""Backends, which run programs, and the writers of source code.

The derivatives of operations come from the table. The NumPy and native backends implement only those of
matrix products, dots and `take`, which are linear; JAX differentiates these itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...value import c_core
from ..codegen import c, javascript
from ..codegen.text import Export
from . import numpy

NAMES = ("native", "numpy")
WRITERS: dict[str, Callable[[Export], str]] = {"c": c.source, "javascript": javascript.source}


def named(name: str | None) -> Any:
    """The machine class of a backend; the fastest available if None."""
    if name not in (None, *NAMES):
        raise ValueError(f"unknown backend {name!r}; expected one of: {', '.join(NAMES)}")
    if name == "numpy" or (name is None and c_core is None):
        return numpy.Machine
    if c_core is None:
        raise ValueError("the native backend needs the C core, which was not built; use backend='numpy'")
    from . import native

    return native.Machine


def writer(language: str) -> Callable[[Export], str]:
    """The function that writes programs in a language."""
    if language not in WRITERS:
        raise ValueError(f"unknown language {language!r}; expected one of: {', '.join(WRITERS)}")
    return WRITERS[language]
