"""Decides which words of a report are Oracle's; all others are treated as names.

Unknown words are replaced, so that a section without a description reveals nothing. If a word
of Oracle is missing here, the redacted report loses a word but never reveals a name.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from awrlens.grammar import catalogue
from awrlens.lazy import regex

_LIST: Final = Path(__file__).parent / "words.txt"
_QUOTED: Final = regex(r'"((?:[^"\\]|\\.)*)"')
#: References for letters in a page, decoded to see whole names.
_REFERENCE: Final = (
    r"&(?:#(?!0*(?:160|3[2-9]|4[0-7]|5[89]|6[0-4]);)\d+|#x(?!0*(?:a0|2\w|3[a-f]);)[0-9a-f]+|"
    r"[a-z]+(?:acute|grave|uml|circ|tilde|cedil|ring|slash|lig));"
)
#: A word: the characters of Oracle identifiers.
WORD: Final = regex(rf"(?:\w|{_REFERENCE})(?:[\w$#]|{_REFERENCE})*", re.I)
#: Numbers with their units, and ordinals: 27.9K, 109.72us, 1st, 64bit, 11g, 2.5E+11.
_FIGURE: Final = regex(
    r"\d+(?:st|nd|rd|th|[kmgtp]b?|b|[mun]?s|us|min|h|x|e|e\d+|g|i|c|ai|bit|xx?)?", re.I
)
ADDRESS: Final = regex(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
#: Paths, names with a disk group, and text around an at sign.
PATH: Final = regex(
    r"(?<![\w<])(?:[A-Za-z]:)?[\\/][\w$#.+-]+[\\/][^\s<>\"'|,;]*|"
    r"(?<![\w<])[A-Za-z]:\\[^\s<>\"'|,;]*|(?<!\w)\+\w+[\\/][^\s<>\"'|,;]*|"
    r"(?<![\w.$#-])[\w.$#-]++@[\w.$#-]++"
)
#: Names of the database in titles and remarks; the groups are names.
TITLES: Final = (
    re.compile(r"DB/Inst: ?([^/\s]{0,128})/(\S+)"),
    re.compile(r" for DB: *(\S+) +Instance: *(\S+)"),
    re.compile(r"DB: *+([^,<\s]{0,128}), *Inst: *([^,<\s]+)"),
    re.compile(r"\bContainer: +([\w$#]+)"),
    re.compile(r"^[^\S\n]*+Module: *(.*)", re.M),
    re.compile(r"\bTask Name *: *(\S+)"),
    re.compile(r"\bTask (?:'(?:ADDM:)?|ADDM:)([^\s']+)"),
)
#: Words kept in cells with names: schemas, tablespaces and services that Oracle creates in every
#: database, and folders that identify kinds of files.
OWN: Final = frozenset(
    (
        *("SYS", "SYSTEM", "SYSAUX", "PUBLIC", "DBSNMP", "SYSMAN", "XDB", "MDSYS", "CTXSYS"),
        *("WMSYS", "OUTLN", "PERFSTAT", "AUDSYS", "TEMP", "UNDOTBS", "UNDOTBS1", "UNDOTBS2"),
        *("UNDOTBS3", "UNDOTBS4", "RBS", "SYS$USERS", "SYS$BACKGROUND", "CDB$ROOT", "PDB$SEED"),
        *("DATAFILE", "TEMPFILE", "ONLINELOG"),
    )
)
#: Keywords of parameters for redo transport.
TRANSPORT: Final = frozenset(
    (
        *("SERVICE", "LOCATION", "LGWR", "ARCH", "SYNC", "ASYNC", "AFFIRM", "NOAFFIRM"),
        *("VALID_FOR", "REOPEN", "MANDATORY", "OPTIONAL", "DELAY", "ONLINE_LOGFILES"),
        *("ALL_LOGFILES", "ALL_ROLES", "PRIMARY_ROLE", "STANDBY_ROLE", "NET_TIMEOUT"),
        *("MAX_FAILURE", "COMPRESSION", "DB_UNIQUE_NAME"),
    )
)
#: Values of parameters that are keywords, not names.
CHOICES: Final = frozenset(
    (
        *("true", "false", "auto", "manual", "typical", "full", "all", "none", "off", "on", "yes"),
        *("no", "low", "medium", "high", "data_only", "data_and_index", "basic", "default"),
        *("all_rows", "first_rows", "choose", "rule", "exact", "similar", "force", "exclusive"),
        *("shared", "asynch", "directio", "setall", "enable", "disable", "local", "global"),
        *("defer", "reset", "alternate"),
        *("adaptive", "limited", "maximum", "immediate", "deferred", "operator", "byte", "char"),
        *(
            "os",
            "db",
            "extended",
            "xml",
            "standard",
            "enterprise",
            "partial",
            "legacy",
            "unlimited",
        ),
    )
)
#: Parameters whose value is a release, which looks like an address.
RELEASES: Final = frozenset(("compatible", "optimizer_features_enable"))
#: Parameters whose values are names, even if they look like keywords.
NAMING: Final = regex(
    r"(?:^|_)(?:names?|domain|listeners?|services?|hosts?|dest|dispatchers|users?|roles?|rooms|"
    r"tablespaces?|groups?|prefix|files?|convert|config|server|client|directory|plan)(?:_|\d|$)"
)


def is_figure(word: str) -> bool:
    """Whether a word is a number, with or without a unit."""
    return _FIGURE.fullmatch(word) is not None


@cache
def vocabulary() -> frozenset[str]:
    """Words of titles, headings and labels in ``grammars/``, and of ``words.txt``."""
    found = set(_LIST.read_text(encoding="utf-8").split())
    for text in catalogue.read_sources().values():
        for line in text.splitlines():
            if not line.lstrip().startswith(("#", "about")):
                for quoted in _QUOTED.findall(line):
                    found.update(WORD.findall(quoted))
    return frozenset(found)


def is_oracles(word: str, also: frozenset[str] = frozenset()) -> bool:
    """Whether a word is Oracle's, or a number with a unit; upper case must match."""
    if len(word) == 1 or is_figure(word):
        return True
    known = vocabulary()
    if word in known or word in also:
        return True
    return not word.isupper() and (word.lower() in known or word.capitalize() in known)
