"""Runs the code of every lesson and compares its output with the lesson."""

import contextlib
import io
import re
import sys
import traceback
from typing import Any

import pytest

from chainrule.inspect.expressions import parse as parse_expression
from chainrule.learn.course import Block, Lesson, lessons
from chainrule.learn.exercise import exercises
from chainrule.learn.terminal import output

from ..conftest import require_imports
from ..near import near

NEEDLESS = re.compile(
    r"\b(simply|just|obviously|clearly|of course|very|really|basically)\b|!(?=\s|$)", re.I
)
ITEM = re.compile(r"(?:(?P<number>\d+[.)])|(?P<point>[-+*]))(?:\s|$)")


@pytest.fixture(params=lessons(), ids=lambda lesson: lesson.name)
def lesson(request: Any) -> Lesson:
    return request.param


def run(block: Block, names: dict[str, Any], where: str) -> str:
    """Run a block; returns its output or, with the option `raises`, the last line of its traceback."""
    require_imports(block.text)
    printed = io.StringIO()
    code = compile(block.text, where, "exec")
    with contextlib.redirect_stdout(printed):
        if "raises" in block.options:
            with pytest.raises(BaseException) as caught:  # noqa: PT011
                exec(code, names)
            return "".join(traceback.format_exception_only(caught.value)).splitlines()[-1] + "\n"
        exec(code, names)
    return printed.getvalue()


def test_code_prints_what_the_lesson_shows(lesson: Lesson, tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    monkeypatch.setitem(sys.modules, "__main__", type(sys)("__main__"))
    blocks = list(lesson.blocks)
    seen = 0
    for i, block in enumerate(blocks):
        if block.kind != "python":
            continue
        printed = run(block, names, f"lesson {lesson.number}, block {i}")
        after = blocks[i + 1] if i + 1 < len(blocks) else None
        shown = after.text if after is not None and after.kind == "text" else ""
        assert printed == shown
        seen += 1
    assert seen >= 3


def test_quizzes_are_complete_and_correct(lesson: Lesson) -> None:
    assert len(lesson.of("quiz")) >= 2
    for quiz in lesson.of("quiz"):
        data = quiz.data
        assert data["question"]
        if data["kind"] == "choice":
            assert any(option.get("right") for option in data["option"])
            assert any(not option.get("right") for option in data["option"])
            assert all(option["text"] and option["feedback"] for option in data["option"])
        elif data["kind"] == "number":
            names: dict[str, Any] = {}
            exec("from chainrule import *\nfrom chainrule import Value\nimport math", names)
            found = float(eval(data["check"], names))
            assert found == near(data["answer"], abs=data["tolerance"] + 1e-12)
            assert data["worked"]
        else:
            assert data["kind"] == "node"
            names_of = parse_expression(data["expression"]).names
            assert set(names_of) == set(data["values"])
            assert data["answers"]
            assert data["feedback"]


def test_figures_can_be_drawn(lesson: Lesson) -> None:
    for figure in lesson.of("figure"):
        if "stepper" in figure.data:
            names = parse_expression(figure.data["stepper"]).names
            assert set(names) == set(figure.data["values"])
        else:
            assert figure.data["trainer"] in ("xor", "moons", "circles", "spirals")


def reading_minutes(lesson: Lesson) -> float:
    """200 words or 20 lines of code take a minute, a figure takes a minute, a quiz 45 seconds."""
    words = sum(len(block.text.split()) for block in lesson.of("markdown"))
    lines = sum(len(block.text.splitlines()) for block in lesson.of("python"))
    return words / 200 + lines / 20 + len(lesson.of("figure")) + 0.75 * len(lesson.of("quiz"))


def test_the_stated_minutes_match_the_reading_time(lesson: Lesson) -> None:
    assert lesson.minutes == near(reading_minutes(lesson), abs=5.0)


def test_the_first_network_is_trained_within_an_hour() -> None:
    """Adds up lessons and exercises, up to the first lesson that trains a network."""
    passed = 0
    names: dict[str, Any] = {}
    for each in lessons():
        passed += each.minutes
        names = {"__name__": "__main__"}
        for block in each.of("python"):
            run(block, names, each.name)
        if "loss" in names:
            break
        passed += sum(exercise.minutes for exercise in exercises() if exercise.lesson == each.number)
    assert names["loss"].data < 0.01
    assert passed < 60


def test_lessons_take_10_to_20_minutes_without_needless_words(lesson: Lesson) -> None:
    assert 10 <= lesson.minutes <= 20
    prose = "\n".join(re.sub(r"`[^`]*`", "", block.text) for block in lesson.of("markdown"))
    assert not NEEDLESS.findall(prose)
    for kind, most in (("markdown", 110), ("text", 110), ("python", 80 - len(output.CODE))):
        lines = [line for block in lesson.of(kind) for line in block.text.splitlines()]
        assert [line for line in lines if len(line) > most] == []  # code must fit a terminal


def accidental_items(text: str) -> list[str]:
    """Lines that Markdown would mistake for list items, such as a sentence that ends in a number."""
    found: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        first, *rest = paragraph.splitlines()
        begun = ITEM.match(first)
        kind = begun.lastgroup if begun else None
        found += [line for line in rest if (item := ITEM.match(line)) and item.lastgroup != kind]
    return found


def test_no_line_is_mistaken_for_a_list_item(lesson: Lesson) -> None:
    assert accidental_items("with the sum\n1. The result") == ["1. The result"]
    assert accidental_items("three\n- two\n\n- one\n- two\n\n1. one\n2. two\n- 3") == ["- two", "- 3"]
    for block in lesson.of("markdown"):
        assert accidental_items(block.text) == []
