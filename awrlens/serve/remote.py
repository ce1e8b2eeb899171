"""``awrlens check --server``: the check is done by a server of `awrlens serve`."""

from __future__ import annotations

import http.client
import io
import json
import os
import sys
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from awrlens.cli import output
from awrlens.cli.console import complain
from awrlens.errors import EXIT_UNREADABLE, UnreadableError, UsageError, reason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from awrlens.cli.check import Target
    from awrlens.redact.names import Names

#: Environment variable of the token.
TOKEN: Final = "AWRLENS_TOKEN"  # noqa: S105 - its name
_TIMEOUT_S: Final = 180
#: Requests if the server has no room, and the longest time between them.
_ATTEMPTS: Final = 4
_LONGEST_S: Final = 30.0


def check(
    server: str, query: Mapping[str, str | Sequence[str]], reports: Sequence[str],
    targets: Sequence[Target], names: Names | None,
) -> int:  # fmt: skip
    """Send the reports in one request to /api/check, write the outputs, return the exit status."""
    from awrlens.render.wording import safe

    token = os.environ.get(TOKEN, "")
    where = urlsplit(server)
    if where.scheme not in ("http", "https") or not where.hostname:
        raise UsageError(f"{server!r} is not the address of a server.",
                         hint="For example --server https://awrlens.example.com.")  # fmt: skip
    if token and where.scheme == "http" and where.hostname not in ("127.0.0.1", "::1", "localhost"):
        raise UsageError("The token would be sent without encryption.", hint="Use https.")
    files, unread = _files(reports, names)
    if not files:
        return EXIT_UNREADABLE
    name, data = files[0] if len(files) == 1 else ("reports.zip", _packed(files))
    formats = tuple(dict.fromkeys(target.format for target in targets))
    whole = {**query, "name": name, "output": formats}
    if names is not None:  # they are replaced already
        whole["redact"] = "false"
    address = f"{server.rstrip('/')}/api/check?{urlencode(whole, doseq=True)}"
    answer = _answer(address, data, token)
    for note in answer["notes"]:
        complain(UnreadableError(note), "")
    for target in targets:
        text = answer["outputs"][target.format]
        if target.format == "text" and target.file is None:  # of a server, for a terminal
            text = "".join(f"{safe(line)}\n" for line in text.splitlines())
        output.deliver(text, target.file)
    return max(int(answer["exit_status"]), EXIT_UNREADABLE if unread else 0)


def _files(reports: Sequence[str], names: Names | None) -> tuple[list[tuple[str, bytes]], bool]:
    """The files to send, without names if they are redacted; and whether some could not be read."""
    from awrlens.source.open import inputs

    files: list[tuple[str, bytes]] = []
    unread = False
    for file in inputs(tuple(reports)):
        if names is not None:
            from awrlens.cli.redact import texts

            for name, text in texts(file, names):
                unread |= text is None
                files += [(name, text.encode("utf-8", "replace"))] if text is not None else []
            continue
        try:
            data = sys.stdin.buffer.read() if file.path == "-" else Path(file.path).read_bytes()
        except OSError as problem:
            why = f"The file cannot be read: {reason(problem)}."
            complain(UnreadableError(why, source=file.path))
            unread = True
            continue
        files.append((Path(file.path).name, data))
    return files, unread


def _packed(files: Sequence[tuple[str, bytes]]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        used: set[str] = set()
        for number, (name, data) in enumerate(files, start=1):
            unique = name if name not in used else f"{number}-{name}"
            used.add(unique)
            archive.writestr(unique, data)
    return packed.getvalue()


class NoRedirect(HTTPRedirectHandler):
    """Nothing is sent to another address than the given one."""

    def redirect_request(self, *_: object) -> None:
        """No request follows."""


def _answer(address: str, data: bytes, token: str) -> dict[str, Any]:
    """The result of the check; UsageError or UnreadableError if there is none."""
    headers = {"Content-Type": "application/octet-stream", "Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    opener = build_opener(NoRedirect)
    for attempt in range(_ATTEMPTS):
        request = Request(address, data, headers, method="POST")  # noqa: S310 - checked above
        try:
            with opener.open(request, timeout=_TIMEOUT_S) as response:
                return _document(response.read())
        except HTTPError as problem:
            document = _document(problem.read())
            if "exit_status" in document:
                return document
            if problem.code in (429, 503) and attempt + 1 < _ATTEMPTS:
                wait = problem.headers.get("Retry-After", "2")
                time.sleep(min(float(wait) if wait.isdecimal() else 2.0, _LONGEST_S))
                continue
            said = str(document.get("detail", f"it answered with status {problem.code}."))
            if "check" in document:
                return {**document["check"], "outputs": document["check"].get("outputs", {})}
            kind = UsageError if problem.code in (400, 401, 403) else UnreadableError
            raise kind(f"The server refused the check: {said}") from None
        except (URLError, http.client.HTTPException, OSError) as problem:
            why = str(getattr(problem, "reason", problem)).lower()
            raise UnreadableError(f"The server cannot be reached: {why}.") from None
    raise UnreadableError("The server is busy.")


def _document(data: bytes) -> dict[str, Any]:
    try:
        document = json.loads(data)
    except ValueError:
        document = None
    return document if isinstance(document, dict) else {}
