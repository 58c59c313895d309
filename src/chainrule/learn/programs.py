"""Random programs on a learner's Value, compared with the reference engine.

A program is a few lines such as `c = a * b; d = c + c`, in which a result may be reused, as in a real
graph. A failing program is shrunk by removing lines as long as it still fails.
"""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from string import ascii_lowercase as NAMES
from typing import Any

from ..engine import Value as Reference
from .checking import Make, Work, number, numeric

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
LARGE = 1e6  # larger results are not compared
CHAIN = "the chain rule: the local slope times the gradient of the result"
ADDED = "the gradients from all paths are added up"


@dataclass(frozen=True)
class Program:
    """Lines of one operation each; a line refers to its arguments by number, leaves first."""

    leaves: int
    lines: tuple[tuple[str, tuple[int, ...]], ...]

    def __call__(self, leaves: Sequence[Any]) -> list[Any]:
        """All values, leaves first; the last is the result."""
        values = list(leaves)
        for op, which in self.lines:
            values.append(_apply(op, [values[i] for i in which]))
        return values

    def __repr__(self) -> str:
        return "; ".join(
            f"{NAMES[self.leaves + i]} = {_written(op, [NAMES[k] for k in which])}"
            for i, (op, which) in enumerate(self.lines)
        )

    @property
    def inputs(self) -> list[tuple[int, ...]]:
        """The arguments of each value, by number; leaves have none."""
        return [()] * self.leaves + [which for _, which in self.lines]

    def reached(self) -> set[int]:
        """The numbers of the result and of all values it depends on."""
        found = {len(self.inputs) - 1}
        for i in reversed(range(len(self.inputs))):
            if i in found:
                found.update(self.inputs[i])
        return found

    def simpler(self) -> Iterator[Program]:
        """Programs without one line: the line's first argument replaces its result."""
        for i in range(len(self.lines) if len(self.lines) > 1 else 0):
            gone, instead = self.leaves + i, self.lines[i][1][0]

            def renumbered(k: int, gone: int = gone, instead: int = instead) -> int:
                return instead if k == gone else k - (k > gone)

            rest = [*self.lines[:i], *self.lines[i + 1 :]]
            yield Program(
                self.leaves, tuple((op, tuple(renumbered(k) for k in which)) for op, which in rest)
            )


def program(*operators: str, leaves: int = 2, longest: int = 6) -> Make:
    """Random programs of `+ - * /`, of powers such as `**2`, and of methods such as `tanh`."""

    def make(rng: random.Random) -> Program:
        lines = []
        for i in range(rng.randint(1, longest)):
            op = rng.choice(operators)
            count = 2 if op in BINARY else 1
            last = leaves + i - 1
            # Each line usually uses the one before it, so that few results are unused.
            which = [last if i and rng.random() < 0.7 else rng.randint(0, last)]
            which += [rng.randint(0, last) for _ in range(count - 1)]
            rng.shuffle(which)
            lines.append((op, tuple(which)))
        return Program(leaves, tuple(lines))

    return make


def run(work: Work, Value: type, program: Program, numbers: Sequence[float]) -> list[Any]:
    """All values of a program on a learner's Value, computed in one request."""
    found = work.there(computed)(Value, program.leaves, program.lines, list(numbers))
    return list(work.kind("the values of a program", found, list))


def computed(
    Value: type, leaves: int, lines: Sequence[tuple[str, tuple[int, ...]]], numbers: Sequence[float]
) -> list[Any]:
    return Program(leaves, tuple(lines))([Value(x) for x in numbers])


def numbers_of(values: Sequence[Any], Value: Any) -> list[Any]:
    """The data of each Value; None for the first item that is not a Value, and nothing after it."""
    found: list[Any] = []
    for each in values:
        found.append(each.data if isinstance(each, Value) else None)
        if found[-1] is None:
            break
    return found


def gradients_of(values: Sequence[Any]) -> list[Any]:
    return [each.grad for each in values]


def compare(work: Work, Value: type, program: Program, numbers: Sequence[float], rule: str = "") -> None:
    """Assert that a learner's Value gives the reference's results and, after `backward`, gradients."""
    theirs = program([Reference(x) for x in numbers])
    theirs[-1].backward()
    if not all(abs(v.data) < LARGE and abs(v.grad) < LARGE for v in theirs):
        return  # rounding dominates, or a function is undefined
    mine = run(work, Value, program, numbers)
    data = work.there(numbers_of)(mine, Value)
    for name, a, x, b in zip(NAMES, mine, data, theirs, strict=False):
        if x is None:
            work.kind(name, a, Value)
        work.equal(f"{name}.data", x, b.data)
    mine[-1].backward()
    compare_gradients(work, mine, theirs, rule)


def compare_gradients(work: Work, mine: Sequence[Any], theirs: Sequence[Any], rule: str = "") -> None:
    """Assert that all gradients equal those of the reference and are floats."""
    result = NAMES[len(theirs) - 1]
    gradients = work.there(gradients_of)(mine)
    for name, a, b in zip(NAMES, gradients, theirs, strict=False):
        work.equal(
            f"{name}.grad, the derivative of {result} with respect to {name}",
            a,
            float(b.grad),
            rule or ADDED,
        )


def reason(leaf: Any, result: Any, rule: str) -> str:
    """Why a leaf's gradient is wrong: the reason why it got none, if that is known, else the rule."""
    inputs: Any = getattr(result, "inputs", None)
    if leaf.grad != 0 or not hasattr(inputs, "__len__"):
        return rule
    if not len(inputs):
        return "no gradient arrives: the result does not store its inputs"
    kept, empty = getattr(result, "_backward", None), getattr(leaf, "_backward", None)
    code = getattr(kept, "__code__", None)
    if code is not None and code is getattr(empty, "__code__", None):
        return "no gradient arrives: the inner function is not stored, out._backward = ..."
    return rule


def check_function(
    work: Work, Value: type, method: str, function: Callable[[float], float], make: Make, rule: str
) -> None:
    """Assert that a method of a learner's Value computes a function and its derivative."""

    def applied(a: Any) -> Any:
        return work.kind(f"a.{method}()", getattr(a, method)(), Value)

    @work.for_all(make)
    def alone(x: float) -> None:
        a = Value(x)
        b = applied(a)
        work.equal(f"b.data, with a = Value(x), b = a.{method}()", b.data, function(x))
        work.equal("a.data afterwards, which must not change", a.data, x)
        b.backward()
        (slope,) = numeric(function, x)
        what = f"a.grad after b.backward(), with a = Value(x), b = a.{method}()"
        work.equal(what, a.grad, slope, reason(a, b, rule), tolerance=1e-6)

    @work.for_all(make, number())
    def inside(x: float, y: float) -> None:
        a = Value(x)
        (applied(a) * y + applied(a)).backward()
        slope = (1 + y) * numeric(function, x)[0]
        what = f"a.grad after b.backward(), with a = Value(x), b = a.{method}() * y + a.{method}()"
        work.equal(what, a.grad, slope, f"{CHAIN}; {ADDED}", tolerance=1e-6)

    @work.for_all(program("+", "*", method, longest=4), make, number())
    def graphs(lines: Program, a: float, b: float) -> None:
        compare(work, Value, lines, [a, b])


def _apply(op: str, arguments: list[Any]) -> Any:
    if op in BINARY:
        return BINARY[op](*arguments)
    if op.startswith("**"):
        return arguments[0] ** _exponent(op)
    return getattr(arguments[0], op)()


def _exponent(op: str) -> float:
    number = float(op[2:])
    return int(number) if math.floor(number) == number else number


def _written(op: str, names: list[str]) -> str:
    if op in BINARY:
        return f"{names[0]} {op} {names[1]}"
    return f"{names[0]}{op}" if op.startswith("**") else f"{names[0]}.{op}()"
