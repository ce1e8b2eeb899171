"""Strings that grow where a reader may lose its way, and how long it takes to read them.

A piece is repeated behind a lead; a host says where in a file the repetitions stand.
"""

from __future__ import annotations

import signal
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import samples

from awrlens import api
from awrlens.errors import AwrlensError, UnknownInputError
from awrlens.lab import alert_log, measure
from awrlens.redact.names import Names

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

#: What is repeated: beginnings of tags, marks, and words that readers look for.
TAGS: Final = (
    "<a ", "<td ", "<th ", "<tr ", "<table ", "<pre ", "<h3 ", "<li ", "<br ", "<p ", "<style ",
    "<title ", "<a>", "<td>", "<th>", "<tr>", "<table>", "<pre>", "<h3>", "<br>", "<p>", "<head>",
    "</td>", "</th>", "</tr>", "</h3>", "<style>", "<title>", "<html>", "<!--", "-->", "<!", "<",
    ">", "</", "<a", "<td", "<table", "<h1", '<a href="', "<td a='", "<a =", "<a a=a",
    "<tr><td>", "<tr><th>x", "<table><tr><td>", "<table></table>", "<td>1</td>",
    "<tr><td>a</td></tr>", "<h3>a</h3>", "<th colspan=2>", "<th rowspan=9>x", "colspan=",
    "<p>a</p>", "<p><b>", "<div>", "<div><span>", "<o:p>", "<a></a>", "</td>\n<!--", "<td>a\n",
    "<br>\n", "<pre>a</pre>\n", "<h3>a<table>", "<pre></pre>", "<td><table>", "<td><pre>",
)  # fmt: skip
MARKS: Final = (
    " ", "\t", "\n", "\r", "\r\n", "\f", "\u000b", "\b", "a\b", "\u001b[", "\u001b]", "\u001b",
    "\u00a0", "\u00a0 ", "\u200b", "\u2500", ":", "-", "--", "- ", "-- ", "---- ", "=", "=\n",
    "~ ", "~~~ ", "|", "| ", "|-", "+-", "*", "#", "```", ".", ",", "'", '"', "(", "[", "{", "/",
    "\\", "@", "$", "&", "&#", "&a", "&#65;", "&nbsp;", " :", " -", " >", "> ", ">", " |", "a|",
    "|a|", "a\t", "\ta", " '", ' "', "= ", "x ", "x  ", "x\n", "x \n", "\nx", " \n", "\n ",
)  # fmt: skip
WORDS: Final = (
    "a", "1 ", "1,", "1.", "1.2", "1,2", "1 2", "1'", "1:", "1-", "1,234", "1.234", "1e", "-1",
    "1.1.1.1", "a@", "a.", "a-", "a/", "/a", "C:\\a", "a:", "a: ", "a: 1 ", "a:1\n", "a  b",
    "a (", "a ( ", "(a) ", " for DB:", "x DB: ", "for DB: ", "DB/Inst:", "DB/Inst: a/b ",
    " Inst:", ", Inst:", "DB: a, Inst:", "Instance: ", " DB: ", "DB: a Instance: ", "Snaps: 1",
    "Snap", " for DB: a Instance: b ", "DB/Inst: a/b  Snaps: 1", "Container: a", "Module: ",
    "STATSPACK report for", "WORKLOAD REPOSITORY ", "WORKLOAD REPOSITORY report for\n",
    "End of Report", "report", "Report\n", "ADDM Report for Task ", "ORA-1: \n", "SQL> ",
    "SQL> \n", "--More--", "OUTPUT\n", "OUTPUT\n------------\n", "ERROR:\n", "Task Name: ",
    "Task 'ADDM:", "-> ", "-> a\n", "Warning: ", "->\n  a\n", "Note: a\n", "PDB: ", "   PDB: a\n",
    "a~~~\n", "~~~\n", "---- ----\n", "a b\n---- ----\n", "a b\n---- ----\nx 1\n",
    "          ----------\n", "a\n          -----\n", "a  b  c\n", "1 2 3\n", "a|b|c\n",
    "a\tb\tc\n", "|a|b|\n|-|-|\n", "a DB/Inst: b/c  Snaps: 1-2\n", "a\n~~~~\n", "A: 1\n",
    "a b c 1 2\n", "undo", "temp", "/**/", "/*", "--\n", "-- \n", "select ", "(select ",
    "charset=", "charset = ", "Content-Type: a\n", "From ", "a: b\n", " a\n", "begin ",
    "Thread 1 advanced to log sequence 1\n", "Starting ORACLE instance\n", "FlushCache: ",
    "2026-01-01 00:00:00 a\n", "Mon Jan 01 00:00:00 2026\n", "ORA-00600: a\n",
    "checkpoint_begin,", "<event name=", "Beginning crash recovery ", "1 rows ",
)  # fmt: skip
#: What is repeated behind a lead: what a reader is made to look for further on.
LED: Final = (
    ("<th colspan=", " "), ('<th colspan="', " "), ("<td ", "="), ('<td a="', " "),
    ("<a ", "-"), ("<a ", "a"), ("<table ", "a="), ("DB: ", "a"), (" for DB: ", " "),
    (" for DB: a", " "), (" for DB: a Instance: ", " "), ("DB/Inst: ", "a"), ("DB/Inst: a/", " "),
    ("DB/Inst: a/b", " "), ("DB/Inst: a/b Snap: ", " "), ("DB/Inst: a/b Snap: ", "1"),
    ("Module:", " "), ("Container:", " "), ('"', "\\"), ("STATSPACK report for DB: ", " "),
    ("a (", " "), ("a (", ")"), ("a", " ("), ("<!--", "-"), ("<!--", "a"), ("<pre", " "),
    ("</pre", " "), ("charset", " "), ("1", ","), ("1", "0"), ("1.", "0"), ("1e", "9"),
    ("-", " -"), ("----", " "), ("~", " ~"), ("a", ":"), ("a:", " "), ("x", "\t"), ("|", " "),
    ("'", " "), ("/*", "*"), ("--", "-"), ("<", "!"), ("<h1", " "), ("<title", "a"),
    ("Content-Type:", "\n "), ("&#", "0"), ("&", "a"), ("\u001b[", "0"), ("\u001b]", "a"),
    ("{panel", "a"), ("```", "a"), ("h1.", " "), ("Snaps: 1-", "1"), (">", " >"),
)  # fmt: skip
ALL: Final = tuple(dict.fromkeys([*(("", piece) for piece in (*TAGS, *MARKS, *WORDS)), *LED]))

_TEXT: Final = "redo-disk.statspack-9.2.lst"
_PAGE: Final = "redo-disk.awr-11.2.html"
_MAIL: Final = "MIME-Version: 1.0\nContent-Type: text/html; charset=x\n"
_ALERT_LOG: Final = Path(__file__).parent / "alertlogs" / "10g.log"


@cache
def _sample(name: str) -> str:
    return samples.path(name).read_text()


def _within(name: str, words: str, *, behind: bool = True) -> Callable[[str], str]:
    """A host: a sample with the pump before or behind some words of it."""

    def host(pump: str) -> str:
        text = _sample(name)
        at = text.index(words) + len(words) * behind
        return text[:at] + pump + text[at:]

    return host


#: Where repetitions stand: alone, or in a report.
HOSTS: Final[dict[str, Callable[[str], str]]] = {
    "alone": lambda pump: pump + "x",
    "line of a text": lambda pump: _sample(_TEXT) + "\n" + pump + "x\n",
    "margin of a text": lambda pump: pump[:60] + _sample(_TEXT) + pump + "x |\n",
    "row of a text": _within(_TEXT, "log file parallel write"),
    "title of a text": _within(_TEXT, "Wait Events for DB:", behind=False),
    "before a text": lambda pump: pump + "\n" + _sample(_TEXT),
    "cell of a page": _within(_PAGE, ">log file parallel write"),
    "tag of a page": _within(_PAGE, "<td", behind=True),
    "between tables": _within(_PAGE, "</table>"),
    "behind a page": lambda pump: _sample(_PAGE) + pump + "x",
    "before a page": lambda pump: pump + "\n" + _sample(_PAGE),
    "heading of a page": _within(_PAGE, "<th", behind=False),
    "shown": lambda pump: f"<html><body><pre>{_sample(_TEXT)}\n{pump}x</pre>",
    "mail": lambda pump: f"{_MAIL}X: {pump}\n\n{_sample(_PAGE)}",
    "alert log": lambda pump: _ALERT_LOG.read_text() + pump + "x\n",
    "line of an error log": _within("sqlserver-errorlog.log", "FlushCache: cleaned up "),
    "exported events": _within("sqlserver-checkpoints-before.csv", "checkpoint_end"),
}


class TooLongError(Exception):
    """A string takes longer than it may."""


def grown(host: str, lead: str, piece: str, size: int) -> bytes:
    """A file of a host in which a piece is repeated until it has a size."""
    pump = lead + piece * (size // len(piece))
    return HOSTS[host](pump).encode("utf-8", "replace")


def _stop(_: int, __: FrameType | None) -> None:
    raise TooLongError


def seconds(data: bytes, *, redact: bool = False, cap: float = 60.0) -> float:
    """Processor time of reading and analysing; TooLongError where it is more than ``cap``."""
    before = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, cap)
    begin = time.process_time()
    try:
        names = Names(key=b"k" * 32) if redact else None
        for found in api.load_inputs(data, "pump", names):
            if not isinstance(found, AwrlensError):
                api.analyze(found)
            elif isinstance(found, UnknownInputError) and alert_log.is_alert_log(found.text):
                measure.measure(found.text, "pump")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return time.process_time() - begin


class Case(NamedTuple):
    """A string that grows, and how it is read."""

    host: str
    lead: str
    piece: str
    redact: bool

    def took(self, size: int, cap: float = 60.0) -> float:
        """Processor time at a size."""
        return seconds(grown(self.host, self.lead, self.piece, size), redact=self.redact, cap=cap)
