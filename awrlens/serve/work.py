"""What a worker process does: read, redact, analyze, compare. Nothing is written to a disk.

Every function takes bytes and names and returns text, so that a process that fails loses nothing.
No configuration file of an upload is used, only that of the server. Several uploads become a
comparison, a trend or a fleet.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any, Final

from awrlens import api, config
from awrlens.cli import analyze, batch, check, gate, output
from awrlens.cli.analyze import error_document
from awrlens.errors import AwrlensError, NotAReportError, UsageError
from awrlens.records import NamedTuple
from awrlens.render.json import document
from awrlens.report.report import Report
from awrlens.serve import fleet as of_fleet
from awrlens.source.open import Input

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from awrlens.cli.analyze import Analysed
    from awrlens.model import Analysis
    from awrlens.model.comparison import Reading
    from awrlens.model.documents import AnalysisDocument
    from awrlens.render.blocks import Page
    from awrlens.render.pages import Extras
    from awrlens.serve.fleet import Interval


#: Media type of every format.
MEDIA: Final = {
    "json": "application/json", "html": "text/html", "md": "text/markdown",
    "sarif": "application/sarif+json",
}  # fmt: skip
#: Length of a name of an upload.
_LONGEST_NAME: Final = 120


class Upload(NamedTuple):
    """An upload as it is stored, and the number of one of its reports; None for all."""

    name: str
    data: bytes
    number: int | None = None


class Found(NamedTuple):
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
    names: tuple[tuple[str, str], ...]
    dropped: tuple[str, ...]


class Judged(NamedTuple):
    """The result of a check: exit status of `awrlens check`, documents by format, notes."""

    status: int
    document: dict[str, Any]
    outputs: dict[str, str]
    notes: tuple[str, ...] = ()


def shown_name(name: str) -> str:
    """The name of an upload: without folders and control characters, never empty."""
    base = name.replace("\\", "/").rpartition("/")[2]
    plain = "".join(each for each in base if each.isprintable() and each not in '<>:"|?*#!')
    plain = plain.strip(" .-")
    stem, dot, suffix = plain.rpartition(".")
    if dot and len(suffix) <= 8:  # noqa: PLR2004 - .html, .lst, .tar
        return f"{stem[:_LONGEST_NAME]}.{suffix}"
    return plain[:_LONGEST_NAME] or "report"


def results_of(
    upload: Upload,
    analyse: Callable[[Any, str], Any],
    render: Callable[[Any], Any],
) -> Iterator[batch.Result]:
    """The rendered reports of an upload, and the problems of those that cannot be read."""
    work = batch.Work(analyse, render, logs=True, others=True)
    done = work.one_by_one(Input(upload.name, data=upload.data))
    for number, result in enumerate(each for each in done if not each.skipped):
        if upload.number in (None, number):
            yield result


def _analysed(
    upload: Upload,
    options: config.Options,
    render: Callable[[Analysed], Any],
    *,
    page: bool = False,
) -> Iterator[batch.Result]:
    asked = analyze.Asked(options, with_page=page)
    return results_of(upload, asked.analyse, render)


def look(upload: Upload, options: config.Options) -> list[Found]:
    """Every report of an upload with its headline."""
    from awrlens.serve import fleet

    asked = analyze.Asked(options)

    def analyse(report: Any, path: str) -> Found:  # noqa: ANN401 - a report or a log
        analysis = asked.analyse(report, path).analysis
        intervals = fleet.intervals(report, analysis) if isinstance(report, Report) else ()
        return _found(analysis)._replace(intervals=intervals)

    return [
        result.rendered
        if result.problem is None
        else Found(result.problem.source or result.name, reason=_said(result.problem))
        for result in results_of(upload, analyse, lambda found: found)
    ]


def _said(problem: AwrlensError) -> str:
    return f"{problem.message} {problem.hint}".strip()


def _found(analysis: Analysis) -> Found:
    from awrlens.render import first_screen, wording

    report = analysis.report
    return Found(
        str(report["source"]),
        str(report["kind"]),
        str(report["db_name"] or ""),
        str(report["instance"] or ""),
        str(report["begin_time"] or ""),
        str(report["end_time"] or ""),
        first_screen.severity(analysis),
        wording.headline(analysis),
        wording.identity(analysis),
    )


def show(upload: Upload, options: config.Options, format_: str) -> str:
    """The analysis of an upload in a format of ``MEDIA``."""
    if format_ == "sarif":
        return judge(upload, options, Rules(outputs=("sarif",))).outputs["sarif"]
    if format_ == "html":
        return _page(upload, options)
    results = list(_analysed(upload, options, _plain if format_ == "json" else _markdown))
    if format_ == "json":
        found = [
            result.rendered
            if result.problem is None
            else error_document(result.name, result.problem)
            for result in results
        ]
        return document(found[0] if len(found) == 1 else found) + "\n"
    return "\n".join(
        str(result.rendered) if result.problem is None else f"{_said(result.problem)}\n"
        for result in results
    )


def _plain(analysed: Analysed) -> AnalysisDocument:
    return analysed.analysis.to_dict()


def _markdown(analysed: Analysed) -> str:
    from awrlens.render.markdown import render

    return render(analysed.analysis)


def _laid_out(analysed: Analysed) -> dict[str, Any]:
    from awrlens.render.html import page

    assert analysed.shown is not None  # noqa: S101 - a page was requested
    return page(analysed.analysis, analysed.shown)


def extras_of(options: config.Options, *, satellites: bool = False) -> Extras:
    """What every page says besides its content."""
    return output.extras(config.load("report", options), bare=True, satellites=satellites)


def _page(upload: Upload, options: config.Options) -> str:
    from awrlens.render.html import of_reports, render

    results = list(_analysed(upload, options, _laid_out, page=True))
    left = [(_said(each.problem), True) for each in results if each.problem is not None]
    pages = [each.rendered for each in results if each.problem is None]
    return render(pages, extras_of(options, satellites=not of_reports(pages)), left)


def redact(upload: Upload, key: bytes) -> Redacted:
    """The reports of an upload with pseudonyms; anything else in it is dropped.

    Raises NotAReportError without any report: other files cannot be redacted.
    """
    from awrlens.redact.names import Names

    names = Names(key=key)
    texts: list[tuple[str, str]] = []
    dropped: list[str] = []
    for each in api.load_all(upload.data, upload.name, names):
        if isinstance(each, Report):
            texts.append((names.file(each.source), each.made_of[0].text))
        else:
            dropped.append(_said(each))
    if not texts:
        why = dropped[0] if dropped else "There is nothing to read."
        raise NotAReportError(
            why, hint="Only names in Oracle reports can be replaced; upload logs with their names."
        )
    known = tuple(sorted(names.originals.items()))
    if len(texts) == 1:
        name, text = texts[0]
        return Redacted(shown_name(name), text.encode("utf-8", "replace"), known, tuple(dropped))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, text) in enumerate(texts, start=1):
            archive.writestr(f"{number:03d}-{shown_name(name)}", text.encode("utf-8", "replace"))
    name = shown_name(names.file(upload.name).rpartition(".")[0] or "reports")
    return Redacted(f"{name}.zip", packed.getvalue(), known, tuple(dropped))


class Rules(NamedTuple):
    """What a check selects and what fails."""

    fail_on: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    strict: bool = False
    outputs: tuple[str, ...] = ()
    #: The reports of the last accepted run, and its name.
    against: tuple[Upload, ...] = ()
    against_name: str = ""


def judge(upload: Upload, options: config.Options, rules: Rules) -> Judged:
    """The check of an upload, as `awrlens check` does it. Raises UsageError for unknown rules."""
    unknown = next((each for each in rules.outputs if each not in check.FORMATS), None)
    if unknown is not None:
        check.targets((unknown,))  # raises with the known ones
    name = upload.name
    asked = gate.resolved(
        gate.Asked(
            options, rules.select, ignore=rules.ignore, fail_on=rules.fail_on,
            strict=rules.strict, with_page="html" in rules.outputs,
        ),
        name,
    )  # fmt: skip
    notes: tuple[str, ...] = ()
    plain = asked
    if rules.against:
        try:
            before = [Input(each.name, named=False, data=each.data) for each in rules.against]
            asked = gate.earlier(asked, before, name)._replace(against_name=rules.against_name)
        except UsageError as problem:
            notes = (problem.message,)

    def run(asked: gate.Asked) -> list[Any]:
        given = [Input(name, data=upload.data)]
        return list(gate.checked_reports(given, asked, 1, complain=_in_the_result))

    try:
        found = run(asked)
    except UsageError as problem:  # the accepted run is of another database
        if asked is plain:
            raise
        notes = (problem.message.replace("--against", "The accepted run"),)
        asked, found = plain, run(plain)
    found = gate.over_windows(found, asked, name)
    done = check.result(found, (name,), asked)
    texts = {each: check.text_of(each, done, found, (name,), asked) for each in rules.outputs}
    return Judged(done.status, json.loads(document(done.to_dict())), texts, notes)


def _in_the_result(problem: AwrlensError, before: str) -> None:
    """Problems are part of the result, and are not printed."""


def budgets(options: config.Options) -> list[tuple[str, str]]:
    """Id and text of budgets given as text; UsageError with the place of a mistake."""
    from awrlens.budgets import BudgetError, text
    from awrlens.cli import own_rules

    try:
        found = own_rules.of(config.load("report", options)).budgets
    except BudgetError as problem:
        raise UsageError(str(problem)) from None
    return [(each.id, text(each)) for each in found if each.file == options.budgets[0].name]


#: What a worker can be called for.
CALLS: Final[dict[str, Callable[..., Any]]] = {
    "look": look, "show": show, "redact": redact, "judge": judge, "budgets": budgets,
}  # fmt: skip


def compare(
    before: Sequence[Upload], after: Sequence[Upload], options: config.Options, format_: str
) -> str:
    """What changed between the reports of two sides, or in one compare-period report."""
    policy = config.load("report", options).policy
    if not after:
        reports = [each for one in before for each in _reports(one)]
        if len(reports) != 1 or not reports[0].periods:
            raise UsageError("A comparison needs two sides.", hint="Select another report.")
        first, second = api.periods(reports[0], policy)
        found = api.compare([first], [second], policy)
    else:
        found = api.compare(_readings(before, policy), _readings(after, policy), policy)
    if format_ == "json":
        return document(found.to_dict()) + "\n"
    from awrlens.render.compare_page import page

    return _put(page(found), options, format_)


def _put(page: Page, options: config.Options, format_: str) -> str:
    from awrlens.render import markdown
    from awrlens.render import pages as as_html

    if format_ == "md":
        return markdown.text(page)
    return as_html.text(page, extras_of(options))


def _reports(upload: Upload) -> list[Report]:
    """The Oracle reports of an upload; logs cannot be compared."""
    results = results_of(upload, lambda report, _: report, lambda found: found)
    return [each.rendered for each in results if isinstance(each.rendered, Report)]


def _readings(side: Sequence[Upload], policy: Any) -> list[Reading]:  # noqa: ANN401
    found = [api.read(report, policy) for upload in side for report in _reports(upload)]
    if not found:
        raise NotAReportError("No report of this side can be compared.", hint="Select a report.")
    return sorted(found, key=lambda each: str(each.report["begin_time"] or ""))


def trend(uploads: Sequence[Upload], options: config.Options, format_: str) -> str:
    """Many reports in the order of time."""
    from awrlens.cli import intervals
    from awrlens.series.differences import DEFAULT

    policy = config.load("report", options).policy
    shown = intervals.quantities(DEFAULT)
    needed = intervals.needed(shown)
    found = [
        window
        for upload in uploads
        for report in _reports(upload)
        for window in intervals.windows_of(report, needed, policy)
    ]
    if not found:
        raise NotAReportError("No report has an interval.", hint="Select Oracle reports.")
    result = intervals.trend(found, shown, policy, [])
    if format_ == "json":
        return document(result.to_dict()) + "\n"
    if format_ == "md":
        from awrlens.render import markdown
        from awrlens.render.trend_page import page

        return markdown.text(page(result))
    from awrlens.render.trend_html import render

    return render(result, extras_of(options))


def fleet(asked: of_fleet.Asked, options: config.Options, format_: str) -> str:
    """All databases of some intervals, the worst first."""
    found = of_fleet.judged(asked, config.load("report", options).policy)
    if format_ == "json":
        return document(found.to_dict()) + "\n"
    from awrlens.fleet.page import page

    return _put(page(found), options, format_)


#: What a worker can be called for.
CALLS_TOGETHER: Final[dict[str, Callable[..., Any]]] = {
    **CALLS, "compare": compare, "trend": trend, "fleet": fleet
}  # fmt: skip
#: Calls that import a database, which reserves more addresses than a worker has for a report.
SPACIOUS: Final = ("fleet",)
#: Times the memory of a worker.
SPACE: Final = 4
