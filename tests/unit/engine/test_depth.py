"""Graphs of any depth: code that walks, copies or frees a graph must not recurse.

Runs on the core chosen by CHAINRULE_CORE; the reference core gets smaller graphs because it is
slower, not because it supports less depth. The thread's stack is small, so that recursion in C would
be noticed.
"""

import copy
import operator
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import chainrule
from chainrule import Value
from chainrule.support import graph, numbers

LONG = 10_000_000 if chainrule.core == "c" else 1_000_000
COPIED = 1_000_000 if chainrule.core == "c" else 100_000
SHORT = COPIED // 10
SMALL_STACK = 256 * 1024


def on_small_stack(function: Callable[[], Any]) -> Any:
    """Call a function in a thread whose stack is too small for recursion over the graph."""
    before = threading.stack_size(SMALL_STACK)
    try:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(function).result()
    finally:
        threading.stack_size(before)


def chain(length: int, add: Callable[[Any, Any], Any] = operator.add) -> tuple[Any, Any]:
    """A leaf, and the leaf added to itself `length` times: every number in it is exact."""
    step = total = Value(1.0)
    for _ in range(length):
        total = add(total, step)
    return step, total


def swept(length: int, add: Callable[[Any, Any], Any]) -> tuple[float, float]:
    step, total = chain(length, add)
    total.backward()
    return total.data, step.grad


def run_chain(length: int) -> dict[str, Any]:
    step, total = chain(length)
    checked: dict[str, Any] = {"built": total.data}
    step.data = 3.0
    checked["forward"] = total.forward().data
    total.backward()
    checked["gradient"] = step.grad
    checked["repr"] = repr(total)
    total.zero_grad()
    checked["zeroed"] = (step.grad, total.grad)
    # Dropping the last reference frees the whole chain here, on this thread's stack.
    del total
    checked["leaf"] = repr(step)
    return checked


def test_a_long_chain_needs_no_stack() -> None:
    checked = on_small_stack(lambda: run_chain(LONG))
    count = LONG + 1
    assert checked == {
        "built": float(count),
        "forward": 3.0 * count,
        "gradient": float(count),
        "repr": f"Value(data={numbers.format(3 * count)}, grad=1.0000)",
        "zeroed": (0.0, 0.0),
        "leaf": "Value(data=3.0000, grad=0.0000)",
    }


def test_freeing_a_graph_after_backward_needs_no_stack() -> None:
    def run() -> tuple[Any, ...]:
        step, total = chain(COPIED)
        total.backward(retain_graph=False)
        return step.grad, total.inputs

    assert on_small_stack(run) == (COPIED + 1.0, ())


def test_a_chain_of_hand_made_nodes_needs_no_stack() -> None:
    """The garbage collector tracks nodes with a function, and frees them in its own order."""

    def hand_made_add(left: Any, right: Any) -> Any:
        out = Value(left.data + right.data, (left, right), "add by hand")

        def add_backward() -> None:
            left.grad += out.grad
            right.grad += out.grad

        out._backward = add_backward
        return out

    assert on_small_stack(lambda: swept(SHORT, hand_made_add)) == (SHORT + 1.0, SHORT + 1.0)


def test_a_wide_and_deep_graph_needs_no_stack() -> None:
    """Variadic operations store their inputs in a different place than binary operations."""
    twice = 2.0 * SHORT + 1.0
    assert on_small_stack(lambda: swept(SHORT, lambda x, y: chainrule.sum([x, y, y]))) == (twice, twice)


both_ways = pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda things: pickle.loads(pickle.dumps(things))], ids=["copy", "pickle"]
)


@both_ways
def test_a_deep_graph_is_copied_without_recursion(copied: Callable[[Any], Any]) -> None:
    step, total = chain(COPIED)
    total.backward()
    twin_step, twin = on_small_stack(lambda: copied([step, total]))
    assert (twin.data, twin.grad) == (COPIED + 1.0, 1.0)
    assert twin_step.grad == COPIED + 1.0
    # The leaf is copied once, not once per use, so its gradient counts all uses.
    assert twin.inputs[1] is twin_step
    assert len(graph.topological(twin)) == COPIED + 1
    twin.backward(reset=True)
    assert (twin_step.grad, step.grad) == (COPIED + 1.0, COPIED + 1.0)
    twin_step.data = 2.0
    assert twin.forward().data == 2.0 * (COPIED + 1)
    assert total.data == COPIED + 1.0


@both_ways
def test_shared_nodes_stay_shared_after_copying(copied: Callable[[Any], Any]) -> None:
    a = Value(3.0, label="a")
    b = a * a
    twin_a, twin_b = copied([a, b])
    assert twin_a is not a
    assert twin_b.inputs == (twin_a, twin_a)
    assert (twin_a.label, twin_b.op, twin_b.data) == ("a", "mul", 9.0)
    twin_b.backward()
    assert (twin_a.grad, a.grad) == (6.0, 0.0)


@both_ways
def test_two_results_share_their_inputs_after_copying(copied: Callable[[Any], Any]) -> None:
    x = Value(2.0)
    shared = x.exp()
    left, right = copied([shared + 1.0, shared * 2.0])
    assert left.inputs[0] is right.inputs[0]
    assert left.inputs[0].inputs[0].data == 2.0


@both_ways
def test_gradients_that_are_values_are_copied(copied: Callable[[Any], Any]) -> None:
    """They are copied as numbers: the graph behind them belongs to the original."""
    x = Value(3.0)
    y = x * x * x
    y.backward(create_graph=True)
    twin_x, twin_y = copied([x, y])
    assert (twin_x.grad, twin_y.grad, twin_x is x) == (27.0, 1.0, False)
    assert x.grad.data == 27.0


def doubled(levels: int, join: Callable[[Any, Any], Any] = operator.add) -> tuple[Any, Any]:
    x = top = Value(1.0)
    for _ in range(levels):
        top = join(top, top)
    return x, top


def test_a_diamond_takes_linear_time() -> None:
    """2**1000 paths, 1,001 nodes: a walk must remember visited nodes to finish."""
    x, top = doubled(1000)
    assert len(graph.topological(top)) == 1001
    assert top.data == 2.0**1000
    top.backward()
    assert x.grad == 2.0**1000
    x.data = 0.5
    assert top.forward().data == 2.0**999


def test_a_diamond_of_products_takes_linear_time() -> None:
    x, top = doubled(1000, operator.mul)
    assert len(graph.topological(top)) == 1001
    top.backward()
    assert x.grad == 2.0**1000


@both_ways
def test_a_diamond_is_copied_in_linear_time(copied: Callable[[Any], Any]) -> None:
    _, top = doubled(1000)
    twin = copied(top)
    order = graph.topological(twin)
    assert len(order) == 1001
    twin.backward()
    assert order[0].grad == 2.0**1000


def test_a_diamond_is_differentiated_again_in_linear_time() -> None:
    x, top = doubled(200)
    (top * top).backward(create_graph=True)
    assert x.grad.data == 2.0**401
    x.grad.backward(reset=True)
    assert x.grad == 2.0**401
