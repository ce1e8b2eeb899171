"""What a worker process does with several uploads: comparison, trend, fleet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from awrlens import api, config
from awrlens.cli import analyze
from awrlens.errors import NotAReportError, UsageError
from awrlens.render.json import document
from awrlens.report.report import Report
from awrlens.serve import fleet as of_fleet
from awrlens.serve import work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from awrlens.model.comparison import Reading
    from awrlens.render.blocks import Page
    from awrlens.serve.work import Upload


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
    from awrlens.render.compare_page import page  # noqa: PLC0415 - only if requested

    return _put(page(found), options, format_)


def _put(page: Page, options: config.Options, format_: str) -> str:
    from awrlens.render import as_html, as_markdown  # noqa: PLC0415 - only if requested

    if format_ == "md":
        return as_markdown.text(page)
    return as_html.text(page, work.extras_of(options))


def _reports(upload: Upload) -> list[Report]:
    """The Oracle reports of an upload; logs cannot be compared."""
    asked = analyze.Asked(config.Options(isolated=True))
    results = work.results_of(upload, lambda report, _: report, lambda found: found, asked.other)
    return [each.rendered for each in results if isinstance(each.rendered, Report)]


def _readings(side: Sequence[Upload], policy: Any) -> list[Reading]:  # noqa: ANN401
    found = [api.read(report, policy) for upload in side for report in _reports(upload)]
    if not found:
        raise NotAReportError("No report of this side can be compared.", hint="Select a report.")
    return sorted(found, key=lambda each: str(each.report["begin_time"] or ""))


def trend(uploads: Sequence[Upload], options: config.Options, format_: str) -> str:
    """Many reports in the order of time."""
    from awrlens import interval_series  # noqa: PLC0415 - only if requested
    from awrlens.series.differences import DEFAULT  # noqa: PLC0415

    policy = config.load("report", options).policy
    shown = interval_series.quantities(DEFAULT)
    needed = interval_series.needed(shown)
    found = [
        window
        for upload in uploads
        for report in _reports(upload)
        for window in interval_series.windows_of(report, needed, policy)
    ]
    if not found:
        raise NotAReportError("No report has an interval.", hint="Select Oracle reports.")
    result = interval_series.trend(found, shown, policy, [])
    if format_ == "json":
        return document(result.to_dict()) + "\n"
    if format_ == "md":
        from awrlens.render import as_markdown  # noqa: PLC0415
        from awrlens.render.trend_page import page  # noqa: PLC0415

        return as_markdown.text(page(result))
    from awrlens.render.trend_html import render  # noqa: PLC0415

    return render(result, work.extras_of(options))


def fleet(asked: of_fleet.Asked, options: config.Options, format_: str) -> str:
    """All databases of some intervals, the worst first."""
    found = of_fleet.judged(asked, config.load("report", options).policy)
    if format_ == "json":
        return document(found.to_dict()) + "\n"
    from awrlens.render.fleet_page import page  # noqa: PLC0415 - only if requested

    return _put(page(found), options, format_)


#: What a worker can be called for.
CALLS: Final[dict[str, Callable[..., Any]]] = {
    **work.CALLS, "compare": compare, "trend": trend, "fleet": fleet
}  # fmt: skip
#: Calls that import a database, which reserves more addresses than a worker has for a report.
SPACIOUS: Final = ("fleet",)
#: Times the memory of a worker.
SPACE: Final = 4
