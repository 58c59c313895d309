"""Training in native code: batches and the optimiser's rule in turns, both compiled.

The rule of an optimiser is a scalar function (parameter, gradient, state -> parameter, state).
Compiled, it runs over all parameters as over the samples of a batch.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ..value import Value, compiled
from .backends import native
from .compiled import Compiled
from .inputs import Batch
from .passes import optimise
from .program import lower
from .tracing import TraceError, trace

Array = Any


class NativeTraining:
    """A model, a loss of one sample and an optimiser, ready to run.

    Between calls of `run` the parameters and the optimiser's state live in the optimiser, as in
    eager mode; during one they live here.
    """

    def __init__(self, loss: Callable[..., Any], optimizer: Any, X: Any, y: Any) -> None:
        self.optimizer = optimizer
        self.batch = Batch((X, y))
        self.rows = self.batch.rows()
        step = Compiled(loss, optimizer.params, backend="native")
        ((variant, _),) = step.partition(self.batch)
        if variant.trace.expected:
            raise TraceError("a model with branches on Values cannot be trained natively")
        self.variant = variant
        self.rule = compile_rule(optimizer)

    def run(self, order: Array | None, batch_size: int, rates: Array, seconds: float) -> Outcome:
        """Steps with these learning rates, one for each, until the time is over.

        `order` names the samples of all epochs, one after another; None takes all in each batch.
        """
        optimizer, count = self.optimizer, len(self.optimizer.params)
        steps = len(rates)
        numbers = np.zeros((2 + optimizer.state_size, count))
        numbers[0] = [p.data for p in optimizer.params]
        numbers[2:] = np.array(optimizer.state).reshape(count, optimizer.state_size).T
        settings = np.column_stack([rates, optimizer.steps + np.arange(1.0, steps + 1)])
        losses = np.empty(steps)
        machine = self.variant.machine(batch_size, ())
        done, finite = compiled.train_machine(
            machine.capsule,
            self.rule.capsule,
            os.environ.get("CHAINRULE_SIMD") or None,
            self.batch.samples,
            self.rows,
            np.zeros(0, np.int32) if order is None else np.ascontiguousarray(order, dtype=np.int32),
            batch_size,
            numbers,
            np.ascontiguousarray(settings, dtype=float),
            0,
            seconds,
            losses,
            native.thread_count(),
        )
        for p, x, grad in zip(optimizer.params, numbers[0].tolist(), numbers[1].tolist(), strict=True):
            p.data, p.grad = x, grad
        optimizer.state = list(map(tuple, numbers[2:].T.tolist()))
        optimizer.steps += done
        return Outcome(done, finite, losses[:done])


class Outcome:
    """How many steps were done, whether all was finite, and the loss of each."""

    def __init__(self, done: int, finite: bool, losses: Array) -> None:
        self.done, self.finite, self.losses = done, finite, losses


def compile_rule(optimizer: Any) -> native.Machine:
    """The rule as a program: parameters are the samples; learning rate and time its parameters."""
    rate, time = Value(optimizer.lr), Value(1.0)

    def rule(p: Value, g: Value, *state: Value) -> list[Any]:
        settings = {**optimizer.hyperparameters, "lr": rate}
        number, new = optimizer.rule(p, g, state, time, **settings)
        return [number, *new]

    sample = [0.5] * (2 + optimizer.state_size)
    traced = trace(rule, sample, [rate, time], known=True)
    if traced.expected:
        raise TraceError("an optimiser's rule must branch with where(...), not with `if`")
    return native.Machine(lower(optimise(traced.graph), 2, len(sample)))
