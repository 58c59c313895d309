"""`micrograd.nn`: the classes themselves are in the package, so that every name leads to one class."""

from chainrule.micrograd import MLP as MLP
from chainrule.micrograd import Layer as Layer
from chainrule.micrograd import Module as Module
from chainrule.micrograd import Neuron as Neuron
from chainrule.micrograd import Value as Value
