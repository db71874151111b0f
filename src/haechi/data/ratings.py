"""Ratings from the rows of tables that people (or other tools) filled in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from haechi.data.files import BAD, Row
from haechi.data.names import RATING_FIELDS, name_fields
from haechi.data.rating import Rating
from haechi.data.rating_rules import Broken, RatingRules, text_of
from haechi.errors import HaechiError
from haechi.rubrics import Rubric

Placed = tuple[str, Rating | HaechiError]


def ratings_of(
    rows: Iterable[Row],
    rubric: Rubric,
    rater: str | None = None,
    kind: str | None = None,
    stance: str | None = None,
    ignored: dict[str, None] | None = None,
) -> Iterator[Placed]:
    """The ratings in a table: one row per judgement, or one row per item with a column per criterion.

    Columns that mean nothing here are noted in `ignored`, so that a misspelt criterion does not go unseen.

    >>> import haechi
    >>> rows = [Row("r.csv:2", {"item": "d1", "criterion": "sympathy", "rater": "r1", "value": "１"})]
    >>> [rating.value for _, rating in ratings_of(rows, haechi.rubric("diary-comment"))]
    ['1']
    """
    rules = RatingRules(rubric)
    for row in rows:
        if BAD in row.data:
            yield row.place, row.data[BAD]
            continue
        known, others = name_fields(row.data, RATING_FIELDS)
        try:
            criteria = rules.criteria_among(known, others)
        except Broken as broken:
            yield row.place, HaechiError((broken.at(row.place),))
            continue
        judgements = [known]
        if criteria:
            cells = ((name, others[name]) for name in criteria if text_of(others[name]) is not None)
            judgements = [{**known, "criterion": name, "value": value} for name, value in cells]
            if ignored is not None:
                ignored.update(dict.fromkeys(name for name in others if name not in criteria))
        for fields in judgements:
            try:
                yield row.place, rules.rating(fields, [*row.data], rater, kind, stance)
            except Broken as broken:
                yield row.place, HaechiError((broken.at(row.place),))
