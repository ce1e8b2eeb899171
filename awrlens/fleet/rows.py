"""An input to the rows of the store's tables; this runs in worker processes and on other hosts.

A report's row is known by its content with database, instance, interval and part, so that the same
report has one row, whatever its file is called and in however many archives it is. Rows carry two
stamps: hashes of the code that reads reports, and of the code that judges them.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from datetime import datetime
from functools import cache, lru_cache
from importlib.metadata import entry_points
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from awrlens import __version__, api, config
from awrlens.cli import batch
from awrlens.cli.console import sentence
from awrlens.errors import AwrlensError, UsageError
from awrlens.fleet import folder as fleet_folder
from awrlens.fleet.document import Document, of_json, parts, texts
from awrlens.fleet.sources import Kept
from awrlens.lazy import NamedTuple
from awrlens.model import parts_of, with_parts
from awrlens.rules.plugins import GROUP
from awrlens.source.open import Input

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from importlib.resources.abc import Traversable

    import duckdb

    from awrlens.cli.analyze import Asked
    from awrlens.fleet.folder import Place
    from awrlens.fleet.sources import InputFile, KnownInput, Row
    from awrlens.model import Analysis, Fact
    from awrlens.report.report import Report


#: Folders and modules that turn facts into findings and advice.
JUDGES: Final = frozenset({
    "advice", "api.py", "budgets", "config", "extensions.py", "rules", "series", "severity.py",
    "thresholds.txt",
})  # fmt: skip
#: Folders and modules that do neither; all others read, so that a new one is never forgotten.
APART: Final = frozenset({
    "__init__.py", "__main__.py", "bulk.py", "checks", "cli", "fleet", "lab", "mcp", "redact",
    "render", "scripts", "serve", "sqlserver",
})  # fmt: skip
#: Modules of these folders that make rows, and those that call rules and advice.
_ROWS: Final = ("document.py", "rows.py", "folder.py", "tables.toml")
_CALLS: Final = ("analyze.py", "own_rules.py")


class Stamps(NamedTuple):
    """The code that read a report, and the code that judged it."""

    reading: str
    judging: str


@cache
def stamps() -> Stamps:
    """Those of this awrlens; its version where its files are not at hand."""
    package = files("awrlens")
    top = list(package.iterdir())
    judges = [each for each in top if each.name in JUDGES]
    judges += (package.joinpath("cli", name) for name in _CALLS)
    reads = [each for each in top if each.name not in JUDGES | APART]
    reads += (package.joinpath("fleet", name) for name in _ROWS)
    return Stamps(_stamp(reads), _stamp(judges))


def _stamp(top: list[Traversable]) -> str:
    found = dict(each for one in top for each in _content(one, one.name))
    if not any(name.endswith(".py") for name in found):
        return __version__
    whole = hashlib.sha256()
    for name in sorted(found):
        whole.update(f"{name}\0{len(found[name])}\0".encode())
        whole.update(found[name])
    return whole.hexdigest()[:12]


def _content(each: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    if each.is_file():
        yield name, each.read_bytes()
    elif not name.endswith("__pycache__"):
        for below in each.iterdir():
            yield from _content(below, f"{name}/{below.name}")


@lru_cache(maxsize=4096)
def of_folder(name: str, options: config.Options) -> tuple[str, bool]:
    """The version of a folder's policy, and whether budgets or plugins are part of it."""
    loaded = config.load(name if name == "-" else os.path.join(name, "x"), options)  # noqa: PTH118
    additions = loaded.additions
    content: list[object] = [sorted(loaded.policy.values().items()), [str(e) for e in additions]]
    for file in additions.budgets:
        with suppress(OSError):
            content.append(hashlib.sha256(Path(file).read_bytes()).hexdigest())
    if additions.plugins:
        found = sorted(entry_points(group=GROUP), key=lambda each: each.name)
        content += (f"{each.name} {each.dist.version if each.dist else ''}" for each in found)
    version = hashlib.sha256(json.dumps(content).encode()).hexdigest()[:12]
    return version, any(additions)


#: Documents that are in memory, and inputs that are looked up together.
_TOGETHER: Final = 100


def kept(
    database: duckdb.DuckDBPyConnection, place: Place, stale: Iterable[tuple[InputFile, KnownInput]]
) -> Iterator[InputFile]:
    """The inputs with their documents; as they are if the store does not have all of them."""
    some: list[tuple[InputFile, Kept]] = []
    names: list[str] = []
    unread: set[str] = set()

    def loaded() -> Iterator[InputFile]:
        found = dict(texts(database, place, names)) if names else {}
        for each, held in some:
            if each.path in unread:
                continue
            if any(name not in found for _, name in held.documents):
                unread.add(each.path)
                yield each
                continue
            documents = tuple((source, found[name]) for source, name in held.documents)
            yield each._replace(kept=held._replace(documents=documents))

    for each, held in _parts(database, stale):
        if held is None:
            yield each
            continue
        some.append((each, held))
        names += (name for _, name in held.documents)
        if len(some) >= _TOGETHER or len(names) >= _TOGETHER:
            yield from loaded()
            some, names = [], []
    yield from loaded()


def _parts(
    database: duckdb.DuckDBPyConnection, stale: Iterable[tuple[InputFile, KnownInput]]
) -> Iterator[tuple[InputFile, Kept | None]]:
    """The inputs with the names of their documents; without if their reports are not known."""
    waiting = iter(stale)
    while some := list(islice(waiting, _TOGETHER)):
        paths = {known.path for _, known in some}
        held = _by_path(
            database,
            "SELECT path, document, source FROM sources JOIN reports USING (report) "
            "WHERE path IN (SELECT unnest(?)) ORDER BY sources.rowid", paths,
        )  # fmt: skip
        problems = _by_path(
            database,
            "SELECT path, source, reason, line, skipped FROM problems "
            "WHERE path IN (SELECT unnest(?)) ORDER BY rowid", paths,
        )  # fmt: skip
        for found, known in some:
            rows = held.get(known.path, [])
            names = {name: known.renamed(source, found.path) for name, source in rows}
            lost = tuple(
                (found.path, known.file_hash, known.renamed(source, found.path), *others)
                for source, *others in problems.get(known.path, ())
            )
            if len(rows) != known.reports:
                yield found, None
                continue
            listed = [(source, name) for name, source in names.items()]
            for at in range(0, len(listed) or 1, _TOGETHER):
                last = at + _TOGETHER >= len(listed)
                part = tuple(listed[at : at + _TOGETHER])
                yield found, Kept(known, part, lost if last else (), last)


def _by_path(
    database: duckdb.DuckDBPyConnection, query: str, paths: set[str]
) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {}
    for path, *others in database.execute(query, [sorted(paths)]).fetchall():
        rows.setdefault(path, []).append(tuple(others))
    return rows


_IDENTITY: Final = ("db_name", "db_id", "container", "instance", "instance_number",
                    "begin_snap", "end_snap", "begin_time", "end_time")  # fmt: skip


class Piece(NamedTuple):
    """Rows by table, of an input or of a part of a large archive."""

    rows: dict[str, list[Row]]

    @property
    def reports(self) -> int:
        """The number of rows of reports."""
        return len(self.rows.get("reports", ()))


class Job(NamedTuple):
    """What is done with every input; it is sent to other processes."""

    asked: Asked
    documents: bool = True

    def version(self, path: str) -> tuple[str, bool]:
        """The policy of a path, which its folder decides; whether the report itself is asked."""
        folder = path if path == "-" else os.path.dirname(path)  # noqa: PTH120 - millions of files
        return of_folder(folder, self.asked.options)

    def of(self, each: InputFile) -> Piece:
        """All rows of an input."""
        whole: dict[str, list[Row]] = {}
        for piece in self.pieces(each):
            for table, rows in piece.rows.items():
                whole.setdefault(table, []).extend(rows)
        return Piece(whole)

    def pieces(self, each: InputFile) -> Iterator[Piece]:
        """The rows of every report of an input, then those of the input itself."""
        if each.kept is not None:
            yield from self._kept(each, each.kept)
            return
        policy, _ = self.version(each.config_path)
        opened, reports, known = each.open(), 0, set[str]()
        problems: list[tuple[AwrlensError, bool]] = []

        def piece(report: Report, _: str) -> Piece:
            return self._report(report, each, opened.hash, policy, known)

        results: Iterable[batch.Result] = [batch.Result(each.path, problem=opened.problem)]
        if opened.problem is None:
            given = Input(each.path, each.named, opened.content)
            results = batch.Work(piece).one_by_one(given)
        for result in results:
            if result.problem is not None:
                problems.append((result.problem, result.skipped))
            else:
                reports += result.found.reports
                yield result.found
        yield self._input(each, opened.hash or None, reports, problems, policy)

    def _kept(self, each: InputFile, held: Kept) -> Iterator[Piece]:
        """The rows of an input whose reports are judged again; it is read if that fails."""
        policy = config.load(each.config_path, self.asked.options).policy
        version, _ = self.version(each.config_path)
        row, known = held.known, set[str]()
        where = each.path, row.file_hash
        try:
            pieces = [
                self.rows(of_json(text).judged(policy, source), where, version, known)
                for source, text in held.documents
            ]
        except UsageError:
            raise
        except Exception:  # noqa: BLE001 - reading it says what is wrong
            yield from self.pieces(each._replace(kept=None))
            return
        yield from pieces
        if held.last:
            yield Piece({
                "files": [(
                    each.path, row.file_hash, each.size, each.stamp, row.outcome, row.reason,
                    row.line, row.reports, fleet_folder.ANALYZER, version, *stamps(),
                )],
                "problems": list(held.problems),
            })  # fmt: skip

    def _report(
        self, report: Report, each: InputFile, hashed: str | None, policy: str, known: set[str]
    ) -> Piece:
        """The rows of one report and its parts; without those that the input has already."""
        analysis, _ = self.asked.analyse(report, each.config_path)
        content = _hash(report)
        found = list(zip(_parts_of(report), parts(analysis), strict=True))
        document = Document(
            analysis,
            tuple(api.contents(part, of_it, with_tablespaces=True) for part, (_, of_it) in found),
            tuple(_key(content, of_it, label) for _, (label, of_it) in found),
            tuple(part.warnings for part in (report, *report.instances, *report.periods)),
            report.breaks_off,
            report.made_of[1].excerpt,
        )
        return self.rows(document, (each.path, hashed), policy, known)

    def rows(
        self, document: Document, where: tuple[str, str | None], policy: str, known: set[str]
    ) -> Piece:
        """The rows of a report, which is in a file (its path and hash); not those of ``known``."""
        rows: dict[str, list[Row]] = {table.name: [] for table in fleet_folder.TABLES}
        source, first = str(document.analysis.report["source"]), document.keys[0]
        for key, (label, found), lists in zip(
            document.keys, parts(document.analysis), document.contents, strict=True
        ):
            if key in known:
                continue
            known.add(key)
            rows["sources"].append((*where, key, source))
            _add(rows, _identity(key, first, label, found, policy, valid=lists.valid), found,
                 lists.parameters)  # fmt: skip
            rows["waits"] += (
                (key, e.name, e.background, e.waits, e.total_s,
                 e.total_s * 1000 / e.waits if e.waits else None, e.step_s)
                for e in lists.events
            )  # fmt: skip
            rows["activity"] += (
                (key, e.name, e.part, e.seconds, e.pct) for e in lists.consumers.shares
            )
            rows["tablespaces"] += (
                (key, e.name, e.kind, e.reads, e.writes, e.read_ms) for e in lists.tablespaces
            )
        if self.documents and rows["reports"]:
            rows["documents"].append((first, document.to_json()))
        return Piece(rows)

    def _input(
        self, each: InputFile, hashed: str | None, reports: int,
        problems: list[tuple[AwrlensError, bool]], policy: str,
    ) -> Piece:  # fmt: skip
        first = next((problem for problem, skipped in problems if not skipped), None)
        outcome = "unreadable" if first else "read" if reports else "skipped"
        first = first or (problems[0][0] if problems and not reports else None)
        about = (sentence(first), first.line) if first else (None, None)
        where, now = (each.path, hashed), (fleet_folder.ANALYZER, policy, *stamps())
        return Piece(
            {
                "files": [(*where, each.size, each.stamp, outcome, *about, reports, *now)],
                "problems": [
                    (*where, problem.source or each.path, sentence(problem), problem.line, skipped)
                    for problem, skipped in problems
                ],
            }
        )

    def killed(self, each: InputFile) -> Piece:
        """The rows of an input whose process was killed."""
        problem = AwrlensError(
            "The process that read it was killed, probably because the system ran out of memory.",
            hint="The next ingest tries again.",
        )
        return self._input(each, None, 0, [(problem, False)], self.version(each.config_path)[0])


def brief(report: Report, analysis: Analysis, facts: Collection[str]) -> Piece:
    """The rows of a report that a fleet needs: identity, some facts, parameters and verdicts."""
    content = _hash(report)
    rows: dict[str, list[Row]] = {table.name: [] for table in fleet_folder.TABLES}
    for part, (label, found) in zip(_parts_of(report), parts(analysis), strict=True):
        key = _key(content, found, label)
        first = rows["reports"][0][0] if rows["reports"] else key
        identity = _identity(key, first, label, found, "", valid=part.cluster.valid)
        _add(rows, identity, found, part.cluster.parameters(), facts)
    return Piece(rows)


def _add(
    rows: dict[str, list[Row]], identity: Row, found: Analysis, parameters: Mapping[str, str],
    facts: Collection[str] = fleet_folder.FACT_NAMES,
) -> None:  # fmt: skip
    """Add the rows that every store has of a report."""
    key = identity[0]
    rows["reports"].append(identity)
    rows["facts"].append((key, *_facts(found, facts)))
    rows["parameters"] += ((key, *item) for item in parameters.items())
    rows["findings"] += _findings(key, found)
    rows["recommendations"] += (
        (key, e.id, e.title, e.action, e.status, e.benefit.seconds, e.benefit.pct_db_time,
         e.benefit.sessions, e.effort or None, e.risk or None, list(e.findings))
        for e in found.recommendations
    )  # fmt: skip


def _hash(report: Report) -> str:
    return hashlib.sha256(report.made_of[0].text.encode("utf-8", "replace")).hexdigest()


def _parts_of(report: Report) -> tuple[Report, ...]:
    return report.periods or (report, *report.instances)


def _key(content: str, analysis: Analysis, part: str) -> str:
    who = [analysis.report[name] for name in _IDENTITY]
    return hashlib.sha256(json.dumps([content, part, who]).encode()).hexdigest()[:24]  # 96 bits


def _identity(
    key: str, document: str, label: str, analysis: Analysis, policy: str, *, valid: bool
) -> Row:
    r, verdicts = analysis.report, analysis.verdicts
    kind = str(r["kind"])
    return (
        key, document, label, kind, r["db_name"], r["db_id"], r["container"], r["instance"],
        r["instance_number"], kind.startswith("awr-rac") and not r["instance_number"],
        r["release"], r["rac"], r["host"], r["platform"], r["cpus"], r["cores"], r["begin_snap"],
        r["end_snap"], _moment(r["begin_time"]), _moment(r["end_time"]),
        _moment(r["startup_time"]), r["elapsed_s"], r["db_time_s"], r["block_size"], valid,
        analysis.headline, analysis.state, analysis.waiting_sessions,
        analysis.overview.active_sessions if analysis.overview else None, verdicts.redo_storage,
        verdicts.temp_storage, verdicts.undo_storage, verdicts.fast_start_mttr_target_s,
        [each.rule for each in analysis.skipped], fleet_folder.ANALYZER, policy, *stamps(),
    )  # fmt: skip


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _facts(analysis: Analysis, wanted: Collection[str]) -> Row:
    known = {name: analysis.facts[name] for name in wanted}
    return (
        [each.name for each in known.values() if each.status == "measured"],
        [each.name for each in known.values() if each.status == "estimated"],
        *(_value(known[name]) if name in known else None for name in fleet_folder.FACT_NAMES),
    )


def _value(fact: Fact) -> float | str | None:
    value = fact.value
    if value is None or isinstance(value, str):
        return value
    return ", ".join(value) if isinstance(value, tuple) else float(value)


def _findings(key: str, analysis: Analysis) -> Iterator[Row]:
    for finding in analysis.findings:
        for each in with_parts([finding]):
            yield (
                key, each.id, each.name, each.title, each.severity, each.confidence,
                None if each is finding else finding.id, each.impact.seconds,
                each.impact.pct_db_time, each.weight.waiting_sessions, each.weight.share_pct,
                each.weight.each_ms, list(parts_of(each)),
            )  # fmt: skip
