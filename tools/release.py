"""Builds a release: a wheel that can be reproduced, the licenses of what it needs, and an SBOM.

    python tools/release.py --output dist

Builds twice and fails if the wheels differ. Fails if a package that awrlens or one of its extras
needs has a license that is not in the list, or a known vulnerability. If the service of advisories
cannot be reached, the release says that it is not audited; with --require-audit it fails.

Writes awrlens-VERSION.cdx.json (CycloneDX 1.6) with the installed versions and the hashes of
requirements-dev.lock, the site if `make site` built it, and SHA256SUMS.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).parent.parent
#: What `make site` writes.
SITE: Final = ROOT / "out" / "site"
#: The service of advisories; the versions of the packages are sent there.
ADVISORIES: Final = "https://api.osv.dev/v1/query"
#: Licenses that do not restrict the users of a package; LGPL only as a library that is imported.
ALLOWED: Final = re.compile(
    r"\b(?:MIT|BSD|Apache|PSF|Python Software Foundation|ISC|0BSD|MPL|MPL-2\.0|LGPL|Unlicense|Zlib|"
    r"Mozilla Public)\b|Lesser General Public",
    re.I,
)


def needed() -> dict[str, str]:
    """Every package that awrlens and its extras need here, with its installed version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    own = [*project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        own += extra
    found: dict[str, str] = {}
    left: list[tuple[str, tuple[str, ...]]] = [("", ())]
    seen = set()
    while left:
        package, wanted = left.pop()
        for text in (metadata.requires(package) or ()) if package else own:
            each = Requirement(text)
            marker = each.marker
            if marker and not any(marker.evaluate({"extra": extra}) for extra in ("", *wanted)):
                continue
            key = (canonicalize_name(each.name), tuple(sorted(each.extras)))
            if key not in seen:
                seen.add(key)
                found[key[0]] = metadata.version(each.name)
                left.append(key)
    return dict(sorted(found.items()))


def license_of(name: str) -> str:
    """The license of an installed package, as its metadata says."""
    about = metadata.metadata(name).json
    said = str(about.get("license_expression") or "")
    classifiers = [
        each.rpartition("::")[2].strip()
        for each in about.get("classifier") or ()
        if each.startswith("License ::")
    ]
    first = str(about.get("license") or "").strip().split("\n")[0][:80]
    return said or ", ".join(classifiers) or first or "unknown"


def hashes(lock: str) -> dict[str, list[str]]:
    """The SHA-256 hashes of every package of a lock file."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in lock.splitlines():
        if match := re.match(r"([A-Za-z0-9._-]+)==", line):
            name = canonicalize_name(match[1])
        found.setdefault(name, []).extend(re.findall(r"--hash=sha256:([0-9a-f]{64})", line))
    return found


def bill(version: str, packages: dict[str, str], known: dict[str, list[str]]) -> dict[str, Any]:
    """The bill of materials, by name and without times, so that it is reproducible."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _component("awrlens", version, "Apache-2.0", ())},
        "components": [
            _component(name, number, license_of(name), known.get(name, ()))
            for name, number in packages.items()
        ],
    }


def _component(name: str, version: str, license_: str, known: Any) -> dict[str, Any]:  # noqa: ANN401
    purl = f"pkg:pypi/{name}@{version}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
        "licenses": [{"license": {"name": license_}}],
        "externalReferences": [
            {"type": "distribution", "url": purl, "hashes": [{"alg": "SHA-256", "content": each}]}
            for each in sorted(known)
        ],
    }


class Advisory(NamedTuple):
    """A known vulnerability of a package."""

    package: str
    version: str
    id: str
    fixed: tuple[str, ...]

    def __str__(self) -> str:
        fixed = f"fixed in {', '.join(self.fixed)}" if self.fixed else "not fixed yet"
        return f"{self.package} {self.version}: {self.id}, {fixed}"


class NotAuditedError(Exception):
    """Nothing is known about vulnerabilities, and why."""


def audited(packages: dict[str, str], service: str, accepted: list[str]) -> list[Advisory]:
    """The known vulnerabilities of some packages; NotAuditedError if nobody can be asked."""
    program = Path(sys.executable).with_name("pip-audit")
    if not program.exists():
        raise NotAuditedError("pip-audit is not installed")
    with tempfile.TemporaryDirectory() as folder:
        listed, out = Path(folder) / "packages.txt", Path(folder) / "found.json"
        listed.write_text("".join(f"{name}=={number}\n" for name, number in packages.items()))
        command = [
            str(program), "--requirement", str(listed), "--no-deps", "--disable-pip",
            "--vulnerability-service", "osv", "--osv-url", service, "--format", "json",
            "--output", str(out), "--progress-spinner", "off", "--timeout", "15",
            *(f"--ignore-vuln={each}" for each in accepted),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, check=False, text=True)  # noqa: S603 - pip-audit
        try:
            found = json.loads(out.read_text(encoding="utf-8"))["dependencies"]
        except (OSError, ValueError, KeyError):
            said = (done.stderr.strip().splitlines() or ["nothing said"])[-1].partition(":")[0]
            where = urlsplit(service).netloc
            raise NotAuditedError(f"{where} cannot be reached or used ({said})") from None
    left = [each["name"] for each in found if "skip_reason" in each]
    if left or len(found) != len(packages):
        raise NotAuditedError(f"only a part was audited, without {', '.join(left) or 'some'}")
    return [
        Advisory(each["name"], each["version"], vuln["id"], tuple(vuln["fix_versions"]))
        for each in found
        for vuln in each["vulns"]
    ]


def audit(packages: dict[str, str], asked: argparse.Namespace) -> str:
    """A sentence about the audit; the release ends if a vulnerability is known."""
    try:
        found = audited(packages, asked.advisories, asked.accept)
    except NotAuditedError as problem:
        if asked.require_audit:
            sys.exit(f"Not audited: {problem}.")
        return f"NOT AUDITED against known vulnerabilities: {problem}"
    if found:
        sys.exit("Known vulnerabilities: " + "; ".join(map(str, found)))
    return f"{len(packages)} packages audited, no known vulnerabilities"


def built(folder: Path) -> Path:
    """A wheel, built from the source distribution."""
    time = subprocess.run(
        ["git", "log", "-1", "--format=%ct"],  # noqa: S607 - git of the path
        cwd=ROOT, capture_output=True, check=True, text=True,
    ).stdout.strip()  # fmt: skip
    subprocess.run(  # noqa: S603 - our own build
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        check=True, stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": time},
    )  # fmt: skip
    return next(folder.glob("*.whl"))


def linked(base: str) -> str:
    """A sentence about the links of the metadata, which need an address (tools/metadata.py)."""
    if base:
        return f"the metadata links to {base}"
    return "NO LINKS in the metadata: set AWRLENS_BASE_URL to where the files of this version are"


def _sum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def main() -> None:
    """Build, compare, check, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "dist")
    parser.add_argument("--advisories", default=ADVISORIES, help="service of advisories (OSV)")
    parser.add_argument("--require-audit", action="store_true", help="fail without an audit")
    parser.add_argument("--accept", action="append", default=[], metavar="ID",
                        help="a vulnerability that does not concern awrlens")  # fmt: skip
    asked = parser.parse_args()
    target = asked.output
    target.mkdir(parents=True, exist_ok=True)
    packages = needed()
    refused = [f"{name}: {license_of(name)}" for name in packages
               if not ALLOWED.search(license_of(name))]  # fmt: skip
    if refused:
        sys.exit("These licenses are not in the list: " + "; ".join(refused))
    audit_said = audit(packages, asked)
    wheel = built(target)
    with tempfile.TemporaryDirectory() as folder:
        if _sum(wheel) != _sum(built(Path(folder))):
            sys.exit("Two builds of the wheel differ.")
    version = wheel.name.split("-")[1]
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    file = target / f"awrlens-{version}.cdx.json"
    text = json.dumps(bill(version, packages, hashes(lock)), indent=1)
    file.write_text(text + "\n", encoding="utf-8")
    if SITE.is_dir():
        shutil.make_archive(str(target / f"awrlens-{version}-site"), "gztar", SITE)
    files = sorted(each for each in target.iterdir() if each.name.startswith("awrlens-"))
    sums = "".join(f"{_sum(each)}  {each.name}\n" for each in files)
    (target / "SHA256SUMS").write_text(sums, encoding="utf-8")
    print(f"{len(packages)} packages, licenses accepted; two builds are equal")
    print(audit_said)
    print(linked(os.environ.get("AWRLENS_BASE_URL", "")))
    print(sums, end="")


if __name__ == "__main__":
    main()
