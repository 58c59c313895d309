"""Calls that were planned before: arguments of the same types and shapes, one trace, nothing random.

The general path flattens trees, looks for branches and arranges gradients like the arguments. For a
small function all of that takes longer than the program, so a plan keeps what it found: how each
argument becomes rows of inputs, which machine runs, and how its results are returned.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...value import Value, c_core
from ..backends import native
from ..calculus.derivatives import Derivatives
from ..inputs import Batch
from ..variants import NARROW, Variant

Array = Any
CALL = "call"  # in place of argnums: the results, without derivatives
PLAIN = (False, None, None)  # the modes but for recording: nobody observes Values
NUMBERS = (float, int, np.float64)
MOST_PLANS = 64
NOTHING, NO_ROWS = np.zeros(0), np.zeros(0, np.int32)


class Plans:
    """The plans of a compiled function."""

    def __init__(self) -> None:
        self.known: dict[Any, Plan] = {}
        self.kept: bool = c_core is not None and Value is c_core.Value

    def find(
        self, args: tuple[Any, ...], keywords: Any, params: Sequence[Value], what: Any = CALL
    ) -> Plan | None:
        """The plan for such arguments; None if there is none, or if something was traced since.

        `what` is the `argnums` of a gradient. `params` is a list that every trace replaces.
        """
        if keywords or not self.known or type(what) not in (int, str, type(None)):
            return None
        plan = self.known.get((what, *map(_kind, args)))
        usable = plan is not None and plan.params is params and c_core.modes()[1:] == PLAIN
        return plan if usable else None

    def learn(self, args: tuple[Any, ...], what: Any, plan: Callable[[], Plan | None]) -> None:
        """Keep a plan for arguments like these, if there can be one."""
        if not self.kept or type(what) not in (int, str, type(None)):
            return
        if all(type(a) in NUMBERS or (type(a) is np.ndarray and a.dtype.kind in "biuf") for a in args):
            found = plan()
            if len(self.known) >= MOST_PLANS:
                self.known.clear()
            if found is not None:
                self.known[what, *map(_kind, args)] = found


def _kind(argument: Any) -> Any:
    return (argument.shape, argument.dtype) if type(argument) is np.ndarray else type(argument)


def _aligned(argument: Any) -> Array:
    array = np.asarray(argument, float)
    return array if array.flags.aligned else array.copy()


class Plan:
    """How to run calls whose arguments have the same types and shapes."""

    def __init__(self, step: Any, batch: Batch, variant: Variant, machine: native.Machine) -> None:
        self.params: Sequence[Value] = step.params
        self.read: Callable[[Sequence[Value]], Array] = step.read
        self.dtype: Any = step.dtype
        self.float32: bool = step.dtype == np.float32
        self.machine = machine
        self.template: Any = variant.trace.template
        self.samples: int = batch.samples
        self.shape: Array = np.array([batch.samples], dtype=np.int64)
        self.single: bool = batch.single
        self.frame: Batch = copy.copy(batch)  # arranges results; keeps no numbers of this call
        vars(self.frame).update(arguments=[], blocks=[], leaves=[], shared=NOTHING)
        self.few: bool = batch.samples < NARROW  # so few run on one thread

    def run(self, args: tuple[Any, ...], outputs: Array, *adjoints: Array) -> None:
        seed, params, wanted, inputs = adjoints or (NOTHING, NOTHING, NO_ROWS, NOTHING)
        c_core.run_machine(
            self.machine.fastest(self.samples, self.float32),
            self.shape,
            self.read(self.params),
            self.blocks(args),
            seed,
            outputs,
            NOTHING,
            params,
            wanted,
            inputs,
            1 if self.few else native.thread_count(),
            self.float32,
        )

    def blocks(self, args: tuple[Any, ...]) -> tuple[Array, ...]:
        """The arguments as rows of inputs, a column for each sample."""
        if self.single:
            if np.ndarray not in map(type, args):
                return (np.array(args, float).reshape(-1, 1),)
            return tuple([_aligned(a).reshape(-1, 1) for a in args])
        return tuple([_aligned(a).reshape(self.samples, -1).T for a in args])

    def results(self, args: tuple[Any, ...]) -> Any:
        """What the function returns."""
        outputs = np.empty((self.machine.outputs, self.samples))
        self.run(args, outputs)
        if self.single and type(self.template) is int:
            return outputs.item()
        return self.frame.results(self.template, outputs.astype(self.dtype, copy=False), self.dtype)


def planned(step: Any, batch: Batch, partition: Any) -> Plan | None:
    """A plan for calls like this one."""
    variant = _only(step, batch, partition)
    return None if variant is None else Plan(step, batch, variant, variant.machine(batch.samples))


def _only(step: Any, batch: Batch, partition: Any) -> Variant | None:
    """The variant that all such calls use; None if they differ."""
    (variant, _), *others = partition
    simple = not (others or variant.trace.expected or variant.trace.sources or len(batch.shared))
    simple = simple and batch.axes == 1 and batch.samples > 0 and step.machine is native.Machine
    leaves = [leaf for each in batch.leaves for leaf in each]
    first = all(leaf.axis == 0 and leaf.array.ndim for leaf in leaves)
    return variant if simple and len(step.params) == variant.params and (batch.single or first) else None


class GradientPlan(Plan):
    """The value and its gradient with respect to one argument or to the parameters."""

    def __init__(self, step: Any, call: Derivatives, variant: Variant) -> None:
        machine = variant.machine(call.batch.samples, call.ins, bool(call.shared))
        super().__init__(step, call.batch, variant, machine)
        ((part, *_),) = call.columns.parts
        self.named: int | None = None if part.leaf is not None else len(call.shared)
        self.argument: tuple[int, ...] = () if part.leaf is None else part.leaf.array.shape
        self.wanted: Array = np.array(call.ins, dtype=np.int32)
        self.seeds: Array = np.full(self.samples, call.seed)
        self.reduction: Any = "none" if self.single else step.reduction

    def value_and_grad(self, args: tuple[Any, ...]) -> tuple[Any, Any]:
        outputs = np.empty((1, self.samples))
        params = np.empty(self.machine.params)
        each = np.empty((len(self.wanted), self.samples))
        self.run(args, outputs, self.seeds, params, self.wanted, each)
        if self.samples == 1 and (self.single or self.reduction != "none"):
            value: Any = outputs.item()
        elif self.reduction == "none":
            value = self.frame.over_samples(outputs[0], self.dtype)
        else:
            value = float(outputs[0].mean() if self.reduction == "mean" else outputs[0].sum())
        if self.named is not None:
            params += 0.0  # as a sum over branches: no -0
            return value, params[: self.named].astype(self.dtype, copy=False)
        if self.single and not self.argument:
            return value, each.item()
        return value, each.T.reshape(self.argument).astype(self.dtype, copy=False)


def planned_gradient(step: Any, call: Derivatives, has_aux: bool) -> GradientPlan | None:
    """A plan for gradients like this one."""
    variant = _only(step, call.batch, call.partition)
    if variant is None or has_aux or not call.columns.alone or variant.pipeline.outputs != 1:
        return None
    return GradientPlan(step, call, variant)
