"""Training in native code: alternates batches and the optimiser's rule, both compiled.

An optimiser's rule is a scalar function (parameter, gradient, state -> parameter, state). Compiled,
it treats the parameters as the samples of a batch.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..support.atomic.committing import assign, commit, commit_training
from ..support.errors import StaleValueError, kind_of
from ..value import Value, c_core
from .backends import native
from .calls.reading import now, numbers_of
from .compiled import Compiled
from .graph import CompileError
from .inputs import Batch
from .pipeline import pipeline
from .tracing import Trace, TraceError, trace
from .variants import Turn

Array = Any
NOTHING = np.zeros(0, np.int32)
INTERVAL = 0.05  # seconds that native code runs between checks for Ctrl-C
BUSY = "another thread is using this Trainer: use it in one thread, or in one at a time with a lock"


class Trainer:
    """Trains with a compiled loss and an optimiser. Inside `with`, it holds the parameters itself:

    >>> with Trainer(step, optimizer) as trainer:
    ...     for X, y in batches:
    ...         loss = trainer.step(X, y)

    `write_back()` copies parameters, gradients and the optimiser's state, including
    `optimizer.steps`, back to the model and the optimiser; so does the end of the block. `refresh()`
    reads them again. Each call is atomic: if interrupted, it changes nothing. After reading and before
    writing back, change nothing in the model and the optimiser except the learning rate. Two threads
    cannot use a Trainer at the same time.
    """

    def __init__(self, step: Compiled[Any], optimizer: Any) -> None:
        if (
            not isinstance(step, Compiled)
            or isinstance(optimizer, type)
            or not hasattr(optimizer, "rule")
        ):
            raise TypeError(
                f"Trainer(step, optimizer) needs a compiled loss, compile(...), and an optimizer, "
                f"optim.Adam(model.parameters()), got {kind_of(step)} and {kind_of(optimizer)}"
            )
        if step.reduction != "mean":
            raise ValueError(f"training needs reduction='mean', but the function has {step.reduction!r}")
        if optimizer.has_own_step:
            raise CompileError(
                f"{type(optimizer).__name__} overrides step(), which native code would not call: "
                f"define a rule() instead"
            )
        if step.machine is not native.Machine:
            raise ValueError("training in native code needs backend='native'")
        self.compiled = step
        self.optimizer = optimizer
        self.lock: Any = threading.RLock()
        params = list(optimizer.params)
        if step.named is not None:
            if [*map(id, step.params[: step.named])] != [*map(id, params)]:
                raise ValueError(
                    "the function must be compiled with the optimizer's parameters as params"
                )
            self.check_params()
        self.held: _Held = self.taken(None)
        if step.named is None:  # the function is traced again, for these parameters
            commit(assign(step, variants={}, params=params, named=len(params)))

    def refresh(self) -> None:
        """Read the parameters and the optimiser's state from the model and the optimiser."""
        with Turn(self.lock, BUSY):
            self.held = self.taken(self.held)

    def taken(self, before: _Held | None) -> _Held:
        """Read the current state; recompile the rule if its settings have changed."""
        if before is not None and before.written and not self.changed():
            return before
        settings = self.settings()
        if before is not None and before.settings == settings:
            rule = before.rule
        else:
            rule = compile_rule(self.optimizer)
        pushed = self.pushed()
        numbers = np.zeros((2 + len(pushed.state), len(pushed.params)))
        numbers[1], numbers[2:] = pushed.params, pushed.state
        return _Held(rule, settings, pushed, numbers, pushed.steps, _counter(0))

    def pushed(self, known: _Pushed | None = None) -> _Pushed:
        """What eager mode sees; the parameters are not read again if nothing was assigned."""
        optimizer, clock = self.optimizer, now()
        same = known is not None and clock is not None and known.clock == clock
        params = known.params if known is not None and same else numbers_of(optimizer.params)
        return _Pushed(clock, params, optimizer.state_rows(), optimizer.steps)

    def settings(self) -> dict[str, Any]:
        """What is compiled into the rule: all settings except the learning rate."""
        return {**self.optimizer.hyperparameters, "lr": None}

    def write_back(self) -> None:
        """Write back the parameters, the optimiser's state and, after a step, the gradients."""
        with Turn(self.lock, BUSY):
            held = self.held
            if changed := self.changed():
                raise StaleValueError(
                    f"{changed} was changed during native training: change it before "
                    f"refresh() or after write_back()"
                )
            computed = held.failed or self.steps != held.pushed.steps
            numbers = held.numbers.copy()
            pushed = _Pushed(None, numbers[1], numbers[2:], self.steps)
            commit_training(
                *(self.optimizer, numbers[:2], pushed.state, self.steps),
                assign(held, pushed=pushed, failed=False, written=True),
                gradients=computed,
            )

    def changed(self) -> str:
        """What eager mode changed since this trainer read it or wrote it back; '' if nothing."""
        held, known, settings = self.held, self.held.pushed, self.settings()
        found = self.pushed(known)
        if not _equal(found.params, known.params):
            return "a parameter"
        if not _equal(found.state, known.state):
            return "the optimizer's state"
        if found.steps != known.steps:
            return "the optimizer's step count"
        names = [name for name, x in settings.items() if held.settings.get(name) != x]
        if not names:
            held.pushed = replace(known, clock=found.clock)
        return f"the optimizer's {names[0]}" if names else ""

    @property
    def numbers(self) -> Array:
        """All trained numbers, in rows: gradients, parameters, and each entry of the state."""
        return self.held.numbers

    @property
    def params(self) -> Array:
        return self.numbers[1]

    @property
    def steps(self) -> int:
        """The number of steps taken so far; `write_back` copies it to the optimiser."""
        return self.held.before + int(self.held.made[0])

    def restore(self, numbers: Array, steps: int) -> None:
        """Continue from other numbers, after `steps` steps."""
        with Turn(self.lock, BUSY):
            held = replace(self.held, numbers=numbers.copy(), before=steps, made=_counter(0))
            self.held = replace(held, failed=False, written=False)

    def __enter__(self) -> Trainer:
        return self

    def __exit__(self, *error: object) -> None:
        self.write_back()

    def step(self, *batch: Any) -> float:
        """Take one step on a batch; returns the mean loss before the step.

        If the loss or a gradient is not finite, no parameter changes.
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
        """Take one step for each of these learning rates, in batches of `size` samples.

        `order` lists the sample indices of all epochs; None uses all samples in each batch. `groups`
        assigns each parameter to a group, for the gradient norms at the end of each epoch. `interrupted`
        is called from time to time and returns True to stop. Steps before `first` were already taken, so
        that training can continue in the middle of an epoch.
        """
        with Turn(self.lock, BUSY):
            steps, size = len(rates), size or data.samples
            before, made = self.steps - first, _counter(first)
            # The same total number of steps.
            self.held = held = replace(self.held, before=before, made=made, written=False)
            settings = np.column_stack([rates, before + np.arange(1.0, steps + 1)])
            losses = np.empty(steps)
            epochs = steps // -(-data.samples // size)
            rows = data.rows()
            order, groups = (
                NOTHING if each is None else each.astype(np.int32) for each in (order, groups)
            )
            norms = np.empty((epochs, int(groups.max(initial=-1)) + 1))
            finite, float32 = True, self.compiled.dtype == np.float32
            machine = self.machine(data, size)
            # Products of a single sample add up in another order, which a kernel for more does not know.
            alone = data.samples % size == 1
            while made[0] < steps and finite and not (made[0] > first and interrupted()):
                # One call updates the numbers and the count together, also if a later step fails.
                finite = c_core.train_machine(
                    machine.capsule if alone else machine.fastest(size, float32, steps),
                    held.rule.capsule,
                    data.samples,
                    rows,
                    order,
                    size,
                    held.numbers,
                    settings,
                    made,
                    INTERVAL,
                    losses,
                    groups,
                    norms,
                    native.thread_count(),
                    float32,
                )
            held.failed = not finite
            return Outcome(losses[first : made[0] + (not finite)], norms, finite)

    def machine(self, data: Batch, size: int) -> Any:
        variants = self.compiled.variants_for(data)
        if variants[0].trace.expected:
            raise TraceError(
                "a function that branches on Values cannot be trained natively: write the branch as "
                "where(a < b, x, y)"
            )
        variants[0].check_not_random("be trained natively")
        self.check_params()
        return variants[0].machine(size, ())

    def check_params(self) -> None:
        if len(self.compiled.params) > len(self.optimizer.params):
            raise CompileError(
                "the function depends on Values that are not parameters of the optimizer, and native "
                "code would not see them change: train in eager mode, or add them to the optimizer"
            )


@dataclass(frozen=True)
class _Pushed:
    """The parameters and the optimiser's state as eager mode sees them."""

    clock: int | None  # when the parameters were read; None if they were not
    params: Array
    state: Array  # in rows
    steps: int


def _equal(found: Array, known: Array) -> bool:
    return found is known or np.array_equal(found, known, equal_nan=True)


@dataclass
class _Held:
    """A Trainer's state, replaced as a whole, so that an interrupt leaves the old or the new state."""

    rule: native.Machine
    settings: dict[str, Any]
    pushed: _Pushed
    numbers: Array  # gradients, parameters and state in rows: the layout of training.c
    before: int  # steps taken before native code started counting
    made: Array
    failed: bool = False  # whether the last step computed gradients but changed nothing
    written: bool = True  # whether eager mode sees these numbers


def _counter(start: int) -> Array:
    return np.array([start], dtype=np.int64)


@dataclass
class Outcome:
    """The loss of each step; if not `finite`, the last step failed and changed nothing."""

    losses: Array
    norms: Array  # gradient norms for each epoch and group
    finite: bool


def not_traced(what: str, error: Exception) -> CompileError:
    """The error for code that works on numbers but raises when traced."""
    return CompileError(f"{what} cannot be traced: {type(error).__name__}: {error}")


def traced_rule(optimizer: Any) -> Trace:
    """An optimiser's rule as a graph, with the learning rate and the step count as parameters."""
    rate, time = Value(optimizer.lr), Value(1.0)

    def rule(p: Value, g: Value, *state: Value) -> list[Any]:
        settings = {**optimizer.hyperparameters, "lr": rate}
        number, new = optimizer.rule(p, g, state, time, **settings)
        return [number, *new]

    settings = [rate, time]
    sample = [0.5] * (2 + optimizer.state_size)
    try:
        traced = trace(rule, sample, settings)
    except (CompileError, MemoryError):
        raise
    except Exception as error:
        # Raises the rule's own error, if it fails on numbers too.
        optimizer.rule(0.5, 0.5, tuple(sample[2:]), 1.0, **optimizer.hyperparameters)
        raise not_traced(f"the rule of {type(optimizer).__name__}", error) from error
    if traced.shape != repr(["_"] * (1 + optimizer.state_size)):
        raise CompileError(
            f"rule() of {type(optimizer).__name__} must return a number and a state of length "
            f"{optimizer.state_size}, as state_size says"
        )
    if len(settings) > 2:
        raise CompileError("an optimiser's rule must not use Values other than its arguments")
    if traced.expected:
        raise TraceError("an optimiser's rule must branch with where(...), not with `if`")
    return traced


def compile_rule(optimizer: Any) -> native.Machine:
    """Compile the rule to a program whose samples are the parameters."""
    source = traced_rule(optimizer).source
    machine: native.Machine = pipeline(source, native.Machine).machine(2, 2 + optimizer.state_size)
    return machine
