"""``awrlens fleet``: all databases of a store, the worst first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import click

from awrlens import config, store
from awrlens.cli import from_store, output
from awrlens.cli.ingest import STORE
from awrlens.cli.options import configured
from awrlens.errors import EXIT_OK, UsageError
from awrlens.lazy import regex

if TYPE_CHECKING:
    from awrlens.model.fleet import Fleet

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
    store.require()
    from awrlens.store.fleet import fleet as judged  # noqa: PLC0415 - not for --help

    output.check((html_file,))
    loaded = config.load("-", options)
    with from_store.opened(store_file) as opened:
        found = judged(
            opened, loaded.policy, last=last, level_s=level, capacity_gb=_gigabytes(capacity)
        )
    if format_ != "html":
        _print(found, format_, brief=not verbose)
    if format_ == "html" or html_file:
        from awrlens.cli import pages  # noqa: PLC0415 - only for a page
        from awrlens.render import as_html  # noqa: PLC0415
        from awrlens.render.fleet_page import page  # noqa: PLC0415

        pages.put(as_html.text(page(found), pages.extras(loaded)), html_file)
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
        from awrlens.render.json import document  # noqa: PLC0415 - only if requested

        click.echo(document(found.to_dict()))
        return
    from awrlens.render.fleet_page import page  # noqa: PLC0415 - only if requested

    if format_ == "markdown":
        from awrlens.render import as_markdown  # noqa: PLC0415

        click.echo(as_markdown.text(page(found, brief=brief)), nl=False)
    else:
        from awrlens.render import as_lines  # noqa: PLC0415

        output.show(as_lines.lines(page(found, brief=brief), output.width()))
