"""What a rubric's criteria and elements are called: by key, in both languages, by code, by number, by their whole question.

A name is compared without case, spaces and signs. A question may stand there with its number, with the real name of the
AI in place of [인공지능] and any particle behind it. What is only similar is a guess, and is told as one.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from haechi.data.line_names import LABEL
from haechi.data.names import JOINED, RUN_FIELDS, fold_name
from haechi.rubrics import Rubric

_NUMBERING = re.compile(
    r"^[\s(\[*]*(?:문항|질문|항목|번호|q|no\.?|item)?\s*\d{1,3}(?:\s*[-.]\s*\d{1,2})?\s*(?:번\b)?[\s)\].:,_*-]*",
    re.I,
)
_NUMBER = re.compile(
    r"^(?:문항|질문|항목|번호|question|item|no|q|v)?\.?0?(\d{1,3})번?(?:문항|질문)?\.?$", re.I
)
_PLACE = re.compile(r"\[[^\]]+\](?:이/가|은/는|을/를|과/와|으로/로)?")
_CODE = re.compile(
    r"^\s*([A-Za-z]{1,3}\d{1,2}(?:\s*[-._]\s*\d{1,2})?)(?=[\s.):_·-]|[가-힣])[\s.):_·-]*(.+)$", re.S
)
_BRACKETED = re.compile(r"\s*[(\[（［][^()\[\]（）［］]*[)\]）］]\s*\*?\s*$")
_SUFFIX = re.compile(
    r"(?:\s|_|^)*(?:점수|평점|평가|채점|척도|score|rating|value|response|open-?ended response)\s*$", re.I
)
_ANY_NAME = r".{0,24}?"
_UNSEEN = 0.4
_SPEED = ("속도", "응답속도", "latency")
"""What exports call the time of a tool class, before the class in brackets."""


class Similar(NamedTuple):
    """A criterion or element that a text may mean, and how like its words are (0–1)."""

    name: str
    likeness: float


@lru_cache(maxsize=10_000)
def letters(text: str) -> str:
    """Only the letters and digits of a text, without case.

    >>> letters("[인공지능]의  특성이, Real?")
    '인공지능의특성이real'
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(sign for sign in folded if sign.isalnum())


def without_number(text: str) -> str:
    """A question without the number before it.

    >>> without_number("3. 루나와 시청자 사이의"), without_number("Q12) 어땠나요?"), without_number("7")
    ('루나와 시청자 사이의', '어땠나요?', '7')
    """
    rest = _NUMBERING.sub("", unicodedata.normalize("NFKC", text), count=1)
    return rest if letters(rest) else text


class CriterionNames:
    """The names of a rubric's criteria, elements and scores.

    >>> import haechi
    >>> names = CriterionNames(haechi.rubric("maice-qac"))
    >>> names.sure("A1-1"), names.sure("concept_accuracy"), names.sure("수학적 전문성 (1-5점)")
    ('A1_math_expertise.concept_accuracy', 'A1_math_expertise.concept_accuracy', 'A1_math_expertise')
    >>> CriterionNames(haechi.rubric("ubica")).sure("5. 루나의 특성이  현실적이거나 자연스러웠다고\\n생각하십니까?")
    'realism'
    """

    def __init__(self, rubric: Rubric) -> None:
        self._rubric = rubric
        exact = {fold_name(name): name for name in (*rubric.known_names, *(d.key for d in rubric.scores))}
        self._names = _only(self._spoken()) | exact
        self._plain = _only((letters(said), name) for said, name in self._names.items())

    def _spoken(self) -> Iterator[tuple[str, str]]:
        """What each is called beside its key; what two are called means neither."""
        rubric = self._rubric
        for derived in rubric.scores:
            yield from ((fold_name(name), derived.key) for name in derived.name)
        if rubric.item == "run" and rubric.scores:  # the one number of a back office that asks for no metrics
            yield from ((fold_name(name), rubric.main_score()) for name in ("LLM 점수", "LLM score"))
        if rubric.run is not None:
            yield from ((said, LABEL) for said in RUN_FIELDS[LABEL])
        for criterion in rubric.criteria:
            if criterion.only is not None:
                yield from ((fold_name(f"{speed}({criterion.only})"), criterion.key) for speed in _SPEED)
            for name in criterion.name:
                yield fold_name(name), criterion.key
                yield fold_name(f"{criterion.score}{name}"), criterion.key
            for place, element in enumerate(criterion.scale.parts, 1):
                full = f"{criterion.key}.{element.key}"
                for code in (f"{criterion.score}{place}", f"{criterion.score}.{place}"):
                    yield fold_name(code), full
                yield fold_name(element.key), full
                for name in (element.key, *element.name):
                    yield fold_name(name), full
                    yield fold_name(f"{criterion.score}{name}"), full

    @property
    def counted(self) -> list[str]:
        """What raters give points for, in order."""
        return [name for name, rateable in self._rubric.rateables.items() if rateable.scale.counted]

    def parts_of(self, name: str | None) -> tuple[str, ...]:
        """The elements of a criterion, by their full names; none of anything else."""
        found = next((one for one in self._rubric.criteria if one.key == name), None)
        return tuple(f"{found.key}.{part.key}" for part in found.scale.parts) if found is not None else ()

    def siblings(self, names: Collection[str]) -> tuple[str, ...]:
        """All elements of the one criterion whose elements these are, or all criteria where these are criteria."""
        families = [self.parts_of(one.key) for one in self._rubric.criteria if one.scale.parts]
        families.append(tuple(name for name in self.counted if "." not in name))
        return next((family for family in families if names and set(names) <= set(family)), ())

    @cached_property
    def _questions(self) -> list[tuple[re.Pattern[str], str]]:
        return [(_pattern(question), name) for name, question in self._asked()]

    def _asked(self) -> Iterator[tuple[str, str]]:
        for name, rateable in self._rubric.rateables.items():
            asked = rateable.element or rateable.criterion
            question = asked.question if asked is not None else None
            yield from ((name, words) for words in question or () if letters(words))

    def is_name(self, said: str) -> bool:
        """Whether something is called exactly so, perhaps with its code before it."""
        coded = _CODE.match(said)
        return fold_name(said) in self._names or (coded is not None and fold_name(coded[2]) in self._names)

    def sure(self, text: str) -> str | None:
        """What a text means beyond doubt; None where it means nothing or two things."""
        meant = {name for said in _variants(text) if (name := self.exact(said))}
        return next(iter(meant)) if len(meant) == 1 else None

    def exact(self, said: str) -> str | None:
        """What a text means as it stands, with nothing left out but a number before a question."""
        name = self._names.get(fold_name(said)) or self._plain.get(letters(said))
        if name is not None:
            return self._kept(name)
        coded = _CODE.match(said)
        if coded:
            code, rest = self._names.get(fold_name(coded[1])), self._names.get(fold_name(coded[2]))
            whole = self._kept(code) if code is not None else ""
            if code is not None and (rest in (code, whole) or str(rest).startswith(f"{whole}.")):
                return self._kept(rest or code)
            if code is not None and rest is None and self._is_like(coded[2], whole):
                return whole
        plain = letters(without_number(said))
        asked = {name for pattern, name in self._questions if len(plain) > 5 and pattern.fullmatch(plain)}
        return next(iter(asked)) if len(asked) == 1 else None

    def _is_like(self, said: str, name: str) -> bool:
        """Whether the words behind a code are some of those of what the code means."""
        best = next(iter(self.similar(said)), None)
        return (
            best is not None
            and best.likeness > 0.3
            and (best.name == name or best.name.startswith(f"{name}."))
        )

    def _kept(self, name: str) -> str:
        rateable = self._rubric.known_names.get(name)
        return name if rateable is None else rateable.name

    def numbered(self, texts: Collection[str]) -> dict[str, str]:
        """What names mean that are nothing but numbers (`1`, `Q1`, `문항 1`), by all such names of a table.

        Where criteria have elements, the numbers must be those of all elements or of all criteria.

        >>> import haechi
        >>> CriterionNames(haechi.rubric("ubica")).numbered(["Q1", "이름", "Q2"])
        {'Q1': 'situational_consistency', 'Q2': 'persona_consistency'}
        >>> CriterionNames(haechi.rubric("maice-qac")).numbered(["Q1", "Q2"])
        {}
        """
        numbers = {text: int(found[1]) for text in texts if (found := _NUMBER.match(_tight(text)))}
        asked = list(self._rubric.rateables)
        criteria = [c.key for c in self._rubric.criteria if c.rated_by != "code"]
        orders = (
            [asked]
            if asked == criteria
            else [
                order
                for order in (asked, criteria)
                if sorted(numbers.values()) == list(range(1, len(order) + 1))
            ]
        )
        if len(orders) != 1 or len(set(numbers.values())) < len(numbers):
            return {}
        order = orders[0]
        return {text: order[number - 1] for text, number in numbers.items() if 1 <= number <= len(order)}

    def similar(self, text: str) -> list[Similar]:
        """What a text may mean, most alike first: the pairs of letters that they share, rare ones counting more.

        >>> import haechi
        >>> CriterionNames(haechi.rubric("ubica")).similar("루나 반응이 독특하고 창의적이었나요?")[0].name
        'creativity'
        """
        best: dict[str, float] = {}
        for said in _variants(text):
            pairs = _pairs(letters(without_number(said)))
            for name, known in self._known_pairs:
                best[name] = max(best.get(name, 0.0), self._likeness(pairs, known))
        found = sorted(best.items(), key=lambda pair: -pair[1])
        return [Similar(name, likeness) for name, likeness in found if likeness > 0]

    @cached_property
    def _known_pairs(self) -> list[tuple[str, Counter[str]]]:
        words = [*self._asked()]
        for name, rateable in self._rubric.rateables.items():
            called = rateable.element or rateable.criterion
            words += [(name, said) for said in (called.name if called is not None else ()) if said]
        return [(name, _pairs(letters(_PLACE.sub(" ", said)))) for name, said in words]

    @cached_property
    def _weights(self) -> dict[str, float]:
        holders: dict[str, set[str]] = {}
        for name, pairs in self._known_pairs:
            for pair in pairs:
                holders.setdefault(pair, set()).add(name)
        count = len(self._rubric.rateables)
        return {
            pair: math.log(1 + count / len(names)) / math.log(1 + count) for pair, names in holders.items()
        }

    def _likeness(self, one: Counter[str], other: Counter[str]) -> float:
        def weight(pairs: Counter[str]) -> float:
            return sum(self._weights.get(pair, _UNSEEN) * times for pair, times in pairs.items())

        whole = weight(one) + weight(other)
        return 2 * weight(one & other) / whole if whole else 0.0

    def nearest(self, text: str, count: int = 3) -> list[str]:
        """The names most like a misspelt one, for "did you mean".

        >>> import haechi
        >>> CriterionNames(haechi.rubric("diary-comment")).nearest("sensiblenes")
        ['sensibleness']
        """
        from difflib import get_close_matches

        close = get_close_matches(fold_name(text), self._names, count, 0.72)
        return list(dict.fromkeys(self._names[name] for name in close))


def _only(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for said, name in pairs:
        if said:
            found.setdefault(said, set()).add(name)
    return {said: next(iter(names)) for said, names in found.items() if len(names) == 1}


def _tight(text: str) -> str:
    return re.sub(r"[\s_-]", "", unicodedata.normalize("NFKC", text))


@lru_cache(maxsize=10_000)
def _variants(text: str) -> tuple[str, ...]:
    """A header and what it says without brackets at its end, words such as 점수, and the other header row."""
    found: dict[str, None] = {}
    for part in dict.fromkeys([text, *text.split(JOINED), *re.split(r"\s*\n+\s*|\s*:\s+", text)]):
        said = part.strip()
        while said and said not in found:
            found[said] = None
            bare = _BRACKETED.sub("", said)
            said = (bare if bare != said else _SUFFIX.sub("", said)).strip(" *\t\n")
    return tuple(found)


def _pattern(question: str) -> re.Pattern[str]:
    """A question with any name in its places, as letters."""
    parts = [re.escape(letters(part)) for part in _PLACE.split(question)]
    return re.compile(_ANY_NAME.join(parts))


def _pairs(plain: str) -> Counter[str]:
    return Counter(first + second for first, second in pairwise(plain))
