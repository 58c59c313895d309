"""Neuron, Layer, MLP and Network, named as in the classic tutorials."""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Literal, SupportsIndex

from ..functional import dot
from ..value import Value
from .activations import Activation, ActivationName, activation_named, name_of
from .module import Module
from .watching import collect

Initializer = Callable[[random.Random, int, int], float]
InitName = Literal["uniform", "xavier", "he"]

# How to draw a weight, given the number of inputs and outputs of its layer.
INITIALIZERS: dict[str, Initializer] = {
    "uniform": lambda rng, nin, nout: rng.uniform(-1.0, 1.0),
    "xavier": lambda rng, nin, nout: rng.uniform(-1.0, 1.0) * math.sqrt(6.0 / (nin + nout)),
    "he": lambda rng, nin, nout: rng.gauss(0.0, math.sqrt(2.0 / nin)),
}


def generator(seed: int | random.Random | None) -> random.Random:
    """A new generator with this seed; for None, the seed is drawn from the `random` module."""
    if isinstance(seed, random.Random):
        return seed
    if isinstance(seed, SupportsIndex):
        seed = operator.index(seed)  # random.Random does not accept NumPy integers
    return random.Random(seed) if seed is not None else random.Random(random.getrandbits(64))


def positive(name: str, value: Any) -> int:
    size = 0 if isinstance(value, bool) or not hasattr(value, "__index__") else operator.index(value)
    if size < 1:
        raise ValueError(f"{name} must be a positive integer, got {value!r}")
    return size


def as_list(x: Any) -> Sequence[Any]:
    """Inputs as a sequence; a single number or Value becomes a sequence of one."""
    single = not hasattr(x, "__len__") or getattr(x, "shape", None) == ()
    result: Sequence[Any] = [x.item() if hasattr(x, "item") else x] if single else x
    return result


def _is_batch(x: Sequence[Any]) -> bool:
    return hasattr(next(iter(x), None), "__len__")


def as_inputs(layer: str, size: int, x: Any, what: str = "inputs") -> Sequence[Any]:
    """Inputs as a sequence of this length."""
    inputs = as_list(x)
    if len(inputs) != size:
        hint = ": pass one sample at a time, [model(x) for x in X]" if _is_batch(inputs) else ""
        raise ValueError(f"{layer} expects {size} {what}, got {len(inputs)}{hint}")
    return inputs


class Neuron(Module):
    """activation(w · x + b), with w · x as one `dot` node."""

    def __init__(
        self,
        nin: int,
        activation: ActivationName | Activation | None = "tanh",
        *,
        init: InitName = "uniform",
        seed: int | random.Random | None = None,
        nout: int = 1,
    ) -> None:
        if init not in INITIALIZERS:
            raise ValueError(f"unknown init {init!r}; expected one of: {', '.join(INITIALIZERS)}")
        rng = generator(seed)
        draw = INITIALIZERS[init]
        self.w: list[Value] = [Value(draw(rng, nin, nout)) for _ in range(positive("nin", nin))]
        self.b: Value = Value(0.0)
        self.activation: Activation = activation_named(activation)

    def forward(self, x: Any) -> Any:
        return self.activation(dot(self.w, as_inputs("Neuron", len(self.w), x)) + self.b)

    def extra_repr(self) -> str:
        return f"{len(self.w)}, {name_of(self.activation)}"


class Layer(Module):
    """Neurons in parallel. A layer with one neuron returns a Value, a larger layer a list."""

    def __init__(
        self,
        nin: int,
        nout: int,
        activation: ActivationName | Activation | None = "tanh",
        *,
        init: InitName = "uniform",
        seed: int | random.Random | None = None,
    ) -> None:
        rng = generator(seed)
        self.neurons: list[Neuron] = [
            Neuron(nin, activation, init=init, seed=rng, nout=nout)
            for _ in range(positive("nout", nout))
        ]

    def forward(self, x: Any) -> Any:
        x = as_list(x)
        outputs = [neuron(x) for neuron in self.neurons]
        collect(self, outputs)
        return outputs[0] if len(outputs) == 1 else outputs

    def __repr__(self) -> str:
        neuron = self.neurons[0]
        return f"Layer({len(neuron.w)}, {len(self.neurons)}, {name_of(neuron.activation)})"


class MLP(Module):
    """Layers in sequence: `MLP(2, [4, 4, 1])` has two hidden layers and one output.

    The hidden layers use `activation`; the last layer uses `output_activation`.
    """

    def __init__(
        self,
        nin: int,
        nouts: Sequence[int],
        activation: ActivationName | Activation | None = "tanh",
        output_activation: ActivationName | Activation | None = "linear",
        *,
        init: InitName = "uniform",
        seed: int | random.Random | None = None,
    ) -> None:
        if not hasattr(nouts, "__len__"):
            raise TypeError(f"MLP needs a list with the size of each layer, got {nouts!r}")
        if len(nouts) == 0:
            raise ValueError("MLP needs at least one layer, got none")
        rng = generator(seed)
        activations = [*[activation] * (len(nouts) - 1), output_activation]
        self.layers: list[Layer] = [
            Layer(inputs, outputs, each, init=init, seed=rng)
            for (inputs, outputs), each in zip(pairwise([nin, *nouts]), activations, strict=True)
        ]

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x


class Network(MLP):
    """An MLP specified by all its sizes: `Network([2, 4, 1])` is `MLP(2, [4, 1])`."""

    def __init__(
        self,
        sizes: Sequence[int],
        activation: ActivationName | Activation | None = "tanh",
        output_activation: ActivationName | Activation | None = "linear",
        *,
        init: InitName = "uniform",
        seed: int | random.Random | None = None,
    ) -> None:
        if len(sizes) < 2:
            raise ValueError(f"Network needs at least the sizes of input and output, got {list(sizes)}")
        super().__init__(sizes[0], sizes[1:], activation, output_activation, init=init, seed=seed)
