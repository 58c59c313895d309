"""Gradient clipping, in place."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..functional import clip
from ..support.committing import commit, gradients_of
from ..value import Value


def clip_grad_norm_(parameters: Iterable[Value], max_norm: float, norm_type: float = 2.0) -> float:
    """Scale all gradients so that their total norm is at most max_norm; return the original norm."""
    params = list(parameters)
    # After backward(create_graph=True) a gradient is a Value.
    sizes = [abs(p.grad.data if isinstance(p.grad, Value) else p.grad) for p in params]
    if norm_type == math.inf:
        total = math.nan if any(map(math.isnan, sizes)) else max(sizes, default=0.0)
    elif norm_type == 2.0:
        total = math.hypot(*sizes)
    else:
        total = math.fsum(size**norm_type for size in sizes) ** (1.0 / norm_type)
    scale = max_norm / (total + 1e-6)
    if not scale >= 1.0:  # for NaN too, so that it stays visible
        commit(gradients_of(params, [p.grad * scale for p in params]))
    return total


def clip_grad_value_(parameters: Iterable[Value], clip_value: float) -> None:
    """Clamp every gradient between -clip_value and clip_value; NaN stays visible."""
    params = list(parameters)
    commit(gradients_of(params, [clip(p.grad, -clip_value, clip_value) for p in params]))
