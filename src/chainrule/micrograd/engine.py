"""`micrograd.engine`: the class itself is in the package, so that every name leads to one class."""

from . import Value as Value
