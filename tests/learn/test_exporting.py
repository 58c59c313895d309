"""Exporting lessons and exercises as pages and as notebooks, whose cells are run in order.

tests/browser/test_exported_course.py opens the pages in a browser.
"""

import contextlib
import io
import json
import random
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from chainrule import cli
from chainrule.learn import questions, rendering
from chainrule.learn.course import Lesson, lesson, lessons
from chainrule.learn.exercise import exercise, exercises

from ..conftest import require, require_imports

require("markdown_it")

from chainrule.learn.teacher import exporting  # noqa: E402

POLICY = re.compile(r'content="(default-src [^"]+)"')


# --- rendered data ---------------------------------------------------------------------------------


@pytest.mark.parametrize("each", lessons(), ids=lambda each: each.name)
def test_the_blocks_of_a_lesson(each: Lesson) -> None:
    found = rendering.blocks(each)
    kinds = [block["kind"] for block in found]
    assert kinds.count("code") == len(each.of("python"))
    assert kinds.count("quiz") == len(each.of("quiz"))
    assert kinds.count("figure") == len(each.of("figure"))
    texts = [b.get("printed", b.get("text")) for b in found if b["kind"] in ("code", "text")]
    assert list(filter(None, texts)) == [block.text for block in each.of("text")]
    assert not any("<script" in block.get("html", "") for block in found)


def test_markup_in_markdown_is_escaped() -> None:
    written = rendering.prose("<img src=x onerror=alert(1)>")
    assert written == "<p>&lt;img src=x onerror=alert(1)&gt;</p>\n"
    assert "href" not in rendering.prose("[a](javascript:alert(1))")
    assert rendering.prose("## A") == "<h3>A</h3>\n"
    assert rendering.prose("## A", title=1) == "<h2>A</h2>\n"


@pytest.mark.parametrize("e", exercises(), ids=lambda e: e.name)
def test_tasks_keep_their_underscores(e: Any) -> None:
    assert "<strong>" not in rendering.prose(e.task)


@pytest.mark.parametrize("number", [questions.FIRST, questions.RICHER])
def test_generated_questions_vary_and_have_answers(number: int) -> None:
    found = [questions.question(random.Random(seed), number) for seed in range(40)]
    assert len({each.question for each in found}) > 25
    for each in found:
        assert questions.SMALLEST <= abs(each.answer) <= questions.LARGEST
        assert each.accepts(each.answer)
        assert each.worked.startswith("y = ")


# --- HTML ------------------------------------------------------------------------------------------


def test_pages_have_a_strict_policy_and_contain_no_solution() -> None:
    for thing in (*lessons(), *exercises()):
        text = exporting.html(thing)
        policy = POLICY.search(text)[1]
        assert "default-src 'none'; script-src 'sha256-" in policy
        assert "unsafe" not in policy
    e = exercise("write_mul")
    line = "return Value(self.data * other.data)"
    assert line in e.solution
    assert line not in exporting.html(e)
    assert "self.data * other.data" not in exporting.notebook(e)


# --- notebooks -------------------------------------------------------------------------------------


def cells(thing: Any) -> list[dict[str, Any]]:
    found = json.loads(exporting.notebook(thing))
    assert (found["nbformat"], found["nbformat_minor"]) == (4, 5)
    assert set(found) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert found["metadata"]["kernelspec"]["name"] == "python3"
    ids = [cell["id"] for cell in found["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in found["cells"]:
        assert cell["cell_type"] in ("code", "markdown")
        keys = {"cell_type", "metadata", "source", "id"}
        assert set(cell) == keys | ({"execution_count", "outputs"} if is_code(cell) else set())
        assert not is_code(cell) or cell["execution_count"] is None
        assert all(isinstance(line, str) for line in cell["source"])
        assert all(line.endswith("\n") for line in cell["source"][:-1])
    return list(found["cells"])


def is_code(cell: dict[str, Any]) -> bool:
    return bool(cell["cell_type"] == "code")


@pytest.mark.parametrize("each", lessons(), ids=lambda each: each.name)
def test_the_cells_of_a_notebook_run_in_order(
    each: Lesson, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They print what the lesson shows, even with figures in between."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = []
    figures = 0
    starters = ["".join(cell["source"]) for name in each.exercises for cell in cells(exercise(name))]
    for cell in filter(is_code, cells(each)):
        source = "".join(cell["source"])
        if source in starters:
            exec(source, dict(names))
            continue
        require_imports(source)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            if cell["metadata"].get("tags") == ["raises-exception"]:
                with pytest.raises(BaseException):  # noqa: B017, PT011
                    exec(source, names)
                continue
            exec(source, names)
        if source.startswith("def figure():"):
            figures += 1
        else:
            printed.append(out.getvalue())
    blocks = list(each.blocks)
    told = []
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        if block.kind == "python" and "raises" not in block.options:
            told.append(after.text if after is not None and after.kind == "text" else "")
    assert printed == told
    assert figures == len(each.of("figure"))


@pytest.mark.parametrize("each", lessons(), ids=lambda each: each.name)
def test_a_notebook_contains_the_output_of_its_cells(each: Lesson) -> None:
    """It is there before anything is run; the test above checks that the cells print the same."""
    shown = [output for cell in filter(is_code, cells(each)) for output in cell["outputs"]]
    told = [
        (block, after)
        for block, after in pairwise(each.blocks)
        if block.kind == "python" and after.kind == "text"
    ]
    assert told
    for output, (block, after) in zip(shown, told, strict=True):
        if "raises" in block.options:
            assert output["output_type"] == "error"
            assert output["traceback"] == [f"{output['ename']}: {output['evalue']}"]
            assert output["traceback"] == [after.text.strip()]
        else:
            assert (output["output_type"], output["name"]) == ("stream", "stdout")
            assert "".join(output["text"]) == after.text


def test_the_notebook_of_a_lesson_contains_its_exercises() -> None:
    found = ["".join(cell["source"]) for cell in cells(lesson(1))]
    for name in lesson(1).exercises:
        task, starter, way, *_ = ("".join(c["source"]) for c in cells(exercise(name)))
        assert f"#{task}".replace("## ", "## Exercise: ", 1) in found
        at = found.index(starter)
        assert "# your code here" in starter
        assert found[at + 1] == way


def test_a_figure_is_a_drawing() -> None:
    cell = next(c for c in cells(lesson(15)) if "".join(c["source"]).startswith("def figure"))
    names: dict[str, Any] = {}
    exec("".join(cell["source"]), names)
    assert "tanh" in names["figure"]().svg
    assert set(names) == {"__builtins__", "figure"}


def test_the_notebook_of_an_exercise() -> None:
    found = cells(exercise("write_mul"))
    assert "".join(found[0]["source"]).startswith("# Write \\_\\_mul\\_\\_\n\nLet Values be multiplied.")
    exec("".join(found[1]["source"]), {})
    assert sum("<details><summary>Hint" in "".join(cell["source"]) for cell in found) == 3


# --- the command -----------------------------------------------------------------------------------


def test_the_export_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, notebook = tmp_path / "a.html", tmp_path / "b.ipynb"
    assert cli.main(["learn", "export", "3", "--html", str(page)]) == 0
    assert capsys.readouterr().out == f"wrote {page}\n"
    assert page.read_text(encoding="utf-8") == exporting.html(lesson(3))
    assert cli.main(["learn", "export", "3", "--html", str(page)]) == 0
    assert capsys.readouterr().out == f"replaced {page}\n"
    assert cli.main(["learn", "export", "write_mul", "--notebook", str(notebook)]) == 0
    assert json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    capsys.readouterr()
    for words, error in {
        ("99", "--html", str(page)): "chainrule: there is no lesson 99; the lessons are 1 to 15\n",
        ("nothing", "--html", str(page)): "chainrule: there is no exercise 'nothing'; ",
        ("3", "--html", str(tmp_path / "no" / "a.html")): "chainrule: the directory of ",
    }.items():
        assert cli.main(["learn", "export", *words]) == 1
        assert capsys.readouterr().err.startswith(error)
    with pytest.raises(SystemExit):
        cli.main(["learn", "export", "3"])


def test_the_help_says_what_is_interactive_in_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["learn", "export", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "teachers" not in said
    assert "live graphs and quizzes; training runs become programs to run elsewhere" in said
