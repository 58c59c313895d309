"""Networks and losses, with PyTorch's names where PyTorch has an equivalent."""

from .activations import activation_named
from .layers import MLP, Layer, Network, Neuron
from .losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    hinge_loss,
    huber_loss,
    l1_loss,
    mse_loss,
    nll_loss,
)
from .module import Module, Sequential
from .recurrent import GRUCell, LSTMCell, RNNCell
from .vectors import Dropout, Embedding, LayerNorm, Linear

# fmt: off
__all__ = [
    "MLP", "Dropout", "Embedding", "GRUCell", "LSTMCell", "Layer", "LayerNorm", "Linear", "Module",
    "Network", "Neuron", "RNNCell", "Sequential", "activation_named", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "cross_entropy", "hinge_loss", "huber_loss", "l1_loss",
    "mse_loss", "nll_loss",
]
# fmt: on
