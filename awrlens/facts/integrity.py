"""Settings that protect blocks against corruption, and the mix of SQL that pays for them.

Source: "Block Checking Overhead" and Oracle Database Reference, `DB_BLOCK_CHECKING`,
`DB_BLOCK_CHECKSUM`, `DB_LOST_WRITE_PROTECT`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from awrlens.facts.answers import Answer, answering, as_input, needed, text_fact
from awrlens.facts.counters import kept
from awrlens.facts.figures import STATISTIC, Figures, formula, several
from awrlens.facts.formula import Figure, Missing, add, readable, twice
from awrlens.facts.sections import CPU, ELAPSED, PARAMETERS, RESPONSE, STATS
from awrlens.facts.waits import column
from awrlens.lazy import regex
from awrlens.model.fact_table import contradicted, fact
from awrlens.oracle.block_checking import CHANGING, CHECKING_MEDIUM, CHECKSUM_FULL, VERBS
from awrlens.units import SHARES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Evidence
    from awrlens.report.table import Table, Value

_SQL: Final = "sql_by_elapsed"
#: Another list of SQL statements with their elapsed time, which is read anyway for their CPU.
_OTHER_SQL: Final = "sql_by_cpu"
#: Times are rounded to seconds.
_ROUNDED_S: Final = 1.0
#: AWR lists so many statements, if it has as many. # DBMS_WORKLOAD_REPOSITORY: TOP_N_SQL_MIN
_LEAST_SQL: Final = 10

#: No standby.
NONE: Final = "none"
#: An archive destination; the state of one in use, also if the report has no state.
#: # Oracle Database Reference, LOG_ARCHIVE_DEST_n, LOG_ARCHIVE_DEST_STATE_n
_DESTINATION = regex(r"log_archive_dest_(\d+)", re.I)
_SERVICE = regex(r"\bservice\s*=", re.I)
#: Text before the first word of an SQL statement.
_COMMENT = regex(r"\s*(?:/\*.*?\*/\s*|--[^\n]*\n\s*|\(\s*)*", re.S)
#: First words and the verb that they count as.
_FIRST: Final = {
    "select": "select", "with": "select", "insert": "insert", "update": "update",
    "merge": "update", "delete": "delete",
}  # fmt: skip
#: Values of old releases and their present meaning. # Oracle Database Reference, both parameters
_MEANT: Final = {
    ("db_block_checking", "FALSE"): "OFF", ("db_block_checking", "TRUE"): "FULL",
    ("db_block_checksum", "FALSE"): "OFF", ("db_block_checksum", "TRUE"): "TYPICAL",
}  # fmt: skip
#: First release (major, minor) from which a default holds.
_DEFAULTS: Final = {
    "db_block_checking": (((0, 0), "OFF"),),
    "db_block_checksum": (((9, 0), "TYPICAL"), ((0, 0), "OFF")),
    "db_lost_write_protect": (((19, 26), "AUTO"), ((11, 0), "NONE")),
}


@several("name", PARAMETERS)
def setting(f: Figures, name: str, _about: str) -> Answer:
    """{_about}."""
    # the parameter with its present meaning; the release's default if it is not listed
    printed, release = f.parameter(name), f.release
    if printed is not None:
        value = printed[0].strip().upper()
        meant = _MEANT.get((name, value), value)
        note = f"{value} means {meant}" if meant != value else ""
        blank = Missing(f"{name} is blank")
        return text_fact(meant, (printed[1],), "measured", note) if value else blank
    f.table("parameters")
    if not f.complete or f.parameter("db_ultra_safe"):
        return Missing(f"{name} is not listed, and another may set it")
    defaults = (value for since, value in _DEFAULTS[name] if release and release >= since)
    if (default := next(defaults, None)) is None:
        why = f"this release does not have {name}" if release else "the release is unknown"
        return Missing(why)
    return text_fact(default, (), "estimated", f"{name} is not listed: the release's default")


setting("integrity.db_block_checking", "db_block_checking",
    "DB_BLOCK_CHECKING: logical checks of changed blocks; OFF if it is not listed")  # fmt: skip
setting("integrity.db_block_checksum", "db_block_checksum",
    "DB_BLOCK_CHECKSUM: block checksums; the default is TYPICAL since 9i")  # fmt: skip
setting("integrity.db_lost_write_protect", "db_lost_write_protect",
    "DB_LOST_WRITE_PROTECT (since 11g): reads are logged, so a standby detects lost writes",
)  # fmt: skip


@fact("integrity.lost_write_redo_pct", "%", STATS)
def lost_write_redo_pct(f: Figures) -> Answer:
    """Share of lost write detection in redo: every block that is read adds a record.

    Statistics `redo size for lost write detection` and `redo size` (11g and later). It is the price
    of DB_LOST_WRITE_PROTECT in redo, and rises with physical reads, not with changes.
    """
    lost = f.stat("redo size for lost write detection", "B for lost write detection")
    return lost * 100 / f.stat("redo size", "B redo")


@fact("integrity.nowait_commit_pct", "%", STATS, better="lower")
def nowait_commit_pct(f: Figures) -> Answer:
    """Share of user commits that did not wait until LGWR had written their redo (COMMIT NOWAIT).

    Statistics `commit nowait performed` and `user commits`. A database that has never had such a
    commit does not list the first, only the statistics around it in the order of their names.
    """
    nowait = f.stat("commit nowait performed", "NOWAIT commits")
    around = all(isinstance(f.stat(name, ""), Figure) for name in (STATISTIC, "consistent gets"))
    if isinstance(nowait, Missing) and not nowait.lost and f.complete and around:
        nowait = Figure(0, "NOWAIT commits")
    return nowait * 100 / f.stat("user commits", "commits")


@fact("integrity.replicat_commits_pct", "%", STATS, "replication_apply_coordinator")
def replicat_commits_pct(f: Figures) -> Answer:
    """Transactions that GoldenGate or XStream applied, in % of the commits with NOWAIT."""
    table = f.table("replication_apply_coordinator")
    applied = needed(readable(column(f, table, table, "applied", "applied")))
    return add(applied, "applied") * 100 / f.stat("commit nowait performed", "NOWAIT commits")


def verb_of(statement: str) -> str | None:
    """Which of the four verbs an SQL statement has; None for PL/SQL and anything else."""
    match = _COMMENT.match(statement)
    rest = statement[match.end() : match.end() + 10] if match else statement[:10]
    word = re.match(r"[a-z]+", rest.lower())
    return _FIRST.get(word[0]) if word else None


def _lacking(f: Figures, table: Table) -> str:
    """Why the list by elapsed time lacks a statement; empty if no other list shows that."""
    least = min(table.numbers("elapsed_s"), default=0) + _ROUNDED_S
    if (other := f.tables.get(_OTHER_SQL)) is None:
        return ""
    width = other.width("sql_id")
    ids = {(row.key or row.text("hash_value"))[:width] for row in table.rows}
    if len({*table.keys()} - {""}) < _LEAST_SQL <= len({*other.keys()}) and all(table.keys()):
        return f"{other.title} has more statements"
    for row in other.rows:
        key, seconds = row.key or row.text("hash_value"), row.number("elapsed_s") or 0
        if seconds > least and key and key not in ids:
            return f"{other.title} has a statement that took longer than its last"
    return ""


@kept
def _mix(f: Figures) -> dict[str, tuple[float, tuple[Evidence, ...]]] | Missing:
    """Elapsed seconds of the captured SQL by verb, with the longest of each as evidence."""
    table = f.table(_SQL)
    needed(f.doubt(table))
    if table.unread(("",)):
        return Missing(f"a line of {table.title} cannot be split into columns", lost=True)
    if lacking := _lacking(f, table):
        return Missing(f"{table.title} is torn: {lacking}", lost=True)
    by_verb: dict[str, tuple[float, tuple[Evidence, ...]]] = dict.fromkeys(VERBS, (0.0, ()))
    first: dict[str, tuple[str, Value]] = {}
    for row in table.rows:
        key = row.key or row.text("hash_value")
        text, printed_s = row.text("sql_text"), row.value("elapsed_s")
        before, before_s = first.setdefault(key, (text, printed_s)) if key else (text, printed_s)
        # a repeated SQL statement may lack its text
        if printed_s != before_s and (text == before or not (text and before)):
            return twice(table, key)
        verb = verb_of(text)
        if verb is None:
            continue
        elapsed = needed(f.figure(row.cell("elapsed_s"), "s", Missing("")))
        if row.key in table.disputes:
            return twice(table, row.key)
        seconds, proof = by_verb[verb]
        by_verb[verb] = seconds + elapsed.value, proof or elapsed.evidence
    return by_verb


_WITHOUT: Final = "PL/SQL blocks do not count, because they contain other SQL"


# of their own sum, so that none is above it
@several("%", _SQL, beyond=True)
def share_pct(f: Figures, verb: str, _but: str = _WITHOUT) -> Answer:
    """Share of {verb}s in the elapsed time of the SQL in the report ({_but})."""
    mix = needed(_mix(f))
    seconds, proof = mix[verb]
    whole_s = sum(verb_s for verb_s, _ in mix.values())
    return Figure(seconds, f"s in {verb}s", proof) * 100 / Figure(whole_s, "s captured")


share_pct("integrity.select_pct", "select")
share_pct("integrity.insert_pct", "insert")
share_pct("integrity.update_pct", "update", f"merges count as updates; {_WITHOUT}")
share_pct("integrity.delete_pct", "delete")


formula("integrity.block_changes_per_s", "1/s", (STATS, ELAPSED),
    "Block changes per second, which block checking examines.",
    lambda f: f.stat("db block changes", "changes") / f.elapsed)  # fmt: skip


formula("integrity.cpu_pct", "%", (CPU, RESPONSE), "Share of CPU in DB time.",
    lambda f: f.cpu * 100 / f.response)  # fmt: skip


@kept
def _cpu_of(f: Figures) -> dict[str, list[Figure]] | Missing:
    """CPU seconds of each captured SQL statement by verb, of one in both lists once."""
    needed(_mix(f))
    by_verb: dict[str, list[Figure]] = {verb: [] for verb in CHANGING}
    seen = {""}
    for table in filter(None, map(f.tables.get, (_SQL, "sql_by_cpu"))):
        for row in table.rows:
            key, verb = row.key or row.text("hash_value"), verb_of(row.text("sql_text"))
            if verb not in by_verb or key in seen:
                continue
            seen.add(key)
            elapsed, cpu, pct = (
                f.figure(row.cell(name), label, table)
                for name, label in (("elapsed_s", "s"), ("cpu_s", "s"), ("cpu_pct", "% CPU"))
            )
            by_verb[verb].append(needed(cpu.otherwise(elapsed * pct / 100)))
    return by_verb


# SQL of background processes is in the list, but not in DB time: more than that is no contradiction
@several("%", _SQL, RESPONSE, beyond=True)
def cpu_share(f: Figures, verb: str, _but: str = _WITHOUT) -> Answer:
    """CPU time of the captured {verb}s, in % of DB time ({_but})."""
    share = add(needed(_cpu_of(f))[verb], f"s CPU of {verb}s") * 100 / f.response
    return contradicted(share.fact()) if (share.value or 0) > SHARES[1] else share


cpu_share("integrity.insert_cpu_pct", "insert")
cpu_share("integrity.update_cpu_pct", "update", f"merges count as updates; {_WITHOUT}")
cpu_share("integrity.delete_cpu_pct", "delete")


@several("%", _SQL, RESPONSE, beyond=True)
def overhead_pct(f: Figures, longer: Mapping[str, float], _what: str) -> Answer:
    """Estimated cost of {_what} for the captured SQL, in % of DB time."""
    share_of = answering(cpu_share.function)
    insert, update, delete = (
        as_input(share_of(f, verb).fact(), f"% CPU of {verb}s") * round(longer[verb], 3)
        for verb in CHANGING
    )
    overhead = (insert + update + delete).estimated(
        '"Block Checking Overhead" measurements by verb, for their CPU time'
    )
    return contradicted(overhead.fact()) if (overhead.value or 0) > SHARES[1] else overhead


overhead_pct("integrity.checking_medium_pct", CHECKING_MEDIUM, "DB_BLOCK_CHECKING=MEDIUM")
overhead_pct("integrity.checksum_full_pct", CHECKSUM_FULL, "DB_BLOCK_CHECKSUM=FULL")


@fact("integrity.standby", "name", PARAMETERS)
def standby(f: Figures) -> Answer:
    """The archive destination that is a standby (`SERVICE=`, enabled); `none` if there is none.

    `fal_server` alone names the source of gaps for a standby, and stays set on old primaries.
    """
    table = f.table("parameters")
    off: list[str] = []
    proof: list[Evidence] = []
    for row in table.begins(("log_archive_dest_",)):
        number = _DESTINATION.fullmatch(row.key)
        value = f.parameter(row.key)
        if number is None or value is None or not _SERVICE.search(value[0]):
            continue
        state = f.parameter(f"log_archive_dest_state_{number[1]}")
        if state is None or state[0].strip().upper() in ("", "ENABLE"):
            return text_fact(row.key, (value[1],), "measured")
        off.append(f"{row.key} sends to a service and is set to {state[0].strip().upper()}")
        proof += (value[1], state[1])
    if not f.complete:
        return Missing("an excerpt may lack destinations")
    if off:
        return text_fact(NONE, tuple(proof), "derived", "; ".join(off))
    note = "no destination with SERVICE= among the parameters"
    fal = f.parameter("fal_server")
    if fal is not None and fal[0].strip():
        proof, note = [fal[1]], f"{note}; fal_server alone does not mean a standby"
    return text_fact(NONE, tuple(proof), "derived", note)
