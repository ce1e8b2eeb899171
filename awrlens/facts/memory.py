"""The memory that one process can address: the size of the SGA, and whether Oracle is 32-bit.

Sources: Oracle Database Reference, V$SGA and V$DATABASE.PLATFORM_NAME; Oracle Database Platform
Guide for Windows (all sessions are threads of one process).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.fact_table import fact
from awrlens.facts import tablespace_tables
from awrlens.facts.formula import Figure, Missing, add, as_input, derive, text_fact, unavailable
from awrlens.facts.placement import is_on_drive
from awrlens.facts.sections import FILES

if TYPE_CHECKING:
    from awrlens.facts.numbers import Figures
    from awrlens.model import Evidence, Fact

_SGA: Final = ("sga_summary",)
#: The row that some layouts print below the parts.
_SUM: Final = "sum"
#: A 32-bit process addresses no more, on any platform.
_32_BIT_MB: Final = 4096
#: The releases of Oracle for Windows: 8i is 32-bit, the server of 12.1 and later is 64-bit.
_FIRST_OTHER: Final = (9, 0)
_LAST_32_BIT: Final = (12, 0)
#: Oracle is 32-bit on Windows, or elsewhere; it is on Windows, 32-bit or not.
WINDOWS_32: Final = "32-bit Windows"
OTHER_32: Final = "32-bit"
WINDOWS: Final = "Windows"
_64_BIT: Final = "64-bit"


@fact("database.sga_mb", "MB", "sga_summary", kind="setting", better="neither")
def sga_mb(f: Figures) -> Fact:
    """Size of the SGA at the end of the interval."""
    table = f.tables.get("sga_summary")
    if table is None:
        return unavailable(f.missing("sga_summary"))
    absent = Missing("SGA Memory Summary has no such column", _SGA)
    parts: list[Figure] = []
    for row in table.rows:
        if row.key.lower() == _SUM:
            continue
        changed = row.cell("end_size_b")
        cell = changed if changed is not None and changed.text else row.cell("size_b")
        size = f.figure(cell, "B", absent)
        if isinstance(size, Missing):
            return unavailable(size)
        parts.append(size)
    if not parts:
        return unavailable(Missing("SGA Memory Summary has no rows", _SGA))
    return derive("sga / 1024 / 1024", sga=add(parts, "B of the SGA"))


@fact("database.address_space", "name", "host|sga_summary", FILES, kind="setting", better="neither")
def address_space(f: Figures) -> Fact:
    """Whether Oracle is a 32-bit program, and on Windows, as far as the report shows it.

    By the platform, where it is printed; an SGA above 4 GB is 64-bit. Files on drives are those of
    Windows: 8i is 32-bit there, 12.1 and later are 64-bit, and for others it is not known.
    """
    row = f.only("host")
    cell = None if isinstance(row, Missing) else row.cell("platform")
    if cell is not None and "-bit" in cell.text:
        return text_fact(_of_platform(cell.text), (f.evidence(cell),), "derived")
    size = as_input(sga_mb(f), "MB SGA")
    if isinstance(size, Figure) and size.value > _32_BIT_MB:
        return text_fact(_64_BIT, size.evidence, "derived", "the SGA is larger than 4 GB")
    proof = _on_drive(f)
    if not proof:
        return unavailable(Missing("the platform is not in the report", ("host", "file_io")))
    if f.release is not None and f.release < _FIRST_OTHER:
        note = "files are on drives of Windows, for which 8i is a 32-bit program"
        return text_fact(WINDOWS_32, proof, "estimated", note)
    if f.release is not None and f.release >= _LAST_32_BIT:
        note = "files are on drives of Windows, for which this release is a 64-bit program"
        return text_fact(_64_BIT, proof, "estimated", note)
    note = "files are on drives of Windows; whether Oracle is 32-bit is not in the report"
    return text_fact(WINDOWS, proof, "estimated", note)


def _of_platform(name: str) -> str:
    """``Microsoft Windows IA (32-bit)`` and the like."""
    if "32-bit" not in name:
        return _64_BIT
    return WINDOWS_32 if "windows" in name.lower() else OTHER_32


def _on_drive(f: Figures) -> tuple[Evidence, ...]:
    """The first file whose name begins with a drive; empty if none does."""
    table = tablespace_tables.files(f)
    cells = (row.cell("filename") for row in table.rows) if table is not None else ()
    found = next((cell for cell in cells if cell is not None and is_on_drive(cell.text)), None)
    return () if found is None else (f.evidence(found),)
