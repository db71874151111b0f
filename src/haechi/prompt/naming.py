"""Which part of the rubric a key in a reply means, and which parts were asked for."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from haechi.data.criterion_names import CriterionNames
from haechi.errors import HaechiError
from haechi.prompt.cache import once_per_rubric
from haechi.rubrics import Criterion, Rateable, Rubric
from haechi.text import Text

VALUE_KEYS = ("value", "score", "rating", "verdict", "label", "점수", "값", "판정")
EVIDENCE_KEYS = ("evidence", "reason", "reasoning", "explanation", "rationale", "근거", "이유")

_GAPS = re.compile(r"[\s\-]+")
_NUMBER = re.compile(r"^\(?\d{1,2}[.)]\s*")


def asked(rubric: Rubric, only: Collection[str] | None = None) -> dict[str, Rateable]:
    """What a judge is asked for: everything that is not rated by code, or only the named part of it.

    `only` takes names of ratings and keys or short names of criteria.

    >>> import haechi
    >>> rubric = haechi.rubrics.find_rubric("maice-qac")
    >>> len(asked(rubric)), list(asked(rubric, ("A1",)))[-1]
    (32, 'A1_math_expertise.problem_direction_specificity')
    """
    return _asked(rubric, None if only is None else tuple(only))


@once_per_rubric
def _asked(rubric: Rubric, only: tuple[str, ...] | None) -> dict[str, Rateable]:
    everything = rubric.rateables
    names = everything if only is None else (name for one in only for name in _names_of(rubric, one))
    wanted = set(names)
    if not wanted:
        raise HaechiError.of(
            rubric.id,
            Text("물을 기준이 없음", "nothing to ask"),
            Text("코드가 매기지 않는 기준", "a criterion that is not rated by code"),
            Text("다른 기준을 고르세요", "choose another criterion"),
        )
    return {name: rateable for name, rateable in everything.items() if name in wanted}


def _names_of(rubric: Rubric, name: str) -> list[str]:
    exact = rubric.known_names.get(name)
    if exact is not None and exact.name in rubric.rateables:
        return [exact.name]
    criterion = rubric.criterion(name)
    names = [key for key, r in rubric.rateables.items() if criterion is not None and r.criterion is criterion]
    if not names:
        known = ", ".join(rubric.rateables)
        raise HaechiError.of(
            rubric.id,
            name,
            Text(f"평가자가 매기는 기준: {known}", f"what a rater rates: {known}"),
            Text("이름을 고쳐 다시 실행하세요", "correct the name and run again"),
        )
    return names


def fold_key(key: str) -> str:
    """A key without what models vary: case, spaces and hyphens.

    >>> fold_key(" A1-Math Expertise")
    'a1_math_expertise'
    """
    return _GAPS.sub("_", key.strip()).casefold()


@dataclass(frozen=True)
class Names:
    """The keys of a rubric as a reply may spell them; a spelling that could mean two things means nothing."""

    criteria: dict[str, Criterion | None] = field(default_factory=dict)
    elements: dict[tuple[str, str], str | None] = field(default_factory=dict)
    alone: dict[str, str | None] = field(default_factory=dict)
    rubric: Rubric | None = None

    @staticmethod
    @once_per_rubric
    def of(rubric: Rubric) -> Names:
        """The names of a rubric."""
        names = Names(rubric=rubric)
        for criterion in rubric.criteria:
            if criterion.rated_by == "code":
                continue
            for key in {fold_key(criterion.key), fold_key(criterion.score)}:
                names.criteria[key] = None if key in names.criteria else criterion
            for element in criterion.scale.parts:
                key, name = fold_key(element.key), f"{criterion.key}.{element.key}"
                place = (criterion.key, key)
                names.elements[place] = None if place in names.elements else name
                names.alone[key] = None if key in names.alone else name
                names.alone[fold_key(name)] = name
        return names

    def criterion(self, key: str) -> Criterion | None:
        """The criterion that a key means."""
        return self.criteria.get(fold_key(key))

    def rating(self, key: str, within: Criterion | None) -> str | None:
        """The rating that an element's key means inside a criterion, or outside of any."""
        folded = fold_key(key)
        if within is not None and "." not in folded:
            return self.elements.get((within.key, folded))
        return self.alone.get(folded)

    def spoken(self, key: str) -> str | None:
        """What a key means that is written as a person would: with its number, its label, or both.

        The name of a rating or the key of a criterion; None where it means nothing, two things, or contradicts itself.

        >>> import haechi
        >>> names = Names.of(haechi.rubric("maice-qac"))
        >>> names.spoken("B2-3. key_emphasis"), names.spoken("B2-1. key_emphasis")
        ('B2_explanation_systematicity.key_emphasis', None)
        """
        if self.rubric is None:
            return None
        meant = _words(self.rubric).sure(key) or _words(self.rubric).sure(_NUMBER.sub("", key))
        known = meant in self.rubric.rateables or any(meant == c.key for c in self.criteria.values() if c)
        return meant if known else None

    def is_element(self, key: str) -> bool:
        """Whether a key is an element's, of whatever criterion."""
        return fold_key(key) in self.alone


@once_per_rubric
def _words(rubric: Rubric) -> CriterionNames:
    return CriterionNames(rubric)
