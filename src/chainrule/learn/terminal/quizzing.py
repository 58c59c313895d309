"""`chainrule learn quiz LESSON`: the questions of a lesson in a terminal, one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

from ...viz.formats.text import tree
from ...viz.model import LEAF, Node
from ..course import Lesson
from ..progress import Progress
from ..quizzes import judge, name_of, pictured
from . import output
from .output import Style

Ask = Callable[[str], str | None]  # prompt -> line; None at the end of input
PROMPTS = {
    "choice": "your choice: ",
    "number": "your number: ",
    "node": "the node or nodes, by number or name: ",
}
KEYS = "Enter alone skips to the next question; Ctrl-D ends."


def ask_all(
    lesson: Lesson, progress: Progress, say: Callable[[str], None], ask: Ask, style: Style
) -> None:
    """Ask, judge, and save the first answers, in the file that the studio uses too."""
    quizzes = lesson.of("quiz")
    progress.refresh()
    say(f"{style.strong(lesson.title)}  ({len(quizzes)} questions)")
    say(style.quiet(KEYS))
    answers: list[bool | None] = []
    for i, (key, block) in enumerate(zip(lesson.quiz_keys, quizzes, strict=True), 1):
        say(f"\n{style.strong(f'Question {i}')} {style.quiet(_past(progress, key))}".rstrip())
        say("\n".join(shown(block.data)))
        try:
            answers.append(_answered(block.data, key, progress, say, ask, style))
        except EOFError:
            return
    skipped = answers.count(None)
    answered = len(answers) - skipped
    say(f"\n{answered} answered, {answers.count(True)} right the first time, {skipped} skipped.")


def shown(quiz: Mapping[str, Any]) -> Iterator[str]:
    """A question with its options, or with its graph."""
    yield output.prose(quiz["question"])
    if quiz["kind"] == "choice":
        texts = [option["text"] for option in quiz["option"]]
        yield output.listed((f"  {i}  " for i in count(1)), texts)
    elif quiz["kind"] == "node":
        yield ""
        yield graph(quiz)


def graph(quiz: Mapping[str, Any]) -> str:
    """A tree of numbered nodes. Only leaves show their numbers, so that no answer is revealed."""
    found = pictured(quiz["expression"], quiz["values"])

    def told(node: Node) -> str:
        given = f" = {node.data:g}" if node.kind == LEAF else ""
        return f"{node.id + 1}  {name_of(found, node.id)}{given}"

    return tree(found, told=told)


def _answered(
    quiz: Mapping[str, Any],
    key: str,
    progress: Progress,
    say: Callable[[str], None],
    ask: Ask,
    style: Style,
) -> bool | None:
    """Ask until the answer is right, revealed or skipped; returns whether the first was right."""
    first: bool | None = None
    while True:
        line = ask(PROMPTS[quiz["kind"]])
        if line is None:
            raise EOFError
        if not line.strip():
            return first
        try:
            verdict = judge(quiz, line)
        except ValueError as error:
            say(output.prose(str(error)))
            continue
        progress.note_quiz(key, verdict.right)
        again = quiz["kind"] == "number" and not verdict.right and first is None
        first = verdict.right if first is None else first
        say(style.good("✓ Right.") if verdict.right else style.bad("✗ Not quite."))
        told = output.prose(verdict.text.removeprefix("Yes. "))
        say("Try once more; then the answer is shown." if again else told)
        if verdict.told and not again:
            return first


def _past(progress: Progress, key: str) -> str:
    if key not in progress.quizzes:
        return ""
    return "(right the first time)" if progress.quizzes[key] else "(answered before)"
