"""Linear algebra for small matrices of numbers or Values, with the names and results of numpy.linalg.

Arguments are lists of rows or arrays. If an entry is a Value, the result is an array of Values, with
derivatives of every order (of `eigh`, the first three); otherwise it is an array of floats. Inside a
compiled function, everything stays one program.
"""

from numpy.linalg import LinAlgError

from .eigen import EighResult, eigh
from .solving import SlogdetResult, cholesky, det, inv, lstsq, slogdet, solve

__all__ = [
    "EighResult",
    "LinAlgError",
    "SlogdetResult",
    "cholesky",
    "det",
    "eigh",
    "inv",
    "lstsq",
    "slogdet",
    "solve",
]
