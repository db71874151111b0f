"""What raters gave for agent runs: points of what they judge, and, beside code's scores, of what code measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import polars as pl

from haechi.data.line_names import LABEL
from haechi.data.stances import is_measurement
from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.rubrics.model import Missing
from haechi.scoring.panel import most_said
from haechi.scoring.ratings import KEYS, STANCE, score_ratings
from haechi.scoring.runs.points import BESIDE, RATED, score

if TYPE_CHECKING:
    from haechi.scoring.runs.parts import RunPart

CODE = "code"


@frozen
class GivenPoints:
    """What raters gave, one row per run, rater and replicate.

    `verdicts` are the points of what raters judge, which make scores; `rows` has these and the points that somebody
    gave for what code measures, which stand `beside` code's scores and never among them.
    """

    verdicts: pl.DataFrame
    rows: pl.DataFrame
    beside: tuple[str, ...]


def given_points(ratings: pl.DataFrame, rubric: Rubric, missing: Missing | None = None) -> GivenPoints:
    """The points that raters gave.

    >>> import haechi
    >>> given = {"item": ["r1", "r1"], "criterion": ["intent", "accuracy"], "value": ["GOOD", "3.5"]}
    >>> given |= {"rater": "gpt", "kind": "ai", "replicate": 1, "status": "ok"}
    >>> found = given_points(pl.DataFrame(given), haechi.rubric("hiring-agent"))
    >>> found.rows.to_dicts()
    [{'item': 'r1', 'rater': 'gpt', 'kind': 'ai', 'replicate': 1, 'rated:intent': 4.0, 'beside:accuracy': 3.5}]
    """
    given = ratings.filter(pl.col("status") == "ok")
    judged = [
        name for c in rubric.criteria if c.scale.counted and c.rated_by == "rater" for name in c.rated_names
    ]
    judged += [floor.key for floor in rubric.floors]
    frame = score_ratings(given.filter(pl.col("criterion").is_in(judged)), rubric, missing=missing).frame
    scores = [c.score for c in rubric.criteria if c.score in frame.columns]
    verdicts = frame.select(*KEYS, *(pl.col(name).alias(RATED + name) for name in scores))
    measured = _measured(given, rubric)
    beside = tuple(name.removeprefix(BESIDE) for name in measured.columns if name.startswith(BESIDE))
    rows = verdicts.join(measured, on=KEYS, how="full", coalesce=True) if beside else verdicts
    return GivenPoints(verdicts, rows, beside)


def _measured(given: pl.DataFrame, rubric: Rubric) -> pl.DataFrame:
    """What raters gave for what code measures, and for totals; what our own code gave is measured anew."""
    names = {c.key: c.score for c in rubric.criteria if c.rated_by == "code"}
    names |= {derived.key: derived.key for derived in rubric.scores if not derived.hidden}
    own = (pl.col("rater") == CODE) & (pl.col("kind") == CODE)
    rows = given.filter(pl.col("criterion").is_in(list(names)), ~own)
    if STANCE in rows.columns:
        rows = rows.filter(is_measurement())
    points = rows.with_columns(pl.col("value").cast(pl.Float64, strict=False)).pivot(
        on="criterion", index=list(KEYS), values="value", aggregate_function="first"
    )
    known = [(BESIDE + score, key) for key, score in names.items() if key in points.columns]
    return points.select(*KEYS, *(pl.col(key).alias(name) for name, key in known))


def given_labels(ratings: pl.DataFrame) -> pl.DataFrame:
    """The label that most raters gave to a run: (item, label). People come before judges; where they are split there is none.

    >>> given = {"item": "r1", "criterion": "intent_label", "value": ["ADD", "VIEW", "VIEW"], "status": "ok"}
    >>> given |= {"rater": ["kim", "gpt", "gemini"], "kind": ["human", "ai", "ai"], "stance": None}
    >>> given_labels(pl.DataFrame(given)).rows()
    [('r1', 'ADD')]
    """
    known = in_force(ratings, pl.col("criterion") == LABEL)
    return most_said(known, ["item"]).drop_nulls("value").rename({"value": "label"}).sort("item")


def in_force(ratings: pl.DataFrame, which: pl.Expr) -> pl.DataFrame:
    """Ratings with a value, of people where there are any of the same thing on the same run, else of judges."""
    known = ratings.filter(which, pl.col("status") == "ok", is_measurement())
    people = pl.col("kind") == "human"
    return known.filter(people | ~people.any().over("item", "criterion"))


@frozen
class LabelledPart:
    """A part of runs some of which have the label of a rater."""

    part: RunPart
    labels: pl.DataFrame

    def batches(self) -> Iterator[pl.DataFrame]:
        """The runs in order."""
        for batch in self.part.batches():
            known = batch.join(self.labels, on="item", how="left", maintain_order="left")
            yield known.with_columns(pl.coalesce("label", LABEL).alias(LABEL)).drop("label")


def labelled_parts(parts: Iterable[RunPart], labels: pl.DataFrame) -> Iterable[RunPart]:
    """The same runs with the labels of raters, which come before those that stood beside the runs."""
    return parts if labels.is_empty() else (LabelledPart(part, labels) for part in parts)


def with_raters(
    runs: pl.DataFrame, given: GivenPoints, rubric: Rubric, missing: Missing | None
) -> pl.DataFrame:
    """A row for every rater who rated a run; runs that nobody judged keep the row of code and the imported verdict."""
    own = runs.with_columns(rater=pl.lit(CODE), kind=pl.lit(CODE), replicate=pl.lit(1, pl.Int64))
    rated = runs.drop("intent_verdict").join(given.rows, on="item", how="inner", maintain_order="left")
    if rated.is_empty():
        return own.with_columns(pl.lit(None, pl.Float64).alias(BESIDE + name) for name in given.beside)
    scores = [*rubric.score_names, *(f"why:{name}" for name in rubric.score_names)]
    again = score(rated.drop(scores), rubric, missing)
    rest = own.join(given.verdicts.select("item"), on="item", how="anti")
    return pl.concat([again, rest], how="diagonal")
