"""Imports what most calls need, so that new worker processes have it from their start."""

from __future__ import annotations

import awrlens.render.first_screen
import awrlens.render.html
import awrlens.report.html_reader
import awrlens.report.text_reader
import awrlens.rules
import awrlens.serve.fleet
import awrlens.source.containers  # noqa: F401 - imported for the processes forked from this one
