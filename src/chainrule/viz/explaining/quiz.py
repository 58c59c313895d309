"""`quiz`: "what is this gradient?", with the worked answer of `explain`."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass

from ...inspect.expressions import ExpressionError, parse
from ...inspect.notation import Text, call
from ...value import Value
from .ledger import explain

ENOUGH = 5e-3  # relative tolerance: two digits are enough


@dataclass(frozen=True)
class Question:
    """A question, its answer, the tolerance, and the worked solution."""

    question: str
    answer: float
    tolerance: float
    worked: str

    def accepts(self, answer: float) -> bool:
        """Whether an answer is close enough."""
        # The typed number is rounded, and so is the answer.
        return abs(answer - self.answer) <= self.tolerance + 1e-12 * max(1.0, abs(self.answer))


def quiz(expression: str, values: Mapping[str, float], wrt: str) -> Question:
    """Ask for the gradient of an expression with respect to one of its variables.

    >>> quiz("tanh(a*b + a**2)", {"a": 2.0, "b": -3.0}, wrt="a").question
    'y = tanh(a·b + a²) with a = 2, b = -3. What is dy/da?'
    """
    parsed = parse(expression)
    if wrt not in parsed.names:
        raise ExpressionError(
            f"{wrt!r} is not a variable of {parsed.text}, which has {', '.join(parsed.names)}"
        )
    leaves = {name: Value(values[name], label=name) for name in parsed.names if name in values}
    result = parsed(leaves)
    if result.is_leaf:  # a bare name, which has its own label
        result = +result
    result.label = next(name for name in ("y", "out", "result") if name not in leaves)
    ledger = explain(result, wrt=leaves[wrt])
    if not math.isfinite(ledger.gradient):
        raise ValueError(f"the gradient with respect to {wrt} is {ledger.gradient}: choose other values")
    write = Text(repr_of)
    given = ", ".join(f"{name} = {repr_of(leaf.data)}" for name, leaf in leaves.items())
    asked = write(call("∂", [ast.Name(result.label), ast.Name(wrt)]))
    question = f"{result.label} = {write(parsed.tree)} with {given}. What is {asked}?"
    tolerance = ENOUGH * abs(ledger.gradient) or ENOUGH
    return Question(question, ledger.gradient, tolerance, ledger.text)


def repr_of(x: float) -> str:
    """A number with all digits, because the answer depends on them."""
    return repr(x).removesuffix(".0")
