"""Optimisers, schedules and gradient clipping, with PyTorch's names and arithmetic."""

from .optimizers import SGD, Adagrad, Adam, AdamW, Optimizer, RMSprop, clip_grad_norm_, clip_grad_value_
from .schedules import CosineAnnealingLR, LinearLR, StepLR

# fmt: off
__all__ = [
    "SGD", "Adagrad", "Adam", "AdamW", "CosineAnnealingLR", "LinearLR", "Optimizer", "RMSprop",
    "StepLR", "clip_grad_norm_", "clip_grad_value_",
]
# fmt: on
