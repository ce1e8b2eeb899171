"""The messages of SQL Server's error log on checkpoints and their layouts, as data.

A line is parsed only if it contains one of the ``needle`` texts. Checkpoint lines are in English in
every language of the server; message 833 is recognized by its layout in any language.
A database name has at most 128 characters and a path 260 (SQL Server: sysname, sys.database_files).
These limits bound the time for a line with nothing but beginnings of messages.
"""

from __future__ import annotations

import re
from typing import Final

from awrlens.records import NamedTuple


class Message(NamedTuple):
    """A kind of line: its name, a text that it always contains, and its layout."""

    kind: str
    needle: str
    pattern: re.Pattern[str]


_NAME: Final = r"(?P<name>.{1,128})"
_ID: Final = r"\((?P<id>\d{1,15})"

#: Numbers in the lines after the first line of a checkpoint's message.
DETAILS: Final = "details"

#: The first matching pattern of a kind is used. If several kinds match, the one that begins first
#: in the line is used, because a database name may contain any text, even another message.
MESSAGES: Final = (
    # Indirect Checkpoints: the message that filled the error log
    Message("checkpoint", "FlushCache: cleaned up", re.compile(
        r"FlushCache: cleaned up (?P<bufs>\d{1,15}) bufs with "
        r"(?P<writes>\d{1,15}) writes in (?P<ms>\d{1,15}) ms"
        r"(?: \(avoided (?P<avoided>\d{1,15}) new dirty bufs\))?"
        r"(?: for db (?P<database>\d{1,15})(?::(?P<unit>\d{1,15}))?)?")),
    Message(DETAILS, "average writes per second", re.compile(
        r"average writes per second:\s*(?P<writes_per_s>\d{1,15}(?:[.,]\d{1,6})?)")),
    Message(DETAILS, "average throughput", re.compile(
        r"average throughput:\s*(?P<mb_per_s>\d{1,15}(?:[.,]\d{1,6})?)\s*MB/sec")),
    Message(DETAILS, "I/O saturation", re.compile(r"I/O saturation:\s*(?P<saturation>\d{1,15})")),
    Message(DETAILS, "context switches", re.compile(
        r"context switches:?\s*(?P<switches>\d{1,15})")),
    Message(DETAILS, "last target outstanding", re.compile(
        r"last target outstanding:\s*(?P<target>\d{1,15})")),
    Message(DETAILS, "avgWriteLatency", re.compile(r"avgWriteLatency:?\s*(?P<latency>\d{1,15})")),
    Message("catchup", "DirtyPageMgr::", re.compile(
        r"DirtyPageMgr::ForceCatchupOrFlushCache"
        r"(?:.{0,200}?\b(?:db|dbid|database)(?: ?id)?\W{0,3}(?P<database>\d{1,15}))?", re.I)),
    # messages 3197 and 3198; a name may contain any text, so the last such ending is used
    Message("frozen", "I/O is frozen on database", re.compile(
        r"I/O is frozen on database (?P<name>.{1,128})\. No user action is required\.")),
    Message("resumed", "I/O was resumed on database", re.compile(
        r"I/O was resumed on database (?P<name>.{1,128})\. No user action is required\.")),
    # message 833
    Message("slow", "I/O requests taking longer than", re.compile(
        r"encountered (?P<requests>\d{1,15}) occurrence\(s\) of I/O requests taking longer than "
        r"\d+ seconds to complete on file \[(?P<file>.{0,260}?)\] in database "
        r"(?:id (?P<database>\d{1,15})|"
        r"(?:id )?\[?(?P<name>.{0,128}?)\]? [\[(](?P<id>\d{1,15})[\])])"
        r"(?:.*duration of the long I/O is: (?P<longest>\d{1,15}) ms)?")),
    *(
        Message("slow", f"{ending}]", re.compile(
            r"(?P<requests>\d{1,15})[^\d\[]+15[^\d\[]+\[(?P<file>[^\]]{0,260})\][^\[\]]{0,200}?"
            r"(?:\[(?P<name>[^\]]{0,128})\]\s*\((?P<id>\d{1,15})\)|(?P<database>\d{1,15}))"
            r"[^\[\]]{0,200}0x.*0x"))
        for ending in (".mdf", ".ndf", ".ldf")
    ),
    # message 833 where the database comes before the file, or the seconds before the requests; the
    # texts are those of MSSQLSERVER_833 in Microsoft's documentation
    Message("slow", "I/O 要求を", re.compile(
        r"データベース \[(?P<name>[^\]]{0,128})\] ?\((?P<id>\d{1,15})\) のファイル "
        r"\[(?P<file>[^\]]{0,260})\] で、完了に \d+ 秒以上かかった I/O 要求を "
        r"(?P<requests>\d{1,15}) 個検出しました")),
    Message("slow", "I/O 요청이", re.compile(
        r"데이터베이스 \[(?P<name>[^\]]{0,128})\] ?\((?P<id>\d{1,15})\)의 파일 "
        r"\[(?P<file>[^\]]{0,260})\]에서 완료하는 데 \d+초보다 오래 걸리는 I/O 요청이 "
        r"(?P<requests>\d{1,15})개 발생했습니다")),
    Message("slow", "I/O 请求", re.compile(
        r"SQL Server 已(?:遇到)? (?P<requests>\d{1,15}) 次[^\[\]\d]{0,40}"
        r"(?:\[(?P<name>[^\]]{0,128})\] ?\((?P<id>\d{1,15})\)|(?P<database>\d{1,15})) ?中的?文件 "
        r"\[(?P<file>[^\]]{0,260})\][^\d\[\]]{0,40}\d+ 秒")),
    Message("slow", "I/O 要求的", re.compile(
        r"在資料庫中? \[(?P<name>[^\]]{0,128})\] ?\((?P<id>\d{1,15})\) ?的檔案 "
        r"\[(?P<file>[^\]]{0,260})\] 上,SQL Server 發現 I/O 要求的 (?P<requests>\d{1,15}) "
        r"發生時間超過 \d+ 秒")),
    # message 5084; the names of options are in English in every language
    Message("setting", "Setting database option target_recovery_time", re.compile(
        r"Setting database option target_recovery_time to (?P<seconds>\d{1,9}) for database "
        r"'(?P<name>.{1,128})'\.")),
    # lines with the name of a database and its ID
    *(
        Message("name", needle, re.compile(pattern))
        for needle, pattern in (
            ("Recovery completed for database ",
             rf"Recovery completed for database {_NAME} \(database ID (?P<id>\d{{1,15}})\) in "),
            ("Recovery is writing a checkpoint in database ",
             rf"Recovery is writing a checkpoint in database '{_NAME}' {_ID}\)"),
            (" transactions rolled forward in database ",
             rf"rolled forward in database '{_NAME}' {_ID}(?::\d{{1,15}})?\)"),
            (" transactions rolled back in database ",
             rf"rolled back in database '{_NAME}' {_ID}(?::\d{{1,15}})?\)"),
            ("Recovery of database ",
             rf"Recovery of database '{_NAME}' {_ID}\) is "),
        )
    ),
    Message("banner", "Microsoft SQL Server ", re.compile(
        r"Microsoft SQL Server (?P<product>.{1,200}?) - "
        r"(?P<release>\d{1,9}\.\d{1,9}\.\d{1,9}(?:\.\d{1,9})?)")),
    Message("edition", " Edition", re.compile(
        r"^\s+(?P<edition>\S[^\r\n]*? Edition\b.*(?<!\s))\s*$")),
    Message("server", "Server name is ", re.compile(r"Server name is '(?P<name>[^']*)'")),
    # KB 177545 and later releases: the lazy writer has no buffer to hand out
    Message("short", "o free buffers found", re.compile(
        r"Lazy ?Writer: warning, no free buffers found", re.I)),
    # message 17890, KB 918483
    Message("short", "process memory has been paged out", re.compile(
        r"A significant part of sql server (?P<paged>process memory has been paged out)")),
    Message("memory", " MB of RAM", re.compile(r"Detected (?P<mb>\d{1,15}) MB of RAM")),
    Message("node", "Node configuration: node ", re.compile(
        r"Node configuration: node (?P<node>\d{1,4}): CPU mask")),
    Message("cpus", " total logical processors", re.compile(
        r"(?P<cpus>\d{1,15}) total logical processors")),
)  # fmt: skip

#: A text with a message of one of these kinds is a SQL Server error log.
TELLING: Final = ("checkpoint", "catchup", "frozen", "resumed", "slow")
