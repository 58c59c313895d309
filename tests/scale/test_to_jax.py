"""Functions of trees, with several batch axes and with branches give the same numbers in JAX."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from chainrule import Value, compile, data, log, nn, sin, sqrt, tanh, where
from chainrule.compiler import CompileError
from chainrule.train import fit

from ..near import near

RNG = np.random.default_rng(5)
W = Value(0.7, label="w")


def agrees(jax: Any, step: Any, batch: tuple[Any, ...], given: Any = None) -> Any:
    """Compare results and all gradients with the compiled function, with jit and without; the export."""
    f = step.to_jax(*batch)
    given = batch if given is None else given
    expected = step(*batch)
    ones = jax.tree.map(np.ones_like, expected)
    every = tuple(range(len(batch)))
    gradients = step.vjp(batch, ones, argnums=(*every, "params") if step.params else every)[1]

    def total(params: Any, batch: Any) -> Any:
        results = f(params, batch)
        return sum(x.sum() for x in jax.tree.leaves(results)), results

    both = jax.value_and_grad(total, argnums=(0, 1), has_aux=True)
    (_, results), (by_params, by_batch) = jax.jit(both)(f.initial(), given)
    assert jax.tree.structure(results) == jax.tree.structure(expected)
    plain = f(f.initial(), given)
    for found, unjitted, right in zip(*map(jax.tree.leaves, (results, plain, expected)), strict=True):
        assert found == near(np.asarray(right), rel=1e-12)
        assert unjitted == near(np.asarray(right), rel=1e-12)
    if step.params:
        *gradients, params = gradients
        assert f.tree.flatten(by_params) == near(np.asarray(params), rel=1e-11, abs=1e-13)
    pairs = zip(jax.tree.leaves(by_batch), jax.tree.leaves(tuple(gradients)), strict=True)
    for found, right in pairs:
        assert found.shape == np.shape(right)
        assert found == near(np.asarray(right), rel=1e-11, abs=1e-13)
    return f


# --- trees and batch axes --------------------------------------------------------------------------


class Point(NamedTuple):
    x: Any
    y: Any


def normal(*shape: int) -> Any:
    return RNG.normal(size=shape)


def test_two_batch_axes(jax: Any) -> None:
    """They broadcast; a number is the same for all samples."""

    def f(x: Any, y: Any, z: Any, s: Any) -> Any:
        return {"one": W * sin(x) * y[0] + z, "two": [np.array([x * y[1], z * s["a"][1]]), s["b"] * x]}

    shared = {"a": normal(3), "b": np.float64(0.3)}
    batch = normal(3, 1), normal(1, 5, 2), np.array(0.4), shared
    found = agrees(jax, compile(f, axes=2, batch=(0, 0, 0, None)), batch)
    assert found(found.initial(), batch)["two"][0].shape == (3, 5, 2)
    with pytest.raises(ValueError, match=r"do not broadcast: \[\(3, 1\), \(2, 5\)\]"):
        found({"w": W.data}, (batch[0], normal(2, 5, 2), batch[2], shared))
    message = r"^expected an array of shape \(batch0, batch1, 2\), got \(5, 2\)$"
    with pytest.raises(ValueError, match=message):
        found({"w": W.data}, (batch[0], normal(5, 2), batch[2], shared))


@pytest.mark.parametrize("samples", [1, 7])
def test_nested_trees_with_a_shared_part(jax: Any, samples: int) -> None:
    def f(x: Any, tree: Any) -> Any:
        (a, b), c = tree["inner"]
        return x[0] * a * W, (b * c[1], [tanh(x[1] + a)])

    step = compile(f, batch=(1, {"inner": ((0, None), 0)}))
    batch = normal(2, samples), {"inner": ((normal(samples), 0.3), normal(samples, 2))}
    agrees(jax, step, batch)
    message = r"^expected an array of shape \(2, batch\), got \(3, 7\)$"
    with pytest.raises(ValueError, match=message):
        step.to_jax(*batch)({"w": W.data}, (normal(3, 7), batch[1]))


def test_a_tuple_as_the_only_argument(jax: Any) -> None:
    """It needs no tuple around it, but may have one."""
    batch = (normal(3), normal(3, 2))
    f = agrees(jax, compile(lambda t: t[0] * t[1][1]), (batch,), batch)
    assert f({}, (batch,)).tolist() == f({}, batch).tolist()
    point = Point(normal(3), normal(3))
    agrees(jax, compile(lambda p: sin(p.x) * p.y), (point,), point)


def test_what_samples_share_is_computed_once(jax: Any) -> None:
    f = compile(lambda w, x: sum(a * b for a, b in zip(w, x, strict=True)).tanh(), batch=(None, 0))
    w, x = normal(6), normal(9, 6)
    program = str(jax.make_jaxpr(agrees(jax, f, (w, x)))({}, (w, x)))
    assert program.count("dot_general") == 1


def test_a_loop_over_a_shared_series_with_two_batch_axes(jax: Any) -> None:
    def f(a: Any, b: Any, series: Any) -> Any:
        state = total = a
        for x in series:
            state = tanh(b * state + W * x)
            total = total + state * x
        return total, state

    step = compile(f, axes=2, batch=(0, 0, None))
    batch = normal(2, 1), normal(3, 3)[:1], normal(40)
    found = agrees(jax, step, batch)
    assert "scan[" in str(jax.make_jaxpr(found)(found.initial(), batch))


# --- branches --------------------------------------------------------------------------------------


def rooted(x: Any, y: Any) -> Any:
    """Each branch has infinite or undefined derivatives at the arguments of the others."""
    if x > 0:
        return sqrt(x) * y * W, x
    if y > 1:
        return log(W * (y - 1)) * x, log(W) * y
    return -y, x / (y - 2)


def collatz(x: Any, scale: Any) -> Any:
    steps = 0
    while x > 1 and steps < 9:
        x = x / 2 if x < 10 else x - 7
        steps += 1
    return x * steps * scale["s"][0] + W


def looping(x: Any, series: Any) -> Any:
    """A loop before a branch, and one inside it."""
    state = x
    for r in series:
        state = sin(state) + W * r
    if state > 0:
        return sqrt(state)
    for r in series:
        state = state * tanh(r - x) - 0.1
    return state


BRANCHING: dict[str, tuple[Any, dict[str, Any], tuple[Any, ...]]] = {
    "rooted": (rooted, {}, (np.array([-1.0, 0, 2, 4, -3]), np.array([2.0, 0.5, 1, 3, 0.2]))),
    "two axes": (rooted, {"axes": 2}, (np.array([[-1.0], [0], [2]]), np.array([[2.0, 0.5]]))),
    "while": (collatz, {"batch": (0, None)}, (np.array([0.3, 3, 9, 25, 60]), {"s": np.array([0.5])})),
    "loops": (looping, {"batch": (0, None)}, (np.array([-1.5, 0.7, 3.0]), normal(50))),
    "one sample": (rooted, {"batch": None}, (2.0, 3.0)),
}


@pytest.mark.parametrize("name", BRANCHING)
def test_each_sample_takes_its_branch(jax: Any, name: str) -> None:
    function, options, batch = BRANCHING[name]
    agrees(jax, compile(function, **options), batch)


def test_branches_under_vmap(jax: Any) -> None:
    """vmap turns a branch into a choice between all results, and their derivatives must not mix."""
    x, y = BRANCHING["rooted"][2]
    step = compile(rooted, batch=0)
    right = step.vjp((x, y), (np.ones(5), np.ones(5)), argnums=(0, 1))[1]
    one = compile(rooted, batch=None)
    for point in zip(x, y, strict=True):
        one(*point)

    def total(params: Any, point: Any) -> Any:
        return sum(one_in_jax(params, point))

    one_in_jax = one.to_jax()
    grads = jax.jit(jax.vmap(jax.grad(total, argnums=(0, 1)), in_axes=(None, 0)))
    by_params, by_batch = grads(one_in_jax.initial(), (x, y))
    assert np.array(by_batch) == near(np.array(right), rel=1e-12)
    each = [one.vjp(point, (1.0, 1.0), argnums="params")[1] for point in zip(x, y, strict=True)]
    assert by_params["w"] == near(np.ravel(each), rel=1e-12)


def test_a_branch_that_was_not_traced_gives_nan(jax: Any) -> None:
    """So do all derivatives, those of the parameters included: nothing is wrong without being seen."""
    f = compile(rooted, batch=0).to_jax(np.array([1.0]), np.array([1.0]))
    x, y = np.array([4.0, -1.0]), np.array([3.0, 3.0])

    def total(params: Any, x: Any, y: Any) -> Any:
        first, second = f(params, (x, y))
        return (first + second**2).sum()

    @jax.jit
    def everything(params: Any, x: Any, y: Any) -> Any:
        gradients = jax.grad(total, argnums=(0, 1, 2))(params, x, y)
        return f(params, (x, y)), gradients, jax.hessian(total, argnums=1)(params, x, y)

    results, (by_params, *by_batch), second = everything(f.initial(), x, y)
    assert np.isnan(results).tolist() == [[False, True]] * 2
    assert np.isnan(by_batch).tolist() == [[False, True]] * 2
    assert np.isnan(by_params["w"])
    assert results[0][0] == near(2 * 3 * W.data, rel=1e-15)
    assert np.isnan(np.diag(second)).tolist() == [False, True]
    assert second[0, 0] == near(2 - 0.25 * 4**-1.5 * 3 * W.data, rel=1e-14)


def test_a_branch_on_parameters_only(jax: Any) -> None:
    w = Value(2.0, label="w")
    step = compile(lambda x: x * w if w > 1 else x / w, batch=0)
    step(np.ones(2))
    w.data = 0.5
    f = step.to_jax(np.ones(2))
    x = np.array([1.0, 3.0])
    assert f({"w": np.float64(4.0)}, x).tolist() == [4.0, 12.0]
    assert f({"w": np.float64(0.25)}, x).tolist() == [4.0, 12.0]


def test_a_condition_that_two_paths_share_is_computed_once(jax: Any) -> None:
    """Rounded differently in two programs, it would let a sample take no path, or two."""
    edge = 0.1 * 3
    f = compile(lambda x: (x if x < 2 else -x) if 3 * x < edge else x * x, batch=0)
    g = f.to_jax(np.array([0.05, 1.0]))
    x = np.nextafter(0.1, [0.0, 1.0])[None] + np.linspace(-3, 3, 7)[:, None] * np.spacing(0.1)
    found = jax.jit(g)({}, x.ravel())
    assert not np.isnan(found).any()
    assert len(g.paths.programs) == 2
    assert len(g.paths.conditions.outputs) == 2


def test_paths_with_results_of_different_structure(jax: Any) -> None:
    step = compile(lambda x: [x, x] if x > 0 else x, batch=0)
    with pytest.raises(TypeError, match="for others"):
        step.to_jax(np.array([1.0, -1.0]))


def test_where_inside_a_branch(jax: Any) -> None:
    def f(x: Any, y: Any) -> Any:
        return where(y > 0, sqrt(y) * W, y * x) if x > 0 else where(x < -1, log(-x - 1), y)

    agrees(jax, compile(f, batch=0), (np.array([1.0, 1, 0, -2]), np.array([0.0, 4, 1, 1])))


def test_fit_rejects_a_branch(jax: Any) -> None:
    X, y = data.moons(30, seed=0)

    class Branching(nn.MLP):
        def __call__(self, x: Any) -> Any:
            out = super().__call__(x)
            return out if x[0] > 0 else -out

    options: dict[str, Any] = {"epochs": 1, "engine": "jax", "progress": False}
    with pytest.raises(CompileError, match="branches on Values cannot be trained with JAX"):
        fit(Branching(2, [3, 1], seed=0), "mse", X, y, **options)
