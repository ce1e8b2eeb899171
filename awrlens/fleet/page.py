"""The page of a fleet, as blocks: what could not be read, what changed, the worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import SEVERITIES
from awrlens.render import blocks
from awrlens.render.blocks import Block, Column, Heading, Item, Items, Page, Paragraph, Row, Table
from awrlens.render.wording import count, short

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from awrlens.fleet.records import Alert, Difference, Fleet, Gain, Member, Recovery


_SHORT: Final = 15
#: Smaller amounts are not told apart.
_LEAST: Final = 0.01
#: Databases that a difference names.
_NAMED: Final = 8


def page(found: Fleet, *, brief: bool = False) -> Page:
    """All databases of a store; ``brief``: the first rows of every table."""
    span = "empty"
    if found.begin and found.end:
        span = f"{found.begin:%Y-%m-%d} to {found.end:%Y-%m-%d}"
    worst = found.members[0].severity if found.members else "unknown"
    mild = worst in ("ok", "info", "unknown")
    return Page(
        f"Fleet of {count(found.databases, 'database')}",
        (f"{span} · {count(found.reports, 'interval')} · the latest {found.last} per instance",),
        _headline(found),
        "warning" if found.unreadable and mild else worst,
        tuple(_blocks(found, _SHORT if brief else None)),
    )


def _headline(found: Fleet) -> str:
    counts = ((name, count) for name, count in found.severities.items() if name != "ok")
    ill = ", ".join(f"{count} {name}" for name, count in counts if count)
    text = f"{count(len(found.members), 'instance')}: {ill or 'no findings'}"
    if not found.members:
        text = "The store has no interval"
    if found.unreadable_count:
        text += f"; {count(found.unreadable_count, 'input')} could not be read"
    return f"{text}."


def _blocks(found: Fleet, most: int | None) -> Iterator[Block]:
    for part in (_unreadable, _changed, _members, _storage, _recovery, _settings):
        yield from part(found, most)


def _unreadable(found: Fleet, most: int | None) -> Iterator[Block]:
    if not found.unreadable:
        return
    yield Heading("Could not be read", anchor="unreadable")
    shown = found.unreadable[: most and 5]
    yield Items(tuple(Item(each.reason, each.source, "warning") for each in shown))
    yield from _more(found.unreadable_count, len(shown), "`awrlens query 'FROM unreadable'`")


def _changed(found: Fleet, most: int | None) -> Iterator[Block]:
    alerts = [
        (member, alert)
        for state in ("new", "worse", "improved", "gone")
        for member in found.members
        for alert in member.alerts
        if alert.state == state and alert.severity in ("critical", "warning")
    ]
    if not alerts:
        return
    yield Heading("What changed", anchor="changes")
    yield Items(
        tuple(
            Item(
                f"{member.who.full}: {_sentence(alert)}", alert.state,
                "ok" if alert.state in ("improved", "gone") else alert.severity,
            )
            for member, alert in alerts[:most]
        )
    )  # fmt: skip
    yield from _more(len(alerts), most)


def _sentence(alert: Alert) -> str:
    others = f", also {', '.join(alert.others)}" if alert.others else ""
    since = f" since {_moment(alert.since)}" if alert.since else ""
    share = f"{alert.intervals} of {count(alert.of, 'interval')}"
    return f"{alert.title} ({alert.id}{others}),{since} in {share}"


def _members(found: Fleet, most: int | None) -> Iterator[Block]:
    if not found.members:
        return
    yield from _picture(found, most)
    yield Heading("Databases, worst first", anchor="databases")
    names = (
        Column("instance"), Column("severity"), Column("waiting", "number"),
        Column("active sessions", "number", narrow=False), Column("main alert"),
        Column("state", narrow=False), Column("last interval", narrow=False),
    )  # fmt: skip
    rows = tuple(map(_member, found.members[:most]))
    yield Table("Databases, worst first", names, rows, tools=True)
    yield from _more(len(found.members), most)


#: Fewer intervals than these have no course.
_A_COURSE: Final = 3


def _picture(found: Fleet, most: int | None) -> Iterator[Block]:
    """The sessions waiting in the last intervals of those that have findings."""
    shown = [
        each for each in found.members
        if each.severity != "ok" and sum(n is not None for n in each.course) >= _A_COURSE
    ]  # fmt: skip
    if shown:
        rows = (
            blocks.Course(each.who.full, each.course, (_number(each.course[-1]), each.severity),
                          each.severity)
            for each in shown[:most]
        )  # fmt: skip
        yield Heading("Sessions waiting", anchor="course")
        yield blocks.Courses("instance", ("last", "severity"), tuple(rows))
        yield from _more(len(shown), most)


def _row(*values: str | float | None, tone: str = "", group: str = "") -> Row:
    """A row of texts, and of numbers by which it can be sorted."""
    cells = tuple(each if isinstance(each, str) else _number(each) for each in values)
    keys = tuple(None if isinstance(each, str) else each for each in values)
    return Row(cells, tone, keys=keys, group=group)


def _member(member: Member) -> Row:
    main = next((each for each in member.alerts if each.open), None)
    row = _row(
        member.who.full, member.severity, member.waiting_sessions, member.active_sessions,
        main.title.partition(": ")[0] if main else "", main.state if main else "",
        _moment(member.end), tone="" if member.severity == "ok" else member.severity,
        group=member.severity,
    )  # fmt: skip
    return row._replace(keys=(None, SEVERITIES.index(member.severity), *row.keys[2:]))


def _storage(found: Fleet, most: int | None) -> Iterator[Block]:
    if not found.gains:
        return
    yield Heading("Where low-latency storage saves most", anchor="storage")
    text = "Savings are upper bounds. Sizes are estimates from reports; check them in the database."
    if found.capacity_gb is not None:
        text = f"With {_number(found.capacity_gb)} GB, the most saving per GB first. {text}"
    yield Paragraph(text, "dim")
    names = (
        Column("database"), Column("for"), Column("sessions saved", "number"),
        Column("size, GB", "number"), Column("total, GB", "number"), Column("MB/s", "number"),
        Column("writes/s", "number"), Column("in", narrow=False), Column("size is", narrow=False),
    )  # fmt: skip
    rows = tuple(
        _row(
            each.database, each.purpose, each.sessions, each.size_gb,
            "does not fit" if each.fits is False else each.total_gb, each.mb_per_s,
            each.writes_per_s, _share(each), each.note or each.size_basis,
            tone="dim" if each.fits is False else "", group=each.purpose,
        )
        for each in found.gains[:most]
    )  # fmt: skip
    yield Table("Low-latency storage", names, rows, tools=True)
    yield from _more(len(found.gains), most)


def _recovery(found: Fleet, most: int | None) -> Iterator[Block]:
    if not found.recovery:
        return
    over = sum(each.over for each in found.recovery)
    yield Heading("Recovery time", anchor="recovery")
    level = "its FAST_START_MTTR_TARGET" if found.level_s is None else f"{_number(found.level_s)} s"
    instances = count(len(found.recovery), "instance")
    text = f"Oracle's estimate is longer than {level} in {over} of {instances}."
    yield Paragraph(text, "warning" if over else "ok")
    names = (
        Column("instance"), Column("longest, s", "number"), Column("last, s", "number"),
        Column("limit, s", "number"), Column("above it"),
    )  # fmt: skip
    rows = tuple(
        _row(
            each.who.full, each.worst_s, each.last_s, each.level_s,
            _share(each) if each.level_s is not None else "",
            tone="warning" if each.over else "", group="above" if each.over else "within",
        )
        for each in found.recovery[:most]
    )  # fmt: skip
    yield Table("Recovery time", names, rows, tools=True)
    yield from _more(len(found.recovery), most)


def _settings(found: Fleet, most: int | None) -> Iterator[Block]:
    if not found.differences:
        return
    inside = [each for each in found.differences if each.within]
    others = [each for each in found.differences if not each.within]
    tables: list[Block] = []
    for title, some in (("Different within a cluster", inside), ("Unlike the fleet", others)):
        if some:
            tables.append(Heading(title, level=3))
            tables.append(_differences(title, some[:most]))
            tables += _more(len(some), most)
    parameters = count(len(found.differences), "parameter")
    yield blocks.Fold(f"Settings: {parameters} with another value", tuple(tables), "settings")


def _differences(title: str, some: list[Difference]) -> Table:
    names = (Column("parameter", "name"), Column("where"), Column("usual"), Column("others"))
    rows = (
        Row((
            each.parameter,
            each.within or count(each.unlike, "database"),
            f"{each.usual} ({each.share_pct:.0f} %)",
            "; ".join(
                f"{value}: {', '.join(who[:_NAMED])}"
                + (f" and {len(who) - _NAMED} more" if len(who) > _NAMED else "")
                for value, who in each.others
            ),
        ))
        for each in some
    )  # fmt: skip
    return Table(title, names, tuple(rows))


def _more(count: int, shown: int | None, how: str = "--verbose") -> Iterator[Block]:
    if shown is not None and count > shown:
        yield Paragraph(f"and {count - shown:,} more: {how}", "dim")


def _share(each: Gain | Recovery) -> str:
    return f"{each.intervals} of {count(each.of, 'interval')}"


def _number(value: float | None) -> str:
    if value is not None and 0 < value < _LEAST:
        return f"< {_LEAST}"
    return "–" if value is None else short(value)


def _moment(when: datetime | None) -> str:
    return "" if when is None else when.strftime("%Y-%m-%d %H:%M")
