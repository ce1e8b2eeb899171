"""Text pages: facts, sections, one table, rules, thresholds, grammar."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

from awrlens.render import wording
from awrlens.render.lines import Line, Span, hanging, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from awrlens.model import Fact

#: Maximum width of a column; longer cells are truncated with an ellipsis.
_CELL = 48


def facts_page(facts: Mapping[str, Fact], width: int) -> Iterator[Line]:
    """Facts by family: value, status, formula and source lines."""
    family = ""
    for name, fact in facts.items():
        if name.split(".")[0] != family:
            family = name.split(".")[0]
            yield ()
            yield (Span(family, "title"),)
        value = wording.safe(wording.fact_value(fact))
        missing = fact.value is None
        yield from _two(f"  {name:<36}", value, width, "dim" if missing else "")
        how = [wording.safe(text) for text in (fact.formula, "" if missing else fact.note) if text]
        where = wording.lines_of(fact)
        detail = "; ".join(how) + (f" ({where})" if where else "")
        if detail and not missing:
            colon = ":" * bool(any(how))
            yield from wrapped(f"{fact.status}{colon} {detail.strip()}", width, "dim", "      ")


def sections_page(listed: Iterable[Mapping[str, Any]], width: int) -> Iterator[Line]:
    """All sections with canonical name, rows and line."""
    yield (Span(f"{'line':>7} {'rows':>6}  {'name':<28} title", "title"),)
    for item in listed:
        name = item["name"] or "-"
        rows = "-" if item["rows"] is None else f"{item['rows']:,}"
        text = f"{item['line']:>7} {rows:>6}  {name:<28} {wording.safe(item['title'])}"
        yield (Span(text[:width], "" if item["name"] else "dim"),)


def table_page(data: Mapping[str, Any], width: int) -> Iterator[Line]:
    """One table in columns; columns that do not fit the width are listed below it."""
    names = [column["name"] or column["heading"] for column in data["columns"]]
    sides = [">" if column["type"] in ("int", "float") else "<" for column in data["columns"]]
    cells = [[_cell(row.get(name)) for name in names] for row in data["rows"]]
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    ends = accumulate(wide + 2 for wide in widths)
    fitting = next((n for n, end in enumerate(ends) if n and end - 2 > width), len(widths))
    yield (Span(f"{wording.safe(data['title'])} (line {data['line']})", "title"),)
    for row, style in ((names, "strong"), *((row, "") for row in cells)):
        shown = zip(row[:fitting], sides, widths, strict=False)
        yield (Span("  ".join(f"{text:{side}{wide}}" for text, side, wide in shown), style),)
    if fitting < len(names):
        left_out = ", ".join(names[fitting:])
        yield from wrapped(f"columns not shown (too wide): {left_out}", width, "dim")


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = f"{value:,}" if isinstance(value, int | float) else wording.safe(str(value))
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"


def rules_page(documents: Iterable[Mapping[str, Any]], width: int) -> Iterator[Line]:
    """Rules with id, name and title."""
    for item in documents:
        name = f"{item['id']}  {item['name']:<34}"
        yield from _two(name, item["title"], width)
    yield ()
    yield (Span("`awrlens rule ID` explains a rule.", "dim"),)


def rule_page(item: Mapping[str, Any], width: int) -> Iterator[Line]:
    """One rule's documentation."""
    yield from wrapped(f"{item['id']} {item['name']}: {item['title']}", width, "title")
    yield (Span(f"since {item['since']}, {item['status']}", "dim"),)
    for heading, text in item["page"].items():
        yield ()
        yield (Span(heading, "strong"),)
        yield from wrapped(" ".join(text.split()), width, "", "  ")
    yield ()
    yield (Span("Required facts", "strong"),)
    yield from wrapped(", ".join(item["needs"]), width, "", "  ")
    if item["wants"]:
        yield from wrapped(f"optional: {', '.join(item['wants'])}", width, "dim", "  ")
    for threshold in item["thresholds"]:
        yield from _threshold(threshold, width)


def thresholds_page(thresholds: Iterable[Mapping[str, Any]], width: int) -> Iterator[Line]:
    """Thresholds with default, unit, meaning and source."""
    for threshold in thresholds:
        yield from _threshold(threshold, width)


def _threshold(threshold: Mapping[str, Any], width: int) -> Iterator[Line]:
    unit = "" if threshold["unit"] in ("count", "ratio") else f" {threshold['unit']}"
    yield ()
    yield (Span(f"{threshold['name']} = {threshold['default']:g}{unit}", "strong"),)
    yield from wrapped(threshold["meaning"], width, "", "  ")
    yield from wrapped(f"source: {threshold['source']}", width, "dim", "  ")


def config_page(
    file: str | None, asked: Iterable[tuple[str, str]], rows: Iterable[Mapping[str, Any]],
    width: int,
) -> Iterator[Line]:  # fmt: skip
    """Settings of `awrlens check`; thresholds in force with their origin, changed ones in bold."""
    yield (Span(f"file: {wording.safe(file)}" if file else "no configuration file", "dim"),)
    for name, text in asked:
        yield from _two(f"{name:<20}", wording.safe(text), width, "")
    yield ()
    for row in rows:
        unit = "" if row["unit"] in ("count", "ratio") else f" {row['unit']}"
        value = f"{row['value']:g}{unit}"
        changed = row["origin"] != "default"
        origin = wording.safe(str(row["origin"]))
        if changed:
            origin += f" (default {row['default']:g})"
        left = f"{row['name']:<36}{value:>10} "
        yield from _two(left, origin, width, "strong" if changed else "dim")


def budgets_page(budgets: Sequence[tuple[str, str]]) -> Iterator[Line]:
    """Budgets as parsed, with their ids."""
    if not budgets:
        yield (Span("No budgets found.", "dim"),)
    for number, (budget_id, text) in enumerate(budgets):
        if number:
            yield ()
        yield (Span(f"# {budget_id}", "dim"),)
        for line in text.splitlines():
            yield (Span(wording.safe(line), "" if line.startswith(" ") else "strong"),)


def outcomes_page(outcomes: Sequence[Mapping[str, Any]], width: int) -> Iterator[Line]:
    """The outcome of every budget with its numbers, or the reason why it cannot be assessed."""
    for outcome in outcomes:
        verdict, fails = outcome["verdict"], outcome["fails"]
        label = verdict.upper() if verdict == "violated" else verdict.replace("-", " ")
        label += ", and required" * (fails and verdict == "not-assessable")
        style = {"met": "ok", "violated": "warning"}.get(verdict, "dim")
        place = f"  {outcome['id']}  {outcome['file']}:{outcome['line']}"
        yield (Span(label, outcome["severity"] if fails else style), Span(place, "dim"))
        yield from wrapped(wording.safe(outcome["message"]), width, "strong", "  ")
        yield from wrapped(wording.safe(outcome["arithmetic"]), width, "", "  ")
        if outcome["windows_pct"] is not None:
            share = f"{outcome['windows_pct']:g} % of windows"
            yield from wrapped(f"in this window; the budget is for {share}", width, "dim", "    ")
        for reason in outcome["reasons"]:
            yield from wrapped(wording.safe(reason), width, "dim", "    ")
    yield ()
    failing = sum(outcome["fails"] for outcome in outcomes)
    verb = "fail" if failing > 1 else "fails"
    many = "" if len(outcomes) == 1 else "s"
    yield (Span(f"{len(outcomes)} budget{many}, {failing or 'none'} {verb}.", "strong"),)


def grammar_page(sections: Iterable[Mapping[str, Any]], width: int) -> Iterator[Line]:
    """Described sections."""
    for item in sections:
        yield from _two(f"{item['name']:<32}", f"{item['title']} ({item['file']})", width)


def _two(left: str, right: str, width: int, style: str = "") -> Iterator[Line]:
    """A name and a text next to it, with a hanging indent; the name alone if there is no text."""
    head = Span(f"{left} ")
    yield from hanging(head, right, max(width, len(head.text) + 20), style) if right else ((head,),)
