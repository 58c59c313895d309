"""Saves and loads models: safetensors files with the architecture in their metadata.

The format is not pickle, so opening an untrusted file runs none of its content.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np

from ..support.atomic.committing import commit, data_of
from ..support.atomic.files import place, write_atomically
from ..version import __version__
from .architectures import architecture_of, build, count
from .module import Module, differing, named_parameters_of

FORMAT = "chainrule 1"
Model = TypeVar("Model")


class ModelFileError(ValueError):
    """The file is damaged, is not a chainrule model, or does not fit the model given."""


def save(model: Any, path: str | Path, about: Mapping[str, str] | None = None) -> None:
    """Write a model to a file that `load` reads back bit for bit.

    The model may be any object with parameters. If it consists of layers of `nn` and known activations,
    `load(path)` builds it. Of any other model, the file holds the parameters by name: build the model in
    code, then call `load(path, model)`.

    `about` is text to keep with the model, by name; `about_of` reads it.
    """
    write_atomically(place(path), encode(model, about=about))


def encode(
    model: Any, tensors: dict[str, Any] | None = None, about: Mapping[str, str] | None = None
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


def about_of(path: str | Path) -> dict[str, str]:
    """The text that was kept with a model, and what `encode` writes itself."""
    from safetensors import safe_open

    with safe_open(str(path), framework="numpy") as file:
        return dict(file.metadata() or {})


def _has_header(path: Path) -> bool:
    """Whether a file begins like a safetensors file: an eight-byte length, then JSON."""
    with path.open("rb") as file:
        return file.read(9)[8:] == b"{"
