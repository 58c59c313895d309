"""`micrograd.engine`: re-exports the class from the package, so that every name refers to one class."""

from . import Value as Value
