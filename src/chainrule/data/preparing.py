"""Prepares ordinary tables for training, and turns a network's outputs back into answers.

Numbers are standardised, text becomes one input for each of its values, missing cells are filled, and
some rows are held out. What was done is said in words, and kept as plain data to do it again later.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import functional as F
from ..nn.losses import short_name
from .files import Table, is_number, read_table
from .splitting import take, train_test_split

MISSING = {"", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None"}
MOST_VALUES = 20  # of a column of text, or of whole numbers that are classes
LARGEST_CLASS = 1000  # larger whole numbers are rather amounts
FEWEST_ROWS = 20  # below this, no rows are held out
MOST_COLUMNS = 10**6  # in a file that is not damaged
SHOWN = 5  # values listed in a sentence

NUMBERS = ("mse", "l1", "huber")  # losses for numbers
TWO_CLASSES = ("binary_cross_entropy_with_logits", "binary_cross_entropy", "hinge")
LOSSES = (*NUMBERS, *TWO_CLASSES, "cross_entropy")


@dataclass(frozen=True)
class Numbers:
    """A column of numbers, which are standardised. The mean stands for a missing number."""

    name: str
    place: int
    mean: float
    scale: float

    width = 1

    def encode(self, cell: str) -> list[float]:
        return [0.0 if cell in MISSING else (float(cell) - self.mean) / self.scale]


@dataclass(frozen=True)
class Categories:
    """A column of few different values, with an input for each. One stands for a missing cell."""

    name: str
    place: int
    values: tuple[str, ...]
    usual: str

    @property
    def width(self) -> int:
        return len(self.values)

    def encode(self, cell: str) -> list[float]:
        """1 for the value of the cell, else 0; all 0 for a value that did not occur in training."""
        value = self.usual if cell in MISSING else canonical(cell)
        return [float(value == known) for known in self.values]


Column = Numbers | Categories


@dataclass(frozen=True)
class Preparation:
    """How the rows of a table become a network's inputs and targets, and its outputs become answers."""

    inputs: tuple[Column, ...]
    target: Column
    loss: str
    header: tuple[str, ...]  # empty if columns are known by position
    columns: int  # in the table, including the target and those left out

    @property
    def outputs(self) -> int:
        """How many outputs a network needs."""
        return self.target.width if self.loss == "cross_entropy" else 1

    def places(self, table: Table) -> list[int]:
        """The positions of the input columns: by name if both tables have names, else by position."""
        if self.header and table.header:
            if lacking := [column.name for column in self.inputs if column.name not in table.header]:
                names = ", ".join(column.name for column in self.inputs)
                raise ValueError(
                    f"the model was trained on the columns {names}; {table.source} has no {lacking[0]}"
                )
            return [table.place(column.name) for column in self.inputs]
        width = len(table.names)
        if width not in (self.columns, self.columns - 1):
            raise ValueError(
                f"the model was trained on {self.columns} columns, the target included; {table.source} "
                f"has {width}"
            )
        shift = width < self.columns  # the target is not there
        return [column.place - (shift and column.place > self.target.place) for column in self.inputs]

    def samples(self, table: Table) -> Any:
        """The inputs, with one row per sample."""
        columns = [
            np.array([column.encode(cell) for cell in cells_of(table, place, column)])
            for column, place in zip(self.inputs, self.places(table), strict=True)
        ]
        return np.concatenate(columns, axis=1)

    def filled(self, table: Table) -> list[str]:
        """What `samples` fills, and the values that it does not know, in words."""
        notes = []
        for column, place in zip(self.inputs, self.places(table), strict=True):
            cells = cells_of(table, place)
            if missing := sum(cell in MISSING for cell in cells):
                usual = (
                    f"the mean, {column.mean:.4g}"
                    if isinstance(column, Numbers)
                    else f"the most frequent, {column.usual}"
                )
                notes.append(f"{column.name}: {_count(missing, 'missing cell')} filled with {usual}")
            if isinstance(column, Categories):
                new = sorted({canonical(cell) for cell in cells} - {*MISSING, *column.values})
                notes += [f"{column.name}: {listed(new)} did not occur in training"] if new else []
        return notes

    def targets(self, table: Table) -> Any:
        """The targets, in the form that the loss expects."""
        cells = cells_of(table, self.target.place, self.target)
        if isinstance(self.target, Numbers):
            return np.array([self.target.encode(cell)[0] for cell in cells])
        classes = np.array([self.target.values.index(canonical(cell)) for cell in cells])
        return 2.0 * classes - 1.0 if self.loss == "hinge" else classes

    def answer(self, output: Sequence[float]) -> tuple[float | str, float | None]:
        """What the outputs for a sample say: a number, or a class; and the probability of the class."""
        if isinstance(self.target, Numbers):
            return output[0] * self.target.scale + self.target.mean, None
        if self.loss == "cross_entropy":
            shares = F.softmax(list(output))
        else:
            positive = output[0] if self.loss == "binary_cross_entropy" else F.sigmoid(output[0])
            shares = [1.0 - positive, positive]
        best = max(range(len(shares)), key=lambda i: float(shares[i]))
        return self.target.values[best], None if self.loss == "hinge" else float(shares[best])

    def as_text(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> Preparation:
        """Read what `as_text` wrote; raises ValueError if it is damaged."""
        try:
            found = dict(json.loads(text))
            inputs = tuple(_column(each) for each in found.pop("inputs"))
            target, header = _column(found.pop("target")), tuple(found.pop("header"))
            made = cls(inputs=inputs, target=target, header=header, **found)
            columns = (target, *inputs)
            sound = (
                inputs
                and made.loss in LOSSES
                and (made.loss in NUMBERS) == isinstance(target, Numbers)
                and (made.loss not in TWO_CLASSES or target.width == 2)
                and all(isinstance(name, str) for name in header)
                and type(made.columns) is int
                and made.columns <= MOST_COLUMNS
                and all(type(each.place) is int and 0 <= each.place < made.columns for each in columns)
                and all(map(_is_sound, columns))
            )
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise ValueError(f"the preparation of its table cannot be read: {error}") from None
        if not sound:
            raise ValueError("the preparation of its table does not fit together")
        return made


def _column(found: dict[str, Any]) -> Column:
    if "values" in found:
        return Categories(**{**found, "values": tuple(found["values"])})
    return Numbers(**found)


def _is_sound(column: Column) -> bool:
    if not isinstance(column.name, str):
        return False
    if isinstance(column, Categories):
        return all(isinstance(x, str) for x in (*column.values, column.usual)) and column.width > 1
    finite = all(type(x) is float and math.isfinite(x) for x in (column.mean, column.scale))
    return finite and column.scale > 0.0


@dataclass(frozen=True)
class Prepared:
    """A table as samples to train on and, unless it is small, samples held out."""

    X: Any
    y: Any
    held_out: tuple[Any, Any] | None
    preparation: Preparation
    notes: list[str]  # what was done, in words
    alternative: str = ""  # the loss to choose if whole numbers were taken for classes, or the other way


def prepare(
    table: Table | str | Path,
    target: str | int = -1,
    loss: str | None = None,
    *,
    held_out: float = 0.2,
    seed: int = 0,
) -> Prepared:
    """Prepare a table, or a CSV file, for training.

    Arguments:
        target: the column to predict, by name or position.
        loss: decides whether the target is a number or a class; if None, the target decides: text and a
            few whole numbers are classes.
        held_out: the fraction of the rows to hold out, unless there are fewer than 20; 0 for none.

    """
    if not 0.0 <= held_out < 1.0:
        raise ValueError(f"held_out is a fraction of the rows, from 0 to less than 1, got {held_out}")
    if not isinstance(table, Table):
        table = read_table(table, text=True)
    place = table.place(target)
    if len(table.names) == 1:
        raise ValueError(f"{table.source}: the target is the only column; expected inputs before it")
    notes: list[str] = []
    table = _with_targets(table, place, notes)
    whole = np.arange(len(table.rows))
    training = whole
    if len(whole) >= FEWEST_ROWS and held_out:
        training, left, _, _ = train_test_split(whole, whole, held_out, seed)
    given, loss = loss is not None, loss and short_name(loss)
    found = _target(table, place, loss, training)
    if loss is None:
        of_classes = TWO_CLASSES[0] if found.width == 2 else "cross_entropy"
        loss = "mse" if isinstance(found, Numbers) else of_classes
    inputs = [
        column
        for i in range(len(table.names))
        if i != place and (column := _input(table, i, training, notes)) is not None
    ]
    if not inputs:
        raise ValueError(f"{table.source}: no column is left to learn from: {'; '.join(notes)}")
    named = len(set(table.header)) == len(table.header)  # otherwise a name is ambiguous
    header = tuple(table.header) if named else ()
    preparation = Preparation(tuple(inputs), found, loss, header, len(table.names))
    notes += preparation.filled(table)
    notes += _scaling(preparation)
    X, y = preparation.samples(table), preparation.targets(table)
    aside = (take(X, left), take(y, left)) if len(training) < len(whole) else None
    other = "" if given else _alternative(table, found)
    return Prepared(take(X, training), take(y, training), aside, preparation, notes, other)


def canonical(cell: str) -> str:
    """The text of a cell; equal whole numbers, such as 1 and 1.0, are written alike."""
    number = float(cell) if is_number(cell) else math.nan
    return str(int(number)) if number.is_integer() else cell


def cells_of(table: Table, place: int, column: Column | None = None) -> list[str]:
    """The cells of a column; those of a column of numbers are checked."""
    cells = [row[place].strip() for _, row in table.rows]
    if isinstance(column, Numbers):
        for (line, _), cell in zip(table.rows, cells, strict=True):
            if cell not in MISSING:
                table.number(line, place, cell)
    return cells


def _with_targets(table: Table, place: int, notes: list[str]) -> Table:
    rows = [(line, row) for line, row in table.rows if row[place].strip() not in MISSING]
    if not rows:
        raise ValueError(f"{table.source}: the target {table.names[place]} is missing in every row")
    if lost := len(table.rows) - len(rows):
        notes.append(f"{_count(lost, 'row')} without a target left out")
    return Table(table.source, table.header, rows)


def _target(table: Table, place: int, loss: str | None, training: Any) -> Column:
    """The target as numbers or as classes, depending on the loss or, without one, on its values."""
    name, cells = table.names[place], cells_of(table, place)
    if loss is not None and loss not in LOSSES:
        raise ValueError(f"a table is prepared for the losses {', '.join(LOSSES)}; got {loss!r}")
    values = sorted({canonical(cell) for cell in cells}, key=_as_ordered)
    if len(values) == 1:
        raise ValueError(
            f"{table.source}: the target {name} is {values[0]} in every row: there is nothing to learn"
        )
    whole = all(is_number(value) and float(value).is_integer() for value in values)
    few = len(values) <= MOST_VALUES
    text = not all(map(is_number, values))
    if loss in NUMBERS or (loss is None and not text and not (whole and few and _are_small(values))):
        return _numbers(table, place, training) or Numbers(name, place, 0.0, 1.0)
    if not text and not whole:
        part = next(value for value in values if not float(value).is_integer())
        raise ValueError(f"{loss} needs classes, as text or whole numbers; the target {name} has {part}")
    if len(values) > max(MOST_VALUES, len(cells) // 2):
        raise ValueError(
            f"{table.source}: the target {name} has {len(values)} different values in {len(cells)} "
            f"rows, such as {values[-1]}: expected numbers, or a few classes"
        )
    if loss in TWO_CLASSES and len(values) > 2:
        raise ValueError(f"{loss} needs two classes; the target {name} has {listed(values)}")
    return Categories(name, place, tuple(values), values[0])


def _are_small(values: list[str]) -> bool:
    return all(abs(float(value)) < LARGEST_CLASS for value in values)


def _as_ordered(value: str) -> tuple[float, str]:
    """Numbers in their order, before text."""
    return (float(value), "") if is_number(value) else (math.inf, value)


def _input(table: Table, place: int, training: Any, notes: list[str]) -> Column | None:
    """A column to learn from, as numbers or as a few values; None if it is neither."""
    name = table.names[place]
    cells = take(cells_of(table, place), training)
    present = [cell for cell in cells if cell not in MISSING]
    if not present:
        notes.append(f"{name}: empty, left out")
        return None
    if sum(map(is_number, present)) > len(present) / 2:
        numbers = _numbers(table, place, training)
        if numbers is None:
            notes.append(f"{name}: always {present[0]}, left out")
        return numbers
    counts = Counter(map(canonical, present))
    values = sorted(counts, key=_as_ordered)
    if not 1 < len(values) <= MOST_VALUES:
        what = f"always {values[0]}" if len(values) == 1 else f"text with {len(values)} different values"
        notes.append(f"{name}: {what}, left out")
        return None
    usual = counts.most_common(1)[0][0]
    notes.append(f"{name}: text, one input for each of its values, {listed(values)}")
    return Categories(name, place, tuple(values), usual)


def _numbers(table: Table, place: int, training: Any) -> Numbers | None:
    """A column of numbers with its mean and standard deviation; None if it is constant."""
    cells = cells_of(table, place, Numbers("", place, 0.0, 1.0))
    numbers = np.array([float(cell) for cell in take(cells, training) if cell not in MISSING])
    exponent = int(np.frexp(np.abs(numbers).max())[1])
    part = np.ldexp(numbers, -exponent)  # no larger than 1, so that no square overflows
    mean, scale = (float(np.ldexp(x, exponent)) for x in (part.mean(), part.std()))
    return Numbers(table.names[place], place, mean, scale) if np.ptp(part) and scale else None


def _alternative(table: Table, target: Column) -> str:
    """The loss that would take a target of whole numbers in the other way, if there is one."""
    values = {canonical(cell) for cell in cells_of(table, target.place)}
    if not all(is_number(value) and float(value).is_integer() for value in values):
        return ""
    if isinstance(target, Categories):
        return "mse"
    return "cross_entropy" if len(values) <= max(MOST_VALUES, len(table.rows) // 2) else ""


def _scaling(preparation: Preparation) -> list[str]:
    scaled = ["numbers"] if any(isinstance(each, Numbers) for each in preparation.inputs) else []
    scaled += ["the target"] if isinstance(preparation.target, Numbers) else []
    return [f"{' and '.join(scaled)} standardised: mean 0, standard deviation 1"] if scaled else []


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def listed(values: Sequence[str]) -> str:
    more = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
    return ", ".join(values[:SHOWN]) + more
