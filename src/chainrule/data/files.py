"""Reads a table of numbers from a CSV file; errors name the line and the column."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..support.numbers import plural

LOOKS = "expected one sample per line, as in 0.5,-1.2,1"


def read_csv(path: str | Path, target: str | int | None = -1) -> tuple[Any, Any, list[str]]:
    """X, y and the names of the columns of X, from a file with one sample per line.

    The first line may hold the names. `target` is the column of y, by name or position; if `target` is
    None, so is y.
    """
    table = read_table(path)
    if target is None:
        return table.numbers(), None, table.names
    column = table.place(target)
    X, y = table.split(column)
    return X, y, [name for i, name in enumerate(table.names) if i != column]


@dataclass(frozen=True)
class Table:
    """The cells of a file as text, each row with its line number; converted to numbers on demand."""

    source: str | Path  # as named in errors
    header: list[str]  # the names of the columns, empty if the file has none
    rows: list[tuple[int, list[str]]]

    @property
    def names(self) -> list[str]:
        return self.header or [f"x{i}" for i in range(len(self.rows[0][1]))]

    def place(self, column: str | int) -> int:
        """The position of a column, given by name or position."""
        names = self.names
        if isinstance(column, str):
            if column not in names:
                raise ValueError(
                    f"{self.source}: no column {column!r}; the columns are {', '.join(names)}"
                )
            if names.count(column) > 1:
                raise ValueError(f"{self.source}: several columns are called {column!r}")
            return names.index(column)
        if not -len(names) <= column < len(names):
            raise ValueError(
                f"{self.source}: no column {column}; the file has {plural(len(names), 'column')}, "
                f"numbered from 0"
            )
        return column % len(names)

    def numbers(self, columns: Sequence[int] | None = None) -> Any:
        """These columns (by default, all) as an array with one row per sample."""
        chosen = range(len(self.names)) if columns is None else columns
        return np.array(
            [[self.number(line, i, row[i]) for i in chosen] for line, row in self.rows], dtype=float
        )

    def split(self, target: int) -> tuple[Any, Any]:
        """X and y, where y is the column at this position and X has all the others."""
        numbers = self.numbers()
        if len(self.names) == 1:
            raise ValueError(
                f"{self.source}: the target is the only column; expected numbers before it, as in "
                f"0.5,-1.2,1"
            )
        return np.delete(numbers, target, axis=1), numbers[:, target]

    def number(self, line: int, column: int, text: str) -> float:
        """The number in a cell; the line and the column are for the error."""
        where, shown = f"{self.source}, line {line}, column {column + 1}", repr(text.strip())
        if not is_number(text):
            raise ValueError(f"{where}: {shown} is not a number{_hint(text)}")
        if not math.isfinite(float(text)):
            raise ValueError(
                f"{where}: {shown} is not a finite number; leave out the line, or write a number"
            )
        return float(text)


def read_table(path: str | Path, *, text: bool = False) -> Table:
    path = Path(path)
    with path.open(newline="", encoding="utf-8-sig") as file:
        return read_rows(file, path, text=text)


def read_rows(lines: Iterable[str], source: str | Path, *, text: bool = False) -> Table:
    """Parse the lines of a table. If the first one holds no number at all, it is the header.

    With `text`, cells may be text. A first line with numbers in it is the header all the same if one of
    its names stands above numbers only.
    """
    try:
        reader = csv.reader(lines)
        rows = [(reader.line_num, row) for row in reader if any(map(str.strip, row))]
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{source} is not a CSV file in UTF-8: {error}") from None
    if not rows:
        raise ValueError(f"{source}: the file is empty; {LOOKS}")
    if text and all(any(";" in cell for cell in row) for _, row in rows):
        raise ValueError(f"{source}: semicolons separate the columns; put commas between the columns")
    first, cells = rows[0]
    names = [cell.strip() for cell in cells if not is_number(cell)]
    if text and len(names) < len(cells):
        names = [cell.strip() for cell in cells] if _names_numbers(cells, rows[1:]) else []
    elif names and len(names) < len(cells):
        raise ValueError(
            f"{source}, line {first}: {names[0]!r} is not a number, but other entries in this line are: "
            f"write only names or only numbers"
        )
    if names:
        del rows[0]
    if not rows:
        raise ValueError(f"{source}: the file has a header but no data; {LOOKS}")
    for line, row in rows:
        if len(row) != len(cells):
            hint = "; put commas between the columns" if any(";" in x for x in (*row, *cells)) else ""
            raise ValueError(
                f"{source}, line {line}: expected {plural(len(cells), 'column')}, got {len(row)}{hint}"
            )
    return Table(source, names, rows)


def _names_numbers(cells: list[str], rows: list[tuple[int, list[str]]]) -> bool:
    """Whether a cell of the first line is text, but the others in its column are numbers."""
    for i, cell in enumerate(cells):
        below = [row[i] for _, row in rows if i < len(row) and row[i].strip()]
        if cell.strip() and not is_number(cell) and below and all(map(is_number, below)):
            return True
    return False


def is_number(text: str) -> bool:
    """Whether a cell is a number: as for `float`, but Python's 1_000 is text."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def _hint(text: str) -> str:
    """A suggestion for what to write instead, if there is an obvious one."""
    if ";" in text or "\t" in text:
        return "; put commas between the columns"
    return "; write classes as 0, 1, 2" if text.strip().isalpha() else ""
