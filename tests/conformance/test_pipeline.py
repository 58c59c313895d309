"""The C pipeline and the Python pipeline give the same graphs and steps, byte for byte."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, nn, ops, optim
from chainrule.compiler import CompileError, compile
from chainrule.value import c_core, core

if core != "c":
    pytest.skip("needs the C core", allow_module_level=True)

from chainrule.compiler.flat import Flat
from chainrule.compiler.graph import Graph, check_operation, from_values
from chainrule.compiler.instructions import Dense
from chainrule.compiler.pipeline import NativePipeline
from chainrule.compiler.program import Program

from .campaigns.pipeline_graphs import NAMES, compare, compare_random

CHUNK = 50


@pytest.mark.parametrize("first", range(0, 600, CHUNK))
def test_random_graphs(first: int) -> None:
    for seed in range(first, first + CHUNK):
        try:
            compare_random(seed)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error


def values(count: int) -> list[Value]:
    return [Value(0.1 * i + 0.5) for i in range(count)]


def kinds(program: Program) -> set[str]:
    return {type(step).__name__ for step in [*program.shared, *program.each]}


def layer(weights: list[list[Value]], biases: list[Value], xs: list[Any]) -> list[Any]:
    sums = [chainrule.dot(w, xs) + b for w, b in zip(weights, biases, strict=True)]
    return [chainrule.relu(s) for s in sums]


def test_every_kind_of_step() -> None:
    xs, weights, biases, table = values(3), [values(3) for _ in range(2)], values(2), values(4)
    first, second = layer(weights, biases, xs), layer(weights, biases, xs[::-1])
    mixed = chainrule.dot([xs[0], weights[0][0]], [xs[1], xs[2]])
    chosen = chainrule.where(xs[0] - 1.0, chainrule.exp(mixed), chainrule.max(first))
    neurons = [first[0], second[0], first[1], second[1]]  # in the order of the product's rows
    out = chainrule.sum([*neurons, chosen, chainrule.take(table, xs[2]), xs[0] * 2.0])
    found = compare([out], [chainrule.less(xs[0], xs[1])], xs)
    program = found.lowered(12, 3, narrow=True)
    assert kinds(program) == {"Map", "Gather", "Spread", "Dense", "Dots", "Fold", "Take"}
    (product,) = (step for step in program.each if isinstance(step, Dense))
    assert (product.columns, len(product.arguments)) == (2, 3)  # both sets of inputs, and the biases


def test_a_penalty_on_the_weights() -> None:
    xs, weights = values(2), values(6)
    penalty = chainrule.dot(weights, weights) + chainrule.sum([w * w for w in weights])
    shared = chainrule.take(weights, weights[0] * 0.0) + chainrule.where(weights[1], weights[2], 1.0)
    compare([xs[0] * xs[1] + penalty + shared], [], xs)


def test_branches_and_tables_with_masks() -> None:
    x, p, q = values(3)
    safe = chainrule.where(
        x, chainrule.sqrt(x), chainrule.log(p)
    )  # log(p) varies only because of its mask
    inner = chainrule.where(safe < 1.0, chainrule.dot([p, x], [x, q]), chainrule.logsumexp([x, p, safe]))
    table = [chainrule.exp(p), inner, chainrule.sin(q), inner * inner]
    compare([chainrule.take(table, x) + chainrule.where(p, chainrule.log(q), q)], [], [x])


def test_masks_that_depend_on_other_masks() -> None:
    x, *params = values(12)
    total = chainrule.where(x, chainrule.exp(params[0]), x)
    for p, q in pairwise(params):  # each condition depends on the previous result
        total = total + chainrule.where(chainrule.exp(p), chainrule.exp(q), 2.0)
    compare([total], [], [x])


def test_constants_are_folded_alike() -> None:
    x = Value(2.0)
    made = nan, zero, minus, five = Value(math.nan), Value(0.0), Value(-0.0), Value(5.0)
    folded = (zero + minus) * nan + chainrule.max([zero, minus, 3.0]) + ops.take(2)(five, 1.0, 2.0)
    powers = [x**n for n in (-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0)]
    ones = [x * 1.0, 1.0 * x, x / 1.0, +x, ops.take(2)(-0.0, x, minus), ops.take(2)(2.0, x, minus)]
    compare([folded, *powers, *ones, 2.5, -0.0, 0.0], [], [x], [], made)
    compare([folded], [], [], [], made)
    compare([1.5], [], [x])


def test_empty_graphs() -> None:
    compare([], [], [])
    compare([], [], values(2), values(3))


def test_results_that_are_leaves() -> None:
    x, p = values(2)
    constant = (x * 3.0).inputs[1]
    compare([x, p, x, constant, constant * x], [], [x], [p])


def test_a_sum_of_one_sum() -> None:
    x = Value(1.0)
    compare([chainrule.sum([x + 1.5])], [], [x])
    assert compile(lambda x: chainrule.sum([x + 1.5]))(np.ones(2)).tolist() == [2.5, 2.5]


def test_the_same_dot_twice_and_a_bias_used_twice() -> None:
    xs, ws = values(3), [values(3) for _ in range(3)]
    sums = [chainrule.dot(w, xs) for w in ws]
    compare([chainrule.sum([*sums, *(s + ws[0][0] for s in sums), sums[0] + ws[1][1]])], [], xs)


@pytest.mark.parametrize("size", [[4], [5, 3], [8, 8, 2]])
def test_mlps(size: list[int]) -> None:
    model, xs = nn.MLP(4, size, "tanh", seed=1), values(4)
    scores = model(xs)
    scores = scores if isinstance(scores, list) else [scores]
    loss = chainrule.logsumexp(scores) - chainrule.take(scores, xs[0] * 0.0)
    compare([loss], [], xs, model.parameters())
    compare(scores, [], xs)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_update_rules_of_optimisers(name: str) -> None:
    optimizer = getattr(optim, name)(values(1))
    rate, time, p, g, *state = values(4 + optimizer.state_size)
    settings = {**optimizer.hyperparameters, "lr": rate}
    number, new = optimizer.rule(p, g, tuple(state), time, **settings)
    outputs = [x if isinstance(x, Value) else float(x) for x in (number, *new)]
    compare(outputs, [], [p, g, *state], [rate, time])


def test_long_chains_do_not_overflow_the_stack() -> None:
    x, p = values(2)
    total: Any = x
    for _ in range(100_000):
        total = total * p + p
    flat = Flat.from_values([total], [], [x], [])
    assert len(flat) == 200_002
    assert NativePipeline(flat).machine(1, 1, False, (0,)).outputs == 1


def test_extraction_does_not_change_gradients() -> None:
    x, p = values(2)
    y = x * p
    y.backward()
    before = x.grad, p.grad, y.grad
    Flat.from_values([y], [], [x], [])
    assert (x.grad, p.grad, y.grad) == before
    with pytest.raises(CompileError, match="cannot compile"):
        Flat.from_values([Value(1.0, (y,), "by hand")], [], [x], [])
    assert (x.grad, p.grad, y.grad) == before


def test_equality_of_graphs() -> None:
    x, p = values(2)
    graphs = [Flat.from_values([y], [], [x], [p]) for y in (x * p, x * p, p * x, x * 2.0)]
    assert graphs[0] == graphs[1]
    assert graphs[0] != graphs[2]
    assert graphs[0] != graphs[3]
    assert graphs[0] != "a graph"
    nan = [Flat.from_values([x * math.nan], [], [x], []) for _ in range(2)]
    assert nan[0] == nan[1]


# --- what must be rejected -----------------------------------------------------------------------


def both(outputs: list[Any], inputs: list[Any]) -> list[str]:
    """The error messages of both pipelines for the same graph."""
    messages = []
    for make in (from_values, Flat.from_values):
        with pytest.raises((CompileError, RuntimeError)) as caught:
            make(outputs, [], inputs, [])
        messages.append(f"{type(caught.value).__name__}: {caught.value}")
    return messages


def test_unknown_operations_are_rejected() -> None:
    x = Value(2.0)
    square = chainrule.custom_op("square", lambda x: x * x, lambda x, out: 2 * x)
    by_hand = Value(3.0, (x,), "strange")
    assigned = x + 1.0
    assigned._backward = lambda: None
    freed = x * x
    freed.backward(retain_graph=False)
    for bad in (square(x), by_hand, assigned, freed):
        first, second = both([x, bad * 2.0 if bad is not freed else bad], [x])
        assert first == second


def graph() -> Any:
    x, p = values(2)
    return Flat.from_values([x * p + chainrule.where(x, p, 2.0)], [x < 1.0], [x], [p]).capsule


def capsules() -> dict[str, Any]:
    x = Value(1.0)
    machine = NativePipeline(Flat.from_values([x * 2.0], [], [x], [])).machine(0, 1).capsule
    return {"a machine": machine, "a number": 3, "None": None, "a Value": x, "text": "graph"}


def test_a_machine_is_rebuilt_from_its_parts_unless_malformed() -> None:
    parts = list(c_core.machine_parts(capsules()["a machine"]))
    place = {name: i for i, name in enumerate(NAMES)}
    c_core.machine(*parts)
    for name, wrong in {
        "params": -1,
        "inputs": 100,
        "shared_rows": 0,
        "each_rows": 1,
        "constants": bytes(8 * 100),
        "each": parts[place["each"]][:-4],
        "outputs": np.array([0, 10**6, 0, 0], dtype=np.int32).tobytes(),
        "guards": np.array([1, -1, 0, 0], dtype=np.int32).tobytes(),
    }.items():
        with pytest.raises(ValueError, match=r"malformed|wrong size"):
            c_core.machine(*parts[: place[name]], wrong, *parts[place[name] + 1 :])


@pytest.mark.parametrize("wrong", ["a machine", "a number", "None", "a Value", "text"])
def test_only_graphs_are_accepted(wrong: str) -> None:
    given = capsules()[wrong]
    for function in (c_core.graph_optimise, c_core.graph_guards, c_core.graph_parts, c_core.graph_sizes):
        with pytest.raises((TypeError, ValueError)):
            function(given)
    with pytest.raises((TypeError, ValueError)):
        c_core.graph_machine(given, 1, 1, False, True, None)
    with pytest.raises((TypeError, ValueError)):
        c_core.machine_parts(graph() if wrong == "a machine" else given)


@pytest.mark.parametrize(
    "arguments",
    [
        # too few parameters or inputs, or negative numbers of them
        *((p, i, False, True, None) for p, i in ((0, 1), (1, 0), (-1, 1), (1, -1))),
        *((p, i, False, True, None) for p, i in ((2**40, 1), (1, 2**40), ("1", 1))),
        *((1, 1, False, True, np.array([i], np.int32)) for i in (1, -1)),  # no such input
        *((1, 1, False, True, [0]), (1, 1, False, True, "0"), (1, 1)),
    ],
)
def test_invalid_arguments_for_a_machine_are_rejected(arguments: Any) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)):
        c_core.graph_machine(graph(), *arguments)


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        *((0, 3), (0, [3]), (0, ["x"]), (0, [None]), (1, [1.0]), (1, None), (2, [1.0])),
        *((3, ()), (3, [None]), (4, 3), (4, [2.0]), (4, [None])),
    ],
)
def test_only_values_are_extracted(place: int, wrong: Any) -> None:
    x, p = values(2)
    arguments: list[Any] = [[x * p], [], [x], [p], [], check_operation]
    c_core.graph_extract(*arguments)
    arguments[place] = wrong
    with pytest.raises((TypeError, ValueError)):
        c_core.graph_extract(*arguments)


def test_a_check_that_raises_or_changes_the_graph() -> None:
    x = Value(1.0)
    product = x * 2.0
    picked = chainrule.take([product, x], product * 0.0)
    with pytest.raises(ZeroDivisionError):
        c_core.graph_extract([picked], [], [x], [], [], lambda node: 1 // 0)
    with pytest.raises(TypeError):
        c_core.graph_extract([picked], [], [x], [], [], None)

    def free(node: Any) -> None:
        product.backward(retain_graph=False)

    with pytest.raises(ValueError, match="the graph was changed while it was being compiled"):
        c_core.graph_extract([picked], [], [x], [], [], free)
    assert product.grad == 1.0


def test_running_out_of_memory() -> None:
    """Wherever it happens, it raises MemoryError and leaves the gradients unchanged."""
    testcapi = pytest.importorskip("_testcapi")
    xs, weights = values(3), [values(3) for _ in range(2)]
    hidden = layer(weights, values(2), xs)
    picked = chainrule.take([chainrule.where(xs[0], chainrule.dot(hidden, xs[:2]), 2.0), *hidden], xs[1])
    picked.backward()
    grads = [x.grad for x in xs]
    needed = np.arange(3, dtype=np.int32)

    def run() -> None:
        params: list[Value] = []
        graph = c_core.graph_extract([picked], [], xs, params, [], check_operation)
        graph = c_core.graph_optimise(graph)
        c_core.graph_machine(graph, len(params), 3, False, True, needed)

    run()
    failures = 0
    while True:
        testcapi.set_nomemory(failures, failures + 1)
        try:
            run()
            break
        except MemoryError:
            failures += 1
        finally:
            testcapi.remove_mem_hooks()
            assert [x.grad for x in xs] == grads
    assert failures > 100


def test_both_pipelines_can_be_used() -> None:
    x = Value(1.0)
    assert isinstance(from_values([x * 2.0], [], [x], []), Graph)
    step = compile(lambda x: x * 2.0, backend="numpy")
    assert step(np.ones(2)).tolist() == [2.0, 2.0]
    assert "2 instructions" in compile_and_describe()


def compile_and_describe() -> str:
    step = compile(lambda x: chainrule.exp(x * x))
    step(np.ones(2))
    return step.program


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (Graph([("input", (0,)), (ops.add, (0,))], [1]), "node 1 is malformed: %1 = add"),
        (Graph([("input", (0,)), (ops.neg, (1,))], [1]), "node 1 is malformed"),
        (Graph([("input", (0.5,))], [0]), "node 0 is malformed"),
        (Graph([("input", (0,))], [1]), "a result is not a node"),
        (Graph([("input", (0,))], [0], masks={0: 77}), "a mask is not a node"),
    ],
)
def test_verify_reports_what_is_wrong_with_a_graph(graph: Graph, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        graph.verify()
