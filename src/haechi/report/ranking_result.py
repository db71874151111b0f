"""A ranking of any source, which shows itself in commands and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.analysis.ranking import Ranking, RankingOptions, ranking
from haechi.analysis.vote_columns import fields_of
from haechi.data.fields import Selection, Where, split_fields
from haechi.data.frames import Columns, Frame
from haechi.data.tables import AS_FOUND, TableReading
from haechi.data.votes import read_votes
from haechi.frozen import frozen
from haechi.report.table import Table
from haechi.report.tables.ranking import ranking_tables
from haechi.stats import SEED

if TYPE_CHECKING:
    import polars as pl


@frozen
class RankingResult(Ranking):
    """Systems by their strength: `strengths.systems` has them, strongest first, `position` the effect of the order."""

    @classmethod
    def of(cls, found: Ranking) -> RankingResult:
        """The same ranking, which can show itself."""
        return cls(**{one.name: getattr(found, one.name) for one in fields(Ranking)})

    def tables(self) -> list[Table | str]:
        """The strengths, who won against whom, and sentences."""
        return ranking_tables(self)

    def frame(self) -> pl.DataFrame:
        """One row for each system, of every group and criterion."""
        import polars as pl

        parts = [self, *self.groups, *(part for one in self.others.values() for part in (one, *one.groups))]
        rows = [
            {"criterion": part.criterion, **part.group, **_flat(system.as_json())}
            for part in parts
            for system in part.strengths.systems
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def __repr__(self) -> str:
        shown = ", ".join(f"{one.name} {one.strength!r}" for one in self.strengths.systems[:5])
        return f"<Ranking by {self.strengths.n:,} votes: {shown}>"

    def _repr_html_(self) -> str:
        from haechi.report.html_parts import as_html

        return as_html(self.tables())


def _flat(system: dict[str, object]) -> dict[str, object]:
    """A system's JSON with the two ends of an interval in columns of their own."""
    flat: dict[str, object] = {}
    for name, value in system.items():
        if name in ("ci95", "rank"):
            ends = value if isinstance(value, list) else [None, None]
            low, high = ("ci95_low", "ci95_high") if name == "ci95" else ("rank_best", "rank_worst")
            flat |= {low: ends[0], high: ends[1]}
        else:
            flat[name] = value
    return flat


def rank(
    source: str | Path | Frame | Columns,
    *,
    reference: str | None = None,
    by: str | Sequence[str] = (),
    where: Where | None = None,
    cluster_by: str | None = None,
    adjust: str | Sequence[str] = (),
    seed: int = SEED,
    reading: TableReading = AS_FOUND,
) -> RankingResult:
    """Strengths of systems from votes between two of them, as `haechi rank` says: of a study of pairs, a table, or a data frame.

    A table has the columns item, a, b and winner (a, b, tie, or a system's name), and may have rater, kind, order (ab or ba: which
    was shown first) and criterion; exports of arenas and judges' logs are known by their columns. Strengths are relative to
    `reference`. `by` ranks inside groups, `where` is what to look at. Intervals are over items and raters where these have
    several votes; `cluster_by` names others, "item,rater" both, "none" none. `adjust` takes out what a difference contributes,
    such as that of `length_a` and `length_b`.

    >>> votes = {"item": [*"123456"], "a": ["x"] * 6, "b": ["y"] * 6, "winner": ["a", "a", "a", "b", "tie", "a"]}
    >>> found = rank(votes, reference="y")
    >>> found.strengths.systems[0].name, round(float(found.strengths.systems[0].strength), 2)
    ('x', 1.39)
    """
    crossed = split_fields(by) if isinstance(by, str) else tuple(by)
    taken = split_fields(adjust) if isinstance(adjust, str) else tuple(adjust)
    asked = RankingOptions(
        reference,
        crossed,
        fields_of(cluster_by),
        taken,
        Selection.of(where or {}),
        seed,
        str(source) if isinstance(source, str | Path) else "",
    )
    if isinstance(source, str | Path) and Path(source).is_dir():
        from haechi.analysis.study_votes import study_votes
        from haechi.study.scores import StoredStudy

        return RankingResult.of(ranking(study_votes(StoredStudy(source)), asked))
    return RankingResult.of(ranking(read_votes(source, reading), asked))
