"""Nothing leaks: every reference that a graph takes is released when the graph is dropped.

Reference counts detect a leak exactly where a leaf is shared; the resident set size detects the rest,
over many graphs. Runs on the core chosen by CHAINRULE_CORE.
"""

import copy
import gc
import inspect
import os
import pickle
import struct
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import chainrule
from chainrule import Value, custom_op, detect_anomaly, no_grad, ops

from ...conftest import python

ROOT = Path(__file__).parents[3]
MEGABYTE = 1024 * 1024

measured = pytest.mark.skipif(
    not Path("/proc/self/statm").exists() or "CHAINRULE_SANITIZE" in os.environ,
    reason="the resident set is read from /proc, and a sanitizer pads it",
)

compiled = pytest.mark.skipif(
    chainrule.core != "c", reason="the reference core stores nodes as ordinary Python objects"
)

FIXED = [row for row in ops.TABLE if not isinstance(row, ops.Variadic)]
VARIADIC = [row for row in ops.TABLE if isinstance(row, ops.Variadic)]


def _square(x: Any) -> Any:
    return x * x


def _square_slope(x: Any, out: Any) -> Any:
    return 2.0 * x


square = custom_op("square_of_test", _square, _square_slope)  # named functions can be pickled


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def in_a_fresh_process(script: str) -> str:
    """Run a script and return its output. It can use gc, os, resource, Value and resident()."""
    start = f"import gc, os, resource\nfrom chainrule import Value\n{inspect.getsource(resident)}"
    environment = {"CHAINRULE_CORE": "c", "PYTHONPATH": str(ROOT / "src")}
    return python("-c", start + script, environment=environment, check=True).stdout


def references_lost(use: Callable[[Any], Any], times: int = 20) -> int:
    """How much a leaf's reference count changes when `use` builds graphs on it.

    The first uses may fill caches, so they happen before counting.
    """
    leaf = Value(0.5, label="shared")
    for _ in range(3):
        use(leaf)
    gc.collect()
    before = sys.getrefcount(leaf)
    for _ in range(times):
        use(leaf)
    gc.collect()
    return sys.getrefcount(leaf) - before


# --- reference counts ----------------------------------------------------------------------------


@pytest.mark.parametrize("row", FIXED, ids=lambda row: row.name)
@pytest.mark.parametrize("create_graph", [False, True])
def test_operations_of_fixed_arity_release_their_inputs(row: ops.Op, create_graph: bool) -> None:
    def use(leaf: Any) -> None:
        out = row(*[leaf] * row.arity)
        out.forward()
        out.backward(create_graph=create_graph)
        leaf.grad = 0.0
        for position in range(row.arity):  # a number replaces each of the other arguments
            arguments: list[Any] = [0.25] * row.arity
            arguments[position] = leaf
            row(*arguments).backward()
            assert len(row(*arguments).inputs) == row.arity

    assert references_lost(use) == 0


@pytest.mark.parametrize("row", VARIADIC, ids=lambda row: row.name)
@pytest.mark.parametrize("create_graph", [False, True])
def test_variadic_operations_release_their_inputs(row: ops.Variadic, create_graph: bool) -> None:
    def use(leaf: Any) -> None:
        for count in (1, 2, 3, 100):  # in the node, in an Extra, too many for a C stack array
            out = row(*[leaf, 0.25][:count] * row.width, *[leaf] * (row.width * max(count - 2, 0)))
            out.forward()
            out.backward(create_graph=create_graph)
            leaf.grad = 0.0

    assert references_lost(use) == 0


@pytest.mark.parametrize("row", ops.TABLE, ids=lambda row: row.name)
def test_methods_release_their_arguments(row: ops.Op) -> None:
    def use(leaf: Any) -> None:
        if isinstance(row, ops.Variadic):
            getattr(leaf, row.name)(*[0.25, leaf, leaf][: 3 if row.width == 2 else 2]).backward()
            getattr(chainrule, row.name)(*[[leaf, 0.25, leaf]] * row.width).backward()
        else:
            getattr(leaf, row.name)(*[leaf] * (row.arity - 1)).backward()

    assert references_lost(use) == 0


def made_by_hand(leaf: Any) -> Any:
    """A node in the style of the classic tutorials: it holds a function that holds the node."""
    out = Value(leaf.data * leaf.data, (leaf, leaf), "by hand")

    def by_hand_backward() -> None:
        leaf.grad += 2.0 * leaf.data * out.grad

    out._backward = by_hand_backward
    return out


def test_labels_are_released() -> None:
    label = f"a label that nothing else refers to, {os.getpid()}"

    def use(leaf: Any) -> None:
        out = leaf * 2.0
        out.label = label
        out.label = "another"
        out.label = label
        Value(1.0, (leaf,), "made", label)

    before = sys.getrefcount(label)
    assert references_lost(use) == 0
    assert sys.getrefcount(label) == before


def fail(*args: Any) -> float:
    raise ZeroDivisionError(str(args))


def test_a_failing_custom_operation_leaves_no_references() -> None:
    bad_value = custom_op("bad_value_of_test", fail, lambda x, out: 1.0)
    bad_slope = custom_op("bad_slope_of_test", lambda x: x, fail)
    no_number = custom_op("no_number_of_test", lambda x: "x", lambda x, out: 1.0)
    not_a_slope = custom_op("not_a_slope_of_test", lambda x: x, lambda x, out: "x")

    def use(leaf: Any) -> None:
        with pytest.raises(ZeroDivisionError):
            bad_value(leaf)
        with pytest.raises(ZeroDivisionError):
            (bad_slope(leaf) * leaf).backward()
        with pytest.raises(TypeError, match="real number"):
            no_number(leaf)
        with pytest.raises(TypeError, match="real number"):
            (not_a_slope(leaf) * leaf).backward()
        with pytest.raises(ZeroDivisionError):
            (bad_slope(leaf) * leaf).backward(create_graph=True)

    assert references_lost(use) == 0


def test_numbers_in_attributes_need_no_collector() -> None:
    """An optimiser's moments must not make the collector track every graph of a parameter."""
    p = Value(2.0)
    p.m, p.v, p.name, p.done = 0.0, 1, "weight", None
    gc.collect()
    before = len(gc.get_objects())
    kept = [p * 2.0 for _ in range(1000)]
    assert len(gc.get_objects()) - before < (100 if chainrule.core == "c" else 10_000)
    assert len(kept) == 1000


def operators(leaf: Any) -> None:
    for other in (leaf, 2.0, 2, True):
        (leaf + other, leaf - other, leaf * other, leaf / other, leaf**other)
        (other + leaf, other - leaf, other * leaf, other / leaf, other**leaf)
        assert (leaf < other) is not (leaf >= other)
    (-leaf, +leaf, abs(leaf), leaf.detach(), repr(leaf), f"{leaf:.3f}")
    for name in ("_prev", "inputs", "_op", "op", "is_leaf", "_backward", "_Value__arguments"):
        getattr(leaf, name)
    with pytest.raises(TypeError):
        leaf + "a"
    with pytest.raises(OverflowError):
        leaf + 10**400


def functions_assigned_to_backward(leaf: Any) -> None:
    (made_by_hand(leaf) * 3.0).backward()
    (made_by_hand(made_by_hand(leaf)) + leaf).backward(retain_graph=False)
    out = made_by_hand(leaf)
    out._backward = lambda: None  # the first function is released


def custom_operations(leaf: Any) -> None:
    out = square(leaf) * square(leaf)
    out.forward()
    out.backward()
    leaf.grad = 0.0
    out.backward(create_graph=True)
    leaf.grad = 0.0


def gradients_that_are_values(leaf: Any) -> None:
    x = Value(2.0)
    out = x * x * leaf
    out.backward(create_graph=True)  # x.grad is computed from x: a cycle
    x.grad.backward(create_graph=True)
    leaf.grad = 0.0


def a_failing_function(leaf: Any) -> None:
    below = made_by_hand(leaf)
    broken = Value(1.0, (below, leaf), "broken")
    broken._backward = lambda: 1 / 0
    root = broken * leaf + below
    with pytest.raises(ZeroDivisionError):
        root.backward()
    root.zero_grad()


def stale_and_freed_graphs(leaf: Any) -> None:
    changed = Value(1.0)
    out = leaf * changed
    changed.data = 2.0
    with pytest.raises(chainrule.StaleValueError):
        out.backward()
    out.forward()
    out.backward(retain_graph=False)
    with pytest.raises(chainrule.GraphFreedError):
        out.backward()


def wrong_constructions(leaf: Any) -> None:
    for arguments in (("3", (leaf,)), (1.0, (leaf, 3)), (1.0, (leaf,), 5), (1.0, (leaf,), "", 5)):
        with pytest.raises(TypeError):
            Value(*arguments)
        with pytest.raises(TypeError):
            (leaf * 2.0).__init__(*arguments)
    for wrong in (lambda: leaf.hypot("a"), lambda: chainrule.sum([leaf, "a"]), lambda: leaf.tanh(leaf)):
        with pytest.raises(TypeError):
            wrong()


def attributes(leaf: Any) -> None:
    out = leaf * 2.0
    out.m, out.source = 0.0, leaf
    del out.m
    out.source = [leaf, out]
    vars(out)["again"] = leaf
    copy.deepcopy(out)
    pickle.loads(pickle.dumps(out))
    bare = leaf * 3.0
    bare.source = leaf  # no cycle, so reference counts alone free it


def a_reinitialised_value(leaf: Any) -> None:
    for out in (leaf * leaf, chainrule.sum([leaf, leaf, leaf]), made_by_hand(leaf), square(leaf)):
        out.__init__(2.0, (leaf, leaf), "anew", "label")
        out.__init__(1.0)


def copies_of_graphs(leaf: Any) -> None:
    out = (leaf * 2.0 + square(leaf)).tanh()
    copy.copy(out).backward()
    copy.deepcopy([leaf, out])[1].backward()
    pickle.loads(pickle.dumps([leaf, out]))[1].backward()
    out.backward(create_graph=True)
    copy.deepcopy(out)
    leaf.grad = 0.0
    with pytest.raises(TypeError, match="cannot copy"):
        copy.deepcopy(made_by_hand(leaf))
    with pytest.raises(TypeError, match="cannot copy"):
        pickle.dumps(made_by_hand(leaf))


def modes(leaf: Any) -> None:
    with no_grad():
        (leaf * 2.0 + square(leaf)).tanh()
        Value(1.0, (leaf,), "made")
    with detect_anomaly():
        out = (leaf * leaf + square(leaf)).tanh() + chainrule.sum([leaf, leaf])
        out.backward()
        Value(1.0, (leaf,), "made")
        with pytest.raises(chainrule.AnomalyError):
            leaf / 0.0
        with pytest.raises(chainrule.AnomalyError):
            (leaf - leaf.data).sqrt().backward()


USES = [
    *(operators, functions_assigned_to_backward, custom_operations, gradients_that_are_values),
    *(a_failing_function, stale_and_freed_graphs, wrong_constructions, attributes),
    *(a_reinitialised_value, copies_of_graphs, modes),
]


@pytest.mark.parametrize("use", USES)
def test_no_use_leaks_references(use: Callable[[Any], None]) -> None:
    assert references_lost(use) == 0


# --- cycles that only the garbage collector can break --------------------------------------------


class Witness:
    """An object whose destruction can be observed."""


def by_function_that_holds_its_node(witness: Witness) -> None:
    out = Value(1.0, (Value(2.0),), "by hand")
    out._backward = lambda: (witness, out)


def by_function_that_holds_its_input(witness: Witness) -> None:
    x = Value(2.0)
    out = Value(1.0, (x,), "by hand")
    out._backward = lambda: (witness, out, x)
    _ = out * 3.0 + x


def by_function_that_holds_a_result(witness: Witness) -> None:
    """A function on a leaf that reads the loss: the cycle runs through ordinary nodes."""
    x = Value(2.0)
    results: list[Any] = []
    x._backward = lambda: (witness, results)
    results.append((x * 3.0).tanh() + 1.0)


def by_value_gradients(witness: Witness) -> None:
    x = Value(2.0)
    out = x * x.exp()
    out.backward(create_graph=True)
    x._backward = lambda: witness


def by_value_gradients_of_gradients(witness: Witness) -> None:
    x = Value(2.0)
    (x * x * x).backward(create_graph=True)
    first = x.grad
    first.backward(create_graph=True)
    first._backward = lambda: (witness, x)


def by_a_value_that_is_its_own_gradient(witness: Witness) -> None:
    x = Value(2.0)
    x.grad = x
    x._backward = lambda: witness


def by_custom_operation_that_holds_its_result(witness: Witness) -> None:
    results: list[Any] = []
    identity = custom_op("identity_of_test", lambda x: (witness, results) and x, lambda x, out: 1.0)
    results.append(identity(Value(1.0)))


def by_attribute_of_a_subclass(witness: Witness) -> None:
    """A parameter that remembers the loss computed from it."""

    class Parameter(Value):  # type: ignore[misc]
        pass

    x = Parameter(2.0)
    x.witness = witness
    x.loss = x * 3.0


def by_attribute_that_holds_its_own_value(witness: Witness) -> None:
    x = Value(2.0)
    x.itself, x.witness = x, witness


def by_attribute_that_holds_a_result(witness: Witness) -> None:
    """A parameter that remembers the loss computed from it, without a subclass."""
    x = Value(2.0)
    x.loss = (x * 3.0).tanh()
    x.witness = witness


def by_list_in_an_attribute(witness: Witness) -> None:
    x = Value(2.0)
    x.users = []
    x.users.append((x * 3.0, witness))


def by_the_dictionary_of_attributes(witness: Witness) -> None:
    x = Value(2.0)
    vars(x).update(loss=x, witness=witness)


def by_a_dictionary_that_was_assigned(witness: Witness) -> None:
    x = Value(2.0)
    x.__dict__ = {"itself": x, "witness": witness}


def by_local_gradients(witness: Witness) -> None:
    x = Value(2.0)
    out = Value(4.0, (x,), "square")
    out._local_grads = (4.0,)
    out.witness = witness


CYCLES = [make for name, make in list(globals().items()) if name.startswith("by_")]


@pytest.mark.parametrize("make", CYCLES)
def test_cycles_are_collected(make: Callable[[Witness], None]) -> None:
    witness = Witness()
    alive = weakref.ref(witness)
    make(witness)
    del witness
    gc.collect()
    assert alive() is None


def test_functions_without_a_cycle_need_no_collector() -> None:
    """Reference counting alone frees them, on both cores."""
    gc.collect()
    gc.disable()
    try:
        witness = Witness()
        alive = weakref.ref(witness)
        out = Value(1.0, (Value(2.0),), "by hand")
        out._backward = lambda witness=witness: witness
        del witness, out
        assert alive() is None
    finally:
        gc.enable()


def test_freeing_a_graph_releases_its_functions() -> None:
    witness = Witness()
    alive = weakref.ref(witness)
    out = Value(1.0, (Value(2.0),), "by hand")
    out._backward = lambda witness=witness: None
    del witness
    out.backward(retain_graph=False)
    assert alive() is None
    assert out.inputs == ()


# --- the resident set size -----------------------------------------------------------------------


def small_graph(x: Any, y: Any) -> None:
    """About ten nodes, using every kind of memory: small, wide, labelled."""
    a = x * y + 2.0
    b = (a - x).tanh()
    c = chainrule.sum([a, b, x, y])
    c.label = "c"
    (c / a + b * b).backward()


def assert_no_growth(use: Callable[[], None], times: int) -> None:
    """The first uses fill the free lists, so they happen before measuring."""
    for _ in range(times // 5):
        use()
    gc.collect()
    before = resident()
    for _ in range(times):
        use()
    gc.collect()
    assert resident() - before < 4 * MEGABYTE


@measured
def test_many_small_graphs_do_not_increase_memory() -> None:
    """A leak of one byte per graph would add up to a megabyte on the compiled core."""
    x, y = Value(0.5), Value(0.25)
    assert_no_growth(lambda: small_graph(x, y), 1_000_000 if chainrule.core == "c" else 20_000)


@measured
def test_many_graphs_with_cycles_do_not_increase_memory() -> None:
    def use() -> None:
        x = Value(2.0)
        (made_by_hand(x) * square(x)).backward()
        (x * x).backward(create_graph=True, reset=True)

    assert_no_growth(use, 50_000 if chainrule.core == "c" else 5_000)


MEASURE = """
count = 1_000_000
x = total = Value(1.0)
gc.collect()
before = resident()
for _ in range(count):
    total = total + x
print((resident() - before) / count)
assert total.data == count + 1
"""


@measured
@compiled
def test_a_node_takes_at_most_96_bytes() -> None:
    """In a fresh interpreter, which has no freed nodes to reuse."""
    assert 0.0 < float(in_a_fresh_process(MEASURE)) <= 96.0


def test_reused_memory_forgets_a_changed_class() -> None:
    """Reused memory must not keep the class of its previous owner."""

    class Louder(Value):  # type: ignore[misc]
        __slots__ = ()

    def use() -> None:
        value = Value(1.0)
        value.__class__ = Louder

    before = sys.getrefcount(Louder)
    for _ in range(10):
        use()
        assert type(Value(2.0)) is Value
    assert sys.getrefcount(Louder) == before

    ended = []
    Louder.__del__ = lambda self: ended.append(self.data)  # type: ignore[attr-defined]
    for _ in range(10):
        use()
    assert len(ended) == 10


@compiled
def test_the_collector_header_is_two_words() -> None:
    """node.c allocates nodes itself, and leaves this much room for the collector's header."""
    value = Value(1.0)
    assert sys.getsizeof(value) - value.__sizeof__() == 2 * struct.calcsize("P")


@measured
@compiled
def test_cycles_are_collected_before_memory_runs_out() -> None:
    """Nodes do not count towards Python's collection threshold, so the core calls the collector."""
    assert float(in_a_fresh_process(MANY_CYCLES)) < 10.0


MANY_CYCLES = """
def cycle(keep):
    x = Value(2.0)
    x.grad = keep * x  # a gradient computed from x itself: a cycle

keep = Value(3.0)
for _ in range(100):
    cycle(keep)
before = resident()
for _ in range(300_000):
    cycle(keep)
print((resident() - before) / 2**20)
"""


@measured
@compiled
@pytest.mark.parametrize("limited", [False, True], ids=["more nodes than cells", "no cells at all"])
def test_the_collector_is_not_called_for_every_node(limited: bool) -> None:
    """Python allocates and counts the nodes beyond the core's own region."""
    assert int(in_a_fresh_process(COUNTED.format(limited=limited))) <= 5


COUNTED = """
if {limited}:
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 60 * 2**20,) * 2)
kept = x = Value(1.0)
for _ in range(10 if {limited} else 2**20 + 1000):
    kept = kept * x
gc.collect()
calls = []
gc.callbacks.append(lambda phase, info: calls.append(phase))
for _ in range(1000):
    cycle = Value(2.0)
    cycle.grad = x * cycle
print(calls.count("start"))
"""
