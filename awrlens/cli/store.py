"""``awrlens store``: rebuild, merge, judge, export and describe a store."""

from __future__ import annotations

import click

from awrlens import config
from awrlens import store as extra
from awrlens.cli import output
from awrlens.cli.ingest import STORE, job_of, local, progress, tell
from awrlens.cli.options import configured
from awrlens.errors import EXIT_OK, UsageError


@click.group()
def store() -> None:
    """Rebuild, merge, judge, export or describe a store.

    A store is a folder of Parquet files, NAME.parquet, which has the data, and an index,
    NAME.duckdb.
    """
    extra.require()


@store.command()
@STORE
def rebuild(store_file: str) -> int:
    """Make the index anew from the Parquet files."""
    from awrlens.store import index  # noqa: PLC0415 - not for --help
    from awrlens.store.folder import place  # noqa: PLC0415

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
    from awrlens.store.folder import place  # noqa: PLC0415
    from awrlens.store.merge import merge as joined  # noqa: PLC0415 - not for --help

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
    from awrlens.store import ingest as core  # noqa: PLC0415 - not for --help
    from awrlens.store.folder import place  # noqa: PLC0415

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
    from awrlens.store import index  # noqa: PLC0415 - not for --help
    from awrlens.store.folder import place  # noqa: PLC0415
    from awrlens.store.merge import compact as joined  # noqa: PLC0415

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
    from awrlens.store import export as core  # noqa: PLC0415 - not for --help
    from awrlens.store import query  # noqa: PLC0415

    if format_ == "parquet" and target is None:
        raise UsageError("parquet is binary: give a file with --output.")
    output.check((target,), (store_file,))
    with query.opened(store_file) as opened:
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
    from awrlens.store import query  # noqa: PLC0415 - not for --help
    from awrlens.store.describe import page  # noqa: PLC0415

    with query.opened(store_file) as opened:
        from awrlens.render import as_lines  # noqa: PLC0415

        output.show(as_lines.lines(page(opened), output.width()))
    return EXIT_OK
