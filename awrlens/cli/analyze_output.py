"""Prints analyses as they arrive: text, Markdown, JSON, and their parts of an HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from awrlens.cli import complain, echo, output
from awrlens.errors import EXIT_OK, EXIT_UNREADABLE
from awrlens.model import SCHEMA_VERSION
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from awrlens.cli import batch
    from awrlens.cli.analyze import Analysed
    from awrlens.errors import AwrlensError
    from awrlens.model import Analysis
    from awrlens.render.lines import Line
    from awrlens.render.many_reports import Row


class Detail(NamedTuple):
    """The level of detail: the first screen, everything, or some findings."""

    verbose: bool = False
    explain: tuple[str, ...] = ()


FIRST_SCREEN: Final = Detail()


def _page(analysis: Analysis, detail: Detail) -> list[Line]:
    from awrlens.render import layout  # noqa: PLC0415

    if detail.explain:
        return list(layout.explained(analysis, detail.explain, output.width()))
    return list(layout.page(analysis, output.width(), verbose=detail.verbose))


def _markdown(analysis: Analysis, _: Detail) -> str:
    from awrlens.render.markdown import render as to_markdown  # noqa: PLC0415

    return to_markdown(analysis)


def _compact(analysis: Analysis, _: Detail) -> str:
    from awrlens.render.json import document  # noqa: PLC0415

    return document(analysis.to_dict(), compact=True)


def _indented(analysis: Analysis, _: Detail) -> str:
    from awrlens.render.json import document  # noqa: PLC0415

    return document(analysis.to_dict())


_RENDERERS: Final[dict[str, Callable[[Analysis, Detail], Any]]] = {
    "text": _page, "markdown": _markdown, "jsonl": _compact, "json": _indented,
}  # fmt: skip


class Rendered(NamedTuple):
    """The printed form of a report, and its part of the HTML page if one is requested."""

    shown: Any
    page: dict[str, Any] | None
    #: Its row in a list of many reports.
    row: Row | None = None


def render(found: Analysed, format_: str, detail: Detail) -> Rendered:
    """One analysis in its printed form, and for the HTML page if one is requested."""
    page = None
    if found.shown is not None:
        from awrlens.render.html import page as lay_out  # noqa: PLC0415

        page = lay_out(found.analysis, found.shown)
    shown = None if format_ == "html" else _RENDERERS[format_](found.analysis, detail)
    if format_ != "text" or detail != FIRST_SCREEN:
        return Rendered(shown, page)
    from awrlens.render.many_reports import row  # noqa: PLC0415

    return Rendered(shown, page, row(found.analysis))


def error_document(name: str, problem: AwrlensError) -> dict[str, Any]:
    """The JSON document for a report that cannot be read."""
    return {
        "schema_version": SCHEMA_VERSION,
        "source": name,
        "error": {"message": f"{problem.message} {problem.hint}".strip(), "line": problem.line},
    }


#: Up to this number, reports are printed one by one; more become a list, the worst first.
_FEW: Final = 3


class Printer:
    """Prints results as they arrive; several JSON documents form an array, many reports a list."""

    def __init__(self, format_: str, *, many: bool, verbose: bool) -> None:
        self._verbose = verbose
        self._format = format_
        self._many = many
        self._printed = 0
        #: Reports that wait until their number is known.
        self._held: list[Rendered] = []
        self._skipped: list[str] = []
        #: The problems of reports that could not be read; they fail.
        self.unread: list[tuple[str, bool]] = []
        #: Parts of the HTML page, one per report.
        self.pages: list[dict[str, Any]] = []

    def all(self, results: Iterator[batch.Result]) -> int:
        """Print everything; returns the exit status."""
        status = EXIT_OK
        for result in results:
            if result.skipped:
                self._skipped.append(result.name)
                continue
            if result.problem is not None:
                complain(result.problem)
                status = max(status, result.problem.exit_code)
            self._take(result)
        self._end()
        some = self._printed or self.pages
        return status if some or status != EXIT_OK else EXIT_UNREADABLE

    def _take(self, result: batch.Result) -> None:
        """Print a result, or hold it until the number of results is known."""
        if result.problem is not None:
            place = error_document(result.name, result.problem)
            file = result.name.replace("\\", "/").rpartition("/")[2]
            self.unread.append((f"{file}: {place['error']['message']}", True))
            if self._format == "jsonl" or (self._format == "json" and self._many):
                from awrlens.render.json import document  # noqa: PLC0415

                self._put(document(place, compact=self._format == "jsonl"))
            return
        rendered = cast("Rendered", result.rendered)
        if rendered.page is not None:
            self.pages.append(rendered.page)
        if rendered.shown is None:
            return
        if self._format == "json" and not self._many:
            if not self._held:
                self._held.append(rendered)
                return
            self._many = True  # an array only if a second report follows
            self._put(self._held.pop().shown)
        if rendered.row is not None:
            few = len(self._held) < _FEW
            self._held.append(rendered if few else rendered._replace(shown=None))
            return
        self._put(rendered.shown)

    def _end(self) -> None:
        if self._format == "json":
            if self._held:
                echo(self._held.pop().shown)
                self._printed += 1
            elif self._many:
                echo("\n]" if self._printed else "[]")
        if len(self._held) > _FEW:
            from awrlens.render.many_reports import page  # noqa: PLC0415

            rows = [each.row for each in self._held if each.row is not None]
            output.show(page(rows, output.width(), [text for text, _ in self.unread]))
            self._printed += len(rows)
        else:
            for each in self._held:  # few enough to print
                self._put(each.shown)
        if self._verbose:
            output.skipped(self._skipped, None)
        else:
            output.skipped(self._skipped)

    def _put(self, text: Any) -> None:  # noqa: ANN401 - text or laid-out lines
        if self._format == "json":
            indented = "\n".join(f"  {line}" for line in text.split("\n"))
            echo(("[\n" if not self._printed else ",\n") + indented, nl=False)
        else:
            if self._printed and self._format == "text":
                echo("")
            if self._format == "text":
                output.show(text)
            else:
                echo(text)
        self._printed += 1
