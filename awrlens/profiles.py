"""Profiles: settings that belong together, for kinds of systems; chosen by name.

A profile says what a configuration file may say, and what the file says itself weighs more. Its
numbers are awrlens's own judgement of what such systems can expect, with the reason beside each.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple


class Profile(NamedTuple):
    """A profile: what it is for, and its settings in the shape of a configuration file."""

    name: str
    about: str
    settings: dict[str, Any]


_ALL: Final = (
    Profile(
        "prod-oltp",
        "many short transactions that people wait for: commits and their log writes count early",
        {
            # a commit of an interactive transaction waits for one write; flash answers in 1 ms
            "thresholds": {
                "redo.slow_write_ms": 5.0,
                "impact.slower_ms": 5.0,
                "impact.several_sessions": 0.05,
                "impact.warning_pct": 3.0,
                "impact.critical_pct": 15.0,
            },
            "check": {"fail-on": ["warning"]},
        },
    ),
    Profile(
        "batch",
        "loads and reports at night: throughput counts, single waits do not",
        {
            # a batch is late by shares of its time, and sorts are its work
            "thresholds": {
                "impact.several_sessions": 0.3,
                "impact.info_pct": 3.0,
                "impact.warning_pct": 10.0,
                "impact.critical_pct": 30.0,
                "temp.heavy_share_pct": 50.0,
            },
            "check": {"fail-on": ["critical"], "ignore": ["REDO006"]},
        },
    ),
    Profile(
        "exadata",
        "flash cache and flash log: what takes a disk's time is wrong there",
        {
            # Exadata's flash log answers in well below a millisecond (see `awrlens devices`)
            "device": "exadata-flash",
            "thresholds": {
                "redo.slow_write_ms": 2.0,
                "temp.slow_read_ms": 1.0,
                "temp.slow_write_ms": 2.0,
                "impact.slow_ms": 1.0,
                "impact.slower_ms": 2.0,
                "impact.slowest_ms": 8.0,
                "undo.buffer_wait_ms": 4.0,
            },
        },
    ),
)
#: Profiles that come with awrlens, by name.
PROFILES: Final = {each.name: each for each in _ALL}
