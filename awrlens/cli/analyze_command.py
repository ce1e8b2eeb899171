"""``awrlens analyze``: its options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from awrlens.advice.mttr import Request
from awrlens.cli import FORMATS
from awrlens.cli.analyze import EVERY, Asked, Detail, run
from awrlens.cli.options import HTML, JOBS, completes, configured, formats, redacted, several
from awrlens.errors import UsageError

if TYPE_CHECKING:
    from awrlens import config
    from awrlens.redact.names import Names


#: Options on recovery time, shared with `awrlens mttr`.
MTTR_OPTIONS = (
    click.option("--desired-mttr", type=float, metavar="S",
                 help="Desired maximum recovery time in seconds."),
    click.option("--init-time-avg", type=float, metavar="US",
                 help="X$ESTIMATED_MTTR.INIT_TIME_AVG in microseconds."),
    click.option("--fopen-time-avg", type=float, metavar="US",
                 help="X$ESTIMATED_MTTR.FOPEN_TIME_AVG in microseconds."),
    click.option("--datafiles", type=int, metavar="N",
                 help="Number of data files [default: from File IO Stats]."),
)  # fmt: skip


@click.command()
@click.argument("reports", nargs=-1, metavar="REPORT...")
@formats(*FORMATS)
@HTML
@configured
@click.option("--rac/--no-rac", default=None,
              help="Calculate the recovery target for RAC or not [default: from the report]."
)  # fmt: skip
@click.option("--placement", metavar="FILE",
              help="Spool file of `awrlens sql redo-placement`, of the same database: run queue, "
              "other files with the redo logs, LGWR's priority."
)  # fmt: skip
@JOBS
@click.option("-v", "--verbose", is_flag=True,
              help="Print all findings with numbers and source lines, and all actions with SQL."
)  # fmt: skip
@click.option("--explain", multiple=True, metavar="ID", is_flag=False, flag_value=EVERY,
              shell_complete=completes("rule", "action", "fact"),
              help="Print a finding or action in full, e.g. REDO001, or facts, e.g. load; without "
              "ID all findings."
)  # fmt: skip
@several(*MTTR_OPTIONS)
@redacted
def analyze(
    reports: tuple[str, ...], format_: str, html_file: str | None, options: config.Options,
    rac: bool | None, desired_mttr: float | None, init_time_avg: float | None,
    fopen_time_avg: float | None, datafiles: int | None, placement: str | None, jobs: int | None,
    names: Names | None, verbose: bool, explain: tuple[str, ...],
) -> int:  # fmt: skip
    """Find problems of the write path in a report, and what to do.

    REPORT is a Statspack or AWR report (text or HTML), an alert log, an error log of SQL Server or
    an export of its checkpoint events. It can also be a folder, a pattern, an archive or a mail
    with such files, or - for standard input. The content decides, not the file name.

    `awrlens REPORT` is the same, `awrlens demo` with a sample. `awrlens html REPORT` only writes
    the page, or one sheet of it.

    \b
    Examples:
      awrlens analyze sp_1_2.lst
      awrlens analyze awrrpt_1_100_101.html --desired-mttr 120
      awrlens analyze awrrpt_1_100_101.html --html ticket.html
      awrlens analyze awrrpt_1_100_101.html --format brief
      awrlens analyze reports/ --format jsonl > all.jsonl
      unzip -p reports.zip one.html | awrlens analyze -
    """  # noqa: D301 - \b is for click
    spool = None
    if placement is not None:
        from awrlens.advice.placement import read as placed
        from awrlens.source.open import read

        spool = placed(read(placement).text, placement)
        if names:  # the name of a file may be that of a database
            spool = spool._replace(source="spool")
    request = Request(
        desired_mttr, init_time_avg_us=init_time_avg, fopen_time_avg_us=fopen_time_avg,
        datafiles=datafiles, placement=spool,
    )  # fmt: skip
    asked = Asked(options, request, rac, format_ == "html" or html_file is not None, names)
    # after --explain without an id stands the report
    swallowed = [word for word in explain if Path(word).exists()]
    explain = tuple(EVERY if word in swallowed else word for word in explain)
    reports = (*reports, *swallowed)
    if not reports:
        raise click.MissingParameter(param_hint="'REPORT...'", param_type="argument")
    if explain and format_ != "text":
        raise UsageError("--explain prints text.", hint=f"Leave out --format {format_}.")
    from awrlens.rules import whole

    detail = Detail(verbose, tuple(map(whole, explain)))
    return run(reports, asked, format_, html_file, jobs, detail)


#: A sample takes the place of its report before it is called.
demo = analyze
