"""`compile`: turns a function of one sample into a function over batches."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat, starmap
from operator import attrgetter
from typing import Any, Generic, Literal, TypedDict, TypeVar, Unpack, get_args, overload

import numpy as np
from numpy.typing import NDArray

from ..support.atomic.committing import assign, commit
from ..support.tree import unflatten
from ..value import Value, c_core, modes
from . import anomalies, backends
from .backends.to_jax import JaxFunction
from .codegen.exporting import exported
from .graph import BranchLimitError
from .inputs import MOST_AXES, Batch, Inputs
from .pipeline import Pipeline, pipeline
from .tracing import Trace, trace, trace_parts, traced

Array = Any
Floats = NDArray[np.float64]
R = TypeVar("R")

NARROW = 8  # with fewer samples, rows are too short for one instruction each
MOST_BRANCHES = 64
Backend = Literal["native", "numpy"]
Reduction = Literal["mean", "sum", "none"]
DTYPES = (np.dtype(np.float64), np.dtype(np.float32))
TRACING = threading.RLock()  # one function at a time, so that none picks up another's parameters


def _unlock_in_child() -> None:
    """Replace the lock in a forked child: the thread that held it does not exist there."""
    global TRACING
    TRACING = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock_in_child)


class Turn:
    """This thread's turn with a lock; it ends when the block exits or the object is destroyed.

    One bytecode instruction acquires the lock and records that it is held; another undoes both. So
    Ctrl-C cannot come in between and leave other threads waiting forever. If `busy` is a message, a lock
    that another thread holds is an error with this message.
    """

    def __init__(self, lock: Any, busy: str = "") -> None:
        self.lock, self.busy = lock, busy
        self.held: list[bool] = []

    def __enter__(self) -> None:
        try:
            self.held.extend(filter(None, map(self.lock.acquire, (not self.busy,))))
            if not self.held:
                raise RuntimeError(self.busy)
        except BaseException:  # a traceback may keep this object alive
            self.__exit__()
            raise

    def __exit__(self, *error: object) -> None:
        held = getattr(self, "held", [])
        if held:
            releases = starmap(self.lock.release, repeat(()))
            deque(zip(map(held.pop, [0] * len(held)), releases, strict=False), maxlen=0)

    __del__ = __exit__


class Compiled(Generic[R]):
    """A function over batches: call it, or use `value_and_grad`. R is the return type of a call.

    The first call with arrays of a new shape traces the function. Parameters are leaf Values;
    their `.data` is read at every call, so changes to it take effect automatically.
    """

    def __init__(
        self,
        function: Any,
        params: Iterable[Value] | None = None,
        inputs: Iterable[Value] | None = None,
        reduction: Reduction = "mean",
        backend: Backend | None = None,
        branches: int = MOST_BRANCHES,
        axes: int = 1,
        dtype: Any = np.float64,
    ) -> None:
        self.leaves: list[Value] | None = None if inputs is None else _leaves("inputs", inputs)
        if self.leaves is None and not callable(function):
            raise TypeError(
                f"compile needs a function or a model, or a Value and inputs=[...], the leaves to vary; "
                f"got {type(function).__name__}"
            )
        if reduction not in get_args(Reduction):
            raise ValueError(f"reduction must be 'mean', 'sum' or 'none', got {reduction!r}")
        self.function = function
        # Parameters to differentiate with respect to, then others that the function closes over.
        self.params: list[Value] = _leaves("params", () if params is None else params)
        self.named: int | None = None if params is None else len(self.params)
        self.reduction = reduction
        self.backend = backend
        self.machine: Any = backends.named(backend)
        if branches < 1:
            raise ValueError(f"branches must be 1 or more, got {branches}")
        if axes not in range(1, MOST_AXES + 1):
            raise ValueError(f"axes must be from 1 to {MOST_AXES}, got {axes}")
        self.branches = branches
        self.axes = axes
        self.dtype: Any = np.dtype(dtype)
        if self.dtype not in DTYPES:
            raise ValueError(f"dtype must be float64 or float32, got {dtype!r}")
        self.variants: dict[Any, list[_Variant]] = {}

    def __call__(self, *batch: Any) -> R:
        """The results for every sample: arrays in place of the Values that the function returns.

        A list of two Values becomes a list of two arrays, each with one number per sample.
        """
        inputs = Batch(batch, self.axes)
        merged: list[Array] = []
        rebuild: Any = None
        for variant, chosen in self.partition(inputs):
            part = inputs if chosen is None else inputs.chosen(chosen)
            outputs = variant.machine(part.samples).run(self.numbers(), part, dtype=self.dtype).outputs
            if rebuild is None:
                merged = [np.empty(inputs.samples, self.dtype) for _ in outputs]
                rebuild, shape = variant.trace.rebuild, variant.trace.shape
            if variant.trace.shape != shape:
                raise TypeError(
                    f"the function returns {shape} for some samples and {variant.trace.shape} for others"
                )
            for whole, row in zip(merged, outputs, strict=True):
                whole[... if chosen is None else chosen] = row
        if modes().anomaly and self.leaves is None:
            anomalies.look_closer(self.function, self.params, inputs, merged)
        results: R = unflatten(rebuild, [whole.reshape(inputs.shape) for whole in merged])
        return results

    @overload
    def value_and_grad(self, *batch: Any, inputs: Literal[False] = False) -> tuple[Any, Floats]: ...
    @overload
    def value_and_grad(
        self, *batch: Any, inputs: Literal[True] | Sequence[int]
    ) -> tuple[Any, Floats, Any]: ...
    def value_and_grad(self, *batch: Any, inputs: bool | Sequence[int] = False) -> Any:
        """The loss over the batch and its gradient with respect to the parameters, as an array.

        The function must return one Value. With `reduction='none'` the value is an array, and the
        gradient is that of its sum. `inputs=True` adds the gradients with respect to the arguments; a
        tuple of positions selects some of them.
        """
        data = Batch(batch, self.axes)
        if not data.samples:
            raise ValueError("the batch is empty: nothing to differentiate")
        arguments = _positions(inputs, len(batch))
        wanted = tuple(data.inputs_of(arguments))
        seed = 1.0 / data.samples if self.reduction == "mean" else 1.0
        values = np.empty(data.samples)
        grads: Array = None
        input_grads = np.empty((len(wanted), data.samples), self.dtype)
        for variant, chosen in self.partition(data):
            part = data if chosen is None else data.chosen(chosen)
            machine = variant.machine(part.samples, wanted, bool(self.params))
            results = machine.run(self.numbers(), part, np.full(part.samples, seed), wanted, self.dtype)
            place = ... if chosen is None else chosen
            values[place] = results.outputs[0]
            input_grads[:, place] = results.input_adjoints
            grads = results.param_adjoints if grads is None else grads + results.param_adjoints
        if modes().anomaly and self.leaves is None:
            finite = bool(np.isfinite(grads).all() and np.isfinite(input_grads).all())
            anomalies.look_closer(self.function, self.params, data, values, finite)
        value: Any = values.reshape(data.shape).astype(self.dtype, copy=False)
        if self.reduction != "none":
            value = float(values.mean() if self.reduction == "mean" else values.sum())
        grads = grads[: self.named].astype(self.dtype, copy=False)
        if inputs is False:
            return value, grads
        return value, grads, data.gradients(arguments, input_grads)

    def grad(self, *batch: Any) -> Floats:
        """The gradient with respect to the parameters alone."""
        gradient = self.value_and_grad(*batch)[1]
        if not len(gradient):
            raise ValueError(
                "the function has no parameters to differentiate with respect to: "
                "use value_and_grad(..., inputs=True) for the gradients of its arguments"
            )
        return gradient

    @property
    def program(self) -> str:
        """The compiled programs as text, for every shape and branch seen so far."""
        variants = [variant for each in self.variants.values() for variant in each]
        if not variants:
            return "not traced yet: call the compiled function with a batch first"
        return "\n\n".join(variant.describe() for variant in variants)

    def source(self, language: Literal["c", "javascript"]) -> str:
        """The value and gradient for one sample as source text, in 'c' or 'javascript'.

        The text needs only the language's standard library, and its comments say how to call it. It
        contains only the branches traced so far, so call the function with a batch first.
        """
        return backends.writer(language)(exported(self))

    def to_jax(self, *batch: Any, model: Any = None) -> JaxFunction:
        """Export to a JAX function `f(params, batch)`, to jit, differentiate and shard.

        Arguments:
            batch: arrays of the shapes to export; needed if the function has not been called yet.
            model: names the parameters; `f.initial()` is a tree with these names.

        >>> f = step.to_jax(X, y, model=model)
        >>> loss = jax.jit(lambda params: f(params, (X, y)).mean())
        >>> grads = jax.grad(loss)(f.initial())

        """
        return JaxFunction(self, batch, model)

    def retrace(self) -> None:
        """Discard all traces, because the behaviour of the function has changed.

        Values are read at every call; everything else that the function uses is captured when it is
        traced.
        """
        self.variants.clear()
        del self.params[len(self.params) if self.named is None else self.named :]

    def __getstate__(self) -> dict[str, Any]:
        """The state to copy and pickle: everything except traces."""
        return {**self.__dict__, "variants": {}}

    def __repr__(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        count = sum(map(len, self.variants.values()))
        return f"<compiled {name}: {count} program{'' if count == 1 else 's'}>"

    def numbers(self) -> Array:
        """The current values of the parameters."""
        return numbers_of(self.params)

    def traces(self) -> list[Any]:
        """The traced graphs, for comparison."""
        return [variant.trace.source for each in self.variants.values() for variant in each]

    # --- branches --------------------------------------------------------------------------------

    def partition(self, batch: Batch) -> list[tuple[_Variant, Array]]:
        """Assign the samples to variants, and trace new variants as needed."""
        variants = self.variants_for(batch)
        if not variants[0].trace.expected or not batch.samples:
            return [(variants[0], None)]
        rows = batch.rows()
        waiting = np.arange(batch.samples)
        parts: list[tuple[_Variant, Array]] = []
        for number in range(self.branches):
            new = number == len(variants)
            if new:
                with Turn(TRACING):
                    self.trace(batch, int(waiting[0]), variants)
            variant = variants[number]
            part = Inputs([rows[:, waiting]], (len(waiting),))
            fits = variant.fits(self.numbers(), part, self.dtype)
            fits[0] |= new  # the sample just traced belongs here, even if rounding tips a comparison
            if fits.all() and not parts:
                return [(variant, None)]
            if fits.any():
                parts.append((variant, waiting[fits]))
            waiting = waiting[~fits]
            if not len(waiting):
                return parts
        raise BranchLimitError(
            f"the function has more paths than the limit of {self.branches}; the last branch is at "
            f"{variants[-1].trace.sites[-1]}: use where(a < b, x, y), which stays one program, or "
            f"raise the limit with compile(..., branches=...)"
        )

    def variants_for(self, batch: Batch) -> list[_Variant]:
        """The variants traced for arguments of these shapes; at least one."""
        with Turn(TRACING):
            variants = self.variants.setdefault(batch.key, [])
            if not variants:
                self.trace(batch, 0, variants)
            return variants

    def traced(self, batch: Batch, sample: int, params: list[Value] | None = None) -> Trace:
        """Trace the function on a sample; new parameters are added to the list."""
        params = self.params if params is None else params
        if self.leaves is None:
            return trace(self.function, batch.sample(sample), params)
        if len(self.leaves) != batch.count:
            raise ValueError(f"{len(self.leaves)} inputs were given, but the batch has {batch.count}")
        return traced(self.function, self.leaves, params)

    def trace(self, batch: Batch, sample: int, variants: list[_Variant]) -> None:
        """Trace a sample, and update the parameters and the variants together."""
        params = list(self.params)
        result = self.traced(batch, sample, params)
        count, new = len(params), params[len(self.params) :]
        made = _Variant(result, count, batch.count, self.machine)
        # Existing machines were built for fewer parameters, so discard them.
        others = [variant for each in self.variants.values() for variant in each] if new else []
        commit(
            [(variants.append, made)],  # the only change that can fail, so it comes first
            *(assign(variant, count=count, machines={}) for variant in others),
            assign(self, params=params),
        )


def numbers_of(values: Sequence[Value]) -> Array:
    """The current numbers of some Values."""
    if c_core is not None and Value is c_core.Value:
        return np.frombuffer(c_core.read_data(values))
    return np.fromiter(map(attrgetter("data"), values), float, len(values))


def compile_parts(
    function: Callable[..., Sequence[Any]],
    batch: Batch,
    params: Sequence[Value],
    backend: Backend | None,
) -> list[Compiled[Any]]:
    """Trace a function once, and return one compiled function for each of its results."""
    with Turn(TRACING):
        known = list(params)
        traces = trace_parts(function, batch.sample(0), known)
        found = []
        for i, each in enumerate(traces):
            part: Compiled[Any] = Compiled(
                lambda *args, i=i: function(*args)[i], params, backend=backend
            )
            part.params += known[len(params) :]
            part.variants[batch.key] = [_Variant(each, len(known), batch.count, part.machine)]
            found.append(part)
        return found


@dataclass
class _Variant:
    """One trace with its programs: for many samples and for few, with and without gradients."""

    trace: Trace
    count: int  # number of parameters
    inputs: int
    maker: Any

    def __post_init__(self) -> None:
        self.pipeline = pipeline(self.trace.source, self.maker)
        self.machines: dict[Any, Any] = {}

    def machine(self, samples: int, wanted: Sequence[int] | None = None, params: bool = True) -> Any:
        """The program, loaded into a machine, for this many samples.

        `wanted` adds the gradients with respect to these inputs, and `params` then adds those with
        respect to the parameters.
        """
        key = (samples < NARROW, wanted, params)
        if key not in self.machines:
            if wanted is not None and self.pipeline.outputs != 1:
                raise TypeError(
                    f"value_and_grad needs a function that returns one Value, but this one returns "
                    f"{self.pipeline.outputs}"
                )
            self.machines[key] = self.pipeline.machine(self.count, self.inputs, key[0], wanted, params)
        return self.machines[key]

    def fits(self, params: Array, inputs: Inputs, dtype: Any) -> Array:
        """Which samples take the branches of this trace."""
        key = (inputs.samples < NARROW, "guards")
        if key not in self.machines:
            self.machines[key] = self.pipeline.guards(self.count, self.inputs, key[0])
        guards = self.machines[key].run(params, inputs, dtype=dtype).guards
        pairs = zip(guards, self.trace.expected, strict=True)
        return np.logical_and.reduce([(guard != 0.0) == expected for guard, expected in pairs])

    def describe(self) -> str:
        reference = Pipeline(self.trace.graph)
        program = reference.lowered(self.count, self.inputs, narrow=False)
        steps = len(program.shared) + len(program.each)
        nodes = f"{len(self.trace.source)} nodes traced, {len(reference.graph)} after the passes"
        head = f"{nodes}, {steps} instructions"
        return f"{head}\n{program}"


def _leaves(name: str, values: Iterable[Value]) -> list[Value]:
    if isinstance(values, Value):
        raise TypeError(f"{name} must be a list of Values, got a single Value")
    if isinstance(values, Mapping) or not hasattr(values, "__iter__"):
        kind = type(values).__name__
        raise TypeError(f"{name} must be a list of leaf Values, such as model.parameters(), got {kind}")
    found = list(values)
    for p in found:
        if not isinstance(p, Value) or not p.is_leaf:
            kind = (
                f"the result of '{p._op}'"
                if isinstance(p, Value)
                else f"an item of type {type(p).__name__}"
            )
            raise TypeError(f"{name} must be leaf Values, such as model.parameters(), got {kind}")
    if len(set(found)) < len(found):
        raise ValueError(f"{name} has the same Value twice")
    return found


def _positions(inputs: bool | Sequence[int], count: int) -> list[int]:
    """The argument positions that `inputs` selects."""
    if isinstance(inputs, bool):
        return list(range(count)) if inputs else []
    if isinstance(inputs, int):
        raise TypeError(f"inputs must be True or a tuple of positions, such as ({inputs},)")
    for position in inputs:
        if position not in range(count):
            raise ValueError(f"inputs has position {position}, but there are {count} arguments")
    return list(inputs)


class Options(TypedDict, total=False):
    """The options of `compile`, for type checkers; see its docstring."""

    reduction: Reduction
    backend: Backend | None
    branches: int
    axes: int
    dtype: Any


Params = Iterable[Value] | None


@overload
def compile(
    function: Callable[..., Value], params: Params = None, **options: Unpack[Options]
) -> Compiled[Floats]: ...
@overload
def compile(
    function: Callable[..., list[Value]], params: Params = None, **options: Unpack[Options]
) -> Compiled[list[Floats]]: ...
@overload
def compile(
    function: Callable[..., Any], params: Params = None, **options: Unpack[Options]
) -> Compiled[Any]: ...
@overload
def compile(
    function: Value, params: Params = None, *, inputs: Iterable[Value], **options: Unpack[Options]
) -> Compiled[Floats]: ...
def compile(
    function: Any,
    params: Iterable[Value] | None = None,
    *,
    inputs: Iterable[Value] | None = None,
    reduction: Reduction = "mean",
    backend: Backend | None = None,
    branches: int = MOST_BRANCHES,
    axes: int = 1,
    dtype: Any = np.float64,
) -> Compiled[Any]:
    """Turn a function of one sample into a function over batches.

    Arguments:
        function: a function or model of one sample, written with Values; its arguments are numbers,
            or lists or dicts of numbers. Or a Value that is already computed, with `inputs`.
        params: the leaf Values to differentiate with respect to; by default all that the function uses.
            Other Values are also read at every call; everything else is captured when the function is
            traced.
        inputs: for a Value that is already computed, the leaves that differ from sample to sample.
        reduction: how `value_and_grad` combines the losses of the samples: 'mean', 'sum', 'none'.
        backend: 'native' or 'numpy'; by default 'native' if the C core was built.
        branches: the maximum number of paths through the function.
        axes: the number of leading batch axes of the arguments; they broadcast.
        dtype: np.float32 stores all numbers in half the memory: faster where memory is the
            bottleneck, but accurate to about 7 digits instead of 16.

    >>> step = chainrule.compile(lambda x, y: (model(x) - y) ** 2, params=model.parameters())
    >>> value, grads = step.value_and_grad(X, Y)

    """
    return Compiled(function, params, inputs, reduction, backend, branches, axes, dtype)
