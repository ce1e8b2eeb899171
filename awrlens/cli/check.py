"""``awrlens check`` and ``awrlens baseline``: does a report pass, and what is known of it."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from awrlens import __version__, api, config
from awrlens.check import baseline as known_findings
from awrlens.check import collect, regress, selection
from awrlens.checked import CheckRun, RulePage, Unread
from awrlens.cli import batch, complain, output, own
from awrlens.cli.options import configured, redacted
from awrlens.errors import (
    EXIT_FINDINGS,
    EXIT_OK,
    EXIT_UNREADABLE,
    AwrlensError,
    NotAReportError,
    UsageError,
)
from awrlens.report.report import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from awrlens.check.baseline import Baseline
    from awrlens.checked import CheckedReport
    from awrlens.contrast import Reading
    from awrlens.exhibits import Exhibits
    from awrlens.model import Analysis, Fact
    from awrlens.redact.names import Names
    from awrlens.sqlserver.events import Log

#: Formats and the module of ``render.pipeline`` that writes each; others are written here.
FORMATS: Final = {
    "text": "", "json": "", "jsonl": "", "html": "", "markdown": "summary", "sarif": "sarif",
    "junit": "junit", "github": "github", "gitlab": "gitlab", "csv": "table",
}  # fmt: skip


class Target(NamedTuple):
    """A format and the file that it goes to; None for standard output."""

    format: str
    file: str | None


def targets(asked: tuple[str, ...]) -> list[Target]:
    """``FORMAT`` or ``FORMAT=FILE``; UsageError for no format, or for two on one output."""
    found = []
    for text in asked or ("text",):
        name, sign, file = text.partition("=")
        name = name.strip().lower()
        if name not in FORMATS:
            from difflib import get_close_matches  # noqa: PLC0415 - only for a mistake

            near = get_close_matches(name, FORMATS, n=1)
            hint = f"Did you mean {near[0]}? " if near else ""
            raise UsageError(
                f"There is no output {name!r}.", hint=f"{hint}Outputs are {', '.join(FORMATS)}."
            )
        if sign and not file.strip():
            raise UsageError(f"{text!r} names no file.", hint=f"For example {name}=result.")
        found.append(Target(name, file.strip() if sign and file.strip() != "-" else None))
    places = [each.file for each in found]
    twice = next((place for place in places if places.count(place) > 1), "")
    if twice != "":
        where = twice or "standard output"
        raise UsageError(
            f"Two outputs go to {where}.", hint="Give all but one a file: sarif=out.sarif."
        )
    return found


class Asked(NamedTuple):
    """What the caller asks for, which every report's own configuration is laid under."""

    options: config.Options
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: tuple[str, ...] = ()
    baseline: str | None = None
    today: date | None = None
    with_page: bool = False
    with_baseline: bool = True
    #: Reports before, by database and instance, and what they are called.
    against: tuple[tuple[tuple[str, str], tuple[Reading, ...]], ...] = ()
    against_name: str = ""
    names: Names | None = None

    def settings(self, loaded: config.Loaded) -> selection.Settings:
        """What holds for a report: the caller's words in the place of the configuration's."""
        base = loaded.check
        return base._replace(
            select=self.select or base.select,
            extend_select=(*base.extend_select, *self.extend_select),
            ignore=(*base.ignore, *self.ignore),
            fail_on=self.fail_on or base.fail_on,
        )

    def analyse(self, report: Report | Log, path: str) -> _Analysed:
        """One report, with what its configuration says."""
        loaded = config.load(path, self.options)
        added = own.of(loaded)
        analysis = api.analyze(report, loaded.policy)
        if isinstance(report, Report):
            analysis = api.with_own(
                analysis, added, loaded.policy, self._facts_before(report), self.names
            )
        shown = api.exhibits(report, analysis, loaded.policy) if self.with_page else None
        file = self.baseline or loaded.baseline if self.with_baseline else None
        known = known_findings.load(file) if file else {}
        before = self._before(report, loaded) if self.against else None
        gate = collect.Gate(self.settings(loaded), known, self.today or _today(), before, path)
        return _Analysed(analysis, shown, gate)

    def _facts_before(self, report: Report) -> Mapping[str, Fact] | None:
        """The facts that `baseline.` means in a budget: of the last report of --against."""
        part = report.periods[1] if report.periods else report
        who = _who(part.identity.to_dict())
        readings = dict(self.against).get(who) or (
            self.against[0][1] if len(self.against) == 1 else ()
        )
        return readings[-1].facts if readings else None

    def _before(self, report: Report | Log, loaded: config.Loaded) -> regress.Before:
        """The comparison with what was before: of this database and instance, or the only ones."""
        if not isinstance(report, Report):
            raise UsageError(
                "--against compares reports of Oracle.", source=report.source,
                hint="`awrlens sqlserver compare` compares checkpoints of SQL Server.",
            )  # fmt: skip
        now = api.read(report, loaded.policy)
        readings = dict(self.against).get(_who(now.report))
        if readings is None and len(self.against) == 1:
            readings = self.against[0][1]
        if readings is None:
            raise UsageError(
                f"--against has no report of {now.report['db_name']}/{now.report['instance']}.",
                source=report.source, hint="Compare reports of one database and instance.",
            )  # fmt: skip
        contrast = api.compare(readings, [now], loaded.policy)
        before = regress.Before(contrast, self.against_name, {})
        return before._replace(events=api.waits(report, [each.about for each in before.worse]))


def _who(report: Mapping[str, Any]) -> tuple[str, str]:
    return str(report["db_name"] or ""), str(report["instance"] or "").lower()


class _Analysed(NamedTuple):
    analysis: Analysis
    shown: Exhibits | None
    gate: collect.Gate


class Checked(NamedTuple):
    """A checked report, and its part of the HTML page if there is to be one."""

    report: CheckedReport
    page: dict[str, Any] | None


def _today() -> date:
    return date.today()  # noqa: DTZ011 - a day of the place where the check runs


def _checked(found: _Analysed) -> Checked:
    from awrlens.render import present  # noqa: PLC0415 - not for --help

    page = None
    if found.shown is not None:
        from awrlens.render.html import page as lay_out  # noqa: PLC0415 - only for a page

        page = lay_out(found.analysis, found.shown)
    analysis = found.analysis
    label = present.identity(analysis)
    headline = present.headline(analysis)
    return Checked(collect.report(analysis, label, headline, found.gate), page)


def checked_reports(
    reports: tuple[str, ...], asked: Asked, jobs: int | None, *, skip_others: bool = False
) -> Iterator[Checked | Unread]:
    """Every report checked, in order; what cannot be read is told and comes as such."""
    from awrlens.source.open import inputs  # noqa: PLC0415 - not for --help

    found = inputs(reports)
    work = batch.Work(asked.analyse, _checked, asked.names, logs=True)
    for result in batch.run(found, work, 1 if asked.names else jobs):
        other = skip_others and isinstance(result.problem, NotAReportError)
        if result.skipped or other:
            continue
        if result.problem is not None:
            complain(result.problem)
            problem = result.problem
            message = f"{problem.message} {problem.hint}".strip()
            yield Unread(problem.source or result.name, message, problem.line)
        elif isinstance(result.rendered, Checked):
            yield result.rendered


def _selectors(context: click.Context, parameter: click.Parameter, value: Any) -> tuple[str, ...]:  # noqa: ANN401, ARG001 - click's signature
    """Selectors with commas between, or the option repeated."""
    parts = [part.strip() for text in value for part in text.split(",")]
    return tuple(part for part in parts if part)


def selecting(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that `check` and `baseline` share."""
    for option in reversed((
        click.option("--select", multiple=True, metavar="RULES", callback=_selectors,
                     help="Rules that count: ids, names, beginnings of ids (REDO) [default: ALL]."),
        click.option("--extend-select", multiple=True, metavar="RULES", callback=_selectors,
                     help="Rules that count beside those that are selected."),
        click.option("--ignore", multiple=True, metavar="RULES", callback=_selectors,
                     help="Rules that do not count; the longer name decides."),
        click.option("-j", "--jobs", type=click.IntRange(1), metavar="N",
                     help="Read up to N reports at a time [default: one for each processor]."),
    )):  # fmt: skip
        command = option(command)
    return command


@click.command()
@click.argument("reports", nargs=-1, required=True, metavar="REPORT...")
@click.option(
    "--fail-on",
    multiple=True,
    metavar="SEVERITY|RULES",
    callback=_selectors,
    help="What fails: critical, warning or info and above, or rules by id, name or beginning "
    "[default: warning].",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 in spite of findings.")
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="FORMAT[=FILE]",
    help=f"{', '.join(FORMATS)}; may be repeated [default: text].",
)
@click.option("--baseline", metavar="FILE", help="Findings that are known: only new ones fail.")
@click.option(
    "--against",
    metavar="OLD",
    help="Reports before: only what is new or got worse beyond noise fails.",
)
@click.option(
    "--skip-others", is_flag=True, help="Leave out files that are no reports, instead of failing."
)
@selecting
@configured
@redacted
def check(
    reports: tuple[str, ...], fail_on: tuple[str, ...], exit_zero: bool, outputs: tuple[str, ...],
    baseline: str | None, against: str | None, skip_others: bool, select: tuple[str, ...],
    extend_select: tuple[str, ...], ignore: tuple[str, ...], jobs: int | None,
    options: config.Options, names: Names | None,
) -> int:  # fmt: skip
    """Fail where a report has findings at or above a severity, in a pipeline's own language.

    Exit status: 0 nothing fails, 1 something does, 2 the call or configuration is wrong, 3 an
    input could not be read (the others are checked and written).

    \b
    Examples:
      awrlens check reports/*.html
      awrlens check report.html --fail-on critical --output text --output sarif=awrlens.sarif
      awrlens check report.html --select REDO --ignore REDO006 --output github
      awrlens check report.html --baseline awrlens-baseline.json --output junit=junit.xml
      awrlens check new.html --against old.html
    """  # noqa: D301 - \b is for click
    wanted = targets(outputs)
    asked = resolved(
        Asked(
            options, select, extend_select, ignore, fail_on, baseline,
            with_page=any(each.format == "html" for each in wanted), names=names,
        ),
        reports[0],
    )  # fmt: skip
    own.complain(config.load(reports[0], options))
    if against is not None:
        name = names.file(against) if names else against
        asked = asked._replace(against=_earlier(against, options, names), against_name=name)
    found = list(checked_reports(reports, asked, jobs, skip_others=skip_others))
    run = _run(found, reports, asked, exit_zero=exit_zero)
    if skip_others and not found:
        run = run._replace(status=EXIT_OK)
    for each in wanted:
        _put(each, run, found, reports, asked)
    return run.status


def _earlier(
    against: str, options: config.Options, names: Names | None
) -> tuple[tuple[tuple[str, str], tuple[Reading, ...]], ...]:
    """The reports before, by database and instance; what cannot be read of them is an error."""
    from awrlens.source.open import inputs  # noqa: PLC0415 - not for --help

    found: dict[tuple[str, str], list[Reading]] = {}
    policy = config.load(against, options).policy
    for each in inputs((against,)):
        for report in api.load_all(each.path, names=names):
            if isinstance(report, AwrlensError):
                if each.named:
                    raise report
                continue
            reading = api.read(report.periods[1] if report.periods else report, policy)
            found.setdefault(_who(reading.report), []).append(reading)
    if not found:
        raise UsageError(f"There is no report in {against}.", hint="Check --against.")
    return tuple((who, tuple(readings)) for who, readings in found.items())


def resolved(asked: Asked, report: str) -> Asked:
    """The caller's selectors, each checked to mean a rule; own rules are those of a report."""
    found = selection.checked(
        selection.Settings(
            asked.select, asked.extend_select, asked.ignore, fail_on=asked.fail_on
        ),
        config.known_rules(config.load(report, asked.options).additions),
    )  # fmt: skip
    return asked._replace(
        select=found.select if asked.select else (), extend_select=found.extend_select,
        ignore=found.ignore, fail_on=found.fail_on, today=_today(),
    )  # fmt: skip


def _run(
    found: list[Checked | Unread], reports: tuple[str, ...], asked: Asked, *, exit_zero: bool
) -> CheckRun:
    done = tuple(each.report for each in found if isinstance(each, Checked))
    unread = tuple(each for each in found if isinstance(each, Unread))
    loaded = config.load(reports[0], asked.options)
    status = EXIT_OK
    if any(report.failing for report in done) and not exit_zero:
        status = EXIT_FINDINGS
    if unread or not done:
        status = EXIT_UNREADABLE
    file = asked.baseline or loaded.baseline
    shown = Path(file).name if file and asked.names else file or ""
    notes = tuple(_about(known_findings.load(file), shown, done)) if file else ()
    return CheckRun(
        __version__,
        asked.settings(loaded).fail_on,
        done,
        unread,
        _pages(own.of(loaded), against=bool(asked.against)),
        notes,
        status,
    )


def _about(baseline: Baseline, file: str, done: tuple[CheckedReport, ...]) -> Iterator[str]:
    """What is to be said of a baseline: what has expired, and what is not found any more."""
    issues = [issue for report in done for issue in report.issues]
    told = known_findings.compare(issues, baseline, _today())
    for each in told.expired:
        yield f"{file}: {each.rule} of {each.database} was accepted until {each.expires}."
    databases = {str(report.report.get("db_name") or "") for report in done}
    gone = [each.rule for each in told.gone if each.database in databases]
    if gone:
        yield (
            f"{file}: no longer found: {', '.join(sorted(set(gone)))}; `awrlens baseline update` "
            "takes them out."
        )


def _pages(added: api.Own, *, against: bool) -> dict[str, RulePage]:
    """What pipelines show of each rule."""
    from awrlens import rules  # noqa: PLC0415 - not for --help

    found = {
        rule.id: _page(rule.id, rule.name, rule.title, rule.status, rule.page)
        for rule in (*rules.all_rules(), *added.rules)
    }
    for budget in added.budgets:
        from awrlens import budgets  # noqa: PLC0415 - few have any

        said = budgets.document(budget)
        page = said["page"]
        found[budget.id] = _page(budget.id, budget.name, said["title"], said["status"], page)
    if against:
        rule, name, title = regress.RULE
        found[rule] = _page(rule, name, title, "preview", regress.page())
    return found


def _page(rule: str, name: str, title: str, status: str, page: Mapping[str, str]) -> RulePage:
    text = "\n\n".join(f"**{heading}**\n\n{body}" for heading, body in page.items())
    tells = " ".join(page["What it tells you"].split())
    fix = " ".join(page.get("What to do", "").split())
    return RulePage(rule, name, title, status, tells, fix, text)


def _put(
    target: Target, run: CheckRun, found: list[Checked | Unread], reports: tuple[str, ...],
    asked: Asked,
) -> None:  # fmt: skip
    """One output, to its file or to standard output."""
    if target.format == "text" and target.file is None:
        from awrlens.render.pipeline.console import page  # noqa: PLC0415

        output.show(page(run, output.width()))
        return
    text = _text(target.format, run, found, reports, asked)
    if target.file is None:
        click.echo(text, nl=False)
    else:
        output.write_file(target.file, text)


def _text(
    name: str, run: CheckRun, found: list[Checked | Unread], reports: tuple[str, ...], asked: Asked
) -> str:
    from awrlens.render.json import document  # noqa: PLC0415 - not for --help

    if name == "json":
        return document(run.to_dict()) + "\n"
    if name == "jsonl":
        lines = [document(each.to_dict(), compact=True) for each in run.reports]
        lines += [
            document({"source": e.source, "error": {"message": e.message, "line": e.line}},
                     compact=True)
            for e in run.unread
        ]  # fmt: skip
        return "".join(f"{line}\n" for line in lines)
    if name == "html":
        from awrlens.cli import pages  # noqa: PLC0415 - jinja2 only for a page
        from awrlens.render.html import render  # noqa: PLC0415

        parts = [each.page for each in found if isinstance(each, Checked) and each.page]
        if not parts:
            raise UsageError("There is no report to make a page of.")
        loaded = config.load(reports[0], asked.options)
        return render(parts, pages.extras(loaded, bare=asked.names is not None))
    if name == "text":
        from awrlens.render.pipeline.console import page  # noqa: PLC0415
        from awrlens.render.plain import text  # noqa: PLC0415

        return text(page(run, output.width()))
    from importlib import import_module  # noqa: PLC0415

    module = import_module(f"awrlens.render.pipeline.{FORMATS[name]}")
    rendered: str = module.render(run)
    return rendered


@click.group()
def baseline() -> None:
    """Accept findings for a time: make, renew and look at a baseline.

    \b
    Examples:
      awrlens baseline create report.html --reason "log move is planned" --expires 90d
      awrlens check report.html --baseline awrlens-baseline.json
      awrlens baseline update report.html
      awrlens baseline diff report.html
    """  # noqa: D301 - \b is for click


_FILE = click.option(
    "--baseline", "file", metavar="FILE",
    help="The baseline [default: the configuration's, else awrlens-baseline.json].",
)  # fmt: skip
_REASON = click.option("--reason", metavar="TEXT", help="Why new findings are accepted.")
_EXPIRES = click.option(
    "--expires", metavar="DAY", help="Their last day: 2027-01-31, or 90d from now [default: none]."
)
_DEFAULT: Final = "awrlens-baseline.json"


@baseline.command()
@click.argument("reports", nargs=-1, required=True, metavar="REPORT...")
@_FILE
@_REASON
@_EXPIRES
@click.option("--force", is_flag=True, help="Write over a baseline that is there.")
@selecting
@redacted
@configured
def create(reports: tuple[str, ...], force: bool, **others: Any) -> int:  # noqa: ANN401 - options
    """Accept every finding of REPORT... from now on."""
    work = _Baseline(reports, **others)
    if Path(work.file).exists() and not force:
        raise UsageError(
            "There is a baseline already.", source=work.file,
            hint="`awrlens baseline update` adds to it; --force writes over it.",
        )  # fmt: skip
    return work.write({})


@baseline.command()
@click.argument("reports", nargs=-1, required=True, metavar="REPORT...")
@_FILE
@_REASON
@_EXPIRES
@selecting
@redacted
@configured
def update(reports: tuple[str, ...], **others: Any) -> int:  # noqa: ANN401 - options
    """Accept what is new or has expired, and drop what is no longer found; the rest stays."""
    work = _Baseline(reports, **others)
    return work.write(known_findings.load(work.file))


@baseline.command()
@click.argument("reports", nargs=-1, required=True, metavar="REPORT...")
@_FILE
@selecting
@redacted
@configured
def diff(reports: tuple[str, ...], **others: Any) -> int:  # noqa: ANN401 - options
    """Show what is new, known, expired and gone; exit with 1 where something is new or expired."""
    work = _Baseline(reports, reason=None, expires=None, **others)
    told = known_findings.compare(work.issues, known_findings.load(work.file), _today())
    lines = [
        *(f"new      {each.id} {each.title}" for each in told.new),
        *(f"expired  {each.rule} {each.title} (until {each.expires}: {each.reason})"
          for each in told.expired),
        *(f"known    {each.rule} {each.title} ({each.reason})" for each in told.known),
        *(f"gone     {each.rule} {each.title}" for each in told.gone),
    ]  # fmt: skip
    from awrlens.render.present import safe  # noqa: PLC0415

    click.echo("\n".join(map(safe, lines)) or "Nothing is found, and nothing is known.")
    if work.unread:
        return EXIT_UNREADABLE
    return EXIT_FINDINGS if told.new else EXIT_OK


class _Baseline:
    """The findings of some reports against a baseline file."""

    def __init__(
        self, reports: tuple[str, ...], file: str | None, options: config.Options,
        select: tuple[str, ...], extend_select: tuple[str, ...], ignore: tuple[str, ...],
        jobs: int | None, reason: str | None, expires: str | None, names: Names | None,
    ) -> None:  # fmt: skip
        loaded = config.load(reports[0], options)
        self.file = file or loaded.baseline or _DEFAULT
        self._reason = (reason or "").strip()
        self._expires = known_findings.last_day(expires, _today()) if expires else None
        asked = resolved(Asked(options, select, extend_select, ignore, names=names), reports[0])
        self._reports: list[CheckedReport] = []
        self.unread = False
        # the configuration's own baseline may not be there yet, and does not count here
        for each in checked_reports(reports, asked._replace(with_baseline=False), jobs):
            if isinstance(each, Checked):
                self._reports.append(each.report)
            else:
                self.unread = True
        self.issues = [issue for report in self._reports for issue in report.issues]

    def write(self, before: Baseline) -> int:
        """The file with what is new on top of ``before``; told in a line."""
        told = known_findings.compare(self.issues, before, _today())
        if told.new and not self._reason:
            raise UsageError(
                f"{len(told.new)} findings are to be accepted without a reason.",
                hint='Say why: --reason "…".',
            )
        new = {each.fingerprint for each in told.new}
        fresh = [
            known_findings.entry(issue, report.report, self._reason, _today(), self._expires)
            for report in self._reports
            for issue in report.issues
            if issue.fingerprint in new
        ]
        found = known_findings.updated(before, fresh, told.gone)
        output.write_file(self.file, known_findings.dump(found))
        click.echo(
            f"{self.file}: {len(new)} accepted, {len(told.gone)} taken out, {len(found)} in all."
        )
        return EXIT_UNREADABLE if self.unread else EXIT_OK
