"""From reports to intervals, from intervals to a trend."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from awrlens import errors
from awrlens.api import analyze
from awrlens.errors import UsageError
from awrlens.facts.registry import FACTS
from awrlens.model import parts_of
from awrlens.model.fact import NO_NUMBERS
from awrlens.model.trend import Mention, Quantity, Reading, Window
from awrlens.model.who import Who
from awrlens.series import trend as links
from awrlens.series.trend import trend as trend  # noqa: PLC0414 - exported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from awrlens.model.fact_table import Better
    from awrlens.model.trend import Bad
    from awrlens.policy import Policy
    from awrlens.report.report import Report

#: The direction in which a fact is bad; more load is not bad in itself.
_BAD: dict[Better, Bad] = {
    "lower": "high", "lower over time": "high", "higher": "low", "higher over time": "low",
    "neither": "neither",
}  # fmt: skip


def quantities(names: Sequence[str] = ()) -> tuple[Quantity, ...]:
    """Numeric facts with one of these prefixes, all without one; UsageError for an unknown one."""
    numbers = [spec for spec in FACTS if spec.unit not in NO_NUMBERS]
    chosen = {spec.name: spec for spec in numbers} if not names else {}
    for name in names:
        fitting = [spec for spec in numbers if spec.name.startswith(name)]
        if not fitting:
            numeric = [spec.name for spec in numbers]
            raise UsageError(
                f"No numeric fact has the name or prefix {name!r}.",
                hint=errors.hint(name, numeric, "`awrlens facts REPORT` lists all facts."),
            )
        chosen |= {spec.name: spec for spec in fitting}
    return tuple(
        Quantity(spec.name, spec.unit, spec.definition, _BAD[spec.better], spec.kind == "total")
        for spec in chosen.values()
    )


def needed(shown: Iterable[Quantity]) -> tuple[str, ...]:
    """Names of the facts to read from every report: those to show, and those to correlate."""
    return tuple(dict.fromkeys([*(quantity.name for quantity in shown), *links.NEEDS]))


def windows_of(
    report: Report, names: Iterable[str], policy: Policy,
    wanted: Callable[[Window], bool] | None = None,
) -> tuple[Window, ...]:  # fmt: skip
    """The intervals of a report, with the named facts and the findings.

    A RAC report has one for the cluster and one per instance, a compare-period report has one per
    period. An interval that is not wanted, by its header, has neither facts nor findings: the rest
    of the report is not read for it.
    """
    of = report.periods or (report, *report.instances)
    headers = tuple(map(_header, of))
    if wanted is not None and not any(map(wanted, headers)):
        return headers
    names, analysis = tuple(names), analyze(report, policy)
    judged = analysis.periods or (analysis, *analysis.instances)
    windows = tuple(
        header._replace(
            facts={n: Reading((fact := part.facts[n]).number, fact.status) for n in names},
            findings=tuple(
                Mention(f.id, f.title, f.severity, f.impact.seconds, parts_of(f),
                        f.weight.waiting_sessions)
                for f in part.findings
            ),
            verdict=part.state, headline=part.headline,
        ) if wanted is None or wanted(header) else header
        for header, part in zip(headers, judged, strict=True)
    )  # fmt: skip
    # cluster figures are sums: a restart of one instance invalidates them
    whole = windows[0]._replace(valid=all(window.valid for window in windows))
    return windows if report.periods else (whole, *windows[1:])


def _header(report: Report) -> Window:
    who = report.identity
    of_cluster = who.kind.startswith("awr-rac") and not who.instance_number
    return Window(
        who=Who(
            who.db_name, who.db_id, who.container, who.instance, who.instance_number, of_cluster
        ),
        kind=who.kind, begin_snap=who.begin_snap, end_snap=who.end_snap,
        begin=_moment(who.begin_time), end=_moment(who.end_time),
        startup=_moment(who.startup_time), elapsed_s=who.elapsed_s,
        facts={}, findings=(), verdict="ok", source=who.source, valid=report.cluster.valid,
    )  # fmt: skip


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
