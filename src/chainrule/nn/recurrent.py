"""RNNCell, LSTMCell and GRUCell, with PyTorch's names, order of gates, initialisation and arithmetic.

A cell takes one step: the input and the last state in, the new state out. Without a state, it starts
from zeros.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, get_args

from .. import functional as F
from .layers import as_inputs, positive
from .vectors import Matrix, TorchLayer, Vector, affine, uniform

Nonlinearity = Literal["tanh", "relu"]


class Cell(TorchLayer):
    """The weights of all gates, one below the other, for the input (ih) and the hidden state (hh)."""

    gates: ClassVar[int]
    defaults: ClassVar[dict[str, Any]] = {"bias": True}

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        *,
        seed: int | random.Random | None = None,
    ) -> None:
        self.input_size: int = positive("input_size", input_size)
        self.hidden_size: int = positive("hidden_size", hidden_size)
        draw, rows = uniform(self.hidden_size, seed), range(self.gates * hidden_size)
        self.weight_ih: Matrix = [[draw() for _ in range(input_size)] for _ in rows]
        self.weight_hh: Matrix = [[draw() for _ in range(hidden_size)] for _ in rows]
        self.bias_ih: Vector | None = [draw() for _ in rows] if bias else None
        self.bias_hh: Vector | None = [draw() for _ in rows] if bias else None

    def settings(self) -> dict[str, Any]:
        bias = self.bias_ih is not None
        return {"input_size": self.input_size, "hidden_size": self.hidden_size, "bias": bias}

    def state(self, given: Any) -> Any:
        """A part of the state: numbers that were given, or zeros."""
        if given is None:
            return [0.0] * self.hidden_size
        return as_inputs(type(self).__name__, self.hidden_size, given, "numbers of the state")

    def inputs(self, given: Any) -> Sequence[Any]:
        return as_inputs(type(self).__name__, self.input_size, given)

    def gate(self, index: int, input: Sequence[Any], hidden: Sequence[Any]) -> list[Any]:
        """The sums of one gate, before its activation: W_ih · x + b_ih + W_hh · h + b_hh."""
        rows = slice(index * self.hidden_size, (index + 1) * self.hidden_size)
        both = [*input, *hidden]
        pairs = zip(self.weight_ih[rows], self.weight_hh[rows], strict=True)
        sums = [F.dot([*of_input, *of_hidden], both) for of_input, of_hidden in pairs]
        if self.bias_ih is None or self.bias_hh is None:
            return sums
        biases = zip(self.bias_ih[rows], self.bias_hh[rows], strict=True)
        return [v + (a + b) for v, (a, b) in zip(sums, biases, strict=True)]


class RNNCell(Cell):
    """h' = tanh(W_ih · x + b_ih + W_hh · h + b_hh), or relu instead of tanh."""

    gates = 1
    defaults: ClassVar[dict[str, Any]] = {"bias": True, "nonlinearity": "tanh"}

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: Nonlinearity = "tanh",
        *,
        seed: int | random.Random | None = None,
    ) -> None:
        if nonlinearity not in get_args(Nonlinearity):
            raise ValueError(f"nonlinearity must be 'tanh' or 'relu', got {nonlinearity!r}")
        super().__init__(input_size, hidden_size, bias, seed=seed)
        self.nonlinearity: Nonlinearity = nonlinearity

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "nonlinearity": self.nonlinearity}

    def forward(self, input: Any, hx: Any = None) -> list[Any]:
        activation = F.tanh if self.nonlinearity == "tanh" else F.relu
        return [activation(v) for v in self.gate(0, self.inputs(input), self.state(hx))]


class LSTMCell(Cell):
    """Gates i, f, g, o; the state is a pair (h, c): c' = f · c + i · g, h' = o · tanh(c')."""

    gates = 4

    def forward(self, input: Any, hx: Any = None) -> tuple[list[Any], list[Any]]:
        h, c = (self.state(part) for part in ((None, None) if hx is None else hx))
        x = self.inputs(input)
        i, f, g, o = (self.gate(index, x, h) for index in range(4))
        new = [
            F.sigmoid(keep) * old + F.sigmoid(add) * F.tanh(proposed)
            for keep, old, add, proposed in zip(f, c, i, g, strict=True)
        ]
        return [F.sigmoid(out) * F.tanh(v) for out, v in zip(o, new, strict=True)], new


class GRUCell(Cell):
    """Gates r, z, n, with n = tanh(x_n + r · h_n); h' = (1 - z) · n + z · h."""

    gates = 3

    def forward(self, input: Any, hx: Any = None) -> list[Any]:
        x, h = self.inputs(input), self.state(hx)
        r, z = ([F.sigmoid(v) for v in self.gate(index, x, h)] for index in range(2))
        new = slice(2 * self.hidden_size, None)
        of_input = affine(self.weight_ih[new], x, self.bias_ih and self.bias_ih[new])
        of_hidden = affine(self.weight_hh[new], h, self.bias_hh and self.bias_hh[new])
        n = [F.tanh(a + keep * b) for a, keep, b in zip(of_input, r, of_hidden, strict=True)]
        return [(old - v) * gate + v for gate, v, old in zip(z, n, h, strict=True)]
