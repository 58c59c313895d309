"""The two sweeps over a recorded graph, computed on Values so that they can be differentiated again.

`adjoints` goes from the result to the leaves (reverse mode), `tangents` from the leaves to the
result (forward mode). Both interpret the table's partials. They treat rows that select, such as
`where`, specially, so that a branch not taken cannot affect the derivative.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import ops
from . import errors, graph
from .ieee import as_float


def product(a: Any, b: Any) -> Any:
    """a * b, without a node for a factor of exactly one."""
    if type(a) is float and a == 1.0:
        return b
    if type(b) is float and b == 1.0:
        return a
    return a * b


def _partials(node: Any, args: Any, out: Any, wanted: list[bool]) -> list[Any]:
    row = graph.formula(node)
    if row is None:
        raise errors.no_formula(node, "differentiate again")
    return row.derivatives(args, out, wanted)


def depending(order: list[Any], inputs: Iterable[Any]) -> set[Any]:
    """The inputs, and the nodes of `order` that depend on one of them."""
    found = set(inputs)
    for node in order:
        if node not in found and any(
            arg in found for arg in graph.arguments(node) if not isinstance(arg, float)
        ):
            found.add(node)
    return found


def reached(order: list[Any], roots: Iterable[Any]) -> set[Any]:
    """The roots, and the nodes that receive a gradient from one of them."""
    found = set(roots)
    for node in reversed(order):
        if node in found:
            row = graph.row(node)
            found.update(
                arg
                for i, arg in enumerate(graph.arguments(node))
                if not isinstance(arg, float) and (row is None or row.differentiable(i))
            )
    return found


def adjoints(order: list[Any], seed: Any, among: set[Any] | None = None) -> dict[Any, Any]:
    """The derivatives of the last node of `order` with respect to all it depends on, as expressions.

    `among` restricts the sweep to these nodes; the partials of other nodes are not computed.

    A value used only in the branch that `where` did not take gets no adjoint. The condition may
    change when the expression is recomputed, so this is part of the expression: `active[v]` is 0
    when no path from the result to `v` is taken, and None if some path always is. Forward mode does
    the same.
    """
    root = order[-1]
    total: dict[Any, Any] = {root: seed}
    active: dict[Any, Any] = {root: None}
    for node in reversed(order):
        if node not in total or not node.inputs:
            continue
        args = graph.arguments(node)
        wanted = [not isinstance(arg, float) and (among is None or arg in among) for arg in args]
        if not any(wanted):
            continue
        for arg, partial in zip(args, _partials(node, args, node, wanted), strict=True):
            if partial is None:
                continue
            _add(arg, partial, total[node], _path(node, partial, active[node]), total, active)
    return total


def _path(node: Any, partial: Any, before: Any) -> Any:
    """Whether a derivative passes an edge: 0.0 for never, None for always, otherwise an expression."""
    row = graph.row(node)
    if row is None or not row.selects:
        return before
    path = partial if before is None else product(before, partial)
    if isinstance(path, float):  # the condition is constant
        return 0.0 if path == 0.0 else None
    return path


def _add(
    to: Any, partial: Any, derivative: Any, path: Any, total: dict[Any, Any], active: dict[Any, Any]
) -> None:
    """Add a contribution to a node's derivative, unless the edge is cut."""
    if isinstance(path, float) and path == 0.0:
        return
    share = product(derivative, partial)
    if path is not None:
        share = ops.where(path, share, 0.0)
    if to not in total:
        total[to], active[to] = share, path
    else:
        total[to] = total[to] + share
        seen = active[to]
        active[to] = None if path is None or seen is None else seen + path


def backward(order: list[Any], gradient: Any, reset: bool) -> None:
    """`Value.backward(create_graph=True)`: the gradients are Values themselves."""
    root = order[-1]
    total = adjoints(order, gradient if hasattr(gradient, "_apply") else as_float(gradient))
    known = set(order)
    results = []
    for node in order:
        result = total.get(node, 0.0)
        if node.is_leaf and not reset and (hasattr(node.grad, "_apply") or node.grad != 0.0):
            result = node.grad + result
        results.append(as_value(type(root), result, known))
    before = [node.grad for node in order]
    try:
        for node, result in zip(order, results, strict=True):
            node.grad = result
    except BaseException:  # on Ctrl-C too, restore all old gradients
        for node, grad in zip(order, before, strict=True):
            node.grad = grad
        raise


def as_value(cls: Any, result: Any, known: set[Any]) -> Any:
    """Return a derivative as a new node: never a plain number, never a node of the expression.

    A number becomes the result of an operation on a constant, not a leaf, so that it gets no
    gradient and an enclosing `grad` does not mistake it for one of the user's Values.
    """
    if not hasattr(result, "_apply"):
        return cls._apply(ops.pos, (float(result),))
    return ops.pos(result) if result in known else result


def tangents(order: list[Any], seeds: dict[Any, Any], as_numbers: bool) -> dict[Any, Any]:
    """The directional derivative of each node of `order`, given the seeds' tangents.

    Works on plain numbers, or builds expressions that can be differentiated again.
    """
    moving = dict(seeds)
    active: dict[Any, Any] = dict.fromkeys(seeds)
    for node in order:
        if node in seeds:
            continue
        args = graph.arguments(node)
        wanted = [not isinstance(arg, float) and arg in moving for arg in args]
        if not any(wanted):
            continue
        at, out = (tuple(v.data for v in node.inputs), node.data) if as_numbers else (args, node)
        for arg, partial in zip(args, _partials(node, at, out, wanted), strict=True):
            if partial is not None:
                _add(node, partial, moving[arg], _path(node, partial, active[arg]), moving, active)
    return moving
