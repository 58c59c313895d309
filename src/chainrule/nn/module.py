"""`Module`: the base class of models. It finds a model's parameters among its attributes.

A parameter is a leaf Value; it may be inside lists, tuples, dicts, arrays and other modules. This
file knows nothing about neurons.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
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
        for name, thing in zip(*_things(self, prefix), strict=True):
            if isinstance(thing, Value) and thing.is_leaf:
                yield name, thing

    def parameters(self) -> list[Value]:
        """Every parameter once, in the order of `named_parameters`."""
        return [thing for thing in _things(self)[1] if isinstance(thing, Value) and thing.is_leaf]

    def modules(self) -> Iterator[Module]:
        """This module and all modules inside it, each once."""
        return (thing for thing in _things(self)[1] if isinstance(thing, Module))

    def zero_grad(self) -> None:
        """Set the gradient of every parameter to 0."""
        parameters = self.parameters()
        commit(gradients_of(parameters, [0.0] * len(parameters)))

    def train(self, mode: bool = True) -> Module:
        """Switch to training mode, or with `mode=False` to evaluation mode; returns self."""
        modules = list(self.modules())
        for module in modules:
            if _things(module.training)[1]:
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
        if difference := differing(parameters, state):
            raise ValueError(f"the state does not fit this {type(self).__name__}: {difference}")
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
    keys, items = _items(thing)
    shown = any(isinstance(item, Module) for item in items)
    return [(f"{name}.{key}", item) for key, item in zip(keys, items, strict=True)] if shown else []


def differing(expected: Collection[str], given: Collection[str]) -> str:
    """How the names of given numbers differ from those of a model's parameters; "" if they do not."""
    wanted, found = _shapes(expected), _shapes(given)
    wrong = {name for name in wanted if name in found and wanted[name] != found[name]}
    parts = [f"{name} has shape {found[name]}, expected {wanted[name]}" for name in sorted(wrong)[:3]]
    missing, unexpected = (
        [name for name in names if name not in others and _entry(name)[0] not in wrong]
        for names, others in ((expected, given), (given, expected))
    )
    if missing or unexpected:
        parts += [f"missing {_few(missing)}", f"unexpected {_few(unexpected)}"]
    return ", ".join(parts)


def _entry(name: str) -> tuple[str, tuple[int, ...]]:
    """A parameter's name without the indices at its end, and those: weight.0.1 is weight, (0, 1)."""
    path, index = name.split("."), list[int]()
    while len(path) > 1 and path[-1].isdecimal() and len(path[-1]) < 10:
        index.insert(0, int(path.pop()))
    return ".".join(path), tuple(index)


def _shapes(names: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """The shape of each list or table of parameters without gaps, by its name."""
    entries: dict[str, set[tuple[int, ...]]] = {}
    for name, index in map(_entry, names):
        entries.setdefault(name, set()).add(index)
    shapes = {}
    for name, found in entries.items():
        if len({len(index) for index in found}) == 1:
            shape = tuple(max(places) + 1 for places in zip(*found, strict=True))
            if math.prod(shape) == len(found):
                shapes[name] = shape
    return shapes


def _few(names: list[str]) -> str:
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return shown or "none"


def _items(thing: Any) -> tuple[Collection[Any], Collection[Any]]:
    """The contents of a module or container, after their names or positions."""
    inside = vars(thing) if isinstance(thing, Module) else thing
    if isinstance(inside, dict):
        return inside.keys(), inside.values()
    objects = str(getattr(thing, "dtype", "")) == "object" and thing.ndim  # an array of objects
    return (range(len(thing)), thing) if isinstance(thing, (list, tuple)) or objects else ((), ())


def _things(thing: Any, path: str = "") -> tuple[list[str], list[Any]]:
    """All Values and modules in an object, the object included, each once, depth first, after their
    paths.
    """
    paths: list[str] = []
    things: list[Any] = []
    seen: dict[int, Any] = {}  # keeps the objects alive, so that no id is reused

    def visit(thing: Any, path: str) -> None:
        if id(thing) in seen:
            return
        seen[id(thing)] = thing
        if isinstance(thing, (Value, Module)):
            paths.append(path)
            things.append(thing)
        names, items = _items(thing)
        before = f"{path}." if path else ""
        inside = [f"{before}{name!s}" for name in names]
        if all(issubclass(kind, Value) for kind in set(map(type, items))):
            paths.extend(inside)  # at once: a network may have a hundred thousand parameters
            things.extend(items)
        else:
            for name, item in zip(inside, list(items), strict=True):
                visit(item, name)

    visit(thing, path)
    if len(set(map(id, things))) == len(things):
        return paths, things
    first = dict(zip(map(id, reversed(things)), reversed(range(len(things))), strict=True))
    kept = sorted(first.values())
    return [paths[i] for i in kept], [things[i] for i in kept]


class Wrapped(Module):
    """Wraps a model that is not a Module: any callable with `parameters()`."""

    def __init__(self, model: Callable[..., Any]) -> None:
        self.model = model
        self.params: list[Value] = _parameters_of(model)
        self.named: dict[str, Value] = named_parameters_of(model)
        self.inside: Any = getattr(model, "__dict__", {})  # may contain modules, which have modes

    def forward(self, *args: Any, **keywords: Any) -> Any:
        return self.model(*args, **keywords)

    def named_parameters(self, prefix: str = "") -> Iterator[tuple[str, Value]]:
        return iter(self.named.items())

    def parameters(self) -> list[Value]:
        return self.params

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


def named_parameters_of(model: Any) -> dict[str, Value]:
    """Every parameter of any object that has some, by name.

    If the object has no `named_parameters()`, the names are the paths of its attributes, or positions in
    its `parameters()` if the attributes do not hold all of these.
    """
    kind = type(model).__name__
    if not isinstance(model, type) and callable(getattr(model, "named_parameters", None)):
        pairs: list[tuple[str, Value]] = list(model.named_parameters())
        named = dict(pairs)
        if len(named) < len(pairs):
            name = next(name for i, (name, _) in enumerate(pairs) if name in dict(pairs[:i]))
            raise ValueError(f"two parameters of this {kind} are called {name}: rename one")
        listed = model.parameters() if callable(getattr(model, "parameters", None)) else ()
        if not set(listed) <= set(named.values()):
            raise ValueError(
                f"{kind}.parameters() returns Values that have no name: assign them to attributes, in "
                f"lists, dicts or modules"
            )
        return named
    if isinstance(model, type) or not callable(getattr(model, "parameters", None)):
        given = f"the class {model.__name__}" if isinstance(model, type) else kind
        raise TypeError(
            f"expected a Module, or an object whose parameters() returns its leaf Values, got {given}"
        )
    params = _parameters_of(model)
    found = zip(*_things(getattr(model, "__dict__", {})), strict=True)
    paths = {thing: path for path, thing in found if isinstance(thing, Value)}
    named = {paths[parameter]: parameter for parameter in params if parameter in paths}
    complete = len(named) == len(params)
    return named if complete else {f"params.{i}": parameter for i, parameter in enumerate(params)}


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
