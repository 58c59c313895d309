"""Compares every operation in single precision, on every backend, with 60-digit results.

The native and NumPy backends compute in double precision and round results when storing them. JAX and
ONNX compute in single precision, with the table's formulas and constants for that format. All results
must be within 4 float32 ulps, or more where they are ill-conditioned.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from chainrule import compile, nn, ops
from chainrule.functional import where
from chainrule.interop import export_onnx
from chainrule.value import Value, c_core

from ..conftest import require
from . import truth
from .campaigns import check
from .test_higher import second_derivatives
from .truth import SINGLE

Points = Sequence[tuple[float, ...]]
Results = list[tuple[float, list[float]]]

ROWS = [op for op in ops.TABLE if op.name in truth.TRUTH]
FOLDS = [op for op in ops.TABLE if isinstance(op, ops.Variadic)]
STORED = ["numpy"] if c_core is None else ["numpy", "native"]
every_row = pytest.mark.parametrize("op", ROWS, ids=lambda op: op.name)
every_fold = pytest.mark.parametrize("op", FOLDS, ids=lambda op: op.name)

# XLA flushes subnormal numbers to 0, even intermediate results, so results below this may be lost.
FLUSHED = {"float32": 4 * SINGLE.smallest_normal, "float64": 4 * truth.DOUBLE.smallest_normal}
KINDS = {"float32": SINGLE, "float64": truth.DOUBLE}


def applied(op: ops.Op) -> Callable[..., Any]:
    return lambda *x: Value._apply(op, x)


def columns(points: Points, dtype: str = "float32") -> list[Any]:
    return list(np.array(points, dtype).T)


def on_stored(op: ops.Op, points: Points, backend: str) -> Results:
    """Values and partials from a backend that rounds to float32 when it stores them."""
    step = compile(applied(op), backend=backend, dtype="float32", reduction="none")
    given = columns(points, "float64")
    values, slopes = step.value_and_grad(*given, argnums=range(len(given)))
    assert values.dtype == np.float32
    return list(zip(values.tolist(), np.array(slopes, float).T.tolist(), strict=True))


def on_jax(op: ops.Op, points: Points, dtype: str = "float32") -> Results:
    """Values and partials through `to_jax`, jitted and differentiated by JAX."""
    jax = require("jax")
    at = columns(points, dtype)
    f = compile(applied(op), dtype=dtype).to_jax(*at)
    values, slopes = jax.jit(lambda x: (f({}, x), jax.grad(lambda x: f({}, x).sum())(x)))(tuple(at))
    assert values.dtype == dtype
    assert all(slope.dtype == dtype for slope in slopes)
    return list(zip(values.tolist(), np.array(slopes, float).T.tolist(), strict=True))


def session(step: Any, path: Path) -> Any:
    export_onnx(step, path)
    return require("onnxruntime").InferenceSession(str(path), providers=["CPUExecutionProvider"])


def on_onnx(op: ops.Op, points: Points, path: Path) -> list[float]:
    """Values from the exported file, which has no derivatives."""
    require("onnx")
    step = compile(applied(op))
    step(*columns([points[0]], "float64"))
    run = session(step, path)
    names = [each.name for each in run.get_inputs()]
    return run.run(None, dict(zip(names, columns(points), strict=True)))[0].tolist()


def inaccuracies(
    op: ops.Op,
    known: Sequence[check.Known],
    results: Results,
    dtype: str = "float32",
    **how: Any,
) -> list[Any]:
    found = []
    for (args, true), result in zip(known, results, strict=True):
        for what, ulps in check.distances(true, *result, KINDS[dtype], **how).items():
            if not ulps <= check.LIMIT:
                found.append((op.name, what, args, result, ulps))
    return found


@pytest.mark.parametrize("backend", STORED)
@every_row
def test_backends_that_store_single_precision(op: ops.Op, backend: str) -> None:
    known = check.known(op, 500, kind=SINGLE)
    assert inaccuracies(op, known, on_stored(op, [args for args, _ in known], backend)) == []


@pytest.mark.parametrize("dtype", KINDS)
@every_row
def test_values_and_partials_on_jax(op: ops.Op, dtype: str) -> None:
    jax = require("jax")
    kind = KINDS[dtype]
    drawn = check.known(op, 700, seed=1, kind=kind)
    normal = [k for k in drawn if op.name == "where" or min(map(abs, k[0])) >= kind.smallest_normal]
    with jax.enable_x64(dtype == "float64"):
        results = on_jax(op, [args for args, _ in normal], dtype)
    # zeta is a sum, whose smaller terms are flushed before it is
    flushed = FLUSHED[dtype] * (2.0**kind.bits if op.name == "zeta" else 1.0)
    found = inaccuracies(op, normal, results, dtype, flushed=flushed)
    assert found == []


@every_row
def test_values_on_onnx(op: ops.Op, tmp_path: Path) -> None:
    points = list(check.points(op, 500, seed=2, kind=SINGLE))
    values = on_onnx(op, points, tmp_path / "op.onnx")
    true = truth.TRUTH[op.name][0]
    # onnxruntime's tanh loses bits close to the subnormal range
    flushed = 16 * SINGLE.smallest_normal if op.name == "tanh" else 0.0
    found = []
    for args, value in zip(points, values, strict=True):
        exact = tuple(map(mpf, args))
        expected = true(*exact)
        if abs(expected) < flushed:
            continue
        ulps = truth.ulps(value, expected, SINGLE) / float(truth.scale(op.name, None, exact, expected))
        if not ulps <= check.LIMIT:
            found.append((op.name, args, value, expected, ulps))
    assert found == []


def kind_of(x: float) -> str:
    return "number" if math.isfinite(x) else repr(x)


@pytest.mark.parametrize("op", [op for op in ops.TABLE if op.arity >= 0], ids=lambda op: op.name)
def test_special_values_on_jax(op: ops.Op) -> None:
    """Zeros, the largest numbers, infinities and NaN match the reference backend."""
    sizes = [0.0, 0.5, 1.0, 2.0, 3.0, float(SINGLE.largest), math.inf]
    points = list(itertools.product([*sizes, *(-x for x in sizes), math.nan], repeat=op.arity))
    results = zip(points, on_stored(op, points, "numpy"), on_jax(op, points), strict=True)
    for args, (value, slopes), (other, others) in results:
        for a, b in zip([value, *slopes], [other, *others], strict=True):
            assert kind_of(a) == kind_of(b), (op.name, args, value, slopes, other, others)
            if math.isfinite(a):
                assert abs(a - b) <= 8 * 2.0**-24 * abs(a) + FLUSHED["float32"], (op.name, args, a, b)


# --- reductions ----------------------------------------------------------------------------------


def vectors(op: ops.Variadic) -> Any:
    """Samples of six numbers each, small or large, some with ties."""
    rng = np.random.default_rng(5)
    spread = rng.choice([1e-3, 1.0, 30.0], (40, 1))
    xs = (rng.normal(size=(40, 6)) * spread).astype(np.float32)
    xs[::5, 3] = xs[::5, 0]
    return np.where(xs == 0.0, np.float32(0.5), xs)


def true_fold(op: ops.Variadic, xs: list[Any]) -> tuple[Any, Any, list[Any]]:
    """The value, the scale of its rounding errors, and the gradient."""
    n, total = len(xs), sum(mp.exp(x) for x in xs)
    half, log = n // 2, mp.log(total)
    pairs = [x * y for x, y in zip(xs[:half], xs[half:], strict=True)]
    others = [mp.fprod(xs[:i] + xs[i + 1 :]) for i in range(n)]
    tied = {"max": max(xs), "min": min(xs)}
    shares = {name: [mpf(x == best) / xs.count(best) for x in xs] for name, best in tied.items()}
    found: dict[str, tuple[Any, Any, list[Any]]] = {
        "sum": (mp.fsum(xs), mp.fsum(map(abs, xs)), [mpf(1)] * n),
        "mean": (mp.fsum(xs) / n, mp.fsum(map(abs, xs)) / n, [1 / mpf(n)] * n),
        "prod": (mp.fprod(xs), abs(mp.fprod(xs)), others),
        "dot": (mp.fsum(pairs), mp.fsum(map(abs, pairs)), xs[half:] + xs[:half]),
        "logsumexp": (log, abs(log) + max(xs) - min(xs) + 1, [mp.exp(x) / total for x in xs]),
        "max": (max(xs), abs(max(xs)), shares["max"]),
        "min": (min(xs), abs(min(xs)), shares["min"]),
        "norm": (mp.norm(xs), mp.norm(xs), [x / mp.norm(xs) for x in xs]),
    }
    return found[op.name]


@pytest.mark.parametrize("backend", [*STORED, "jax", "onnx"])
@every_fold
def test_reductions(op: ops.Variadic, backend: str, tmp_path: Path) -> None:
    """Errors are at most (n + 4) eps times the sum of absolute terms, or the scale in true_fold."""
    xs = vectors(op)
    n = xs.shape[1]
    function = lambda x: Value._apply(op, list(x))  # noqa: E731
    chosen = backend if backend in STORED else None
    step = compile(function, dtype="float32", reduction="none", backend=chosen)
    slopes: Any = None
    if backend in STORED:
        values, slopes = step.value_and_grad(xs.astype(float), argnums=0)
    elif backend == "jax":
        jax = require("jax")
        f = step.to_jax(xs)
        values = jax.jit(lambda x: f({}, x))(xs)
        slopes = jax.jit(jax.grad(lambda x: f({}, x).sum()))(xs)
    else:
        require("onnx")
        plain = compile(function)
        plain(xs.astype(float))
        run = session(plain, tmp_path / "fold.onnx")
        (values,) = run.run(None, {run.get_inputs()[0].name: xs})
    for i, row in enumerate(xs.tolist()):
        exact = [mpf(x) for x in row]
        value, scale, gradient = true_fold(op, exact)
        assert abs(mpf(float(values[i])) - value) <= (n + 4) * mpf(2) ** -24 * scale, (row, values[i])
        if slopes is None:
            continue
        for x, slope, true in zip(exact, slopes[i].tolist(), gradient, strict=True):
            bend = 1 + abs(x - max(exact)) if op.name == "logsumexp" else 1
            error = (n + 4) * bend * mpf(2) ** -24 * abs(true) + FLUSHED["float32"]
            assert abs(mpf(slope) - true) <= error, (row, slope, true)


# --- regressions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "at", "expected"),
    [
        ("gelu", 3.0, 1.0119455575942993),  # was -9.25: double constants split a float32
        ("gelu", -3.0, -0.011945541948080063),
        ("erf", 3.0, 0.00013925305194674786),
        ("erfc", 3.0, -0.00013925305194674786),
        ("div", (1e-22, 1e-20), -1e18),  # was infinite: XLA divided by 1e-40
        ("atan2", (1e-25, 1e-25), 5e24),  # was infinite: scaled by 2**600
        ("elu", (-113.5, 1.5e23), 7.650109e-27),  # was 0: exp(-113.5) is not representable in float32
    ],
)
def test_slopes_that_double_precision_constants_once_broke(name: str, at: Any, expected: float) -> None:
    point = at if isinstance(at, tuple) else (at,)
    part = 1 if name == "div" else 0
    _, slopes = on_jax(ops.BY_NAME[name], [point])[0]
    assert abs(slopes[part] - expected) <= 1e-5 * abs(expected)


def test_a_network_of_gelus_trains_in_single_precision() -> None:
    """The parameters used to become NaN within a few steps."""
    jax = require("jax")
    X = np.random.default_rng(0).normal(size=(64, 3)).astype(np.float32) * 2
    y = np.sin(X.sum(1)).astype(np.float32)
    model = nn.MLP(3, [16, 1], activation="gelu", seed=0)
    step = compile(lambda x, t: (model(x) - t) ** 2, model.parameters(), dtype="float32")
    f = step.to_jax(X, y, model=model)
    loss = jax.jit(jax.value_and_grad(lambda p: f(p, (X, y)).mean()))
    params = f.initial()
    _, grads = loss(params)
    expected = compile(lambda x, t: (model(x) - t) ** 2, model.parameters()).grad(X.astype(float), y)
    found = f.tree.flatten(grads)
    assert np.abs(found - expected).max() <= 1e-5 * np.abs(expected).max()
    losses = []
    for _ in range(60):
        value, grads = loss(params)
        params = jax.tree.map(lambda p, g: p - 0.05 * g, params, grads)
        losses.append(float(value))
    assert losses[-1] < 0.5 * losses[0]


@pytest.mark.parametrize("name", ["gelu", "erf", "erfc", "tanh", "sigmoid", "silu", "softplus", "cbrt"])
def test_second_derivatives_in_single_precision(name: str) -> None:
    """JAX differentiates the formulas of the partials, including their splits and selections."""
    jax = require("jax")
    f = compile(applied(ops.BY_NAME[name]), dtype="float32").to_jax(np.ones(1))
    point = lambda x: f({}, x[None])[0]  # noqa: E731
    second = jax.jit(jax.vmap(jax.grad(jax.grad(point))))
    at = np.array([-3.3, -1.2, -0.4, 0.3, 0.7, 2.9], np.float32)
    true = truth.TRUTH[name][1][0]
    for x, found in zip(at.tolist(), second(at).tolist(), strict=True):
        expected = mp.diff(true, mpf(x))
        scale = abs(expected) + abs(true(mpf(x)))
        assert abs(mpf(found) - expected) <= 40 * mpf(2) ** -24 * scale, (name, x, found, expected)


@pytest.mark.parametrize("op", [op for op in ROWS if op.arity == 1], ids=lambda op: op.name)
@pytest.mark.parametrize("default", KINDS)
def test_second_derivatives_at_extreme_arguments(op: ops.Op, default: str) -> None:
    """silu's at 100 used to be NaN: 0 times the infinite derivative of a branch that was not selected.

    The results must not depend on JAX's default precision, which sets the type of constants.
    """
    jax = require("jax")
    f = compile(applied(op), dtype="float32").to_jax(np.ones(1))
    sizes = np.array([1e-15, 0.3, 3.0, 50.0, 100.0, 1e4, 1e20], np.float32)
    low, high = op.domain
    at = [x for x in (*sizes.tolist(), *(-sizes).tolist()) if low < x < high]
    second = jax.jit(jax.vmap(jax.grad(jax.grad(lambda x: f({}, x[None])[0]))))
    with jax.enable_x64(default == "float64"):
        results = second(np.array(at, np.float32)).tolist()
    for x, found in zip(at, results, strict=True):
        expected = second_derivatives(op, (x,))[0][0]
        if math.isnan(expected):  # a pole
            assert math.isnan(found), (op.name, x)
        elif abs(expected) > SINGLE.largest:
            assert found == math.copysign(math.inf, expected), (op.name, x)
        else:
            # relative to the terms, which may cancel: none is larger than the first derivative
            scale = abs(expected) + abs(check.evaluate(op, (x,))[1][0])
            bound = 1e-5 * scale + FLUSHED["float32"]
            assert abs(found - expected) <= bound, (op.name, x, found, expected)


@pytest.mark.parametrize("dtype", KINDS)
def test_nested_quotients_on_jax(dtype: str) -> None:
    """XLA would rewrite a / b / c as a / (b * c), and a / (b / c) as (a * c) / b."""
    jax = require("jax")
    small, large = (1e-25, 1e25) if dtype == "float32" else (1e-200, 1e200)
    at = tuple(np.array([x], dtype) for x in (small, large))
    with jax.enable_x64(dtype == "float64"):
        f = compile(lambda x, y: [x / x / x, y / (x / x) / y, y / (y / y)], dtype=dtype).to_jax(*at)
        found = [float(row[0]) for row in jax.jit(f)({}, at)]
    for result, expected in zip(found, (1 / float(at[0][0]), 1.0, float(at[1][0])), strict=True):
        assert abs(result - expected) <= 1e-6 * expected


def test_where_passes_no_gradient_to_the_other_branch() -> None:
    jax = require("jax")
    f = compile(lambda x: where(x > 0, x.sqrt() * x.log(), x.gelu()), dtype="float32").to_jax(np.ones(1))
    at = np.array([-2.0, 0.0, 4.0], np.float32)
    slopes = jax.jit(jax.grad(lambda x: f({}, x).sum()))(at)
    expected = [-0.08523180107819926, 0.5, 0.5 * 0.5 * math.log(4) + 0.5]
    assert np.abs(np.array(slopes) - expected).max() <= 4e-7
