"""``awrlens redact``: reports with pseudonyms instead of names."""

from __future__ import annotations

import re
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from awrlens import api
from awrlens.cli import output
from awrlens.cli.console import complain
from awrlens.cli.options import MAP
from awrlens.errors import EXIT_OK, EXIT_UNREADABLE, AwrlensError, NotAReportError, UsageError
from awrlens.render.wording import safe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.redact.names import Names
    from awrlens.source.open import Input


@click.command()
@click.argument("reports", nargs=-1, required=True, metavar="REPORT...")
@click.option("-o", "--output", "target", metavar="FILE|FOLDER",
              help="Output: a file for one report, a folder for several [default: print]."
)  # fmt: skip
@MAP
def redact(reports: tuple[str, ...], target: str | None, redact_map: str | None) -> int:
    """Replace names, hosts, schemas, objects, paths and SQL text in REPORT by pseudonyms.

    Lines and columns keep their places, so the result can be analyzed like the report. With the
    same key, the same name gets the same pseudonym. --redact-map FILE keeps the key and the
    mapping of names to pseudonyms; keep that file secret.

    \b
    Examples:
      awrlens redact awrrpt_1_100_101.html -o clean.html
      awrlens redact reports/ -o clean/ --redact-map private.jsonl
    """  # noqa: D301 - \b is for click
    from awrlens.redact.names import Names
    from awrlens.source.open import inputs

    if target is not None and not _is_folder(target):
        output.check((target,), reports)
    names = Names(redact_map)
    names.save()
    files = list(inputs(reports))
    pairs = [pair for file in files for pair in texts(file, names)]
    names.save()  # before the output that depends on it
    clean = [(name, text) for name, text in pairs if text is not None]
    _write(clean, target)
    if redact_map is not None:
        output.said_written(redact_map)
    return EXIT_OK if len(clean) == len(pairs) and clean else EXIT_UNREADABLE


def texts(file: Input, names: Names) -> Iterator[tuple[str, str | None]]:
    """Name and text of every report of an input; reports of one file are joined again."""
    read = api.load_all(file.path, names=names)
    for name, group in groupby(read, lambda report: re.sub(r"#\d+$", "", report.source or "")):
        text = ""
        for report in group:
            if isinstance(report, AwrlensError):
                if file.named or not isinstance(report, NotAReportError):
                    complain(report)
                    yield name, None
            else:
                text += report.made_of[0].text
        if text:
            yield name, text


def _shown(text: str) -> str:
    """A report for a terminal: without control characters."""
    if not sys.stdout.isatty():
        return text
    return "".join(f"{safe(line)}\n" for line in text.splitlines())


def _write(clean: list[tuple[str, str]], target: str | None) -> None:
    if target is None or not _is_folder(target):
        if len(clean) > 1:
            raise UsageError(
                f"There are {len(clean)} reports.", hint="Give a folder: --output clean/"
            )
        for _, text in clean:
            output.deliver(text if target else _shown(text), target)
        return
    Path(target).mkdir(parents=True, exist_ok=True)
    for name, text in clean:
        output.write_file(str(Path(target) / name), text)


def _is_folder(target: str) -> bool:
    return Path(target).is_dir() or target.endswith(("/", "\\"))
