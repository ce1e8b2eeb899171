"""The page of a fleet, as blocks: what could not be read, what changed, the worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from awrlens.model import STATES
from awrlens.render import blocks as b
from awrlens.render import first_screen
from awrlens.render.lines import ICONS
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


def page(fleet: Fleet, *, brief: bool = False, search: str = "") -> b.Page:
    """All databases of a store; ``brief``: the first rows of every table.

    ``search``: the address that a name is added to for the reports of its database.
    """
    span = "empty"
    if fleet.begin and fleet.end:
        span = f"{fleet.begin:%Y-%m-%d} to {fleet.end:%Y-%m-%d}"
    databases = _by_database(fleet)
    worst = databases[0][0].severity if databases else "unknown"
    mild = worst in ("ok", "info", "unknown")
    return b.Page(
        f"Fleet of {count(fleet.databases, 'database')}",
        (f"{span} · {count(fleet.reports, 'interval')} · the latest {fleet.last} per instance",),
        _headline(fleet, [members[0] for members in databases]),
        "warning" if fleet.unreadable and mild else worst,
        tuple(_blocks(fleet, _SHORT if brief else None, search)),
    )


def _headline(fleet: Fleet, worst: list[Member]) -> str:
    ill = first_screen.tally([member.severity for member in worst if member.severity != "ok"])
    text = f"{count(len(worst), 'database')}: {ill or 'no findings'}"
    if not worst:
        text = "The store has no interval"
    elif problem := _problem(worst[0])[0]:
        text += f". {worst[0].who.database}: {problem}"
    if fleet.unreadable_count:
        text += f"; {count(fleet.unreadable_count, 'input')} could not be read"
    return f"{text}."


def _blocks(fleet: Fleet, most: int | None, search: str) -> Iterator[b.Block]:
    if fleet.unreadable:
        yield b.Heading("Could not be read", anchor="unreadable")
        shown = fleet.unreadable[: most and 5]
        yield b.Items(tuple(b.Item(entry.reason, entry.source, "warning") for entry in shown))
        yield from _more(fleet.unreadable_count, len(shown), "`awrlens query 'FROM unreadable'`")
    yield from _databases(fleet, most, search)
    for part in (_changed, _storage, _recovery, _settings):
        yield from part(fleet, most)


def _changed(fleet: Fleet, most: int | None) -> Iterator[b.Block]:
    alerts = [
        (member, alert)
        for state in ("new", "worse", "improved", "gone")
        for member in fleet.members
        for alert in member.alerts
        if alert.state == state and alert.severity in ("critical", "warning")
    ]
    alerts.sort(key=lambda pair: pair[1].severity != "critical")
    if not alerts:
        return
    yield b.Heading("What changed", anchor="changes")
    yield b.Items(
        tuple(
            b.Item(
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


def _by_database(fleet: Fleet) -> list[list[Member]]:
    """The instances of every database, the worst first.

    The report of a cluster judges it, where those of its instances have too little data for it.
    """
    databases: dict[tuple[str, str | None], list[Member]] = {}
    for member in fleet.members:
        databases.setdefault((member.who.database, member.who.db_id), []).append(member)
    for name, members in databases.items():
        judged = (point for m in members if m.who.cluster for point in m.course)
        whole = {begin for begin, state in judged if state != "unknown"}
        databases[name] = [
            m
            for m in members
            if m.severity != "unknown" or not {begin for begin, _ in m.course} <= whole
        ]
    return sorted(
        databases.values(),
        key=lambda m: (STATES.index(m[0].severity), -(m[0].waiting_sessions or 0.0)),
    )


def _databases(fleet: Fleet, most: int | None, search: str) -> Iterator[b.Block]:
    if not fleet.members:
        return
    databases = _by_database(fleet)
    yield b.Heading("Databases, worst first", anchor="databases")
    names = (
        *b.columns(f"database | {'%' if most is None else '#'}sessions waiting"),
        *b.columns(f"=last {fleet.last} intervals | #last interval | _problem"),
        *b.columns("(state) | _first action"),
    )
    highest = max((members[0].waiting_sessions or 0.0 for members in databases), default=0.0)
    rows = tuple(_database(members, highest, search) for members in databases[:most])
    yield b.Table("Databases, worst first", names, rows, tools=True, short=most is not None)
    signs = ", ".join(f"{sign} {name}" for name, sign in ICONS.items())
    yield b.Paragraph(f"A cell is an interval, the latest at the right: {signs}.", "dim")
    yield from _more(len(databases), most, "--verbose, with all first actions")


def _database(members: list[Member], highest: float, search: str) -> b.Row:
    """A database with its worst instance; a cell is the worst of its instances at that time.

    The bar is its waiting sessions as a share of the ``highest`` number of the fleet.
    """
    first = members[0]
    cells: dict[datetime, list[str]] = {}
    for begin, severity in (point for member in members for point in member.course):
        cells.setdefault(begin, []).append(severity)
    shown = (min(cells[begin], key=STATES.index) for begin in sorted(cells))
    problem, state = _problem(first)
    waiting = first.waiting_sessions
    row = _row(
        f"{ICONS[first.severity]} {first.who.database}", waiting,
        "".join(ICONS[severity] for severity in shown),
        _moment(max(member.end for member in members)), problem, state,
        next((member.action for member in members if member.action), ""),
        tone="" if first.severity == "ok" else first.severity, group=first.severity,
    )  # fmt: skip
    share = None if waiting is None else waiting * 100 / (highest or 1.0)
    link = search and search + quote(first.who.db_name or "", safe="")
    return row._replace(keys=(None, share, *row.keys[2:]), link=link)


def _problem(member: Member) -> tuple[str, str]:
    """The headline of an alarming interval, or the first alert, in short; and its state."""
    main = next((alert for alert in member.alerts if alert.open), None)
    state = main.state if main and main.state != "lasting" else ""
    return first_screen.in_short(member.problem or (main.title if main else "")), state


def _row(*values: str | float | None, tone: str = "", group: str = "") -> b.Row:
    """A row of texts, and of numbers by which it can be sorted."""
    cells = tuple(value if isinstance(value, str) else _number(value) for value in values)
    keys = tuple(None if isinstance(value, str) else value for value in values)
    return b.Row(cells, tone, keys=keys, group=group)


def _storage(fleet: Fleet, most: int | None) -> Iterator[b.Block]:
    if not fleet.gains:
        return
    yield b.Heading("Where low-latency storage saves most", anchor="storage")
    text = "Savings are upper bounds. Sizes are estimates from reports; check them in the database."
    if fleet.capacity_gb is not None:
        text = f"With {_number(fleet.capacity_gb)} GB, the most saving per GB first. {text}"
    yield b.Paragraph(text, "dim")
    heads = ("database | for | #sessions saved | #size, GB | #total, GB | #MB/s | #writes/s | "
             "(in) | (size is)")  # fmt: skip
    rows = tuple(
        _row(
            gain.database, gain.purpose, gain.sessions, gain.size_gb,
            "does not fit" if gain.fits is False else gain.total_gb, gain.mb_per_s,
            gain.writes_per_s, _share(gain), gain.note or gain.size_basis,
            tone="dim" if gain.fits is False else "", group=gain.purpose,
        )
        for gain in fleet.gains[:most]
    )  # fmt: skip
    yield b.Table("Low-latency storage", b.columns(heads), rows, tools=True)
    yield from _more(len(fleet.gains), most)


def _recovery(fleet: Fleet, most: int | None) -> Iterator[b.Block]:
    if not fleet.recovery:
        return
    over = sum(recovery.over for recovery in fleet.recovery)
    limited = sum(recovery.level_s is not None for recovery in fleet.recovery)
    yield b.Heading("Recovery time", anchor="recovery")
    level = "its FAST_START_MTTR_TARGET" if fleet.level_s is None else f"{_number(fleet.level_s)} s"
    text = f"Oracle's estimate is longer than {level} in {over} of {count(limited, 'instance')}"
    without = len(fleet.recovery) - limited
    text += f"; {without:,} without a target." if without else "."
    yield b.Paragraph(text, "warning" if over else "ok")
    names = b.columns("instance | #longest, s | #last, s | #limit, s | above it")
    rows = tuple(
        _row(
            recovery.who.full, recovery.worst_s, recovery.last_s, recovery.level_s,
            _share(recovery) if recovery.level_s is not None else "",
            tone="warning" if recovery.over else "", group="above" if recovery.over else "within",
        )
        for recovery in fleet.recovery[:most]
    )  # fmt: skip
    yield b.Table("Recovery time", names, rows, tools=True)
    yield from _more(len(fleet.recovery), most)


def _settings(fleet: Fleet, most: int | None) -> Iterator[b.Block]:
    if not fleet.differences:
        return
    inside = [difference for difference in fleet.differences if difference.within]
    others = [difference for difference in fleet.differences if not difference.within]
    tables: list[b.Block] = []
    for title, some in (("Different within a cluster", inside), ("Unlike the fleet", others)):
        if some:
            tables.append(b.Heading(title, level=3))
            tables.append(_differences(title, some[:most]))
            tables += _more(len(some), most)
    parameters = count(len(fleet.differences), "parameter")
    title = f"Settings: {parameters} with another value"
    if most is None:
        yield b.Fold(title, tuple(tables), "settings")
    else:
        yield b.Paragraph(f"{title}: --verbose", "dim")


def _differences(title: str, some: list[Difference]) -> b.Table:
    names = b.columns("`parameter | where | usual | others")
    rows = (
        b.Row((
            difference.parameter,
            difference.within or count(difference.unlike, "database"),
            f"{difference.usual} ({difference.share_pct:.0f} %)",
            "; ".join(
                f"{value}: {', '.join(who[:_NAMED])}"
                + (f" and {len(who) - _NAMED} more" if len(who) > _NAMED else "")
                for value, who in difference.others
            ),
        ))
        for difference in some
    )  # fmt: skip
    return b.Table(title, names, tuple(rows))


def _more(count: int, shown: int | None, how: str = "--verbose") -> Iterator[b.Block]:
    if shown is not None and count > shown:
        yield b.Paragraph(f"and {count - shown:,} more: {how}", "dim")


def _share(row: Gain | Recovery) -> str:
    return f"{row.intervals} of {count(row.of, 'interval')}"


def _number(value: float | None) -> str:
    if value is not None and 0 < value < _LEAST:
        return f"< {_LEAST}"
    return "–" if value is None else short(value)


def _moment(when: datetime | None) -> str:
    return "" if when is None else when.strftime("%Y-%m-%d %H:%M")
