"""Lessons and exercises for pages: prose as HTML, figures and quizzes as plain data.

The studio and the exports show the result. Markdown is rendered with HTML disabled, so a lesson cannot
inject markup.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from ..viz.formats.html import drawn
from .course import Block, Lesson
from .quizzes import answers_of, pictured

SETTINGS = ("layers", "activation", "rate")  # of a trainer, besides its data set


@cache
def _markdown() -> Any:
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        raise ImportError("pages need markdown-it-py: pip install 'chainrule[studio]'") from None
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def prose(text: str, title: int = 2) -> str:
    """Markdown as HTML, for a page whose title is a heading of level `title`."""
    tokens = _markdown().parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + title - 1, 6)}"
    return str(_markdown().renderer.render(tokens, _markdown().options, {}))


def blocks(lesson: Lesson, title: int = 2) -> list[dict[str, Any]]:
    """The blocks of a lesson for a page, in order; code comes with its output."""
    found: list[dict[str, Any]] = []
    quizzes = codes = 0
    for block in lesson.blocks:
        if block.kind == "python":
            raises = "raises" in block.options
            text = block.text.rstrip("\n")
            found.append({"kind": "code", "index": codes, "text": text, "raises": raises})
            found[-1]["printed"] = ""
            codes += 1
        elif block.kind == "text" and found and found[-1].get("printed") == "":
            found[-1]["printed"] = block.text
        elif block.kind == "quiz":
            quizzes += 1
            found.append({"kind": "quiz", "key": f"{lesson.number}.{quizzes}", "quiz": quiz(block.data)})
        else:
            found.append(_other(block, title))
    return found


def _other(block: Block, title: int) -> dict[str, Any]:
    if block.kind == "markdown":
        return {"kind": "prose", "html": prose(block.text, title)}
    if block.kind == "exercise":
        return {"kind": "exercises", "names": block.text.split()}
    if block.kind == "figure":
        return {"kind": "figure", **figure(block.data)}
    return {"kind": "text", "text": block.text}


def figure(data: Mapping[str, Any]) -> dict[str, Any]:
    """A stepper with its picture, or the settings of a trainer."""
    if "stepper" in data:
        found = pictured(data["stepper"], data["values"])
        return {"expression": data["stepper"], "values": data["values"], "stepper": drawn(found)}
    settings = {name: data[name] for name in SETTINGS if name in data}
    return {"trainer": {"data": data["trainer"], **settings}}


def quiz(data: Mapping[str, Any]) -> dict[str, Any]:
    """A quiz with everything needed to judge an answer."""
    asked = {"kind": data["kind"], "question": data["question"]}
    if data["kind"] == "choice":
        options = [
            {"text": each["text"], "feedback": each["feedback"], "right": bool(each.get("right"))}
            for each in data["option"]
        ]
        return {**asked, "options": options}
    if data["kind"] == "number":
        return {**asked, **{name: data[name] for name in ("answer", "tolerance", "worked")}}
    found = pictured(data["expression"], data["values"])
    nodes = answers_of(data, found)
    texts = {name: data[name] for name in ("expression", "feedback")}
    return {**asked, **texts, "stepper": drawn(found), "answers": nodes, "names": data["answers"]}
