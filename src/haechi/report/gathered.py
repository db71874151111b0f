"""All figures of a study, computed once: what the report says and what a gate checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from haechi.report.agreement import AgreementReport, agreement_report
from haechi.report.compared_items import grouped_items
from haechi.report.comparison import Comparison, compare
from haechi.report.panel import panel_means
from haechi.report.quoted import QuotedEvidence, check_quotes
from haechi.report.rating_sources import score_table
from haechi.report.rating_table import RatingTable
from haechi.report.reported_study import ReportedStudy
from haechi.report.score_sources import score_study, without
from haechi.report.scored import Scored
from haechi.rubrics import Rubric
from haechi.rubrics.model import Missing
from haechi.stats import SEED, Group
from haechi.stats.groups import describe_one
from haechi.stats.ratings import Floats
from haechi.study import Study

_MOST_GROUPS = 8


@dataclass(frozen=True)
class StudyFigures:
    """A study's figures.

    frame: a row per item, rater and replicate; items: a row per item with the mean of its raters, the unit of
    all means; whole: every score over the items; seconds: response times of agent runs, of all runs under ""
    and of a tool class under the name of its latency score.
    """

    study: Study
    rubric: Rubric
    scored: Scored
    frame: pl.DataFrame
    items: pl.DataFrame
    whole: Mapping[str, Group]
    seconds: Mapping[str, Group]
    ratings: pl.DataFrame
    rated: RatingTable | None
    agreement: AgreementReport | None
    comparisons: tuple[Comparison, ...]
    quoted: QuotedEvidence
    n_items: int
    anonymous: bool
    seed: int

    @property
    def names(self) -> tuple[str, ...]:
        """The scores."""
        return self.scored.names

    @property
    def main(self) -> str:
        """The score that stands for the whole: the one made of most criteria, the first of several."""
        return main_score(self.rubric, self.names)

    @property
    def raters(self) -> dict[str, str]:
        """The kind of every rater, code left out."""
        pairs = self.frame.select("rater", "kind").unique(maintain_order=True).rows()
        return {rater: kind for rater, kind in pairs if kind != "code"}

    def values(self, name: str) -> Floats:
        """A score over the items, NaN where missing."""
        return floats(self.items[name])


def gather(
    folder: Path,
    by: Sequence[str] = (),
    exclude: tuple[str, ...] = (),
    missing: Missing | None = None,
    anonymous: bool = False,
    seed: int = SEED,
) -> StudyFigures:
    """Compute everything that a report about a study says."""
    study = ReportedStudy(folder, anonymous)
    rubric = without(study.rubric, exclude)
    fields = list(by) or _fields(study, rubric)
    scored = score_study(study, fields, exclude, missing, lambda _: None)
    frame = pl.concat(scored.batches())
    names = scored.names
    items = panel_means(frame, names, ["item"], scored.meta)
    ratings = study.ratings()
    rated = score_table(study.scores(missing, exclude), rubric) if ratings.height else None
    worth_comparing = rated is not None and (len(rated.kinds) > 1 or rated.has_replicates)
    return StudyFigures(
        study=study,
        rubric=rubric,
        scored=scored,
        frame=frame,
        items=items,
        whole={name: describe_one(name, floats(items[name]), seed) for name in names},
        seconds=_seconds(frame, rubric, seed),
        ratings=ratings,
        rated=rated,
        agreement=agreement_report(rated, seed=seed) if rated is not None and worth_comparing else None,
        comparisons=tuple(_comparisons(rubric, frame, scored, seed)),
        quoted=check_quotes(study, ratings),
        n_items=study.count_items(),
        anonymous=anonymous,
        seed=seed,
    )


def main_score(rubric: Rubric, names: Sequence[str]) -> str:
    """The score made of most criteria.

    >>> import haechi
    >>> [main_score(rubric, rubric.score_names) for rubric in map(haechi.rubric, ("ubica", "maice-qac"))]
    ['overall', 'total']
    """
    parts = {derived.key: derived.parts for derived in rubric.scores}

    def criteria(name: str) -> set[str]:
        return set().union(*map(criteria, parts[name])) if name in parts else {name}

    return max(names, key=lambda name: len(criteria(name)))


def floats(series: pl.Series) -> Floats:
    """A column as numbers, NaN where missing."""
    values: Floats = series.cast(pl.Float64).fill_null(np.nan).to_numpy()
    return values


def _fields(study: Study, rubric: Rubric) -> list[str]:
    """What to group by when nobody says: the rubric's proposal, else fields that split the items in a few groups.

    Two fields that split the items in the same way are one; only the first is taken.
    """
    known = study.meta_fields()
    proposed = [field for field in rubric.summary_by if field in known or rubric.item == "run"]
    if proposed:
        return proposed
    chosen, seen = [], set()
    meta = study.meta(known)
    for field in known:
        values = meta[field].to_list()
        counts = Counter(value for value in values if value is not None)
        shape = _shape(values)
        if 2 <= len(counts) <= _MOST_GROUPS and min(counts.values()) >= 2 and shape not in seen:
            chosen.append(field)
            seen.add(shape)
    return chosen


def _shape(values: Sequence[str | None]) -> tuple[int, ...]:
    """Values numbered by first appearance, so that fields which split the items alike are equal."""
    order: dict[str | None, int] = {}
    return tuple(order.setdefault(value, len(order)) for value in values)


def _comparisons(rubric: Rubric, frame: pl.DataFrame, scored: Scored, seed: int) -> list[Comparison]:
    found = []
    for fields in scored.groupings:
        if {"rater", "kind"} & set(fields) or frame.drop_nulls(list(fields)).is_empty():
            continue
        found.append(compare(grouped_items(rubric, frame, fields, scored.meta, None), seed))
    return found


def _seconds(frame: pl.DataFrame, rubric: Rubric, seed: int) -> dict[str, Group]:
    if "details:seconds" not in frame.columns:
        return {}
    runs = frame.unique("item", maintain_order=True)
    found = {"": describe_one("seconds", floats(runs["details:seconds"]), seed)}
    for criterion in rubric.criteria:
        if criterion.only:
            own = runs.filter(pl.col("details:tool_class") == criterion.only)["details:seconds"]
            found[criterion.score] = describe_one(criterion.score, floats(own), seed)
    return found
