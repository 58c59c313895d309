"""compile(..., dtype=float32): numbers stored in half the memory."""

import math
from typing import Any

import numpy as np
import pytest

from chainrule import Value, compile, nn, optim
from chainrule.compiler import Trainer
from chainrule.functional import logsumexp, take, where
from chainrule.ops import TABLE, Op, Variadic
from chainrule.value import c_core

from ...conformance.campaigns import kernels
from ...near import near

BACKENDS = ["numpy"] if c_core is None else ["numpy", "native"]
EPS = float(np.finfo(np.float32).eps)

SIMPLE = [op for op in TABLE if not isinstance(op, Variadic)]


@pytest.fixture(params=kernels.NAMES or ["none"])
def simd(request: Any, monkeypatch: Any) -> Any:
    monkeypatch.setenv("CHAINRULE_SIMD", request.param)
    return request.param


def network(samples: int, hidden: int = 9, activation: str = "tanh") -> tuple[Any, Any, tuple[Any, Any]]:
    model = nn.MLP(5, [hidden, 4], activation=activation, seed=1)

    def loss(x: Any, t: Any) -> Any:
        logits = model(x)
        return logsumexp(logits) - take(logits, t)

    rng = np.random.default_rng(samples)
    return model, loss, (rng.normal(size=(samples, 5)), rng.integers(0, 4, samples))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("samples", [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 300])
def test_a_network_agrees_with_double_precision(backend: str, samples: int, simd: str) -> None:
    model, loss, batch = network(samples)
    params = model.parameters()
    value, grads = compile(loss, params).value_and_grad(*batch)
    single = compile(loss, params, backend=backend, dtype=np.float32)
    value32, grads32 = single.value_and_grad(*batch)
    assert value32 == near(value, rel=20 * EPS)
    assert grads32.dtype == np.float32
    assert np.abs(grads32 - grads).max() < 20 * EPS * np.abs(grads).max()
    assert not np.array_equal(grads32, grads)  # it really is single precision
    assert single(*batch).dtype == np.float32


@pytest.mark.parametrize("op", SIMPLE, ids=lambda op: op.name)
def test_every_operation_is_rounded_once(op: Op, simd: str) -> None:
    """Elementwise operations are computed in double precision and rounded when stored."""
    rng = np.random.default_rng(3)
    low = 1.1 if op.name == "acosh" else 0.1
    points = rng.uniform(low, low + 0.8, (op.arity, 37)).astype(np.float32)

    def function(*x: Any) -> Any:
        return Value._apply(op, x)

    columns = list(points.astype(float))
    whole, single = compile(function), compile(function, dtype="float32")
    expected = whole(*columns)
    np.testing.assert_allclose(single(*columns), expected, rtol=EPS)
    _, slopes = whole.value_and_grad(*columns, argnums=range(len(columns)))
    _, others = single.value_and_grad(*columns, argnums=range(len(columns)))
    for slope, other in zip(slopes, others, strict=True):
        # some slopes are computed from the stored result, which is itself rounded
        np.testing.assert_allclose(other, slope, rtol=30 * EPS)


@pytest.mark.skipif(c_core is None, reason="there is no C core")
def test_both_backends_and_all_instruction_sets_agree(monkeypatch: Any) -> None:
    model, loss, batch = network(40)
    results = []
    for name in kernels.NAMES:
        monkeypatch.setenv("CHAINRULE_SIMD", name)
        step = compile(loss, model.parameters(), dtype=np.float32)
        first, again = step.value_and_grad(*batch), step.value_and_grad(*batch)
        assert first[0] == again[0]
        assert np.array_equal(first[1], again[1])
        results.append(first[1])
    results.append(compile(loss, model.parameters(), backend="numpy", dtype=np.float32).grad(*batch))
    for other in results[1:]:
        np.testing.assert_allclose(other, results[0], rtol=0, atol=20 * EPS * np.abs(results[0]).max())


@pytest.mark.parametrize("backend", BACKENDS)
def test_results_too_large_for_float32_are_infinite(backend: str) -> None:
    square = compile(lambda x: x * x, backend=backend, dtype=np.float32)
    assert square(np.array([1e30, 1e-30, math.nan])).tolist()[:2] == [math.inf, 0.0]
    assert np.isnan(square(np.array([math.nan]))[0])


@pytest.mark.parametrize("backend", BACKENDS)
def test_masks_and_branches(backend: str) -> None:
    safe = compile(lambda x: where(x > 0, x.sqrt(), x * 2), backend=backend, dtype=np.float32)
    value, slopes = safe.value_and_grad(np.array([4.0, 0.0, -1.0]), argnums=0)
    assert slopes.tolist() == near([0.25 / 3, 2 / 3, 2 / 3], rel=EPS)
    branching = compile(lambda x: x * 2 if x > 1 else x * 3, backend=backend, dtype=np.float32)
    assert branching(np.array([0.5, 2.0])).tolist() == [1.5, 4.0]
    assert value == 0.0


@pytest.mark.skipif(c_core is None, reason="there is no C core")
@pytest.mark.parametrize("hidden", [4, 40])
def test_training_keeps_parameters_in_double_precision(hidden: int) -> None:
    """The model runs in single precision; the optimiser must not lose small steps."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(64, 2)), rng.normal(size=64)
    weights = []
    for dtype in (np.float64, np.float32):
        model = nn.MLP(2, [hidden, 1], seed=2)
        optimizer = optim.Adam(model.parameters(), lr=1e-3)
        step = compile(lambda x, t, model=model: (model(x) - t) ** 2, optimizer.params, dtype=dtype)
        with Trainer(step, optimizer) as trainer:
            for _ in range(50):
                trainer.step(x, y)
        weights.append([p.data for p in optimizer.params])
    np.testing.assert_allclose(weights[1], weights[0], rtol=1e-4)
    assert any(w != float(np.float32(w)) for w in weights[1])


def test_other_dtypes_are_rejected() -> None:
    with pytest.raises(ValueError, match="float64 or float32"):
        compile(lambda x: x, dtype=np.int32)
