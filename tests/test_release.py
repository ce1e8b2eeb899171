"""tools/release.py: licenses and bill of materials of what awrlens needs."""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from awrlens import __version__
from awrlens.policy import DOCUMENTS

pytestmark = pytest.mark.outside

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def release() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", ROOT / "tools" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules["release"] = found
    spec.loader.exec_module(found)
    return found


def test_what_awrlens_and_its_extras_need_has_an_accepted_license(release: ModuleType) -> None:
    packages = release.needed()

    assert {"click", "pandas", "pydantic", "fastapi", "starlette", "psycopg", "obstore"} <= set(
        packages
    )
    assert "pytest" not in packages
    assert [] == [name for name in packages if not release.ALLOWED.search(release.license_of(name))]


@pytest.mark.parametrize("license_", ["GPL-3.0-only", "unknown", "AGPL", "Proprietary"])
def test_other_licenses_are_refused(release: ModuleType, license_: str) -> None:
    assert not release.ALLOWED.search(license_)


def test_the_bill_of_materials_has_versions_and_the_hashes_of_the_lock(release: ModuleType) -> None:
    first, second = "a" * 64, "b" * 64
    lock = f"click==8.1.0 \\\n    --hash=sha256:{second} \\\n    --hash=sha256:{first}\n"
    found = release.bill("1.0", {"click": "8.1.0"}, release.hashes(lock))
    click = found["components"][0]

    assert "CycloneDX" == found["bomFormat"]
    assert "pkg:pypi/click@8.1.0" == click["purl"]
    assert [first, second] == [each["hashes"][0]["content"] for each in click["externalReferences"]]


def test_a_release_says_whether_its_metadata_has_links(release: ModuleType) -> None:
    assert "https://git.example.org/v1" in release.linked("https://git.example.org/v1")
    assert release.linked("").startswith("NO LINKS")


def test_the_citation_has_the_documents_of_the_rules() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    documents = DOCUMENTS.values()

    assert cited["version"] == __version__
    for each, whole in zip(cited["references"], documents, strict=True):
        assert each["title"] in whole
        assert each["authors"][0].get("family-names", "") in whole


@contextmanager
def advisories(known: dict[str, str]) -> Iterator[str]:
    """A service of advisories, as OSV is one: a vulnerability by package."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            name = asked["package"]["name"]
            events = [{"introduced": "0"}, {"fixed": "99.0"}]
            ranges = [{"type": "ECOSYSTEM", "events": events}]
            package = {"name": name, "ecosystem": "PyPI"}
            found = [
                {
                    "id": known[name], "summary": "invented", "details": "invented",
                    "published": "2026-01-01T00:00:00Z", "aliases": [],
                    "affected": [{"package": package, "ranges": ranges}],
                }
            ] if name in known else []  # fmt: skip
            body = json.dumps({"vulns": found} if found else {}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1/query"
    server.shutdown()
    server.server_close()


def asked(address: str, *, require: bool = False, accept: tuple[str, ...] = ()) -> Any:
    return argparse.Namespace(advisories=address, require_audit=require, accept=list(accept))


PACKAGES = {"click": "8.1.0", "jinja2": "3.1.0"}


@pytest.mark.slow
def test_a_release_with_a_known_vulnerability_fails_and_names_it(release: ModuleType) -> None:
    pytest.importorskip("pip_audit")
    with advisories({"jinja2": "GHSA-test-0001"}) as address:
        with pytest.raises(SystemExit) as end:
            release.audit(PACKAGES, asked(address))
        accepted = release.audit(PACKAGES, asked(address, accept=("GHSA-test-0001",)))
    with advisories({}) as address:
        clean = release.audit(PACKAGES, asked(address))

    assert "jinja2 3.1.0: GHSA-test-0001, fixed in 99.0" in str(end.value)
    assert "click" not in str(end.value)
    assert "2 packages audited, no known vulnerabilities" == accepted == clean


@pytest.mark.slow
def test_a_release_says_that_it_is_not_audited(release: ModuleType) -> None:
    nobody = "http://127.0.0.1:9/v1/query"

    assert release.audit(PACKAGES, asked(nobody)).startswith("NOT AUDITED")
    with pytest.raises(SystemExit) as end:
        release.audit(PACKAGES, asked(nobody, require=True))
    assert str(end.value).startswith("Not audited")
