"""Common mistakes: what happens, and what the library says about them."""

import math
from typing import Any

import pytest

import chainrule
from chainrule import GraphFreedError, StaleValueError, Value, diagnose, nn, no_grad, optim, relu, where

from ...near import near

X = [[0.0, 1.0], [1.0, 0.5], [-1.0, 2.0]]
Y = [1.0, 0.0, 0.5]


def loss_of(model: nn.Module) -> Any:
    return nn.mse_loss([model(x) for x in X], Y)


# --- gradients not zeroed ------------------------------------------------------------------------


def test_gradients_that_are_not_zeroed_pile_up() -> None:
    model = nn.MLP(2, [4, 1], init="xavier", seed=0)
    loss_of(model).backward()
    once = [p.grad for p in model.parameters()]
    loss_of(model).backward()
    assert [p.grad for p in model.parameters()] == near([2.0 * g for g in once], rel=1e-12)
    model.zero_grad()
    loss_of(model).backward()
    assert [p.grad for p in model.parameters()] == once
    loss_of(model).backward(reset=True)
    assert [p.grad for p in model.parameters()] == once


def test_diagnose_says_that_zero_grad_was_forgotten() -> None:
    model = nn.MLP(2, [4, 1], init="xavier", seed=0)
    loss_of(model).backward()
    assert "zero_grad" not in diagnose(model, "mse", X, Y).findings
    loss_of(model).backward()
    loss_of(model).backward()
    assert diagnose(model, "mse", X, Y).findings["zero_grad"] == (
        "the parameters hold gradients 3.0 times as large as those of one step: "
        "call zero_grad() before each backward()"
    )


# --- .data changed between forward and backward --------------------------------------------------


def test_data_changed_between_forward_and_backward() -> None:
    w = Value(2.0, label="w")
    loss = (w * 3.0) ** 2
    w.data = 5.0
    message = (
        r"^'w' \(data=5\.0000\) was changed after '\*' was computed from it, so its gradients would be "
        r"wrong\. Call forward\(\) on the output to recompute it, or build the expression again\.$"
    )
    with pytest.raises(StaleValueError, match=message):
        loss.backward()
    assert w.grad == 0.0
    loss.forward().backward()
    assert (loss.data, w.grad) == (225.0, 90.0)


def test_a_step_makes_the_old_loss_stale() -> None:
    """Two backward passes through one graph, with an optimiser step between them."""
    model = nn.Neuron(2, seed=0)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    loss = loss_of(model)
    loss.backward()
    optimizer.step()
    with pytest.raises(StaleValueError, match=r"was changed after '.*' was computed from it"):
        loss.backward()
    loss_of(model).backward()


def test_a_result_overwritten() -> None:
    a = Value(2.0)
    b = a * 3.0
    c = b + 1.0
    b.data = 7.0
    with pytest.raises(
        StaleValueError, match=r"was computed and then overwritten|was changed after '\+'"
    ):
        c.backward()


# --- a value used several times ------------------------------------------------------------------


def test_a_value_used_several_times_gets_the_sum() -> None:
    a = Value(3.0)
    (a * a + a).backward()
    assert a.grad == 2 * 3.0 + 1.0
    b = Value(2.0)
    (b + b + b).backward()
    assert b.grad == 3.0


def test_a_value_used_on_two_paths() -> None:
    """The gradient in the middle is complete before it is passed on."""
    a = Value(0.5)
    middle = a * 2.0
    (middle.sin() * middle.exp() + middle).backward()
    slope = math.exp(1.0) * (math.cos(1.0) + math.sin(1.0)) + 1.0
    assert middle.grad == near(slope, rel=1e-15)
    assert a.grad == near(2.0 * slope, rel=1e-15)


def test_a_weight_shared_by_two_neurons() -> None:
    first, second = nn.Neuron(1, "linear", seed=0), nn.Neuron(1, "linear", seed=1)
    second.w[0] = first.w[0]
    model = nn.Sequential(first, second)
    w = first.w[0].data
    model(3.0).backward()
    assert first.w[0].grad == near(2 * w * 3.0, rel=1e-15)
    assert len(model.parameters()) == 3


# --- backward twice ------------------------------------------------------------------------------


def test_backward_twice_on_a_freed_graph() -> None:
    a = Value(3.0)
    loss = a**2
    loss.backward(retain_graph=False)
    message = (
        r"^the graph below '\*\*' was freed by backward\(retain_graph=False\)\. Pass retain_graph=True "
        r"there to go back through it again, or build the expression again\.$"
    )
    with pytest.raises(GraphFreedError, match=message):
        loss.backward()
    assert a.grad == 6.0


def test_backward_twice_on_a_kept_graph_adds() -> None:
    a = Value(3.0)
    loss = a**2
    loss.backward()
    loss.backward()
    assert (a.grad, loss.grad) == (12.0, 1.0)


# --- a branch on a value -------------------------------------------------------------------------

NO_BOOL = (
    r"^a Value cannot be used as a condition, because that would silently cut the graph: compare it, "
    r"as in v > 0, or use its number, bool\(v\.data\)$"
)


def test_a_value_cannot_be_used_as_a_condition() -> None:
    v = Value(1.0)
    for ask in (lambda: bool(v), lambda: 1 if v else 0, lambda: not v, lambda: v and v):
        with pytest.raises(TypeError, match=NO_BOOL):
            ask()


def test_a_comparison_is_a_bool_and_picks_the_branch() -> None:
    def leaky(v: Value) -> Value:
        return v * 1.0 if v > 0 else v * 0.1

    assert (Value(1.0) > 0) is True
    assert (Value(-1.0) > 0) is False
    for x, slope in ((2.0, 1.0), (-2.0, 0.1)):
        v = Value(x)
        leaky(v).backward()
        assert v.grad == slope


def test_a_branch_is_taken_when_the_expression_is_built() -> None:
    """forward() recomputes the branch taken at first; `where` selects again."""

    def built(v: Value) -> Value:
        return v * 2.0 if v > 0 else v * 3.0

    v = Value(1.0)
    branch, choice = built(v), where(chainrule.less(0.0, v), v * 2.0, v * 3.0)
    v.data = -1.0
    assert (branch.forward().data, choice.forward().data) == (-2.0, -3.0)
    choice.backward()
    assert v.grad == 3.0


def test_equality_is_identity() -> None:
    assert (Value(1.0) == Value(1.0)) is False
    assert chainrule.equal(1.0, Value(1.0)).data == 1.0


def test_a_value_does_not_become_a_number_in_silence() -> None:
    with pytest.raises(TypeError, match=r"a Value is not converted to a plain number implicitly"):
        math.tanh(Value(1.0))


# --- depth and modes -----------------------------------------------------------------------------


def test_a_deep_chain_needs_no_recursion() -> None:
    x = Value(1.0)
    y = x
    for _ in range(100_000):
        y = y + 1e-5
    y.backward()
    assert x.grad == 1.0
    assert y.forward().data == near(2.0, rel=1e-9)


def test_a_recurrent_network_of_many_steps() -> None:
    cell = nn.Neuron(2, seed=0)
    state: Any = 0.0
    for _ in range(5_000):
        state = cell([0.5, state])
    state.backward()
    assert all(math.isfinite(p.grad) for p in cell.parameters())


def test_nothing_is_learned_inside_no_grad() -> None:
    model = nn.Neuron(2, seed=0)
    with no_grad():
        loss = loss_of(model)
    assert loss.is_leaf
    with pytest.raises(RuntimeError, match=r"computed inside no_grad\(\)"):
        loss.backward()
    assert [p.grad for p in model.parameters()] == [0.0] * 3


def test_the_corner_of_relu() -> None:
    """The derivative at 0 is 0, as in PyTorch."""
    v = Value(0.0)
    relu(v).backward()
    assert v.grad == 0.0
