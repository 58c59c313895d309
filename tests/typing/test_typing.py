"""What type checkers say of a user's program: nothing about right.py, each marked line of wrong.py."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ..conftest import require

HERE = Path(__file__).parent
PYRIGHT = [sys.executable, "-m", "pyright", "--outputjson"]


def marked() -> set[int]:
    """The lines of wrong.py that a checker must refuse."""
    lines = (HERE / "wrong.py").read_text().splitlines()
    return {i for i, line in enumerate(lines, 1) if line.endswith("# wrong")}


def mypy(path: Path) -> set[int]:
    """The lines about which mypy complains."""
    options = ["--strict", "--config-file=", "--follow-imports=silent", "--no-error-summary"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(path)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return {int(line) for line in re.findall(r"\.py:(\d+): error", done.stdout)}


def pyright(path: Path) -> set[int]:
    """The lines about which pyright complains."""
    require("pyright")
    done = subprocess.run(
        [*PYRIGHT, "--pythonpath", sys.executable, str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {each["range"]["start"]["line"] + 1 for each in found if each["severity"] == "error"}


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_a_right_program(checker: object) -> None:
    assert checker(HERE / "right.py") == set()  # type: ignore[operator]


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_a_wrong_program(checker: object) -> None:
    assert checker(HERE / "wrong.py") == marked()  # type: ignore[operator]


def test_public_types_are_known(tmp_path: Path) -> None:
    """`pyright --verifytypes`: at least 95 % of what can be imported has a known type."""
    require("pyright")
    folder = Path(sys.executable).parent
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pyright",
            "--verifytypes",
            "chainrule",
            "--ignoreexternal",
            "--outputjson",
        ],
        cwd=tmp_path,  # a file beside it would be taken for the package
        env={
            **os.environ,
            "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(HERE.parents[1] / "src"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    found = json.loads(done.stdout)["typeCompleteness"]
    assert sum(found["exportedSymbolCounts"].values()) > 3000
    assert found["completenessScore"] >= 0.95
