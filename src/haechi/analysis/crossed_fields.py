"""Two fields at once: whether the difference of the first depends on the second, and the first inside every value of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

from haechi.analysis.compared_criterion import ClusteredPair, ComparedCriterion, LevelPairs
from haechi.analysis.compared_groups import ComparedItems
from haechi.stats.clusters import Clustered
from haechi.stats.corrections import correct, correct_each
from haechi.stats.interaction import interaction, interaction_of_clusters
from haechi.stats.many_samples import SamplePair
from haechi.stats.sample import Sample
from haechi.stats.two_samples import Moments, two_samples

_FEW_LEVELS = 50
_EMPTY = Moments(0, 0.0, 0.0)

CrossedGroups = Mapping[tuple[str, str], str]
"""By the values of the two fields the group that has them."""


def crossed_tests(
    found: ComparedCriterion, items: ComparedItems, name: str, values: Mapping[str, Sample]
) -> ComparedCriterion:
    """The tests of a score that two fields make, by clusters where items come in such."""
    first, second = items.by
    cells = {(group.by[first], group.by[second]): label for label, group in items.compared.items()}
    rows, columns = (list(dict.fromkeys(key[place] for key in cells)) for place in (0, 1))
    if len(rows) < 2 or len(columns) < 2 or len(columns) > _FEW_LEVELS:
        return found
    pairs = {
        column: [(a, b) for a, b in combinations(rows, 2) if (a, column) in cells and (b, column) in cells]
        for column in columns
    }
    every = [cells.get((row, column)) for row in rows for column in columns]
    if items.clusters is None:
        moments = [Moments.of(values[label]) if label is not None else _EMPTY for label in every]
        table = [moments[at : at + len(columns)] for at in range(0, len(every), len(columns))]
        made = _inside(pairs, cells, items, values)
        return replace(found, inside=made, interaction=interaction(table))
    own, labels = items.clusters.scores[name], list(items.compared)
    ordered = own.of_groups([labels.index(label) if label is not None else None for label in every])
    return replace(
        found,
        inside=_inside_clusters(pairs, cells, items, own),
        interaction=interaction_of_clusters(ordered, len(rows), len(columns)),
    )


def _inside(
    pairs: Mapping[str, list[tuple[str, str]]],
    cells: CrossedGroups,
    items: ComparedItems,
    values: Mapping[str, Sample],
) -> tuple[LevelPairs, ...]:
    two = [
        two_samples(values[cells[a, column]], values[cells[b, column]])
        for column, own in pairs.items()
        for a, b in own
    ]
    made = iter(correct_each(two, ("welch_t", "mann_whitney"), items.asked.correction))
    return tuple(
        LevelPairs(column, tuple(SamplePair(a, b, next(made)) for a, b in own))
        for column, own in pairs.items()
    )


def _inside_clusters(
    pairs: Mapping[str, list[tuple[str, str]]], cells: CrossedGroups, items: ComparedItems, scores: Clustered
) -> tuple[LevelPairs, ...]:
    place = {label: at for at, label in enumerate(items.compared)}
    apart = [
        scores.of_groups([place[cells[a, column]], place[cells[b, column]]]).contrast((1.0, -1.0))
        for column, own in pairs.items()
        for a, b in own
    ]
    tests = correct([test for _, test in apart], items.asked.correction)
    made = iter([(difference, test) for (difference, _), test in zip(apart, tests, strict=True)])
    return tuple(
        LevelPairs(column, clustered=tuple(ClusteredPair(a, b, *next(made)) for a, b in own))
        for column, own in pairs.items()
    )
