"""What the satellites add to awrlens: commands, rules, thresholds, readers, pages.

A satellite is a package of awrlens that uses the rest, which never imports it: the server
(``serve``), the store of many reports (``fleet``), recovery (``lab``) and SQL Server's logs
(``sqlserver``). Each has one ``EXTENSION`` in its ``__init__``, plain data, in which places in the
code are written ``module:name``, so that nothing is imported before it is used. awrlens does
without a satellite whose folder is not there.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeVar

from awrlens.lazy import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Protocol

    from awrlens.advice.mttr import Request
    from awrlens.errors import UnknownInputError
    from awrlens.model import Analysis, Fact
    from awrlens.policy import Policy
    from awrlens.redact.names import Names
    from awrlens.source.open import Source

    class OtherInput(Protocol):
        """An input that is not an Oracle report, as its reader gives it."""

        @property
        def source(self) -> str:
            """The name of the file."""

        @property
        def rules(self) -> frozenset[str]:
            """The ids of the rules that judge it."""

        def facts(self, part: str | None = None) -> Mapping[str, Fact]:
            """Its facts or those of a part; UsageError if it has no such part."""

        def analyze(self, policy: Policy, request: Request | None) -> Analysis:
            """Facts, findings and recommendations."""

        def without_names(self, names: Names) -> OtherInput:
            """The same input, of which nothing that is shown has a real name."""


_T = TypeVar("_T")

#: In the order in which they are asked; one of them may be absent.
SATELLITES: Final = ("sqlserver", "lab", "fleet", "serve", "mcp")


class Command(NamedTuple):
    """A command: the module that has it under its name, its help, and where `--help` lists it."""

    module: str
    help: str
    group: str
    #: The command that it precedes; at the end of the group without one.
    before: str = ""


class Schema(NamedTuple):
    """A JSON Schema: the function that makes it, and the one that it precedes."""

    place: str
    before: str = ""


class LogReader(NamedTuple):
    """Reads inputs that look like no report: an ``OtherInput`` of a ``Source``, or None.

    Where only reports are read, its inputs are refused with the message and the hint.
    """

    place: str
    refusal: str
    hint: str


class Extension(NamedTuple):
    """What one satellite adds."""

    commands: Mapping[str, Command] = {}
    #: Rules by id.
    rules: Mapping[str, str] = {}
    #: A file next to ``thresholds.txt``, if it has one.
    thresholds: str = ""
    #: JSON Schemas by the name that `awrlens schema` takes.
    schemas: Mapping[str, Schema] = {}
    log_reader: LogReader | None = None
    #: Reads what is neither a report nor an excerpt of one: an ``OtherInput`` of an
    #: ``UnknownInputError``, or None.
    last_reader: str = ""
    #: Makes the page of an analysis, by the field that only its analyses have.
    pages: Mapping[str, str] = {}
    #: Types of the document of an analysis that the core does without, by their names in it.
    documents: Mapping[str, str] = {}
    #: The module that reads reports of a store (``awrlens.cli.stored.Store``).
    store: str = ""
    #: Has a server check reports, writes the outputs and returns the exit status.
    client: str = ""


@cache
def registered() -> tuple[Extension, ...]:
    """The extensions of the satellites that are there."""
    extensions = []
    for satellite in SATELLITES:
        module = f"awrlens.{satellite}"
        try:
            extensions.append(import_module(module).EXTENSION)
        except ModuleNotFoundError as problem:
            if problem.name != module:
                raise
    return tuple(extensions)


def load(place: str) -> Any:  # noqa: ANN401 - whatever is there
    """The object at ``module:name``, or the module."""
    module, _, name = place.partition(":")
    imported = import_module(module)
    return getattr(imported, name) if name else imported


def documents() -> dict[str, Any]:
    """The types of documents that satellites describe, by name."""
    return {name: load(place) for ext in registered() for name, place in ext.documents.items()}


def placed(own: Mapping[str, _T], added: Iterable[tuple[str, _T, str]]) -> dict[str, _T]:
    """Our own entries and those added, each in front of the one that it names, or at the end."""
    entries, order = dict(own), list(own)
    for name, entry, before in added:
        order.insert(order.index(before) if before in entries else len(order), name)
        entries[name] = entry
    return {name: entries[name] for name in order}


def log_of(source: Source) -> tuple[OtherInput, LogReader] | None:
    """The input in a text that looks like no report, and its reader; None if none knows it."""
    for extension in registered():
        reader = extension.log_reader
        if reader is not None and (log := load(reader.place)(source)) is not None:
            return log, reader
    return None


def other_input(problem: UnknownInputError) -> OtherInput | None:
    """The input that is neither a report nor an excerpt of one; None if no reader knows it."""
    readers = (load(extension.last_reader) for extension in registered() if extension.last_reader)
    return next(filter(None, (read(problem) for read in readers)), None)


def page(field: str) -> Callable[..., Any]:
    """What makes the page of an analysis that has this field, or the tiles of a log."""
    places = (extension.pages[field] for extension in registered() if field in extension.pages)
    made: Callable[..., Any] = load(next(places))
    return made
