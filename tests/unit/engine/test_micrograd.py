"""`chainrule.micrograd` prints the same as micrograd, line by line, for programs in its style."""

from __future__ import annotations

import contextlib
import copy
import importlib
import io
import math
import operator
import pickle
import random
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import chainrule
from chainrule import micrograd
from chainrule.support import graph
from tests.conftest import require
from tests.near import near
from tests.unit.engine.programs import MICROGPT, PROGRAMS
from tests.unit.engine.test_classic import microgpt_backward


def output_of(program: str, **names: Any) -> list[str]:
    """The output of a program. Methods that it adds to a class are removed afterwards."""
    classes = [chainrule.Value, micrograd.Value]
    with contextlib.suppress(ImportError):
        classes.append(importlib.import_module("micrograd.engine").Value)
    before = [dict(vars(cls)) for cls in classes]
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(program, "program", "exec"), {"__name__": "program", **names})
    finally:
        for cls, methods in zip(classes, before, strict=True):
            for name in vars(cls).keys() - methods.keys():
                delattr(cls, name)
            for name, method in methods.items():
                if vars(cls)[name] is not method:
                    setattr(cls, name, method)
    return printed.getvalue().splitlines()


def test_programs_leave_no_method_behind() -> None:
    before = dict(vars(chainrule.Value))
    output_of("from chainrule import Value\nValue.relu = Value.item = lambda self: 1.0")
    assert dict(vars(chainrule.Value)) == before


@contextlib.contextmanager
def package_named_micrograd(package: Any) -> Iterator[None]:
    """Replace micrograd as a program would: sys.modules["micrograd"] = chainrule.micrograd."""
    names = ("micrograd", "micrograd.engine", "micrograd.nn")
    before = {name: sys.modules.pop(name, None) for name in names}
    sys.modules["micrograd"] = package
    try:
        yield
    finally:
        for name, module in before.items():
            sys.modules.pop(name, None)
            if module is not None:
                sys.modules[name] = module


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_the_same_as_with_micrograd(name: str) -> None:
    require("micrograd.engine")
    theirs = output_of(PROGRAMS[name])
    assert theirs
    with package_named_micrograd(micrograd):
        assert output_of(PROGRAMS[name]) == theirs


@pytest.mark.parametrize("name", PROGRAMS)
def test_changing_the_import_is_enough(name: str) -> None:
    with package_named_micrograd(micrograd):
        unchanged = output_of(PROGRAMS[name])
    changed = PROGRAMS[name].replace("from micrograd", "from chainrule.micrograd")
    assert output_of(changed) == unchanged


# With chainrule's Value, `a - b` is one node, not two, and bool() of a Value is an error.
GRAPHS_DIFFER = (
    "a drawing as dot text",
    "a hand-written topological sort",
    "nodes in sets, dicts and sorted lists",
)
CALLS_BOOL = "numbers, arrays and sums of all kinds"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


@pytest.mark.parametrize(
    "name",
    [name for name, program in PROGRAMS.items() if "nn" not in program and name not in GRAPHS_DIFFER],
)
def test_a_program_gives_the_same_numbers_with_chainrules_value(name: str) -> None:
    program = PROGRAMS[name]
    with package_named_micrograd(micrograd):
        expected = output_of(program)
    if name == CALLS_BOOL:
        program = program.replace("if total else", "if total is not None else")
    lines = output_of(program.replace("from micrograd.engine", "from chainrule"))
    assert len(lines) == len(expected)
    for line, other in zip(lines, expected, strict=True):
        numbers, others = ([float(x) for x in NUMBER.findall(text)] for text in (line, other))
        assert numbers == near(others, rel=1e-9, abs=1e-4)  # repr shows four decimals


def random_graph(Value: Any, seed: int) -> list[str]:
    """The nodes of a random graph as text, after backward. Its numbers are too simple to be rounded."""
    choose = random.Random(seed)
    nodes = [Value(choose.choice((-2, 0, 1, 3, -1.5, 0.25, 0.0, 2.0))) for _ in range(4)]

    def same(a: Any, b: Any) -> Any:
        out = Value(a.data, (a,), "same")
        out._backward = lambda: setattr(a, "grad", a.grad + out.grad)
        return out

    kinds = (
        *(operator.add, operator.mul, operator.sub, lambda a, b: a.relu()),
        *(lambda a, b: a ** choose.choice((1, 2, 2.0)), lambda a, b: b + a, same),
    )
    for _ in range(choose.randrange(2, 9)):
        a, b = choose.choice(nodes), choose.choice((*nodes, 2, -1, 0.5))
        nodes.append(choose.choice(kinds)(a, b))
    for root in nodes[-1:] if seed % 2 else (nodes[-1], choose.choice(nodes[:4]) * 1):
        if root._prev:
            root.backward()
    return [f"{v} {v._op} {sorted(map(repr, v._prev))}" for v in nodes]


@pytest.mark.parametrize(
    "seeds", [range(i, i + 100) for i in range(0, 1000, 100)], ids=lambda r: str(r[0])
)
def test_random_graphs_print_the_same(seeds: range) -> None:
    engine = require("micrograd.engine")
    for seed in seeds:
        assert random_graph(micrograd.Value, seed) == random_graph(engine.Value, seed), seed


class Plain:
    """microgpt's scalar in plain Python: children, and the derivative with respect to each."""

    def __init__(self, data: Any, children: Any = (), local_grads: Any = ()) -> None:
        self.data, self.grad, self._children, self._local_grads = data, 0, children, local_grads

    def _with(self, other: Any) -> Plain:
        return other if isinstance(other, Plain) else Plain(other)

    def __add__(self, other: Any) -> Plain:
        other = self._with(other)
        return Plain(self.data + other.data, (self, other), (1, 1))

    def __mul__(self, other: Any) -> Plain:
        other = self._with(other)
        return Plain(self.data * other.data, (self, other), (other.data, self.data))

    def __pow__(self, n: Any) -> Plain:
        return Plain(self.data**n, (self,), (n * self.data ** (n - 1),))

    def log(self) -> Plain:
        return Plain(math.log(self.data), (self,), (1 / self.data,))

    def exp(self) -> Plain:
        return Plain(math.exp(self.data), (self,), (math.exp(self.data),))

    def relu(self) -> Plain:
        return Plain(max(0, self.data), (self,), (float(self.data > 0),))

    def __neg__(self) -> Plain:
        return self * -1

    def __sub__(self, other: Any) -> Plain:
        return self + (-other)

    def __truediv__(self, other: Any) -> Plain:
        return self * other**-1

    def __rtruediv__(self, other: Any) -> Plain:
        return other * self**-1

    __radd__, __rmul__, backward = __add__, __mul__, microgpt_backward


def test_a_microgpt_program_prints_the_same() -> None:
    theirs = output_of(MICROGPT, Value=Plain)
    assert len(theirs) > 20
    assert output_of(MICROGPT, Value=micrograd.Value) == theirs


def test_the_third_argument_may_be_a_name_or_numbers() -> None:
    a, b = micrograd.Value(2.0), micrograd.Value(3.0)
    named = micrograd.Value(5.0, (a, b), "plus", "sum")
    assert (named._op, named._children, named._local_grads, named.label) == ("plus", (a, b), (), "sum")
    by_numbers = micrograd.Value(5.0, (a, b), (1, 1))
    by_numbers.backward()
    assert (by_numbers._op, by_numbers._local_grads, a.grad, b.grad) == ("", (1, 1), 1, 1)
    with pytest.raises(
        TypeError, match="_op must be a str, got tuple"
    ):  # only the drop-in accepts numbers
        chainrule.Value(5.0, (a, b), (1, 1))
    with pytest.raises(ValueError, match="one number for each of the 2 children, got 1"):
        micrograd.Value(5.0, (a, b), (1,))


def test_no_grad_records_no_children() -> None:
    a = micrograd.Value(2.0)
    with chainrule.no_grad():
        out = micrograd.Value(4.0, (a,), (4.0,)) + a * 2
    assert (out.data, out._children) == (8.0, ())


def test_deliberate_differences_from_micrograd() -> None:
    a = micrograd.Value(3.0)
    out = (a * 2.0) + 1.0
    out.backward()
    out.backward()
    assert a.grad == 4.0  # micrograd gives 6.0, since the gradient of a * 2.0 accumulates
    a.data = 5.0
    with pytest.raises(chainrule.StaleValueError):
        out.backward()
    assert (1 / micrograd.Value(0.0)).data == math.inf


def test_all_import_paths_give_the_same_class() -> None:
    import chainrule.micrograd.engine as engine
    import chainrule.micrograd.nn as nn

    assert engine.Value is nn.Value is micrograd.Value
    assert issubclass(micrograd.Value, chainrule.Value)
    with package_named_micrograd(micrograd):
        assert importlib.import_module("micrograd.engine").Value is micrograd.Value
        assert importlib.import_module("micrograd.nn").MLP is micrograd.MLP is nn.MLP


def test_the_signatures_match_micrograd() -> None:
    require("micrograd.engine")
    import inspect

    theirs = {**vars(sys.modules["micrograd.engine"]), **vars(importlib.import_module("micrograd.nn"))}
    for name in ("Value", "Module", "Neuron", "Layer", "MLP"):
        own, original = getattr(micrograd, name), theirs[name]
        missing = {attribute for attribute in vars(original) if not hasattr(own, attribute)}
        assert missing <= {"__weakref__", "__slotnames__"}  # a node does not support weak references
        expected = inspect.signature(original.__init__).parameters
        given = inspect.signature(own.__init__).parameters
        assert list(given)[: len(expected)] == list(expected)
        assert [given[p].default for p in expected] == [expected[p].default for p in expected]


def test_results_have_the_drop_in_class() -> None:
    a, b = micrograd.Value(0.5), micrograd.Value(2.0)
    results = [a + b, a - 1, 1 - a, 2 / a, a**b, 2**a, -a, abs(a), +a, a.exp(), a.tanh(), a.max(b)]
    results += [a.detach(), a + chainrule.Value(1.0), chainrule.Value(1.0) * a]
    assert {type(out) for out in results} == {micrograd.Value}


def test_graphs_of_any_depth() -> None:
    x = micrograd.Value(1.0)
    total = x
    for _ in range(20_000):
        total = total + x
    total.backward()
    assert (x.grad, total.data) == (20_001, 20_001.0)
    assert graph.topological(copy.deepcopy(total))[0].grad == 20_001


def test_values_of_the_drop_in_are_pickled_and_copied() -> None:
    random.seed(1)
    model = micrograd.MLP(2, [2, 1])
    model.parameters()[0].m = 0.5
    loss = (model([1.0, 2]) - 1) ** 2
    loss.backward()
    shown = [repr(p) for p in (*model.parameters(), loss)]
    for twin, same in (copy.deepcopy([model, loss]), pickle.loads(pickle.dumps([model, loss]))):
        assert [repr(p) for p in (*twin.parameters(), same)] == shown
        assert twin.parameters()[0].m == 0.5
        assert type(same) is micrograd.Value


def test_an_int_may_become_a_fraction() -> None:
    a = micrograd.Value(3)
    out = a * 2
    assert repr(out) == "Value(data=6, grad=0)"
    a.data = 1.25
    assert out.forward().data == 2.5


def test_an_exception_leaves_all_gradients_unchanged() -> None:
    a = micrograd.Value(2.0)
    bad = micrograd.Value(1.0, (a,), "bad")
    bad._backward = lambda: 1 / 0
    a.grad = 5
    out = bad + a
    with pytest.raises(ZeroDivisionError):
        out.backward()
    assert (repr(a), repr(out)) == ("Value(data=2.0, grad=5)", "Value(data=3.0, grad=0)")


def test_the_rest_of_chainrule_accepts_drop_in_values() -> None:
    random.seed(2)
    model = micrograd.MLP(2, [3, 1])
    X = [[0.5, -1.0], [1.0, 2.0], [-0.25, 0.75]]
    step = chainrule.compile(lambda x: (model(x) - 1.0) ** 2)
    assert list(step(X)) == [((model(x) - 1.0) ** 2).data for x in X]
    out = (model(X[0]) - 1.0) ** 2
    assert "ReLU" in {v._op for v in graph.topological(out)}
    assert str(chainrule.draw(out)).startswith(f"{out.data:.4f}  (pow)")
    product = chainrule.compile(lambda x: x * (model.parameters()[-1] * micrograd.Value(0)))
    assert list(product([1.0, 2.0])) == [0.0, 0.0]
    optimizer = chainrule.optim.SGD(model.parameters(), lr=0.1)
    out.backward()
    before = model.parameters()[-1].data
    optimizer.step()
    assert model.parameters()[-1].data == before - 0.1 * model.parameters()[-1].grad


def test_optimisers_produce_floats_as_a_hand_written_loop_does() -> None:
    by_hand, by_rule = micrograd.Value(2), micrograd.Value(2)
    for p in (by_hand, by_rule):
        (p * 1).backward()
    by_hand.data -= 1.0 * by_hand.grad
    chainrule.optim.SGD([by_rule], lr=1.0).step()
    assert repr(by_hand) == repr(by_rule) == "Value(data=1.0, grad=1)"
