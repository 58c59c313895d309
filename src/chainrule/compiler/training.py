"""Training in native code: batches and the optimiser's rule in turns, both compiled.

The rule of an optimiser is a scalar function (parameter, gradient, state -> parameter, state).
Compiled, it runs over all parameters as over the samples of a batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np

from ..errors import StaleValueError
from ..value import Value, compiled
from .backends import native
from .compiled import Compiled
from .graph import CompileError
from .inputs import Batch
from .pipeline import pipeline
from .tracing import Trace, TraceError, trace

Array = Any
NOTHING = np.zeros(0, np.int32)
PATIENCE = 0.05  # seconds without a look at whether somebody pressed Ctrl-C


class Trainer:
    """Trains with a compiled loss and an optimiser. Inside `with`, the parameters live here:

    >>> with Trainer(step, optimizer) as trainer:
    ...     for X, y in batches:
    ...         loss = trainer.step(X, y)

    `pull()` writes parameters, gradients and the optimiser's state back to where they came from,
    and so does the end of the block; `push()` takes them from there again.
    """

    def __init__(self, step: Compiled, optimizer: Any) -> None:
        if (
            not isinstance(step, Compiled)
            or isinstance(optimizer, type)
            or not hasattr(optimizer, "rule")
        ):
            raise TypeError(
                f"Trainer(step, optimizer) needs a compiled loss, compile(...), and an optimizer, "
                f"optim.Adam(model.parameters()), got {_kind(step)} and {_kind(optimizer)}"
            )
        if step.reduction != "mean":
            raise ValueError(f"training needs reduction='mean', this function has {step.reduction!r}")
        if optimizer.has_own_step:
            raise CompileError(
                f"{type(optimizer).__name__} has a step() of its own, which native code would not call: "
                f"write a rule()"
            )
        if step.named is None:
            step.retrace()
            step.params, step.named = list(optimizer.params), len(optimizer.params)
        if [*map(id, step.params[: step.named])] != [*map(id, optimizer.params)]:
            raise ValueError("the function must be compiled for the parameters of the optimizer")
        self.compiled, self.optimizer = step, optimizer
        if step.machine is not native.Machine:
            raise ValueError("training in native code needs backend='native'")
        self.check_params()
        self.settings: Any = None
        self.push()

    def push(self) -> None:
        """Take the parameters and the optimiser's state from where they are in eager mode."""
        optimizer, count = self.optimizer, len(self.optimizer.params)
        settings = {**optimizer.hyperparameters, "lr": None}
        if settings != self.settings:  # all but the learning rate are part of the compiled rule
            self.rule, self.settings = compile_rule(optimizer), settings
        self.numbers = np.zeros((2 + optimizer.state_size, count))  # as training.c has them
        self.gradients, self.params, self.states = self.numbers[0], self.numbers[1], self.numbers[2:]
        self.params[:] = self.pushed = self.compiled.numbers()
        self.states[:] = np.array(optimizer.state).reshape(count, optimizer.state_size).T

    def pull(self) -> None:
        """Write parameters, gradients and the optimiser's state back."""
        optimizer = self.optimizer
        if not np.array_equal(self.compiled.numbers(), self.pushed, equal_nan=True):
            raise StaleValueError(
                "a parameter was changed while it was trained natively: change it before push() or "
                "after pull()"
            )
        self.pushed = self.params.copy()
        numbers = self.params.tolist(), self.gradients.tolist()
        for p, x, grad in zip(optimizer.params, *numbers, strict=True):
            p.data, p.grad = x, grad
        optimizer.state = list(map(tuple, self.states.T.tolist()))

    def __enter__(self) -> Trainer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.pull()

    def step(self, *batch: Any) -> float:
        """One step on a batch; the mean of its losses before the step.

        If that or a gradient is not finite, no parameter changes.
        """
        return float(self.run(Batch(batch, self.compiled.axes), np.array([self.optimizer.lr])).losses[0])

    def run(
        self,
        data: Batch,
        rates: Array,
        order: Array | None = None,
        size: int | None = None,
        groups: Array | None = None,
        interrupted: Callable[[], bool] = bool,
        first: int = 0,
    ) -> Outcome:
        """Steps with these learning rates, one for each, in batches of a size.

        `order` names the samples of all epochs, one after another; None takes all in each batch.
        `groups` gives each parameter a number, for the norms of gradients at the end of an epoch.
        Every now and then `interrupted` is asked whether to stop. The steps before `first` were made
        already: so training goes on in the middle of an epoch.
        """
        steps, size = len(rates), size or data.samples
        before = self.optimizer.steps - first
        made = np.array([first], dtype=np.int64)
        settings = np.column_stack([rates, before + np.arange(1.0, steps + 1)])
        losses = np.empty(steps)
        epochs = steps // -(-data.samples // size)
        rows = data.rows()
        order, groups = (NOTHING if each is None else each.astype(np.int32) for each in (order, groups))
        norms = np.empty((epochs, int(groups.max(initial=-1)) + 1))
        finite = True
        while made[0] < steps and finite and not (made[0] > first and interrupted()):
            try:
                finite = compiled.train_machine(
                    self.machine(data, size).capsule,
                    self.rule.capsule,
                    data.samples,
                    rows,
                    order,
                    size,
                    self.numbers,
                    settings,
                    made,
                    PATIENCE,
                    losses,
                    groups,
                    norms,
                    native.thread_count(),
                    self.compiled.dtype == np.float32,
                )
            finally:  # the steps before one that fails have moved the parameters
                self.optimizer.steps = before + int(made[0])
        return Outcome(losses[first : made[0] + (not finite)], norms, finite)

    def machine(self, data: Batch, size: int) -> Any:
        variants = self.compiled.variants_for(data)
        if len(variants) > 1 or variants[0].trace.expected:
            raise TraceError(
                "a function that branches on Values cannot be trained natively: write the branch as "
                "where(a < b, x, y)"
            )
        self.check_params()
        return variants[0].machine(size, ())

    def check_params(self) -> None:
        if len(self.compiled.params) > len(self.optimizer.params):
            raise CompileError(
                "the function depends on Values that are not parameters of the optimizer, and native "
                "code would not see them change: train in eager mode, or give them to the optimizer"
            )


@dataclass
class Outcome:
    """The loss of each step; if not all was finite, the last is of a step that changed nothing."""

    losses: Array
    norms: Array  # of gradients, for each epoch and group
    finite: bool


def _kind(thing: Any) -> str:
    return f"the class {thing.__name__}" if isinstance(thing, type) else type(thing).__name__


def traced_rule(optimizer: Any) -> Trace:
    """The rule of an optimiser as a graph: learning rate and time are its parameters."""
    rate, time = Value(optimizer.lr), Value(1.0)

    def rule(p: Value, g: Value, *state: Value) -> list[Any]:
        settings = {**optimizer.hyperparameters, "lr": rate}
        number, new = optimizer.rule(p, g, state, time, **settings)
        return [number, *new]

    settings = [rate, time]
    traced = trace(rule, [0.5] * (2 + optimizer.state_size), settings)
    if len(settings) > 2:
        raise CompileError("an optimiser's rule must not use Values but those it is given")
    if traced.expected:
        raise TraceError("an optimiser's rule must branch with where(...), not with `if`")
    return traced


def compile_rule(optimizer: Any) -> native.Machine:
    """The rule as a program whose samples are the parameters."""
    source = traced_rule(optimizer).source
    machine: native.Machine = pipeline(source, native.Machine).machine(2, 2 + optimizer.state_size)
    return machine
