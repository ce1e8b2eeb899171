"""The JSON document of CONTRACT section 1."""

from __future__ import annotations

import json
from typing import Any


def document(data: Any, *, compact: bool = False) -> str:  # noqa: ANN401 - any plain data
    """Plain data as JSON text; ``compact`` puts it on one line."""
    if compact:
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return json.dumps(data, ensure_ascii=False, indent=2)
