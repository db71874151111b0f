"""The rubric: one frozen, versioned description of an instrument."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Annotated, Literal

from haechi.errors import HaechiError
from haechi.notebook import html_table
from haechi.rubrics.checks import check_rubric
from haechi.rubrics.fields import Frozen, Many
from haechi.rubrics.parts import (
    Criterion,
    Derived,
    Floor,
    Rateable,
    RunRules,
    Speakers,
)
from haechi.rubrics.values import Key, Level, Words
from haechi.text import Text

ItemKind = Literal["dialogue", "reply", "run", "pair"]
Missing = Literal["missing", "unmet", "renormalise"]

_MOST_POINTS = 1_000  # more are a quantity, not categories


class Rubric(Frozen):
    """An instrument. Written once; form, prompt, schema, arithmetic and permitted statistics follow from it.

    >>> from haechi.rubrics import find_rubric
    >>> rubric = find_rubric("maice-qac")
    >>> len(rubric.criteria), rubric.score_names[-1], rubric.range("total")
    (8, 'total', (8.0, 40.0))
    """

    id: Key
    edition: str = ""
    title: Words
    about: Words
    item: ItemKind
    speakers: Speakers
    context_name: Words | None = None
    reply_name: Words | None = None
    names_in_questions: bool = False
    stances: tuple[Key, ...] = ()
    task: Words
    guidance: tuple[Words, ...] = ()
    reply_guidance: tuple[Words, ...] = ()
    criteria: Annotated[tuple[Criterion, ...], Many(1, 200)]
    scores: tuple[Derived, ...] = ()
    floors: tuple[Floor, ...] = ()
    missing: Missing = "missing"
    summary_by: tuple[str, ...] = ()
    run: RunRules | None = None
    notes: tuple[Words, ...] = ()

    def __repr__(self) -> str:
        edition = f" {self.edition}" if self.edition else ""
        return f"<Rubric {self.id}{edition}: {', '.join(self.score_names)}>"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        """For notebooks: what is scored, and how far each score reaches."""
        heads = [Text("점수", "score"), Text("이름", "name"), Text("범위", "range")]
        rows = [
            [name, self.name(name).say(), "{:g}–{:g}".format(*self.range(name))] for name in self.score_names
        ]
        return html_table(f"{self.title.say()} ({self.id})", [head.say() for head in heads], rows)

    @cached_property
    def version(self) -> str:
        """The first 12 hexadecimal digits of the SHA-256 of the content."""
        content = json.dumps(self.as_json(), ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:12]

    @property
    def reference(self) -> str:
        """`id@version`, as it is written beside every rating."""
        return f"{self.id}@{self.version}"

    @cached_property
    def rateables(self) -> dict[str, Rateable]:
        """Everything a person or an AI judge gives a value for, by the name of its ratings."""
        return {rateable.name: rateable for rateable in self._rateables()}

    def _rateables(self) -> Iterator[Rateable]:
        for criterion in self.criteria:
            if criterion.rated_by == "code" or criterion.scale.of_items:
                continue
            elements = criterion.scale.parts or (None,)
            for name, element in zip(criterion.rated_names, elements, strict=True):
                yield Rateable(name, criterion, element)

    @cached_property
    def known_names(self) -> dict[str, Rateable]:
        """What a ratings table may name: also criteria by key or short name, and floors."""
        names = dict(self.rateables)
        for criterion in self.criteria:
            for name in (criterion.key, criterion.score):
                names.setdefault(name, Rateable(criterion.key, criterion))
            for element in criterion.scale.parts if criterion.rated_by == "rater" else ():
                exact = names[f"{criterion.key}.{element.key}"]
                names.setdefault(f"{criterion.score}.{element.key}", exact)
        for floor in self.floors:
            names.setdefault(floor.key, Rateable(floor.key, None, floor=floor))
        return names

    @cached_property
    def score_names(self) -> tuple[str, ...]:
        """The names of all scores that are shown, criteria first, then areas and totals."""
        criteria = [c.score for c in self.criteria if c.scale.counted]
        return (*criteria, *(derived.key for derived in self.scores if not derived.hidden))

    def criterion(self, name: str) -> Criterion | None:
        """The criterion with this key or short name."""
        return self._criteria.get(name)

    @cached_property
    def checked_criterion(self) -> Criterion | None:
        """The criterion that code scores by the checks of a run's expectation.

        >>> from haechi.rubrics import find_rubric
        >>> find_rubric("hiring-agent").checked_criterion.key, find_rubric("ubica").checked_criterion
        ('accuracy', None)
        """
        return next((c for c in self.criteria if "check_ratio" in c.scale.measured), None)

    def is_met(self, name: str) -> bool:
        """Whether a score is met or unmet, and nothing between.

        >>> from haechi.rubrics import find_rubric
        >>> find_rubric("diary-comment").is_met("sympathy"), find_rubric("ubica").is_met("overall")
        (True, False)
        """
        criterion = self.criterion(name)
        return criterion is not None and criterion.scale.counts_met

    @cached_property
    def _criteria(self) -> dict[str, Criterion]:
        return {name: c for c in reversed(self.criteria) for name in (c.score, c.key)}

    def range(self, score: str) -> tuple[float, float]:
        """The lowest and highest possible value of a score."""
        if score not in self._ranges:
            self._ranges[score] = self._range(score)
        return self._ranges[score]

    @cached_property
    def _ranges(self) -> dict[str, tuple[float, float]]:
        return {}

    def _range(self, score: str) -> tuple[float, float]:
        criterion = self.criterion(score)
        if criterion is not None:
            if not criterion.scale.counted:
                raise KeyError(score)
            low, high = criterion.scale.range
            return float(low), float(high)
        derived = next(d for d in self.scores if d.key == score)
        lows, highs = zip(*(self.range(part) for part in derived.parts), strict=True)
        if derived.by == "sum":
            return sum(lows), sum(highs)
        if derived.by == "share":
            return sum(lows) / sum(highs), 1.0
        return min(lows), max(highs)

    def points(self, name: str) -> tuple[float, ...] | None:
        """All values that a score, or what is rated, can have, ascending; None where they are not a short list.

        >>> from haechi.rubrics import find_rubric
        >>> find_rubric("hiring-agent").points("stability"), find_rubric("diary-comment").points("ssa")
        ((0.0, 5.0), (0.0, 0.5, 1.0))
        """
        return self._points[name]

    @cached_property
    def _points(self) -> dict[str, tuple[float, ...] | None]:
        known = {name: rateable.scale.points for name, rateable in self.known_names.items()}
        known |= {
            name: c.scale.points for c in self.criteria if c.rated_by == "code" for name in (c.key, c.score)
        }
        for derived in self.scores:
            known[derived.key] = _points_of_parts(derived, [known[part] for part in derived.parts])
        return known

    def area(self, criterion: Criterion) -> str | None:
        """The area of a criterion: a sum of criteria that is itself part of another score."""
        parts = {part for derived in self.scores for part in derived.parts}
        for derived in self.scores:
            if derived.by == "sum" and derived.key in parts and criterion.score in derived.parts:
                return derived.key
        return None

    def main_score(self, names: Sequence[str] = ()) -> str:
        """The score made of most criteria, the first of several; of `names`, where they are given. Labels come last.

        >>> from haechi.rubrics import find_rubric
        >>> find_rubric("ubica").main_score(), find_rubric("maice-qac").main_score(("A", "B", "total"))
        ('overall', 'total')
        """
        return max(
            names or self.score_names, key=lambda name: (self.has_mean(name), len(self.criteria_of(name)))
        )

    def has_mean(self, score: str) -> bool:
        """Whether a mean of a score means anything: one of labels does not.

        >>> from haechi.rubrics import find_rubric
        >>> find_rubric("diary-comment").has_mean("sympathy")
        True
        """
        criterion = self.criterion(score)
        return criterion is None or criterion.scale.has_mean

    def criteria_of(self, score: str) -> frozenset[str]:
        """The criteria that a score is made of, by whatever way; of a criterion itself.

        >>> from haechi.rubrics import find_rubric
        >>> sorted(find_rubric("maice-qac").criteria_of("C")), find_rubric("maice-qac").criteria_of("C1")
        (['C1', 'C2'], frozenset({'C1'}))
        """
        derived = next((one for one in self.scores if one.key == score), None)
        if derived is None:
            return frozenset({score})
        return frozenset().union(*map(self.criteria_of, derived.parts))

    def level(self, score: str) -> Level:
        """The measurement level of a score; a derived score is a number on an interval scale."""
        criterion = self.criterion(score)
        return criterion.scale.level if criterion is not None else "interval"

    def name(self, score: str) -> Words:
        """How a score is called."""
        criterion = self.criterion(score)
        return criterion.name if criterion else next(d.name for d in self.scores if d.key == score)

    def without(self, names: tuple[str, ...]) -> Rubric:
        """The rubric with some criteria left out; areas and totals follow, an empty area goes.

        >>> from haechi.rubrics import find_rubric
        >>> find_rubric("maice-qac").without(("C1",)).range("total")
        (7.0, 35.0)
        """
        gone = {c.score for c in self.criteria if c.key in names or c.score in names}
        known = {n for c in self.criteria for n in (c.key, c.score)} | {d.key for d in self.scores}
        unknown = [name for name in names if name not in known]
        if unknown or not any(c.scale.counted and c.score not in gone for c in self.criteria):
            expected = Text(
                f"{self.id}의 기준이나 점수, 모두는 아님: {', '.join(self.score_names)}",
                f"criteria or scores of {self.id}, but not all: {', '.join(self.score_names)}",
            )
            todo = Text("뺄 이름을 고치세요", "correct the names to leave out")
            raise HaechiError.of(self.id, ", ".join(unknown or names), expected, todo)
        criteria = tuple(c for c in self.criteria if c.score not in gone)
        scores: list[Derived] = []
        for derived in self.scores:
            kept = tuple(part for part in derived.parts if part not in gone)
            if derived.key in names or not kept:
                gone.add(derived.key)
            elif derived.weights is not None:
                total = sum(derived.weights[part] for part in kept)
                weights = {part: derived.weights[part] / total for part in kept}
                scores.append(derived.but(weights=weights))
            else:
                scores.append(derived.but(of=kept))
        floors = tuple(
            floor.but(unmet=kept)
            for floor in self.floors
            if (kept := tuple(name for name in floor.unmet if name not in gone))
        )
        rest = self.but(criteria=criteria, scores=tuple(scores), floors=floors)
        rest.check()
        return rest

    def check(self) -> None:
        check_rubric(self)


def _points_of_parts(derived: Derived, parts: list[tuple[float, ...] | None]) -> tuple[float, ...] | None:
    """Of sums and plain means: all sums of the parts' points."""
    if derived.by not in ("sum", "mean"):
        return None
    sums = {0.0}
    for points in parts:
        if points is None:
            return None
        sums = {total + point for total in sums for point in points}
        if len(sums) > _MOST_POINTS:
            return None
    count = len(parts) if derived.by == "mean" else 1
    return tuple(sorted(total / count for total in sums))
