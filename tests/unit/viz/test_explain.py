"""The gradient ledger: equal to backward to the last bit, and readable."""

import json
import math
import operator
import random
import re
from functools import reduce
from typing import Any
from xml.etree import ElementTree

import pytest

import chainrule
from chainrule import GraphFreedError, StaleValueError, Value, custom_op, dot, nn, ops, where
from chainrule.viz.explaining.ledger import Ledger, explain
from chainrule.viz.explaining.routes import MANY
from tests.conformance.campaigns import random_graphs
from tests.unit.inspect.test_rules import check_latex

from ...near import near
from .drawn import by_hand

STEERING = (
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"  # controls terminals or text direction
)
LONG = 1_000_000 if chainrule.core == "c" else 200_000


def example() -> tuple[Any, Any, Any]:
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    y = (a * b + a**2).tanh()
    y.label = "y"
    return a, b, y


def check_notations(ledger: Ledger) -> None:
    check_latex(ledger.latex)
    ElementTree.fromstring(ledger.mathml.encode())
    ElementTree.fromstring(ledger.html.encode())
    assert set(ledger._repr_mimebundle_()) == {"text/plain", "text/html", "text/latex"}


def test_the_ledger_reads_as_a_worked_example() -> None:
    a, _, y = example()
    assert str(explain(y, wrt=a)) == (
        "y = tanh(a·b + a²) = -0.964\n"
        "dy/da = 0.07065\n"
        "through a²:              dy/d(a²) · 2·a = 0.07065 · 4 = 0.2826\n"
        "through a·b:             dy/d(a·b) · b = 0.07065 · (-3) = -0.212\n"
        "sum:                     0.07065\n"
        "2 paths lead from y back to a:\n"
        "y ← a·b + a² ← a² ← a:   (1 - y²) · 1 · 2·a = 0.07065 · 1 · 4 = 0.2826\n"
        "y ← a·b + a² ← a·b ← a:  (1 - y²) · 1 · b = 0.07065 · 1 · (-3) = -0.212\n"
        "The paths sum to 0.07065, exactly the gradient."
    )
    assert "& \\frac{\\partial y}{\\partial a} = 0.07065 \\\\\n" in explain(y, wrt=a).latex
    check_notations(explain(y, wrt=a))


# --- the same bits as backward -----------------------------------------------------------------------


def bits(x: float) -> str:
    return x.hex()


@pytest.mark.parametrize("seed", range(300))
def test_the_ledger_sums_to_the_gradient_to_the_last_bit(seed: int) -> None:
    """On random graphs with shared nodes, where, pow and variadic operations."""
    program = random_graphs.make(random.Random(seed), Value)
    values = random_graphs.run(program, Value, lambda name, args: ops.BY_NAME[name](*args))
    loss, leaves = values[-1], values[: len(program.leaves)]
    chosen = [*leaves, random.Random(seed).choice(values)]
    ledgers = [explain(loss, wrt=w, paths=5) for w in chosen]
    assert all(v.grad == 0.0 for v in values)
    loss.backward()
    after = [v.grad for v in values]
    for w, ledger in zip(chosen, ledgers, strict=True):
        assert bits(ledger.gradient) == bits(w.grad)
        total = reduce(operator.add, (use.share for use in ledger.uses), 0.0)
        assert bits(total if w is not loss else 1.0) == bits(w.grad)
        for use in ledger.uses:
            assert (use.gradient, use.share) == (use.target.grad, use.gradient * use.partial)
        assert bits(explain(loss, wrt=w, paths=0).gradient) == bits(w.grad)
        if ledger.paths and len(ledger.paths) == ledger.count:
            sizes = [abs(path.contribution) for path in ledger.paths]
            paths = math.fsum(path.contribution for path in ledger.paths)
            assert paths == near(w.grad, rel=1e-9, abs=1e-9 * max(sizes))
        check_latex(ledger.latex)
    assert [bits(v.grad) for v in values] == [bits(x) for x in after]


def test_random_graphs_use_every_operation() -> None:
    names: set[str] = set()
    for seed in range(300):
        names |= {name for name, _ in random_graphs.make(random.Random(seed), Value).steps}
    assert names == set(ops.BY_NAME)


def test_a_different_order_of_addition_would_be_detected() -> None:
    """Three contributions whose sum depends on the order."""
    a = Value(1.0, label="a")
    y = a * 1e16 + a * 1.0 + a * 1.0
    shares = [use.share for use in explain(y, wrt=a).uses]
    y.backward()
    assert reduce(operator.add, shares, 0.0) == a.grad
    assert reduce(operator.add, sorted(shares), 0.0) != reduce(operator.add, sorted(shares)[::-1], 0.0)


def test_explain_does_not_change_gradients() -> None:
    a, b, y = example()
    a.grad, y.grad = 5.0, 7.0
    before = explain(y, wrt=a)
    assert (a.grad, b.grad, y.grad) == (5.0, 0.0, 7.0)
    y.backward(reset=True)
    assert str(explain(y, wrt=a)) == str(before)
    y.backward(reset=True, create_graph=True)
    assert str(explain(y, wrt=a)) == str(before)
    assert before.gradient == a.grad.data


# --- shapes of graphs --------------------------------------------------------------------------------


def test_a_value_used_twice_by_one_operation() -> None:
    a = Value(3.0, label="a")
    ledger = explain(a * a, wrt=a)
    assert [(use.slot, use.share) for use in ledger.uses] == [(0, 3.0), (1, 3.0)]
    assert str(ledger) == (
        "output = a·a = 9\n"
        "d output/da = 6\n"
        "through argument 1 of output = a·a:  d output/d output · a = 1 · 3 = 3\n"
        "through argument 2 of output = a·a:  d output/d output · a = 1 · 3 = 3\n"
        "sum:                                 6"
    )


def test_a_value_in_the_middle() -> None:
    a = Value(2.0, label="a")
    c = a * 3.0
    c.label = "c"
    ledger = explain(c.exp() + c, wrt=c)
    assert ledger.gradient == math.exp(6.0) + 1.0
    assert {use.target.op for use in ledger.uses} == {"exp", "add"}


def test_the_result_itself() -> None:
    a, _, y = example()
    ledger = explain(y, wrt=y)
    assert (ledger.gradient, ledger.uses, ledger.paths) == (1.0, (), ())
    assert str(ledger).endswith("dy/dy = 1\ny is the value itself, so the derivative is 1.")
    assert str(explain(a, wrt=a)) == "da/da = 1\na is the value itself, so the derivative is 1."


def test_a_value_that_is_not_reached() -> None:
    a, _, y = example()
    other = Value(1.0, label="other")
    ledger = explain(y, wrt=other)
    assert (ledger.gradient, ledger.uses, ledger.count) == (0.0, (), 0)
    assert str(ledger).endswith("dy/d other = 0\ny was not computed from other, so the gradient is 0.")
    assert explain(a, wrt=y).gradient == 0.0


def test_a_constant() -> None:
    a = Value(2.0, label="a")
    y = a * 3.0
    ledger = explain(y, wrt=y.inputs[1])
    assert ledger.gradient == 0.0
    assert str(ledger) == (
        "output = a·3 = 6\n3 is a constant: a plain number in an expression gets no gradient."
    )


@pytest.mark.parametrize("make", [lambda a: where(0.0, a.log(), 2.0), lambda a: a.stop_gradient()])
def test_a_path_without_a_gradient(make: Any) -> None:
    """Not even NaN gets through a branch that was not selected."""
    a = Value(-1.0, label="a")
    ledger = explain(make(a) + 1.0, wrt=a)
    assert (ledger.gradient, ledger.count) == (0.0, 0)
    assert "but no gradient reaches it" in str(ledger)
    check_notations(ledger)


def test_a_branch_that_was_taken() -> None:
    a = Value(2.0, label="a")
    ledger = explain(where(a.less(3.0), a * 5.0, a.log()), wrt=a)
    assert [(use.target.op, use.share) for use in ledger.uses] == [("mul", 5.0)]
    assert "1 if a < 3 ≠ 0, else 0" not in str(ledger)
    assert "(1 if a < 3, else 0) · 5 = 1 · 5 = 5" in str(ledger)


def test_a_neuron() -> None:
    weights = [Value(0.1 * i, label=f"w{i}") for i in range(1, 4)]
    y = dot(weights, [1.0, 2.0, 3.0]).tanh()
    assert str(explain(y, wrt=weights[1])).splitlines()[2] == (
        "through w1·1 + w2·2 + w3·3:        d output/d(w1·1 + w2·2 + w3·3) · 2 = 0.2162 · 2 = 0.4323"
    )


# --- numbers -----------------------------------------------------------------------------------------


def test_rounding_is_stated() -> None:
    a = Value(0.1, label="a")
    b = a * 0.1 + a * 0.2
    text = str(explain(b * 0.7 + b * 0.3, wrt=a))
    assert (
        "The paths sum to 0.3, which differs from the gradient by a rounding error of 5.551e-17." in text
    )


@pytest.mark.parametrize(
    ("make", "gradient"),
    [
        (lambda a: (a * 0.0).sqrt(), math.nan),
        (lambda a: (a - 2.0).sqrt(), math.inf),
        (lambda a: (a - 2.0).sqrt() - (a - 2.0).cbrt() + a, math.nan),
        (lambda a: a * math.inf + a * 2.0, math.inf),
        (lambda a: a * -math.inf + a * 2.0, -math.inf),
        (lambda a: a * 1e308 * 1e308, math.inf),
    ],
)
def test_non_finite_numbers(make: Any, gradient: float) -> None:
    a = Value(2.0, label="a")
    y = make(a)
    ledger = explain(y, wrt=a)
    y.backward()
    assert repr(ledger.gradient) == repr(gradient) == repr(a.grad)
    assert f"d output/da = {gradient}" in str(ledger)
    check_notations(ledger)


def test_a_path_that_contributes_nan_is_listed_first() -> None:
    a = Value(2.0, label="a")
    ledger = explain(a * 1e9 + (a * 0.0).sqrt(), wrt=a, paths=1)
    assert math.isnan(ledger.paths[0].contribution)


# --- many paths, many nodes --------------------------------------------------------------------------


def diamond(levels: int, factor: float) -> tuple[Any, Any]:
    a = Value(1.0, label="a")
    y = a
    for _ in range(levels):
        y = y * factor + y * 0.5
    return a, y


def test_the_largest_paths_are_listed_and_the_rest_are_summed() -> None:
    a, y = diamond(6, 0.75)
    ledger = explain(y, wrt=a, paths=4)
    every = explain(y, wrt=a, paths=100)
    assert (ledger.count, len(every.paths)) == (64, 64)
    sizes = [path.contribution for path in every.paths]
    assert sizes == sorted(sizes, reverse=True)
    assert [path.contribution for path in ledger.paths] == sizes[:4]
    assert "64 paths lead from output back to a:" in str(ledger)
    assert "60 other paths, the rest of the gradient:" in str(ledger)
    assert sum(sizes) == near(ledger.gradient, rel=1e-14)


@pytest.mark.parametrize("factor", [0.5, 0.9, 0.0, 1e-300])
def test_exponentially_many_paths_do_not_take_exponential_time(factor: float) -> None:
    a, y = diamond(1000, factor)
    ledger = explain(y, wrt=a)
    assert ledger.count == 2**1000
    assert len(ledger.paths) == 20
    assert "About 10^301 paths lead from output back to a:" in str(ledger)
    check_notations(ledger)


@pytest.mark.parametrize(
    ("step", "length", "uses", "count", "listed"),
    [
        (lambda y, a: y + a, LONG // 5, LONG // 5 + 1, LONG // 5 + 1, 20),
        (lambda y, a: y + y, 200_000, 2, MANY, 0),
        (lambda y, a: -y, LONG, 1, 1, 0),
    ],
    ids=["sum", "diamonds", "one path"],
)
def test_a_million_nodes(step: Any, length: int, uses: int, count: int, listed: int) -> None:
    a = Value(1.0, label="a")
    y = a
    for _ in range(length):
        y = step(y, a)
    ledger = explain(y, wrt=a)
    y.backward()
    assert ledger.gradient == a.grad
    assert (len(ledger.uses), ledger.count, len(ledger.paths)) == (uses, count, listed)
    assert len(str(ledger)) < 10_000


def test_a_wide_sum() -> None:
    a = Value(1.0, label="a")
    y = chainrule.sum([a * float(i) for i in range(10_000)])
    ledger = explain(y, wrt=a)
    assert [path.contribution for path in ledger.paths[:2]] == [9999.0, 9998.0]
    assert "through 9,980 other uses:" in str(ledger)
    assert str(ledger).startswith("output = a·0 + a·1 + … + a·9999 = 5e+07\n")


# --- operations that are not in the table ------------------------------------------------------------


def test_custom_operations_have_entries_without_a_rule() -> None:
    cube = custom_op("cube", lambda x: x**3, lambda x, out: 3 * x**2)
    a = Value(2.0, label="a")
    ledger = explain(cube(a) * 2.0, wrt=a)
    assert ledger.gradient == 24.0
    assert "through cube(a):       d output/d(cube(a)) · d(cube(a))/da = 2 · 12 = 24" in str(ledger)
    check_notations(ledger)


def test_functions_assigned_to_backward_cannot_be_explained() -> None:
    a, b = Value(2.0, label="a"), Value(3.0, label="b")
    y = by_hand(a) * b
    with pytest.raises(TypeError, match=r"^cannot explain through 'cube': it was defined by hand"):
        explain(y, wrt=a)
    assert a.grad == 0.0
    assert explain(y, wrt=b).gradient == 8.0  # it is not on the path


def test_take_has_a_rule() -> None:
    a, i = Value(2.0, label="a"), Value(1.0, label="i")
    ledger = explain(chainrule.take([5.0, a * 3.0], i), wrt=a)
    assert "(1 if i = 1, else 0)" in str(ledger)
    assert ledger.gradient == 3.0


# --- names -------------------------------------------------------------------------------------------


def test_values_without_a_label_get_numbers() -> None:
    a, b = Value(2.0), Value(3.0)
    text = str(explain((a * b).exp(), wrt=a))
    assert text.splitlines()[:3] == [
        "output = exp(v0·v1) = 403.4",
        "d output/d v0 = 1210",
        "through v0·v1:        d output/d(v0·v1) · v1 = 403.4 · 3 = 1210",
    ]
    assert text.splitlines()[-2:] == ["v0 = 2", "v1 = 3"]


def test_values_of_a_model_get_the_models_names() -> None:
    model = nn.MLP(2, [2, 1], seed=0)
    x = [Value(0.5, label="x"), Value(-1.0, label="y")]
    text = str(explain(model(x), wrt=model.layers[0].neurons[1].w[0], names=model))
    assert text.startswith("layers.1.neurons.0 = layers.1.neurons.0.dot + layers.1.neurons.0.b = ")
    path = (
        "layers.1.neurons.0 ← layers.1.neurons.0.dot ← layers.0.neurons.1 ← layers.0.neurons.1.z ← "
        "layers.0.neurons.1.dot ← layers.0.neurons.1.w.0:  "
        "1 · layers.1.neurons.0.w.1 · (1 - layers.0.neurons.1²) · 1 · x = "
    )
    assert path in text
    assert not re.search(r"\bv\d", text)


def test_each_sample_of_a_neuron_has_a_name() -> None:
    neuron = nn.Neuron(1, "sigmoid", seed=0)
    loss = nn.mse_loss([neuron([1.0]), neuron([2.0])], [0.0, 1.0])
    loss.label = "loss"
    text = str(explain(loss, wrt=neuron.b, names=neuron))
    assert "through z #1 = dot #1 + b:" in text
    assert "through z #2 = dot #2 + b:" in text
    assert "← neuron #2 ← z #2 ← b:" in text


def test_a_sum_of_biases_is_not_a_neuron() -> None:
    model = nn.MLP(1, [2, 1], seed=0)
    first, second = model.layers[0].neurons
    penalty = (first.b + second.b) + chainrule.dot([first.b], [2.0])
    text = str(explain(model([Value(1.0)]) + (penalty + first.b), wrt=first.b, names=model))
    assert "through layers.0.neurons.0.z = layers.0.neurons.0.dot + layers.0.neurons.0.b:" in text
    assert re.search(r"\nv\d+ = layers\.0\.neurons\.0\.b \+ layers\.0\.neurons\.1\.b = 0\n", text)
    assert "#2" not in text


def test_names_of_a_model_with_a_number_for_a_bias() -> None:
    model = nn.MLP(1, [2, 1], seed=0)
    model.layers[0].neurons[0].b = 0.5
    text = str(explain(model([1.0]), wrt=model.layers[0].neurons[0].w[0], names=model))
    assert text.startswith("layers.1.neurons.0 = layers.1.neurons.0.dot + layers.1.neurons.0.b = ")


def test_names_in_a_dict() -> None:
    a, b = Value(2.0), Value(3.0, label="b")
    text = str(explain(a * b, wrt=a, names={a: "first", b: "unused"}))
    assert text.startswith("output = first·b = 6\nd output/d first = 3\n")


def test_long_expressions_get_numbers() -> None:
    a = Value(2.0, label="a")
    y = a
    for _ in range(12):
        y = (y * 1.5).tanh()
    lines = str(explain(y * a, wrt=a)).splitlines()
    assert lines[0] == "output = v36·a = 1.717"
    assert "v36 = tanh(v35) = 0.8586" in lines
    assert max(map(len, lines)) < 300


@pytest.mark.parametrize(
    "label",
    ["<script>&", "a_1^{2}$%#\\~", "}{", "two\nlines", "\x00\ud800", "日本", "\x9b31m", "\u202ea\u2066"],
)
def test_labels_are_escaped(label: str) -> None:
    a = Value(2.0, label=label)
    ledger = explain((a * a).exp(), wrt=a)
    check_notations(ledger)
    assert "<script>" not in ledger.html + ledger.mathml
    assert len(str(ledger).splitlines()) == 9
    assert not re.search(STEERING, str(ledger) + ledger.html + ledger.latex)
    json.dumps(ledger._repr_mimebundle_())


def test_names_of_operations_are_escaped() -> None:
    a = Value(2.0, label="a")
    ledger = explain(custom_op("f\x9b\u202e", lambda x: x, lambda x, out: 1.0)(a) * 2, wrt=a)
    assert not re.search(STEERING, str(ledger) + ledger.html + ledger.latex)


# --- wrong arguments ---------------------------------------------------------------------------------


def test_wrong_arguments() -> None:
    a, _, y = example()
    with pytest.raises(TypeError, match=r"^explain expects the result as a Value, got float$"):
        explain(1.0, wrt=a)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^wrt must be a Value that the result depends on, got str$"):
        explain(y, wrt="a")  # type: ignore[arg-type]
    for paths in (-1, 2.5, True):
        with pytest.raises(ValueError, match=r"^paths must be an integer of at least 0, got"):
            explain(y, wrt=a, paths=paths)  # type: ignore[arg-type]


def test_a_stale_or_freed_graph_is_rejected_as_by_backward() -> None:
    a, _, y = example()
    a.data = 3.0
    with pytest.raises(StaleValueError, match="was changed after"):
        explain(y, wrt=a)
    y.forward()
    y.backward(retain_graph=False)
    with pytest.raises(GraphFreedError, match="was freed by"):
        explain(y, wrt=a)


@pytest.mark.parametrize("written", ["v{}", "v_{}", " v{} "])
def test_a_label_is_not_confused_with_a_generated_name(written: str) -> None:
    a, b, outside = Value(2.0, label="a"), Value(3.0, label="b"), Value(1.0)
    middle = (a * b).tanh() + (a + b).sin() * (a - 2).cos() + (a / b).exp() * (b / a)
    y = middle * middle
    count = len(chainrule.viz.picture(y).nodes)
    for wrt, number in ((middle, count - 2), (outside, count)):
        a.label = "a"
        assert f"/d v{number} = " in explain(y, wrt=wrt).text
        a.label = written.format(number)
        assert f"/d v{max(number + 1, count)} = " in explain(y, wrt=wrt).text
