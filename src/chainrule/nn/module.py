"""`Module`: a thing with parameters, which it finds among its attributes.

A parameter is a leaf Value; it may sit in lists, tuples, dicts and other modules. Knows
nothing of neurons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..value import Value


class Module:
    """The base of everything that has parameters and is called on inputs.

    Write `__init__` and `forward`; assign Values, Modules and lists of them to attributes.
    """

    training: bool = True

    def forward(self, *args: Any, **keywords: Any) -> Any:
        """Compute the output; every subclass writes its own."""
        raise TypeError(f"{type(self).__name__} has no forward(): write one that computes its output")

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.forward(*args, **keywords)

    def named_parameters(self, prefix: str = "") -> Iterator[tuple[str, Value]]:
        """Every parameter once, with the path of attributes that leads to it."""
        seen: set[Any] = set()
        for name, thing in _things(self, prefix):
            if isinstance(thing, Value) and thing.is_leaf and thing not in seen:
                seen.add(thing)
                yield name, thing

    def parameters(self) -> list[Value]:
        """Every parameter once, in the order of `named_parameters`."""
        return [parameter for _, parameter in self.named_parameters()]

    def modules(self) -> Iterator[Module]:
        """This module and those inside it."""
        yield self
        for _, thing in _things(self, ""):
            if isinstance(thing, Module):
                yield thing

    def zero_grad(self) -> None:
        """Set the gradient of every parameter to 0."""
        for parameter in self.parameters():
            parameter.grad = 0.0

    def train(self, mode: bool = True) -> Module:
        """Switch to training, or with `mode=False` to evaluation; returns self."""
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Module:
        """Switch to evaluation; returns self."""
        return self.train(False)

    def state_dict(self) -> dict[str, float]:
        """The number of every parameter by name."""
        return {name: parameter.data for name, parameter in self.named_parameters()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Set every parameter from a state; with wrong names nothing is changed."""
        parameters = dict(self.named_parameters())
        missing = [name for name in parameters if name not in state]
        unexpected = [name for name in state if name not in parameters]
        if missing or unexpected:
            raise ValueError(
                f"the state does not fit this {type(self).__name__}: "
                f"missing {_few(missing)}, unexpected {_few(unexpected)}"
            )
        numbers = {name: Value(state[name]).data for name in parameters}
        for name, parameter in parameters.items():
            parameter.data = numbers[name]

    def extra_repr(self) -> str:
        """What the repr shows between the parentheses."""
        return ""

    def __repr__(self) -> str:
        children = [(name, thing) for name, thing in vars(self).items() if _holds_modules(thing)]
        head = f"{type(self).__name__}({self.extra_repr()})"
        if not children:
            return head
        lines = [head[:-1] if head.endswith("()") else head[:-1] + ","]
        for name, thing in children:
            items = thing if isinstance(thing, (list, tuple)) else [thing]
            lines += [
                f"  ({name}{f'.{i}' if items is thing else ''}): {_indent(m)}"
                for i, m in enumerate(items)
            ]
        return "\n".join([*lines, ")"])


def _indent(module: Any) -> str:
    text = repr(module) if isinstance(module, Module) else str(getattr(module, "__name__", module))
    return text.replace("\n", "\n  ")


def _holds_modules(thing: Any) -> bool:
    if isinstance(thing, (list, tuple)):
        return any(isinstance(item, Module) for item in thing)
    return isinstance(thing, Module)


def _few(names: list[str]) -> str:
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return shown or "none"


def _things(thing: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Values and modules below a thing, depth first, with their paths."""
    if isinstance(thing, Module):
        items = [
            (name, item) for name, item in vars(thing).items() if name not in ("training", "watched")
        ]
    elif isinstance(thing, dict):
        items = [(str(key), item) for key, item in thing.items()]
    elif isinstance(thing, (list, tuple)):
        items = [(str(i), item) for i, item in enumerate(thing)]
    else:
        return
    for name, item in items:
        here = f"{path}.{name}" if path else name
        if isinstance(item, (Value, Module)):
            yield here, item
        yield from _things(item, here)


class Sequential(Module):
    """Modules and functions, one after another."""

    def __init__(self, *layers: Callable[..., Any]) -> None:
        for layer in layers:
            if not callable(layer):
                raise TypeError(f"Sequential takes modules and functions, got {type(layer).__name__}")
        self.layers = list(layers)

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x

    def __len__(self) -> int:
        return len(self.layers)

    def __getitem__(self, index: int) -> Any:
        return self.layers[index]
