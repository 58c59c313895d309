"""`check_gradients`: compare gradients with finite differences, and find the rule that is wrong.

Every operation's local derivative is checked separately, so the report names the wrong operation and
input, not only the leaf whose gradient is off.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ..ops import Op
from ..support import errors, graph, numbers
from ..support.atomic.committing import Afterwards, assign, gradients_of
from ..support.tree import flatten, unflatten
from ..value import Value


@dataclass(frozen=True)
class Comparison:
    """One gradient, from backward and from finite differences."""

    name: str
    gradient: float
    numerical: float
    agrees: bool

    @property
    def error(self) -> float:
        return abs(self.gradient - self.numerical)


@dataclass
class GradientReport:
    """The result of `check_gradients`; true if everything agrees."""

    epsilon: float
    comparisons: list[Comparison] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)  # the wrong operations and inputs
    notes: list[str] = field(default_factory=list)  # kinks, where the derivative is a convention

    def __bool__(self) -> bool:
        """Whether nothing is wrong; at a kink, finite differences are inconclusive."""
        return not self.faults and (bool(self.notes) or all(row.agrees for row in self.comparisons))

    def __str__(self) -> str:
        width = max([len(row.name) for row in self.comparisons] + [5])
        lines = [f"{'value':<{width}} {'backward':>14} {'numerical':>14} {'difference':>11}"]
        for row in self.comparisons:
            verdict = "" if row.agrees else "   at a kink" if self else "   WRONG"
            lines.append(
                f"{row.name:<{width}} {row.gradient:>14.8g} {row.numerical:>14.8g} "
                f"{row.error:>11.1e}{verdict}"
            )
        lines += self.faults + self.notes
        good = sum(row.agrees for row in self.comparisons)
        kinks = ", the rest at a kink" if self and good < len(self.comparisons) else ""
        count = f"{good} of {len(self.comparisons)} gradients agree{kinks}"
        lines.append(f"{count} (epsilon {self.epsilon:g})")
        return "\n".join(lines)

    __repr__ = __str__


def check_gradients(
    subject: Any, *args: Any, epsilon: float = 1e-5, tolerance: float = 1e-5
) -> GradientReport:
    """Compare the gradients of an expression with central differences.

    `subject` may be a result: it is copied, each leaf of the copy is moved by `epsilon` (times its size,
    if that is above 1), and the copy is recomputed. Or it may be a function, which is called with
    `args`. A function without arguments may use Values from outside, which are moved and then restored.
    Use a function if an operation was defined by assigning `_backward`: such a result cannot be
    recomputed.

    Returns a report that prints as a table and is true if all gradients agree to within `tolerance`
    times their size, plus the rounding error of the differences. Before a gradient is reported as wrong,
    smaller and larger steps are tried.
    """
    if isinstance(subject, Value):
        if len(args) == 1 and isinstance(args[0], float):
            epsilon, args = args[0], ()  # check_gradients(v, 1e-6)
        if args:
            raise TypeError("arguments are allowed only with a function")
        expression: _Recomputed | _Rebuilt = _Recomputed(subject)
    elif callable(subject):
        expression = _Rebuilt(subject, args)
    else:
        raise TypeError(f"check_gradients takes a Value or a function, got {type(subject).__name__}")
    nodes, leaves = expression.order, expression.leaves
    data = [change for leaf in leaves for change in assign(leaf, data=leaf.data)]
    with Afterwards(gradients_of(nodes, [v.grad for v in nodes]), data):
        return _Check(expression, epsilon, tolerance).report


def _last(slopes: Any) -> float:
    return float(slopes[-1])


class _Recomputed:
    """An expression given as its result; works on a copy."""

    def __init__(self, output: Any) -> None:
        try:
            self.output = copy.deepcopy(output)
        except TypeError as error:
            raise TypeError(
                f"{error} Or pass check_gradients a function that builds the expression."
            ) from None
        self.order = graph.topological(self.output)
        self.leaves = [v for v in self.order if v.is_leaf]

    def evaluate(self) -> list[float]:
        """The value of every node for the current leaves."""
        self.output.forward()
        return [v.data for v in self.order]


class _Rebuilt:
    """An expression given as a function that builds it."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        leaves, rebuild = flatten(args)
        inputs = [leaf if isinstance(leaf, Value) else Value(leaf) for leaf in leaves]
        for i, (v, leaf) in enumerate(zip(inputs, leaves, strict=True)):
            if v is not leaf:
                v.label = f"argument {i}"
        self.build: Callable[[], Any] = lambda: function(*unflatten(rebuild, inputs))
        self.output = self.build()
        if not isinstance(self.output, Value):
            raise TypeError(f"the function must return a Value, got {type(self.output).__name__}")
        self.order = graph.topological(self.output)
        self.leaves = [v for v in self.order if v.is_leaf]

    def evaluate(self) -> list[float]:
        values = [v.data for v in graph.topological(self.build())]
        if len(values) != len(self.order):
            raise ValueError("the function builds a different graph for nearby values: it branches here")
        return values


class _Check:
    """Moves each leaf, compares, and looks for the operation that is wrong."""

    def __init__(self, expression: _Recomputed | _Rebuilt, epsilon: float, tolerance: float) -> None:
        self.expression = expression
        self.tolerance = tolerance
        self.epsilon = epsilon
        self.report = GradientReport(epsilon)
        self.place = {v: i for i, v in enumerate(expression.order)}
        gradients = self.backward()
        self.slopes = []  # d(every node) / d(leaf), for each leaf
        for i, leaf in enumerate(expression.leaves):
            slopes, agrees = self.compare(gradients[leaf], leaf.data, partial(self.slope, leaf), _last)
            self.slopes.append(slopes)
            numerical = float(slopes[-1])
            name = leaf.label or f"leaf {i} (data={numbers.format(leaf.data)})"
            self.report.comparisons.append(Comparison(name, gradients[leaf], numerical, agrees))
        for node in expression.order:
            if node.inputs:
                self.check_node(node)

    def agree(self, a: float, b: float, noise: float = 0.0) -> bool:
        if not math.isfinite(a) or not math.isfinite(b):
            return a == b
        return abs(a - b) <= self.tolerance * max(abs(a), abs(b)) + noise

    def step(self, x: float) -> float:
        return self.epsilon * max(1.0, abs(x))

    def compare(
        self,
        stated: float,
        x: float,
        differences: Callable[[float], tuple[Any, float]],
        pick: Callable[[Any], float] = lambda slope: slope,
    ) -> tuple[Any, bool]:
        """The differences for the first step size that confirms the slope, else for the default one."""
        size = abs(x) or 1.0
        others = (self.epsilon, self.epsilon * size, 1e-2 * self.epsilon * size)
        # A step too small to change a large x would cause a division by zero.
        moving = [step for step in others if not math.isfinite(x) or x + step != x - step]
        first: Any = None
        for step in dict.fromkeys([self.step(x), *moving]):
            slopes, noise = differences(step)
            first = slopes if first is None else first
            if self.agree(stated, pick(slopes), noise):
                return slopes, True
        return first, False

    def backward(self) -> dict[Any, float]:
        """The gradients of the leaves."""
        self.expression.output.backward(reset=True)
        return {leaf: leaf.grad for leaf in self.expression.leaves}

    def slope(self, leaf: Any, step: float) -> tuple[Any, float]:
        """The derivatives of all nodes with respect to one leaf, and the rounding error of the last."""
        x = leaf.data
        try:
            leaf.data = x + step
            above = leaf.data, np.array(self.expression.evaluate())
            leaf.data = x - step
            below = leaf.data, np.array(self.expression.evaluate())
        finally:
            leaf.data = x
        if isinstance(self.expression, _Recomputed):
            self.expression.evaluate()
        with np.errstate(invalid="ignore", over="ignore"):
            width = above[0] - below[0]
            size = max(abs(above[1][-1]), abs(below[1][-1]), float(np.abs(above[1]).max()))
            noise = 1e-14 * size / width
            return (above[1] - below[1]) / width, float(noise) if math.isfinite(noise) else 0.0

    def check_node(self, node: Any) -> None:
        known = self.partials_of(node)
        row = graph.formula(node)
        if row is not None:
            numerical = self.local_differences(node, row, known)
        else:
            numerical = self.fitted_differences(node, known)
        for i, (stated, measured) in enumerate(zip(known, numerical, strict=True)):
            if stated is None or measured is None or self.agree(stated, measured, self.tolerance * 1e-3):
                continue
            source = errors.name_of(node.inputs[i])
            edge = f"'{node._op}' (data={numbers.format(node.data)}), input {i}, {source}"
            both = f"the rule gives {stated:.8g}, finite differences {measured:.8g}"
            if self.at_kink(node):
                self.report.notes.append(f"at a kink of {edge}: {both}; the rule is a convention")
            else:
                self.report.faults.append(f"wrong derivative: {edge}: {both}")

    def at_kink(self, node: Any) -> bool:
        row = graph.row(node)
        if row is None or row.kink is None:
            return False
        args = [v.data for v in node.inputs]
        return bool(abs(row.kink(*args)) <= 2 * max(self.step(x) for x in args))

    def partials_of(self, node: Any) -> list[float | None]:
        """The local derivatives that backward uses, found by propagating a gradient of 1.

        A hand-written rule is also tried with other gradients, to find out whether it assigns instead of
        adding, or ignores the gradient of its result.
        """
        passed = self.pass_on(node, 1.0, 0.0)
        if graph.is_by_hand(node):
            edge = f"'{node._op}' (data={numbers.format(node.data)})"
            if any(passed) and self.pass_on(node, 1.0, 100.0) == passed:
                self.report.faults.append(
                    f"{edge}: its _backward assigns to the gradient of an input: use +=, not ="
                )
            if any(passed) and self.pass_on(node, 2.0, 0.0) == passed:
                self.report.faults.append(
                    f"{edge}: its _backward does not multiply by the gradient of its result, out.grad"
                )
        inputs = node.inputs
        return [x if inputs.count(inputs[i]) == 1 else None for i, x in enumerate(passed)]

    def pass_on(self, node: Any, gradient: float, start: float) -> list[float | None]:
        """The gradients of the inputs after one local step."""
        inputs = node.inputs
        before = [v.grad for v in (node, *inputs)]
        for v in inputs:
            v.grad = start
        node.grad = gradient
        try:
            node._backward()
            return [None if v.is_constant else float(v.grad) for v in inputs]
        finally:
            for v, grad in zip((node, *inputs), before, strict=True):
                v.grad = grad

    def local_differences(self, node: Any, row: Op, known: list[float | None]) -> list[float | None]:
        """The slope of the forward function for each input, from differences; None if the rule fits."""
        args = [v.data for v in node.inputs]

        def differences(i: int, step: float) -> tuple[float, float]:
            high, low = args[i] + step, args[i] - step
            above = row.forward(*args[:i], high, *args[i + 1 :])
            below = row.forward(*args[:i], low, *args[i + 1 :])
            noise = 1e-14 * max(abs(above), abs(below)) / (high - low)
            return (above - below) / (high - low), noise if math.isfinite(noise) else 0.0

        result: list[float | None] = []
        for i, stated in enumerate(known):
            if stated is None or not row.differentiable(i):
                result.append(None)
                continue
            slope, agrees = self.compare(stated, args[i], partial(differences, i))
            result.append(None if agrees or not math.isfinite(slope) else slope)
        return result

    def fitted_differences(self, node: Any, known: list[float | None]) -> list[float | None]:
        """The slopes of a hand-made operation that best fit its changes as each leaf was moved."""
        moved_out = np.array([slope[self.place[node]] for slope in self.slopes])
        moved_in = np.array([[slope[self.place[v]] for v in node.inputs] for slope in self.slopes])
        if not np.isfinite(moved_in).all() or not np.isfinite(moved_out).all():
            return [None] * len(known)
        expected = moved_in @ np.array([x or 0.0 for x in known])
        if all(self.agree(a, b, self.tolerance) for a, b in zip(expected, moved_out, strict=True)):
            return [None] * len(known)
        fitted = np.linalg.lstsq(moved_in, moved_out, rcond=None)[0]
        return [float(x) for x in fitted]
