"""Matrices as lists of rows: reads them from arguments, returns them as arrays, multiplies them.

An entry is a float or a Value; the algorithms are the same for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import NDArray

from .. import functional as F
from ..support.arrays import as_array, is_sequence
from ..support.ieee import as_float
from ..value import Value

Array = NDArray[Any]  # of Values or floats
Matrix = Sequence[Sequence[Any]] | Array
Row = list[Any]
Rows = list[Row]


def rows_of(a: Any, name: str) -> Rows:
    """The rows of a matrix argument of the function `name`."""
    if not is_sequence(a) or not len(a) or not all(is_sequence(row) for row in a):
        raise LinAlgError(f"{name} needs a matrix, such as [[2.0, 1.0], [1.0, 3.0]], got {_shape(a)}")
    rows = [_numbers(row, name) for row in a]
    if len({len(row) for row in rows}) > 1 or not rows[0]:
        lengths = ", ".join(str(len(row)) for row in rows)
        raise LinAlgError(f"{name} needs rows of the same length, at least 1; got lengths {lengths}")
    return rows


def square(a: Any, name: str) -> Rows:
    """The rows of a square matrix."""
    rows = rows_of(a, name)
    if len(rows) != len(rows[0]):
        raise LinAlgError(f"{name} needs a square matrix, got {len(rows)} x {len(rows[0])}")
    return rows


def symmetric(a: Any, name: str) -> Rows:
    """(a + aᵀ) / 2, so that the gradient is symmetric too."""
    rows = square(a, name)
    return [
        [x if x is rows[j][i] else 0.5 * (x + rows[j][i]) for j, x in enumerate(row)]
        for i, row in enumerate(rows)
    ]


def right_hand_side(b: Any, length: int, name: str) -> tuple[Rows, bool]:
    """b as a matrix with one column for each right-hand side, and whether it was a vector."""
    if not is_sequence(b) or len(b) != length:
        raise LinAlgError(
            f"{name} needs one entry or row of b for each of the {length} rows of a, got {_shape(b)}"
        )
    if any(is_sequence(x) for x in b):
        return rows_of(b, name), False
    return [[x] for x in _numbers(b, name)], True


def _numbers(row: Any, name: str) -> Row:
    if any(is_sequence(x) for x in row):
        raise LinAlgError(f"{name} takes one matrix at a time, got more than two dimensions")
    return [x if isinstance(x, Value) else as_float(x) for x in row]


def _shape(a: Any) -> str:
    if not is_sequence(a):
        return type(a).__name__
    return f"{len(a)} entries" if len(a) != 1 else "1 entry"


def array(rows: Rows) -> Array:
    """A matrix as a result: an array of floats, or of objects if it has Values."""
    return vector([x for row in rows for x in row]).reshape(len(rows), len(rows[0]))


def vector(items: Row) -> Array:
    if any(isinstance(x, Value) for x in items):
        return as_array(items)  # type: ignore[no-any-return]
    return np.array(items, dtype=float)


def solution(rows: Rows, is_vector: bool) -> Array:
    """A result in the shape of the right-hand side."""
    return vector([row[0] for row in rows]) if is_vector else array(rows)


def identity(n: int) -> Rows:
    return [[float(i == j) for j in range(n)] for i in range(n)]


def transposed(a: Rows) -> Rows:
    return [list(column) for column in zip(*a, strict=True)]


def product(a: Rows, b: Rows) -> Rows:
    columns = transposed(b)
    return [[F.dot(row, column) for column in columns] for row in a]


def known(condition: Any) -> bool:
    """Whether a condition holds; False in a compiled function, where it differs between samples."""
    return not isinstance(condition, Value) and bool(condition)


def minus_dot(x: Any, us: Row, vs: Row) -> Any:
    """x - dot(us, vs)."""
    return x - F.dot(us, vs) if us else x


def exchanged(choice: Any, x: Row, y: Row) -> tuple[Row, Row]:
    """(y, x) if the choice is true, else (x, y).

    A choice that is a Value selects with `where`, so that a compiled function stays one program.
    """
    if not isinstance(choice, Value):
        return (y, x) if choice else (x, y)
    pairs = [
        (u, v) if u is v else (F.where(choice, v, u), F.where(choice, u, v))
        for u, v in zip(x, y, strict=True)
    ]
    return [u for u, _ in pairs], [v for _, v in pairs]
