"""The reader for a kind of report; only the one that is needed is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from awrlens.grammar.catalogue import Catalogue
    from awrlens.report.reader_result import Reader
    from awrlens.source.kind import Kind


def reader_of(kind: Kind, text: str, catalogue_: Catalogue) -> Reader:
    """The reader of a text of some kind."""
    page: Reader | None = None
    if kind.html:
        from awrlens.report.html_reader import HtmlReader  # noqa: PLC0415

        page = HtmlReader(text)
    if kind.excerpt:
        from awrlens.report.excerpt import ExcerptReader  # noqa: PLC0415

        return ExcerptReader(text, catalogue_, page)
    if page is not None:
        return page
    from awrlens.report.copied_pages import as_page, is_copied  # noqa: PLC0415

    if is_copied(text, kind.at):
        from awrlens.report.html_reader import HtmlReader  # noqa: PLC0415

        return HtmlReader(as_page(text, catalogue_))
    from awrlens.report.text_reader import TextReader  # noqa: PLC0415

    return TextReader(text)
