"""`awrlens serve` under a scanner of web security: what it finds is mended, or named here.

The scanner is wapiti, in an environment of its own (`make nightly` installs it).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from serving import REPORT, TEXT, Server, serving

_WAPITI = os.environ.get("AWRLENS_WAPITI") or shutil.which("wapiti")
pytestmark = [
    pytest.mark.outside,
    pytest.mark.skipif(_WAPITI is None, reason="no scanner: wapiti (package wapiti3) is missing"),
]
#: What a server without https on loopback cannot have.
KNOWN = ("Secure Flag cookie",)
#: All that look at this server only; others ask services elsewhere, or look for other products.
MODULES = (
    "backup,cookieflags,crlf,csp,csrf,exec,file,htaccess,http_headers,ldap,permanentxss,"
    "redirect,shellshock,sql,upload,xss"
)
SECONDS = 150


def scanned(server: Server, folder: Path, *options: str) -> dict[str, list[dict[str, Any]]]:
    """What the scanner found, by category."""
    out = folder / "found.json"
    command = [
        str(_WAPITI), "--url", f"{server.url}/", "--scope", "folder", "--module", MODULES,
        "--format", "json", "--output", str(out), "--max-scan-time", str(SECONDS),
        "--max-attack-time", str(SECONDS // 8), "--tasks", "4", "--no-bugreport", "--flush-session",
        "--store-session", str(folder), "--verbose", "0", "--level", "2", "--depth", "4",
        "--max-links-per-page", "30", *options,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, check=False, text=True, timeout=600)
    assert out.exists(), done.stdout[-3000:] + done.stderr[-3000:]
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["infos"]["crawled_pages_nbr"] > 3
    kinds = {**found["vulnerabilities"], **found["anomalies"]}
    return {kind: each for kind, each in kinds.items() if each and kind not in KNOWN}


def shown(found: dict[str, list[dict[str, Any]]]) -> list[str]:
    return [f"{kind}: {each['method']} {each['path']} {each['info']}"
            for kind, some in found.items() for each in some]  # fmt: skip


def test_a_scanner_finds_nothing_in_pages_and_api(tmp_path: Path) -> None:
    with serving(tmp_path / "data", "--workers", "1", "--rate", "1000000") as server:
        for each in (REPORT, TEXT):
            server.done(server.upload(each).json()["id"])
        document = f"{server.url}/api/openapi.json"
        found = scanned(server, tmp_path, "--swagger", document)

        assert [] == shown(found)
        assert "request failed" not in server.log()
        assert 200 == server.client.get("/ready").status_code
