"""What a release of Oracle has: parameters, views and clauses of commands, and features.

Advice chooses among commands by this table: one with a later word cannot run in an earlier release.

Sources: Oracle8i Reference (8.1.6), Oracle9i Database Reference and SQL Reference, Oracle Database
Reference of later releases; Oracle Database Licensing Information (fast-start fault recovery is
part of Enterprise Edition).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.queries import named, texts
from awrlens.oracle.checkpoints import PARAMETERS, redo_limits
from awrlens.units import release_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

#: The first release (major, minor) that has each word of a command, or feature.
SINCE: Final = {
    word.strip('"'): release
    for number, words in named("features.txt").items()
    for word in words.split("\n")
    if word and (release := release_of(number))
}
#: Parameters that take effect at the next start only.
STATIC: Final = ("disk_asynch_io", "filesystemio_options", "log_buffer", "rollback_segments")
#: Parameters that ALTER SYSTEM changes in 8i for new sessions only. # Oracle8i Reference
_DEFERRED: Final = ("db_block_checking",)


def has(facts: Mapping[str, Fact], word: str) -> bool | None:
    """Whether the report's release has a word of the table; None if the release is not known."""
    release = release_of(str(facts["database.release"].value or ""))
    return release >= SINCE[word] if release else None


def runs(facts: Mapping[str, Fact], command: str) -> bool:
    """Whether the report's release has all words of a command; an unknown release has them."""
    said = command.lower()
    return all(has(facts, word) is not False for word in SINCE if word in said)


def change(
    facts: Mapping[str, Fact], name: str, value: object, scope: str = "BOTH", everywhere: str = ""
) -> str:
    """The command that sets a parameter, in the way of the report's release.

    8i has no spfile: what ALTER SYSTEM sets is lost at the next start, and a static parameter is
    set in the parameter file.
    """
    if has(facts, "scope=") is not False:
        of = "SPFILE" if name in STATIC else scope
        return f"ALTER SYSTEM SET {name}={value} SCOPE={of}{everywhere};"
    if name in STATIC:
        return f"{name}={value} # in the parameter file, from the next start"
    deferred = " DEFERRED" if name in _DEFERRED else ""
    kept = "" if scope == "MEMORY" else " -- and in the parameter file, for the next start"
    return f"ALTER SYSTEM SET {name}={value}{deferred};{kept}"


def refused(facts: Mapping[str, Fact]) -> str:
    """Why FAST_START_MTTR_TARGET does not apply, in words; empty if it applies."""
    role = str(facts["database.role"].value or "")
    edition = str(facts["database.edition"].value or "")
    if has(facts, "fast_start_mttr_target") is False:
        return texts("recovery before 9i")[0] + _now(facts)
    if "STANDBY" in role.upper():
        return (
            f"This is a {role.lower()}. The apply lag determines how soon it can open, not "
            "FAST_START_MTTR_TARGET. Calculate the target from a report of the primary."
        )
    if edition.upper().startswith(("SE", "STD", "STANDARD")):
        return texts("no fast-start recovery")[0] + _now(facts)
    return ""


def _now(facts: Mapping[str, Fact]) -> str:
    """What limits recovery in this report: the redo of a log switch, and the parameters."""
    limits = [limit.words for limit in redo_limits(lambda name: facts[name].number)]
    limits += [
        f"{name}={blocks:.0f}"
        for name in ("FAST_START_IO_TARGET", "DB_BLOCK_MAX_DIRTY_TARGET")
        if (blocks := facts[PARAMETERS[name]].number)
    ]
    if switched := facts["redo.mb_per_switch"].number:
        limits.append(f"a log switch every {switched:,.0f} MB of redo")
    return f" In this report: {', '.join(limits)}." if limits else ""
