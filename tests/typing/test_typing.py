"""What type checkers say of a user's program: nothing about right.py, each marked line of wrong.py."""

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
    """The lines of a program that a checker must refuse."""
    lines = path.read_text().splitlines()
    return [(path.name, i) for i, line in enumerate(lines, 1) if line.endswith("# wrong")]


def mypy() -> set[tuple[str, int]]:
    """The lines about which mypy complains."""
    options = ["--strict", "--config-file=", "--follow-imports=silent", "--no-error-summary"]
    done = python("-m", "mypy", *options, *PROGRAMS)
    assert done.stderr == ""
    return {(name, int(line)) for name, line in re.findall(r"(\w+\.py):(\d+): error", done.stdout)}


def pyright() -> set[tuple[str, int]]:
    """The lines about which pyright complains."""
    require("pyright")
    done = python(*PYRIGHT, "--pythonpath", sys.executable, *PROGRAMS)
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = [each for each in found if each["severity"] == "error"]
    return {(Path(each["file"]).name, each["range"]["start"]["line"] + 1) for each in errors}


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_a_checker_refuses_the_wrong_lines_and_no_other(
    checker: Callable[[], set[tuple[str, int]]],
) -> None:
    right, wrong = map(marked, PROGRAMS)
    assert not right
    assert len(wrong) > 10
    assert checker() == set(wrong)


def test_public_types_are_known(tmp_path: Path) -> None:
    """`pyright --verifytypes`: at least 95 % of what can be imported has a known type."""
    require("pyright")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "PYTHONPATH": str(HERE.parents[1] / "src")}
    words = ("--verifytypes", "chainrule", "--ignoreexternal")
    # In an empty folder: a file beside it would be taken for the package.
    done = python(*PYRIGHT, *words, environment=environment, cwd=tmp_path)
    found = json.loads(done.stdout)["typeCompleteness"]
    assert sum(found["exportedSymbolCounts"].values()) > 3000
    assert found["completenessScore"] >= 0.95
