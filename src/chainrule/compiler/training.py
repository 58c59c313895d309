"""Training in native code: batches and the optimiser's rule in turns, both compiled.

The rule of an optimiser is a scalar function (parameter, gradient, state -> parameter, state).
Compiled, it runs over all parameters as over the samples of a batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

import numpy as np

from ..support.committing import commit_training
from ..support.errors import StaleValueError
from ..value import Value, c_core
from .backends import native
from .compiled import Compiled
from .graph import CompileError
from .inputs import Batch
from .pipeline import pipeline
from .tracing import Trace, TraceError, trace

Array = Any
NOTHING = np.zeros(0, np.int32)
INTERVAL = 0.05  # seconds of native code between two looks for Ctrl-C


class Trainer:
    """Trains with a compiled loss and an optimiser. Inside `with`, the parameters live here:

    >>> with Trainer(step, optimizer) as trainer:
    ...     for X, y in batches:
    ...         loss = trainer.step(X, y)

    `write_back()` puts parameters, gradients and the optimiser's state back where they came from,
    `optimizer.steps` included, and so does the end of the block; `refresh()` takes them again.
    Each does all of that or, if it is interrupted, nothing.
    """

    c_core: Compiled[Any]
    optimizer: Any

    def __init__(self, step: Compiled[Any], optimizer: Any) -> None:
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
        self.held: _Held = self.taken(None)

    def refresh(self) -> None:
        """Take the parameters and the optimiser's state from where they are in eager mode."""
        self.held = self.taken(self.held)

    def taken(self, before: _Held | None) -> _Held:
        """What a refresh takes; the rule is compiled anew if its settings are not those of before."""
        optimizer, count = self.optimizer, len(self.optimizer.params)
        settings = {**optimizer.hyperparameters, "lr": None}
        if before is not None and before.settings == settings:
            rule = before.rule
        else:  # all settings but the learning rate are part of it
            rule = compile_rule(optimizer)
        pushed = self.compiled.numbers()
        numbers = np.zeros((2 + optimizer.state_size, count))  # as training.c has them
        numbers[1] = pushed
        numbers[2:] = np.array(optimizer.state).reshape(count, optimizer.state_size).T
        return _Held(rule, settings, pushed, numbers, optimizer.steps, _counter(0))

    def write_back(self) -> None:
        """Write parameters, gradients and the optimiser's state back."""
        optimizer, held = self.optimizer, self.held
        if not np.array_equal(self.compiled.numbers(), held.pushed, equal_nan=True):
            raise StaleValueError(
                "a parameter was changed while it was trained natively: change it before "
                "refresh() or after write_back()"
            )
        pushed = (setattr, held, "pushed", held.numbers[1].copy())
        commit_training(optimizer, held.numbers, self.steps, [pushed])

    @property
    def numbers(self) -> Array:
        """What is trained here, in rows: gradients, parameters, and each number of the state."""
        return self.held.numbers

    @property
    def params(self) -> Array:
        return self.numbers[1]

    @property
    def steps(self) -> int:
        """The steps that led to these numbers; those of the optimiser once they are written back."""
        return self.held.before + int(self.held.made[0])

    def restore(self, numbers: Array, steps: int) -> None:
        """Go on from other numbers, after so many steps."""
        self.held = replace(self.held, numbers=numbers.copy(), before=steps, made=_counter(0))

    def __enter__(self) -> Trainer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.write_back()

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
        before, made = self.steps - first, _counter(first)
        self.held = held = replace(self.held, before=before, made=made)  # the same number of steps
        settings = np.column_stack([rates, before + np.arange(1.0, steps + 1)])
        losses = np.empty(steps)
        epochs = steps // -(-data.samples // size)
        rows = data.rows()
        order, groups = (NOTHING if each is None else each.astype(np.int32) for each in (order, groups))
        norms = np.empty((epochs, int(groups.max(initial=-1)) + 1))
        finite = True
        while made[0] < steps and finite and not (made[0] > first and interrupted()):
            # Numbers and count change in this one call, those of the steps before one that fails too.
            finite = c_core.train_machine(
                self.machine(data, size).capsule,
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
                self.compiled.dtype == np.float32,
            )
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
class _Held:
    """What a Trainer holds: exchanged as a whole, so that an interrupt leaves the old or the new."""

    rule: native.Machine
    settings: dict[str, Any]
    pushed: Array  # the parameters as eager mode has them
    numbers: Array
    before: int  # steps before those that native code counts
    made: Array


def _counter(start: int) -> Array:
    return np.array([start], dtype=np.int64)


@dataclass
class Outcome:
    """The loss of each step; if not all was finite, the last is of a step that changed nothing."""

    losses: Array
    norms: Array  # of gradients, for each epoch and group
    finite: bool


def _kind(thing: Any) -> str:
    return f"the class {thing.__name__}" if isinstance(thing, type) else type(thing).__name__


def not_traced(what: str, error: Exception) -> CompileError:
    """For code that works on numbers and raises when it is traced: it can be computed, not compiled."""
    return CompileError(f"{what} cannot be traced: {type(error).__name__}: {error}")


def traced_rule(optimizer: Any) -> Trace:
    """The rule of an optimiser as a graph: learning rate and time are its parameters."""
    rate, time = Value(optimizer.lr), Value(1.0)

    def rule(p: Value, g: Value, *state: Value) -> list[Any]:
        settings = {**optimizer.hyperparameters, "lr": rate}
        number, new = optimizer.rule(p, g, state, time, **settings)
        return [number, *new]

    settings = [rate, time]
    sample = [0.5] * (2 + optimizer.state_size)
    try:
        traced = trace(rule, sample, settings)
    except CompileError:
        raise
    except Exception as error:
        optimizer.rule(0.5, 0.5, tuple(sample[2:]), 1.0, **optimizer.hyperparameters)  # wrong anyway?
        raise not_traced(f"the rule of {type(optimizer).__name__}", error) from error
    if traced.shape != repr(["_"] * (1 + optimizer.state_size)):
        raise CompileError(
            f"rule() of {type(optimizer).__name__} must return a number and a state of "
            f"{optimizer.state_size}, as state_size says"
        )
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
