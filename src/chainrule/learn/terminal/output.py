"""Terminal output: colours on a terminal, and lines wrapped to its width.

Markdown prose is wrapped; code and other preformatted lines are kept.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from functools import partialmethod
from typing import TextIO

WIDEST = 100  # columns of readable text
WORD = re.compile(r"(?:`[^`]*`|\S)+")  # code in a sentence stays on one line
CODE, FENCE = "    ", "```"
ITEM = re.compile(r"(?:[-*]|\d+\.) +")
KEPT = re.compile(r"#|\||---")  # headings, tables and rules
PART = re.compile(
    r"  (?:with|expected|got) +| *"
)  # the label of a report line; the text after it is aligned


class Style:
    """Colours, if the output is a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self.on: bool = stream.isatty() and "NO_COLOR" not in os.environ

    def __call__(self, code: int, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text

    good: partialmethod[str] = partialmethod(__call__, 32)
    bad: partialmethod[str] = partialmethod(__call__, 31)
    quiet: partialmethod[str] = partialmethod(__call__, 2)
    strong: partialmethod[str] = partialmethod(__call__, 1)


def width() -> int:
    """Columns for prose; read every time, because windows are resized."""
    return min(shutil.get_terminal_size().columns, WIDEST)


def prose(text: str) -> str:
    """Markdown wrapped to the terminal's width."""
    return "\n".join(_prose(text.splitlines()))


def report(text: str) -> str:
    """A checker's report: each line wrapped on its own, with a hanging indent."""
    return "\n".join(line for each in text.splitlines() for line in _reported(each))


def listed(marks: Iterable[str], texts: Iterable[str]) -> str:
    """A list of texts, each after its marker."""
    return "\n".join(
        line
        for mark, text in zip(marks, texts, strict=False)
        for line in filled(WORD.findall(text), mark)
    )


def filled(words: Iterable[str], first: str = "", gap: str = " ") -> Iterator[str]:
    """Wrap words; continuation lines are indented by the width of the first line's prefix."""
    line, empty = first, True
    for word in words:
        if not empty and len(line) + len(gap) + len(word) > width():
            yield line
            line, empty = " " * len(first), True
        line += word if empty else gap + word
        empty = False
    yield line


# --- internals -------------------------------------------------------------------------------------


def _prose(lines: Iterable[str]) -> Iterator[str]:
    words: list[str] = []  # of the current paragraph
    mark = ""  # its list marker, if any
    fenced = False

    def paragraph() -> Iterator[str]:
        if words:
            yield from filled(words, mark)
        words.clear()

    for line in lines:
        fence = line.startswith(FENCE)
        item = None if fenced else ITEM.match(line)
        # Code needs a blank line before it: otherwise an indented line continues the paragraph.
        if fenced or fence or KEPT.match(line) or not line.strip() or (not words and line[:4] == CODE):
            yield from paragraph()
            yield line
        elif item:
            yield from paragraph()
            mark = item[0]
            words += WORD.findall(line[item.end() :])
        else:
            mark = mark if words else line[: len(line) - len(line.lstrip())]
            words += WORD.findall(line)
        fenced ^= fence
    yield from paragraph()


def _reported(line: str) -> Iterator[str]:
    if len(line) <= width() or line.startswith(CODE):
        yield line
    else:
        part = PART.match(line)
        assert part is not None
        yield from filled(line[part.end() :].split(), part[0])
