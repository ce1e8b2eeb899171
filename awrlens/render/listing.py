"""Text pages: facts, sections, one table, rules, thresholds, grammar."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from awrlens.render import wording
from awrlens.render.lines import Line, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

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
            yield from _wrapped(f"{fact.status}: {detail.strip()}", width, "dim", "      ")


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
    figures = {
        n for n, c in zip(names, data["columns"], strict=True) if c["type"] in ("int", "float")
    }
    cells = [[_cell(row.get(name)) for name in names] for row in data["rows"]]
    widths = [max([len(n), *(len(row[i]) for row in cells)]) for i, n in enumerate(names)]
    fitting = _fitting(widths, width)
    yield (Span(f"{wording.safe(data['title'])} (line {data['line']})", "title"),)
    shown = range(fitting)
    yield (
        Span("  ".join(_pad(names[i], widths[i], names[i] in figures) for i in shown), "strong"),
    )
    for row in cells:
        yield (Span("  ".join(_pad(row[i], widths[i], names[i] in figures) for i in shown)),)
    if fitting < len(names):
        yield from _wrapped(
            f"columns not shown (too wide): {', '.join(names[fitting:])}", width, "dim", ""
        )


def _fitting(widths: list[int], width: int) -> int:
    used = 0
    for number, each in enumerate(widths):
        used += each + 2
        if used - 2 > width and number:
            return number
    return len(widths)


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = f"{value:,}" if isinstance(value, int | float) else wording.safe(str(value))
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"


def _pad(text: str, width: int, right: bool) -> str:  # noqa: FBT001 - alignment
    return text.rjust(width) if right else text.ljust(width)


def rules_page(documents: Iterable[Mapping[str, Any]], width: int) -> Iterator[Line]:
    """Rules with id, name and title."""
    for item in documents:
        name = f"{item['id']}  {item['name']:<34}"
        yield from _two(name, item["title"], width)
    yield ()
    yield (Span("`awrlens rule ID` explains a rule.", "dim"),)


def rule_page(item: Mapping[str, Any], width: int) -> Iterator[Line]:
    """One rule's documentation."""
    yield from _wrapped(f"{item['id']} {item['name']}: {item['title']}", width, "title", "")
    yield (Span(f"since {item['since']}, {item['status']}", "dim"),)
    for heading, text in item["page"].items():
        yield ()
        yield (Span(heading, "strong"),)
        yield from _wrapped(" ".join(text.split()), width, "", "  ")
    yield ()
    yield (Span("Required facts", "strong"),)
    yield from _wrapped(", ".join(item["needs"]), width, "", "  ")
    if item["wants"]:
        yield from _wrapped(f"optional: {', '.join(item['wants'])}", width, "dim", "  ")
    for each in item["thresholds"]:
        yield from _threshold(each, width)


def thresholds_page(found: Iterable[Mapping[str, Any]], width: int) -> Iterator[Line]:
    """Thresholds with default, unit, meaning and source."""
    for each in found:
        yield from _threshold(each, width)


def _threshold(each: Mapping[str, Any], width: int) -> Iterator[Line]:
    unit = "" if each["unit"] in ("count", "ratio") else f" {each['unit']}"
    yield ()
    yield (Span(f"{each['name']} = {each['default']:g}{unit}", "strong"),)
    yield from _wrapped(each["meaning"], width, "", "  ")
    yield from _wrapped(f"source: {each['source']}", width, "dim", "  ")


def config_page(
    file: str | None,
    asked: Iterable[tuple[str, str]],
    rows: Iterable[Mapping[str, Any]],
    width: int,
) -> Iterator[Line]:
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


def budgets_page(found: Iterable[tuple[str, str]]) -> Iterator[Line]:
    """Budgets as parsed, with their ids."""
    nothing = True
    for budget_id, text in found:
        if not nothing:
            yield ()
        nothing = False
        yield (Span(f"# {budget_id}", "dim"),)
        for line in text.splitlines():
            yield (Span(wording.safe(line), "" if line.startswith(" ") else "strong"),)
    if nothing:
        yield (Span("No budgets found.", "dim"),)


#: Label and style of a verdict on a budget.
_VERDICTS = {
    "met": ("met", "ok"),
    "violated": ("VIOLATED", "warning"),
    "not-assessable": ("not assessable", "dim"),
    "not-applicable": ("not applicable", "dim"),
}


def outcomes_page(found: Iterable[Mapping[str, Any]], width: int) -> Iterator[Line]:
    """The outcome of every budget with its numbers, or the reason why it cannot be assessed."""
    number = failing = 0
    for each in found:
        number += 1
        failing += each["fails"]
        label, style = _VERDICTS[each["verdict"]]
        style = each["severity"] if each["fails"] else style
        title = wording.safe(each["message"] or each["expect"])
        required = ", and required" if each["fails"] and label == "not assessable" else ""
        place = f"{each['file']}:{each['line']}"
        yield (Span(f"{label}{required}", style), Span(f"  {each['id']}  {place}", "dim"))
        if each["message"]:
            yield from _wrapped(title, width, "strong", "  ")
        yield from _wrapped(wording.safe(each["arithmetic"]), width, "", "  ")
        if each["windows_pct"] is not None:
            share = f"{each['windows_pct']:g} % of windows"
            yield from _wrapped(f"in this window; the budget is for {share}", width, "dim", "    ")
        for reason in each["reasons"]:
            yield from _wrapped(wording.safe(reason), width, "dim", "    ")
    yield ()
    count = "1 budget" if number == 1 else f"{number} budgets"
    verb = "fails" if failing == 1 else "fail"
    yield (Span(f"{count}, {failing or 'none'} {verb if failing else 'fails'}.", "strong"),)


def grammar_page(found: Iterable[Mapping[str, Any]], width: int) -> Iterator[Line]:
    """Described sections."""
    for item in found:
        yield from _two(f"{item['name']:<32}", f"{item['title']} ({item['file']})", width)


def _two(left: str, right: str, width: int, style: str = "") -> Iterator[Line]:
    """A name and a text next to it, with a hanging indent."""
    room = max(20, width - len(left) - 1)
    for number, line in enumerate(wrap(right, room, break_on_hyphens=False) or [""]):
        yield (Span(f"{left if not number else ' ' * len(left)} "), Span(line, style))


def _wrapped(text: str, width: int, style: str, indent: str) -> Iterator[Line]:
    for line in wrap(
        text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    ):
        yield (Span(line, style),)
