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
    judges = [path for path in top if path.name in JUDGES]
    judges += (package.joinpath("cli", name) for name in _CALLS)
    reads = [path for path in top if path.name not in JUDGES | APART]
    reads += (package.joinpath("fleet", name) for name in _ROWS)
    return Stamps(_stamp(reads), _stamp(judges))


def _stamp(top: list[Traversable]) -> str:
    contents = dict(file for one in top for file in _content(one, one.name))
    if not any(name.endswith(".py") for name in contents):
        return __version__
    whole = hashlib.sha256()
    for name in sorted(contents):
        whole.update(f"{name}\0{len(contents[name])}\0".encode())
        whole.update(contents[name])
    return whole.hexdigest()[:12]


def _content(path: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    if path.is_file():
        yield name, path.read_bytes()
    elif not name.endswith("__pycache__"):
        for below in path.iterdir():
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
        points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
        content += (f"{point.name} {point.dist.version if point.dist else ''}" for point in points)
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
        contents = dict(texts(database, place, names)) if names else {}
        for file, held in some:
            if file.path in unread:
                continue
            if any(name not in contents for _, name in held.documents):
                unread.add(file.path)
                yield file
                continue
            documents = tuple((source, contents[name]) for source, name in held.documents)
            yield file._replace(kept=held._replace(documents=documents))

    for file, held in _parts(database, stale):
        if held is None:
            yield file
            continue
        some.append((file, held))
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
        paths = {row.path for _, row in some}
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
        for file, row in some:
            rows = held.get(row.path, [])
            names = {name: row.renamed(source, file.path) for name, source in rows}
            lost = tuple(
                (file.path, row.file_hash, row.renamed(source, file.path), *others)
                for source, *others in problems.get(row.path, ())
            )
            if len(rows) != row.reports:
                yield file, None
                continue
            listed = [(source, name) for name, source in names.items()]
            for at in range(0, len(listed) or 1, _TOGETHER):
                last = at + _TOGETHER >= len(listed)
                part = tuple(listed[at : at + _TOGETHER])
                yield file, Kept(row, part, lost if last else (), last)


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

    def of(self, file: InputFile) -> Piece:
        """All rows of an input."""
        whole: dict[str, list[Row]] = {}
        for piece in self.pieces(file):
            for table, rows in piece.rows.items():
                whole.setdefault(table, []).extend(rows)
        return Piece(whole)

    def pieces(self, file: InputFile) -> Iterator[Piece]:
        """The rows of every report of an input, then those of the input itself."""
        if file.kept is not None:
            yield from self._kept(file, file.kept)
            return
        policy, _ = self.version(file.config_path)
        opened, reports, keys = file.open(), 0, set[str]()
        problems: list[tuple[AwrlensError, bool]] = []

        def piece(report: Report, _: str) -> Piece:
            return self._report(report, file, opened.hash, policy, keys)

        results: Iterable[batch.Result] = [batch.Result(file.path, problem=opened.problem)]
        if opened.problem is None:
            given = Input(file.path, file.named, opened.content)
            results = batch.Work(piece).one_by_one(given)
        for result in results:
            if result.problem is not None:
                problems.append((result.problem, result.skipped))
            else:
                reports += result.value.reports
                yield result.value
        yield self._input(file, opened.hash or None, reports, problems, policy)

    def _kept(self, file: InputFile, held: Kept) -> Iterator[Piece]:
        """The rows of an input whose reports are judged again; it is read if that fails."""
        policy = config.load(file.config_path, self.asked.options).policy
        version, _ = self.version(file.config_path)
        row, keys = held.row, set[str]()
        where = file.path, row.file_hash
        try:
            pieces = [
                self.rows(of_json(text).judged(policy, source), where, version, keys)
                for source, text in held.documents
            ]
        except UsageError:
            raise
        except Exception:  # noqa: BLE001 - reading it says what is wrong
            yield from self.pieces(file._replace(kept=None))
            return
        yield from pieces
        if held.last:
            yield Piece({
                "files": [(
                    file.path, row.file_hash, file.size, file.stamp, row.outcome, row.reason,
                    row.line, row.reports, fleet_folder.ANALYZER, version, *stamps(),
                )],
                "problems": list(held.problems),
            })  # fmt: skip

    def _report(
        self, report: Report, file: InputFile, hashed: str | None, policy: str, keys: set[str]
    ) -> Piece:
        """The rows of one report and its parts; without those that the input has already."""
        analysis, _ = self.asked.analyse(report, file.config_path)
        content = _hash(report)
        pairs = list(zip(_parts_of(report), parts(analysis), strict=True))
        document = Document(
            analysis,
            tuple(api.contents(part, of_it, with_tablespaces=True) for part, (_, of_it) in pairs),
            tuple(_key(content, of_it, label) for _, (label, of_it) in pairs),
            tuple(part.warnings for part in (report, *report.instances, *report.periods)),
            report.breaks_off,
            report.made_of[1].excerpt,
        )
        return self.rows(document, (file.path, hashed), policy, keys)

    def rows(
        self, document: Document, where: tuple[str, str | None], policy: str, keys: set[str]
    ) -> Piece:
        """The rows of a report, which is in a file (its path and hash); not those of ``keys``."""
        rows: dict[str, list[Row]] = {table.name: [] for table in fleet_folder.TABLES}
        source, first = str(document.analysis.report["source"]), document.keys[0]
        for key, (label, analysis), lists in zip(
            document.keys, parts(document.analysis), document.contents, strict=True
        ):
            if key in keys:
                continue
            keys.add(key)
            rows["sources"].append((*where, key, source))
            _add(rows, _identity(key, first, label, analysis, policy, valid=lists.valid), analysis,
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
        self, file: InputFile, hashed: str | None, reports: int,
        problems: list[tuple[AwrlensError, bool]], policy: str,
    ) -> Piece:  # fmt: skip
        first = next((problem for problem, skipped in problems if not skipped), None)
        outcome = "unreadable" if first else "read" if reports else "skipped"
        first = first or (problems[0][0] if problems and not reports else None)
        about = (sentence(first), first.line) if first else (None, None)
        where, now = (file.path, hashed), (fleet_folder.ANALYZER, policy, *stamps())
        return Piece(
            {
                "files": [(*where, file.size, file.stamp, outcome, *about, reports, *now)],
                "problems": [
                    (*where, problem.source or file.path, sentence(problem), problem.line, skipped)
                    for problem, skipped in problems
                ],
            }
        )

    def killed(self, file: InputFile) -> Piece:
        """The rows of an input whose process was killed."""
        problem = AwrlensError(
            "The process that read it was killed, probably because the system ran out of memory.",
            hint="The next ingest tries again.",
        )
        return self._input(file, None, 0, [(problem, False)], self.version(file.config_path)[0])


def brief(report: Report, analysis: Analysis, facts: Collection[str]) -> Piece:
    """The rows of a report that a fleet needs: identity, some facts, parameters and verdicts."""
    content = _hash(report)
    rows: dict[str, list[Row]] = {table.name: [] for table in fleet_folder.TABLES}
    for part, (label, of_it) in zip(_parts_of(report), parts(analysis), strict=True):
        key = _key(content, of_it, label)
        first = rows["reports"][0][0] if rows["reports"] else key
        identity = _identity(key, first, label, of_it, "", valid=part.cluster.valid)
        _add(rows, identity, of_it, part.cluster.parameters(), facts)
    return Piece(rows)


def _add(
    rows: dict[str, list[Row]], identity: Row, analysis: Analysis, parameters: Mapping[str, str],
    facts: Collection[str] = fleet_folder.FACT_NAMES,
) -> None:  # fmt: skip
    """Add the rows that every store has of a report."""
    key = identity[0]
    rows["reports"].append(identity)
    rows["facts"].append((key, *_facts(analysis, facts)))
    rows["parameters"] += ((key, *item) for item in parameters.items())
    rows["findings"] += _findings(key, analysis)
    rows["recommendations"] += (
        (key, e.id, e.title, e.action, e.status, e.benefit.seconds, e.benefit.pct_db_time,
         e.benefit.sessions, e.effort or None, e.risk or None, list(e.findings))
        for e in analysis.recommendations
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
        [skipped.rule for skipped in analysis.skipped], fleet_folder.ANALYZER, policy, *stamps(),
    )  # fmt: skip


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _facts(analysis: Analysis, wanted: Collection[str]) -> Row:
    facts = {name: analysis.facts[name] for name in wanted}
    return (
        [fact.name for fact in facts.values() if fact.status == "measured"],
        [fact.name for fact in facts.values() if fact.status == "estimated"],
        *(_value(facts[name]) if name in facts else None for name in fleet_folder.FACT_NAMES),
    )


def _value(fact: Fact) -> float | str | None:
    value = fact.value
    if value is None or isinstance(value, str):
        return value
    return ", ".join(value) if isinstance(value, tuple) else float(value)


def _findings(key: str, analysis: Analysis) -> Iterator[Row]:
    for finding in analysis.findings:
        for part in with_parts([finding]):
            yield (
                key, part.id, part.name, part.title, part.severity, part.confidence,
                None if part is finding else finding.id, part.impact.seconds,
                part.impact.pct_db_time, part.weight.waiting_sessions, part.weight.share_pct,
                part.weight.each_ms, list(parts_of(part)),
            )  # fmt: skip
