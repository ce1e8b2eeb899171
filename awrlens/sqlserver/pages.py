"""The pages of SQL Server checkpoints before and after a change, and of many logs, as blocks."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from awrlens.render import wording
from awrlens.render.blocks import (
    BarRow,
    Bars,
    Block,
    Chart,
    Code,
    Column,
    Course,
    Courses,
    Fold,
    Heading,
    Item,
    Items,
    Page,
    Paragraph,
    Piece,
    Row,
    Table,
)
from awrlens.render.charts import Dot, Grid, Mark, Plot, Tick, labelled, scaled
from awrlens.render.wording import seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_MEASURES: Final = {
    "checkpoints": "checkpoints", "per_hour": "per hour", "mean_s": "average, s",
    "median_s": "median, s", "p95_s": "p95, s", "max_s": "max, s", "total_s": "total, s",
}  # fmt: skip
_HOW: Final = {
    "given": "as given", "logged": "the log has the setting",
    "seen": "the durations have a step; `--changed` gives the exact time",
}  # fmt: skip
#: Shorter durations are below the resolution of the times.
_LEAST_S: Final = 0.001
_COLUMNS: Final = (Column("measure"), Column("before", "number"), Column("after", "number"))


def page(data: Mapping[str, Any]) -> Page:
    """A sentence and numbers per database, and the limits of the comparison."""
    found = data["databases"]
    headline = f"{found[0]['said']}." if found else _nothing(data)
    title, *about = _side("before", data), _side("after", data)
    if data["before"]["source"] == data["after"]["source"]:
        title, about = "Checkpoints before and after a change", [_whole(data)]
    return Page(title, tuple(about), headline, "info", tuple(_blocks(data)))


def _whole(data: Mapping[str, Any]) -> str:
    """A log that is split at the change of every database."""
    both = {**data["before"], "end_time": data["after"]["end_time"]}
    return _side("one log, split at the change of every database", {"": both})


def _nothing(data: Mapping[str, Any]) -> str:
    if data["before"]["source"] != data["after"]["source"]:
        return "Neither side has a checkpoint."
    return "No change of a database is known in this log: give its time with --changed."


def _side(name: str, data: Mapping[str, Any]) -> str:
    log = data.get(name) or data[""]
    span = " to ".join(str(log[end]).replace("T", " ") for end in ("begin_time", "end_time"))
    times = f", {span}" if log["begin_time"] else ""
    source = PurePosixPath(str(log["source"]).replace("\\", "/")).name
    return f"{name}: {source} ({wording.KINDS.get(log['kind'], log['kind'])}{times})"


def _blocks(data: Mapping[str, Any]) -> Iterator[Block]:
    for text in data["unfair"]:
        yield Paragraph(text, "warning", "note")
    for number, each in enumerate(data["databases"]):
        if number:  # the headline has the sentence of the first
            yield Heading(f"{each['said']}.")
        rows = (
            Row((title, *(_shown(each[side][measure]) for side in ("before", "after"))))
            for measure, title in _MEASURES.items()
        )
        if each["changed_at"]:
            how = _HOW[each["changed_how"]]
            yield Paragraph(f"Changed at {each['changed_at'].replace('T', ' ')} ({how}).")
        yield Table(each["said"], _COLUMNS, tuple(rows))
        yield from _picture(each)


def _picture(each: Mapping[str, Any]) -> Iterator[Block]:
    """The durations over time: of two logs one after the other, in the order of their checkpoints.

    A logarithmic axis shows both long and short ones.
    """
    course = [(side, *point) for side in ("before", "after") for point in each["course"][side]]
    if len(course) < 2:  # noqa: PLR2004 - one point is no picture
        return
    title = f"Durations of {_short(each)}"
    up = scaled([spent for *_, spent in course])
    width = 100 / len(course)
    border = len(each["course"]["before"]) * width
    rows = tuple((at.replace("T", " ")[:19], side, seconds(spent)) for side, at, spent in course)
    places = [
        (width * (place + 0.5), up.at(max(spent, _LEAST_S)), f"{side}, {at}: {seconds(spent)}")
        for place, (side, at, spent) in enumerate(course)
    ]
    plot = Plot(
        title, "Every checkpoint in order of time.", "checkpoints in order of time",
        f"seconds{up.name}",
        (Tick(0, rows[0][0][:10]), Tick(100 - width, rows[-1][0][:10])), up.ticks(),
        Grid(("time", "side", "duration"), rows),
        dots=tuple(Dot(x, y, tip) for x, y, tip in places),
        marks=labelled([Mark(border, "change", "the change", "now")]) if 0 < border < 100 else (),  # noqa: PLR2004
    )  # fmt: skip
    spent = tuple(each for *_, each in course)
    shown = seconds(min(spent)), seconds(max(spent))
    averages = [each[side]["mean_s"] or 0.0 for side in ("before", "after")]
    yield Chart(plot, (
        Courses(title, ("min", "max"), (Course("duration", spent, shown),),
                rows[0][0], rows[-1][0]),
        Bars(
            "Average duration", "s", 0.0, max(averages),
            tuple(
                BarRow(side, (Piece(0.0, mean, style),), seconds(mean))
                for side, style in (("before", "warning"), ("after", "ok"))
                if (mean := each[side]["mean_s"]) is not None
            ),
            legend=False,
        ),
    ))  # fmt: skip


def _short(each: Mapping[str, Any]) -> str:
    return each["name"] or f"database {each['database_id']}"


def _shown(value: float | None) -> str:
    return "-" if value is None else wording.number(value)


_FLEET_COLUMNS = (
    Column("server"), Column("release"), Column("databases", "number"), Column("long", "number"),
    Column("longest", "number"), Column("% of time", "number", narrow=False),
    Column("I/O > 15 s", "number", narrow=False), Column("memory, GB", "number", narrow=False),
    Column("advice"),
)  # fmt: skip


_VERDICTS = {**wording.VERDICTS, "need-data": "not known", "not-applicable": "not applicable"}


def fleet_page(data: Mapping[str, Any]) -> Page:
    """A row per log, the worst first."""
    counted = (
        f"{_count(data['logs'], 'log')}, {_count(data['databases'], 'database')} with checkpoints "
        "or warnings in them"
    )
    long = data["long_databases"]
    headline = (
        f"{_count(long, 'database')} with long checkpoints: {_count(data['commands'], 'command')} "
        "to review."
        if long
        else "No database has long checkpoints."
    )
    severity = data["rows"][0]["severity"] if data["rows"] else "info"
    return Page("SQL Server checkpoints", (f"{counted}.",), headline, severity,
                tuple(_fleet_blocks(data)))  # fmt: skip


def _fleet_blocks(data: Mapping[str, Any]) -> Iterator[Block]:
    yield Table(
        "Logs", _FLEET_COLUMNS,
        tuple(
            Row((
                _name(row), row["release"] or "-", str(row["databases"]),
                str(row["long_databases"]), _s(row["longest_s"]), _number(row["time_pct"]),
                _number(row["slow_requests"]), _number(row["memory_gb"]),
                _VERDICTS[row["verdict"]],
            ), row["severity"])
            for row in data["rows"]
        ),
    )  # fmt: skip
    longest = [row for row in data["rows"] if row["longest_s"]]
    if longest:
        yield Heading("Longest checkpoint", anchor="longest")
        yield Bars(
            "Longest checkpoint of every log", "s", 0.0, max(row["longest_s"] for row in longest),
            tuple(
                BarRow(_name(row), (Piece(0.0, row["longest_s"], row["severity"]),),
                       _s(row["longest_s"]))
                for row in longest
            ),
            legend=False,
        )  # fmt: skip
    doing = [row for row in data["rows"] if row["commands"]]
    for row in doing:
        yield Fold(f"{_name(row)}: {row['title']}", (Code("Commands", tuple(row["commands"])),))
    if data["skipped"]:
        yield Heading("Not read")
        yield Items(tuple(Item(text) for text in data["skipped"]))


def _name(row: Mapping[str, Any]) -> str:
    return row["server"] or PurePosixPath(str(row["source"]).replace("\\", "/")).name


def _s(value: float | None) -> str:
    return "-" if value is None else seconds(value)


def _number(value: float | None) -> str:
    return "-" if value is None else wording.number(value)


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
