"""``awrlens baseline``: accepts known findings for a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from awrlens import config
from awrlens.checks import baseline as known_findings
from awrlens.checks.selection import Settings
from awrlens.cli import gate, output
from awrlens.cli.options import configured, redacted, several
from awrlens.errors import EXIT_FINDINGS, EXIT_INTERNAL, EXIT_OK, EXIT_UNREADABLE, UsageError

if TYPE_CHECKING:
    from awrlens.checks.baseline import Baseline
    from awrlens.model.check_run import CheckedReport
    from awrlens.redact.names import Names


@click.group()
def baseline() -> None:
    """Accept findings for a time: create, update and show a baseline.

    \b
    Examples:
      awrlens baseline create report.html --reason "logs will move" --expires 90d
      awrlens check report.html --baseline awrlens-baseline.json
      awrlens baseline update report.html
      awrlens baseline diff report.html
    """  # noqa: D301 - \b is for click


_FILE = click.option("--baseline", "file", metavar="FILE",
                     help="Baseline file [default: from the configuration, else "
                     "awrlens-baseline.json].")  # fmt: skip
_REASON = click.option("--reason", metavar="TEXT", help="Reason for accepting new findings.")
_EXPIRES = click.option("--expires", metavar="DAY", default="90d", show_default=True,
                        help="Last day: 2027-01-31, or 90d from now.")  # fmt: skip
_REPORTS = click.argument("reports", nargs=-1, required=True, metavar="REPORT...")
_DEFAULT: Final = "awrlens-baseline.json"


@baseline.command()
@several(_REPORTS, _FILE, _REASON, _EXPIRES)
@click.option("--force", is_flag=True, help="Overwrite an existing baseline.")
@several(gate.selecting, redacted, configured)
def create(reports: tuple[str, ...], force: bool, **others: Any) -> int:  # noqa: ANN401 - options
    """Accept all current findings of REPORT...."""
    work = _Baseline(reports, **others)
    if Path(work.file).exists() and not force:
        raise UsageError(
            "The baseline already exists.",
            source=work.file,
            hint="`awrlens baseline update` adds to it; --force overwrites it.",
        )
    return work.write({})


@baseline.command()
@several(_REPORTS, _FILE, _REASON, _EXPIRES, gate.selecting, redacted, configured)
def update(reports: tuple[str, ...], **others: Any) -> int:  # noqa: ANN401 - options
    """Accept new, worse and expired findings, and remove those no longer found.

    Only entries of databases that were read and of rules with facts in all their reports change.
    A truncated report removes nothing.
    """
    work = _Baseline(reports, **others)
    return work.write(known_findings.load(work.file, gate.today()))


@baseline.command()
@several(_REPORTS, _FILE, gate.selecting, redacted, configured)
def diff(reports: tuple[str, ...], **others: Any) -> int:  # noqa: ANN401 - options
    """Show new, worse, known, expired and gone findings; exit with 1 if any is not accepted."""
    work = _Baseline(reports, writes=False, **others)
    before = known_findings.load(work.file, gate.today())
    difference = known_findings.compare(work.reports, before, gate.today())
    lines = [
        *(f"{'worse' if issue.fingerprint in before else 'new':8} {issue.id} {issue.title}"
          for issue in difference.new
          if issue.fingerprint not in before or before[issue.fingerprint].worse(issue)),
        *(f"expired  {entry.rule} {entry.title} (until {entry.expires}: {entry.reason})"
          for entry in difference.expired),
        *(f"known    {entry.rule} {entry.title} ({entry.reason})" for entry in difference.accepted),
        *(f"gone     {entry.rule} {entry.title}" for entry in difference.gone),
    ]  # fmt: skip
    from awrlens.render.lines import wrapped
    from awrlens.render.wording import safe

    width = output.width() if output.on_terminal() else max(map(len, lines), default=0)
    output.show(line for text in lines for line in wrapped(safe(text), width, "", " " * 9, ""))
    if not lines:
        click.echo("No findings, and no known findings.")
    if work.unread:
        return work.unread
    return EXIT_FINDINGS if difference.new else EXIT_OK


class _Baseline:
    def __init__(
        self, reports: tuple[str, ...], file: str | None, options: config.Options,
        select: tuple[str, ...], ignore: tuple[str, ...],
        jobs: int | None, names: Names | None, reason: str | None = None, expires: str = "0d",
        *, writes: bool = True,
    ) -> None:  # fmt: skip
        loaded = config.load(reports[0], options)
        self.file = file or loaded.baseline or _DEFAULT
        if writes:
            output.check((self.file,), reports)
        self._reason = (reason or "").strip()
        self._expires = known_findings.last_day(expires, gate.today())
        asked = gate.resolved(
            gate.Asked(options, Settings(select, ignore, fail_on=()), names=names), reports[0]
        )
        self.reports: list[CheckedReport] = []
        #: The exit status if a report could not be judged, else 0.
        self.unread = EXIT_OK
        # the configured baseline may not exist yet and does not apply here
        asked = asked._replace(with_baseline=False)
        results = list(gate.checked_reports(reports, asked, jobs))
        for result in gate.over_windows(results, asked):
            if isinstance(result, gate.Checked):
                self.reports.append(result.report)
            elif result.fails:
                status = EXIT_INTERNAL if result.internal else EXIT_UNREADABLE
                self.unread = max(self.unread, status)

    def write(self, before: Baseline) -> int:
        """Write the file with new findings added to ``before``, and print a summary line."""
        difference = known_findings.compare(self.reports, before, gate.today())
        if difference.new and not self._reason:
            raise UsageError(
                f"{len(difference.new)} findings need a reason to be accepted.",
                hint='Add --reason "…".',
            )
        new = {issue.fingerprint: issue for issue in difference.new}
        fresh = [
            known_findings.entry(issue, report.report, self._reason, gate.today(), self._expires)
            for report in self.reports
            for issue in report.issues
            if new.get(issue.fingerprint) is issue
        ]
        after = known_findings.updated(before, fresh, difference.gone)
        output.write_file(self.file, known_findings.dump(after))
        click.echo(
            f"{self.file}: {len(new)} accepted, {len(difference.gone)} removed, "
            f"{len(after)} in total."
        )
        return self.unread
