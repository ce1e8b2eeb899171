"""What of a report must not survive redaction, collected without the redactor's help.

The report's own tables and header are read through the public interface, parameters and
statements by their words; a list made of our samples, grammars and code says which are Oracle's.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from awrlens.report.html_reader import unfold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.report.report import Report

ROOT = Path(__file__).resolve().parent.parent
WORDS: Final = re.compile(r"[^\W\d][\w$#]{2,}")
#: Columns, by canonical name, that hold what people have named.
NAMED: Final = (
    "db_name", "db_id", "unique_name", "host", "container_name", "container_db_id", "pdb_name",
    "tablespace", "filename", "owner", "object", "object_name", "subobject", "subobject_name",
    "service", "user", "user_name", "user_login", "module", "program", "sql_id", "container",
    "disk_group", "cell", "queue", "subscriber", "entry_subprogram", "ip_address", "task",
    "current_subprogram", "comment",
)  # fmt: skip
#: Columns that hold Oracle's own words.
ORACLES: Final = (
    "event", "statistic", "latch", "parameter", "wait_class", "cache", "namespace", "component",
    "location", "enqueue", "resource", "region", "name", "filetype", "function", "class", "reason",
    "row_source", "object_type", "event_class", "description", "process_type", "category", "mutex",
    "channel", "parameter_1", "parameter_2", "parameter_3", "type", "platform", "pool",
    "session_type", "label",
)  # fmt: skip
#: Made by Oracle in every database; see docs/privacy.md.
KEPT: Final = frozenset(
    (
        *("SYS", "SYSTEM", "SYSAUX", "PUBLIC", "DBSNMP", "SYSMAN", "XDB", "MDSYS", "CTXSYS"),
        *("WMSYS", "OUTLN", "PERFSTAT", "AUDSYS", "TEMP", "UNDOTBS", "UNDOTBS1", "UNDOTBS2"),
        *("UNDOTBS3", "UNDOTBS4", "RBS", "SYS$USERS", "SYS$BACKGROUND", "CDB$ROOT", "PDB$SEED"),
        *("DATAFILE", "TEMPFILE", "ONLINELOG", "UNDO", "ROLLBACK", "TMP"),
        *("TRUE", "FALSE", "NONE", "ALTERNATE", "NOREOPEN"),
    )
)


@cache
def known() -> frozenset[str]:
    """Words of Oracle's and English: in our samples' public text, grammars, code and docs."""
    found: set[str] = set()
    code = [("awrlens", f"**/*.{kind}") for kind in ("py", "j2", "css", "js", "txt")]
    for folder, kinds in (("grammars", "*.awg"), ("docs", "*.md"), *code):
        for path in (ROOT / folder).glob(kinds):
            found.update(WORDS.findall(path.read_text("utf-8")))
    return frozenset(found)


def parts(report: Report) -> Iterator[Report]:
    yield report
    yield from report.periods
    yield from report.instances


@lru_cache(maxsize=2)
def of(report: Report) -> set[str]:
    """Words that are names in this report; a word of Oracle's that it prints as such is none."""
    named: set[str] = set()
    oracles: set[str] = set()
    for part in parts(report):
        who = part.identity
        header = (who.db_name, who.db_id, who.instance, who.host, who.container)
        named.update(text for text in header if text)
        for name in part.tables:
            table = part.tables[name]
            columns = {column.name for column in table.columns}
            for column in columns & set(NAMED):
                named.update(table.texts(str(column)))
            for column in columns & set(ORACLES):
                oracles.update(w for text in table.texts(str(column)) for w in WORDS.findall(text))
            if "sql_text" in columns:
                named.update(table.texts("sql_text"))
        for value in part.parameters().values():
            if "/" in value or "\\" in value:
                named.add(value)
    words = {word for text in named for word in WORDS.findall(text)}
    words |= {text for text in named if text.isdecimal() and len(text) > 7}
    plain = {w for w in words if w not in known() and w.lower() not in known()}
    return {
        w
        for w in plain - oracles
        if w.upper() not in KEPT and not w.startswith("SYS_TEMP_") and w.capitalize() not in known()
    }


def survivors(report: Report, text: str) -> set[str]:
    """Names of the report that a text still has as words of their own.

    What a page cuts with an ellipsis is no word: "undo records app…" is Oracle's "applied".
    """
    return of(report) & set(re.findall(r"[\w$#]++(?!…)", unfold(text)[0]))
