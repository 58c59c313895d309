"""Random programs with loops: eager mode, interpreter and NumPy agree.

    python -m tests.unit.compiler.loops.programs COUNT SEED

A program carries a few numbers through a Python `for`, reads tables of inputs and constants in strides,
backwards or one step late, branches with `where`, keeps lists, and has inner loops. The interpreter runs
it as loops (chainrule.compiler.loops). kernels/random_kernels.py compares kernels.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import chainrule as cr
from chainrule.compiler.pipeline import RolledPipeline
from chainrule.value import c_core
from tests.near import near

UNARY: list[Callable[[Any], Any]] = [
    cr.tanh, cr.sin, cr.cos, cr.sigmoid, cr.softplus, abs, cr.relu,
    lambda x: cr.exp(0.3 * cr.tanh(x)), lambda x: cr.log(1.5 + x * x), lambda x: cr.sqrt(1.0 + x * x),
    lambda x: x**2 / (1.0 + x * x), lambda x: -x,
]  # fmt: skip
BINARY: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * cr.tanh(y), lambda x, y: x / (1.0 + y * y),
    lambda x, y: cr.where(x < y, x, 0.5 * y), cr.maximum, cr.minimum, cr.hypot, cr.atan2,
    lambda x, y: cr.where(y > 0.0, cr.sqrt(cr.where(y > 0.0, y, 1.0)) * x, x), cr.logaddexp,
]  # fmt: skip


def decay(x: Any, rates: Any) -> Any:
    """Carries two numbers, and adds up a third."""
    y, total = x, 0.0
    for rate in rates:
        x, y = x + 0.1 * y, y - rate * cr.tanh(x)
        total = total + x * x
    return total


class Program:
    """A random function of parameters and a series, and what to call it with."""

    def __init__(self, seed: int) -> None:
        self.choice = random.Random(seed)
        choose = self.choice
        self.steps = choose.randint(5, 40)
        self.carried = choose.randint(1, 3)
        self.params = choose.randint(1, 3)
        self.lag = choose.choice((0, 0, 1, 2))
        self.order = choose.choice(("along", "along", "backwards", "by two"))
        self.inner = choose.choice((0, 0, 0, 2, 4))
        self.late = choose.choice((0, 0, 1, 3))  # first steps that differ
        self.result = choose.choice(("last", "sum", "mean", "both", "logsumexp", "max"))
        self.table = [round(choose.uniform(-1, 1), choose.choice((1, 6))) for _ in range(self.steps)]
        self.body = [self.operation() for _ in range(choose.randint(3, 12))]
        numbers = np.random.default_rng(seed)
        self.theta = numbers.normal(size=self.params)
        self.series = numbers.normal(size=2 * self.steps)

    def operation(self) -> tuple[Callable[..., Any], list[tuple[str, int]]]:
        """An operation and where its arguments come from."""
        choose = self.choice
        function = choose.choice(UNARY + BINARY)
        count = 1 if function in UNARY else 2
        places = ["carried", "carried", "local", "local", "input", "param", "constant", "table", "late"]
        return function, [(choose.choice(places), choose.randrange(100)) for _ in range(count)]

    def __call__(self, theta: Any, series: Any) -> Any:
        state = [0.1 * (k + 1) for k in range(self.carried)]
        history, collected, total = [list(state)], [], 0.0
        for t in range(self.steps):
            x = {"along": series[t], "backwards": series[-1 - t], "by two": series[2 * t]}[self.order]
            local: list[Any] = [x]
            for _ in range(1 + self.inner):
                for function, places in self.body[: len(self.body) if not self.inner else 3]:
                    sources = {
                        "carried": state,
                        "local": local[::-1],
                        "input": [x],
                        "param": theta,
                        "constant": [0.25 * k - 0.6 for k in range(7)],
                        "table": [self.table[t]],
                        "late": history[max(0, t - self.lag)],
                    }
                    found = [sources[place] for place, _ in places]
                    local.append(
                        function(*(s[k % len(s)] for s, (_, k) in zip(found, places, strict=True)))
                    )
            if t < self.late:
                local[-1] = cr.sin(local[-1])
            state = [cr.tanh(local[-1 - k % len(local)] + 0.5 * state[k]) for k in range(self.carried)]
            history.append(list(state))
            collected.append(state[0] * x)
            total = total + state[-1] * state[-1]
        match self.result:
            case "last":
                return state[-1]
            case "sum":
                return total
            case "mean":
                return sum(collected) / len(collected)
            case "logsumexp":
                return cr.logsumexp(collected)
            case "max":
                return cr.max(collected)
        return total + state[0] * cr.tanh(sum(collected))


class UnlikeError(AssertionError):
    """Two ways to compute a program disagree; the text says which."""


def check(seed: int) -> bool:
    """Compare the ways to compute a program; whether it became a program with loops."""
    program = Program(seed)
    samples = program.choice.choice((1, 1, 2, 4, 7, 8, 9, 17, 257))
    batch = program.choice.choice(((None, 0), (0, None), (0, 0)))
    numbers = np.random.default_rng(seed + 1)
    arguments = [
        own if axis is None else own + 0.1 * numbers.normal(size=(samples, *own.shape))
        for own, axis in zip((program.theta, program.series), batch, strict=True)
    ]

    def run(backend: Any) -> tuple[list[Any], bool]:
        f = cr.compile(program, batch=batch, backend=backend, reduction="sum")
        value, grads = f.value_and_grad(*arguments, argnums=(0, 1))
        (variants,) = f.variants.values()
        return [value, *grads, f(*arguments)], isinstance(variants[0].pipeline, RolledPipeline)

    found, rolled = run("numpy" if c_core is None else "native")
    compare(f"seed {seed}, NumPy", run("numpy")[0], found)
    values, gradients = [], [np.zeros(np.shape(own)) for own in arguments]
    for k in range(samples):
        sample = [own if axis is None else own[k] for own, axis in zip(arguments, batch, strict=True)]
        value, grads = cr.value_and_grad(program, argnums=(0, 1))(*sample)
        values.append(value)
        for whole, part, axis in zip(gradients, grads, batch, strict=True):
            whole[... if axis is None else k] += part
    compare(f"seed {seed}, compiled", found, [sum(values), *gradients, values])
    return rolled


def compare(what: str, got: list[Any], want: list[Any]) -> None:
    for name, ours, theirs in zip(("value", "theta", "series", "values"), got, want, strict=True):
        scale = float(np.max(np.abs(theirs)) + 1e-3 * np.sum(np.abs(want[0])))
        close = near(np.asarray(theirs), rel=1e-8, abs=1e-9 * scale + 1e-20, nan_ok=True)
        if np.asarray(ours) != close:
            raise UnlikeError(f"{what}: {name}: {close!r}")


def main(count: int, seed: int) -> None:
    rolled = sum(check(k) for k in range(seed, seed + count))
    print(f"{count} programs agree, {rolled} of them with loops")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
