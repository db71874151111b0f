"""Two stages: cheap judges see everything, a strong one only where they are apart, and a random part of the rest.

The random part is what makes the mean of the strong judge's scores estimable: where the first judges agree they may be wrong
together, and only somebody who looks there by chance can tell.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.store.item_sets import ItemSet, Member
from haechi.text import Text

APART, CHECK = "apart", "check"
"""Why an item is asked about again: the first judges are apart on it, or it was drawn from those on which they are not."""
LEAST = 20
"""Items that are drawn at least from those on which the first judges agree; all of them if there are fewer."""
SEED = 2026


@frozen
class SecondStageRule:
    """When the second judge is asked: first judges apart by more than this share of the scale, and of the rest this share."""

    margin: float = 0.1
    share: float = 0.1


def check_then(models: Sequence[str], batch: bool) -> None:
    """Refuse what cannot be: a batch, which may take a day, has no second stage, and one judge is not apart from itself."""
    if len(models) > 1 and not batch:
        return
    found = "--batch" if batch else Text("--model 하나", "one --model")
    expected = Text("실시간으로 묻는 둘 이상의 --model", "two or more --model, asked live")
    todo = Text("--model을 더하고 --batch 없이 실행하세요", "give more --model, without --batch")
    raise HaechiError.of("--then", found, expected, todo)


def second_items(
    scores: Mapping[str, Sequence[float | None]],
    ends: tuple[float, float],
    first: Sequence[str],
    then: str,
    score: str,
    plan: SecondStageRule,
) -> ItemSet:
    """The items that the second judge is asked about; the same for the same scores.

    scores: of every item those of the first judges, None where one is missing. Where one is missing they count as apart; an
    item that none of them has seen is not there yet.

    >>> scores = {"a": [1, 1], "b": [1, 5], "c": [2, None]}
    >>> [member.role for member in second_items(scores, (1, 5), ["x", "y"], "z", "overall", SecondStageRule()).members]
    ['check', 'apart', 'apart']
    """
    scores = {item: given for item, given in scores.items() if any(value is not None for value in given)}
    allowed = plan.margin * (ends[1] - ends[0]) + 1e-9
    apart = {item for item, given in scores.items() if _spread(given) > allowed}
    alike = [item for item in scores if item not in apart]
    drawn = min(len(alike), max(LEAST, round(plan.share * len(alike))))
    chance = random.Random(SEED)  # noqa: S311 - the same for everybody, not a secret
    chosen = set(chance.sample(sorted(alike), drawn))
    members = [
        Member(item, APART) if item in apart else Member(item, CHECK, drawn / len(alike))
        for item in scores
        if item in apart or item in chosen
    ]
    how: dict[str, Any] = {
        "first": sorted(first),
        "then": then,
        "score": score,
        "margin": plan.margin,
        "share": plan.share,
        "seed": SEED,
        "items": len(scores),
        "alike": len(alike),
        "of": hashlib.sha256("\n".join(sorted(scores)).encode()).hexdigest()[:16],
    }
    name = hashlib.sha256(orjson.dumps(how, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
    return ItemSet(f"second-{name}", "second", how, tuple(members))


def _spread(given: Sequence[float | None]) -> float:
    known = [value for value in given if value is not None]
    return float("inf") if len(known) < len(given) or not known else max(known) - min(known)
