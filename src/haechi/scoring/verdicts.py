"""The agent runs of a study with the verdicts that its raters gave: a row for every rater of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import polars as pl

from haechi.scoring.ratings import KEYS, Scores, score_ratings
from haechi.scoring.run_sources import RunStudy, score_study_runs
from haechi.scoring.runs.points import RATED, REASONS, score
from haechi.text import Lang

if TYPE_CHECKING:
    from haechi.rubrics.model import Missing, Rubric
    from haechi.scoring.runs.pipeline import Sink


def given_verdicts(study: RunStudy, rubric: Rubric, missing: Missing | None) -> pl.DataFrame:
    """The points that raters gave, one row per run, rater and replicate."""
    names = [
        name for c in rubric.criteria if c.scale.counted and c.rated_by == "rater" for name in c.rated_names
    ]
    names += [floor.key for floor in rubric.floors]
    given = study.ratings().filter(pl.col("criterion").is_in(names), pl.col("status") == "ok")
    frame = score_ratings(given, rubric, missing=missing).frame
    scores = [c.score for c in rubric.criteria if c.score in frame.columns]
    return frame.select(*KEYS, *(pl.col(name).alias(RATED + name) for name in scores))


def score_judged_runs(
    study: RunStudy,
    rubric: Rubric,
    sink: Sink,
    verdicts: pl.DataFrame,
    fields: Mapping[str, str],
    missing: Missing | None = None,
) -> None:
    """As `score_study_runs`, with a row for every rater; all rows of a run come in the same batch."""
    score_study_runs(
        study, rubric, lambda batch: sink(_with_verdicts(batch, verdicts, rubric, missing)), fields, missing
    )


def judged_scores(study: RunStudy, rubric: Rubric, missing: Missing | None = None) -> Scores:
    """The scores of a study's runs as one table; the runs are read in bounded memory, the table is held."""
    names, verdicts = rubric.score_names, given_verdicts(study, rubric, missing)
    texts = dict.fromkeys(["item", "rater", "kind", *(f"why:{name}" for name in names)], pl.String)
    schema = {**texts, "replicate": pl.Int64, **dict.fromkeys(names, pl.Float64)}
    pieces = [pl.DataFrame(schema=schema)]

    def keep(batch: pl.DataFrame) -> None:
        words = batch.with_columns(reason_in_words(name) for name in names)
        pieces.append(words.select(*schema))

    score_judged_runs(study, rubric, keep, verdicts, {}, missing)
    whole = pl.concat(pieces)
    rated = [criterion for criterion in rubric.criteria if criterion.rated_by == "rater"]
    return Scores(
        rubric=rubric,
        frame=whole.select(*KEYS, *names),
        reasons=whole.select(*KEYS, *(pl.col(f"why:{name}").alias(name) for name in names)),
        elements=whole.select(*KEYS, *(pl.col(one.score).alias(one.key) for one in rated)),
    )


def reason_in_words(name: str, lang: Lang | None = None) -> pl.Expr:
    """Why a score of runs is null, or 0 by rule.

    >>> pl.DataFrame({"why:intent": ["no verdict", None]}).select(reason_in_words("intent", "en")).rows()
    [('there is no verdict',), (None,)]
    """
    return pl.col(f"why:{name}").replace({code: text.say(lang) for code, text in REASONS.items()})


def _with_verdicts(
    runs: pl.DataFrame, verdicts: pl.DataFrame, rubric: Rubric, missing: Missing | None
) -> pl.DataFrame:
    """A row for every rater who judged a run; runs that nobody judged keep the imported verdict."""
    own = runs.with_columns(rater=pl.lit("code"), kind=pl.lit("code"), replicate=pl.lit(1, pl.Int64))
    judged = runs.drop("intent_verdict").join(verdicts, on="item", how="inner", maintain_order="left")
    if judged.is_empty():
        return own
    scores = [*rubric.score_names, *(f"why:{name}" for name in rubric.score_names)]
    again = score(judged.drop(scores), rubric, missing)
    rest = own.join(verdicts.select("item"), on="item", how="anti")
    return pl.concat([again, rest], how="diagonal")
