"""What a server keeps and for how long, in sentences made from its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.records import NamedTuple
from awrlens.serve.access import SESSION_S
from awrlens.serve.settings import MB

if TYPE_CHECKING:
    from awrlens.serve.settings import Settings


class Kept(NamedTuple):
    """A kind of data: what is kept, where, how long."""

    what: str
    where: str
    how_long: str


def of(settings: Settings) -> list[Kept]:
    """Everything that the server keeps."""
    days = settings.retention_days
    period = f"{days} days, or until it is deleted" if days else "until it is deleted"
    database = "PostgreSQL database" if settings.database else "SQLite database"
    reports = "S3 bucket" if settings.reports else "folder of the server"
    users = [Kept("Users of the identity provider: subject, rights", database,
                  f"{SESSION_S / 3600:g} hours")] if settings.oidc else []  # fmt: skip
    return [
        Kept("The bytes of an upload; if it is redacted, only the redacted bytes", reports, period),
        Kept(
            "Of every report: file name, database, instance, interval, headline, severity",
            database, period,
        ),
        Kept(
            "Of every interval, for the fleet: facts, findings, recommendations, parameters",
            database, period,
        ),
        Kept("Delete keys and passwords of uploads, as hashes", database, period),
        Kept(
            "The id, project and times of a deleted upload, so that its id is never used again",
            database, "for good",
        ),
        Kept("Budgets of projects", database, "until they are changed"),
        Kept("Tokens, as hashes, with name and project", database, "for good"),
        Kept("Browser sessions, as hashes", database, f"{SESSION_S / 3600:g} hours"),
        *users,
        Kept(
            "Audit log: time, token id or user, network address, action, id of the upload",
            database, "for good",
        ),
        Kept("Server log: time, route, status, duration", "standard error of the server",
             "as the operator decides"),
    ]  # fmt: skip


def not_kept() -> list[str]:
    """What the server does not keep."""
    return [
        (
            "The names of a redacted upload, their pseudonyms and the key: they are in memory "
            "during the request, and the answer returns them to the browser only."
        ),
        "Reports sent to /api/check, unless the request says accept.",
        "Pages and documents of analyses: they are made again from the stored bytes.",
        "Text of reports in logs, metrics and traces.",
    ]


def limits(settings: Settings) -> list[tuple[str, str]]:
    """The limits that a user can meet."""
    most = settings.limits
    return [
        ("size of an upload", f"{most.upload_bytes / MB:g} MB"),
        ("time of an analysis", f"{most.analysis_s:g} s"),
        ("requests per minute", f"{most.requests_per_minute:,}"),
        ("bytes per hour", f"{most.bytes_per_hour / MB:,.0f} MB"),
        ("uploads per project", f"{most.uploads:,}"),
    ]
