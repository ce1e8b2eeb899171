"""Dates as Oracle prints them, to ISO 8601 without time zone."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from awrlens.lazy import regex

#: Month abbreviations in Oracle's languages, without accents and dots, and their numbers.
#: Source: the month names of Oracle's NLS_DATE_LANGUAGE settings.
_MONTHS: Final[dict[str, int]] = {
    name: number
    for number, names in enumerate(
        (
            "jan janv gen ene sty led oca tammi ian i january янв 1月 1월",
            "feb fev fevr lut uno sub helmi febr ii february фев 2月 2월",
            "mar mars mrz maer marz mac bre maa maalis mart iii march мар 3月 3월",
            "apr avr abr kwi dub nis huhti iv april апр 4月 4월",
            "may mai mag maj mei kve touko v maio май мая 5月 5월",
            "jun juin giu cze cer haz kesa iun vi june июн 6月 6월",
            "jul juil lug lip cvc tem heina iul vii july июл 7月 7월",
            "aug aou aout ago sie srp agu elo viii august авг 8月 8월",
            "sep sept set wrz zar eyl syys ix september сен 9月 9월",
            "oct out ott okt paz rij eki loka x october окт 10月 10월",
            "nov lis kas marras noi xi november ноя 11月 11월",
            "dec dez dic des gru pro ara joulu xii december дек 12月 12월",
        ),
        start=1,
    )
    for name in names.split()
}
_ACCENTS = str.maketrans(
    "áàâäãåçčéèêëěíìîïñńóòôöõøřšşúùûüůýžźłğı",
    "aaaaaacceeeeeiiiinnoooooorssuuuuuyzzlgi",
)
_DATE = regex(
    r"(\d{1,2})[-./ ]([^\W\d_]+\.?|\d{1,2}[月월]?) ?[-./ ](\d{4}|\d{2})(?![\d:])"
    r"(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?"
)
_ISO = regex(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?$")
#: Two-digit years below this are 20xx (Oracle's RR format).
_CENTURY: Final = 50
#: Dates before and after these years are invalid, and calculations with them would fail.
_FIRST_YEAR: Final = 1900
_LAST_YEAR: Final = 2199


def _moment(text: str) -> str | None:
    """A date in ISO format; None if the day or time does not exist."""
    try:
        year = datetime.fromisoformat(text).year
    except ValueError:
        return None
    return text if _FIRST_YEAR <= year <= _LAST_YEAR else None


def parse_datetime(text: str) -> str | None:
    """``20-Ago-12 14:17:21`` as ``2012-08-20T14:17:21``; None when it is not a date.

    A date needs an existing day, a known month name and a year.
    """
    text = text.strip()
    if _ISO.match(text):
        return _moment(text.replace(" ", "T"))
    match = _DATE.match(text)
    if match is None:
        return None
    day, month_text, year_text, hour, minute, second = match.groups()
    name = month_text.lower().rstrip(".").translate(_ACCENTS)
    month = int(name) if name.isdecimal() else _MONTHS.get(name)
    if month is None:
        return None
    year = int(year_text)
    if year < 100:  # noqa: PLR2004 - two digits
        year += 2000 if year < _CENTURY else 1900
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        return None
    try:
        moment = datetime(  # noqa: DTZ001 - a report carries no zone
            year, month, int(day), int(hour or 0), int(minute or 0), int(second or 0)
        )
    except ValueError:
        return None
    return moment.isoformat() if hour else moment.date().isoformat()
