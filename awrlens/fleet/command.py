"""``awrlens fleet``, ``query`` and ``store``: the databases of a store, SQL on it, its care."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import click

from awrlens import config
from awrlens.cli import output
from awrlens.cli.options import configured
from awrlens.errors import EXIT_OK, UsageError
from awrlens.fleet import from_store, require
from awrlens.fleet.ingest_command import STORE, job_of, local, progress, tell
from awrlens.lazy import regex

if TYPE_CHECKING:
    from awrlens.fleet.index import Answer
    from awrlens.fleet.records import Fleet


_SIZE: Final = regex(r"(?P<number>\d+(?:\.\d+)?)\s*(?:(?P<unit>[MGT])(?:i?B)?)?", re.I)
_GB: Final = {"M": 1 / 1024, "G": 1.0, "T": 1024.0}


@click.command()
@STORE
@click.option("-f", "--format", "format_", default="text", show_default=True,
              type=click.Choice(["text", "markdown", "json", "html"]), help="Output format."
)  # fmt: skip
@click.option("--html", "html_file", metavar="FILE", help="Also write an HTML page to FILE.")
@click.option("--last", type=click.IntRange(1), default=24, show_default=True, metavar="N",
              help="Intervals of every instance that count.")  # fmt: skip
@click.option("--capacity", metavar="SIZE",
              help="Low-latency storage to distribute, e.g. 500GB or 2TB.")  # fmt: skip
@click.option("--recovery-time", "level", type=click.FloatRange(min=0, min_open=True), metavar="S",
              help="Recovery time that every instance must keep "
              "[default: its FAST_START_MTTR_TARGET].")  # fmt: skip
@click.option("-v", "--verbose", is_flag=True, help="Print all rows.")
@configured
def fleet(
    store_file: str, format_: str, html_file: str | None, last: int, capacity: str | None,
    level: float | None, verbose: bool, options: config.Options,
) -> int:  # fmt: skip
    """Show all databases of a store, the worst first, and what changed.

    Findings of a rule family are one alert. An alert is new, worse, lasting, improved or gone; it
    needs two of three intervals to begin, and three without findings to end.

    \b
    Examples:
      awrlens fleet --store fleet.duckdb
      awrlens fleet --store fleet.duckdb --html fleet.html
      awrlens fleet --store fleet.duckdb --capacity 2TB --recovery-time 120
    """  # noqa: D301 - \b is for click
    require()
    from awrlens.fleet.overview import fleet as judged

    output.check((html_file,))
    loaded = config.load("-", options)
    with from_store.opened(store_file) as opened:
        found = judged(
            opened, loaded.policy, last=last, level_s=level, capacity_gb=_gigabytes(capacity)
        )
    if format_ != "html":
        _print(found, format_, brief=not verbose)
    if format_ == "html" or html_file:
        from awrlens.cli import output as pages
        from awrlens.fleet.page import page
        from awrlens.render import pages as as_html

        pages.put(as_html.text(page(found), pages.extras(loaded, satellites=True)), html_file)
    return EXIT_OK


def _gigabytes(text: str | None) -> float | None:
    """A size in GB: ``500GB``, ``2 TB``, ``500``; powers of 1024, as Oracle's."""
    if text is None:
        return None
    found = _SIZE.fullmatch(text.strip())
    if found is None or not float(found["number"]) > 0:
        raise UsageError(f"Invalid size {text!r}.", hint="For example --capacity 500GB.")
    return float(found["number"]) * _GB[(found["unit"] or "G").upper()]


def _print(found: Fleet, format_: str, *, brief: bool) -> None:
    if format_ == "json":
        from awrlens.render.json import document

        click.echo(document(found.to_dict()))
        return
    from awrlens.fleet.page import page

    if format_ == "markdown":
        from awrlens.render import markdown

        click.echo(markdown.text(page(found, brief=brief)), nl=False)
    else:
        from awrlens.render import as_lines

        output.show(as_lines.lines(page(found, brief=brief), output.width()))


@click.command()
@click.argument("sql", metavar="SQL")
@STORE
@click.option("-f", "--format", "format_", default="text", show_default=True,
              type=click.Choice(["text", "json", "jsonl", "csv"]), help="Output format."
)  # fmt: skip
def query(sql: str, store_file: str, format_: str) -> int:
    """Run SQL on the tables of a store. It can read the store and nothing else.

    \b
    Examples:
      awrlens query --store fleet.duckdb \\
        "SELECT db_name, max(redo_sync_ms) FROM intervals GROUP BY 1"
      awrlens query "FROM unreadable" --store fleet.duckdb --format csv
      awrlens query "SHOW TABLES" --store fleet.duckdb
    """  # noqa: D301 - \b is for click
    require()
    from awrlens.fleet import index as core

    with core.opened_store(store_file) as opened:
        if opened.note:
            click.echo(f"awrlens: {opened.note}", err=True)
        answer = core.ask(opened, sql)
    put(answer, format_)
    return EXIT_OK


def put(answer: Answer, format_: str) -> None:
    """Print rows."""
    from awrlens.fleet import export

    if format_ == "text":
        _show(answer)
    elif format_ == "csv":
        click.echo(export.to_csv(answer), nl=False)
    else:
        click.echo(export.to_json(answer, lines=format_ == "jsonl"), nl=False)


def _show(answer: Answer) -> None:
    from awrlens.fleet.export import plain
    from awrlens.render.as_lines import printed
    from awrlens.render.blocks import Column, Row, Table

    def shown(value: object) -> str:
        value = plain(value)
        if isinstance(value, float):
            return f"{value:.6g}"
        if isinstance(value, list):
            return ", ".join(map(str, value))
        return "" if value is None else str(value)

    numbers = [
        all(isinstance(row[at], int | float) or row[at] is None for row in answer.rows)
        for at in range(len(answer.columns))
    ]
    columns = tuple(
        Column(name, "number" if number and answer.rows else "text")
        for name, number in zip(answer.columns, numbers, strict=True)
    )
    rows = tuple(Row(tuple(map(shown, row))) for row in answer.rows)
    output.show(printed(Table("", columns, rows), output.width()))
    click.echo(f"{len(rows):,} {'row' if len(rows) == 1 else 'rows'}", err=True)


@click.group()
def store() -> None:
    """Rebuild, merge, judge, export or describe a store.

    A store is a folder of Parquet files, NAME.parquet, which has the data, and an index,
    NAME.duckdb.
    """
    require()


@store.command()
@STORE
def rebuild(store_file: str) -> int:
    """Make the index anew from the Parquet files."""
    from awrlens.fleet import index
    from awrlens.fleet.folder import place

    here = place(store_file)
    manifest = here.manifest()
    with here.lock():
        index.refresh(here, here.manifest(), anew=True)
    reports = sum(each.reports for each in manifest.batches)
    click.echo(f"{here.index}: {len(manifest.batches):,} batches, {reports:,} rows of reports")
    return EXIT_OK


@store.command()
@click.argument("others", nargs=-1, required=True, metavar="OTHER...")
@STORE
def merge(others: tuple[str, ...], store_file: str) -> int:
    """Add the reports of other stores, for example of shards. A report is added once.

    \b
    Example:
      awrlens store merge part-1.duckdb part-2.duckdb --store fleet.duckdb
    """  # noqa: D301 - \b is for click
    from awrlens.fleet.folder import place
    from awrlens.fleet.ingest import merge as joined

    here = place(store_file)
    found = [place(each) for each in others]
    for each in found:
        each.manifest()
    with here.lock():
        added = joined(here, found)
    click.echo(f"{here.index}: {added:,} batches added")
    return EXIT_OK


@store.command()
@STORE
@click.option("-j", "--jobs", type=click.IntRange(1), metavar="N",
              help="Judge up to N files at a time [default: one per CPU].")  # fmt: skip
@configured
def judge(store_file: str, jobs: int | None, options: config.Options) -> int:
    """Judge the stored reports again by other thresholds, rules or advice.

    No file is opened, so the reports need not be there any more. Reports that another awrlens
    has read, and those under budgets or plugins, must be read: `awrlens ingest` does it.

    \b
    Example:
      awrlens store judge --store fleet.duckdb --set redo.slow_write_ms=5
    """  # noqa: D301 - \b is for click
    from awrlens.fleet import ingest as core
    from awrlens.fleet.folder import place

    config.load("-", options)
    here = place(store_file)
    here.manifest()
    with here.lock(), progress(lambda: None) as told:
        summary = core.ingest(here, None, job_of(options), local(jobs), progress=told)
    tell(summary)
    return EXIT_OK


@store.command()
@STORE
def compact(store_file: str) -> int:
    """Join small Parquet files, and drop rows that later ones replace."""
    from awrlens.fleet import index
    from awrlens.fleet.folder import place
    from awrlens.fleet.ingest import compact as joined

    here = place(store_file)
    here.manifest()
    with here.lock():
        before = here.manifest()
        manifest = joined(here, before)
        index.refresh(here, manifest)
        here.tidy(manifest)
    click.echo(f"{here.index}: {len(before.batches):,} batches became {len(manifest.batches):,}")
    return EXIT_OK


@store.command()
@click.argument("table", default="intervals")
@STORE
@click.option("-f", "--format", "format_", default="csv", show_default=True,
              type=click.Choice(["csv", "json", "jsonl", "parquet", "openmetrics"]),
              help="Output format; openmetrics has the latest facts.")  # fmt: skip
@click.option("-o", "--output", "target", metavar="FILE",
              help="Write to FILE (required for parquet).")  # fmt: skip
def export(table: str, store_file: str, format_: str, target: str | None) -> int:
    """Write a table or view, or the latest facts for Prometheus.

    \b
    Examples:
      awrlens store export findings --store fleet.duckdb
      awrlens store export waits --store fleet.duckdb -o waits.parquet \\
        --format parquet
      awrlens store export --store fleet.duckdb -o awrlens.prom \\
        --format openmetrics
    """  # noqa: D301 - \b is for click
    from awrlens.fleet import export as core
    from awrlens.fleet import index as query

    if format_ == "parquet" and target is None:
        raise UsageError("parquet is binary: give a file with --output.")
    output.check((target,), (store_file,))
    with query.opened_store(store_file) as opened:
        if format_ == "parquet":
            core.to_parquet(opened, table, str(target))
            return EXIT_OK
        if format_ == "openmetrics":
            text = core.openmetrics(opened)
        else:
            answer = core.table(opened, table)
            text = core.to_csv(answer) if format_ == "csv" else core.to_json(
                answer, lines=format_ == "jsonl"
            )  # fmt: skip
    if target is None:
        click.echo(text, nl=False)
    else:
        output.write_file(target, text)
    return EXIT_OK


@store.command()
@STORE
def info(store_file: str) -> int:
    """Show what a store has, unreadable inputs first."""
    from awrlens.fleet import index as query
    from awrlens.fleet.export import page

    with query.opened_store(store_file) as opened:
        from awrlens.render import as_lines

        output.show(as_lines.lines(page(opened), output.width()))
    return EXIT_OK
