"""Suggestions for mistyped names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def hint(text: str, known: Iterable[str], rest: str = "") -> str:
    """``Did you mean X? `` if a known name is similar, followed by ``rest``."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for a mistake

    near = get_close_matches(text, list(known), n=1)
    return (f"Did you mean {near[0]}? " if near else "") + rest
