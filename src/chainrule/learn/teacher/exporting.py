"""A lesson or an exercise to hand out: one HTML file, or a Jupyter notebook.

The HTML file has live graphs and quizzes and makes no requests; the notebook has code to run, with its
output. Neither contains solutions: teachers find them with the exercises.
"""

from __future__ import annotations

import ast
import json
import textwrap
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from ...inspect.expressions import CONSTANTS, FUNCTIONS, parse
from ...viz.formats.html import document, table
from ...viz.web.bundle import STEPPER, STEPPER_STYLES, bundle, styles
from .. import rendering
from ..course import Lesson
from ..exercise import Exercise, exercise
from ..quizzes import pictured

Thing = Lesson | Exercise

MODULES = ("learn/static/quiz_view.js", "learn/static/highlighting.js")
STYLES = ("viz/web/static/page/page.css", "learn/static/learn.css")

START = """
const data = JSON.parse(document.getElementById("data").textContent);
for (const code of document.querySelectorAll("code.python")) {
    code.replaceChildren(...highlighting_js.highlighted(code.textContent));
}
for (const [id, drawn] of Object.entries(data.figures)) {
    new stepper_js.Stepper(document.getElementById(id), drawn);
}
for (const [id, quiz] of Object.entries(data.quizzes)) {
    const place = document.getElementById(id);
    place.replaceChildren(quiz_view_js.quizView(quiz, { title: place.dataset.title }).element);
}
"""

STYLE = """
html { scroll-padding-top: 0; }
main { max-width: none; padding: 0 clamp(12px, 2.5vw, 32px); }
footer { max-width: 40rem; margin: 0 auto; padding: 24px 12px 40px; color: var(--muted);
    font-size: 13px; }
.lesson h1 { font-size: clamp(26px, 4vw, 34px); line-height: 1.2; letter-spacing: -0.02em; }
.lesson > pre, .handout pre { margin-block: 0; padding: 14px 16px; border: 1px solid var(--line);
    border-radius: 10px; background: var(--surface); font: 14px/1.6 var(--mono); overflow-x: auto; }
.lesson > .quiz-place:has(.graph-place) { max-width: 50rem; }
.handout h2 { font-size: 19px; }
.lesson > .printed { margin-top: -10px; }
.handout { display: grid; grid-template-columns: minmax(0, 1fr); gap: 14px; padding: 18px 20px; }
.handout summary { cursor: pointer; font-weight: 600; }
"""


# --- HTML ------------------------------------------------------------------------------------------


def html(thing: Thing) -> str:
    """A self-contained file with working quizzes and steppers."""
    data: dict[str, Any] = {"figures": {}, "quizzes": {}}
    if isinstance(thing, Lesson):
        head, parts = thing.promise, list(_parts(thing, data))
    else:
        head, parts = f"About {thing.minutes} minutes.", [_handout(thing, titled=False)]
    body = "\n".join(
        [
            '<main>\n<article class="lesson">',
            f'<header><h1>{escape(thing.title)}</h1><p class="lead">{escape(head)}</p></header>',
            *parts,
            "</article>\n</main>",
            "<footer>Made with chainrule. Everything is computed in this file; nothing is sent anywhere."
            "</footer>",
        ]
    )
    script = "{\n" + bundle([STEPPER, *MODULES]) + START + "}"
    style = styles(*STEPPER_STYLES, *STYLES) + STYLE
    return document(thing.title, body, data, script, style)


def _parts(lesson: Lesson, data: dict[str, Any]) -> Iterator[str]:
    for i, block in enumerate(rendering.blocks(lesson, title=1)):
        if block["kind"] == "prose":
            yield f'<div class="prose">{block["html"]}</div>'
        elif block["kind"] == "code":
            yield _code(block["text"])
            if block["printed"]:
                tag = "It raises" if block["raises"] else "It prints"
                yield (
                    f'<div class="printed"><span class="tag">{tag}</span>'
                    f'<pre tabindex="0">{escape(block["printed"])}</pre></div>'
                )
        elif block["kind"] == "exercises":
            yield from (_handout(exercise(name)) for name in block["names"])
        elif block["kind"] == "quiz":
            data["quizzes"][f"block-{i}"] = block["quiz"]
            title = f"Question {len(data['quizzes'])}"
            asked = _asked(block["quiz"])
            yield f'<div id="block-{i}" class="quiz-place" data-title="{title}">{asked}</div>'
        elif "stepper" in block:
            data["figures"][f"block-{i}"] = block["stepper"]
            values = table(pictured(block["expression"], block["values"]))
            yield f'<div class="figure"><div id="block-{i}"></div><noscript>{values}</noscript></div>'
        elif "trainer" in block:
            yield '<p class="notice">Live in <code>chainrule studio</code>. The same as a program:</p>'
            yield _code(_program(block["trainer"]))
        else:
            yield f'<pre tabindex="0">{escape(block["text"])}</pre>'


def _code(text: str) -> str:
    return f'<pre tabindex="0"><code class="python">{escape(text)}</code></pre>'


def _asked(quiz: Mapping[str, Any]) -> str:
    """A quiz for readers without JavaScript."""
    options = "".join(f"<li>{escape(each['text'])}</li>" for each in quiz.get("options", ()))
    return f'<section class="quiz"><p>{escape(quiz["question"])}</p><ul>{options}</ul></section>'


def _handout(e: Exercise, titled: bool = True) -> str:
    hints = "".join(
        f'<details><summary>Hint {i}</summary><div class="prose">{rendering.prose(hint)}</div></details>'
        for i, hint in enumerate(e.hints, 1)
    )
    title = f"<h2>Exercise: {escape(e.title)}</h2>" if titled else ""
    way = f"chainrule learn check {e.name}.py"
    return (
        f'<section class="card handout">{title}<div class="prose">{rendering.prose(e.task)}</div>'
        f"{_code(_without_task(e.starter))}{hints}"
        f'<p class="help">Save your code as <code>{e.name}.py</code>. '
        f"To check it: <code>{way}</code></p>"
        "</section>"
    )


def _without_task(source: str) -> str:
    """The code of a starter without its docstring, which is shown as the task."""
    first = ast.parse(source).body[0]
    return "\n".join(source.splitlines()[first.end_lineno :]).strip("\n")


# --- notebooks -------------------------------------------------------------------------------------


def notebook(thing: Thing) -> str:
    """A Jupyter notebook (nbformat 4.5), as JSON."""
    if isinstance(thing, Lesson):
        cells = list(_lesson_cells(thing))
    else:
        cells = list(_exercise_cells(thing, f"# {_literal(thing.title)}"))
    for i, cell in enumerate(cells):
        cell["id"] = f"cell-{i}"
    about = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    found = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _markdown_cell(text: str) -> dict[str, Any]:
    return {
        "cell_type": "markdown",
        "metadata": {},
        "source": text.strip("\n").splitlines(keepends=True),
    }


def _code_cell(text: str, printed: str = "", raises: bool = False) -> dict[str, Any]:
    metadata = {"tags": ["raises-exception"]} if raises else {}  # so that Run All continues
    source = text.strip("\n").splitlines(keepends=True)
    stream = {"output_type": "stream", "name": "stdout", "text": printed.splitlines(keepends=True)}
    output = _raised(printed) if raises else stream
    outputs = [output] if printed else []
    return {
        "cell_type": "code",
        "metadata": metadata,
        "source": source,
        "execution_count": None,
        "outputs": outputs,
    }


def _raised(printed: str) -> dict[str, Any]:
    """The error output of a cell, from the last line of a traceback."""
    name, _, text = printed.strip().partition(": ")
    return {"output_type": "error", "ename": name, "evalue": text, "traceback": [printed.strip()]}


def _lesson_cells(lesson: Lesson) -> Iterator[dict[str, Any]]:
    yield _markdown_cell(f"# {lesson.title}\n\n*{lesson.promise}*")
    around = zip((None, *lesson.blocks), lesson.blocks, (*lesson.blocks[1:], None), strict=False)
    for before, block, after in around:
        if block.kind == "markdown":
            yield _markdown_cell(block.text)
        elif block.kind == "text" and (before is None or before.kind != "python"):
            yield _markdown_cell(f"```text\n{block.text}```")  # text after code is that cell's output
        elif block.kind == "python":
            printed = after.text if after is not None and after.kind == "text" else ""
            yield _code_cell(block.text, printed, "raises" in block.options)
        elif block.kind == "figure":
            yield _code_cell(_figure(block.data))
        elif block.kind == "quiz":
            yield _markdown_cell(_quiz(rendering.quiz(block.data)))
        elif block.kind == "exercise":
            for name in block.text.split():
                e = exercise(name)
                yield from _exercise_cells(e, f"## Exercise: {_literal(e.title)}")


def _exercise_cells(e: Exercise, title: str) -> Iterator[dict[str, Any]]:
    yield _markdown_cell(f"{title}\n\n{e.task}")
    yield _code_cell(_without_task(e.starter))
    yield _markdown_cell(
        f"Save your code as `{e.name}.py`. To check it: `chainrule learn check {e.name}.py`"
    )
    for i, hint in enumerate(e.hints, 1):
        yield _markdown_cell(_folded(f"Hint {i}", hint))


def _figure(data: Mapping[str, Any]) -> str:
    """A drawing or a training run, inside a function so that the lesson's names are not overwritten."""
    if "trainer" in data:
        program = _program(rendering.figure(data)["trainer"])
        return f"def figure():\n{textwrap.indent(program, '    ')}\n\n\nfigure()"
    expression = parse(data["stepper"])
    used = {node.id for node in ast.walk(expression.tree) if isinstance(node, ast.Name)}
    constants = sorted(used & set(CONSTANTS))
    lines = [f"from math import {', '.join(constants)}"] if constants else []
    names = ", ".join(["Value", "draw", *sorted(used & set(FUNCTIONS))])
    lines += [f"from chainrule import {names}", ""]
    lines += [f'{name} = Value({float(x)!r}, label="{name}")' for name, x in data["values"].items()]
    lines += [f"result = {ast.unparse(expression.tree)}", "result.backward()", "return draw(result)"]
    body = textwrap.indent("\n".join(lines), "    ")
    return f"def figure():\n{body}\n\n\nfigure()"


def _program(settings: Mapping[str, Any]) -> str:
    """The program of a trainer figure, as the studio writes it."""
    from ...studio.trainer import code, config

    return code.program(config.Config(**settings)).strip()


def _quiz(quiz: Mapping[str, Any]) -> str:
    asked = f"**Question.** {_literal(quiz['question'])}"
    if quiz["kind"] == "choice":
        options = "\n".join(f"- {_literal(each['text'])}" for each in quiz["options"])
        answer = "\n".join(
            f"- {'✓' if each['right'] else '✗'} {_literal(each['text'])}: {_literal(each['feedback'])}"
            for each in quiz["options"]
        )
        return f"{asked}\n\n{options}\n\n{_folded('Answer', answer)}"
    if quiz["kind"] == "number":
        answer = f"{quiz['answer']:g}. {_literal(quiz['worked'])}"
        return f"{asked}\n\n{_folded('Answer', answer)}"
    names = ", ".join(f"`{name}`" for name in quiz["names"])
    answer = f"{names}. {_literal(quiz['feedback'])}"
    graph = f"This is about the graph of `{quiz['expression']}`."
    return f"{asked}\n\n{graph}\n\n{_folded('Answer', answer)}"


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def _literal(text: str) -> str:
    """Plain text with Markdown syntax escaped."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>$#|" else c for c in text)
