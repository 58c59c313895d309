"""`cached_property` without a lock.

Before Python 3.12, that of functools has one for all objects of a class. A fork while another thread
computes such a property would leave it locked in the child.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class cached_property(Generic[T]):
    """A property that is computed once for each object. Two threads may both compute it."""

    def __init__(self, function: Callable[[Any], T]) -> None:
        self.function = function
        self.name: str = function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...
    def __get__(self, instance: object, owner: type | None = None) -> Self | T:
        if instance is None:
            return self
        result = vars(instance)[self.name] = self.function(instance)
        return result
