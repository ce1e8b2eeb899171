"""The page of a comparison, as blocks: verdict, DB time, findings, changes, then the details.

It only words what was compared: no arithmetic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from awrlens.model import ALARMS, DB_TIME
from awrlens.model.comparison import CHANGED
from awrlens.render import first_screen
from awrlens.render.blocks import (
    BarRow,
    Bars,
    Block,
    Column,
    Fold,
    Heading,
    Item,
    Items,
    Page,
    Paragraph,
    Piece,
    Row,
    Table,
)
from awrlens.render.wording import ABSENT, KINDS, PER, TIMES, duration, number, percent, safe, short
from awrlens.units import UNIT_SIGNS, milliseconds, pair, signed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from awrlens.model import Change
    from awrlens.model.comparison import (
        ChangedParameter,
        Comparison,
        DbTime,
        Load,
        Moved,
        MovedEvent,
        Movement,
        Mover,
        Per,
        Side,
        Turn,
    )


#: Marks of a change: a sign and a word, never color alone.
MARKS: Final[dict[Movement, tuple[str, str]]] = {
    "better": ("▼", "better"), "worse": ("▲", "worse"), "changed": ("~", "changed"),
    "noise": (" ", "noise"), "same": (" ", "same"),
}  # fmt: skip
#: The style of a change, in the colors of severities.
STYLES: Final[dict[str, str]] = {
    "better": "ok", "worse": "warning", "changed": "info", "noise": "dim", "same": "dim",
    "came-true": "ok", "partly": "warning", "not": "critical", "not-assessable": "dim",
}  # fmt: skip
OUTCOMES: Final = {
    "came-true": "achieved", "partly": "partly achieved", "not": "not achieved",
    "not-assessable": "not assessable",
}  # fmt: skip
#: The badge of a comparison, and its style.
BADGES: Final = {
    "comparable": ("comparable", "ok"), "limited": ("comparable with limits", "info"),
    "not-comparable": ("not comparable", "warning"),
}  # fmt: skip
#: Families of findings, in the order of the page.
FAMILIES: Final = (
    ("new", "new"), ("worse", "worse"), ("remained", "lasting"), ("improved", "improved"),
    ("gone", "gone"),
)  # fmt: skip
#: A fall beyond this percentage would be rounded to 100 %.
_NEARLY_ALL: Final = -99.5
#: A fact that is redundant if another is known.
_SAME_AS: Final = {"load.db_time_s": "load.response_s", "redo.writes_per_s": "redo.write_count"}
#: The load of a side: facts, the divisor with which they are shown, and their names.
_LOADS: Final[tuple[tuple[str, Per, str], ...]] = (
    ("load.average_active_sessions", "none", "average active sessions"),
    ("load.transactions_per_s", "second", "transactions/s"),
    ("load.executes_per_s", "second", "executions/s"),
)
#: Maximum number of names per reason; the JSON output has all.
_NAMES: Final = 12


def who(found: Comparison) -> tuple[str, tuple[str, ...]]:
    """What is compared, and a line for each side; the lines have what differs."""
    sides = (found.before, found.after)
    subjects = [_joined(map(first_screen.subject, side.identities)) for side in sides]
    kinds = [_joined(_kind(each) for each in side.identities) for side in sides]
    lines = [_when(side) for side in sides]
    title = subjects[:1]
    if subjects[0] != subjects[1]:
        names = (each["db_name"] or "unknown database" for s in sides for each in s.identities)
        title = [" and ".join(dict.fromkeys(names))]
    if kinds[0] == kinds[1]:
        title.append(kinds[0])
    else:
        lines = [f"{kind} · {line}" for kind, line in zip(kinds, lines, strict=True)]
    if subjects[0] != subjects[1]:
        lines = [f"{subject} · {line}" for subject, line in zip(subjects, lines, strict=True)]
    return plain(" · ".join(title)), (plain(f"before: {lines[0]}"), plain(f"after: {lines[1]}"))


def _kind(report: Mapping[str, Any]) -> str:
    return KINDS.get(report["kind"], str(report["kind"]))


def _joined(texts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(texts))


def _when(side: Side) -> str:
    if side.reports == 1:
        return first_screen.interval(side.identities[0])
    parts = [f"{side.reports} reports"]
    begins = sorted(each["begin_time"] for each in side.identities if each["begin_time"])
    ends = sorted(each["end_time"] for each in side.identities if each["end_time"])
    if begins and ends:
        parts.append(f"{begins[0]} to {ends[-1]}".replace("T", " "))
    if side.elapsed_s:
        parts.append(f"{duration(side.elapsed_s)} in total")
    return " · ".join(parts)


def load_words(found: Comparison) -> str:
    """The load of both sides in one line."""
    known = {(each.fact, each.per): each for each in found.facts}
    shown = [
        f"{short(each.before)} → {short(each.after)} {name}"
        for fact, per, name in _LOADS
        if (each := known.get((fact, per))) is not None
    ]
    return " · ".join(shown)


def sentence(text: str) -> str:
    """A sentence with its full stop."""
    return safe(text if text.endswith(".") else f"{text}.")


def plain(text: str) -> str:
    """Text of a report; backticks in it do not mark code."""
    return safe(text).replace("`", "'")


def both(before: str, after: str) -> str:
    """Both values, with an arrow between."""
    return plain(f"{before} → {after}")


def limits(found: Comparison) -> list[tuple[str, str]]:
    """Differences besides the compared one: what, then both values and why."""
    return [
        (each.what, each.why if each.what.endswith(("parameter", "parameters"))
         else f"{both(each.before, each.after)}. {each.why}")
        for each in found.unfair
    ]  # fmt: skip


def changes(found: Sequence[Change | ChangedParameter]) -> list[tuple[str, str, str]]:
    """Names with both values."""
    return [
        (plain(each.name), plain(each.first) or ABSENT, plain(each.second) or ABSENT)
        for each in found
    ]


def mover(each: Mover) -> tuple[str, ...]:
    """A row of the changes that matter: title, both values, change, share of DB time."""
    was, now = _values(each)
    return (
        f"{MARKS[each.verdict][0]} {safe(each.title)}", was, now, change(each),
        "" if each.pct_db_time is None else percent(each.pct_db_time), MARKS[each.verdict][1],
    )  # fmt: skip


def _values(each: Mover) -> tuple[str, str]:
    unit = {"1/s": "count", "B/s": "B", "MB/s": "MB"}.get(each.unit, each.unit)
    if unit == "s":
        return duration(each.before), duration(each.after)
    if unit == "%":
        return percent(each.before), percent(each.after)
    if unit == "1/h":
        return f"{short(each.before)}/h", f"{short(each.after)}/h"
    was, now = pair(each.before, each.after, unit)
    suffix = "/s" if each.per == "second" and not each.pct_db_time else ""
    return was + suffix, now + suffix


def change(each: Mover | Moved | MovedEvent) -> str:
    """A change in per cent, or as a factor."""
    pct = each.change_pct
    after = each.after if isinstance(each.after, int | float) else each.after.total_ms
    if pct is None:
        return "from 0"
    if pct >= (TIMES - 1) * 100:
        return f"× {short(float(f'{pct / 100 + 1:.2g}'))}"
    if pct < _NEARLY_ALL and after:
        return f"< −{-_NEARLY_ALL} %"
    return f"{pct:+.0f} %".replace("-", "−")


def fact_row(each: Moved) -> tuple[str, ...]:
    """A changed fact with its formulas; its name without a unit that is not the one shown."""
    name = each.fact
    if each.per != "none" and not (each.per == "second" and name.endswith("_per_s")):
        name = name.removesuffix("_per_s").removesuffix("_s")
    unit = UNIT_SIGNS.get(each.unit, each.unit)
    if each.per != "none":
        unit = f"{unit}/{PER[each.per]}"
    elif each.unit in ("1/h", "1/txn"):
        unit = each.unit
    how = " | ".join(safe(text) for text in each.how)
    return (
        name, number(each.before), number(each.after), unit, change(each),
        MARKS[each.verdict][1], how,
    )  # fmt: skip


def changed_facts(found: Comparison) -> list[Moved]:
    """Facts that changed beyond noise, without duplicates; the worse first."""
    twice = {_SAME_AS[each.fact] for each in found.main if each.fact in _SAME_AS}
    known = [each for each in found.main if each.verdict in CHANGED and each.fact not in twice]
    order = ("worse", "better", "changed")
    return sorted(known, key=lambda each: order.index(each.verdict))


def event_row(each: MovedEvent) -> tuple[str, ...]:
    """A changed wait event: total time and average wait, before and after."""
    name = f"{each.event} (bg)" if each.background else each.event
    return (
        plain(name), number(each.before.total_ms), number(each.after.total_ms), change(each),
        _each(each.before), _each(each.after),
    )  # fmt: skip


def _each(found: Load) -> str:
    return "-" if found.each_ms is None else number(found.each_ms)


def turn(each: Turn, per: Per) -> str:
    """A finding in a line: title, rule, severity on both sides, or its cost if that changed."""
    severity = " → ".join(dict.fromkeys(s for s in (each.before, each.after) if s))
    parts = [each.id, severity]
    changed = each.movement != "remained" and each.before == each.after
    if changed and each.before_ms and each.after_ms:
        was, now = pair(each.before_ms, each.after_ms, "ms")
        parts.append(f"{was} → {now} per {per}")
    return f"{safe(each.title)} ({', '.join(parts)})"


def noise(found: Comparison) -> str:
    """The unit of comparison, and what counts as noise."""
    little = sum(each.verdict == "noise" for each in found.main)
    same = sum(each.verdict == "same" for each in found.main)
    facts = "1 fact differs" if little == 1 else f"{little or 'No'} facts differ"
    return safe(
        f"Amounts are compared per {found.basis.per}: {found.basis.reason}. {facts} within noise; "
        f"{same} are equal on both sides. The bound of noise of each fact is in the JSON output."
    )


def lacking_words(found: Comparison) -> list[tuple[str, str]]:
    """Facts that are missing on one side: the side with the reason, and the names."""
    groups: dict[tuple[str, str], list[str]] = {}
    for each in found.not_comparable:
        groups.setdefault((each.side, each.note), []).append(each.fact)
    return [(f"{side}: {safe(note)}", _some(names)) for (side, note), names in groups.items()]


def _some(names: list[str]) -> str:
    rest = len(names) - _NAMES
    return ", ".join(names[:_NAMES]) + (f" and {rest} more" if rest > 0 else "")


#: Findings, and changes, of the short page.
_FINDINGS, _MOVERS = 3, 7


def page(found: Comparison, *, brief: bool = False) -> Page:
    """What changed from one side to the other; ``brief``: without the details."""
    title, about = who(found)
    load = load_words(found)
    return Page(
        title,
        (*about, f"load: {load}") if load else about,
        sentence(found.headline),
        found.severity,
        tuple(_blocks(found, brief=brief)),
    )


def _blocks(found: Comparison, *, brief: bool) -> Iterator[Block]:
    badge, style = BADGES[found.comparability.grade]
    yield Paragraph(sentence(found.comparability.reason), style, badge)
    for warning in found.warnings:
        yield Paragraph(warning.message, "warning", "warning")
    yield from _expectations(found)
    yield from _db_time(found)
    yield from _findings(found, brief=brief)
    yield from _movers(found, brief=brief)
    for name, part in found.parts:
        yield Heading(f"{name[0].upper()}{name[1:]}", anchor=name.replace(" ", "-"))
        yield Paragraph(sentence(part.headline), part.severity)
        if not brief:
            yield from _sentences(part, "")
    if brief:
        changed = sum(each.verdict in CHANGED for each in found.main)
        facts = "1 fact" if changed == 1 else f"{changed} facts"
        yield Paragraph(
            f"{facts} changed beyond noise: all of them and their reasons with --verbose", "dim"
        )
    else:
        yield from _details(found)


def _expectations(found: Comparison) -> Iterator[Block]:
    if found.expectations:
        yield Heading("Effect of earlier recommendations", anchor="expectations")
        yield Items(
            tuple(
                Item(
                    f"{each.title} ({each.claimed})", OUTCOMES[each.verdict],
                    STYLES[each.verdict], (f"{each.reason}; {each.measured}",),
                )
                for each in found.expectations
            )
        )  # fmt: skip


def _db_time(found: Comparison) -> Iterator[Block]:
    """Both bars on one axis, then the steps from one to the other."""
    whole = found.db_time
    if whole is None:
        return
    several = max(found.before.reports, found.after.reports) > 1
    title = (
        f"{found.basis.time} per {found.basis.per}{' of all reports together' if several else ''}"
    )
    yield Heading(title, anchor="db-time")
    rows = (
        BarRow("before", tuple(_stacked(whole, after=False)), milliseconds(whole.before_ms)),
        BarRow("after", tuple(_stacked(whole, after=True)), milliseconds(whole.after_ms)),
        *_steps(whole),
    )
    high = max(max(piece.begin, piece.end) for row in rows for piece in row.pieces)
    yield Bars(title, "ms", 0.0, high, rows)


def _stacked(whole: DbTime, *, after: bool) -> Iterator[Piece]:
    """The parts of a bar; CPU and waits may overlap, but a bar is no longer than DB time."""
    end, most = 0.0, whole.after_ms if after else whole.before_ms
    for part in whole.parts:
        value = part.after_ms if after else part.before_ms
        if value > 0 and end < most:
            begin, end = end, min(end + value, most)
            yield Piece(begin, end, part.part, plain(part.name), milliseconds(value))


def _steps(whole: DbTime) -> Iterator[BarRow]:
    """What grew or shrank, from the end of the first bar to the end of the second."""
    end = whole.before_ms
    for each in whole.steps:
        begin, end = end, end + each.change_ms
        style = "warning" if each.change_ms > 0 else "ok"
        yield BarRow(
            plain(each.name), (Piece(begin, end, style),),
            signed(each.change_ms),
        )  # fmt: skip


def _findings(found: Comparison, *, brief: bool) -> Iterator[Block]:
    turns = [
        (word, each)
        for movement, word in FAMILIES
        for each in found.findings
        if each.movement == movement
    ]
    if not turns:
        return
    shown = turns
    if brief:
        alarms = [each for each in turns if {each[1].before, each[1].after} & {*ALARMS}]
        alarms.sort(key=lambda each: each[1].after != "critical")
        shown = (alarms or [each for each in turns if each[1].movement != "remained"])[:_FINDINGS]
    items = [
        Item(turn(each, found.basis.per), word, _style(each.after or "ok")) for word, each in shown
    ]
    left: dict[str, list[str]] = {}
    for word, each in turns:
        if (word, each) not in shown:
            left.setdefault(word, []).append(each.id)
    if left:
        rest = "; ".join(f"{word} {', '.join(ids)}" for word, ids in left.items())
        items.append(Item(f"{'also ' if items else ''}{rest}", style="dim"))
    yield Heading("Findings", anchor="findings")
    yield Items(tuple(items))


def _style(severity: str) -> str:
    return "" if severity == "ok" else severity


def _movers(found: Comparison, *, brief: bool) -> Iterator[Block]:
    movers = found.movers[:_MOVERS] if brief else found.movers
    if not movers:
        return
    yield Heading("What moved", anchor="changes")
    yield Table(
        "What moved",
        (Column(f"wait per {found.basis.per}, or key figure"), Column("before", "number"),
         Column("after", "number"), Column("change", "number"),
         Column("of DB time" if found.basis.time == DB_TIME else "share", "number"),
         Column("verdict", narrow=False)),
        tuple(
            Row(
                mover(each), STYLES[each.verdict],
                keys=(None, each.before, each.after, each.change_pct, each.pct_db_time, None),
                group=each.verdict,
            )
            for each in movers
        ),
        tools=True,
    )  # fmt: skip


def _details(found: Comparison) -> Iterator[Block]:
    yield from _sentences(found, "sentences")
    write = [each for each in found.parameters if each.about == "write-path"]
    others = [each for each in found.parameters if each.about == "other"]
    names = len(found.parameters) - len(write) - len(others)
    tables = (*_both("Parameters of the write path", write), *_both("Other parameters", others))
    if names:
        tables = (*tables, Paragraph(f"{names} names and paths also differ.", "dim"))
    if tables:
        yield Fold("Parameters", tables, "parameters")
    if found.unfair:
        items = tuple(Item(text, what) for what, text in limits(found))
        yield Fold("Limits", (Items(items),), "limits")
    yield Fold("All changes", tuple(_all(found)), "all-changes")
    lacking = lacking_words(found)
    if lacking:
        items = tuple(Item(names, why) for why, names in lacking)
        yield Fold("Not comparable", (Items(items),), "lacking")


def _sentences(found: Comparison, anchor: str) -> Iterator[Block]:
    if found.said:
        items = (
            Item(
                sentence(each.text), " ".join(MARKS[each.verdict]),
                STYLES[each.verdict],
            )
            for each in found.said
        )  # fmt: skip
        yield Fold("Sentences", (Items(tuple(items)),), anchor)


def _both(title: str, changed: Sequence[Change | ChangedParameter]) -> Iterator[Block]:
    """A table of names with both values."""
    rows = tuple(Row(each) for each in changes(changed))
    if rows:
        yield Heading(title, level=3)
        yield Table(title, (Column("name", "name"), Column("before"), Column("after")), rows)


def _all(found: Comparison) -> Iterator[Block]:
    events = [each for each in found.events if each.verdict in CHANGED]
    if events:
        title = f"Wait events, ms per {found.basis.per}"
        names = ("before", "after", "change", "avg before", "avg after")
        yield Heading(title, level=3)
        yield Table(
            title,
            (Column("event", "name"), *(Column(name, "number") for name in names)),
            tuple(Row(event_row(e), STYLES[e.verdict]) for e in events),
            tools=True,
        )
    facts = changed_facts(found)
    if facts:
        yield Heading("Facts and their formulas", level=3)
        yield Table(
            "Facts and their formulas",
            (Column("fact", "name"), Column("before", "number"), Column("after", "number"),
             Column("unit"), Column("change", "number"), Column("verdict"),
             Column("formula before, after", narrow=False)),
            tuple(
                Row(fact_row(each), STYLES[each.verdict], group=each.verdict)
                for each in facts
            ),
            tools=True,
        )  # fmt: skip
    yield from _both("Names", found.names)
    yield Paragraph(noise(found), "dim")
