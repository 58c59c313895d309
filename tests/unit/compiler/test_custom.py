"""Operations defined with `custom_op` in compiled functions: the same values and derivatives as in eager
mode, with the partials that the user gave.
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
    round,
    sin,
    sqrt,
    where,
)

from ...conformance.campaigns.exports import build, in_c, in_javascript, written
from ...conftest import require
from ...near import near
from .compiled import agrees, backends

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
