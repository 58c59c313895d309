"""`diagnose`: explains in plain words what is wrong with a network's gradients, data and predictions.

It computes one step on the data without changing the model.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import nn, optim
from ..data.splitting import as_samples
from ..nn.activations import name_of
from ..nn.losses import loss_named
from ..nn.module import as_module
from ..support import graph
from ..support.atomic.committing import Afterwards, gradients_of
from ..support.tree import flatten
from ..value import no_grad
from .engines import check_loss, layers_of, outputs_of_layers
from .history import History
from .loop import check_belongs
from .metrics import number

VANISHING = 1e-3  # relative to the gradient of the last layer
EXPLODING = 1e3
DEAD = 0.5  # fraction of the units of a layer
SATURATED = 0.5  # fraction of the outputs of a layer
LARGE_UPDATE = 0.3  # relative to the weight, in one step
SMALL_UPDATE = 1e-6
SMALL_GRADIENT = 1e-3  # the relative update at a learning rate of 1
LARGE_COLUMN = 10.0  # root mean square of a column
SMALL_COLUMN = 1e-2  # largest magnitude in a column
LITTLE_SPREAD = 0.01  # spread of predictions after training, relative to that of the targets
SAMPLES_REVIEWED = 200
FEW = 5  # columns listed in a message


@dataclass
class Diagnosis:
    """One line per layer, and the problems in words. True if there are no problems."""

    loss: float
    layers: list[str] = field(default_factory=list)
    findings: dict[str, str] = field(default_factory=dict)  # problem: explanation

    def __bool__(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        lines = [f"loss {self.loss:.6g}", *self.layers]
        lines += [f"{name}: {text}" for name, text in self.findings.items()] or ["no problems found"]
        return "\n".join(lines)

    __repr__ = __str__


def diagnose(
    model: nn.Module,
    loss: str | Callable[..., Any],
    X: Any,
    y: Any,
    optimizer: optim.Optimizer | None = None,
) -> Diagnosis:
    """Check the gradients of a model on some data; with an optimizer, also its learning rate.

    The findings are 'scale', 'constant', 'vanishing', 'exploding', 'dead', 'saturated', 'zero_grad',
    'learning rate' and 'loss', each with a sentence. Parameters and gradients are left unchanged.
    """
    names = list(map(str, getattr(X, "columns", ())))
    X, y = as_samples("X", X), as_samples("y", y)
    model = as_module(model)
    parameters = model.parameters()
    before = [p.grad for p in parameters]
    predictions = [model(x) for x in X]
    value = check_loss(loss_named(loss)(predictions, list(y)))
    report = Diagnosis(value.data)
    check_scale(report, X, names)
    check_constant(report, predictions, y, 1e-9)
    if not math.isfinite(value.data):
        report.findings["loss"] = (
            f"the loss is {value.data}; compute it inside detect_anomaly() to see which operation is "
            f"responsible"
        )
        return report
    nodes = graph.topological(value)  # the loss may contain Values that are not in the model
    with Afterwards(gradients_of(nodes, [v.grad for v in nodes])):
        value.backward(reset=True)
        known = set(nodes)
        gradients = {p: p.grad if p in known else 0.0 for p in parameters}
    check_zero_grad(report, [number(grad) for grad in before], list(gradients.values()))
    check_units(report, model, X)
    check_flow(report, model, gradients)
    if optimizer is not None:
        check_belongs(optimizer, model)
        check_rate(report, gradients, optimizer)
    return report


def review(
    model: nn.Module,
    loss: str | Callable[..., Any],
    X: Any,
    y: Any,
    names: Sequence[str],
    history: History,
    optimizer: optim.Optimizer,
) -> dict[str, str]:
    """Check a finished training run on some of its samples; returns findings as in `diagnose`."""
    report = Diagnosis(math.nan)
    check_scale(report, X, names)
    if history.losses:
        some = slice(None, None, 1 + len(X) // SAMPLES_REVIEWED)
        with no_grad():
            predictions = [model(x) for x in X[some]]
        last = number(loss_named(loss)(predictions, list(y[some])))
        check_growth(report, history.losses, last, optimizer)
        check_constant(report, predictions, y[some], LITTLE_SPREAD)
    return report.findings


def check_scale(report: Diagnosis, X: Any, names: Sequence[str]) -> None:
    """Find columns so large that they saturate a network, or so small that they have no effect."""
    try:
        table = np.asarray(X, dtype=float)
    except (TypeError, ValueError):  # samples are not rows of numbers
        return
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or not np.isfinite(table).all():
        return
    largest = np.abs(table).max(axis=0)
    typical = largest * np.sqrt(((table / np.where(largest, largest, 1.0)) ** 2).mean(axis=0))
    small = (largest > 0.0) & (largest < SMALL_COLUMN)
    far = np.flatnonzero((typical > LARGE_COLUMN) | small).tolist()
    if far:
        named = names if len(names) == len(typical) else [f"x{i}" for i in range(len(typical))]
        shown = ", ".join(f"{named[i]} (about {typical[i]:.2g})" for i in far[:FEW])
        shown += f" and {len(far) - FEW} more" if len(far) > FEW else ""
        report.findings["scale"] = (
            f"a network learns best from columns whose values are about 1 in size, and these are not: "
            f"{shown}; subtract each column's mean and divide by its standard deviation"
        )


def check_constant(report: Diagnosis, predictions: Sequence[Any], y: Any, least: float) -> None:
    """Find predictions whose spread is at most `least` times that of the targets."""
    outputs = np.array([[number(v) for v in flatten(p)[0]] for p in predictions])
    targets = np.array([[number(v) for v in flatten(t)[0]] for t in y])
    if not outputs.size or not np.isfinite(outputs).all() or not np.isfinite(targets).all():
        return
    spread, wanted = float(np.ptp(outputs, axis=0).max()), float(np.ptp(targets, axis=0).max())
    if wanted > 0.0 and spread <= least * wanted:
        report.findings["constant"] = (
            f"the predictions hardly depend on the inputs: they differ by {spread:.2g}, the targets by "
            f"{wanted:.2g}; scale columns and targets to about 1, train longer, or change the learning "
            f"rate"
        )


def check_growth(
    report: Diagnosis, losses: Sequence[float], now: float, optimizer: optim.Optimizer
) -> None:
    """Find a loss that grew; `now` is the loss after the last step, on a subset of the samples."""
    first, rate = losses[0], optimizer.lr
    last = losses[-1] if now <= 2.0 * max(first, losses[-1]) else now
    if not last <= first:
        report.findings["learning rate"] = (
            f"the loss grew from {first:.4g} to {last:.4g}: the learning rate of {rate:g} is too large; "
            f"try {min(rate / 10, 0.01):g}"
        )


def norm_of(layer: nn.Module, gradients: dict[Any, float]) -> float:
    weights = [gradients[p] for p in layer.parameters()]
    return math.hypot(*weights) / math.sqrt(len(weights))


def check_flow(report: Diagnosis, model: nn.Module, gradients: dict[Any, float]) -> None:
    norms = {name: norm_of(layer, gradients) for name, layer in layers_of(model).items()}
    bad = [name for name, norm in norms.items() if not math.isfinite(norm)]
    if bad:
        report.findings["loss"] = (
            f"not all gradients are finite: see {', '.join(bad)}; "
            f"compute them inside detect_anomaly() to see which operation is responsible"
        )
    for name, norm in norms.items():
        report.layers.append(f"{name}: gradient {norm:.2e} (root mean square)")
    if len(norms) < 2 or bad:
        return
    first, *_, last = norms.values()
    weak = [name for name, norm in norms.items() if norm < VANISHING * last]
    if last > 0 and first < VANISHING * last and "dead" not in report.findings:
        report.findings["vanishing"] = (
            f"the gradients of {', '.join(weak)} are less than a thousandth of that of the last layer, "
            f"so these layers hardly learn; try relu or init='xavier', or fewer layers"
        )
    strong = [name for name, norm in norms.items() if norm > EXPLODING * (last or 1e-300)]
    if first > EXPLODING * (last or 1e-300) or max(norms.values()) > 1e6:
        worst = ", ".join(strong) or max(norms, key=lambda name: norms[name])
        report.findings["exploding"] = (
            f"very large gradients in {worst}; use smaller initial weights "
            f"(init='xavier' or 'he') or clip_grad_norm_"
        )


def check_units(report: Diagnosis, model: nn.Module, X: Any) -> None:
    outputs = outputs_of_layers(model, X)
    layers = layers_of(model)
    for name in list(outputs)[:-1]:
        columns = list(zip(*outputs[name], strict=True))
        layer = layers[name]
        if not columns or not isinstance(layer, nn.Layer):  # the layer was not called, or is not watched
            continue
        dead = sum(not any(column) for column in columns) / len(columns)
        if dead >= DEAD and "dead" not in report.findings:
            report.findings["dead"] = (
                f"{dead:.0%} of the units of {name} are 0 for every sample and can no longer learn; "
                f"try init='he', leaky_relu or a smaller learning rate"
            )
        activation = name_of(layer.neurons[0].activation)
        flat = [x for column in columns for x in column]
        full = sum(is_saturated(activation, x) for x in flat) / len(flat)
        if full >= SATURATED and "saturated" not in report.findings:
            report.findings["saturated"] = (
                f"{full:.0%} of the outputs of {name} are close to the limits of {activation}, where it "
                f"is flat; use smaller weights (init='xavier') or scale the inputs"
            )


def is_saturated(activation: str, x: float) -> bool:
    if activation == "tanh":
        return abs(x) > 0.99
    return activation == "sigmoid" and not 0.005 < x < 0.995


def check_zero_grad(report: Diagnosis, held: list[float], fresh: list[float]) -> None:
    """Find gradients that accumulated because zero_grad() was not called."""
    size, one = math.hypot(*held), math.hypot(*fresh)
    if not size or not one:
        return
    alike = math.fsum(a / size * (b / one) for a, b in zip(held, fresh, strict=True))
    # The gradient of the previous step may be larger, but hardly an exact multiple of this one.
    if size > 100 * one or (size > 1.5 * one and alike > 0.9999):
        report.findings["zero_grad"] = (
            f"the parameters hold gradients {size / one:.1f} times as large "
            f"as those of one step: call zero_grad() before each backward()"
        )


def check_rate(report: Diagnosis, gradients: dict[Any, float], optimizer: optim.Optimizer) -> None:
    """Check how far one step would move the parameters, and explain a small move."""
    share = share_moved(gradients, optimizer, optimizer.lr)
    report.layers.append(f"one step moves the parameters by {share:.1e} of their size")
    if share > LARGE_UPDATE:
        report.findings["learning rate"] = (
            f"one step moves the parameters by {share:.0%} of their size: "
            f"the learning rate of {optimizer.lr:g} is too large"
        )
    elif share < SMALL_UPDATE and share_moved(gradients, optimizer, 1.0) < SMALL_GRADIENT:
        report.layers.append("the gradients are tiny: the loss is at a minimum, or on a plateau")
    elif share < SMALL_UPDATE:
        report.findings["learning rate"] = (
            f"one step moves the parameters by only {share:.1e} of their size: "
            f"the learning rate of {optimizer.lr:g} is too small"
        )


def share_moved(gradients: dict[Any, float], optimizer: optim.Optimizer, rate: float) -> float:
    """How far one step with this learning rate moves the parameters, relative to their size."""
    t, hyper = float(optimizer.steps + 1), {**optimizer.hyperparameters, "lr": rate}
    moves, sizes = [], []
    for p, state in zip(optimizer.params, optimizer.state, strict=True):
        new, _ = optimizer.rule(p.data, gradients.get(p, 0.0), state, t, **hyper)
        moves.append(abs(new - p.data))
        sizes.append(abs(p.data))
    return statistics.fmean(moves) / (statistics.fmean(sizes) or 1.0)
