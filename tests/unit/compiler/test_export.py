"""`Compiled.source`: the exported C and JavaScript code is compiled and run."""

import ctypes
import math
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chainrule import Value, dot, exp, grad, less, nn, ops, sin, sqrt, sum, take, tanh, where
from chainrule.compiler import Compiled, compile

from ...conformance import truth
from ...conformance.campaigns import check, compiled_graphs, random_graphs, special
from ...conformance.campaigns.exports import (
    Call,
    Result,
    all_identical,
    build,
    flat,
    identical,
    in_c,
    in_javascript,
    numbers,
    run_node,
    written,
)


def traced(function: Any, *batch: Any, **options: Any) -> Compiled:
    step = compile(function, **options)
    step(*batch)
    return step


def of_value(out: Value, params: list[Value], inputs: list[Value]) -> Compiled:
    return traced(out, *([leaf.data] for leaf in inputs), params=params, inputs=inputs)


# --- comparing -----------------------------------------------------------------------------------


def close(a: float, b: float) -> bool:
    """Equal up to a few roundings; infinities and NaN must match exactly."""
    if not math.isfinite(a) or not math.isfinite(b):
        return identical(a, b)
    return abs(a - b) <= 2e-14 * max(abs(b), 1e-300)


def eager(out: Value, params: list[Value], inputs: list[Value]) -> Result:
    out.forward().backward(reset=True)
    return out.data, [p.grad for p in params], [x.grad for x in inputs]


# --- every operation -----------------------------------------------------------------------------


Graph = tuple[str, Value, list[Value], list[Value], Any]  # a name, result, parameters, inputs, points


def rows() -> Iterator[Graph]:
    """Every operation of fixed arity, times a constant, so that the gradient that reaches it is not 1.

    The points are ordinary ones and the whole special grid, with zeros, infinities and NaN.
    """
    for op in special.elementwise():
        leaves = [Value(0.5) for _ in range(op.arity)]
        yield op.name, op(*leaves) * 0.7, [], leaves, [*check.points(op, 20), *special.grid(op)]


VARIADIC_POINTS = (
    *([1.5, -2.0, 0.25, 3.0], [2.0, 2.0, -1.0, 2.0], [0.0, 3.0, 0.0, -0.0], [1e300, -1e300, 5.0, 7.0]),
    [math.inf, 1.0, -math.inf, math.nan],
)


def variadic() -> Iterator[Graph]:
    """Every variadic operation over parameters, inputs and a constant."""
    for op in random_graphs.VARIADIC:
        leaves = [Value(1.0) for _ in range(4)]
        out = op(*leaves, 0.5, leaves[1]) * 2.0
        yield op.name, out, leaves[:1], leaves[1:], VARIADIC_POINTS


def measured(graphs: Iterable[Graph]) -> tuple[dict[str, Compiled], list[tuple[Call, Result]]]:
    """The programs of the graphs, and eager-mode results at their points."""
    steps, calls = {}, []
    for name, out, params, inputs, points in graphs:
        out.label = name
        steps[name] = of_value(out, params, inputs)
        for point in points:
            for leaf, x in zip([*params, *inputs], point, strict=True):
                leaf.data = x
            call = name, point[: len(params)], point[len(params) :]
            calls.append((call, eager(out, params, inputs)))
    return steps, calls


@pytest.mark.parametrize("graphs", [rows, variadic])
def test_every_operation_in_c(tmp_path: Path, graphs: Any) -> None:
    """The same bits as eager mode, including zeros, infinities and NaN."""
    steps, calls = measured(graphs())
    library = build(tmp_path, written(steps, "c"))
    for call, expected in calls:
        assert all_identical(in_c(library, call), expected), call


@pytest.mark.parametrize("graphs", [rows, variadic])
def test_every_operation_in_javascript(tmp_path: Path, graphs: Any) -> None:
    """JavaScript's functions may differ in the last digits, and so may results computed from them."""
    steps, calls = measured(graphs())
    results = in_javascript(tmp_path, written(steps, "javascript"), [call for call, _ in calls])
    for (call, expected), result in zip(calls, results, strict=True):
        assert all(map(close, flat(result), flat(expected))), (call, result, expected)


def test_erf_in_javascript(tmp_path: Path) -> None:
    """JavaScript has no erf; ours, built from the table's erfc, is as accurate as C's."""
    x = Value(0.5)
    source = of_value(x.erf(), [], [x]).source("javascript")
    rng = random.Random(0)
    points = [rng.uniform(-0.7, 0.7) for _ in range(300)] + [truth.sample(rng) for _ in range(300)]
    results = in_javascript(tmp_path, {"erf": source}, [("erf", [], [x]) for x in points])
    for x, (value, _, _) in zip(points, results, strict=True):
        assert truth.ulps(value, truth.TRUTH["erf"][0](truth.mpf(x))) <= 2.0, x


# --- random graphs -------------------------------------------------------------------------------


def random_programs(seeds: range) -> tuple[dict[str, Compiled], list[tuple[Call, Any]]]:
    """Programs with some leaves as inputs, and their eager-mode results; steep programs are skipped."""
    steps, calls = {}, []
    for seed in seeds:
        rng = random.Random(seed)
        program = random_graphs.make(rng, Value)
        values = random_graphs.run(program, Value, lambda name, args: ops.BY_NAME[name](*args))
        leaves, out = values[: len(program.leaves)], values[-1]
        cut = rng.randint(0, len(leaves))
        params, inputs = leaves[:cut], leaves[cut:]
        point = compiled_graphs.eager(program, values, inputs, params, [leaf.data for leaf in inputs])
        if point is None or not inputs:
            continue
        out.label = f"graph_{seed}"
        steps[out.label] = of_value(out, params, inputs)
        calls.append(((out.label, [p.data for p in params], [x.data for x in inputs]), point))
    assert len(steps) > 0.6 * len(seeds)
    return steps, calls


def test_random_graphs_in_c(tmp_path: Path) -> None:
    """Values and gradients are those of eager mode to the last bit."""
    steps, calls = random_programs(range(40))
    library = build(tmp_path, written(steps, "c"), "-O0")
    for call, (value, _, inputs, params, *_) in calls:
        assert all_identical(in_c(library, call), (value, params, inputs)), call


def test_random_graphs_in_javascript(tmp_path: Path) -> None:
    steps, calls = random_programs(range(100, 200))
    results = in_javascript(tmp_path, written(steps, "javascript"), [call for call, _ in calls])
    for result, (call, point) in zip(results, calls, strict=True):
        value, size, inputs, params, input_sizes, param_sizes = point
        scales = [size, *param_sizes, *input_sizes]
        for a, b, scale in zip(flat(result), [value, *params, *inputs], scales, strict=True):
            assert abs(a - b) <= 1e-12 * scale, call


def test_an_operator_inside_where_may_change_the_order_of_a_sum(tmp_path: Path) -> None:
    """Its comparison is a node of the trace, but a bool in eager mode, whose order is different."""
    tests = {"operator": lambda a: a < 9.0, "called": lambda a: less(a, 9.0)}
    points = [0.01 * k for k in range(1, 100)]
    different = {}
    for name, test in tests.items():

        def model(x: Any, test: Any = test) -> Any:
            t = exp(x)
            return (where(test(t), sin(x), x) + x * 0.3) + t

        text = traced(model, points).source("c")
        assert "of a where or the index of a take is written with a comparison operator" in text
        (tmp_path / name).mkdir()
        library = build(tmp_path / name, {"model": text})
        slopes = [(in_c(library, ("model", [], [x]))[2][0], grad(model)(x)) for x in points]
        assert all(close(*pair) for pair in slopes)
        different[name] = [a for a, b in slopes if a != b]
    assert different["operator"]
    assert not different["called"]


# --- typical exports -----------------------------------------------------------------------------


def test_mlp(tmp_path: Path) -> None:
    """A model and its loss: names, numbers and gradients of all 37 parameters."""
    model = nn.MLP(2, [4, 4, 1], seed=1)
    model.parameters()[3].label = "fourth"

    def loss(x: list[Value], y: Value) -> Value:
        return (model(x) - y) ** 2

    step = traced(loss, [[0.5, -1.0]], [0.3], params=model.parameters())
    out = loss([Value(0.5), Value(-1.0)], Value(0.3))
    out.backward()
    expected = out.data, [p.grad for p in model.parameters()]
    call = "loss", [p.data for p in model.parameters()], [0.5, -1.0, 0.3]
    text = step.source("c")
    library = build(tmp_path, {"loss": text})
    result = in_c(library, call)
    assert all_identical((*result[:2], []), (*expected, []))
    stored = (ctypes.c_double * len(call[1])).in_dll(library, "loss_parameters")
    assert list(stored) == call[1]
    (other,) = in_javascript(tmp_path, {"loss": step.source("javascript")}, [call])
    assert all(map(close, flat(other), flat(result)))
    for line in (
        " * Generated by chainrule 0.1.0 from the function 'loss': ",
        " *     params[3]                     'fourth'\n",
        " *     params[4] to params[36]       (no label)\n",
        " *     inputs[0] to inputs[1]        x\n",
        " *     inputs[2]                     y\n",
    ):
        assert line in text


def test_a_model_names_its_parameters() -> None:
    model = nn.MLP(2, [1], seed=1)
    text = traced(model, [[1.0, 2.0]]).source("javascript")
    names = [name for name, _ in model.named_parameters()]
    assert all(f"params[{k}]                     {name}\n" in text for k, name in enumerate(names))


def branching(params: list[Value], x: Value) -> Value:
    """Both roots have an infinite derivative at 0, where neither is selected."""
    (a,) = params
    inner = where(less(0.0, a), x * 3.0, sqrt(x))
    return where(less(0.0, x), sqrt(x) * a, tanh(x - a) + inner)


def picking(params: list[Value], index: Value) -> Value:
    """The same with a choice of three; a is 0, where sqrt has an infinite derivative."""
    a, b, c = params
    return take([sqrt(a), b * 2.0, c + sum([sqrt(a), dot([a], [b])])], index) * b


@pytest.mark.parametrize(
    ("function", "start", "points"),
    [
        (branching, [2.0], [0.0, -1.0, 4.0, math.nan]),
        (picking, [0.0, 3.0, 1.0], [1.0, 0.0, 2.0, 7.0, 0.5, -1.0]),
    ],
)
def test_unselected_arguments_get_no_gradient(
    tmp_path: Path, function: Any, start: list[float], points: list[float]
) -> None:
    """Even where their derivative is infinite, and multiplying it by 0 would give NaN."""
    params, x = [Value(x) for x in start], Value(1.0)
    out = function(params, x)
    out.label = "chosen"
    step = of_value(out, params, [x])
    calls = [("chosen", start, [point]) for point in points]
    library = build(tmp_path, {"chosen": step.source("c")})
    others = in_javascript(tmp_path, {"chosen": step.source("javascript")}, calls)
    for call, other in zip(calls, others, strict=True):
        x.data = call[2][0]
        expected = eager(out, params, [x])
        assert all_identical(in_c(library, call), expected), call
        assert all(map(close, flat(other), flat(expected))), call
    x.data = points[0]
    assert all(map(math.isfinite, flat(eager(out, params, [x]))))


def test_branches(tmp_path: Path) -> None:
    """All traced branches are exported; a sample that takes any other gives NaN, not a wrong number."""

    def steps(x: Value) -> Value:
        if x < 0.0:
            return x * 2.0
        if x < 1.0:
            return x * x
        return x * 0.0 + 7.0

    step = traced(steps, [-1.0, 0.5])
    calls: list[Call] = [("steps", [], [x]) for x in (-3.0, 0.25, 1.5)]
    expected = [(-6.0, [], [2.0]), (0.0625, [], [0.5]), (math.nan, [], [math.nan])]
    text = step.source("c")
    library = build(tmp_path, {"steps": text})
    others = in_javascript(tmp_path, {"steps": step.source("javascript")}, calls)
    for call, other, right in zip(calls, others, expected, strict=True):
        assert all_identical(in_c(library, call), right)
        assert all_identical(other, right)
    assert "The function branches; 2 paths through it were traced.\n" in text


def test_several_outputs(tmp_path: Path) -> None:
    def both(x: dict[str, Any]) -> list[Value]:
        return [x["first"] * 2.0, x["second"][1] + 1.0]

    step = traced(both, {"first": [1.0], "second": [[2.0, 3.0]]})
    text = step.source("c")
    assert "value_and_grad" not in text
    assert "inputs[1] to inputs[2]        x['second']\n" in text
    outputs = numbers([0.0, 0.0])
    build(tmp_path, {"both": text}).both_value(None, numbers([4.0, 5.0, 6.0]), outputs)
    assert list(outputs) == [8.0, 7.0]
    (tmp_path / "both.mjs").write_text(step.source("javascript"))
    script = """
        import * as both from "./both.mjs";
        console.log(both.value([], [4, 5, 6]).join(), "valueAndGrad" in both);
    """
    assert run_node(tmp_path, script) == "8,7 false\n"


def test_trivial_functions(tmp_path: Path) -> None:
    """A constant, a leaf itself, an unused input."""
    x, y = Value(3.0), Value(4.0)
    steps = {
        "constant": traced(lambda x: Value(2.0) * 3.0, [1.0]),
        "parameter": traced(lambda x: y, [1.0], params=[y]),
        "itself": of_value(x, [], [x, y]),
    }
    calls = [("constant", [], [1.0]), ("parameter", [4.0], [1.0]), ("itself", [], [3.0, 4.0])]
    expected = [(6.0, [], [0.0]), (4.0, [1.0], [0.0]), (3.0, [], [1.0, 0.0])]
    texts = {name: text.replace("model_", f"{name}_") for name, text in written(steps, "c").items()}
    library = build(tmp_path, texts)
    assert [in_c(library, call) for call in calls] == expected
    assert in_javascript(tmp_path, written(steps, "javascript"), calls) == expected


def test_a_null_pointer_skips_a_gradient(tmp_path: Path) -> None:
    w, x = Value(2.0), Value(3.0)
    library = build(tmp_path, {"model": of_value(w * x, [w], [x]).source("c")})
    function = library.model_value_and_grad
    function.restype = ctypes.c_double
    grads = numbers([0.0])
    assert function(numbers([2.0]), numbers([5.0]), None, None) == 10.0
    assert function(numbers([2.0]), numbers([5.0]), grads, None) == 10.0
    assert grads[0] == 5.0
    assert function(numbers([2.0]), numbers([5.0]), None, grads) == 10.0
    assert grads[0] == 2.0


def test_javascript_checks_its_arguments(tmp_path: Path) -> None:
    w, x = Value(2.0), Value(3.0)
    (tmp_path / "model.mjs").write_text(of_value(w * x, [w], [x]).source("javascript"))
    script = """
        import { parameters, value } from "./model.mjs";
        try { value(parameters, [1, 2]); } catch (error) { console.log(String(error)); }
    """
    assert run_node(tmp_path, script) == "RangeError: expected 1 parameters and 1 inputs, got 1 and 2\n"


LABELS = (
    *("*/ int broken; /*", "/*/ **/ *//", "line\nend\r\u2028\u2029", "??/", "\\", "'\"`${x}"),
    *("\u202eright to left", "θ", "\ud800"),
)


def test_labels_cannot_end_their_comment(tmp_path: Path) -> None:
    """Any label stays inside one comment, which still shows the label."""
    leaves = [Value(1.0, label=label) for label in LABELS]
    step = of_value(sum(leaves), leaves[:5], leaves[5:])
    call = "model", [1.0] * 5, [1.0] * (len(LABELS) - 5)
    texts = step.source("c"), step.source("javascript")
    result = in_c(build(tmp_path, {"model": texts[0]}), call)
    assert result == (len(LABELS), [1.0] * 5, [1.0] * (len(LABELS) - 5))
    assert in_javascript(tmp_path, {"model": texts[1]}, [call]) == [result]
    for text in texts:
        comment = text[: text.index("*/") + 2]
        assert comment.count("/*") == 1
        assert comment.isascii() or set(comment) - set(map(chr, range(128))) == {"θ"}
        assert text.count("*/") == 1
        assert r"'*\/ int broken; /\*'" in comment


def test_the_name_is_a_valid_identifier() -> None:
    def _private(x: Value) -> Value:
        return x

    assert "void private_value(" in traced(_private, [1.0]).source("c")
    assert "void model_value(" in traced(lambda x: x, [1.0]).source("c")
    x = Value(1.0)
    out = x * 2.0
    out.label = "y; int z"
    assert "void model_value(" in of_value(out, [], [x]).source("c")


def test_large_graphs(tmp_path: Path) -> None:
    """Large graphs become many short functions that keep their memory off the stack."""
    x, w = Value(0.5), Value(0.7)
    out = x
    for _ in range(3_000):
        out = (out * w + 0.25).sin()
    expected = eager(out, [w], [x])
    step = of_value(out, [w], [x])
    text = step.source("c")
    assert "static _Thread_local double v[" in text
    longest = max(len(body.splitlines()) for body in re.split(r"\n}\n", text))
    assert longest < 200
    call: Call = ("model", [0.7], [0.5])
    assert all_identical(in_c(build(tmp_path, {"model": text}, "-O0"), call), expected)
    (other,) = in_javascript(tmp_path, {"model": step.source("javascript")}, [call])
    assert all(map(close, flat(other), flat(expected)))


def test_errors() -> None:
    step = compile(lambda x: x[0] * 2.0)
    with pytest.raises(ValueError, match=r"^there is nothing to export yet: call the compiled function"):
        step.source("c")
    with pytest.raises(ValueError, match=r"^unknown language 'cobol'; expected one of: c, javascript$"):
        step.source("cobol")
    step(np.ones((1, 2)))
    step(np.ones((1, 3)))
    message = r"^the function was called with batches of 2 different shapes, each"
    with pytest.raises(ValueError, match=message):
        step.source("c")
