"""The examples give the same results in eager mode, NumPy, native code, JAX and ONNX."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chainrule import Value, compile, data, nn
from chainrule.compiler.backends import NAMES
from chainrule.interop import export_onnx
from chainrule.value import c_core

from ..conftest import require
from ..near import near
from ..unit.interop.test_interop import run_onnx
from ..unit.project.test_examples import example

BACKENDS = [name for name in NAMES if name != "native" or c_core is not None]
Case = tuple[Any, list[Value], tuple[Any, ...]]  # a function of one sample, its parameters, a batch


def option_greeks() -> Case:
    rng = np.random.default_rng(0)
    market = ((80, 120), (90, 110), (0.2, 2.0), (0.0, 0.05), (0.1, 0.4))
    return example("option_greeks").call_price, [], tuple(rng.uniform(*ends, 12) for ends in market)


def curve_fit() -> Case:
    module = example("curve_fit")
    parameters = [Value(x, label=name) for name, x in zip("abc", module.TRUTH, strict=True)]
    xs, ys = module.measurements()
    batch = (np.array(xs), np.array(ys))
    return lambda x, y: module.sum_of_squares(parameters, [x], [y]), parameters, batch


def damped_oscillator() -> Case:
    module = example("damped_oscillator")
    batch = (np.linspace(3.0, 5.0, 4), np.linspace(0.1, 0.5, 4))
    return lambda k, c: sum(module.trajectory(k, c, 3)), [], batch


def logistic_regression() -> Case:
    module = example("logistic_regression")
    weights = [Value(x, label=f"w{i}") for i, x in enumerate((0.5, -1.0, 0.2))]
    rng = np.random.default_rng(1)

    def loss(x: Any, y: Any) -> Any:
        return nn.binary_cross_entropy_with_logits([module.logit(weights, x)], [y])

    return loss, weights, (rng.normal(size=(9, 2)), rng.integers(0, 2, 9))


def moons() -> Case:
    model, _ = example("moons").learn(n=40, epochs=2)
    X, y = data.moons(10, seed=3)
    return (lambda x, t: nn.cross_entropy([model(x)], [t]), model.parameters(), (X, y))


def xor_mlp() -> Case:
    model, _ = example("xor_mlp").learn(epochs=5)
    X, y = data.xor()
    return lambda x, t: (model(x) - t) ** 2, model.parameters(), (X, y)


def xor_by_hand() -> Case:
    rng = np.random.default_rng(2)
    w = [Value(x, label=f"w{i}") for i, x in enumerate(rng.normal(size=9))]

    def predict(x: Any) -> Any:
        hidden = [(w[3 * k] * x[0] + w[3 * k + 1] * x[1] + w[3 * k + 2]).tanh() for k in range(2)]
        return (w[6] * hidden[0] + w[7] * hidden[1] + w[8]).tanh()

    return predict, w, (rng.normal(size=(4, 2)),)


def tiny_gpt() -> Case:
    module = example("tiny_gpt")
    parameters = module.make_parameters()
    leaves = [v for matrix in parameters.values() for row in matrix for v in row]
    names = ("".join(module.SYLLABLES[i : i + 2]) for i in (0, 1))
    tokens = np.array([module.encode(name) for name in names])
    return lambda sequence: module.loss(parameters, list(sequence)), leaves, (tokens,)


CASES = [option_greeks, curve_fit, damped_oscillator, logistic_regression, moons, xor_mlp, xor_by_hand]


def samples(batch: tuple[Any, ...]) -> Iterator[list[Any]]:
    for k in range(len(batch[0])):
        yield [array[k] for array in batch]


@pytest.mark.parametrize("make", [*CASES, tiny_gpt], ids=lambda make: make.__name__)
def test_values_and_gradients_agree(make: Any) -> None:
    jax: Any = require("jax")
    jax.config.update("jax_enable_x64", True)
    function, params, batch = make()
    expected = compile(function, params, backend="numpy")
    value, grads = expected.value_and_grad(*batch) if params else (expected(*batch).mean(), np.zeros(0))
    if make is not tiny_gpt:
        eager = [float(function(*map(_values, sample)).data) for sample in samples(batch)]
        np.testing.assert_allclose(expected(*batch), eager, rtol=1e-12)
    for backend in BACKENDS:
        step = compile(function, params, backend=backend)
        np.testing.assert_allclose(step(*batch), expected(*batch), rtol=1e-12)
        if params:
            found, others = step.value_and_grad(*batch)
            assert found == near(value, rel=1e-12)
            np.testing.assert_allclose(others, grads, rtol=1e-9, atol=1e-13)
    f = compile(function, params).to_jax(*batch)
    mean = jax.jit(jax.value_and_grad(lambda p: f(p, tuple(batch)).mean()))
    found, tree = mean(f.initial())
    assert float(found) == near(value, rel=1e-12)
    np.testing.assert_allclose(f.tree.flatten(tree), grads, rtol=1e-9, atol=1e-13)


def _values(x: Any) -> Any:
    return [Value(float(v)) for v in x] if np.ndim(x) else Value(float(x))


@pytest.mark.parametrize("make", [*CASES, tiny_gpt], ids=lambda make: make.__name__)
def test_onnx_gives_the_same_outputs(make: Any, tmp_path: Path) -> None:
    require("onnx")
    function, params, batch = make()
    step = compile(function, params)
    expected = step(*batch)
    export_onnx(step, tmp_path / "example.onnx")
    (found,) = run_onnx(tmp_path / "example.onnx", *batch)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * max(1.0, np.abs(expected).max()))
