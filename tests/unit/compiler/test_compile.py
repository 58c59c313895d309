"""compile: its results, the errors it raises, and its agreement with eager mode."""

import copy
import math
import os
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, compile, dot, exp, maximum, mean, nn, optim, take, tanh
from chainrule.compiler import TraceError
from chainrule.support.atomic.committing import commit_training
from chainrule.support.errors import AnomalyError
from chainrule.value import c_core, detect_anomaly

from ...near import near
from .compiled import BACKENDS, RNG, backends

# --- results -------------------------------------------------------------------------------------


@backends
@pytest.mark.parametrize("samples", [1, 2, 7, 8, 100, 1000])
def test_a_network(backend: str, samples: int) -> None:
    model = nn.MLP(3, [8, 8, 1], seed=1)
    X, y = RNG.normal(size=(samples, 3)), RNG.normal(size=samples)
    step = compile(lambda x, t: (model(x) - t) ** 2, params=model.parameters(), backend=backend)
    value, grads = step.value_and_grad(X, y)
    model.zero_grad()
    loss = mean([(model(x) - t) ** 2 for x, t in zip(X.tolist(), y.tolist(), strict=True)])
    loss.backward()
    assert value == near(loss.data, rel=1e-12)
    np.testing.assert_allclose(grads, [p.grad for p in model.parameters()], rtol=1e-10)
    np.testing.assert_allclose(step(X, y).mean(), loss.data, rtol=1e-12)


def test_parameters_are_found_automatically() -> None:
    a, b = Value(2.0), Value(3.0)
    step = compile(lambda x: a * x + b, reduction="sum")
    value, grads = step.value_and_grad(np.array([1.0, 2.0]))
    assert value == 12.0
    assert step.params == [a, b]
    assert grads.tolist() == [3.0, 2.0]


def test_the_next_call_uses_a_changed_parameter() -> None:
    a = Value(2.0)
    step = compile(lambda x: a * x)
    assert step(np.array([1.0])).tolist() == [2.0]
    a.data = 5.0
    assert step(np.array([1.0])).tolist() == [5.0]


def test_a_model_predicts_on_a_batch() -> None:
    model = nn.MLP(2, [4, 3], seed=0)
    X = RNG.normal(size=(20, 2))
    outputs = compile(model)(X)
    assert len(outputs) == 3
    expected = [[v.data for v in model(x)] for x in X.tolist()]
    np.testing.assert_allclose(np.column_stack(outputs), expected, rtol=1e-12)


def test_dicts_as_arguments_and_results() -> None:
    step = compile(lambda d: {"sum": d["a"] + d["b"][0], "product": d["a"] * d["b"][1]})
    batch = {"a": np.array([1.0, 2.0]), "b": np.array([[3.0, 4.0], [5.0, 6.0]])}
    result = step(batch)
    assert result["sum"].tolist() == [4.0, 7.0]
    assert result["product"].tolist() == [4.0, 12.0]


def test_compiling_a_value_already_computed() -> None:
    x, w = Value(1.0), Value(3.0)
    step = compile(tanh(w * x) + x, inputs=[x], reduction="sum")
    value, (grads, x_grad) = step.value_and_grad(np.array([0.1, 0.2]), argnums=("params", 0))
    assert value == near(math.tanh(0.3) + 0.1 + math.tanh(0.6) + 0.2, ulps=4)
    assert grads[0] == near(0.1 / math.cosh(0.3) ** 2 + 0.2 / math.cosh(0.6) ** 2, ulps=4)
    assert x_grad[0] == near(3 / math.cosh(0.3) ** 2 + 1, ulps=4)


def test_each_length_is_compiled_once() -> None:
    step = compile(lambda xs: sum(x * x for x in xs))
    for length in (2, 5, 2, 5):
        assert step(np.ones((3, length))).tolist() == [length] * 3
    assert len(step.variants) == 2


def test_axes_broadcast() -> None:
    step = compile(lambda a, xs: a * sum(xs), reduction="none", axes=2)
    a, xs = np.array([[1.0], [2.0], [3.0]]), RNG.normal(size=(1, 4, 2))
    values, (a_grad, xs_grad) = step.value_and_grad(a, xs, argnums=(0, 1))
    np.testing.assert_allclose(values, a * xs.sum(2), rtol=1e-14)
    np.testing.assert_allclose(a_grad, np.full((3, 1), xs.sum()), rtol=1e-12)
    np.testing.assert_allclose(xs_grad, np.full((1, 4, 2), 6.0), rtol=1e-14)


def test_gradients_of_one_argument() -> None:
    step = compile(lambda a, b: a * b, reduction="sum")
    value, b_grad = step.value_and_grad(np.array([2.0, 3.0]), np.array([5.0, 7.0]), argnums=1)
    assert value == 31.0
    assert b_grad.tolist() == [2.0, 3.0]


@pytest.mark.parametrize(("reduction", "value", "grad"), [("mean", 2.0, 1.5), ("sum", 4.0, 3.0)])
def test_reductions(reduction: str, value: float, grad: float) -> None:
    w = Value(4 / 3)
    step = compile(lambda x: w * x, reduction=reduction)
    got, grads = step.value_and_grad(np.array([1.0, 2.0]))
    assert got == near(value, ulps=4)
    assert grads[0] == near(grad, ulps=4)


@backends
def test_an_embedding(backend: str) -> None:
    table = [[Value(float(10 * i + j)) for j in range(3)] for i in range(4)]
    step = compile(lambda i, x: dot(take(table, i), x), reduction="sum", backend=backend)
    index, x = np.array([2, 0, 2]), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
    value, grads = step.value_and_grad(index, x)
    expected = np.array([[10.0 * i + j for j in range(3)] for i in range(4)])
    assert value == near((expected[index] * x).sum(), ulps=4)
    by_value = dict(zip(step.params, grads.tolist(), strict=True))
    assert [by_value[v] for v in table[2]] == [8.0, 10.0, 12.0]
    assert [by_value[v] for v in table[1]] == [0.0, 0.0, 0.0]
    for wrong, shown in ((4, "4"), (-1, "-1"), (0.5, "0.5"), (math.nan, "nan"), (1e300, "1e+300")):
        message = rf"take needs a whole number from 0 to 3, got {re.escape(shown)}$"
        with pytest.raises(IndexError, match=message):
            step(np.array([wrong]), x[:1])
    many = np.tile(x, (400, 1))
    with pytest.raises(IndexError, match=r"from 0 to 3, got 7$"):  # in one of several blocks
        step(np.where(np.arange(1200) == 700, 7, 1), many)
    assert step(np.ones(1200), many).shape == (1200,)


def test_program_lists_the_compiled_instructions() -> None:
    model = nn.MLP(4, [8, 1], seed=0)
    step = compile(lambda x: model(x), params=model.parameters())
    assert step.program == "not traced yet: call the compiled function with a batch first"
    step(np.ones((10, 4)))
    assert "dense shared[0+5i+1k], each[0+1i+1k], shared[4+5i] (8 x 4 by 4 x 1)" in step.program
    assert "nodes traced" in step.program


def test_sums_of_products_become_matrix_products() -> None:
    """Neurons written out by hand, as in the tutorials."""
    weights = [[Value(0.1 * i + j) for j in range(5)] for i in range(3)]

    def layer(x: Any) -> Any:
        return sum(tanh(sum(w * v for w, v in zip(row, x, strict=True))) for row in weights)

    step = compile(layer)
    step(np.ones((10, 5)))
    assert "(3 x 5 by 5 x 1)" in step.program


# --- errors --------------------------------------------------------------------------------------


def test_reading_or_assigning_data_while_tracing_is_an_error() -> None:
    with pytest.raises(TraceError, match=r"reading \.data inside a compiled function.*detach\(\)"):
        compile(lambda x: x * x.data)(np.ones(3))
    w = Value(2.0)
    with pytest.raises(TraceError, match=r"reading \.data"):
        compile(lambda x: x * w.data)(np.ones(3))
    with pytest.raises(TraceError, match=r"assigning to \.data"):
        compile(lambda x: setattr(w, "data", 3.0) or x)(np.ones(3))
    assert w.data == 2.0


def test_changing_parameters_together_while_tracing_is_an_error() -> None:
    model = nn.Neuron(1, seed=0)
    before, zeros = model.state_dict(), dict.fromkeys(model.state_dict(), 0.0)
    optimizer = optim.SGD(model.parameters())

    def load(x: Any) -> Any:
        model.load_state_dict(zeros)
        return model([x])

    def train(x: Any) -> Any:
        commit_training(optimizer, np.zeros((2, 2)), np.zeros((1, 2)), 1)
        return model([x])

    for function in (load, train):
        for params in (model.parameters(), None):
            with pytest.raises(TraceError, match=r"assigning to \.data inside a compiled function"):
                compile(function, params=params)(np.ones(3))
    assert model.state_dict() == before
    assert optimizer.steps == 0


def test_a_model_made_while_tracing_can_be_loaded() -> None:
    state = dict.fromkeys(nn.Neuron(1).state_dict(), 2.0)

    def function(x: Any) -> Any:
        model = nn.Neuron(1, "linear", seed=0)
        model.load_state_dict(state)
        return model([x])

    step = compile(function)
    assert step(np.array([1.0, 3.0])).tolist() == [4.0, 8.0]
    assert step.params == []


def meanwhile(action: Callable[[], Any]) -> None:
    """Another thread does something."""
    thread = threading.Thread(target=action)
    thread.start()
    thread.join()


def test_a_parameter_that_another_thread_changes_while_tracing_is_read_at_every_call() -> None:
    w = Value(2.0)

    def function(x: Any) -> Any:
        meanwhile(lambda: setattr(w, "data", 3.0))
        return w * x

    step = compile(function)
    assert step(np.ones(2)).tolist() == [3.0, 3.0]
    w.data = 5.0
    assert step(np.ones(2)).tolist() == [5.0, 5.0]
    assert step.params == [w]


def test_a_parameter_that_another_thread_makes_while_tracing_is_read_at_every_call() -> None:
    made: list[Value] = []

    def function(x: Any) -> Any:
        meanwhile(lambda: made.append(Value(2.0)))
        return made[0] * x

    step = compile(function)
    assert step(np.ones(2)).tolist() == [2.0, 2.0]
    made[0].data = 5.0
    assert step(np.ones(2)).tolist() == [5.0, 5.0]


def test_reading_a_parameter_that_another_thread_changed_while_tracing_is_an_error() -> None:
    w = Value(2.0)

    def function(x: Any) -> Any:
        meanwhile(lambda: setattr(w, "data", w.data + 1.0))
        return x * w.data

    with pytest.raises(TraceError, match=r"reading \.data"):
        compile(function)(np.ones(3))


class Named(Value):
    """A subclass that leaves `Value.__init__` out."""

    def __init__(self, name: str) -> None:
        self.name = name


def test_values_made_while_tracing_are_constants() -> None:
    kept: list[Value] = []

    def function(x: Any) -> Any:
        own = [Value(2.0), Value(np.float64(3.0)), Value(1, label="one"), Named("zero")]
        own += [copy.copy(own[0]), copy.deepcopy(own[0]), pickle.loads(pickle.dumps(own[0]))]
        own[0].data = own[0].data + own[1].data
        kept[:] = own
        return chainrule.sum(own) * x

    step = compile(function)
    assert step(np.ones(2)).tolist() == [15.0, 15.0]
    assert step.params == []
    for value in kept:
        value.data = 7.0
    assert step(np.ones(2)).tolist() == [15.0, 15.0]
    again = compile(lambda x: kept[0] * x)  # not made while this function is traced
    assert again(np.ones(2)).tolist() == [7.0, 7.0]
    assert again.params == [kept[0]]


def test_plain_numbers_in_expressions_are_constants() -> None:
    step = compile(lambda x: (x * 3.0).inputs[1])
    assert step(np.ones(2)).tolist() == [3.0, 3.0]
    assert step.params == []
    with pytest.raises(TraceError, match=r"reading \.data"):
        compile(lambda x: x * (x * 3.0).inputs[1].data)(np.ones(2))


@pytest.mark.skipif(c_core is None or Value is not c_core.Value, reason="reads Values of the C core")
def test_read_data_reads_many_values_at_once() -> None:
    assert c_core.read_data([]) == b""
    read = c_core.read_data([Value(1.5), Value(-0.0), Value(math.inf)])
    assert np.frombuffer(read).tobytes() == np.array([1.5, -0.0, math.inf]).tobytes()
    for wrong in ([Value(1.0), 2.0], [None]):
        with pytest.raises(TypeError, match="expected a Value, got"):
            c_core.read_data(wrong)
    with pytest.raises(TypeError):
        c_core.read_data(3)
    with pytest.raises(TraceError, match=r"reading \.data inside a compiled function"):
        compile(lambda x: x * np.frombuffer(c_core.read_data([x]))[0])(np.ones(2))


def test_an_error_while_tracing_leaves_eager_mode_unaffected() -> None:
    with pytest.raises(ZeroDivisionError):
        compile(lambda x: x * (1 / 0))(np.ones(3))
    assert (Value(1.0) < Value(2.0)) is True
    assert Value(3.0).data == 3.0


@pytest.mark.parametrize(
    ("batch", "error", "text"),
    [
        ((), TypeError, "at least one array"),
        ((np.ones((3, 2)), np.ones(4)), ValueError, "same number of samples, got 3, 4"),
        ((np.ones((0, 2)), np.ones(0)), ValueError, "the batch is empty"),
        ((3.0, 4.0), ValueError, "only single numbers: use compile\\(f, batch=None\\)"),
        ((np.ma.masked_array([[1.0]], mask=[[1]]), np.ones(1)), TypeError, "masked"),
        (({}, np.ones(0)), ValueError, "empty"),
        ((np.array(["a", "b"]), np.ones(2)), TypeError, "array of real numbers"),
        ((np.array([1j, 2]), np.ones(2)), TypeError, "array of real numbers"),
        (([[1.0], [1.0, 2.0]], np.ones(2)), TypeError, "array of real numbers"),
        ((None, np.ones(2)), TypeError, "array of real numbers"),
    ],
)
def test_bad_batches(batch: Any, error: type[Exception], text: str) -> None:
    step = compile(lambda x, y: x[0] * y)
    with pytest.raises(error, match=text):
        step(*batch)


def test_bad_arguments() -> None:
    with pytest.raises(TypeError, match="compile needs a function"):
        compile(3)
    with pytest.raises(ValueError, match="reduction must be"):
        compile(lambda x: x, reduction="max")
    with pytest.raises(ValueError, match="unknown backend 'cuda'"):
        compile(lambda x: x, backend="cuda")
    with pytest.raises(TypeError, match="leaf Values"):
        compile(lambda x: x, params=[Value(1.0) * 2])
    with pytest.raises(TypeError, match="must return Values"):
        compile(lambda x: "a")(np.ones(2))
    with pytest.raises(TypeError, match="returns one Value, but this one returns 2"):
        compile(lambda x: [x, x]).value_and_grad(np.ones(2))
    with pytest.raises(ValueError, match="axes must be from 1 to 4"):
        compile(lambda x: x, axes=5)


def test_hand_written_operations_are_rejected() -> None:
    def doubled(x: Any) -> Any:
        out = Value(2.0, (x,), "double")
        out._backward = lambda: None
        return out

    with pytest.raises(TypeError, match="cannot compile 'double'"):
        compile(doubled)(np.ones(2))


def test_no_grad_around_a_call_has_no_effect() -> None:
    w = Value(2.0)
    step = compile(lambda x: x * w)
    with chainrule.no_grad():
        assert step(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]
    assert step.value_and_grad(np.array([1.0, 2.0]))[1].tolist() == [1.5]


def test_no_grad_backward_and_reading_grad_while_tracing_are_errors() -> None:
    w = Value(2.0)

    def without_gradient(x: Any) -> Any:
        with chainrule.no_grad():
            return x * w

    def gradient(x: Any) -> Any:
        y = x * x
        y.backward()
        return x.grad

    with pytest.raises(TraceError, match=r"no_grad\(\) inside a compiled function.*detach"):
        compile(without_gradient)(np.ones(3))
    with pytest.raises(TraceError, match=r"backward\(\) inside a compiled function.*grad"):
        compile(gradient)(np.ones(3))
    with pytest.raises(TraceError, match=r"reading \.grad inside a compiled function"):
        compile(lambda x: x * w.grad)(np.ones(3))
    assert w.grad == 0.0


def test_derivatives_inside_a_compiled_function() -> None:
    step = compile(chainrule.grad(lambda x: x**3))
    np.testing.assert_allclose(step(np.array([1.0, 2.0])), [3.0, 12.0], rtol=1e-14)
    values, second = step.value_and_grad(np.array([1.0, 2.0]), argnums=0)
    assert values == near(7.5, ulps=4)
    np.testing.assert_allclose(second * 2, [6.0, 12.0], rtol=1e-14)


def test_values_not_in_params_are_read_but_not_differentiated() -> None:
    a, b = Value(1.0), Value(2.0)
    step = compile(lambda x: a * x + b, params=[b], reduction="sum")
    assert step(np.array([1.0])).tolist() == [3.0]
    a.data = 7.0
    value, grads = step.value_and_grad(np.array([1.0, 2.0]))
    assert value == 25.0
    assert grads.tolist() == [2.0]


def test_plain_numbers_may_be_returned() -> None:
    payoff = compile(lambda s, k: max(s - k, 0))
    assert payoff(np.array([1.0, 3.0]), np.array([2.0, 1.0])).tolist() == [0.0, 2.0]
    assert compile(lambda x: [x, 0, True, np.float64(2)])(np.ones(2))[3].tolist() == [2.0, 2.0]


def test_a_scalar_argument_is_shared_by_all_samples() -> None:
    step = compile(lambda x, k: x * k, reduction="sum")
    value, k_grad = step.value_and_grad(np.array([1.0, 2.0]), 3.0, argnums=1)
    assert value == 9.0
    assert k_grad == 3.0


def test_an_empty_batch_after_others() -> None:
    step = compile(lambda x: x * 2)
    step(np.ones(3))
    assert step(np.ones(0)).shape == (0,)
    with pytest.raises(ValueError, match="nothing to differentiate"):
        step.value_and_grad(np.ones(0))


def test_rows_of_arrays_are_arrays_and_rows_of_lists_are_lists() -> None:
    double = compile(lambda x: (x * 2)[0])
    assert double(np.array([[1.0, 2.0]])).tolist() == [2.0]
    assert double([[1.0, 2.0]]).tolist() == [1.0]


def test_results_of_different_structures_are_rejected() -> None:
    step = compile(lambda x: {"a": x} if x < 1 else {"b": x})
    with pytest.raises(TypeError, match=r"for some samples and .* for others"):
        step(np.array([0.0, 2.0]))


def test_copies_and_pickles_trace_again() -> None:
    model = nn.MLP(2, [3, 1], seed=0)
    step = compile(model)
    X = np.ones((3, 2))
    expected = step(X)
    for again in (copy.deepcopy(step), pickle.loads(pickle.dumps(step))):
        np.testing.assert_array_equal(again(X), expected)
    assert repr(step) == "<compiled MLP: 1 program>"


def test_retrace_reads_captured_numbers_again() -> None:
    factor = [2.0]
    step = compile(lambda x: x * factor[0])
    assert step(np.ones(1)).tolist() == [2.0]
    factor[0] = 5.0
    assert step(np.ones(1)).tolist() == [2.0]
    step.retrace()
    assert step(np.ones(1)).tolist() == [5.0]


def test_bad_lists_of_values() -> None:
    w = Value(1.0)
    with pytest.raises(TypeError, match="inputs must be leaf Values"):
        compile((w * 3) * 3, inputs=[w * 3])
    with pytest.raises(ValueError, match="params has the same Value twice"):
        compile(lambda x: w * x, params=[w, w])
    model = nn.MLP(2, [1], seed=0)
    wrong: list[tuple[Any, str]] = [
        *((model, "got MLP"), (model.parameters, "got method"), (3, "got int")),
        *(({"w": Value(1.0)}, "got dict"), ([1.0], "got an item of type float")),
        ([Value(1.0) + 1.0], r"got the result of '\+'"),
    ]
    for params, got in wrong:
        message = rf"^params must be .*such as model.parameters\(\), {got}$"
        with pytest.raises(TypeError, match=message):
            compile(lambda x: x, params=params)
    with pytest.raises(TypeError, match="params must be a list of Values, got a single Value"):
        compile(lambda x: w * x, params=w)
    for wrong_argnums in (True, 0.5, "x", ("params", None)):
        with pytest.raises(
            TypeError, match="argnums must be positions of arguments or 'params', or a tuple"
        ):
            compile(lambda _x: w * _x).value_and_grad(np.ones(2), argnums=wrong_argnums)
    with pytest.raises(TypeError, match="argnums is 1, but the call has 1 argument"):
        compile(lambda x: w * x).value_and_grad(np.ones(2), argnums=1)


# --- arrays of every kind ------------------------------------------------------------------------


@backends
def test_arrays_of_every_kind(backend: str) -> None:
    step = compile(lambda x: x[0] * x[1] + exp(x[1]), backend=backend)
    X = RNG.normal(size=(30, 2))
    expected = step(X)
    readonly = X.copy()
    readonly.flags.writeable = False
    wide = np.zeros((30, 4))
    wide[:, ::2] = X
    for same in (X[::-1][::-1], np.asfortranarray(X), readonly, wide[:, ::2], X.tolist()):
        np.testing.assert_array_equal(step(same), expected)
    assert step(X.astype(np.float32)).dtype == np.float64
    np.testing.assert_array_equal(step(np.ones((3, 2), dtype=bool)), step(np.ones((3, 2), dtype=int)))


@backends
def test_nan_and_infinity_propagate(backend: str) -> None:
    step = compile(lambda x: exp(x) * 2 + maximum(x, 0.0), backend=backend)
    result = step(np.array([math.nan, math.inf, -math.inf, 1.0]))
    assert math.isnan(result[0])
    assert result[1] == math.inf
    assert result[2] == 0.0
    assert result[3] == near(2 * math.e + 1, ulps=4)


# --- determinism ---------------------------------------------------------------------------------


@pytest.mark.skipif(c_core is None, reason="there is no C core")
@pytest.mark.parametrize("samples", [3, 100, 5000])
def test_the_same_bits_for_any_number_of_threads(samples: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = nn.MLP(8, [32, 32, 1], seed=0)
    X, y = RNG.normal(size=(samples, 8)), RNG.normal(size=samples)
    step = compile(lambda x, t: (model(x) - t) ** 2, params=model.parameters())
    seen = set()
    for threads in ("1", "2", "3", "8", "2"):
        monkeypatch.setenv("CHAINRULE_THREADS", threads)
        value, grads = step.value_and_grad(X, y)
        seen.add((value, grads.tobytes(), step(X, y).tobytes()))
    assert len(seen) == 1


@pytest.mark.skipif(c_core is None, reason="there is no C core")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("simd", () if c_core is None else [*c_core._simd_kernels()])
def test_the_place_in_a_batch_does_not_change_the_bits(
    simd: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the end of a batch, where a vector is not full, gradients of dot were rounded twice."""
    monkeypatch.setenv("CHAINRULE_SIMD", simd)
    step = compile(lambda x: dot(x[:2], x[1:]) * x[0], reduction="none", dtype=dtype)
    for x in np.random.default_rng(0).normal(size=(20, 3)):
        for sizes in ((1, 2, 3, 4, 5, 6, 7), (8, 9, 15, 16, 17, 24, 31, 33)):
            batches = [step.value_and_grad(np.tile(x, (n, 1)), argnums=0) for n in sizes]
            assert len(np.unique(np.concatenate([values for values, *_ in batches]))) == 1
            gradients = np.concatenate([found for _, found in batches])
            assert len(np.unique(gradients, axis=0)) == 1


@pytest.mark.skipif(c_core is None, reason="there is no C core")
def test_a_forked_child_starts_its_own_threads() -> None:
    code = """
import os, numpy as np
from chainrule import nn, compile
model = nn.MLP(8, [32, 32, 1], seed=0)
step = compile(lambda x: model(x) ** 2, params=model.parameters())
X = np.ones((5000, 8))
before = step.value_and_grad(X)[0]
child = os.fork()
if child == 0:
    os._exit(0 if step.value_and_grad(X)[0] == before else 1)
assert os.waitpid(child, 0)[1] == 0
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_child_forked_while_another_thread_traces_can_compile() -> None:
    code = """
import os, threading, warnings
import numpy as np
from chainrule import compile
warnings.simplefilter("ignore")  # Python warns about forking with threads
tracing, done = threading.Event(), threading.Event()

def slow(x):
    tracing.set()
    done.wait()
    return x

thread = threading.Thread(target=lambda: compile(slow)(np.ones(2)))
thread.start()
tracing.wait()
child = os.fork()
if child == 0:
    os._exit(0 if compile(lambda x: 2 * x)(np.ones(2)).tolist() == [2.0, 2.0] else 1)
result = os.waitpid(child, 0)[1]
done.set()
thread.join()
assert result == 0
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_invalid_settings_for_threads_and_simd(monkeypatch: pytest.MonkeyPatch) -> None:
    if c_core is None:
        pytest.skip("there is no C core")
    step = compile(lambda x: x * 2)
    monkeypatch.setenv("CHAINRULE_THREADS", "many")
    with pytest.raises(ValueError, match="CHAINRULE_THREADS must be a positive whole number"):
        step(np.ones(3))
    monkeypatch.delenv("CHAINRULE_THREADS")
    monkeypatch.setenv("CHAINRULE_SIMD", "mmx")
    with pytest.raises(ValueError, match=r"CHAINRULE_SIMD must be one of .*got 'mmx'"):
        step(np.ones(3))


def test_without_parameters_the_first_argument_is_differentiated() -> None:
    price = compile(lambda s, k: maximum(s - k, 0.0))
    assert price.grad(np.array([3.0]), np.array([1.0])).tolist() == [1.0]


def test_compile_does_not_shadow_the_compiler_package() -> None:
    assert chainrule.compile is compile
    assert os.path.basename(chainrule.compiler.__file__) == "__init__.py"


@pytest.mark.parametrize("backend", BACKENDS)
def test_detect_anomaly_names_the_line_in_a_compiled_function(backend: str) -> None:
    w = Value(1.0)

    def root(x: Any) -> Any:
        return (x * w).sqrt()  # the slope at 0 is infinite

    step = compile(root, params=[w], backend=backend)
    good, bad, steep = np.array([1.0, 4.0]), np.array([1.0, -1.0]), np.array([1.0, 0.0])
    w.grad = 3.0
    with detect_anomaly():
        assert step(good).tolist() == [1.0, 2.0]
        assert step(steep).tolist() == [1.0, 0.0]
        with pytest.raises(AnomalyError, match=r"sqrt\(-1.0000\) is nan, at .*the slope at 0"):
            step(bad)
        with pytest.raises(AnomalyError, match=r"test_compile.py:\d+.*the slope at 0"):
            step.value_and_grad(steep)
    assert w.grad == 3.0  # the user's gradient is unchanged
    assert np.isnan(step(bad)[1])


def test_a_number_as_text_is_not_baked_in() -> None:
    for function in (lambda x: x * float(f"{x:.1f}"), lambda x: x * 2 if format(x, ".0f") == "2" else x):
        with pytest.raises(TraceError, match="converting a Value to a plain number inside a compiled"):
            compile(function)(np.array([1.0, 2.0]))
    assert compile(lambda x: x * len(f"{x}"[:5]))(np.array([1.0, 2.0])).tolist() == [5.0, 10.0]


def test_a_gradient_of_zero_is_not_negative() -> None:
    """The gradient of a Value starts at 0, and 0 + -0 is 0."""
    f = compile(lambda x, y: x * y, batch=(0, 0), reduction="sum")
    _, (dx, dy) = f.value_and_grad(np.array([-0.0, 1.0]), np.array([-0.0, 2.0]), argnums=(0, 1))
    assert [math.copysign(1.0, g) for g in (dx[0], dy[0])] == [1.0, 1.0]
