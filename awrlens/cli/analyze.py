"""Diagnosis and advice for reports, the work of ``awrlens analyze`` (see ``analyze_command``)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from awrlens import api, config
from awrlens.advice.mttr import Request
from awrlens.cli import batch, output
from awrlens.cli.analyze_output import FIRST_SCREEN, Detail, Printer, render
from awrlens.errors import (
    NotAReportError,
    UnknownInputError,
    UsageError,
)
from awrlens.records import NamedTuple
from awrlens.report.report import Report

if TYPE_CHECKING:
    from awrlens.model import Analysis
    from awrlens.model.chart_data import Exhibits
    from awrlens.recovery.judge import Wanted
    from awrlens.redact.names import Names
    from awrlens.sqlserver.events import Log


class Analysed(NamedTuple):
    """An analysis, and its chart data if an HTML page is requested."""

    analysis: Analysis
    shown: Exhibits | None


class Asked(NamedTuple):
    """What the caller gives besides the reports: configuration and recovery times."""

    options: config.Options
    desired_mttr: float | None = None
    rac: bool | None = None
    init_time_avg: float | None = None
    fopen_time_avg: float | None = None
    datafiles: int | None = None
    with_page: bool = False
    names: Names | None = None
    #: Known recovery values for alert logs: the target, the estimates of a report.
    wanted: Wanted | None = None
    only_logs: bool = False

    def analyse(self, report: Report | Log, path: str) -> Analysed:
        """Analyze one report of a file."""
        if self.only_logs:
            raise NotAReportError(
                "This is a report, not an alert log.", source=path,
                hint=f"`awrlens analyze {path}` reads it; --report uses its estimates.",
            )  # fmt: skip
        loaded = config.load(path, self.options)
        policy = loaded.policy
        analysis = api.analyze(report, policy, self._request(report))
        if any(loaded.additions) and isinstance(report, Report):
            from awrlens import own_checks  # noqa: PLC0415 - few have any
            from awrlens.cli import own_rules  # noqa: PLC0415

            analysis = own_checks.with_own(
                analysis, own_rules.of(loaded), policy, names=self.names, report=report
            )
        shown = api.exhibits(report, analysis, policy) if self.with_page else None
        return Analysed(analysis, shown)

    def _request(self, report: Report | Log) -> Request:
        rac = self.rac
        if rac is None:
            rac = isinstance(report, Report) and bool(report.identity.rac)
        return Request(
            self.desired_mttr, rac, self.init_time_avg, self.fopen_time_avg, self.datafiles
        )

    def other(self, problem: UnknownInputError, path: str) -> Analysed | None:
        """Analyze an alert log; None if the input is not an alert log."""
        from awrlens.recovery import alertlog, judge, measure  # noqa: PLC0415 - for logs only

        if not alertlog.is_alert_log(problem.text):
            return None
        policy = config.load(path, self.options).policy
        wanted = self.wanted or judge.Wanted(self.desired_mttr)
        analysis = measure.measure(problem.text, problem.source or path, wanted, policy)
        if self.names is not None:
            analysis = measure.without_names(analysis, self.names.of)
        if not self.with_page:
            return Analysed(analysis, None)
        from awrlens.model.chart_data import Exhibits  # noqa: PLC0415 - for pages only

        return Analysed(analysis, Exhibits())


def plain(reports: tuple[str, ...], format_: str) -> int:
    """The command without other options; returns the exit status."""
    asked = Asked(config.Options(), with_page=format_ == "html")
    return run(reports, asked, format_, None, None)


def run(
    reports: tuple[str, ...], asked: Asked, format_: str, html_file: str | None, jobs: int | None,
    detail: Detail = FIRST_SCREEN,
) -> int:  # fmt: skip
    """Read, analyze and print reports; returns the exit status."""
    from awrlens.source.open import inputs  # noqa: PLC0415 - not for --help

    output.check((html_file,), reports)
    found = inputs(reports)
    loaded = config.load(reports[0], asked.options)
    if any(loaded.additions):
        from awrlens.cli import own_rules  # noqa: PLC0415 - few have any

        own_rules.complain(loaded)
    if detail.explain and not any(loaded.additions):
        _check_names(detail.explain)
    printed = partial(render, format_=format_, detail=detail)
    work = batch.Work(
        asked.analyse, printed, asked.names, logs=not asked.only_logs, other=asked.other
    )
    # one process assigns all pseudonyms, so that they are unique and the map is complete
    results = batch.run(found, work, 1 if asked.names else jobs)
    printer = Printer(format_, many=len(found) > 1, verbose=detail.verbose)
    status = printer.all(results)
    if printer.pages:
        from awrlens.cli import pages  # noqa: PLC0415 - jinja2 only for a page
        from awrlens.render.html import render as fill  # noqa: PLC0415

        pages.put(
            fill(printer.pages, pages.extras(loaded, bare=asked.names is not None), printer.unread),
            html_file,
        )
    return status


def _check_names(ids: tuple[str, ...]) -> None:
    """UsageError for an unknown finding or action."""
    from awrlens import nearest, rules  # noqa: PLC0415 - few ask
    from awrlens.recommendations import CATALOGUE  # noqa: PLC0415

    known = [*rules.RULES, *CATALOGUE]
    for each in ids:
        if each not in known:
            raise UsageError(
                f"Unknown finding or action {each!r}.",
                hint=nearest.hint(each, known, "`awrlens rules` lists the findings."),
            )
