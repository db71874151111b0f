"""Checklist: yes-or-no questions and the formula that makes their score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from haechi.rubrics.fault import Fault
from haechi.rubrics.fields import Many
from haechi.rubrics.formula import Formula, refuse_unknown_names
from haechi.rubrics.scales.base import MEANING, POINTS, Element, Explained, Say, Scale, number_within
from haechi.rubrics.scales.binary import MET_OR_UNMET
from haechi.rubrics.values import Level
from haechi.text import Text

if TYPE_CHECKING:
    import polars as pl


class Checklist(Scale):
    """Binary elements whose answers a formula turns into the criterion's score.

    The formula may use `met` (how many elements are met), `count` (how many there are) and element keys.

    >>> elements = [{"key": key, "name": key, "question": f"{key}?"} for key in ("a", "b")]
    >>> scale = Checklist(type="checklist", formula="met + 1", elements=elements)
    >>> scale.points, scale.range
    ((1.0, 2.0, 3.0), (1.0, 3.0))
    """

    type: Literal["checklist"]
    elements: Annotated[tuple[Element, ...], Many(1, 200)]
    formula: str = "met"
    level: Level = "interval"

    can_be_unmet: ClassVar[bool] = True

    def check(self) -> None:
        keys = [element.key for element in self.elements]
        for place, key in enumerate(keys):
            if key in keys[:place] or key in ("met", "count"):
                expected = Text(
                    "서로 다른 요소 키(met, count 제외)",
                    "element keys that differ (and are not met or count)",
                )
                raise Fault(key, expected, at=("elements", place, "key"))
        refuse_unknown_names(self.formula, {"met", "count", *keys}, Text("요소", "element"))
        _ = self.range

    @property
    def points(self) -> tuple[float, ...] | None:
        """A formula of the number of met elements has one value for each number."""
        formula, count = Formula(self.formula), len(self.elements)
        if not formula.names <= {"met", "count"}:
            return None
        return tuple(
            sorted({float(formula.evaluate({"met": met, "count": count})) for met in range(count + 1)})
        )

    @property
    def range(self) -> tuple[float, float]:
        count = len(self.elements)
        known = {"met": (0.0, float(count)), "count": (float(count), float(count))}
        known |= {element.key: (0.0, 1.0) for element in self.elements}
        try:
            return Formula(self.formula).bounds(known)
        except Fault as fault:
            raise Fault(fault.found, fault.expected, at=("formula",)) from None

    def read(self, raw: Any) -> str:
        """A rater may give the criterion's score itself, for instance from a form of item scores."""
        return number_within(raw, *self.range)

    @property
    def parts(self) -> tuple[Element, ...]:
        return self.elements

    @property
    def part_scale(self) -> Scale:
        return MET_OR_UNMET

    @property
    def formula_of_parts(self) -> str:
        return self.formula

    def page(self, say: Say) -> Explained:
        head = (say(Text("요소", "element")), say(MEANING), say(Text("질문", "question")))
        rows = [(f"`{one.key}`", say(one.name), say(one.question)) for one in self.elements]
        return Explained(head, rows, (f"{say(POINTS)} = {self.formula}",))

    def points_of_parts(self, parts: Mapping[str, pl.Expr]) -> pl.Expr:
        """The score of a checklist; null as soon as one element that the formula needs is null.

        >>> import polars as pl
        >>> elements = [{"key": key, "name": key, "question": f"{key}?"} for key in ("a", "b")]
        >>> scale = Checklist(type="checklist", formula="met + 1", elements=elements)
        >>> frame = pl.DataFrame({"a": [1.0, 1.0], "b": [0.0, None]})
        >>> frame.select(s=scale.points_of_parts({"a": pl.col("a"), "b": pl.col("b")}))["s"].to_list()
        [2.0, None]
        """
        import polars as pl

        met = sum((parts[element.key] for element in self.elements), start=pl.lit(0.0))
        score: pl.Expr = Formula(self.formula).evaluate(
            {"met": met, "count": len(self.elements), **parts}
        ) + pl.lit(0.0)
        return score


def yes_or_no_questions(elements: Sequence[Element]) -> Scale:
    """A scale of questions that are met or unmet, one point each.

    >>> yes_or_no_questions([Element(key="q1", name="q1", question="?")]).points
    (0.0, 1.0)
    """
    return Checklist(type="checklist", elements=tuple(elements))
