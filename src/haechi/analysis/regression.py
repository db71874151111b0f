"""How a study changed since what it is held against: over common raters, in pairs where the items are the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.analysis.bridges import NO_LINK, Bridge, Links, is_linked, links_between, with_error_of_link
from haechi.analysis.comparability import Ways, comparability
from haechi.analysis.counts import ItemCounts
from haechi.analysis.panel_change import PanelChange, code_scores, panel_change
from haechi.analysis.score_change import (
    ScoreChange,
    SideScores,
    holm_changes,
    measured_change,
    refused_change,
    same_shares,
    unpaired_change,
)
from haechi.analysis.sides import Side, Sides
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.stats.figure import Figure
from haechi.stats.linking import ScaleLink
from haechi.stats.sample import Sample
from haechi.stats.two_samples import Moments
from haechi.text import Text


@frozen
class KeptFigures:
    """The moments of every score, of all raters and of each; who rated (None where that was not kept)."""

    moments: Mapping[str, Moments]
    by_rater: Mapping[str, Mapping[str, Moments]] = field(default_factory=dict)
    raters: Mapping[str, str | None] | None = None
    clustered: Mapping[str, Mapping[str, Moments]] = field(default_factory=dict)
    """By field the moments of every score over its clusters, which are the values."""
    own_items: frozenset[str] | None = None
    """Of raters with one item each these items, None where raters have more or the items were not kept."""
    ways: Ways = field(default_factory=dict)
    """How the judges were asked, as far as it was kept."""
    bridge: Bridge | None = None
    """The anchors of the study that the figures are of, where they are at hand."""
    ruled: frozenset[str] = frozenset()
    """The scores that are 0 by rule on all its runs, where that was kept."""

    def linked(self, links: Links) -> KeptFigures:
        """The same on the scale of today: every judge's own moments moved by its link; a score without one is left out of them."""
        if not links:
            return self
        moved = {
            rater: {
                name: _moved(own, links[rater][name])
                for name, own in of.items()
                if is_linked(links[rater], name)
            }
            for rater, of in self.by_rater.items()
            if rater in links
        }
        by_rater = {**self.by_rater, **moved}
        if len(by_rater) > 1:  # what all gave together, also over clusters, is not moved by the link of one
            return replace(self, by_rater=by_rater, clustered={})
        ((rater, alone),) = by_rater.items()
        clustered = {
            field: {
                name: _moved(own, links[rater][name])
                for name, own in of.items()
                if is_linked(links[rater], name)
            }
            for field, of in self.clustered.items()
        }
        return replace(self, by_rater=by_rater, moments={**self.moments, **alone}, clustered=clustered)


@frozen
class Baseline:
    """What a study is held against: the scores of items or, where only figures were kept, those."""

    rubric: str | None
    names: tuple[str, ...]
    items: Side | None = None
    figures: KeptFigures | None = None


@frozen
class Regression:
    """How every score changed, what is not the same about the raters, and what the baseline does not tell."""

    scores: tuple[ScoreChange, ...]
    panel: PanelChange
    note: Text | None = None


def regression(baseline: Baseline, figures: Analysis, name: str) -> Regression:
    """How every score of the baseline changed, over common raters; in pairs where the items are the same."""
    scores = [score for score in figures.rubric.score_names if score in baseline.names]
    if baseline.rubric not in (None, figures.rubric.id) or not scores:
        found = baseline.rubric or ", ".join(baseline.names[:5])
        expected = Text(f"{figures.rubric.id}의 점수", f"scores of {figures.rubric.id}")
        raise HaechiError.of(name, found, expected, Text("기준을 확인하세요", "check the baseline"))
    if baseline.items is not None:
        sides = Sides.of(
            figures.rubric, scores, baseline.items, _after(figures, scores), figures.scored.cluster
        )
        return Regression(sides.changes(figures.seed), sides.panel)
    return _of_figures(baseline.figures or KeptFigures({}), figures, scores)


def _after(figures: Analysis, scores: Sequence[str]) -> Side:
    """The study of today; a score that is no longer given is there without a value."""
    gone = [pl.lit(None, pl.Float64).alias(name) for name in scores if name not in figures.names]

    def rows(columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        wanted = columns or ["item", "rater", *scores]
        known = [name for name in wanted if name not in scores or name in figures.names]
        return (frame.with_columns(gone).select(wanted) for frame in figures.batches(known))

    samples = {name: figures.samples.get(name, Sample.of([])) for name in scores}
    return replace(figures.side, rows=rows, counted=ItemCounts(figures.n_rated, samples))


def _of_figures(kept: KeptFigures, figures: Analysis, scores: list[str]) -> Regression:
    today = figures.by_rater if kept.raters is not None else {}
    one_each = kept.own_items is not None and figures.one_item_each
    nested = one_each and (kept.own_items or frozenset()).isdisjoint(figures.rated_items)
    both = [rater for rater in kept.raters or {} if rater in figures.raters]
    asked = comparability(kept.ways, figures.ways, raters=both)
    links = links_between(kept.bridge, asked.apart, figures.ways, scores, figures.rubric.main_score(scores))
    asked, kept = replace(asked, bridged=tuple(links)), kept.linked(links)
    panel = panel_change(kept.raters, figures.side.raters or {}, nested, asked)
    code = code_scores(figures.rubric, scores)
    changes, ruled = [], figures.scored.unmeasured().get((), frozenset())
    for name in scores:
        if panel.how == "none" and name not in code:
            changes.append(refused_change(name, panel.why))
            continue
        if name not in code and not all(is_linked(own, name) for own in links.values()):
            changes.append(refused_change(name, NO_LINK))
            continue
        whole = Moments.of(figures.samples.get(name, Sample.of([])))
        before = {who: of[name] for who in panel.common if name in (of := kept.by_rater.get(who, {}))}
        own = {who: today[who].scores.get(name) for who in panel.common}
        now = {who: Moments.of(sample) for who, sample in own.items() if sample and sample.n}
        first, second = SideScores(kept.moments[name], before), SideScores(whole, now)
        # What all raters gave together cannot be moved where only some of them are linked: each is compared with itself.
        whole_moved = not links or len(panel.common) == 1
        same = panel.how == "same" and whole_moved and (one_each or same_shares(first, second))
        free = name in code or panel.how in ("unknown", "people")
        found = _unpaired(name, first, second, free or same, kept, figures)
        found = with_error_of_link(found, links, len(panel.common)) if links and name not in code else found
        changes.append(measured_change(found, name in kept.ruled, name in ruled))
    return Regression(holm_changes(changes, figures.rubric.main_score(scores)), panel, _about(kept, figures))


def _moved(own: Moments, link: ScaleLink) -> Moments:
    return Moments(own.n, link.at(own.mean), link.slope * own.sd)


def _unpaired(
    name: str, first: SideScores, second: SideScores, whole: bool, kept: KeptFigures, figures: Analysis
) -> ScoreChange:
    """The change from what was kept: over clusters, where means of items are compared that come in such."""
    now = cluster_moments(figures.whole[name].mean) if name in figures.names else None
    if not whole or now is None:
        return unpaired_change(name, first, second, whole)
    before = kept.clustered.get(figures.scored.cluster or "", {}).get(name, first.whole)
    found = unpaired_change(name, SideScores(before, {}), SideScores(now, {}), whole=True)
    one, two = replace(found.before, n=first.whole.n), replace(found.after, n=second.whole.n)
    return replace(found, before=one, after=two, test="t over clusters")


def cluster_moments(mean: Figure) -> Moments | None:
    """What a test needs of a mean over clusters, as though they were the values; None where it is not over such.

    >>> over = Figure(3.0, 24, (2.0, 4.0), details={"clusters": 9, "clusters_se": 0.5})
    >>> cluster_moments(over)
    Moments(n=9, mean=3.0, sd=1.5)
    """
    if mean.value is None or "clusters_se" not in mean.details:
        return None
    clusters = int(mean.details["clusters"])
    return Moments(clusters, mean.value, float(mean.details["clusters_se"]) * clusters**0.5)


def _about(kept: KeptFigures, figures: Analysis) -> Text | None:
    """What is to be said where what was kept does not tell the clusters of today."""
    field = figures.scored.cluster
    if field is None or field in kept.clustered:
        return None
    return Text(
        f"기준 파일에는 {field} 묶음이 없어, 기준의 오차는 항목을 서로 독립으로 보고 구했습니다.",
        f"The baseline does not tell the clusters of {field}, so its error takes items as independent.",
    )
