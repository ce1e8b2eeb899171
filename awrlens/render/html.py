"""An analysis as one HTML page, without network requests and without markup from reports."""

from __future__ import annotations

import json
from base64 import b64encode
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from zlib import compress

from awrlens import extensions
from awrlens.model import STATES, with_parts
from awrlens.model.fact_table import REPORT_FACTS
from awrlens.render import compare_page, first_screen, handover, page_charts, wording
from awrlens.render import pages as as_html
from awrlens.render.blocks import Heading, Paragraph, Row, Table, columns
from awrlens.render.lines import ICONS
from awrlens.render.pages import fill

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from awrlens.model import Analysis, Fact, Finding, Recommendation
    from awrlens.model.chart_data import Exhibits, Printed
    from awrlens.render.blocks import Block
    from awrlens.render.pages import Extras

#: Pages with more reports than this do not include the sections of the reports.
_MOST_WITH_SECTIONS: Final = 10


def render(
    pages: Sequence[dict[str, Any]], extras: Extras, left: Sequence[tuple[str, bool]] = ()
) -> str:
    """One page for one or several reports, laid out by ``page``.

    ``left`` has the files that were not read, with the reason, and whether that fails.
    """
    trees = [report["tree"] for report in pages if "tree" in report]
    if trees and len(pages) == 1 and not left:
        return as_html.text(
            trees[0], extras._replace(thresholds=()) if pages[0]["sheet"] else extras
        )
    numbered = [report | {"anchor": f"r{number}"} for number, report in enumerate(pages, start=1)]
    for report in numbered:  # on a page of several, anchors are not unique
        if "tree" in report:
            blocks = tuple(_unlinked(report["tree"].blocks))
            report["tree"] = report["tree"]._replace(blocks=blocks)
    if len(numbered) > _MOST_WITH_SECTIONS:
        numbered = [report | {"sections": ""} for report in numbered]
    order = STATES.index
    numbered.sort(key=lambda report: (order(report["severity"]), -(report["waiting"] or 0.0)))
    return fill(
        "report.html.j2", extras, left=left, pages=numbered,
        severities=first_screen.tally([report["severity"] for report in numbered]),
        lists=tuple(_lists(numbered)) if len(numbered) > 1 else (),
    )  # fmt: skip


def _unlinked(blocks: Iterable[Block]) -> Iterator[Block]:
    """Blocks without anchors."""
    for block in blocks:
        yield block._replace(anchor="") if isinstance(block, Heading) else block


def _lists(pages: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    """The tables of many reports; logs have other parts than reports, and tables of their own."""
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for report in pages:
        groups.setdefault(tuple(name for name, *_ in report["strip"]), []).append(report)
    for parts, members in sorted(groups.items(), key=lambda group: -len(group[0])):
        label = "Reports" if "redo" in parts else "SQL Server logs" if parts else "Alert logs"
        if len(groups) > 1:
            yield Heading(label)
        rows = []
        ids = {(report["database"][0], report["db_id"]) for report in members if report["db_id"]}
        for report in members:
            several = sum(name == report["database"][0] for name, _ in ids) > 1
            own = f"{report['short']} [{report['db_id']}]" if several else report["short"]
            marks = (wording.together(f"{ICONS[state]} {name}") for name, state, *_
                     in report["strip"] if state != "ok")  # fmt: skip
            cells = (own, wording.few(report["waiting"]), " ".join(marks), report["problem"],
                     report["first"], report["source"])  # fmt: skip
            keys = (None, report["waiting"], *[None] * 4)
            rows.append(Row(cells, report["severity"], report["anchor"], keys, report["severity"]))
        heads = columns("report | #sessions waiting | parts | problem | first action | file")
        yield Table(label, heads, tuple(rows), tools=True)
    yield from map(Paragraph, wording.of_one_database(report["database"] for report in pages))


def page(analysis: Analysis, shown: Exhibits, *, sheet: bool = False) -> dict[str, Any]:
    """One report as plain data, which can be sent between processes; ``sheet``: on one sheet."""
    if sheet or analysis.recovery is not None:
        tree = handover.sheet(analysis, shown) if sheet else extensions.page("recovery")(analysis)
        return _whose(analysis) | {
            "tree": tree, "sheet": sheet, "strip": [], "findings": [], "load": "", "db_time": [],
            "outside": "",
        }  # fmt: skip
    facts = first_screen.facts_of(analysis)
    charts = page_charts.placed(shown, facts, analysis.findings)
    asked = handover.questions(analysis, shown.latencies)
    whole = analysis.comparison and analysis.comparison.whole
    picture = compare_page.of_periods(whole) if whole else ()
    return _advice(analysis, charts.findings, asked) | _whose(analysis) | {
        "load": first_screen.load(analysis),
        "picture": tuple(_unlinked(picture)),  # has the DB time of both periods
        "db_time": [] if whole and whole.db_time else first_screen.db_time(analysis),
        "outside": first_screen.outside(analysis),
        "actions": first_screen.actions(analysis),
        "has_db_time": not analysis.is_log,
        "base": analysis.base,
        "folded": first_screen.folded(analysis),
        "warnings": analysis.warnings,
        "parts": [
            {
                "name": name, "interval": interval, "severity": first_screen.severity(part),
                "headline": wording.headline(part), "page": _advice(part),
            }
            for name, interval, part in wording.parts(analysis)
        ],
        "parts_title": wording.parts_title(analysis),
        "moved": [(REPORT_FACTS[name].title, *x) for name, *x in wording.differences(analysis)],
        "changed": wording.changed_parameters(analysis),
        "charts": charts.others,
        "facts": [
            (fact.name, "" if fact.number is None else repr(fact.number),
             "" if fact.value is None else wording.fact_value(fact), fact.status,
             fact.formula or fact.note, wording.lines_of(fact))
            for fact in facts.values()
        ],
        "skipped": wording.skipped(analysis),
        "skipped_rules": len({skip.rule for skip in analysis.skipped}),
        "sections": _packed(shown.sections, _places(analysis)),
        "sections_count": len(shown.sections),
    }  # fmt: skip


def _whose(analysis: Analysis) -> dict[str, Any]:
    report = analysis.report
    latest = analysis.periods[-1].report if analysis.periods else report
    whose = f"{report['db_name'] or ''}/{report['instance'] or ''}"
    begin = (latest["begin_time"] or "").replace("T", " ")
    return {
        "who": first_screen.who(analysis),
        "when": first_screen.when(analysis),
        "short": wording.safe(f"{whose} {begin}".replace("/ ", " ").strip("/ ")) or "report",
        "db_id": wording.safe(report["db_id"] or ""),
        "source": wording.file_name(str(report["source"])),
        "headline": wording.headline(analysis),
        "lines": wording.headline_lines(analysis),
        "severity": first_screen.severity(analysis),
        "waiting": analysis.waiting_sessions,
        "problem": first_screen.phrase(analysis),
        "first": "".join(group[0].title for _, group in first_screen.actions(analysis)[:1]),
        "weight": first_screen.waiting(analysis),
        "database": (report["db_name"] or "",
                     *map(report.__getitem__, ("db_id", "instance", "begin_time"))),
        "brief": "\n".join(handover.brief(analysis)),
    }  # fmt: skip


def of_reports(pages: Iterable[Mapping[str, Any]]) -> bool:
    """Whether all pages are of Oracle reports: of logs, they have no DB time."""
    return all(report.get("has_db_time") for report in pages)


def add(page: dict[str, Any], findings: Sequence[Finding]) -> dict[str, Any]:
    """A page with findings of several reports, whose last it is."""
    severities = (page["severity"], *(finding.severity for finding in findings))
    return page | {
        "findings": [*page["findings"], *map(_finding, findings)],
        "severity": min(severities, key=STATES.index),
    }


def _advice(
    analysis: Analysis, charts: Mapping[str, Sequence[dict[str, Any]]] = MappingProxyType({}),
    asked: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:  # fmt: skip
    """State, findings and recommendations of a report, an instance or a period."""
    return {
        "strip": first_screen.tiles(analysis),
        "read": first_screen.read(analysis),
        "remarks": first_screen.remarks(analysis),
        "findings": [
            _finding(issue, analysis.recommendations, charts.get(issue.id, ()), asked.get(issue.id))
            for issue in analysis.findings
        ],
        "overlap": wording.overlap(analysis),
        "steps": [_step(analysis, action) for action in analysis.actions],
        "others": [_step(analysis, item) for item in analysis.others],
    }


def _finding(
    finding: Finding, steps: Sequence[Recommendation] = (),
    charts: Sequence[dict[str, Any]] = (), question: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    own = {part.id for part in with_parts((finding,))}
    return finding._asdict() | {
        "charts": charts,
        "question": question,
        "impact": wording.weight(finding),
        "basis": finding.impact.basis,
        "contributing": wording.contributing(finding),
        "facts": wording.finding_facts(finding),
        "evidence": list(_evidence(wording.facts_of(finding))),
        "steps": [(item.id, item.title) for item in steps if not own.isdisjoint(item.findings)],
    }


def _step(analysis: Analysis, item: Recommendation) -> dict[str, Any]:
    return item._asdict() | {
        "label": wording.label(analysis, item),
        "effort": first_screen.effort(item),
        "benefit": wording.benefit(item),
    }


def _evidence(facts: Sequence[Fact]) -> Iterator[tuple[object, ...]]:
    """Fact, section, line, lines above and pieces of the source lines, each line once."""
    placed = [(fact.name, item) for fact in facts for item in fact.evidence]
    placed.sort(key=lambda pair: (pair[1].line or 0, pair[1].excerpt.line))
    for (line, text), group in groupby(placed, lambda pair: (pair[1].line, pair[1].excerpt.line)):
        same = list(group)
        name, first = same[0]
        around = [item.excerpt for _, item in same]
        marks = sorted({(quote.begin, quote.end) for quote in around if quote.end > quote.begin})
        yield name, first.section, line, first.excerpt.above, _pieces(text, marks)


def _pieces(text: str, marks: list[tuple[int, int]]) -> list[tuple[str, bool]]:
    """A line split at its marks: pieces, and whether they are highlighted."""
    pieces = []
    at = 0
    for begin, end in marks:
        if begin >= at:
            pieces += [(text[at:begin], False), (text[begin:end], True)]
            at = end
    return [*pieces, (text[at:], False)]


def _places(analysis: Analysis) -> dict[str, list[tuple[int, str, str]]]:
    """Line, section and row of the evidence of every fact: what a link to a line shows."""
    by_fact: dict[str, dict[tuple[int, str, str], None]] = {}
    for part in (analysis, *analysis.instances, *analysis.periods):
        for fact in part.facts.values():
            places = by_fact.setdefault(fact.name, {})
            for item in fact.evidence:
                if item.line is not None:
                    places[item.line, wording.safe(item.section), wording.safe(item.row)] = None
    return {name: list(places) for name, places in by_fact.items() if places}


def _packed(sections: Sequence[Printed], places: Mapping[str, Any]) -> str:
    """Tables of the report as compressed JSON in base64, which the page unpacks on demand."""
    if not sections:
        return ""
    whole = [[list(section) for section in sections], places]
    data = json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
    return b64encode(compress(data.encode("utf-8", "replace"), 7)).decode("ascii")
