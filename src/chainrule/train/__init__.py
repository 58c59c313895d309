"""`fit`: the training loop, and its engines: eager, native and JAX."""

from ..nn.losses import LOSSES, loss_named
from .history import History
from .loop import fit
from .metrics import accuracy, r_squared
from .run import NonFiniteLossError

__all__ = ["LOSSES", "History", "NonFiniteLossError", "accuracy", "fit", "loss_named", "r_squared"]
