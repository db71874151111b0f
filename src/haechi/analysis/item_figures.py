"""What `haechi score` says of scored items: every score over the items, and the response times of agent runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from haechi.analysis.counts import count_groups, describe_scores
from haechi.analysis.response_times import describe_time, response_times, times_over_clusters
from haechi.scoring.rule_zeros import nothing_measured
from haechi.scoring.score_table import ScoreTable
from haechi.stats.groups import Group


class ScoredItemFigures(NamedTuple):
    """Every score over the items, and the response times of agent runs."""

    whole: Mapping[str, Group]
    seconds: Mapping[str, Group]


def item_figures(scored: ScoreTable) -> ScoredItemFigures:
    """The figures of scored items, from their rows."""
    ((counted,),) = (groups.values() for groups in count_groups(scored.batches, scored.names, [()]))
    times = response_times(scored.batches, scored.rubric)
    whole, ends = describe_scores(counted, scored.rubric), scored.over_clusters().get((), {})
    if scored.cluster is not None:
        whole = {name: one.over_clusters(scored.cluster, ends.get(name)) for name, one in whole.items()}
    for name in scored.unmeasured().get((), ()):
        whole[name] = whole[name].without_interval(nothing_measured())
    field, clustered = scored.cluster, times_over_clusters(scored.batches, scored.rubric, scored.cluster)
    return ScoredItemFigures(
        whole,
        {
            name: describe_time(name or "seconds", one, field, clustered.get(name))
            for name, one in times.items()
        },
    )
