"""Scripts for the DBA to review and run: what each does, needs and changes; awrlens prints them.

Oracle's scripts take their settings from DEFINE statements at their beginning. A script that
changes data does nothing until the variable named there confirms it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Final, Literal

from awrlens.lazy import NamedTuple

_PACKAGE: Final = Path(__file__).parent.parent


class Script(NamedTuple):
    """One script: its file in the package, and what to know before it is run."""

    name: str
    engine: Literal["Oracle", "SQL Server"]
    purpose: str
    needs: str
    changes: str
    #: The awrlens command that reads its output.
    reader: str
    file: str
    #: The first release of Oracle that can run it (``awrlens.advice.features.SINCE``).
    since: str = ""
    #: The command that prints it with options, as ``module:name``.
    command: str = ""

    @property
    def requirements(self) -> str:
        """The release and the privileges."""
        return f"{self.engine} {self.since} or later; {self.needs}" if self.since else self.needs

    @property
    def read_only(self) -> bool:
        """Whether it changes nothing in the database."""
        return self.changes == NOTHING

    def text(self) -> str:
        """The script as it is printed."""
        return (_PACKAGE / self.file).read_text(encoding="utf-8")


NOTHING: Final = "nothing"


@cache
def by_name() -> dict[str, Script]:
    """Our scripts and those of the satellites, by engine: what `awrlens sql` lists."""
    texts = (file.read_text(encoding="utf-8") for file in sorted(_PACKAGE.glob("*/scripts.json")))
    scripts = [Script(**entry) for text in texts for entry in json.loads(text)]
    scripts.sort(key=lambda script: script.engine)
    return {script.name: script for script in scripts}
