"""Texts of reports and budgets: patterns, and times in ISO 8601 without time zone."""

from __future__ import annotations

from datetime import datetime


def moment(text: str) -> datetime | None:
    """The time in a text; None if there is none, or one with a time zone."""
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return None if found.tzinfo else found


def like(text: str, pattern: str) -> bool:
    """Case-insensitive LIKE of SQL: ``%`` is any text, ``_`` any character.

    Every part between two ``%`` matches at its first position, which bounds the run time.
    """
    text, pattern = text.lower(), pattern.lower()
    first, *others = pattern.split("%")
    if not others:
        return len(text) == len(first) and _fits(text, first, 0)
    *middle, last = others
    if len(text) < len(first) + len(last) or not _fits(text, first, 0):
        return False
    end = len(text) - len(last)
    if not _fits(text, last, end):
        return False
    at = len(first)
    for part in middle:
        found = next((n for n in range(at, end - len(part) + 1) if _fits(text, part, n)), None)
        if found is None:
            return False
        at = found + len(part)
    return True


def _fits(text: str, part: str, at: int) -> bool:
    piece = text[at : at + len(part)]
    return len(piece) == len(part) and all(
        wanted in ("_", letter) for wanted, letter in zip(part, piece, strict=True)
    )
