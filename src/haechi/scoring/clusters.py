"""Items that come in clusters, as sessions of a student, turns of a dialogue and runs of a query do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import polars as pl

from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.scoring.panel import panel_means
from haechi.scoring.runs.points import WITHOUT
from haechi.scoring.tally import Counts

if TYPE_CHECKING:
    from haechi.stats.figure import Figure
    from haechi.stats.mean_interval import Bounds

_PEOPLE = {"student", "user", "participant", "subject", "learner", "person", "pupil", "respondent", "speaker"}
_PEOPLE |= {"학생", "사용자", "참여자", "참가자", "피험자", "학습자", "응답자", "화자"}
_TALKS = frozenset(["dialogue", "dialog", "conversation", "대화"])
_QUERIES = frozenset(["query", "질의"])
_NUMBERED = ("id", "no", "번호", "name", "이름", "code")
_DIGITS = 12
FEWEST = 3  # two values are as often roles, such as viewer and guest, as two persons
_BY = "by:"  # kept apart from the columns of a study
CLUSTER, SUM, N = "\0cluster", "\0sum:", "\0n:"


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


def cluster_of(field: str, item: str = "item") -> pl.Expr:
    """The cluster of every row: its value of the field; an item without one is a cluster of its own, whatever it is called."""
    return pl.coalesce(pl.col(field).cast(pl.String), pl.format("\0{}", item)).alias(CLUSTER)


def cluster_sums(
    pieces: Iterable[pl.DataFrame], field: str, names: Sequence[str], keys: Sequence[str] = ()
) -> pl.DataFrame:
    """Of every cluster in every group, by the columns `keys`: its rows, and of every name how many values and their sum.

    A row for each (`CLUSTER`), in their order, with the columns `N`, `N + name` and `SUM + name`; no columns where there
    are no pieces. In memory stay clusters and groups, never rows.

    >>> rows = pl.DataFrame({"item": ["a", "b", "kim"], "student": ["kim", "kim", None], "total": [2.0, 3.0, 5.0]})
    >>> cluster_sums([rows[:1], rows[1:]], "student", ["total"])[SUM + "total"].to_list()
    [5.0, 5.0]
    """
    counts = Counts([*keys, CLUSTER])
    rows = pl.len().cast(pl.Int64).alias(N)
    sizes = [pl.col(name).count().cast(pl.Int64).alias(N + name) for name in names]
    sums = [pl.col(name).cast(pl.Float64).sum().alias(SUM + name) for name in names]
    for piece in pieces:
        counts.keep(piece.group_by(*keys, cluster_of(field)).agg(rows, *sizes, *sums))
    if not counts:
        return pl.DataFrame()
    # Sums depend in their last digits on the order of the rows, which pieces change. What is rounded is less than a share
    # of NOISE, or clusters that do not differ would seem to.
    exact = [pl.col(SUM + name).round_sig_figs(_DIGITS) for name in names]
    return counts.total().with_columns(exact).sort(CLUSTER, *keys)


def several_in_one(found: pl.DataFrame) -> bool:
    """Whether any of these clusters has two rows or more; else they are the items themselves."""
    return found.width > 0 and found[N].max() not in (None, 0, 1)


def mean_over_clusters(
    found: pl.DataFrame, name: str, bounds: Bounds | None = None, level: float = 0.95
) -> Figure:
    """The mean of one of the names with its interval over the clusters."""
    from haechi.stats.population import clustered_mean

    return clustered_mean(found[SUM + name].to_numpy(), found[N + name].to_numpy(), bounds, level)


def clustered_means(
    batches: Batches, rubric: Rubric, names: Sequence[str], field: str, by: Sequence[str] = ()
) -> dict[tuple[str | None, ...], dict[str, Figure]]:
    """Of every group every score's mean with its interval over clusters, by the values of the fields `by`; `()` is the whole set.

    An item without a value of the field is a cluster of its own. Nothing where every item is one, or where the groups
    are the clusters themselves.
    """
    if field in by:
        return {}
    keys = {_BY + name: pl.col(name).cast(pl.String) for name in by}
    pieces = (
        panel_means(frame, names, list(dict.fromkeys([*by, "item"])), [field]).with_columns(**keys)
        for frame in batches(list(dict.fromkeys(["item", "rater", *by, field, *names])))
    )
    found = cluster_sums(pieces, field, names, list(keys))
    if not several_in_one(found):
        return {}
    parts = found.partition_by(list(keys), as_dict=True) if keys else {(): found}
    return {
        key: {name: mean_over_clusters(own, name, rubric.range(name.removeprefix(WITHOUT))) for name in names}
        for key, own in parts.items()
    }
