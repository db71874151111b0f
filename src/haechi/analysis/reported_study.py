"""A study as a report sees it: read once, and on request without the names of people."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.study.scores import StoredStudy

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    import polars as pl

    from haechi.rubrics.model import Missing
    from haechi.scoring.score_table import ScoreTable


class ReportedStudy(StoredStudy):
    """The same study; what several parts of a report start from is read once.

    When anonymous, people are called person-1, person-2 … in the order of a hash of their names, which keeps
    the number from telling who rated first. Models and code keep their names: they are instruments, and a
    report without them could not be repeated. Who rated in studies `beside` this one has the same pseudonym there.
    """

    def __init__(
        self, study: StoredStudy | str | Path, anonymous: bool = False, beside: Sequence[Path] = ()
    ) -> None:
        if isinstance(study, StoredStudy):  # which is open already
            self.folder, self.settings = study.folder, study.settings
            self.database, self.rubric = study.database, study.rubric
            self.selection, self.made_of, self.panel = study.selection, study.made_of, study.panel
            self._only = study._only
        else:
            super().__init__(study)
        self.anonymous = anonymous
        self._beside = beside
        if anonymous:  # whom the selection names has a pseudonym here
            self.selection = self.selection.renamed("rater", self._pseudonyms)
        self._scored: dict[tuple[Missing | None, tuple[str, ...]], ScoreTable] = {}
        self._meta: dict[tuple[str, ...], pl.DataFrame] = {}

    def all_ratings(self) -> pl.DataFrame:
        """The ratings in force, with pseudonyms for people when anonymous."""
        return self._all_ratings

    def ratings(self) -> pl.DataFrame:
        """Those that are selected, kept."""
        return self._ratings

    @cached_property
    def _ratings(self) -> pl.DataFrame:
        return super().ratings()

    def rated_scores(self, missing: Missing | None = None, exclude: tuple[str, ...] = ()) -> ScoreTable:
        """What the ratings come to, kept: several parts of a report start from them."""
        if (missing, exclude) not in self._scored:
            self._scored[missing, exclude] = super().rated_scores(missing, exclude)
        return self._scored[missing, exclude]

    def meta_fields(self) -> list[str]:
        """The meta fields that items have."""
        return self._meta_fields

    @cached_property
    def _meta_fields(self) -> list[str]:
        return super().meta_fields()

    def meta(self, fields: Collection[str]) -> pl.DataFrame:
        """Some meta fields of all items, kept."""
        import polars as pl

        if tuple(fields) not in self._meta:
            self._meta[tuple(fields)] = pl.concat(super().meta_pieces(fields))
        return self._meta[tuple(fields)]

    def meta_pieces(self, fields: Collection[str]) -> Iterator[pl.DataFrame]:
        """Some meta fields of all items; from what is kept, unless there are too many items to keep anything."""
        if self.run_files():
            yield from super().meta_pieces(fields)
        else:
            yield self.meta(self.meta_fields()).select("item", *fields)

    @cached_property
    def _all_ratings(self) -> pl.DataFrame:
        import polars as pl

        ratings = super().all_ratings()
        if not self.anonymous:
            return ratings
        return ratings.with_columns(
            pl.when(pl.col("kind") == "human")
            .then(pl.col("rater").replace(self._pseudonyms))
            .otherwise("rater")
            .alias("rater")
        )

    @cached_property
    def _pseudonyms(self) -> dict[str, str]:
        import polars as pl

        known = [super().all_ratings(), *(StoredStudy(folder).ratings() for folder in self._beside)]
        raters = pl.concat(one.select("rater", "kind") for one in known).unique()
        people = raters.filter(pl.col("kind") == "human")["rater"].unique().to_list()
        others = set(raters.filter(pl.col("kind") != "human")["rater"].to_list())
        return pseudonyms(people, others)


def pseudonyms(people: list[str], taken: set[str]) -> dict[str, str]:
    """A pseudonym for everyone; the same people always get the same ones.

    >>> sorted(pseudonyms(["kim", "lee"], {"person-1"}).values())
    ['person-2', 'person-3']
    """
    from hashlib import sha256
    from itertools import count

    free = (f"person-{number}" for number in count(1) if f"person-{number}" not in taken)
    ordered = sorted(people, key=lambda name: sha256(name.encode("utf-8", "surrogatepass")).digest())
    return dict(zip(ordered, free, strict=False))
