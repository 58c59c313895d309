"""`History`: a record of a training run, epoch by epoch, to print, plot and display."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class History:
    """The record of a training run. Every list has one number per epoch."""

    losses: list[float] = field(default_factory=list)
    validation_losses: list[float] = field(default_factory=list)
    metrics: dict[str, list[float]] = field(default_factory=dict)
    learning_rates: list[float] = field(default_factory=list)
    gradient_norms: dict[str, list[float]] = field(default_factory=dict)  # per layer
    dead_units: list[float] = field(default_factory=list)  # fraction of units that are 0 for all samples
    seconds: float = 0.0
    best_epoch: int = 0
    stopped: str = ""  # why training stopped early, if it did
    engine: str = ""  # the engine that trained: eager, native or jax
    reason: str = ""  # why engine="auto" used no native code, or used it for training only

    @property
    def epochs(self) -> int:
        return len(self.losses)

    def curves(self) -> dict[str, list[float]]:
        """Every non-empty list of losses or metrics, by its name in a plot."""
        named = {"loss": self.losses, "validation loss": self.validation_losses, **self.metrics}
        return {name: numbers for name, numbers in named.items() if numbers}

    def __str__(self) -> str:
        if not self.losses:
            return "History: no epoch was completed" + (f"; {self.stopped}" if self.stopped else "")
        text = f"{self.epochs} epochs in {self.seconds:.2f} s"
        text += f", loss {self.losses[0]:.6g} -> {self.losses[-1]:.6g}"
        if self.validation_losses:
            best = min(self.validation_losses)
            text += f", best validation loss {best:.6g} in epoch {self.best_epoch}"
        for name, numbers in self.metrics.items():
            text += f", {name} {numbers[-1]:.4g}"
        if self.engine:
            text += f", engine {self.engine}" + (f" ({self.reason})" if self.reason else "")
        return f"{text}; {self.stopped}" if self.stopped else text

    __repr__ = __str__

    def plot(self, path: str | Path | None = None) -> Any:
        """Plot losses, metrics and gradient norms with matplotlib; save the plot if a path is given."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise ImportError("plotting needs matplotlib: pip install 'chainrule[plot]'") from None
        figure = Figure(figsize=(10, 4), layout="constrained")
        left, right = figure.subplots(1, 2)
        for name, numbers in self.curves().items():
            left.plot(range(1, len(numbers) + 1), numbers, label=name)
        for name, numbers in self.gradient_norms.items():
            right.plot(range(1, len(numbers) + 1), numbers, label=name)
        left.set(title="training", xlabel="epoch")
        right.set(title="gradient norm of each layer", xlabel="epoch", yscale="log")
        for axes in (left, right):
            if axes.lines:
                axes.legend()
        if path is not None:
            figure.savefig(path)
        return figure

    def _repr_html_(self) -> str:
        """The loss curves as a small plot for notebooks, without any library."""
        curves = {name: numbers for name, numbers in self.curves().items() if "loss" in name}
        numbers = [x for curve in curves.values() for x in curve if math.isfinite(x)]
        if not numbers:
            return f"<p>{self}</p>"
        low, span = min(numbers), (max(numbers) - min(numbers)) or 1.0
        lines = []
        for color, (name, curve) in zip(("#0969da", "#b3261e"), curves.items(), strict=False):
            step = 380 / max(1, len(curve) - 1)
            points = " ".join(
                f"{10 + step * i:.1f},{130 - 120 * (x - low) / span:.1f}"
                for i, x in enumerate(curve)
                if math.isfinite(x)
            )
            line = f'<polyline points="{points}" fill="none" stroke="{color}">'
            lines.append(f"{line}<title>{name}</title></polyline>")
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 140" width="400" role="img" '
            f'aria-label="loss curves">{"".join(lines)}</svg><p>{self}</p>'
        )
