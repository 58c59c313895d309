"""`fit`: the training loop, and one engine for each way to compute."""

from .engines import LOSSES as LOSSES
from .history import History as History
from .loop import fit as fit
from .loop import loss_named as loss_named
from .metrics import accuracy as accuracy
from .run import NonFiniteLossError as NonFiniteLossError

__all__ = ["LOSSES", "History", "NonFiniteLossError", "accuracy", "fit", "loss_named"]
