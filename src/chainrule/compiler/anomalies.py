"""detect_anomaly() for compiled functions: recomputes a failing sample eagerly.

Eager mode checks every operation, so the error names the source line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..support.errors import AnomalyError
from ..support.tree import flatten, unflatten
from ..value import Value
from .inputs import Batch

Array = Any


def look_closer(
    function: Any, params: Sequence[Value], batch: Batch, values: Array, finite: bool = True
) -> None:
    """Raise if a value is not finite, or if a gradient is not (`finite=False`).

    `values` has a row for each result and a column for each sample.
    """
    bad = ~np.isfinite(np.atleast_2d(values)).all(axis=0)
    if finite and not bad.any():
        return
    before = [p.grad for p in params]
    try:
        for i in np.flatnonzero(bad) if bad.any() else range(batch.samples):
            compute(function, batch, int(i))
    finally:
        for p, grad in zip(params, before, strict=True):
            p.grad = grad
    what = f"the value of sample {bad.argmax()}" if bad.any() else "a gradient"
    raise AnomalyError(f"{what} is not finite when compiled, though it is finite in eager mode")


def compute(function: Any, batch: Batch, sample: int) -> None:
    """Compute one sample in eager mode, with gradients if there is a single result."""
    arguments = []
    for tree in batch.sample(sample):
        numbers, rebuild = flatten(tree)
        arguments.append(unflatten(rebuild, [Value(x) for x in numbers]))
    outputs = flatten(function(*arguments))[0]
    if len(outputs) == 1 and isinstance(outputs[0], Value):
        outputs[0].backward()
