"""A study whose people have no names: for reports that leave the house."""

from __future__ import annotations

from typing import TYPE_CHECKING

from haechi.study import Study

if TYPE_CHECKING:
    import polars as pl


class AnonymousStudy(Study):
    """The same study; people are called person-1, person-2 … in the order of a hash of their names.

    The order of a hash keeps the number from telling who rated first. Models and code keep their names: they
    are instruments, and a report without them could not be repeated.
    """

    def ratings(self) -> pl.DataFrame:
        """The ratings in force, with pseudonyms for people."""
        import polars as pl

        ratings = super().ratings()
        people = ratings.filter(pl.col("kind") == "human")["rater"].unique().to_list()
        others = set(ratings.filter(pl.col("kind") != "human")["rater"].to_list())
        return ratings.with_columns(
            pl.when(pl.col("kind") == "human")
            .then(pl.col("rater").replace(pseudonyms(people, others)))
            .otherwise("rater")
            .alias("rater")
        )


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
