"""Groups that have an order: numbers, numbered names such as Q1 or 3회차, and words such as 하, 중, 상."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from typing import Any

from haechi.data.fields import field_name
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.regex import regex
from haechi.text import Text

_NUMBERED = regex(r"(?P<before>\D*?)\s*(?P<number>[-+]?\d+(?:\.\d+)?)\s*(?P<after>\D*)")
_DATE = regex(r"\d{4}-\d{1,2}(-\d{1,2})?([T ].*)?")
_DOTTED = regex(r"[vV]?\.?(\d+(?:\.\d+)+)")
_OF_VERSIONS = frozenset(["version", "버전"])
_STEPS = frozenset(
    [
        "q",
        "quartile",
        "quantile",
        "level",
        "lv",
        "lvl",
        "round",
        "week",
        "wk",
        "grade",
        "session",
        "step",
        "stage",
        "phase",
        "day",
        "time",
        "t",
        "turn",
        "year",
        "trial",
        "month",
        "semester",
        "wave",
        "visit",
        "attempt",
        "iteration",
        "epoch",
        "order",
        "dose",
        "difficulty",
        "age",
        "score",
        "version",
        "v",
        "회",
        "회차",
        "차",
        "차시",
        "학년",
        "단계",
        "수준",
        "주",
        "주차",
        "일",
        "일차",
        "분위",
        "급",
        "학기",
        "년",
        "년차",
        "월",
        "번째",
        "라운드",
        "세션",
        "차수",
        "레벨",
        "난이도",
        "등급",
        "점",
        "세",
        "시점",
        "시기",
    ]
)
"""Words that count: as the name of the field, or before or after the number."""
_NAMES = frozenset(
    [
        "id",
        "item",
        "query",
        "seed",
        "group",
        "class",
        "cluster",
        "model",
        "system",
        "rater",
        "judge",
        "prompt",
        "variant",
        "condition",
        "arm",
        "team",
        "번호",
        "집단",
        "반",
        "조",
        "모델",
        "시스템",
        "평가자",
        "조건",
        "프롬프트",
        "항목",
        "질의",
        "문항",
    ]
)
"""Fields whose numbers are names."""
_LADDERS: tuple[tuple[frozenset[str], ...], ...] = tuple(
    tuple(frozenset(step.split("|")) for step in ladder.split())
    for ladder in (
        "하|낮음|저 중|보통|중간 상|높음|고",
        "초|초등|초등학교|초등학생 중|중등|중학교|중학생 고|고등|고등학교|고등학생 대|대학|대학교|대학생 대학원|대학원생",
        "입문 초급|기초 중급|기본 고급|심화 전문가",
        "쉬움|쉬운 보통|중간 어려움|어려운",
        "없음 약함|약 보통|중간 강함|강",
        "사전|전|이전 중간|중 사후|후|이후 추후|추적",
        "처음|첫|초반|전반 중반|중간 끝|마지막|후반",
        "none|no verylow|very_low|lowest low|lower medium|mid|middle|moderate|average high|higher veryhigh|very_high|highest",
        "novice beginner|basic|elementary intermediate advanced|proficient expert",
        "easy medium|moderate|normal hard|difficult",
        "elementary|primary middle|junior high|secondary|senior university|college|undergraduate graduate",
        "freshman sophomore junior senior",
        "pre|before|baseline mid|middle|during post|after followup|follow-up",
        "first|1st second|2nd third|3rd fourth|4th fifth|5th",
        "early|start mid|middle late|end",
        "xs s|small m|medium l|large xl",
        "weak moderate|medium strong",
    )
)


_MOST_STEPS = max(map(len, _LADDERS))

GroupKey = tuple[Any, ...]
"""The values of the fields that make a group; None where its items have none."""


@frozen
class GroupOrder:
    """Values in order, how far apart they are, and how that was known."""

    values: tuple[str, ...]
    steps: tuple[float, ...]
    why: Text


def find_order(field: str, values: Sequence[Any]) -> GroupOrder | None:
    """The order of a field's values, where names or numbers say one.

    >>> find_order("level", ["Q2", "Q10", "Q1"]).values, find_order("수준", ["상", "중", "하"]).values
    (('Q1', 'Q2', 'Q10'), ('하', '중', '상'))
    >>> find_order("version", ["v1.10", "v1.9.2"]).values
    ('v1.9.2', 'v1.10')
    >>> find_order("system", ["모델 1", "모델 2", "모델 3"]), find_order("mode", ["agent", "freepass"])
    (None, None)
    """
    texts = [str(value) for value in values]
    if len(set(texts)) < 2:
        return None
    return _versions(field, texts) or _numbers(field, texts) or _dates(texts) or _ladder(texts)


def group_orders(by: Sequence[str], keys: Collection[GroupKey]) -> list[GroupOrder | None]:
    """The order of the values of every field that makes the groups, where names or numbers say one."""
    values = [dict.fromkeys(str(key[at]) for key in keys if key[at] is not None) for at in range(len(by))]
    return [find_order(name, list(own)) for name, own in zip(by, values, strict=True)]


def in_order(keys: Collection[GroupKey], orders: Sequence[GroupOrder | None]) -> list[GroupKey]:
    """Groups as every surface lists them: by the order of a field; without one numbers by size, then words by alphabet.

    Those without a value come last.

    >>> keys = [("b", "Q10"), ("b", "Q9"), (None, "Q9"), ("a", "Q10")]
    >>> in_order(keys, group_orders(["mode", "level"], keys))
    [('a', 'Q10'), ('b', 'Q9'), ('b', 'Q10'), (None, 'Q9')]
    """
    places = [{value: at for at, value in enumerate(order.values)} if order else {} for order in orders]

    def place(key: GroupKey) -> list[tuple[int, float, str]]:
        return [_place(value, own) for value, own in zip(key, places, strict=True)]

    return sorted(keys, key=place)


def _place(value: Any, places: dict[str, int]) -> tuple[int, float, str]:
    if value is None:
        return (3, 0.0, "")
    text = str(value)
    if text in places:
        return (0, places[text], "")
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    return (1, number, text) if math.isfinite(number) else (2, 0.0, text)


def _versions(field: str, texts: Sequence[str]) -> GroupOrder | None:
    """Versions by their parts: 1.10 comes after 1.9."""
    if not {*re.split(r"[\s_\-.]+", field.casefold())} & _OF_VERSIONS:
        return None
    parts = [_DOTTED.fullmatch(text.strip()) for text in texts]
    if not all(parts):
        return None
    size = {t: tuple(map(int, p[1].split("."))) for t, p in zip(texts, parts, strict=True) if p}
    if len(set(size.values())) < len(size):
        return None
    ordered = tuple(sorted(size, key=lambda text: size[text]))
    return GroupOrder(
        ordered, tuple(map(float, range(1, len(ordered) + 1))), Text("버전 순서", "the versions")
    )


def _numbers(field: str, texts: Sequence[str]) -> GroupOrder | None:
    parts = [_NUMBERED.fullmatch(text.strip()) for text in texts]
    if not all(parts):
        return None
    around = {
        (part["before"].casefold().strip(" -_.:#"), part["after"].casefold().strip())
        for part in parts
        if part
    }
    if len(around) > 1:
        return None
    words = {word for word in next(iter(around)) if word}
    about = set(re.split(r"[\s_\-.]+", field.casefold())) | {field.casefold()}
    if words - _STEPS and not (about & _STEPS and not words & _NAMES):
        return None
    if not words and about & _NAMES:
        return None
    size = {text: float(part["number"]) for text, part in zip(texts, parts, strict=True) if part}
    if len(set(size.values())) < len(size):
        return None
    ordered = tuple(sorted(size, key=lambda text: size[text]))
    why = Text(f"{field_name(field).ko}의 번호 순서", f"the numbers of {field}")
    return GroupOrder(ordered, tuple(size[text] for text in ordered), why)


def _dates(texts: Sequence[str]) -> GroupOrder | None:
    if not all(_DATE.fullmatch(text) for text in texts):
        return None
    ordered = tuple(sorted(texts))
    return GroupOrder(ordered, tuple(map(float, range(1, len(texts) + 1))), Text("날짜 순서", "the dates"))


def _ladder(texts: Sequence[str]) -> GroupOrder | None:
    if len(set(texts)) > _MOST_STEPS:
        return None
    for ladder in _LADDERS:
        places = {}
        for text in texts:
            word = text.strip().casefold().replace(" ", "")
            places[text] = next((place for place, step in enumerate(ladder) if word in step), None)
        known = [place for place in places.values() if place is not None]
        if len(set(known)) == len(set(texts)):
            ordered = tuple(sorted(places, key=lambda text: places[text] or 0))
            steps = tuple(map(float, range(1, len(ordered) + 1)))
            listed = " < ".join(ordered)
            return GroupOrder(
                ordered, steps, Text(f"낱말의 순서({listed})", f"the order of the words ({listed})")
            )
    return None


def given_order(wished: Sequence[str], values: Sequence[str]) -> GroupOrder:
    """The order that was asked for; every group must be named once.

    >>> given_order(["weak", "fair"], ["fair", "weak"]).values
    ('weak', 'fair')
    """
    if sorted(wished) != sorted(values):
        expected = Text(f"모든 집단을 한 번씩: {', '.join(values)}", f"every group once: {', '.join(values)}")
        raise HaechiError.of(
            "--order", ", ".join(wished), expected, Text("--order를 고치세요", "correct --order")
        )
    why = Text("--order로 준 순서", "the order given by --order")
    return GroupOrder(tuple(wished), tuple(map(float, range(1, len(wished) + 1))), why)
