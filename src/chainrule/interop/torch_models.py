"""Converts networks to PyTorch and back, including weights."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator
from typing import Any

from ..nn import MLP, Dropout, Embedding, Layer, LayerNorm, Linear, Module, Network, Neuron, Sequential
from ..nn.activations import activation_named, known_name, name_of
from ..nn.architectures import TORCH_LAYERS
from ..nn.recurrent import Cell
from ..nn.vectors import TorchLayer
from ..support.tree import flatten
from ..value import Value, no_grad


def _activations(torch: Any) -> dict[str, Any]:
    """PyTorch's modules by our activation names; PyTorch has no modules for `exp` and `sin`."""
    nn = torch.nn
    return {
        "tanh": nn.Tanh,
        "relu": nn.ReLU,
        "sigmoid": nn.Sigmoid,
        "gelu": nn.GELU,
        "silu": nn.SiLU,
        "softplus": lambda: nn.Softplus(threshold=1e300),  # PyTorch's default is linear above 20
        "elu": nn.ELU,
        "leaky_relu": nn.LeakyReLU,
    }


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise ImportError("this needs PyTorch: pip install torch") from None
    return torch


def to_torch(model: Module) -> Any:
    """A torch.nn.Sequential with the same weights, outputs and mode, in double precision.

    It maps batches of shape (n, inputs) to (n, outputs). A layer that is used twice becomes one module,
    and layers that share all their weights still share them. Models that PyTorch would compute or train
    differently are rejected: those with a custom `forward` or `__call__`, with partly shared weights, or
    with weights that are not leaf Values.
    """
    torch = _torch()
    modules: list[Any] = []
    layers: dict[int, Any] = {}  # the module of each layer, by the layer's id
    tensors = _Tensors(torch)
    training = getattr(model, "training", True)
    for part in _parts(model):
        made = _modules_of(torch, part, tensors)
        for module in made:
            module.train(getattr(part, "training", training))
        if isinstance(part, Module):
            made[0] = layers.setdefault(id(part), made[0])
        _check_outputs(torch, part, made)
        modules += made
    tensors.check_nothing_is_half_shared()
    moved = torch.nn.Sequential(*modules)
    moved.training = training
    return moved


class _Tensors:
    """PyTorch parameters from Values: the same Values give the same parameter."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.made: dict[Any, tuple[Any, list[Value]]] = {}

    def __call__(self, values: list[Value], *shape: int) -> Any:
        for value in values:
            if not isinstance(value, Value) or not value.is_leaf:
                kind = "a Value computed from others" if isinstance(value, Value) else repr(value)
                raise TypeError(f"to_torch needs weights that are leaf Values, got {kind}")
        key = (shape, *map(id, values))
        if key not in self.made:
            numbers = self.torch.tensor([v.data for v in values], dtype=self.torch.float64)
            self.made[key] = self.torch.nn.Parameter(numbers.reshape(shape)), values
        return self.made[key][0]

    def check_nothing_is_half_shared(self) -> None:
        """Reject a Value in two parameters: PyTorch would train it as two."""
        every = [value for _, values in self.made.values() for value in values]
        if len({id(value) for value in every}) < len(every):
            raise TypeError(
                "two weights are the same Value, but PyTorch can share only whole layers or whole "
                "weight matrices: use the same Layer twice, or give each layer its own Values"
            )


def _parts(model: Any) -> Iterator[Any]:
    """Layers, neurons and activations, in order."""
    if isinstance(model, (MLP, Network, Sequential)):
        _check_own_methods(model, MLP.forward if isinstance(model, MLP) else Sequential.forward)
        for layer in model.layers:
            yield from _parts(layer)
    elif isinstance(model, (Layer, Neuron)):
        if isinstance(model, Layer):
            _check_own_methods(model, Layer.forward)
        for neuron in _neurons(model):
            if not isinstance(neuron, Neuron):
                raise TypeError(
                    f"cannot convert a layer that contains {type(neuron).__name__} to PyTorch"
                )
            _check_own_methods(neuron, Neuron.forward)
        yield model
    elif isinstance(model, TorchLayer):
        _check_own_methods(model, TORCH_LAYERS[_kind_of(model)].forward)
        yield model
    elif callable(model) and known_name(model) is not None:
        yield model
    else:
        raise TypeError(
            f"cannot convert {type(model).__name__} to PyTorch; supported: MLP, Network, Sequential, "
            f"and the layers and activations of chainrule.nn"
        )


def _kind_of(layer: TorchLayer) -> str:
    """The name that a layer, or the class it was derived from, has here and in PyTorch."""
    return next(name for name, kind in TORCH_LAYERS.items() if isinstance(layer, kind))


def _neurons(part: Layer | Neuron) -> list[Neuron]:
    return [part] if isinstance(part, Neuron) else part.neurons


def _check_own_methods(model: Module, forward: Any) -> None:
    kind = type(model)
    for name, usual in (("forward", forward), ("__call__", Module.__call__)):
        if getattr(kind, name) is not usual or (name == "forward" and name in vars(model)):
            raise TypeError(
                f"cannot convert {kind.__name__} to PyTorch: it has a custom {name}, which to_torch "
                f"would ignore; write it as a torch.nn.Module, and convert its layers one by one"
            )


def _modules_of(torch: Any, part: Any, tensors: _Tensors) -> list[Any]:
    """The PyTorch modules of a part: a layer, an activation, or both."""
    if isinstance(part, TorchLayer):
        return [_torch_layer(torch, part, tensors)]
    if not isinstance(part, (Layer, Neuron)):
        name = known_name(part)
        return [] if name == "linear" else [_activation_module(torch, str(name))]
    neurons = _neurons(part)
    names = {known_name(neuron.activation) for neuron in neurons}
    if len(names) > 1 or None in names:
        raise TypeError(f"PyTorch has no layer with the activation {name_of(neurons[0].activation)}")
    sizes = {len(neuron.w) for neuron in neurons}
    if len(sizes) > 1:
        raise TypeError(f"PyTorch has no layer whose neurons have {sorted(sizes)} inputs")
    linear = torch.nn.Linear(len(neurons[0].w), len(neurons), dtype=torch.float64)
    weights = [w for neuron in neurons for w in neuron.w]
    linear.weight = tensors(weights, len(neurons), len(neurons[0].w))
    linear.bias = tensors([neuron.b for neuron in neurons], len(neurons))
    (name,) = names
    return [linear] if name == "linear" else [linear, _activation_module(torch, str(name))]


def _torch_layer(torch: Any, layer: TorchLayer, tensors: _Tensors) -> Any:
    """PyTorch's layer with the same settings and parameters."""
    made = getattr(torch.nn, _kind_of(layer))(**layer.settings()).double()
    for name, parameter in list(made.named_parameters()):
        setattr(made, name, tensors(flatten(getattr(layer, name))[0], *parameter.shape))
    return made


def _check_outputs(torch: Any, part: Any, modules: list[Any]) -> None:
    """Compare the outputs for one input, because methods of Values or layers may have been replaced."""
    if isinstance(part, Dropout) and part.training:
        return  # it is random
    numbers = [2.0 * math.sin(1.0 + 3.0 * i) for i in range(_width(part))]
    x: Any = [Value(number) for number in numbers]
    batch = torch.tensor([numbers], dtype=torch.float64)
    if isinstance(part, Embedding):
        x, batch = 0, torch.tensor([0])
    with no_grad(), torch.no_grad():
        expected = [v.data for v in flatten(part(x))[0]]
        outputs = torch.nn.Sequential(*modules)(batch)
    states = outputs if isinstance(outputs, tuple) else (outputs,)  # an LSTMCell returns two
    found = [number for state in states for number in state[0].tolist()]
    for ours, theirs in zip(expected, found, strict=True):
        if math.isfinite(ours) and not abs(ours - theirs) <= 1e-9 * (1.0 + abs(ours)):
            name = part if isinstance(part, Module) else name_of(part)
            raise TypeError(
                f"{name} gives {ours:.6g}, but PyTorch gives {theirs:.6g}: to_torch supports the layers "
                f"and activations of chainrule.nn, not methods that were replaced"
            )


def _width(part: Any) -> int:
    """How many numbers a part takes; for one that takes any number, 5."""
    if isinstance(part, (Layer, Neuron)):
        return len(_neurons(part)[0].w)
    if isinstance(part, LayerNorm):
        return part.normalized_shape[0]
    sizes = {Linear: "in_features", Cell: "input_size"}
    return next((getattr(part, name) for kind, name in sizes.items() if isinstance(part, kind)), 5)


def _activation_module(torch: Any, name: str) -> Any:
    found = _activations(torch)
    if name not in found:
        raise TypeError(
            f"PyTorch has no module for the activation {name}; supported: {', '.join(found)}"
        )
    return found[name]()


def from_torch(module: Any) -> Sequential:
    """chainrule layers with the weights and mode of a torch.nn.Sequential of layers and activations.

    Shared layers and parameters stay shared. Modules that we would compute or train differently are
    rejected: those with a custom `forward`, hooks, parametrizations or frozen parameters.
    """
    torch = _torch()
    if not isinstance(module, torch.nn.Sequential):
        raise TypeError(f"from_torch takes a torch.nn.Sequential, got {type(module).__name__}")
    kinds = {getattr(torch.nn, name): kind for name, kind in TORCH_LAYERS.items()}
    parts = list(_flat(torch, module))
    known = [next((kind for kind in kinds if isinstance(part, kind)), None) for part in parts]
    _check_memory(torch, [(part, kind) for part, kind in zip(parts, known, strict=True) if kind])
    found: dict[int, TorchLayer] = {}
    values: dict[int, Any] = {}
    layers: list[Any] = []
    for part, kind in zip(parts, known, strict=True):
        if kind is None:
            layers.append(activation_named(_activation_name(torch, part)))
            continue
        if id(part) not in found:
            found[id(part)] = _layer(kinds[kind], part, values)
        layers.append(found[id(part)])
    model = Sequential(*layers)
    model.training = module.training
    return model


def _flat(torch: Any, module: Any) -> Iterator[Any]:
    _check_unchanged(torch, module, torch.nn.Sequential)
    for part in module:
        if isinstance(part, torch.nn.Sequential):
            yield from _flat(torch, part)
        elif isinstance(part, torch.nn.Identity):
            _check_unchanged(torch, part, torch.nn.Identity)
        else:
            yield part


def _check_unchanged(torch: Any, module: Any, kind: Any) -> None:
    """Reject modules whose computation may differ from that of their base class `kind`."""
    name, advice = type(module).__name__, ""
    own = [
        method
        for method, usual in (("forward", kind.forward), ("__call__", torch.nn.Module.__call__))
        if getattr(type(module), method) is not usual or method in vars(module)
    ]
    hooks = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    if own:
        advice = f"it has a custom {own[0]}, which from_torch would ignore; rewrite it with Values"
    elif any(torch.nn.parameter.is_lazy(p) for p in module.parameters(recurse=False)):
        advice = "its parameters have no shape yet; call the module once first"
    elif any(getattr(module, each, None) for each in hooks):
        advice = "it has hooks, which from_torch would ignore; remove them first"
    elif torch.nn.utils.parametrize.is_parametrized(module):
        advice = (
            "its parameters are computed by parametrizations; call "
            'torch.nn.utils.parametrize.remove_parametrizations(layer, "weight") first'
        )
    elif any(not p.requires_grad for p in module.parameters(recurse=False)):
        advice = (
            "it has parameters with requires_grad=False, but chainrule parameters are always trainable; "
            "call requires_grad_(True) first, and pass only the parameters to train to the optimiser"
        )
    if advice:
        raise TypeError(f"cannot convert {name}: {advice}")


def _check_memory(torch: Any, layers: list[tuple[Any, Any]]) -> None:
    """Reject parameters that share memory without being one object: Values cannot share memory."""
    owners: dict[int, Any] = {}
    for layer, kind in layers:
        _check_unchanged(torch, layer, kind)
        for parameter in layer.parameters():
            if owners.setdefault(parameter.untyped_storage().data_ptr(), parameter) is not parameter:
                raise TypeError(
                    "two parameters share memory but are different objects: tie layers by using one "
                    "module or one Parameter twice, or clone() one of them"
                )


def _layer(kind: type[TorchLayer], part: Any, values: dict[int, Any]) -> TorchLayer:
    """Our layer with a PyTorch layer's settings, parameters and mode.

    `values` holds the Values of each parameter that was converted, to keep sharing.
    """

    def of(parameter: Any) -> Any:
        if id(parameter) not in values:
            numbers = parameter.tolist()
            made = [[Value(x) for x in n] if isinstance(n, list) else Value(n) for n in numbers]
            values[id(parameter)] = made
        return values[id(parameter)]

    usual = {"padding_idx": None, "max_norm": None, "scale_grad_by_freq": False, "sparse": False}
    if any(getattr(part, name, default) != default for name, default in usual.items()):
        raise TypeError(f"{part} has settings that chainrule does not have")
    names = [name for name in inspect.signature(kind).parameters if name != "seed"]
    settings = {name: getattr(part, name) for name in names}
    if "bias" in settings:  # a flag or, in a Linear and a LayerNorm, the parameter or None
        settings["bias"] = settings["bias"] is not None and settings["bias"] is not False
    layer = kind(**settings)
    for name, parameter in part.named_parameters(recurse=False):
        setattr(layer, name, of(parameter))
    layer.training = part.training
    return layer


def _activation_name(torch: Any, module: Any) -> str:
    """The name of our activation with the same function and settings."""
    for name, make in _activations(torch).items():
        if isinstance(module, type(make())):
            _check_unchanged(torch, module, type(make()))
            if not _is_usual(name, module):
                raise TypeError(f"{module} has settings that chainrule does not have")
            return name
    activations = [type(make()).__name__ for make in _activations(torch).values()]
    known = ", ".join([*TORCH_LAYERS, "Identity", *activations])
    raise TypeError(f"cannot convert {type(module).__name__}; supported: {known}")


def _is_usual(name: str, module: Any) -> bool:
    """Whether a module's settings match our function of that name."""
    if name == "gelu":
        return bool(module.approximate == "none")
    if name == "elu":
        return bool(module.alpha == 1.0)
    if name == "leaky_relu":
        return bool(module.negative_slope == 0.01)
    return name != "softplus" or bool(module.beta == 1.0 and module.threshold >= 20.0)
