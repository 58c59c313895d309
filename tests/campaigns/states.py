"""A state machine on both cores: takes random steps on a few Values, and compares everything that a user
can see after each.

    python -m tests.campaigns.states [--runs 10000] [--steps 100] [--seed 0]

A step builds, assigns, runs forward or backward, frees, copies, pickles, enters or leaves a mode, or
fails halfway. Each core runs in its own process and describes the state after each step; the
descriptions must be equal, to the last bit and the last word of an error. A failing run is minimised:
steps that are not needed to reproduce the difference are removed.
"""

import argparse
import copy
import gc
import json
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from tqdm import tqdm

import chainrule
from chainrule import Value, ops
from chainrule.value import modes

ROOT = Path(__file__).resolve().parents[2]
LIVE = 10  # Values at most; a step that makes another one replaces the oldest
LARGEST = 200  # nodes of a graph; gradients of gradients would grow without bound
NUMBERS = [0.5, -1.5, 2.0, 3, -0.0, 0.0, 1e-3, -700.0, 1e200, 5e-324, float("inf"), float("nan"), True]
WRONG = [None, "a", 1j, [1.0], b"", object]
MODES = [chainrule.no_grad, chainrule.enable_grad, chainrule.detect_anomaly]


class Own(Value):  # type: ignore[misc]
    """A subclass with attributes of its own."""


class PlannedError(Exception):
    """What a step raises on purpose."""


class Machine:
    """The state of one run: the living Values, oldest first, and the modes that are entered."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = random.Random(seed)
        self.values: list[Any] = [Value(0.5, label="a"), Value(-2.0, label="b")]
        self.entered: list[AbstractContextManager[Any]] = []

    def step(self, number: int) -> str:
        """Take a step, chosen by the seed and the step's number alone. Returns its outcome."""
        self.rng = random.Random(f"{self.seed} {number}")
        kind = self.rng.choice(KINDS)
        try:
            result = kind(self)
        except Exception as error:
            return f"{kind.__name__}: {type(error).__name__}: {error}"
        return f"{kind.__name__}: {result}"

    def end(self) -> None:
        while self.entered:
            self.entered.pop().__exit__(None, None, None)

    def state(self) -> str:
        """Everything that a user can see."""
        known = {id(v): i for i, v in enumerate(self.values)}
        lines = [f"recording {modes().recording}, anomaly {modes().anomaly}"]
        for v in self.values:
            inputs = [known.get(id(u), show(u)) for u in v.inputs]
            facts = v.op, v.label, v.is_leaf, v.is_constant, inputs, vars(v), type(v).__name__
            lines.append(f"{show(v)} grad {show(v.grad)} {facts}")
        return "\n".join(lines)

    # --- choosing --------------------------------------------------------------------------------

    def value(self) -> Any:
        return self.rng.choice(self.values)

    def number(self) -> Any:
        return self.rng.choice([*NUMBERS, self.rng.uniform(-2.0, 2.0), self.rng.uniform(-2.0, 2.0)])

    def operand(self) -> Any:
        return self.number() if self.rng.random() < 0.25 else self.value()

    def keep(self, made: Any) -> str:
        """Add it to the live Values, unless its graph is too large."""
        if not isinstance(made, Value):
            return repr(made)
        if size(made) <= LARGEST:
            self.values.append(made)
            del self.values[:-LIVE]
        return show(made)

    # --- steps -----------------------------------------------------------------------------------

    def leaf(self) -> str:
        return self.keep(self.rng.choice([Value, Value, Own])(self.number()))

    def hand_made(self) -> str:
        """An operation of the user's own, with a closure that may fail after half its work."""
        a, b = self.value(), self.value()
        out, fails = Value(a.data + 2.0 * b.data, (a, b), "mine"), self.rng.random() < 0.3

        def closure() -> None:
            a.grad = a.grad + out.grad
            if fails:
                raise PlannedError("in a closure")
            b.grad = b.grad + 2.0 * out.grad

        if self.rng.random() < 0.8:
            out._backward = closure
        return self.keep(out)

    def apply(self) -> str:
        op = self.rng.choice(ops.TABLE)
        if isinstance(op, ops.Variadic):
            groups = 2 if op.name == "dot" else 1
            count = self.rng.randint(1, 4)
            lists = [[self.operand() for _ in range(count)] for _ in range(groups)]
            return self.keep(getattr(chainrule, op.name)(*lists))
        return self.keep(op(*(self.operand() for _ in range(op.arity))))

    def arithmetic(self) -> str:
        a, b = self.value(), self.operand()
        if self.rng.random() < 0.5:
            a, b = b, a
        kind = self.rng.randrange(6)
        if kind == 5:
            a += b
            return self.keep(a)
        return self.keep(
            [lambda: a + b, lambda: a - b, lambda: a * b, lambda: a / b, lambda: a**b][kind]()
        )

    def compare(self) -> str:
        a, b = self.value(), self.operand()
        return f"{a < b} {a <= b} {a == b} {a != b} {bool(a > b)}"

    def choose(self) -> str:
        return self.keep(chainrule.where(self.value() < self.operand(), self.operand(), self.operand()))

    def set_data(self) -> str:
        self.value().data = self.rng.choice(WRONG) if self.rng.random() < 0.1 else self.number()
        return ""

    def set_grad(self) -> str:
        kind = self.rng.random()
        target = self.value()
        target.grad = self.rng.choice(WRONG) if kind < 0.1 else self.operand() if kind < 0.4 else 0.0
        return ""

    def set_label(self) -> str:
        self.value().label = self.rng.choice(["a", "b", "", "\u03b1", "x\ny", None, 3])
        return ""

    def set_attribute(self) -> str:
        self.value().note = self.number()
        return ""

    def forward(self) -> str:
        return show(self.value().forward())

    def backward(self) -> str:
        rng = self.rng
        options = {
            "retain_graph": rng.random() < 0.8,
            "create_graph": rng.random() < 0.2,
            "reset": rng.random() < 0.2,
        }
        gradient = self.operand() if rng.random() < 0.3 else 1.0
        self.value().backward(gradient, **options)
        return ""

    def one_backward(self) -> str:
        self.value()._backward()
        return ""

    def zero(self) -> str:
        self.value().zero_grad()
        return ""

    def detach(self) -> str:
        return self.keep(self.value().detach())

    def take_gradient(self) -> str:
        """Add a gradient that is itself a Value to the live Values."""
        return self.keep(self.value().grad)

    def forget(self) -> str:
        if len(self.values) > 2:
            del self.values[self.rng.randrange(len(self.values))]
        if self.rng.random() < 0.1:
            gc.collect()
        return ""

    def copy(self) -> str:
        """Copy one Value, or all of them together so that shared inputs stay shared."""
        way = self.rng.choice([copy.copy, copy.deepcopy, pickled])
        if self.rng.random() < 0.5:
            return self.keep(way(self.value()))
        self.values = list(way(self.values))
        return ""

    def enter(self) -> str:
        if len(self.entered) < 4:
            mode = self.rng.choice(MODES)()
            mode.__enter__()
            self.entered.append(mode)
        return ""

    def leave(self) -> str:
        if self.entered:
            self.entered.pop().__exit__(None, None, None)
        return ""

    def fail_in_a_mode(self) -> str:
        with self.rng.choice(MODES)():
            self.keep(self.value() * 2.0)
            raise PlannedError("in a mode")

    def derive(self) -> str:
        """Differentiate a function that closes over a live Value and may fail."""
        outer, at, fails = self.value(), self.operand(), self.rng.random() < 0.1

        def inner(x: Any) -> Any:
            if fails:
                raise PlannedError("in a function")
            return chainrule.tanh(x * outer) + x * x * self.rng.choice([1.0, outer])

        way: Any = self.rng.choice([chainrule.grad, chainrule.hessian, tangent])
        return self.keep(way(inner)(at))


def tangent(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: chainrule.jvp(function, [x], [1.0])[1]


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


KINDS = [
    *(Machine.apply, Machine.arithmetic) * 5,
    *(Machine.leaf, Machine.backward, Machine.set_data, Machine.forward, Machine.choose) * 2,
    *(Machine.hand_made, Machine.compare, Machine.set_grad, Machine.set_label, Machine.set_attribute),
    *(Machine.one_backward, Machine.zero, Machine.detach, Machine.take_gradient, Machine.forget),
    *(Machine.copy, Machine.enter, Machine.leave, Machine.leave, Machine.fail_in_a_mode, Machine.derive),
]


def show(thing: Any) -> str:
    """Describe an object: its number to the last bit, and its type or operation."""
    if isinstance(thing, Value):
        return f"{thing!r} {thing.data.hex()} {thing.op}"
    return thing.hex() if isinstance(thing, float) else repr(thing)


def size(value: Any) -> int:
    """How many nodes a graph has, gradients included; counting ends at `LARGEST`."""
    seen, rest = set(), [value]
    while rest and len(seen) <= LARGEST:
        v = rest.pop()
        if id(v) not in seen:
            seen.add(id(v))
            rest += v.inputs
            rest += [v.grad] if isinstance(v.grad, Value) else []
    return len(seen)


def play(seed: int, steps: Collection[int]) -> list[str]:
    """Make these steps; returns the outcome and the state after each."""
    machine = Machine(seed)
    try:
        return [f"{machine.step(number)}\n{machine.state()}" for number in steps]
    finally:
        machine.end()


# --- both cores ----------------------------------------------------------------------------------------


class Player:
    """A process on one core that answers requests. By default it plays runs; another module can define
    others.
    """

    def __init__(self, core: str, module: str = "tests.campaigns.states") -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, "--serve"],
            env={**os.environ, "CHAINRULE_CORE": core, "PYTHONHASHSEED": "0"},
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, *request: Any) -> None:
        assert self.process.stdin is not None
        print(json.dumps(request), file=self.process.stdin, flush=True)

    def answer(self) -> list[Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the process ended with exit code {self.process.wait()}")
        return list(json.loads(line))

    def close(self) -> None:
        self.process.communicate()


def difference(players: list[Player], seed: int, steps: Collection[int]) -> str:
    """Where the two cores differ; '' if they do not."""
    for player in players:
        player.ask(seed, list(steps))
    ours, theirs = (player.answer() for player in players)
    for number, a, b in zip(steps, ours, theirs, strict=True):
        if a != b:
            pairs = zip(a.splitlines(), b.splitlines(), strict=False)
            lines = [f"  C:      {x}\n  Python: {y}" for x, y in pairs if x != y]
            return "\n".join([f"seed {seed}, step {number} of {list(steps)}:", *lines])
    return ""


def shortened(players: list[Player], seed: int, steps: list[int]) -> str:
    """Remove the steps that are not needed for the difference. Returns its description."""
    found = difference(players, seed, steps)
    for number in list(steps):
        fewer = [n for n in steps if n != number]
        now = difference(players, seed, fewer)
        if now:
            found, steps = now, fewer
    return found


def main(runs: int, steps: int, seed: int) -> int:
    """Returns how many steps were compared; raises SystemExit if the cores differ."""
    players = [Player("c"), Player("python")]
    try:
        for each in tqdm(range(seed, seed + runs), unit=" runs", mininterval=10, disable=runs < 100):
            if difference(players, each, range(steps)):
                raise SystemExit(shortened(players, each, list(range(steps))))
    finally:
        for player in players:
            player.close()
    return runs * steps


def serve() -> None:
    """Answer each request, a line of JSON, with the descriptions of its run."""
    for line in sys.stdin:
        seed, steps = json.loads(line)
        print(json.dumps(play(seed, steps)), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve()
    else:
        print(f"{main(given.runs, given.steps, given.seed):,} steps, equal on both cores after each")
