"""How fast does the tiny GPT learn? Compiled, beside the same program on a plain Value in CPython.

Both run the source of examples/tiny_gpt.py, a name a step, with Adam. The plain Value is the
hundred-line one of the tutorials: a closure for each operation, a loop for the order.
"""

from __future__ import annotations

import importlib.util
import math
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import measure
import numpy as np
from measure import Contestant, Race, Table, Work, sized

from chainrule import optim
from chainrule.compiler import compile
from chainrule.compiler.training import Trainer

EXAMPLE = Path(__file__).parents[1] / "examples" / "tiny_gpt.py"
NAMES = sized(16, 2)  # of several lengths; both sides learn all of them, again and again
ROUNDS = sized(50, 5)  # of ours, to one of the peer
CHECKED = 3
RATE, BETAS, EPSILON = 0.02, (0.9, 0.999), 1e-8


def example() -> Any:
    spec = importlib.util.spec_from_file_location("tiny_gpt", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def flat(parameters: dict[str, list[list[Any]]]) -> list[Any]:
    return [p for rows in parameters.values() for row in rows for p in row]


def documents(gpt: Any, count: int) -> list[list[int]]:
    rng = random.Random(0)
    names = [gpt.encode(gpt.make_name(rng)) for _ in range(NAMES)]
    return [names[i % NAMES] for i in range(count)]


# --- the plain Value -----------------------------------------------------------------------------


class Plain:
    """A number, its gradient, and a closure that passes the gradient on."""

    def __init__(self, data: float, inputs: tuple[Plain, ...] = ()) -> None:
        self.data, self.grad = data, 0.0
        self.inputs = inputs
        self.pass_on: Callable[[], None] = lambda: None

    def __add__(self, other: Plain | float) -> Plain:
        other = other if isinstance(other, Plain) else Plain(other)
        out = Plain(self.data + other.data, (self, other))

        def pass_on() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out.pass_on = pass_on
        return out

    def __mul__(self, other: Plain | float) -> Plain:
        other = other if isinstance(other, Plain) else Plain(other)
        out = Plain(self.data * other.data, (self, other))

        def pass_on() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.pass_on = pass_on
        return out

    def unary(self, data: float, slope: float) -> Plain:
        out = Plain(data, (self,))

        def pass_on() -> None:
            self.grad += slope * out.grad

        out.pass_on = pass_on
        return out

    def __pow__(self, power: float) -> Plain:
        return self.unary(self.data**power, power * self.data ** (power - 1))

    def exp(self) -> Plain:
        result = math.exp(self.data)
        return self.unary(result, result)

    def log(self) -> Plain:
        return self.unary(math.log(self.data), 1.0 / self.data)

    def relu(self) -> Plain:
        return self.unary(max(0.0, self.data), float(self.data > 0.0))

    def __neg__(self) -> Plain:
        return self * -1.0

    def __sub__(self, other: Plain | float) -> Plain:
        return self + -other

    def __truediv__(self, other: Plain | float) -> Plain:
        return self * other**-1.0

    __radd__, __rmul__ = __add__, __mul__

    def backward(self) -> None:
        order: list[Plain] = []
        seen: set[Plain] = set()
        stack = [(self, False)]
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack += [(each, False) for each in node.inputs]
        self.grad = 1.0
        for node in reversed(order):
            node.pass_on()


def dot(xs: Sequence[Plain], ys: Sequence[Plain]) -> Plain:
    return sum((x * y for x, y in zip(xs, ys, strict=True)), Plain(0.0))


def powers(xs: Sequence[Plain]) -> tuple[float, list[Plain], Plain]:
    """The largest x, exp(x - largest) for each, and their sum."""
    largest = max(x.data for x in xs)
    each = [(x - largest).exp() for x in xs]
    return largest, each, sum(each, Plain(0.0))


def softmax(xs: Sequence[Plain]) -> list[Plain]:
    _, each, total = powers(xs)
    return [x / total for x in each]


def logsumexp(xs: Sequence[Plain]) -> Plain:
    largest, _, total = powers(xs)
    return total.log() + largest


def plain_example() -> Any:
    """The example with this arithmetic under it."""
    module: ModuleType = example()
    vars(module).update(
        Value=Plain,
        dot=dot,
        softmax=softmax,
        logsumexp=logsumexp,
        relu=Plain.relu,
        sqrt=lambda x: x**0.5,
        take=lambda table, index: table[index],
    )
    return module


def adam(parameters: list[Plain], means: list[float], squares: list[float], step: int) -> None:
    """One step, written out."""
    beta1, beta2 = BETAS
    for i, p in enumerate(parameters):
        means[i] = beta1 * means[i] + (1.0 - beta1) * p.grad
        squares[i] = beta2 * squares[i] + (1.0 - beta2) * p.grad * p.grad
        mean, square = means[i] / (1.0 - beta1**step), squares[i] / (1.0 - beta2**step)
        p.data -= RATE * mean / (math.sqrt(square) + EPSILON)
        p.grad = 0.0


# --- contestants ---------------------------------------------------------------------------------


def plain_steps(count: int) -> Work:
    gpt = plain_example()
    parameters = gpt.make_parameters()
    numbers = flat(parameters)
    means, squares = [0.0] * len(numbers), [0.0] * len(numbers)
    names, done = documents(gpt, count), 0

    def train() -> Any:
        nonlocal done
        for tokens in names:
            done += 1
            gpt.loss(parameters, tokens).backward()
            adam(numbers, means, squares, done)
        return [p.data for p in numbers]

    return train


def chainrule_steps(count: int) -> Work:
    gpt = example()
    parameters = gpt.make_parameters()
    numbers = flat(parameters)
    step = compile(lambda tokens: gpt.loss(parameters, tokens), numbers)
    trainer = Trainer(step, optim.Adam(numbers, lr=RATE, betas=BETAS, eps=EPSILON))
    batches = [np.array([tokens]) for tokens in documents(gpt, count)]

    def train() -> Any:
        for batch in batches:
            trainer.step(batch)
        trainer.pull()
        return [p.data for p in numbers]

    return train


def tables() -> Iterator[Table]:
    contestants = [
        Contestant("chainrule, compiled", chainrule_steps, NAMES * ROUNDS),
        Contestant("plain Value, CPython (stretch: 1,000)", plain_steps, NAMES, 500.0, False),
    ]
    yield Race("tiny GPT, one name, with Adam", contestants, checked=CHECKED).table()


if __name__ == "__main__":
    sys.exit(measure.main(tables))
