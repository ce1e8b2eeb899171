"""Suggestions for mistyped names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def name(text: str, known: Iterable[str]) -> str:
    """The known name that is most similar; empty if none is."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for a mistake

    return next(iter(get_close_matches(text, list(known), n=1)), "")


def hint(text: str, known: Iterable[str], rest: str = "") -> str:
    """``Did you mean X?`` if a known name is similar, followed by ``rest``."""
    near = name(text, known)
    return " ".join(filter(None, (f"Did you mean {near}?" if near else "", rest)))


def either(text: str, known: Iterable[str], rest: str) -> str:
    """``Did you mean X?`` if a known name is similar, otherwise ``rest``."""
    return hint(text, known) or rest
