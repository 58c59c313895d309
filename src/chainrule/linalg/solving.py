"""Linear equations: solve, inv, det, slogdet, cholesky, lstsq, written with ordinary operations.

Derivatives of every order follow from the table. Rows are exchanged to get large pivots: by a Python
`if` outside compiled functions, and with `where` inside them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.linalg import LinAlgError

from .. import functional as F
from ..value import Value
from .matrices import (
    Array,
    Matrix,
    Row,
    Rows,
    array,
    exchanged,
    identity,
    known,
    minus_dot,
    product,
    right_hand_side,
    rows_of,
    solution,
    square,
    symmetric,
    transposed,
)

EPSILON = 2.0**-52


class SlogdetResult(NamedTuple):
    sign: Any
    logabsdet: Any


def solve(a: Matrix, b: Any) -> Array:
    """The solution x of a @ x = b, for a vector b, or for each column of a matrix b.

    If a is singular, this raises LinAlgError; in a compiled function the result is inf or NaN.

    >>> solve([[2.0, 1.0], [1.0, 3.0]], [3.0, 5.0])
    array([0.8, 1.4])
    """
    rows = square(a, "solve")
    right, is_vector = right_hand_side(b, len(rows), "solve")
    return solution(_solved(rows, right, "solve"), is_vector)


def inv(a: Matrix) -> Array:
    """The inverse of a; singular matrices are treated as by `solve`."""
    rows = square(a, "inv")
    return array(_solved(rows, identity(len(rows)), "inv"))


def det(a: Matrix) -> Any:
    """The determinant.

    For a singular matrix it is 0. Its gradient is then correct if all columns but the last are
    independent, else it has NaN.
    """
    pivots, sign = _pivots(square(a, "det"))
    return sign * F.prod(pivots)


def slogdet(a: Matrix) -> SlogdetResult:
    """The sign of the determinant, and the logarithm of its absolute value."""
    pivots, sign = _pivots(square(a, "slogdet"))
    for p in pivots:
        sign = sign * (F.less(0.0, p) - F.less(p, 0.0))
    return SlogdetResult(sign, F.sum([F.log(F.abs(p)) for p in pivots]))


def cholesky(a: Matrix) -> Array:
    """The lower triangular L with L @ Lᵀ = a, for a symmetric positive definite matrix a.

    The matrix used is (a + aᵀ) / 2, so that the gradient is symmetric, as in JAX. If it is not positive
    definite, this raises LinAlgError; in a compiled function the result has NaN or inf, or ends with a
    zero if only the last pivot is 0.
    """
    rows = symmetric(a, "cholesky")
    lower: Rows = []
    for i, row in enumerate(rows):
        new: Row = []
        for above in lower:
            k = len(new)
            new.append(F.div(minus_dot(row[k], new, above[:k]), above[k]))
        pivot = minus_dot(row[i], new, new)
        if known(pivot <= 0.0):
            raise LinAlgError(
                f"cholesky needs a positive definite matrix, but pivot {i + 1} of {len(rows)} is not "
                f"positive: add a small number to the diagonal, or check the signs of the entries"
            )
        lower.append([*new, F.sqrt(pivot)])
    return array([row + [0.0] * (len(rows) - len(row)) for row in lower])


def lstsq(a: Matrix, b: Any) -> Array:
    """The x that minimises |a @ x - b|², for a vector b, or for each column of a matrix b.

    Returns x alone, without NumPy's residuals, rank and singular values. The columns of a must be
    independent up to rounding; if they are not, this raises LinAlgError, and in a compiled function the
    result is inf or NaN.
    """
    rows = rows_of(a, "lstsq")
    m, n = len(rows), len(rows[0])
    if m < n:
        raise LinAlgError(
            f"lstsq needs at least as many rows as columns, got {m} x {n}: add rows, such as a small "
            f"multiple of the identity with zeros in b"
        )
    right, is_vector = right_hand_side(b, m, "lstsq")
    # Modified Gram-Schmidt. With b as more columns it is as accurate as Householder's method, and unlike
    # the normal equations it does not square the condition number.
    # Powers of two, so that no square overflows or underflows; dividing by them is exact.
    scales = [_power_of_two(column) for column in transposed(rows)]
    pairs = zip(transposed(rows), scales, strict=True)
    original, upper = [[F.div(x, scale) for x in column] for column, scale in pairs], []
    columns = original + transposed(right)
    for k in range(n):
        first, *rest = columns
        size = F.dot(first, first)
        least = (8 * m * EPSILON) ** 2 * F.dot(original[k], original[k])
        dependent = size <= least
        if known(dependent):
            raise _dependent("lstsq needs independent columns", k, "remove it")
        if isinstance(dependent, Value):
            size = size * (1.0 - dependent)  # a zero, so that dividing by it gives inf or NaN
        products = [F.dot(first, column) for column in rest]
        upper.append([0.0] * k + [size, *products])
        shares = [F.div(p, size) for p in products]
        columns = [
            [y - share * x for x, y in zip(first, column, strict=True)]
            for share, column in zip(shares, rest, strict=True)
        ]
    found = zip(_back_substituted(upper), scales, strict=True)
    return solution([[F.div(x, scale) for x in row] for row, scale in found], is_vector)


def _power_of_two(column: Row) -> Any:
    """A power of two near the largest number, without a derivative; 1 if all numbers are 0."""
    largest = F.stop_gradient(F.max([F.abs(x) for x in column]))
    return F.where(F.less(0.0, largest), F.exp2(F.floor(F.log2(largest))), 1.0)


def _solved(rows: Rows, right: Rows, name: str) -> Rows:
    if _is_lower(rows):  # such as a Cholesky factor
        turned = [row[::-1] + extra for row, extra in zip(rows[::-1], right[::-1], strict=True)]
        return _back_substituted(turned)[::-1]
    upper, _ = _eliminated([row + extra for row, extra in zip(rows, right, strict=True)], name)
    return _back_substituted(upper)


def _is_lower(rows: Rows) -> bool:
    """Whether entries above the diagonal are plain zeros, and none on it is known to be 0."""
    above = [x for i, row in enumerate(rows) for x in row[i + 1 :]]
    plain = all(not isinstance(x, Value) and x == 0.0 for x in above)
    return plain and not any(known(row[i] == 0.0) for i, row in enumerate(rows))


def _back_substituted(upper: Rows) -> Rows:
    """Solve U X = Y, given the rows of U next to those of Y."""
    n = len(upper)
    xs: Rows = []
    for i in reversed(range(n)):
        pivot, after, right = upper[i][i], upper[i][i + 1 : n], upper[i][n:]
        columns = transposed(xs) or [[]] * len(right)
        xs.insert(0, [F.div(minus_dot(y, after, x), pivot) for y, x in zip(right, columns, strict=True)])
    return xs


def _pivots(rows: Rows) -> tuple[Row, Any]:
    """The pivots of the elimination, and the sign of the permutation of the rows."""
    upper, sign = _eliminated(rows)
    return [row[i] for i, row in enumerate(upper)], sign


def _eliminated(rows: Rows, name: str = "") -> tuple[Rows, Any]:
    """L and U in one matrix, and the sign of the permutation of the rows; see `_reduced`."""
    numbered = [[*row, float(i)] for i, row in enumerate(rows)]
    reduced, sign = _reduced(numbered, name, pivoting=True)
    if any(isinstance(row[-1], Value) for row in reduced):
        # In a compiled function, rows were exchanged with `where`. Derivatives through so many choices
        # would cost ten times as much as through the elimination of rows already in order.
        order = [[F.equal(row[-1], float(i)) for i in range(len(rows))] for row in reduced]
        reduced, _ = _reduced([[*row, 0.0] for row in product(order, rows)], name, pivoting=False)
    return [row[:-1] for row in reduced], sign


def _reduced(rows: Rows, name: str, pivoting: bool) -> tuple[Rows, Any]:
    """Gaussian elimination, column by column, with dot products; the last column is only permuted.

    Columns between the square part and the last become L⁻¹ times the permuted column. With a name, a
    zero pivot is an error of that function.
    """
    n = len(rows)
    sign: Any = 1.0
    for j in range(len(rows[0]) - 1):
        for i, row in enumerate(rows):
            k = min(i, j)
            row[j] = minus_dot(row[j], row[:k], [above[j] for above in rows[:k]])
        for i in range(j + 1, n) if pivoting else ():
            larger = abs(rows[j][j]) < abs(rows[i][j])  # in a compiled function, a Value
            rows[j], rows[i] = exchanged(larger, rows[j], rows[i])
            sign = F.where(larger, -sign, sign)
        if j < n:
            pivot = rows[j][j]
            zero = pivot == 0.0
            if name and known(zero):
                advice = "add a small number to the diagonal, or use lstsq with independent columns"
                raise _dependent(f"{name} needs an invertible matrix", j, advice)
            for row in rows[j + 1 :]:
                row[j] = F.div(row[j], pivot) if name else _quotient(row[j], pivot, zero)
    return rows, sign


def _quotient(x: Any, pivot: Any, zero: Any) -> Any:
    """x / pivot, or 0 if both are 0: then the determinant is 0, but its gradient needs other pivots.

    The derivative of √x at 0, which is infinite, turns that gradient into NaN.
    """
    if isinstance(zero, Value):
        return F.where(zero, F.sqrt(x), F.div(x, pivot))
    return F.sqrt(x) if zero else F.div(x, pivot)


def _dependent(needed: str, column: int, advice: str) -> LinAlgError:
    earlier = "column 1" if column == 1 else f"columns 1 to {column}"
    what = f"depends on {earlier}" if column else "is zero"
    return LinAlgError(f"{needed}, but column {column + 1} {what}: {advice}")
