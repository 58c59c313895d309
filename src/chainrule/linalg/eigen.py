"""eigh: the eigenvalues and eigenvectors of a symmetric matrix.

Jacobi's method computes the numbers, and its many rotations carry no gradient. Derivatives come from
two Newton steps at the solution. They do not change the numbers, and they make the first three
derivatives exact: the error after one step is of second order in a change of the matrix, after two
steps of fourth order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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
    product,
    symmetric,
    transposed,
    vector,
)

GOLDEN = 0.6180339887498949


class EighResult(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array


def eigh(a: Matrix) -> EighResult:
    """The eigenvalues of a symmetric matrix in ascending order, and its eigenvectors in columns.

    The matrix used is (a + aᵀ) / 2, so that the gradient is symmetric, as in JAX. Derivatives up to the
    third are exact; higher ones are inf or NaN. Where eigenvalues coincide up to rounding, the gradient
    of their sum is correct; derivatives of their eigenvectors, and their own second derivatives, do
    not exist, and are inf or NaN.
    """
    rows = symmetric(a, "eigh")
    values, vectors = _jacobi([[F.stop_gradient(x) for x in row] for row in rows])
    if any(isinstance(x, Value) for row in rows for x in row):
        values, vectors = _with_derivatives(rows, values, vectors)
    return EighResult(vector(values), array(vectors))


def _with_derivatives(a: Rows, values: Row, vectors: Rows) -> tuple[Row, Rows]:
    """The same numbers, as differentiable functions of a.

    In the basis of the eigenvectors, a is diagonal plus a matrix `change`, which is 0 but has
    derivatives. The first step finds eigenvectors I + E of this matrix, with
    E[i][j] = change[i][j] / (values[j] - values[i]). The second step (Ogita and Aishima, 2018) also
    corrects for I + E not being quite orthogonal.
    """
    n = len(a)
    seen = range(n)
    inside = product(transposed(vectors), product(a, vectors))
    change = [[x - F.stop_gradient(x) for x in row] for row in inside]
    tolerance = n * 2.0**-52 * F.maximum(F.abs(values[0]), F.abs(values[-1]))
    close = [[F.less_equal(F.abs(x - y), tolerance) for x in values] for y in values]

    def over_gap(x: Any, i: int, j: int, at: Row) -> Any:
        """x / (at[j] - at[i]), or 0 for eigenvalues that coincide."""
        return F.div(x * (1.0 - close[i][j]), at[j] - at[i] + close[i][j])

    first = [[over_gap(change[i][j], i, j, values) if i != j else 1.0 for j in seen] for i in seen]
    moved = [[x + values[i] if i == j else x for j, x in enumerate(row)] for i, row in enumerate(change)]
    inner = product(transposed(first), product(moved, first))
    metric = product(transposed(first), first)
    exact = [F.div(inner[i][i], metric[i][i]) for i in seen]
    second = [
        [
            over_gap(inner[i][j] - exact[j] * metric[i][j], i, j, exact)
            if i != j
            else 1.5 - 0.5 * metric[i][i]
            for j in seen
        ]
        for i in seen
    ]
    final = product(vectors, product(first, second))
    # Make derivatives that this does not give infinite, rather than wrong. `total` is 0, and the power p
    # of it has derivatives 0 up to the order below p, and infinite ones from there on.
    total = F.sum([x for row in change for x in row])
    shared = [F.max([x for j, x in enumerate(row) if i != j] or [0.0]) for i, row in enumerate(close)]
    exact = [x + F.pow(total, 3.5 - 2.0 * s) for x, s in zip(exact, shared, strict=True)]
    limits = [F.pow(total, 3.5 - 3.0 * s) for s in shared]
    return exact, [[x + limit for x, limit in zip(row, limits, strict=True)] for row in final]


def _jacobi(a: Rows) -> tuple[Row, Rows]:
    """Eigenvalues in ascending order and eigenvectors in columns, by cyclic Jacobi rotations.

    Nothing branches on a number and the number of sweeps is fixed, so that the recorded graph can be
    compiled and recomputed. Among 20,000 matrices of each of six kinds, the slowest to reach rounding
    error, with two clusters of eigenvalues, took n + 1 sweeps.
    """
    n = len(a)
    vectors = identity(n)  # as rows
    for _ in range(n + 2 if n > 2 else 1):
        for p in range(n):
            for q in range(p + 1, n):
                _rotate(a, vectors, p, q)
    values = [row[i] for i, row in enumerate(a)]
    for last in range(n - 1, 0, -1):  # sort
        for i in range(last):
            falling = F.less(values[i + 1], values[i])
            (values[i], *vectors[i]), (values[i + 1], *vectors[i + 1]) = exchanged(
                falling, [values[i], *vectors[i]], [values[i + 1], *vectors[i + 1]]
            )
    # A vector has two signs. Choose by a sum that is 0 for no vector that occurs in practice.
    weights = [GOLDEN**i for i in range(n)]
    signs = [F.where(F.less(F.dot(weights, row), 0.0), -1.0, 1.0) for row in vectors]
    rows = [[sign * x for x in row] for sign, row in zip(signs, vectors, strict=True)]
    return values, transposed(rows)


def _rotate(a: Rows, vectors: Rows, p: int, q: int) -> None:
    """Rotate rows and columns p and q, so that a[p][q] becomes 0."""
    off, apart = a[p][q], a[q][q] - a[p][p]
    size = F.abs(apart) + F.hypot(apart, 2.0 * off)
    tan = F.div(F.where(F.less(apart, 0.0), -2.0, 2.0) * off, size + F.equal(size, 0.0))
    cos = F.div(1.0, F.sqrt(1.0 + tan * tan))
    sin = tan * cos
    shift = tan * off
    diagonal = a[p][p] - shift, a[q][q] + shift
    for rows in (a, vectors):
        pairs = list(zip(rows[p], rows[q], strict=True))
        rows[p] = [cos * x - sin * y for x, y in pairs]
        rows[q] = [sin * x + cos * y for x, y in pairs]
    for i, row in enumerate(a):
        row[p], row[q] = a[p][i], a[q][i]
    (a[p][p], a[q][q]), a[p][q], a[q][p] = diagonal, 0.0, 0.0
