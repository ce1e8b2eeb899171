"""What ``check`` and ``baseline`` share: their options, the earlier reports, the judged reports."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from awrlens import api, config, errors, rules
from awrlens.checks import baseline as known_findings
from awrlens.checks import budget_windows, collect, regress, selection
from awrlens.checks.selection import Settings
from awrlens.cli import batch, own_rules
from awrlens.cli import options as complete
from awrlens.cli.console import complain as on_stderr
from awrlens.cli.console import sentence
from awrlens.config import choices
from awrlens.errors import UnreadableError, UsageError
from awrlens.lazy import NamedTuple
from awrlens.model import Note, Skipped
from awrlens.model.check_run import NOTHING, UNRECOGNISED, Unread
from awrlens.report.report import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from awrlens.extensions import OtherInput
    from awrlens.model import Analysis, Fact
    from awrlens.model.chart_data import Exhibits
    from awrlens.model.check_run import CheckedReport
    from awrlens.model.comparison import Reading
    from awrlens.policy import Policy
    from awrlens.redact.names import Names
    from awrlens.source.open import Input


#: Names of database, container and instance, in lower case.
Who: TypeAlias = tuple[str, str, str]


def names_of(report: Mapping[str, Any]) -> Who:
    """The names of a report's database, container and instance."""
    names = ("db_name", "container", "instance")
    db_name, container, instance = (str(report[name] or "").lower() for name in names)
    return db_name, container, instance


def is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two reports with the same names belong to one database; many are called ORCL.

    A database recreated on its host has another DB Id but counts as the same database.
    """
    ids = (one["db_id"], other["db_id"])
    hosts = (one["host"], other["host"])
    return None in ids or ids[0] == ids[1] or (None not in hosts and hosts[0] == hosts[1])


def described(report: Mapping[str, Any]) -> str:
    """Database and instance for a message."""
    db_id = f" (DB Id {report['db_id']})" if report["db_id"] else ""
    return f"{report['db_name'] or 'a database without a name'}/{report['instance']}{db_id}"


def earlier(
    asked: Asked, against: Sequence[str | Input], first: str, last: int | None = None
) -> Asked:
    """Add the earlier reports by database and instance, in time order, and what they are called.

    An unreadable file that the caller named is an error; duplicate intervals count once.
    """
    from awrlens.source.open import inputs

    by_who: dict[Who, dict[tuple[Any, ...], Reading]] = {}
    printed: dict[str, Mapping[str, Fact]] = {}
    before = inputs(against)
    policy = config.load(before[0].path, asked.options).policy
    added = own_rules.whole(config.load(first, asked.options))
    names = asked.names
    work = batch.Work(lambda report, _: (report, api.read(now_of(report), policy)), names)
    for file in before:
        for result in work.one_by_one(file):
            if result.problem is not None:
                if file.named and not result.skipped:
                    raise result.problem
                if not result.skipped:
                    on_stderr(result.problem)
                continue
            report, reading = result.value
            who = reading.report
            by_who.setdefault(names_of(who), {}).setdefault(budget_windows.interval(who), reading)
            if added.budgets and (more := own_rules.printed(now_of(report), added.budgets, names)):
                printed[str(who["source"])] = {n: f.detached() for n, f in more.items()}
    if not by_who:
        paths = ", ".join(file.path for file in before)
        raise UsageError(f"No report found in {paths}.", hint="Check --against.")
    sets = {
        who: tuple(sorted(readings.values(), key=lambda r: str(r.report["begin_time"] or "")))
        for who, readings in by_who.items()
    }
    name = ", ".join(names.file(e) if names else e for e in against if isinstance(e, str))
    if last is not None:
        name = f"the last {last} of {name}" if last > 1 else f"the one before in {name}"
    return asked._replace(against=sets, printed_before=printed, against_name=name, last=last)


def now_of(report: Report) -> Report:
    """The report itself, or the second period of a compare-period report."""
    return report.periods[1] if report.periods else report


def lacking(
    analysis: Analysis, *, breaks_off: bool, excerpt: bool, valid: bool
) -> tuple[str, ...]:  # fmt: skip
    """What an analysis lacks for a complete judgement, in words."""
    nothing = {skipped.rule for skipped in analysis.skipped}.issuperset(rules.oracle())
    parts = (analysis, *analysis.instances, *analysis.periods)
    notes = [note for part in parts for note in part.warnings]
    causes = (
        (any(note.contradicts for note in notes), "its figures contradict each other"),
        (breaks_off, "it is truncated"),
        (excerpt, "it is an excerpt without a report header"),
        (not valid, "the instance was restarted within its interval"),
        (any(note.unrecognised for note in notes), UNRECOGNISED),
        (nothing, NOTHING),
    )
    return tuple(text for holds, text in causes if holds)


def waits(report: Report, events: Iterable[str]) -> Mapping[str, Fact]:
    """The wait time in seconds of some events, by name; without missing events."""
    figures = api.figures_of(now_of(report))
    facts: dict[str, Fact] = {}
    for event in events:
        for total in (figures.background(event).total_s, figures.foreground(event).total_s):
            fact = total.fact().named(event, "s", ("foreground_events",))
            if fact.value is not None:
                facts[event] = fact
    return facts


class Asked(NamedTuple):
    """The request of the caller; it overrides the configuration of every report."""

    options: config.Options
    #: What is selected and what fails; where it is empty, the configuration decides.
    said: Settings = Settings((), fail_on=())
    baseline: str | None = None
    with_page: bool = False
    with_baseline: bool = True
    #: Earlier reports by database and instance, and their name.
    against: Mapping[Who, tuple[Reading, ...]] = {}
    against_name: str = ""
    #: Their values for budgets that use Oracle's own names, by source.
    printed_before: Mapping[str, Mapping[str, Fact]] = {}
    #: How many earlier reports are compared; None: all.
    last: int | None = None
    names: Names | None = None

    def settings(self, loaded: config.Loaded) -> Settings:
        """The settings for a report: those of the caller override the configuration."""
        base, said = loaded.check, self.said
        return base._replace(
            select=said.select or base.select, ignore=(*base.ignore, *said.ignore),
            fail_on=said.fail_on or base.fail_on, strict=said.strict or base.strict,
        )  # fmt: skip

    def gate(
        self, path: str, before: regress.Before | None = None, incomplete: tuple[str, ...] = (),
        applying: frozenset[str] = frozenset(),
    ) -> collect.Gate:  # fmt: skip
        """What decides about the findings of a report."""
        loaded = config.load(path, self.options)
        file = self.baseline or loaded.baseline if self.with_baseline else None
        accepted = known_findings.load(file, today()) if file else {}
        return collect.Gate(
            self.settings(loaded), accepted, today(), before, path, incomplete, applying
        )

    def check(self, report: Report | OtherInput, path: str) -> Checked:
        """Analyze and check one report with its configuration."""
        loaded = config.load(path, self.options)
        added = own_rules.whole(loaded)
        analysis = api.analyze(report, loaded.policy)
        if not isinstance(report, Report):
            if self.against:
                raise UsageError(
                    "--against compares Oracle reports only.", source=report.source,
                    hint="Remove the logs; `awrlens sqlserver compare` compares checkpoints of SQL "
                    "Server.",
                )  # fmt: skip
            shown = api.exhibits(report, analysis, loaded.policy) if self.with_page else None
            return _checked(analysis, shown, self.gate(path, applying=report.rules))
        before, facts_before = None, None
        if self.against:
            # a second period is not weighed against the first
            again = bool(report.periods)
            now = api.read(report, loaded.policy) if again else api.reading(report, analysis)
            readings = self._earlier(now.report)
            before = self._before(report, now, readings, loaded.policy)
            if readings:  # the facts for `baseline.` in budgets are those of the last one
                last = readings[-1]
                more = self.printed_before.get(str(last.report["source"]), {})
                facts_before = {**last.facts, **more}
        analysis = own_rules.with_own(
            analysis, report, added, loaded.policy, self.names, facts_before
        )
        shown = api.exhibits(report, analysis, loaded.policy) if self.with_page else None
        if self.against and before is None:
            count, least = len(readings), self._least(loaded.policy)
            precede = "1 report precedes" if count == 1 else f"{count or 'no'} reports precede"
            why = f"{precede} it, at least {least} required"
            analysis = analysis._replace(
                warnings=(*analysis.warnings, Note(f"Not compared: {why}.")),
                not_applicable=(*analysis.not_applicable, Skipped(regress.REGR001.id, why, ())),
            )
        short = lacking(
            analysis, breaks_off=report.breaks_off, excerpt=report.made_of[1].excerpt,
            valid=all(part.cluster.valid for part in (report, *report.periods)),
        )  # fmt: skip
        applying = frozenset(rules.oracle()) | {rule.id for rule in added.every}
        applying |= set(rules.COMPARED) if before is not None else set()
        return _checked(analysis, shown, self.gate(path, before, short, applying))

    def _earlier(self, report: Mapping[str, Any]) -> tuple[Reading, ...]:
        """The earlier reports of the same database and instance; UsageError without any."""
        named_alike = self.against.get(names_of(report), ())
        readings = tuple(reading for reading in named_alike if is_same(reading.report, report))
        if not readings:
            others = sorted({described(r.report) for group in self.against.values() for r in group})
            raise UsageError(
                f"--against has no report of {described(report)}, only of {', '.join(others)}.",
                source=str(report["source"]),
                hint="Use reports of one database and instance; `awrlens compare` accepts all.",
            )
        if self.last is None:
            own = (report["db_id"], budget_windows.interval(report))
            if any(
                own == (reading.report["db_id"], budget_windows.interval(reading.report))
                for reading in readings
            ):
                raise UsageError(
                    "--against has this report itself, or a copy of it.",
                    source=str(report["source"]),
                    hint="Name earlier reports, or add --against-last N for those before each.",
                )
            return readings
        begin = str(report["begin_time"] or "")
        return tuple(r for r in readings if begin and str(r.report["begin_time"] or "") < begin)[
            -self.last :
        ]

    def _least(self, policy: Policy) -> int:
        """Minimum number of preceding reports; fewer cannot show the normal variation."""
        least = int(policy["compare.least_reports"])
        return 1 if self.last is None else min(self.last, least)

    def _before(
        self, report: Report, now: Reading, readings: Sequence[Reading], policy: Policy
    ) -> regress.Before | None:
        """The comparison with earlier reports; None if too few reports precede."""
        if len(readings) < self._least(policy):
            return None
        contrast = api.compare(readings, [now], policy)
        if not contrast.events and not any(moved.per != "none" for moved in contrast.facts):
            raise UsageError(
                f"This report cannot be compared with {self.against_name}: they have no values "
                "in common.",
                source=report.source,
                hint="Use complete reports; `awrlens compare` lists what each side lacks.",
            )
        levels = regress.levels([reading.findings for reading in readings])
        enough = len(readings) >= policy["compare.least_reports"]
        before = regress.Before(contrast, self.against_name, {}, levels, enough)
        return before._replace(events=waits(report, [said.about for said in before.worse]))


def stored(
    analysis: Analysis, asked: Asked, *, breaks_off: bool, excerpt: bool, valid: bool
) -> Checked | Unread:
    """Check the stored analysis of a report."""
    from awrlens.model.chart_data import Exhibits

    short = lacking(analysis, breaks_off=breaks_off, excerpt=excerpt, valid=valid)
    gate = asked.gate(str(analysis.report["source"]), None, short, frozenset(rules.oracle()))
    return _checked(analysis, Exhibits() if asked.with_page else None, gate)


class Checked(NamedTuple):
    """A checked report, and its part of the HTML page if one is required."""

    report: CheckedReport
    page: dict[str, Any] | None
    #: The path of the report as given by the caller.
    path: str


def today() -> date:
    """The current date, for the expiry of baseline entries."""
    return date.today()  # noqa: DTZ011 - local date of the check


def _checked(analysis: Analysis, shown: Exhibits | None, gate: collect.Gate) -> Checked:
    from awrlens.render import wording

    page = None
    if shown is not None:
        from awrlens.render.html import page as lay_out

        page = lay_out(analysis, shown)
    label, headline = wording.identity(analysis), wording.headline(analysis)
    return Checked(collect.report(analysis, label, headline, gate), page, gate.path)


def checked_reports(
    reports: Sequence[str | Input], asked: Asked, jobs: int | None, *, skip_others: bool = False,
    complain: Callable[[errors.AwrlensError, str], None] = on_stderr,
) -> Iterator[Checked | Unread]:  # fmt: skip
    """Check all reports in order; inputs that are not judged are reported and returned.

    An input fails if the caller named it or if it should be a report: an unreadable file, a report
    of another kind, or the error of a report job. Other files of folders and archives fail only in
    a strict check. Pages of awrlens never fail, nor with ``skip_others`` what is not a report.
    """
    from awrlens.source.open import inputs

    files = inputs(reports)
    work = batch.Work(asked.check, asked.names, logs=True, others=True)
    for result in batch.run(files, work, 1 if asked.names else jobs):
        problem = result.problem
        if problem is None:
            report: CheckedReport = result.value.report
            if report.unassessable:
                said = f"The report cannot be judged completely: {'; '.join(report.shortcomings)}."
                hint = "This fails because the check is strict." if report.strict else "This fails."
                complain(UnreadableError(said, source=report.source, hint=hint), "")
            yield result.value
            continue
        name = problem.source or result.name
        loaded = config.load(files[0].path if asked.names else name, asked.options)
        ours = (loaded.file, loaded.baseline, *loaded.additions.budgets)
        if result.skipped and Path(name).absolute() in (Path(o).absolute() for o in ours if o):
            continue  # the configuration, or a file that it names
        strict = asked.settings(loaded).strict
        fails = strict or not result.skipped or isinstance(problem, errors.OtherReportError)
        if isinstance(problem, errors.NotAReportError if skip_others else errors.OwnPageError):
            fails = False
        complain(problem, "" if fails else "not judged: ")
        internal = isinstance(problem, errors.InternalError)
        yield Unread(name, sentence(problem), problem.line, fails, internal)


def over_windows(results: Sequence[Checked | Unread], asked: Asked) -> list[Checked | Unread]:
    """Add the results of budgets on several reports to the last report of every database."""
    done = [checked for checked in results if isinstance(checked, Checked)]
    changed: dict[int, Checked] = {}
    for series in budget_windows.series([checked.report for checked in done]):
        judged = budget_windows.judged(series)
        last = next(checked for checked in done if checked.report is series[-1])
        page = last.page
        if page is not None:
            from awrlens.render.html import add

            page = add(page, [outcome.finding for outcome in judged if outcome.finding is not None])
        report = collect.over(last.report, judged, asked.gate(last.path))
        changed[id(last)] = last._replace(report=report, page=page)
    done = _with_never_applied([changed.get(id(checked), checked) for checked in done], asked)
    whole = iter(done)
    return [next(whole) if isinstance(result, Checked) else result for result in results]


def _with_never_applied(done: list[Checked], asked: Asked) -> list[Checked]:
    """Add the budgets, or the comparison, that apply to none of the reports."""
    aside = [{skipped.rule for skipped in one.report.not_applicable} for one in done]
    applied = {r for one, own in zip(done, aside, strict=True) for r in one.report.judged - own}
    order = sorted(range(len(done)), key=lambda at: (done[at].report.strict, at), reverse=True)
    reasons: dict[int, list[str]] = {}
    for rule in sorted(set().union(*aside) - applied):
        for at in order:
            path = done[at].path
            settings = asked.settings(config.load(path, asked.options))
            if rule in aside[at] and selection.suppressed(rule, path, settings) is None:
                reasons.setdefault(at, []).append(rule)
                break
    for at, never in reasons.items():
        report, why = done[at].report, f"{', '.join(never)} never applied"
        report = report._replace(incomplete=(*report.incomplete, why))
        done[at] = done[at]._replace(report=report)
    return done


def resolved(asked: Asked, report: str) -> Asked:
    """Check that every selector of the caller matches a rule; a report adds custom rules."""
    loaded = config.load(report, asked.options)
    ids = choices.known_rules(loaded.additions)
    asked = asked._replace(said=selection.checked(asked.said, ids))
    selection.check_some(asked.settings(loaded), ids)
    return asked


def selectors(context: click.Context, parameter: click.Parameter, value: Any) -> tuple[str, ...]:  # noqa: ANN401, ARG001 - click's signature
    """Selectors separated by commas, or from a repeated option."""
    parts = tuple(filter(None, (part.strip() for text in value for part in text.split(","))))
    if value and not parts:
        raise UsageError(f"{parameter.opts[0]} names nothing.", hint="For example REDO,TEMP002.")
    return parts


def _rules(option: str, help_: str) -> complete.Option:
    return click.option(option, multiple=True, metavar="RULES", callback=selectors,
                        shell_complete=complete.completes("rule"), help=help_)  # fmt: skip


#: The options shared by `check` and `baseline`.
selecting = complete.several(
    _rules("--select", "Rules to check: ids, names or id prefixes (REDO) [default: ALL]."),
    _rules("--ignore", "Rules to ignore; the longer selector wins."),
    complete.JOBS,
)
