"""Reports that arrive in folders: read when they are complete, new alerts printed once.

What was printed is kept with the data, so that a restart prints nothing again. An alert that has
ended is forgotten: if it comes back, it is new.
"""

from __future__ import annotations

import json
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from awrlens.fleet import sources
from awrlens.fleet.overview import fleet
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from awrlens.fleet.folder import Place
    from awrlens.fleet.index import Store
    from awrlens.fleet.records import Alert, Database
    from awrlens.fleet.sources import Found
    from awrlens.policy import Policy


_PRINTED: Final = "printed.json"
#: Names of files that are still being copied or written.
_UNFINISHED: Final = (".part", ".tmp", ".filepart", ".crdownload", ".swp")


class News(NamedTuple):
    """An alert that was not printed yet."""

    who: Database
    alert: Alert


class Arrivals:
    """Files that have not changed between two looks at the folders."""

    def __init__(self, folders: Sequence[str], exclude: Sequence[Path]) -> None:
        self._folders = folders
        self._exclude = exclude
        self._seen: dict[str, tuple[int | None, str | None]] = {}

    def complete(self) -> list[Found]:
        """The files that are as they were at the last look; empty files are still being written."""
        found = list(self._listed())
        before, self._seen = self._seen, {each.path: (each.size, each.stamp) for each in found}
        return [each for each in found if each.size and before.get(each.path) == self._now(each)]

    def _now(self, each: Found) -> tuple[int | None, str | None]:
        return each.size, each.stamp

    def _listed(self) -> Iterator[Found]:
        for folder in self._folders:
            for each in sources.below(folder, self._exclude):
                name = each.path.replace("\\", "/").rpartition("/")[2]
                if not name.startswith(".") and not name.lower().endswith(_UNFINISHED):
                    yield each


def news(store: Store, place: Place, policy: Policy) -> list[News]:
    """The open alerts of warning or above that were not printed yet; they count as printed."""
    printed = _printed(place)
    found: list[News] = []
    known: dict[str, str] = {}
    for member in fleet(store, policy).members:
        for alert in member.alerts:
            if not alert.open or alert.severity not in ("warning", "critical"):
                continue
            key = json.dumps(
                [*member.who[:-1], alert.family]
            )  # without what other databases decide
            known[key] = alert.severity
            if printed.get(key) != alert.severity and printed.get(key) != "critical":
                found.append(News(member.who, alert))
    part = place.folder / f".printed-{secrets.token_hex(4)}"
    with place.writing():
        part.write_text(json.dumps(known), encoding="utf-8")
        part.replace(place.folder / _PRINTED)
    return found


def _printed(place: Place) -> dict[str, str]:
    with suppress(OSError, ValueError):
        said = json.loads((place.folder / _PRINTED).read_text(encoding="utf-8"))
        if isinstance(said, dict):
            return said
    return {}
