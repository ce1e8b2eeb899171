"""A rule: a function whose parameters are the facts it reads, and with a page next to its module.

A parameter's name is the fact's with a `_` in place of the dot, its annotation says how it is read:
`redo_commit_ms: float` is needed (without it the rule is skipped), `float | None` is not. What
comes before `*` is the evidence of the finding, in this order.
"""

from __future__ import annotations

import os
import re
from functools import cache, partial
from math import inf
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from awrlens.lazy import NamedTuple
from awrlens.model import NO_WEIGHT, SEVERITIES, Fact, Finding, Impact, Severity, worst
from awrlens.policy import Policy, Threshold, cite, unindented
from awrlens.severity import Scale, Weighed, long_interval
from awrlens.units import CENTISECONDS, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeVar

    from awrlens.model import Weight

    T = TypeVar("T")
    #: A number, or a name, that a rule looks up by a call: seldom needed, and found by a search.
    Late = Callable[[], Any]


NO_INTERVAL: Final = "the length of the interval is not known"


def of_sample(f: Facts, waits: float | None = None, names: tuple[str, ...] = ()) -> list[str]:
    """A short interval, few waits, and counters that are too coarse behind some facts."""
    reasons = []
    elapsed = f.get("load.elapsed_s")
    if elapsed is None:
        reasons.append(NO_INTERVAL)
    elif elapsed < f.limit("confidence.short_interval_s"):
        reasons.append(f"the interval is only {elapsed:.0f} s long")
    if waits is not None and waits < f.limit("confidence.few_waits"):
        reasons.append(f"only {waits:.0f} operations were counted")
    counters = {
        item.row: float(item.value)
        for name in names
        for item in f[name].evidence
        if item.row in CENTISECONDS and isinstance(item.value, int | float)
    }
    for row, value in counters.items():
        if 0 < value < f.limit("confidence.coarse_cs"):
            reasons.append(f"`{row}` counts only {value:.0f} hundredths of a second")
    return reasons


def of_average(f: Facts) -> list[str]:
    """What an average over the interval, or a share of its DB time, does not show."""
    reasons = []
    captured = f.get("load.captured_pct")
    if span := f.long_interval():
        reasons.append(f"an average over {span} hides the peaks")
    if f.scale.mistimed:
        reasons.append(f.scale.mistimed)
    if captured is not None and captured < f.limit("confidence.captured_pct"):
        reasons.append(f"waits and CPU account for only {captured:.0f} % of {f.scale.base}")
    return reasons


Lifecycle = Literal["stable", "preview", "deprecated", "removed"]
#: What a rule is for: reports of Oracle, its alert logs, or logs of SQL Server.
Engine = Literal["oracle", "oracle-alert-log", "sqlserver"]

#: The parts of a rule's page, in order; a test checks that all are present.
HEADINGS: Final = (
    "What it means",
    "Why it matters",
    "How it is computed",
    "Example",
    "Threshold",
    "What to do",
    "How to verify",
    "When it is wrong",
    "Sources",
)

#: What every weighing needs, in the `needs` of a rule: one of the two is enough.
WEIGHED: Final = "load.elapsed_s|load.response_s"


class Number(float):
    """A number that knows its fact, to be weighed as seconds waited."""

    __slots__ = ("fact",)
    fact: str

    def __reduce__(self) -> tuple[type[float], tuple[float]]:
        """Elsewhere it is a number like others."""
        return float, (+self,)


class Gate(Number):
    """Seconds waited: if those of a rule together are not significant, it has no finding.

    No more facts are computed for it then.
    """


class Some(Number):
    """A number without which there is nothing to find: if it is 0, a rule has no finding."""


class Shown:
    """A fact that a finding shows and the rule does not read; the parameter begins with `_`."""


class Diagnosis(NamedTuple):
    """What a rule says; with its evidence and confidence it is a finding."""

    title: str
    #: The weight of the waits (those that do not matter are no finding, unless ``even_ok``), or a
    #: severity that does not depend on waits.
    severity: Weighed | Severity
    impact: Impact
    why: str
    #: Facts that are evidence in addition to the parameters before `*`,
    also: tuple[str, ...] = ()
    #: and those of them that are none in this case.
    hide: tuple[str, ...] = ()
    #: The number of waits or operations behind an average.
    waits: float | None = None
    #: What is doubtful in addition to small samples and averages.
    doubt: str = ""
    related: tuple[str, ...] = ()
    even_ok: bool = False


class Part(NamedTuple):
    """A function of facts, and where it ends a rule: see ``of``."""

    function: Callable[..., Any]
    ends: Callable[[Any], bool] | None


def of(part: Callable[..., T], ends: Callable[[T], bool] | None = None) -> T:
    """The default of a parameter that is the result of a function of facts, as a rule is one.

    It is called once for a report, however many rules share it. Where ``ends`` holds for it, the
    rule has no finding, and no other parameter is read.
    """
    return cast("T", Part(part, ends))


def unnoticed(weighed: Weighed) -> bool:
    """Whether waits do not matter: an end of rules that explain them."""
    return not weighed.matters


class Parameter(NamedTuple):
    """A parameter of a rule, or of a part of it."""

    name: str
    #: The annotation; empty for a part.
    written: str
    #: What makes its value of the facts and a key: the name of a fact, or a part's function.
    read: Callable[[Facts, Any], Any]
    key: Any
    #: The fact that is read, or those that a part reads.
    facts: tuple[str, ...] = ()
    ends: Callable[[Any], bool] | None = None


class Parameters:
    """The parameters of a function: those before `*`, which a finding shows, and those after it."""

    def __init__(self, shown: Sequence[Parameter] = (), others: Sequence[Parameter] = ()) -> None:
        self.shown, self.others, self.every = shown, others, [*shown, *others]
        self.ending = [param for param in self.every if param.ends is not None]

    def call(self, function: Callable[..., Any], f: Facts) -> Any:  # noqa: ANN401 - any result
        """What a function makes of the facts of a report."""
        for param in self.ending:
            if param.ends is not None and param.ends(param.read(f, param.key)):
                return None
        named = {param.name: param.read(f, param.key) for param in self.others}
        return function(*[param.read(f, param.key) for param in self.shown], **named)


@cache
def parameters(function: Callable[..., Any]) -> Parameters:
    """The parameters of a function; TypeError if an annotation says none of the ways to read.

    The only parameter of a function is ``Facts`` if its annotation says nothing else.
    """
    code = getattr(function, "__code__", None)
    count = code.co_argcount + code.co_kwonlyargcount if code is not None else 0
    if code is None or not count:  # it hands on what it is given
        return Parameters([Parameter("facts", "Facts", _READ["Facts"], "")])
    names, annotations = code.co_varnames[:count], function.__annotations__
    first, given = code.co_argcount, function.__defaults__ or ()
    defaults = dict(zip(names[first - len(given) : first], given, strict=True))
    defaults |= function.__kwdefaults__ or {}
    shown: list[Parameter] = []
    others: list[Parameter] = []
    for place, name in enumerate(names):
        into = shown if place < first else others
        if name in defaults:
            if isinstance(part := defaults[name], Part):
                facts = [fact for param in parameters(part.function).every for fact in param.facts]
                into.append(Parameter(name, "", Facts.part, part.function, tuple(facts), part.ends))
            continue
        written = annotations.get(name, "Facts")
        if not isinstance(written, str):
            written = written.__name__ if isinstance(written, type) else str(written)
            written = re.sub(r"\b(?:\w++\.)++", "", written)
        read = _READ.get(written) or (Facts.value if written.startswith("Literal[") else None)
        if read is None and count > 1:
            raise TypeError(f"{function.__name__}: {name}: {written} is not a way to read a fact")
        if read is None or written == "Facts":
            into.append(Parameter(name, "Facts", _READ["Facts"], ""))
        else:
            fact = name.lstrip("_").replace("_", ".", 1)
            into.append(Parameter(name, written, read, fact, (fact,)))
    return Parameters(shown, others)


class Rule(NamedTuple):
    """A rule of awrlens, of a plugin or of a file of budgets: what is known before it is run."""

    id: str
    name: str
    since: str
    status: Lifecycle
    #: Facts with seconds waited: see ``Gate``.
    gate: tuple[str, ...]
    #: A fact, and its only values that can lead to a finding.
    only: tuple[str, tuple[str, ...]] | None
    #: Counts: see ``Some``.
    some: tuple[str, ...]
    #: Facts without which the rule is skipped; of ``a|b`` one is enough.
    needs: tuple[str, ...]
    #: Facts that it also reads if they are available and that are no parameters.
    others: tuple[str, ...]
    #: Those of a plugin; of others see ``awrlens.rules.thresholds``.
    thresholds: tuple[Threshold, ...]
    #: For rules on the facts of one report, a function of these; others are called with what they
    #: compare or measure.
    decide: Callable[..., Any]
    engine: Engine = "oracle"
    #: The plugin of the rule; empty for awrlens' own rules.
    plugin: str = ""
    #: The severity of a budget; empty where the waits decide it.
    severity: str = ""
    #: Title and page of a budget; for others ``decide`` has a docstring and ``pages/`` the page.
    written: tuple[str, Mapping[str, str]] | None = None
    #: What ``decide`` is given of the facts of a report.
    reads: Parameters = Parameters()

    def find(self, f: Facts) -> Finding | None:
        """The finding on the facts of a report, if there is one."""
        made: Finding | Diagnosis | None = self.reads.call(self.decide, f)
        if not isinstance(made, Diagnosis):
            return made
        if isinstance(made.severity, Weighed) and not (made.severity.matters or made.even_ok):
            return None
        shown = (name for p in self.reads.shown for name in p.facts if name not in made.hide)
        return f.finding(
            self, made.title, made.severity, made.impact, made.why, *shown, *made.also,
            waits=made.waits, doubt=made.doubt, related=made.related,
        )  # fmt: skip

    @property
    def wants(self) -> tuple[str, ...]:
        """The facts that it also reads if they are available; it reads no others."""
        needed = {name for need in self.needs for name in need.split("|")}
        read = [name for param in self.reads.every for name in param.facts]
        return tuple(name for name in dict.fromkeys((*read, *self.others)) if name not in needed)

    @property
    def title(self) -> str:
        """The first line of the documentation."""
        if self.written is not None:
            return self.written[0]
        return (self.decide.__doc__ or "").strip().split("\n")[0].rstrip(".")

    @property
    def page(self) -> Mapping[str, str]:
        """The parts of the documentation by heading."""
        return self.written[1] if self.written is not None else _page(self.id, self.decide)

    @property
    def source(self) -> str:
        """The sources of the rule, in words for a finding."""
        if self.written is not None:
            return self.page["Sources"]
        return cite(" ".join(self.page["Sources"].split()))

    def finding(
        self, title: str, severity: Severity, why: str, *, impact: Impact,
        facts: Iterable[Fact] = (), doubts: Sequence[str] = (), sure: str = "",
        related: tuple[str, ...] = (), weight: Weight = NO_WEIGHT,
    ) -> Finding:  # fmt: skip
        """A finding; every doubt lowers the confidence, and ``sure`` is said if there is none."""
        return Finding(
            self.id, self.name, self.since, title, severity,
            ("high", "medium", "low")[min(len(doubts), 2)], "; ".join(doubts) or sure, impact,
            tuple(fact for fact in facts if fact.evidence), why, self.source, related, weight,
        )  # fmt: skip


@cache
def _page(rule_id: str, function: Callable[..., object]) -> dict[str, str]:
    """The parts of a page by heading: ``pages/ID.md`` next to the module, or the docstring."""
    module: str = getattr(function, "__globals__", {}).get("__file__", "")
    file = os.path.join(os.path.dirname(module), "pages", f"{rule_id}.md")  # noqa: PTH118, PTH120
    try:
        with open(file, encoding="utf-8") as page:  # noqa: PTH123 - pathlib takes long to import
            pieces = f"\n{page.read()}".split("\n## ")[1:]
        return {head: body.strip() for head, _, body in (piece.partition("\n") for piece in pieces)}
    except FileNotFoundError:
        text = unindented(function.__doc__ or "")
    parts = re.split(rf"^({'|'.join(HEADINGS)}):$", text, flags=re.M)
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    return {head: unindented(body).strip() for head, body in pairs}


def rule(
    rule_id: str,
    name: str = "",
    *,
    needs: tuple[str, ...] = (),
    gate: tuple[str, ...] = (),
    only: tuple[str, tuple[str, ...]] | None = None,
    some: tuple[str, ...] = (),
    wants: tuple[str, ...] = (),
    weighs: bool = False,
    thresholds: tuple[Threshold, ...] = (),
    since: str = "0.1",
    status: Lifecycle = "stable",
    engine: Engine = "oracle",
    of_report: bool = True,
) -> Callable[[Callable[..., Any]], Rule]:
    """Make a rule of a function; ``rules.table`` lists it.

    ``needs``, ``wants``, ``gate``, ``only`` and ``some`` name facts without parameters of their
    own: those of a table, or all facts of a function that is given ``Facts`` only. What is missing
    of ``needs`` is reported first. ``weighs``: it weighs waits, although none is a ``Gate``.
    If not ``of_report``, the function is called with what it compares or measures. A rule without a
    ``name`` has that of its function, with hyphens.
    """

    def made(function: Callable[..., Any]) -> Rule:
        reads = parameters(function) if of_report else Parameters()
        needed, gates, counts, single = [], [], [], only
        for param in reads.every:
            kind, fact = param.written, param.key
            if kind in _NEEDED:
                needed.append(fact)
            if kind in _READ and kind not in _SETTLE:
                continue
            if kind.startswith("Gate"):
                gates.append(fact)
            elif kind == "Some":
                counts.append(fact)
            elif kind:
                texts = kind[len("Literal[") : kind.index("]")].split(", ")
                single = fact, tuple(text[1:-1] for text in texts)
                needed += () if kind.endswith("None") else (fact,)
        time = (WEIGHED,) if gates or weighs else ()
        return Rule(
            rule_id, name or function.__name__.replace("_", "-"), since, status, (*gates, *gate),
            single, (*counts, *some), tuple(dict.fromkeys((*needs, *needed, *time))), wants,
            thresholds, function, engine,
            reads=reads,
        )  # fmt: skip

    return made


class Facts:
    """The facts of one report as a rule reads them, with the thresholds in force.

    ``before`` are the facts of the first period of a compare-period report.
    """

    def __init__(
        self, facts: Mapping[str, Fact], policy: Policy, before: Mapping[str, Fact] | None = None
    ) -> None:
        self._facts = facts
        self._policy = policy
        #: The results of parts that rules share.
        self._parts: dict[Callable[..., Any], Any] = {}
        self.scale = Scale(facts, policy, before)

    def __getitem__(self, name: str) -> Fact:
        """A fact, available or not."""
        return self._facts[name]

    def number(self, name: str) -> float:
        """The value of a fact that the rule needs (the runner has checked that it is available)."""
        value = self._facts[name].number
        if value is None:
            raise LookupError(f"{name} is unavailable and the rule does not need it")
        return value

    def get(self, name: str) -> float | None:
        """The value of a fact, if there is one."""
        return self._facts[name].number

    def part(self, function: Callable[..., Any]) -> Any:  # noqa: ANN401 - any result
        """The result of a function of facts: see ``of``."""
        if function not in self._parts:
            self._parts[function] = parameters(function).call(function, self)
        return self._parts[function]

    def value(self, name: str) -> Any:  # noqa: ANN401 - text, or several
        """The value of a fact that is not a number, if there is one."""
        return self._facts[name].value

    def limit(self, named: Threshold | str) -> float:
        """A threshold in force."""
        return self._policy[named]

    def settled(self, rule: Rule) -> bool:
        """Whether a rule cannot have a finding, whatever else it needs.

        Its gate is closed, or a part of it ends it by facts that are all known.
        """
        scale = self.scale
        # waits first: their tables are read for every report
        weighs = bool(rule.gate) and scale.has_time and not scale.undertimed
        is_timed = weighs and None not in map(self.get, rule.gate)
        if is_timed and not scale.significant(self.total(*rule.gate)):
            return True
        if rule.only is not None:
            value = self._facts[rule.only[0]].value
            if value is not None and value not in rule.only[1]:
                return True
        if 0 in map(self.get, rule.some):
            return True
        return scale.has_time and any(map(self._ended, rule.reads.ending))

    def _ended(self, part: Parameter) -> bool:
        """Whether a part ends a rule by facts that are all known."""
        has_facts = bool(part.facts) and not any(map(self.lacks, part.facts))
        return has_facts and part.ends is not None and part.ends(part.read(self, part.key))

    def lacks(self, need: str) -> bool:
        """Whether a need is missing; of alternatives (``a|b``) one is enough."""
        return all(self._facts[name].value is None for name in need.split("|"))

    def weigh(
        self,
        *waits: Number | str | None,
        each_ms: float | None = None,
        size_bytes: float | None = None,
        busy_pct: float | None = None,
    ) -> Weighed:
        """Severity of the sum of some waits; see ``awrlens.severity.Scale.weigh``."""
        names = tuple(
            wait if isinstance(wait, str) else wait.fact for wait in waits if wait is not None
        )
        return self.scale.weigh(
            self.total(*waits), each_ms, size_bytes=size_bytes, busy_pct=busy_pct, of=names
        )

    def total(self, *waits: Number | str | None) -> float:
        """The sum of the known facts among some."""
        seconds = 0.0
        for wait in waits:
            seconds += (self.get(wait) if isinstance(wait, str) else wait) or 0.0
        return seconds

    def slower_than(self, named: str, each_ms: float | None, size_bytes: float | None) -> bool:
        """Whether a wait takes longer than a threshold and what its size explains."""
        if each_ms is None:
            return False
        return each_ms >= self.limit(named) + self.scale.explained_ms(size_bytes)

    def impact(self, seconds: float | None, basis: str) -> Impact:
        """Seconds and their share, with the basis of the share."""
        return self.scale.impact(None if seconds is None else +seconds, basis)

    def finding(
        self,
        made_by: Rule,
        title: str,
        severity: Severity | Weighed,
        impact: Impact,
        why: str,
        *facts: str,
        waits: float | None = None,
        doubt: str = "",
        related: tuple[str, ...] = (),
    ) -> Finding:
        """A finding of a rule; doubts lower the confidence, and small samples the severity.

        ``severity`` is the weight of the waits, or a severity that does not depend on waits.
        ``waits`` is the number of waits or operations behind an average.
        """
        weighed = severity if isinstance(severity, Weighed) else None
        level = weighed.severity if weighed else cast("Severity", severity)
        weight = weighed.weight if weighed else NO_WEIGHT
        if weighed is not None and weighed.escalated is not None:
            why = f"{why} {_escalated(weighed.escalated)}"
        reasons = of_sample(self, waits, facts)
        # many waits and their share of DB time are no small sample
        small = [reason for reason in reasons if reason != NO_INTERVAL or waits is None]
        if small and level == "critical":
            level = "warning"
        reasons += of_average(self) if weight != NO_WEIGHT else []
        if doubt:
            reasons.append(doubt)
        finding = made_by.finding(
            title, level, why, impact=impact, facts=(self._facts[name] for name in facts),
            doubts=reasons, sure="counted over the whole interval", related=related, weight=weight,
        )  # fmt: skip
        # no other doubt is as large as that of a clock that is too fast
        over = self.scale.overtimed and self.scale.mistimed in reasons
        return finding._replace(confidence="low") if over else finding

    def long_interval(self) -> str:
        """The length of an interval whose averages hide peaks, in words; empty if it is shorter."""
        return long_interval(self._facts, self._policy)


def _number(kind: type[Number], f: Facts, fact: str) -> Number | None:
    value = f.get(fact)
    if value is None:
        return None
    number = kind(value)
    number.fact = fact
    return number


#: How a fact is read, by the annotation of its parameter; texts are read as they are.
_READ: Final[dict[str, Callable[[Facts, str], Any]]] = {
    "Facts": lambda f, _: f, "Shown": lambda *_: None, "Late": lambda f, key: partial(f.value, key),
    "float": Facts.number, "float | None": Facts.get,
    "str": Facts.value, "str | None": Facts.value,
    "tuple[str, ...]": Facts.value, "tuple[str, ...] | None": Facts.value,
    "Fact": Facts.__getitem__, "Fact | None": lambda f, name: None if f.lacks(name) else f[name],
    **dict.fromkeys(("Number", "Number | None"), partial(_number, Number)),
    **dict.fromkeys(("Gate", "Gate | None"), partial(_number, Gate)),
    "Some": partial(_number, Some),
}  # fmt: skip
#: Annotations of facts without which a rule is skipped.
_NEEDED: Final = frozenset(("float", "str", "tuple[str, ...]", "Fact", "Number", "Gate", "Some"))
#: Those of facts that can settle that a rule has no finding.
_SETTLE: Final = frozenset(("Gate", "Gate | None", "Some"))


def _escalated(factor: float) -> str:
    """The comparison with the first period of a compare-period report."""
    if factor == inf:
        return "In the first period no session waited for it."
    return (
        f"Its share of DB time is {plain(float(f'{factor:.3g}'))} times that of the first period."
    )


#: Rules that explain others of their group, those that their finding names as related; without them
#: the others are separate problems.
_LEADERS: Final = frozenset({"REDO014", "UNDO001", "UNDO014"})


#: A finding with so many times the waits of a more specific one leads. # awrlens: an assumption
_FAR_MORE: Final = 5


def _rank(finding: Finding, least_s: float) -> tuple[int, bool]:
    return SEVERITIES.index(finding.severity), (finding.impact.seconds or 0.0) > least_s


def joined(findings: Iterable[Finding], groups: Iterable[tuple[str, ...]]) -> list[Finding]:
    """The findings, with all findings of one problem under its worst, to which they contribute."""
    left = {finding.id: finding for finding in findings}
    for group in groups:
        led = group[0] in _LEADERS
        explained = (group[0], *left[group[0]].related) if led and group[0] in left else group
        members = [left[rule_id] for rule_id in group if rule_id in left and rule_id in explained]
        if len(members) < 2 or (led and group[0] not in left):  # noqa: PLR2004 - a pair
            continue
        # of equal ones max() returns the first, which is the most specific, unless another has
        # more than five times its waits
        least_s = (members[0].impact.seconds or inf) * _FAR_MORE
        first = members[0] if led else max(members, key=lambda f: _rank(f, least_s))
        parts = [member for member in members if member.id != first.id]
        for member in parts:
            del left[member.id]
        parts += [part for member in parts for part in member.contributing]
        left[first.id] = first._replace(
            severity=worst([member.severity for member in members]),
            contributing=(*first.contributing, *(part._replace(contributing=()) for part in parts)),
        )
    return list(left.values())
