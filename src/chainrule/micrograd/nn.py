"""`micrograd.nn`: the classes themselves are in the package, so that every name leads to one class."""

from . import MLP as MLP
from . import Layer as Layer
from . import Module as Module
from . import Neuron as Neuron
from . import Value as Value
