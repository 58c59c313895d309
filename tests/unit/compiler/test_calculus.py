"""Functions of vectors and their derivatives: batch axes, trees, decorators, errors."""

import copy
import math
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest

import chainrule
from chainrule import Value, compile, dot, exp, grad, hessian, jacobian, sin, sqrt, sum, tanh, where
from chainrule.compiler.calculus import derivatives, sparsity
from chainrule.compiler.calculus.derivatives import Derivatives
from chainrule.compiler.inputs import Inputs

from ...conftest import python, require
from ...near import near
from .compiled import BACKENDS, backends


def quadratic(x: Any) -> Any:
    return x[0] ** 2 * x[1] + sin(x[1])


@compile(batch=None)
def decorated(x: Any, scale: Any = 2.0) -> Any:
    """A function of a vector."""
    return scale * dot(x, x)


class Point(NamedTuple):
    x: Any
    y: Any


@dataclass
class Model:
    weights: Any
    bias: Any
    name: str = "model"


class Line:
    """A class with a compiled method."""

    def __init__(self, slope: float) -> None:
        self.slope = Value(slope)

    @compile(batch=0)
    def at(self, x: Any) -> Any:
        return self.slope * x


# --- batch axes ----------------------------------------------------------------------------------


@backends
def test_a_function_of_one_vector(backend: Any) -> None:
    step = compile(quadratic, batch=None, backend=backend)
    x = np.array([2.0, 3.0])
    assert step(x) == 12.0 + math.sin(3.0)
    assert step.grad(x) == near(grad(quadratic)(x), rel=1e-15)
    assert step.hessian(x) == near(hessian(quadratic)(x), rel=1e-14)
    assert step.hvp((x,), (np.array([1.0, -1.0]),)) == near([2.0, 4.0 + math.sin(3.0)], rel=1e-14)
    assert step.grad([2.0, 3.0]) == step.grad(x).tolist()  # a list for a list


@backends
def test_shared_arguments(backend: Any) -> None:
    step = compile(lambda w, x: tanh(dot(w, x)), batch=(None, 0), backend=backend)
    w, X = np.array([0.5, -0.25]), np.arange(6.0).reshape(3, 2)
    assert step(w, X) == near(np.tanh(X @ w), rel=1e-15)
    slopes = 1.0 / np.cosh(X @ w) ** 2
    values, (by_w, by_x) = step.value_and_grad(w, X, argnums=(0, 1))
    assert values == near(np.tanh(X @ w), rel=1e-15)
    assert by_w == near(slopes @ X, rel=1e-14)  # summed over the samples
    assert by_x == near(slopes[:, None] * w, rel=1e-14)  # one for each sample
    assert step.jacobian(w, X) == near(slopes[:, None] * X, rel=1e-14)
    mean = compile(lambda w, x: tanh(dot(w, x)), batch=(None, 0), reduction="mean", backend=backend)
    assert mean.grad(w, X) == near(slopes @ X / 3, rel=1e-14)


def test_batch_axes_by_tree_by_name_and_at_any_place() -> None:
    def f(model: Any, x: Any) -> Any:
        return dot(model["w"], x) + model["b"]

    w, b, X = np.array([1.0, 2.0]), np.array([0.0, 10.0, 20.0]), np.arange(6.0).reshape(2, 3)
    expected = w @ X + b
    for batch in (
        ({"w": None, "b": 0}, 1),
        ({"w": None, "b": 0}, -1),
        {"model": {"w": None, "b": 0}, "x": 1},
    ):
        step = compile(f, batch=batch)
        assert step({"w": w, "b": b}, X).tolist() == expected.tolist()
        gradient = step.grad({"w": w, "b": b}, X, argnums=1)
        assert gradient.tolist() == np.tile(w[:, None], 3).tolist()  # shaped like X


def test_the_batch_axis_comes_first_in_every_result() -> None:
    X = np.random.default_rng(0).normal(size=(2, 2))  # square: a transposed result would not be noticed

    def vector(x: Any) -> Any:
        return np.array([x[0] * x[1], x[0], x[1] ** 3])

    for derivative in (vector, grad(quadratic), jacobian(vector), hessian(quadratic)):
        found = compile(derivative)(X)
        expected = np.array([np.array(derivative(x), float) for x in X])
        assert found.shape == expected.shape
        assert found == near(expected, rel=1e-14)


def test_vectors_that_may_be_one_sample_or_a_batch() -> None:
    x = np.array([1.0, 2.0, 3.0])
    both = (
        r"one sample or a batch of numbers, and this function takes both: use compile\(f, batch=None\)"
    )
    for function in (sum, lambda v: chainrule.max(v) * 2.0, lambda v: v - sum(v)):
        with pytest.raises(TypeError, match=both):
            compile(function)(x)
        assert compile(function, batch=0)(x).shape == (3,)
    one = r"this function takes a vector, but was given a batch of numbers: use compile\(f, batch=None\)"
    with pytest.raises(TypeError, match=one):
        compile(quadratic)(np.array([1.0, 2.0]))
    for elementwise in (
        sin,
        lambda v: v**2 + 1.0,
        lambda v: [v, 2.0 * v],
        lambda v: where(v < 2.0, v, 0.0),
    ):
        np.testing.assert_array_equal(compile(elementwise)(x), compile(elementwise, batch=0)(x))
    assert compile(lambda v, k: v * k)(x, 2.0).tolist() == [2.0, 4.0, 6.0]


# --- trees, keywords, decorators -----------------------------------------------------------------


@pytest.mark.parametrize("make", [Point, Model, lambda x, y: {"x": x, "y": y}, lambda x, y: (x, y)])
def test_trees_of_arrays(make: Callable[[Any, Any], Any]) -> None:
    def parts(p: Any) -> list[Any]:
        inside = vars(p) if isinstance(p, Model) else p
        return [*(inside.values() if isinstance(inside, dict) else inside)][:2]

    def f(p: Any) -> Any:
        w, b = parts(p)
        return dot(w, [1.0, 3.0]) * b

    p = make(np.array([1.0, 2.0]), np.array(4.0))
    gradient = compile(f, batch=None).grad(p)
    assert type(gradient) is type(p)
    by_w, by_b = parts(gradient)
    assert (by_w.tolist(), by_b) == ([4.0, 12.0], 7.0)
    batched = make(np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([4.0, 5.0]))
    assert compile(f, batch=0)(batched).tolist() == [28.0, 15.0]


def test_arguments_by_name() -> None:
    x = np.array([1.0, 2.0])
    assert decorated(x) == decorated(x=x) == 10.0
    assert decorated(x, scale=3.0) == decorated(scale=3.0, x=x) == 15.0
    assert decorated.grad(x, scale=3.0, argnums=1) == 5.0
    batched = compile(decorated.__wrapped__, batch=(0, None))
    X = np.array([[1.0, 2.0], [0.0, 1.0]])
    assert (batched(X).tolist(), batched(X, 3.0).tolist()) == ([10.0, 2.0], [15.0, 3.0])

    def only_by_name(x: Any, *, power: Any) -> Any:
        return x**power

    step = compile(only_by_name, batch=0)
    power = np.array([2.0, 3.0])
    assert step(x, power=power) == near([1.0, 8.0], rel=1e-15)
    assert step.grad(x, power=power, argnums="power") == near([0.0, 8.0 * math.log(2)], rel=1e-15)
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        step(power=x)


def test_a_decorated_function_looks_like_itself_and_pickles() -> None:
    assert (decorated.__name__, decorated.__doc__) == ("decorated", "A function of a vector.")
    assert decorated.__wrapped__([1.0, 2.0]) == 10.0
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    step = compile(quadratic, batch=None)
    again = pickle.loads(pickle.dumps(step))
    assert again([2.0, 3.0]) == step([2.0, 3.0])
    assert repr(step.program) == str(step.program)  # readable in a notebook


def test_methods() -> None:
    a, b = Line(2.0), Line(3.0)
    x = np.array([1.0, 2.0])
    assert (a.at(x).tolist(), b.at(x).tolist()) == ([2.0, 4.0], [3.0, 6.0])
    assert a.at is a.at
    assert a.at.grad(x).tolist() == [3.0]
    a.slope.data = 10.0
    assert a.at(x).tolist() == [10.0, 20.0]
    other = copy.deepcopy(a)
    other.slope.data = 1.0
    assert (other.at(x).tolist(), a.at(x).tolist()) == ([1.0, 2.0], [10.0, 20.0])
    assert pickle.loads(pickle.dumps(a)).at(x).tolist() == [10.0, 20.0]
    assert pickle.loads(pickle.dumps(a.at))(x).tolist() == [10.0, 20.0]


def test_with_values_a_compiled_function_is_the_function_itself() -> None:
    step = compile(quadratic, batch=None)
    x = [Value(2.0), Value(3.0)]
    y = step(x)
    y.backward()
    assert [v.grad for v in x] == grad(quadratic)([2.0, 3.0])
    assert grad(lambda v: step(v) ** 2)([2.0, 3.0]) == grad(lambda v: quadratic(v) ** 2)([2.0, 3.0])
    assert hessian(step)([2.0, 3.0]) == hessian(quadratic)([2.0, 3.0])
    outer = compile(lambda v: step(v) * v[0], batch=None)
    assert outer.grad([2.0, 3.0]) == near(grad(lambda v: quadratic(v) * v[0])([2.0, 3.0]), rel=1e-15)
    inner = compile(lambda x, k: k * x, batch=(0, None))
    assert inner(np.array([1.0, 2.0]), 3.0).tolist() == [3.0, 6.0]
    closed = grad(lambda k: sum(compile(lambda x: k * x, batch=0)(np.array([1.0, 2.0]))))(3.0)
    assert closed == 3.0


def test_branches_in_threads() -> None:
    """Two threads that trace different paths at the same time had mixed them up."""
    points = np.linspace(-3.0, 3.0, 7)
    expected = [math.copysign(k, k) * (1 + abs(int(k))) for k in points]
    for _ in range(20):

        def paths(x: Any) -> Any:
            for k in range(4):
                if x * x <= k * k:
                    return x * (1 + k)
            return x

        step = compile(paths, batch=0)
        with ThreadPoolExecutor(7) as pool:
            found = [*pool.map(step, [np.roll(points, i) for i in range(7)])]
        for i, values in enumerate(found):
            assert values == near(np.roll(expected, i), rel=1e-15)


# --- derivatives ---------------------------------------------------------------------------------


def test_auxiliary_results() -> None:
    def f(x: Any) -> Any:
        return dot(x, x), {"sum": sum(x), "name": "f", "parts": np.array([x[0], x[1]])}

    x = np.array([3.0, 4.0])
    (value, aux), gradient = compile(f, batch=None).value_and_grad(x, has_aux=True)
    assert (value, aux["sum"], aux["name"], gradient.tolist()) == (25.0, 7.0, "f", [6.0, 8.0])
    gradient, aux = compile(f, batch=0).grad(np.array([[3.0, 4.0], [1.0, 0.0]]), has_aux=True)
    assert gradient.tolist() == [[6.0, 8.0], [2.0, 0.0]]
    assert (aux["sum"].tolist(), aux["parts"].tolist()) == ([7.0, 1.0], [[3.0, 4.0], [1.0, 0.0]])
    _, aux = compile(f, batch=None).hessian(x, has_aux=True)
    assert aux["parts"].tolist() == [3.0, 4.0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_infinite_derivative_elsewhere_does_not_become_nan(backend: Any) -> None:
    """With unit directions, 0 times the infinite slope of sqrt at 0 would be NaN in other entries."""

    def f(x: Any) -> Any:
        return np.array([x[0] + sqrt(x[1]), x[0] * x[0], x[1]])

    for transposed in (False, True):
        step = compile((lambda x: f(x)[:1]) if transposed else f, batch=None, backend=backend)
        found = step.jacobian(np.array([2.0, 0.0]))
        expected = np.array([[1.0, math.inf], [4.0, 0.0], [0.0, 1.0]])
        np.testing.assert_array_equal(found, expected[:1] if transposed else expected)


def test_forward_or_reverse_by_shape() -> None:
    """A Jacobian takes as many passes as the smaller of its sides."""
    step = compile(lambda x: np.array([exp(x[0] * k) for k in range(200)]), batch=None)
    step.jacobian(np.array([0.5]))
    ((variants,),) = [step.variants.values()]
    assert {key[1] for key in variants[0].pipelines} == {"forward"}
    wide = compile(lambda x: np.array([dot(x, x), x[0]]), batch=None)
    wide.jacobian(np.ones(100))
    ((variants,),) = [wide.variants.values()]
    assert {key[1] for key in variants[0].pipelines} == {"reverse"}


def test_sparse_matrices() -> None:
    require("scipy")
    n = 300

    def rosenbrock(x: Any) -> Any:
        return sum([100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2 for i in range(n - 1)])

    x = np.random.default_rng(0).normal(size=n)
    step = compile(rosenbrock, batch=None)
    sparse = step.hessian(x, sparse=True)
    assert sparse.nnz == 3 * n - 2
    assert sparse.toarray() == near(step.hessian(x), rel=1e-12)
    residuals = compile(lambda x: np.array([x[i] * x[(i + 1) % n] for i in range(n)]), batch=None)
    matrix = residuals.jacobian(x, sparse=True)
    assert matrix.nnz == 2 * n
    assert matrix.toarray() == near(residuals.jacobian(x), rel=1e-14)


ROWS_OF_FOLDS: dict[str, Callable[[Any], Any]] = {
    "operations": lambda x: sin(x[0] * x[1]) + x[2] / x[3] - x[4] + where(x[0] < x[5], x[1] ** 2, x[2]),
    "power": lambda x: x[0] ** x[1] + x[2] ** 3 + chainrule.atan2(x[3], x[4]) * chainrule.abs(x[5]),
    "a sum of sums": lambda x: sum([sum(x[:3]) ** 2, sum(x[2:])]),
    "folds": lambda x: chainrule.logsumexp(x[:3]) + dot(x[:2], x[2:4]) + chainrule.max(x[4:]),
    "a product": lambda x: chainrule.prod(x[:4]) + x[4] * x[4],
    "a norm": lambda x: chainrule.hypot(x[0], x[1]) + chainrule.mean(x[2:]) * x[5],
    "take": lambda x: chainrule.take([x[1] * x[2], x[3]], where(x[0] < 100.0, 1.0, 0.0)) * x[4],
    "constant": lambda x: x[0] * 0.0 + 3.0,
    "linear": lambda x: 2.0 * x[0] - x[3],
}


@pytest.mark.skipif(chainrule.core != "c", reason="compares the C core with the reference")
@pytest.mark.parametrize("name", ROWS_OF_FOLDS)
def test_patterns_and_colours_are_the_same_in_c_and_in_python(name: str) -> None:
    step = compile(lambda x: [ROWS_OF_FOLDS[name](x), x[1] * x[2]], batch=None)
    x = np.linspace(0.3, 1.3, 6)
    step(x)
    ((variant,),) = step.variants.values()
    for source in (variant.trace.source, variant.simplified):
        for chosen in (np.arange(6), np.array([4, 1, 0])):
            for shared in (np.zeros(len(chosen), bool), np.ones(len(chosen), bool)):
                for find, outputs in ((sparsity.hessian, [0]), (sparsity.jacobian, [0, 1])):
                    rows, cols = find(source, outputs, shared, chosen)
                    expected = find(source.unpack(), outputs, shared, chosen)
                    assert (rows.tolist(), cols.tolist()) == tuple(each.tolist() for each in expected)
                    shape = (len(chosen) if find is sparsity.hessian else 2, len(chosen))
                    found = sparsity.coloured(rows, cols, shape)
                    if len(set(found.tolist())) < shape[1]:
                        assert found.tolist() == sparsity.coloured_in_python(rows, cols, shape).tolist()
                    both = np.zeros(shape)
                    both[rows, cols] = 1
                    for colour in set(found.tolist()):
                        assert both[:, found == colour].sum(axis=1).max(initial=0) <= 1


def test_a_sparse_pattern_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    require("scipy")
    step = compile(lambda x: [x[0] * x[1], x[2] ** 2], batch=None)
    first = step.jacobian(np.array([1.0, 2.0, 3.0]), sparse=True)
    for name in ("jacobian", "coloured"):
        monkeypatch.setattr(sparsity, name, None)
    first.data[:] = first.indices[:] = 0  # the matrix is the caller's, not the plan's
    second = step.jacobian(np.array([4.0, 5.0, 6.0]), sparse=True)
    assert second.toarray().tolist() == [[5.0, 4.0, 0.0], [0.0, 0.0, 12.0]]


def test_sparse_matrices_of_many_variables() -> None:
    """Without a step that grows with the square of their number."""
    require("scipy")
    n = 10_000 if chainrule.core == "c" else 500
    step = compile(lambda x: sum([(a - b) ** 4 for a, b in pairwise(x)]), batch=None)
    x = np.random.default_rng(0).normal(size=n)
    curvature = 12.0 * np.diff(x) ** 2
    matrix = step.hessian(x, sparse=True)
    assert matrix.nnz == 3 * n - 2
    assert matrix.diagonal(1) == near(-curvature, rel=1e-12)
    assert matrix.diagonal() == near(np.append(curvature, 0) + np.insert(curvature, 0, 0), rel=1e-12)


@backends
@pytest.mark.parametrize("samples", [3, 40])
def test_hessians_of_many_samples(backend: Any, samples: int) -> None:
    """From one program for all directions, or from one for each: in any order, with branches."""

    def f(x: Any, y: Any) -> Any:
        return x[0] ** 2 * y * sin(x[1]) + exp(y * x[1]) if x[0] < y else x[1] / x[0] * y**3

    rng = np.random.default_rng(0)
    x, y = rng.uniform(0.5, 2.0, (samples, 2)), rng.uniform(0.5, 2.0, samples)
    step = compile(f, batch=0, backend=backend)
    (yy, yx), (xy, xx) = step.hessian(x, y, argnums=(1, 0))
    assert len(step.traces()) == 2
    mean = compile(f, batch=0, backend=backend, reduction="mean").hessian(x, y, argnums=0)
    assert mean == near(xx / samples, rel=1e-14)
    single = compile(f, batch=0, dtype=np.float32, backend=backend).hessian(x, y)
    assert single.dtype == np.float32
    for i in range(samples):
        eager = np.array(hessian(lambda z: f(z[:2], z[2]))([*x[i], y[i]]))
        a, b, d = eager[2, 2], eager[2, :2], eager[:2, :2]
        for found, expected in ((yy[i], a), (yx[i], b), (xy[i], b), (xx[i], d)):
            assert np.array(found) == near(np.array(expected, float), rel=1e-12, abs=1e-14)
        assert single[i] == near(np.array(d, float), rel=1e-5, abs=1e-5)


def test_hessians_of_many_samples_with_an_infinite_slope_elsewhere() -> None:
    """A derivative that is not used must not spoil the others, in one program as in several."""
    step = compile(lambda x: where(x[0] > 0.0, sqrt(x[0]), 0.0) + x[1] ** 2, batch=0)
    x = np.array([[0.0, 3.0]] * 20)
    assert step.hessian(x).tolist() == [[[0.0, 0.0], [0.0, 2.0]]] * 20


def test_hessians_of_long_programs_are_computed_one_direction_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One program for all of them would have the nodes of the function for each pair of directions."""
    step = compile(lambda x: exp(x[0] * x[1]) + x[2] ** 3, batch=0)
    x = np.linspace(0.1, 0.9, 60).reshape(20, 3)
    call = step.derivatives((x,), {}, None, False)
    nodes = sum(len(variant.simplified) for variant, _ in call.partition)
    monkeypatch.setattr(derivatives, "MOST_NODES", nodes * 3**2)
    at_once = call.hessian_at_once()
    assert at_once is not None
    monkeypatch.setattr(derivatives, "MOST_NODES", nodes * 3**2 - 1)
    assert call.hessian_at_once() is None
    assert step.hessian(x) == near(at_once, rel=1e-14)


def test_the_derivative_of_a_square_stays_simple() -> None:
    """The formula for any exponent takes some thirty operations."""
    step = compile(lambda x: (x[0] - x[1] ** 2) ** 2, batch=None)
    x = np.array([1.0, 2.0])
    assert step.hessian(x) == near(np.array([[2.0, -8.0], [-8.0, 44.0]]), rel=1e-15)
    ((variant,),) = step.variants.values()
    ((graph,),) = [[pipe.graph for pipe in variant.pipelines.values()]]
    size = len(graph) if chainrule.core != "c" else chainrule.value.c_core.graph_sizes(graph)[0]
    assert size < 25


# --- errors --------------------------------------------------------------------------------------


def wrong(function: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        function()
    assert str(caught.value) == text


def test_errors() -> None:
    x, one = np.array([1.0, 2.0]), compile(quadratic, batch=None)
    wrong(
        lambda: one.jacobian(x),
        TypeError,
        "jacobian needs a function with several outputs; for one number, use grad",
    )
    wrong(
        lambda: compile(lambda x: [x[0], x[1]], batch=None).grad(x),
        TypeError,
        "a gradient or a Hessian needs a function that returns one Value, but this one returns 2: "
        "use jacobian",
    )
    wrong(
        lambda: compile(lambda x: (dot(x, x), {1, 2}), batch=None).grad(x, has_aux=True),
        chainrule.compiler.CompileError,
        "a compiled function must return Values, or lists or dicts of them, got set",
    )
    wrong(
        lambda: one.grad(x, has_aux=True),
        TypeError,
        "has_aux=True needs a function that returns a pair, (value, aux)",
    )
    wrong(
        lambda: compile(quadratic, batch=(0, None))(x),
        ValueError,
        "batch has 2 entries, but there are 1 arguments or parts",
    )
    wrong(
        lambda: one.jvp((x,), (np.ones(3),)),
        ValueError,
        "a tangent must have the shape of its argument, (2,), got (3,)",
    )
    wrong(
        lambda: one.vjp((x,), np.ones(3)),
        ValueError,
        "a cotangent must have the shape (), got (3,)",
    )
    two = compile(lambda x, y: x * y, batch=None)
    wrong(lambda: two.jvp((1.0, 2.0), (1.0,)), ValueError, "expected 2 tangents, got 1")
    wrong(lambda: two.jvp((1.0, 2.0), (), argnums=(1,)), ValueError, "expected 1 tangent, got 0")
    wrong(
        lambda: compile(lambda x: x * x, batch=0).hessian(x, sparse=True),
        ValueError,
        "sparse=True needs a function without a batch axis: compile(f, batch=None)",
    )
    wrong(
        lambda: grad(lambda k: one.grad(np.array([1.0, 2.0]))[0] * k)(2.0),
        TypeError,
        "the derivatives of a compiled function are plain numbers: for Values, and inside a function "
        "that is differentiated or compiled, use grad, jacobian ... of the function",
    )


def test_an_array_that_is_shared_by_mistake() -> None:
    shared = compile(lambda w, x: dot(w, x), batch=(None, 0))
    with pytest.raises(ValueError, match="dot takes sequences of the same length") as caught:
        shared(np.ones((3, 2)), np.ones((3, 2)))
    assert caught.value.__notes__ == [
        "argument 0 is shared by all samples (batch=None), but its shape is (3, 2), with one entry for "
        "each sample: is batch=0 meant?"
    ]


# --- what a review found --------------------------------------------------------------------------


@pytest.mark.parametrize("ties", [2, 3, 4])
def test_second_derivatives_of_logsumexp_where_several_are_largest(ties: int) -> None:
    """They were wrong for three equal logits or more."""
    for xs in ([0.0] * ties, [*[2.0] * ties, 1.0, -1.0]):
        p = np.exp(xs) / np.exp(xs).sum()
        expected = np.diag(p) - np.outer(p, p)
        assert np.array(hessian(chainrule.logsumexp)(xs)) == near(expected, rel=1e-14)
        assert compile(chainrule.logsumexp, batch=None).hessian(np.array(xs)) == near(
            expected, rel=1e-14
        )


@dataclass
class Option:
    kind: str
    strike: Any


def test_what_is_not_a_number_is_part_of_the_trace() -> None:
    def payoff(option: Any, price: Any) -> Any:
        return price - option.strike if option.kind == "call" else option.strike - price

    step = compile(payoff, batch=None)
    assert (step(Option("call", 2.0), 5.0), step(Option("put", 2.0), 5.0)) == (3.0, -3.0)
    kinds = compile(lambda p: p[0] if isinstance(p, tuple) else p[1], batch=None)
    a, b = np.array(1.0), np.array(2.0)
    assert (kinds((a, b)), kinds([a, b])) == (1.0, 2.0)


@backends
def test_a_parameter_of_another_branch(backend: Any) -> None:
    p, q = Value(2.0), Value(5.0)

    def f(x: Any) -> Any:
        return x * p if x > 0 else x * q * q

    values, gradient = compile(f, batch=0, backend=backend).value_and_grad(
        np.array([1.0, 2.0, -1.0, 3.0])
    )
    assert (values.tolist(), gradient.tolist()) == ([2.0, 4.0, -25.0, 6.0], [6.0, -10.0])
    step = compile(lambda x: x * x if x > 0 else x * q, batch=0, backend=backend)
    assert step.grad(np.array([1.0, 1.0])).tolist() == [2.0, 2.0]
    with pytest.raises(TypeError, match="uses parameters on some branches only: pass argnums"):
        step.grad(np.array([1.0, -1.0]))


def test_products_with_vectors_are_those_of_the_primals() -> None:
    """Not of the parameters, as `value_and_grad` is by default."""
    p = Value(2.0)
    assert compile(lambda x: x * x * p, batch=None).hvp((3.0,), (1.0,)) == 4.0
    assert compile(lambda x: x * p, batch=None).jvp((3.0,), (1.0,)) == (6.0, 2.0)


def test_tangents_and_cotangents_are_matched_by_name() -> None:
    step = compile(lambda d: d["a"] - 10.0 * d["b"], batch=None)
    assert step.jvp(({"a": 1.0, "b": 2.0},), ({"b": 0.0, "a": 1.0},))[1] == 1.0
    results = compile(lambda x: {"u": x, "v": 5.0 * x}, batch=None)
    assert results.vjp((1.0,), {"v": 7.0, "u": 3.0})[1] == (38.0,)
    with pytest.raises(ValueError, match="a cotangent must have the structure of the result"):
        results.vjp((1.0,), {"x": 7.0, "y": 3.0})
    with pytest.raises(
        ValueError, match=r"a tangent must have the structure of its argument, with \['a', 'b'\]"
    ):
        step.jvp(({"a": 1.0, "b": 2.0},), ({"a": 1.0},))
    lists = compile(lambda d: d["a"][0] * d["b"], batch=None)
    assert lists.jvp(({"a": [1.0, 5.0], "b": 2.0},), ({"a": [1.0, 0.0], "b": 0.0},))[1] == 2.0


def test_compiled_methods_of_classes_and_of_copies() -> None:
    class Steeper(Line):
        def at(self, x: Any) -> Any:
            return super().at(x) + 100.0

    x = np.array([1.0, 2.0])
    steeper = Steeper(2.0)
    assert [steeper.at(x).tolist() for _ in range(2)] == [[102.0, 104.0]] * 2
    line = Line(2.0)
    line.at(x)
    other = copy.copy(line)
    other.slope = Value(3.0)
    assert other.at(x).tolist() == [3.0, 6.0]


def test_batch_and_argnums_count_the_arguments_of_the_signature() -> None:
    def f(x: Any, y: Any = 2.0, z: Any = 1.0) -> Any:
        return x * y * z

    step = compile(f, batch=(0, None, 0))
    assert step(np.array([1.0, 2.0]), z=np.array([10.0, 20.0])).tolist() == [20.0, 80.0]
    assert compile(f, batch=None).grad(3.0, z=5.0, argnums=2) == 6.0
    with pytest.raises(TypeError, match="argnums is 1, but that argument was not passed"):
        compile(f, batch=None).grad(3.0, z=5.0, argnums=1)
    with pytest.raises(ValueError, match="batch names 'w', which is not an argument"):
        compile(f, batch={"w": None})(np.ones(2))


def test_values_and_constants_over_a_batch_inside_grad() -> None:
    named = compile(lambda x: ("tag", x * 2.0), batch=0)
    seen = []

    def spy(w: Any) -> Any:
        seen.append(named(np.array([1.0, 2.0])))
        return w

    grad(spy)(1.0)
    assert (seen[0][0], seen[0][1].tolist()) == ("tag", [2.0, 4.0])
    shared = compile(lambda w, x: w * x[0], batch=(None, 0))
    X = np.array([[1.0, 10.0], [2.0, 20.0]])
    assert [v.data for v in shared(Value(3.0), X)] == [3.0, 6.0]
    assert grad(lambda w: sum(list(shared(w, X))))(3.0) == 3.0


def test_shared_hessians_with_infinite_slopes() -> None:
    step = compile(lambda p, x: x * p[0] ** 2 + sqrt(p[1]), batch=(None, 0))
    for n in (3, 10):
        assert step.hessian(np.array([1.0, 0.0]), np.ones(n)).tolist() == [
            [2.0 * n, 0.0],
            [0.0, -math.inf],
        ]


def test_a_sparse_hessian_is_the_dense_one_at_a_kink() -> None:
    require("scipy")
    step = compile(lambda x: x[0] ** x[1], batch=None)
    point = np.array([0.0, 1.0])
    assert step.hessian(point, sparse=True).toarray().tolist() == step.hessian(point).tolist()


def test_unusual_shapes() -> None:
    assert compile(lambda x, y: x * y, batch=-1).grad(np.array([1.0, 2.0]), 3.0, argnums=1) == 3.0
    empty = compile(lambda x, y: x * 1.0, batch=None).hessian(2.0, np.zeros(0), argnums=(0, 1))
    assert (empty[0][0], np.shape(empty[1][1])) == (0.0, (0, 0))
    with pytest.raises(ValueError, match="with axes=2, the batch axes come first"):
        compile(lambda x: x, axes=2, batch=1)(np.ones((2, 3)))
    with pytest.raises(ValueError, match="the function has no parameters"):
        compile(lambda x: x * x, batch=0).grad(np.ones(2), argnums="params")


def test_a_signature_is_not_pickled() -> None:
    step = compile(with_default, batch=None)
    assert step(x=2.0) == 4.0
    assert pickle.loads(pickle.dumps(step))(x=3.0) == 6.0


def test_an_anomaly_with_an_argument_passed_by_name() -> None:
    step = compile(lambda x, *, y: chainrule.log(x) * y, batch=0)
    with chainrule.detect_anomaly(), pytest.raises(chainrule.AnomalyError, match="log"):
        step(np.array([1.0, -1.0]), y=np.array([1.0, 2.0]))


def test_parameters_found_by_another_thread_during_a_derivative(monkeypatch: Any) -> None:
    """The derivative starts again with all of them."""
    w, v = Value(2.0), Value(3.0)
    step = compile(lambda x: w * x * x if x > 0.0 else v * w * x * x, batch=0)
    x = np.array([1.0, 2.0])
    step(x)
    original = Derivatives.pieces

    def interrupted(self: Derivatives) -> Any:
        if len(step.params) == 1:
            step(np.array([-1.0]))  # as another thread would: a branch with another parameter
        return original(self)

    monkeypatch.setattr(Derivatives, "pieces", interrupted)
    assert step.grad(x, argnums="params").tolist() == [5.0, 0.0]
    step.retrace()
    step(x)
    assert step.hvp((x,), (np.ones(2),)).tolist() == [4.0, 4.0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_matrices_have_the_dtype_of_the_function(dtype: Any) -> None:
    require("scipy")
    step = compile(lambda x: [x[0] ** 2, x[1] ** 3], batch=None, dtype=dtype)
    one = compile(lambda x: x[0] ** 2 + x[1] ** 3, batch=None, dtype=dtype)
    x = np.array([1.0, 2.0])
    assert step.jacobian(x, sparse=True).dtype == dtype
    assert one.hessian(x, sparse=True).dtype == dtype
    assert one.hessian(x, sparse=True).toarray().tolist() == [[2.0, 0.0], [0.0, 12.0]]


def test_a_shared_hessian_copies_its_inputs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    step = compile(lambda w, x: tanh(dot(w, x)), batch=(None, 0))
    w, X = np.array([0.5, -0.25, 1.0]), np.random.default_rng(0).normal(size=(20, 3))
    copies = []
    original = Inputs.rows
    monkeypatch.setattr(Inputs, "rows", lambda self: copies.append(1) or original(self))
    expected = hessian(lambda w: sum([tanh(dot(w, x)) for x in X]))(w)
    assert step.hessian(w, X) == near(expected, rel=1e-12)
    assert len(copies) == 1


@backends
def test_anomalies_in_every_derivative(backend: Any) -> None:
    """The errors are those of eager mode, and name the operation."""

    def vector(x: Any) -> Any:
        return np.array([x[0] * 2.0, sqrt(x[1])])

    def scalar(x: Any) -> Any:
        return x[0] * x[1] ** 1.5  # infinite in its second derivative only

    require("scipy")
    x, d = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    for batch in (None, 0):
        outputs = compile(vector, batch=batch, backend=backend)
        one = compile(scalar, batch=batch, backend=backend)
        xs, ds = (x, d) if batch is None else (np.array([x + 1.0, x]), np.array([d, d]))
        calls: list[tuple[Callable[[], Any], str]] = [
            (lambda f=outputs, xs=xs: f.jacobian(xs), "the gradient of sqrt"),
            (lambda f=outputs, xs=xs, ds=ds: f.jvp((xs,), (ds,)), "the gradient of sqrt"),
            (lambda f=outputs, xs=xs, ds=ds: f.vjp((xs,), ds), "the gradient of sqrt"),
            (lambda f=one, xs=xs: f.hessian(xs), "is inf"),
            (lambda f=one, xs=xs, ds=ds: f.hvp((xs,), (ds,)), "is inf"),
        ]
        if batch is None:
            calls.append((lambda f=outputs, x=x: f.jacobian(x, sparse=True), "the gradient of sqrt"))
            calls.append((lambda f=one, x=x: f.hessian(x, sparse=True), "is inf"))
        for call, message in calls:
            call()
            with chainrule.detect_anomaly(), pytest.raises(chainrule.AnomalyError, match=message):
                call()
        with chainrule.detect_anomaly():
            assert np.isfinite(one.grad(xs)).all()
            assert np.isfinite(outputs.jacobian(xs + 1.0)).all()


def test_a_compiled_value_takes_no_batch_and_no_values() -> None:
    x = Value(3.0)
    with pytest.raises(ValueError, match="batch= is for functions"):
        compile(x * x, inputs=[x], batch=None)
    with pytest.raises(TypeError, match="a compiled Value takes arrays"):
        compile(x * x, inputs=[x])(Value(1.0))


def test_the_first_random_number_of_a_process() -> None:
    """The generator imports numpy.random while tracing, which is not a draw from it."""
    code = """
import numpy as np
from chainrule import compile, random
assert compile(lambda x: x + random.normal(), batch=0)(np.ones(3)).shape == (3,)
"""
    assert python("-c", code).returncode == 0


def with_default(x: Any, scale: Callable[[Any], Any] = lambda v: v * 2.0) -> Any:
    return scale(x)
