"""What people said about items, settled where they agree: what judges are shown, and what they are tried against."""

from __future__ import annotations

from haechi.data.stances import is_measurement
from haechi.frozen import frozen
from haechi.prompt.example_items import ExampleAnswer
from haechi.prompt.invisible_signs import show_signs
from haechi.prompt.objects import storable_text
from haechi.rubrics import Rubric
from haechi.store.connection import Connection
from haechi.store.items import attention_items
from haechi.store.ratings_in_force import RATINGS

_MOST_WORDS = 300  # characters of evidence
_COLUMNS = ("item", "criterion", "rater", "value", "evidence", "stance")


@frozen
class SettledItem:
    """An item that people rated whole: what most of them said, as far as most of them said the same."""

    item: str
    answers: tuple[ExampleAnswer, ...]
    level: float
    """Where it stands among the others: the mean of its values, each as a share of its scale."""


def settled_items(connection: Connection, rubric: Rubric, least: float = 0.75) -> list[SettledItem]:
    """The items of which somebody rated everything that counts, and of which at least so much is settled.

    A value is settled when more people gave it than any other; decisions on disputed items settle it, too. Items that only
    test attention are no examples of anything.
    """
    import polars as pl

    from haechi.scoring.panel import most_said

    wanted = [n for n, one in rubric.rateables.items() if one.criterion is not None and one.scale.counted]
    rows = connection.rows(
        f"""SELECT item, criterion, rater, value, evidence, stance FROM ({RATINGS}) AS given
        WHERE kind = 'human' AND status = 'ok' ORDER BY item, criterion, rater, replicate"""
    )
    given = pl.DataFrame(list(map(tuple, rows)), dict.fromkeys(_COLUMNS, pl.String), orient="row")
    decides, of = ~is_measurement(), ["item", "criterion"]
    votes = given.filter(decides | ~decides.any().over(of))
    words: dict[tuple[str, str, str], str] = {}
    for item, name, value, said in given.select(*of, "value", "evidence").iter_rows():
        if said and said.strip():
            words.setdefault((item, name, value), said)
    values: dict[str, dict[str, str | None]] = {}
    for item, name, value in most_said(votes, of).iter_rows():
        values.setdefault(item, {})[name] = value
    found = []
    attention = attention_items(connection)
    for item, own in values.items():
        if item in attention or any(name not in own for name in wanted):
            continue
        answers = tuple(
            ExampleAnswer(name, value, _shown(words.get((item, name, value), "")))
            for name in wanted
            if (value := own[name]) is not None
        )
        if answers and len(answers) >= least * len(wanted):
            found.append(SettledItem(item, answers, _level(answers, rubric)))
    return found


def _shown(words: str) -> str:
    return show_signs(storable_text(words))[:_MOST_WORDS].replace("`", "'")


def _level(answers: tuple[ExampleAnswer, ...], rubric: Rubric) -> float:
    shares = []
    for answer in answers:
        low, high = rubric.rateables[answer.name].scale.range
        try:
            shares.append((float(answer.value) - low) / (high - low))
        except (ValueError, ZeroDivisionError):  # a label has no place on a line
            continue
    return sum(shares) / len(shares) if shares else 0.0
