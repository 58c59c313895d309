"""Smoke tests: one small program for each part of the library, with exact numbers.

`make test` runs this file first, on its own, in a few seconds. Other tests would find the same bugs.
"""

from __future__ import annotations

import os

import numpy as np

import chainrule
from chainrule import Value, compile, draw, grad, nn, optim, train
from chainrule.value import c_core


def test_the_requested_core_is_in_use() -> None:
    available = "python" if c_core is None else "c"
    assert chainrule.core == os.environ.get("CHAINRULE_CORE", available)


def test_gradients_of_an_expression() -> None:
    a, b = Value(2.0), Value(-3.0)
    y = a * b + a**2 - b / a
    y.backward()
    assert (y.data, a.grad, b.grad) == (-0.5, 0.25, 1.5)


def test_a_value_used_twice_accumulates_both_gradients() -> None:
    x = Value(0.5)
    y = x * x
    (y + y).backward()
    assert (x.grad, y.grad) == (2.0, 2.0)


def test_derivatives_of_a_function() -> None:
    assert grad(lambda x: x**3)(2.0) == 12.0
    assert grad(grad(grad(chainrule.tanh)))(0.0) == -2.0


def test_a_compiled_function() -> None:
    w = Value(3.0)
    step = compile(lambda x, y: (w * x - y) ** 2, [w])
    value, gradients = step.value_and_grad(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    assert (value, list(gradients)) == (4.0, [6.0])  # the means of 4, 4 and of 4, 8


def test_one_optimizer_step() -> None:
    neuron = nn.Neuron(1, activation=None)
    weight, bias = neuron.parameters()
    weight.data, bias.data = 1.0, 0.0
    optimizer = optim.SGD(neuron.parameters(), lr=0.125)
    ((neuron([2.0]) - 6.0) ** 2).backward()
    optimizer.step()
    assert (weight.data, bias.data) == (3.0, 1.0)


def test_a_network_learns() -> None:
    """XOR, whose classes no straight line can separate."""
    model = nn.MLP(2, [4, 1], seed=0)
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0.0, 1.0, 1.0, 0.0]
    optimizer = optim.Adam(model.parameters(), lr=0.05)
    history = train.fit(model, "mse", X, y, optimizer=optimizer, epochs=200, progress=False)
    assert history.losses[-1] < 0.01 < history.losses[0]
    assert [round(model(x).data) for x in X] == y


def test_a_drawing() -> None:
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    y = a * b
    y.backward()
    drawing = draw(y)
    assert [(node.data, node.grad) for node in drawing.picture.nodes] == [
        (2.0, -3.0),
        (-3.0, 2.0),
        (-6.0, 1.0),
    ]
    assert str(drawing).splitlines()[0] == "-6.0000  (mul)  grad 1.0000"
    assert ">-6.0000<" in drawing.svg
