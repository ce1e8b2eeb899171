"""The settings of a server: where it listens, what it keeps, and its limits."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Final

from awrlens.config import Options
from awrlens.lazy import NamedTuple

MB: Final = 2**20
DAY_S: Final = 86_400.0
#: Rights; ``admin`` includes the others.
SCOPES: Final = ("read", "upload", "admin")
#: Project of rights in all projects.
ALL: Final = "*"
#: Name of a project: letters that need no escape anywhere.
PROJECT: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"


class Limits(NamedTuple):
    """What a client may use."""

    #: Maximum size of an upload after Content-Encoding is removed; real reports are below 20 MB.
    upload_bytes: int = 32 * MB
    #: Uploads that are being received at one time; further ones get 503.
    in_flight_bytes: int = 256 * MB
    header_s: float = 15.0
    receive_s: float = 120.0
    analysis_s: float = 60.0
    worker_bytes: int = 1024 * MB
    #: Uploads that wait for their analysis; further ones get 503.
    waiting: int = 1000
    #: Requests that wait for a worker; further ones get 503.
    callers: int = 64
    #: Requests per minute of a token or an address, and how many may come at once.
    requests_per_minute: int = 600
    #: Bytes per hour of a token or an address.
    bytes_per_hour: int = 4096 * MB
    #: Stored uploads of a project.
    uploads: int = 100_000
    #: Reports in a comparison or a trend.
    selected: int = 200


class Role(NamedTuple):
    """What a value of a claim gives: scopes in a project, or in all (``*``)."""

    name: str
    scopes: tuple[str, ...]
    project: str


class Oidc(NamedTuple):
    """An identity provider (OpenID Connect), and what its roles may."""

    issuer: str
    client: str
    secret: str
    roles: tuple[Role, ...]
    #: The claim with the roles; dots are levels, as in ``realm_access.roles``.
    claim: str = "groups"
    scope: str = "openid"


class Settings(NamedTuple):
    """The settings of one server process."""

    data: Path
    host: str = "127.0.0.1"
    port: int = 8000
    #: ``postgresql://…``; empty for SQLite in the data folder.
    database: str = ""
    #: ``s3://bucket/prefix``; empty for a folder in the data folder.
    reports: str = ""
    options: Options = Options(isolated=True)
    workers: int = 2
    #: Days until an upload is deleted; 0: never.
    retention_days: int = 30
    #: The address that browsers use, e.g. ``https://awrlens.example.com``.
    public_url: str = ""
    #: Addresses of reverse proxies whose X-Forwarded-For and -Proto count.
    proxies: tuple[str, ...] = ()
    limits: Limits = Limits()
    #: Seconds in which a node must renew its claim on a job.
    lease_s: float = 30.0
    #: Seconds that a shutdown waits for analyses.
    grace_s: float = 20.0
    #: Whose users may log in; None: tokens only.
    oidc: Oidc | None = None
    #: Address of a collector of OpenTelemetry (OTLP over HTTP); empty: no traces.
    traces: str = ""


def is_loopback(host: str) -> bool:
    """Whether an address or name is this machine's own."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
