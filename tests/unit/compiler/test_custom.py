"""Operations defined with `custom_op` in compiled functions and their loops: the same values and
derivatives as in eager mode, with the partials that the user gave.
"""

import math
import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chainrule import (
    Value,
    compile,
    custom_op,
    div,
    exp,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    logsumexp,
    round,
    sin,
    sqrt,
    tanh,
    value_and_grad,
    where,
)
from chainrule.compiler.pipeline import RolledPipeline
from chainrule.interop import export_onnx
from chainrule.value import c_core

from ...conformance.campaigns.exports import build, in_c, in_javascript, written
from ...conftest import require
from ...near import near
from .compiled import agrees, backends
from .loops import programs
from .loops.test_loops import require_kernels

cube = custom_op("cube", lambda x: x**3, lambda x, out: 3 * x**2)
scaled_exp = custom_op(
    "scaled_exp", lambda x, y: x * exp(y), (lambda x, y, out: exp(y), lambda x, y, out: out)
)
folded = custom_op(  # with branches
    "folded", lambda x: x * x if x > 0 else -x, lambda x, out: 2 * x if x > 0 else -1.0
)
# Partials that are not the derivatives of the value; one of them uses the result.
straight_through = custom_op("straight_through", round, lambda x, out: 1.0)
smoothed = custom_op("smoothed", round, lambda x, out: 1.0 + 0.5 * out + x * out)
root = custom_op("root", sqrt, lambda x, out: div(0.5, out))  # infinite at 0
weighted = custom_op("weighted", lambda x, n: x * n, (lambda x, n, out: n, None))

X = np.random.default_rng(0).normal(size=(12, 2))


def mixed(v: Any) -> Any:
    x, y = v
    t = cube(x * y) + smoothed(3 * x) * y + scaled_exp(x, sin(y)) + folded(x - y)
    return where(x < y, cube(t) * x, smoothed(t + y)) + (scaled_exp(x, x) if y > 0 else smoothed(y))


@backends
@pytest.mark.parametrize("samples", [1, 3, 12])
def test_every_derivative_is_that_of_eager_mode(backend: Any, samples: int) -> None:
    step = compile(mixed, batch=0, backend=backend)
    points, directions = X[:samples], X[::-1][:samples]
    pairs = [*zip(points.tolist(), directions.tolist(), strict=True)]
    assert step(points) == near([mixed([Value(a) for a in x]).data for x, _ in pairs], rel=1e-13)
    assert step.grad(points) == near([grad(mixed)(x) for x, _ in pairs], rel=1e-12)
    assert step.hessian(points) == near([hessian(mixed)(x) for x, _ in pairs], rel=1e-11)
    expected = [jvp(mixed, (x,), (d,))[1] for x, d in pairs]
    assert step.jvp((points,), (directions,))[1] == near(expected, rel=1e-12)
    expected = [hvp(mixed, (x,), (d,)) for x, d in pairs]
    assert step.hvp((points,), (directions,)) == near(expected, rel=1e-11)
    slopes = step.vjp((points,), np.full(samples, 2.0))[1]
    assert slopes[0] == near([2.0 * np.array(grad(mixed)(x)) for x, _ in pairs], rel=1e-12)


@backends
def test_vector_outputs_and_sparse_matrices(backend: Any) -> None:
    def outputs(x: Any) -> Any:
        return np.array([cube(a) + b for a, b in pairwise(x)])

    require("scipy")
    step, x = compile(outputs, batch=None, backend=backend), np.array([1.0, -2.0, 0.5, 3.0])
    assert step.jacobian(x) == near(jacobian(outputs)(x), rel=1e-15)
    matrix = step.jacobian(x, sparse=True)
    assert matrix.nnz == 6
    assert matrix.toarray() == near(step.jacobian(x), rel=1e-15)


@backends
def test_a_branch_that_is_not_taken_adds_nothing(backend: Any) -> None:
    agrees(lambda x: where(x > 0.0, root(x), x * 2.0), np.array([0.0, 4.0, -1.0]), backend=backend)
    agrees(lambda x: root(x) if x > 0.0 else x * 2.0, np.array([0.0, 4.0, -1.0]), backend=backend)


@backends
def test_an_argument_without_a_partial(backend: Any) -> None:
    step = compile(lambda x, n: weighted(x, n) + weighted(2.0, n), batch=0, backend=backend)
    by_x, by_n = step.grad([3.0, 4.0], [5.0, 6.0], argnums=(0, 1))
    assert (by_x.tolist(), by_n.tolist()) == ([5.0, 6.0], [0.0, 0.0])


@backends
def test_straight_through(backend: Any) -> None:
    agrees(lambda x: straight_through(x) ** 2, np.array([0.3, 1.7, -2.2]), backend=backend)


def test_derivatives_inside_the_function() -> None:
    third = grad(grad(grad(lambda x: cube(x) * cube(x))))
    assert compile(third, batch=0)([0.5, -1.0]) == near([third(0.5), third(-1.0)], rel=1e-13)


def test_values_alone_need_no_partials() -> None:
    step = compile(lambda x: custom_op("f", lambda x: x * x, lambda x, out: exp(sin(x)))(x), batch=0)
    step([1.0])
    assert "sin" not in step.program
    assert step.grad([1.0]).tolist() == [math.exp(math.sin(1.0))]


def test_parameters() -> None:
    w = Value(0.5)
    step = compile(lambda x: cube(w * x), batch=0, reduction="sum")
    assert step.grad([1.0, 2.0]).tolist() == [3 * 0.25 * 1 + 3 * 1.0 * 2]


def test_exports(tmp_path: Path) -> None:
    """C gives the bits of eager mode, and JavaScript those of its own functions."""

    def f(x: Any, y: Any) -> Any:
        return scaled_exp(cube(x), y) * 0.5 + folded(y) + straight_through(x)

    step = compile(f, batch=0)
    step([1.0, 1.0], [2.0, -2.0])
    point = [1.25, -0.75]
    leaves = [Value(x) for x in point]
    out = f(*leaves)
    out.backward()
    call = "f", [], point
    expected = out.data, [], [leaf.grad for leaf in leaves]
    assert in_c(build(tmp_path, written({"f": step}, "c")), call) == expected
    (value, _, grads) = in_javascript(tmp_path, written({"f": step}, "javascript"), [call])[0]
    assert [value, *grads] == near([expected[0], *expected[2]], rel=1e-14)


def test_jax() -> None:
    jax = require("jax")
    step = compile(lambda x: smoothed(x) * cube(x), batch=0)
    points = np.array([0.3, -1.2, 2.4])
    step(points)
    with jax.enable_x64(True):
        f = step.to_jax()
        value = lambda x: f(f.initial(), (x[None],))[0]  # noqa: E731
        slopes = [float(jax.grad(value)(jax.numpy.array(x))) for x in points]
        curvatures = [float(jax.hessian(value)(jax.numpy.array(x))) for x in points]
    assert slopes == near(step.grad(points), rel=1e-13)
    assert curvatures == near(step.hessian(points), rel=1e-13)


def test_a_formula_that_takes_floats_alone() -> None:
    sine = custom_op("sine", lambda x: math.sin(x), lambda x, out: math.cos(x))
    with pytest.raises(TypeError, match="converting a Value to a plain number") as caught:
        compile(lambda x: sine(x))([1.0])
    assert caught.value.__notes__ == [
        "this happened in the custom operation 'sine': inside a compiled function, its value and its "
        "partials take Values, so they need operators and chainrule's functions instead of those of math"
    ]


def test_a_custom_operation_computed_before_compiling() -> None:
    x = Value(2.0)
    with pytest.raises(TypeError, match="with custom_op can only be compiled if the compiled function"):
        compile(cube(x), inputs=[x])([1.0])


def forward(x: Any) -> Any:
    return x * x


def partial(x: Any, out: Any) -> Any:
    return 2.0 * x


def test_a_pickled_operation_compiles() -> None:
    square = pickle.loads(pickle.dumps(custom_op("square_here", forward, partial)))
    assert compile(square, batch=0).grad([3.0]).tolist() == [6.0]


# --- loops ------------------------------------------------------------------------------------------

STARTS = np.random.default_rng(1).normal(size=12) * 0.5
SERIES = np.random.default_rng(2).normal(size=(12, 40)) * 0.7


def recurrence(x: Any, series: Any) -> Any:
    """Carries a number through custom operations, and adds up another."""
    total = 0.0
    for y in series:
        x = sin(cube(x) * 0.3 + scaled_exp(y, -x * x) * 0.5) + 0.1 * x * y
        total = total + smoothed(2.0 * x + y) * 0.2 + straight_through(3.0 * y) * x
    return total * x


def collected(x: Any, series: Any) -> Any:
    """A list of what a loop computes, some of it without x."""
    parts = []
    for y in series:
        x = 0.5 * smoothed(x) + cube(y)
        parts.append(scaled_exp(y, tanh(x)))
    return logsumexp(parts) + scaled_exp(x, 0.5)


def guarded(x: Any, series: Any) -> Any:
    """Infinite partials in branches that are not taken; its masks keep it from being a loop."""
    total = 0.0
    for y in series:
        x = where(y > 0.0, root(y) * x, sin(x) + y)
        total = total + where(x > 0.0, root(x), smoothed(x))
    return total


loops = pytest.mark.parametrize("f", [recurrence, collected])


def is_rolled(step: Any) -> bool:
    (variants,) = step.variants.values()
    return isinstance(variants[0].pipeline, RolledPipeline)


@backends
@pytest.mark.parametrize("samples", [1, 3, 12])
@pytest.mark.parametrize("f", [recurrence, collected, guarded])
def test_loops(f: Any, samples: int, backend: Any) -> None:
    step, points = compile(f, batch=0, backend=backend), (STARTS[:samples], SERIES[:samples])
    values, (by_start, by_series) = step.value_and_grad(*points, argnums=(0, 1))
    expected = [value_and_grad(f, argnums=(0, 1))(*point) for point in zip(*points, strict=True)]
    assert is_rolled(step) == (f is not guarded)
    assert values == near([value for value, _ in expected], rel=1e-12)
    assert step(*points) == near(values, rel=1e-14)
    assert by_start == near([grads[0] for _, grads in expected], rel=1e-11)
    assert by_series == near([grads[1] for _, grads in expected], rel=1e-11, abs=1e-14)


@backends
@loops
def test_second_derivatives_of_loops(f: Any, backend: Any) -> None:
    step, points, directions = (
        compile(f, batch=0, backend=backend),
        (STARTS[:3], SERIES[:3]),
        SERIES[3:6],
    )
    pairs = [*zip(*points, directions, strict=True)]
    tangents = STARTS[:3], directions
    expected = [jvp(f, (x, y), (x, d))[1] for x, y, d in pairs]
    assert step.jvp(points, tangents)[1] == near(expected, rel=1e-11)
    expected = [hvp(f, (x, y), (x, d)) for x, y, d in pairs]
    by_start, by_series = step.hvp(points, tangents)
    assert by_start == near([start for start, _ in expected], rel=1e-10)
    assert by_series == near([series for _, series in expected], rel=1e-10, abs=1e-13)
    expected = [hessian(lambda x, y=y: f(x, y))(x) for x, y, _ in pairs]
    assert step.hessian(*points) == near(expected, rel=1e-10)


in_branches = custom_op(  # each partial is 0 where the other argument is chosen
    "in_branches",
    lambda x, y: where(x < y, x * x, sqrt(where(y > 0.0, y, 1.0))),
    (
        lambda x, y, out: where(x < y, 2.0 * x, 0.0),
        lambda x, y, out: where(x < y, 0.0, where(y > 0.0, div(0.5, out), 0.0)),
    ),
)
bounded = custom_op("bounded", lambda x, n: x * tanh(n), (lambda x, n, out: tanh(n), None))
growing = custom_op(
    "growing",
    lambda x, y: x * exp(tanh(y)),
    (lambda x, y, out: exp(tanh(y)), lambda x, y, out: out * (1.0 - tanh(y) ** 2)),
)


@pytest.mark.parametrize("kernels", [False, True])
def test_random_loops(kernels: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The random programs of the loops, with custom operations."""
    monkeypatch.setenv("CHAINRULE_KERNELS", "off")
    if kernels:
        require_kernels(monkeypatch)
    monkeypatch.setattr(programs, "UNARY", [straight_through, cube, sin, lambda x: -x])
    others = [in_branches, bounded, growing, lambda x, y: x + y]
    monkeypatch.setattr(programs, "BINARY", others)
    seeds = range(4 if kernels else 20)
    assert sum(programs.check(seed) for seed in seeds) > len(seeds) / 5


@pytest.mark.skipif(c_core is None, reason="needs the compiled core")
@loops
def test_kernels_of_loops_repeat_every_bit(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for mode in ("off", "wait"):
        require_kernels(monkeypatch)
        monkeypatch.setenv("CHAINRULE_KERNELS", mode)
        step = compile(f, batch=0)
        value, grads = step.value_and_grad(STARTS, SERIES, argnums=(0, 1))
        found.append([step(STARTS, SERIES).tobytes(), value.tobytes(), *(g.tobytes() for g in grads)])
        assert ("built in" in step.program) == (mode == "wait")
    assert found[0] == found[1]


def in_eager_mode(f: Any, x: float, series: Any) -> Any:
    """The value, with the gradients of parameters, of which there are none, and of inputs."""
    leaves = [Value(number) for number in (x, *series)]
    out = f(leaves[0], leaves[1:])
    out.backward()
    return out.data, [], [leaf.grad for leaf in leaves]


@loops
def test_exported_loops(f: Any, tmp_path: Path) -> None:
    step = compile(f, batch=0)
    step(STARTS, SERIES)
    call = f.__name__, [], [STARTS[0], *SERIES[0]]
    expected = in_eager_mode(f, STARTS[0], SERIES[0])
    sources = written({f.__name__: step}, "c")
    assert "for (" in sources[f.__name__]
    assert in_c(build(tmp_path, sources), call) == expected
    (found,) = in_javascript(tmp_path, written({f.__name__: step}, "javascript"), [call])
    for ours, theirs in zip(found, expected, strict=True):
        assert ours == near(theirs, rel=1e-12, abs=1e-14)


@loops
def test_loops_as_onnx(f: Any, tmp_path: Path) -> None:
    require("onnx")
    step = compile(f, batch=0)
    expected = step(STARTS, SERIES)
    export_onnx(step, tmp_path / "model.onnx", dtype=np.float64)
    session = require("onnxruntime").InferenceSession(str(tmp_path / "model.onnx"))
    names = [each.name for each in session.get_inputs()]
    (found,) = session.run(None, dict(zip(names, (STARTS, SERIES), strict=True)))
    assert np.ravel(found) == near(expected, rel=1e-12)


def test_loops_in_jax() -> None:
    jax = require("jax")
    step, points = compile(recurrence, batch=(0, 0)), (STARTS[:3], SERIES[:3])
    values, grads = step.value_and_grad(*points, argnums=(0, 1))
    with jax.enable_x64(True):
        function = step.to_jax(*points)

        def total(x: Any, series: Any) -> Any:
            return function(function.initial(), (x, series)).sum()

        value, found = jax.jit(jax.value_and_grad(total, argnums=(0, 1)))(*points)
        assert "scan[" in str(jax.make_jaxpr(total)(*points))
    assert value == near(values.sum(), rel=1e-12)
    for ours, theirs in zip(found, grads, strict=True):
        assert np.asarray(ours) == near(theirs, rel=1e-10, abs=1e-13)
