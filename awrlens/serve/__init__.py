"""``awrlens serve``: a web server that analyzes uploaded reports, on the user's own machine."""

from __future__ import annotations

from typing import Final

from awrlens.extensions import Command, Extension

EXTENSION: Final = Extension(
    commands={
        "serve": Command(
            "awrlens.serve.command",
            "Start a web server that analyzes uploaded reports.",
            "Pipeline",
        )
    },
    client="awrlens.serve.remote:check",
)
