"""Examples for judges, drawn from what people rated: spread over their range, kept with the study, never asked about."""

from __future__ import annotations

import hashlib
import random
from itertools import pairwise
from typing import Any

import orjson

from haechi.errors import HaechiError
from haechi.judge.asks import Examples
from haechi.judge.human_answers import SettledItem, settled_items
from haechi.judge.judged_study import JudgedStudy
from haechi.prompt.example_items import ExampleAnswer, ExampleItem
from haechi.prompt.material import material
from haechi.store.item_sets import ItemSet, Member, find_set, keep_set
from haechi.store.items import read_items
from haechi.text import Lang, Text

SEED = 2026
MOST = 20


def examples_for(study: JudgedStudy, count: int, lang: Lang = "ko", draw: bool = True) -> Examples:
    """So many examples of a study: those that were drawn before, else drawn now and kept.

    draw: whether they are kept; an estimate only looks.
    """
    name = f"examples-{count}"
    with study.database.read() as connection:
        known = find_set(connection, name)
        eligible = settled_items(connection, study.rubric) if known is None else []
    if known is None:
        known = _drawn(study, name, count, eligible)
        if draw:
            with study.database.write_alone() as connection:
                known = keep_set(connection, known)
    return _shown(study, known, lang)


def _drawn(study: JudgedStudy, name: str, count: int, eligible: list[SettledItem]) -> ItemSet:
    with study.database.read() as connection:
        ids = {one.item for one in eligible}
        judged = {item.id for item in read_items(connection, ids) if item.kind == study.rubric.item}
    eligible = [one for one in eligible if one.item in judged]
    if len(eligible) < count or count > MOST:
        raise _too_few(len(eligible), count)
    chosen = spread(eligible, count)
    told = [{"item": one.item, "answers": [answer._asdict() for answer in one.answers]} for one in chosen]
    how = {"seed": SEED, "eligible": len(eligible), "examples": told}
    return ItemSet(name, "examples", how, tuple(Member(one.item, "example") for one in chosen))


def spread(eligible: list[SettledItem], count: int) -> list[SettledItem]:
    """One at random of each of so many equal parts of the items in the order of their level.

    >>> items = [SettledItem(f"i{n}", (), n / 10) for n in range(10)]
    >>> [one.item for one in spread(items, 2)][0] < "i5" <= [one.item for one in spread(items, 2)][1]
    True
    """
    chance = random.Random(SEED)  # noqa: S311 - the same for everybody, not a secret
    ordered = sorted(eligible, key=lambda one: (one.level, one.item))
    ends = [round(place * len(ordered) / count) for place in range(count + 1)]
    return [chance.choice(ordered[begin:end]) for begin, end in pairwise(ends)]


def _shown(study: JudgedStudy, known: ItemSet, lang: Lang) -> Examples:
    told: list[dict[str, Any]] = known.how["examples"]
    with study.database.read() as connection:
        items = {item.id: item for item in read_items(connection, {one["item"] for one in told})}
    names = {"assistant": study.settings.assistant_name, "user": study.settings.user_name}
    called = {role: name for role, name in names.items() if name} or None
    shown = tuple(
        ExampleItem(
            material(study.rubric, items[one["item"]].content, lang, called),
            tuple(ExampleAnswer(**answer) for answer in one["answers"]),
        )
        for one in told
    )
    digest = hashlib.sha256(orjson.dumps(known.how, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
    return Examples(known.name, digest, shown)


def _too_few(found: int, wanted: int) -> HaechiError:
    if wanted > MOST:
        expected = Text(f"{MOST}개 이하", f"at most {MOST}")
        return HaechiError.of("--examples", str(wanted), expected, Text("수를 줄이세요", "give fewer"))
    words = Text(
        f"사람이 모든 기준을 평가하고 의견이 모인 항목 {found:,}개",
        f"{found:,} items that people rated whole and mostly alike",
    )
    expected = Text(f"{wanted:,}개 이상", f"at least {wanted:,}")
    todo = Text(
        "사람의 평가를 더 모으거나 --examples를 줄이세요",
        "collect more ratings of people, or give fewer --examples",
    )
    return HaechiError.of("--examples", words, expected, todo)
