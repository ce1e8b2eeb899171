"""Reports made of single sections, for figures of the documents that the facts are tried with."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from awrlens import api

if TYPE_CHECKING:
    from awrlens.model import Analysis, Fact
    from awrlens.report.report import Report

_HEAD = """
WORKLOAD REPOSITORY report for

DB Name         DB Id    Instance     Inst Num Startup Time    Release     RAC
------------ ----------- ------------ -------- --------------- ----------- ---
AULTDB        1318446013 aultdb1             1 20-Aug-08 09:12 {release}  NO

Host Name        Platform                         CPUs Cores Sockets Memory(GB)
---------------- -------------------------------- ---- ----- ------- ----------
aultlab1         {platform:<32}    2     1       1       7.69

              Snap Id      Snap Time      Sessions Curs/Sess
            --------- ------------------- -------- ---------
Begin Snap:       108 29-Aug-08 21:31:46        41       1.5
  End Snap:       111 {end}        40       1.3
   Elapsed:            {elapsed:>12.2f} (mins)
   DB Time:            {db_time:>12.2f} (mins)

Cache Sizes                       Begin        End
~~~~~~~~~~~                  ---------- ----------
               Buffer Cache:     2,360M     2,360M  Std Block Size:         8K
           Shared Pool Size:       512M       512M      Log Buffer:    10,604K

Load Profile              Per Second    Per Transaction   Per Exec   Per Call
~~~~~~~~~~~~         ---------------    --------------- ---------- ----------
       Redo size:        2,285,108.3          536,801.8

"""
IO = ("Reads", "Av Reads/s", "Av Rd(ms)", "Av Blks/Rd", "Writes", "Av Writes/s", "Buffer Waits",
      "Av Buf Wt(ms)")  # fmt: skip
EVENTS = ("Event", "Waits", "%Time -outs", "Total Wait Time (s)", "Avg wait (ms)", "Waits /txn",
          "% DB time")  # fmt: skip

#: The last event of a complete list of waits.
IDLE = "SQL*Net message from client | 70,000 | 0 | 40,000 | 571 | 1.0 |"


def section(title: str, headings: tuple[str, ...], rows: list[str]) -> str:
    """A section with a ruler; a row's cells are parted by bars, the first is text."""
    cells = [headings, *(tuple(cell.strip() for cell in row.split("|")) for row in rows)]
    widths = [max(len(row[n]) for row in cells) for n in range(len(headings))]

    def line(row: tuple[str, ...]) -> str:
        texts = [row[0].ljust(widths[0])]
        texts += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        return " ".join(texts).rstrip()

    ruler = " ".join("-" * width for width in widths)
    body = [line(cells[0]), ruler, *(line(row) for row in cells[1:])]
    end = "          " + "-" * 61
    return "\n".join([f"{title}  DB/Inst: AULTDB/aultdb1  Snaps: 108-111", "", *body, end, ""])


def tablespaces(*rows: str) -> str:
    return section("Tablespace IO Stats", ("Tablespace", *IO), list(rows))


def files(*rows: str, headings: tuple[str, ...] = IO) -> str:
    return section("File IO Stats", ("Tablespace", "Filename", *headings), list(rows))


def statistics(*rows: str) -> str:
    return section("Instance Activity Stats", ("Statistic", "Total", "per Second", "per Trans"),
                   [f"{row} | 0.0 | 0.0" for row in rows])  # fmt: skip


def waits(*rows: str) -> str:
    """A complete list of waits: it ends with an idle event, as all of Oracle's do."""
    return section("Foreground Wait Events", EVENTS, [*rows, IDLE])


def time_model(cpu_s: str) -> str:
    headings = ("Statistic Name", "Time (s)", "% of DB Time")
    return section("Time Model Statistics", headings, [f"DB CPU | {cpu_s} | "])


def parameters(*rows: str) -> str:
    headings = ("Parameter Name", "Begin value", "End value (if different)")
    # values begin where the ruler does, as in reports
    width = max(len(row.split("|")[1].strip()) for row in rows)
    return section("init.ora Parameters", headings,
                   [f"{row.split('|')[0]} | {row.split('|')[1].strip().ljust(width)} | "
                    for row in rows])  # fmt: skip


def head(
    elapsed_s: float = 12_358.0, db_time_s: float = 29_659.0, release: str = "11.2.0.1.0",
    platform: str = "Linux x86 64-bit",
) -> str:  # fmt: skip
    end = datetime(2008, 8, 29, 21, 31, 46) + timedelta(seconds=elapsed_s)  # noqa: DTZ001
    return _HEAD.format(
        end=f"{end:%d-%b-%y %H:%M:%S}",
        elapsed=elapsed_s / 60,
        db_time=db_time_s / 60,
        release=release,
        platform=platform,
    )


def report(
    *sections: str, elapsed_s: float = 12_358.0, db_time_s: float = 29_659.0,
    release: str = "11.2.0.1.0", platform: str = "Linux x86 64-bit",
) -> Report:  # fmt: skip
    text = head(elapsed_s, db_time_s, release, platform) + "\n".join(sections)
    return api.load(text.encode(), "figure")


def analysis(
    *sections: str, elapsed_s: float = 12_358.0, db_time_s: float = 29_659.0,
    release: str = "11.2.0.1.0", platform: str = "Linux x86 64-bit",
) -> Analysis:  # fmt: skip
    found = report(
        *sections, elapsed_s=elapsed_s, db_time_s=db_time_s, release=release, platform=platform
    )
    return api.analyze(found)


def facts(
    *sections: str, elapsed_s: float = 12_358.0, db_time_s: float = 29_659.0
) -> dict[str, Fact]:
    return dict(analysis(*sections, elapsed_s=elapsed_s, db_time_s=db_time_s).facts)
