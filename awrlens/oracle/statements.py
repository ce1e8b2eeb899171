"""SQL statements: what makes two of them different statements to Oracle, but not to a person."""

from __future__ import annotations

import re
from typing import Final

from awrlens.lazy import regex

#: Literals, comments and blanks: SQL that is equal without them is the same.
DIFFERS: Final = regex(r"/\*.*?(?:\*/|\Z)|'[^']*'|\b\d+\b|\s+", re.S)
