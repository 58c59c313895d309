"""Losses, with the names, argument order and arithmetic of torch.nn.functional.

Predictions and targets are single values, or (nested) lists of the same shape. All losses are
numerically stable for any logits.
"""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable
from typing import Any, Literal, get_args

from .. import functional as F
from ..support.arrays import is_sequence
from ..support.ieee import as_float
from ..support.tree import flatten, unflatten
from ..value import Value, modes

Reduction = Literal["mean", "sum", "none"]


def _check_reduction(reduction: str) -> None:
    if reduction not in get_args(Reduction):
        raise ValueError(f"reduction must be 'mean', 'sum' or 'none', got {reduction!r}")


def _is_single(x: Any) -> bool:
    return not hasattr(x, "__len__") or getattr(x, "shape", None) == ()


def _shape(x: Any) -> str:
    """The nested lengths as text, without lengths of 1."""
    if _is_single(x) or not is_sequence(x):
        return ""
    inner = {_shape(item) for item in x}
    size = "" if len(x) == 1 else f"{len(x)},"
    return size + "|".join(sorted(inner))


def _reduce(losses: list[Any], reduction: str) -> Any:
    if reduction == "mean":
        return F.mean(losses)
    if reduction == "sum":
        return F.sum(losses)
    return losses


def _mismatch(input: Any, target: Any, outputs: int, targets: int) -> str:
    """The error message for a model with more or fewer outputs than targets."""
    text = "the loss needs as many targets as outputs, got"
    if _is_single(input) or _is_single(target) or len(input) != len(target):
        return f"{text} {targets} and {outputs}"
    wide, high = ({len(flatten(row)[0]) for row in rows} for rows in (input, target))
    if len(wide) != 1 or len(high) != 1:
        return f"{text} {targets} and {outputs}"
    (outputs,), (targets,) = wide, high
    return (
        f"{text} {targets} and {outputs} for each sample: end the model in a layer of {targets}, "
        f"or pass a y with {outputs} for each sample"
    )


def _elementwise(loss: Callable[[Any, Any], Any], input: Any, target: Any, reduction: str) -> Any:
    _check_reduction(reduction)
    inputs, like_input = flatten(input)
    targets, _ = flatten(target)
    if len(inputs) != len(targets):
        raise ValueError(_mismatch(input, target, len(inputs), len(targets)))
    if not inputs:
        raise ValueError("the loss needs at least one input, got none")
    if _shape(input) != _shape(target):
        raise ValueError("the loss needs inputs and targets of the same shape")
    try:
        losses = [loss(x, y) for x, y in zip(inputs, targets, strict=True)]
    except TypeError:
        _check_numbers(targets)
        raise
    return unflatten(like_input, losses) if reduction == "none" else _reduce(losses, reduction)


def _check_numbers(targets: list[Any]) -> None:
    for y in targets:
        try:
            _check_target(y, lambda _: True, "")
        except TypeError:
            shown = f"{str(y)!r}: write classes as 0, 1, 2" if isinstance(y, str) else repr(y)
            raise TypeError(f"a target must be a number, got {shown}") from None


def _check_target(y: Any, is_sound: Callable[[Any], Any], needs: str) -> None:
    """Raise for an invalid number. A Value may stand for all samples' targets: see `check_targets`."""
    if not isinstance(y, Value) and not is_sound(as_float(y)):
        raise ValueError(f"{needs}, got {as_float(y)}")


def mse_loss(input: Any, target: Any, *, reduction: Reduction = "mean") -> Any:
    """(x - y)²."""
    return _elementwise(lambda x, y: (x - y) ** 2, input, target, reduction)


def l1_loss(input: Any, target: Any, *, reduction: Reduction = "mean") -> Any:
    """|x - y|."""
    return _elementwise(lambda x, y: F.abs(x - y), input, target, reduction)


def huber_loss(input: Any, target: Any, reduction: Reduction = "mean", delta: float = 1.0) -> Any:
    """½ (x - y)² where |x - y| < delta, and delta (|x - y| - ½ delta) elsewhere."""
    if not delta > 0:
        raise ValueError(f"delta must be positive, got {delta}")

    def loss(x: Any, y: Any) -> Any:
        distance = F.abs(x - y)
        near = 0.5 * (x - y) * (x - y)
        return F.where(F.less(distance, delta), near, delta * (distance - 0.5 * delta))

    return _elementwise(loss, input, target, reduction)


def _is_sign(y: Any) -> Any:
    """Whether y is -1 or 1, for a number or each number of an array."""
    return abs(y) == 1.0


def hinge_loss(input: Any, target: Any, *, reduction: Reduction = "mean") -> Any:
    """max(0, 1 - x y) for targets -1 and 1."""

    def loss(x: Any, y: Any) -> Any:
        _check_target(y, _is_sign, "the hinge loss needs targets -1 and 1")
        return F.relu(1 - x * y)

    return _elementwise(loss, input, target, reduction)


def _is_share(y: Any) -> Any:
    """Whether y is from 0 to 1, for a number or each number of an array."""
    return (y >= 0.0) & (y <= 1.0)


def _check_share(y: Any) -> None:
    _check_target(y, _is_share, "the binary cross-entropy needs targets from 0 to 1")


def _check_probability(x: Any) -> None:
    """Raise for a raw score. NaN passes."""
    number = x.data if isinstance(x, Value) else as_float(x)
    if number < 0.0 or number > 1.0:
        raise ValueError(
            f"binary_cross_entropy needs probabilities from 0 to 1, got {number:.6g}: end the model "
            f"in a sigmoid, or use binary_cross_entropy_with_logits for scores"
        )


def binary_cross_entropy(input: Any, target: Any, *, reduction: Reduction = "mean") -> Any:
    """-(y log x + (1 - y) log(1 - x)) for probabilities x; logs are clamped at -100, as in PyTorch."""
    tracing = modes().tracing  # numbers must not be read while tracing

    def log(x: Any) -> Any:
        return F.where(F.less(F.log(x), -100.0), -100.0, F.log(x))

    def loss(x: Any, y: Any) -> Any:
        _check_share(y)
        if not tracing:
            _check_probability(x)
        return -(y * log(x) + (1 - y) * log(1 - x))

    return _elementwise(loss, input, target, reduction)


def binary_cross_entropy_with_logits(input: Any, target: Any, *, reduction: Reduction = "mean") -> Any:
    """The binary cross-entropy of sigmoid(x), accurate for any x."""

    def loss(x: Any, y: Any) -> Any:
        _check_share(y)
        return y * F.softplus(-x) + (1 - y) * F.softplus(x)

    return _elementwise(loss, input, target, reduction)


def _classes(input: Any, target: Any) -> list[tuple[Any, Any]]:
    """Pairs of a row of scores and a class, for one sample or several."""
    rows, targets = ([input], [target]) if _is_single(target) else (list(input), list(target))
    if len(rows) != len(targets):
        raise ValueError(f"the loss needs a class for each of {len(rows)} rows, got {len(targets)}")
    if not rows:
        raise ValueError("the loss needs at least one row, got none")
    pairs = []
    for row, cls in zip(rows, targets, strict=True):
        index = cls if isinstance(cls, Value) else _class_index(cls)
        if not hasattr(row, "__len__"):
            raise TypeError("the loss needs a row of scores, one for each class, got a single score")
        if not isinstance(index, Value) and not 0 <= index < len(row):
            raise ValueError(f"class {index} is out of range for {len(row)} scores")
        pairs.append((row, index))
    return pairs


def _class_index(cls: Any) -> int:
    if isinstance(cls, numbers.Real) and float(cls).is_integer():
        return int(float(cls))
    try:
        return operator.index(cls)
    except TypeError:
        raise TypeError(f"a class must be an integer, got {cls!r}") from None


def cross_entropy(input: Any, target: Any, *, reduction: Reduction = "mean") -> Any:
    """-log softmax(logits)[class], for one row of logits and its class, or for lists of both."""
    _check_reduction(reduction)
    losses = [F.logsumexp(row) - F.take(row, index) for row, index in _classes(input, target)]
    return losses[0] if _is_single(target) else _reduce(losses, reduction)


def nll_loss(input: Any, target: Any, *, reduction: Reduction = "mean") -> Any:
    """-x[class] for log-probabilities x."""
    _check_reduction(reduction)
    losses = [-F.take(row, index) for row, index in _classes(input, target)]
    return losses[0] if _is_single(target) else _reduce(losses, reduction)


# --- losses by name ------------------------------------------------------------------------------

# fmt: off
LossName = Literal[
    "mse", "mse_loss", "l1", "l1_loss", "huber", "huber_loss", "hinge", "hinge_loss",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "nll", "nll_loss",
]
# fmt: on
NAMES: tuple[str, ...] = get_args(LossName)


def short_name(loss: str) -> str:
    """The name of a loss without "_loss"; an unknown name is returned unchanged."""
    return loss.removesuffix("_loss") if loss in NAMES else loss


LOSSES: dict[str, Callable[..., Any]] = {
    short_name(name): globals()[name] for name in NAMES if name in globals()
}


def loss_named(loss: str | Callable[..., Any]) -> Callable[..., Any]:
    """Look up a loss by name; return a function unchanged."""
    if callable(loss):
        return loss
    if not isinstance(loss, str):
        raise TypeError(
            f"the loss must be a name such as 'mse', or a function, got {type(loss).__name__}: "
            f"call fit(model, loss, X, y)"
        )
    if short_name(loss) not in LOSSES:
        raise ValueError(f"unknown loss {loss!r}; expected a function or one of: {', '.join(LOSSES)}")
    return LOSSES[short_name(loss)]


# --- targets that a compiled loss does not see ---------------------------------------------------

AT_ONCE = 2**16  # samples checked at once: an array may be a file larger than memory

# For each loss: whether an array of targets is valid for a model that gives this output for a sample.
_VALID: dict[Callable[..., Any], Callable[[Any, Any], Any]] = {
    **dict.fromkeys((mse_loss, l1_loss, huber_loss), lambda y, output: True),
    hinge_loss: lambda y, output: _is_sign(y),
    **dict.fromkeys(
        (binary_cross_entropy, binary_cross_entropy_with_logits), lambda y, output: _is_share(y)
    ),
    **dict.fromkeys(
        (cross_entropy, nll_loss),
        lambda y, output: (y >= 0) & (y < len(output)) & (y.round() == y),
    ),
}


def check_targets(loss: Callable[..., Any], output: Any, targets: Any) -> None:
    """Raise the error, if any, that a loss raises for the targets of many samples.

    A compiled loss cannot raise that error: its targets are Values that stand for the targets of all
    samples. `output` is the model's output for one sample. Losses not defined here are not checked.
    """
    import numpy as np

    valid = next((valid for known, valid in _VALID.items() if known is loss), None)
    if valid is None:
        return
    for start in range(0, len(targets), AT_ONCE):
        part = targets[start : start + AT_ONCE]
        try:
            numbers = np.asarray(part)
            sound = numbers.dtype.kind in "biuf" and np.all(valid(numbers, output))
        except ValueError:  # ragged
            sound = False
        if not sound:
            loss([output] * len(part), list(part))
