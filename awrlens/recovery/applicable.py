"""Whether a system can have a buddy instance: its release, and whether it is a cluster."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

#: The release that brought the buddy instance. # document 2, abstract
BUDDY_SINCE: Final = (12, 2)


def has_buddy(facts: Mapping[str, Fact], *, rac: bool) -> tuple[bool, str]:
    """Whether there can be a buddy instance, and if not, why not."""
    if not rac:
        return False, "A single instance has no other instance that could be its buddy."
    printed = str(facts["database.release"].value or "")
    found = re.match(r"(\d+)\.(\d+)", printed)
    if found is None:
        return False, "The release is not printed; buddy instances came with 12.2."
    if (int(found[1]), int(found[2])) < BUDDY_SINCE:
        return False, f"Buddy instances came with 12.2; this is {printed}."
    return True, ""
