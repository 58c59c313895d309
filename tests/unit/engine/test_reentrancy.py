"""Python code that runs during a sweep: nested sweeps, gradients that are Values, Ctrl-C."""

import threading
from typing import Any

import pytest

from chainrule import GraphFreedError, StaleValueError, Value, grad, jvp, no_grad
from chainrule.support import graph


def with_rule(x: Value, name: str, rule: Any) -> Value:
    out = Value(x.data, (x,), name)
    out._backward = lambda: rule(out)
    return out


def test_a_function_that_sweeps_over_a_shared_node() -> None:
    x = Value(2.0)
    m = x * 4.0

    def rule(out: Value) -> None:
        (m * 5.0).backward()
        m.grad = 5.0

    out = with_rule(m, "nested", rule) * 1.0
    x.grad = 0.0
    out.backward()
    assert (m.grad, x.grad) == (5.0, 40.0)


def test_a_function_that_only_walks_a_graph() -> None:
    """A nested walk's marks must not be mistaken for those of the sweep."""
    x = Value(0.0)
    other = x.sqrt() + 1.0

    def rule(out: Value) -> None:
        graph.topological(other)
        out.inputs[0].grad += out.grad

    (with_rule(other, "look", rule) * 0.0).backward()
    assert x.grad != x.grad  # 0 times infinity, as without the nested walk


def test_a_rule_assigned_to_a_table_operation() -> None:
    """Only backward uses the rule; higher derivatives raise an error."""

    def reversed_gradient(x: Value) -> Value:
        out = x * 1.0
        out._backward = lambda: setattr(x, "grad", x.grad - out.grad)
        return out

    assert grad(reversed_gradient)(2.0) == -1.0
    with pytest.raises(TypeError, match="cannot differentiate again"):
        grad(reversed_gradient)(Value(2.0))
    with pytest.raises(TypeError, match="cannot differentiate again"):
        jvp(reversed_gradient, (2.0,), (1.0,))


def test_a_hand_written_node_as_an_argument_of_grad() -> None:
    by_hand = with_rule(Value(3.0), "mine", lambda out: None)
    assert grad(lambda y: y * y)(by_hand).data == 6.0


def test_a_gradient_whose_graph_was_freed() -> None:
    w = Value(3.0)
    g = Value(2.0) * 13.5
    w.grad = g
    g.backward(retain_graph=False)
    (w * 5).backward()
    assert w.grad.data == 32.0
    with pytest.raises(GraphFreedError):
        g.backward()


def test_recomputing_keeps_the_sign_of_zero() -> None:
    x = Value(1.0)
    z = x * 0.0
    y = 1 / z
    x.data = -1.0
    assert y.forward().data == float("-inf")
    assert str(z.data) == "-0.0"


def test_recomputing_without_a_change_leaves_other_results_valid() -> None:
    a = Value(2.0)
    shared = a * 3
    first, second = shared + 1, shared * 2
    first.forward()
    second.backward()
    assert a.grad == 6.0
    a.data = 5.0
    first.forward()
    assert first.data == 16.0
    with pytest.raises(StaleValueError):
        second.backward()


def test_higher_derivatives_in_linear_time() -> None:
    """Every node of the chain holds a gradient that is a Value; each graph is tracked once."""
    x = Value(0.5)
    out = x
    for _ in range(3000):
        out = (out * x).sin()
    out.backward(create_graph=True)
    assert isinstance(x.grad, Value)


def test_a_decorated_function_in_two_threads() -> None:
    inside = threading.Barrier(2)

    @no_grad()
    def compute() -> None:
        inside.wait(5)

    thread = threading.Thread(target=compute)
    thread.start()
    compute()
    thread.join()
    assert not (Value(1.0) * 2).is_leaf
