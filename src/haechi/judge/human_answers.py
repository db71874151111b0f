"""What people said about items, settled where they agree: what judges are shown, and what they are tried against."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from haechi.data.stances import ADJUDICATION
from haechi.frozen import frozen
from haechi.prompt.example_items import ExampleAnswer
from haechi.prompt.invisible_signs import show_signs
from haechi.prompt.objects import storable_text
from haechi.rubrics import Rubric
from haechi.store.connection import Connection
from haechi.store.ratings_in_force import RATINGS

_MOST_WORDS = 300  # characters of evidence


class _Vote(NamedTuple):
    """What somebody said, and whether it decides a dispute."""

    value: str
    words: str
    decides: bool


@frozen
class SettledItem:
    """An item that people rated whole: what most of them said, as far as most of them said the same."""

    item: str
    answers: tuple[ExampleAnswer, ...]
    level: float
    """Where it stands among the others: the mean of its values, each as a share of its scale."""


def settled_items(connection: Connection, rubric: Rubric, least: float = 0.75) -> list[SettledItem]:
    """The items of which somebody rated everything that counts, and of which at least so much is settled.

    A value is settled when more people gave it than any other; decisions on disputed items settle it, too.
    """
    wanted = [n for n, one in rubric.rateables.items() if one.criterion is not None and one.scale.counted]
    given: dict[str, dict[str, list[_Vote]]] = {}
    rows = connection.rows(
        f"""SELECT item, criterion, value, evidence, stance FROM ({RATINGS}) AS given
        WHERE kind = 'human' AND status = 'ok' AND replicate = 1 ORDER BY item, criterion, rater"""
    )
    for row in rows:
        votes = given.setdefault(row.item, {}).setdefault(row.criterion, [])
        votes.append(_Vote(row.value, row.evidence or "", row.stance == ADJUDICATION))
    found = []
    for item, of in given.items():
        if not all(name in of for name in wanted):
            continue
        answers = tuple(answer for name in wanted if (answer := _settled(name, of[name])) is not None)
        if answers and len(answers) >= least * len(wanted):
            found.append(SettledItem(item, answers, _level(answers, rubric)))
    return found


def _settled(name: str, votes: list[_Vote]) -> ExampleAnswer | None:
    decided = [vote for vote in votes if vote.decides]
    counted = Counter(vote.value for vote in decided or votes).most_common(2)
    if len(counted) > 1 and counted[0][1] == counted[1][1]:
        return None
    value = counted[0][0]
    words = next((vote.words for vote in votes if vote.value == value and vote.words.strip()), "")
    return ExampleAnswer(name, value, show_signs(storable_text(words))[:_MOST_WORDS].replace("`", "'"))


def _level(answers: tuple[ExampleAnswer, ...], rubric: Rubric) -> float:
    shares = []
    for answer in answers:
        low, high = rubric.rateables[answer.name].scale.range
        try:
            shares.append((float(answer.value) - low) / (high - low))
        except (ValueError, ZeroDivisionError):  # a label has no place on a line
            continue
    return sum(shares) / len(shares) if shares else 0.0
