"""Items that come in clusters, as sessions of a student, turns of a dialogue and runs of a query do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.scoring.panel import panel_means
from haechi.scoring.runs.points import WITHOUT

if TYPE_CHECKING:
    from haechi.stats.figure import Figure

_PEOPLE = {"student", "user", "participant", "subject", "learner", "person", "pupil", "respondent", "speaker"}
_PEOPLE |= {"학생", "사용자", "참여자", "참가자", "피험자", "학습자", "응답자", "화자"}
_TALKS = frozenset(["dialogue", "dialog", "conversation", "대화"])
_QUERIES = frozenset(["query", "질의"])
_NUMBERED = ("id", "no", "번호", "name", "이름", "code")
_DIGITS = 10
FEWEST = 3  # two values are as often roles, such as viewer and guest, as two persons
_BY, _WHOSE, _ALONE = "by:", "whose:", "alone:"  # kept apart from the columns of a study


def cluster_names(fields: Sequence[str]) -> list[list[str]]:
    """The fields whose names say that items may share them: persons, then dialogues, then queries; of one thing the first.

    >>> cluster_names(["mode", "student", "student_name", "query"])
    [['student'], [], ['query']]
    """
    kinds = []
    for nouns in (_PEOPLE, _TALKS, _QUERIES):
        named = {_noun(name): name for name in reversed(fields) if _noun(name) in nouns}
        kinds.append([name for name in fields if name in named.values()])
    return kinds


def find_cluster(batches: Batches, fields: Sequence[str]) -> str | None:
    """The field whose values several items share, if one obviously does; of two of a kind neither is obvious.

    >>> from haechi.scoring.batches import in_memory
    >>> rows = in_memory(pl.DataFrame({"item": [*"abcd"], "student": ["kim", "kim", "lee", "park"], "user": [*"wxyz"]}))
    >>> find_cluster(rows, ["student", "user"]), find_cluster(rows, ["user"])
    ('student', None)
    """
    for names in cluster_names(fields):
        shared = [name for name in names if _is_shared(batches, name)]
        if shared:
            return shared[0] if len(shared) == 1 else None
    return None


def _is_shared(batches: Batches, field: str) -> bool:
    """Whether there are three values or more, and items with the same one; the first pieces mostly tell."""
    n, seen = 0, pl.Series([], dtype=pl.UInt64)
    for frame in batches(["item", field]):
        values = frame.drop_nulls(field).unique("item")[field].cast(pl.String).hash()
        n, seen = n + len(values), pl.concat([seen, values]).unique()
        if FEWEST <= len(seen) < n:
            return True
    return False


def _noun(field: str) -> str:
    """What a field is called without its number; nothing where more words remain than one."""
    words = [word.casefold() for word in re.split(r"[\s_\-.]+|(?<=[a-z])(?=[A-Z])", field) if word]
    kept = [word for word in words if word not in _NUMBERED]
    return kept[0].removesuffix("번호").removesuffix("id") if len(kept) == 1 else ""


def clustered_means(
    batches: Batches, rubric: Rubric, names: Sequence[str], field: str, by: Sequence[str] = ()
) -> dict[tuple[str | None, ...], dict[str, Figure]]:
    """Of every group every score's mean with its interval over clusters, by the values of the fields `by`; `()` is the whole set.

    An item without a value of the field is a cluster of its own. Nothing where every item is one, or where the groups
    are the clusters themselves.
    """
    from haechi.stats.population import clustered_mean

    if field in by:
        return {}
    sums = [pl.col(name).sum().alias(f"sum:{name}") for name in names]
    sizes = [pl.col(name).count().alias(f"n:{name}") for name in names]
    text = pl.col(field).cast(pl.String)
    whose = [pl.coalesce(text, pl.col("item")).alias(_WHOSE), text.is_null().alias(_ALONE)]
    groups = [pl.col(name).cast(pl.String).alias(_BY + name) for name in by]
    keys = [_BY + name for name in by]
    found: pl.DataFrame | None = None
    for frame in batches(list(dict.fromkeys(["item", "rater", *by, field, *names]))):
        items = panel_means(frame, names, list(dict.fromkeys([*by, "item"])), [field])
        piece = items.group_by(*groups, *whose).agg(pl.len().alias("n:"), *sums, *sizes)
        found = piece if found is None else pl.concat([found, piece]).group_by(*keys, _WHOSE, _ALONE).sum()
    if found is None or found["n:"].max() in (None, 1):
        return {}
    # Sums depend in their last digits on the order of the rows, which pieces change.
    exact = [pl.col(f"sum:{name}").round(_DIGITS) for name in names]
    found = found.with_columns(exact).sort(*keys, _WHOSE, _ALONE)
    parts = found.partition_by(keys, as_dict=True) if keys else {(): found}
    return {
        key: {
            name: clustered_mean(
                own[f"sum:{name}"].to_numpy(),
                own[f"n:{name}"].to_numpy(),
                rubric.range(name.removeprefix(WITHOUT)),
            )
            for name in names
        }
        for key, own in parts.items()
    }
