"""``awrlens mcp``: starts the server on standard input and output, or on this machine's HTTP."""

from __future__ import annotations

from importlib.util import find_spec

import click

from awrlens.cli.options import MAP
from awrlens.errors import UsageError, install
from awrlens.redact.names import Names


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER...",
                type=click.Path(exists=True, file_okay=False))  # fmt: skip
@click.option("--http", "port", type=click.IntRange(1, 65535), metavar="PORT",
              help="Listen on http://127.0.0.1:PORT/mcp [default: standard input and output].",
)  # fmt: skip
@click.option("--redact/--no-redact", default=True, show_default=True,
              help="Replace names, hosts, paths and SQL text by pseudonyms.")  # fmt: skip
@MAP
def mcp(folders: tuple[str, ...], port: int | None, redact: bool, redact_map: str | None) -> None:
    """Let an assistant read the reports of FOLDER (Model Context Protocol).

    Its tools read files of the folders only, write nothing and run no SQL in a database. Every
    number has its line in the report. Names are replaced; --redact-map keeps which name is which.
    Needs the extra `mcp`.

    \b
    Examples:
      awrlens mcp reports/
      awrlens mcp reports/ fleet/ --http 8808
    """  # noqa: D301 - \b is for click
    if find_spec("mcp") is None:
        raise UsageError("The package mcp is not installed.", hint=install("mcp"))
    from awrlens.mcp.server import server

    if redact_map and not redact:
        raise UsageError("--redact-map has no effect with --no-redact.")
    made = server(folders, Names(redact_map) if redact else None)
    if port is None:
        made.run()
    else:
        click.echo(f"Listening on http://127.0.0.1:{port}/mcp", err=True)
        made.run("streamable-http", host="127.0.0.1", port=port)
