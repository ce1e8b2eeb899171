"""``awrlens analyze``: reports in, diagnosis and advice out."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from awrlens import api
from awrlens.advice.mttr import Request
from awrlens.cli import complain, output
from awrlens.errors import EXIT_OK, EXIT_UNREADABLE, AwrlensError
from awrlens.model import SCHEMA_VERSION
from awrlens.policy import parse_settings
from awrlens.render.json import document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from awrlens.model import Analysis
    from awrlens.policy import Policy


class Asked(NamedTuple):
    """What the caller asks for beside the reports: thresholds and what is known of recovery."""

    policy: Policy
    desired_mttr: float | None
    rac: bool | None
    init_time_avg: float | None
    fopen_time_avg: float | None
    datafiles: int | None


def _mttr_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(MTTR_OPTIONS):
        command = option(command)
    return command


#: Options on recovery time, shared with `awrlens mttr`.
MTTR_OPTIONS = (
    click.option("--desired-mttr", type=float, metavar="S", help="Seconds that recovery may take."),
    click.option("--init-time-avg", type=float, metavar="US",
                 help="X$ESTIMATED_MTTR.INIT_TIME_AVG in microseconds."),
    click.option("--fopen-time-avg", type=float, metavar="US",
                 help="X$ESTIMATED_MTTR.FOPEN_TIME_AVG in microseconds."),
    click.option("--datafiles", type=int, metavar="N",
                 help="Number of data files [default: those in File IO Stats]."),
)  # fmt: skip


@click.command()
@click.argument("reports", nargs=-1, required=True, metavar="REPORT...")
@click.option(
    "-f",
    "--format",
    "format_",
    default="text",
    show_default=True,
    type=click.Choice(["text", "json", "jsonl", "markdown"]),
    help="How to print the result.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a threshold, e.g. redo.slow_write_ms=5; may be repeated.",
)
@click.option(
    "--rac/--no-rac",
    default=None,
    help="Reckon the recovery target for RAC or not [default: as the report says].",
)
@_mttr_options
def analyze(
    reports: tuple[str, ...], format_: str, settings: tuple[str, ...], rac: bool | None,
    desired_mttr: float | None, init_time_avg: float | None, fopen_time_avg: float | None,
    datafiles: int | None,
) -> int:  # fmt: skip
    """Say where the write path of a report hurts and what to do about it.

    REPORT is a Statspack or AWR report, text or HTML, or - for standard input. What it is, is
    told by what it says, not by its name.

    \b
    Examples:
      awrlens analyze sp_1_2.lst
      awrlens analyze awrrpt_1_100_101.html --desired-mttr 120
      awrlens analyze *.html --format jsonl > all.jsonl
    """  # noqa: D301 - \b is for click
    asked = Asked(_policy(settings), desired_mttr, rac, init_time_avg, fopen_time_avg, datafiles)
    results = _analyses(reports, asked, progress=len(reports) > 1)
    if format_ == "text":
        return _print_pages(results)
    if format_ == "markdown":
        return _print_markdown(results)
    if format_ == "jsonl":
        return _print_jsonl(results)
    return _print_json(results, many=len(reports) > 1)


def _policy(settings: tuple[str, ...]) -> Policy:
    if not settings:
        return parse_settings((), {})
    from awrlens.advice import plan  # noqa: PLC0415
    from awrlens.rules import thresholds  # noqa: PLC0415

    known = thresholds() | {each.name: each for each in plan.THRESHOLDS}
    return parse_settings(settings, known)


Result = tuple[str, "Analysis | AwrlensError"]


def _analyses(reports: tuple[str, ...], asked: Asked, *, progress: bool) -> Iterator[Result]:
    """Each report's analysis, or why there is none; one bad file does not stop the others."""
    for name in _tracked(reports) if progress and sys.stderr.isatty() else reports:
        try:
            yield name, _one(name, asked)
        except AwrlensError as problem:
            yield name, problem


def _tracked(reports: tuple[str, ...]) -> Iterator[str]:
    """The reports, with a progress bar on standard error."""
    from rich.console import Console
    from rich.progress import track

    yield from track(reports, "Reading reports", console=Console(stderr=True), transient=True)


def _one(name: str, asked: Asked) -> Analysis:
    report = api.load(name)
    rac = bool(report.identity.rac) if asked.rac is None else asked.rac
    request = Request(
        asked.desired_mttr, rac, asked.init_time_avg, asked.fopen_time_avg, asked.datafiles
    )
    return api.analyze(report, asked.policy, request)


def _print_pages(results: Iterator[Result]) -> int:
    from awrlens.render.layout import page  # noqa: PLC0415

    status = EXIT_OK
    for number, (_, result) in enumerate(results):
        if isinstance(result, AwrlensError):
            complain(result)
            status = EXIT_UNREADABLE
            continue
        if number:
            click.echo()
        output.show(page(result, output.width()))
    return status


def _print_markdown(results: Iterator[Result]) -> int:
    from awrlens.render.markdown import render  # noqa: PLC0415

    status = EXIT_OK
    for _, result in results:
        if isinstance(result, AwrlensError):
            complain(result)
            status = EXIT_UNREADABLE
        else:
            click.echo(render(result))
    return status


def error_document(name: str, problem: AwrlensError) -> dict[str, Any]:
    """What stands in the place of a report that cannot be read."""
    return {
        "schema_version": SCHEMA_VERSION,
        "source": name,
        "error": {"message": f"{problem.message} {problem.hint}".strip(), "line": problem.line},
    }


def _print_jsonl(results: Iterator[Result]) -> int:
    status = EXIT_OK
    for name, result in results:
        if isinstance(result, AwrlensError):
            complain(result)
            status = EXIT_UNREADABLE
            click.echo(document(error_document(name, result), compact=True))
        else:
            click.echo(document(result.to_dict(), compact=True))
    return status


def _print_json(results: Iterator[Result], *, many: bool) -> int:
    status = EXIT_OK
    documents = []
    for name, result in results:
        if isinstance(result, AwrlensError):
            complain(result)
            status = EXIT_UNREADABLE
            if many:
                documents.append(error_document(name, result))
        else:
            documents.append(result.to_dict())
    if many:
        click.echo(document(documents))
    elif documents:
        click.echo(document(documents[0]))
    return status
