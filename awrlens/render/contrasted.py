"""Wording of comparisons, shared by the renderers: sides, rows, marks, groups. No arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from awrlens.contrast import TOLD
from awrlens.render.present import KINDS, number, safe
from awrlens.units import UNIT_SIGNS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from awrlens.contrast import Contrast, Load, Moved, MovedEvent, Movement, Side, Unfair
    from awrlens.model import Change

#: Marks of a change: a sign and a word, never color alone.
MARKS: Final[dict[Movement, tuple[str, str]]] = {
    "better": ("▼", "better"), "worse": ("▲", "worse"), "changed": ("~", "changed"),
    "noise": (" ", "noise"), "same": (" ", "same"),
}  # fmt: skip
#: The style of a change, in the colors of severities.
STYLES: Final[dict[str, str]] = {
    "better": "ok", "worse": "critical", "changed": "info", "noise": "dim", "same": "dim",
    "came-true": "ok", "partly": "warning", "not": "critical", "not-assessable": "dim",
}  # fmt: skip
OUTCOMES: Final = {
    "came-true": "achieved", "partly": "partly achieved", "not": "not achieved",
    "not-assessable": "not assessable",
}  # fmt: skip
GROUPS: Final[tuple[tuple[Movement, str], ...]] = (
    ("worse", "Worse"), ("better", "Better"), ("changed", "Changed (neutral)"),
)  # fmt: skip
#: Maximum number of foreground and of background events in the table.
_EVENTS: Final = 12
_PROCESSES: Final = 5
#: A fall beyond this percentage would be rounded to 100 %.
_NEARLY_ALL: Final = -99.5
#: Changes of at least this factor are shown as a factor.
_TIMES: Final = 3
#: A fact that is redundant if another is known.
_SAME_AS: Final = {"load.db_time_s": "load.response_s", "redo.writes_per_s": "redo.write_count"}
_SHORT: Final[dict[str, str]] = {"second": "s", "transaction": "txn", "execute": "exec"}
#: Maximum number of names per reason; the JSON output has all.
_NAMES: Final = 12
_PRINTED: Final = "not in the report"


class Row(NamedTuple):
    """A changed fact, as text."""

    fact: str
    before: str
    after: str
    unit: str
    change: str
    how: tuple[str, str]
    noise: str


class EventRow(NamedTuple):
    """A changed wait event, as text: total time and average wait, before and after."""

    event: str
    before: str
    after: str
    change: str
    each_before: str
    each_after: str
    verdict: Movement


def side(found: Side) -> str:
    """The description of a side in one line."""
    if found.reports == 1:
        return _report(found.identities[0])
    names = ", ".join(dict.fromkeys(_name(each) for each in found.identities))
    begins = sorted(each["begin_time"] for each in found.identities if each["begin_time"])
    ends = sorted(each["end_time"] for each in found.identities if each["end_time"])
    when = f" · {begins[0]} to {ends[-1]}".replace("T", " ") if begins and ends else ""
    length = f" · {number(found.elapsed_s)} s in total" if found.elapsed_s else ""
    return plain(f"{found.reports} reports of {names}{when}{length}")


def _name(report: Mapping[str, Any]) -> str:
    name = report["db_name"] or "unknown database"
    return f"{name}/{report['instance']}" if report["instance"] else str(name)


def _report(report: Mapping[str, Any]) -> str:
    parts = [_name(report), report["host"], report["release"]]
    parts.append(KINDS.get(report["kind"], report["kind"]))
    if report["begin_time"]:
        parts.append(f"{report['begin_time']} to {report['end_time'] or ''}".replace("T", " "))
    if report["elapsed_s"]:
        parts.append(f"{number(report['elapsed_s'])} s")
    return plain(" · ".join(filter(None, parts)))


def sentence(text: str) -> str:
    """A sentence with its full stop."""
    return safe(text if text.endswith(".") else f"{text}.")


def unfair(found: Contrast) -> list[tuple[str, str, str]]:
    """Differences that limit the comparison: what, both values, why; parameters have a table."""
    return [
        (each.what, "" if _is_parameters(each) else pair(each.before, each.after), each.why)
        for each in found.unfair
    ]


def _is_parameters(each: Unfair) -> bool:
    return each.what.endswith(("parameter", "parameters"))


def pair(before: str, after: str) -> str:
    """Both values, with an arrow between."""
    return plain(f"{before} → {after}")


def plain(text: str) -> str:
    """Text of a report; backticks in it do not mark code."""
    return safe(text).replace("`", "'")


def changes(found: Sequence[Change]) -> list[tuple[str, str, str]]:
    """Names with both values."""
    return [
        (plain(each.name), plain(each.first) or _PRINTED, plain(each.second) or _PRINTED)
        for each in found
    ]


def rows(found: Contrast, verdict: Movement) -> list[Row]:
    """The facts with this verdict, without duplicates."""
    twice = {_SAME_AS[each.fact] for each in found.main if each.fact in _SAME_AS}
    return [_row(each) for each in found.main if each.verdict == verdict and each.fact not in twice]


def _row(each: Moved) -> Row:
    unit = UNIT_SIGNS.get(each.unit, each.unit)
    if each.per != "none":
        unit = f"{unit}/{_SHORT[each.per]}"
    elif each.unit in ("1/h", "1/txn"):
        unit = each.unit
    noise = f"{number(each.noise_pct)} %: {each.noise_basis}"
    return Row(
        each.fact, number(each.before), number(each.after), unit,
        _change(each.change_pct, each.after), (safe(each.how[0]), safe(each.how[1])), noise,
    )  # fmt: skip


def _change(pct: float | None, after: float) -> str:
    if pct is None:
        return "from 0"
    if pct >= (_TIMES - 1) * 100:
        return f"× {number(float(f'{pct / 100 + 1:.2g}'))}"
    if pct < _NEARLY_ALL and after:
        return f"< {_NEARLY_ALL} %"
    return f"{pct:+.0f} %"


def event_rows(found: Contrast) -> list[EventRow]:
    """The events with the largest changes beyond noise, foreground events first."""
    changed = [each for each in found.events if each.verdict in TOLD]
    sessions = [each for each in changed if not each.background][:_EVENTS]
    processes = [each for each in changed if each.background][:_PROCESSES]
    return [_event(each) for each in (*sessions, *processes)]


def _event(each: MovedEvent) -> EventRow:
    name = f"{each.event} (bg)" if each.background else each.event
    return EventRow(
        plain(name), number(each.before.total_ms), number(each.after.total_ms),
        _change(each.change_pct, each.after.total_ms), _each(each.before), _each(each.after),
        each.verdict,
    )  # fmt: skip


def _each(load: Load) -> str:
    return "-" if load.each_ms is None else number(load.each_ms)


def turns(found: Contrast) -> list[tuple[str, str]]:
    """Findings that are gone or new or changed their severity; then verdicts that changed."""
    lines: list[tuple[str, str]] = []
    for each in found.findings:
        if each.movement == "remained" and each.before == each.after:
            continue
        severity = (
            pair(each.before or "", each.after or "")
            if each.movement == "remained"
            else each.before or each.after
        )
        lines.append((each.movement, safe(f"{each.id} {each.title} ({severity})")))
    lines += [
        ("verdict", safe(f"{each.title}: {pair(each.before or 'none', each.after or 'none')}"))
        for each in found.verdicts
    ]
    return lines


def remained(found: Contrast) -> str:
    """Findings that did not change."""
    ids = [f.id for f in found.findings if f.movement == "remained" and f.before == f.after]
    return f"unchanged: {', '.join(ids)}" if ids else ""


def noise(found: Contrast) -> str:
    """The number of facts without change, in one line."""
    little = sum(each.verdict == "noise" for each in found.main)
    same = sum(each.verdict == "same" for each in found.main)
    facts = "1 fact differs" if little == 1 else f"{little or 'No'} facts differ"
    return f"{facts} within noise; {same} are equal on both sides."


def lacking(found: Contrast) -> list[tuple[str, str]]:
    """Facts that are missing on one side: the side with the reason, and the names."""
    groups: dict[tuple[str, str], list[str]] = {}
    for each in found.not_comparable:
        groups.setdefault((each.side, each.note), []).append(each.fact)
    return [(f"{side}: {safe(note)}", _some(names)) for (side, note), names in groups.items()]


def _some(names: list[str]) -> str:
    rest = len(names) - _NAMES
    return ", ".join(names[:_NAMES]) + (f" and {rest} more" if rest > 0 else "")


def per(found: Contrast) -> str:
    """The unit of comparison, and the reason for it."""
    return safe(f"Amounts are compared per {found.basis.per}: {found.basis.reason}.")
