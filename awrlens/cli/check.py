"""``awrlens check``: checks reports and writes the result in the format of a pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from awrlens import __version__, config, errors, extensions
from awrlens.checks import baseline as known_findings
from awrlens.checks.selection import Settings
from awrlens.cli import gate, output, own_rules, stored
from awrlens.cli.options import completes, configured, redacted
from awrlens.errors import EXIT_FINDINGS, EXIT_INTERNAL, EXIT_OK, EXIT_UNREADABLE, UsageError
from awrlens.lazy import NamedTuple
from awrlens.model.check_run import CheckRun, RulePage, Unread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from awrlens.checks.baseline import Baseline
    from awrlens.model.check_run import CheckedReport
    from awrlens.redact.names import Names

#: Output formats and their modules in ``render.pipeline``; this module writes the others.
FORMATS: Final = {
    "text": "", "json": "", "jsonl": "", "html": "", "markdown": "summary", "sarif": "sarif",
    "junit": "junit", "github": "github", "gitlab": "gitlab", "csv": "table",
    "concise": "concise",
}  # fmt: skip


class Target(NamedTuple):
    """An output format and its file; None for standard output."""

    format: str
    file: str | None


def targets(asked: tuple[str, ...]) -> list[Target]:
    """Parse ``FORMAT`` or ``FORMAT=FILE``; UsageError for an unknown format or a duplicate file."""
    wanted = []
    for text in asked or ("text",):
        name, sign, file = text.partition("=")
        name = name.strip().lower()
        if name not in FORMATS:
            raise UsageError(
                f"Unknown output {name!r}.",
                hint=errors.hint(name, FORMATS, f"Outputs are {', '.join(FORMATS)}."),
            )
        if sign and not file.strip():
            raise UsageError(f"{text!r} does not name a file.", hint=f"For example {name}=result.")
        wanted.append(Target(name, file.strip() if sign and file.strip() != "-" else None))
    places = [target.file for target in wanted]
    twice = next((place for place in places if places.count(place) > 1), "")
    if twice != "":
        where = twice or "standard output"
        raise UsageError(
            f"Two outputs use {where}.", hint="Set a file for all outputs but one: sarif=out.sarif."
        )
    return wanted


@click.command()
@click.argument("reports", nargs=-1, metavar="REPORT...")
@click.option("--fail-on", multiple=True, metavar="SEVERITY|RULES", callback=gate.selectors,
              shell_complete=completes("rule"),
              help="Minimum severity that fails (critical, warning or info), or rules by id, name "
              "or prefix [default: warning].")  # fmt: skip
@click.option("--exit-zero", is_flag=True, help="Exit with status 0 even if findings fail.")
@click.option("-o", "--output", "outputs", multiple=True, metavar="FORMAT[=FILE]",
              help=f"Output format: {', '.join(FORMATS)}; may be repeated [default: text]."
)  # fmt: skip
@click.option("--baseline", metavar="FILE", help="File of known findings; only new findings fail.")
@click.option("--against", metavar="OLD",
              help="Earlier report or folder; only new findings and regressions beyond noise fail."
)  # fmt: skip
@click.option("--against-last", type=click.IntRange(1), metavar="N",
              help="Compare every REPORT with the N reports before it, from --against or else from "
              "REPORT... themselves.")  # fmt: skip
@click.option("--skip-others", is_flag=True,
              help="Skip files that are not reports instead of failing.")  # fmt: skip
@click.option("--strict", is_flag=True,
              help="Skipped inputs and checks fail too: files in folders that are not reports, "
              "truncated reports, rules with missing facts.")  # fmt: skip
@click.option("-v", "--verbose", is_flag=True,
              help="With text output, state for every report why it was judged in part."
)  # fmt: skip
@click.option("--server", metavar="URL",
              help="Let a server of `awrlens serve` do the check; AWRLENS_TOKEN has the token."
)  # fmt: skip
@click.option("--project", metavar="NAME", help="With --server: the project.")
@click.option("--accept", is_flag=True,
              help="With --server: if nothing fails, make it the accepted run.")  # fmt: skip
@stored.option(f"Check the latest reports of a store, or REPORT as {stored.NAMED}.")
@gate.selecting
@configured
@redacted
def check(
    reports: tuple[str, ...], fail_on: tuple[str, ...], exit_zero: bool, outputs: tuple[str, ...],
    baseline: str | None, against: str | None, against_last: int | None, skip_others: bool,
    strict: bool, verbose: bool, server: str | None, project: str | None,
    accept: bool, store_file: str | None, select: tuple[str, ...], ignore: tuple[str, ...],
    jobs: int | None, options: config.Options, names: Names | None,
) -> int:  # fmt: skip
    """Fail if a report has findings at or above a severity; for use in pipelines.

    Exit status: 0 nothing fails, 1 a finding fails, 2 the command line or configuration is
    invalid, 3 an input could not be judged (the others are checked and written), 4 awrlens failed
    on an input. 3 takes precedence over 1. With --strict, every skipped input or check gives 3.

    What is known does not fail: --baseline has accepted findings (`awrlens baseline`), --against
    and --against-last have earlier reports. `awrlens budget` is for limits of your own.

    \b
    Examples:
      awrlens check reports/*.html
      awrlens check report.html --fail-on critical -o text -o sarif=awrlens.sarif
      awrlens check report.html --select REDO --ignore REDO006 --output github
      awrlens check report.html --baseline known.json -o junit=junit.xml
      awrlens check reports/ --strict
      awrlens check new.html --against old.html
      awrlens check new.html --against reports/ --against-last 20
      awrlens check new.html --server https://awrlens.example.com --redact
      awrlens check --store fleet.duckdb --output junit=fleet.xml
    """  # noqa: D301 - \b is for click
    wanted = targets(outputs)
    stored.check(store_file, reports, names, options)
    if store_file and (against is not None or against_last is not None):
        raise UsageError(
            "--against cannot be used with --store.", hint="`awrlens compare --store` compares."
        )
    said, reports = reports, ("-",) if store_file else reports
    output.check((target.file for target in wanted), reports)
    if server is not None:
        local = (baseline, store_file, against_last, skip_others)
        if (
            any((*local, verbose))
            or against not in (None, "accepted")
            or options != config.Options()
        ):
            raise UsageError(
                "With --server, the server's configuration and accepted runs are used.",
                hint="Use --against accepted, and remove options on files and thresholds.",
            )
        query = {
            "project": project or (), "fail_on": fail_on, "select": select, "ignore": ignore,
            "strict": str(strict).lower(), "against": against or (),
            "accept": "true" if accept else (),
        }  # fmt: skip
        status = _client()(server, query, reports, wanted, names)
        return EXIT_OK if exit_zero and status == EXIT_FINDINGS else status
    if project or accept:
        raise UsageError("--project and --accept need a server.", hint="Add --server URL.")
    asked = gate.resolved(
        gate.Asked(
            options, Settings(select, ignore, fail_on=fail_on, strict=strict), baseline,
            with_page=any(target.format == "html" for target in wanted), names=names,
        ),
        reports[0],
    )  # fmt: skip
    own_rules.whole(config.load(reports[0], options))
    if against is not None or against_last is not None:
        before = (against,) if against else reports
        asked = gate.earlier(asked, before, reports[0], against_last)
    if store_file:
        items = stored.store().checked(store_file, said, asked)
    else:
        items = list(gate.checked_reports(reports, asked, jobs, skip_others=skip_others))
    items = gate.over_windows(items, asked)
    run = result(items, reports, asked, exit_zero=exit_zero)
    if skip_others and not run.reports and not run.errors:
        run = run._replace(status=EXIT_OK)
    for target in wanted:
        _put(target, run, items, reports, asked, verbose=verbose)
    if all(target.file for target in wanted):
        from awrlens.render.pipeline.wording import summary

        click.echo(summary(run))
    return run.status


def _client() -> Callable[..., int]:
    """What has a server check reports."""
    place = next((package.client for package in extensions.registered() if package.client), "")
    if not place:
        raise UsageError("--server cannot be used: this awrlens has no client of a server.")
    client: Callable[..., int] = extensions.load(place)
    return client


def result(
    items: list[gate.Checked | Unread], reports: tuple[str, ...], asked: gate.Asked, *,
    exit_zero: bool = False,
) -> CheckRun:  # fmt: skip
    """The whole check, with its exit status."""
    done = tuple(item.report for item in items if isinstance(item, gate.Checked))
    unread = tuple(item for item in items if isinstance(item, Unread))
    whole = not any(miss.fails for miss in unread) and not any(r.unassessable for r in done)
    loaded = config.load(reports[0], asked.options)
    status = EXIT_OK
    if any(report.failing for report in done) and not exit_zero:
        status = EXIT_FINDINGS
    if not whole or not done:  # takes precedence: the result of skipped inputs is unknown
        status = EXIT_UNREADABLE
    if any(miss.internal for miss in unread):
        status = EXIT_INTERNAL
    file = asked.baseline or loaded.baseline
    shown = Path(file).name if file and asked.names else file or ""
    notes = tuple(_about(known_findings.load(file, gate.today()), shown, done)) if file else ()
    pages = _pages(own_rules.of(loaded.additions), against=bool(asked.against))
    return CheckRun(
        __version__, asked.settings(loaded).fail_on, done, unread, pages, notes, status,
        loaded.information_uri,
    )  # fmt: skip


def _about(baseline: Baseline, file: str, done: tuple[CheckedReport, ...]) -> Iterator[str]:
    """Notes on a baseline: expired entries, worse findings, and entries no longer found."""
    difference = known_findings.compare(done, baseline, gate.today())
    for expired in difference.expired:
        yield f"{file}: {expired.rule} of {expired.database} was accepted until {expired.expires}."
    for issue in difference.new:
        entry = baseline.get(issue.fingerprint)
        if entry is not None and entry.worse(issue):
            yield (
                f"{file}: {entry.rule} of {entry.database} was accepted as {entry.severity} and is "
                f"now {issue.severity_found}."
            )
    gone = [entry.rule for entry in difference.gone]
    if gone:
        yield (
            f"{file}: no longer found: {', '.join(sorted(set(gone)))}; `awrlens baseline update` "
            "removes them."
        )


def _pages(added: own_rules.Own, *, against: bool) -> dict[str, RulePage]:
    from awrlens import rules

    builtin = rules.all_rules(
        rule_id for rule_id in rules.table() if against or rule_id not in rules.COMPARED
    )
    pages = {}
    for rule in (*builtin, *added.every):
        text = "\n\n".join(f"**{heading}**\n\n{body}" for heading, body in rule.page.items())
        meaning = " ".join(rule.page["What it means"].split())
        fix = " ".join(rule.page.get("What to do", "").split())
        pages[rule.id] = RulePage(
            rule.id, rule.name, rule.title, rule.status, meaning, fix, text, rule.engine
        )
    return pages


def _put(
    target: Target, run: CheckRun, items: list[gate.Checked | Unread], reports: tuple[str, ...],
    asked: gate.Asked, *, verbose: bool = False,
) -> None:  # fmt: skip
    if target.format == "text" and target.file is None:
        from awrlens.render.pipeline.console import page

        width = output.width() if output.on_terminal() else 0  # 0: problem matchers read lines
        output.show(page(run, width, verbose=verbose))
        return
    output.deliver(text_of(target.format, run, items, reports, asked, verbose=verbose), target.file)


def text_of(
    name: str, run: CheckRun, items: list[gate.Checked | Unread], reports: tuple[str, ...],
    asked: gate.Asked, *, verbose: bool = False,
) -> str:  # fmt: skip
    """A check in an output format."""
    from awrlens.model.plain import plain as plain_data
    from awrlens.render.json import document

    if name == "text":
        from awrlens.render.pipeline.console import page
        from awrlens.render.wording import text as plain

        return plain(page(run, 0, verbose=verbose))
    if name == "json":
        return document(run.to_dict()) + "\n"
    if name == "jsonl":
        lines = [document(plain_data(report), compact=True) for report in run.reports]
        lines += [
            document(
                {"source": e.source,
                 "error" if e.fails else "left_out": {"message": e.message, "line": e.line}},
                compact=True,
            )
            for e in run.unread
        ]  # fmt: skip
        return "".join(f"{line}\n" for line in lines)
    if name == "html":
        from awrlens.render.pipeline import wording

        parts = [item.page for item in items if isinstance(item, gate.Checked) and item.page]
        loaded = config.load(reports[0], asked.options)
        left = [
            (f"{miss.source}{f':{miss.line}' if miss.line else ''}: {miss.message}", miss.fails)
            for miss in wording.not_judged(run)
        ]
        return output.of_reports(parts, loaded, left, bare=asked.names is not None)
    from importlib import import_module

    module = import_module(f"awrlens.render.pipeline.{FORMATS[name]}")
    rendered: str = module.render(run)
    return rendered
