"""The tables of a store: their columns and types, and the catalogue of facts.

Columns are only ever added. A batch that an older awrlens wrote lacks the new ones; they are null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens import __version__
from awrlens.facts.registry import FACTS
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa

    from awrlens.fact_table import FactSpec

#: The first number changes if an older awrlens cannot read the store; the second if columns or
#: tables were added.
SCHEMA: Final = (1, 1)
#: The version of awrlens that wrote a row; what must be read or judged again, stamps decide.
ANALYZER: Final = __version__

#: All facts, in the order of their columns.
FACT_NAMES: Final = tuple(each.name for each in FACTS)
_TEXTS: Final = ("name", "names", "text")


class Table(NamedTuple):
    """A table: its columns with their types, and what a row is."""

    name: str
    about: str
    columns: tuple[tuple[str, str], ...]
    #: Whether the index has it; documents are read from Parquet.
    indexed: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(name for name, _ in self.columns)

    def arrow(self) -> pa.Schema:
        """The schema of its Parquet files."""
        import pyarrow as pa

        types = {
            "text": pa.string(), "whole": pa.int64(), "number": pa.float64(), "yes/no": pa.bool_(),
            "time": pa.timestamp("s"), "texts": pa.list_(pa.string()),
        }  # fmt: skip
        return pa.schema([(name, types[kind]) for name, kind in self.columns])


def column(fact: str) -> str:
    """The column of a fact: its name with an underscore for the dot."""
    return fact.replace(".", "_")


def kind(fact: FactSpec) -> str:
    """The type of a fact's column; several names are joined by commas."""
    return "text" if fact.unit in _TEXTS else "number"


FILES: Final = Table(
    "files", "One row per input: what became of it.",
    (("path", "text"), ("file_hash", "text"), ("size", "whole"), ("stamp", "text"),
     ("outcome", "text"), ("reason", "text"), ("line", "whole"), ("reports", "whole"),
     ("analyzer", "text"), ("policy", "text"), ("reading", "text"), ("judging", "text")),
)  # fmt: skip
PROBLEMS: Final = Table(
    "problems", "One row per input, archive member or report that could not be read.",
    (("path", "text"), ("file_hash", "text"), ("source", "text"), ("reason", "text"),
     ("line", "whole"), ("skipped", "yes/no")),
)  # fmt: skip
SOURCES: Final = Table(
    "sources",
    "One row per report of an input: where it is.",
    (("path", "text"), ("file_hash", "text"), ("report", "text"), ("source", "text")),
)
REPORTS: Final = Table(
    "reports", "One row per report, instance of a RAC report, or period of a comparison.",
    (("report", "text"), ("document", "text"), ("part", "text"), ("kind", "text"),
     ("db_name", "text"), ("db_id", "text"), ("container", "text"), ("instance", "text"),
     ("instance_number", "text"), ("cluster", "yes/no"), ("release", "text"), ("rac", "yes/no"),
     ("host", "text"), ("platform", "text"), ("cpus", "whole"), ("cores", "whole"),
     ("begin_snap", "whole"), ("end_snap", "whole"), ("begin_time", "time"), ("end_time", "time"),
     ("startup_time", "time"), ("elapsed_s", "number"), ("db_time_s", "number"),
     ("block_size", "whole"), ("valid", "yes/no"), ("headline", "text"), ("severity", "text"),
     ("waiting_sessions", "number"), ("active_sessions", "number"), ("redo_storage", "text"),
     ("temp_storage", "text"), ("undo_storage", "text"), ("fast_start_mttr_target_s", "whole"),
     ("skipped_rules", "texts"), ("analyzer", "text"), ("policy", "text"), ("reading", "text"),
     ("judging", "text")),
)  # fmt: skip
FACT_VALUES: Final = Table(
    "facts", "One row per row of reports: every fact is a column.",
    (("report", "text"), ("measured", "texts"), ("estimated", "texts"),
     *((column(each.name), kind(each)) for each in FACTS)),
)  # fmt: skip
WAITS: Final = Table(
    "waits", "One row per wait event.",
    (("report", "text"), ("event", "text"), ("background", "yes/no"), ("waits", "number"),
     ("total_s", "number"), ("each_ms", "number"), ("step_s", "number")),
)  # fmt: skip
ACTIVITY: Final = Table(
    "activity", "One row per consumer of DB time.",
    (("report", "text"), ("consumer", "text"), ("part", "text"), ("seconds", "number"),
     ("pct_db_time", "number")),
)  # fmt: skip
TABLESPACES: Final = Table(
    "tablespaces", "One row per tablespace with I/O; kind is temp, undo or empty.",
    (("report", "text"), ("tablespace", "text"), ("kind", "text"), ("reads", "number"),
     ("writes", "number"), ("read_ms", "number")),
)  # fmt: skip
PARAMETERS: Final = Table(
    "parameters", "One row per initialization parameter at the end of the interval.",
    (("report", "text"), ("parameter", "text"), ("value", "text")),
)  # fmt: skip
FINDINGS: Final = Table(
    "findings", "One row per finding; part_of is the finding to which it contributes.",
    (("report", "text"), ("finding", "text"), ("name", "text"), ("title", "text"),
     ("severity", "text"), ("confidence", "text"), ("part_of", "text"), ("seconds", "number"),
     ("pct_db_time", "number"), ("waiting_sessions", "number"), ("share_pct", "number"),
     ("each_ms", "number")),
)  # fmt: skip
RECOMMENDATIONS: Final = Table(
    "recommendations", "One row per recommendation; the benefit is an upper bound.",
    (("report", "text"), ("recommendation", "text"), ("title", "text"), ("action", "text"),
     ("status", "text"), ("seconds", "number"), ("pct_db_time", "number"), ("sessions", "number"),
     ("effort", "text"), ("risk", "text"), ("findings", "texts")),
)  # fmt: skip
DOCUMENTS: Final = Table(
    "documents",
    "One row per report: its whole analysis, for check, compare, html and another judgment.",
    (("document", "text"), ("content", "text")), indexed=False,
)  # fmt: skip

#: Tables by input, and tables by row of reports.
OF_FILES: Final = (FILES, PROBLEMS, SOURCES)
OF_REPORTS: Final = (
    REPORTS, FACT_VALUES, WAITS, ACTIVITY, TABLESPACES, PARAMETERS, FINDINGS, RECOMMENDATIONS,
)  # fmt: skip
TABLES: Final = (*OF_FILES, *OF_REPORTS, DOCUMENTS)


class Known(NamedTuple):
    """A fact that a store has: its column, unit and formula, and the first awrlens with it."""

    name: str
    column: str
    type: str
    unit: str
    title: str
    formula: str
    kind: str
    better: str
    since: str


def catalogue(before: tuple[Known, ...] = ()) -> tuple[Known, ...]:
    """The facts of this version, and those that only an earlier one had."""
    since = {each.name: each.since for each in before}
    now = tuple(
        Known(
            each.name, column(each.name), kind(each), each.unit, each.title, each.definition,
            each.kind, each.better, since.get(each.name, ANALYZER),
        )
        for each in FACTS
    )  # fmt: skip
    names = {each.name for each in now}
    return (*now, *(each for each in before if each.name not in names))
