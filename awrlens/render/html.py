"""An analysis as one HTML page: no request leaves it, nothing of a report becomes markup.

Values are laid out here for the template; jinja2 escapes every one of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from awrlens.render import present
from awrlens.render.charts import Bar, stacked
from awrlens.render.pages import fill

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from awrlens.model import Analysis, Evidence, Fact, Finding, Recommendation
    from awrlens.render.pages import Extras

_VERDICTS: Final = (("redo_storage", "redo"), ("temp_storage", "temp"), ("undo_storage", "undo"))
#: Findings of these rules tell the state of a part of the status strip.
_FAMILIES: Final = (
    ("redo", ("REDO",)), ("temp", ("TEMP",)), ("undo", ("UNDO",)), ("checkpoint", ("CKPT",)),
    ("integrity", ("INTG",)),
)  # fmt: skip
_RANK: Final = {"critical": 0, "warning": 1, "info": 2, "ok": 3}
#: Facts that a bar is made of, and what each part is called.
_COMMIT: Final = (
    ("redo.commit_storage_s", "log write"), ("redo.commit_lgwr_s", "LGWR outside the write"),
    ("redo.commit_scheduling_s", "scheduling and CPU"),
    ("redo.commit_unexplained_s", "unexplained"),
)  # fmt: skip
_DBWR: Final = (
    ("checkpoint.mttr_write_pct", "recovery target"), ("checkpoint.log_size_write_pct", "log size"),
    ("checkpoint.log_ckpt_write_pct", "log checkpoint settings"),
    ("checkpoint.other_settings_write_pct", "other settings"),
    ("checkpoint.autotune_write_pct", "self-tuning"),
    ("checkpoint.thread_write_pct", "thread checkpoints"),
)  # fmt: skip


def render(pages: Sequence[dict[str, Any]], extras: Extras) -> str:
    """One page for one or several reports, laid out by ``page``."""
    numbered = [each | {"anchor": f"r{number}"} for number, each in enumerate(pages, start=1)]
    return fill("report.html.j2", extras, pages=numbered)


def page(analysis: Analysis) -> dict[str, Any]:
    """One report, laid out as plain data that may travel between processes."""
    facts = _facts(analysis)
    return {
        "identity": present.identity(analysis),
        "source": present.safe(str(analysis.report["source"])),
        "headline": present.headline(analysis),
        "severity": analysis.verdicts.write_path,
        "strip": _strip(analysis),
        "warnings": [(present.safe(w.message), w.line) for w in analysis.warnings],
        "parts": [
            (name, interval, part.verdicts.write_path, present.headline(part))
            for name, interval, part in present.parts(analysis)
        ],
        "moved": present.differences(analysis),
        "changed": present.changed_parameters(analysis),
        "findings": [_finding(each) for each in analysis.findings],
        "overlap": present.overlap(analysis),
        "steps": [_step(item) for item in analysis.recommendations],
        "charts": _charts(facts),
        "facts": [_fact(fact) for fact in facts.values()],
        "skipped": [(s.rule, present.safe(s.reason)) for s in analysis.skipped],
    }


def _facts(analysis: Analysis) -> Mapping[str, Fact]:
    """The facts to show: of a compare-period report the second period's."""
    return analysis.periods[1].facts if analysis.periods else analysis.facts


def _strip(analysis: Analysis) -> list[tuple[str, str, str]]:
    """Name, severity and words for each part of the write path."""
    storage = {name: getattr(analysis.verdicts, field) for field, name in _VERDICTS}
    found = []
    for name, families in _FAMILIES:
        own = [f.severity for f in analysis.findings if f.id.startswith(families)]
        worst = min(own, key=_RANK.__getitem__, default="ok")
        verdict = storage.get(name)
        words = f"storage: {present.VERDICTS[verdict]}" if verdict else worst
        found.append((name, worst, words))
    target = analysis.verdicts.fast_start_mttr_target_s
    found.append(("recovery", "ok", "no target" if target is None else f"target {target} s"))
    return found


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "name": finding.name,
        "title": present.safe(finding.title),
        "severity": finding.severity,
        "impact": present.impact(finding.impact),
        "basis": present.safe(finding.impact.basis),
        "why": present.safe(finding.why),
        "confidence": finding.confidence,
        "reason": present.safe(finding.confidence_reason),
        "source": finding.source,
        "related": finding.related,
        "facts": present.finding_facts(finding),
        "evidence": [_evidence(e) for fact in finding.facts for e in fact.evidence],
    }


def _evidence(item: Evidence) -> dict[str, Any]:
    """A printed cell, and the line around it cut in three, so that the cell can be marked."""
    line = present.safe(item.excerpt)
    before, cell, after = line.partition(present.safe(item.text)) if item.text else (line, "", "")
    return {
        "section": present.safe(item.section),
        "row": present.safe(item.row),
        "column": present.safe(item.column),
        "line": item.line,
        "before": before,
        "cell": cell,
        "after": after,
    }


def _step(item: Recommendation) -> dict[str, Any]:
    return {
        "id": item.id,
        "title": present.safe(item.title),
        "status": item.status,
        "label": present.VERDICTS[item.status],
        "action": present.safe(item.action),
        "benefit": present.benefit(item),
        "lists": [
            (name, [present.safe(text) for text in texts])
            for name, texts in (
                ("Before", item.prerequisites), ("Risks", item.risks), ("Check", item.validate),
            )
            if texts
        ],
        "commands": "\n".join(present.safe(text) for text in item.commands),
        "rollback": "\n".join(present.safe(text) for text in item.rollback),
        "findings": item.findings,
    }  # fmt: skip


def _fact(fact: Fact) -> dict[str, str]:
    return {
        "name": fact.name,
        "value": present.safe(present.fact_value(fact)) if fact.value is not None else "",
        "sort": "" if fact.number is None else repr(fact.number),
        "status": fact.status,
        "how": present.safe(fact.formula or fact.note),
        "lines": present.lines_of(fact),
    }


def _charts(facts: Mapping[str, Fact]) -> list[dict[str, Any]]:
    """Pictures of what is a sum of parts, each with the table that it shows."""
    found = []
    for title, unit, parts in (
        ("What a commit waits for", "s", _COMMIT),
        ("Why DBWR wrote for checkpoints", "%", _DBWR),
    ):
        bars = [Bar(label, facts[name].number or 0.0) for name, label in parts if name in facts]
        if sum(bar.value for bar in bars) > 0:
            found.append({"title": title, "unit": unit, "bars": stacked(bars)})
    return found
