"""Which words of a report are Oracle's: everything else is taken to be a name.

What is not known is replaced, so that a section nobody has described gives nothing away; a word
of Oracle's that is missing here costs a word in the redacted report, never a name.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from awrlens.grammar import catalogue

_LIST: Final = Path(__file__).parent / "words.txt"
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
#: Letters that a page may write as references, so that a name is seen whole.
_REFERENCE: Final = (
    r"&(?:#(?!0*(?:160|3[2-9]|4[0-7]|5[89]|6[0-4]);)\d+|#x(?!0*(?:a0|2\w|3[a-f]);)[0-9a-f]+|"
    r"[a-z]+(?:acute|grave|uml|circ|tilde|cedil|ring|slash|lig));"
)
#: A word: what Oracle's identifiers are made of.
WORD: Final = re.compile(rf"(?:\w|{_REFERENCE})(?:[\w$#]|{_REFERENCE})*", re.I)
#: Figures with their units, and ordinals: 27.9K, 109.72us, 1st, 64bit, 11g, 2.5E+11.
_FIGURE: Final = re.compile(
    r"\d+(?:st|nd|rd|th|[kmgtp]b?|b|[mun]?s|us|min|h|x|e|e\d+|g|i|c|ai|bit|xx?)?", re.I
)
ADDRESS: Final = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
#: Paths, and names with a disk group; and what stands around an at sign.
PATH: Final = re.compile(
    r"(?<![\w<])(?:[A-Za-z]:)?[\\/][\w$#.+-]+[\\/][^\s<>\"'|,;]*|"
    r"(?<![\w<])[A-Za-z]:\\[^\s<>\"'|,;]*|(?<!\w)\+\w+[\\/][^\s<>\"'|,;]*|"
    r"(?<![\w.$#-])[\w.$#-]++@[\w.$#-]++"
)
#: Who a report is about, in titles and remarks; the groups are names.
TITLES: Final = (
    re.compile(r"DB/Inst: ?([^/\s]{0,128})/(\S+)"),
    re.compile(r" for DB: *(\S+) +Instance: *(\S+)"),
    re.compile(r"DB: *+([^,<\s]{0,128}), *Inst: *([^,<\s]+)"),
    re.compile(r"\bContainer: +([\w$#]+)"),
    re.compile(r"^[^\S\n]*+Module: *(.*)", re.M),
    re.compile(r"\bTask Name *: *(\S+)"),
    re.compile(r"\bTask (?:'(?:ADDM:)?|ADDM:)([^\s']+)"),
)
#: What stays in cells that hold names: schemas, tablespaces, services that Oracle makes in every
#: database, and folders by which files of a kind are recognised.
OWN: Final = frozenset(
    (
        *("SYS", "SYSTEM", "SYSAUX", "PUBLIC", "DBSNMP", "SYSMAN", "XDB", "MDSYS", "CTXSYS"),
        *("WMSYS", "OUTLN", "PERFSTAT", "AUDSYS", "TEMP", "UNDOTBS", "UNDOTBS1", "UNDOTBS2"),
        *("UNDOTBS3", "UNDOTBS4", "RBS", "SYS$USERS", "SYS$BACKGROUND", "CDB$ROOT", "PDB$SEED"),
        *("DATAFILE", "TEMPFILE", "ONLINELOG"),
    )
)
#: Words by which a parameter says how redo is shipped, and that it is.
TRANSPORT: Final = frozenset(
    (
        *("SERVICE", "LOCATION", "LGWR", "ARCH", "SYNC", "ASYNC", "AFFIRM", "NOAFFIRM"),
        *("VALID_FOR", "REOPEN", "MANDATORY", "OPTIONAL", "DELAY", "ONLINE_LOGFILES"),
        *("ALL_LOGFILES", "ALL_ROLES", "PRIMARY_ROLE", "STANDBY_ROLE", "NET_TIMEOUT"),
        *("MAX_FAILURE", "COMPRESSION", "DB_UNIQUE_NAME"),
    )
)
#: Values of parameters that say a choice, not a name.
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
#: Parameters whose value is a release, which is written as an address is.
RELEASES: Final = frozenset(("compatible", "optimizer_features_enable"))
#: Parameters that are set to names: a choice there is a name as well.
NAMING: Final = re.compile(
    r"(?:^|_)(?:names?|domain|listeners?|services?|hosts?|dest|dispatchers|users?|roles?|rooms|"
    r"tablespaces?|groups?|prefix|files?|convert|config|server|client|directory|plan)(?:_|\d|$)"
)


def is_figure(word: str) -> bool:
    """Whether a word is a number, with its unit or without."""
    return _FIGURE.fullmatch(word) is not None


@cache
def vocabulary() -> frozenset[str]:
    """Words of titles, headings and labels in ``grammars/``, and those of ``words.txt``."""
    found = set(_LIST.read_text(encoding="utf-8").split())
    for text in catalogue.read_sources().values():
        for line in text.splitlines():
            if not line.lstrip().startswith(("#", "about")):
                for quoted in _QUOTED.findall(line):
                    found.update(WORD.findall(quoted))
    return frozenset(found)


def is_oracles(word: str, also: frozenset[str] = frozenset()) -> bool:
    """Whether a word is Oracle's, or figures with a unit; capitals must be known as capitals."""
    if len(word) == 1 or is_figure(word):
        return True
    known = vocabulary()
    if word in known or word in also:
        return True
    return not word.isupper() and (word.lower() in known or word.capitalize() in known)
