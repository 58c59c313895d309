"""Reading a table of numbers from a CSV file, with errors that name the line and column."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

LOOKS = "expected one sample a line, as in 0.5,-1.2,1"


def read_csv(path: str | Path, target: str | int | None = -1) -> tuple[Any, Any, list[str]]:
    """X, y and the names of the columns of X, from a file with one sample a line.

    A first line that is not all numbers is the header. `target` is the column of y, by name or
    position; None means that there is none, and y is None.
    """
    path = Path(path)
    with path.open(newline="", encoding="utf-8-sig") as file:
        names, rows = read_rows(file, path)
    table = np.array([row for _, row in rows])
    if target is None:
        return table, None, names
    column = _column(path, target, names)
    if len(names) == 1:
        raise ValueError(
            f"{path}: the target is the only column; expected numbers before it, as in 0.5,-1.2,1"
        )
    rest = [i for i in range(len(names)) if i != column]
    return table[:, rest], table[:, column], [names[i] for i in rest]


def read_rows(
    lines: Iterable[str], source: str | Path
) -> tuple[list[str], list[tuple[int, list[float]]]]:
    """The names of the columns, and for each row its line and its numbers.

    `source` is what errors call it.
    """
    try:
        reader = csv.reader(lines)
        rows = [(reader.line_num, row) for row in reader if any(map(str.strip, row))]
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{source} is not a CSV file in UTF-8: {error}") from None
    if not rows:
        raise ValueError(f"{source}: the file is empty; {LOOKS}")
    names = numbered(len(rows[0][1]))
    if not all(map(_is_number, rows[0][1])):
        names = [name.strip() for name in rows.pop(0)[1]]
    if not rows:
        raise ValueError(f"{source}: there is a header but no data; {LOOKS}")
    return names, [(line, _numbers(source, line, row, len(names))) for line, row in rows]


def numbered(count: int) -> list[str]:
    """The names of columns that have none."""
    return [f"x{i}" for i in range(count)]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _numbers(source: str | Path, line: int, row: list[str], width: int) -> list[float]:
    if len(row) != width:
        raise ValueError(f"{source}, line {line}: {len(row)} columns, expected {width}")
    for i, text in enumerate(row, 1):
        if not _is_number(text):
            what = f"{text.strip()!r} is not a number{_hint(text)}"
            raise ValueError(f"{source}, line {line}, column {i}: {what}")
        if not math.isfinite(float(text)):
            what = f"{text.strip()!r} is not a finite number; leave out the line, or write a number"
            raise ValueError(f"{source}, line {line}, column {i}: {what}")
    return [float(text) for text in row]


def _hint(text: str) -> str:
    """What to write instead, where it can be guessed."""
    if ";" in text or "\t" in text:
        return "; put commas between the columns"
    return "; write classes as 0, 1, 2" if text.strip().isalpha() else ""


def _column(path: Path, target: str | int, names: list[str]) -> int:
    if isinstance(target, str):
        if target not in names:
            raise ValueError(f"{path}: no column {target!r}; there are {', '.join(names)}")
        return names.index(target)
    if not -len(names) <= target < len(names):
        raise ValueError(f"{path}: no column {target}; there are {len(names)}")
    return target % len(names)
