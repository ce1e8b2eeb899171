"""Parses the language of budgets with pyparsing; ``docs/budgets.md`` has its grammar.

A statement begins at the start of a line and continues on the indented lines below it. Each
is parsed separately, so that one call reports all mistakes. Only calls that use a file of
budgets import this module.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final, cast

import pyparsing as pp

from awrlens.budgets import tree
from awrlens.budgets.dimensions import UNITS
from awrlens.budgets.oracle_names import FIELDS, WRITTEN
from awrlens.budgets.problems import BudgetError
from awrlens.budgets.reader import AtOffset, Raw, Reader, Statement, place
from awrlens.budgets.tree import Place
from awrlens.lazy import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Maximum depth of parentheses; it bounds the parser's stack.
DEEPEST: Final = 8
_SEVERITIES: Final = ("info", "warning", "critical")
#: Words that begin a clause; they may also be on the line of the statement.
CLAUSES: Final = ("when", "expect", "require", "for", "severity", *tree.PROSE)
WORDS: Final = (
    *CLAUSES, "budget", "rule", "and", "or", "not", "like", "in", "is", "available",
)  # fmt: skip
_STRING: Final = r'"(?:[^"\\\n]|\\.)*+"'
#: An unterminated string ends the search in its line.
_PARENTHESES: Final = regex(rf"{_STRING}?+|#[^\n]*+|[()]")


def read(text: str, source: str | None) -> tuple[list[Statement], list[BudgetError]]:
    """The statements of a file, and the problems of those that cannot be parsed."""
    found: list[Statement] = []
    problems: list[BudgetError] = []
    for line, piece in _pieces(text):
        try:
            _refuse(piece, line, source)
            found.append(_read_one(piece, line, source))
        except BudgetError as problem:
            problems.append(problem)
    return found, problems


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Every statement with the number of its first line; indented lines belong to it."""
    pending: list[str] = []
    start = 1
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        begins = line[:1].strip() not in ("", "#")
        if begins:
            if any(each.strip() for each in pending):
                yield start, "\n".join(pending)
            pending, start = [line], number
        elif pending:
            pending.append(line)
        elif line.strip() and not line.lstrip().startswith("#"):
            pending, start = [line], number
    if pending:
        yield start, "\n".join(pending)


def _refuse(piece: str, line: int, source: str | None) -> None:
    """Report mistakes for which the parser's own message would be unclear."""
    first = piece.partition("\n")[0]
    if first[:1].isspace():
        raise BudgetError(
            "This line is indented but does not belong to a budget.",
            source=source, at=Place(line, len(first) - len(first.lstrip()) + 1),
            hint="Start a budget at the beginning of a line.",
        )  # fmt: skip
    word = re.match(r"\w+", first)
    clause = word[0].lower() if word else ""
    if clause in CLAUSES and clause != "require":
        raise BudgetError(
            f"`{clause}` belongs to the budget above it.", source=source, at=Place(line, 1),
            hint="Indent this line.",
        )  # fmt: skip
    depth = 0
    for match in _PARENTHESES.finditer(piece):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth > DEEPEST:
            raise BudgetError(
                f"More than {DEEPEST} levels of nested parentheses.",
                source=source, at=place(piece, match.start(), line),
                hint="Split it into several budgets.",
            )  # fmt: skip


def _read_one(piece: str, line: int, source: str | None) -> Statement:
    reader = Reader(piece, line)
    try:
        tokens = _statement().parse_string(piece, parse_all=True)
    except pp.ParseBaseException as problem:
        raise _error(problem, piece, line, source) from None
    try:
        return reader.statement(tokens)
    except AtOffset as problem:
        raise BudgetError(
            problem.message, source=source, at=place(piece, problem.at, line), hint=problem.hint
        ) from None


def _error(
    problem: pp.ParseBaseException, piece: str, line: int, source: str | None
) -> BudgetError:
    """The expected and the found text at the location of an error."""
    # skip blanks and comments before the mistake
    blanks = re.compile(r"(?:\s|#[^\n]*)*").match(piece, problem.loc)
    at = blanks.end() if blanks else problem.loc
    expected = problem.msg.removeprefix("Expected ").removeprefix(", found ").strip()
    rest = piece[at:].split("\n", maxsplit=1)[0].strip()
    if not rest:
        at = len(piece.rstrip())
    found = f"found {_first(rest)}" if rest else "found the end of the budget"
    hint = _remedy(piece[:at], rest)
    if hint:
        pass
    elif rest.startswith("'"):
        hint = "Put texts in double quotes."
    elif rest.startswith('"') and not re.match(_STRING, rest):
        hint = "The closing quote of the text is missing on this line."
    elif expected.startswith("an operator") and rest[:1] in {*"<>=!"}:
        hint = "Comparisons cannot be chained: write a < b and b < c."
    elif rest.startswith(")"):
        hint = "There is no open parenthesis here, or a value is missing before it."
    return BudgetError(
        f"Expected {expected}, {found}.", source=source, at=place(piece, at, line), hint=hint
    )


#: Syntax of other languages, at the beginning of the found text, and its equivalent here.
_OTHERWISE: Final = (
    (r"&&?", "Write `and`."),
    (r"\|\|?", "Write `or`."),
    (r"!(?!=)", "Write `not`."),
    (r"between\b", "Write both bounds: a >= 1 ms and a <= 5 ms."),
    (r"(?:else|then|if)\b", "Write `when CONDITION` on a line of its own."),
)


def _remedy(before: str, rest: str) -> str:
    """The equivalent for syntax of another language; empty if unknown."""
    for pattern, hint in _OTHERWISE:
        if re.match(pattern, rest, re.I):
            return hint
    last = before.rstrip()
    for wrong, right in (("=<", "<="), ("=>", ">=")):
        if (last[-1:] + rest[:1]) == wrong:
            return f"Write {right}."
    number = re.search(r"(?<![\w.])(\d++)$", last)
    if number is not None and (part := re.match(r",\s*(\d+)", rest)):
        return f"Use a decimal point: {number[1]}.{part[1]}."
    word = re.search(r"(?<!\w)([A-Za-z_]\w*+)$", last)
    if word is not None and rest.startswith("("):
        if word[1].lower() in FIELDS:
            return f'Put the name in double quotes: {word[1].lower()}("…").'
        return (
            "There are no functions: facts are totals and averages of the interval "
            "(`awrlens facts REPORT`). For several reports use the clause: for 95 % of windows."
        )
    return ""


def _first(rest: str) -> str:
    """The first word of the found text, shortened."""
    word = re.match(r"[\w.]+|[<>=!]+|\S", rest)
    return repr((word[0] if word else rest)[:30])


def _marked(element: pp.ParserElement, kind: str) -> pp.ParserElement:
    """Keep the tokens of an element with its kind and location, for ``Reader``."""

    def keep(_text: str, at: int, tokens: pp.ParseResults) -> list[tuple[str, Raw]]:
        return [(kind, Raw(tuple(tokens), at))]

    return element.copy().add_parse_action(keep)


@cache
def _statement() -> pp.ParserElement:
    """The grammar; ``-`` instead of ``+`` gives errors an exact location."""
    reserved = "|".join(WORDS)
    units = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))
    string = _marked(pp.Regex(_STRING), "string").set_name('a text in "quotes"')
    number = pp.Regex(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+")
    # a word after a number can only be a unit; the reader rejects unknown units
    unit = pp.Regex(
        rf"(?:{units}|/(?:s|min|h|txn))(?![\w./%])|(?!(?i:{reserved})\b)[^\W\d_][\w/%]*(?![\w.])"
    )
    quantity = _marked(number + pp.Optional(unit), "number")
    printed = _marked(pp.Regex(rf"(?:baseline\s*\.\s*)?(?i:{WRITTEN})"), "printed")
    name = _marked(pp.Regex(rf"(?!(?i:{reserved})\b)[A-Za-z_]\w*(?:\.\w+)*"), "name")

    def word(text: str) -> pp.ParserElement:
        return pp.CaselessKeyword(text)

    def quiet(text: str) -> pp.ParserElement:
        return word(text).suppress()

    condition = pp.Forward()
    group = pp.Literal("(").suppress() - condition - pp.Literal(")").suppress().set_name("`)`")
    atom = (quantity | string | printed | name | group).set_name("a fact, a number or a text")
    sign = _marked(pp.Literal("-").suppress() + atom, "negative") | atom
    sign = sign.set_name("a fact, a number or a text")
    product = _marked(sign + (pp.one_of("* /") - sign)[...], "chain")
    total = _marked(product + (pp.one_of("+ -") - product)[...], "chain")
    operator = pp.one_of("<= < >= > == = != <>")
    option = quantity | string
    options = (
        pp.Literal("(").suppress() - pp.DelimitedList(option.set_name("a text or a number"))
        - pp.Literal(")").suppress().set_name("`,` or `)`")
    )  # fmt: skip
    negated = pp.Optional(word("not"))
    tail = (
        _marked(operator - total, "compare")
        | _marked(negated + quiet("like") - string, "like")
        | _marked(negated + quiet("in") - options, "in")
        | _marked(quiet("is") - negated - quiet("available"), "available")
    )
    comparison = _marked(total + pp.Optional(tail), "comparison")
    negation = _marked(word("not")[...] + comparison, "not")
    both = _marked(negation + (quiet("and") - negation)[...], "and")
    condition <<= _marked(both + (quiet("or") - both)[...], "or")

    own_id = _marked(pp.Regex(r"[A-Z]+[0-9]+\b"), "id").set_name("an id like TEAM001")
    words = rf"(?!(?:{reserved})(?![\w-]))"
    kebab = _marked(pp.Regex(rf"{words}[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?![\w.-])"), "kebab")
    kebab = kebab.set_name("a name like slow-commit")
    severities = pp.one_of(_SEVERITIES, as_keyword=True)
    severity = severities.set_name(f"a severity ({', '.join(_SEVERITIES)})")
    clause: pp.ParserElement = pp.NoMatch()
    for each in ("when", "expect", "require"):
        clause = clause | _marked(word(each) - condition, "clause")
    clause = clause | _marked(word("severity") - severity, "clause")
    percent = number.copy().set_name("a share like 95 %")
    share = percent - pp.Literal("%").suppress() - quiet("of") - quiet("windows")
    clause = clause | _marked(word("for") - share, "clause")
    for each in tree.PROSE:
        clause = clause | _marked(word(each) - string[1, ...], "clause")
    head = (
        (word("rule") - own_id - kebab)
        | (word("budget") - pp.Optional(own_id) - condition)
        | (word("require") - pp.Optional(own_id) - condition)
        | condition
    ).set_name("a budget: a condition such as redo.write_ms <= 2 ms")
    more = f"an operator (<=, like, and, …) or a clause ({', '.join(CLAUSES)})"
    whole = head + clause[...] + pp.StringEnd().set_name(more)
    return cast("pp.ParserElement", whole.parse_with_tabs().ignore(pp.Regex(r"#[^\n]*")))
