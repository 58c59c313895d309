"""Data sets of a run: by name, from a pasted table, or as points."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import data
from ...data.datasets import BY_NAME
from ...data.files import read_rows
from .. import limits
from ..limits import RefusedError
from .config import Config, check_classes

Array = Any
SHEET = 1.5  # half the width of an empty plot


@dataclass(frozen=True)
class Points:
    """Points in the plane, each with a class."""

    X: Array  # (n, 2)
    y: Array  # integers from 0
    classes: int
    drawn: bool = False  # by hand, so the plot must not move while points are added

    def rows(self) -> list[list[float]]:
        """[x, y, class] for each point."""
        return [[*x, c] for x, c in zip(self.X.tolist(), self.y.tolist(), strict=True)]

    def box(self) -> tuple[float, float, float, float]:
        """A square around the points with a margin, as x0, x1, y0, y1."""
        low, high = self.X.min(axis=0), self.X.max(axis=0)
        if self.drawn and np.abs(self.X).max() <= SHEET:
            return -SHEET, SHEET, -SHEET, SHEET
        half = 0.65 * (float((high - low).max()) or 1.0)
        (x, y) = ((low + high) / 2).tolist()
        return x - half, x + half, y - half, y + half


def load(config: Config) -> Points:
    """The data set of a config."""
    if config.data == "xor":
        X, y = data.xor()
    elif config.data == "csv":
        X, y = from_csv(config.csv)
    elif config.data == "points":
        X, y = from_rows([list(point) for point in config.points])
    else:
        try:
            X, y = BY_NAME[config.data](config.samples, noise=config.noise, seed=config.seed)
        except ValueError as error:
            raise RefusedError(str(error)) from None
    classes = max(2, int(y.max()) + 1)
    points = Points(X, y.astype(np.int64), classes, config.data == "points")
    check_classes(config, points.classes)
    return points


def from_rows(rows: list[list[float]]) -> tuple[Array, Array]:
    if not rows:
        raise RefusedError("there are no points: add some, or choose a data set")
    table = np.array(rows)
    return table[:, :2], table[:, 2].astype(np.int64)


def from_csv(text: str) -> tuple[Array, Array]:
    """Parse three columns: x, y and the class. Errors name the line."""
    try:
        table = read_rows(io.StringIO(text, newline=""), "the table")
        if len(table.names) != 3:
            what = "expected 3: x, y and the class, as in 0.5,-1.2,1"
            raise RefusedError(f"the table has {len(table.names)} columns, {what}")
        if len(table.rows) > limits.SAMPLES:
            raise RefusedError(f"the table has {len(table.rows):,} rows, more than {limits.SAMPLES:,}")
        rows = table.numbers().tolist()
    except RefusedError:
        raise
    except ValueError as error:
        raise RefusedError(str(error)) from None
    for (line, _), row in zip(table.rows, rows, strict=True):
        check_row(line, row)
    return from_rows(rows)


def check_row(line: int, row: list[float]) -> None:
    for x in row[:2]:
        if abs(x) > limits.COORDINATE:
            most = f"{limits.COORDINATE:,.0f}"
            raise RefusedError(f"the table, line {line}: {x:g} is not between -{most} and {most}")
    if not row[2].is_integer() or not 0 <= row[2] < limits.CLASSES:
        last = limits.CLASSES - 1
        raise RefusedError(
            f"the table, line {line}: the class must be a whole number from 0 to {last}, got {row[2]:g}"
        )
