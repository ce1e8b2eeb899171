"""tools/release.py: licenses and bill of materials of what awrlens needs."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

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
