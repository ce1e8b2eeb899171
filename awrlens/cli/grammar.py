"""``awrlens grammar``: the descriptions of report sections, and their compiled catalogue."""

from __future__ import annotations

from pathlib import Path

import click

from awrlens.cli import options, output
from awrlens.errors import EXIT_FINDINGS, EXIT_OK
from awrlens.grammar import catalogue


@click.group()
def grammar() -> None:
    """List, check or compile the descriptions of report sections.

    The sources are grammars/*.awg; grammars/README.md explains the language on one page.
    """


@grammar.command("list")
@options.formats("text", "json")
def list_(format_: str) -> int:
    """List all described sections."""
    known = catalogue.load()
    found = [
        {"name": s.name, "title": s.titles[0], "layout": s.layout, "file": s.file, "about": s.about}
        for s in map(known.section, known.names)
    ]
    from awrlens.render.listing import grammar_page

    return output.answer(format_, found, grammar_page)


@grammar.command()
def check() -> int:
    """Check that the compiled catalogue is up to date with its sources."""
    from awrlens.grammar.compile import write

    if write(Path(catalogue.CATALOGUE), check=True):
        click.echo("The catalogue is up to date.")
        return EXIT_OK
    click.echo("The catalogue is out of date: run `awrlens grammar compile`.", err=True)
    return EXIT_FINDINGS


@grammar.command("compile")
def compile_() -> None:
    """Compile grammars/*.awg into the catalogue."""
    from awrlens.grammar.compile import write

    fresh = write(Path(catalogue.CATALOGUE))
    click.echo("Nothing to do." if fresh else f"Wrote {catalogue.CATALOGUE}.")
