"""What the criteria that items bring come to: by tag, criterion by criterion, and how far raters agree on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from haechi.data.line_names import own_criteria
from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.rubrics.model import Missing
from haechi.rubrics.parts import Criterion
from haechi.scoring.own_criteria import means_tag, shares, tag_scores
from haechi.scoring.panel import most_said, panel_means
from haechi.scoring.ratings import KEYS

if TYPE_CHECKING:
    from haechi.stats.clustered_agreement import ClusteredAgreement
    from haechi.stats.figure import Lang

_COEFFICIENTS = ("percent_agreement", "krippendorff_alpha", "fleiss_kappa", "gwet_ac1")
_BINARY = (0.0, 1.0)
AXIS = "axis:"


@frozen
class TagFigures:
    """One tag: how many criteria of how many items have it, and the mean over items of what was earned of it."""

    tag: str
    criteria: int
    items: int
    mean: float | None

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {"tag": self.tag, "n_criteria": self.criteria, "n_items": self.items, "mean": self.mean}


@frozen
class CriterionFigures:
    """One criterion by its words, wherever it stands: its items, its answers, and the share of them that say it is met.

    An answer is what one rater says of it in one item, of repeated ones the most frequent.
    wrong: the items in which some raters say that it went wrong, with the share of them, the most first.
    """

    text: str
    points: float
    tags: tuple[str, ...]
    items: tuple[str, ...]
    answers: int
    met: int
    wrong: Mapping[str, float]

    @property
    def share(self) -> float:
        """The share of answers that say it is met."""
        return self.met / self.answers

    @property
    def failed(self) -> float:
        """The share of answers that it went wrong: unmet where it should be met, met where it should not."""
        return self.share if self.points < 0 else 1 - self.share

    @property
    def failing(self) -> tuple[str, ...]:
        """The items of which most raters say that it went wrong."""
        return tuple(item for item, share in self.wrong.items() if share > 0.5)

    @property
    def examples(self) -> tuple[str, ...]:
        """The same; where there is none, the items of which anybody says so."""
        return self.failing or tuple(self.wrong)

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        found = {"text": self.text, "points": self.points, "tags": list(self.tags), "items": list(self.items)}
        return {**found, "answers": self.answers, "met": self.met, "share_met": self.share}


@frozen
class OwnFigures:
    """The figures of one list of own criteria; told: `scoring.own_criteria.verdicts`."""

    criterion: Criterion
    told: pl.DataFrame
    rubric: Rubric
    policy: Missing

    @property
    def n_items(self) -> int:
        """How many items somebody judged."""
        return int(self.told["item"].n_unique())

    @property
    def n_criteria(self) -> int:
        """How many criteria these items have together."""
        return int(self.told.select("item", "key").n_unique())

    @cached_property
    def _shares(self) -> pl.DataFrame:
        return shares(self.told, self.policy, list(KEYS))

    @property
    def cut(self) -> int:
        """How many scores were below 0 and are 0: more was taken off than earned."""
        return int((self._shares["share"] < 0).sum())

    @cached_property
    def mean_then_cut(self) -> float | None:
        """The mean over items of scores that nobody cut, kept within 0 and 1 itself: HealthBench's rule."""
        found = panel_means(self._shares, ["share"], ["item"])["share"].mean()
        return min(1.0, max(0.0, float(found))) if isinstance(found, float) else None

    @cached_property
    def tags(self) -> tuple[TagFigures, ...]:
        """Every tag, in the order of the alphabet; axes first."""
        rows = self.told.explode("tags").drop_nulls("tags")
        found = [self._tag(str(tag), own) for (tag,), own in rows.group_by("tags", maintain_order=True)]
        return tuple(sorted(found, key=lambda one: (not one.tag.startswith(AXIS), one.tag)))

    def _tag(self, tag: str, rows: pl.DataFrame) -> TagFigures:
        made = shares(rows, self.policy, list(KEYS)).with_columns(
            pl.col("share").clip(*self.criterion.scale.range)
        )
        per_item = panel_means(made, ["share"], ["item"])["share"].drop_nulls()
        mean = per_item.mean()
        pairs = rows.select("item", "key").n_unique()
        return TagFigures(tag, pairs, len(per_item), float(mean) if isinstance(mean, float) else None)

    @cached_property
    def undeclared(self) -> tuple[TagFigures, ...]:
        """The tags that are no score of the rubric."""
        scores = tag_scores(self.rubric, self.criterion)
        return tuple(
            one for one in self.tags if not any(means_tag(derived, (one.tag,)) for derived in scores)
        )

    @cached_property
    def criteria(self) -> tuple[CriterionFigures, ...]:
        """Every criterion that somebody answered, in the order of the items."""
        votes = most_said(self.told, ["text", "item", "rater"], "met").filter(pl.col("met").is_in(_BINARY))
        about = self.told.group_by("text").agg(pl.col("points").first(), pl.col("tags").first())
        went_wrong = pl.when(pl.col("points") < 0).then("met").otherwise(1 - pl.col("met"))
        grouped = (
            votes.join(about, on="text", maintain_order="left")
            .group_by("text", "item", maintain_order=True)
            .agg(pl.col("points", "tags").first(), pl.len(), pl.col("met").sum(), wrong=went_wrong.mean())
            .group_by("text", maintain_order=True)
            .agg(pl.col("points", "tags").first(), "item", pl.col("len", "met").sum().cast(pl.Int64), "wrong")
        )
        return tuple(
            CriterionFigures(
                text, points, tuple(tags or ()), tuple(items), answers, met, _most_first(items, wrong)
            )
            for text, points, tags, items, answers, met, wrong in grouped.iter_rows()
        )

    @property
    def hardest(self) -> list[CriterionFigures]:
        """The criteria that should be met and mostly are not, the worst first; by points where equally many say so."""
        wanted = [one for one in self.criteria if one.points > 0 and one.failed > 0]
        return sorted(wanted, key=lambda one: (-one.failed, -one.points, -one.answers))

    @property
    def wrong(self) -> list[CriterionFigures]:
        """What should not be and was: criteria with points below 0 that are met, the most frequent first."""
        found = [one for one in self.criteria if one.points < 0 and one.met]
        return sorted(found, key=lambda one: (-one.failed, one.points, -one.answers))

    @cached_property
    def agreement(self) -> Mapping[str, ClusteredAgreement]:
        """How far raters agree on what is met, each criterion of each item a unit: of all, of people, of AI judges.

        Criteria of one item are not independent: intervals are over items. Of raters who rated repeatedly the first counts.
        """
        first = self.told.drop_nulls("met").sort("replicate", maintain_order=True)
        first = first.unique(["item", "key", "rater"], keep="first", maintain_order=True)
        kinds = dict(
            first.select("rater", "kind").unique("rater", keep="first", maintain_order=True).iter_rows()
        )
        found = {"all": self._agreement(first, list(kinds))}
        for kind in ("human", "ai"):
            of_kind = [rater for rater, own in kinds.items() if own == kind]
            if 1 < len(of_kind) < len(kinds):
                found[kind] = self._agreement(first, of_kind)
        return found

    def _agreement(self, first: pl.DataFrame, raters: Sequence[str]) -> ClusteredAgreement:
        from haechi.stats.clustered_agreement import clustered_agreement

        wide = first.filter(pl.col("rater").is_in(list(raters))).pivot(
            on="rater", index=["item", "key"], values="met", aggregate_function="first", maintain_order=True
        )
        clusters = wide["item"].rank("dense").cast(pl.Int64).to_numpy() - 1
        columns = [name for name in wide.columns if name not in ("item", "key")]
        ratings = wide.select(columns).cast(pl.Float64).fill_null(np.nan).to_numpy()
        only = np.isin(ratings, (*_BINARY, np.nan)) | np.isnan(ratings)
        return clustered_agreement(ratings, clusters, "nominal", _BINARY if only.all() else None)

    def as_json(self) -> dict[str, Any]:
        """For machines: how scores were made, and what they are made of."""
        return {
            "n_items": self.n_items,
            "n_criteria": self.n_criteria,
            "scores_cut_at_0": self.cut,
            "mean_then_cut": self.mean_then_cut,
            "tags": [one.as_json() for one in self.tags],
            "criteria": [one.as_json() for one in self.criteria],
        }

    def agreement_json(self, lang: Lang = "en") -> dict[str, Any]:
        """The agreement on what is met, for machines."""
        return {
            kind: {
                "n_units": found.whole.n_items,
                "n_items": found.n_clusters,
                "n_raters": len(found.whole.raters),
                **{name: found.coefficients[name].as_json(lang) for name in _COEFFICIENTS},
            }
            for kind, found in self.agreement.items()
        }


def _most_first(items: Sequence[str], wrong: Sequence[float]) -> dict[str, float]:
    """The items of which somebody says that it went wrong."""
    said = {item: share for item, share in zip(items, wrong, strict=True) if share > 0}
    return dict(sorted(said.items(), key=lambda one: -one[1]))


def own_figures(told: pl.DataFrame | None, rubric: Rubric, policy: Missing) -> tuple[OwnFigures, ...]:
    """The figures of every list of own criteria that a rubric has."""
    if told is None:
        return ()
    return tuple(
        OwnFigures(one, told.filter(pl.col("of") == one.key), rubric, policy) for one in own_criteria(rubric)
    )
