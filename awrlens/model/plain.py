"""Records as plain data. The fields of a record are its document, and its schema is made of them.

The annotation of a field says what differs: ``Aside`` is not in documents, ``InPlace`` is a record
whose fields are there instead, ``IfAny`` is left out if it is None, ``Rounded2`` is rounded to so
many digits, and a property that returns ``Shown`` follows the fields. Annotations stay texts; these
words are looked for in them when the first record of a class is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Final, TypeVar

_Of = TypeVar("_Of")
#: In the schema, a field with the first is not there, and one with the second may be missing.
ASIDE: Final = frozenset(("aside",))
IF_ANY: Final = frozenset(("if any",))
IN_PLACE: Final = frozenset(("in place",))
Aside = Annotated[_Of, ASIDE]
IfAny = Annotated[_Of, IF_ANY]
InPlace = Annotated[_Of, IN_PLACE]
Shown = Annotated[_Of, frozenset(("shown",))]
Rounded0 = float
Rounded1 = float
Rounded2 = float
Rounded3 = float
Rounded4 = float


def hints(record: type) -> dict[str, str]:
    """The annotations of what a document has of a record, as texts."""
    fields = {
        n: hint for n, hint in record.__annotations__.items() if not hint.startswith("Aside[")
    }
    getters = {n: member.fget for n, member in vars(record).items() if isinstance(member, property)}
    returned = {n: str(get.__annotations__.get("return")) for n, get in getters.items()}
    return fields | {n: hint for n, hint in returned.items() if hint.startswith("Shown[")}


@cache
def _plan(record: type) -> list[tuple[str, int | None, bool, bool]]:
    """What a document has of a record: name, digits, whether it may be missing, or is in place."""
    return [
        (name, int(digits[0]) if digits else None, hint.startswith("IfAny["),
         hint.startswith("InPlace["))
        for name, hint in hints(record).items()
        for digits in (hint.partition("Rounded")[2],)
    ]  # fmt: skip


_AS_IT_IS: Final = frozenset((str, float, int, bool, type(None)))


def plain(value: object) -> Any:  # noqa: ANN401 - plain data of any kind
    """Records as dictionaries, tuples as lists, times in ISO 8601, or their own ``to_dict``."""
    if type(value) in _AS_IT_IS:
        return value
    if (own := getattr(value, "to_dict", None)) is not None:
        return own()
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return fields(value)
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    return value.isoformat() if isinstance(value, datetime) else value


def fields(record: tuple[Any, ...], **instead: Any) -> dict[str, Any]:  # noqa: ANN401 - as in plain
    """The fields of a record as plain data; ``instead`` has other values of some."""
    data = {}
    for name, digits, if_any, in_place in _plan(type(record)):
        value = instead[name] if name in instead else getattr(record, name)
        if type(value) in _AS_IT_IS and digits is None:  # most are
            if value is not None or not if_any:
                data[name] = value
        elif in_place:
            data |= fields(value)
        elif value is not None or not if_any:
            rounds = digits is not None and value is not None
            data[name] = round(value, digits) if rounds else plain(value)
    return data
