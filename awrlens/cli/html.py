"""``awrlens html``: one HTML page for reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from awrlens import config
from awrlens.advice.mttr import Request
from awrlens.cli import analyze, output, stored
from awrlens.cli.analyze_command import MTTR_OPTIONS
from awrlens.cli.options import JOBS, configured, redacted
from awrlens.errors import EXIT_OK

if TYPE_CHECKING:
    from awrlens.redact.names import Names


#: File names have at most 255 bytes, and ours are longer than those of reports.
_LONGEST: Final = 200


@click.command()
@click.argument("reports", nargs=-1, metavar="REPORT...")
@click.option("-o", "--output", "target", metavar="FILE",
              help="Output file [default: REPORT's name with .awrlens.html, in this folder]."
)  # fmt: skip
@configured
@JOBS
@MTTR_OPTIONS[0]
@click.option("--sheet", is_flag=True, help="Only the problem and the actions, on one sheet of A4.")
@stored.option("Use the latest reports of a store, or REPORT as " + stored.NAMED + ".")
@redacted
def html(
    reports: tuple[str, ...], target: str | None, options: config.Options, jobs: int | None,
    desired_mttr: float | None, sheet: bool, store_file: str | None, names: Names | None,
) -> int:  # fmt: skip
    """Write the result of `analyze` as one self-contained HTML page.

    \b
    Examples:
      awrlens html awrrpt_1_100_101.html
      awrlens html sp_*.lst -o week.html
      awrlens html awrrpt_1_100_101.html --sheet -o decision.html
      awrlens html ORCL@2026-03-02T10:30 --store fleet.duckdb
    """  # noqa: D301 - \b is for click
    stored.check(store_file, reports, names, options)
    if store_file:  # without charts of their lists and without their sections
        target = target or "awrlens.html"
        output.check((target,))
        pages = stored.store().pages(store_file, reports)
        output.deliver(output.of_reports(pages, config.load("-", options)) + "\n", target)
        return EXIT_OK
    asked = analyze.Asked(options, Request(desired_mttr), with_page=True, names=names)
    stem = ""  # of the page: that of a single report
    if len(reports) == 1 and reports[0] != "-":
        named = Path(names.file(reports[0]) if names else reports[0]).stem.strip(".*")
        stem = named.encode("utf-8", "replace")[:_LONGEST].decode("utf-8", "ignore")
    target = target or (f"{stem}.awrlens.html" if stem else "awrlens.html")
    return analyze.run(reports, asked, "html", target, jobs, analyze.Detail(sheet=sheet))
