"""What a terminal can show: colours, where somebody looks at them, and lines as wide as it is.

Prose is Markdown and is filled; what has its lines for a reason, such as code, is left as it is.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from typing import TextIO

WIDEST = 100  # columns that one likes to read
WORD = re.compile(r"(?:`[^`]*`|\S)+")  # code in a sentence stays on one line
CODE, FENCE = "    ", "```"
ITEM = re.compile(r"(?:[-*]|\d+\.) +")
KEPT = re.compile(r"#|\||---")  # headings, tables and rules
PART = re.compile(r"  (?:with|expected|got) +| *")  # of a report: what the rest stands below


class Style:
    """Colours where somebody looks at them."""

    def __init__(self, stream: TextIO) -> None:
        self.on: bool = stream.isatty() and "NO_COLOR" not in os.environ

    def __call__(self, code: int, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text

    def good(self, text: str) -> str:
        return self(32, text)

    def bad(self, text: str) -> str:
        return self(31, text)

    def quiet(self, text: str) -> str:
        return self(2, text)

    def strong(self, text: str) -> str:
        return self(1, text)


def width() -> int:
    """Columns for prose; the terminal is asked every time, because windows change."""
    return min(shutil.get_terminal_size().columns, WIDEST)


def prose(text: str) -> str:
    """Markdown in lines of the terminal's width."""
    return "\n".join(_prose(text.splitlines()))


def report(text: str) -> str:
    """What a checker says: every line for itself, and what does not fit below its beginning."""
    return "\n".join(line for each in text.splitlines() for line in _reported(each))


def listed(marks: Iterable[str], texts: Iterable[str]) -> str:
    """Texts below each other, each beside its mark."""
    return "\n".join(
        line
        for mark, text in zip(marks, texts, strict=False)
        for line in filled(WORD.findall(text), mark)
    )


def filled(words: Iterable[str], first: str = "", gap: str = " ") -> Iterator[str]:
    """As many words in a line as fit; what stands before the first is left blank before the others."""
    line, empty = first, True
    for word in words:
        if not empty and len(line) + len(gap) + len(word) > width():
            yield line
            line, empty = " " * len(first), True
        line += word if empty else gap + word
        empty = False
    yield line


# --- inside ----------------------------------------------------------------------------------------


def _prose(lines: Iterable[str]) -> Iterator[str]:
    words: list[str] = []  # of a paragraph that has begun
    mark = ""  # what it began with, if it is one of a list
    fenced = False

    def paragraph() -> Iterator[str]:
        if words:
            yield from filled(words, mark)
        words.clear()

    for line in lines:
        fence = line.startswith(FENCE)
        item = None if fenced else ITEM.match(line)
        # Code needs a line of space before it: further in, a paragraph goes on.
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
