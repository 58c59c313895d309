"""The course as plain data: lessons with their code, figures, quizzes and exercises."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A part of a lesson: prose (kind `markdown`) or a fenced block."""

    kind: str  # markdown, python, text, figure, exercise, quiz, or another language
    text: str
    options: tuple[str, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)  # of a figure or a quiz


@dataclass(frozen=True)
class Lesson:
    """One lesson; its blocks are in the order of the file."""

    number: int
    name: str
    title: str
    promise: str  # the duration and the goal
    blocks: tuple[Block, ...]

    def of(self, kind: str) -> list[Block]:
        return [block for block in self.blocks if block.kind == kind]

    @property
    def exercises(self) -> list[str]:
        return [name for block in self.of("exercise") for name in block.text.split()]

    @property
    def quiz_keys(self) -> list[str]:
        """The keys under which answers are saved."""
        return [f"{self.number}.{i}" for i in range(1, len(self.of("quiz")) + 1)]

    @property
    def minutes(self) -> int:
        found = re.search(r"(\d+) minutes", self.promise)
        if found is None:
            raise ValueError(f"{self.name}: the second line must say how many minutes it takes")
        return int(found[1])


def parse(path: Path) -> Lesson:
    """Read a lesson; a malformed one raises ValueError with its name."""
    text = path.read_text(encoding="utf-8")
    number, _, name = path.stem.partition("_")
    head = re.match(r"# (?P<title>[^\n]+)\n+\*(?P<promise>[^*]+)\*\n", text)
    if head is None:
        raise ValueError(f"{path.name} must begin with '# Title' and '*15 minutes. ...*'")
    blocks: list[Block] = []
    end = head.end()
    for fence in FENCE.finditer(text, head.end()):
        if prose := text[end : fence.start()].strip():
            blocks.append(Block("markdown", prose))
        blocks.append(_fenced(path.name, fence["info"].split(), fence["body"]))
        end = fence.end()
    if prose := text[end:].strip():
        blocks.append(Block("markdown", prose))
    return Lesson(int(number), name, head["title"], " ".join(head["promise"].split()), tuple(blocks))


def _fenced(lesson: str, info: list[str], body: str) -> Block:
    kind, *options = info or ["text"]
    data: dict[str, Any] = {}
    if kind in ("figure", "quiz"):
        try:
            data = tomllib.loads(body)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"{lesson}: a {kind} is not valid TOML: {error}") from None
    return Block(kind, body, tuple(options), data)


@cache
def lessons() -> tuple[Lesson, ...]:
    """All lessons in order."""
    return tuple(parse(path) for path in sorted((HERE / "lessons").glob("[0-9]*.md")))


def lesson(number: int) -> Lesson:
    for each in lessons():
        if each.number == number:
            return each
    raise ValueError(f"there is no lesson {number}; the lessons are 1 to {len(lessons())}")
