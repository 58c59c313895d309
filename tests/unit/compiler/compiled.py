"""Helpers for tests of compiled functions: the eager-mode results for the same input."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from chainrule import Value, compile
from chainrule.compiler.backends import NAMES
from chainrule.value import c_core

BACKENDS = [name for name in NAMES if name != "native" or c_core is not None]
RNG = np.random.default_rng(0)

backends = pytest.mark.parametrize("backend", BACKENDS)


def eager(function: Callable[..., Any], *batch: Any) -> tuple[list[float], list[Any]]:
    """Values, and gradients with respect to the inputs, sample by sample."""
    values, grads = [], []
    for sample in zip(*(np.asarray(argument).tolist() for argument in batch), strict=True):
        leaves = [[Value(x) for x in a] if isinstance(a, list) else Value(a) for a in sample]
        out = function(*leaves)
        out.backward()
        values.append(out.data)
        grads.append([[v.grad for v in a] if isinstance(a, list) else a.grad for a in leaves])
    return values, grads


def agrees(function: Callable[..., Any], *batch: Any, backend: str | None = None) -> None:
    """Assert that compiled and eager mode give the same values and gradients for the arguments."""
    step = compile(function, batch=0, backend=backend)
    values, grads = step.value_and_grad(*batch, argnums=range(len(batch)))
    expected, expected_grads = eager(function, *batch)
    np.testing.assert_allclose(values, expected, rtol=1e-12)
    np.testing.assert_array_equal(step(*batch), values)
    for i, grad in enumerate(grads):
        target = np.array([row[i] for row in expected_grads], dtype=float)
        np.testing.assert_allclose(grad, target, rtol=1e-11)
