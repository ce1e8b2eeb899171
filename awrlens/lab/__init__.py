"""What would be: recovery after a crash, its target, and the effect of other settings."""

from __future__ import annotations

from typing import Final

from awrlens.extensions import Command, Extension, Schema

RULES: Final = {
    "RECO001": "awrlens.lab.buddy:RECO001",
    "RECO002": "awrlens.lab.rules:RECO002",
}

EXTENSION: Final = Extension(
    commands={
        "whatif": Command(
            "awrlens.lab.whatif",
            "Estimate the effect of other storage, redo logs, memory or targets.",
            "Analyze",
        ),
        "integrity": Command(
            "awrlens.lab.integrity",
            "Estimate the cost of block checking and checksums.",
            "Look inside",
        ),
        "devices": Command(
            "awrlens.lab.whatif",
            "List storage types with their latencies.",
            "Look inside",
            before="integrity",
        ),
        "mttr": Command(
            "awrlens.lab.mttr_command",
            "Calculate FAST_START_MTTR_TARGET, and what every target costs.",
            "Recovery",
        ),
        "recovery": Command(
            "awrlens.lab.command",
            "Measure, predict or simulate recovery after a crash.",
            "Recovery",
        ),
    },
    rules=RULES,
    thresholds=__file__,
    schemas={
        "simulate": Schema("awrlens.lab.simulation_records:schema", before="config"),
        "mttr": Schema("awrlens.lab.mttr_document:schema", before="config"),
    },
    last_reader="awrlens.lab.measure:alert_log_of",
    pages={"recovery": "awrlens.lab.recovery_page:page"},
    documents={"Recovery": "awrlens.lab.documents:Recovery"},
)
