"""`micrograd.nn`: re-exports the classes from the package, so that every name refers to one class."""

from . import MLP as MLP
from . import Layer as Layer
from . import Module as Module
from . import Neuron as Neuron
from . import Value as Value
