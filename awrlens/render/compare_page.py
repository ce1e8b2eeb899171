"""The page of a comparison, as blocks: verdict, DB time, findings, changes, then the details."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import ALARMS, DB_TIME
from awrlens.model.comparison import CHANGED
from awrlens.render import blocks as b
from awrlens.render import first_screen, wording
from awrlens.render.wording import number, percent, safe, short
from awrlens.units import UNIT_SIGNS, milliseconds, pair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from awrlens.model import Change
    from awrlens.model import comparison as c
    from awrlens.model.kinds import Per


#: The style of a change, in the colors of severities.
_STYLES: Final[dict[c.Movement, str]] = {
    "better": "ok", "worse": "warning", "changed": "info", "noise": "dim", "same": "dim",
}  # fmt: skip
#: What became of a recommendation, and its style.
OUTCOMES: Final = {
    "came-true": ("achieved", "ok"), "partly": ("partly achieved", "warning"),
    "not": ("not achieved", "critical"), "not-assessable": ("not assessable", "dim"),
}  # fmt: skip
#: The badge of a comparison, and its style.
BADGES: Final = {
    "comparable": ("comparable", "ok"), "limited": ("comparable with limits", "info"),
    "not-comparable": ("not comparable", "warning"),
}  # fmt: skip
#: Families of findings, in the order of the page.
FAMILIES: Final = ("new", "worse", "remained", "improved", "gone")
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
#: Maximum numbers of names per reason, and of findings and changes of the short page.
_NAMES, _FINDINGS, _MOVERS = 12, 3, 4


def _who(found: c.Comparison) -> tuple[str, tuple[str, ...]]:
    """What is compared, and a line for each side; the lines have what differs."""
    sides = (found.before, found.after)
    lines, title = [_when(side) for side in sides], list[str]()
    for words in (wording.kind, first_screen.subject):
        texts = [", ".join(dict.fromkeys(map(words, side.identities))) for side in sides]
        if texts[0] == texts[1]:
            title.insert(0, texts[0])
            continue
        lines = [f"{text} · {line}" for text, line in zip(texts, lines, strict=True)]
        if words is not wording.kind:
            names = (each["db_name"] or "unknown database" for s in sides for each in s.identities)
            title.insert(0, " and ".join(dict.fromkeys(names)))
    return plain(" · ".join(title)), (plain(f"before: {lines[0]}"), plain(f"after: {lines[1]}"))


def _when(side: c.Side) -> str:
    if side.reports == 1:
        only = side.identities[0]
        return first_screen.interval(only) or wording.file_name(only["source"])
    parts = [f"{side.reports} reports"]
    begins = sorted(each["begin_time"] for each in side.identities if each["begin_time"])
    ends = sorted(each["end_time"] for each in side.identities if each["end_time"])
    if begins and ends:
        parts.append(f"{begins[0]} to {ends[-1]}".replace("T", " "))
    if side.elapsed_s:
        parts.append(f"{wording.duration(side.elapsed_s)} in total")
    return " · ".join(parts)


def _sign(movement: c.Movement) -> str:
    """A sign before its word: never color alone."""
    return {"better": "▼ ", "worse": "▲ ", "changed": "~ "}.get(movement, "  ")


def sentence(text: str) -> str:
    """A sentence with its full stop."""
    return safe(text if text.endswith(".") else f"{text}.")


def plain(text: str) -> str:
    """Text of a report; backticks in it do not mark code."""
    return safe(text).replace("`", "'")


def _values(each: c.Mover) -> tuple[str, str]:
    unit = {"1/s": "count", "B/s": "B", "MB/s": "MB"}.get(each.unit, each.unit)
    if unit in ("s", "%", "1/h"):
        return wording.in_unit(each.before, unit), wording.in_unit(each.after, unit)
    was, now = pair(each.before, each.after, unit)
    suffix = "/s" if each.per == "second" and not each.pct_db_time else ""
    return was + suffix, now + suffix


def change(each: c.Mover | c.Moved | c.MovedEvent) -> str:
    """A change in per cent, or as a factor."""
    pct = each.change_pct
    after = each.after if isinstance(each.after, int | float) else each.after.total_ms
    if pct is None:
        return "from 0"
    if pct >= (wording.TIMES - 1) * 100:
        return f"× {short(float(f'{pct / 100 + 1:.2g}'))}"
    if pct < _NEARLY_ALL and after:
        return f"< −{-_NEARLY_ALL} %"
    return f"{pct:+.0f} %".replace("-", "−")


def fact_row(each: c.Moved) -> tuple[str, ...]:
    """A changed fact with its formulas; its name without a unit that is not the one shown."""
    name = each.fact
    if each.per != "none" and not (each.per == "second" and name.endswith("_per_s")):
        name = name.removesuffix("_per_s").removesuffix("_s")
    unit = UNIT_SIGNS.get(each.unit, each.unit)
    if each.per != "none":
        unit = f"{unit}/{wording.PER[each.per]}"
    elif each.unit in ("1/h", "1/txn"):
        unit = each.unit
    how = " | ".join(safe(text) for text in each.how)
    return name, number(each.before), number(each.after), unit, change(each), each.verdict, how


def turn(each: c.Turn, per: Per) -> str:
    """A finding in a line: title, rule, severity on both sides, or its cost if that changed."""
    severity = " → ".join(dict.fromkeys(s for s in (each.before, each.after) if s))
    parts = [each.id, severity]
    changed = each.movement != "remained" and each.before == each.after
    if changed and each.before_ms and each.after_ms:
        scale, unit = (1000, "") if per == "second" else (1, "ms")
        was, now = pair(each.before_ms / scale, each.after_ms / scale, unit)
        what = "sessions waiting" if per == "second" else f"of waits per {per}"
        parts.append(f"{was} → {now} {what}")
    return f"{safe(each.title)} ({', '.join(parts)})"


def page(found: c.Comparison, *, brief: bool = False, actions: Iterable[b.Block] = ()) -> b.Page:
    """What changed from one side to the other; ``brief``: without the details."""
    title, about = _who(found)
    known = {(each.fact, each.per): each for each in found.facts}
    load = " · ".join(
        f"{short(each.before)} → {short(each.after)} {name}"
        for fact, per, name in _LOADS
        if (each := known.get((fact, per))) is not None
    )
    rest = found.headline.removeprefix(found.gist.removesuffix(".")).lstrip(":. ")
    first, *lines = found.gist.removesuffix(".").split(". ", 1)
    reasons = [b.Item(sentence(line)) for line in rest.removesuffix(".").split(". ") if line]
    said: tuple[b.Block, ...] = (
        *(b.Paragraph(sentence(line)) for line in lines),
        *((b.Items(tuple(reasons)),) if reasons else ()),
    )
    return b.Page(
        title, (*about, f"load: {load}") if load else about, sentence(first),
        found.severity, (*said, *_blocks(found, actions, brief=brief)),
    )  # fmt: skip


def _blocks(found: c.Comparison, actions: Iterable[b.Block], *, brief: bool) -> Iterator[b.Block]:
    badge, style = BADGES[found.comparability.grade]
    if found.comparability.reason not in found.headline:
        yield b.Paragraph(sentence(found.comparability.reason), style, badge)
    for warning in found.warnings:
        yield b.Paragraph(warning.message, "warning", "warning")
    yield from actions
    if found.expectations:
        yield b.Heading("Effect of earlier recommendations", anchor="expectations")
        yield b.Items(tuple(
            b.Item(f"{each.title} ({each.claimed})", *OUTCOMES[each.verdict],
                   (f"{each.reason}; {each.measured}",))
            for each in found.expectations
        ))  # fmt: skip
    yield from _db_time(found)
    yield from _findings(found, brief=brief)
    yield from _movers(found, brief=brief)
    for name, part in found.parts:
        yield b.Heading(f"{name[0].upper()}{name[1:]}", anchor=name.replace(" ", "-"))
        yield b.Paragraph(sentence(part.headline), part.severity)
        if not brief:
            yield from _sentences(part, "")
    if brief:
        changed = sum(each.verdict in CHANGED for each in found.main)
        facts = "1 fact" if changed == 1 else f"{changed} facts"
        yield b.Paragraph(
            f"{facts} changed beyond noise: all of them and their reasons with --verbose", "dim"
        )
    else:
        yield from _details(found)


def _db_time(found: c.Comparison) -> Iterator[b.Block]:
    """Both bars on one axis, then the steps from one to the other."""
    whole = found.db_time
    if whole is None:
        return
    several = max(found.before.reports, found.after.reports) > 1
    together = " of all reports together" if several else ""
    sessions = " (average active sessions)" if found.basis.per == "second" else ""
    title = f"{found.basis.time} per {found.basis.per}{sessions}{together}"
    yield b.Heading(title, anchor="db-time")
    show = milliseconds if found.basis.per != "second" else _sessions
    rows = [
        b.BarRow("before", tuple(_stacked(whole, show, after=False)), show(whole.before_ms)),
        b.BarRow("after", tuple(_stacked(whole, show, after=True)), show(whole.after_ms)),
    ]
    end, names = whole.before_ms, [each.name for each in whole.steps]
    for each in whole.steps:
        begin, end = end, end + each.change_ms
        kind = ("warning", "more") if each.change_ms > 0 else ("ok", "less")
        # rises and falls among all other parts are a step each
        name = each.name if names.count(each.name) == 1 else f"{each.name}, {kind[1]}"
        amount = f"{'+' if each.change_ms > 0 else '−'}{show(abs(each.change_ms))}"
        rows.append(b.BarRow(plain(name), (b.Piece(begin, end, *kind),), amount))
    high = max(max(piece.begin, piece.end) for row in rows for piece in row.pieces)
    yield b.Bars(title, high, tuple(rows))


def _sessions(ms: float) -> str:
    """DB time per second is an average number of sessions."""
    return short(ms / 1000)


def _stacked(whole: c.DbTime, show: Callable[[float], str], *, after: bool) -> Iterator[b.Piece]:
    """The parts of a bar; CPU and waits may overlap, but a bar is no longer than DB time."""
    end, most = 0.0, whole.after_ms if after else whole.before_ms
    for part in whole.parts:
        value = part.after_ms if after else part.before_ms
        if value > 0 and end < most:
            begin, end = end, min(end + value, most)
            yield b.Piece(begin, end, part.part, plain(part.name), show(value))


def _findings(found: c.Comparison, *, brief: bool) -> Iterator[b.Block]:
    turns = [
        ("lasting" if movement == "remained" else movement, each)
        for movement in FAMILIES
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
        b.Item(turn(each, found.basis.per), word, (each.after or "").removesuffix("ok"))
        for word, each in shown
    ]
    left: dict[str, list[str]] = {}
    for word, each in turns:
        if (word, each) not in shown:
            left.setdefault(word, []).append(each.id)
    if left:
        rest = "; ".join(f"{word} {', '.join(ids)}" for word, ids in left.items())
        items.append(b.Item(f"{'also ' if items else ''}{rest}", style="dim"))
    yield b.Heading("Findings", anchor="findings")
    yield b.Items(tuple(items))


def _movers(found: c.Comparison, *, brief: bool) -> Iterator[b.Block]:
    movers = found.movers[:_MOVERS] if brief else found.movers
    if not movers:
        return
    yield b.Heading("What moved", anchor="changes")
    yield b.Table(
        "What moved",
        b.columns(f"wait per {found.basis.per}, or key figure | #before | #after | #change | "
                  f"#{'of DB time' if found.basis.time == DB_TIME else 'share'} | (verdict)"),
        tuple(
            b.Row(
                (_sign(each.verdict) + safe(each.title), *_values(each), change(each),
                 "" if each.pct_db_time is None else percent(each.pct_db_time), each.verdict),
                _STYLES[each.verdict],
                keys=(None, each.before, each.after, each.change_pct, each.pct_db_time, None),
                group=each.verdict,
            )
            for each in movers
        ),
        tools=True,
    )  # fmt: skip


def _details(found: c.Comparison) -> Iterator[b.Block]:
    yield from _sentences(found, "sentences")
    write = [each for each in found.parameters if each.about == "write-path"]
    others = [each for each in found.parameters if each.about == "other"]
    names = len(found.parameters) - len(write) - len(others)
    tables = (*_both("Parameters of the write path", write), *_both("Other parameters", others))
    if names:
        tables = (*tables, b.Paragraph(f"{names} names and paths also differ.", "dim"))
    if tables:
        yield b.Fold("Parameters", tables, "parameters")
    if found.unfair:
        yield b.Fold("Limits and why", (b.Items(tuple(map(_limit, found.unfair))),), "limits")
    yield b.Fold("All changes", tuple(_all(found)), "all-changes")
    lacking: dict[tuple[str, str], list[str]] = {}
    for each in found.not_comparable:
        lacking.setdefault((each.side, each.note), []).append(each.fact)
    if lacking:
        items = []
        for (side, note), facts in lacking.items():
            rest = len(facts) - _NAMES
            text = ", ".join(facts[:_NAMES]) + (f" and {rest} more" if rest > 0 else "")
            items.append(b.Item(text, f"{side}: {safe(note)}"))
        yield b.Fold("Not comparable", (b.Items(tuple(items)),), "lacking")


def _limit(each: c.Unfair) -> b.Item:
    """A difference besides the compared one: what, both values, why; of parameters only why."""
    values = plain(f"{each.before} → {each.after}")
    of_parameters = each.what.endswith(("parameter", "parameters"))
    return b.Item(each.why if of_parameters else f"{values}. {each.why}", each.what)


def _sentences(found: c.Comparison, anchor: str) -> Iterator[b.Block]:
    if found.said:
        items = (
            b.Item(sentence(each.text), _sign(each.verdict) + each.verdict,
                   _STYLES[each.verdict])
            for each in found.said
        )  # fmt: skip
        yield b.Fold("In words", (b.Items(tuple(items)),), anchor)


def _both(title: str, changed: Sequence[Change | c.ChangedParameter]) -> Iterator[b.Block]:
    rows = tuple(
        b.Row((plain(each.name), *(plain(x) or wording.ABSENT for x in (each.first, each.second))))
        for each in changed
    )
    if rows:
        yield b.Heading(title, level=3)
        yield b.Table(title, b.columns("`name | before | after"), rows)


def _all(found: c.Comparison) -> Iterator[b.Block]:
    events = [each for each in found.events if each.verdict in CHANGED]
    if events:
        title = f"Wait events, ms per {found.basis.per}"
        names = ("before", "after", "change", "avg before", "avg after")
        yield b.Heading(title, level=3)
        yield b.Table(
            title,
            b.columns(" | #".join(("`event", *names))),
            tuple(b.Row(event_row(each), _STYLES[each.verdict]) for each in events),
            tools=True,
        )
    # without duplicates; the worse first
    twice = {_SAME_AS[each.fact] for each in found.main if each.fact in _SAME_AS}
    facts = [each for each in found.main if each.verdict in CHANGED and each.fact not in twice]
    facts.sort(key=lambda each: ("worse", "better", "changed").index(each.verdict))
    if facts:
        title = "Facts and their formulas"
        yield b.Heading(title, level=3)
        yield b.Table(
            title,
            b.columns("`fact | #before | #after | unit | #change | verdict | "
                      "(formula before, after)"),
            tuple(b.Row(fact_row(e), _STYLES[e.verdict], group=e.verdict) for e in facts),
            tools=True,
        )  # fmt: skip
    yield from _both("Names", found.names)
    verdicts = [each.verdict for each in found.main]
    little = verdicts.count("noise")
    words = "1 fact differs" if little == 1 else f"{little or 'No'} facts differ"
    yield b.Paragraph(
        safe(
            f"Amounts are compared per {found.basis.per}: {found.basis.reason}. {words} within "
            f"noise; {verdicts.count('same')} are equal on both sides. The bound of noise of each "
            "fact is in the JSON output."
        ),
        "dim",
    )


def event_row(each: c.MovedEvent) -> tuple[str, ...]:
    """A changed wait event: total time and average wait, before and after."""
    sides = (each.before, each.after)
    return (
        plain(f"{each.event} (bg)" if each.background else each.event),
        *(number(side.total_ms) for side in sides), change(each),
        *("-" if side.each_ms is None else number(side.each_ms) for side in sides),
    )  # fmt: skip
