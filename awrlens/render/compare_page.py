"""The page of a comparison, as blocks: verdict, DB time, findings, changes, then the details."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from awrlens.model import ALARMS, DB_TIME
from awrlens.model.comparison import CHANGED, OTHER_LOAD
from awrlens.render import blocks as b
from awrlens.render import first_screen, wording
from awrlens.render.wording import number, percent, safe, short
from awrlens.units import UNIT_SIGNS, milliseconds, pair, pair_of_times

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
#: The load of a side: facts, by what they are divided per second, and their names.
_LOADS: Final = (
    ("load.response_s", 1000, "average active sessions"),
    ("load.transactions_per_s", 1, "transactions/s"),
    ("load.executes_per_s", 1, "executions/s"),
)
#: Maximum numbers of names per reason, and of findings and changes of the short page.
_NAMES, _FINDINGS, _MOVERS = 12, 3, 3


def _sides(comparison: c.Comparison) -> tuple[str, str]:
    """The names of both sides: what is not comparable was not before or after the other."""
    apart = comparison.comparability.grade == "not-comparable"
    return ("A", "B") if apart else ("before", "after")


def _badge(comparison: c.Comparison) -> tuple[str, str]:
    """The verdict in a word, and its style."""
    held = comparison.comparability
    if held.grade == "not-comparable":
        return ("wrong order", "warning") if held.is_swapped else ("not comparable", "unknown")
    worse = "critical" if comparison.severity == "critical" else "warning"
    style = {"better": "ok", "worse": worse}.get(comparison.direction, "info")
    is_other = comparison.gist.startswith(OTHER_LOAD)
    return OTHER_LOAD.lower() if is_other else comparison.direction, style


def _not_judged(comparison: c.Comparison) -> c.Comparison:
    """The same without better and worse."""
    lists: dict[str, Any] = {
        what: tuple(
            item._replace(verdict="changed") if item.verdict in CHANGED else item
            for item in getattr(comparison, what)
        )
        for what in ("movers", "facts", "events", "said")
    }
    return comparison._replace(**lists)


def _who(comparison: c.Comparison) -> tuple[str, tuple[str, ...]]:
    """What is compared, and a line for each side; the lines have what differs."""
    sides = (comparison.before, comparison.after)
    lines, title = [_when(side) for side in sides], list[str]()
    for words in (wording.kind, first_screen.subject):
        texts = [", ".join(dict.fromkeys(map(words, side.identities))) for side in sides]
        if texts[0] == texts[1]:
            title.insert(0, texts[0])
            continue
        lines = [f"{text} · {line}" for text, line in zip(texts, lines, strict=True)]
        if words is not wording.kind:
            names = (who["db_name"] or "unknown database" for s in sides for who in s.identities)
            title.insert(0, " and ".join(dict.fromkeys(names)))
    named = zip(_sides(comparison), lines, strict=True)
    return plain(" · ".join(title)), tuple(plain(f"{name}: {line}") for name, line in named)


def _when(side: c.Side) -> str:
    if side.reports == 1:
        only = side.identities[0]
        return first_screen.interval(only) or wording.file_name(only["source"])
    parts = [f"{side.reports} reports"]
    begins = sorted(report["begin_time"] for report in side.identities if report["begin_time"])
    ends = sorted(report["end_time"] for report in side.identities if report["end_time"])
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


def _values(mover: c.Mover) -> tuple[str, str]:
    if (mover.unit, mover.per) == ("ms", "second"):
        return pair_of_times(mover.before, mover.after, mover.per)
    unit = {"1/s": "count", "B/s": "B", "MB/s": "MB"}.get(mover.unit, mover.unit)
    if unit in ("s", "%", "1/h"):
        return wording.in_unit(mover.before, unit), wording.in_unit(mover.after, unit)
    was, now = pair(mover.before, mover.after, unit)
    suffix = "/s" if mover.per == "second" and not mover.pct_db_time else ""
    return was + suffix, now + suffix


def change(moved: c.Mover | c.Moved | c.MovedEvent) -> str:
    """A change in per cent, or as a factor."""
    pct = moved.change_pct
    after = moved.after if isinstance(moved.after, int | float) else moved.after.total_ms
    if pct is None:
        return "from 0"
    if pct >= (wording.TIMES - 1) * 100:
        return f"× {short(float(f'{pct / 100 + 1:.2g}'))}"
    if pct < _NEARLY_ALL and after:
        return f"< −{-_NEARLY_ALL} %"
    return f"{pct:+.0f} %".replace("-", "−")


def fact_row(moved: c.Moved) -> tuple[str, ...]:
    """A changed fact with its formulas; its name without a unit that is not the one shown."""
    name = moved.fact
    if moved.per != "none" and not (moved.per == "second" and name.endswith("_per_s")):
        name = name.removesuffix("_per_s").removesuffix("_s")
    unit = UNIT_SIGNS.get(moved.unit, moved.unit)
    if moved.per != "none":
        unit = f"{unit}/{wording.PER[moved.per]}"
    elif moved.unit in ("1/h", "1/txn"):
        unit = moved.unit
    how = " | ".join(safe(text) for text in moved.how)
    return name, number(moved.before), number(moved.after), unit, change(moved), moved.verdict, how


def turn(finding: c.Turn, per: Per) -> str:
    """A finding in a line: title, rule, severity on both sides, or its cost if that changed."""
    severity = " → ".join(dict.fromkeys(s for s in (finding.before, finding.after) if s))
    parts = [finding.id, severity]
    changed = finding.movement != "remained" and finding.before == finding.after
    if changed and finding.before_ms and finding.after_ms:
        was, now = pair_of_times(finding.before_ms, finding.after_ms, per)
        what = "sessions waiting" if per == "second" else f"of waits per {per}"
        parts.append(f"{was} → {now} {what}")
    return f"{safe(finding.title)} ({', '.join(parts)})"


def page(
    comparison: c.Comparison, *, brief: bool = False, actions: Iterable[b.Block] = ()
) -> b.Page:
    """What changed from one side to the other; ``brief``: without the details."""
    title, about = _who(comparison)
    badge, style = _badge(comparison)
    if comparison.comparability.grade == "not-comparable":
        comparison = _not_judged(comparison)
    facts = {(moved.fact, moved.per): moved for moved in comparison.facts}
    load = " · ".join(
        f"{' → '.join(pair(moved.before / by, moved.after / by, ''))} {name}"
        for fact, by, name in _LOADS
        if (moved := facts.get((fact, "second"))) is not None
    )
    rest = comparison.headline.removeprefix(comparison.gist.removesuffix(".")).lstrip(":. ")
    first, *lines = comparison.gist.removesuffix(".").split(". ", 1)
    reasons = [b.Item(sentence(line)) for line in rest.removesuffix(".").split(". ") if line]
    said: tuple[b.Block, ...] = (
        *(b.Paragraph(sentence(line)) for line in lines),
        *((b.Items(tuple(reasons)),) if reasons else ()),
    )
    return b.Page(
        title, (*about, f"load: {load}") if load else about, sentence(first),
        style, (*said, *_blocks(comparison, actions, brief=brief)), badge,
    )  # fmt: skip


def of_periods(comparison: c.Comparison) -> Iterator[b.Block]:
    """The verdict on both periods of a report, and the picture of what changed."""
    (badge, style), (grade, reason, *_) = _badge(comparison), comparison.comparability
    if grade == "not-comparable":
        comparison = _not_judged(comparison)  # the headline says why
    else:
        yield b.Paragraph(sentence(f"{BADGES[grade][0].capitalize()}: {reason}"), style, badge)
    yield from _db_time(comparison)
    yield from _findings(comparison, brief=True)
    yield from _movers(comparison, brief=False)


def _blocks(comparison: c.Comparison, todo: Iterable[b.Block], *, brief: bool) -> Iterator[b.Block]:
    badge, style = BADGES[comparison.comparability.grade]
    if any(limit.what == "time" for limit in comparison.unfair):
        style = "warning"
    if comparison.comparability.reason not in comparison.headline:
        yield b.Paragraph(sentence(comparison.comparability.reason), style, badge)
    for warning in comparison.warnings:
        yield b.Paragraph(warning.message, "warning", "warning")
    yield from todo
    if comparison.expectations:
        yield b.Heading("Effect of earlier recommendations", anchor="expectations")
        yield b.Items(tuple(
            b.Item(f"{expectation.title} ({expectation.claimed})", *OUTCOMES[expectation.verdict],
                   (f"{expectation.reason}; {expectation.measured}",))
            for expectation in comparison.expectations
        ))  # fmt: skip
    yield from _db_time(comparison)
    yield from _findings(comparison, brief=brief)
    yield from _movers(comparison, brief=brief)
    for name, part in comparison.parts:
        yield b.Heading(f"{name[0].upper()}{name[1:]}", anchor=name.replace(" ", "-"))
        yield b.Paragraph(sentence(part.headline), part.severity)
        if not brief:
            yield from _sentences(part, "")
    if brief:
        changed = sum(fact.verdict in CHANGED for fact in comparison.main)
        facts = "1 fact" if changed == 1 else f"{changed} facts"
        yield b.Paragraph(
            f"{facts} changed beyond noise: all of them and their reasons with --verbose", "dim"
        )
    else:
        yield from _details(comparison)


def _db_time(comparison: c.Comparison) -> Iterator[b.Block]:
    """Both bars on one axis, then the steps from one to the other."""
    whole = comparison.db_time
    if whole is None:
        return
    several = max(comparison.before.reports, comparison.after.reports) > 1
    together = " of all reports together" if several else ""
    per_second = comparison.basis.per == "second"  # then it is a number of sessions
    sessions = " (average active sessions)" * per_second
    title = f"{comparison.basis.time} per {comparison.basis.per}{sessions}{together}"
    yield b.Heading(title, anchor="db-time")
    show = (lambda ms: short(ms / 1000)) if per_second else milliseconds
    first, second = _sides(comparison)
    rows = [
        b.BarRow(first, tuple(_stacked(whole, show, after=False)), show(whole.before_ms)),
        b.BarRow(second, tuple(_stacked(whole, show, after=True)), show(whole.after_ms)),
    ]
    more, less = ("info", "dim") if first == "A" else ("warning", "ok")
    end, names = whole.before_ms, [step.name for step in whole.steps]
    for step in whole.steps:
        begin, end = end, end + step.change_ms
        kind = (more, "more") if step.change_ms > 0 else (less, "less")
        # rises and falls among all other parts are a step each
        name = step.name if names.count(step.name) == 1 else f"{step.name}, {kind[1]}"
        amount = f"{'+' if step.change_ms > 0 else '−'}{show(abs(step.change_ms))}"
        rows.append(b.BarRow(plain(name), (b.Piece(begin, end, *kind),), amount))
    high = max(max(piece.begin, piece.end) for row in rows for piece in row.pieces)
    yield b.Bars(title, high, tuple(rows))


def _stacked(whole: c.DbTime, show: Callable[[float], str], *, after: bool) -> Iterator[b.Piece]:
    """The parts of a bar; CPU and waits may overlap, but a bar is no longer than DB time."""
    end, most = 0.0, whole.after_ms if after else whole.before_ms
    for part in whole.parts:
        value = part.after_ms if after else part.before_ms
        if value > 0 and end < most:
            begin, end = end, min(end + value, most)
            yield b.Piece(begin, end, part.part, plain(part.name), show(value))


def _findings(comparison: c.Comparison, *, brief: bool) -> Iterator[b.Block]:
    first, second = _sides(comparison)
    words = {"remained": "lasting"}
    if first == "A":
        words = dict.fromkeys(FAMILIES, "in both")
        words |= {"new": f"only in {second}", "gone": f"only in {first}"}
    turns = [
        (words.get(movement, movement), finding)
        for movement in FAMILIES
        for finding in comparison.findings
        if finding.movement == movement
    ]
    if not turns:
        return
    shown = leading = [item for item in turns if not item[1].is_part]
    if brief:
        alarms = [item for item in leading if {item[1].before, item[1].after} & {*ALARMS}]
        alarms.sort(key=lambda item: item[1].after != "critical")
        shown = (alarms or [item for item in leading if item[1].movement != "remained"])[:_FINDINGS]
    items = [
        b.Item(turn(finding, comparison.basis.per), word, (finding.after or "").removesuffix("ok"))
        for word, finding in shown
    ]
    left: dict[str, list[str]] = {}
    for word, finding in turns:
        if (word, finding) not in shown:
            left.setdefault(word, []).append(finding.id)
    if left:
        rest = "; ".join(f"{word} {', '.join(ids)}" for word, ids in left.items())
        items.append(b.Item(f"{'also ' if items else ''}{rest}", style="dim"))
    yield b.Heading(f"Findings, {first} and {second}", anchor="findings")
    yield b.Items(tuple(items))


def _movers(comparison: c.Comparison, *, brief: bool) -> Iterator[b.Block]:
    movers = comparison.movers[:_MOVERS] if brief else comparison.movers
    if not movers:
        return
    per, (first, second) = comparison.basis.per, _sides(comparison)
    what = "sessions waiting" if per == "second" else f"wait per {per}"
    yield b.Heading("What moved", anchor="changes")
    yield b.Table(
        "What moved",
        b.columns(f"{what}, or key figure | #{first} | #{second} | #change | "
                  f"#{'of DB time' if comparison.basis.time == DB_TIME else 'share'} | (verdict)"),
        tuple(
            b.Row(
                (_sign(mover.verdict) + safe(mover.title), *_values(mover), change(mover),
                 "" if mover.pct_db_time is None else percent(mover.pct_db_time), mover.verdict),
                _STYLES[mover.verdict],
                keys=(None, mover.before, mover.after, mover.change_pct, mover.pct_db_time, None),
                group=mover.verdict,
            )
            for mover in movers
        ),
        tools=True,
    )  # fmt: skip


def _details(comparison: c.Comparison) -> Iterator[b.Block]:
    yield from _sentences(comparison, "sentences")
    write = [parameter for parameter in comparison.parameters if parameter.about == "write-path"]
    others = [parameter for parameter in comparison.parameters if parameter.about == "other"]
    names = len(comparison.parameters) - len(write) - len(others)
    tables = (*_both("Parameters of the write path", write), *_both("Other parameters", others))
    if names:
        tables = (*tables, b.Paragraph(f"{names} names and paths also differ.", "dim"))
    if tables:
        yield b.Fold("Parameters", tables, "parameters")
    if comparison.unfair:
        yield b.Fold("Limits and why", (b.Items(tuple(map(_limit, comparison.unfair))),), "limits")
    yield b.Fold("All changes", tuple(_all(comparison)), "all-changes")
    lacking: dict[tuple[str, str], list[str]] = {}
    first, second = _sides(comparison)
    for missing in comparison.not_comparable:
        side = first if missing.side == "before" else second
        lacking.setdefault((side, missing.note), []).append(missing.fact)
    if lacking:
        items = []
        for (side, note), facts in lacking.items():
            rest = len(facts) - _NAMES
            text = ", ".join(facts[:_NAMES]) + (f" and {rest} more" if rest > 0 else "")
            items.append(b.Item(text, f"{side}: {safe(note)}"))
        yield b.Fold("Not comparable", (b.Items(tuple(items)),), "lacking")


def _limit(limit: c.Unfair) -> b.Item:
    """A difference besides the compared one: what, both values, why; of parameters only why."""
    values = plain(f"{limit.before} → {limit.after}")
    of_parameters = limit.what.endswith(("parameter", "parameters"))
    return b.Item(limit.why if of_parameters else f"{values}. {limit.why}", limit.what)


def _sentences(comparison: c.Comparison, anchor: str) -> Iterator[b.Block]:
    if comparison.said:
        items = (
            b.Item(sentence(line.text), _sign(line.verdict) + line.verdict,
                   _STYLES[line.verdict])
            for line in comparison.said
        )  # fmt: skip
        yield b.Fold("In words", (b.Items(tuple(items)),), anchor)


def _titled(
    title: str, heads: str, rows: Iterable[b.Row], *, tools: bool = True
) -> Iterator[b.Block]:
    """A table below its title; nothing without rows."""
    if shown := tuple(rows):
        yield b.Heading(title, level=3)
        yield b.Table(title, b.columns(heads), shown, tools=tools)


def _both(title: str, changed: Sequence[Change | c.ChangedParameter]) -> Iterator[b.Block]:
    rows = (
        b.Row((plain(item.name), *(plain(x) or wording.ABSENT for x in (item.first, item.second))))
        for item in changed
    )
    yield from _titled(title, "`name | before | after", rows, tools=False)


def _all(comparison: c.Comparison) -> Iterator[b.Block]:
    yield from _titled(
        f"Wait events, ms per {comparison.basis.per}",
        "`event | #before | #after | #change | #avg before | #avg after",
        (
            b.Row(event_row(e), _STYLES[e.verdict])
            for e in comparison.events
            if e.verdict in CHANGED
        ),
    )
    # without duplicates; the worse first
    twice = {_SAME_AS[fact.fact] for fact in comparison.main if fact.fact in _SAME_AS}
    facts = [fact for fact in comparison.main if fact.verdict in CHANGED and fact.fact not in twice]
    facts.sort(key=lambda fact: ("worse", "better", "changed").index(fact.verdict))
    yield from _titled(
        "Facts and their formulas",
        "`fact | #before | #after | unit | #change | verdict | (formula before, after)",
        (b.Row(fact_row(e), _STYLES[e.verdict], group=e.verdict) for e in facts),
    )
    yield from _both("Names", comparison.names)
    verdicts = [fact.verdict for fact in comparison.main]
    little = verdicts.count("noise")
    words = "1 fact differs" if little == 1 else f"{little or 'No'} facts differ"
    yield b.Paragraph(
        safe(
            f"Amounts are compared per {comparison.basis.per}: {comparison.basis.reason}. {words} "
            f"within noise; {verdicts.count('same')} are equal on both sides. The bound of noise "
            "of each fact is in the JSON output."
        ),
        "dim",
    )


def event_row(moved: c.MovedEvent) -> tuple[str, ...]:
    """A changed wait event: total time and average wait, before and after."""
    sides = (moved.before, moved.after)
    return (
        plain(f"{moved.event} (bg)" if moved.background else moved.event),
        *(number(side.total_ms) for side in sides), change(moved),
        *("-" if side.each_ms is None else number(side.each_ms) for side in sides),
    )  # fmt: skip
