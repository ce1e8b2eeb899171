"""Converts the parser's tokens to the values of ``tree``."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, cast

from awrlens.budgets import tree
from awrlens.budgets.dimensions import UNITS
from awrlens.budgets.oracle_names import fields, split
from awrlens.budgets.tree import Place
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from awrlens.budgets.tree import Node

#: Maximum number of digits; more are a mistake and make arithmetic slow.
_MOST_DIGITS: Final = 30
_WHOLE_PCT: Final = 100
_SYNONYMS: Final = {"=": "==", "<>": "!="}  # the spelling of SQL


class Clause(NamedTuple):
    """A clause: its keyword, its value and its location."""

    word: str
    value: Any
    at: Place


class Statement(NamedTuple):
    """A parsed statement: ``budget``, ``require``, ``rule`` or a bare condition."""

    word: str
    id: str
    name: str
    condition: Node | None
    clauses: tuple[Clause, ...]
    at: Place
    #: The location of the id.
    id_at: Place


class Raw(NamedTuple):
    """A value with the offset of its first character in the statement."""

    value: Any
    at: int


class AtOffset(Exception):  # noqa: N818 - it becomes a BudgetError
    """A mistake at an offset of the statement."""

    def __init__(self, message: str, at: int, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.at, self.hint = message, at, hint


def place(piece: str, at: int, line: int) -> Place:
    """Line and column of an offset in a statement that begins on a line."""
    before = piece[:at]
    return Place(line + before.count("\n"), at - before.rfind("\n"))


class Reader:
    """Converts the parser's tokens to the values of ``tree``."""

    def __init__(self, piece: str, line: int) -> None:
        self._piece = piece
        self._line = line

    def statement(self, tokens: Iterable[Any]) -> Statement:
        """One statement."""
        items: list[Any] = list(tokens)
        word = items.pop(0) if isinstance(items[0], str) else ""
        own_id = name = ""
        condition: Node | None = None
        clauses = []
        at = id_at = self._at(0)
        for kind, raw in items:
            match kind:
                case "id":
                    own_id, id_at = raw.value[0], self._at(raw.at)
                case "kebab":
                    name = raw.value[0]
                case "clause":
                    clauses.append(self._clause(raw))
                case _:
                    condition = self._node(kind, raw)
        return Statement(word.lower(), own_id, name, condition, tuple(clauses), at, id_at)

    def _clause(self, raw: Raw) -> Clause:
        word, *rest = raw.value
        word = word.lower()
        if word in tree.PROSE:
            value: Any = " ".join(_unquoted(each.value[0]) for _, each in rest)
        elif word == "severity":
            value = rest[0]
        elif word == "for":
            value = self._share(rest[0], raw.at)
        else:
            value = self._node(*rest[0])
        return Clause(word, value, self._at(raw.at))

    def _share(self, digits: str, at: int) -> Fraction:
        if len(digits) > _MOST_DIGITS or not 0 < Fraction(digits) <= _WHOLE_PCT:
            raise AtOffset("The share of windows must be above 0 % and at most 100 %.", at)
        return Fraction(digits)

    def _node(self, kind: str, raw: Raw) -> Node:
        make: Callable[[Raw], Node] = getattr(self, f"_{kind}")
        return make(raw)

    def _at(self, offset: int) -> Place:
        return place(self._piece, offset, self._line)

    def _number(self, raw: Raw) -> Node:
        digits, unit = (*raw.value, "")[:2]
        if len(digits) > _MOST_DIGITS:
            raise AtOffset(f"A number has at most {_MOST_DIGITS} digits.", raw.at)
        if unit.startswith("/"):
            unit = f"1{unit}"
        if unit and unit not in UNITS:
            at = self._piece.index(unit, raw.at + len(digits))
            raise AtOffset(f"Unknown unit {unit!r}.", at, _meant(unit))
        return tree.Number(Fraction(digits), unit, _plain(digits), at=self._at(raw.at))

    def _string(self, raw: Raw) -> Node:
        return tree.Text(_unquoted(raw.value[0]), at=self._at(raw.at))

    def _name(self, raw: Raw) -> Node:
        written = raw.value[0]
        scope, _, rest = written.partition(".")
        at = self._at(raw.at)
        match scope:
            case "baseline" if rest:
                return tree.Name("baseline", rest, at=at)
            case "report" if rest:
                return tree.Name("report", rest, at=at)
        return tree.Name("fact", written, at=at)

    def _printed(self, raw: Raw) -> Node:
        scope, rest = "fact", raw.value[0]
        if rest.startswith("baseline"):
            scope, rest = "baseline", rest.partition(".")[2]
        found = split(rest)
        if found is None or not found.name:
            raise AtOffset("The name in quotes is empty.", raw.at, 'event("log file sync").avg_ms')
        if found.unit is None:
            what = f"no {found.field}" if found.field else "several numbers"
            raise AtOffset(
                f"{found.kind}(…) has {what}.", raw.at, f"Fields are {fields(found.kind)}."
            )
        return tree.Name(cast("tree.Scope", scope), found.written, at=self._at(raw.at))

    def _negative(self, raw: Raw) -> Node:
        return tree.Negative(self._node(*raw.value[0]), at=self._at(raw.at))

    def _chain(self, raw: Raw) -> Node:
        first, *more = raw.value
        if not more:
            return self._node(*first)
        rest = tuple(
            (sign, self._node(*each)) for sign, each in zip(more[::2], more[1::2], strict=True)
        )
        return tree.Chain(self._node(*first), rest, at=self._at(raw.at))

    def _comparison(self, raw: Raw) -> Node:
        operand = self._node(*raw.value[0])
        if len(raw.value) == 1:
            return operand
        kind, tail = raw.value[1]
        at = self._at(tail.at)
        if kind == "compare":
            sign, right = tail.value
            return tree.Compare(operand, _SYNONYMS.get(sign, sign), self._node(*right), at=at)
        negated = tail.value[:1] == ("not",)
        rest = tail.value[1:] if negated else tail.value
        if kind == "like":
            return tree.Like(operand, _unquoted(rest[0][1].value[0]), negated, at=at)
        if kind == "in":
            return tree.In(operand, tuple(self._node(*each) for each in rest), negated, at=at)
        return tree.Available(operand, negated, at=at)

    def _not(self, raw: Raw) -> Node:
        *words, operand = raw.value
        node = self._node(*operand)
        # `not not a` equals `a`, even if `a` is unknown
        return tree.Not(node, at=self._at(raw.at)) if len(words) % 2 else node

    def _and(self, raw: Raw) -> Node:
        return self._several("and", raw)

    def _or(self, raw: Raw) -> Node:
        return self._several("or", raw)

    def _several(self, word: Any, raw: Raw) -> Node:  # noqa: ANN401 - `and` or `or`
        parts = tuple(self._node(*each) for each in raw.value)
        return parts[0] if len(parts) == 1 else tree.Several(word, parts, at=self._at(raw.at))


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])


def _plain(digits: str) -> str:
    """A number without unnecessary zeros."""
    whole, _, part = digits.partition(".")
    part = part.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{part}" if part else "")


def _meant(unit: str) -> str:
    """The most similar unit, or all units."""
    other = {each.casefold(): each for each in UNITS}
    words = {"sec": "s", "second": "s", "seconds": "s", "minutes": "min", "minute": "min",
             "hour": "h", "hours": "h", "percent": "%", "pct": "%", "bytes": "B", "k": "KB",
             "m": "MB", "g": "GB", "t": "TB", "msec": "ms", "usec": "us", "µs": "us"}  # fmt: skip
    if re.fullmatch(r"[eE]\d*", unit):
        return "Write the number in full: 1000 for 1e3, 0.001 for 1e-3."
    near = other.get(unit.casefold()) or words.get(unit.casefold())
    return f"Did you mean {near}?" if near else f"Units are {', '.join(UNITS)}."
