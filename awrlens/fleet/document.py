"""A report's document: all that was read of it and found in it, without its text.

Values become plain data and come back by the types of their fields: fields that a value has gained
since it was written get their defaults; fields that it has lost are ignored.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from awrlens import api
from awrlens.advice import mttr
from awrlens.api import ReportLists, reading_of
from awrlens.errors import UsageError
from awrlens.facts.load import Consumers
from awrlens.fleet import index
from awrlens.lazy import NamedTuple
from awrlens.model import Analysis, Evidence, Fact, Note
from awrlens.model.chart_data import TablespaceIO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb

    from awrlens.fleet.folder import Place
    from awrlens.model.comparison import Reading
    from awrlens.policy import Policy


_Maker: TypeAlias = Callable[[Any], Any]
#: What annotations of these modules may name; parts of documents are plain data.
_NAMES: Final = {
    name: member
    for module in ("plain", "kinds", "comparison", "analysis", "finding", "fact")
    for name, member in vars(import_module(f"awrlens.model.{module}")).items()
} | {
    "ReportLists": ReportLists, "Consumers": Consumers, "TablespaceIO": TablespaceIO,
    "Callable": Callable, "Mapping": Mapping, "Any": Any,
    "KnownOrNot": dict, "Recovery": dict,
}  # fmt: skip

_SIMPLE: Final = {str, int, float, bool}


def plain(value: object) -> Any:  # noqa: ANN401 - plain data of any kind
    """A value as dictionaries, lists, texts and numbers."""
    kind = type(value)
    if value is None or kind in _SIMPLE:
        return value
    if isinstance(value, Fact):
        own = {"name": value.name, "sections": value.sections, "about": value.about}
        return {**own, **value.to_dict()}
    if isinstance(value, tuple) and (names := getattr(value, "_fields", ())):
        return {name: plain(item) for name, item in zip(names, value, strict=True)}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    return value


@cache
def _maker(kind: Any) -> _Maker:  # noqa: ANN401 - a type
    if kind is Fact:
        return _revived_fact
    if kind is Evidence:
        return _evidence
    if hasattr(kind, "_fields"):
        makers: dict[str, _Maker] = {}

        def make(data: Any) -> Any:  # noqa: ANN401 - plain data
            if data is None:
                return None
            if not makers:  # only now, as a type may contain itself
                types = typing.get_type_hints(kind, globalns=_NAMES)
                makers.update((name, _maker(types[name])) for name in kind._fields)
            return kind(**{name: of(data[name]) for name, of in makers.items() if name in data})

        return make
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, UnionType):
        types = [type_ for type_ in inner if type_ is not NoneType]
        made = [type_ for type_ in types if len(types) == 1 or typing.get_origin(type_) is tuple]
        return _maker(made[0]) if made else _same
    if origin is tuple:
        return _tuple(inner)
    if origin is Mapping:
        of_value = _maker(inner[1])
        return lambda data: data and {name: of_value(item) for name, item in data.items()}
    return _same


def _same(data: Any) -> Any:  # noqa: ANN401 - plain data
    return data


def _evidence(data: Any) -> Evidence | None:  # noqa: ANN401 - plain data
    if data is None:
        return None
    line = data["line"]
    cell = data["section"], data["row"], data["column"], data["text"], data["value"]
    return Evidence(*cell, lambda: line)


def _revived_fact(data: Any) -> Fact | None:  # noqa: ANN401 - plain data
    if data is None:
        return None
    names = ("name", "value", "unit", "status", "formula", "note", "about")
    fields = {name: data[name] for name in names if name in data}
    evidence = tuple(filter(None, map(_evidence, data.get("evidence", ()))))
    if isinstance(data["value"], list):
        fields["value"] = tuple(data["value"])
    return Fact(**fields, evidence=evidence, sections=tuple(data.get("sections", ())))


def _tuple(inner: tuple[Any, ...]) -> _Maker:
    if len(inner) == 2 and inner[1] is Ellipsis:  # noqa: PLR2004 - tuple[X, ...]
        of_item = _maker(inner[0])
        return lambda data: tuple(map(of_item, data)) if isinstance(data, list) else data
    makers = tuple(map(_maker, inner))
    return lambda data: (
        tuple(make(item) for make, item in zip(makers, data, strict=True))
        if isinstance(data, list)
        else data
    )


class Document(NamedTuple):
    """An analysis, and what else is known of its report and the parts that have a row."""

    analysis: Analysis
    contents: tuple[ReportLists, ...]
    #: The key of every part; empty in a document of an older awrlens.
    keys: tuple[str, ...] = ()
    #: What reading warned of: in the report, then in its instances or periods.
    warnings: tuple[tuple[Note, ...], ...] = ()
    #: Whether it is truncated, and whether it is an excerpt without a header.
    breaks_off: bool = False
    excerpt: bool = False

    @property
    def valid(self) -> bool:
        """Whether no instance was restarted within the interval."""
        return all(content.valid for content in self.contents)

    def reading(self) -> Reading:
        """What a comparison needs; UsageError for a compare-period report."""
        if self.analysis.periods:
            source = str(self.analysis.report["source"])
            raise UsageError(
                "A compare-period report has two sides.", source=source,
                hint=f"Compare the file: awrlens compare {source}.",
            )  # fmt: skip
        analyses = (self.analysis, *self.analysis.instances)
        whole, *parts = map(reading_of, analyses, self.contents)
        return whole._replace(instances=tuple(parts))

    def judged(self, policy: Policy, source: str) -> Document:
        """The same report of another file by other thresholds."""
        before = self.analysis

        def placed(part: Analysis) -> Analysis:
            return part._replace(report={**part.report, "source": source})

        moved = placed(before)._replace(
            instances=tuple(map(placed, before.instances)),
            periods=tuple(map(placed, before.periods)),
        )
        again = _judged_again(moved, self.contents, self.warnings, policy)
        return self._replace(analysis=again)

    def to_json(self) -> str:
        """The text that is stored."""
        return json.dumps(plain(self), ensure_ascii=False)


def _judged_again(
    old: Analysis,
    lists: Sequence[ReportLists],
    warnings: Sequence[tuple[Note, ...]],
    policy: Policy,
) -> Analysis:
    """An analyzed report judged by other thresholds; what was read of it stays.

    ``lists`` are those of the report and its instances, or of its periods; ``warnings`` those of
    the report, then those of its instances or periods.
    """
    request = mttr.Request(rac=bool(old.report["rac"]))
    whole, *parts = (
        api.ReportFacts(
            part.report, part.facts,
            # with the contradictions among facts, which only a known analysis has
            (*noted, *(n for n in part.warnings if n.contradicts and n not in noted)),
            part.overview,
        )
        for part, noted in zip((old, *old.instances, *old.periods), warnings, strict=True)
    )  # fmt: skip
    if old.periods:
        halves = api.judge_periods(parts[0], parts[1], policy, request)
        sides = [api.reading_of(half, of_it) for half, of_it in zip(halves, lists, strict=True)]
        return api.compared(whole, halves, sides, policy)
    judged = api.judge(whole._replace(threads=max(1, len(parts))), policy, request)
    return api.with_parts(judged, tuple(api.judge(part, policy, request) for part in parts))


def parts(analysis: Analysis) -> Iterator[tuple[str, Analysis]]:
    """The report and its instances, or the periods of a comparison, each with its name."""
    if analysis.periods:
        for number, period in enumerate(analysis.periods, start=1):
            yield f"period {number}", period
        return
    yield "", analysis
    for instance in analysis.instances:
        yield f"instance {instance.report['instance_number']}", instance


def of_json(text: str) -> Document:
    """The document of a stored text."""
    return cast("Document", _maker(Document)(json.loads(text)))


def texts(
    database: duckdb.DuckDBPyConnection, place: Place, wanted: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """The stored documents among these, each with its key."""
    with index.readable(place), index.opened(None) as files:
        rows = database.execute(
            "SELECT batch, list(document) FROM documents "
            "WHERE document IN (SELECT unnest(?)) GROUP BY batch",
            [list(wanted)],
        ).fetchall()
        for batch, names in rows:
            for path in place.files("documents", (batch,)):
                query = "SELECT document, content FROM read_parquet(?) "
                query += "WHERE document IN (SELECT unnest(?))"
                yield from files.execute(query, [path, names]).fetchall()
