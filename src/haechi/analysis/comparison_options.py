"""What a comparison was asked for beside its groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from haechi.frozen import frozen
from haechi.stats.corrections import Correction


@frozen
class ComparisonOptions:
    """The wishes of `haechi compare`.

    pair: the field whose equal values make pairs, `none` for no pairs, None to look for one; cluster: the field whose
    values are one person or query, likewise (`found`: it was looked for, and this is it); order: the groups from first to last, () for no order, None to look for
    one; margins: by score, what would not matter; outside: fields with a number to correlate scores with; first_last:
    compare the first and the last value of the field for everyone who is named in `pair`.
    """

    pair: str | None = None
    cluster: str | None = None
    order: tuple[str, ...] | None = None
    correction: Correction = "holm"
    margins: Mapping[str, float] = field(default_factory=dict)
    outside: tuple[str, ...] = ()
    first_last: bool = False
    found: bool = False

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that are named, beside those that make groups."""
        named = (self.pair, self.cluster, *self.outside)
        return tuple(dict.fromkeys(one for one in named if one not in (None, "none", "item")))

    @property
    def clusters(self) -> str | None:
        """The field of clusters, if there is one."""
        return None if self.cluster == "none" else self.cluster

    def or_cluster(self, field: str | None) -> ComparisonOptions:
        """The same with the clusters that were found, where none were asked for."""
        return self if self.cluster is not None or field is None else replace(self, cluster=field, found=True)


NOTHING_ASKED = ComparisonOptions()
