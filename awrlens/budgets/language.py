"""Parses the language of budgets; ``docs/budgets.md`` has its grammar.

A statement begins at the start of a line and continues on the indented lines below it. Each
is parsed separately, so that one call reports all mistakes.
"""

from __future__ import annotations

import hashlib
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from awrlens.budgets import tree
from awrlens.budgets.assess import REPORT, check
from awrlens.budgets.tree import (
    ANONYMOUS,
    PROSE,
    STRING,
    Budget,
    BudgetError,
    hint_for,
    meant,
    together,
)
from awrlens.budgets.values import UNITS
from awrlens.facts.printed import WRITTEN, split
from awrlens.model.expressions import Node, Parser
from awrlens.rules import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Maximum depth of parentheses; it bounds the parser's stack.
DEEPEST: Final = 8
#: Maximum number of digits; more are a mistake and make arithmetic slow.
_MOST_DIGITS: Final = 30
_WHOLE_PCT: Final = 100
#: Digits of the digest in the id of a budget without an id of its own.
_DIGEST: Final = 8
_SYNONYMS: Final = {"=": "==", "<>": "!="}  # the spelling of SQL
#: The clauses of a rule of which it has one.
_EXPECTED: Final = {"expect", "require"}
_ONE: Final = (
    "Use one clause `expect CONDITION`, or `require CONDITION` to fail if it cannot be assessed."
)
_ANOTHER: Final = "Start another budget at the beginning of a line, or combine both with `and`."
_SEVERITIES: Final = ("info", "warning", "critical")
#: Words that begin a clause; they may also be on the line of the statement.
CLAUSES: Final = ("when", "expect", "require", "for", "severity", *PROSE)
WORDS: Final = (
    *CLAUSES, "budget", "rule", "and", "or", "not", "like", "in", "is", "available",
)  # fmt: skip
_RESERVED: Final = "|".join(WORDS)
_NUMBER: Final = r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+"
#: A word after a number can only be a unit.
_UNIT: Final = (
    rf"(?:{'|'.join(map(re.escape, sorted(UNITS, key=len, reverse=True)))}|/(?:s|min|h|txn))"
    rf"(?![\w./%])|(?!(?i:{_RESERVED})\b)[^\W\d_][\w/%]*(?![\w.])"
)
_NAME: Final = rf"(?!(?i:{_RESERVED})\b)[A-Za-z_]\w*(?:\.\w+)*"
_OWN_NAME: Final = rf"(?!(?:{_RESERVED})(?![\w-]))[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?![\w.-])"
_VALUE: Final = "a fact, a number or a text"


def parse(said: str, units: Mapping[str, str], source: str | None = None) -> tuple[Budget, ...]:
    """The budgets of a text; ``units`` has the unit of every fact.

    Raises BudgetError with line and column; its ``problems`` lists all mistakes.
    """
    found: dict[str, Budget] = {}
    problems: list[BudgetError] = []
    line = 1
    for piece in re.split(r"\n(?=[^\s#])", said.removeprefix("\ufeff")):
        statement = _Statement(piece, units)
        try:
            if statement.start < len(piece):
                first = line + piece.count("\n", 0, statement.start)
                budget = statement.budget()._replace(file=source, line=first)
                if (other := found.setdefault(budget.id, budget)) is not budget:
                    raise statement.twice(other)
        except BudgetError as problem:
            before = piece[: problem.at]
            problem.source, problem.line = source, line + before.count("\n")
            problem.column = problem.at - before.rfind("\n")
            problems.append(problem)
        line += piece.count("\n") + 1
    if problems:
        raise together(problems)
    return tuple(found.values())


class _Statement(Parser):
    """Parses one statement."""

    def __init__(self, text: str, units: Mapping[str, str]) -> None:
        super().__init__(text)
        self._units = units
        self._depth = 0
        self.start = self._id_at = self.begin()

    def budget(self) -> Budget:
        """The budget of the statement; BudgetError for the first one in it."""
        if self.text[: self.start].rpartition("\n")[2]:
            message = "This line is indented but does not belong to a budget."
            raise BudgetError(message, self.start, "Start a budget at the beginning of a line.")
        if lost := self._word("|".join({*CLAUSES} - {"require"})):
            message = f"`{lost}` belongs to the budget above it."
            raise BudgetError(message, self.start, "Indent this line.")
        word = self._word("rule|budget|require")
        own_id = self._own_id(needed=word == "rule") if word else ""
        given: dict[str, Any] = {}
        if word == "rule":
            given["name"] = self._need(_OWN_NAME, "a name like slow-commit")
        else:
            given["require" if word == "require" else "expect"] = self._condition()
        self._clauses(given, f"Rule {own_id}" if word == "rule" else "")
        required = "require" in given
        expected = given["expect"] = given.pop("require", None) or given["expect"]
        for node in (expected, given.get("when")):
            if node is not None:
                check(node, self._units)
        words = re.findall(r"[a-z0-9]+", next(tree.names(expected)).text)
        given.setdefault("name", "-".join([*words, "budget"]))  # `redo-write-ms-budget`
        given |= {each: _placeless(given[each]) for each in ("expect", "when") if each in given}
        given["share"] = given.pop("for", None)
        found = Budget(own_id, required=required, is_rule=word == "rule", **given)
        return found if own_id else found._replace(id=_made_id(found))

    def _clauses(self, given: dict[str, Any], rule: str) -> None:
        """Parse the clauses of a statement, which are those of a rule or of a budget."""
        while word := self._word("|".join(CLAUSES)):
            at = self.last
            if word in _EXPECTED and not rule:
                only = "is a clause of rules only; this statement already has a condition."
                raise BudgetError(f"`{word}` {only}", at, _ANOTHER)
            if word in given:
                raise BudgetError(f"`{word}` occurs twice.", at, "Remove one of them.")
            if word in _EXPECTED and not given.keys().isdisjoint(_EXPECTED):
                raise BudgetError(f"{rule} has both `expect` and `require`.", at, _ONE)
            given[word] = self._clause(word)
        if self.begin() < len(self.text):
            clauses = ", ".join(CLAUSES)
            raise self._expected(f"an operator (<=, like, and, …) or a clause ({clauses})")
        if given.keys().isdisjoint(_EXPECTED):
            raise BudgetError(f"{rule} has no `expect` or `require` clause.", self.start, _ONE)

    def twice(self, other: Budget) -> BudgetError:
        """The mistake of a budget with the id of another one."""
        if other.id.startswith(ANONYMOUS):
            message = f"This budget is a duplicate of line {other.line}."
            return BudgetError(message, self.start, "Remove one of them.")
        message = f"{other.id} is already the id of the budget on line {other.line}."
        return BudgetError(message, self._id_at, "Give it another id.")

    def _own_id(self, *, needed: bool) -> str:
        pattern = r"[A-Z]+[0-9]+\b"
        found = self._need(pattern, "an id like TEAM001") if needed else self.take(pattern)
        at, family = self.last, found.rstrip("0123456789")
        self._id_at = at if found else self.start
        if found and not re.fullmatch(r"[A-Z]{2,8}\d{3}", found):
            hint = "An id has 2 to 8 capital letters and three digits: TEAM001."
            raise BudgetError(f"{found} is not a valid id.", at, hint)
        if family in FAMILIES:
            hint = f"Use other letters than {', '.join(FAMILIES[:-1])} and {FAMILIES[-1]}."
            raise BudgetError(f"{family} is a rule family of awrlens.", at, hint)
        return found

    def _clause(self, word: str) -> Any:  # noqa: ANN401 - a condition, share or text
        at = self.last
        if word == "severity":
            return self._need(
                rf"(?:{'|'.join(_SEVERITIES)})\b", f"a severity ({', '.join(_SEVERITIES)})"
            )
        if word == "for":
            digits = self._need(_NUMBER, "a share like 95 %")
            for each in ("%", "of", "windows"):
                self._need(rf"(?i:{each})" + (r"\b" if each.isalpha() else ""), f"`{each}`")
            if len(digits) > _MOST_DIGITS or not 0 < Fraction(digits) <= _WHOLE_PCT:
                raise BudgetError("The share of windows must be above 0 % and at most 100 %.", at)
            return Fraction(digits)
        if word not in PROSE:
            return self._condition()
        said = [self._need(STRING, 'a text in "quotes"')]
        while more := self.take(STRING):
            said.append(more)
        return " ".join(map(_unquoted, said))

    def _condition(self) -> Node:
        return self.joined("or", r"\b(?i:or)\b", self._conjunction)

    def _conjunction(self) -> Node:
        return self.joined("and", r"\b(?i:and)\b", self._negation)

    def _negation(self) -> Node:
        at, negated = self.begin(), False
        while self._word("not"):
            negated = not negated  # `not not a` equals `a`, even if `a` is unknown
        inner = self._comparison()
        return Node("not", (inner,), at=at) if negated else inner

    def _comparison(self) -> Node:
        first, at = self.sum(), self.begin()
        if sign := self.take("<=|<>|<|>=|>|==|=|!="):
            return Node("comparison", (first, self.sum()), (_SYNONYMS.get(sign, sign),), at=at)
        negated = "not " if self._word("not") else ""
        match self._word("like|in" if negated else "like|in|is"):
            case "like":
                pattern = Node("text", text=_unquoted(self._need(STRING, 'a text in "quotes"')))
                return Node("comparison", (first, pattern), (f"{negated}like",), at=at)
            case "in":
                return Node("comparison", (first, *self._options()), (f"{negated}in",), at=at)
            case "is":
                negated = "not " if self._word("not") else ""
                self._need(r"(?i:available)\b", "`available`")
                return Node("comparison", (first,), (f"is {negated}available",), at=at)
        self.at = at
        return first

    def _options(self) -> list[Node]:
        self._need(r"\(", "`(`")
        found: list[Node] = []
        while not found or self.take(","):
            option = self._literal()
            if option is None:
                raise self._expected("a text or a number")
            found.append(option)
        self._need(r"\)", "`,` or `)`")
        return found

    def operand(self) -> Node:
        """A value or a condition in parentheses, with its sign."""
        at = self.begin()
        return Node("negative", (self._atom(),), at=at) if self.take("-") else self._atom()

    def _atom(self) -> Node:
        if found := self._literal() or self._name():
            return found
        if not self.take(r"\("):
            first = "a budget: a condition such as redo.write_ms <= 2 ms"
            raise self._expected(first if self.at == self.start else _VALUE)
        self._depth += 1
        if self._depth > DEEPEST:
            message = f"More than {DEEPEST} levels of nested parentheses."
            raise BudgetError(message, self.last, "Split it into several budgets.")
        inner = self._condition()
        self._need(r"\)", "`)`")
        self._depth -= 1
        return inner

    def _literal(self) -> Node | None:
        if said := self.take(STRING):
            return Node("text", text=_unquoted(said), at=self.last)
        digits = self.take(_NUMBER)
        if not digits:
            return None
        at = self.last
        if len(digits) > _MOST_DIGITS:
            raise BudgetError(f"A number has at most {_MOST_DIGITS} digits.", at)
        unit = re.sub("^/", "1/", self.take(_UNIT))
        if unit and unit not in UNITS:
            raise BudgetError(f"Unknown unit {unit!r}.", self.last, meant(unit))
        whole, _, part = digits.partition(".")
        plain = ".".join(filter(None, (whole.lstrip("0") or "0", part.rstrip("0"))))
        return Node("number", text=plain, unit=unit, at=at)

    def _name(self) -> Node | None:
        if said := self.take(rf"(?:baseline\s*\.\s*)?{WRITTEN}"):
            at, scope = self.last, "baseline." if said.startswith("baseline") else ""
            found = split(said.partition(".")[2] if scope else said)
            if found is None or not found.name:
                hint = 'event("log file sync").avg_ms'
                raise BudgetError("The name in quotes is empty.", at, hint)
            if found.unit is None:
                what = f"no {found.field}" if found.field else "several numbers"
                raise BudgetError(f"{found.kind}(…) has {what}.", at, f"Fields are {found.fields}.")
            return Node("name", text=scope + found.written, unit=found.unit, at=at)
        node = Node("name", text=self.take(_NAME), at=self.last)
        scope, name = tree.scoped(node)
        unit = (REPORT if scope == "report" else self._units).get(name, "")
        return node._replace(unit=unit) if name else None

    def _word(self, words: str) -> str:
        return self.take(rf"\b(?i:{words})\b").lower()

    def _need(self, pattern: str, what: str) -> str:
        found = self.take(pattern)
        if not found:
            raise self._expected(what)
        return found

    def _expected(self, what: str) -> BudgetError:
        """The expected and the found text at this place, and what to do."""
        at = self.begin()
        rest = self.text[at:].split("\n", maxsplit=1)[0].strip()
        word = re.match(r"[\w.]+|[<>=!]+|\S", rest)
        found = repr((word[0] if word else rest)[:30]) if rest else "the end of the budget"
        hint = hint_for(self.text[:at].rstrip(), rest)
        if not hint and what.startswith("an operator") and rest[:1] in {*"<>=!"}:
            hint = "Comparisons cannot be chained: write a < b and b < c."
        return BudgetError(
            f"Expected {what}, found {found}.", at if rest else len(self.text.rstrip()), hint
        )


def _made_id(budget: Budget) -> str:
    """An id from the conditions of a budget, not from its line or message."""
    parts = [budget.condition, budget.required]
    parts += [tree.expression(budget.when)] if budget.when is not None else []
    parts += [str(budget.share)] if budget.share is not None else []
    digest = hashlib.sha256(repr(parts).encode(errors="surrogatepass")).hexdigest()
    return f"{ANONYMOUS}{digest[:_DIGEST].upper()}"


def _placeless(node: Node) -> Node:
    """Two expressions are equal if they mean the same, regardless of their location."""
    return node._replace(at=0, parts=tuple(map(_placeless, node.parts)))


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])
