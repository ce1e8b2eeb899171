"""Oracle's dates, in all languages of clients, as ISO 8601 without time zone."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from awrlens.lazy import regex
from awrlens.source.encodings import MONTHS

if TYPE_CHECKING:
    from collections.abc import Callable

_ACCENTS = str.maketrans(
    "áàâäãåçčéèêëěíìîïñńóòôöõøřšşúùûüůýžźłğı",
    "aaaaaacceeeeeiiiinnoooooorssuuuuuyzzlgi",
)
_DATE = regex(
    r"(\d{1,2})[-./ ]([^\W\d_]+\.?|\d{1,2}[月월]?) ?[-./ ](\d{4}|\d{2})(?![\d:])"
    r"(?:[ T]+(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?: ?([AaPp])\.? ?[Mm]\b)?)?"
)
_ISO = regex(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?$")
_HALF_DAY: Final = 12
#: The year first, as in East Asia: the day is then last.
_YEAR_FIRST = regex(r"(\d{4})([/.])(\d{1,2})\2(\d{1,2})(?!\d)")
#: Two-digit years below this are 20xx (Oracle's RR format).
_CENTURY: Final = 50
#: Dates before and after these years are invalid, and calculations with them would fail.
_FIRST_YEAR: Final = 1900
_LAST_YEAR: Final = 2199


def parse_datetime(text: str, *, month_first: Callable[[], bool | None] = bool) -> str | None:
    """``20-Ago-12 14:17:21`` as ``2012-08-20T14:17:21``; None when it is not an existing date.

    ``month_first`` is None where nothing in the file decides what ``4/5/2012`` is.
    """
    text = text.strip()
    if text[4:5] == "-" and _ISO.match(text):
        shown = text.replace(" ", "T")
    else:
        turned = _YEAR_FIRST.sub(r"\4-\3-\1", text, count=1)
        match = _DATE.match(turned)
        if match is None:
            return None
        day, month_text, year_text, hour, minute, second, half = match.groups()
        if half and int(hour) <= _HALF_DAY:  # else it is of 24 hours
            hour = str(int(hour) % _HALF_DAY + _HALF_DAY * (half in "Pp"))
        name = month_text.lower().rstrip(".").translate(_ACCENTS)
        month = int(name) if name.isdecimal() else MONTHS.get(name, 0)
        if name.isdecimal() and turned == text and (order := month_first()) is not False:
            if order is None and "/" in match[0] and month != int(day):
                return None
            if order:
                day, month = str(month), int(day)
        year = int(year_text)
        if year < 100:  # noqa: PLR2004 - two digits
            year += 2000 if year < _CENTURY else 1900
        shown = f"{year:04}-{month:02}-{int(day):02}"
        shown += f"T{int(hour):02}:{minute}:{second or '00'}" if hour else ""
    try:
        moment = datetime.fromisoformat(shown)
    except ValueError:  # there is no such month, day or time
        return None
    return shown if _FIRST_YEAR <= moment.year <= _LAST_YEAR else None
