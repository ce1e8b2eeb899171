"""An input to the rows of the store's tables; this runs in worker processes and on other hosts.

A report's row is known by its content with database, instance, interval and part, so that the same
report has one row, whatever its file is called and in however many archives it is.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from awrlens import api, config
from awrlens.errors import AwrlensError, InternalError, NotAReportError, UsageError
from awrlens.model import with_parts
from awrlens.records import NamedTuple
from awrlens.store import policies, schema
from awrlens.store.document import Document, of_json, parts
from awrlens.store.kept import Kept
from awrlens.store.stamps import stamps

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from awrlens.model import Analysis, Fact
    from awrlens.report.report import Report
    from awrlens.store.sources import Found, Opened

Row = tuple[Any, ...]
#: Hexadecimal digits of a row's key: 96 bits.
_DIGITS: Final = 24
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

    #: Analyzes a report of a path.
    analyse: Callable[[Report, str], Analysis]
    #: The error for a bug of awrlens.
    internal: Callable[[Exception, str], InternalError]
    options: config.Options
    documents: bool = True

    def policy(self, path: str) -> str:
        """The version of the policy for a path."""
        return policies.of_folder(policies.folder(path), self.options).version

    def of(self, each: Found | Kept) -> Piece:
        """All rows of an input."""
        whole: dict[str, list[Row]] = {}
        for piece in self.pieces(each):
            for table, rows in piece.rows.items():
                whole.setdefault(table, []).extend(rows)
        return Piece(whole)

    def pieces(self, each: Found | Kept) -> Iterator[Piece]:
        """The rows of every report of an input, then those of the input itself."""
        if isinstance(each, Kept):
            yield from self._kept(each)
            return
        policy = self.policy(each.config_path)
        opened, reports = each.open(), 0
        problems: list[tuple[AwrlensError, bool]] = []
        for found in self._all(each, opened, policy):
            if isinstance(found, Piece):
                reports += found.reports
                yield found
                continue
            member = not each.named or "!" in (found.source or "")
            problems.append((found, member and isinstance(found, NotAReportError)))
        if each.named and not reports:
            problems = [(problem, False) for problem, _ in problems]
        yield self._input(each, opened.hash, reports, problems, policy)

    def can_judge(self, path: str) -> bool:
        """Whether facts decide about reports of a path: budgets and plugins ask the report."""
        return not policies.of_folder(policies.folder(path), self.options).additions

    def _kept(self, each: Kept) -> Iterator[Piece]:
        """The rows of an input whose reports are judged again; it is read if that fails."""
        policy = config.load(each.config_path, self.options).policy
        version = self.policy(each.config_path)
        where, known = (each.path, each.known.file_hash), set[str]()
        try:
            pieces = [
                self.rows(of_json(text).judged(policy, source), where, version, known)
                for source, text in each.documents
            ]
        except UsageError:
            raise
        except Exception:  # noqa: BLE001 - reading it says what is wrong
            yield from self.pieces(each.found)
            return
        yield from pieces
        if each.last:
            found, row = each.found, each.known
            yield Piece({
                "files": [(
                    found.path, row.file_hash, found.size, found.stamp, row.outcome, row.reason,
                    row.line, row.reports, schema.ANALYZER, version, *stamps(),
                )],
                "problems": list(each.problems),
            })  # fmt: skip

    def _all(self, each: Found, opened: Opened, policy: str) -> Iterator[Piece | AwrlensError]:
        """The rows of every report, or its error; only a wrong configuration ends the ingest."""
        if opened.problem is not None:
            yield opened.problem
            return
        known: set[str] = set()
        try:
            for report in api.load_all(opened.content, each.path):
                if isinstance(report, AwrlensError):
                    yield report
                    continue
                try:
                    yield self._report(report, each, opened.hash, policy, known)
                except UsageError:
                    raise
                except AwrlensError as problem:
                    yield problem
                except Exception as problem:  # noqa: BLE001 - one report must not end an ingest
                    yield self.internal(problem, report.source)
        except UsageError:
            raise
        except Exception as problem:  # noqa: BLE001 - one file must not end an ingest
            yield self.internal(problem, each.path)

    def _report(
        self, report: Report, each: Found, hashed: str | None, policy: str, known: set[str]
    ) -> Piece:
        """The rows of one report and its parts; without those that the input has already."""
        analysis = self.analyse(report, each.config_path)
        content = _hash(report)
        found = list(zip(_parts(report), parts(analysis), strict=True))
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
        rows: dict[str, list[Row]] = {table.name: [] for table in schema.TABLES}
        source, first = str(document.analysis.report["source"]), document.keys[0]
        for key, (label, found), lists in zip(
            document.keys, parts(document.analysis), document.contents, strict=True
        ):
            if key in known:
                continue
            known.add(key)
            rows["sources"].append((*where, key, source))
            rows["reports"].append(_identity(key, first, label, found, policy, valid=lists.valid))
            rows["facts"].append((key, *_facts(found)))
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
            rows["parameters"] += ((key, *item) for item in lists.parameters.items())
            rows["findings"] += _findings(key, found)
            rows["recommendations"] += _recommendations(key, found)
        if self.documents and rows["reports"]:
            rows["documents"].append((first, document.to_json()))
        return Piece(rows)

    def _input(
        self, each: Found, hashed: str | None, reports: int,
        problems: list[tuple[AwrlensError, bool]], policy: str,
    ) -> Piece:  # fmt: skip
        first = next((problem for problem, skipped in problems if not skipped), None)
        outcome = "unreadable" if first else "read" if reports else "skipped"
        first = first or (problems[0][0] if problems and not reports else None)
        return Piece({
            "files": [(
                each.path, hashed or None, each.size, each.stamp, outcome, _said(first),
                first.line if first else None, reports, schema.ANALYZER, policy, *stamps(),
            )],
            "problems": [
                (
                    each.path, hashed or None, problem.source or each.path, _said(problem),
                    problem.line, skipped,
                )
                for problem, skipped in problems
            ],
        })  # fmt: skip

    def killed(self, each: Found | Kept) -> Piece:
        """The rows of an input whose process was killed."""
        problem = AwrlensError(
            "The process that read it was killed, probably because the system ran out of memory.",
            hint="The next ingest tries again.",
        )
        found = each.found if isinstance(each, Kept) else each
        return self._input(found, None, 0, [(problem, False)], self.policy(each.config_path))


def brief(report: Report, analysis: Analysis, facts: Collection[str]) -> Piece:
    """The rows of a report that a fleet needs: identity, some facts, parameters and verdicts.

    Other facts are null, and nothing else is computed.
    """
    content = _hash(report)
    rows: dict[str, list[Row]] = {
        table.name: []
        for table in (schema.REPORTS, schema.FACT_VALUES, schema.PARAMETERS, schema.FINDINGS,
                      schema.RECOMMENDATIONS)
    }  # fmt: skip
    first = ""
    for part, (label, found) in zip(_parts(report), parts(analysis), strict=True):
        key = _key(content, found, label)
        first = first or key
        valid = part.cluster.valid
        rows["reports"].append(_identity(key, first, label, found, "", valid=valid))
        rows["facts"].append((key, *_facts(found, facts)))
        rows["parameters"] += ((key, *item) for item in part.cluster.parameters().items())
        rows["findings"] += _findings(key, found)
        rows["recommendations"] += _recommendations(key, found)
    return Piece(rows)


def _hash(report: Report) -> str:
    return hashlib.sha256(report.made_of[0].text.encode("utf-8", "replace")).hexdigest()


def _said(problem: AwrlensError | None) -> str | None:
    return f"{problem.message} {problem.hint}".strip() if problem else None


def _parts(report: Report) -> tuple[Report, ...]:
    """The report and its instances, or the periods of a comparison."""
    return report.periods or (report, *report.instances)


def _key(content: str, analysis: Analysis, part: str) -> str:
    who = [analysis.report[name] for name in _IDENTITY]
    return hashlib.sha256(json.dumps([content, part, who]).encode()).hexdigest()[:_DIGITS]


def _identity(
    key: str, document: str, label: str, analysis: Analysis, policy: str, *, valid: bool
) -> Row:
    r, verdicts = analysis.report, analysis.verdicts
    kind = str(r["kind"])
    weights = [f.weight.waiting_sessions for f in analysis.findings]
    return (
        key, document, label, kind, r["db_name"], r["db_id"], r["container"], r["instance"],
        r["instance_number"], kind.startswith("awr-rac") and not r["instance_number"],
        r["release"], r["rac"], r["host"], r["platform"], r["cpus"], r["cores"], r["begin_snap"],
        r["end_snap"], _moment(r["begin_time"]), _moment(r["end_time"]),
        _moment(r["startup_time"]), r["elapsed_s"], r["db_time_s"], r["block_size"], valid,
        analysis.headline, verdicts.write_path, _most(weights),
        analysis.overview.active_sessions if analysis.overview else None, verdicts.redo_storage,
        verdicts.temp_storage, verdicts.undo_storage, verdicts.fast_start_mttr_target_s,
        [each.rule for each in analysis.skipped], schema.ANALYZER, policy, *stamps(),
    )  # fmt: skip


def _most(values: Iterable[float | None]) -> float | None:
    return max((each for each in values if each is not None), default=None)


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _facts(analysis: Analysis, wanted: Collection[str] = schema.FACT_NAMES) -> Row:
    known = {name: analysis.facts[name] for name in wanted}
    return (
        [each.name for each in known.values() if each.status == "measured"],
        [each.name for each in known.values() if each.status == "estimated"],
        *(_value(known[name]) if name in known else None for name in schema.FACT_NAMES),
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
                each.weight.each_ms,
            )  # fmt: skip


def _recommendations(key: str, analysis: Analysis) -> Iterator[Row]:
    for each in analysis.recommendations:
        yield (
            key, each.id, each.title, each.action, each.status, each.benefit.seconds,
            each.benefit.pct_db_time, each.benefit.sessions, each.effort or None,
            each.risk or None, list(each.findings),
        )  # fmt: skip
