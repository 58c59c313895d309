"""`fit`: the training loop, and its engines: eager, native and JAX."""

from .engines import LOSSES
from .history import History
from .loop import fit, loss_named
from .metrics import accuracy
from .run import NonFiniteLossError

__all__ = ["LOSSES", "History", "NonFiniteLossError", "accuracy", "fit", "loss_named"]
