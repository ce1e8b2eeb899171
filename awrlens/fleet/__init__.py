"""What many databases show together; it takes plain rows and knows nothing of stores or output."""

from __future__ import annotations

from typing import Final

from awrlens.fleet import alerts, buying, recovery, settings

#: All thresholds of fleets.
THRESHOLDS: Final = (*alerts.THRESHOLDS, *buying.THRESHOLDS, *settings.THRESHOLDS)

__all__ = ["THRESHOLDS", "alerts", "buying", "recovery", "settings"]
