"""What is made only when it is used first: properties, patterns, constructors of records.

Also the files next to modules, read without ``pathlib``, which takes long to import.

``NamedTuple`` is ``typing.NamedTuple`` that costs little until many objects are made. The original
compiles the annotations and the constructor of every class: with it, a single ``awrlens analyze``
takes 101 ms of CPU time instead of 89 (15 interleaved pairs). Here annotations stay texts, and
classes with as many fields share one compiled constructor.
Type checkers see ``typing.NamedTuple``.
"""

from __future__ import annotations

import os.path
import re
from typing import TYPE_CHECKING, Any, AnyStr, Generic, Self, TypeVar, cast, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 - exported
else:
    from collections import namedtuple
    from functools import cache
    from types import FunctionType


T = TypeVar("T")


def beside(module: str, file: str) -> str:
    """The text of a file next to a module."""
    path = os.path.join(os.path.dirname(module), file)  # noqa: PTH118, PTH120
    with open(path, encoding="utf-8") as text:  # noqa: PTH123
        return text.read()


def lines_of(module: str, file: str) -> list[str]:
    """The lines of a file next to a module but for blank ones and comments."""
    return [line for line in beside(module, file).split("\n") if line[:1] not in ("", "#")]


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
        for call in ("match", "search", "fullmatch", "finditer", "findall", "sub", "subn", "split"):
            setattr(self, call, getattr(compiled, call))
        return getattr(compiled, name)


def regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern of a module. A command uses few of them, and to compile all would take long."""
    return cast("re.Pattern[AnyStr]", Regex(text, flags))


if not TYPE_CHECKING:
    #: A field's getter knows its position only, so those of one named tuple serve every record.
    _GETTERS = [
        value
        for name, value in vars(namedtuple("At", [f"at_{n}" for n in range(32)])).items()  # noqa: PYI024
        if name.startswith("at_")
    ]
    #: Most letters that a record shows of its fields.
    _WIDEST = 480

    class _Tuple(tuple):
        """What every record can do, as in ``collections.namedtuple``."""

        __slots__ = ()
        # without annotations, which `typing.get_type_hints` would take for fields
        _fields = ()
        _field_defaults = {}  # noqa: RUF012 - never changed

        def __new__(cls, *values: Any, **named: Any) -> Self:  # noqa: ANN401 - any fields
            """Make the constructor, that of others with as many fields, when it is called first."""
            like, names = _made(len(cls._fields)), ("_cls", *cls._fields)
            code = like.__code__.replace(co_varnames=names, co_qualname=f"{cls.__name__}.__new__")
            defaults = tuple(cls._field_defaults.values())
            cls.__new__ = staticmethod(FunctionType(code, like.__globals__, "__new__", defaults))
            return cls.__new__(cls, *values, **named)

        @classmethod
        def _make(cls, values: Iterable[Any]) -> Self:
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **changed: Any) -> Self:  # noqa: ANN401 - any fields
            made = self._make(map(changed.pop, self._fields, self))
            if changed:
                raise ValueError(f"Got unexpected field names: {list(changed)!r}")
            return made

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self) -> str:
            from reprlib import repr as brief

            pairs = zip(self._fields, self, strict=True)
            shown = ", ".join(f"{k}={brief(v)}" for k, v in pairs if v is not None and v != ())
            return f"{type(self).__name__}({shown[:_WIDEST]}{'…' * (len(shown) > _WIDEST)})"

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

    @cache
    def _made(fields: int) -> FunctionType:
        names = "".join(f"at_{n}, " for n in range(fields))
        return eval(f"lambda _cls, {names}: _new(_cls, ({names}))", {"_new": tuple.__new__})  # noqa: S307

    class _Record(type):
        """Makes a record of the body of a class."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            """The record: fields, defaults and methods as in the body."""
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = tuple(body.get("__annotations__", ()))
            body["_field_defaults"] = {field: body[field] for field in fields if field in body}
            body["_fields"] = body["__match_args__"] = fields
            body["__slots__"] = ()
            body.update(zip(fields, _GETTERS[: len(fields)], strict=True))
            return type(name, (_Tuple,), body)

    class NamedTuple(metaclass=_Record):
        """The base of records."""
