"""`Module`: the base class of models. It finds a model's parameters among its attributes.

A parameter is a leaf Value; it may be inside lists, tuples, dicts, arrays and other modules. This
file knows nothing about neurons.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..support.atomic.committing import commit, data_of, gradients_of
from ..value import Value


class Module:
    """The base class of everything that has parameters and is called on inputs.

    Define `__init__` and `forward`; assign Values, Modules and lists of them to attributes.
    """

    training: bool = True

    def forward(self, *args: Any, **keywords: Any) -> Any:
        """Compute the output; every subclass defines its own."""
        raise TypeError(f"{type(self).__name__} has no forward(): write one that computes its output")

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.forward(*args, **keywords)

    def named_parameters(self, prefix: str = "") -> Iterator[tuple[str, Value]]:
        """Every parameter once, with its attribute path."""
        for name, thing in _things(self, prefix, {}):
            if isinstance(thing, Value) and thing.is_leaf:
                yield name, thing

    def parameters(self) -> list[Value]:
        """Every parameter once, in the order of `named_parameters`."""
        return [parameter for _, parameter in self.named_parameters()]

    def modules(self) -> Iterator[Module]:
        """This module and all modules inside it, each once."""
        for _, thing in _things(self, "", {}):
            if isinstance(thing, Module):
                yield thing

    def zero_grad(self) -> None:
        """Set the gradient of every parameter to 0."""
        parameters = self.parameters()
        commit(gradients_of(parameters, [0.0] * len(parameters)))

    def train(self, mode: bool = True) -> Module:
        """Switch to training mode, or with `mode=False` to evaluation mode; returns self."""
        modules = list(self.modules())
        for module in modules:
            if any(True for _ in _things(module.training, "", {})):
                raise TypeError(
                    f"{type(module).__name__}.training is the mode, True or False, but holds "
                    f"parameters: rename the attribute"
                )
        for module in modules:
            module.training = mode
        return self

    def eval(self) -> Module:
        """Switch to evaluation mode; returns self."""
        return self.train(False)

    def state_dict(self) -> dict[str, float]:
        """The value of every parameter by name."""
        return {name: parameter.data for name, parameter in self.named_parameters()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Set every parameter from a state; if the names do not match, raise and change nothing."""
        if not isinstance(state, Mapping):
            kind = type(state).__name__
            raise TypeError(f"expected a dict of numbers, as state_dict() returns it, got {kind}")
        parameters = dict(self.named_parameters())
        missing = [name for name in parameters if name not in state]
        unexpected = [name for name in state if name not in parameters]
        if missing or unexpected:
            raise ValueError(
                f"the state does not fit this {type(self).__name__}: "
                f"missing {_few(missing)}, unexpected {_few(unexpected)}"
            )
        numbers = [Value(state[name]).data for name in parameters]
        commit(data_of(list(parameters.values()), numbers))

    def extra_repr(self) -> str:
        """The text that the repr shows between the parentheses."""
        return ""

    @reprlib.recursive_repr("...")
    def __repr__(self) -> str:
        head = f"{type(self).__name__}({self.extra_repr()})"
        children = [child for name, thing in vars(self).items() for child in _children(name, thing)]
        if not children:
            return head
        lines = [head[:-1] if head.endswith("()") else head[:-1] + ","]
        lines += [f"  ({name}): {_indent(child)}" for name, child in children]
        return "\n".join([*lines, ")"])


def _indent(module: Any) -> str:
    text = repr(module) if isinstance(module, Module) else str(getattr(module, "__name__", module))
    return text.replace("\n", "\n  ")


def _children(name: str, thing: Any) -> list[tuple[str, Any]]:
    """What the repr shows for an attribute: a module, or all items of a container that holds one."""
    if isinstance(thing, Module):
        return [(name, thing)]
    items = _items(thing)
    shown = any(isinstance(item, Module) for _, item in items)
    return [(f"{name}.{key}", item) for key, item in items] if shown else []


def _few(names: list[str]) -> str:
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return shown or "none"


def _items(thing: Any) -> list[tuple[str, Any]]:
    """The contents of a module or container, by name or position; empty for anything else."""
    if isinstance(thing, Module):
        return list(vars(thing).items())
    if isinstance(thing, dict):
        return [(str(key), item) for key, item in thing.items()]
    objects = str(getattr(thing, "dtype", "")) == "object" and thing.ndim  # an array of objects
    if isinstance(thing, (list, tuple)) or objects:
        return [(str(i), item) for i, item in enumerate(thing)]
    return []


def _things(thing: Any, path: str, seen: dict[int, Any]) -> Iterator[tuple[str, Any]]:
    """All Values and modules in an object, the object included, each once, depth first, with paths."""
    wanted, items = isinstance(thing, (Value, Module)), _items(thing)
    if id(thing) in seen or not (wanted or items):
        return
    seen[id(thing)] = thing  # kept alive, so that its id is not reused
    if wanted:
        yield path, thing
    for name, item in items:
        yield from _things(item, f"{path}.{name}" if path else name, seen)


class Wrapped(Module):
    """Wraps a model that is not a Module: any callable with `parameters()`."""

    def __init__(self, model: Callable[..., Any]) -> None:
        self.model = model
        self.params: list[Value] = _parameters_of(model)
        self.inside: Any = getattr(model, "__dict__", {})  # may contain modules, which have modes

    def forward(self, *args: Any, **keywords: Any) -> Any:
        return self.model(*args, **keywords)

    def named_parameters(self, prefix: str = "") -> Iterator[tuple[str, Value]]:
        return ((f"params.{i}", parameter) for i, parameter in enumerate(self.params))

    def train(self, mode: bool = True) -> Module:
        """Switch the modules inside, and the model itself if it has a `training` flag."""
        super().train(mode)
        if isinstance(getattr(self.model, "training", None), bool):
            self.model.training = mode  # type: ignore[attr-defined]
        return self


def as_module(model: Any) -> Module:
    """Return a Module unchanged; wrap any other callable that has `parameters()`."""
    if isinstance(model, Module):
        return model
    if isinstance(model, type):
        name = model.__name__
        raise TypeError(
            f"the model must be an instance, got the class {name}; create one with {name}(...)"
        )
    if not callable(model) or not callable(getattr(model, "parameters", None)):
        raise TypeError(
            f"the model must be a Module, or a callable whose parameters() returns its leaf Values, "
            f"got {type(model).__name__}"
        )
    return Wrapped(model)


def _parameters_of(model: Any) -> list[Value]:
    """The result of `parameters()`: each leaf Value once, in order."""
    name, found = type(model).__name__, model.parameters()
    if isinstance(found, (Value, str, Mapping)) or not hasattr(found, "__iter__"):
        kind = type(found).__name__
        raise TypeError(f"{name}.parameters() must return an iterable of leaf Values, got {kind}")
    unique: dict[Value, None] = {}
    for parameter in found:
        if not isinstance(parameter, Value):
            kind = f"{type(parameter).__module__}.{type(parameter).__qualname__}"
            raise TypeError(
                f"{name}.parameters() must return leaf chainrule Values, but the result contains {kind}"
            )
        if not parameter.is_leaf:
            raise ValueError(
                f"{name}.parameters() contains the result of '{parameter._op}': return the leaf Values "
                f"to train"
            )
        unique[parameter] = None
    if not unique:
        raise ValueError(f"{name}.parameters() is empty: return the leaf Values to train")
    return list(unique)


class Sequential(Module):
    """Applies modules and functions one after another."""

    def __init__(self, *layers: Callable[..., Any]) -> None:
        for layer in layers:
            if isinstance(layer, type):
                name = layer.__name__
                raise TypeError(
                    f"Sequential takes modules, got the class {name}; create one with {name}(...)"
                )
            if not callable(layer):
                raise TypeError(f"Sequential takes modules and functions, got {type(layer).__name__}")
        self.layers: list[Callable[..., Any]] = list(layers)

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x

    def __len__(self) -> int:
        return len(self.layers)

    def __getitem__(self, index: int | slice) -> Any:
        """Return a layer; for a slice, a Sequential."""
        if isinstance(index, slice):
            return Sequential(*self.layers[index])
        return self.layers[index]
