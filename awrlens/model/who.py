"""Whose report it is: a database and an instance."""

from __future__ import annotations

from awrlens.lazy import NamedTuple


class Who(NamedTuple):
    """Database and instance; ``cluster`` means all instances together."""

    db_name: str | None
    db_id: str | None
    container: str | None
    instance: str | None
    instance_number: str | None
    cluster: bool = False
    #: Whether there is another database of this name.
    same_name: bool = False

    @property
    def database(self) -> str:
        """The name of the database, with its DBID if another one has this name."""
        name = self.db_name or "unknown database"
        name = f"{name}/{self.container}" if self.container else name
        return f"{name} [{self.db_id}]" if self.same_name else name

    @property
    def label(self) -> str:
        """The name of the instance."""
        if self.cluster:
            return "cluster"
        number = f" ({self.instance_number})" if self.instance_number else ""
        return f"{self.instance or 'instance'}{number}"

    @property
    def full(self) -> str:
        """Database and instance."""
        return f"{self.database} {self.label}"
