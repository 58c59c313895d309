"""An expression and its values, or the loss of one sample, as a picture with a layout.

The text of an expression is parsed with a whitelist and never evaluated by Python.
"""

from __future__ import annotations

import ast
from typing import Any

from .. import check_gradients
from ..inspect.expressions import Expression, parse
from ..nn.watching import Rows, watch
from ..support import graph
from ..train import loss_named
from ..value import Value
from ..viz.formats.html import drawn, page
from ..viz.formats.svg import svg
from ..viz.layout.neurons import fold_neurons
from ..viz.model import Picture, picture, values_of
from . import limits, schemas
from .limits import RefusedError
from .trainer import code, config, data_sets


def read(asked: schemas.Expression) -> tuple[Expression, dict[str, float]]:
    """Parse an expression, and choose a value for each variable, 1 by default."""
    try:
        expression = parse(asked.expression)
    except ValueError as error:
        raise RefusedError(str(error)) from None
    if len(expression.names) > limits.NAMES:
        raise RefusedError(f"the expression has more than {limits.NAMES} variables")
    return expression, {name: asked.values.get(name, 1.0) for name in expression.names}


def evaluate(expression: Expression, values: dict[str, float]) -> Value:
    """Evaluate an expression; the result has its graph."""
    leaves = {name: Value(x, label=name) for name, x in values.items()}
    try:
        result = expression(leaves)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise RefusedError(str(error)) from None
    return result if isinstance(result, Value) else Value(result)


def pictured(result: Value, names: dict[Any, str] | None = None) -> Picture:
    """Run backward and draw the result."""
    try:
        result.backward()
        return picture(result, names=names, most=limits.NODES)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise RefusedError(f"{error}", 422) from None


def of_expression(asked: schemas.Expression) -> dict[str, Any]:
    expression, values = read(asked)
    return {**drawn(pictured(evaluate(expression, values))), "names": list(expression.names)}


def check(asked: schemas.Expression) -> dict[str, Any]:
    """Compare gradients with finite differences."""
    expression, values = read(asked)
    result = evaluate(expression, values)
    pictured(result)  # enforces the limits
    report = check_gradients(result)
    rows = [
        {"name": row.name, "analytic": row.gradient, "numeric": row.numerical, "agrees": row.agrees}
        for row in report.comparisons
        if row.name in values
    ]
    return {"rows": rows, "notes": [*report.faults, *report.notes]}


def export(asked: schemas.Export) -> tuple[str, str, str]:
    """A file: its name, type and text."""
    expression, values = read(asked)
    found = pictured(evaluate(expression, values))
    if asked.format == "python":
        return "expression.py", "text/x-python", code.expression_program(expression, values)
    if asked.format == "svg":
        return "expression.svg", "image/svg+xml", svg(found)
    # The parsed form, because the original text may contain comments.
    return "expression.html", "text/html", page(found, ast.unparse(expression.tree))


def of_sample(asked: schemas.Sample) -> dict[str, Any]:
    """The loss of one sample, for a model with these parameters; `every` shows every operation."""
    settings = asked.config.config()
    points = data_sets.load(settings)
    model = config.model_for(settings, points.classes)
    params = model.parameters()
    if len(asked.parameters) != len(params):
        raise RefusedError(f"the model has {len(params)} parameters, got {len(asked.parameters)}")
    if asked.target >= points.classes:
        last = points.classes - 1
        raise RefusedError(f"target must be a class from 0 to {last}, got {asked.target}")
    for p, x in zip(params, asked.parameters, strict=True):
        p.data = x
    inputs = [Value(x, label=name) for name, x in zip("xy", asked.sample, strict=True)]
    target = config.targets_for(settings, asked.target)
    prediction, outputs = watch(model.layers, lambda: model(inputs))
    loss = loss_named(settings.loss)([prediction], [target])
    names = {p: name for name, p in model.named_parameters()}
    found = pictured(loss, names)
    if not asked.every:
        found = fold_neurons(found, _neurons(outputs, loss))
    return drawn(found)


def _neurons(outputs: list[Rows], loss: Value) -> dict[int, str]:
    """The nodes of the loss's picture that are neuron outputs, with the neurons' names."""
    places = {value: i for i, value in enumerate(values_of([graph.topological(loss)]))}
    return {
        places[output]: f"layers.{i}.neurons.{k}"
        for i, rows in enumerate(outputs)
        for k, output in enumerate(rows[-1])
        if output in places
    }
