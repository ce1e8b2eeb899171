"""Profiles: named sets of settings for types of systems.

A profile contains what a configuration file may contain; the file overrides the profile. The
numbers are the judgement of awrlens for such systems; the comments have the reasons.
"""

from __future__ import annotations

from typing import Any, Final

from awrlens.records import NamedTuple


class Profile(NamedTuple):
    """A profile: its purpose, and its settings in the format of a configuration file."""

    name: str
    about: str
    settings: dict[str, Any]


_ALL: Final = (
    Profile(
        "prod-oltp",
        "interactive, many short transactions: low thresholds for commits and redo log writes",
        {
            # a commit of an interactive transaction waits for one redo log write; flash takes 1 ms
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
        "nightly loads and reports: throughput matters, single waits do not",
        {
            # only a large share of wait time delays a batch, and sorts are part of its work
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
        "flash cache and flash log: latencies of disks indicate a problem",
        {
            # Exadata Smart Flash Log writes take well below a millisecond (see `awrlens devices`)
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
#: The built-in profiles, by name.
PROFILES: Final = {each.name: each for each in _ALL}
