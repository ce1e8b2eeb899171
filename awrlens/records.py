"""``NamedTuple`` without the cost of its annotations.

``typing.NamedTuple`` compiles the annotation of every field when a class is made, which took an
eighth of the time of a single ``awrlens analyze``. Here annotations stay texts. Type checkers see
``typing.NamedTuple``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 - exported
else:
    from collections import namedtuple

    class _Record(type):
        """Makes a named tuple of the body of a class."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            """The named tuple: fields, defaults and methods as in the body."""
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = body.get("__annotations__", {})
            defaults = [body.pop(each) for each in fields if each in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])  # noqa: PYI024
            for key, value in body.items():
                setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_Record):
        """The base of records."""
