"""Evaluates a formula as it is shown, so that tests can compare it with the value."""

from __future__ import annotations

import ast
import operator
import re
from typing import Any

_OPERATORS: dict[type, Any] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip


def evaluate(formula: str) -> float:
    """Value of the left side of ``757,698 cs × 10 / 405,691 writes = 18.68 ms``."""
    left = formula.rsplit(" = ", 1)[0]
    text = left.replace("×", "*").replace("−", "-").replace(",", "")
    numbers = re.findall(
        r"\d+(?:\.\d+)?|\.\d+|(?<=\s)[-+*/](?=\s)|[()]", re.sub(r"\([a-z]+\)", "", text)
    )
    # words behind a number name what it counts
    return _run(ast.parse("".join(numbers), mode="eval").body)


def _run(node: ast.expr) -> float:
    if isinstance(node, ast.BinOp):
        return float(_OPERATORS[type(node.op)](_run(node.left), _run(node.right)))
    assert isinstance(node, ast.Constant)
    return float(str(node.value))
