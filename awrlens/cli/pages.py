"""HTML pages: their footer and their output."""

from __future__ import annotations

from awrlens import __version__, config
from awrlens.cli import echo, output
from awrlens.config import choices
from awrlens.render.pages import Extras


def extras(loaded: config.Loaded, *, bare: bool = False) -> Extras:
    """The thresholds in force with their origin, and the version of awrlens.

    ``bare`` omits the folder of the configuration file, because it may contain a real name.
    """
    file = str(loaded.file) if loaded.file else None
    shown = loaded.file.name if loaded.file and bare else file
    policy = loaded.policy
    thresholds = [
        {
            "name": each.name,
            "shown": f"{policy[each]:g} {each.unit}",
            "origin": policy.origin(each).replace(file or "\0", shown or ""),
            "meaning": each.meaning,
        }
        for each in choices.known().values()
    ]
    return Extras(__version__, thresholds, shown)


def put(page: str, html_file: str | None) -> None:
    """Write a page to a file atomically, or to standard output without a file."""
    if html_file is None:
        echo(page)
    else:
        output.write_file(html_file, page)
        echo(f"awrlens: page written to {html_file}", err=True)
