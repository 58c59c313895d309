"""Runs the programs that the studio generates."""

import contextlib
import io
from typing import Any


def executed(program: str) -> dict[str, Any]:
    """Run a program, and return the names that it defines."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        exec(compile(program, "program", "exec"), names)
    return names
