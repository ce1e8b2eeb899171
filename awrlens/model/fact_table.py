"""What every fact says about itself, once, above its function.

@fact("redo.write_ms", "ms", STATS, better="lower")
def write_ms(f: Figures) -> Number: ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeVar

from awrlens.lazy import NamedTuple
from awrlens.units import SHARES, plain

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from awrlens.model import Fact


#: A ``total`` grows with the interval and is divided by time, transactions or executes; so is a
#: ``rate``, which is a load. A ``level`` (latency, share, size, estimate) and a ``setting`` are
#: compared as they are; any difference of a setting counts. ``none`` is not compared.
Kind = Literal["total", "rate", "level", "setting", "none"]
#: What is better of two systems and of one system at two times. ``over time``: only of one system;
#: a share shows no more than a different mix of two systems, but above its usual value it is bad.
Better = Literal["lower", "higher", "neither", "lower over time", "higher over time"]

_Input = TypeVar("_Input")


class Answer(Protocol):
    """What a function of a fact returns: a fact, or a number that makes one of itself."""

    def fact(self) -> Fact:
        """The fact, without its name."""


CONTRADICTS: Final = "the two contradict each other"
#: The end of the note of a fact that would be a share of more than the whole.
ABOVE: Final = f"more than the whole: {CONTRADICTS}"


def contradicted(fact: Fact) -> Fact:
    """A share above 100 % is not a fact: the note shows what it is computed from."""
    what = f"{fact.formula} = " if fact.formula else ""
    why = "more than can be estimated" if fact.status == "estimated" else ABOVE
    note = f"{what}{plain(fact.number or 0.0)} %, {why}"
    return fact._replace(value=None, status="unavailable", formula="", note=note)


class Lacking(Exception):  # noqa: N818 - no error: a report lacks what a fact needs
    """Ends the function of a fact; ``answer`` has the reason."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


class FactSpec(NamedTuple):
    """The declaration of one fact."""

    name: str
    unit: str
    #: Sections it is read from; alternatives are separated by a bar.
    sections: tuple[str, ...]
    function: Callable[[Any], Fact]
    #: What its declaration says besides; else it follows from name, unit and sections.
    said_kind: Kind | None
    said_better: Better | None
    said_title: str
    #: Whether it is not held against 100 %: it may be above (Oracle's own sums, queues, and work of
    #: several processes) or cannot be (of its own sum, as printed).
    beyond: bool
    #: Begins with its definition; or makes that.
    about: str | Callable[[], str]

    @property
    def kind(self) -> Kind:
        """Unless said: of waits, rates, and what is read from parameters alone; else a level."""
        usual: Kind = "setting" if self.sections == ("parameters",) else "level"
        usual = "rate" if self.unit.endswith("/s") else usual
        return self.said_kind or ("total" if self.name.endswith("_wait_s") else usual)

    @property
    def better(self) -> Better:
        """Unless said, shorter waits and times in ms."""
        is_time = self.unit == "ms" or self.name.endswith("_wait_s")
        return self.said_better or ("lower" if is_time else "neither")

    @property
    def title(self) -> str:
        """A short title for people."""
        return self.said_title or self.name.replace(".", " ").replace("_", " ")

    @property
    def family(self) -> str:
        """The part of the name before the dot."""
        return self.name.partition(".")[0]

    @property
    def definition(self) -> str:
        """The first sentence of the function's documentation."""
        about = self.about if isinstance(self.about, str) else self.about()
        return about.strip().split("\n")[0]


class FactTable(dict[str, FactSpec]):
    """The facts of one kind of input, by name."""

    def of(self, *modules: ModuleType) -> tuple[FactSpec, ...]:
        """All facts in the order of their modules and declarations, or ValueError."""
        names = [module.__name__ for module in modules]
        return tuple(sorted(self.values(), key=lambda spec: names.index(spec.function.__module__)))

    def declare(
        self,
        name: str,
        unit: str,
        *sections: str,
        kind: Kind | None = None,
        better: Better | None = None,
        title: str = "",
        definition: str | Callable[[], str] = "",
        beyond: bool = False,
    ) -> Callable[[Callable[[_Input], Answer]], Callable[[_Input], Fact]]:
        """A decorator that adds a fact; ValueError if another one has its name.

        ``definition`` is for a function that has no docstring.
        """

        def add(function: Callable[[_Input], Answer]) -> Callable[[_Input], Fact]:
            if name in self:
                raise ValueError(f"two facts are named {name}")

            def fact_of(of: _Input) -> Fact:
                try:
                    fact = function(of).fact()
                except Lacking as lacking:
                    fact = lacking.answer.fact()
                above = unit == "%" and not beyond and (fact.number or 0.0) > SHARES[1]
                return contradicted(fact) if above else fact

            fact_of.__module__, fact_of.__name__ = function.__module__, function.__name__
            about = definition or function.__doc__ or ""
            self[name] = FactSpec(name, unit, sections, fact_of, kind, better, title, beyond, about)
            return fact_of

        return add

    def add(
        self,
        name: str,
        unit: str,
        kind: Kind,
        better: Better,
        definition: str,
        answer: Callable[[_Input], Answer],
    ) -> FactSpec:
        """The fact of an expression."""
        self.declare(name, unit, kind=kind, better=better, definition=definition)(answer)
        return self[name]


#: The facts of reports, declared in ``awrlens.facts``.
REPORT_FACTS: Final = FactTable()
fact: Final = REPORT_FACTS.declare
