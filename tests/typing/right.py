"""A small user program with the types that a checker must infer. Type-checked, never run."""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import chainrule as cr
from chainrule import Value, nn, optim, train
from chainrule.compiler import Compiled

a = Value(2.0, label="a")
assert_type(a.data, float)
assert_type(a + 1, Value)
assert_type(2 * a - a / 3, Value)
assert_type(a.tanh(), Value)
assert_type(a < 1.0, bool)
assert_type(a.inputs, tuple[Value, ...])
a.data = 3
a.backward()


def square(x: Value) -> Value:
    return x * x


def both(x: Value, y: Value) -> list[Value]:
    return [x + y, x * y]


value, slope = cr.value_and_grad(square)(2.0)

compiled = cr.compile(square)
assert_type(compiled, Compiled[NDArray[np.float64]])
assert_type(compiled([1.0, 2.0]), NDArray[np.float64])
assert_type(cr.compile(both, branches=2)([1.0], [2.0]), list[NDArray[np.float64]])
assert_type(cr.compile(square(a), inputs=[a]), Compiled[NDArray[np.float64]])
assert_type(compiled.source("c"), str)

model = nn.MLP(2, [4, 1], "relu", init="he", seed=0)
assert_type(model.parameters(), list[Value])
assert_type(model.state_dict(), dict[str, float])
optimizer = optim.Adam(model.parameters(), lr=0.01)
assert_type(optimizer.lr, float)
X, y = cr.data.xor()
assert_type(cr.load("model.safetensors"), nn.Module)
assert_type(cr.load("model.safetensors", model), nn.MLP)
hidden, cell = nn.LSTMCell(3, 4)([1.0, 2.0, 3.0])
history = train.fit(model, "mse", X, y, optimizer=optimizer, engine="native")
assert_type(history, train.History)
assert_type(history.losses, list[float])
own = train.fit(model, lambda predictions, targets: nn.mse_loss(predictions, targets), X, y)
drawing: Any = cr.draw(a, theme="dark")
