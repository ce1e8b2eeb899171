"""Time stamps of SQL Server and its tools, in the format of any language.

The error log itself has ``2017-03-01 12:34:56.78`` in every language. Exports of the log viewer, of
a query or of Extended Events use the format of the exporting machine. The order of day and month is
determined once per file, not per time stamp.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final, Literal

from awrlens.lazy import regex
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Words for the halves of the day, before or after the time.
_MORNING: Final = ("am", "a.m.", "上午", "午前", "오전", "πμ", "ق.ظ", "ص")
_EVENING: Final = ("pm", "p.m.", "下午", "午後", "오후", "μμ", "ب.ظ", "م")
_HALVES: Final = "|".join(re.escape(word) for word in (*_MORNING, *_EVENING))
_TIME: Final = (
    rf"(?P<before>{_HALVES})?\ ?(?P<hour>\d{{1,2}})[:.](?P<minute>\d\d)[:.](?P<second>\d\d)"
    rf"(?:[.,](?P<fraction>\d{{1,9}}))?(?:\ ?(?P<after>{_HALVES})(?![\w]))?"
    r"(?:\ ?(?P<zone>Z\b|[+-]\d\d:?\d\d))?"
)
STAMP: Final = regex(
    r"(?P<a>\d{1,4})(?P<sign>[-./])\ ?(?P<b>\d{1,2})(?P=sign)\ ?(?P<c>\d{1,4})\.?(?:,?\ +|T)"
    + _TIME,
    re.I,
)
_YEAR_DIGITS: Final = 4
_NOON: Final = 12
_CENTURY: Final = 2000
#: Earlier years are invalid.
_FIRST_YEAR: Final = 1900

Order = Literal["day", "month"]


class Reader(NamedTuple):
    """How to read the time stamps of one file: whether day or month comes first."""

    order: Order = "day"
    #: Day and month cannot be distinguished in this file.
    ambiguous: bool = False

    def time(self, match: re.Match[str]) -> datetime | None:
        """The time of a stamp, in UTC if it has a zone; None if it is invalid (32.13.2019)."""
        first, second, third = (int(match[part]) for part in "abc")
        if len(match["a"]) == _YEAR_DIGITS:
            year, month, day = first, second, third
        else:
            day, month = (first, second) if self.order == "day" else (second, first)
            year = third if len(match["c"]) == _YEAR_DIGITS else third + _CENTURY
        if year < _FIRST_YEAR:
            return None
        hour = int(match["hour"])
        half = (match["before"] or match["after"] or "").lower()
        if half in _EVENING and hour < _NOON:
            hour += _NOON
        elif half in _MORNING and hour == _NOON:
            hour = 0
        micros = int((match["fraction"] or "0").ljust(6, "0")[:6])
        try:
            time = datetime(  # noqa: DTZ001 - a log carries no zone
                year, month, day, hour, int(match["minute"]), int(match["second"]), micros
            )
            return _without_zone(time, match["zone"])
        except (ValueError, OverflowError):
            return None


def _without_zone(time: datetime, zone: str | None) -> datetime:
    if not zone or zone.upper() == "Z":
        return time
    digits = zone[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    local = time.replace(tzinfo=timezone(offset if zone[0] == "+" else -offset))
    return local.astimezone(UTC).replace(tzinfo=None)


def reader_of(stamps: Iterable[re.Match[str]]) -> Reader:
    """How to read the time stamps of a file, determined from all of them."""
    order: Order | None = None
    english = False
    numeric = False
    for match in stamps:
        if len(match["a"]) == _YEAR_DIGITS:
            continue
        numeric = True
        if int(match["a"]) > _NOON or match["sign"] == ".":
            order = "day"
        elif int(match["b"]) > _NOON:
            order = "month"
        english = english or bool(match["before"] or match["after"])
        if order is not None:
            return Reader(order)
    # a twelve-hour clock with slashes is usually American
    return Reader("month" if english else "day", ambiguous=numeric)
