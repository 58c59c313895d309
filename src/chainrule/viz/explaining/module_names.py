"""Names for values of a graph that belong to a module: its parameters, and the outputs of its neurons.

The names are those of `named_parameters`, so `layers.0.neurons.3` is the output of the neuron whose
bias is `layers.0.neurons.3.b`; its `dot` and its `z`, the input of the activation, are named too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...nn import Neuron
from ...nn.activations import known_name
from ...value import Value


def parameter_names(names: Any) -> dict[Any, str]:
    """The `names` of `draw` and `explain` as a dict: given as one, as a module, or as None."""
    if hasattr(names, "named_parameters"):
        return {parameter: name for name, parameter in names.named_parameters()}
    return dict(names or {})


def value_names(names: Any, order: Sequence[Any]) -> dict[Any, str]:
    """The same and, for a module, names for the values in `order` that its neurons computed."""
    found = parameter_names(names)
    if not hasattr(names, "modules"):
        return found
    users: dict[Any, list[Any]] = {}
    for value in order:
        for argument in value.inputs:
            users.setdefault(argument, []).append(value)
    for neuron in names.modules():
        bias = found.get(neuron.b) if isinstance(neuron, Neuron) else None
        if bias is not None:  # the bias may have been replaced with a number
            found |= dict(_computed(neuron, bias.removesuffix("b"), users))
    return found


def _computed(neuron: Neuron, prefix: str, users: dict[Any, list[Any]]) -> Iterator[tuple[Any, str]]:
    """The values a neuron computed, for each sample."""
    sums = [value for value in users.get(neuron.b, ()) if value.op == "add" and _is_z(value, neuron)]
    activation = known_name(neuron.activation)
    for i, z in enumerate(sums, 1):
        sample = f" #{i}" if len(sums) > 1 else ""
        output = prefix.removesuffix(".") or "neuron"
        yield z.inputs[0], f"{prefix}dot{sample}"
        if activation == "linear":
            yield z, output + sample
            continue
        yield z, f"{prefix}z{sample}"
        yield from ((value, output + sample) for value in users.get(z, ()) if value.op == activation)


def _is_z(value: Any, neuron: Neuron) -> bool:
    """Whether a sum is dot(w, x) + b: a bias can also occur in other sums, such as a penalty."""
    product = value.inputs[0]
    if product.op != "dot" or len(product.inputs) != 2 * len(neuron.w):
        return False
    pairs = zip(product.inputs, neuron.w, strict=False)
    return all(w is own for w, own in pairs if isinstance(own, Value))
