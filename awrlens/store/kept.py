"""Inputs that were read by this code, and are judged again by what the store has of them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from awrlens.records import NamedTuple
from awrlens.store.document import texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import duckdb

    from awrlens.store.folder import Place
    from awrlens.store.rows import Row
    from awrlens.store.sources import Found

#: Documents that are in memory, and inputs that are looked up together.
_TOGETHER: Final = 100


class KnownInput(NamedTuple):
    """What the store knows about an input: columns of ``files``."""

    path: str
    file_hash: str | None
    size: int | None
    stamp: str | None
    outcome: str
    reason: str | None
    line: int | None
    reports: int
    analyzer: str
    policy: str
    reading: str | None
    judging: str | None

    def renamed(self, source: str, path: str) -> str:
        """The name of one of its reports if it is in a file of another path."""
        return path + source.removeprefix(self.path) if source.startswith(self.path) else source


class Kept(NamedTuple):
    """An input, or a part of a large one, with its stored documents; no file is opened."""

    found: Found
    known: KnownInput
    #: The name of each report, and its document.
    documents: tuple[tuple[str, str], ...]
    #: Rows of members that are not reports.
    problems: tuple[Row, ...] = ()
    #: Whether it is the last part of its input.
    last: bool = True

    @property
    def path(self) -> str:
        """The path of the input."""
        return self.found.path

    @property
    def config_path(self) -> str:
        """The path whose folder decides about the configuration."""
        return self.found.config_path

    @property
    def size(self) -> int:
        """The size of what is judged."""
        return sum(len(text) for _, text in self.documents)

    @property
    def is_large_archive(self) -> bool:
        """An archive is one only while it is read."""
        return False


def kept(
    database: duckdb.DuckDBPyConnection, place: Place, stale: Iterable[tuple[Found, KnownInput]]
) -> Iterator[Kept | Found]:
    """The inputs with their documents; as they are if the store does not have all of them."""
    some: list[Kept] = []
    names: list[str] = []
    unread: set[str] = set()
    for each in _parts(database, stale):
        if not isinstance(each, Kept):
            yield each
            continue
        some.append(each)
        names += (name for _, name in each.documents)
        if len(some) >= _TOGETHER or len(names) >= _TOGETHER:
            yield from _loaded(database, place, some, names, unread)
            some, names = [], []
    yield from _loaded(database, place, some, names, unread)


def _loaded(
    database: duckdb.DuckDBPyConnection, place: Place, some: list[Kept], names: list[str],
    unread: set[str],
) -> Iterator[Kept | Found]:  # fmt: skip
    found = dict(texts(database, place, names)) if names else {}
    for each in some:
        if each.path in unread:
            continue
        if any(name not in found for _, name in each.documents):
            unread.add(each.path)
            yield each.found
            continue
        documents = tuple((source, found[name]) for source, name in each.documents)
        yield each._replace(documents=documents)


def _parts(
    database: duckdb.DuckDBPyConnection, stale: Iterable[tuple[Found, KnownInput]]
) -> Iterator[Kept | Found]:
    """The inputs with the names of their documents; as they are if their reports are not known."""
    waiting = iter(stale)
    while some := list(islice(waiting, _TOGETHER)):
        held = _held(database, {known.path for _, known in some})
        problems = _problems(database, {known.path for _, known in some})
        for found, known in some:
            rows = held.get(known.path, [])
            names = {name: known.renamed(source, found.path) for name, source in rows}
            lost = tuple(
                (found.path, known.file_hash, known.renamed(source, found.path), *others)
                for source, *others in problems.get(known.path, ())
            )
            if len(rows) != known.reports:
                yield found
                continue
            listed = [(source, name) for name, source in names.items()]
            for at in range(0, len(listed) or 1, _TOGETHER):
                last = at + _TOGETHER >= len(listed)
                part = tuple(listed[at : at + _TOGETHER])
                yield Kept(found, known, part, lost if last else (), last)


def _held(database: duckdb.DuckDBPyConnection, paths: set[str]) -> dict[str, list[tuple[str, str]]]:
    """The document and the name of every row of reports, by input."""
    rows = database.execute(
        "SELECT path, document, source FROM sources JOIN reports USING (report) "
        "WHERE path IN (SELECT unnest(?)) ORDER BY sources.rowid",
        [sorted(paths)],
    )
    found: dict[str, list[tuple[str, str]]] = {}
    for path, *others in rows.fetchall():
        found.setdefault(path, []).append((others[0], others[1]))
    return found


def _problems(database: duckdb.DuckDBPyConnection, paths: set[str]) -> dict[str, list[Row]]:
    rows = database.execute(
        "SELECT path, source, reason, line, skipped FROM problems "
        "WHERE path IN (SELECT unnest(?)) ORDER BY rowid",
        [sorted(paths)],
    )
    found: dict[str, list[Row]] = {}
    for path, *others in rows.fetchall():
        found.setdefault(path, []).append(tuple(others))
    return found
