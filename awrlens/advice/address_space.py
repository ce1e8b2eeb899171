"""How much memory a 32-bit Oracle can address: advice stays below it.

Sources: Oracle Database Platform Guide for Windows (all sessions are threads of one process, with
2 GB of addresses, or 3 GB with /3GB in boot.ini); Oracle Database Administrator's Reference for
UNIX (a session is a process of its own, which also maps the SGA).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.units import plain

if TYPE_CHECKING:
    from awrlens.advice.case import Case

#: Values of the fact database.address_space.
WINDOWS_32: Final = "32-bit Windows"
OTHER_32: Final = "32-bit"
WINDOWS: Final = "Windows"
#: MB of addresses of a 32-bit process on Windows: usual, and with /3GB in boot.ini.
_USUAL_MB: Final = 2048
_MOST_MB: Final = 3072
_SHARED: Final = (
    "the SGA{sga} and all sessions share the 2 GB of addresses of one process (3 GB with /3GB in "
    "boot.ini); beyond that, sessions fail with ORA-04030"
)
_OWN: Final = "the SGA{sga} and the memory of one session share at most 4 GB of addresses"


def bound(case: Case) -> tuple[str, ...]:
    """A risk of larger caches and work areas; none if Oracle is 64-bit or the report has no sign.

    With the number of sessions, it says how much is left for each.
    """
    space, size = case.value("database.address_space"), case.get("database.sga_mb")
    sga = "" if size is None else f" ({size:,.0f} MB)"
    if space == OTHER_32:
        return (f"Oracle is 32-bit: {_OWN.format(sga=sga)}.",)
    if space == WINDOWS:
        return (f"If Oracle is 32-bit on this Windows host, {_SHARED.format(sga=sga)}.",)
    if space != WINDOWS_32:
        return ()
    return (f"Oracle is 32-bit on Windows: {_SHARED.format(sga=sga)}.{_left(case)}",)


def exceeds(case: Case, pga_mb: float) -> bool:
    """Whether a PGA target and the SGA are certainly more than the process can address."""
    size = case.get("database.sga_mb")
    is_bound = case.value("database.address_space") == WINDOWS_32
    return is_bound and size is not None and size + pga_mb > _MOST_MB


def _left(case: Case) -> str:
    """What the SGA leaves for each session, on average."""
    size, sessions = case.get("database.sga_mb"), case.get("load.sessions")
    if size is None or not sessions or size >= _MOST_MB:
        return ""
    whole = _USUAL_MB if size < _USUAL_MB else _MOST_MB
    each = plain((whole - size) / sessions, 2)
    return (
        f" Of {whole / 1024:.0f} GB, at most {each} MB is left for each of the {sessions:,.0f} "
        "sessions, all of its work areas included."
    )
