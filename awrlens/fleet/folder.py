"""Where a store is: its tables, its folder of Parquet batches, the manifest that commits them.

``fleet.duckdb`` is the index; ``fleet.parquet/`` next to it has the data. A batch counts from the
moment the manifest names it, and the manifest is replaced by one rename. Columns of a table are
only ever added: a batch that an older awrlens wrote lacks the new ones; they are null.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import time
import tomllib
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from awrlens import __version__
from awrlens.errors import UsageError, reason
from awrlens.facts.registry import FACTS
from awrlens.lazy import NamedTuple, beside
from awrlens.model.fact import NO_NUMBERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from awrlens.model.fact_table import FactSpec


#: The first number changes if an older awrlens cannot read the store; the second if columns or
#: tables were added.
SCHEMA: Final = (1, 1)
#: The version of awrlens that wrote a row; what must be read or judged again, stamps decide.
ANALYZER: Final = __version__

FACT_NAMES: Final = tuple(fact.name for fact in FACTS)


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
    return "text" if fact.unit in NO_NUMBERS else "number"


def _table(name: str, about: str, columns: dict[str, str], *, indexed: bool = True) -> Table:
    facts = FACTS if name == "facts" else ()
    return Table(
        name, about, (*columns.items(), *((column(fact.name), kind(fact)) for fact in facts)),
        indexed,
    )  # fmt: skip


TABLES: Final = tuple(
    _table(name, **own) for name, own in tomllib.loads(beside(__file__, "tables.toml")).items()
)
#: Tables by input, tables by row of reports.
OF_FILES, OF_REPORTS, DOCUMENTS = TABLES[:3], TABLES[3:-1], TABLES[-1]
REPORTS: Final = OF_REPORTS[0]


class StoredFact(NamedTuple):
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


def catalogue(before: tuple[StoredFact, ...] = ()) -> tuple[StoredFact, ...]:
    """The facts of this version, and those that only an earlier one had."""
    since = {fact.name: fact.since for fact in before}
    now = tuple(
        StoredFact(
            fact.name, column(fact.name), kind(fact), fact.unit, fact.title, fact.definition,
            fact.kind, fact.better, since.get(fact.name, ANALYZER),
        )
        for fact in FACTS
    )  # fmt: skip
    names = {fact.name for fact in now}
    return (*now, *(fact for fact in before if fact.name not in names))


#: How long a lock is waited for: worker processes of a killed ingest need a moment to end.
_PATIENCE_S: Final = 3.0
_MANIFEST: Final = "manifest.json"
_FORMAT: Final = "awrlens store"


class BusyError(UsageError):
    """Another run writes the store."""


class Batch(NamedTuple):
    """A committed batch: a folder of Parquet files."""

    name: str
    files: int
    reports: int
    analyzer: str = ANALYZER


class Manifest(NamedTuple):
    """The batches of a store in the order of their precedence: a later row replaces an earlier."""

    batches: tuple[Batch, ...] = ()
    facts: tuple[StoredFact, ...] = ()
    schema: tuple[int, int] = SCHEMA
    #: The bytes of every file of a batch, by table; older stores do not have them.
    sizes: Mapping[str, Mapping[str, int]] = {}
    #: Their CRC-32, by which those that are read are held.
    sums: Mapping[str, Mapping[str, int]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the batches."""
        return tuple(batch.name for batch in self.batches)

    def to_json(self) -> str:
        """The file's content."""
        content = {
            "format": _FORMAT,
            "schema": ".".join(map(str, self.schema)),
            "batches": [batch._asdict() for batch in self.batches],
            "facts": [fact._asdict() for fact in self.facts],
            "sizes": {name: self.sizes[name] for name in self.names if name in self.sizes},
            "sums": {name: self.sums[name] for name in self.names if name in self.sums},
        }
        return json.dumps(content)  # indented, it would take twenty times as long


class Place:
    """The files of a store."""

    def __init__(self, index: Path) -> None:
        self.index = index
        #: The folder with the data: batches, and those that are being written.
        self.folder = index.with_suffix(".parquet")
        self.batches, self.staging = self.folder / "batches", self.folder / "staging"
        #: A copy of the sources of every batch: what is lost if it is lost.
        self.lists = self.folder / "sources"

    def lost(self, manifest: Manifest, read: Sequence[str] = ()) -> tuple[Batch, ...]:
        """The committed batches whose files are missing or cut off.

        Of those whose content is to be ``read``, also changed ones.
        """
        return tuple(
            batch for batch in manifest.batches
            if not _is_whole(self.batches / batch.name, manifest.sizes.get(batch.name))
            or (batch.name in read and self._is_changed(batch.name, manifest))
        )  # fmt: skip

    def _is_changed(self, name: str, manifest: Manifest) -> bool:
        sums = manifest.sums.get(name, {})
        return any(_sum(self.batches / name / f"{t}.parquet") != crc for t, crc in sums.items())

    def whole(self, manifest: Manifest, read: Sequence[str] = ()) -> Manifest:
        """The manifest without what is lost."""
        lost = self.lost(manifest, read)
        batches = tuple(batch for batch in manifest.batches if batch not in lost)
        return manifest._replace(batches=batches)

    def set_aside(self, names: Sequence[str]) -> bool:
        """Move those of some batches away that cannot be read; True if there are any."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        damaged = []
        for name in names:
            try:
                for file in (self.batches / name).glob("*.parquet"):
                    pq.read_table(file)
            except (OSError, pa.ArrowException):
                damaged.append(name)
        self.move_aside(damaged)
        return bool(damaged)

    def move_aside(self, names: Iterable[str]) -> None:
        """Move damaged batches away: they are lost, and not read again."""
        for name in names:
            with self.writing():
                (self.batches / name).replace(self.folder / f"damaged-{name}")

    def files(self, table: str, batches: tuple[str, ...]) -> list[str]:
        """The Parquet files of a table."""
        paths = (self.batches / name / f"{table}.parquet" for name in batches)
        return [str(path) for path in paths if path.exists()]

    def manifest(self) -> Manifest:
        """The committed batches; UsageError if there is no store or it needs a newer awrlens."""
        try:
            text = (self.folder / _MANIFEST).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise UsageError(
                f"There is no store {self.index}.", hint="`awrlens ingest` creates one."
            ) from None
        except OSError as problem:
            raise self.refused("read", problem) from None
        try:
            content: dict[str, Any] = json.loads(text)
            major, minor = map(int, content["schema"].split("."))
            if content["format"] == _FORMAT and major <= SCHEMA[0]:
                batches = tuple(Batch(**fields) for fields in content["batches"])
                facts = tuple(StoredFact(**fields) for fields in content["facts"])
                sizes, sums = (content.get(key, {}) for key in ("sizes", "sums"))
                return Manifest(batches, facts, (major, minor), sizes, sums)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise UsageError(
                f"{self.folder / _MANIFEST} is damaged.", hint="Restore it from a backup."
            ) from None
        raise UsageError(
            f"The store {self.index} has schema {content['schema']}, this awrlens knows "
            f"{SCHEMA[0]}.{SCHEMA[1]}.",
            hint="Use the version of awrlens that wrote it, or a newer one.",
        )

    def exists(self) -> bool:
        """Whether there is a store."""
        return (self.folder / _MANIFEST).exists()

    def create(self) -> Manifest:
        """The manifest of this store, which is created if there is none."""
        if self.index.exists() and not self.exists():
            raise UsageError(
                f"{self.index} exists, but it is not a store.", hint="Give --store another name."
            )
        with self.writing():
            self.batches.mkdir(parents=True, exist_ok=True)
            self.staging.mkdir(exist_ok=True)
            if not self.exists():
                self.put(Manifest())
        return self.manifest()

    def put(self, manifest: Manifest) -> Manifest:
        """Replace the manifest: the moment at which a change counts."""
        now = manifest._replace(facts=catalogue(manifest.facts), schema=SCHEMA)
        part = self.folder / f".manifest-{secrets.token_hex(4)}"
        try:
            with self.writing():
                with part.open("w", encoding="utf-8") as file:
                    file.write(now.to_json())
                    file.flush()
                    os.fsync(file.fileno())
                part.replace(self.folder / _MANIFEST)
        finally:
            part.unlink(missing_ok=True)
        return now

    def commit(self, manifest: Manifest, staged: Path, batch: Batch) -> Manifest:
        """Add a complete batch to the store; a batch of that name is replaced by it."""
        others = tuple(other for other in manifest.batches if other.name != batch.name)
        return self.add(manifest, staged, batch, (*others, batch))

    def add(
        self, manifest: Manifest, staged: Path, batch: Batch, batches: tuple[Batch, ...]
    ) -> Manifest:
        """Add a complete batch, and replace all batches by these."""
        target = self.batches / batch.name
        with self.writing():
            if batch.name in manifest.names and batch.name in self.whole(manifest).names:
                shutil.rmtree(staged)  # its content is the same
            else:
                if target.exists():
                    shutil.rmtree(target)  # damaged, or of a run that ended before its commit
                staged.replace(target)
                settle(self.batches)
            self.lists.mkdir(exist_ok=True)
            with suppress(FileNotFoundError):  # a batch of what is not readable
                shutil.copyfile(target / "sources.parquet", self.lists / f"{batch.name}.parquet")
            sizes = {file.stem: file.stat().st_size for file in target.glob("*.parquet")}
            sums = {file.stem: _sum(file) for file in target.glob("*.parquet")}
        return self.put(manifest._replace(
            batches=batches, sizes={**manifest.sizes, batch.name: sizes},
            sums={**manifest.sums, batch.name: sums},
        ))  # fmt: skip

    def tidy(self, manifest: Manifest) -> None:
        """Remove what a run left that ended before its commit."""
        with suppress(OSError):
            for path in (*self.staging.iterdir(), *self.folder.glob(".manifest-*")):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            for folder in self.batches.iterdir():
                if folder.name not in manifest.names:
                    shutil.rmtree(folder)
            for file in self.lists.glob("*.parquet"):
                if file.stem not in manifest.names:
                    file.unlink()
            for file in self.index.parent.glob(f".{self.index.name}-*"):
                file.unlink()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Reports the operating system's error in a sentence."""
        try:
            yield
        except OSError as problem:
            raise self.refused("written", problem) from None

    def refused(self, what: str, problem: OSError) -> UsageError:
        """The error for a store that cannot be read or written."""
        kept = " Committed batches are complete; the same call continues." * (what == "written")
        return UsageError(f"The store {self.index} cannot be {what}: {reason(problem)}.{kept}")

    @contextmanager
    def lock(self, patience_s: float = _PATIENCE_S) -> Iterator[None]:
        """Only one run writes; BusyError if another one does. It ends with its process."""
        with self.writing():
            self.folder.mkdir(parents=True, exist_ok=True)
            file = (self.folder / "lock").open("a+", encoding="utf-8")
        with file:
            until = time.monotonic() + patience_s
            while not locked(file.fileno()):
                if time.monotonic() > until:
                    file.seek(0)
                    who = file.read(200).strip() or "another process"
                    raise BusyError(
                        f"The store {self.index} is being written by {who}.",
                        hint="Wait until it ends.",
                    )
                time.sleep(0.05)
            with suppress(OSError):
                file.truncate(0)
                file.write(f"process {os.getpid()}")
                file.flush()
            yield


def _sum(file: Path) -> int:
    """The CRC-32 of a file."""
    crc = 0
    with file.open("rb") as content:
        while block := content.read(1 << 20):
            crc = crc32(block, crc)
    return crc


def _is_whole(folder: Path, sizes: Mapping[str, int] | None) -> bool:
    if sizes is None:
        return folder.is_dir()
    try:
        return all((folder / f"{t}.parquet").stat().st_size == size for t, size in sizes.items())
    except OSError:
        return False


def place(store: str) -> Place:
    """The store of an option ``--store``; UsageError for a name that cannot be one."""
    path = Path(store)
    if path.suffix == ".parquet":
        raise UsageError(f"{store} is the folder of a store.", hint="Give --store NAME.duckdb.")
    if path.is_dir() or not path.name:
        raise UsageError(
            f"{store or 'An empty name'} is not a file.", hint="Give --store NAME.duckdb."
        )
    return Place(path)


def locked(handle: int) -> bool:
    """Lock a file; False if another process has it. The system frees it when the process ends."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def settle(folder: Path) -> None:
    """Make a rename in a folder survive a crash of the host, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
