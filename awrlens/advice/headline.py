"""The headline: the main problem and the first action, or where DB time went instead.

It does not say that all is well while there is an action to take, and it names only an action
that a finding supports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.case import is_integrity, starved_by
from awrlens.model import SEVERITIES, Note, with_parts
from awrlens.severity import BEHIND, clock_doubt, idle, in_words, long_interval
from awrlens.units import listed, ms_words, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.model import Analysis, Finding, Recommendation
    from awrlens.policy import Policy

#: The segments that have a storage verdict.
_SEGMENTS: Final = ("redo", "temp", "undo")
#: The largest consumer of DB time is named above this share.
_STANDS_OUT_PCT: Final = 20.0
_MAJORITY_PCT: Final = 50.0
_NOT_URGENT: Final = "No urgent issue on the write path"


def first_action(analysis: Analysis) -> Recommendation | None:
    """The first action of the plan; integrity settings do not count."""
    return next((each for each in analysis.actions if not is_integrity(each.findings)), None)


def headline(analysis: Analysis, policy: Policy | None, *, calm: bool = True) -> str:
    """The main problem, the first action, and where DB time went if not to the write path.

    Without ``calm`` it does not say that nothing is urgent: something else is. After a long
    interval by ``policy``, it adds that averages hide peaks; of an interval without load, that a
    busy interval is to be analyzed; if times are not reliable, why.
    """
    why = "" if policy is None else clock_doubt(analysis.facts, policy)
    starved = "" if policy is None else starved_by(analysis.facts, policy)
    queue = f" ({starved})" if starved else ""
    said = _conclusion(analysis, calm=calm, timed=not why, queue=queue)
    if policy is None:
        return said
    if span := long_interval(analysis.facts, policy):
        said += f" Averages over {span} hide peaks."
    if sessions := idle(analysis.facts, policy):
        said += f" The interval was almost idle ({sessions}): analyze a busy one, too."
    if why:
        said += f" Times are not reliable: {why}."
    return said


def _conclusion(analysis: Analysis, *, calm: bool, timed: bool, queue: str) -> str:
    skipped = len(analysis.skipped)
    found = [
        each for each in analysis.findings if each.severity != "ok" and not is_integrity((each.id,))
    ]
    action = first_action(analysis)
    open_ = _undecided(analysis)
    unknown = len(open_) == len(_SEGMENTS)
    if not found and action is None and (unknown or not analysis.report["elapsed_s"]):
        largest = _largest(analysis)
        most = f" {_share_of(analysis, largest, timed=timed)}." if largest else ""
        return f"This report has too little data to judge the write path.{most}"
    do = "" if action is None else _within(action.title)
    answered = () if action is None else action.findings
    reason = next((f for f in found if any(part.id in answered for part in with_parts((f,)))), None)
    unjudged = f" Not enough data to judge {listed(open_)}." if open_ else ""
    elsewhere = _elsewhere(analysis, found, timed=timed, queue=queue)
    if found and SEVERITIES.index(found[0].severity) > 1:
        weight = in_words(found[0].weight, found[0].title)
        cost = f" ({weight})" if weight else ""
        because = f", because {_within(reason.title)}" if reason not in (None, found[0]) else ""
        first = f" First: {do}{because}." if do else ""
        return f"{found[0].title}{cost}.{first}{elsewhere}{unjudged}"
    start, rest = f"{_NOT_URGENT}. " if calm else "", unjudged
    if unknown:  # what was not judged at all is not called "not urgent"
        start, rest = f"{unjudged.strip()} ", ""
    if action is not None:
        why = f" ({_within(reason.title)})" if reason else ""
        return f"{start}Worth doing: {do}{why}.{elsewhere}{rest}"
    if found:
        title = found[0].title
        calmly = calm and not unknown
        said = f"{_NOT_URGENT}: {_within(title)}" if calmly else f"{start}{title}"
        return f"{said}.{elsewhere}{rest}"
    skips = f" ({skipped} check{'s' if skipped > 1 else ''} skipped)" if skipped else ""
    none = "No significant write-path issue" if calm else "The write path is not the cause"
    return f"{none}{_instead(analysis, timed=timed, queue=queue)}{skips}.{unjudged}"


def _within(title: str) -> str:
    """A title within a sentence; a name in capitals is not changed."""
    return title if title[1:2].isupper() else f"{title[:1].lower()}{title[1:]}"


def _largest(analysis: Analysis) -> tuple[str, float] | None:
    """The largest consumer of DB time outside the write path, if its share is large.

    Its share is that of the overview, which leaves out waits of background processes.
    """
    facts = analysis.facts
    name, share = facts["load.largest_consumer"].value, facts["load.largest_consumer_pct"].number
    pieces = analysis.overview.db_time if analysis.overview else ()
    share = next((each.pct for each in pieces if each.name == name), share)
    if not isinstance(name, str) or share is None or share < _STANDS_OUT_PCT:
        return None
    return (name if name == "CPU" else f"`{name.strip('*')}`"), min(share, 100.0)


def _elsewhere(analysis: Analysis, found: Sequence[Finding], *, timed: bool, queue: str) -> str:
    """Where most of DB time went, if the waits of the findings are a smaller part of it.

    ``queue`` is the evidence that processes waited for CPU, in parentheses, if there is any.
    """
    largest, lost = _largest(analysis), _lost_pct(analysis)
    share = max((each.weight.share_pct or 0.0 for each in found), default=0.0)
    if lost > max(share, _STANDS_OUT_PCT, largest[1] if largest else 0.0):
        most = "Most" if lost >= _MAJORITY_PCT else "More"
        return f" {most} {analysis.base}, {lost:.0f} %, is neither CPU nor waits{queue}."
    if largest is None or largest[1] <= share:
        return ""
    most = "Most" if largest[1] >= _MAJORITY_PCT else "More"
    where = f"{largest[0]} {plain(round(largest[1]))} %{_each(analysis, largest[0], timed=timed)}"
    if _waits_behind(largest[0].strip("`"), found):
        return f" {most} {analysis.base} is {where}, which waits for redo can cause."
    return f" {most} {analysis.base} is elsewhere: {where}."


def _waits_behind(event: str, found: Sequence[Finding]) -> bool:
    """Whether a finding names the event, perhaps cut, among the waits that it can cause."""
    facts = (fact for part in with_parts(found) for fact in part.facts if fact.name in BEHIND)
    rows = (item.row.strip("* ") for fact in facts for item in fact.evidence)
    return any(row and event.startswith(row) for row in rows)


def _lost_pct(analysis: Analysis) -> float:
    """DB time that no wait and no CPU time has: mostly time in the run queue, or a stalled host."""
    captured = analysis.facts["load.captured_pct"].number
    if captured is None and analysis.overview is not None and analysis.overview.complete:
        captured = sum(each.pct for each in analysis.overview.db_time)
    return 0.0 if captured is None else 100 - captured


def _instead(analysis: Analysis, *, timed: bool, queue: str) -> str:
    found, lost = _largest(analysis), _lost_pct(analysis)
    neither = f": {lost:.0f} % of {analysis.base} is neither CPU nor waits{queue}"
    if found is None:
        return neither if lost > _STANDS_OUT_PCT else ""
    if lost > found[1]:
        return f"{neither}, and {plain(round(found[1]))} % is {found[0]}"
    return f": {_share_of(analysis, found, timed=timed)}"


def _share_of(analysis: Analysis, consumer: tuple[str, float], *, timed: bool) -> str:
    each = _each(analysis, consumer[0], timed=timed)
    return f"{plain(round(consumer[1]))} % of {analysis.base} is {consumer[0]}{each}"


def _each(analysis: Analysis, consumer: str, *, timed: bool) -> str:
    """The time of a single-block read, if these are most: whether there are many, or slow ones.

    An average over waits that were not timed would call slow reads fast.
    """
    read = analysis.facts["io.data_read_ms"]
    events = {item.row.strip("* ") for item in read.evidence}
    if not timed or read.number is None or consumer.strip("`") not in events:
        return ""
    return f" ({ms_words(read.number)} each)"


def _undecided(analysis: Analysis) -> list[str]:
    verdicts = analysis.verdicts
    return [name for name in _SEGMENTS if getattr(verdicts, f"{name}_storage") == "need-data"]


def reports_to_take(instances: Sequence[Analysis]) -> tuple[Note, ...]:
    """Which reports decide what a RAC report leaves open: it has few figures of an instance.

    A cluster of one instance is judged by the figures of the cluster.
    """
    unjudged = {str(each.report["instance_number"]): _undecided(each) for each in instances}
    numbers = [number for number, open_ in unjudged.items() if open_]
    if not numbers or len(instances) == 1:
        return ()
    names = listed([name for name in _SEGMENTS if any(name in o for o in unjudged.values())])
    who = instances[0].report
    snaps = f" for snapshots {who['begin_snap']}-{who['end_snap']}" if who["begin_snap"] else ""
    one = len(numbers) == 1
    text = (
        f"A RAC report has few figures of each instance, not enough to judge {names} of instance"
        f"{'' if one else 's'} {listed(numbers)}: take the AWR report of "
        f"{'this' if one else 'each'} instance{snaps} (`awrrpti.sql`)."
    )
    return (Note(text),)
