"""`micrograd.nn`: re-exports the classes from the package, so that every name refers to one class."""

from . import MLP, Layer, Module, Neuron, Value

__all__ = ["MLP", "Layer", "Module", "Neuron", "Value"]
