"""Identifies a finding across runs: by rule, database, instance and facts, never by lines."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from awrlens.model.check_run import FINGERPRINT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Finding


def of(finding: Finding, report: Mapping[str, Any]) -> str:
    """The fingerprint of a finding: 32 hexadecimal digits.

    The same finding in the next report of the same database and instance has the same
    fingerprint, regardless of its lines and numbers.
    """
    who = [str(report.get(name) or "") for name in ("db_id", "db_name", "container")]
    which = str(report.get("instance") or report.get("instance_number") or "").lower()
    facts = sorted(fact.name for fact in finding.facts) or sorted(finding.related)
    text = "\x1f".join([FINGERPRINT, finding.id, *who, which, *facts])
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
