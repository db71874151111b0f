"""The parts of a rubric: criteria, scores made of others, floors, rules for runs, and what a rater is asked for."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

from haechi.rubrics.fault import Fault
from haechi.rubrics.fields import Frozen, Many
from haechi.rubrics.scales import MET_OR_UNMET, AnyScale, Element, NameScale, PointScale, Scale
from haechi.rubrics.values import Key, Number, Words
from haechi.text import Text


class Counter(Frozen):
    """A comment that does not meet the criterion, with the reason."""

    text: str
    reason: str | None = None


class Example(Frozen):
    """A context with a reply that meets the criterion and replies that do not."""

    context: str
    met: tuple[str, ...]
    unmet: tuple[Counter, ...]


class Criterion(Frozen):
    """One thing to judge, on one scale.

    `key` names its ratings and its place in a judge's reply; `short` names its score (by default the key).
    `only` restricts a criterion of agent runs to one tool class; `failed_run` is the value that a failed run
    has by rule.
    """

    key: Key
    short: Key | None = None
    name: Words
    question: Words | None = None
    explanation: Words | None = None
    standards: tuple[Words, ...] = ()
    instruction: Words | None = None
    examples: tuple[Example, ...] = ()
    scale: AnyScale
    rated_by: Literal["rater", "code"] = "rater"
    evidence: bool = False
    only: Literal["SINGLE", "MULTI"] | None = None
    failed_run: str | float | None = None

    @property
    def score(self) -> str:
        """The name of this criterion's score."""
        return self.short or self.key

    @property
    def rated_names(self) -> tuple[str, ...]:
        """The names of its ratings: its own, or those of the parts that are asked one by one."""
        return tuple(f"{self.key}.{part.key}" for part in self.scale.parts) or (self.key,)


class Derived(Frozen):
    """A score computed from other scores: an area, a total, an average.

    `sum`, `mean`, `weighted_mean`, `share` (points reached of the points that can be reached), `first`
    (the first part that has a value), or `tag` (of criteria that items bring, those with a tag of this key or name). A hidden score is a step on the way and is not shown.
    """

    key: Key
    name: Words
    by: Literal["sum", "mean", "weighted_mean", "share", "first", "tag"]
    of: tuple[Key, ...] = ()
    weights: dict[Key, Number] | None = None
    hidden: bool = False

    def check(self) -> None:
        weighted, weights = self.by == "weighted_mean", self.weights or {}
        if weighted != bool(weights) or weighted == bool(self.of):
            expected = Text(
                "weighted_mean에는 `weights`만, 다른 방법에는 `of`만",
                "`weights` alone for a weighted_mean, `of` alone for any other way",
            )
            raise Fault(self.by, expected, at=("by",))
        if weighted and min(weights.values()) <= 0:
            raise Fault(
                f"{min(weights.values()):g}", Text("0보다 큰 가중치", "weights above 0"), at=("weights",)
            )
        total = sum(weights.values())
        if weighted and abs(total - 1) > 1e-9 and abs(total - 100) > 1e-7:
            expected = Text("합이 1 또는 100인 가중치", "weights that sum to 1 or 100")
            raise Fault(f"{total:g}", expected, at=("weights",))
        for place, part in enumerate(self.of):
            if part in self.of[:place]:
                raise Fault(part, Text("구성 점수는 한 번씩만", "every part once"), at=("of", place))

    @property
    def parts(self) -> tuple[str, ...]:
        """The scores it is made of."""
        return tuple(self.weights) if self.weights else self.of


class Floor(Frozen):
    """A condition under which whole criteria count as unmet, whatever was ticked.

    A rater states it as a rating of the floor's key; `rule` states it for every rater by looking at the item.
    """

    key: Key
    name: Words
    text: Words
    unmet: Annotated[tuple[Key, ...], Many(1)]
    rule: Literal["no_assistant_message"] | None = None


class LabelWords(Frozen):
    """An intent label of an agent's message and the words that reveal it."""

    label: Key
    words: tuple[str, ...] = ()


class RunRules(Frozen):
    """How code reads an agent run: intent labels by priority, and what makes two answers the same."""

    labels: Annotated[tuple[LabelWords, ...], Many(1)]
    otherwise: Key = "OTHER"
    failed: Key = "ERROR"
    signature: Annotated[tuple[str, ...], Many(1)]

    @property
    def label_scale(self) -> Scale:
        """The scale on which a rater gives the label of a run."""
        names = (*(entry.label for entry in self.labels), self.otherwise, self.failed)
        return NameScale(type="named", names=tuple(dict.fromkeys(names)))


class Speakers(Frozen):
    """How the two sides of a conversation are called in the instrument."""

    user: Words
    assistant: Words


class Rateable(NamedTuple):
    """Something that a rater gives a value for."""

    name: str
    criterion: Criterion | None
    element: Element | None = None
    floor: Floor | None = None

    @property
    def scale(self) -> Scale:
        """The scale on which it is answered: a floor and a question that an item brings are met or unmet; for what code
        measures, points are given."""
        brought = self.element is not None and self.criterion is not None and not self.criterion.scale.parts
        if self.criterion is None or brought:
            return MET_OR_UNMET
        if self.criterion.rated_by == "code":
            low, high = self.criterion.scale.range
            return PointScale(type="given", low=low, high=high)
        return self.criterion.scale.part_scale if self.element is not None else self.criterion.scale
