"""Synthetic data sets, generated from a seed; `digits` comes from scikit-learn.

Each function returns X of shape (n, features) and y of shape (n,), as NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


def xor() -> tuple[Floats, Floats]:
    """The four cases of exclusive or; y is 0.0 or 1.0."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    return X, np.array([0.0, 1.0, 1.0, 0.0])


def _noisy(points: list[Floats], noise: float, seed: int) -> tuple[Floats, Labels]:
    """Concatenate the classes, add normal noise to every coordinate, and shuffle."""
    rng = np.random.default_rng(seed)
    X = np.concatenate(points)
    y = np.concatenate([np.full(len(p), label) for label, p in enumerate(points)])
    X = X + rng.normal(0.0, noise, X.shape) if noise else X
    order = rng.permutation(len(X))
    return X[order], y[order].astype(np.int64)


def _halves(n: int) -> tuple[int, int]:
    if n < 2:
        raise ValueError(f"a data set of two classes needs at least 2 points, got {n}")
    return n // 2, n - n // 2


def _on_circle(angle: Floats, radius: Any = 1.0) -> Floats:
    return np.stack([np.cos(angle), np.sin(angle)], axis=1) * np.reshape(radius, (-1, 1))


def moons(n: int = 100, noise: float = 0.1, seed: int = 0) -> tuple[Floats, Labels]:
    """Two interleaved half circles; y is 0 or 1."""
    upper, lower = _halves(n)
    first = _on_circle(np.linspace(0.0, np.pi, upper))
    second = np.array([1.0, 0.5]) - _on_circle(np.linspace(0.0, np.pi, lower))
    return _noisy([first, second], noise, seed)


def circles(
    n: int = 100, noise: float = 0.05, factor: float = 0.5, seed: int = 0
) -> tuple[Floats, Labels]:
    """A unit circle, y = 0, around a circle `factor` times as large, y = 1."""
    outer, inner = _halves(n)
    first = _on_circle(np.linspace(0.0, 2 * np.pi, outer, endpoint=False))
    second = _on_circle(np.linspace(0.0, 2 * np.pi, inner, endpoint=False), factor)
    return _noisy([first, second], noise, seed)


def spirals(
    n: int = 100, noise: float = 0.05, turns: float = 1.0, seed: int = 0
) -> tuple[Floats, Labels]:
    """Two intertwined spirals; y is 0 or 1."""
    arms = []
    for start, count in zip((0.0, np.pi), _halves(n), strict=True):
        t = np.linspace(0.1, 1.0, count)
        arms.append(_on_circle(start + 2 * np.pi * turns * t, t))
    return _noisy(arms, noise, seed)


def blobs(n: int = 100, centers: int = 3, noise: float = 0.3, seed: int = 0) -> tuple[Floats, Labels]:
    """Clouds around points on a circle of radius 2; y is the number of the cloud."""
    if centers < 1 or n < centers:
        wanted = "centers must be between 1 and the number of points"
        raise ValueError(f"{wanted}, got {centers} for {n} points")
    angles = np.linspace(0.0, 2 * np.pi, centers, endpoint=False)
    counts = [len(part) for part in np.array_split(np.arange(n), centers)]
    points = [
        np.repeat(2 * _on_circle(np.array([a])), count, axis=0)
        for a, count in zip(angles, counts, strict=True)
    ]
    return _noisy(points, noise, seed)


def digits() -> tuple[Floats, Labels]:
    """1,797 handwritten digits of 8 by 8 pixels from scikit-learn, scaled to 0..1."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise ImportError("digits needs scikit-learn: pip install scikit-learn") from None
    X, y = load_digits(return_X_y=True)
    return X / 16.0, y.astype(np.int64)


BY_NAME: dict[str, Callable[..., tuple[Any, Any]]] = {
    made.__name__: made for made in (xor, moons, circles, spirals, blobs, digits)
}
# Two-dimensional data sets whose size and noise can be chosen.
PLANE = tuple(made.__name__ for made in (moons, circles, spirals, blobs))
