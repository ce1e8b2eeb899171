"""What `check` and `baseline` share: which reports are judged, by what, and what is not judged."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from awrlens import api, config, rules
from awrlens.check import baseline as known_findings
from awrlens.check import collect, regress, selection, windows
from awrlens.checked import NOTHING, Unread
from awrlens.cli import batch, complain, own
from awrlens.cli.rules import elsewhere
from awrlens.errors import (
    AwrlensError,
    InternalError,
    NotAReportError,
    OtherReportError,
    UnknownInputError,
    UnreadableError,
    UsageError,
)
from awrlens.model import Note, Skipped
from awrlens.report.report import Report
from awrlens.series import noise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from awrlens.checked import CheckedReport
    from awrlens.contrast import Reading
    from awrlens.exhibits import Exhibits
    from awrlens.model import Analysis, Fact
    from awrlens.redact.names import Names
    from awrlens.sqlserver.events import Log


#: Names of database, container and instance.
Who = tuple[str, str, str]


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
    #: What could not be judged fails; so it does where the configuration says so.
    strict: bool = False
    #: Reports before, by database and instance, and what they are called.
    against: tuple[tuple[Who, tuple[Reading, ...]], ...] = ()
    against_name: str = ""
    #: What budgets ask of these by Oracle's own names, by source.
    printed_before: tuple[tuple[str, Mapping[str, Fact]], ...] = ()
    #: How many reports before each one count; None: all of them.
    last: int | None = None
    names: Names | None = None

    def settings(self, loaded: config.Loaded) -> selection.Settings:
        """What holds for a report: the caller's words in the place of the configuration's."""
        base = loaded.check
        return base._replace(
            select=self.select or base.select,
            extend_select=(*base.extend_select, *self.extend_select),
            ignore=(*base.ignore, *self.ignore),
            fail_on=self.fail_on or base.fail_on,
            strict=self.strict or base.strict,
        )

    def analyse(self, report: Report | Log, path: str) -> _Analysed:
        """One report, with what its configuration says."""
        loaded = config.load(path, self.options)
        added = own.whole(loaded)
        analysis = api.analyze(report, loaded.policy)
        if isinstance(report, Report):
            analysis = api.with_own(
                analysis, added, loaded.policy, self._facts_before(report), self.names, report
            )
        shown = api.exhibits(report, analysis, loaded.policy) if self.with_page else None
        file = self.baseline or loaded.baseline if self.with_baseline else None
        known = known_findings.load(file) if file else {}
        before = self._before(report, loaded) if self.against else None
        if self.against and before is None:
            analysis = self._alone(analysis, loaded)
        gate = collect.Gate(
            self.settings(loaded), known, self.today or today(), before, path,
            _incomplete(report, analysis), _asked_rules(report, added, against=before is not None),
        )  # fmt: skip
        return _Analysed(analysis, shown, gate)

    def other(self, problem: UnknownInputError, path: str) -> _Analysed | None:
        """An alert log, whose findings have rules, too; None where it is none."""
        from awrlens.recovery import alertlog, judge, measure  # noqa: PLC0415 - for logs only

        if not alertlog.is_alert_log(problem.text):
            return None
        if self.against:
            raise _not_compared(problem.source)
        loaded = config.load(path, self.options)
        wanted = judge.Wanted(few_s=loaded.policy[judge.FEW_SECONDS])
        analysis = measure.measure(problem.text, problem.source or path, wanted)
        if self.names is not None:
            analysis = measure.without_names(analysis, self.names.of)
        shown = None
        if self.with_page:
            from awrlens.exhibits import Exhibits  # noqa: PLC0415 - for pages only

            shown = Exhibits()
        file = self.baseline or loaded.baseline if self.with_baseline else None
        known = known_findings.load(file) if file else {}
        gate = collect.Gate(
            self.settings(loaded), known, self.today or today(), None, path,
            asked=frozenset(each["id"] for each in elsewhere().values()) - {regress.RULE[0]},
        )  # fmt: skip
        return _Analysed(analysis, shown, gate)

    def _facts_before(self, report: Report) -> Mapping[str, Fact] | None:
        """The facts that `baseline.` means in a budget: of the last report of --against."""
        readings = self._earlier(_now(report).identity.to_dict()) if self.against else ()
        if not readings:
            return None
        last = readings[-1]
        return {**last.facts, **dict(self.printed_before).get(str(last.report["source"]), {})}

    def _earlier(self, report: Mapping[str, Any]) -> tuple[Reading, ...]:
        """The reports before one: of its database and instance; with `last` those that precede it.

        Raises UsageError where there is none of them at all.
        """
        named_alike = dict(self.against).get(_who(report), ())
        readings = tuple(each for each in named_alike if _same(each.report, report))
        if not readings:
            others = sorted({_called(r.report) for _, each in self.against for r in each})
            raise UsageError(
                f"--against has no report of {_called(report)}, but of {', '.join(others)}.",
                source=str(report["source"]),
                hint="Give reports of one database and instance; `awrlens compare` takes any.",
            )
        if self.last is None:
            return readings
        begin = str(report["begin_time"] or "")
        return tuple(
            each for each in readings if begin and str(each.report["begin_time"] or "") < begin
        )[-self.last :]

    def _least(self, loaded: config.Loaded) -> int:
        """Reports that must precede one: with fewer than these every ordinary change is one."""
        return 1 if self.last is None else min(self.last, int(loaded.policy[noise.LEAST_REPORTS]))

    def _alone(self, analysis: Analysis, loaded: config.Loaded) -> Analysis:
        """An analysis of a report that too few precede, which says so."""
        now = analysis.periods[1] if analysis.periods else analysis
        count, least = len(self._earlier(now.report)), self._least(loaded)
        precede = "1 report precedes" if count == 1 else f"{count or 'no'} reports precede"
        why = f"{precede} it, and {least} must"
        return analysis._replace(
            warnings=(*analysis.warnings, Note(f"Not compared: {why}.")),
            not_applicable=(*analysis.not_applicable, Skipped(regress.RULE[0], why, ())),
        )

    def _before(self, report: Report | Log, loaded: config.Loaded) -> regress.Before | None:
        """The comparison with what was before; None where too few precede the report."""
        if not isinstance(report, Report):
            raise _not_compared(report.source)
        now = api.read(_now(report), loaded.policy)
        readings = self._earlier(now.report)
        if len(readings) < self._least(loaded):
            return None
        contrast = api.compare(readings, [now], loaded.policy)
        if not contrast.events and not any(each.per != "none" for each in contrast.facts):
            raise UsageError(
                f"Nothing of this report can be compared with {self.against_name}: they have "
                "no amounts in common.", source=report.source,
                hint="Give whole reports; `awrlens compare` says what each lacks.",
            )  # fmt: skip
        levels = regress.levels([each.findings for each in readings])
        enough = len(readings) >= loaded.policy[noise.LEAST_REPORTS]
        before = regress.Before(contrast, self.against_name, {}, levels, enough)
        return before._replace(events=api.waits(report, [each.about for each in before.worse]))


def _asked_rules(report: Report | Log, added: api.Own, *, against: bool) -> frozenset[str]:
    """The rules that are asked of a report."""
    if not isinstance(report, Report):
        return frozenset(rules.SQLSERVER)
    own = {each.id for each in added.rules} | {each.id for each in added.budgets}
    return frozenset(rules.ORACLE) | own | ({regress.RULE[0]} if against else set())


def _incomplete(report: Report | Log, analysis: Analysis) -> tuple[str, ...]:
    """Why a report as a whole cannot be judged as others are."""
    if not isinstance(report, Report):
        return ()
    found = []
    if report.breaks_off:
        found.append("it breaks off before its end")
    if report.made_of[1].excerpt:
        found.append("it is an excerpt without a report's head")
    if not all(part.cluster.valid for part in (report, *report.periods)):
        found.append("the instance was started within its interval")
    if {each.rule for each in analysis.skipped}.issuperset(rules.ORACLE):
        found.append(NOTHING)
    return tuple(found)


def _not_compared(source: str | None) -> UsageError:
    return UsageError(
        "--against compares reports of Oracle.", source=source,
        hint="`awrlens sqlserver compare` compares checkpoints of SQL Server; leave logs out.",
    )  # fmt: skip


def _who(report: Mapping[str, Any]) -> Who:
    """The names of a report's database, container and instance."""
    names = ("db_name", "container", "instance")
    db_name, container, instance = (str(report[name] or "").lower() for name in names)
    return db_name, container, instance


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two reports whose names are alike are of one database: many are called ORCL.

    A database that was made anew on its host has another DB Id and is the same to its users.
    """
    ids = (one["db_id"], other["db_id"])
    hosts = (one["host"], other["host"])
    return None in ids or ids[0] == ids[1] or (None not in hosts and hosts[0] == hosts[1])


def _called(report: Mapping[str, Any]) -> str:
    db_id = f" (DB Id {report['db_id']})" if report["db_id"] else ""
    return f"{report['db_name'] or 'a database without a name'}/{report['instance']}{db_id}"


def _now(report: Report) -> Report:
    """Of a compare-period report the second period."""
    return report.periods[1] if report.periods else report


class _Analysed(NamedTuple):
    analysis: Analysis
    shown: Exhibits | None
    gate: collect.Gate


class Checked(NamedTuple):
    """A checked report, and its part of the HTML page if there is to be one."""

    report: CheckedReport
    page: dict[str, Any] | None


def today() -> date:
    """The day on which baselines expire or not."""
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
    """Every report checked, in order; what is not judged is told and comes as such.

    It fails where the caller named it, or where it should be a report: one that cannot be read,
    one of another kind, the error of a report's job. Other files of folders and archives fail
    where the check is strict. ``skip_others``: no file fails only because it is no report.
    """
    from awrlens.source.open import inputs  # noqa: PLC0415 - not for --help

    found = inputs(reports)
    work = batch.Work(asked.analyse, _checked, asked.names, logs=True, other=asked.other)
    for result in batch.run(found, work, 1 if asked.names else jobs):
        problem = result.problem
        if problem is None:
            if isinstance(result.rendered, Checked):
                _tell(result.rendered.report)
                yield result.rendered
            continue
        name = problem.source or result.name
        loaded = config.load(reports[0] if asked.names else name, asked.options)
        if result.skipped and _is_ours(name, loaded):
            continue
        strict = asked.settings(loaded).strict
        fails = strict or not result.skipped or isinstance(problem, OtherReportError)
        if skip_others and isinstance(problem, NotAReportError):
            fails = False
        complain(problem, "" if fails else "not judged: ")
        message = f"{problem.message} {problem.hint}".strip()
        internal = isinstance(problem, InternalError)
        yield Unread(name, message, problem.line, fails, internal)


def over_windows(
    found: Sequence[Checked | Unread], asked: Asked, first: str
) -> list[Checked | Unread]:
    """With what becomes of budgets on several reports, in the last report of each database."""
    done = [each for each in found if isinstance(each, Checked)]
    changed: dict[int, Checked] = {}
    for series in windows.series([each.report for each in done]):
        judged = windows.judged(series)
        last = next(each for each in done if each.report is series[-1])
        loaded = config.load(first if asked.names else last.report.source, asked.options)
        file = asked.baseline or loaded.baseline if asked.with_baseline else None
        gate = collect.Gate(
            asked.settings(loaded), known_findings.load(file) if file else {},
            asked.today or today(),
        )  # fmt: skip
        page = last.page
        if page is not None:
            from awrlens.render.html import add  # noqa: PLC0415 - only for a page

            page = add(page, [each.finding for each in judged if each.finding is not None])
        changed[id(last)] = Checked(collect.over(last.report, judged, gate), page)
    return [changed.get(id(each), each) if isinstance(each, Checked) else each for each in found]


def _is_ours(name: str, loaded: config.Loaded) -> bool:
    """Whether a file of a folder is the configuration itself, or what it names."""
    ours = (loaded.file, loaded.baseline, *loaded.additions.budgets)
    here = Path(name).absolute()
    return any(here == Path(each).absolute() for each in ours if each)


def _tell(report: CheckedReport) -> None:
    """On standard error why a report fails that cannot be judged."""
    if report.unassessable:
        why = "; ".join(report.shortcomings)
        strict = "That fails, because the check is strict."
        complain(
            UnreadableError(
                f"This cannot be judged as a whole: {why}.", source=report.source,
                hint=strict if report.strict else "That fails.",
            )
        )  # fmt: skip


def selectors(context: click.Context, parameter: click.Parameter, value: Any) -> tuple[str, ...]:  # noqa: ANN401, ARG001 - click's signature
    """Selectors with commas between, or the option repeated."""
    parts = [part.strip() for text in value for part in text.split(",")]
    return tuple(part for part in parts if part)


def selecting(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that `check` and `baseline` share."""
    for option in reversed((
        click.option("--select", multiple=True, metavar="RULES", callback=selectors,
                     help="Rules that count: ids, names, beginnings of ids (REDO) [default: ALL]."),
        click.option("--extend-select", multiple=True, metavar="RULES", callback=selectors,
                     help="Rules that count beside those that are selected."),
        click.option("--ignore", multiple=True, metavar="RULES", callback=selectors,
                     help="Rules that do not count; the longer name decides."),
        click.option("-j", "--jobs", type=click.IntRange(1), metavar="N",
                     help="Read up to N reports at a time [default: one for each processor]."),
    )):  # fmt: skip
        command = option(command)
    return command


def earlier(asked: Asked, against: tuple[str, ...], first: str) -> Asked:
    """With the reports before, by database and instance, each set in the order of time.

    What was named and cannot be read is an error; of an interval that is there twice one counts.
    """
    from awrlens.source.open import inputs  # noqa: PLC0415 - not for --help

    found: dict[Who, dict[tuple[Any, ...], Reading]] = {}
    printed: list[tuple[str, Mapping[str, Fact]]] = []
    policy = config.load(against[0], asked.options).policy
    added = own.whole(config.load(first, asked.options))
    names = asked.names
    for each in inputs(against):
        for report in api.load_all(each.path, names=names):
            if isinstance(report, AwrlensError):
                if each.named:
                    raise report
                continue
            reading = api.read(_now(report), policy)
            who = reading.report
            interval = tuple(
                who[name] for name in ("begin_time", "end_time", "begin_snap", "end_snap")
            )
            key = interval if any(interval) else (who["source"],)
            found.setdefault(_who(who), {}).setdefault(key, reading)
            if added.budgets and (more := api.printed(_now(report), added.budgets, names)):
                printed.append((str(who["source"]), {n: api.detached(f) for n, f in more.items()}))
    if not found:
        raise UsageError(f"There is no report in {', '.join(against)}.", hint="Check --against.")
    sets = tuple(
        (who, tuple(sorted(each.values(), key=lambda r: str(r.report["begin_time"] or ""))))
        for who, each in found.items()
    )
    return asked._replace(against=sets, printed_before=tuple(printed))


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
        ignore=found.ignore, fail_on=found.fail_on, today=today(),
    )  # fmt: skip
