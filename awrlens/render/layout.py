"""The terminal page as lines of styled text, wrapped to a width; ``terminal`` adds the colors."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from itertools import zip_longest
from math import ceil, inf, log
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from awrlens import extensions
from awrlens.lazy import NamedTuple
from awrlens.model import STATES, with_parts
from awrlens.render import first_screen, wording
from awrlens.render.first_screen import figure
from awrlens.render.lines import (
    ICONS,
    NO_BREAK,
    Line,
    Span,
    commands,
    fills,
    hanging,
    legend,
    unbroken,
    wrapped,
)
from awrlens.render.wording import in_unit, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from awrlens.model import Analysis, Finding, Recommendation
    from awrlens.model.analysis import DifferenceDocument


#: Key figures of an instance, and of the difference of two periods: facts and names.
_KEYS: Final = (
    ("load.average_active_sessions", "active sessions"),
    ("load.transactions_per_s", "transactions"),
    ("redo.commit_ms", "commit"), ("redo.local_write_ms", "redo log write"),
    ("redo.bytes_per_s", "redo"), ("checkpoint.data_write_ms", "data file write"),
    ("redo.log_switches_per_hour", "log switches"),
    ("checkpoint.writes_per_s", "checkpoint writes"),
)  # fmt: skip


def brief(part: Analysis) -> str:
    """An instance in one line: load and worst finding."""
    report = part.report
    first, state = first_screen.first(part.findings), wording.state(first_screen.severity(part))
    worst = f"{first.id} {first.title}" if first else state
    keys = (f"{{}} {name}" if name in _COUNTED else f"{name} {{}}" for _, name in _KEYS[:4])
    shown = [figure(part.facts, name, words) for (name, _), words in zip(_KEYS, keys, strict=False)]
    where = "/".join(filter(None, (report["instance"], report["host"])))
    return wording.safe(" · ".join(filter(None, (where, *shown, worst))))


#: Smaller changes of key figures, in per cent, are not shown.
_MOVED_PCT: Final = 10.0
_COUNTED: Final = ("active sessions", "transactions")


def moved(changes: Mapping[str, DifferenceDocument]) -> list[str]:
    """The key figures that changed most, name and both values; the headline has the load."""
    figures = [
        (name, changes[fact]) for fact, name in _KEYS
        if fact in changes and abs(changes[fact].change_pct or 0.0) >= _MOVED_PCT
        and name not in (*_COUNTED, "redo")
    ]  # fmt: skip
    figures.sort(
        key=lambda pair: -abs(log(pair[1].second / pair[1].first)) if pair[1].second else -inf
    )
    return [f"{name} {_old_and_new(change)}" for name, change in figures[:_MOST_MOVED]]


#: Width of the savings bar; its full width is the largest saving.
_SAVED = 10
#: Without ``--verbose``: maximum numbers of lines of a legend, of parts, of findings, of actions
#: with their SQL command, of changed key figures.
_MOST_LEGEND, _MOST_PARTS, _MOST_FINDINGS, _MOST_COMMANDS, _MOST_MOVED = 2, 8, 4, 3, 2
#: Lines of a screen.
_SCREEN: Final = 50
#: The line of the first action at most, if the interval, the load and the cause take a line each.
_FIRST_ACTION: Final = 12


def page(analysis: Analysis, width: int, *, verbose: bool = True) -> Iterator[Line]:
    """All lines of a report's page: the first screen, and with ``verbose`` all details."""
    if analysis.recovery is not None:
        from awrlens.render import as_lines

        yield from as_lines.lines(extensions.page("recovery")(analysis, verbose=verbose), width)
        return
    if verbose:
        yield from _first_screen(analysis, width, whole=True)
        yield from _parts(analysis, width)
        yield from _proof(analysis, width)
        return
    top, end = list(_first_screen(analysis, width, whole=False)), list(_brief(analysis, width))
    if not analysis.periods:
        yield from (*top, *_parts_in_brief(analysis, width), *end)
        return
    room = _SCREEN - len(end)
    if len(top) + len(list(_changes(analysis, width, room))) > room:
        top = list(_first_screen(analysis, width, whole=False, commands=0))
    yield from (*top, *_changes(analysis, width, room - len(top)), *end)


def explained(analysis: Analysis, ids: Sequence[str], width: int) -> Iterator[Line]:
    """Findings and recommendations with these ids in full, facts with these names or prefixes."""
    from awrlens.render import listing

    yield from wrapped(first_screen.who(analysis), width, "title")
    wanted, shown = set(ids), set()
    for number, finding in enumerate(analysis.findings, start=1):
        own = {part.id for part in with_parts((finding,))}
        if own & wanted:
            shown |= own
            yield ()
            yield from _finding(finding, number, width)
    for item in analysis.recommendations:
        answers = item.status in ("apply", "tune-first") and not shown.isdisjoint(item.findings)
        if answers or item.id in wanted:
            yield ()
            yield from _recommendation(analysis, item, width)
    skipped = {skip.rule: f"was skipped: {wording.safe(skip.reason)}" for skip in analysis.skipped}
    covered = shown | {item.id for item in analysis.recommendations}
    for id_ in dict.fromkeys(ids):
        facts = {name: fact for name, fact in analysis.facts.items()
                 if f"{name}.".startswith(f"{id_}.") and (fact.value is not None or name == id_)
                 }  # fmt: skip
        if facts:
            yield from listing.facts_page(facts, width)
        elif id_ not in covered:
            yield ()
            yield from wrapped(f"{id_} {skipped.get(id_, 'found nothing in this report.')}", width)


def _first_screen(
    analysis: Analysis, width: int, *, whole: bool, commands: int = _MOST_COMMANDS
) -> Iterator[Line]:
    """Who, when, load; the cause, its cost, the actions; DB time, then what else is to know.

    Unless it is ``whole``, what does not fit on the line of the interval or the load is left out.
    If the first action would be too far down, sentences of the headline follow the DB time.
    """
    top, below = list(wrapped(first_screen.who(analysis), width, "title")), list[Line]()
    for text, style in ((first_screen.when(analysis), "dim"), (first_screen.load(analysis), "")):
        parts = text.split(" · ")
        while not whole and len(parts) > 1 and len(" · ".join(parts)) > width:
            parts.pop()
        top += wrapped(" · ".join(parts), width, style)
    severity = first_screen.severity(analysis)
    cause, *others = wording.headline_lines(analysis)
    top += ((), *wrapped(f"{ICONS[severity]} {cause}", width, severity))
    room = _FIRST_ACTION - 1 if analysis.actions else inf
    all_lines = [line for text in others for line in wrapped(text, width - 2)]
    split = len(top) + len(all_lines) >= room and not analysis.periods
    for line in others:  # above the actions at least the first sentence of each, in order
        begin, end, more = line.partition(". ") if split else (line, "", "")
        lines = list(wrapped(f"  {begin}{end.rstrip()}", width, "", "  ", ""))
        if len(top) + len(lines) < room and (split or not below):
            top += lines
            below += wrapped(more, width)
        else:
            below += wrapped(line, width)
    yield from (*top, *_actions(analysis, width, commands))
    below[:0] = _db_time(analysis, width, whole=whole)
    for warning in analysis.warnings:
        place = f" (line {warning.line})" if warning.line else ""
        below += wrapped(f"! {wording.safe(warning.message)}{place}", width, "warning", "  ", "")
    for line in first_screen.read(analysis):
        below += wrapped(f"  {line}", width, "", "    ", "")
    tiles = first_screen.tiles(analysis)
    yield from (*((),) * bool(below), *below, *((),) * bool(tiles))
    wide = max((len(tile.name) for tile in tiles), default=0)
    for tile in tiles:
        head = Span(f"{ICONS[tile.severity]} {tile.name:<{wide}}  ", tile.severity)
        words = f"{NO_BREAK}· ".join(map(wording.together, tile.words))
        yield from hanging(head, words, width)


#: A piece of this share is always in the legend, and what is not accounted for.
#: # awrlens: as much of DB time is a cause of its own
_LARGE_PCT: Final = 8.0
#: The mark of the parts that the legend only counts.
_SMALLER: Final = ":"


def _db_time(analysis: Analysis, width: int, *, whole: bool) -> Iterator[Line]:
    """The DB time bar, with a solid write path; its legend, ``whole`` or in a few lines."""
    pieces = first_screen.db_time(analysis)
    if not pieces:
        return
    named, smaller = list(pieces), ""
    least = [piece for piece in pieces if piece.part and piece.pct < _LARGE_PCT]
    least.sort(key=lambda piece: piece.pct)
    while True:
        chars = fills((piece.part, piece.name) for piece in named)
        words = [f"{chars[e.part, e.name]} {e.name} {percent(e.pct)}" for e in named]
        text = "  ".join(map(wording.together, filter(None, (*words, smaller))))
        lines = list(legend(text, chars, width))
        if whole or len(lines) <= _MOST_LEGEND or not least:
            break
        named.remove(least.pop(0))
        smaller = f"{_SMALLER} {len(pieces) - len(named)} smaller"
    total = max(100.0, sum(piece.pct for piece in pieces))
    bar, at, drawn = [], 0.0, 0
    for piece in pieces:
        at += piece.pct
        cells = round(at * width / total) - drawn
        drawn += cells
        bar.append(Span(chars.get((piece.part, piece.name), _SMALLER) * cells, piece.part))
    yield tuple(span for span in bar if span.text)
    yield from lines
    yield from wrapped(first_screen.outside(analysis), width)


def _actions(analysis: Analysis, width: int, commands: int) -> Iterator[Line]:
    """The actions; what they save is said once if it is not known of any."""
    groups = first_screen.actions(analysis)
    open_ = all(action.saving == first_screen.NOT_KNOWN for _, group in groups for action in group)
    for urgency, actions in groups:
        shown = actions[0].number == 1 and bool(actions[0].saving)
        head = f"{analysis.base} saved{': not known' * open_}" * shown
        yield (Span(f"{urgency:<{width - len(head)}}", "title"), Span(head, "dim"))
        for action in actions:
            yield from _action(action._replace(saving="") if open_ else action, width, commands)
    for label, texts in first_screen.folded(analysis):
        yield from wrapped(f"{label}: {'; '.join(texts)}", width, "dim", "    ", "")
    for line in first_screen.remarks(analysis):
        parts = line.split("`")
        parts[1::2] = map(wording.together, parts[1::2])  # a command is copied as a whole
        yield from wrapped("`".join(parts), width, "", "    ", "")


def _action(action: first_screen.Action, width: int, commands: int) -> Iterator[Line]:
    cells = ceil((action.bar or 0.0) * _SAVED / 100)
    char = "▒" if action.is_range else "█"
    bar = "" if action.bar is None else (char * cells).ljust(_SAVED, "·")
    right = f"{action.saving:>7} {bar}".rstrip().rjust(_SAVED + 8) if action.saving else ""
    fits = len(f"    {action.command}") <= width  # copied as it is
    most = commands if fits else min(commands, 1)
    with_command = action.command and action.number <= most
    frees = f"frees {action.freed}" if action.freed else ""
    change = ", ".join(filter(None, (action.effort, frees)))
    line = " · ".join(filter(None, (change, action.command)))
    alone = len(f"    {line}") > width
    title = f"{action.title} ({change})" if change and (alone or not with_command) else action.title
    room = width - 4 - (max(20, len(right) + 2) if right else 0)
    lines = unbroken(title, room)
    first = Span(f"{lines[0]:<{room}}" if right else lines[0], "strong")
    yield (Span(f"{action.number:>2}. "), first, *((Span(f"  {right}"),) if right else ()))
    for more in lines[1:]:
        yield (Span(f"    {more}", "strong"),)
    if with_command:
        text = re.sub("<[^<>]+>", lambda name: wording.together(name[0]), action.command)
        yield from wrapped(text if alone else line, width, "dim", "      ", "    ")


def _brief(analysis: Analysis, width: int) -> Iterator[Line]:
    """The findings, one line each, and how to see their details."""
    own = analysis.findings
    if own and not analysis.periods:
        yield from _heading("Findings")
    cause = wording.headline_lines(analysis)[0].rstrip(".")
    urgent = [finding for finding in own if finding.severity in ("critical", "warning")] or own[:1]
    # of two periods, the headline has the first; changes need the space
    urgent = [] if analysis.periods else urgent[:_MOST_FINDINGS]
    for finding in urgent:
        weight, whole = finding.weight, finding.impact.pct_db_time
        shares = [percent(e) for e in (weight.share_pct, whole) if e is not None]  # the headline's
        of = f" {weight.of.partition(' (')[0]}".rstrip() * (shares[1:] != shares[:1])
        cost = f" ({wording.together(shares[0])}{of})" if shares else ""
        head = Span(f"{ICONS[finding.severity]} {finding.id}  ", finding.severity)
        title = wording.safe(finding.title)
        if (begin := title.partition(": ")[0]) == cause:  # the lines above have the details
            title = begin
        yield from hanging(head, title + cost, width)
    rest = [
        f"{ICONS[e.severity]} {_words(e)} ({e.id})"
        for e in own
        if e not in urgent and e.severity != "ok"
    ]
    if rest and not analysis.periods:
        text = ("and " if urgent else "") + ", ".join(map(wording.together, rest))
        yield from wrapped(text, width, "dim", "  ", "")
    shown = first_screen.to_explain(analysis) or (own[0].id if own else "")
    explain = f"--explain {shown} or " if shown else ""
    proof = f"Numbers, source lines and SQL: {explain}--verbose"
    many = len({skip.rule for skip in analysis.skipped})
    skipped = f"{many} check{'s' if many > 1 else ''} skipped. " if many else ""
    yield from wrapped(f"{skipped}{proof}", width, "dim", "  ", "")


def _proof(analysis: Analysis, width: int) -> Iterator[Line]:
    """Findings with their facts, actions with their SQL, skipped checks with reasons."""
    if analysis.findings:
        yield from _heading("Findings" + (" in the second period" if analysis.periods else ""))
        for number, finding in enumerate(analysis.findings, start=1):
            yield from _finding(finding, number, width)
        yield from wrapped(wording.overlap(analysis), width, "dim")
    if analysis.actions:
        yield from _heading("What to do")
    for number, item in enumerate(analysis.actions, start=1):
        yield from _recommendation(analysis, item, width, number)
    if analysis.others:
        yield from _heading("Not now")
    for item in analysis.others:
        yield from _recommendation(analysis, item, width)
    if analysis.skipped:
        yield from _heading("Skipped checks")
    for reason, rules in wording.skipped(analysis):
        yield from wrapped(f"{reason}: {', '.join(rules)}", width, "dim", "    ", "  ")


def _parts(analysis: Analysis, width: int) -> Iterator[Line]:
    """Every instance or period with its headline, and all changes between the periods."""
    parts = wording.parts(analysis)
    if parts:
        yield from _heading(wording.parts_title(analysis))
    for name, interval, part in parts:
        yield from wrapped(
            f"{name}: {interval}" if interval else name, width, "strong", "    ", "  "
        )
        severity = first_screen.severity(part)
        line = f"{ICONS[severity]} {wording.headline(part)}"
        yield from wrapped(line, width, severity, "      ", "    ")
    if rows := wording.differences(analysis):
        yield from _heading("Changes")
    yield from _moved(rows, width)
    for name, before, after in wording.changed_parameters(analysis):
        yield from wrapped(f"parameter {name}: {before} → {after}", width, "", "      ", "  ")


def _parts_in_brief(analysis: Analysis, width: int) -> Iterator[Line]:
    """Every instance or database in a line or two."""
    parts = [] if len(wording.parts(analysis)) == 1 else wording.parts(analysis)
    if parts:
        yield from _heading(wording.parts_title(analysis))
    for name, _, part in parts[:_MOST_PARTS]:
        severity = first_screen.severity(part)
        yield from wrapped(f"{ICONS[severity]} {name}: {brief(part)}", width, severity, "    ", "")
    if len(parts) > _MOST_PARTS:
        yield from wrapped(f"and {len(parts) - _MOST_PARTS} more: --verbose", width, "dim", "  ")


def _changes(analysis: Analysis, width: int, room: int) -> Iterator[Line]:
    """Key figures, old and new; findings that are new, gone, or judged otherwise; parameters.

    What has no ``room`` on the screen is in the details.
    """
    was, now = ({e.id: e.severity for e in with_parts(half.findings)} for half in analysis.periods)
    facts = {fact.name: fact for fact in (analysis.comparison.facts if analysis.comparison else ())}
    figures = f"{NO_BREAK}· ".join(map(wording.together, moved(facts)))
    changes = [_named(finding, was.get(finding.id, "")) for finding in analysis.findings]
    changes += [_gone(old, facts) for old in analysis.periods[0].findings if old.id not in now]
    changes = list(filter(None, changes))
    rest = list[Line]()
    for name, first, second in (changed := wording.changed_parameters(analysis))[:1]:
        more = f", and {len(changed) - 1} more" if len(changed) > 1 else ""
        text = f"  parameter {name}: {first} → {second}"
        rest.append((Span(wording.cut(text, width - len(more)) + more),))
    while True:
        shown = [*wrapped(figures, width, "", "  "),
                 *wrapped(", ".join(changes), width, "", "    ", "  "), *rest]  # fmt: skip
        if len(shown) + 2 <= room or not (changes or figures):
            break
        figures = figures if changes else ""
        changes = changes[:-1]
    yield from (*_heading("Changes"), *shown) if shown else ()


def _named(finding: Finding, was: str, word: str = "new ") -> str:
    """A finding in words, with its severity, old and new; empty if it is as before."""
    now = f"{ICONS[was]} → {ICONS[finding.severity]}" if was else f"{word}{ICONS[finding.severity]}"
    words = wording.together(f"{now} {finding.id} {_words(finding)}")
    return "" if finding.severity in ("ok", was) else words


def _words(finding: Finding) -> str:
    """What its rule looks for, in words."""
    return finding.name.replace("-", " ")


#: Units of the time of all waits, and of each.
_WAIT: Final = ("s", "ms")


def _gone(finding: Finding, changes: Mapping[str, DifferenceDocument]) -> str:
    """Why a finding is gone: by its waits or first fact; empty if sessions wait longer now."""
    facts = [fact for fact in finding.facts if fact.name in changes]
    of = {fact.unit: fact for fact in reversed(facts)}
    waits, took = (changes[of[unit].name] if unit in of else None for unit in _WAIT)
    if not facts or (waits and waits.second >= waits.first):
        return ""
    why = _old_and_new(changes[facts[0].name])
    of_one = len({frozenset(e.row for e in f.evidence) for u, f in of.items() if u in _WAIT}) == 1
    if waits and took and of_one and min(waits.second, took.first, took.second) > 0:
        many = waits.second / took.second / (waits.first / took.first)
        why = f"waits {many * 100 - 100:+.0f} %, each {_old_and_new(took)}".replace("-", "−")
    return f"{_named(finding, '', 'gone ')} ({why})"


def _old_and_new(change: DifferenceDocument) -> str:
    return f"{in_unit(change.first, change.unit)} → {in_unit(change.second, change.unit)}"


def _moved(rows: Sequence[tuple[str, str, str, str]], width: int) -> Iterator[Line]:
    wide = [max((len(row[n]) for row in rows), default=0) for n in range(4)]
    for name, first, second, change in rows:
        values = f"{first:>{wide[1]}} → {second:>{wide[2]}}  {change}"
        text = f"  {name:<{wide[0]}}  {values}"
        if len(text) <= width:
            yield (Span(text),)
        else:
            yield (Span(f"  {name}"),)
            yield from wrapped(f"{first} → {second}  {change}", width, "", "      ")


def _heading(text: str) -> Iterator[Line]:
    yield ()
    yield (Span(text, "title"),)


def _finding(finding: Finding, number: int, width: int) -> Iterator[Line]:
    cost = wording.weight(finding)
    head = f"{number}. {ICONS[finding.severity]} {finding.severity.upper()} {finding.id}  "
    title = wording.safe(finding.title) + (f"  [{cost}]" if cost else "")
    first, *others = wrap(title, width - 5, initial_indent=" " * (len(head) - 5)) or [""]
    yield (Span(head, finding.severity), Span(first.strip(), "strong"))
    yield from ((Span(f"     {line}", "strong"),) for line in others)
    yield from wrapped(wording.safe(finding.why), width, "", "     ")
    for rule, title_, why in wording.contributing(finding):
        yield from wrapped(f"{title_}. {why}", width, "", "       ", f"     + {rule} ")
    for name, value, formula, place in wording.finding_facts(finding):
        left = f"     {name:<34} {value:<12} "
        rest = " ".join(filter(None, (formula, place and f"({place})")))
        if len(left) + len(rest) <= width:
            yield (Span(left), Span(rest, "dim"))
        else:
            yield from wrapped(f"{name:<34} {value}", width, "", "       ", "     ")
            yield from wrapped(rest, width, "dim", "       ")
    sure = f"confidence {finding.confidence}: {wording.safe(finding.confidence_reason)}"
    yield from wrapped(sure, width, "dim", "     ")


def _recommendation(
    analysis: Analysis, item: Recommendation, width: int, number: int | None = None
) -> Iterator[Line]:
    mark = "- " if number is None else f"{number}. "
    label = wording.label(analysis, item)
    style = {"apply": "warning", "tune-first": "info", "need-data": "dim"}.get(item.status, "ok")
    (first,), *others = wrapped(wording.safe(item.title), width - len(label) - 7)
    yield (Span(mark), Span(f"[{label}] ", style), first._replace(style="strong"))
    yield from ((Span(f"     {line.text}", "strong"),) for (line,) in others)
    yield from wrapped(wording.safe(item.action), width, "", "     ")
    if item.status in ("apply", "tune-first"):
        yield from wrapped(wording.benefit(item), width, "dim", "     ")
    yield from commands(map(wording.safe, item.commands), width)
    for name, text in wording.conditions(item._replace(rollback=())):
        yield from wrapped(text, width, "dim", "            ", f"     {name.lower()}: ")
    if item.rollback:
        yield (Span("     rollback:", "dim"),)
        yield from commands(map(wording.safe, item.rollback), width)


#: Least widths of the columns of names and of problems in a list.
_NAME, _FILE, _PROBLEM = 12, 20, 30
#: Width from which files are named, and the spaces between the columns.
_WITH_FILE, _GAPS = 100, 10


class Row(NamedTuple):
    """A report in a list: its database, and what is to know first."""

    severity: str
    waiting: float | None
    name: str
    db_id: str
    when: str
    source: str
    problem: str
    database: str


def row(analysis: Analysis) -> Row:
    """The row of a report in a list of many."""
    report = analysis.report
    names = (report["db_name"], report["instance"], report["container"])
    latest = analysis.periods[-1].report if analysis.periods else report
    return Row(
        first_screen.severity(analysis),
        analysis.waiting_sessions,
        wording.safe("/".join(filter(None, names)) or "unknown database"),
        wording.safe(report["db_id"] or ""),
        wording.safe(str(latest["begin_time"] or "").replace("T", " ")[:16]),
        wording.safe(str(report["source"])),
        first_screen.phrase(analysis),
        wording.safe(report["db_name"] or ""),
    )


def _columns(table: Sequence[Sequence[str]], width: int) -> list[int]:
    """The widths of a list's columns; without that of the file in a narrow terminal."""
    columns = [*zip(*table, strict=True)][: 4 if width >= _WITH_FILE else 3]
    wide = [max(map(len, (head.split()[0], *cells))) for head, *cells in columns]
    for at in range(0, len(wide), 3):  # names and files shrink
        over = sum(wide) + _GAPS + _PROBLEM - width
        wide[at] = max(min(wide[at], _FILE if at else _NAME), wide[at] - max(over, 0))
    return [*wide, max(_NAME, width - sum(wide) - 2 * len(wide) - 2)]


def urgency(entry: Row) -> tuple[float, ...]:
    """The order of reports, the worst first: by severity and sessions waiting."""
    return STATES.index(entry.severity), -(entry.waiting or 0.0)


def page_of_many(
    rows: Iterable[Row], width: int, unread: Sequence[str] = (), *, followed: bool = False
) -> Iterator[Line]:
    """What could not be read; the reports, by severity and sessions waiting.

    Names and problems wrap in their columns.
    ``followed``: the reports come in full below.
    """
    ordered = sorted(rows, key=urgency)
    databases = Counter(name for name, _ in {(e.name, e.db_id) for e in ordered if e.db_id})
    severities = first_screen.tally([entry.severity for entry in ordered])
    yield (Span(f"{len(ordered)} reports, worst first: {severities}", "title"),)
    for problem in unread:
        yield from wrapped(f"{ICONS['unknown']} not read: {wording.safe(problem)}", width)
    table = [(" ", "dim", ["database", "begin", "sessions waiting", "file", "problem"])]
    for row_ in ordered:
        own = f" [{row_.db_id or 'DBID not known'}]" if databases[row_.name] > 1 else ""
        cells = [f"{row_.name}{own}", row_.when, wording.few(row_.waiting),
                 wording.file_name(row_.source), row_.problem]  # fmt: skip
        table.append((ICONS[row_.severity], row_.severity, cells))
    wide = _columns([cells for _, _, cells in table], width)
    for icon, style, cells in table:
        texts = zip((*cells[: len(wide) - 1], cells[-1]), wide, strict=True)
        lines = [unbroken(text, size) if text else [] for text, size in texts]
        for number, (name, *others) in enumerate(zip_longest(*lines, fillvalue="")):
            rest = "  ".join(f"{part:<{n}}" for part, n in zip(others, wide[1:], strict=True))
            head = f"{' ' if number else icon} {name:<{wide[0]}}  "
            yield (Span(head, style), Span(rest.rstrip(), style if icon == " " else ""))
    whose = ((e.database, e.db_id, e.name, e.when) for e in ordered)
    said = ["Sessions waiting: on average, the most of a finding; – without one.",
            *wording.of_one_database(whose)]  # fmt: skip
    if not followed:
        file = shlex.quote(ordered[0].source) if ordered else "FILE"
        said.append(f"The first one in full: awrlens analyze {file}; file and first action of "
                    "each: --format brief")  # fmt: skip
    for text in said:
        yield from wrapped(text, width, "dim")
