"""What a scale is: everything that depends on the kind of a scale is asked of the scale itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from haechi.frozen import frozen
from haechi.rubrics.fault import Fault
from haechi.rubrics.fields import Frozen
from haechi.rubrics.values import Key, Level, Number, Off, Words, measured, plain, said_number
from haechi.text import Text

if TYPE_CHECKING:  # a column is an expression of polars, which reading a rubric has no need of
    import polars as pl

    from haechi.rubrics.scales.number_range import Band

Say = Callable[[Text], str]
"""Says a text in the language that is wanted."""

MEASURES = frozenset({"seconds", "check_ratio", "ratio_a", "ratio_b"})
"""What the code rater can measure on an agent run, as a number."""

NUMBER, POINTS, MEANING = Text("수", "a number"), Text("점수", "points"), Text("기준", "meaning")
WITHOUT_VALUE = Text("값이 없으면", "without a value")


class ExampleValue(Frozen):
    """How an element was rated in an example reply."""

    value: Literal[0, 1]
    evidence: str


class Element(Frozen):
    """One question of a criterion that asks several."""

    key: Key
    name: Words
    question: Words
    example: ExampleValue | None = None


@frozen
class Choice:
    """One answer that can be chosen: its value, the key that gives it, and its words."""

    value: str
    key: str
    label: str
    text: str = ""


@frozen
class Explained:
    """A scale on the rubric's page: a table and lines below it."""

    head: tuple[str, ...] = ()
    rows: Sequence[Sequence[object]] = ()
    notes: tuple[str, ...] = ()


class Scale(Frozen, ABC):
    """A kind of scale. What a kind does not say itself is that of a plain number between two ends.

    A new kind sets `type` and `level`, and has `read` and `points` or `range`; the rest where it differs.
    """

    type: str
    level: Level

    counted: ClassVar[bool] = True
    """Whether it enters scores and figures. What is not counted may stay empty and needs no evidence."""
    counts_met: ClassVar[bool] = False
    """Whether 1 is met and 0 unmet, so that a mean is the share of what is met."""
    is_category: ClassVar[bool] = False
    """Whether a value is a name rather than an amount, so that values are counted beside their mean."""
    can_be_unmet: ClassVar[bool] = False
    """Whether a floor can make it wholly unmet."""
    field: ClassVar[Literal["number", "text"]] = "number"
    """What a form asks for where there is nothing to choose from."""
    compares: ClassVar[bool] = False
    """Whether a value says which of two answers is better, so that it is for items that are pairs."""
    of_items: ClassVar[bool] = False
    """Whether every item brings the questions that are asked on it."""

    # Values

    @abstractmethod
    def read(self, raw: Any) -> str:
        """A raw value as it is kept; raises `Off` when it is not on the scale."""

    def read_reply(self, value: Any) -> str:
        """A value of a judge's JSON. `true` answers a yes-or-no question only: elsewhere it would be a guess."""
        return self.read("" if isinstance(value, bool) else value)

    def spoken(self, text: str) -> str | None:
        """The value that a text means beyond doubt though it is not written as the scale writes it, such as `4/5`."""
        said = said_number(text, self.range[1]) if self.counted else None
        return said if said is not None and not self.takes(text) and self.takes(said) else None

    def takes(self, raw: Any) -> bool:
        """Whether a judge's value is on the scale as it is written."""
        try:
            self.read_reply(raw)
        except Off:
            return False
        return True

    def turned(self, value: str) -> str:
        """The value where the two answers of a pair stand the other way round; the same for what compares nothing."""
        return value

    @property
    def has_mean(self) -> bool:
        """Whether a mean of its values means anything: of names only that of met and unmet does."""
        return self.level != "nominal" or self.counts_met

    @property
    def points(self) -> tuple[float, ...] | None:
        """All points it can give, ascending; None where they are not a short list."""
        return None

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest points."""
        if not self.points:
            raise NotImplementedError(f"{type(self).__name__} has neither points nor a range")
        return self.points[0], self.points[-1]

    def points_by_rule(self, raw: Any) -> float:
        """The points of a value that the rubric itself gives, such as that of a failed run."""
        return float(self.read(raw))

    def words_near(self, mean: float) -> tuple[int, Text] | None:
        """The level that a mean is nearest to, in the words of the instrument."""
        return None

    def category(self, points: float) -> str:
        """What a value that is worth so many points is called."""
        return f"{points:g}"

    # Parts: what is asked one by one and makes the score together

    @property
    def parts(self) -> tuple[Element, ...]:
        """The questions that are answered one by one; none if the criterion itself is the question."""
        return ()

    @property
    def part_scale(self) -> Scale:
        """The scale on which every part is answered."""
        return self

    @property
    def formula_of_parts(self) -> str | None:
        """What a page computes while the parts are answered."""
        return None

    # Questions that items bring, where `of_items`

    @property
    def rules(self) -> tuple[Text, ...]:
        """What everybody who answers them is told."""
        return ()

    def part_words(self, part: Element, say: Say) -> str:
        """One of them as it is asked."""
        return say(part.question)

    def points_of_earned(self, earned: pl.Expr, possible: pl.Expr) -> pl.Expr:
        """The points of what was earned of what an item makes possible."""
        raise NotImplementedError(f"{type(self).__name__} has no items' points: {earned} of {possible}")

    # Measures: what code reads off an agent run

    @property
    def measured(self) -> tuple[str, ...]:
        """The measures of which code makes the points; none if a rater gives the value."""
        return ()

    def refuse_measures(self, by_code: bool) -> None:
        """Refuse measures that are not known, that are missing, or that a rater could not give."""
        if by_code and not (self.measured and MEASURES.issuperset(self.measured)):
            known = ", ".join(sorted(MEASURES))
            raise self.wrong_measure(Text(f"측정값: {known}", f"a measure of {known}"))
        if not by_code and self.measured:
            only = Text("`rated_by: code`에서만 쓰는 측정값", "measures with `rated_by: code` only")
            raise self.wrong_measure(only)

    def wrong_measure(self, expected: Text) -> Fault:
        """What is wrong with the measures, at their place."""
        return Fault(", ".join(sorted(self.measured)) or "None", expected, at=("measure",))

    @property
    def bands_of_measure(self) -> tuple[Band, ...]:
        """The stretches of the measure and their points, where points are given so."""
        return ()

    @property
    def formula_of_measures(self) -> str | None:
        """The formula that makes points of the measures, where points are made so."""
        return None

    # Words: the form, the prompt, the page

    def choices(self, say: Say) -> tuple[Choice, ...]:
        """What can be chosen in a form; nothing if a number or words are typed in."""
        return ()

    def prompt_lines(self, say: Say) -> list[str]:
        """The lines of a prompt that explain the values; parts are listed below them."""
        return []

    def value_hint(self, say: Say) -> str:
        """What a judge puts in the place of the value, and a form asks for where there is nothing to choose from."""
        low, high = map(plain, self.range)
        return f"{say(NUMBER)}, {low}–{high}"

    def value_schema(self) -> dict[str, Any]:
        """The JSON schema of a value in a judge's reply."""
        return {"type": "number"}

    def page(self, say: Say) -> Explained:
        """The scale on the page of the rubric."""
        return Explained()

    # Columns

    def points_of_column(self, values: pl.Expr) -> pl.Expr:
        """The points of a column of kept values."""
        import polars as pl

        return values.cast(pl.Float64, strict=False)

    def points_of_parts(self, parts: Mapping[str, pl.Expr]) -> pl.Expr:
        """The points of the parts' columns; null as soon as one that is needed is null."""
        raise NotImplementedError(
            f"{type(self).__name__} has parts but no arithmetic for them: {list(parts)}"
        )

    def points_of_measures(self, measures: Mapping[str, pl.Expr]) -> pl.Expr:
        """The points of measured columns."""
        raise NotImplementedError(f"{type(self).__name__} is not measured by code: {list(measures)}")


class PointScale(Scale):
    """Points that a person or a judge gives for what code measures: any number between the ends of its scale.

    >>> PointScale(type="given", low=0, high=5).read("4.5")
    '4.5'
    """

    type: Literal["given"]
    low: Number
    high: Number
    level: Level = "interval"

    @property
    def range(self) -> tuple[float, float]:
        return self.low, self.high

    def read(self, raw: Any) -> str:
        return number_within(raw, self.low, self.high)


class NameScale(Scale):
    """One of some names, without points.

    >>> NameScale(type="named", names=("ADD", "VIEW")).read(" view ")
    'VIEW'
    """

    type: Literal["named"]
    names: tuple[str, ...]
    level: Level = "nominal"
    counted: ClassVar[bool] = False
    field: ClassVar[Literal["number", "text"]] = "text"

    def read(self, raw: Any) -> str:
        name = str(raw).strip().upper()
        if name not in self.names:
            names = ", ".join(self.names)
            raise Off(Text(f"다음 중 하나: {names}", f"one of {names}"), raw)
        return name


def number_within(raw: Any, low: float, high: float) -> str:
    """A number between two ends as it is kept.

    >>> number_within("3.50", 0, 5)
    '3.5'
    """
    value = measured(raw)
    if value is None or not low <= value <= high:
        ends = f"{plain(low)}–{plain(high)}"
        raise Off(Text(f"{ends} 사이의 수", f"a number from {ends}"), raw)
    return plain(value)
