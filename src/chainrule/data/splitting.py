"""Splits data into training and test sets, and into batches, with a seeded shuffle."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, SupportsIndex

import numpy as np


def as_samples(name: str, samples: Any) -> Any:
    """Convert tables and arrays from other libraries to NumPy, so that samples are indexed by position.

    A pandas DataFrame would be indexed by column names, a Series by labels.
    """
    if isinstance(samples, (list, tuple)):
        foreign = len(samples) > 0 and _is_foreign(samples[0])
        return [as_samples(name, row) for row in samples] if foreign else samples
    if not _is_foreign(samples):
        return samples
    array = np.asarray(samples)
    if array.dtype.kind in "biuf":
        return array
    try:  # columns of different numeric types become objects
        return array.astype(float)
    except (TypeError, ValueError):
        given = f"a {type(samples).__name__} with {_not_a_number(array)}"
        raise TypeError(
            f"{name} must hold numbers, got {given}: drop such columns, or convert them to numbers"
        ) from None


def check_index(X: Any, y: Any) -> None:
    """Reject pandas tables with the same index in a different order: samples are matched by position."""
    if not hasattr(X, "iloc") or not hasattr(y, "iloc") or X.index.equals(y.index):
        return
    if set(X.index) == set(y.index):
        raise ValueError(
            "X and y have the same index in a different order, but samples are matched by position: "
            "align them, y = y.loc[X.index]"
        )


def _is_foreign(samples: Any) -> bool:
    return hasattr(samples, "__array__") and not isinstance(samples, (np.ndarray, np.generic))


def _not_a_number(array: Any) -> str:
    """The first entry that is not a number, for a message."""
    for entry in array.ravel().tolist():
        try:
            float(entry)
        except (TypeError, ValueError):
            return repr(entry)
    return f"entries of type {array.dtype}"


def check_lengths(X: Any, y: Any) -> int:
    """The number of samples, which must be the same in X and y."""
    for name, samples in (("X", X), ("y", y)):
        if not hasattr(samples, "__len__"):
            kind = type(samples).__name__
            raise TypeError(f"{name} must be a list or an array of samples, got {kind}")
    if len(X) != len(y):
        raise ValueError(f"X has {len(X)} samples and y has {len(y)}")
    if len(X) == 0:
        raise ValueError("the data set is empty")
    return len(X)


def check_count(name: str, value: Any, least: int = 1) -> int:
    """Validate an integer argument."""
    if not isinstance(value, SupportsIndex):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if operator.index(value) < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    return operator.index(value)


def take(rows: Any, index: Any) -> Any:
    """Some rows of an array or a list."""
    return rows[index] if isinstance(rows, np.ndarray) else [rows[i] for i in index]


def train_test_split(
    X: Any, y: Any, test_size: float = 0.25, seed: int = 0
) -> tuple[Any, Any, Any, Any]:
    """X_train, X_test, y_train, y_test, shuffled, in scikit-learn's order."""
    X, y = as_samples("X", X), as_samples("y", y)
    n = check_lengths(X, y)
    if not 0.0 < test_size < 1.0:
        raise ValueError(f"test_size must be between 0 and 1, got {test_size}")
    count = min(n - 1, max(1, round(n * test_size)))
    if n < 2:
        raise ValueError("one sample cannot be split")
    order = np.random.default_rng(seed).permutation(n)
    test, train = order[:count], order[count:]
    return take(X, train), take(X, test), take(y, train), take(y, test)


def batches(
    X: Any, y: Any, batch_size: int | None = None, shuffle: bool = True, seed: Any = 0
) -> Iterator[tuple[Any, Any]]:
    """Batches of X and y with batch_size samples each; the last may be smaller. None gives one batch.

    `seed` may be a NumPy generator; it then continues from call to call.
    """
    X, y = as_samples("X", X), as_samples("y", y)
    n = check_lengths(X, y)
    size = n if batch_size is None else check_count("batch_size", batch_size)
    order = np.random.default_rng(seed).permutation(n) if shuffle else np.arange(n)
    for start in range(0, n, size):
        index = order[start : start + size]
        yield take(X, index), take(y, index)
