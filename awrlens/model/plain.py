"""Records as plain data for JSON documents."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any


def plain(value: object) -> Any:  # noqa: ANN401 - plain data of any kind
    """Records as dictionaries, sequences as lists, times in ISO 8601; all at any depth."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(each) for name, each in value._asdict().items()}
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    return value.isoformat() if isinstance(value, datetime) else value
