"""What a worker process does: read, redact, analyze, compare. Nothing is written to a disk.

Every function takes bytes and names and returns text, so that a process that fails loses nothing.
"""

from __future__ import annotations

import base64
import io
import json
import zipfile
import zlib
from datetime import datetime
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from awrlens import api, bulk, config
from awrlens.cli import analyze, batch, check, gate, intervals, output, own_rules
from awrlens.cli.analyze import error_document
from awrlens.cli.console import sentence
from awrlens.errors import NotAReportError, OtherReportError, UsageError
from awrlens.fleet import folder, ingest, overview
from awrlens.fleet import rows as of_store
from awrlens.fleet.records import WHO
from awrlens.lazy import NamedTuple
from awrlens.render.json import document
from awrlens.report.report import Report
from awrlens.source.open import Input

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from awrlens.errors import AwrlensError
    from awrlens.model import Analysis
    from awrlens.model.comparison import Reading
    from awrlens.render.blocks import Page
    from awrlens.render.pages import Extras


MEDIA: Final = {
    "json": "application/json", "html": "text/html", "md": "text/markdown",
    "sarif": "application/sarif+json",
}  # fmt: skip
_LONGEST_NAME: Final = 120


class Upload(NamedTuple):
    """An upload as it is stored, and the number of one of its reports; None for all."""

    name: str
    data: bytes
    number: int | None = None


class Interval(NamedTuple):
    """A report's interval of an instance: its key, the instance, its end, and its rows as JSON."""

    key: str
    who: str
    end: str
    rows: str


class Part(NamedTuple):
    """A report of an upload, as the history shows it; ``reason``: why it could not be read."""

    source: str
    kind: str = ""
    database: str = ""
    instance: str = ""
    begin: str = ""
    end: str = ""
    severity: str = "unknown"
    headline: str = ""
    label: str = ""
    reason: str = ""
    #: For the fleet, one per interval.
    intervals: tuple[Interval, ...] = ()


class Redacted(NamedTuple):
    """An upload without names: its bytes, its name, and what each pseudonym replaces."""

    name: str
    data: bytes
    names: tuple[tuple[str, str], ...] = ()
    dropped: tuple[str, ...] = ()


class Judged(NamedTuple):
    """The result of a check: exit status of `awrlens check`, documents by format, notes."""

    status: int
    document: dict[str, Any]
    outputs: dict[str, str]
    notes: tuple[str, ...] = ()


def shown_name(name: str) -> str:
    """The name of an upload: without folders and control characters, never empty."""
    base = name.replace("\\", "/").rpartition("/")[2]
    plain = "".join(sign for sign in base if sign.isprintable() and sign not in '<>:"|?*#!')
    plain = plain.strip(" .-")
    stem, dot, suffix = plain.rpartition(".")
    if dot and len(suffix) <= 8:  # noqa: PLR2004 - .html, .lst, .tar
        return f"{stem[:_LONGEST_NAME]}.{suffix}"
    return plain[:_LONGEST_NAME] or "report"


def results_of(upload: Upload, analyse: Callable[[Any, str], Any]) -> Iterator[batch.Result]:
    """What becomes of the reports of an upload, and the problems of those that cannot be read."""
    work = batch.Work(analyse, logs=True, others=True)
    done = work.one_by_one(Input(upload.name, data=upload.data))
    for number, result in enumerate(result for result in done if not result.skipped):
        if upload.number in (None, number):
            yield result


def look(upload: Upload, options: config.Options) -> list[Part]:
    """Every report of an upload with its headline."""
    asked = analyze.Asked(options)

    def analyse(report: Any, path: str) -> Part:  # noqa: ANN401 - a report or a log
        analysis, _ = asked.analyse(report, path)
        intervals = _intervals(report, analysis) if isinstance(report, Report) else ()
        return _part(analysis)._replace(intervals=intervals)

    return [
        result.value
        if result.problem is None
        else Part(result.problem.source or result.name, reason=sentence(result.problem))
        for result in results_of(upload, analyse)
    ]


def _part(analysis: Analysis) -> Part:
    from awrlens.render import first_screen, wording

    report = analysis.report
    return Part(
        str(report["source"]), str(report["kind"]), str(report["db_name"] or ""),
        str(report["instance"] or ""), str(report["begin_time"] or ""),
        str(report["end_time"] or ""), first_screen.severity(analysis),
        f"{first_screen.problem(analysis)} {first_screen.first_step(analysis)}".rstrip(),
        wording.identity(analysis),
    )  # fmt: skip


#: The tables that the page of a fleet needs.
_TABLES: Final = ("reports", "facts", "parameters", "findings", "recommendations")


def edition(options: config.Options) -> str:
    """The version of awrlens and of its thresholds: rows of another one are made again."""
    return f"{folder.ANALYZER} {of_store.of_folder('-', options)[0]}"


def _intervals(report: Report, analysis: Analysis) -> tuple[Interval, ...]:
    rows = of_store.brief(report, analysis, overview.FACTS).rows
    intervals = []
    for row in rows["reports"]:
        about = dict(zip(folder.REPORTS.names, row, strict=True))
        if about["end_time"] is None:
            continue
        own = {table: [r for r in rows[table] if r[0] == row[0]] for table in _TABLES}
        text = json.dumps(own, default=datetime.isoformat, separators=(",", ":"))
        packed = base64.b85encode(zlib.compress(text.encode())).decode()
        who = json.dumps([about[name] for name in WHO.split(", ")])
        intervals.append(Interval(row[0], who, about["end_time"].isoformat(), packed))
    return tuple(intervals)


def _unpacked(packed: Iterable[str]) -> dict[str, list[tuple[Any, ...]]]:
    rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _TABLES}
    times = [kind == "time" for _, kind in folder.REPORTS.columns]
    for interval in packed:
        own = json.loads(zlib.decompress(base64.b85decode(interval)))
        for name in rows:
            rows[name] += map(tuple, own[name])
    rows["reports"] = [
        tuple(
            datetime.fromisoformat(value) if is_time and value else value
            for is_time, value in zip(times, row, strict=True)
        )
        for row in rows["reports"]
    ]
    return rows


def show(upload: Upload, options: config.Options, format_: str) -> str:
    """The analysis of an upload in a format of ``MEDIA``."""
    if format_ == "sarif":
        return judge(upload, gate.Asked(options), ("sarif",)).outputs["sarif"]
    asked = analyze.Asked(options, with_page=format_ == "html")
    kind = {"md": "markdown"}.get(format_, format_)
    results = list(results_of(upload, partial(analyze.rendered, asked=asked, format_=kind)))
    if format_ == "html":
        left = [(sentence(entry.problem), True) for entry in results if entry.problem is not None]
        parts = [entry.value.page for entry in results if entry.problem is None]
        return output.of_reports(parts, config.load("report", options), left, bare=True)
    if format_ == "json":
        documents = [
            error_document(entry.name, entry.problem)
            if entry.problem
            else json.loads(entry.value.shown)
            for entry in results
        ]
        return document(documents[0] if len(documents) == 1 else documents) + "\n"
    return "\n".join(
        f"{sentence(entry.problem)}\n" if entry.problem else entry.value.shown for entry in results
    )


def extras_of(options: config.Options) -> Extras:
    """What every page says besides its content."""
    return output.extras(config.load("report", options), bare=True)


def redact(upload: Upload, key: bytes) -> Redacted:
    """The reports of an upload with pseudonyms; anything else in it is dropped."""
    from awrlens.redact.names import Names

    names = Names(key=key)
    texts: list[tuple[str, bytes]] = []
    dropped: list[AwrlensError] = []
    for report in api.load_all(upload.data, upload.name, names):
        if isinstance(report, Report):
            name = shown_name(names.file(report.source))
            texts.append((name, report.made_of[0].text.encode("utf-8", "replace")))
        else:
            dropped.append(report)
    if not texts:
        if dropped and isinstance(dropped[0], OtherReportError):
            raise dropped[0]
        why = sentence(dropped[0]) if dropped else "There is nothing to read."
        raise NotAReportError(
            why, hint="Only names in Oracle reports can be replaced; send logs with redact=false."
        )
    originals = tuple(sorted(names.originals.items()))
    (name, data), *others = texts
    if others:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for number, (member, text) in enumerate(texts, start=1):
                archive.writestr(f"{number:03d}-{member}", text)
        stem = names.file(upload.name).rpartition(".")[0] or "reports"
        name, data = f"{shown_name(stem)}.zip", packed.getvalue()
    return Redacted(name, data, originals, tuple(map(sentence, dropped)))


def judge(
    upload: Upload, asked: gate.Asked, outputs: tuple[str, ...], against: Upload | None = None,
    key: bytes | None = None,
) -> Judged:  # fmt: skip
    """The check of an upload, as `awrlens check` does it. Raises UsageError for unknown rules.

    ``against``: the last accepted run, ``key``: that of its pseudonyms.
    """
    for format_ in outputs:
        check.targets((format_,))  # raises if it is unknown
    name = upload.name
    asked = plain = gate.resolved(asked._replace(with_page="html" in outputs), name)
    notes: tuple[str, ...] = ()
    if against is not None:
        try:
            before = [Input(against.name, named=False, data=against.data)]
            asked = gate.earlier(asked, before, name)._replace(against_name=asked.against_name)
            asked = asked._replace(against=_with_names(asked.against, upload, key))
        except UsageError as problem:
            notes = (problem.message,)

    def run(asked: gate.Asked) -> list[Any]:
        given = [Input(name, data=upload.data)]
        # problems are part of the result, and are not printed
        return list(gate.checked_reports(given, asked, 1, complain=lambda _problem, _before: None))

    try:
        reports = run(asked)
    except UsageError as problem:  # the accepted run is of another database
        if asked is plain:
            raise
        notes = (problem.message.replace("--against", "The accepted run"),)
        asked, reports = plain, run(plain)
    reports = gate.over_windows(reports, asked)
    done = check.result(reports, (name,), asked)
    texts = {format_: check.text_of(format_, done, reports, (name,), asked) for format_ in outputs}
    return Judged(done.status, json.loads(document(done.to_dict())), texts, notes)


def _with_names(
    against: Mapping[gate.Who, tuple[Reading, ...]], upload: Upload, key: bytes | None
) -> Mapping[gate.Who, tuple[Reading, ...]]:
    """Accepted reports with the names of an upload in place of their pseudonyms."""
    from awrlens.redact.names import Names

    if key is None:
        return against
    names = Names(key=key)
    list(api.load_all(upload.data, upload.name, names))  # collects its names
    by_name: dict[gate.Who, tuple[Reading, ...]] = {}
    for reading in chain.from_iterable(against.values()):
        report = own_rules.originals(reading.report, names)
        who = gate.names_of(report)
        by_name[who] = (*by_name.get(who, ()), reading._replace(report=report))
    return by_name


def budgets(options: config.Options) -> list[tuple[str, str]]:
    """Id and text of budgets given as text; UsageError with the place of a mistake."""
    from awrlens.budgets import BudgetError, text

    try:
        own = own_rules.of(config.load("report", options).additions).budgets
    except BudgetError as problem:
        raise UsageError(str(problem)) from None
    return [(budget.id, text(budget)) for budget in own if budget.file == options.budgets[0].name]


def compare(
    before: Sequence[Upload], after: Sequence[Upload], options: config.Options, format_: str
) -> str:
    """What changed between the reports of two sides, or in one compare-period report."""
    first, second = (
        [report for upload in side for report in _reports(upload)] for side in (before, after)
    )
    if after and not (first and second):
        raise NotAReportError("No report of this side can be compared.", hint="Select a report.")
    policy = config.load("report", options).policy
    from awrlens.render.compare_page import page

    comparison = bulk.compare(first, second if after else None, policy)
    return _put(comparison, page, options, format_)


def _put(result: Any, page: Callable[..., Page], options: config.Options, format_: str) -> str:  # noqa: ANN401 - a record
    if format_ == "json":
        return document(result.to_dict()) + "\n"
    from awrlens.render import markdown
    from awrlens.render import pages as as_html

    if format_ == "md":
        return markdown.text(page(result))
    return as_html.text(page(result), extras_of(options))


def _reports(upload: Upload) -> list[Report]:
    results = results_of(upload, lambda report, _: report)
    return [result.value for result in results if isinstance(result.value, Report)]


def comparable(upload: Upload) -> bool:
    """Whether later runs can be compared with an upload."""
    return bool(_reports(upload))


def trend(uploads: Sequence[Upload], options: config.Options, format_: str) -> str:
    """Many reports in the order of time."""
    from awrlens.series.differences import DEFAULT

    policy = config.load("report", options).policy
    shown = intervals.quantities(DEFAULT)
    needed = intervals.needed(shown)
    windows = [
        window
        for upload in uploads
        for report in _reports(upload)
        for window in intervals.windows_of(report, needed, policy)
    ]
    if not windows:
        raise NotAReportError("No report has an interval.", hint="Select Oracle reports.")
    result = intervals.trend(windows, shown, policy, [])
    if format_ == "html":
        from awrlens.render.trend_html import render

        return render(result, extras_of(options))
    from awrlens.render.trend_page import page

    return _put(result, page, options, format_)


#: Intervals of an instance that count, if they are not too many together.
LAST: Final = overview.LAST
MOST_INTERVALS: Final = 5_000


def fleet(
    intervals: tuple[str, ...], unreadable: tuple[tuple[str, str], ...], wanted: dict[str, Any],
    options: config.Options, format_: str,
) -> str:  # fmt: skip
    """All databases of stored intervals, the worst first; ``wanted`` are options of a fleet.

    With ``search``, names lead to their reports on this site.
    """
    policy = config.load("report", options).policy
    search = wanted.pop("search", "")
    rows = _unpacked(intervals)
    rows["problems"] = [("", None, name, why, None, False) for name, why in unreadable]
    memory_mb = 256  # of the database that judges, within that of a worker
    with ingest.opened(rows, memory_mb) as opened:
        result = overview.fleet(opened, policy, **wanted)
    from awrlens.fleet.page import page

    return _put(result, partial(page, search=search), options, format_)


CALLS: Final[dict[str, Callable[..., Any]]] = {
    call.__name__: call
    for call in (look, show, redact, judge, budgets, comparable, compare, trend, fleet)
}
#: Calls that import a database, which reserves more addresses than a worker has for a report.
SPACIOUS: Final = ("fleet",)
#: Times the memory of a worker.
SPACE: Final = 4
