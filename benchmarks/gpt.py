"""How fast does the tiny GPT train? Compiled, compared with JAX and a plain Value in CPython.

Our compiled version and the plain Value run the source of examples/tiny_gpt.py, one name per step,
with Adam. The plain Value is the hundred-line class from the tutorials: a closure per operation, and a
loop for the topological order. JAX runs the same network written for arrays, with a `scan` over the
names in one jitted call.
"""

from __future__ import annotations

import gc
import importlib.util
import math
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import measure
import numpy as np
from measure import CLOSE, Table, Work, sized
from programs import matrix_product, sum_of_products
from race import OURS, Contestant, Race

from chainrule import optim
from chainrule.compiler import compile
from chainrule.compiler.training import Trainer

PEERS = ("jax",)

EXAMPLE = Path(__file__).parents[1] / "examples" / "tiny_gpt.py"
NAMES = sized(16, 2)  # of several lengths; both sides cycle through all of them
ROUNDS = sized(50, 5)  # rounds of ours and of JAX per round of the plain Value
CHECKED = sized(3, 1)
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
    """The largest x, exp(x - largest) for each x, and their sum."""
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
    """The example, running on the plain Value."""
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
    """One Adam step, written out."""
    beta1, beta2 = BETAS
    for i, p in enumerate(parameters):
        means[i] = beta1 * means[i] + (1.0 - beta1) * p.grad
        squares[i] = beta2 * squares[i] + (1.0 - beta2) * p.grad * p.grad
        mean, square = means[i] / (1.0 - beta1**step), squares[i] / (1.0 - beta2**step)
        p.data -= RATE * mean / (math.sqrt(square) + EPSILON)
        p.grad = 0.0


# --- contestants ---------------------------------------------------------------------------------


def plain_steps(collect: bool, count: int) -> Work:
    if not collect:
        gc.disable()
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


def chainrule_steps(dtype: str, count: int) -> Work:
    gpt = example()
    parameters = gpt.make_parameters()
    numbers = flat(parameters)
    step = compile(lambda tokens: gpt.loss(parameters, tokens), numbers, dtype=dtype)
    trainer = Trainer(step, optim.Adam(numbers, lr=RATE, betas=BETAS, eps=EPSILON))
    batches = [np.array([tokens]) for tokens in documents(gpt, count)]

    def train() -> Any:
        for batch in batches:
            trainer.step(batch)
        trainer.write_back()
        return [p.data for p in numbers]

    return train


# --- JAX -----------------------------------------------------------------------------------------


def jax_loss(linear: Callable[[Any, Any], Any], gpt: Any, parameters: Any, name: Any) -> Any:
    """The loss of a name padded to a common length; padding does not count."""
    import jax
    import jax.numpy as jnp

    def normed(x: Any) -> Any:
        return x / jnp.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5)

    def by_head(x: Any) -> Any:
        return x.reshape(len(x), gpt.HEADS, -1).swapaxes(0, 1)

    tokens, length = name
    given, targets = tokens[:-1], tokens[1:]
    places = jnp.arange(len(given))
    x = normed(parameters["token"][given] + parameters["position"][places])
    queries, keys, values = (by_head(linear(x, parameters[k])) for k in ("query", "key", "value"))
    fits = (queries[:, :, None, :] * keys[:, None]).sum(-1) / math.sqrt(queries.shape[2])
    weights = jax.nn.softmax(jnp.where(places <= places[:, None], fits, -jnp.inf))
    seen = (weights[..., None] * values[:, None]).sum(2).swapaxes(0, 1).reshape(x.shape)
    x = x + linear(seen, parameters["mix"])
    hidden = jax.nn.relu(linear(normed(x), parameters["widen"]))
    x = x + linear(hidden, parameters["narrow"])
    scores = linear(normed(x), parameters["output"])
    losses = jax.nn.logsumexp(scores, axis=1) - scores[places, targets]
    return jnp.where(places < length, losses, 0.0).sum() / length


def jax_adam(state: Any, gradients: Any) -> Any:
    import jax

    parameters, means, squares, step = state
    beta1, beta2 = BETAS
    step = step + 1
    means = jax.tree.map(lambda m, g: beta1 * m + (1.0 - beta1) * g, means, gradients)
    squares = jax.tree.map(lambda s, g: beta2 * s + (1.0 - beta2) * g * g, squares, gradients)

    def moved(p: Any, mean: Any, square: Any) -> Any:
        mean, square = mean / (1.0 - beta1**step), square / (1.0 - beta2**step)
        return p - RATE * mean / (jax.numpy.sqrt(square) + EPSILON)

    return jax.tree.map(moved, parameters, means, squares), means, squares, step


def padded(names: list[list[int]]) -> tuple[Any, Any]:
    """One row of tokens per name, and how many of them to predict."""
    longest = max(map(len, names))
    rows = [[*name, *[0] * (longest - len(name))] for name in names]
    return np.array(rows), np.array([len(name) - 1 for name in names])


def jax_steps(linear: Callable[[Any, Any], Any], unroll: int, dtype: str, count: int) -> Work:
    import jax
    import jax.numpy as jnp

    gpt = example()
    matrices = gpt.make_parameters()
    parameters = {
        key: jnp.array([[p.data for p in row] for row in rows], dtype) for key, rows in matrices.items()
    }
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    state = parameters, zeros, zeros, jnp.zeros((), dtype)
    tokens, lengths = padded(documents(gpt, count))
    names = jnp.array(tokens), jnp.array(lengths, dtype)
    loss = partial(jax_loss, linear, gpt)

    def learn(state: Any, name: Any) -> Any:
        return jax_adam(state, jax.grad(loss)(state[0], name)), None

    run = jax.jit(lambda state, names: jax.lax.scan(learn, state, names, unroll=unroll)[0])

    def train() -> Any:
        nonlocal state
        state = run(state, names)
        return np.concatenate([np.asarray(state[0][key]).ravel() for key in matrices])

    return train


# --- the races -----------------------------------------------------------------------------------


def race(dtype: str, tolerance: float, plain: bool) -> Race:
    def spelled(text: str, linear: Callable[[Any, Any], Any], unroll: int) -> Contestant:
        start = partial(jax_steps, linear, unroll, dtype)
        return Contestant("JAX", text, start, NAMES * ROUNDS, modules=["jax"], slow=unroll > 1)

    contestants = [
        Contestant(OURS, "compiled", partial(chainrule_steps, dtype), NAMES * ROUNDS),
        spelled("scan over names, @", matrix_product, 1),
        spelled("scan over names, sums of products", sum_of_products, 1),
        spelled("scan over names with unroll=2, @", matrix_product, 2),
    ]
    if plain:
        contestants += [
            Contestant(
                "plain Value",
                f"CPython, collector {'on' if collect else 'off'}",
                partial(plain_steps, collect),
                NAMES,
                compiles=False,
            )
            for collect in (True, False)
        ]
    return Race(
        f"tiny GPT, one name, with Adam, {dtype}",
        contestants,
        checked=CHECKED,
        targets={"plain Value": 500.0} if plain else {},  # the stretch goal is 1,000
        tolerance=tolerance,
        advice=f"For a tiny GPT trained in a single JAX loop over the names, in {dtype}",
    )


def tables() -> Iterator[Table]:
    yield race("float64", CLOSE, plain=True).table()
    yield race("float32", 1e-4, plain=False).table()


if __name__ == "__main__":
    sys.exit(measure.main(tables, PEERS))
