"""Saves and loads models: safetensors files with the architecture in their metadata.

The format is not pickle, so opening an untrusted file runs none of its content.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np

from ..support.atomic.committing import commit, data_of
from ..support.atomic.files import place, write_atomically
from ..version import __version__
from . import MLP, Layer, Module, Network, Neuron, Sequential, activation_named
from .activations import NAMES, known_name
from .module import differing, named_parameters_of

FORMAT = "chainrule 1"
Model = TypeVar("Model")


class ModelFileError(ValueError):
    """The file is damaged, is not a chainrule model, or does not fit the model given."""


def save(model: Any, path: str | Path, columns: Sequence[str] = ()) -> None:
    """Write a model to a file that `load` reads back bit for bit.

    The model may be any object with parameters. If it consists of layers of `nn` and known activations,
    `load(path)` builds it. Of any other model, the file holds the parameters by name: build the model in
    code, then call `load(path, model)`.

    `columns` names the model's inputs; `chainrule predict` looks for these columns in a table.
    """
    about = {"columns": json.dumps(list(columns))} if columns else {}
    write_atomically(place(path), encode(model, about=about))


def encode(
    model: Any, tensors: dict[str, Any] | None = None, about: dict[str, str] | None = None
) -> bytes:
    """The content of a model file, with any extra data."""
    from safetensors.numpy import save as to_bytes

    named = named_parameters_of(model)
    numbers = np.array([parameter.data for parameter in named.values()], dtype=np.float64)
    metadata = {
        **(about or {}),
        "format": FORMAT,
        "version": __version__,
        "architecture": json.dumps(architecture_of(model)),
        "names": json.dumps(list(named)),
    }
    return to_bytes({**(tensors or {}), "parameters": numbers}, metadata=metadata)


@overload
def load(path: str | Path) -> Module: ...


@overload
def load(path: str | Path, model: Model) -> Model: ...


def load(path: str | Path, model: Any = None) -> Any:
    """Build the model in a file, or set the parameters of a given model by name; returns the model.

    Raises ModelFileError if the file is damaged, or if the names differ; the given model is then
    unchanged.
    """
    architecture, state = read(path)
    if model is not None:
        named = named_parameters_of(model)
        if difference := differing(named, state):
            raise ModelFileError(f"{path} does not fit this {type(model).__name__}: {difference}")
        commit(data_of(list(named.values()), [state[name] for name in named]))
        return model
    if architecture is None:
        raise ModelFileError(
            f"{path} has the parameters of a model, but not its layers: build the model, then call "
            f"load(path, model)"
        )
    try:
        needed = count(architecture)  # check before building, so that a file cannot exhaust memory
        if needed != len(state):
            raise ValueError(f"it has {needed} parameters, the file has {len(state)}")
        model = build(architecture)
        if not isinstance(model, Module):
            raise ValueError("a function alone is not a model")
        model.load_state_dict(state)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ModelFileError(f"{path}: the architecture does not fit the parameters ({error})") from None
    return model


def read(path: str | Path) -> tuple[Any, dict[str, float]]:
    """The architecture, None if the file has only parameters, and the numbers by name; not yet built."""
    from safetensors import SafetensorError, safe_open

    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no model file {path}")
    try:
        if not _has_header(path):
            raise ModelFileError(
                f"{path} is not a model file: pass one written by save or `chainrule train --save`"
            )
        with safe_open(str(path), framework="numpy") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT:
                raise ModelFileError(
                    f"{path} is not a chainrule model (format {metadata.get('format')!r})"
                )
            numbers = file.get_tensor("parameters")
            architecture = json.loads(metadata["architecture"])
            names = json.loads(metadata["names"])
    except ModelFileError:
        raise
    except (SafetensorError, KeyError, ValueError, OSError, RecursionError) as error:
        raise ModelFileError(f"{path} is damaged: {error}") from None
    except (AttributeError, TypeError) as error:  # a dtype that NumPy does not have
        raise ModelFileError(f"{path} is damaged: {error}") from None
    sound = isinstance(names, list) and numbers.ndim == 1 and numbers.dtype == np.float64
    if not sound or not len(names) == len(set(map(str, names))) == len(numbers):
        raise ModelFileError(f"{path} is damaged: its names and numbers do not match")
    return architecture, {str(name): float(x) for name, x in zip(names, numbers, strict=True)}


def columns_of(path: str | Path) -> list[str]:
    """The input names saved with a model, if any."""
    from safetensors import safe_open

    with safe_open(str(path), framework="numpy") as file:
        try:
            columns = json.loads((file.metadata() or {}).get("columns", "[]"))
        except (ValueError, RecursionError):
            columns = None
    if (
        not isinstance(columns, list)
        or not all(isinstance(each, str) for each in columns)
        or len(set(columns)) < len(columns)
    ):
        raise ModelFileError(f"{path} is damaged: the names of its columns cannot be read")
    return columns


def _has_header(path: Path) -> bool:
    """Whether a file begins like a safetensors file: an eight-byte length, then JSON."""
    with path.open("rb") as file:
        return file.read(9)[8:] == b"{"


# --- architectures as plain data -----------------------------------------------------------------


def architecture_of(model: Any) -> dict[str, Any] | None:
    """The model as plain data, if `build` can make one with the same parameters from it."""
    described = describe(model)
    if described is None or list(build(described).state_dict()) != list(model.state_dict()):
        return None  # it shares parameters, or has some outside its layers
    return described


def describe(module: Any) -> dict[str, Any] | None:
    """The layers of a module as plain data; None if they are not all from `nn`."""
    if type(module) is Sequential:
        inside = [describe(layer) for layer in module.layers]
        return None if None in inside else {"kind": "Sequential", "layers": inside}
    if type(module) in (MLP, Network):
        layers = module.layers
        sizes = [len(layers[0].neurons[0].w), *(len(layer.neurons) for layer in layers)]
        activations = [_activation(layer.neurons) for layer in layers]
    elif type(module) is Layer:
        sizes = [len(module.neurons[0].w), len(module.neurons)]
        activations = [_activation(module.neurons)]
    elif type(module) is Neuron:
        sizes, activations = [len(module.w)], [_activation([module])]
    else:
        name = known_name(module) if callable(module) else None
        return None if name is None else {"kind": "function", "name": name}
    if None in activations:
        return None
    return {"kind": type(module).__name__, "sizes": sizes, "activations": activations}


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


def build(architecture: Any) -> Any:
    """Build the module from a description, with new parameters."""
    kind = architecture["kind"]
    makers: dict[str, Callable[[], Any]] = {
        "MLP": lambda: _network(MLP(sizes[0], sizes[1:], seed=0), activations),
        "Network": lambda: _network(Network(sizes, seed=0), activations),
        "Layer": lambda: Layer(sizes[0], sizes[1], activation_named(activations[0]), seed=0),
        "Neuron": lambda: Neuron(sizes[0], activation_named(activations[0]), seed=0),
        "Sequential": lambda: Sequential(*map(build, architecture["layers"])),
        "function": lambda: activation_named(architecture["name"]),
    }
    if kind not in makers:
        raise ValueError(f"unknown kind {kind!r}")
    if kind not in ("Sequential", "function"):
        sizes, activations = _sizes(architecture)
    return makers[kind]()


def _network(model: MLP, activations: list[str]) -> MLP:
    """Set a network's activations, one per layer, and return it."""
    for layer, name in zip(model.layers, activations, strict=True):
        for neuron in layer.neurons:
            neuron.activation = activation_named(name)
    return model
