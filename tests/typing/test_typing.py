"""Type checkers accept the user program right.py and report each marked line of wrong.py."""

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ..conftest import python, require

HERE = Path(__file__).parent
PROGRAMS = HERE / "right.py", HERE / "wrong.py"
PYRIGHT = ("-m", "pyright", "--outputjson")


def marked(path: Path) -> list[tuple[str, int]]:
    """The lines of a program in which a checker must report an error."""
    lines = path.read_text().splitlines()
    return [(path.name, i) for i, line in enumerate(lines, 1) if line.endswith("# wrong")]


def mypy() -> set[tuple[str, int]]:
    """The lines in which mypy reports an error."""
    options = ["--strict", "--config-file=", "--follow-imports=silent", "--no-error-summary"]
    done = python("-m", "mypy", *options, *PROGRAMS)
    assert done.stderr == ""
    return {(name, int(line)) for name, line in re.findall(r"(\w+\.py):(\d+): error", done.stdout)}


def pyright() -> set[tuple[str, int]]:
    """The lines in which pyright reports an error."""
    require("pyright")
    done = python(*PYRIGHT, "--pythonpath", sys.executable, *PROGRAMS)
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = [each for each in found if each["severity"] == "error"]
    return {(Path(each["file"]).name, each["range"]["start"]["line"] + 1) for each in errors}


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_a_checker_reports_exactly_the_wrong_lines(
    checker: Callable[[], set[tuple[str, int]]],
) -> None:
    right, wrong = map(marked, PROGRAMS)
    assert not right
    assert len(wrong) > 10
    assert checker() == set(wrong)


def test_public_types_are_known(tmp_path: Path) -> None:
    """`pyright --verifytypes`: at least 95 % of the public symbols have a known type."""
    require("pyright")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "PYTHONPATH": str(HERE.parents[1] / "src")}
    words = ("--verifytypes", "chainrule", "--ignoreexternal")
    # Runs in an empty folder, where pyright cannot mistake a local file for the package.
    done = python(*PYRIGHT, *words, environment=environment, cwd=tmp_path)
    found = json.loads(done.stdout)["typeCompleteness"]
    assert sum(found["exportedSymbolCounts"].values()) > 3000
    assert found["completenessScore"] >= 0.95
