"""An expression and its values, or the loss of one sample, as a picture with a layout.

The text of an expression is parsed with a whitelist and never evaluated by Python.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from .. import check_gradients
from ..expressions import Expression, parse
from ..value import Value
from ..viz.model import Picture, picture, values_of
from ..viz.neurons import fold_neurons
from . import code, config, data_sets, limits
from .config import number
from .limits import RefusedError


@dataclass(frozen=True)
class Request:
    """An expression with a number for each of its names; 1 where none is given."""

    expression: Expression
    values: dict[str, float]


def read(request: dict[str, Any]) -> Request:
    text = config.text("expression", request.get("expression"))
    if len(text) > limits.EXPRESSION:
        raise RefusedError(f"the expression is longer than {limits.EXPRESSION:,} characters")
    try:
        expression = parse(text)
    except ValueError as error:
        raise RefusedError(str(error)) from None
    if len(expression.names) > limits.NAMES:
        raise RefusedError(f"the expression has more than {limits.NAMES} names")
    given = request.get("values") or {}
    if not isinstance(given, dict):
        raise RefusedError(f"values must be an object of numbers by name, got {config.shown(given)}")
    values = {name: number(f"the value of {name}", given.get(name, 1.0)) for name in expression.names}
    return Request(expression, values)


def evaluate(request: Request) -> Value:
    """The result, with its graph."""
    leaves = {name: Value(x, label=name) for name, x in request.values.items()}
    try:
        result = request.expression(leaves)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise RefusedError(str(error)) from None
    return result if isinstance(result, Value) else Value(result)


def pictured(result: Value, names: dict[Any, str] | None = None) -> Picture:
    """The picture of a result after backward."""
    try:
        result.backward()
        return picture(result, names=names, most=limits.NODES)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise RefusedError(f"{error}", 422) from None


def with_layout(found: Picture) -> dict[str, Any]:
    from ..rules import rules_of
    from ..viz.layout import layout

    return {
        "picture": found.as_dict(),
        "layout": layout(found).as_dict(),
        "rules": rules_of(found),
    }


def of_expression(body: dict[str, Any]) -> dict[str, Any]:
    request = read(body)
    names = list(request.expression.names)
    return {**with_layout(pictured(evaluate(request))), "names": names}


def check(body: dict[str, Any]) -> dict[str, Any]:
    """Gradients beside finite differences."""
    request = read(body)
    result = evaluate(request)
    pictured(result)  # for its limits
    report = check_gradients(result)
    rows = [
        {
            "name": row.name,
            "analytic": row.gradient,
            "numeric": row.numerical,
            "agrees": row.agrees,
        }
        for row in report.comparisons
        if row.name in request.values
    ]
    return {"rows": rows, "notes": [*report.faults, *report.notes]}


def export(body: dict[str, Any]) -> tuple[str, str, str]:
    """A file: its name, type and text."""
    request, wanted = read(body), body.get("format")
    found = pictured(evaluate(request))
    if wanted == "python":
        text = code.expression_program(request.expression, request.values)
        return "expression.py", "text/x-python", text
    if wanted not in ("html", "svg"):
        raise RefusedError(f"format must be html, svg or python, got {config.shown(wanted)}")
    if wanted == "svg":
        from ..viz.svg import svg

        return "expression.svg", "image/svg+xml", svg(found)
    from ..viz.html import page

    # Not the text as it was given: that may have comments.
    return "expression.html", "text/html", page(found, ast.unparse(request.expression.tree))


def of_sample(body: dict[str, Any]) -> dict[str, Any]:
    """The loss of one sample, for a model with these parameters; `every` shows every operation."""
    settings = config.read(body.get("config"))
    points = data_sets.load(settings)
    model = config.model_for(settings, points.classes)
    params = model.parameters()
    numbers = config.items("parameters", body.get("parameters"), len(params))
    sample = config.items("sample", body.get("sample"), 2)
    if len(numbers) != len(params) or len(sample) != 2:
        raise RefusedError(
            f"the model has {len(params)} parameters and 2 inputs, got {len(numbers)} and {len(sample)}"
        )
    target = config.whole("target", body.get("target"), 0, points.classes - 1)
    for i, (p, x) in enumerate(zip(params, numbers, strict=True)):
        p.data = number(f"parameter {i}", x)
    inputs = [Value(number(name, x), label=name) for name, x in zip("xy", sample, strict=True)]
    wanted = config.targets_for(settings, target)
    for layer in model.layers:
        layer.watched = []  # what its neurons give
    loss = config.loss_for(settings)([model(inputs)], [wanted])
    names = {p: name for name, p in model.named_parameters()}
    found = pictured(loss, names)
    if body.get("every") is not True:
        found = fold_neurons(found, _neurons(model, loss))
    return with_layout(found)


def _neurons(model: Any, loss: Value) -> dict[int, str]:
    """The nodes of a picture of the loss that are outputs of neurons, with the names of these."""
    places = {value: i for i, value in enumerate(values_of([loss._topological()]))}
    return {
        places[output]: f"layers.{i}.neurons.{k}"
        for i, layer in enumerate(model.layers)
        for k, output in enumerate(layer.watched[-1])
        if output in places
    }
