"""Matrices for the tests, and derivatives along a line in 50-digit arithmetic."""

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np

from chainrule import grad

Case = Callable[[Any], Any]  # from a matrix to a number


def random(n: int, seed: int = 0) -> Any:
    return np.random.default_rng([n, seed]).normal(size=(n, n))


def positive(n: int, seed: int = 0) -> Any:
    a = random(n, seed)
    return a @ a.T + np.eye(n)


def hilbert(n: int) -> Any:
    return 1.0 / (np.arange(n)[:, None] + np.arange(n) + 1.0)


def special(n: int) -> dict[str, Any]:
    """Invertible matrices, most of which need pivots."""
    shift = np.roll(np.eye(n), 1, axis=0)
    return {
        "identity": np.eye(n),
        "exchange": np.fliplr(np.eye(n)),
        "cyclic": shift,
        "permuted": random(n)[::-1] * (1.0 - 0.999999 * np.eye(n)),
        "lower": np.tril(random(n)) + 2 * np.eye(n),
        "upper": np.triu(random(n)) - 2 * np.eye(n),
        "growth": np.eye(n) - np.tril(np.ones((n, n)), -1) + np.outer(np.ones(n), np.arange(n) == n - 1),
        "graded": random(n) * 10.0 ** np.arange(-n, n, 2)[:, None],
        "positive": positive(n),
    }


def along(function: Case, a: Any, direction: Any, order: int) -> float:
    """A derivative of t -> function(a + t direction) at 0."""

    def on_line(t: Any) -> Any:
        return function((np.asarray(a) + t * direction).tolist())

    for _ in range(order):
        on_line = grad(on_line)
    return float(on_line(0.0))


def truth_along(function: Case, a: Any, direction: Any, order: int) -> float:
    """The same for a function of an mpmath matrix."""
    with mp.workdps(50):
        start, d = mp.matrix(a.tolist()), mp.matrix(direction.tolist())
        return float(mp.diff(lambda t: function(start + t * d), 0, order))
