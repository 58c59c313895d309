"""detect_anomaly() for compiled functions: recomputes a failing sample eagerly.

Eager mode checks every operation, so the error names the source line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..support import graph
from ..support.errors import AnomalyError
from ..support.tree import flatten, unflatten
from ..value import Value
from .inputs import Batch

Array = Any


def look_closer(
    function: Any,
    params: Sequence[Value],
    batch: Batch,
    rows: Array,
    what: str = "value",
    finite: bool = True,
    second: bool = False,
) -> None:
    """Raise if a number is not finite, or if one that samples share is not (`finite=False`).

    `rows` has numbers called `what`; their last axis numbers the samples. Those of `second` order are
    second derivatives.
    """
    bad = ~np.isfinite(rows).all(axis=tuple(range(np.ndim(rows) - 1)))
    if finite and not bad.any():
        return
    before = [p.grad for p in params]
    try:
        for i in np.flatnonzero(bad) if bad.any() else range(batch.samples):
            compute(function, batch, int(i), second)
    finally:
        for p, grad in zip(params, before, strict=True):
            p.grad = grad
    where = f"the {what} of sample {bad.argmax()}" if bad.any() else "a gradient"
    raise AnomalyError(f"{where} is not finite when compiled, though it is finite in eager mode")


def compute(function: Any, batch: Batch, sample: int, second: bool = False) -> None:
    """Compute one sample in eager mode, with the gradients of its results and, if `second`, theirs."""
    arguments = []
    for tree in batch.sample(sample):
        numbers, rebuild = flatten(tree)
        arguments.append(unflatten(rebuild, [Value(x) for x in numbers]))
    outputs = [x for x in flatten(function(*arguments))[0] if isinstance(x, Value)]
    for output in outputs:
        output.backward(reset=True)
    for output in outputs if second else ():
        output.backward(create_graph=True, reset=True)
        leaves = [v for v in graph.topological(output) if v.is_leaf]
        for slope in [leaf.grad for leaf in leaves]:
            if isinstance(slope, Value):
                slope.backward(reset=True)
