"""Parses the language of budgets with pyparsing; ``docs/budgets.md`` has its grammar.

A statement begins at the start of a line and continues on the indented lines below it. Each
is parsed separately, so that one call reports all mistakes. pyparsing is imported when the first
text is parsed: that takes longer than an analysis without budgets takes to start.
"""

from __future__ import annotations

import hashlib
import re
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from awrlens.budgets import tree
from awrlens.budgets.assess import REPORT, check
from awrlens.budgets.tree import PROSE, STRING, Budget, BudgetError
from awrlens.budgets.values import UNITS
from awrlens.facts.printed import WRITTEN, split
from awrlens.model.expressions import Node
from awrlens.rules import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyparsing import ParserElement, ParseResults

#: Maximum depth of parentheses; it bounds the parser's stack.
DEEPEST: Final = 8
#: Maximum number of digits; more are a mistake and make arithmetic slow.
_MOST_DIGITS: Final = 30
_WHOLE_PCT: Final = 100
#: Digits of the digest in the id of a budget without an id of its own.
_DIGEST: Final = 8
_SYNONYMS: Final = {"=": "==", "<>": "!="}  # the spelling of SQL
#: The clauses of a rule of which it has one.
_EXPECTED: Final = ("expect", "require")
_ONE: Final = (
    "Use one clause `expect CONDITION`, or `require CONDITION` to fail if it cannot be assessed."
)
_SEVERITIES: Final = ("info", "warning", "critical")
#: Words that begin a clause; they may also be on the line of the statement.
CLAUSES: Final = ("when", "expect", "require", "for", "severity", *PROSE)
WORDS: Final = (
    *CLAUSES, "budget", "rule", "and", "or", "not", "like", "in", "is", "available",
)  # fmt: skip
_RESERVED: Final = "|".join(WORDS)
#: Comments, and blanks that pyparsing does not skip; a text without its end is not searched again.
_BLANKS: Final = re.compile(rf"({STRING}?)|#[^\n]*|[^\S \t\r\n]")
_OWN_ID: Final = "an id like TEAM001"
_VALUE: Final = "a fact, a number or a text"
_END: Final = f"an operator (<=, like, and, …) or a clause ({', '.join(CLAUSES)})"


def parse(said: str, units: Mapping[str, str], source: str | None = None) -> tuple[Budget, ...]:
    """The budgets of a text, by units of facts; BudgetError has all mistakes as ``problems``."""
    budgets: dict[str, Budget] = {}
    problems: list[BudgetError] = []
    line = 1
    for text in re.split(r"\n(?=[^\s#])", said.removeprefix("\ufeff")):
        plain = _BLANKS.sub(lambda blank: blank[1] or " " * len(blank[0]), text)
        try:
            if rest := plain.lstrip():
                start = len(plain) - len(rest)
                budget = _budget(text, plain, start, units)
                budget = budget._replace(file=source, line=line + text.count("\n", 0, start))
                other = budgets.setdefault(budget.id, budget)
                if other is not budget:
                    raise _twice(other, text, start)
        except BudgetError as problem:
            before = text[: problem.at]
            problem.source, problem.line = source, line + before.count("\n")
            problem.column = problem.at - before.rfind("\n")
            problems.append(problem)
        line += text.count("\n") + 1
    if problems:
        raise tree.together(problems)
    return tuple(budgets.values())


def _budget(text: str, plain: str, start: int, units: Mapping[str, str]) -> Budget:
    """The budget of a statement; ``plain`` is its text without comments."""
    from pyparsing import ParseBaseException

    if text[:start].rpartition("\n")[2]:
        message = "This line is indented but does not belong to a budget."
        raise BudgetError(message, start, "Start a budget at the beginning of a line.")
    try:
        (word, own_id, own), *clauses = _grammar().parse_string(plain)
    except ParseBaseException as problem:
        at = len(plain) - len(plain[problem.loc :].lstrip())
        raise _expected(problem.msg.removeprefix("Expected "), text, at, start) from None
    given: dict[str, Any] = {{"rule": "name", "budget": "expect"}.get(word, word): own}
    for clause, at, value in clauses:
        if clause in given:
            raise BudgetError(f"`{clause}` occurs twice.", at, "Remove one of them.")
        if clause in _EXPECTED and not given.keys().isdisjoint(_EXPECTED):
            raise BudgetError(f"Rule {own_id} has both `expect` and `require`.", at, _ONE)
        given[clause] = value
    if given.keys().isdisjoint(_EXPECTED):
        message = f"Rule {own_id} has no `expect` or `require` clause."
        raise BudgetError(message, start, _ONE)
    required = "require" in given
    given["expect"] = given.pop("require", None) or given["expect"]
    given["share"] = given.pop("for", None)
    for clause in ("expect", "when"):
        if clause in given:
            condition = _with_units(given[clause], units)
            check(condition, units)
            given[clause] = _placeless(condition)
    words = re.findall(r"[a-z0-9]+", next(tree.names(given["expect"])).text)
    given.setdefault("name", "-".join([*words, "budget"]))  # `redo-write-ms-budget`
    budget = Budget(own_id, required=required, is_rule=word == "rule", **given)
    return budget if own_id else budget._replace(id=_made_id(budget))


@cache
def _grammar() -> ParserElement:
    """The grammar of a statement.

    After ``-`` instead of ``+`` no alternative is tried: a mistake is reported at its place, and
    the time grows with the length of the text.
    """
    import pyparsing as pp

    def regex(pattern: str, what: str = "a token") -> ParserElement:
        return pp.Regex(pattern).set_name(what)

    def word(*words: str) -> ParserElement:
        token = regex(rf"\b(?i:{'|'.join(words)})\b".replace(" ", r"\s+"), f"`{words[0]}`")
        return token.add_parse_action(lambda tokens: " ".join(tokens[0].lower().split()))

    def refused(element: ParserElement, message: str, hint: str) -> ParserElement:
        def refuse(_: str, at: int, tokens: ParseResults) -> None:
            raise BudgetError(message.format(tokens[0]), at, hint)

        return element.add_parse_action(refuse)

    def operation(kind: str, *elements: ParserElement) -> ParserElement:
        def node(_: str, at: int, tokens: ParseResults) -> Any:  # noqa: ANN401 - pyparsing
            signs = tuple(_SYNONYMS.get(token, token) for token in tokens if isinstance(token, str))
            parts = tuple(token for token in tokens if isinstance(token, Node))
            return Node(kind, parts, signs, at=at) if signs else parts[0]

        return pp.And(elements).add_parse_action(node)

    def chain(kind: str, operand: ParserElement, sign: ParserElement) -> ParserElement:
        return operation(kind, operand, (sign - operand)[...])

    left, right, comma, percent = (pp.Suppress(sign).set_name(f"`{sign}`") for sign in "(),%")
    figure = r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+"
    # a word after a number can only be a unit
    unit = regex(
        rf"(?:{'|'.join(map(re.escape, sorted(UNITS, key=len, reverse=True)))}|/(?:s|min|h|txn))"
        rf"(?![\w./%])|(?!(?i:{_RESERVED})\b)[^\W\d_][\w/%]*(?![\w.])"
    ).add_parse_action(_unit)
    number = (regex(figure) + pp.Optional(unit, "")).add_parse_action(_number)
    string = regex(STRING, 'a text in "quotes"').add_parse_action(
        lambda token: re.sub(r"\\(.)", r"\1", token[0][1:-1])
    )
    text = string.copy().add_parse_action(lambda _, at, token: Node("text", text=token[0], at=at))
    literal = (text | number).set_name("a text or a number")
    options = left - literal - (comma - literal)[...] - right.copy().set_name("`,` or `)`")
    name = regex(rf"(?!(?i:{_RESERVED})\b)[A-Za-z_]\w*(?:\.\w+)*").add_parse_action(
        lambda _, at, token: Node("name", text=token[0], at=at)
    )
    printed = regex(rf"(?:baseline\s*\.\s*)?{WRITTEN}").add_parse_action(_printed)
    negated = pp.Optional(word("not"))
    available = (word("is") - negated - word("available")).add_parse_action(" ".join)
    nested = refused(
        regex(r"\("), f"More than {DEEPEST} levels of nested parentheses.",
        "Split it into several budgets.",
    )  # fmt: skip
    for _ in range(DEEPEST + 1):  # from the innermost parentheses outwards
        value = (literal | printed | name | nested).set_name(_VALUE)
        signed = operation("negative", pp.Optional("-"), value)
        total = chain("sum", chain("product", signed, regex("[*/]")), regex("[-+]"))
        like, one_of = word("not like", "like") - text, word("not in", "in") - options
        order = regex("<=|<>|<|>=|>|==|=|!=") - total
        test = operation("comparison", order | like | one_of | available)
        comparison = (total + pp.Optional(test)).add_parse_action(_comparison)
        pairs = (word("not") + word("not")).suppress()[...]  # cancel out, even for an unknown value
        negation = operation("not", pairs, negated, comparison)
        condition = chain("or", chain("and", negation, word("and")), word("or"))
        nested = left - condition - right

    own_id = (
        refused(
            regex(rf"(?:{'|'.join(FAMILIES)})(?=\d{{3}}\b)", _OWN_ID),
            "{} is a rule family of awrlens.",
            f"Use other letters than {', '.join(FAMILIES[:-1])} and {FAMILIES[-1]}.",
        )
        | regex(r"[A-Z]{2,8}\d{3}\b")
        | refused(
            regex(r"[A-Z]+[0-9]+\b"), "{} is not a valid id.",
            "An id has 2 to 8 capital letters and three digits: TEAM001.",
        )
    ).set_name(_OWN_ID)  # fmt: skip
    own_name = rf"(?!(?:{_RESERVED})(?![\w-]))[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?![\w.-])"
    share = regex(figure, "a share like 95 %") - percent - word("of") - word("windows")
    severity = regex(rf"(?:{'|'.join(_SEVERITIES)})\b", f"a severity ({', '.join(_SEVERITIES)})")
    of_rules = refused(
        word(*_EXPECTED),
        "`{}` is a clause of rules only; this statement already has a condition.",
        "Start another budget at the beginning of a line, or combine both with `and`.",
    )
    lost = refused(
        word(*({*CLAUSES} - {"require"})), "`{}` belongs to the budget above it.",
        "Indent this line.",
    )  # fmt: skip

    def statement(declared: ParserElement, expected: ParserElement) -> ParserElement:
        clause = pp.And([
            expected
            | word("when") - condition
            | (word("for") - share).add_parse_action(_share)
            | word("severity") - severity
            | word(*PROSE) - string[1, ...].add_parse_action(" ".join)
        ])  # fmt: skip
        clause.add_parse_action(lambda _, at, tokens: (tokens[0], at, tokens[1]))
        declared.add_parse_action(lambda tokens: ("budget", "", *tokens)[-3:])
        return declared + pp.ZeroOrMore(clause)

    rule = word("rule") - own_id - regex(own_name, "a name like slow-commit")
    budget = word("budget", "require") - pp.Optional(own_id, "") - condition | condition
    every = statement(rule, word(*_EXPECTED) - condition) | statement(lost | budget, of_rules)
    return (every + pp.StringEnd().set_name(_END)).parse_with_tabs()


def _number(_: str, at: int, tokens: ParseResults) -> Node:
    if len(tokens[0]) > _MOST_DIGITS:
        raise BudgetError(f"A number has at most {_MOST_DIGITS} digits.", at)
    whole, _, part = tokens[0].partition(".")
    plain = ".".join(filter(None, (whole.lstrip("0") or "0", part.rstrip("0"))))
    return Node("number", text=plain, unit=tokens[1], at=at)


def _unit(_: str, at: int, tokens: ParseResults) -> str:
    unit = re.sub("^/", "1/", tokens[0])
    if unit not in UNITS:
        raise BudgetError(f"Unknown unit {unit!r}.", at, tree.meant(unit))
    return unit


def _printed(_: str, at: int, tokens: ParseResults) -> Node:
    """A name in Oracle's terms: ``event("log file sync").avg_ms``."""
    scope = "baseline." if tokens[0].startswith("baseline") else ""
    printed = split(tokens[0].partition(".")[2] if scope else tokens[0])
    if printed is None or not printed.name:
        raise BudgetError("The name in quotes is empty.", at, 'event("log file sync").avg_ms')
    if printed.unit is None:
        what = f"no {printed.field}" if printed.field else "several numbers"
        raise BudgetError(f"{printed.kind}(…) has {what}.", at, f"Fields are {printed.fields}.")
    return Node("name", text=scope + printed.written, unit=printed.unit, at=at)


def _comparison(tokens: ParseResults) -> Any:  # noqa: ANN401 - pyparsing
    first, *tests = tokens
    return tests[0]._replace(parts=(first, *tests[0].parts)) if tests else first


def _share(_: str, at: int, tokens: ParseResults) -> list[Any]:
    word, digits = tokens[:2]
    if len(digits) > _MOST_DIGITS or not 0 < Fraction(digits) <= _WHOLE_PCT:
        raise BudgetError("The share of windows must be above 0 % and at most 100 %.", at)
    return [word, Fraction(digits)]


def _twice(other: Budget, text: str, start: int) -> BudgetError:
    if other.id.startswith(tree.ANONYMOUS):
        return BudgetError(
            f"This budget is a duplicate of line {other.line}.", start, "Remove one of them."
        )
    message = f"{other.id} is already the id of the budget on line {other.line}."
    return BudgetError(message, text.index(other.id, start), "Give it another id.")


def _expected(what: str, text: str, at: int, start: int) -> BudgetError:
    if at == start:
        what = "a budget: a condition such as redo.write_ms <= 2 ms"
    rest = text[at:].split("\n", maxsplit=1)[0].strip()
    word = re.match(r"[\w.]+|[<>=!]+|\S", rest)
    shown = repr((word[0] if word else rest)[:30]) if rest else "the end of the budget"
    hint = tree.hint_for(text[:at].rstrip(), rest)
    if not hint and what == _END and rest[:1] in {*"<>=!"}:
        hint = "Comparisons cannot be chained: write a < b and b < c."
    place = at if rest else len(text.rstrip())
    return BudgetError(f"Expected {what}, found {shown}.", place, hint)


def _with_units(node: Node, units: Mapping[str, str]) -> Node:
    """An expression with the units of its names; empty for an unknown one."""
    if node.kind == "name" and not node.unit:
        scope, name = tree.scoped(node)
        return node._replace(unit=(REPORT if scope == "report" else units).get(name, ""))
    return node._replace(parts=tuple(_with_units(part, units) for part in node.parts))


def _made_id(budget: Budget) -> str:
    """An id from the conditions of a budget, not from its line or message."""
    parts = [budget.condition, budget.required]
    parts += [tree.expression(budget.when)] if budget.when is not None else []
    parts += [str(budget.share)] if budget.share is not None else []
    digest = hashlib.sha256(repr(parts).encode(errors="surrogatepass")).hexdigest()
    return f"{tree.ANONYMOUS}{digest[:_DIGEST].upper()}"


def _placeless(node: Node) -> Node:
    return node._replace(at=0, parts=tuple(map(_placeless, node.parts)))
