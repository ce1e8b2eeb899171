"""A finished report as clients with other settings write it: figures and month names.

Titles, headings and text stay as they are: Oracle's scripts are in English.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

#: A figure that stands alone: not a part of a release, a path, a time or a name.
_FIGURE = re.compile(
    r"(?<![\w.,:/#$])(?<!\w-)(\d{1,3}(?:,\d{3})+|\d*)(\.\d+)?(?=(?:[KMGT%]|[mu]?s|E[+-]\d+)?(?![\w.,:/-]))"
)
_DATE = re.compile(r"(?<!\w)(\d\d-)(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(-\d\d|\s)")
_TAG = re.compile(r"(<style.*?</style>|<[^>]*>)", re.S)
_ENGLISH = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


@dataclass(frozen=True)
class Locale:
    """Decimal sign, sign between thousands, month names."""

    decimal: str
    thousands: str
    months: str

    def text(self, report: str) -> str:
        """A text report in this locale, columns as wide as before."""
        return _DATE.sub(self._date, _FIGURE.sub(self._figure, report))

    def html(self, report: str) -> str:
        """An HTML report in this locale; tags stay as they are."""
        pieces = _TAG.split(report)
        pieces[::2] = [self.text(piece) for piece in pieces[::2]]
        return "".join(pieces)

    def _figure(self, match: re.Match[str]) -> str:
        whole, rest = match[1], match[2] or ""
        return whole.replace(",", self.thousands) + rest.replace(".", self.decimal)

    def _date(self, match: re.Match[str]) -> str:
        return match[1] + self.months.split()[_ENGLISH.index(match[2])] + match[3]


PORTUGUESE = Locale(",", ".", "Jan Fev Mar Abr Mai Jun Jul Ago Set Out Nov Dez")
GERMAN = Locale(",", ".", "Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez")
