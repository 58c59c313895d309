"""`compile`: turns a function of one sample into a function over batches, with every derivative."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Generic, Literal, ParamSpec, TypedDict, TypeVar, Unpack, cast, get_args, overload

import numpy as np
from numpy.typing import NDArray

from ..random.draws import Source, draws_of, with_draws
from ..support.atomic.committing import assign, commit
from ..support.caching import cached_property
from ..support.modes import NOBODY, Modes
from ..value import Value, modes
from . import anomalies, backends
from .backends.to_jax import JaxFunction
from .calculus import sparsity
from .calculus.derivatives import Derivatives, arranged_hessian, arranged_jacobian, weights_of
from .calculus.layout import PARAMS, Argnums, Columns, filled
from .calls import quick
from .calls.reading import Reader
from .codegen.exporting import exported
from .graph import BranchLimitError, CompileError
from .inputs import MOST_AXES, Axes, Batch, GivenValuesError, Inputs
from .tracing import Trace, placed, trace, trace_parts, traced
from .variants import Turn, Variant, fitted

Array = Any
Floats = NDArray[np.float64]
R = TypeVar("R")
T = TypeVar("T")
P = ParamSpec("P")

MOST_BRANCHES = 64
Backend = Literal["native", "numpy"]
Reduction = Literal["mean", "sum", "none"]
DTYPES = (np.dtype(np.float64), np.dtype(np.float32))
EACH: Any = object()  # the default of `batch`: the first axis of every argument


class Text(str):
    """Text that a notebook shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def repeated(method: Callable[P, T]) -> Callable[P, T]:
    """A derivative that starts again if another thread finds parameters meanwhile, on a new branch."""

    @functools.wraps(method)
    def call(*args: P.args, **keywords: P.kwargs) -> T:
        step = cast(Any, args[0])
        while True:
            known = len(step.params)
            try:
                return method(*args, **keywords)
            except Exception:
                if len(step.params) == known:
                    raise

    return call


class Compiled(Generic[R]):
    """A function over batches or of vectors, with its derivatives. R is the type that a call returns.

    The first call with arrays of a new shape traces the function. Parameters are leaf Values;
    their `.data` is read at every call, so changes to it take effect automatically.

    All derivatives take `argnums`: the position of an argument, "params", or a tuple of these. The
    default is "params" or, without parameters, 0; for `jvp`, `vjp` and `hvp`, all arguments.
    """

    def __init__(
        self,
        function: Any,
        params: Iterable[Value] | None = None,
        inputs: Iterable[Value] | None = None,
        reduction: Reduction | None = None,
        backend: Backend | None = None,
        branches: int = MOST_BRANCHES,
        axes: int = 1,
        dtype: Any = np.float64,
        batch: Axes = EACH,
    ) -> None:
        self.leaves: list[Value] | None = None if inputs is None else _leaves("inputs", inputs)
        if self.leaves is not None and batch is not EACH:
            raise ValueError("batch= is for functions; the inputs of a Value are batches of numbers")
        if self.leaves is None and not callable(function):
            raise TypeError(
                f"compile needs a function or a model, or a Value and inputs=[...], the leaves to vary; "
                f"got {type(function).__name__}"
            )
        if reduction is None:
            reduction = "mean" if batch is EACH else "none"
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
        self.batch = 0 if batch is EACH else batch
        self.chosen: bool = batch is not EACH  # whether the user said where the batch axes are
        self.dtype: Any = np.dtype(dtype)
        if self.dtype not in DTYPES:
            raise ValueError(f"dtype must be float64 or float32, got {dtype!r}")
        self.variants: dict[Any, list[Variant]] = {}
        self.read: Reader = Reader()
        self.plans: quick.Plans = quick.Plans()
        self.default: bool | None = None  # whether derivatives are those of the parameters by default
        self.slot: str = ""  # where an object keeps it
        self.attribute: str = ""  # its name in a class, if it is a method
        if self.leaves is None:
            functools.update_wrapper(self, function, updated=())

    # --- calls -----------------------------------------------------------------------------------

    def __call__(self, *args: Any, **keywords: Any) -> R:
        """The results for every sample: arrays in place of the Values that the function returns.

        A list of two Values becomes a list of two arrays, each with one number per sample; an array of
        Values becomes an array whose first axis is the batch. If an argument holds Values, or inside a
        function that is being differentiated or compiled, this calls the function itself.
        """
        if plan := self.plans.find(args, keywords, self.params):
            return cast(R, plan.results(args))
        now = modes()
        if is_observed(now):
            return cast(R, self.eagerly(args, keywords))
        try:
            inputs = self.batch_of(args, keywords)
        except GivenValuesError:
            return cast(R, self.eagerly(args, keywords))
        merged: Array = np.empty(0)
        template: Any = None
        shape = ""
        partition = self.partition(inputs)
        for variant, chosen in partition:
            part: Inputs = inputs if chosen is None else inputs.chosen(chosen)
            part = with_draws(part, variant.trace.sources, inputs, chosen)
            numbers = self.numbers(inputs)
            machine = variant.machine(part.samples)
            outputs = machine.run(fitted(numbers, machine), part, dtype=self.dtype).outputs
            if template is None:
                merged = np.empty((len(outputs), inputs.samples), self.dtype)
                template, shape = variant.trace.template, variant.trace.shape
            variant.trace.check_shape(shape)
            for whole, row in zip(merged, outputs, strict=True):
                whole[... if chosen is None else chosen] = row
        if now.anomaly:
            self.look_closer(inputs, merged)
        if not keywords:
            self.plans.learn(args, quick.CALL, lambda: quick.planned(self, inputs, partition))
        return cast(R, inputs.results(template, merged, self.dtype))

    def eagerly(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """The function itself, for each sample. With Values and without `batch`, it is called once."""
        if self.leaves is not None:
            raise TypeError("a compiled Value takes arrays: for Values, compute the expression again")
        try:
            batch = self.batch_of(args, keywords)
        except GivenValuesError:
            if not self.chosen:
                return self.function(*args, **keywords)
            batch = self.batch_of(args, keywords, values=True)
        if batch.single:
            return self.function(*args, **keywords)
        call = self.positional(batch)
        results = [placed(call(*batch.sample(i))) for i in range(max(batch.samples, 1))]
        template = results[0][0]
        if any(repr(other) != repr(template) for other, _ in results):
            raise TypeError("the function returns results of different structures")
        rows = np.empty((len(results[0][1]), batch.samples), object)
        for i, (_, numbers) in enumerate(results[: batch.samples]):
            rows[:, i] = numbers
        return batch.results(template, rows, object)

    def batch_of(self, args: tuple[Any, ...], keywords: dict[str, Any], values: bool = False) -> Batch:
        """The arguments of a call; those passed by name follow the others."""
        names: tuple[str, ...] = ()
        order: Sequence[int] = range(len(args))
        if keywords:
            bound = self.signature.bind(*args, **keywords)
            args, names = (*bound.args, *bound.kwargs.values()), tuple(bound.kwargs)
            known = list(self.signature.parameters)
            places = [known.index(name) if name in known else len(known) for name in names]
            order = [*range(len(bound.args)), *places]
        batch = Batch(args, self.axes, self.axes_of(order, len(args), names), values)
        batch.names, batch.order = names, order
        batch.key = (*batch.key, names) if names else batch.key
        return batch

    def axes_of(self, order: Sequence[int], count: int, names: Sequence[str]) -> Axes:
        """What `batch` says of the arguments of a call; those with defaults may be missing."""
        axes = self.batch
        if isinstance(axes, Mapping):
            known = self.names(count, names)
            unknown = [name for name in axes if name not in self.signature.parameters]
            if unknown:
                raise ValueError(f"batch names {unknown[0]!r}, which is not an argument of {self!r}")
            return tuple(axes.get(name, 0) for name in known)
        if not isinstance(axes, (tuple, list)) or not (names or count < len(axes)):
            return axes
        found = all(self.names(len(axes))) and all(k < len(axes) for k in order)
        return tuple(axes[k] for k in order) if found else axes

    @cached_property
    def signature(self) -> inspect.Signature:
        try:
            return inspect.signature(self.function)
        except (TypeError, ValueError):
            raise TypeError(f"{self!r} takes no arguments by name: its signature is unknown") from None

    def names(self, count: int, given: Sequence[str] = ()) -> list[str]:
        """The names of the arguments of a call, as far as they are known."""
        try:
            known = list(self.signature.parameters)
        except TypeError:
            known = []
        first = known[: count - len(given)]
        return [*first, *("" for _ in range(count - len(given) - len(first))), *given]

    def positional(self, batch: Batch) -> Callable[..., Any]:
        """The function, taking the arguments that were passed by name after the others."""
        if not batch.names:
            return cast("Callable[..., Any]", self.function)

        def call(*args: Any) -> Any:
            plain = len(args) - len(batch.names)
            named = dict(zip(batch.names, args[plain:], strict=True))
            return self.function(*args[:plain], **named)

        return call

    # --- derivatives -----------------------------------------------------------------------------

    @repeated
    def value_and_grad(
        self, *args: Any, argnums: Argnums = None, has_aux: bool = False, **keywords: Any
    ) -> Any:
        """The value over the batch and its gradient.

        The function must return one Value or, with `has_aux`, a pair of a Value and anything else; then
        the value is a pair too. With `reduction='none'` the value is an array, and the gradients are
        those of its sum. The gradient with respect to the parameters is one array; with respect to an
        argument it has the structure of the argument.
        """
        plan = self.plans.find(args, keywords or has_aux, self.params, argnums)
        if isinstance(plan, quick.GradientPlan):
            return plan.value_and_grad(args)
        call = self.derivatives(args, keywords, argnums, has_aux)
        batch = call.batch
        values, each, total = call.value_and_grad()
        gradient = call.gradient(each, total)
        if modes().anomaly:
            self.look_closer(batch, values)
            self.look_closer(batch, each, "gradient", total)
        value: Any = batch.over_samples(values, self.dtype)
        if not batch.single and self.reduction != "none":
            value = float(values.mean() if self.reduction == "mean" else values.sum())
        if not keywords:
            self.plans.learn(args, argnums, lambda: quick.planned_gradient(self, call, has_aux))
        return ((value, *call.aux) if has_aux else value), gradient

    def grad(self, *args: Any, argnums: Argnums = None, has_aux: bool = False, **keywords: Any) -> Any:
        """The gradient alone; with `has_aux`, a pair of the gradient and the auxiliary results."""
        value, gradient = self.value_and_grad(*args, argnums=argnums, has_aux=has_aux, **keywords)
        return (gradient, value[1]) if has_aux else gradient

    @repeated
    def jacobian(
        self,
        *args: Any,
        argnums: Argnums = None,
        has_aux: bool = False,
        sparse: bool = False,
        **keywords: Any,
    ) -> Any:
        """The derivative of every output with respect to every number, for each sample.

        The Jacobian has the structure of the function's result, with that of the argument at each leaf:
        for arrays, the batch axis, then the output's axes, then the argument's. It takes one pass for
        each number of the argument or of the result, whichever has fewer. With `sparse`, it is a
        scipy.sparse.csr_array.
        """
        call = self.derivatives(args, keywords, argnums, has_aux)
        if call.batch.single and isinstance(call.template, int):
            raise TypeError("jacobian needs a function with several outputs; for one number, use grad")
        if sparse:
            matrix = call.sparse_jacobian()
            found = matrix.data[None]
        else:
            found = call.jacobian()
            matrix = arranged_jacobian(call, found)
        if modes().anomaly:
            self.look_closer(call.batch, np.moveaxis(found, 0, -1), "Jacobian")
        return (matrix, *call.aux) if has_aux else matrix

    @repeated
    def hessian(
        self,
        *args: Any,
        argnums: Argnums = None,
        has_aux: bool = False,
        sparse: bool = False,
        **keywords: Any,
    ) -> Any:
        """All second derivatives of the value: a matrix for each sample with respect to what differs
        between samples, one matrix with respect to what they share. With `sparse`, a
        scipy.sparse.csr_array.
        """
        call = self.derivatives(args, keywords, argnums, has_aux)
        if sparse:
            matrix = call.sparse_hessian()
            each, total = matrix.data[None], 0.0
        else:
            each, total = call.hessian()
            matrix = arranged_hessian(call, each, total)
        if modes().anomaly:
            self.look_closer(call.batch, np.moveaxis(each, 0, -1), "Hessian", total, second=True)
        return (matrix, *call.aux) if has_aux else matrix

    @repeated
    def jvp(self, primals: Sequence[Any], tangents: Any, argnums: Argnums = None) -> tuple[Any, Any]:
        """The results at `primals`, and their derivatives along `tangents`, in forward mode.

        `tangents` has one entry for each of `argnums`; by default for every argument.
        """
        call = self.derivatives(tuple(primals), {}, argnums, False, every=True)
        values, slopes = call.jvp(call.columns.rows_of(tangents, "tangent"))
        if modes().anomaly:
            self.look_closer(call.batch, np.concatenate([values, slopes]), "tangent")
        template = _renumbered(call)
        return call.results(template, values), call.results(template, slopes)

    @repeated
    def vjp(self, primals: Sequence[Any], cotangents: Any, argnums: Argnums = None) -> tuple[Any, Any]:
        """The results at `primals`, and the gradients of their sum weighted by `cotangents`, which has
        the structure of the results.
        """
        call = self.derivatives(tuple(primals), {}, argnums, False, every=True)
        values, each, total = call.vjp(weights_of(call, cotangents))
        if modes().anomaly:
            self.look_closer(call.batch, np.concatenate([values, each]), "gradient", total)
        return call.results(_renumbered(call), values), call.gradient(each, total)

    @repeated
    def hvp(self, primals: Sequence[Any], tangents: Any, argnums: Argnums = None) -> Any:
        """The Hessian of the value times a vector, at the cost of a few gradients.

        Without `argnums`, the result for a single argument is the product itself, as in `hvp(f, ...)`.
        """
        call = self.derivatives(tuple(primals), {}, argnums, False, every=True)
        each, total = call.hvp(call.columns.rows_of(tangents, "tangent"))
        if modes().anomaly:
            self.look_closer(call.batch, each, "product", total, second=True)
        product = call.gradient(each, total)
        only = argnums is None and not call.columns.alone and len(primals) == 1
        return product[0] if only else product

    def derivatives(
        self,
        args: tuple[Any, ...],
        keywords: dict[str, Any],
        argnums: Argnums,
        has_aux: bool,
        every: bool = False,
    ) -> Derivatives:
        """A call to differentiate."""
        batch: Batch | None = None
        with suppress(GivenValuesError):
            batch = self.batch_of(args, keywords)
        if batch is None or is_observed(modes()):
            raise TypeError(
                "the derivatives of a compiled function are plain numbers: for Values, and inside a "
                "function that is differentiated or compiled, use grad, jacobian ... of the function"
            )
        if not batch.samples:
            raise ValueError("the batch is empty: nothing to differentiate")
        partition = self.partition(batch)  # first, since a branch may use new parameters
        named = len(self.params) if self.named is None else self.named
        if argnums is None and every:
            argnums = tuple(range(len(batch.leaves)))
        elif argnums is None:
            argnums = cast(Argnums, PARAMS) if self.has_parameters(named) else 0
        elif batch.names:
            argnums = self.passed(argnums, batch)
        columns = Columns(batch, argnums, named, self.names(len(batch.leaves), batch.names))
        return Derivatives(self, batch, columns, has_aux, partition)

    def look_closer(
        self, batch: Batch, rows: Array, what: str = "value", total: Any = 0.0, second: bool = False
    ) -> None:
        """Raise if any of these numbers is not finite: the last axis of `rows` numbers the samples;
        `total` has what they share.
        """
        if self.leaves is None:
            finite, function = bool(np.isfinite(total).all()), self.positional(batch)
            anomalies.look_closer(function, self.params, batch, rows, what, finite, second)

    def has_parameters(self, named: int) -> bool:
        """Whether there are parameters; raise if that changed because of a branch not seen before."""
        if self.default is None:
            self.default = bool(named)
        if self.default != bool(named):
            raise TypeError(
                "the function uses parameters on some branches only: pass argnums='params', or the "
                "position of an argument"
            )
        return self.default

    def passed(self, argnums: Any, batch: Batch) -> Any:
        """Positions among the arguments of a call, from positions in the function's signature."""
        if not isinstance(argnums, int):
            if isinstance(argnums, str) or not isinstance(argnums, Sequence):
                return argnums
            return tuple(self.passed(each, batch) for each in argnums)
        known = list(self.signature.parameters)
        place = argnums + len(known) if argnums < 0 else argnums
        if place not in batch.order:
            raise TypeError(f"argnums is {argnums}, but that argument was not passed")
        return list(batch.order).index(place)

    # --- text and exports -------------------------------------------------------------------------

    @property
    def program(self) -> str:
        """The compiled programs as text, for every shape and branch seen so far."""
        variants = [variant for each in self.variants.values() for variant in each]
        if not variants:
            return Text("not traced yet: call the compiled function with a batch first")
        return Text("\n\n".join(variant.describe() for variant in variants))

    def source(self, language: Literal["c", "javascript"]) -> str:
        """The value and gradient for one sample as source text, in 'c' or 'javascript'.

        The text needs only the language's standard library, and its comments say how to call it. It
        contains only the branches traced so far, so call the function with a batch first.
        """
        return backends.writer(language)(exported(self))

    def to_jax(self, *batch: Any, model: Any = None) -> JaxFunction:
        """Export to a JAX function `f(params, batch)`, to jit, differentiate and shard.

        Arguments:
            batch: arrays of the shapes to export; needed if the function has not been called yet. With
                branches on Values, samples on paths that neither it nor a call has taken give NaN.
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
        self.default = None
        self.params = self.params[: self.named]

    def __set_name__(self, owner: type, name: str) -> None:
        self.attribute, self.slot = name, f"_compiled {owner.__qualname__}.{name}"

    def __get__(self, instance: Any, owner: type | None = None) -> Compiled[R]:
        """As a method, compiled for each object; an object with a `__dict__` keeps its own."""
        if instance is None or not hasattr(self.function, "__get__"):
            return self
        kept = getattr(instance, "__dict__", {}).get(self.slot)
        if kept is not None and kept.function.__self__ is instance:
            return cast("Compiled[R]", kept)
        bound: Compiled[R] = type(self).__new__(type(self))
        vars(bound).update(self.__getstate__())
        bound.function = self.function.__get__(instance, owner)
        bound.params = list(self.params)
        if self.slot and hasattr(instance, "__dict__"):
            vars(instance)[self.slot] = bound
        return bound

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle a decorated function by its name, as Python pickles functions, and a method with its
        object.
        """
        instance = getattr(self.function, "__self__", None)
        if self.attribute and instance is not None:
            return getattr, (instance, self.attribute)
        path = getattr(self, "__qualname__", "<locals>")
        if "<locals>" not in path:
            found: Any = sys.modules.get(getattr(self, "__module__", ""))
            for name in path.split("."):
                found = getattr(found, name, None)
            if found is self:
                return path
        return super().__reduce_ex__(protocol)

    def __getstate__(self) -> dict[str, Any]:
        """The state to copy and pickle: everything except traces."""
        state = {**self.__dict__, "variants": {}, "read": Reader(), "plans": quick.Plans()}
        state.pop("signature", None)  # its defaults may not be picklable, and a method has another
        return state

    def __repr__(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        count = sum(map(len, self.variants.values()))
        return f"<compiled {name}: {count} program{'' if count == 1 else 's'}>"

    def numbers(self, batch: Batch | None = None) -> Array:
        """The numbers that all samples share: those of the batch, then the parameters."""
        params = self.read(self.params)
        return (
            params if batch is None or not len(batch.shared) else np.concatenate([batch.shared, params])
        )

    def traces(self) -> list[Any]:
        """The traced graphs, for comparison."""
        return [variant.trace.source for each in self.variants.values() for variant in each]

    # --- branches --------------------------------------------------------------------------------

    def partition(self, batch: Batch) -> list[tuple[Variant, Array]]:
        """Assign the samples to variants, and trace new variants as needed."""
        variants = self.variants_for(batch)
        if not variants[0].trace.expected or not batch.samples:
            return [(variants[0], None)]
        rows = batch.rows()
        waiting = np.arange(batch.samples)
        parts: list[tuple[Variant, Array]] = []
        for number in range(self.branches):
            new = False
            if number == len(variants):
                with Turn():  # to trace
                    new = number == len(variants)  # another thread may have traced a path meanwhile
                    if new:
                        self.trace(batch, int(waiting[0]), variants)
            variant = variants[number]
            part = Inputs([rows[:, waiting]], (len(waiting),))
            part = with_draws(part, variant.trace.sources, batch, waiting)
            fits = variant.fits(self.numbers(batch), part, self.dtype)
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

    def variants_for(self, batch: Batch) -> list[Variant]:
        """The variants traced for arguments of these shapes; at least one."""
        with Turn():  # to trace
            variants = self.variants.setdefault(batch.key, [])
            if not variants:
                if not self.chosen and self.leaves is None:
                    self.check_reading(batch)
                try:
                    self.trace(batch, 0, variants)
                except (CompileError, MemoryError):
                    raise
                except Exception as error:
                    if explained := batch.mistaken_for_shared():
                        error.add_note(explained)
                    raise
            return variants

    def traced(self, batch: Batch, sample: int, params: list[Value] | None = None) -> Trace:
        """Trace the function on a sample; new parameters are added to the list."""
        params = self.params if params is None else params
        if self.leaves is None:

            def draw(place: int, source: Source) -> float:
                return float(draws_of(batch).row(place, source)[sample])

            return trace(self.positional(batch), batch.sample(sample), params, batch.sharing, draw)
        if len(self.leaves) != batch.count:
            raise ValueError(f"{len(self.leaves)} inputs were given, but the batch has {batch.count}")
        return traced(self.function, self.leaves, params)

    def trace(self, batch: Batch, sample: int, variants: list[Variant]) -> None:
        """Trace a sample, and update the parameters and the variants together."""
        params = list(self.params)
        result = self.traced(batch, sample, params)
        count, new = len(params), params[len(self.params) :]
        made = Variant(result, len(batch.shared), count, batch.count, self.machine)
        # Existing machines were built for fewer parameters, so discard them.
        others = [variant for each in self.variants.values() for variant in each] if new else []
        commit(
            [(variants.append, made)],  # the only change that can fail, so it comes first
            *(assign(variant, params=count, machines={}, pipelines={}) for variant in others),
            assign(self, params=params),
        )

    def check_reading(self, batch: Batch) -> None:
        """Raise if vectors may be meant as one sample, and the results would differ.

        This tries the function on whole vectors. An elementwise function gives the same numbers either
        way. So does one that cannot take vectors.
        """
        one = batch.tried_as_one()
        if one is None:
            return
        one.draws = draws_of(batch)  # no new call: that would change the numbers of the next ones
        try:
            whole = self.traced(one, 0, list(self.params))
        except MemoryError:
            raise
        except Exception:
            return
        if sparsity.is_elementwise(whole, one):
            return
        try:
            self.traced(batch, 0, list(self.params))
            both = "a vector may be one sample or a batch of numbers, and this function takes both"
        except MemoryError:
            raise
        except Exception:
            both = "this function takes a vector, but was given a batch of numbers"
        raise TypeError(f"{both}: use compile(f, batch=None) for one vector, or batch=0 for a batch")


def is_observed(now: Modes) -> bool:
    """Whether a function is being differentiated or compiled, so that plain numbers would not do."""
    return now.tracer is not NOBODY or now.arguments is not NOBODY


def compile_parts(
    function: Callable[..., Sequence[Any]],
    batch: Batch,
    params: Sequence[Value],
    backend: Backend | None,
) -> list[Compiled[Any]]:
    """Trace a function once, and return one compiled function for each of its results."""
    with Turn():  # to trace
        known = list(params)
        traces = trace_parts(function, batch.sample(0), known)
        found = []
        read = Reader()  # all parts have the same parameters
        for i, each in enumerate(traces):
            part: Compiled[Any] = Compiled(lambda *args, i=i: function(*args)[i], backend=backend)
            part.params, part.named, part.read = known, len(params), read
            part.variants[batch.key] = [Variant(each, 0, len(known), batch.count, part.machine)]
            found.append(part)
        return found


def _renumbered(call: Derivatives) -> Any:
    """The template of the differentiated results, numbered from 0."""
    place = {k: i for i, k in enumerate(call.outputs)}
    return filled(call.template, np.vectorize(place.__getitem__, otypes=[int]))


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


class Options(TypedDict, total=False):
    """The options of `compile`, for type checkers; see its docstring."""

    reduction: Reduction | None
    backend: Backend | None
    branches: int
    axes: int
    dtype: Any
    batch: Axes


Params = Iterable[Value] | None


@overload
def compile(
    function: None = None, params: Params = None, **options: Unpack[Options]
) -> Callable[[Callable[..., Any]], Compiled[Any]]: ...
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
    function: Any = None,
    params: Iterable[Value] | None = None,
    *,
    inputs: Iterable[Value] | None = None,
    batch: Axes = EACH,
    reduction: Reduction | None = None,
    backend: Backend | None = None,
    branches: int = MOST_BRANCHES,
    axes: int = 1,
    dtype: Any = np.float64,
) -> Any:
    """Turn a function of one sample into a function over batches, or speed up a function of vectors.

    Arguments:
        function: a function or model of one sample, written with Values; its arguments are numbers,
            or lists, dicts or other trees of numbers. Or a Value that is already computed, with
            `inputs`. Without a function, this returns a decorator.
        params: the leaf Values to differentiate with respect to; by default all that the function uses.
            Other Values are also read at every call; everything else is captured when traced.
        inputs: for a Value that is already computed, the leaves that differ from sample to sample.
        batch: the batch axis of each argument, as in JAX's `in_axes`: an int, None for an argument that
            all samples share, or a tuple, dict or tree of these. By default the first axis of every
            argument. With None for all, the function takes one sample and returns one result.
        reduction: how `value_and_grad`, `grad`, `hessian` and `hvp` combine the samples: 'mean', 'sum'
            or 'none'. By default 'mean' or, if `batch` is given, 'none'.
        backend: 'native' or 'numpy'; by default 'native' if the C core was built.
        branches: the maximum number of paths through the function.
        axes: the number of leading batch axes of the arguments; they broadcast.
        dtype: np.float32 stores all numbers in half the memory: faster where memory is the
            bottleneck, but accurate to about 7 digits instead of 16.

    >>> step = chainrule.compile(lambda x, y: (model(x) - y) ** 2, params=model.parameters())
    >>> value, grads = step.value_and_grad(X, Y)

    """
    if function is None and inputs is None:
        options: Any = {"batch": batch, "reduction": reduction, "backend": backend}
        options |= {"branches": branches, "axes": axes, "dtype": dtype}
        return lambda function: Compiled(function, params, **options)
    return Compiled(function, params, inputs, reduction, backend, branches, axes, dtype, batch)
