"""What raters said of items, one by one: the rating of every question, and the scores that are made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import NamedTuple

import polars as pl

from haechi.frozen import frozen
from haechi.rubrics.values import number
from haechi.study.study import Study

_RATED = ("item", "rater", "kind", "replicate")
_PIECE = 20_000


@frozen
class ExportResult:
    """What was written: the files, how much of what, and what was left out and why."""

    files: tuple[str, ...]
    counts: Mapping[str, int]
    left_out: Mapping[str, int] = field(default_factory=dict)


class Evaluation(NamedTuple):
    """One judgement: a number, a label or words; or neither, and the reason in `error`."""

    item: str
    name: str
    rater: str
    kind: str
    replicate: int
    value: float | None
    label: str | None
    explanation: str | None
    at: str | None
    error: str | None


def evaluations(study: Study) -> Iterator[Evaluation]:
    """All ratings in force, then the scores that no rater gave directly; nothing is left out.

    >>> import tempfile, haechi
    >>> study = haechi.Study.new(tempfile.mkdtemp() + "/d", "diary-comment")
    >>> _ = study.add({"id": ["d1"], "context": ["비가 왔다."], "response": ["우산은요?"]})
    >>> ratings = {"item": ["d1"], "rater": ["kim"], "sensibleness": [1], "specificity": [1], "sympathy": [0]}
    >>> _ = study.import_ratings(ratings)
    >>> [(one.name, one.value) for one in evaluations(study)][2:]
    [('sympathy', 0.0), ('ssa', 1.0), ('mean3', 0.6666666666666666)]
    """
    ratings = Study.ratings(study)
    for piece in ratings.iter_slices(_PIECE):
        yield from _ratings(study, piece)
    directly = set(ratings["criterion"].unique())
    scored = study.scores().checked()
    given = {c.score for c in study.rubric.criteria if not c.scale.parts and {c.key, c.score} & directly}
    made = [name for name in scored.names if name not in given | directly]
    for frame in scored.batches([*_RATED, *made]):
        for row in frame.iter_rows(named=True):
            for name in made:
                if row[name] is not None:
                    who = row["item"], name, row["rater"], row["kind"], row["replicate"]
                    yield Evaluation(*who, row[name], None, None, None, None)


def _ratings(study: Study, ratings: pl.DataFrame) -> Iterator[Evaluation]:
    known = study.rubric.known_names
    for row in ratings.iter_rows(named=True):
        who = row["item"], row["criterion"], row["rater"], row["kind"], row["replicate"]
        if row["status"] != "ok":
            error = ": ".join(filter(None, (row["status"], row["reason"])))
            yield Evaluation(*who, None, None, None, row["at"], error)
            continue
        points = number(row["value"])
        rateable = known.get(row["criterion"])
        if rateable is not None and not rateable.scale.counted:  # words, which enter no figure
            yield Evaluation(*who, None, None, row["value"], row["at"], None)
        elif points is None and rateable is not None:
            points = rateable.scale.points_by_rule(row["value"])
            yield Evaluation(*who, points, row["value"], row["evidence"], row["at"], None)
        else:
            yield Evaluation(*who, points, None, row["evidence"], row["at"], None)
