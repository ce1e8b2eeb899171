"""``awrlens serve``: starts the server, and manages its tokens."""

from __future__ import annotations

import os
import re
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from awrlens import config
from awrlens.errors import UsageError, install
from awrlens.serve.settings import ALL, DAY_S, MB, PROJECT, SCOPES, Limits, Oidc, Role, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


@click.group(invoke_without_command=True)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="Address to listen on; other than loopback only with tokens.")  # fmt: skip
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), metavar="N",
              help="Port to listen on.")  # fmt: skip
@click.option("--data", default="awrlens-data", show_default=True, envvar="AWRLENS_SERVE_DATA",
              metavar="FOLDER", help="Folder of the database and the reports.")  # fmt: skip
@click.option("--database", default="", envvar="AWRLENS_SERVE_DATABASE", metavar="URL",
              help="PostgreSQL database, which several servers may share "
              "[default: SQLite in the folder].")  # fmt: skip
@click.option("--reports", default="", envvar="AWRLENS_SERVE_REPORTS", metavar="URL",
              help="S3 bucket of reports, s3://BUCKET/PREFIX [default: the folder].")  # fmt: skip
@click.option("--config", "config_file", metavar="FILE",
              help="Configuration for all analyses [default: none].")  # fmt: skip
@click.option("--keep", default=30, show_default=True, type=click.IntRange(0), metavar="DAYS",
              help="Days until an upload is deleted; 0: never.")  # fmt: skip
@click.option("--workers", default=0, type=click.IntRange(0), metavar="N",
              help="Processes that analyze [default: one per CPU].")  # fmt: skip
@click.option("--max-upload", default=32, show_default=True, type=click.IntRange(1, 512),
              metavar="MB", help="Maximum size of an upload.")  # fmt: skip
@click.option("--rate", default=600, show_default=True, type=click.IntRange(1), metavar="N",
              help="Requests per minute of a token or address.")  # fmt: skip
@click.option("--public-url", default="", metavar="URL",
              help="Address that browsers use, behind a reverse proxy.")  # fmt: skip
@click.option("--proxy", "proxies", multiple=True, metavar="ADDRESS",
              help="Reverse proxy whose X-Forwarded-For is used; may be repeated.")  # fmt: skip
@click.option("--lease", default=30, show_default=True, type=click.IntRange(2), metavar="S",
              help="Seconds until another server takes over the jobs of a killed one.")  # fmt: skip
@click.option("--oidc-issuer", default="", metavar="URL",
              help="Identity provider (OpenID Connect) whose users may log in; its secret is in "
              "AWRLENS_OIDC_SECRET.")  # fmt: skip
@click.option("--oidc-client", default="awrlens", show_default=True, metavar="ID",
              help="Client id of this server there.")  # fmt: skip
@click.option("--oidc-claim", default="groups", show_default=True, metavar="NAME",
              help="Claim of the ID token with the roles of a user.")  # fmt: skip
@click.option("--oidc-scope", default="openid", show_default=True, metavar="SCOPES",
              help="Scopes to ask for.")  # fmt: skip
@click.option("--oidc-role", "oidc_roles", multiple=True, metavar="ROLE=SCOPE@PROJECT",
              help="What a role may, e.g. dba=admin@* or dev=read,upload@shop; may be repeated."
)  # fmt: skip
@click.option("--traces", default="", metavar="URL",
              help="Collector of OpenTelemetry, http://HOST:4318/v1/traces.")  # fmt: skip
@click.option("--log", "log_format", default="text", show_default=True,
              type=click.Choice(["text", "json"]), help="Format of the log.")  # fmt: skip
@click.pass_context
def serve(
    context: click.Context, host: str, port: int, data: str, database: str, reports: str,
    config_file: str | None, keep: int, workers: int, max_upload: int, rate: int, public_url: str,
    proxies: tuple[str, ...], lease: int, oidc_issuer: str, oidc_client: str, oidc_claim: str,
    oidc_scope: str, oidc_roles: tuple[str, ...], traces: str, log_format: str,
) -> None:  # fmt: skip
    """Start a web server that analyzes uploaded reports.

    Drop reports on its page, or upload them with curl. It listens on this machine only; to let
    others connect, create a token first. Needs the extra `web`.

    \b
    Examples:
      awrlens serve
      curl --data-binary @awr.html http://127.0.0.1:8000/api/reports
      curl --data-binary @awr.html \\
        'http://127.0.0.1:8000/api/check?fail_on=critical'
      awrlens serve token create --name ci --scope upload
    """  # noqa: D301 - \b is for click
    context.obj = data, database
    if context.invoked_subcommand is not None:
        return
    limits = Limits(upload_bytes=max_upload * MB, requests_per_minute=rate)
    settings = Settings(
        Path(data), host, port, database, reports,
        config.Options(config_file, isolated=config_file is None), workers or os.cpu_count() or 1,
        keep, public_url.rstrip("/"), proxies, limits, float(lease),
        oidc=_oidc(oidc_issuer, oidc_client, oidc_claim, oidc_scope, oidc_roles),
        traces=traces,
    )  # fmt: skip
    packages = "fastapi", "uvicorn", "multipart", "prometheus_client"
    absent = [name for name in packages if find_spec(name) is None]
    if absent:
        raise UsageError(
            f"The server needs packages that are not installed: {', '.join(absent)}.",
            hint=install("web"),
        )
    from awrlens.serve.run import run

    run(settings, log_format)


def _oidc(issuer: str, client: str, claim: str, scope: str, roles: tuple[str, ...]) -> Oidc | None:
    """The identity provider; UsageError for a role that nobody understands."""
    if not issuer:
        if roles:
            raise UsageError("--oidc-role needs --oidc-issuer.")
        return None
    if not roles:
        raise UsageError(
            "No user of the identity provider would have rights.",
            hint="For example --oidc-role dba=admin@*.",
        )
    secret = os.environ.get("AWRLENS_OIDC_SECRET", "")
    return Oidc(issuer, client, secret, tuple(map(_role, roles)), claim, scope)


def _role(text: str) -> Role:
    name, _, rights = text.rpartition("=")
    listed, _, project = rights.partition("@")
    scopes = tuple(scope.strip() for scope in listed.split(","))
    if not name or not set(scopes) <= set(SCOPES) or not _is_project(project):
        raise UsageError(
            f"Invalid role {text!r}.", hint="For example dba=admin@* or dev=read,upload@shop."
        )
    return Role(name, scopes, project)


def _is_project(name: str) -> bool:
    return name == ALL or re.fullmatch(PROJECT, name) is not None


@serve.group()
def token() -> None:
    """Create, list, rotate and revoke tokens.

    As soon as a token exists, every request needs one. The options --data and --database are
    those of the server: awrlens serve --data FOLDER token list
    """


def _now(context: click.Context, function: Callable[..., T], *args: object) -> T:
    """Run a function of tokens in the database of the server."""
    from awrlens.serve import database

    data, url = context.find_root().obj or context.obj
    Path(data).mkdir(parents=True, exist_ok=True, mode=0o700)
    opened = database.opened(url, Path(data) / "awrlens.sqlite")
    try:
        return opened.now(function, *args)
    finally:
        opened.close()


def _put(text: str) -> None:
    click.echo("awrlens: this token is shown once; keep it secret", err=True)
    click.echo(text)


def _end(days: int | None) -> float | None:
    return time.time() + days * DAY_S if days else None


@token.command()
@click.option("--name", required=True, metavar="TEXT", help="Who or what uses it.")
@click.option("--scope", "scopes", multiple=True, type=click.Choice(SCOPES),
              default=("read", "upload"), show_default=True,
              help="Right of the token; may be repeated.")  # fmt: skip
@click.option("--project", default="default", show_default=True, metavar="NAME",
              help="Its project, or * for all.")  # fmt: skip
@click.option("--expires", type=click.IntRange(1), metavar="DAYS", help="Days until it ends.")
@click.pass_context
def create(
    context: click.Context, name: str, scopes: tuple[str, ...], project: str, expires: int | None
) -> None:
    """Create a token and print it."""
    from awrlens.serve import access

    if not _is_project(project):
        raise UsageError(f"Invalid project {project!r}.", hint="Use letters, digits, . _ and -.")
    _put(_now(context, access.create, name, scopes, project, _end(expires)))


@token.command("list")
@click.pass_context
def list_(context: click.Context) -> None:
    """List all tokens."""
    from awrlens.render.wording import safe
    from awrlens.serve import access

    for row in _now(context, access.listed):
        state = "revoked" if row["revoked"] else "valid"
        if state == "valid" and row["expires"]:
            ended = row["expires"] < time.time()
            day = time.strftime("%Y-%m-%d", time.gmtime(row["expires"]))
            state = "expired" if ended else f"until {day}"
        click.echo(
            f"{row['id']}  {row['project']:<16} {row['scopes']:<18} {state:<16} {safe(row['name'])}"
        )


@token.command()
@click.argument("id_", metavar="ID")
@click.option("--overlap", default=1.0, show_default=True, type=click.FloatRange(0), metavar="DAYS",
              help="Days for which the old token is still valid.")  # fmt: skip
@click.option("--expires", type=click.IntRange(1), metavar="DAYS",
              help="Days until the new one ends.")  # fmt: skip
@click.pass_context
def rotate(context: click.Context, id_: str, overlap: float, expires: int | None) -> None:
    """Create a token with the rights of another, which then ends."""
    from awrlens.serve import access

    _put(_now(context, access.rotate, id_, overlap * DAY_S, _end(expires)))


@token.command()
@click.argument("id_", metavar="ID")
@click.pass_context
def revoke(context: click.Context, id_: str) -> None:
    """End a token and its browser sessions."""
    from awrlens.serve import access

    if not _now(context, access.revoke, id_):
        raise UsageError(f"There is no valid token {id_}.", hint="awrlens serve token list")
    click.echo(f"awrlens: token {id_} revoked", err=True)
