"""Loops of a program in JAX: one lax.scan each, with eager mode's values and gradients."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from chainrule import Value
from chainrule.compiler import compile

from ....conftest import require
from ....near import near
from . import exported_loops
from .test_exported_loops import changing, chosen, kalman, layers, second_order

jax = require("jax")

Program = Callable[[list[Value], list[Value]], Any]


@pytest.fixture(autouse=True)
def double_precision() -> Any:
    with jax.enable_x64(True):
        yield


def in_jax(step: Any, p: Any, y: Any) -> tuple[Any, Any, Any, str]:
    """The sum of the results with its gradients, and the JAX program."""
    function = step.to_jax(p, y)

    def total(p: Any, y: Any) -> Any:
        return function(function.initial(), (p, y)).sum()

    value, (dp, dy) = jax.jit(jax.value_and_grad(total, argnums=(0, 1)))(p, y)
    return value, dp, dy, str(jax.make_jaxpr(total)(p, y))


def eager(program: Program, p: Any, y: Any) -> tuple[float, Any, Any]:
    params, inputs = [[[Value(x) for x in row] for row in rows.tolist()] for rows in (p, y)]
    total: Any = 0.0
    for own, series in zip(params, inputs, strict=True):
        total = total + program(own, series)
    total.backward()
    dp, dy = (np.array([[v.grad for v in row] for row in rows]) for rows in (params, inputs))
    return total.data, dp, dy


@pytest.mark.parametrize("program", [kalman, layers, changing, second_order, chosen])
def test_a_loop_is_a_scan(program: Program) -> None:
    rng = np.random.default_rng(0)
    p, y = rng.uniform(0.1, 0.9, (3, 4)), rng.uniform(-1.0, 1.0, (3, 40))
    step = compile(program, batch=(0, 0))
    step(p, y)
    value, dp, dy, text = in_jax(step, p, y)
    assert "scan[" in text
    expected = eager(program, p, y)
    for found, right in zip((value, dp, dy), expected, strict=True):
        assert found == near(right, rel=1e-11, abs=1e-13)


def test_the_program_does_not_grow_with_the_steps() -> None:
    lengths = []
    for steps in (50, 1000):
        p, y = np.full((2, 4), 0.3), np.linspace(-1.0, 1.0, 2 * steps).reshape(2, steps)
        step = compile(kalman, batch=(0, 0))
        step(p, y)
        lengths.append(in_jax(step, p, y)[3].count("\n"))
    assert abs(lengths[0] - lengths[1]) < 10


def test_random_programs() -> None:
    """Loops with conditions, folds, `take`, changing constants and several carried states."""
    scans = 0
    for seed in (3, 4, 7):
        out, params, inputs = exported_loops.program(random.Random(seed), steps=60)
        step, (value, dp, dx) = exported_loops.exported(out, params, inputs)
        function = step.to_jax()

        def total(numbers: Any, x: Any, function: Any = function) -> Any:
            return function(numbers, tuple(x)).sum()

        x = [np.array([leaf.data]) for leaf in inputs]
        found, (gp, gx) = jax.jit(jax.value_and_grad(total, argnums=(0, 1)))(function.initial(), x)
        scans += "scan[" in str(jax.make_jaxpr(total)(function.initial(), x))
        assert found == near(value, rel=1e-9, nan_ok=True)
        assert np.ravel(gx) == near(dx, rel=1e-8, abs=1e-10, nan_ok=True)
        assert np.ravel(jax.tree.leaves(gp)) == near(dp, rel=1e-8, abs=1e-10, nan_ok=True)
    assert scans >= 3
