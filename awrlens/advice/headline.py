"""The headline: the main problem and the first action, or where DB time went instead.

It does not say that all is well while there is an action to take, and it names only an action
that a finding supports. A calm headline says why it is calm, and what is neither CPU nor waits is
named with what explains it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from awrlens.advice.case import is_integrity
from awrlens.advice.devices import commits, speed, with_write
from awrlens.lazy import NamedTuple
from awrlens.model import ALARMS, SEVERITIES, Note, with_parts
from awrlens.model.analysis import OF_HOST
from awrlens.oracle import host
from awrlens.severity import (
    BEHIND,
    SHOWN_SESSIONS,
    Scale,
    clock_doubt,
    idle,
    in_words,
    is_undertimed,
    long_interval,
    spread,
)
from awrlens.units import listed, ms_words, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.model import Analysis, Finding, Recommendation
    from awrlens.policy import Policy

#: The segments that have a storage verdict.
_SEGMENTS: Final = ("redo", "temp", "undo")
#: A share above this is not due to rounding and two clocks: the figures contradict each other.
_POSSIBLE_PCT: Final = 105.0
_ALL_PCT: Final = 100.0
#: Busy CPU between two snapshots that is named as a peak; below the other one there was no peak.
#: # awrlens: three quarters, a tenth
_BUSY_PCT: Final = 75.0
_NEVER_BUSY_PCT: Final = 10.0
_DAY_S: Final = 86_400
_OF_FILES: Final = "reads of data files"
_UNNAMED: Final = "neither CPU nor waits"
_NOT_URGENT: Final = "No urgent issue on the write path"
#: Findings on redo, for which SQL that writes is the first suspect.
_REDO: Final = ("REDO", "CKPT001")
#: Findings on log switches.
_SWITCHES: Final = ("CKPT001", "REDO004")


def first_action(analysis: Analysis) -> Recommendation | None:
    """The first action of the plan; integrity settings do not count."""
    return next((action for action in analysis.actions if not is_integrity(action.findings)), None)


class Headline(NamedTuple):
    """What comes first of a report, as one sentence, and as up to three short lines.

    The lines are the cause, its cost, and what else is to know; the actions follow them.
    """

    sentence: str
    lines: tuple[str, ...]
    #: Whether the first line is the first action.
    is_action: bool = False


#: A longer title is cut at its colon or semicolon: its details come after the cost.
_WORDS: Final = 12


def _headline(cause: str, cost: str, rest: str, do: str = "") -> Headline:
    """Three lines, without empty ones; in the sentence, the first action comes before the last."""
    if len(cause.split()) > _WORDS:
        # not in a name, such as `enq: US - contention`
        ends = (at.start() for at in re.finditer("[:;] ", cause))
        end = next((at for at in ends if cause.count("`", 0, at) % 2 == 0), len(cause))
        cause, details = cause[:end], _sentence(cause[end + 2 :])
        after = ". ".join(filter(None, (details, rest.strip())))
        cost, rest = (cost, after) if cost else (details, rest)
    cost = _sentence(cost)
    texts = (text.strip().rstrip(".") for text in (cause, cost, rest))
    lines = tuple(f"{text}." for text in texts if text)
    return Headline(" ".join(filter(None, (*lines[:2], do, *lines[2:]))), lines)


def _sentence(text: str) -> str:
    return text if text[1:2].isupper() else f"{text[:1].upper()}{text[1:]}"


def headline(
    analysis: Analysis, policy: Policy, *, calm: bool = True, alone: bool = True, said: str = ""
) -> Headline:
    """The main problem, the first action, and where DB time went if not to the write path.

    Without ``calm`` it does not say that nothing is urgent: something else is. If it is ``alone``,
    not after that of a comparison, it adds of a long interval that averages hide peaks; of one
    without load, that a busy interval is to be analyzed; if times are not reliable, why. This comes
    first if most of the interval was not timed and nothing that is counted is urgent. SQL that was
    ``said`` before is not repeated.
    """
    why = clock_doubt(analysis.facts, policy)
    where = _where(analysis, policy, timed=not why, said=said)
    if not alone:
        sql, _ = _statement(analysis, said, cpu=False, writes=False)
        where = where if where.unnamed_pct else where._replace(why=sql)
        return _conclusion(analysis, where, policy, calm=calm)
    doubt = f"Urgency unknown: {why}" if is_undertimed(analysis.facts, policy) else ""
    conclusion = _conclusion(analysis, where, policy, calm=calm, doubt=doubt)
    more = ""
    sessions, span = (of(analysis.facts, policy) for of in (idle, long_interval))
    busiest = (analysis.facts["host.busy_max_pct"].number if span else None) or 0.0
    if span and sessions and 0 < busiest < _NEVER_BUSY_PCT:
        more += f" In no snapshot interval were CPUs over {plain(busiest, 2)} % busy on average."
    elif span:
        dated = analysis.facts["host.busy_max_pct"].note  # then it is said with its time
        peaks = f" of {busiest:.0f} % busy CPU" if busiest >= _BUSY_PCT and not dated else ""
        more += f" Averages over {span} hide peaks{peaks}."
    if (peak := analysis.facts["load.addm_peak"]).value:
        more += f" ADDM shows a peak of {peak.note}: analyze {peak.value}."
    elif span.endswith("days") and not (sessions or analysis.actions):
        more += " Analyze a busy hour."
    limits = analysis.facts["load.reached_limits"]
    if limits.value and not limits.about:  # else it is an action
        more += f" {limits.note}."
    if why and why not in conclusion.sentence:
        more += f" Times are not reliable: {why}."
    cause, *others = conclusion.lines
    if sessions:
        idly = f"The interval was almost idle ({sessions}): analyze a busy one, too."
        rest = f"{' '.join(others)}{more}".strip()
        return Headline(
            f"{cause} {idly} {conclusion.sentence[len(cause) + 1 :]}{more}", (cause, idly, rest)
        )
    rest = "".join((*others[1:], more)).strip()
    return Headline(conclusion.sentence + more, (cause, *others[:1], *filter(None, [rest])))


class _Where(NamedTuple):
    """Where DB time went apart from the findings."""

    base: str
    #: The largest event, or CPU; empty if none stands out. How long one of its waits takes.
    name: str
    pct: float
    latency: str
    #: What is neither CPU nor waits; 0 if it is little.
    unnamed_pct: float
    #: What explains it, or that processes waited for CPU; may be empty.
    why: str
    #: Whether the times of the report are reliable.
    timed: bool
    #: The part of ``why`` that is about the host.
    host: str = ""
    #: Where CPU is the largest: the largest wait and its share, if this is large, too.
    wait: str = ""
    wait_pct: float = 0.0
    #: DB time, where shares of it are not reliable.
    whole_s: float | None = None
    #: The part of ``why`` that explains the shares.
    cause: str = ""
    #: Whether the largest consumer has most of DB time.
    is_most: bool = False

    @property
    def shares(self) -> list[str]:
        """The shares in words, the larger first; the base once."""
        parts = [(self.pct, f"{self.name}{self.latency}"), (self.unnamed_pct, _UNNAMED)]
        parts.append((self.wait_pct, self.wait))
        named = [part for part in sorted(parts, reverse=True) if part[0]]
        if self.whole_s:
            return [f"{what} takes {pct * self.whole_s / 100:,.0f} s" for pct, what in named]
        of = [f" of {self.base}", *[""] * len(named)]
        return [f"{pct:.0f} %{of[n]} is {what}" for n, (pct, what) in enumerate(named)]

    @property
    def explained(self) -> tuple[str, str]:
        """What explains the shares, if anything does, or they; and what else there is to know."""
        *others, last = self.shares or [""]
        shares = ", and ".join(filter(None, (", ".join(others), last)))
        cause, more = self.cause.strip(" ."), self.why.replace(self.cause, "")
        return (_within(cause), f" {shares}.{more}") if cause and shares else (shares, more)


def _conclusion(
    analysis: Analysis, where: _Where, policy: Policy, *, calm: bool, doubt: str = ""
) -> Headline:
    issues = [f for f in analysis.findings if f.severity != "ok" and not is_integrity((f.id,))]
    action = first_action(analysis)
    open_ = _undecided(analysis)
    unknown = len(open_) == len(_SEGMENTS)
    hardly = unknown or analysis.is_hardly_judged or not analysis.report["elapsed_s"]
    if not issues and action is None and hardly:
        most = f"{where.shares[0]}." if where.name else ""
        return _headline("This report has too little data to judge the write path", most, "")
    unjudged = f" Not enough data to judge {listed(open_)}." if open_ else ""
    other = _elsewhere(analysis, where, issues, policy)
    after = f"{other.text}{unjudged}"
    if issues and SEVERITIES.index(issues[0].severity) > 1:
        return _alarm(analysis, where, issues, action, after, policy)
    do = "" if action is None else _within(action.title)
    first = f"Worth doing: {do}." if do else ""
    if doubt:
        return _headline(doubt, f"{issues[0].title}." if issues else "", after, first)
    start = f"{_NOT_URGENT}. " if calm else ""
    if unknown:  # what was not judged at all is not called "not urgent"
        start, after = unjudged.strip(), other.text
    led = bool(do) and not start
    start = start or (f"Worth doing: {do.partition(' (')[0]}" if do else "")
    days = max(1.0, (analysis.report["elapsed_s"] or 0.0) / _DAY_S)
    heavy = (f for f in issues if (f.impact.seconds or 0.0) >= policy["headline.trivial_s"] * days)
    reason = next(heavy, None) if action is None else _answered(issues, action)
    if reason is not None:
        why = f"{reason.title}{_few(analysis, Scale(analysis.facts, policy), reason, where)}"
        if not start:
            return _headline(why, "", after)
        few = (reason.weight.waiting_sessions or 0.0) < SHOWN_SESSIONS
        # most of the time comes first, and anything before what hardly a session waits for; if all
        # I/O is slow, the reads are part of that
        if (other.size == "most" or (few and other.size)) and reason.weight.slow != "whole":
            most, _, more = after.partition(". ")
            why, after = most, f"{more} {_sentence(why)}".strip()
        return _headline(start, why, after, first)._replace(is_action=led)
    shares, more = where.explained
    if action is not None:
        rest = f"{more}{unjudged * (not unknown)}"
        if calm and "Do now" in map(analysis.urgency, analysis.actions):  # not on the write path
            cause, _, details = _sentence(shares or do).partition(" (")
            cost = _sentence(details.removesuffix(")"))
            urgent = _headline(cause, cost, f"{_NOT_URGENT}. {rest.strip()}", f"First: {do}.")
            return urgent._replace(is_action=not shares)
        return _headline(start, shares, rest, first)._replace(is_action=led)
    skipped = len(analysis.skipped)
    skips = f"{skipped} check{'s' if skipped > 1 else ''} skipped." if skipped else ""
    none = "No significant write-path issue" if calm else "The write path is not the cause"
    none += " on average" * long_interval(analysis.facts, policy).endswith("days")
    return _headline(none, shares, f"{more}{unjudged}", skips)


def _answered(findings: Sequence[Finding], action: Recommendation) -> Finding | None:
    """The first finding that an action answers, itself or by a part."""
    parts = ((f, part.id) for f in findings for part in with_parts((f,)))
    return next((f for f, id_ in parts if id_ in action.findings), None)


def _alarm(
    analysis: Analysis, where: _Where, findings: Sequence[Finding], action: Recommendation | None,
    after: str, policy: Policy,
) -> Headline:  # fmt: skip
    """The worst finding, or the host where the first action is on it and explains most."""
    worst = findings[0]
    reads = _reads_too(analysis, findings, policy)
    own = in_words(worst.weight._replace(share_pct=None) if reads else worst.weight, worst.title)
    weight, first = "; ".join(filter(None, (reads, own))), ""
    if action is not None:
        reason = _answered(findings, action)
        because = f", because {_within(reason.title)}" if reason not in (None, worst) else ""
        first = f"First: {_within(action.title)}{because}."
    if action is not None and action.id in OF_HOST and where.unnamed_pct:
        more, cause = where.why.replace(where.host, ""), where.host.strip(" .")
        cost = f"{where.unnamed_pct:.0f} % of {where.base} is {_UNNAMED}"
        both = cause, f"{cost}, probably for this reason"
        if host.AT_MOST in cause:  # most of it has another cause
            both = cost, cause
        return _headline(*both, f"{worst.title}{f' ({weight})' if weight else ''}.{more}", first)
    if action is not None and action.reach_s and where.shares:  # it is more than the worst finding
        cause, *shares = where.shares
        more = f"{''.join(f' {share}.' for share in shares)}{where.why}".strip()
        return _headline(cause, more, f"{worst.title}{f' ({weight})' if weight else ''}", first)
    return _headline(worst.title, f"{weight}{_most_behind(where, findings)}", after, first)


def _reads_too(analysis: Analysis, findings: Sequence[Finding], policy: Policy) -> str:
    """What reads and writes cost together, if the first cause is the whole storage."""
    scale, reads_s = Scale(analysis.facts, policy), analysis.facts["load.data_read_wait_s"].number
    reads, sessions = scale.share(reads_s), scale.sessions(reads_s)
    whole = bool(findings) and findings[0].weight.slow == "whole"
    if not whole or not reads or not sessions or reads < policy["headline.largest_pct"]:
        return ""
    pct = min(reads + _path_pct(analysis), _ALL_PCT)
    return (
        f"Reads and writes together are {pct:.0f} % of {analysis.base}: {plain(sessions, 2)} "
        "sessions waiting for reads"
    )


def _path_pct(analysis: Analysis) -> float:
    """The share of the write path."""
    pieces = analysis.overview.db_time if analysis.overview else ()
    return sum(piece.pct for piece in pieces if piece.part not in ("cpu", "other"))


def _few(analysis: Analysis, scale: Scale, finding: Finding, where: _Where) -> str:
    """Why a finding is not urgent, and how many sessions wait for reads, where these are slow."""
    whole = finding.weight.slow == "whole"
    reads_s = analysis.facts["load.data_read_wait_s"].number if whole else None
    return scale.calm_words(finding.weight, scale.sessions(reads_s)) if where.timed else ""


def _within(title: str) -> str:
    """A title within a sentence; a name in capitals is not changed."""
    return title if title[1:2].isupper() else f"{title[:1].lower()}{title[1:]}"


def _where(analysis: Analysis, policy: Policy, *, timed: bool, said: str) -> _Where:
    asked = (lambda key: analysis.facts[key].number), policy.__getitem__
    few_pct = policy["headline.unnamed_pct"]
    name, pct = _largest(analysis, policy)
    latency = _latency(analysis, name, policy, timed=timed)
    timed_pct = analysis.facts["load.timed_pct"].number or 0.0
    if not timed and timed_pct > policy["impact.overtimed_pct"]:
        latency = " at least" if name == "CPU" else " at most"
    else:
        kind, together = _together(analysis, name)
        if together >= pct + few_pct:
            name, pct, latency = kind, together, f", {pct:.0f} % {name}{latency}"
    captured = analysis.facts["load.captured_pct"].number
    if captured is None and analysis.overview is not None and analysis.overview.complete:
        captured = sum(piece.pct for piece in analysis.overview.db_time)
    # DB time that no wait and no CPU time has: mostly time in the run queue, or a stalled host
    lost = 0.0 if captured is None or analysis.has_two_clocks else 100 - captured
    whole_s = analysis.facts["load.response_s"].number if analysis.has_two_clocks else None
    if whole_s and name == "CPU":  # shown in seconds, which may be more than that
        pct = (analysis.facts["load.db_cpu_s"].number or 0.0) * 100 / whole_s
    lost, why = (lost if lost >= few_pct else 0.0), ""
    wait = _second(analysis, policy, name) if timed and (name or whole_s) else ("", 0.0)
    redo = [f for f in analysis.findings[:1] if f.id.startswith(_REDO) and not f.weight.slow]
    writes = any(finding.severity in ALARMS for finding in redo)
    sql, shown = _statement(analysis, said, cpu="CPU" in (name, wait[0]), writes=writes)
    parsing = _parsing(analysis, policy)
    failed = analysis.facts["load.failed_parse_pct"].number or 0.0
    mostly = (analysis.facts["load.parse_pct"].number or 0.0) >= policy["headline.majority_pct"]
    explained = not mostly and failed >= few_pct and 0 < lost < 2 * failed
    if explained:
        parsing = (f" Failed parses take {failed:.0f} % of {analysis.base}, probably the time that "
                   f"is {_UNNAMED}.")  # fmt: skip
    if (lost and not explained) or host.waits_for_cpu(*asked):
        busiest = analysis.facts["host.busy_max_pct"].number
        peaks = bool(long_interval(analysis.facts, policy)) and (busiest or 100.0) >= _BUSY_PCT
        why = f" {host.in_no_event(*asked, name.strip('`'), lost * (not explained), peaks=peaks)}."
    hot = (item for item in analysis.others if item.id == "hot-segments")
    blocks = next((f" {item.action}" for item in hot if item.status == "no-benefit"), "")
    # SQL that reads does not cause redo
    host_, blocks = why, f"{'' if writes else _reader(analysis, policy, shown)}{blocks}"
    full = analysis.facts["database.sga_minimums"].value
    why = f"{why}{sql}{blocks}{f' {full}.' if full else ''}{parsing}"
    if whole_s and wait[0]:
        why = f" The largest wait is {wait[0]} ({wait[1] * whole_s / 100:,.0f} s).{why}"
        wait = "", 0.0
    led = lost > pct and host_.startswith(host.CAUSES) and host.AT_MOST not in host_
    cause = parsing if mostly else host_ if led else ""
    return _Where(analysis.base, name, pct, latency, lost, why, timed, host_, *wait, whole_s, cause,
                  pct >= policy["headline.majority_pct"])  # fmt: skip


def _statement(
    analysis: Analysis, before: str, *, cpu: bool, writes: bool
) -> tuple[str, tuple[str, ...]]:
    """The SQL with most of DB time, and that of the ``cpu``, in words and by its names.

    If redo is urgent, the first is that which ``writes``. Neither that of an action, nor what was
    said ``before``.
    """
    if analysis.has_two_clocks:
        return "", ()
    facts, said, names = analysis.facts, "", tuple[str, ...]()
    done = f"{before} {[(e.title, e.first) for e in analysis.recommendations]}"
    led = facts["redo.writing_sql" if writes else "load.leading_sql"]
    led = led if led.value else facts["load.leading_sql"]
    gets = facts["load.searching_sql"].value if led.name == "load.leading_sql" else None
    ids = led.value if isinstance(led.value, tuple) else ()
    if ids and (ids[0] not in done or gets):
        said, names = f" {led.note} of {analysis.base}{f', {gets}' if gets else ''}.", ids
    # the list by CPU is read only where CPU is named
    by_cpu = facts["load.cpu_sql"] if cpu else led
    most = by_cpu.value if by_cpu is not led else None
    if isinstance(most, tuple) and not any(id_ in f"{done}{said}" for id_ in most[:1]):
        first, *more = by_cpu.note.replace("; SQL ", "; ").split("; ")
        shares = listed([first, *(other.replace(" takes", "") for other in more)])
        said += f" {_sentence(shares)}{'' if by_cpu.about == 'gets' else ' of the CPU'}."
        names += most or names[:1]  # "it" is not clear after another sentence
    return said, names


def _reader(analysis: Analysis, policy: Policy, shown: tuple[str, ...]) -> str:
    """The SQL that reads most; the share of one that was ``shown`` alone is known."""
    least = policy["storage.own_load_mb_s"]
    # the list of SQL by reads is read only where all reads are as many
    much = (analysis.facts["io.read_mb_per_s"].number or 0.0) >= least
    rate = analysis.facts["io.scan_mb_per_s" if much else "io.read_mb_per_s"]
    if (rate.number or 0.0) < least:
        return ""
    said = rate.note.replace(" (", f" reads {rate.number:,.0f} MB/s (", 1)
    return f" {said.replace(f'SQL {shown[0]}', 'It', 1) if len(shown) == 1 else said}."


def _second(analysis: Analysis, policy: Policy, largest: str) -> tuple[str, float]:
    """CPU after a wait that is the largest, if its share is large, else the largest wait.

    A lock's may be smaller. Where a finding is urgent, that wait is enough.
    """
    pieces = analysis.overview.db_time if analysis.overview else ()
    cpu = sum(piece.pct for piece in pieces if piece.part == "cpu")
    if largest not in ("", "CPU") and not analysis.has_two_clocks:
        urgent = any(finding.severity in ALARMS for finding in analysis.findings)
        small = cpu < policy["headline.largest_pct"] or urgent
        return ("", 0.0) if small else ("CPU", cpu)
    least = policy["headline.unnamed_pct"], policy["headline.lock_pct"]
    waits = [
        (piece.pct, piece.name) for piece in pieces
        if piece.is_event and piece.pct >= least[piece.name.startswith("enq: ")]
    ]  # fmt: skip
    pct, name = max(waits, default=(0.0, ""))
    beyond = analysis.overview is not None and analysis.overview.beyond_pct
    most = " at most" if beyond and cpu + pct + 0.1 > _ALL_PCT else ""
    return (f"`{name}`{most}" if name else ""), pct


def _together(analysis: Analysis, consumer: str) -> tuple[str, float]:
    """The kind of waits of a consumer with the share of all that are known; else empty and 0."""
    if consumer.startswith("`gc ") and analysis.overview is not None:
        waits = [piece.pct for piece in analysis.overview.db_time if piece.name.startswith("gc ")]
        # smaller ones are among the other waits
        return "global cache waits (gc)", min(sum(waits), _ALL_PCT)
    reads, whole = (analysis.facts[name] for name in ("load.data_read_wait_s", "load.response_s"))
    events = {item.row.strip("* ") for item in reads.evidence}
    if consumer.strip("`") not in events or not reads.number or not whole.number:
        return "", 0.0
    return _OF_FILES, min(reads.number * 100 / whole.number, _ALL_PCT)


def _parsing(analysis: Analysis, policy: Policy) -> str:
    """That much of DB time is parsing, whose waits are latches, mutexes and no event at all."""
    whole, hard = (analysis.facts[f"load.{name}_pct"].number for name in ("parse", "hard_parse"))
    if whole is None or not policy["headline.unnamed_pct"] <= whole <= _ALL_PCT:
        return ""
    n = analysis.facts["load.hard_parses_per_s"].number or 0.0
    of_it = f" (hard parses {hard:.0f} %{f', {n:,.0f} per second' * (n >= 1)})" if hard else ""
    return f" Parsing takes {whole:.0f} % of {analysis.base}{of_it}."


def _largest(analysis: Analysis, policy: Policy) -> tuple[str, float]:
    """The largest consumer of DB time outside the write path, if its share is large; else none."""
    facts = analysis.facts
    name, share = facts["load.largest_consumer"].value, facts["load.largest_consumer_pct"].number
    pieces = analysis.overview.db_time if analysis.overview else ()
    # the overview leaves out waits of background processes
    share = next((piece.pct for piece in pieces if piece.name == name), share)
    stands_out = share is not None and policy["headline.largest_pct"] <= share <= _POSSIBLE_PCT
    if not isinstance(name, str) or share is None or not stands_out:
        return "", 0.0
    return (name if name == "CPU" else f"`{name.strip('*')}`"), min(share, 100.0)


class _Elsewhere(NamedTuple):
    """Where most of DB time went, and whether its first sentence has most of it, or more."""

    text: str
    size: Literal["", "more", "most"]


def _elsewhere(
    analysis: Analysis, where: _Where, findings: Sequence[Finding], policy: Policy
) -> _Elsewhere:
    """Where most of DB time went, if the write path is a smaller part of it."""
    if where.whole_s:  # shares are not reliable
        said = f"{''.join(f' {share}.' for share in where.shares)}{where.why}"
        return _Elsewhere(said, "more" if said else "")
    share = max([_path_pct(analysis), *(finding.weight.share_pct or 0.0 for finding in findings)])
    first = where.pct > max(share, where.unnamed_pct)
    of = "" if first else f" of {where.base}"
    unnamed = f" {where.unnamed_pct:.0f} %{of} is {_UNNAMED}." if where.unnamed_pct else ""
    same = _OF_FILES in (where.name, _together(analysis, where.name)[0])
    if not first or (same and _reads_too(analysis, findings, policy)):
        return _Elsewhere(f"{unnamed}{where.why}", "")
    behind = _waits_behind(where.name.strip("`"), findings)
    caused = behind or _waits_behind(where.wait.strip("`"), findings)
    at = f"{'' if behind else 'elsewhere: '}{where.name} {where.pct:.0f} %{where.latency}"
    held = _held(analysis, policy, findings[0].id) if caused else ""
    more = f"{{}}{where.wait}{{}} {where.wait_pct:.0f} %" if where.wait else ""
    at += more.format(*((". ", " is") if caused and not behind else (", ", "")))
    at += _locked(analysis, f"{where.name}{where.wait}")
    text = f" {where.base} is {at}{held}.{unnamed}{where.why}"
    return (
        _Elsewhere(f" Most{text}", "most") if where.is_most else _Elsewhere(f" More{text}", "more")
    )


def _locked(analysis: Analysis, event: str) -> str:
    """The segments with most row lock waits, if these lead."""
    segments = analysis.facts["load.locked_segments"]
    if "row lock" not in event or not segments.value:
        return ""
    text = listed(segments.note.replace(":", "").split("; "))
    rounded = re.sub(r"(?<![\d.])[\d.]++(?= %)", lambda share: f"{float(share[0]):.0f}", text)
    return f" ({rounded} of these waits)"


def _held(analysis: Analysis, policy: Policy, rule: str) -> str:
    """What is known of locks that sessions hold while they commit: how much shorter a commit is."""
    cause, now = ", which waits for redo can cause", commits(analysis.facts)
    if now is None or not now.waits or analysis.verdicts.redo_storage == "no-benefit":
        return cause.replace("for redo", "at log switches") if rule in _SWITCHES else cause
    then = with_write(now, min(now.write_ms, speed(policy, "redo").write(now.write_bytes)))
    return (
        f"{cause}: on low-latency storage, each commit of a session that holds locks would take "
        f"{then.instead_of(now)} instead of {ms_words(now.commit_ms)}. The report "
        "does not show how much of the lock waits would end"
    )


def _waits_behind(event: str, findings: Sequence[Finding]) -> bool:
    """Whether a finding names the event, perhaps cut, among the waits that it can cause."""
    facts = (fact for part in with_parts(findings) for fact in part.facts if fact.name in BEHIND)
    rows = (item.row.strip("* ") for fact in facts for item in fact.evidence)
    return any(row and event.startswith(row) for row in rows)


def _most_behind(where: _Where, findings: Sequence[Finding]) -> str:
    """What most of DB time is, if a finding can cause these waits: a part of what it costs."""
    if not where.is_most or not _waits_behind(where.name.strip("`"), findings):
        return ""
    return f"; {where.name} is {where.pct:.0f} % of {where.base}, and these waits can cause it"


def _latency(analysis: Analysis, consumer: str, policy: Policy, *, timed: bool) -> str:
    """How long one read takes, if these are most."""
    read = analysis.facts["io.data_read_ms"]
    events = {item.row.strip("* ") for item in read.evidence}
    # an average over waits that were not timed would call slow reads fast
    if not timed or read.number is None or consumer.strip("`") not in events:
        return ""
    half = spread(
        policy["impact.slower_ms"], read.number, analysis.facts["io.data_read_p50_ms"].number
    )
    places = analysis.facts["io.slow_places"].value
    more = f"{f', {half}' if half else ''}{f': {places}' if places else ''}"
    return f" ({ms_words(read.number)} each{more})"


def _undecided(*of: Analysis) -> list[str]:
    """What the first does not judge, and the others do not call useless."""
    verdicts = {n: [getattr(report.verdicts, f"{n}_storage") for report in of] for n in _SEGMENTS}
    return [n for n, (v, *o) in verdicts.items() if v == "need-data" and "no-benefit" not in o]


def reports_to_take(whole: Analysis, instances: Sequence[Analysis]) -> tuple[Note, ...]:
    """Which reports decide what a RAC report leaves open: it has few figures of an instance.

    A cluster of one instance is judged by the figures of the cluster, and what has no benefit for
    the whole has none for its parts.
    """
    restarted = {
        str(node.report["instance_number"]): node.warnings[0].message for node in instances
        if node.warnings and node.facts["load.elapsed_s"].number is None
    }  # fmt: skip
    notes = tuple(
        Note(f"Instance {number}: {why} Its own figures are left out, but the sums of the cluster "
             "contain them: they are not reliable.")
        for number, why in restarted.items()
    )  # fmt: skip
    unjudged = {str(node.report["instance_number"]): _undecided(node, whole) for node in instances}
    numbers = [n for n, open_ in unjudged.items() if open_ and n not in restarted]
    if not numbers or len(instances) == 1:
        return notes
    names = listed([name for name in _SEGMENTS if any(name in o for o in unjudged.values())])
    who = instances[0].report
    snaps = f" for snapshots {who['begin_snap']}-{who['end_snap']}" if who["begin_snap"] else ""
    snaps = f" for {peak}, the peak" if (peak := whole.facts["load.addm_peak"].value) else snaps
    one = len(numbers) == 1
    text = (
        f"A RAC report has few figures of each instance, not enough to judge {names} of instance"
        f"{'' if one else 's'} {listed(numbers)}: take the AWR report of "
        f"{'this' if one else 'each'} instance{snaps} (`awrrpti.sql`)."
    )
    return (*notes, Note(text))
