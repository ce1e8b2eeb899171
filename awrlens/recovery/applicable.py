"""Whether a system can have a buddy instance: its release, and whether it is a cluster."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

#: The release that introduced the buddy instance. # Buddy Instance, abstract
BUDDY_SINCE: Final = (12, 2)


def has_buddy(facts: Mapping[str, Fact], *, rac: bool) -> tuple[bool, str]:
    """Whether there can be a buddy instance, and if not, why not."""
    if not rac:
        return False, "A buddy instance requires RAC; this is a single instance."
    printed = str(facts["database.release"].value or "")
    found = re.match(r"(\d+)\.(\d+)", printed)
    if found is None:
        return False, "The release is not in the report; buddy instances require 12.2."
    if (int(found[1]), int(found[2])) < BUDDY_SINCE:
        return False, f"Buddy instances require 12.2; this release is {printed}."
    return True, ""
