"""Metrics: functions of (predictions, targets) that `fit` evaluates after each epoch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..support.tree import flatten
from ..value import Value

Metrics = dict[str, Callable[[list[Any], Any], float]]


def number(x: Any) -> float:
    """The number of a Value, or a plain number as a float."""
    return float(x.data) if isinstance(x, Value) else float(x)


def r_squared(predictions: list[Any], targets: Any) -> float:
    """The share of the targets' variance that is explained: 1 by exact predictions, 0 by the mean."""
    import numpy as np

    found = np.array([number(flatten(p)[0][0]) for p in predictions])
    wanted = np.array([number(y) for y in targets])
    total = ((wanted - wanted.mean()) ** 2).sum()
    return float(1.0 - ((found - wanted) ** 2).sum() / total) if total else math.nan


def accuracy(predictions: list[Any], targets: Any, threshold: float = 0.0) -> float:
    """The fraction of correct predictions: the class with the largest score or, for a single score (also
    in a list of one), class 1 if the score is above the threshold.

    For a single score, the targets are 0 and 1, or -1 and 1. The threshold is 0 for logits and 0.5 for
    probabilities.
    """
    if len(predictions) == 0 or len(predictions) != len(targets):
        raise ValueError(
            f"accuracy needs a target for each prediction, got {len(targets)} for {len(predictions)}"
        )
    right = 0
    for prediction, target in zip(predictions, targets, strict=True):
        scores = list(prediction) if hasattr(prediction, "__len__") else [prediction]
        several = len(scores) > 1
        if not (target == int(target) and target >= 0 if several else target in (-1, 0, 1)):
            known = "0, 1, 2 and so on" if several else "0 and 1, or -1 and 1"
            raise ValueError(f"accuracy expects class targets ({known}), got {number(target):g}")
        if several:
            numbers = [number(score) for score in scores]
            right += numbers.index(max(numbers)) == int(target)
        else:
            right += (number(scores[0]) > threshold) == bool(target > 0)
    return right / len(predictions)
