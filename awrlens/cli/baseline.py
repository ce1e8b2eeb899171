"""``awrlens baseline``: what is known of a report's findings and accepted for a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from awrlens import config
from awrlens.check import baseline as known_findings
from awrlens.cli import output
from awrlens.cli.gate import (
    Asked,
    Checked,
    checked_reports,
    over_windows,
    resolved,
    selecting,
    today,
)
from awrlens.cli.options import configured, redacted
from awrlens.errors import EXIT_FINDINGS, EXIT_INTERNAL, EXIT_OK, EXIT_UNREADABLE, UsageError

if TYPE_CHECKING:
    from awrlens.check.baseline import Baseline
    from awrlens.checked import CheckedReport
    from awrlens.redact.names import Names


@click.group()
def baseline() -> None:
    """Accept findings for a time: make, renew and look at a baseline.

    \b
    Examples:
      awrlens baseline create report.html --reason "log move is planned" --expires 90d
      awrlens check report.html --baseline awrlens-baseline.json
      awrlens baseline update report.html
      awrlens baseline diff report.html
    """  # noqa: D301 - \b is for click


_FILE = click.option(
    "--baseline", "file", metavar="FILE",
    help="The baseline [default: the configuration's, else awrlens-baseline.json].",
)  # fmt: skip
_REASON = click.option("--reason", metavar="TEXT", help="Why new findings are accepted.")
_EXPIRES = click.option(
    "--expires", metavar="DAY", help="Their last day: 2027-01-31, or 90d from now [default: none]."
)
_DEFAULT: Final = "awrlens-baseline.json"


@baseline.command()
@click.argument("reports", nargs=-1, required=True, metavar="REPORT...")
@_FILE
@_REASON
@_EXPIRES
@click.option("--force", is_flag=True, help="Write over a baseline that is there.")
@selecting
@redacted
@configured
def create(reports: tuple[str, ...], force: bool, **others: Any) -> int:  # noqa: ANN401 - options
    """Accept every finding of REPORT... from now on."""
    work = _Baseline(reports, **others)
    if Path(work.file).exists() and not force:
        raise UsageError(
            "There is a baseline already.", source=work.file,
            hint="`awrlens baseline update` adds to it; --force writes over it.",
        )  # fmt: skip
    return work.write({})


@baseline.command()
@click.argument("reports", nargs=-1, required=True, metavar="REPORT...")
@_FILE
@_REASON
@_EXPIRES
@selecting
@redacted
@configured
def update(reports: tuple[str, ...], **others: Any) -> int:  # noqa: ANN401 - options
    """Accept what is new, worse or has expired, and drop what is no longer found.

    Only databases that were read and rules that every report of them could judge are touched: a
    report that breaks off drops nothing.
    """
    work = _Baseline(reports, **others)
    return work.write(known_findings.load(work.file))


@baseline.command()
@click.argument("reports", nargs=-1, required=True, metavar="REPORT...")
@_FILE
@selecting
@redacted
@configured
def diff(reports: tuple[str, ...], **others: Any) -> int:  # noqa: ANN401 - options
    """Show what is new, worse, known, expired and gone; exit with 1 where one is not accepted."""
    work = _Baseline(reports, reason=None, expires=None, **others)
    before = known_findings.load(work.file)
    told = known_findings.compare(work.reports, before, today())
    lines = [
        *(f"{'worse' if each.fingerprint in before else 'new':8} {each.id} {each.title}"
          for each in told.new
          if each.fingerprint not in before or before[each.fingerprint].worse(each)),
        *(f"expired  {each.rule} {each.title} (until {each.expires}: {each.reason})"
          for each in told.expired),
        *(f"known    {each.rule} {each.title} ({each.reason})" for each in told.known),
        *(f"gone     {each.rule} {each.title}" for each in told.gone),
    ]  # fmt: skip
    from awrlens.render.present import safe  # noqa: PLC0415

    click.echo("\n".join(map(safe, lines)) or "Nothing is found, and nothing is known.")
    if work.unread:
        return work.unread
    return EXIT_FINDINGS if told.new else EXIT_OK


class _Baseline:
    """The findings of some reports against a baseline file."""

    def __init__(
        self, reports: tuple[str, ...], file: str | None, options: config.Options,
        select: tuple[str, ...], extend_select: tuple[str, ...], ignore: tuple[str, ...],
        jobs: int | None, reason: str | None, expires: str | None, names: Names | None,
    ) -> None:  # fmt: skip
        loaded = config.load(reports[0], options)
        self.file = file or loaded.baseline or _DEFAULT
        self._reason = (reason or "").strip()
        self._expires = known_findings.last_day(expires, today()) if expires else None
        asked = resolved(Asked(options, select, extend_select, ignore, names=names), reports[0])
        self.reports: list[CheckedReport] = []
        #: The exit status where a report could not be judged, else 0.
        self.unread = EXIT_OK
        # the configuration's own baseline may not be there yet, and does not count here
        asked = asked._replace(with_baseline=False)
        found = list(checked_reports(reports, asked, jobs))
        for each in over_windows(found, asked, reports[0]):
            if isinstance(each, Checked):
                self.reports.append(each.report)
            elif each.fails:
                status = EXIT_INTERNAL if each.internal else EXIT_UNREADABLE
                self.unread = max(self.unread, status)

    def write(self, before: Baseline) -> int:
        """The file with what is new on top of ``before``; told in a line."""
        told = known_findings.compare(self.reports, before, today())
        if told.new and not self._reason:
            raise UsageError(
                f"{len(told.new)} findings are to be accepted without a reason.",
                hint='Say why: --reason "…".',
            )
        new = {each.fingerprint: each for each in told.new}
        fresh = [
            known_findings.entry(issue, report.report, self._reason, today(), self._expires)
            for report in self.reports
            for issue in report.issues
            if new.get(issue.fingerprint) is issue
        ]
        found = known_findings.updated(before, fresh, told.gone)
        output.write_file(self.file, known_findings.dump(found))
        click.echo(
            f"{self.file}: {len(new)} accepted, {len(told.gone)} taken out, {len(found)} in all."
        )
        return self.unread
