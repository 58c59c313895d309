"""Architectures: models as plain data, for model files.

`describe` and `build` know every layer of `nn`. They never look at the values of parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from .activations import NAMES, activation_named, known_name
from .layers import MLP, Layer, Network, Neuron
from .module import Sequential
from .recurrent import GRUCell, LSTMCell, RNNCell
from .vectors import Dropout, Embedding, LayerNorm, Linear, TorchLayer

TORCH_LAYERS: dict[str, type[TorchLayer]] = {
    kind.__name__: kind for kind in (Linear, Embedding, LayerNorm, Dropout, RNNCell, LSTMCell, GRUCell)
}


def architecture_of(model: Any) -> dict[str, Any] | None:
    """The model as plain data, if `build` can make one with the same parameters from it."""
    described = describe(model)
    if described is None or list(build(described).state_dict()) != list(model.state_dict()):
        return None  # it shares parameters, or has some outside its layers
    return described


def describe(module: Any) -> dict[str, Any] | None:
    """The layers of a module as plain data; None if they are not all from `nn`."""
    kind = type(module)
    if kind is Sequential:
        inside = [describe(layer) for layer in module.layers]
        return None if None in inside else {"kind": "Sequential", "layers": inside}
    if kind in TORCH_LAYERS.values():
        return {"kind": kind.__name__, **module.settings()}
    if kind in (MLP, Network):
        layers = module.layers
        sizes = [len(layers[0].neurons[0].w), *(len(layer.neurons) for layer in layers)]
        activations = [_activation(layer.neurons) for layer in layers]
    elif kind is Layer:
        sizes = [len(module.neurons[0].w), len(module.neurons)]
        activations = [_activation(module.neurons)]
    elif kind is Neuron:
        sizes, activations = [len(module.w)], [_activation([module])]
    else:
        name = known_name(module) if callable(module) else None
        return None if name is None else {"kind": "function", "name": name}
    if None in activations:
        return None
    return {"kind": kind.__name__, "sizes": sizes, "activations": activations}


def _activation(neurons: list[Neuron]) -> str | None:
    """The name of the activation that all neurons of a layer share, if it is one of `nn`."""
    names = {known_name(neuron.activation) for neuron in neurons}
    return names.pop() if len(names) == 1 else None


def count(architecture: Any) -> int:
    """The number of parameters that `build` would create."""
    kind = architecture["kind"]
    if kind == "Sequential":
        return sum(count(layer) for layer in architecture["layers"])
    if kind == "function":
        return 0
    if kind in COUNTS:
        return COUNTS[kind](**_settings(architecture))
    if kind not in ("Neuron", "Layer", "MLP", "Network"):
        raise ValueError(f"unknown kind {kind!r}")
    sizes, _ = _sizes(architecture)
    return sizes[0] + 1 if kind == "Neuron" else sum((a + 1) * b for a, b in pairwise(sizes))


def _sizes(architecture: Any) -> tuple[list[int], list[str]]:
    """The sizes and activations of a network, validated."""
    kind, sizes, activations = (architecture[key] for key in ("kind", "sizes", "activations"))
    lengths = {"Neuron": (1, 1), "Layer": (2, 1)}.get(kind, (len(activations) + 1, len(activations)))
    fits = isinstance(sizes, list) and isinstance(activations, list) and len(activations) > 0
    if not fits or (len(sizes), len(activations)) != lengths:
        raise ValueError(f"invalid sizes {sizes} with activations {activations}")
    if not all(type(size) is int and size > 0 for size in sizes):
        raise ValueError(f"invalid sizes {sizes}")
    if not all(name in NAMES for name in activations):
        raise ValueError(f"unknown activations in {activations}")
    return sizes, activations


def _settings(architecture: Any) -> dict[str, Any]:
    """The settings of a layer that PyTorch has too; its constructor checks the rest."""
    settings = {name: x for name, x in architecture.items() if name != "kind"}
    for name, x in settings.items():
        if type(x) is not TYPES.get(name, int) or (type(x) is int and x < 1):
            raise ValueError(f"invalid {name} {x!r}")
    return settings


TYPES: dict[str, type] = {  # of all settings that are not sizes
    "bias": bool,
    "elementwise_affine": bool,
    "eps": float,
    "p": float,
    "nonlinearity": str,
}


def _count_of_cell(gates: int) -> Callable[..., int]:
    return lambda input_size, hidden_size, bias, **others: (
        gates * hidden_size * (input_size + hidden_size + 2 * bias)
    )


# The number of parameters of a layer with these settings.
COUNTS: dict[str, Callable[..., int]] = {
    "Linear": lambda in_features, out_features, bias: out_features * (in_features + bias),
    "Embedding": lambda num_embeddings, embedding_dim: num_embeddings * embedding_dim,
    "LayerNorm": lambda normalized_shape, eps, elementwise_affine, bias: (
        normalized_shape * elementwise_affine * (1 + bias)
    ),
    "Dropout": lambda p: 0,
    **{kind.__name__: _count_of_cell(kind.gates) for kind in (RNNCell, LSTMCell, GRUCell)},
}


def build(architecture: Any) -> Any:
    """Build the module from a description that `count` accepts, with new parameters."""
    kind = architecture["kind"]
    if kind == "Sequential":
        return Sequential(*map(build, architecture["layers"]))
    if kind == "function":
        return activation_named(architecture["name"])
    if kind in TORCH_LAYERS:
        return TORCH_LAYERS[kind](**_settings(architecture))
    makers: dict[str, Callable[[], Any]] = {
        "MLP": lambda: _network(MLP(sizes[0], sizes[1:], seed=0), activations),
        "Network": lambda: _network(Network(sizes, seed=0), activations),
        "Layer": lambda: Layer(sizes[0], sizes[1], activation_named(activations[0]), seed=0),
        "Neuron": lambda: Neuron(sizes[0], activation_named(activations[0]), seed=0),
    }
    sizes, activations = _sizes(architecture)
    return makers[kind]()


def _network(model: MLP, activations: list[str]) -> MLP:
    """Set a network's activations, one per layer, and return it."""
    for layer, name in zip(model.layers, activations, strict=True):
        for neuron in layer.neurons:
            neuron.activation = activation_named(name)
    return model
