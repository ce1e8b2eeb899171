"""A property that is computed on first use and then kept by its object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable


T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801 - it is used like ``property``
    """A property computed on first use.

    ``functools.cached_property`` of Python 3.11 takes a lock for every one; no object here is
    shared between threads.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, of: None, owner: type[object]) -> Self: ...

    @overload
    def __get__(self, of: object, owner: type[object]) -> T: ...

    def __get__(self, of: object | None, owner: type[object]) -> T | Self:
        """The value, which the object keeps under the property's name."""
        if of is None:
            return self
        value = of.__dict__[self._name] = self._make(of)
        return value
