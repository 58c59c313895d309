"""Rolls statements: where the same statements repeat, a loop replaces them.

A statement is text in which indices and numbers are marked. Two statements are alike if they differ in
these only. Copies of a run of statements become the body of a loop, in which an index that grows by the
same amount from copy to copy is written as `12 + 60 * t`, and what changes otherwise is looked up in a
table. The statements run in the same order as before, so results keep their bits. Loops nest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .helpers import STATEMENTS, Helpers

Array = Any

LEAST_STATEMENTS = 500  # shorter functions are easier to read without loops
LEAST_COUNT = 4  # copies that make a loop
LEAST_SAVED = 32  # statements that a loop must save
GRAM = 8  # statements in the shortest sequences whose returns suggest a period
CANDIDATES = 4  # periods tried for each length of such sequences
MOST_PEELED = 16  # copies at either end of a loop that may take their numbers from elsewhere
COUNTERS = ("t", "u", "w")  # of nested loops

MARK = re.compile("\x01([ipn])([^\x02]*)\x02")


def index(place: int) -> str:
    """An index into v, g or r, marked."""
    return f"\x01i{place}\x02"


def indices(places: Sequence[int]) -> str:
    """A table of indices, marked."""
    return f"\x01p{','.join(map(str, places))}\x02"


def number(text: str) -> str:
    """A literal, marked."""
    return f"\x01n{text}\x02"


def plain(text: str) -> str:
    """Text without its marks around indices and numbers."""
    return MARK.sub(lambda found: found[2], text)


@dataclass
class Script:
    """Statements as arrays. A slot is a place for an index or a literal in a statement."""

    code: Array  # the template of each statement
    first: Array  # where the slots of each statement begin
    is_text: Array  # whether a slot holds the number of a text instead of an index
    value: Array  # of each slot: a constant, then by how much it grows with the counter of each loop


class Roller:
    """Writes the statements of one function with loops."""

    def __init__(self, helpers: Helpers, name: str, params: Sequence[str]) -> None:
        self.helpers = helpers
        self.name = name
        self.params = params
        self.templates: list[list[str]] = []  # the text between the slots
        self.texts: list[str] = []
        self.tables: int = 0  # that depend on a counter
        self.functions: int = 0

    def lines(self, statements: Sequence[str]) -> list[str]:
        """The statements with loops and without marks."""
        if len(statements) < LEAST_STATEMENTS:
            return [self.unmarked(text) for text in statements]
        return self.written(self.script(statements), 0)

    def unmarked(self, text: str) -> str:
        def write(found: re.Match[str]) -> str:
            if found[1] != "p":
                return found[2]
            return self.helpers.table(tuple(int(place) for place in found[2].split(",")))

        return MARK.sub(write, text)

    def script(self, statements: Sequence[str]) -> Script:
        code, first, is_text, value = list[int](), [0], list[bool](), list[int]()
        templates: dict[str, int] = {}
        texts: dict[str, int] = {}

        def take(found: re.Match[str]) -> str:
            kind, text = found[1], found[2]
            if kind == "n":
                is_text.append(True)
                value.append(texts.setdefault(text, len(texts)))
                return "\x00"
            places = text.split(",")
            value.extend(map(int, places))
            is_text.extend([False] * len(places))
            return "\x00" if kind == "i" else f"\x03{len(places)}\x00"

        for statement in statements:
            template = MARK.sub(take, statement)
            code.append(templates.setdefault(template, len(templates)))
            first.append(len(value))
        self.templates = [text.split("\x00") for text in templates]
        self.texts = list(texts)
        return Script(
            np.array(code), np.array(first), np.array(is_text, bool), np.array(value).reshape(-1, 1)
        )

    # --- writing -----------------------------------------------------------------------------------

    def written(self, script: Script, depth: int) -> list[str]:
        """The statements inside `depth` loops."""
        found: list[str] = []
        todo: list[str | tuple[int, int]] = [(0, len(script.code))]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                found.append(item)
                continue
            low, high = item
            for loop in candidates(script.code, low, high) if depth < len(COUNTERS) else ():
                if rolled := self.rolled(script, loop, depth):
                    loop, body = rolled
                    todo += [(loop.stop, high), self.loop(body, loop.count, depth), (low, loop.start)]
                    break
            else:
                found += [self.statement(script, k) for k in range(low, high)]
        return found

    def loop(self, body: Script, count: int, depth: int) -> str:
        lines = self.written(body, depth + 1)
        if len(lines) > STATEMENTS:
            name = f"{self.name}_loop_{self.functions}"
            self.functions += 1
            lines = [self.helpers.sequence(name, [*self.params, *COUNTERS[: depth + 1]], lines)]
        counter, inner = COUNTERS[depth], [f"    {line}" for text in lines for line in text.split("\n")]
        head = (
            f"for ({self.helpers.language.counter} {counter} = 0; {counter} < {count}; {counter}++) {{"
        )
        return "\n".join([head, *inner, "}"])

    def statement(self, script: Script, k: int) -> str:
        """Statement k, after the tables that it needs."""
        before, parts = list[str](), self.templates[script.code[k]]
        slots = iter(range(int(script.first[k]), int(script.first[k + 1])))
        text = ""
        for part in parts[:-1]:
            part, _, length = part.partition("\x03")
            text += part
            if not length:
                text += self.slot(script, next(slots))
                continue
            taken = [next(slots) for _ in range(int(length))]
            if script.is_text[taken].any() or script.value[taken, 1:].any():
                name = f"table_{self.tables}"
                self.tables += 1
                before.append(
                    self.helpers.language.local_table(name, [self.slot(script, i) for i in taken])
                )
                text += name
            else:
                text += self.helpers.table(tuple(script.value[taken, 0].tolist()))
        return "\n".join([*before, text + parts[-1]])

    def slot(self, script: Script, i: int) -> str:
        constant, *growths = script.value[i].tolist()
        if script.is_text[i]:
            return str(self.texts[constant])
        text = f"{constant}"
        for growth, counter in zip(growths, COUNTERS, strict=False):
            if growth:
                factor = "" if abs(growth) == 1 else f"{abs(growth)} * "
                text += f" {'+' if growth > 0 else '-'} {factor}{counter}"
        return text

    # --- rolling -----------------------------------------------------------------------------------

    def rolled(self, script: Script, loop: Loop, depth: int) -> tuple[Loop, Script] | None:
        """The body of a loop, perhaps without some copies at its ends; None if there is no such loop.

        Outermost loops look up what grows irregularly in tables.
        """
        start, period, count = loop.start, loop.period, loop.count
        first, last = int(script.first[start]), int(script.first[start + period])
        width = last - first
        value = script.value[first : first + width * count].reshape(count, width, -1)
        is_text = script.is_text[first:last]
        growth = np.diff(value, axis=0)
        usual = np.where(is_text[:, None], 0, growth[len(growth) // 2])
        off = (growth != usual).any(2)
        odd = off.sum(0) > max(2, min(MOST_PEELED, count // 4))
        low, high = longest(~off[:, ~odd].any(1))
        if (high - low) * period < LEAST_SAVED or high - low + 1 < LEAST_COUNT:
            odd, low, high = off.any(0), 0, count - 1
        if usual[:, 1:].any() or (odd.any() and depth):
            return None
        constants, is_text = value[low].copy(), is_text.copy()
        usual[odd] = 0
        for i in np.flatnonzero(odd).tolist():
            column = value[low : high + 1, i, 0].tolist()
            if is_text[i]:
                name = self.helpers.numbers(tuple(self.texts[k] for k in column))
            else:
                name = self.helpers.table(tuple(column))
            constants[i, 0], is_text[i] = len(self.texts), True
            self.texts.append(f"{name}[{COUNTERS[depth]}]")
        loop = Loop(start + low * period, period, high - low + 1)
        begin = script.first[start : start + period + 1] - first
        body = Script(
            script.code[start : start + period], begin, is_text, np.hstack([constants, usual[:, :1]])
        )
        return loop, body


@dataclass(frozen=True)
class Loop:
    """`count` copies of `period` statements."""

    start: int
    period: int
    count: int

    @property
    def stop(self) -> int:
        return self.start + self.period * self.count


def candidates(code: Array, low: int, high: int) -> list[Loop]:
    """Runs of statements that repeat, those that save the most first."""
    found = []
    for period in periods(code[low:high]) if high - low >= LEAST_SAVED else ():
        begin, end = longest(code[low + period : high] == code[low : high - period])
        loop = Loop(low + begin, period, (end - begin) // period + 1)
        if loop.count >= LEAST_COUNT and (loop.count - 1) * period >= LEAST_SAVED:
            found.append(loop)
    return sorted(found, key=lambda loop: -(loop.count - 1) * loop.period)


def longest(good: Array) -> tuple[int, int]:
    """Where the longest run of good items begins and ends."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]]).astype(np.int8)))
    if not len(edges):
        return 0, 0
    k = int(np.argmax(edges[1::2] - edges[::2]))
    return int(edges[2 * k]), int(edges[2 * k + 1])


def periods(code: Array) -> list[int]:
    """Likely periods: distances after which the same sequence of statements returns.

    Sequences of several lengths are tried: short ones also return within the body of a loop, if it
    repeats itself, and long ones do not fit into a short loop.
    """
    found: set[int] = set()
    gram, length, base = code.astype(np.uint64), 1, 0x100000001B3
    while 2 * length <= len(code):
        gram = gram[:-length] * np.uint64(pow(base, length, 2**64)) + gram[length:]
        length *= 2
        if length >= GRAM:
            order = np.argsort(gram, kind="stable")
            returned = gram[order[1:]] == gram[order[:-1]]
            distances, counts = np.unique(np.diff(order)[returned], return_counts=True)
            best = np.argsort(-distances * counts, kind="stable")[:CANDIDATES]
            found.update(distances[best].tolist())
            if not returned.any():
                break
    return sorted(found)
