"""Diagnosis and advice for reports, the work of ``awrlens analyze`` (see ``analyze_command``)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from awrlens import api, config
from awrlens.advice.mttr import Request
from awrlens.cli import batch, output
from awrlens.cli.console import complain, echo, sentence
from awrlens.errors import EXIT_OK, EXIT_UNREADABLE, OtherReportError, UsageError
from awrlens.lazy import NamedTuple
from awrlens.model import SCHEMA_VERSION
from awrlens.report.report import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from awrlens.errors import AwrlensError
    from awrlens.extensions import OtherInput
    from awrlens.model import Analysis
    from awrlens.model.chart_data import Exhibits
    from awrlens.redact.names import Names
    from awrlens.render.layout import Row


class Detail(NamedTuple):
    """The level of detail: the first screen, everything, or some findings."""

    verbose: bool = False
    explain: tuple[str, ...] = ()
    #: The page is one sheet.
    sheet: bool = False


FIRST_SCREEN: Final = Detail()


#: Without an id, `--explain` is of every finding.
EVERY: Final = "findings"


class Rendered(NamedTuple):
    """The printed form of a report, and its part of the HTML page if one is requested."""

    shown: Any
    page: dict[str, Any] | None
    row: Row | None = None


def rendered(
    report: Report | OtherInput, path: str, asked: Asked, format_: str,
    detail: Detail = FIRST_SCREEN,
) -> Rendered:  # fmt: skip
    """The analysis of a report in a format of ``awrlens analyze``."""
    analysis, exhibits = asked.analyse(report, path)
    page, row = None, None
    shown: Any = None
    if exhibits is not None:
        from awrlens.render.html import page as lay_out

        page = lay_out(analysis, exhibits, sheet=detail.sheet)
    if format_ == "text":
        from awrlens.render import layout

        every = [finding.id for finding in analysis.findings] * (EVERY in detail.explain)
        if ids := [id_ for id_ in detail.explain if id_ != EVERY] or every:
            shown = list(layout.explained(analysis, ids, output.width()))
        else:
            shown = list(layout.page(analysis, output.width(), verbose=detail.verbose))
        row = layout.row(analysis) if detail == FIRST_SCREEN else None
    elif format_ == "brief":
        from awrlens.render import handover, layout

        shown, row = "\n".join(handover.brief(analysis)), layout.row(analysis)
    elif format_ == "markdown":
        from awrlens.render.markdown import render

        shown = render(analysis)
    elif format_ != "html":
        from awrlens.render.json import document

        shown = document(analysis.to_dict(), compact=format_ == "jsonl")
    return Rendered(shown, page, row)


def error_document(name: str, problem: AwrlensError) -> dict[str, Any]:
    """The JSON document for a report that cannot be read."""
    return {
        "schema_version": SCHEMA_VERSION,
        "source": name,
        "error": {"message": sentence(problem), "line": problem.line},
    }


#: Up to this number, reports are printed in full below their list.
_FEW: Final = 3


class Printer:
    """Prints results as they arrive; several JSON documents form an array, many reports a list."""

    def __init__(self, format_: str, *, many: bool, verbose: bool) -> None:
        self._verbose = verbose
        self._format = format_
        self._many = many
        self._printed = 0
        #: Reports that wait until their number is known.
        self._held: list[Rendered] = []
        self._skipped: list[str] = []
        self._others = False
        #: The problems of reports that could not be read; they fail.
        self.unread: list[tuple[str, bool]] = []
        self.pages: list[dict[str, Any]] = []

    def all(self, results: Iterator[batch.Result]) -> int:
        """Print everything; returns the exit status."""
        status = EXIT_OK
        for result in results:
            if result.skipped:
                if isinstance(result.problem, OtherReportError) and not self._others:
                    complain(result.problem)  # what to give instead, once
                    self._others = True
                else:
                    self._skipped.append(result.name)
                continue
            if result.problem is not None:
                complain(result.problem)
                status = max(status, result.problem.exit_code)
            self._take(result)
        self._end()
        return status if self._printed or self.pages or status != EXIT_OK else EXIT_UNREADABLE

    def _take(self, result: batch.Result) -> None:
        """Print a result, or hold it until the number of results is known."""
        if result.problem is not None:
            place = error_document(result.name, result.problem)
            from awrlens.render.wording import file_name

            self.unread.append((f"{file_name(result.name)}: {place['error']['message']}", True))
            if self._format == "jsonl" or (self._format == "json" and self._many):
                from awrlens.render.json import document

                self._put(document(place, compact=self._format == "jsonl"))
            return
        view: Rendered = result.value
        if view.page is not None:
            self.pages.append(view.page)
        if view.shown is None:
            return
        if self._format == "json" and not self._many:
            if not self._held:
                self._held.append(view)
                return
            self._many = True  # an array only if a second report follows
            self._put(self._held.pop().shown)
        if view.row is not None:
            keep = len(self._held) < _FEW or self._format == "brief"
            self._held.append(view if keep else view._replace(shown=None))
            return
        self._put(view.shown)

    def _end(self) -> None:
        if self._format == "json":
            if self._held:
                echo(self._held.pop().shown)
                self._printed += 1
            elif self._many:
                echo("\n]" if self._printed else "[]")
        brief = self._format == "brief"
        few = brief or len(self._held) <= _FEW
        if len(self._held) > 1:
            from awrlens.render import layout

            self._held.sort(key=lambda view: layout.urgency(view.row) if view.row else ())
            rows = [view.row for view in self._held if view.row is not None]
            unread = [text for text, _ in self.unread]
            if not brief:
                output.show(layout.page_of_many(rows, output.width(), unread, followed=few))
                self._printed += len(rows)
        if few:
            for view in self._held:
                self._put(view.shown)
        output.skipped(self._skipped, None if self._verbose else output.NAMED)

    def _put(self, text: Any) -> None:  # noqa: ANN401 - text or laid-out lines
        if self._format == "json":
            indented = "\n".join(f"  {line}" for line in text.split("\n"))
            echo(("[\n" if not self._printed else ",\n") + indented, nl=False)
        else:
            if self._printed and self._format in ("text", "brief"):
                echo("")
            if self._format == "text":
                output.show(text)
            else:
                echo(text)
        self._printed += 1


class Asked(NamedTuple):
    """What the caller gives besides the reports."""

    options: config.Options
    request: Request = Request()
    #: None: as in the report.
    rac: bool | None = None
    with_page: bool = False
    names: Names | None = None
    #: Gives the only kind of input that the command takes, or raises NotAReportError.
    only: Callable[[Report | OtherInput, str], OtherInput] | None = None

    def analyse(self, report: Report | OtherInput, path: str) -> tuple[Analysis, Exhibits | None]:
        """Analyze one report of a file, or another input; with chart data for an HTML page."""
        if self.only is not None:
            report = self.only(report, path)
        loaded = config.load(path, self.options)
        policy = loaded.policy
        rac = self.rac
        if rac is None:
            rac = isinstance(report, Report) and bool(report.identity.rac)
        analysis = api.analyze(report, policy, self.request._replace(rac=rac))
        if any(loaded.additions) and isinstance(report, Report):
            from awrlens.cli import own_rules

            own = own_rules.of(loaded.additions)
            analysis = own_rules.with_own(analysis, report, own, policy, self.names)
        return analysis, api.exhibits(report, analysis, policy) if self.with_page else None


def run(
    reports: tuple[str, ...], asked: Asked, format_: str, html_file: str | None, jobs: int | None,
    detail: Detail = FIRST_SCREEN,
) -> int:  # fmt: skip
    """Read, analyze and print reports; returns the exit status."""
    from awrlens.source.open import inputs

    output.check((html_file,), reports)
    files = inputs(reports)
    loaded = config.load(reports[0], asked.options)
    if any(loaded.additions):
        from awrlens.cli import own_rules

        own_rules.complain(loaded)
    elif detail.explain:
        _check_names(detail.explain)
    call = partial(rendered, asked=asked, format_=format_, detail=detail)
    work = batch.Work(call, asked.names, logs=asked.only is None, others=True)
    # one process assigns all pseudonyms, so that they are unique and the map is complete
    results = batch.run(files, work, 1 if asked.names else jobs)
    printer = Printer(format_, many=len(files) > 1, verbose=detail.verbose)
    status = printer.all(results)
    if printer.pages:
        bare = asked.names is not None
        whole = output.of_reports(printer.pages, loaded, printer.unread, bare=bare)
        output.deliver(f"{whole}\n", html_file)
    return status


def _check_names(ids: Sequence[str]) -> None:
    from awrlens import errors, rules
    from awrlens.advice.plan import CATALOGUE
    from awrlens.facts.registry import FACTS

    facts = [fact.name for fact in FACTS]
    names = [*rules.table(), *CATALOGUE, EVERY, *facts]
    for name in ids:
        if name not in names and not any(fact.startswith(f"{name}.") for fact in facts):
            raise UsageError(
                f"Unknown finding, action or fact {name!r}.",
                hint=errors.hint(name, names, "`awrlens rules` lists the findings."),
            )
