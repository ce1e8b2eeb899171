"""Quantities in DBA style: three significant digits, and a unit that fits the size."""

from __future__ import annotations

from typing import Final

_MINUTE: Final = 60
_HOUR: Final = 3600
_DAY: Final = 86400
#: Limits for changing to the next larger unit, and for omitting the next smaller one.
_TWO: Final = 2
_TEN: Final = 10
_DIGITS: Final = 3
#: Sizes in bytes, with their names.
_SIZES: Final = ((2**40, "TB"), (2**30, "GB"), (2**20, "MB"), (2**10, "KB"), (1, "B"))
#: Smaller numbers are shown as 0.
_LEAST: Final = 1e-9


def short(value: float) -> str:
    """A number with three significant digits, thousands separated: ``9.3``, ``217``, ``5,480``."""
    if value == 0 or abs(value) < _LEAST:
        return "0"
    if abs(value) >= 10**_DIGITS:
        return f"{value:,.0f}"
    text = f"{value:.{_DIGITS}g}"
    if "e+" in text:  # rounded up to a thousand
        return f"{value:,.0f}"
    if "e" in text:
        text = f"{value:.{_DIGITS + 5}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(value: float) -> str:
    """A share: whole per cent from 10, one decimal below, ``< 0.1 %`` for tiny shares."""
    if value >= _TEN:
        return f"{value:.0f} %"
    if 0 < value < 0.1:  # noqa: PLR2004 - less than one decimal shows
        return "< 0.1 %"
    return f"{value:.1f}".removesuffix(".0") + " %"


def size(value: float, suffix: str = "") -> str:
    """Bytes in the largest unit that gives at least 1: ``1.92 MB``."""
    factor, name = next((each for each in _SIZES if abs(value) >= each[0]), _SIZES[-1])
    return f"{short(value / factor)} {name}{suffix}"


def seconds(value: float) -> str:
    """Seconds of a recovery, to be compared with each other: ``141 s``, ``2.4 s``, ``90 ms``."""
    return f"{short(value * 1000)} ms" if 0 < value < 1 else f"{short(value)} s"


def duration(passed: float) -> str:
    """A length of time: ``1.7 ms``, ``17 s``, ``1 h 02 min``, ``6 d 4 h``, ``765 d``."""
    if 0 < passed < 1:
        return f"{short(passed * 1000)} ms"
    if passed < _TWO * _MINUTE:
        return f"{short(passed)} s"
    minutes = round(passed / _MINUTE)
    if minutes < _MINUTE:
        return f"{minutes} min"
    if passed < _TWO * _DAY:
        hours, rest = divmod(minutes, _MINUTE)
        return f"{hours} h {rest:02} min" if rest else f"{hours} h"
    hours = round(passed / _HOUR)
    days, rest = divmod(hours, _DAY // _HOUR)
    return f"{days} d {rest} h" if rest and days < _TEN else f"{days:,} d"


#: Units of a rate, and their suffixes.
_RATES: Final = {"1/s": "/s", "1/h": "/h", "1/txn": "/transaction"}


def counted(value: float, unit: str, of: str) -> str:
    """A number in a phrase with a placeholder: ``39 commits/s``."""
    if unit in _RATES:
        return of.format(short(value)) + _RATES[unit]
    return of.format(in_unit(value, unit))


def in_unit(value: float, unit: str) -> str:
    """A fact's value with a readable unit."""
    if unit == "%":
        return percent(value)
    if unit == "s":
        return duration(value)
    if unit == "min":
        return duration(value * _MINUTE)
    if unit in ("B", "B/s"):
        return size(value, unit[1:])
    if unit == "MB":
        return size(value * 2**20)
    if unit in _RATES:
        return f"{short(value)}{_RATES[unit]}"
    return f"{short(value)} {unit}" if unit not in ("count", "ratio") else short(value)
