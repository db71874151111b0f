"""Which part of the rubric a key in a reply means, and which parts were asked for."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import field

from haechi.data.criterion_names import CriterionNames
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.prompt.cache import once_per_rubric
from haechi.regex import regex
from haechi.rubrics import Criterion, Rateable, Rubric
from haechi.text import Text, is_one_slip

VALUE_KEYS = (
    "value", "score", "rating", "verdict", "label", "points", "result", "answer",
    "met", "is_met", "satisfied", "점수", "평점", "값", "판정", "결과", "충족", "충족여부", "충족 여부",
)  # fmt: skip
EVIDENCE_KEYS = (
    "evidence", "reason", "reasoning", "explanation", "rationale", "justification", "comment",
    "근거", "이유", "설명",
)  # fmt: skip

_LONG_ENOUGH = 6  # a shorter key can be another word by one letter
_PIECES = regex(r"\s*[:：]\s*|\s+[-–—>·|]\s+")
_GAPS = regex(r"[\s\-]+")
_NUMBER = regex(r"^\(?\d{1,2}[.)]\s*|[_\s-](?:verdict|score|rating|value)$", re.IGNORECASE)


def asked_parts(rubric: Rubric, only: Collection[str] | None = None) -> dict[str, Rateable]:
    """What a judge is asked for: everything that is not rated by code, or only the named part of it.

    `only` takes names of ratings and keys or short names of criteria.

    >>> import haechi
    >>> rubric = haechi.rubrics.find_rubric("maice-qac")
    >>> len(asked_parts(rubric)), list(asked_parts(rubric, ("A1",)))[-1]
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


@frozen
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
        pieces = [piece for piece in _PIECES.split(key) if piece]
        if len(pieces) > 1 or (pieces and pieces[0] != key):
            return self._one_of(pieces)
        meant = _words(self.rubric).sure(key) or _words(self.rubric).sure(_NUMBER.sub("", key))
        known = meant in self.rubric.rateables or any(meant == c.key for c in self.criteria.values() if c)
        return meant if known else None

    def _one_of(self, pieces: list[str]) -> str | None:
        """What all pieces of a key mean together: the same, or a criterion and then its element."""
        meant: list[str] = []
        for piece in pieces:
            criterion = self.criterion(piece)
            name = criterion.key if criterion else self.rating(piece, None) or self.spoken(piece)
            if name is None:
                return None
            meant.append(name)
        most = max(meant, key=len, default="")
        fits = all(most == name or most.startswith(f"{name}.") for name in meant)
        return most if fits and most else None

    def mistyped(self, key: str, within: Criterion | None) -> str | None:
        """What a key means that is one slip of a letter away from exactly one key.

        >>> import haechi
        >>> names = Names.of(haechi.rubric("diary-comment"))
        >>> names.mistyped("sensiblness", None), names.mistyped("sympathy2", None)
        ('sensibleness', None)
        """
        folded = fold_key(key)
        if len(folded) < _LONG_ENOUGH:
            return None
        if within is not None:
            known = {place[1]: name for place, name in self.elements.items() if place[0] == within.key}
        else:
            known = self.alone | {key: c.key if c else None for key, c in self.criteria.items()}
        near = {name for known_key, name in known.items() if is_one_slip(folded, known_key)}
        return near.pop() if len(near) == 1 else None

    def numbered(self, keys: list[str], within: Criterion | None) -> dict[str, str]:
        """What keys mean that are nothing but numbers, when they are the numbers of all that can be meant.

        >>> import haechi
        >>> names = Names.of(haechi.rubric("diary-comment"))
        >>> names.numbered(["1", "2", "3"], None), names.numbered(["1", "3"], None)
        ({'1': 'sensibleness', '2': 'specificity', '3': 'sympathy'}, {})
        """
        if self.rubric is None or not any(key[-1:].isdigit() for key in keys):
            return {}
        if within is not None:
            order = [element.key for element in within.scale.parts]
            return dict(zip(keys, order, strict=True)) if keys == _count_to(len(order)) else {}
        found = _words(self.rubric).numbered(keys)
        counted = [name for name, rateable in self.rubric.rateables.items() if rateable.scale.counted]
        return found if set(found.values()) >= set(counted) else {}

    def is_element(self, key: str) -> bool:
        """Whether a key is an element's, of whatever criterion."""
        return fold_key(key) in self.alone


def _count_to(last: int) -> list[str]:
    return [str(number) for number in range(1, last + 1)]


@once_per_rubric
def _words(rubric: Rubric) -> CriterionNames:
    return CriterionNames(rubric)
