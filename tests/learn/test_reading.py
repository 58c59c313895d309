"""Lessons in a terminal: their code, and the text that replaces their figures."""

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from chainrule.cli import main
from chainrule.learn import reading
from chainrule.learn.course import Lesson, lessons

from ..conftest import require_imports

FIGURES = [
    pytest.param(block.data, id=f"{lesson.number}.{i}")
    for lesson in lessons()
    for i, block in enumerate(lesson.of("figure"), 1)
]


def test_a_stepper_is_shown_as_a_tree_after_backward() -> None:
    assert reading.figure({"stepper": "a*b + a", "values": {"a": 2.0, "b": -3.0}}) == (
        "`a*b + a` after backward, as a tree; a name that occurs twice is one value. To\n"
        "step through the graph, open the Learn tab of `chainrule studio`.\n\n"
        "    -4.0000  (add)  grad 1.0000\n"
        "    ├─ -6.0000  (mul)  grad 1.0000\n"
        "    │  ├─ a = 2.0000  (leaf)  grad -2.0000\n"
        "    │  └─ b = -3.0000  (leaf)  grad 2.0000\n"
        "    └─ a = 2.0000  (leaf)  grad -2.0000"
    )
    assert "twice" not in reading.figure({"stepper": "a*b", "values": {"a": 2.0, "b": -3.0}})


def test_printed_output_is_marked() -> None:
    assert "    print(c)\n\n    │ -6.0\n\nAsk `c`" in reading.read(1)


@pytest.mark.parametrize("lesson", lessons()[:9], ids=lambda lesson: lesson.name)
def test_the_code_of_a_lesson_runs_as_a_program(lesson: Lesson, tmp_path: Path) -> None:
    """It prints what the lesson shows; code that is meant to raise an error is left out."""
    command = [sys.executable, "-m", "chainrule", "learn", "code", str(lesson.number)]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    require_imports(printed.stdout)
    (tmp_path / "lesson.py").write_text(printed.stdout)
    done = subprocess.run(
        [sys.executable, "lesson.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    pairs = zip(lesson.blocks, lesson.blocks[1:], strict=False)
    shown = [b.text for a, b in pairs if b.kind == "text" and a.kind == "python" and not a.options]
    assert (done.stdout, done.stderr) == ("".join(shown), "")


@pytest.mark.parametrize("data", FIGURES)
def test_each_figure_has_its_text_and_a_command_that_runs(
    data: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert any(reading.figure(data) in reading.read(lesson.number) for lesson in lessons())
    if "trainer" in data:
        command = reading.figure(data).splitlines()[-1].strip()
        assert main([*shlex.split(command)[1:], "--epochs", "2"]) == 0
        assert capsys.readouterr().out.startswith(f"{data['trainer']}: ")
