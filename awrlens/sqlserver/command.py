"""``awrlens sqlserver``: commands for SQL Server logs besides ``analyze``, with their pages."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import click

from awrlens import api
from awrlens.cli import output
from awrlens.cli.options import formats, redacted
from awrlens.errors import EXIT_OK, AwrlensError, NotAReportError, UsageError
from awrlens.model import ALARMS
from awrlens.render import blocks as b
from awrlens.render import wording
from awrlens.render.charts import Dot, Grid, Mark, Plot, Tick, labelled, scaled
from awrlens.render.wording import count, dash_seconds, seconds
from awrlens.source.open import inputs, read
from awrlens.sqlserver import compare as sides
from awrlens.sqlserver.analysis import LEAST_S, LogInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from awrlens.redact.names import Names
    from awrlens.sqlserver.events import Log


@click.group()
def sqlserver() -> None:
    """Compare checkpoints of SQL Server, or show many logs in one table.

    `awrlens analyze ERRORLOG` analyzes a single error log or export.
    """


@sqlserver.command()
@click.argument("before")
@click.argument("after", required=False)
@click.option(
    "--changed", multiple=True, metavar="[DB=]TIME",
    help="Time of the change in BEFORE, for all databases or for one (ID or name); may be repeated "
    "[default: as logged, or the step in the durations].",
)  # fmt: skip
@formats("text", "json", "markdown", "html")
@redacted
def compare(
    before: str, after: str | None, changed: tuple[str, ...], format_: str, names: Names | None
) -> int:
    """Compare checkpoint durations before and after a change, per database.

    BEFORE and AFTER are exports of the events checkpoint_begin and checkpoint_end (CSV of
    Management Studio, or XML of sys.fn_xe_file_target_read_file), or error logs. A single log is
    split at the change of every database.

    \b
    Examples:
      awrlens sqlserver compare before.csv after.csv
      awrlens sqlserver compare checkpoints.csv --changed "19=2020-03-05 10:30"
    """  # noqa: D301 - \b is for click
    if after is None:
        compared = sides.split(_log(before, names), _times(changed))
    elif changed:
        raise UsageError("--changed splits a single log.", hint="Give one log, or no --changed.")
    else:
        compared = sides.compare(_log(before, names), _log(after, names))
    return output.either(format_, compared, lambda: page(compared, split=after is None))


@sqlserver.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@formats("text", "json", "markdown", "html")
@redacted
def fleet(logs: tuple[str, ...], format_: str, names: Names | None) -> int:
    """Show the error logs, exports or inventory of many instances in one table.

    LOG may be a folder. The databases to change are listed with their commands. The inventory is
    the first result of `awrlens sql checkpoint-inventory`, saved as CSV with headers.

    \b
    Example:
      awrlens sqlserver fleet logs/
    """  # noqa: D301 - \b is for click
    from awrlens.sqlserver import fleet as table

    logs_read = []
    skipped: list[str] = []
    listed: list[table.Row] = []
    for path in [source.path for source in inputs(logs)]:
        if path.lower().endswith(_TABLES) and (
            counted := table.inventory(read(path).text, path, names)
        ):
            listed += counted[0]
            skipped += counted[1]
            continue
        for loaded in api.load_inputs(path, names=names):
            if isinstance(loaded, LogInput):
                logs_read.append((loaded, api.analyze(loaded)))
            else:
                why = str(loaded) if isinstance(loaded, AwrlensError) else "an Oracle report"
                skipped.append(f"{names.file(path) if names else path}: {why}")
    if not logs_read and not listed:
        raise NotAReportError("No SQL Server log was found.", hint="Give error logs or exports.")
    data = table.to_dict(table.rows(logs_read, listed), skipped)
    return output.either(format_, data, lambda: _fleet_page(data))


def _times(changed: tuple[str, ...]) -> dict[str, datetime]:
    """The times of ``--changed`` by database; ``*`` is all."""
    times = {}
    for text in changed:
        database, _, time = text.rpartition("=")
        try:
            at = datetime.fromisoformat(time.strip())
        except ValueError:
            raise UsageError(
                f"{time!r} is not a time.", hint="For example 2020-03-05 10:30 or 19=2020-03-05."
            ) from None
        times[database.strip() or "*"] = at.replace(tzinfo=None)
    return times


def _log(path: str, names: Names | None) -> Log:
    problem: AwrlensError | None = None
    for loaded in api.load_inputs(path, names=names):
        if isinstance(loaded, LogInput):
            return loaded
        if isinstance(loaded, AwrlensError):
            problem = problem or loaded
    raise problem or NotAReportError(
        "This is an Oracle report, not a SQL Server log.",
        source=names.file(path) if names else path,
        hint="`awrlens compare` compares reports.",
    )


@click.command("target-recovery-time")
@click.option(
    "--seconds", type=click.IntRange(0, 2**31 - 1), default=60, show_default=True,
    help="The target; 0 restores automatic checkpoints.",
)  # fmt: skip
@click.option("--database", metavar="NAME", help="One database only [default: all user databases].")
def target_recovery_time(seconds: int, database: str | None) -> int:
    """SQL Server: indirect checkpoints for user databases, with guards and rollback.

    The script lists every database with a decision and its reason. It changes nothing until
    @apply is set to 1.
    """
    from awrlens.sqlserver.script import target_recovery_time as script

    click.echo(script(seconds, database), nl=False)
    return EXIT_OK


_HOW: Final = {
    "given": "as given",
    "logged": "the log has the setting",
    "seen": "the durations have a step; `--changed` gives the exact time",
}
_COLUMNS: Final = b.columns("measure | #before | #after")


def page(data: Mapping[str, Any], *, split: bool) -> b.Page:
    """A sentence and numbers per database, and the limits of the comparison.

    ``split``: both sides are of one log.
    """
    before, after, databases = data["before"], data["after"], data["databases"]
    about: tuple[str, ...] = (_side("before", before), _side("after", after))
    if split:
        whole = {**before, "end_time": after["end_time"]}
        about = (_side("one log, split at the change of every database", whole),)
    headline, severity = "Neither side has a checkpoint.", "info"
    if not split and before["source"] == after["source"]:
        headline = "Both sides are the same log."
    elif databases:
        headline = f"{databases[0]['said']}."
        first, second = (databases[0][side]["mean_s"] or 0.0 for side in ("before", "after"))
        severity = "ok" if second < first / 2 else "warning" if second > first * 2 > 0 else "info"
    elif split:
        headline = "No change of a database is known in this log: give its time with --changed."
    title = "Checkpoints before and after a change"
    return b.Page(title, about, headline, severity, tuple(_blocks(data)))


def _side(name: str, log: Mapping[str, Any]) -> str:
    span = " to ".join(str(log[end]).replace("T", " ") for end in ("begin_time", "end_time"))
    times = f", {span}" if log["begin_time"] else ""
    return f"{name}: {wording.file_name(log['source'])} ({wording.kind(log)}{times})"


def _blocks(data: Mapping[str, Any]) -> Iterator[b.Block]:
    for text in data["unfair"]:
        yield b.Paragraph(text, "warning", "note")
    for number, database in enumerate(data["databases"]):
        if number:  # the headline has the sentence of the first
            yield b.Heading(f"{database['said']}.")
        rows = (
            b.Row((title, *(_number(database[side][measure]) for side in ("before", "after"))))
            for measure, (_, title) in sides.MEASURES.items()
        )
        if database["changed_at"]:
            how = _HOW[database["changed_how"]]
            yield b.Paragraph(f"Changed at {database['changed_at'].replace('T', ' ')} ({how}).")
        yield b.Table(database["said"], _COLUMNS, tuple(rows))
        yield from _picture(database)


def _picture(database: Mapping[str, Any]) -> Iterator[b.Block]:
    """Durations in order of time; a logarithmic axis shows both long and short ones."""
    course = [(side, *point) for side in ("before", "after") for point in database["course"][side]]
    if len(course) < 2:  # noqa: PLR2004 - one point is no picture
        return
    title = f"Durations of {database['name'] or 'database ' + database['database_id']}"
    up = scaled([spent for *_, spent in course])
    width = 100 / len(course)
    border = len(database["course"]["before"]) * width
    rows = tuple((at.replace("T", " ")[:19], side, seconds(spent)) for side, at, spent in course)
    dots = (
        Dot(width * (place + 0.5), up.at(max(spent, LEAST_S)), f"{side}, {at}: {seconds(spent)}")
        for place, (side, at, spent) in enumerate(course)
    )
    plot = Plot(
        title, "Every checkpoint in order of time.", "checkpoints in order of time",
        f"seconds{up.name}",
        (Tick(0, rows[0][0][:10]), Tick(100 - width, rows[-1][0][:10])), up.ticks(),
        Grid(("time", "side", "duration"), rows),
        dots=tuple(dots),
        marks=labelled([Mark(border, "change", "the change", "now")]) if 0 < border < 100 else (),  # noqa: PLR2004
    )  # fmt: skip
    spent = tuple(duration for *_, duration in course)
    shown = seconds(min(spent)), seconds(max(spent))
    averages = [database[side]["mean_s"] or 0.0 for side in ("before", "after")]
    yield b.Chart(plot, (
        b.Courses(title, ("min", "max"), (b.Course("duration", spent, shown),),
                rows[0][0], rows[-1][0]),
        b.Bars(
            "Average duration", max(averages),
            tuple(
                b.BarRow(side, (b.Piece(0.0, mean, style, side),), seconds(mean))
                for side, style in (("before", "warning"), ("after", "ok"))
                if (mean := database[side]["mean_s"]) is not None
            ),
        ),
    ))  # fmt: skip


def _number(value: float | None) -> str:
    return "-" if value is None else wording.number(value)


_FLEET_COLUMNS = b.columns(
    "server | log | release | #databases | #long | #longest | (#% of time) | (#I/O > 15 s) | "
    "(#memory, GB) | advice | _reason"
)
#: Cells that say nothing: a column that has only these is left out.
_EMPTY: Final = {"-", "0", "", "not known", "not applicable"}
_TABLES: Final = (".csv", ".txt", ".rpt", ".tsv")
_VERDICTS = {**wording.VERDICTS, "need-data": "not known", "not-applicable": "not applicable"}


def _fleet_page(data: Mapping[str, Any]) -> b.Page:
    databases, long = (count(data[of], "database") for of in ("databases", "long_databases"))
    counted = f"{count(data['logs'], 'log')}, {databases} with checkpoints or warnings in them"
    headline = "No database has long checkpoints." if data["logs"] else ""
    worst = data["rows"][0]
    alarms = {_name(row) for row in data["rows"] if row["severity"] in ALARMS}
    if alarms:
        headline = f"{_name(worst)}: {worst['why']}."
        if others := len(alarms) - 1:
            headline += f" Warnings on {count(others, 'more server')}."
    if data["long_databases"]:
        headline = f"{long} with long checkpoints: {count(data['commands'], 'command')} to review."
    if data["instances"]:
        instances = count(data["instances"], "instance")
        all_of = f"{count(data['instance_databases'], 'database')} on {instances}"
        automatic = f"{data['automatic']:,} of {all_of} use automatic checkpoints."
        headline = f"{automatic} {headline}".strip()
        counted = f"{counted}; {all_of} in the inventory" if data["logs"] else all_of
    return b.Page(
        "SQL Server checkpoints", (f"{counted}.",), headline, worst["severity"],
        tuple(_fleet_blocks(data)),
    )  # fmt: skip


def _fleet_blocks(data: Mapping[str, Any]) -> Iterator[b.Block]:
    servers: dict[tuple[str, bool], list[Mapping[str, Any]]] = {}
    for row in data["rows"]:
        servers.setdefault((_name(row), row["automatic"] is None), []).append(row)
    rows = [_fleet_row(logs[0], len(logs)) for logs in servers.values()]
    kept = [n for n in range(len(_FLEET_COLUMNS)) if {row.cells[n] for row in rows} - _EMPTY]
    yield b.Table(
        "Servers", tuple(_FLEET_COLUMNS[n] for n in kept),
        tuple(row._replace(cells=tuple(row.cells[n] for n in kept)) for row in rows),
    )  # fmt: skip
    longest = [(_name(logs[0]), max(logs, key=lambda row: row["longest_s"] or 0.0))
               for logs in servers.values()]  # fmt: skip
    longest = [(name, row) for name, row in longest if row["longest_s"]]
    if longest:
        yield b.Heading("Longest checkpoint", anchor="longest")
        yield b.Bars(
            "Longest checkpoint of every server", max(row["longest_s"] for _, row in longest),
            tuple(
                b.BarRow(name, (b.Piece(0.0, row["longest_s"], *[row["severity"]] * 2),),
                       dash_seconds(row["longest_s"]))
                for name, row in longest
            ),
        )  # fmt: skip
    for row in data["rows"]:
        if row["commands"]:
            yield b.Fold(
                f"{_name(row)}: {row['title']}", (b.Code("Commands", tuple(row["commands"])),)
            )
    if data["skipped"]:
        yield b.Heading("Not read")
        yield b.Items(tuple(b.Item(text) for text in data["skipped"]))


def _fleet_row(worst: Mapping[str, Any], logs: int) -> b.Row:
    """A server by its worst log."""
    log = wording.file_name(worst["source"])
    return b.Row((
        _name(worst), f"{log} of {logs}" if logs > 1 else log, worst["release"] or "-",
        str(worst["databases"]), str(worst["long_databases"]), dash_seconds(worst["longest_s"]),
        *map(_number, (worst["time_pct"], worst["slow_requests"], worst["memory_gb"])),
        _VERDICTS[worst["verdict"]], worst["why"],
    ), worst["severity"])  # fmt: skip


def _name(row: Mapping[str, Any]) -> str:
    return row["server"] or wording.file_name(row["source"])
