"""Running the programs that the studio writes."""

import contextlib
import io
from typing import Any


def executed(program: str) -> dict[str, Any]:
    """The names that a program defines."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        exec(compile(program, "program", "exec"), names)
    return names
