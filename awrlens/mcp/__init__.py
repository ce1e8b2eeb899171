"""``awrlens mcp``: a server of the Model Context Protocol, with which an assistant reads reports.

Needs the extra ``awrlens[mcp]``. It reads files of the folders that are given and writes nothing.
"""

from __future__ import annotations

from typing import Final

from awrlens.extensions import Command, Extension

EXTENSION: Final = Extension(
    commands={
        "mcp": Command(
            "awrlens.mcp.command", "Let an assistant read reports (Model Context Protocol).",
            "Pipeline",
        ),
    },
)  # fmt: skip
