"""Saving and loading models: safetensors files with the architecture in their metadata.

No pickle, so that a file from elsewhere can be opened without running anything in it. A file
is written beside its place and then moved there, so that it is never half written.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from . import functional
from .nn import MLP, Layer, Module, Network, Neuron, Sequential
from .nn.activations import KNOWN, NAMES, name_of
from .version import __version__

FORMAT = "chainrule 1"


class ModelFileError(ValueError):
    """A file is not a model of chainrule, or is damaged."""


def save(model: Module, path: str | Path) -> None:
    """Write a model to a file that `load` reads back bit for bit."""
    from safetensors.numpy import save as to_bytes

    architecture = describe(model)
    state = model.state_dict()
    twin = build(architecture)
    if (
        not isinstance(twin, Module)
        or list(twin.state_dict()) != list(state)
        or repr(twin) != repr(model)
    ):
        raise TypeError(
            f"cannot save this {type(model).__name__}: it was changed after it was made, or shares "
            f"parameters; keep state_dict() and build the model in code"
        )
    tensors = {"parameters": np.array(list(state.values()), dtype=np.float64)}
    metadata = {
        "format": FORMAT,
        "version": __version__,
        "architecture": json.dumps(architecture),
        "names": json.dumps(list(state)),
    }
    _write_atomically(Path(path), to_bytes(tensors, metadata=metadata))


def _write_atomically(path: Path, content: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def load(path: str | Path) -> Module:
    """The model in a file; a damaged or foreign file is a ModelFileError."""
    architecture, state = read(path)
    try:
        model: Module = build(architecture)
        model.load_state_dict(state)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, OverflowError) as error:
        raise ModelFileError(f"{path}: the architecture does not fit the parameters ({error})") from None
    return model


def read(path: str | Path) -> tuple[Any, dict[str, float]]:
    """The architecture and the numbers in a file, checked but not built."""
    from safetensors import SafetensorError, safe_open

    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no model file {path}")
    try:
        with safe_open(str(path), framework="numpy") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT:
                raise ModelFileError(
                    f"{path} is not a model of chainrule (format {metadata.get('format')!r})"
                )
            numbers = file.get_tensor("parameters")
            architecture = json.loads(metadata["architecture"])
            names = json.loads(metadata["names"])
    except ModelFileError:
        raise
    except (SafetensorError, KeyError, ValueError, OSError, RecursionError, UnicodeError) as error:
        raise ModelFileError(f"{path} is damaged: {error}") from None
    sound = isinstance(names, list) and numbers.ndim == 1 and numbers.dtype == np.float64
    if not sound or not len(set(map(str, names))) == len(names) == len(numbers):
        raise ModelFileError(f"{path} is damaged: names and numbers do not fit")
    return architecture, {str(name): float(x) for name, x in zip(names, numbers, strict=True)}


# --- architectures as plain data -----------------------------------------------------------------


def describe(module: Any) -> dict[str, Any]:
    """A module as plain data, from which `build` makes another one."""
    if type(module) in (MLP, Network):
        layers = module.layers
        for layer in layers:
            describe(layer)  # for its errors
        return {
            "kind": type(module).__name__,
            "sizes": [len(layers[0].neurons[0].w), *(len(layer.neurons) for layer in layers)],
            "activations": [_activation(layer.neurons[0]) for layer in layers],
        }
    if type(module) is Layer:
        size = [len(module.neurons[0].w), len(module.neurons)]
        if len({neuron.activation for neuron in module.neurons}) > 1:
            raise TypeError("cannot save a Layer whose neurons have different activations")
        return {"kind": "Layer", "sizes": size, "activations": [_activation(module.neurons[0])]}
    if type(module) is Neuron:
        return {"kind": "Neuron", "sizes": [len(module.w)], "activations": [_activation(module)]}
    if type(module) is Sequential:
        return {"kind": "Sequential", "layers": [describe(layer) for layer in module.layers]}
    name = name_of(module)
    if name in KNOWN and module in (KNOWN[name], getattr(functional, name, None)):
        return {"kind": "function", "name": name}
    raise TypeError(
        f"cannot save a {type(module).__name__}: save knows Neuron, Layer, MLP, Network and Sequential; "
        f"for others keep state_dict() and build the model in code"
    )


def _activation(neuron: Neuron) -> str:
    name = name_of(neuron.activation)
    if neuron.activation not in (KNOWN.get(name), getattr(functional, name, None)):
        raise TypeError(f"cannot save the activation {name}: use one of {', '.join(NAMES)}")
    return name


def build(architecture: Any) -> Any:
    """The module that `describe` described, with new parameters."""
    kind = architecture["kind"]
    makers: dict[str, Callable[[], Any]] = {
        "MLP": lambda: _mlp(architecture, MLP),
        "Network": lambda: _mlp(architecture, Network),
        "Layer": lambda: Layer(*_exactly(architecture, 2), seed=0),
        "Neuron": lambda: Neuron(*_exactly(architecture, 1), seed=0),
        "Sequential": lambda: Sequential(*map(build, architecture["layers"])),
        "function": lambda: _function(architecture["name"]),
    }
    if kind not in makers:
        raise ValueError(f"unknown kind {kind!r}")
    return makers[kind]()


def _exactly(architecture: Any, count: int) -> list[Any]:
    """So many sizes, and one activation by name."""
    sizes, (activation,) = architecture["sizes"], architecture["activations"]
    if len(sizes) != count or activation not in KNOWN or math.prod(sizes) > 10**8:
        raise ValueError(f"sizes {sizes} with the activation {activation!r}")
    return [*sizes, activation]


def _mlp(architecture: Any, cls: type[MLP]) -> MLP:
    sizes, activations = architecture["sizes"], architecture["activations"]
    if (
        not set(activations) <= set(KNOWN)
        or len(sizes) != len(activations) + 1
        or sum(a * b for a, b in pairwise(sizes)) > 10**8
    ):
        raise ValueError(f"sizes {sizes} with {len(activations)} activations")
    model = Network(sizes, seed=0) if cls is Network else MLP(sizes[0], sizes[1:], seed=0)
    for i, activation in enumerate(activations):
        model.layers[i] = Layer(sizes[i], sizes[i + 1], activation, seed=0)
    return model


def _function(name: str) -> Any:
    return KNOWN[name]
