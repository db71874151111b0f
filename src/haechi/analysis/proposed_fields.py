"""What a study proposes to group its items by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from haechi.rubrics import Rubric
from haechi.scoring.clusters import FEWEST, cluster_names
from haechi.scoring.tally import Counts
from haechi.study.scores import StoredStudy

_MOST_GROUPS = 12


def proposed_fields(study: StoredStudy, rubric: Rubric) -> list[str]:
    """What to group by when nobody says: the rubric's proposal, else fields that split the items in a few groups.

    Two fields that split the items in the same way are one; only the first is taken.
    """
    if rubric.item == "pair":  # whose rows are seen from the side of one system each
        return ["system"]
    known = study.meta_fields()
    proposed = [field for field in rubric.summary_by if field in known or rubric.item == "run"]
    if (
        proposed
        and rubric.item == "run"
        and "version" in _few_groups(study, [f for f in known if f == "version"])
    ):
        proposed.append("version")
    if proposed:
        return proposed
    few = _few_groups(study, known)
    if not few:
        return []
    counts = Counts(few)
    for piece in study.meta_pieces(few):
        counts.add(piece)
    together = counts.total()
    shapes = {_shape(together[field].to_list()): field for field in reversed(few)}
    return [field for field in few if field in shapes.values()]


def _few_groups(study: StoredStudy, fields: Sequence[str]) -> list[str]:
    """The fields that make two groups or a few more, none of a single item; persons and dialogues are clusters, not groups."""
    counts: dict[str, Counter[str]] = {field: Counter() for field in fields}
    for piece in study.meta_pieces(fields):
        for field, counted in counts.items():
            if len(counted) <= _MOST_GROUPS:
                counted.update(dict(piece[field].drop_nulls().value_counts().iter_rows()))
    clusters = {name for names in cluster_names(fields) for name in names}
    return [
        field
        for field, counted in counts.items()
        if 2 <= len(counted) <= (FEWEST - 1 if field in clusters else _MOST_GROUPS)
        and min(counted.values()) >= 2
    ]


def _shape(values: Sequence[str | None]) -> tuple[int, ...]:
    """Values numbered by first appearance, so that fields which split the items alike are equal."""
    order: dict[str | None, int] = {}
    return tuple(order.setdefault(value, len(order)) for value in values)
