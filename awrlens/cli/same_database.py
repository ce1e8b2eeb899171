"""Whether two reports are of the same database and instance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Names of database, container and instance, in lower case.
Who: TypeAlias = tuple[str, str, str]


def names_of(report: Mapping[str, Any]) -> Who:
    """The names of a report's database, container and instance."""
    names = ("db_name", "container", "instance")
    db_name, container, instance = (str(report[name] or "").lower() for name in names)
    return db_name, container, instance


def is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two reports with the same names belong to one database; many are called ORCL.

    A database recreated on its host has another DB Id but counts as the same database.
    """
    ids = (one["db_id"], other["db_id"])
    hosts = (one["host"], other["host"])
    return None in ids or ids[0] == ids[1] or (None not in hosts and hosts[0] == hosts[1])


def described(report: Mapping[str, Any]) -> str:
    """Database and instance for a message."""
    db_id = f" (DB Id {report['db_id']})" if report["db_id"] else ""
    return f"{report['db_name'] or 'a database without a name'}/{report['instance']}{db_id}"
