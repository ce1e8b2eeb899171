"""Of which database and instance an interval is."""

from __future__ import annotations

from awrlens.records import NamedTuple


class Who(NamedTuple):
    """Database and instance; ``cluster`` means all instances together."""

    db_name: str | None
    db_id: str | None
    container: str | None
    instance: str | None
    instance_number: str | None
    cluster: bool = False

    @property
    def database(self) -> str:
        """The name of the database."""
        name = self.db_name or "unknown database"
        return f"{name}/{self.container}" if self.container else name

    @property
    def label(self) -> str:
        """The name of the instance."""
        if self.cluster:
            return "cluster"
        number = f" ({self.instance_number})" if self.instance_number else ""
        return f"{self.instance or 'instance'}{number}"
