"""Saving and loading models: safetensors files with the architecture in their metadata.

No pickle, so that a file from elsewhere can be opened without running anything in it. A file
is written beside its place and then moved there, so that it is never half written.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from .nn import MLP, Layer, Module, Network, Neuron, Sequential
from .nn.activations import NAMES, name_of
from .version import __version__

FORMAT = "chainrule 1"


class ModelFileError(ValueError):
    """A file is not a model of chainrule, or is damaged."""


def save(model: Module, path: str | Path) -> None:
    """Write a model to a file that `load` reads back bit for bit."""
    from safetensors.numpy import save as to_bytes

    architecture = describe(model)
    state = model.state_dict()
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
    except (ValueError, TypeError, KeyError) as error:
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
    if not sound or len(set(map(str, names))) != len(numbers):
        raise ModelFileError(f"{path} is damaged: names and numbers do not fit")
    return architecture, {str(name): float(x) for name, x in zip(names, numbers, strict=True)}


# --- architectures as plain data -----------------------------------------------------------------


def describe(module: Any) -> dict[str, Any]:
    """A module as plain data, from which `build` makes another one."""
    if type(module) in (MLP, Network):
        layers = module.layers
        return {
            "kind": "MLP",
            "sizes": [len(layers[0].neurons[0].w), *(len(layer.neurons) for layer in layers)],
            "activations": [_activation(layer.neurons[0]) for layer in layers],
        }
    if type(module) is Layer:
        size = [len(module.neurons[0].w), len(module.neurons)]
        return {"kind": "Layer", "sizes": size, "activations": [_activation(module.neurons[0])]}
    if type(module) is Neuron:
        return {"kind": "Neuron", "sizes": [len(module.w)], "activations": [_activation(module)]}
    if type(module) is Sequential:
        return {"kind": "Sequential", "layers": [describe(layer) for layer in module.layers]}
    name = name_of(module)
    if callable(module) and name in NAMES:
        return {"kind": "function", "name": name}
    raise TypeError(
        f"cannot save a {type(module).__name__}: save knows Neuron, Layer, MLP, Network and Sequential; "
        f"for others keep state_dict() and build the model in code"
    )


def _activation(neuron: Neuron) -> str:
    name = name_of(neuron.activation)
    if name not in NAMES:
        raise TypeError(f"cannot save the activation {name}: use one of {', '.join(NAMES)}")
    return name


def build(architecture: Any) -> Any:
    """The module that `describe` described, with new parameters."""
    kind = architecture["kind"]
    makers: dict[str, Callable[[], Any]] = {
        "MLP": lambda: _mlp(architecture),
        "Layer": lambda: Layer(*architecture["sizes"], *architecture["activations"], seed=0),
        "Neuron": lambda: Neuron(*architecture["sizes"], *architecture["activations"], seed=0),
        "Sequential": lambda: Sequential(*map(build, architecture["layers"])),
        "function": lambda: _function(architecture["name"]),
    }
    if kind not in makers:
        raise ValueError(f"unknown kind {kind!r}")
    return makers[kind]()


def _mlp(architecture: Any) -> MLP:
    sizes, activations = architecture["sizes"], architecture["activations"]
    if len(sizes) != len(activations) + 1 or sum(a * b for a, b in pairwise(sizes)) > 10**8:
        raise ValueError(f"sizes {sizes} with {len(activations)} activations")
    model = MLP(sizes[0], sizes[1:], seed=0)
    for i, activation in enumerate(activations):
        model.layers[i] = Layer(sizes[i], sizes[i + 1], activation, seed=0)
    return model


def _function(name: str) -> Any:
    from .nn import activation_named

    return activation_named(name)
