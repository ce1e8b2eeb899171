"""A report's document: all that was read of it and found in it, without its text.

Comparisons, checks and pages take it, and so does another judgment by other thresholds.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from awrlens.facts.load import Consumers
from awrlens.judging import Contents, judge_again
from awrlens.model import Analysis, Note, Share
from awrlens.model.chart_data import TablespaceIO
from awrlens.model.comparison import Event
from awrlens.records import NamedTuple
from awrlens.store import index
from awrlens.store.plain_data import plain, revived

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import duckdb

    from awrlens.policy import Policy
    from awrlens.store.folder import Place

#: Fields of an analysis that name its file.
_SOURCE: Final = "source"


class Document(NamedTuple):
    """An analysis, and what else is known of its report and the parts that have a row."""

    analysis: Analysis
    #: The lists of every part.
    contents: tuple[Contents, ...]
    #: The key of every part; empty in a document of an older awrlens.
    keys: tuple[str, ...]
    #: What reading warned of: in the report, then in its instances or periods.
    warnings: tuple[tuple[Note, ...], ...]
    #: Whether it is truncated, and whether it is an excerpt without a header.
    breaks_off: bool
    excerpt: bool

    def judged(self, policy: Policy, source: str) -> Document:
        """The same report of another file by other thresholds."""
        known = self.analysis

        def placed(each: Analysis) -> Analysis:
            return each._replace(report={**each.report, _SOURCE: source})

        moved = placed(known)._replace(
            instances=tuple(map(placed, known.instances)),
            periods=tuple(map(placed, known.periods)),
        )
        again = judge_again(moved, self.contents, self.warnings, policy)
        return self._replace(analysis=again)

    def to_json(self) -> str:
        """The text that is stored."""
        return json.dumps(
            {
                "analysis": plain(self.analysis),
                "contents": [plain(each) for each in self.contents],
                "keys": self.keys,
                "warnings": plain(self.warnings),
                "breaks_off": self.breaks_off,
                "excerpt": self.excerpt,
            },
            ensure_ascii=False,
        )


def parts(analysis: Analysis) -> Iterator[tuple[str, Analysis]]:
    """The report and its instances, or the periods of a comparison, each with its name."""
    if analysis.periods:
        for number, each in enumerate(analysis.periods, start=1):
            yield f"period {number}", each
        return
    yield "", analysis
    for each in analysis.instances:
        yield f"instance {each.report['instance_number']}", each


def of_json(text: str) -> Document:
    """The document of a stored text."""
    data: dict[str, Any] = json.loads(text)
    return Document(
        revived(Analysis, data["analysis"]),
        tuple(map(_lists, data["contents"])),
        tuple(data.get("keys", ())),
        tuple(_each(Note, each) for each in data.get("warnings", ())),
        data["breaks_off"],
        data["excerpt"],
    )


def _lists(data: Mapping[str, Any]) -> Contents:
    consumers = data["consumers"]
    return Contents(
        data["valid"],
        _each(Event, data["events"]),
        dict(data["parameters"]),
        Consumers(_each(Share, consumers["shares"]), consumers["complete"]),
        _each(TablespaceIO, data["tablespaces"]),
    )


def _each(kind: Any, rows: Iterable[Any]) -> tuple[Any, ...]:  # noqa: ANN401 - a named tuple
    return tuple(revived(kind, each) for each in rows)


def texts(
    database: duckdb.DuckDBPyConnection, place: Place, wanted: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """The stored documents among these, each with its key."""
    rows = database.execute(
        "SELECT batch, list(document) FROM documents "
        "WHERE document IN (SELECT unnest(?)) GROUP BY batch",
        [list(wanted)],
    ).fetchall()
    with index.opened(None) as files:
        for batch, names in rows:
            for path in place.files("documents", (batch,)):
                query = "SELECT document, content FROM read_parquet(?) "
                query += "WHERE document IN (SELECT unnest(?))"
                yield from files.execute(query, [path, names]).fetchall()
