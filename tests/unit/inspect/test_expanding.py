"""expand replaces fused operations with elementary ones, keeping values and leaves."""

import pytest

import chainrule
from chainrule import Value, dot, expand, nn
from chainrule.support import graph


def test_a_neuron_shows_its_products() -> None:
    neuron = nn.Neuron(2, seed=1)
    x = [Value(0.5), Value(-1.5)]
    fused = neuron(x)
    single = expand(fused)
    assert [v.op for v in graph.topological(fused) if v.op] == ["dot", "add", "tanh"]
    assert [v.op for v in graph.topological(single) if v.op] == ["mul", "mul", "add", "add", "tanh"]
    assert single.data == fused.data
    fused.backward()
    expected = [p.grad for p in neuron.parameters()]
    single.backward(reset=True)
    assert [p.grad for p in neuron.parameters()] == expected


def test_every_fused_operation_and_labels() -> None:
    a, b = Value(2.0), Value(3.0)
    total = chainrule.sum([a, b, 1.0])
    total.label = "total"
    out = total * chainrule.mean([a, b]) + chainrule.prod([a, b, a]) + dot([a, 4.0], [b, b])
    single = expand(out)
    assert single.data == out.data == 6 * 2.5 + 12 + 18
    assert {v.op for v in graph.topological(single)} == {"", "add", "mul", "div"}
    assert "total" in [v.label for v in graph.topological(single)]
    assert expand(a) is a


def test_a_hand_written_operation_is_an_error() -> None:
    with pytest.raises(TypeError, match="cannot expand through 'mine': it was defined by hand"):
        expand(Value(1.0, (Value(2.0),), "mine"))
