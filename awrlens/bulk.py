"""The functions of ``import awrlens`` that take paths, for many reports at once.

A path is a file, a folder, a pattern or an archive. No configuration file is read: a policy sets
thresholds. Nothing is printed; what could not be read is part of the result.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from awrlens import api, config
from awrlens.cli import intervals
from awrlens.errors import AwrlensError, UnreadableError, UsageError
from awrlens.model.trend import LeftOut
from awrlens.policy import Policy
from awrlens.report.report import Report
from awrlens.series.differences import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pandas as pd

    from awrlens.model.check_run import CheckRun
    from awrlens.model.comparison import Comparison, Reading
    from awrlens.model.trend import Trend, Window
    from awrlens.redact.names import Names

#: One path, or several.
Paths: TypeAlias = "str | Path | Iterable[str | Path]"
#: One side of a comparison: reports, or paths of reports.
Side: TypeAlias = "str | Path | Report | Iterable[str | Path | Report]"


def load_all(paths: Paths | bytes) -> Iterator[Report | AwrlensError]:
    """Every report of files, folders, patterns, archives or bytes, one after the other.

    A file has several reports if they were spooled one after the other. An input that cannot be
    read becomes an error in its place, and the others are read. Raises UsageError for a pattern
    that no file matches and for an empty folder.
    """
    if isinstance(paths, bytes):
        yield from api.load_all(paths)
        return
    from awrlens.source.open import inputs

    for file in inputs(_texts(paths)):
        yield from api.load_all(file.path)


def facts_frame(paths: Paths, facts: Sequence[str] = ()) -> pd.DataFrame:
    """The numeric facts of many reports: a row per report, per instance and per period.

    Columns: ``database``, ``instance``, ``begin``, ``end``, ``part`` (the number of an instance or
    period; empty for a whole report), ``source``, then one column per fact. ``facts`` are names or
    prefixes (default: all). A fact that is not in a report is missing, never zero.
    ``attrs["units"]`` has the unit of every fact, ``attrs["left_out"]`` the inputs that could not
    be read, each with the reason. Raises UnreadableError if none could be read.
    """
    import pandas as pd

    quantities = intervals.quantities(facts)
    rows: list[dict[str, Any]] = []
    left_out: list[tuple[str, str]] = []
    for report in load_all(paths):
        if isinstance(report, AwrlensError):
            left_out.append((report.source or "", report.message))
            continue
        for part in report.periods or (report, *report.instances):
            who, values = part.identity, api.facts_of(part)
            rows.append(
                {
                    "database": who.db_name,
                    "instance": who.instance,
                    "begin": who.begin_time,
                    "end": who.end_time,
                    "part": part.view.label if part.view else "",
                    "source": who.source,
                    **{quantity.name: values[quantity.name].number for quantity in quantities},
                }
            )
    if not rows:
        raise _unread(left_out)
    types = dict.fromkeys(("database", "instance", "part", "source"), "string")
    types |= dict.fromkeys(("begin", "end"), "datetime64[s]")
    types |= {quantity.name: "Float64" for quantity in quantities}
    frame = pd.DataFrame(
        {name: pd.Series([row[name] for row in rows], dtype=type_) for name, type_ in types.items()}
    )[list(rows[0])]
    frame.attrs["units"] = {quantity.name: quantity.unit for quantity in quantities}
    frame.attrs["left_out"] = left_out
    return frame


def compare(before: Side, after: Side | None = None, policy: Policy | None = None) -> Comparison:
    """What changed from one side to the other, and whether they are comparable.

    A side is a report or its path, or several reports of one system. One compare-period report
    alone has both sides. Differences within noise are not reported as changes. Raises
    UnreadableError for a path that cannot be read.
    """
    if after is not None:
        return api.compare(_readings(before, policy), _readings(after, policy), policy)
    reports = list(_reports(before))
    if len(reports) != 1 or not reports[0].periods:
        raise UsageError(
            "A comparison needs two sides.", hint="Give a second side, or a compare-period report."
        )
    first, second = api.periods(reports[0], policy)
    return api.compare([first], [second], policy)


def trend(paths: Paths, facts: Sequence[str] = DEFAULT, policy: Policy | None = None) -> Trend:
    """Many reports in the order of time: usual values, outliers, lasting changes.

    Every instance of a database is a series. ``facts`` are names or prefixes (default: the main
    ones). Inputs that could not be read, and intervals that do not count, are in ``left_out``.
    """
    shown = intervals.quantities(facts)
    names = intervals.needed(shown)
    policy = policy or Policy()
    windows: list[Window] = []
    left_out: list[LeftOut] = []
    for report in load_all(paths):
        if isinstance(report, AwrlensError):
            left_out.append(LeftOut(report.source or "", None, None, report.message))
        else:
            windows += intervals.windows_of(report, names, policy)
    return intervals.trend(windows, shown, policy, left_out)


def check(
    paths: Paths,
    *,
    fail_on: Sequence[str] = (),
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    strict: bool = False,
    baseline: str | None = None,
    policy: Policy | None = None,
    names: Names | None = None,
) -> CheckRun:
    """The findings of reports, and which of them fail; ``status`` is that of ``awrlens check``.

    ``fail_on``: the lowest severity that fails, or rules by id, name or prefix (default: warning).
    ``select`` and ``ignore`` are rules. ``strict``: what could not be judged fails too.
    ``baseline`` is a file of known findings. With ``names`` the result is free of real names.
    Raises UsageError for a rule that does not exist.
    """
    from awrlens.checks.selection import Settings
    from awrlens.cli import gate
    from awrlens.cli.check import result

    values = policy.values() if policy else {}
    settings = tuple(f"{name}={Decimal(repr(value)):f}" for name, value in values.items())
    options = config.Options(settings=settings, isolated=True)
    given = _texts(paths)
    asked = gate.resolved(
        gate.Asked(
            options,
            Settings(tuple(select), tuple(ignore), fail_on=tuple(fail_on), strict=strict),
            baseline, names=names,
        ),
        given[0],
    )  # fmt: skip
    checked = list(gate.checked_reports(given, asked, 1, complain=_silent))
    return result(gate.over_windows(checked, asked), given, asked)


def _silent(problem: AwrlensError, before: str = "") -> None:
    """The result has what the command prints."""


def _texts(paths: Paths) -> tuple[str, ...]:
    several = (paths,) if isinstance(paths, str | Path) else tuple(paths)
    if not several:
        raise UsageError("No path is given.")
    return tuple(map(str, several))


def _reports(side: Side) -> Iterator[Report]:
    for item in (side,) if isinstance(side, str | Path | Report) else side:
        if isinstance(item, Report):
            yield item
            continue
        left_out: list[tuple[str, str]] = []
        some = False
        for report in load_all(item):
            if isinstance(report, Report):
                some = True
                yield report
            else:
                left_out.append((report.source or "", report.message))
        if not some:
            raise _unread(left_out)


def _readings(side: Side, policy: Policy | None) -> list[Reading]:
    readings = [api.read(report, policy) for report in _reports(side)]
    if not readings:
        raise UsageError("A side has no report.")
    return sorted(readings, key=lambda reading: str(reading.report["begin_time"] or ""))


def _unread(left_out: list[tuple[str, str]]) -> UnreadableError:
    source, message = left_out[0] if left_out else (None, "There is nothing to read.")
    return UnreadableError(message, source=source)
