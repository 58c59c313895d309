"""`expand`: rewrites a computation in elementary operations, for display.

A neuron computes its sum of products as one `dot`, which is fast; expanded, every product and every
sum is a separate node, as tutorials draw them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add, mul
from typing import Any

from ..support import errors, graph
from ..value import Value

FUSED: dict[str, Callable[[Sequence[Any]], Any]] = {
    "dot": lambda args: reduce(add, map(mul, args[: len(args) // 2], args[len(args) // 2 :])),
    "sum": lambda args: reduce(add, args),
    "mean": lambda args: reduce(add, args) / len(args),
    "prod": lambda args: reduce(mul, args),
}


def expand(value: Value) -> Value:
    """A graph with the same leaves and values, in which every product and sum is a node.

    >>> expand(chainrule.dot([a, b], [2.0, 3.0])).op
    'add'
    """
    twins: dict[Any, Any] = {}
    for node in graph.topological(value):
        if node.is_leaf:
            twins[node] = node
            continue
        row = graph.formula(node)
        if row is None:
            raise errors.no_formula(node, "expand")
        args = [arg if isinstance(arg, float) else twins[arg] for arg in graph.arguments(node)]
        twins[node] = FUSED[node.op](args) if node.op in FUSED else row(*args)
        if node.label:
            twins[node].label = node.label
    return twins[value]  # type: ignore[no-any-return]
