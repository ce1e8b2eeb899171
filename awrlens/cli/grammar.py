"""``awrlens grammar``: the descriptions of report sections."""

from __future__ import annotations

import click

from awrlens.cli import options, output
from awrlens.grammar import catalogue


@click.group()
def grammar() -> None:
    """List the descriptions of report sections.

    The sources are grammars/*.awg; grammars/README.md explains the language on one page.
    """


@grammar.command("list")
@options.formats("text", "json")
def list_(format_: str) -> int:
    """List all described sections."""
    loaded = catalogue.load()
    rows = [
        {"name": s.name, "title": s.titles[0], "layout": s.layout, "file": s.file, "about": s.about}
        for s in map(loaded.section, loaded.names)
    ]
    from awrlens.render.listing import grammar_page

    return output.answer(format_, rows, grammar_page)
