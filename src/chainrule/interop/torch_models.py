"""Networks to PyTorch and back, weights and all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..nn import MLP, Layer, Module, Network, Neuron, Sequential
from ..nn.activations import known_name, name_of

MISSING = "this needs PyTorch: pip install torch"


def _activations(torch: Any) -> dict[str, Any]:
    """PyTorch's modules for the names of ours; `exp` and `sin` are functions there."""
    nn = torch.nn
    return {
        "tanh": nn.Tanh,
        "relu": nn.ReLU,
        "sigmoid": nn.Sigmoid,
        "gelu": nn.GELU,
        "silu": nn.SiLU,
        "softplus": lambda: nn.Softplus(threshold=1e300),  # theirs turns linear above 20
        "elu": nn.ELU,
        "leaky_relu": nn.LeakyReLU,
    }


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise ImportError(MISSING) from None
    return torch


def to_torch(model: Module) -> Any:
    """A torch.nn.Sequential with the same weights and the same outputs, in double precision.

    It takes batches of shape (n, inputs) and gives (n, outputs).
    """
    torch = _torch()
    modules: list[Any] = []
    for part in _parts(model):
        if isinstance(part, str):
            modules.append(_activation_module(torch, part))
            continue
        weights = [[w.data for w in neuron.w] for neuron in part]
        linear = torch.nn.Linear(len(weights[0]), len(weights), dtype=torch.float64)
        with torch.no_grad():
            linear.weight.copy_(torch.tensor(weights, dtype=torch.float64))
            linear.bias.copy_(torch.tensor([n.b.data for n in part], dtype=torch.float64))
        modules.append(linear)
    return torch.nn.Sequential(*modules)


def _parts(model: Any) -> Iterator[list[Neuron] | str]:
    """Layers of neurons and the names of activations, in order."""
    if isinstance(model, (MLP, Network, Sequential)):
        for layer in model.layers:
            yield from _parts(layer)
    elif isinstance(model, (Layer, Neuron)):
        neurons = [model] if isinstance(model, Neuron) else model.neurons
        names = {known_name(neuron.activation) for neuron in neurons}
        if len(names) > 1 or None in names:
            raise TypeError(f"PyTorch has no layer with the activation {name_of(neurons[0].activation)}")
        yield neurons
        yield from (name for name in names if name is not None and name != "linear")
    elif callable(model) and (name := known_name(model)) is not None:
        yield from [name] if name != "linear" else []
    else:
        raise TypeError(
            f"cannot move a {type(model).__name__} to PyTorch: known are Neuron, Layer, MLP, Network, "
            f"Sequential and the activations of chainrule.nn"
        )


def _activation_module(torch: Any, name: str) -> Any:
    found = _activations(torch)
    if name not in found:
        raise TypeError(f"PyTorch has no module for the activation {name}; it has {', '.join(found)}")
    return found[name]()


def from_torch(module: Any) -> Sequential:
    """Our layers with the weights of a torch.nn.Sequential of Linear layers and activations."""
    torch = _torch()
    if not isinstance(module, torch.nn.Sequential):
        raise TypeError(f"from_torch takes a torch.nn.Sequential, got {type(module).__name__}")
    layers: list[Any] = []
    for part in _flat(torch, module):
        if isinstance(part, torch.nn.Linear):
            layers.append(_layer(part))
        else:
            layers.append(_activation_name(torch, part))
    return Sequential(*_joined(layers))


def _flat(torch: Any, module: Any) -> Iterator[Any]:
    for part in module:
        if isinstance(part, torch.nn.Sequential):
            yield from _flat(torch, part)
        elif not isinstance(part, torch.nn.Identity):
            yield part


def _layer(linear: Any) -> Layer:
    layer = Layer(linear.in_features, linear.out_features, None, seed=0)
    biases = [0.0] * linear.out_features if linear.bias is None else linear.bias.tolist()
    for neuron, weights, bias in zip(layer.neurons, linear.weight.tolist(), biases, strict=True):
        for w, number in zip(neuron.w, weights, strict=True):
            w.data = number
        neuron.b.data = bias
    return layer


def _activation_name(torch: Any, module: Any) -> str:
    """The name of ours that computes the same, settings included."""
    nn = torch.nn
    for name, make in _activations(torch).items():
        if isinstance(module, type(make())):
            if not _is_usual(name, module):
                raise TypeError(f"{module} has settings that chainrule does not have")
            return name
    known = ", ".join(type(make()).__name__ for make in _activations(torch).values())
    kind = nn.Linear.__name__
    raise TypeError(f"cannot take over a {type(module).__name__}: known are {kind}, Identity, {known}")


def _is_usual(name: str, module: Any) -> bool:
    """Whether its settings are those of our function of that name."""
    if name == "gelu":
        return bool(module.approximate == "none")
    if name == "elu":
        return bool(module.alpha == 1.0)
    if name == "leaky_relu":
        return bool(module.negative_slope == 0.01)
    return name != "softplus" or bool(module.beta == 1.0 and module.threshold >= 20.0)


def _joined(layers: list[Any]) -> Iterator[Any]:
    """An activation becomes that of the layer before it."""
    from ..nn.activations import activation_named

    for i, part in enumerate(layers):
        following = layers[i + 1] if i + 1 < len(layers) else None
        if isinstance(part, Layer):
            if isinstance(following, str):
                for neuron in part.neurons:
                    neuron.activation = activation_named(following)
            yield part
        elif i == 0 or not isinstance(layers[i - 1], Layer):
            yield activation_named(part)
