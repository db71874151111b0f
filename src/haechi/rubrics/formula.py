"""Small arithmetic formulas such as `met + 1`: parsed, never executed as code."""

from __future__ import annotations

import ast
import math
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from haechi.frozen import frozen
from haechi.rubrics.fault import Fault, shorten
from haechi.text import Text

_LONGEST = 300
_ALLOWED = Text("수, 이름, + - * /, 괄호만", "only numbers, names, + - * / and parentheses")

_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


@frozen
class Formula:
    """A formula of numbers, names, + - * / and parentheses.

    >>> Formula("met + 1").evaluate({"met": 3})
    4
    >>> sorted(Formula("(ratio_a + ratio_b) / 2 * 5").names)
    ['ratio_a', 'ratio_b']
    >>> Formula("met + 1").bounds({"met": (0, 4)})
    (1, 5)
    >>> Formula("max(met)")
    Traceback (most recent call last):
    ...
    haechi.rubrics.fault.Fault: only numbers, names, + - * / and parentheses, not Call
    """

    text: str

    def __post_init__(self) -> None:
        for node in ast.walk(self._tree()):
            _refuse_unknown(node)

    @property
    def names(self) -> frozenset[str]:
        """The names that the formula needs."""
        return frozenset(node.id for node in ast.walk(self._tree()) if isinstance(node, ast.Name))

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """The result; values may be numbers, arrays or column expressions."""
        return _evaluate(self._tree(), values)

    def bounds(self, values: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
        """The smallest and the largest result when every name lies within its own bounds."""
        low, high = _bounds(self._tree(), values)
        if not (math.isfinite(low) and math.isfinite(high)):
            raise Fault(self.text, Text("유한한 값을 내는 식", "a formula with a finite result"))
        return low, high

    def _tree(self) -> ast.expr:
        if len(self.text) > _LONGEST:
            limit = Text(f"{_LONGEST}자 이하의 식", f"a formula of at most {_LONGEST} characters")
            raise Fault(str(len(self.text)), limit)
        if not re.fullmatch(r"[\w.+*/() -]+", self.text.strip(), re.ASCII):
            raise Fault(shorten(self.text), _ALLOWED)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)  # of `2if`, which is refused below anyway
                return ast.parse(self.text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise Fault(shorten(self.text), Text("식(예: met + 1)", "a formula such as met + 1")) from None


def refuse_unknown_names(formula: str, known: set[str], noun: Text) -> None:
    """Refuse a formula that cannot be read or that names something unknown; the fault is at `formula`."""
    try:
        unknown = sorted(Formula(formula).names - known)
    except Fault as fault:
        raise Fault(fault.found, fault.expected, at=("formula",)) from None
    if unknown:
        names = shorten(", ".join(sorted(known)))
        expected = Text(f"아는 {noun.ko}: {names}", f"a known {noun.en}: {names}")
        raise Fault(", ".join(unknown), expected, at=("formula",))


def _refuse_unknown(node: ast.AST) -> None:
    if isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise Fault(shorten(value), Text("유한한 수만", "only finite numbers"))
    elif isinstance(node, ast.operator | ast.unaryop):
        if type(node) not in _OPERATIONS and not isinstance(node, ast.USub):
            raise Fault(type(node).__name__, Text("+ - * /만", "only + - * /"))
    elif not isinstance(node, ast.Name | ast.BinOp | ast.UnaryOp | ast.Load):
        raise Fault(type(node).__name__, _ALLOWED)


def _evaluate(node: ast.AST, values: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(operand=operand):
            return -_evaluate(operand, values)
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATIONS[type(op)](_evaluate(left, values), _evaluate(right, values))
    raise AssertionError("refused when the formula was made")


def _bounds(node: ast.AST, values: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
    match node:
        case ast.Constant(value=value):
            return value, value  # type: ignore[return-value]
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(operand=operand):
            low, high = _bounds(operand, values)
            return -high, -low
        case ast.BinOp(left=left, op=op, right=right):
            first, second = _bounds(left, values), _bounds(right, values)
            if isinstance(op, ast.Div) and second[0] <= 0 <= second[1]:
                raise Fault(
                    ast.unparse(node), Text("0이 될 수 없는 수로 나누기", "a divisor that cannot be 0")
                )
            corners = [_OPERATIONS[type(op)](a, b) for a in first for b in second]
            return min(corners), max(corners)
    raise AssertionError("refused when the formula was made")
