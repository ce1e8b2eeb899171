"""Lines of error logs of SQL Server, as it prints them; names and numbers are invented.

The only real message is document 5's, which the document prints.
"""

from __future__ import annotations

from awrlens import api
from awrlens.sqlserver.analysis import LogInput

DOCUMENT = """\
FlushCache: cleaned up 394031 bufs with 282252 writes in 65544 ms (avoided 21 new dirty bufs) for db 19:0
      average writes per second: 4306.30 writes/sec
      average throughput:        46.96 MB/sec, I/O saturation: 53644, context switches 101117
      last target outstanding:   639360, avgWriteLatency 1
"""  # noqa: E501 - as it is printed
BANNER = """\
2020-03-02 00:00:00.10 Server      Microsoft SQL Server 2017 (RTM-CU14) (KB4484710) - {release} (X64)
\tMar 12 2019 19:29:19
\tCopyright (C) 2017 Microsoft Corporation
\tEnterprise Edition (64-bit) on Windows Server 2016 Standard 10.0 <X64> (Build 14393: )
"""  # noqa: E501 - as it is printed


def banner(release: str = "14.0.3076.1") -> str:
    return BANNER.format(release=release)


def flush(
    at: str, database: int = 19, ms: int = 65544, *, bufs: int = 10000, writes: int = 8000,
    saturation: int = 800, target: int = 9000, latency: int = 1, who: str = "spid14s",
) -> str:  # fmt: skip
    """The message of a checkpoint that ended at a time."""
    rate = bufs * 8 / 1024 / (ms / 1000)
    return (
        f"{at} {who}     FlushCache: cleaned up {bufs} bufs with {writes} writes in {ms} ms "
        f"(avoided 7 new dirty bufs) for db {database}:0\n"
        f"{at} {who}           average writes per second: {writes / (ms / 1000):.2f} writes/sec\n"
        f"{at} {who}           average throughput:   {rate:.2f} MB/sec, "
        f"I/O saturation: {saturation}, context switches 4711\n"
        f"{at} {who}           last target outstanding: {target}, avgWriteLatency {latency}\n"
    )


def frozen(at: str, name: str) -> str:
    return (
        f"{at} spid60      I/O is frozen on database {name}. No user action is required. However, "
        "if I/O is not resumed promptly, you could cancel the backup.\n"
    )


def resumed(at: str, name: str) -> str:
    return f"{at} spid60      I/O was resumed on database {name}. No user action is required.\n"


def slow(at: str, database: str = "id 19", requests: int = 3, ms: int = 16000) -> str:
    return (
        f"{at} spid9s      SQL Server has encountered {requests} occurrence(s) of I/O requests "
        f"taking longer than 15 seconds to complete on file [D:\\data\\orders.mdf] in database "
        f"{database}.  The OS file handle is 0x0000000000000C08.  The offset of the latest long "
        f"I/O is: 0x00000002dd9a00.  The duration of the long I/O is: {ms} ms.\n"
    )


def named(database: int, name: str) -> str:
    return (
        f"2020-03-02 00:00:05.00 spid22s     Recovery completed for database {name} (database ID "
        f"{database}) in 3 second(s) (analysis 31 ms, redo 22 ms, undo 11 ms.) This is an "
        "informational message only. No user action is required.\n"
    )


def read(text: str | bytes) -> LogInput:
    """The only log of a text."""
    (found,) = api.load_inputs(text if isinstance(text, bytes) else text.encode(), "log")
    assert isinstance(found, LogInput), found
    return found
