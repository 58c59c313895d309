"""The JAX backend: a program as an ordinary JAX function, to jit, differentiate, map and shard.

Values and derivatives are those of the table: where JAX's own derivative of a row would differ,
at a kink or in the tails, the table's partials replace it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ops import DOUBLE, SINGLE, TABLE, Format, Op, Variadic
from ...support.formulas.symbols import Symbol, free_names
from ..codegen.exporting import Paths
from ..instructions import Fold, Instruction, Loop, Map
from ..program import Program
from .operands import Numbers, columns
from .segments import Body, Segments

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    raise ImportError("this needs JAX: pip install 'chainrule[jax]'") from error

Array = Any

# Rows whose values and derivatives in JAX match the table.
PLAIN: dict[str, Callable[..., Any]] = {
    "add": jnp.add,
    "sub": jnp.subtract,
    "mul": jnp.multiply,
    "neg": jnp.negative,
    "pos": jnp.positive,
    "stop_gradient": jax.lax.stop_gradient,
    "where": lambda c, x, y: jnp.where(c != 0.0, x, y),
}
PLAIN |= {name: getattr(jnp, name) for name in ("exp", "sin", "cos", "sqrt")}
LINEAR = {"add", "sub", "neg", "pos", "stop_gradient", "where"}  # finite for finite arguments


def _rounded(x: Array, bits: int | None = None) -> Array:
    """Round to `bits` bits, or to full precision. XLA does not rewrite across this, but still fuses."""
    kind = np.finfo(x.dtype)
    return jax.lax.reduce_precision(x, kind.nexp, kind.nmant if bits is None else bits - 1)


def _divide(x: Array, y: Array) -> Array:
    """Divide so that XLA cannot turn x / y / z into x / (y * z), which may overflow or underflow."""
    return _rounded(jnp.divide(x, y))


def _sinh_near_zero(x: Array) -> Array:
    """The series x + x³/3! + x⁵/5! + ..., for |x| <= 1."""
    total = jnp.ones_like(x)
    for n in range(18, 0, -2):
        total = 1.0 + total * (x * x) / (n * (n + 1))
    return x * total


def _sinh(x: Array) -> Array:
    """Squares exp(|x|/2) for large |x|. JAX uses exp(x - log(2)), whose rounding costs 24 ulp at 40."""
    half = jnp.exp(0.5 * jnp.abs(x))
    far = 0.5 * half * half - 0.5 / half / half
    return jnp.where(jnp.abs(x) < 1.0, _sinh_near_zero(x), jnp.copysign(far, x))


def _cosh(x: Array) -> Array:
    half = jnp.exp(0.5 * jnp.abs(x))
    return 0.5 * half * half + 0.5 / half / half


def _tanh(x: Array) -> Array:
    """sinh / √(1 + sinh²) near 0, where JAX's tanh is 7 ulp off; from exp(2|x|) elsewhere."""
    sinh = _sinh_near_zero(x)
    far = 1.0 - 2.0 / (jnp.exp(2.0 * jnp.abs(x)) + 1.0)
    return jnp.where(jnp.abs(x) < 1.0, sinh / jnp.sqrt(1.0 + sinh * sinh), jnp.copysign(far, x))


def _expm1(x: Array) -> Array:
    """Computes 2 sinh(x/2) exp(x/2) near 0, where JAX's expm1 is 4 ulp off."""
    near = _sinh_near_zero(0.5 * x) * (2.0 * jnp.exp(0.5 * x))
    return jnp.where(jnp.abs(x) < 1.0, near, jnp.exp(x) - 1.0)


def _log1p(x: Array) -> Array:
    """Kahan's method: the rounding of 1 + x cancels between the factors. JAX is 35 ulp off at -0.4."""
    u = _rounded(1.0 + x)  # XLA would simplify u - 1 to x
    near = jnp.where(u == 1.0, x, jnp.log(u) * (x / (u - 1.0)))
    return jnp.where(jnp.abs(x) < 0.5, near, jnp.log(u))


def _atanh(x: Array) -> Array:
    size = jnp.abs(x)
    return jnp.copysign(0.5 * _log1p(2.0 * size / (1.0 - size)), x)


# Rows whose values JAX computes to within a few ulp. All others use their formulas: in single
# precision, JAX's erfc and gelu are 50 and 140 ulp off in their tails.
VALUES: dict[str, Callable[..., Any]] = {
    "div": _divide,
    "relu": jax.nn.relu,
    "less": lambda x, y: (x < y).astype(x.dtype),
    "less_equal": lambda x, y: (x <= y).astype(x.dtype),
    "equal": lambda x, y: (x == y).astype(x.dtype),
    "pow": jnp.power,
    "erf": jax.scipy.special.erf,
    "sigmoid": jax.nn.sigmoid,
    "softplus": jax.nn.softplus,
    "expm1": _expm1,
    "log1p": _log1p,
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _tanh,
}
SAME = "abs floor fmod log log2 log10 tan hypot maximum minimum"
VALUES |= {name: getattr(jnp, name) for name in SAME.split()}
VALUES |= {  # arcsin, arctan2, ...
    op.name: getattr(jnp, name) for op in TABLE for name in op.aliases if hasattr(jnp, name)
}
VALUES["atanh"] = _atanh


class JaxNumbers(Numbers):
    """A JAX array."""

    @property
    def _number_format(self) -> Format:
        return SINGLE if self.array.dtype == jnp.float32 else DOUBLE

    def _rounded(self, bits: int) -> Numbers:
        return JaxNumbers(_rounded(self.array, bits))

    @staticmethod
    def apply(op: Op, arrays: Sequence[Array]) -> Array:
        if op.name in PLAIN:
            return PLAIN[op.name](*arrays)
        shape = jnp.broadcast_shapes(*(jnp.shape(a) for a in arrays))
        dtype = jnp.result_type(*(a for a in arrays if not isinstance(a, float)))
        return _function(op)(*(jnp.broadcast_to(jnp.asarray(a, dtype), shape) for a in arrays))

    @staticmethod
    def plain(result: Any, like: Array) -> Array:
        """Convert to the program's dtype: a choice between constants has JAX's default dtype."""
        if isinstance(result, Numbers):
            return result.array.astype(like.dtype)
        return jnp.full_like(like, float(result))


def _value(op: Op, arrays: Sequence[Array]) -> Array:
    if op.name in VALUES:
        return VALUES[op.name](*arrays)
    return JaxNumbers.run(op.forward, arrays, arrays[0])


def _partial(op: Op, part: int, arrays: Sequence[Array], out: Array) -> Array:
    partial = op.partials[part]
    if partial is None:
        return jnp.zeros_like(out)
    given = [*arrays, out]
    needed = _needed(op, part)

    def function(*some: Array) -> Array:
        numbers = dict(zip(needed, some, strict=True))
        return JaxNumbers.run(partial, [numbers.get(i, x) for i, x in enumerate(given)], out)

    return _forward_only(function)(*(given[i] for i in needed)) if needed else function()


@functools.cache
def _needed(op: Op, part: int) -> tuple[int, ...]:
    """The inputs of a partial (the arguments, then the result) on which it depends, as indices.

    The derivative with respect to the others is 0, but their own derivatives may be infinite.
    """
    partial = op.partials[part]
    assert partial is not None
    symbols = [Symbol(f"x{i}") for i in range(op.arity + 1)]
    found = free_names(partial(*symbols))
    return tuple(i for i, symbol in enumerate(symbols) if symbol.name in found)


def _forward_only(function: Callable[..., Array]) -> Callable[..., Array]:
    """An elementwise function whose derivatives of every order are computed in forward mode.

    Reverse mode would send 0 into the branches of a formula that were not taken, where a derivative
    may be infinite, and 0 times infinity is NaN. Forward mode selects between finished derivatives.
    """
    safe = jax.custom_jvp(function)

    @safe.defjvp
    def _(primals: tuple[Array, ...], tangents: tuple[Array, ...]) -> tuple[Array, Array]:
        value = safe(*primals)
        shares = [_forward_only(_along(function, k))(*primals) * t for k, t in enumerate(tangents)]
        return value, functools.reduce(jnp.add, shares, jnp.zeros_like(value))

    return safe


def _along(function: Callable[..., Array], k: int) -> Callable[..., Array]:
    """The derivative with respect to argument k."""

    def derivative(*x: Array) -> Array:
        def moved(xk: Array) -> Array:
            return function(*x[:k], xk, *x[k + 1 :])

        return jax.jvp(moved, (x[k],), (jnp.ones_like(x[k]),))[1]

    return derivative


@functools.cache
def _function(op: Op) -> Callable[..., Array]:
    """A row with the table's partials as its derivatives."""

    def value(*arrays: Array) -> Array:
        return _value(op, arrays)

    value.__name__ = op.name
    function = jax.custom_jvp(value)

    @function.defjvp
    def _(primals: tuple[Array, ...], tangents: tuple[Array, ...]) -> tuple[Array, Array]:
        out = function(*primals)
        shares = [_partial(op, i, primals, out) * t for i, t in enumerate(tangents)]
        return out, functools.reduce(jnp.add, shares)

    return function


@functools.cache
def _fold(op: Variadic) -> Callable[..., Array]:
    """A variadic row over the second axis, with the table's partials."""

    def value(*parts: Array) -> Array:
        if op.name in FOLDS:
            return FOLDS[op.name](*parts)
        return JaxNumbers.run(op.forward, columns(parts), parts[0][:, 0])

    if op.name in ("sum", "mean", "dot"):
        return value
    function = jax.custom_jvp(value)

    @function.defjvp
    def _(primals: tuple[Array, ...], tangents: tuple[Array, ...]) -> tuple[Array, Array]:
        out = function(*primals)
        slopes = [jnp.stack(JaxNumbers.slopes(op, primals, k, out), 1) for k in range(op.width)]
        shares = [(slope * moved).sum(1) for slope, moved in zip(slopes, tangents, strict=True)]
        return out, functools.reduce(jnp.add, shares)

    return function


FOLDS: dict[str, Callable[..., Array]] = {
    "sum": lambda x: x.sum(1),
    "mean": lambda x: x.mean(1),
    "dot": lambda x, y: (x * y).sum(1),
    "prod": lambda x: x.prod(1),
    "max": lambda x: x.max(1),
    "min": lambda x: x.min(1),
    "logsumexp": lambda x: jax.nn.logsumexp(x, axis=1),
}


class JaxTarget:
    """The `Target` of JAX arrays, for a fixed number of samples.

    `taken` says which samples need the results. For the others, everything is computed from safe
    numbers: their derivatives are multiplied by 0, which gives NaN if one of them is infinite.
    """

    def __init__(self, samples: int, dtype: Any, taken: Array = None) -> None:
        self.samples = samples
        self.dtype = dtype
        self.taken = taken

    def safe(self, arrays: Sequence[Array], shared: bool, number: float) -> Sequence[Array]:
        """The arrays, with this number for the samples that do not need a result."""
        if shared or self.taken is None:
            return arrays
        return [jnp.where(self.taken, x, number) for x in arrays]

    def rows(self, x: Array, which: Any) -> Array:
        steps = set(np.diff(which).tolist())
        if len(which) == 1 or steps == {1}:
            return x[int(which[0]) : int(which[-1]) + 1]
        if len(steps) == 1 and (step := steps.pop()) > 1:
            return x[int(which[0]) : int(which[-1]) + 1 : step]
        return x[which]

    def join(self, parts: Sequence[Array]) -> Array:
        if any(part.ndim > 1 for part in parts):
            parts = [jnp.broadcast_to(part, (part.shape[0], self.samples)) for part in parts]
        return jnp.concatenate(parts)

    def shape(self, x: Array, *sizes: int) -> Array:
        return x.reshape(*sizes, *x.shape[1:])

    def swap(self, x: Array) -> Array:
        return x.swapaxes(0, 1)

    def spread(self, x: Array) -> Array:
        return x[:, None]

    def constant(self, numbers: Sequence[float]) -> Array:
        return jnp.array(numbers, self.dtype)

    def apply(self, op: Op, args: Sequence[Array]) -> Array:
        if op.name not in LINEAR:
            args = self.safe(args, args[0].ndim == 1, _harmless(op))
        return JaxNumbers.apply(op, args)

    def fold(self, op: Variadic, parts: Sequence[Array], terms: int) -> Array:
        return _fold(op)(*self.safe(parts, parts[0].ndim == 2, _harmless(op)))

    def product(self, sizes: tuple[int, int, int], a: Array, x: Array, start: Array | None) -> Array:
        r, k, c = sizes
        result = a @ x.reshape(k, -1)
        if start is not None:
            result = result + start[:, None]
        return result.reshape(r * c, *x.shape[2:])

    def dots(self, a: Array, b: Array) -> Array:
        return (a * b).sum(1)

    def take(self, x: Array, index: Array, shared: bool, terms: int) -> Array:
        """Select by index. An invalid one gives NaN, because a JAX program cannot raise."""
        (index,) = self.safe([index], index.ndim == 1, 0.0)
        chosen = index[0]
        whole = (chosen == jnp.floor(chosen)) & (chosen >= 0) & (chosen < terms)
        places = jnp.where(whole, chosen, 0).astype(int)
        picked = x[:, places] if shared else jnp.take_along_axis(x, places[None, None, :], 1)[:, 0]
        return jnp.where(whole, picked, jnp.nan)

    def full(self, x: Array, shared: bool) -> Array:
        shape = x.shape[:1] if shared else (x.shape[0], self.samples)
        return jnp.broadcast_to(x, shape).astype(self.dtype)

    def scan(self, body: Body, start: Array, slices: Sequence[Array], count: int) -> tuple[Array, Array]:
        last, kept = jax.lax.scan(body, start, slices, length=count)
        return last, kept if kept is None else kept.reshape(-1, *kept.shape[2:])


class JaxSegments(Segments):
    """For the samples that do not use a masked instruction, computes it from safe inputs.

    The derivatives for these samples may be infinite, and 0 times infinity would make the gradient
    NaN. The masks are known only after a first run.
    """

    masks: JaxSegments | None = None
    target: JaxTarget

    def compute(self, instruction: Instruction) -> Array:
        if self.masks is None or instruction.masking is None:
            return super().compute(instruction)
        taken = jax.lax.stop_gradient(self.masks.argument(instruction.masking)) != 0.0
        match instruction:
            case Map(op=op):
                args = self.arguments_of_map(instruction)
                result = self.target.apply(op, [jnp.where(taken, x, _harmless(op)) for x in args])
            case Fold(op=op, terms=terms):
                parts = self.arguments(instruction)
                safe = [jnp.where(taken[:, None], x, _harmless(op)) for x in parts]
                result = self.target.fold(op, safe, terms)
        # A condition may read the result for every sample.
        rows = np.array(instruction.writes)
        return jnp.where(taken, result, jax.lax.stop_gradient(self.masks.read(instruction.shared, rows)))


def _harmless(op: Op) -> float:
    """An input at which a row and its derivatives are finite."""
    if isinstance(op, Variadic):
        return 1.0
    low, high = op.domain
    if math.isfinite(low) and math.isfinite(high):
        return low + 0.75 * (high - low)
    return low + 1.0 if math.isfinite(low) else 1.0


def run(
    program: Program,
    params: Sequence[tuple[Array, Any]],
    inputs: Sequence[tuple[Array, int]],
    samples: int,
    dtype: Any,
    taken: Array = None,
) -> list[Array]:
    """The results for every sample, each of shape (samples,); `taken` says which of them are needed."""
    target = JaxTarget(samples, dtype, taken)
    segments = JaxSegments(program, target, params, inputs)
    parts = (each for code in (program.shared, program.each) for each in code)
    bodies = (part.body if isinstance(part, Loop) else (part,) for part in parts)
    if any(each.masking is not None for body in bodies for each in body):
        segments = JaxSegments(program, target, params, inputs, masks=segments)
    return [jnp.broadcast_to(row[0], (samples,)) for row in segments.outputs()]


def run_paths(
    paths: Paths,
    params: Sequence[tuple[Array, Any]],
    inputs: Sequence[tuple[Array, int]],
    samples: int,
    dtype: Any,
) -> list[Array]:
    """The results for every sample, as `run` gives them; each sample takes one of the paths."""
    if paths.conditions is None:
        return run(paths.programs[0], params, inputs, samples, dtype)
    path = _path(paths, params, inputs, samples, dtype)
    shape = len(paths.programs[0].outputs), samples
    unknown = _unknown(path == len(paths.programs), params, inputs)
    results = jnp.broadcast_to(unknown, shape).astype(dtype)

    def computed(program: Program, taken: Array) -> Array:
        safe = [(jnp.where(taken, x, 1.0), width) for x, width in inputs]
        return jnp.stack(run(program, params, safe, samples, dtype, taken)).astype(dtype)

    for k, program in enumerate(paths.programs):
        on_path = functools.partial(computed, program, path == k)
        found = jax.lax.cond((path == k).any(), on_path, lambda: jnp.zeros(shape, dtype))
        results = jnp.where(path == k, found, results)
    return [*results]


def _path(
    paths: Paths,
    params: Sequence[tuple[Array, Any]],
    inputs: Sequence[tuple[Array, int]],
    samples: int,
    dtype: Any,
) -> Array:
    """The number of the path that each sample takes; of an unknown one, the number of known ones.

    The barrier makes XLA compute it once: a second computation, fused with other operations, may round
    a comparison to the other side.
    """
    still = jax.lax.stop_gradient
    fixed = [(still(x), which) for x, which in params], [(still(x), width) for x, width in inputs]
    assert paths.conditions is not None
    conditions = [row != 0.0 for row in run(paths.conditions, *fixed, samples, dtype)]
    fits: list[Array] = []
    for before, number, expected in paths.outcomes:
        met = conditions[number] if expected else ~conditions[number]
        fits.append(met if before < 0 else fits[before] & met)
    path = jnp.full(samples, len(paths.programs))
    for k, last in enumerate(paths.last):
        path = jnp.where(fits[last], k, path)
    barrier: Any = jax.lax.optimization_barrier
    return barrier(path)


def _unknown(
    missing: Array, params: Sequence[tuple[Array, Any]], inputs: Sequence[tuple[Array, int]]
) -> Array:
    """NaN for these samples, with all derivatives of every order; otherwise 1, with derivatives 0."""
    total = sum((x.sum() for x, _ in params), 0.0) + sum((x.sum(0) for x, _ in inputs), 0.0)
    return jnp.exp(jnp.where(missing, total, 0.0) * jnp.where(missing, jnp.nan, 0.0))
