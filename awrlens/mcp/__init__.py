"""``awrlens mcp``: an assistant reads reports (Model Context Protocol)."""

from __future__ import annotations

from typing import Final

from awrlens.extensions import Command, Extension

EXTENSION: Final = Extension(commands={"mcp": Command(
    "awrlens.mcp.command", "Let an assistant read reports (Model Context Protocol).", "Pipeline",
)})  # fmt: skip
