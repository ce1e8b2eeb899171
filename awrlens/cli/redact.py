"""``awrlens redact``: reports in, the same reports without names out."""

from __future__ import annotations

import re
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from awrlens import api
from awrlens.cli import complain, output
from awrlens.cli.options import MAP
from awrlens.errors import EXIT_OK, EXIT_UNREADABLE, AwrlensError, NotAReportError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.redact.names import Names
    from awrlens.source.open import Input


@click.command()
@click.argument("reports", nargs=-1, required=True, metavar="REPORT...")
@click.option(
    "-o",
    "--output",
    "target",
    metavar="FILE|FOLDER",
    help="Where to write: a file for one report, a folder for several [default: print it].",
)
@MAP
def redact(reports: tuple[str, ...], target: str | None, redact_map: str | None) -> int:
    """Write REPORT with pseudonyms for names, hosts, schemas, objects, paths and SQL text.

    Every line and column stays where it is, so the result is read as the report was. The same
    name has the same pseudonym as long as the key is the same: keep it with --redact-map FILE,
    which also says what stands for what, and do not give that file away.

    \b
    Examples:
      awrlens redact awrrpt_1_100_101.html -o clean.html
      awrlens redact reports/ -o clean/ --redact-map private.jsonl
    """  # noqa: D301 - \b is for click
    from awrlens.redact.names import Names  # noqa: PLC0415 - not for --help
    from awrlens.source.open import inputs  # noqa: PLC0415

    names = Names(redact_map)
    names.save()
    files = list(inputs(reports))
    found = [each for file in files for each in _texts(file, names)]
    names.save()  # before anything that needs it to be understood
    clean = [(name, text) for name, text in found if text is not None]
    _write(clean, target)
    return EXIT_OK if len(clean) == len(found) and clean else EXIT_UNREADABLE


def _texts(file: Input, names: Names) -> Iterator[tuple[str, str | None]]:
    """Name and text of every report of an input; reports of one file are put together again."""
    read = api.load_all(file.path, names=names)
    for name, group in groupby(read, lambda each: re.sub(r"#\d+$", "", each.source or "")):
        text = ""
        for each in group:
            if isinstance(each, AwrlensError):
                if file.named or not isinstance(each, NotAReportError):
                    complain(each)
                    yield name, None
            else:
                text += each.made_of[0].text
        if text:
            yield name, text


def _shown(text: str) -> str:
    """A report on a terminal: its own control characters are taken out, as everywhere."""
    if not sys.stdout.isatty():
        return text
    from awrlens.render.present import safe  # noqa: PLC0415 - on a terminal only

    return "".join(f"{safe(line)}\n" for line in text.splitlines())


def _write(clean: list[tuple[str, str]], target: str | None) -> None:
    folder = target is not None and (Path(target).is_dir() or target.endswith(("/", "\\")))
    if target is None or not folder:
        if len(clean) > 1:
            raise UsageError(
                f"There are {len(clean)} reports.", hint="Name a folder: --output clean/"
            )
        for _, text in clean:
            if target is None:
                click.echo(_shown(text), nl=False)
            else:
                output.write_file(target, text)
        return
    Path(target or ".").mkdir(parents=True, exist_ok=True)
    for name, text in clean:
        output.write_file(str(Path(target or ".") / name), text)
