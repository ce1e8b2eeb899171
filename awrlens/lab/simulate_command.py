"""``awrlens recovery simulate``: instance crashes in a model of a RAC cluster."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from awrlens.cli import output
from awrlens.cli.options import HTML, PART, formats, redacted
from awrlens.errors import UsageError
from awrlens.lazy import regex

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.advice.load_model import Preset
    from awrlens.lab.simulation_setup import At, Failure
    from awrlens.redact.names import Names


_WHEN: Final = regex(r"(\d+)@(\d+(?:\.\d+)?)([sm]?)", re.ASCII)
_UNITS: Final = {"": 1.0, "s": 1.0, "m": 60.0}


def _amount(name: str, metavar: str, text: str) -> Callable[[Any], Any]:
    return click.option(name, type=click.FloatRange(0, min_open=True), metavar=metavar, help=text)


def _time(name: str, text: str) -> Callable[[Any], Any]:
    return click.option(name, type=click.FloatRange(0), metavar="S", help=text)


@click.command()
@click.option(
    "--preset", default="tpcc", show_default=True, type=click.Choice(["tpcc", "customer", "oltp"]),
    help="A load from published measurements.",
)  # fmt: skip
@click.option("--report", metavar="FILE", help="Take the load from a report instead.")
@PART
@click.option("--instances", type=click.IntRange(1), default=2, show_default=True, metavar="N",
              help="Number of instances.")  # fmt: skip
@click.option("--buddies", type=click.IntRange(0), default=1, show_default=True, metavar="K",
              help="Buddy instances per instance (Oracle: 1; 0 disables).")  # fmt: skip
@click.option("--mttr", type=click.FloatRange(0, 3600), metavar="S",
              help="FAST_START_MTTR_TARGET; 0 is off.")  # fmt: skip
@_amount("--minutes", "M", "Duration of the run in minutes.")
@click.option(
    "--fail", multiple=True, metavar="I@T",
    help="Instance I fails at T seconds (90, 27m); may be repeated [default: 1 at the end].",
)  # fmt: skip
@click.option("--join", multiple=True, metavar="I@T",
              help="Instance I joins or restarts at T; may be repeated.")  # fmt: skip
@click.option(
    "--failed-together", multiple=True, metavar="I,I",
    help="Instances that failed together before; affects the choice of buddies. May be repeated.",
)  # fmt: skip
@_time("--threshold", "_buddy_instance_scan_phase_threshold [default: 3].")
@click.option(
    "--read-buffers", type=click.IntRange(1), metavar="N",
    help="_buddy_instance_num_read_buffers: a constant rate [default: adaptive].",
)  # fmt: skip
@_amount("--redo-rate", "MB", "Redo per instance, MB/s.")
@_amount("--scan-rate", "MB", "Read rate of the first pass, MB/s.")
@_amount("--apply-rate", "MB", "Apply rate of the second pass, MB/s.")
@_time("--detection", "Seconds until the failure is detected [default: 30, the misscount for a "
       "failed node; if only the instance fails, 0].")  # fmt: skip
@_time("--reconfiguration", "Seconds of cluster reconfiguration before the first pass [default: "
       "3; see the alert log].")  # fmt: skip
@_time("--rebuild", "Seconds of the GCS rebuild, concurrent with the first pass [default: 0; see "
       "the alert log].")  # fmt: skip
@click.option("--alert-log", metavar="FILE",
              help="Take --reconfiguration, --rebuild and earlier failures from this alert "
              "log.")  # fmt: skip
@click.option("--shared", type=click.FloatRange(0, 100), metavar="PCT",
              help="Percent of the changed blocks that all instances change; they move by Cache "
              "Fusion [default: 0].")  # fmt: skip
@_amount("--database-size", "GB", "Size of the database, for the share that stays blocked.")
@_amount("--block-changes", "N", "Block changes per second and instance.")
@_amount("--writes", "N", "Data blocks written per second and instance, 5 minutes after their "
         "change.")  # fmt: skip
@_amount("--cache-size", "MB", "Buffer cache per instance, MB.")
@_amount("--log-size", "MB", "Size of every redo log, MB.")
@_amount("--write-capacity", "N", "Data blocks per second that DBWR can write [default: that of "
         "REPORT; otherwise not limited].")  # fmt: skip
@click.option("--seed", type=int, default=1, show_default=True, metavar="N",
              help="Random seed; the same seed gives the same run.")  # fmt: skip
@formats("text", "json", "html")
@HTML
@redacted
def simulate(
    preset: str, report: str | None, part: str | None, instances: int, buddies: int,
    mttr: float | None, minutes: float | None, fail: tuple[str, ...], join: tuple[str, ...],
    failed_together: tuple[str, ...], threshold: float | None, read_buffers: int | None,
    detection: float | None, reconfiguration: float | None, rebuild: float | None,
    alert_log: str | None, seed: int, format_: str, html_file: str | None, names: Names | None,
    **given: float | None,
) -> int:  # fmt: skip
    """Crash instances in a model: how long the others wait, with and without buddies.

    \b
    Examples:
      awrlens recovery simulate
      awrlens recovery simulate --preset customer --instances 3 --buddies 2 \\
          --fail 1@2m --fail 2@2m
      awrlens recovery simulate --report awrrpt.html --mttr 60 --html crash.html
    """  # noqa: D301 - \b is for click
    from awrlens.lab import simulation
    from awrlens.lab import simulation_setup as setups
    from awrlens.lab.instances import numbers_in
    from awrlens.lab.simulated_instance import PRESETS

    output.check((html_file,), (report,) if report else ())
    chosen = simulation.with_given(
        PRESETS[preset] if report is None else _of_report(report, part, names),
        **given,
    )
    duration_s = (minutes or chosen.minutes) * 60
    measured_s, rest_s, history = _of_log(alert_log, names) if alert_log else (None, None, ())
    if measured_s is None or rest_s is None:
        measured_s, rest_s = setups.RECONFIGURATION_S, 0.0
    together = (setups.Failure(frozenset(numbers_in(text, "1,2"))) for text in failed_together)
    setup = setups.Setup(
        load=chosen.load,
        rates=chosen.rates,
        mttr_s=chosen.mttr_s if mttr is None else mttr,
        duration_s=duration_s,
        instances=instances,
        buddies=buddies,
        fail=tuple(_when(text) for text in fail) or (setups.At(1, duration_s),),
        join=tuple(_when(text) for text in join),
        scan=setups.Scan(setups.THRESHOLD_S if threshold is None else threshold, read_buffers),
        seed=seed,
        # whole ticks, so that all samples have the same number
        sample_s=chosen.load.tick_s * max(1, round(duration_s / chosen.load.tick_s / _SAMPLES)),
        failures_before=(*together, *history),
        detection_s=setups.DETECTION_S if detection is None else detection,
        reconfiguration_s=measured_s if reconfiguration is None else reconfiguration,
        rebuild_s=rest_s if rebuild is None else rebuild,
    )
    minutes_in_all = (duration_s + simulation.TAIL_S) / 60
    with output.bar("Simulating", minutes_in_all, "minutes") as advanced:
        run = simulation.simulate(chosen, setup, lambda now_s: advanced(now_s / 60))
    from awrlens.lab.simulation_page import page

    if html_file is not None:
        output.deliver(output.text_of(page(run), "html") + "\n", html_file)
    return output.either(format_, run, lambda: page(run))


_SAMPLES: Final = 180


def _of_report(path: str, part: str | None, names: Names | None) -> Preset:
    from awrlens import api, config
    from awrlens.advice.write_model import of_report
    from awrlens.lab.advisor import capacity_per_s
    from awrlens.lab.mttr_command import instance_of
    from awrlens.render.wording import safe

    report = instance_of(path, part, names)
    name = "a report" if names is not None else safe(Path(path).name)
    facts = api.facts_of(report)
    preset = of_report(facts, name, report.identity.block_size)
    capacity = capacity_per_s(facts, config.load(path).policy)
    return preset._replace(rates=preset.rates._replace(writes_per_s=capacity))


def _of_log(path: str, names: Names | None) -> tuple[float, float, tuple[Failure, ...]]:
    """Median seconds of reconfigurations, before and during the first pass; earlier failures."""
    from statistics import median

    from awrlens.lab import instances as members
    from awrlens.lab.alert_log import alert_log

    log = alert_log(path, names)
    passes = [seconds for change in log.reconfigurations if (seconds := members.passes(change))]
    if not passes:
        raise UsageError(
            "The alert log has no reconfiguration with `Post SMON to start 1st pass IR`.",
            hint="Use --reconfiguration and --rebuild.",
        )
    before_s, after_s = map(median, zip(*passes, strict=True))
    return before_s, after_s, members.history([log]).failures


def _when(text: str) -> At:
    from awrlens.lab.simulation_setup import At

    match = _WHEN.fullmatch(text.strip())
    if match is None:
        raise UsageError(
            f"{text!r} is not INSTANCE@TIME.", hint="For example 1@90 (seconds) or 1@27m."
        )
    return At(int(match[1]), float(match[2]) * _UNITS[match[3]])
