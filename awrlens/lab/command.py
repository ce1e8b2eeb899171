"""``awrlens recovery``: measured, predicted and simulated recovery time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from awrlens import api, config
from awrlens.advice.mttr import Request
from awrlens.cli import analyze, output
from awrlens.cli.options import formats, redacted
from awrlens.errors import NotAReportError, UsageError
from awrlens.lab.alert_log import alert_log as alert_log_of
from awrlens.lab.crash_test import DESIRED_MTTR, plan_command, samples
from awrlens.lab.instances import buddies
from awrlens.lab.simulate_command import simulate

if TYPE_CHECKING:
    from awrlens.extensions import OtherInput
    from awrlens.lab.judge import Wanted
    from awrlens.redact.names import Names
    from awrlens.report.report import Report


@click.group()
def recovery() -> None:
    """Measure, predict or simulate how long a database is down after a crash.

    `measure` reads alert logs, `predict` uses a report, `simulate` models a RAC cluster, `buddies`
    recommends buddy instances; `plan` prints a crash test, `samples` reads what its script has
    sampled.
    """


for command in (simulate, plan_command, samples, buddies):
    recovery.add_command(command)


@recovery.command()
@click.argument("logs", nargs=-1, required=True, metavar="ALERTLOG...")
@click.option("--report", metavar="REPORT",
              help="Compare recovery times with the estimates of this report.")  # fmt: skip
@click.option("--without", metavar="REPORT",
              help="Compare --report with this one, without fast-start checkpointing.")  # fmt: skip
@DESIRED_MTTR
@click.option("--target", type=click.FloatRange(min=0), metavar="S",
              help="FAST_START_MTTR_TARGET in force [default: from the log].")  # fmt: skip
@formats("text", "json", "markdown", "html")
@redacted
def measure(
    logs: tuple[str, ...], report: str | None, without: str | None, desired_mttr: float | None,
    target: float | None, format_: str, names: Names | None,
) -> int:  # fmt: skip
    """Show startups, recoveries and log switches of alert logs, with a verdict on recovery.

    ALERTLOG is an alert log of Oracle 8i to 23ai: text, log.xml, a spooled query of
    V$DIAG_ALERT_EXT, or an excerpt in Markdown; it may be compressed. Without a desired time or a
    target, recovery times are listed without a verdict.

    \b
    Examples:
      awrlens recovery measure alert_PROD1.log --desired-mttr 120
      awrlens recovery measure log.xml --report awrrpt_1_100_101.html
    """  # noqa: D301 - \b is for click
    from awrlens.lab import judge
    from awrlens.policy import Policy

    if without is not None and report is None:
        raise UsageError("--without needs --report.", hint="Give both reports.")
    wanted = judge.Wanted(desired_mttr, target)
    reports = [_of_one_period(path, names) for path in (report, without) if path is not None]
    if reports:
        analyses = [api.analyze(loaded) for loaded in reports]
        facts = analyses[0].facts
        wanted = wanted._replace(
            estimated_mttr_s=facts["checkpoint.estimated_mttr_s"].number,
            kept_target_s=facts["checkpoint.target_mttr_s"].number or None,
            owner=judge.Owner(reports[0].identity.db_name, names.of if names else str),
            bottleneck=judge.limiting(analyses, Policy()),
        )
    if len(logs) > 1:
        wanted = wanted._replace(logs=tuple(alert_log_of(path, names) for path in logs))
    request = analyze.Asked(
        config.Options(),
        Request(desired_mttr),
        names=names,
        only=partial(_alert_log, wanted),
        with_page=format_ == "html",
    )
    return analyze.run(logs, request, format_, None, 1)


def _alert_log(wanted: Wanted, loaded: Report | OtherInput, path: str) -> OtherInput:
    from awrlens.lab.measure import AlertLog

    if isinstance(loaded, AlertLog):
        return loaded._replace(wanted=wanted)
    raise NotAReportError(
        "This is a report, not an alert log.", source=path,
        hint=f"`awrlens analyze {path}` reads it; --report uses its estimates.",
    )  # fmt: skip


def _of_one_period(path: str, names: Names | None) -> Report:
    report = api.load(path, names=names)
    if report.periods:
        raise UsageError(
            "A compare-period report has two periods.", hint="Give the report of one period."
        )
    return report


@recovery.command()
@click.argument("report", metavar="REPORT")
@click.option("--alert-log", metavar="FILE", help="Alert log to take times and rates from.")
@click.option("--failures-per-year", type=click.FloatRange(min=0), default=1.0, show_default=True,
              metavar="N", help="Failures per year to calculate availability.")  # fmt: skip
@DESIRED_MTTR
@click.option("-v", "--verbose", is_flag=True, help="Also print formulas and sources.")
@formats("text", "json", "markdown", "html")
@redacted
def predict(
    report: str, alert_log: str | None, failures_per_year: float, desired_mttr: float | None,
    verbose: bool, format_: str, names: Names | None,
) -> int:  # fmt: skip
    """Estimate the recovery time of the system in REPORT, with ranges and inputs.

    Rates are from the alert log, or from published measurements of other systems without one.
    For RAC, the brown-out of the surviving instances is shown with and without a buddy instance
    (`awrlens rule RECO001`).

    \b
    Examples:
      awrlens recovery predict awrrpt_1_100_101.html --failures-per-year 2
      awrlens recovery predict sp_1_2.lst --alert-log alert_PROD1.log
    """  # noqa: D301 - \b is for click
    from awrlens.lab import predict as model

    loaded = _of_one_period(report, names)
    log = None if alert_log is None else alert_log_of(alert_log, names)
    analysis = model.predict(
        api.facts_of(loaded), loaded.identity.to_dict(), log, failures_per_year, desired_mttr,
        names.of if names else str,
    )  # fmt: skip
    if names is not None and log is not None:
        from awrlens.lab.measure import without_names

        analysis = without_names(analysis, str)  # names in the report are pseudonyms already
    from awrlens.lab.recovery_page import page

    return output.either(
        format_, analysis, lambda: page(analysis, verbose=verbose or format_ != "text")
    )
