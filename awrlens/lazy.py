"""Properties and patterns that are made on first use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, AnyStr, Generic, Self, TypeVar, cast, overload

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


class Regex:
    """A pattern that is compiled when it is used first."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self.pattern = text
        self._flags = flags

    def compiled(self) -> re.Pattern[Any]:
        """The pattern itself."""
        return re.compile(self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - what the pattern has
        if name.startswith("__"):
            raise AttributeError(name)
        # the compiled pattern is kept by its methods: later uses are as fast as its own
        compiled = self.compiled()
        for each in ("match", "search", "fullmatch", "finditer", "findall", "sub", "subn", "split"):
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)


def regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern of a module. A command uses few of them, and to compile all would take long."""
    return cast("re.Pattern[AnyStr]", Regex(text, flags))
