"""The first screen of every page in words: whose report, its load, the problem, the actions."""

from __future__ import annotations

import re
from functools import partial
from itertools import groupby
from math import floor
from typing import TYPE_CHECKING, Any, Final

from awrlens import extensions
from awrlens.lazy import NamedTuple
from awrlens.model import (
    ALARMS,
    NO_WEIGHT,
    SEVERITIES,
    STATES,
    is_on,
    parts_of,
    timed_part,
    with_parts,
)
from awrlens.model.analysis import OTHERS, Share
from awrlens.policy import Policy
from awrlens.render import wording
from awrlens.render.wording import counted, duration, percent, short
from awrlens.severity import (
    SHOWN_PCT,
    SHOWN_SESSIONS,
    by_share,
    spread,
)
from awrlens.units import is_timed_in_10_ms, listed, ms_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from awrlens.model import Analysis, Evidence, Fact, Finding, Recommendation, State


#: What matters here is not set: a screen says the same of a report everywhere.
_USUAL: Final = Policy()
#: Facts on PGA memory: shown, with the line, only if not 0; the row on temp has the first of them.
_ABOVE, _OVER = "pga.above_target_mb", "pga.over_allocations"


def facts_of(analysis: Analysis) -> Mapping[str, Fact]:
    """The current facts: for a compare-period report, those of the second period."""
    return analysis.periods[1].facts if analysis.periods else analysis.facts


def who(analysis: Analysis) -> str:
    """The subject of the report: database, instance, release, host and CPUs."""
    if analysis.is_log:
        return wording.safe(wording.who(analysis))
    facts = facts_of(analysis)
    about = ("database.edition", "database.role")
    texts = (str(facts[name].value or "") if name in facts else "" for name in about)
    return subject(analysis.report, *texts)


def subject(report: Mapping[str, Any], edition: str = "", role: str = "") -> str:
    """Database, instance, release, host and CPUs."""
    database = report["db_name"] or "unknown database"
    parts = [
        f"{database}/{report['instance']}" if report["instance"] else database,
        f"{report['release'] or 'unknown release'} {edition}".strip(),
        "RAC" if report["rac"] else "",
        role.lower(),
        f"container {report['container']}" if report["container"] else "",
    ]
    host = f"host {report['host']}" if report["host"] else ""
    cpus = wording.count(report["cpus"], "CPU") if report["cpus"] else ""
    parts.append(", ".join(filter(None, (host, cpus))))
    return wording.safe(" · ".join(filter(None, parts)))


def when(analysis: Analysis) -> str:
    """The interval, or both of two periods, and the kind of report."""
    pieces = zip(*(_interval(part.report) for part in analysis.periods or (analysis,)), strict=True)
    shown = (" → ".join(dict.fromkeys(filter(None, texts))) for texts in pieces)
    return wording.safe(" · ".join(filter(None, (*shown, wording.kind(analysis.report)))))


def interval(report: Mapping[str, Any]) -> str:
    """Begin, end, length and snapshots of an interval."""
    return wording.safe(" · ".join(filter(None, _interval(report))))


def _interval(report: Mapping[str, Any]) -> tuple[Any, ...]:
    length = report["elapsed_s"] and duration(report["elapsed_s"])
    snapshots = f"snapshots {report['begin_snap']}-{report['end_snap']}"
    snaps = None if report["begin_snap"] is None else snapshots
    return report["begin_time"] and wording.times(report), length, snaps


def read(analysis: Analysis) -> tuple[str, ...]:
    """What an excerpt holds, in lines."""
    return tuple(map(wording.safe, (analysis.overview and analysis.overview.read) or ()))


def load(analysis: Analysis) -> str:
    """The load: active sessions against CPUs, transactions, DB time."""
    if analysis.overview is None or analysis.overview.active_sessions == 0:
        return ""  # a DB time of 0 is not measured, and so are the rates next to it
    facts = facts_of(analysis)
    sessions, cpus = analysis.overview.active_sessions, analysis.overview.cpus
    parts = []
    if sessions is not None:
        on = f" on {wording.count(cpus, 'CPU')}" if cpus else ""
        if cpus and 0 < (own := _number(facts, "host.cpu_count")) < cpus:
            on += f" (CPU_COUNT={own:.0f})"
        estimated = facts["load.average_active_sessions"].status == "estimated"
        old = estimated and facts["load.db_time_s"].number is None
        parts.append(
            f"{'about ' * old}{short(sessions)}{' average' * (not old)} active sessions{on}"
            f"{' (not reliable)' * analysis.has_two_clocks}"
        )
        parts += [used] if old and (used := figure(facts, "load.cpus_used", "{} CPUs used")) else []
    for name, words in (
        ("load.transactions_per_s", "{} transactions"), ("load.executes_per_s", "{} executions"),
    ):  # fmt: skip
        if shown := figure(facts, name, words):
            parts.append(shown.replace("s/s", "/s") if shown.startswith("1 ") else shown)
    if analysis.report["db_time_s"]:
        parts.append(f"DB time {duration(analysis.report['db_time_s'])}")
    return " · ".join(parts)


def waiting(analysis: Analysis) -> str:
    """How many sessions wait for the problem, of how many active ones; empty if few or none.

    Where the comparison of two periods is the alarm, how many are active in the second one.
    """
    many = analysis.waiting_sessions or 0.0
    of = analysis.overview and analysis.overview.active_sessions
    if analysis.comparison is not None and severity(analysis) != analysis.verdicts.write_path:
        return f"{short(of)} active sessions" if of else ""
    if many < SHOWN_SESSIONS or severity(analysis) not in ("critical", "warning"):
        return ""
    among = f" of {short(of)}" if of and of >= many else ""
    return f"{short(round(many, 2))}{among} sessions waiting"


def problem(analysis: Analysis) -> str:
    """The problem in a line of a list; of what is calm, where the time went instead."""
    calm = severity(analysis) in ("ok", "info")
    return wording.headline_lines(analysis)[: 2 if calm else 1][-1]


def phrase(analysis: Analysis) -> str:
    """The problem in a few words of a list; without a finding, where most of the time went.

    A problem of the second period is that of the database, as the list of a fleet names it.
    """
    level, pieces = severity(analysis), db_time(analysis)
    latest = analysis.periods[-1] if analysis.periods else analysis
    if level in (*ALARMS, "info") and severity(latest) == level:
        mild = level == "info" and latest.findings
        return in_short(latest.findings[0].title if mild else problem(latest))
    if level != "unknown" and analysis.comparison is not None:
        changes = {change.name: change for change in analysis.comparison.facts}
        if (change := changes.get("load.average_active_sessions")) is not None:
            return f"{short(change.first)} → {short(change.second)} active sessions"
    elif pieces and level == "ok":
        worst = max(pieces, key=lambda piece: piece.pct)
        return f"{percent(worst.pct)} of {analysis.base} is {worst.name}"
    return in_short(problem(analysis))


def in_short(text: str) -> str:
    """The first clause of a sentence, without what is in brackets."""
    return re.split("[;:] |, but ", re.sub(r" \([^()]*\)|`", "", text.rstrip(".")))[0]


def leading(analysis: Analysis) -> Finding | None:
    """The finding that the headline names; None if an alarm is on something else."""
    said = in_short(wording.headline_lines(analysis)[0])
    calm = severity(analysis) not in ALARMS
    return first(e for e in analysis.findings if calm or in_short(e.title) == said)


def to_explain(analysis: Analysis) -> str:
    """What `--explain` takes for the numbers of the headline: a finding, or the facts of load."""
    finding, time = leading(analysis), analysis.facts.get("load.response_s")
    return finding.id if finding else "load" if time and time.number else ""


def first_step(analysis: Analysis) -> str:
    """The first action as a sentence of a list; empty if there is none."""
    titles = [group[0].title for _, group in actions(analysis)[:1]]
    return "".join(f"First: {title[0].lower()}{title[1:]}." for title in titles)


def _step(cell: Evidence) -> float:
    """The last digit of a cell that prints 0: ``0.0`` is less than 0.1; 0 for any other cell."""
    digits = cell.text.strip().removeprefix("-")
    decimals = digits.partition(".")[2]
    return 10.0 ** -len(decimals) if digits and not digits.strip("0.") else 0.0


def figure(facts: Mapping[str, Fact], name: str, words: str, *, clock_10_ms: bool = False) -> str:
    """A fact in words (``commit {}``); empty if it is not known."""
    fact = facts.get(name)
    if fact is None or fact.value is None or (fact.number or 0.0) < _LEAST.get(name, 0.0):
        return ""
    if name in (_ABOVE, _OVER):
        words += "".join(f" (line {item.line})" for item in fact.evidence[:1] if item.line)
    few = _few(facts, name)
    fact, words = _by_both(facts, fact, words, old=clock_10_ms)
    if fact.number is not None and fact.unit == "ms":
        if fact.number == 0 or (clock_10_ms and fact.number < 1):
            return words.format("< 1 ms")  # rounded away: no device is so fast
        if clock_10_ms:
            return words.format(f"{short(round(fact.number))} ms") + few
    counts = fact.number == 0 and fact.unit in ("s", "1/s") and fact.status != "estimated"
    if counts and (step := max(map(_step, fact.evidence), default=0)):
        return counted(step, fact.unit, words.replace("{}", "< {}"))
    if fact.number is not None:
        return few if few[:1].isdigit() else counted(fact.number, fact.unit, words) + few
    return words.format(wording.safe(str(fact.value)))


#: Averages of which an event has a part, that event, the fact that has all, and what this is by.
_WHOLE_IO: Final = {
    "redo.local_write_ms": ("redo.parallel_write_ms", "redo.local_write_ms", "LGWR's counter"),
    "temp.direct_ms": ("temp.direct_ms", "temp.read_ms", "file statistics (async)"),
}


def _by_both(facts: Mapping[str, Fact], fact: Fact, words: str, *, old: bool) -> tuple[Fact, str]:
    """The fact that has all of the I/O, in words with the event if that is far less."""
    if fact.name not in _WHOLE_IO:
        return fact, words
    event, name, by = _WHOLE_IO[fact.name]
    part, whole = _number(facts, event), facts.get(name, fact)
    apart = 0 < part * _APART <= (whole.number or 0.0) and not (old and part < 1)
    low, of = f"{short(part)} (event) to " * apart, "redo.local_write_by"
    if fact.name == name:
        by_counter = of in facts and facts[of].value == "counter"
        return fact, f"{words.replace('{}', f'{low}{{}}')} by {by}" if by_counter else words
    said = "io.unwaited_reads" in facts and facts["io.unwaited_reads"].value  # of the same reads
    return (fact, words) if said or not low else (whole, f"{low}{{}} by {by}")


def _few(facts: Mapping[str, Fact], name: str) -> str:
    """On how many operations an average rests, if these are few: `` (13 reads)``; or its median."""
    of, what = _COUNTS.get(name, ("", ""))
    number = _number(facts, of)
    if name == _RATE:  # the first figure of the rate is the count
        many = next((item.value for item in facts[name].evidence), 0)
        if many == 0 and facts[name].number:  # Oracle derives 0 although sessions waited for one
            return " (at least 1 switch)"
        per = " per instance" * (" instances" in facts[name].formula)  # of a RAC report
        commands = _number(facts, "redo.switch_commands")
        if not isinstance(many, int) or not 0 < many < _FEW_EVENTS + _SOME * commands:
            return per
        some = "" if commands == many else f"{commands:.0f} "
        by = f", {some}by command" if 0 < commands <= many else ""
        shown = f"{wording.count(many, 'switch', 'switches')}{by}"
        return shown if many <= _NO_RATE else f"{per} ({shown})"
    if 0 < number < _USUAL["confidence.few_waits"]:
        return f" ({wording.count(number, what)})"
    half = (facts[key].number for key in _SPREAD.get(name, ()) if key in facts)
    late = spread(_USUAL["impact.slower_ms"], facts[name].number, *half) if name in _SPREAD else ""
    if name == "temp.direct_ms":  # of reads there is no histogram
        late = late.replace("half", "half of the writes")
    return f" ({late})" if late else ""


#: A rate per hour of fewer events than these is shown with their number, and so is one of which a
#: command started a fourth or more; so few are no rate.
_RATE, _FEW_EVENTS, _SOME, _NO_RATE = "redo.log_switches_per_hour", 10, 4, 2
#: Averages, and the facts of their number of operations.
_COUNTS: Final = {
    "redo.commit_ms": ("redo.commit_waits", "commit wait"),
    "redo.local_write_ms": ("redo.write_count", "write"),
    "temp.direct_ms": ("temp.direct_waits", "wait"),
    "undo.read_ms": ("undo.tablespace_reads", "read"),
}
#: Averages, and the facts of their histogram: median and tail.
_SPREAD: Final = {
    "redo.commit_ms": ("redo.sync_p50_ms", "redo.sync_slower_16ms_pct"),
    "redo.local_write_ms": ("redo.write_p50_ms", "redo.write_slower_16ms_pct"),
    "checkpoint.data_write_ms": ("checkpoint.data_write_p50_ms",),
    "temp.direct_ms": ("temp.direct_write_p50_ms",),
}


#: Redo of a log switch is little below this part of a redo log, or of all redo logs but one.
#: # as redo.forced_switch_ratio; half of a redo log of a thread with five groups
#: # Fewer switches do not show it: most of the redo is from before the first, or after the last.
_SWITCHES: Final = 3
_LITTLE: Final = {"redo.log_mb": (2, "a redo log holds {}"),
                  "redo.other_logs_mb": (8, "all redo logs but one hold {}")}  # fmt: skip
#: Shown if DBWR and LGWR write synchronously.
_ASYNCH: Final = "checkpoint.disk_asynch_io"
_CHECKSUM: Final = "integrity.db_block_checksum"
_BEFORE_9I: Final = "checkpoint.limit_before_9i"
#: Shown from this share of DB time on. # awrlens: what sessions wait longer for than for commits
_SEGMENTS, _SEGMENTS_PCT = "undo.us_enqueue_wait_s", 1
#: Waits of background processes, named from this share of the interval on: Statspack 10.1.0.3.0_05,
#: 1,312 of 3,385 s. # awrlens: a tenth
_CONTROL, _CONTROL_PCT = "io.control_write_wait_s", 10
#: Shown where commits are a visible share of DB time. # awrlens: below a tenth of one, it is little
_ACKNOWLEDGED, _OF_COMMIT = "redo.acknowledged_ms", 0.1
#: Parts of the write path: facts, and their wording.
_PARTS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "redo": (
        ("redo.commit_ms", "commit {}"), ("redo.local_write_ms", "redo log write {}"),
        (_ACKNOWLEDGED, "up to {} for other instances"),
        ("redo.bytes_per_s", "redo {}"), ("redo.log_switches_per_hour", "{} switches"),
    ),
    "temp": (
        ("temp.direct_wait_s", "{} waited"), ("temp.direct_ms", "{} per wait"),
        ("temp.write_ms", "file write {}"), ("temp.io_share_pct", "{} of I/O"),
        ("temp.block_write_pct", "{} of writes"),
        (_ABOVE, "PGA {} above its target"),
        (_OVER, "PGA target exceeded {} times since startup"),
    ),
    "undo": (
        ("undo.block_write_pct", "{} of DBWR's writes"), ("undo.vector_bytes_per_s", "undo {}"),
        ("undo.read_ms", "read {}"), ("undo.write_ms", "file write {}"),
        (_SEGMENTS, "{} waited for undo segments"), ("undo.kept_for", "{}"),
    ),
    "checkpoint": (
        ("checkpoint.write_pct", "{} of DBWR's writes, undo included"),
        ("checkpoint.incomplete_wait_s", "incomplete waits {}"),
        ("checkpoint.data_write_ms", "write {}"),
        ("checkpoint.submitted_write_ms", "submit {} per block"),
        ("checkpoint.async_submit_ms", "submit {}"),
        (_ASYNCH, "synchronous writes (DISK_ASYNCH_IO={})"), (_CONTROL, "control file writes {}"),
    ),
    "recovery": (
        ("checkpoint.estimated_mttr_s", "estimated {}"), (_BEFORE_9I, "{}"),
    ),
    "integrity": (
        (_CHECKSUM, "checksum {}"),
        ("integrity.db_block_checking", "checking {}"),
        ("integrity.lost_write_redo_pct", "lost write detection {} of the redo"),
    ),
}  # fmt: skip
#: Fewer reads than these need no times. # awrlens: they cannot take a significant time
_FEW_READS: Final = 10
_SHARES: Final = ("temp.io_share_pct", "temp.block_write_pct")
_DBWR: Final = ("checkpoint.data_write_ms", "checkpoint.submitted_write_ms")
#: Smaller values are not shown; shorter waits for direct I/O found it complete: no latency.
_LEAST: Final = {_ABOVE: 1e-9, _OVER: 1e-9, "temp.direct_ms": 0.1, _DBWR[1]: 0.1}
_SUBMIT, _SUBMITS_S = "checkpoint.async_submit_ms", "checkpoint.async_submit_wait_s"
#: The share of skipped rules from which a part without a finding is not checked.
#: # awrlens: below it most rules on a part, and those on its waits, are checked
_UNCHECKED: Final = 0.4
#: In a report of a pluggable database: the write times that only one of the root has, and whose.
_OF_ROOT: Final = {
    "redo": ("redo.local_write_ms", "LGWR"), "checkpoint": ("checkpoint.data_write_ms", "DBWR"),
}  # fmt: skip
#: Words of figures that are left out where the reason for the color is shown.
_WITHOUT_REASON: Final = ("{} waited", "undo {}")


def tally(severities: Sequence[str]) -> str:
    """How many there are of every severity, the worst first."""
    words = {"unknown": "not judged"}
    counts = ((severities.count(state), words.get(state, state)) for state in STATES)
    return ", ".join(f"{number} {word}" for number, word in counts if number)


class Tile(NamedTuple):
    """A part of the write path in a line; a ``severity`` of ``unknown`` is never ``ok``."""

    name: str
    severity: str
    words: tuple[str, ...]
    #: The rule to look at; empty where there is none.
    rule: str


class Action(NamedTuple):
    """An action in one line."""

    number: int
    id: str
    title: str
    #: Share of DB time that it saves, also in words; None if not known, empty if none of all is.
    pct: float | None
    saving: str
    #: Sessions that no longer wait, in words; empty if few or not known.
    freed: str
    #: Its effort and its risk.
    effort: str
    #: The first SQL command of the change, and of how many; empty if there is none.
    command: str
    #: Whether less may be saved, by another figure of the report.
    is_range: bool
    #: The length of its bar, in % of that of the largest saving.
    bar: float | None


def severity(analysis: Analysis) -> State:
    """The color of the headline: ``unknown`` without findings if important checks were skipped."""
    if analysis.comparison is not None:
        return min(analysis.verdicts.write_path, analysis.comparison.severity, key=STATES.index)
    open_ = analysis.verdicts.open and not analysis.is_log and analysis.recovery is None
    return "unknown" if open_ and analysis.state == "ok" else analysis.state


#: Pieces of DB time that have a name; smaller events are among the other waits.
_MOST_PIECES: Final = 6


def db_time(analysis: Analysis) -> list[Share]:
    """The pieces of DB time: the largest first, then what is not accounted for, of no part."""
    if analysis.overview is None or not analysis.overview.db_time or analysis.has_two_clocks:
        return []
    pieces = [
        piece._replace(name=wording.safe(piece.name))
        for piece in analysis.overview.db_time
        if piece.pct >= SHOWN_PCT
    ]
    large = sorted(pieces, key=lambda piece: -piece.pct * (piece.name != OTHERS))[:_MOST_PIECES]
    others = [e for e in pieces if e.name == OTHERS or (e.is_event and e not in large)]
    if len(others) > 1:
        seconds, pct = sum(e.seconds for e in others), sum(e.pct for e in others)
        whole = others[-1]._replace(name=OTHERS, seconds=seconds, pct_db_time=pct)
        pieces = [whole if e is others[-1] else e for e in pieces if e not in others[:-1]]
    rest = 100.0 - sum(piece.pct for piece in analysis.overview.db_time)
    return [*pieces, Share("not accounted for", "", 0.0, rest)] if rest >= 1 else pieces


def outside(analysis: Analysis) -> str:
    """Waits that DB time does not include, and that shares add up to more than DB time."""
    if analysis.overview is None:
        return ""
    apart = [
        f"{wording.safe(wait.name)} {wording.together(duration(wait.seconds))}"
        for wait in analysis.overview.outside
    ]
    words = [f"Outside {analysis.base}: {listed(apart)}"] if apart else []
    if timed := timed_part(analysis.facts):
        words.insert(0, f"Shares of {analysis.base}: {timed}")
    if (whole := analysis.overview.beyond_pct) is not None:
        words.append(
            f"The parts add up to {wording.together(percent(whole))}: some CPU or waits are "
            f"outside {analysis.base} or counted twice"
        )
    return ". ".join(words)


def tiles(analysis: Analysis) -> list[Tile]:
    """The parts of the write path with their numbers; parts with skipped checks are gray."""
    if analysis.is_log:
        shown: list[Tile] = extensions.page("tiles")(analysis)
        return shown
    if analysis.recovery is not None:
        return []
    return [_tile(analysis, part, figures) for part, figures in _PARTS.items()]


def _number(facts: Mapping[str, Fact], name: str) -> float:
    """The number of a fact; 0 if it is not known."""
    return (facts[name].number if name in facts else None) or 0.0


def _tile(analysis: Analysis, part: str, figures: tuple[tuple[str, str], ...]) -> Tile:
    facts = facts_of(analysis)
    own = [finding for finding in analysis.findings if part in parts_of(finding)]
    worst = first(own)
    # checksums that are off by default (8i) are no finding, and no protection
    off = part == "integrity" and getattr(facts.get(_CHECKSUM), "value", "") == "OFF"
    level: str = worst.severity if worst else ("ok", "info")[off]
    # before 9i, waits are timed with a clock of 10 ms: averages have no decimals
    old = is_timed_in_10_ms(analysis.report["release"])
    reason = _reason(facts, own, part)
    if reason:  # which has other waits for them, too
        figures = tuple(pair for pair in figures if pair[0] != _SEGMENTS)
    untimed = facts.get("temp.timed")
    if part == "temp" and untimed is not None and untimed.value == "no":
        many = _number(facts, "temp.reads") >= _FEW_READS
        figures = (*((("temp.reads", "reads without times: {}"),) * many), *figures[2:])
    elif _number(facts, "load.timed_pct") > _USUAL["impact.overtimed_pct"]:
        figures = tuple((n, f"{e} as printed" if n.endswith("_ms") else e) for n, e in figures)
    elif timed_part(facts):
        figures = tuple((name, text.replace("waited", "of timed waits")) for name, text in figures)
    if reason:  # no figure that says the same, or that there is nothing
        figures = tuple(
            pair for pair in figures
            if pair[1] not in _WITHOUT_REASON and (pair[0] not in facts or facts[pair[0]].number)
        )  # fmt: skip
    words = [figure(facts, *pair, clock_10_ms=old) for pair in _chosen(facts, figures)]
    measured = any(words)
    if part == "recovery":
        words = [*(_both_estimates(facts) or words), *_target(facts)]
    unchecked = _unchecked(analysis, part, level, words)
    storage = getattr(analysis.verdicts, f"{part}_storage", "")
    if level == "ok" and (unchecked or storage == "need-data" or not measured):
        level = "unknown"
    write, process = _OF_ROOT.get(part, ("", ""))
    if level == "ok" and process and analysis.report["container"] and facts[write].value is None:
        level = "unknown"
        words.insert(0, f"{process}'s writes are only in the root's report")
    if level == "unknown" and unchecked:
        words.insert(0, unchecked)
    calm = _few_waits(facts) if (part, level) == ("redo", "ok") else ""
    words = [reason or calm, *words, *([_early_switch(facts)] if part == "redo" else ())]
    shown = tuple(filter(None, words)) or (wording.state(level),)
    return Tile(part, level, shown, worst.id if worst else "")


def _unchecked(analysis: Analysis, part: str, level: str, words: list[str]) -> str:
    """How many rules of a part were skipped, if these are many; words on undo's space, too."""
    facts = facts_of(analysis)
    rules = sum(is_on(rule, part) for rule in analysis.rules)
    skipped = sum(is_on(skip.rule, part) for skip in analysis.skipped)
    inapplicable = part == "recovery" and figure(facts, _BEFORE_9I, "{}")
    is_manual, sized = facts["undo.management"].value == "manual", "undo.snapshot_too_old"
    if not skipped or skipped < rules * _UNCHECKED or inapplicable:
        if (part, level) == ("undo", "ok") and not is_manual and facts[sized].value is None:
            words[1:2] = ["space, retention not known"]  # instead of the rate of undo
        return ""
    waits = facts["undo.rollback_segment_wait_pct"].number
    if part == "undo" and is_manual and waits is not None:
        # rollback segments have no retention, and their own list shows waits for them
        words.append(figure(facts, "undo.rollback_segment_wait_pct", "rollback segment waits {}"))
        if waits < _USUAL["undo.segment_wait_pct"]:
            return ""
    return f"not checked ({skipped} of {rules})"


def _reason(facts: Mapping[str, Fact], own: list[Finding], part: str) -> str:
    """What gives a part its color, unless a figure shows it: sessions waiting, or the finding."""
    bad = [issue for issue in with_parts(own) if issue.severity != "ok" and is_on(issue.id, part)]
    weights = (issue.weight for issue in bad)
    most = max(weights, key=lambda weight: weight.waiting_sessions or 0.0, default=NO_WEIGHT)
    if (most.waiting_sessions or 0.0) >= SHOWN_SESSIONS:
        # other parts have a figure for it
        long = most.each_ms is not None and part == "undo"
        read = facts.get("undo.read_ms")
        few = _few(facts, "undo.read_ms") if read and read.number == most.each_ms else ""
        took = f", {ms_words(most.each_ms or 0.0)} each{few}" if long else ""
        sessions = f"{short(round(most.waiting_sessions or 0.0, 2))} sessions waiting"
        if most.estimate:
            sessions = f"about {sessions} ({most.estimate.partition(':')[0]})"
        return (f"{most.share_pct:.1f} % of {most.base}" if by_share(most) else sessions) + took
    figures = {name for name, _ in _PARTS[part]}
    shown = not bad or figures.intersection(fact.name for fact in bad[0].facts)
    return "" if shown else wording.safe(bad[0].title)


#: Both estimates are shown if one is at least this many times the other.
_APART: Final = 2


def _both_estimates(facts: Mapping[str, Fact]) -> list[str]:
    """The estimates of both snapshots if they are far apart: recovery may take either time."""
    low, high = (_number(facts, f"checkpoint.estimated_mttr_{end}_s") for end in ("low", "high"))
    if not low or high < low * _APART:
        return []
    (least, *unit), most = duration(low).split(" "), duration(high)
    # a unit of both is shown once: "58 s to 2 min", but "15 to 57 s"
    shown = least if unit == most.split(" ")[1:] else duration(low)
    return [f"estimated {shown} to {most}"]


def _target(facts: Mapping[str, Fact]) -> Iterator[str]:
    """Why a report with Instance Recovery Stats has no estimate, and the target."""
    estimated, kept, target = (
        facts.get(f"checkpoint.{name}_s")
        for name in ("estimated_mttr", "target_mttr", "fast_start_mttr_target")
    )
    if estimated is not None and estimated.value is None and kept and kept.number is not None:
        yield from wording.safe(estimated.note).split(": ")
    if target is not None and target.number is not None:
        said = f"target {duration(target.number)}" if target.number else "no target"
        if kept and kept.number and 0 < target.number != kept.number:  # Oracle raises or lowers it
            said = f"target {kept.number:,.0f} s in effect ({duration(target.number)} set)"
        yield said


def _few_waits(facts: Mapping[str, Fact]) -> str:
    """Why slow commits or redo log writes are not urgent: how long sessions waited in all."""
    slow = max(_number(facts, "redo.commit_ms"), _number(facts, "redo.local_write_ms"))
    if slow < _USUAL["impact.slowest_ms"]:
        return ""
    return figure(facts, "redo.sync_wait_s", "waits for commits {} in all")


def _early_switch(facts: Mapping[str, Fact]) -> str:
    """Little redo per log switch, with the size of the redo logs, or the cause if it is known."""
    number = partial(_number, facts)
    many = number("load.elapsed_s") >= number("redo.minutes_per_switch") * 60 * _SWITCHES
    switches = number("load.elapsed_s") * number("redo.log_switches_per_hour") / 3600
    many &= number("redo.switch_commands") * _SOME < switches  # else they may explain it
    for name, (part, words) in _LITTLE.items() if many else ():
        redo, size = number("redo.mb_per_switch"), number(name)
        # redo that no checkpoint has passed stands in as many redo logs as it fills: none is large
        lag, limit = (number(f"checkpoint.{of}_redo_blocks") for of in ("actual", "log_size"))
        if not 0 < redo * part < size or (limit and 2 * (lag / limit * size - redo) > size):
            continue
        if number("redo.lag_share_pct") >= _USUAL["redo.lag_share_pct"]:
            by = f"every {{}} by ARCHIVE_LAG_TARGET={number('redo.archive_lag_target_s'):.0f}"
            return figure(facts, "redo.minutes_per_switch", by)
        early = figure(facts, "redo.mb_per_switch", "switches early, after {}")
        shown = figure(facts, name, words)
        why = "; the report does not show why"
        if number("redo.log_buffer_mb") > number(name):
            why = figure(facts, "redo.log_buffer_mb", ", less than the log buffer of {}")
        return f"{early}: {shown}{why}"
    return ""


def _chosen(
    facts: Mapping[str, Fact], figures: tuple[tuple[str, str], ...]
) -> Iterator[tuple[str, str]]:
    """The figures without those that another says better."""
    # DBWR blocks in either of its two write events, so only the slower is shown
    write, submit, above, all_io, writes, waited, whole = (
        _number(facts, name) for name in (*_DBWR, _ABOVE, *_SHARES, _SEGMENTS, "load.response_s")
    )
    # fast writes do not show that DBWR is blocked in submits
    blocked = 2 * _number(facts, _SUBMITS_S) >= _number(facts, "load.elapsed_s") > 0
    blocked &= max(write, submit) < _USUAL["impact.slower_ms"]
    by = _SUBMIT if blocked else _DBWR[0 if write >= submit else 1]
    left_out = {*{*_DBWR, _SUBMIT} - {by}, _OVER if above else _ABOVE,
                _SHARES[1 if all_io >= writes else 0]}  # fmt: skip
    if _ASYNCH in facts and facts[_ASYNCH].value != "FALSE":
        left_out.add(_ASYNCH)
    if waited * 100 < whole * _SEGMENTS_PCT or not waited:
        left_out.add(_SEGMENTS)
    least_s = _number(facts, "load.elapsed_s") * _CONTROL_PCT / 100
    if not 0 < least_s <= _number(facts, _CONTROL):
        left_out.add(_CONTROL)
    few = _number(facts, "redo.sync_wait_s") * 100 < whole * _USUAL["impact.warning_pct"]
    if few or _number(facts, _ACKNOWLEDGED) < _OF_COMMIT * _number(facts, "redo.commit_ms"):
        left_out.add(_ACKNOWLEDGED)
    return (pair for pair in figures if pair[0] not in left_out)


#: Of an action, that the report does not show what it saves.
NOT_KNOWN: Final = "not known"


def actions(analysis: Analysis) -> list[tuple[str, list[Action]]]:
    """The actions in order, below the heading of their urgency."""
    every = enumerate(analysis.actions, start=1)
    pcts = [max(item.benefit.pct_db_time or 0.0, 0.0) for item in analysis.actions]
    # a bar by itself compares nothing
    scale = 100 / max(pcts) if sum(pct > 0 for pct in pcts) > 1 else 0.0
    unknown = NOT_KNOWN * (not analysis.is_log)  # a log has no DB time
    return [
        (urgency, [_action(number, item, scale, unknown) for number, item in group])
        for urgency, group in groupby(every, lambda pair: analysis.urgency(pair[1]))
    ]


def _action(number: int, item: Recommendation, scale: float, unknown: str) -> Action:
    changes = [command for command in item.commands if command.upper().startswith(_CHANGES)]
    first_of = f"1 of {len(changes)}: " if len(changes) > 1 else ""
    pct = max(item.benefit.pct_db_time or 0.0, 0.0) or None
    return Action(
        number, item.id, wording.safe(item.title), pct, _saving(item) or unknown,
        wording.freed(item), effort(item),
        f"{first_of}{wording.safe(changes[0])}" if changes else "",
        item.benefit.least_pct_db_time is not None, pct * scale if pct and scale else None,
    )  # fmt: skip


def _saving(item: Recommendation) -> str:
    """What an action saves: a share of DB time, or seconds; empty if it is not known."""
    pct, seconds = item.benefit.pct_db_time, item.benefit.seconds
    if item.benefit.basis.startswith(_NO_WAITS):
        return "none"
    if pct is None or pct <= 0:
        return duration(seconds) if seconds is not None and seconds >= 1 else ""
    from_ = wording.from_least(item.benefit, ".2g")
    whole = floor(pct if pct >= 10 else pct * 10) / (1 if pct >= 10 else 10)  # noqa: PLR2004
    return f"≥ {percent(whole)}" if item.benefit.at_least else f"{from_}{percent(pct)}"


def effort(item: Recommendation) -> str:
    """Effort and risk: ``online, low risk``."""
    return ", ".join(filter(None, (item.effort, f"{item.risk} risk" if item.risk else "")))


#: How the basis of a saving begins that is none of time.
_NO_WAITS: Final = "limits recovery time"
#: SQL commands that change something; the other commands of a recommendation are queries.
_CHANGES: Final = ("ALTER ", "CREATE ", "DROP ")


def folded(analysis: Analysis) -> list[tuple[str, list[str]]]:
    """Recommendations that are not actions now: one line per status."""
    return [
        (wording.VERDICTS[status].capitalize(), texts)
        for status in ("tune-first", "need-data", "no-benefit")
        if (texts := [_folded(e) for e in analysis.recommendations if e.status == status])
    ]


def remarks(analysis: Analysis) -> list[str]:
    """What is known and not known yet before files are moved; reads that few wait for, of redo."""
    asked = list(dict.fromkeys(s for item in analysis.recommendations for s in item.asked))
    for name in ("io.unwaited_reads", "redo.log_reads"):
        reads = facts_of(analysis).get(name)
        if reads is not None and isinstance(reads.value, str):
            said = f"{reads.value[0].upper()}{reads.value[1:]}"
            asked.append(f"{': '.join(filter(None, (said, reads.note)))}.")
    busy, peak = map(facts_of(analysis).get, ("host.busy_max_pct", "load.addm_peak"))
    if busy is not None and (busy.number or 0.0) >= _PEAK_PCT and busy.note:
        asked.append(f"CPUs were up to {busy.number:.0f} % busy {busy.note}.")
    if peak is not None and peak.about == "low peak":
        asked.append(f"{peak.note[0].upper()}{peak.note[1:]}.")
    return list(map(wording.safe, asked))


#: Busy CPU that is a peak. # awrlens: three quarters
_PEAK_PCT: Final = 75


def _folded(item: Recommendation) -> str:
    """What is not an action now, in a few words, with its saving and what else decides."""
    title = item.title
    if not title[1:2].isupper():  # a name in capitals is not changed
        title = f"{title[:1].lower()}{title[1:]}"
    words = item.short or wording.safe(title)
    words += f" after {wording.safe(listed(item.first))}" if item.first else ""
    pct, seconds = item.benefit.pct_db_time, item.benefit.seconds
    if pct is None and seconds is not None and seconds >= 1 and not words.endswith(")"):
        return f"{words} ({wording.together(duration(seconds))})"
    if pct is None or pct <= 0:
        return words
    saving, more = wording.together(percent(pct)), ""
    if item.status == "tune-first":
        saving, freed = wording.together(_saving(item)), item.benefit.sessions or 0.0
        # many sessions may be a small share of DB time
        many = pct < _USUAL["impact.warning_pct"] and freed >= _USUAL["impact.several_sessions"]
        more = f", frees {wording.freed(item)}" if many else ""
    elif seconds is not None and pct >= _USUAL["impact.warning_pct"]:
        words = words.partition(" because ")[0]
        saving = f"only {wording.together(duration(seconds))}"  # a share of very little
    elif " because " in words:
        words, _, more = words.partition(" because ")
        more = f", but {more}"
    return f"{words} ({saving}{more})"


def first(findings: Iterable[Finding]) -> Finding | None:
    """The first of the worst findings."""
    return max(findings, key=lambda finding: SEVERITIES.index(finding.severity), default=None)
