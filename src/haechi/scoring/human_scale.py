"""The scores that people would have given, beside those of the AI judges: of the whole set, and of groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from haechi.data.random_part import UNKNOWN_HOW, NoPart, RandomPart
from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.text import Text, language

if TYPE_CHECKING:
    from haechi.stats.human_scale import HumanScale
    from haechi.stats.ratings import Floats

NOT_OF_THESE = Text(
    "에이전트 실행과 둘씩 견준 답에서는 사람의 점수를 추정하지 않습니다",
    "of agent runs and of answers compared in pairs it is not estimated what people would have given",
)
EVERYTHING_RATED = Text("사람이 모든 항목을 평가했습니다", "people rated every item")
_KIND, _CODE = "kind", "cluster:"

Part = Callable[[], RandomPart | NoPart]


def unknown_part() -> NoPart:
    """Of ratings that came without a study nobody knows how their items were chosen."""
    return NoPart(UNKNOWN_HOW)


@frozen
class Panels:
    """One score: (items,) the names, (items, people) and (items, judges), NaN where missing, and (items,) the clusters."""

    items: tuple[str, ...]
    people: Floats
    judges: Floats
    clusters: Any = None


class HumanScores:
    """What people would have given, score by score, computed when it is first asked for.

    There is nothing to say where people or AI judges did not rate; nor of agent runs, which code measures, and of pairs, of
    which one system wins what the other loses.

    >>> import haechi
    >>> from haechi.scoring.batches import in_memory
    >>> rows = [(f"i{i:02}", "gpt", "ai", i % 5 / 4) for i in range(60)]
    >>> rows += [(f"i{i:02}", "ann", "human", float(i % 5 > 2)) for i in range(20)]
    >>> frame = pl.DataFrame(rows, schema=["item", "rater", "kind", "ssa"], orient="row")
    >>> part = RandomPart("declared", Text("무작위", "random"))
    >>> found = HumanScores(in_memory(frame), haechi.rubric("diary-comment"), ["ssa"], lambda: part)
    >>> found["ssa"].mean
    0.40 [0.25, 0.57]
    """

    def __init__(
        self, batches: Batches, rubric: Rubric, names: Sequence[str], part: Part, cluster: str | None = None
    ) -> None:
        self._batches, self._rubric, self.names, self._part = batches, rubric, tuple(names), part
        self._cluster = cluster
        self._found: dict[tuple[Any, ...], HumanScale] = {}

    @cached_property
    def _rows(self) -> pl.DataFrame:
        """One row per item and rater, of a rater with replicates the mean of these."""
        kept = [self._cluster] if self._cluster else []
        means = [pl.col(name).cast(pl.Float64).mean() for name in self.names]
        pieces = [
            frame.filter(pl.col(_KIND).is_in(["human", "ai"]))
            .group_by("item", "rater", _KIND, maintain_order=True)
            .agg(*means, *(pl.col(name).cast(pl.String).first().alias(_CODE) for name in kept))
            for frame in self._batches(["item", "rater", _KIND, *self.names, *kept])
        ]
        return pl.concat(pieces) if pieces else pl.DataFrame()

    @cached_property
    def is_there(self) -> bool:
        """Whether both people and AI judges rated what is neither a run nor a pair."""
        if self._rubric.item in ("run", "pair"):
            return False
        kinds: set[str] = set()
        for frame in self._batches([_KIND]):
            kinds |= set(frame[_KIND].unique())
            if {"human", "ai"} <= kinds:
                return True
        return False

    @cached_property
    def part(self) -> RandomPart | NoPart:
        """How the items that people rated were chosen; nothing has to be known where they rated all that judges did."""
        by_kind = self._rows.group_by("item").agg(pl.col(_KIND).unique())
        judged = by_kind.filter(pl.col(_KIND).list.contains("ai"))
        if judged.height and judged[_KIND].list.contains("human").all():
            return RandomPart("all", EVERYTHING_RATED)
        return self._part()

    @property
    def is_known(self) -> bool:
        """Whether it is known how the items that people rated were chosen."""
        return isinstance(self.part, RandomPart)

    @property
    def is_all(self) -> bool:
        """Whether people rated all that judges did, so that nothing is left to be estimated."""
        return isinstance(self.part, RandomPart) and self.part.how == "all"

    def __getitem__(self, name: str) -> HumanScale:
        """One score of the whole set."""
        return self.of(name)

    def of(self, name: str, items: frozenset[str] | None = None) -> HumanScale:
        """One score, of all items or of some."""
        key = (name, items)
        if key not in self._found:
            self._found[key] = self._estimate(name, items)
        return self._found[key]

    def groups(self, by: Sequence[str]) -> dict[tuple[str, ...], frozenset[str]]:
        """The items of every group, by the values of the fields that make it; items without one are in none."""
        found: dict[tuple[str, ...], set[str]] = {}
        for frame in self._batches(list(dict.fromkeys(["item", *by]))):
            rows = frame.select("item", *(pl.col(name).cast(pl.String) for name in by)).unique().drop_nulls()
            for item, *key in rows.iter_rows():
                found.setdefault(tuple(key), set()).add(item)
        return {key: frozenset(items) for key, items in sorted(found.items())}

    def values(self, field: str) -> dict[str, str]:
        """Of every item the value of a field; nothing where there is no such field."""
        try:
            frames = [frame.unique("item").drop_nulls() for frame in self._batches(["item", field])]
        except pl.exceptions.ColumnNotFoundError:  # pairs may also be found in the items' own names
            return {}
        return {item: str(value) for frame in frames for item, value in frame.iter_rows()}

    def panels(self, name: str, items: frozenset[str] | None = None) -> Panels:
        """What people and judges gave, item by item."""
        rows = self._rows if items is None else self._rows.filter(pl.col("item").is_in(list(items)))
        order = rows["item"].unique(maintain_order=True)
        people, judges = (
            _matrix(rows.filter(pl.col(_KIND) == kind), order, name) for kind in ("human", "ai")
        )
        codes = None
        if self._cluster:
            first = rows.group_by("item", maintain_order=True).agg(pl.col(_CODE).first())
            codes = first.select(pl.coalesce(_CODE, "item")).to_series().rank("dense").cast(pl.Int64) - 1
        return Panels(tuple(order), people, judges, None if codes is None else codes.to_numpy())

    def means(self, name: str, items: frozenset[str]) -> dict[str, tuple[float, float]]:
        """By item what people, of the part that counts, and what judges gave in the mean; NaN where nothing."""
        from haechi.stats.human_ai import panel_mean

        found = self.panels(name, items)
        people, judges = panel_mean(self._kept(found)), panel_mean(found.judges)
        return dict(zip(found.items, zip(map(float, people), map(float, judges), strict=True), strict=True))

    def _kept(self, found: Panels) -> Floats:
        """What people gave, of the items that count."""
        import numpy as np

        if not isinstance(self.part, RandomPart) or not self.part.chances:
            return found.people
        return np.where(np.array(self.part.keeps(found.items))[:, None], found.people, np.nan)

    def _estimate(self, name: str, items: frozenset[str] | None) -> HumanScale:
        import numpy as np

        from haechi.stats.human_scale import human_scale_mean
        from haechi.stats.item_draws import always_valid

        found, part = self.panels(name, items), self.part
        people, chances = self._kept(found), None
        if isinstance(part, RandomPart) and part.chances:
            chances = np.array([part.chances.get(item, np.nan) for item in found.items])
        estimated = human_scale_mean(people, found.judges, chances, self._rubric.range(name), found.clusters)
        if isinstance(part, NoPart):
            return of_no_part(estimated, part.why)
        if part.goal is not None and part.goal[0] == name and items is None:
            # People were asked until this score was known: its interval may be looked at on the way.
            return always_valid(estimated, part.goal[1], self._rubric.range(name))
        return estimated

    def as_json(self) -> dict[str, Any]:
        """How the part was chosen, for machines."""
        part = self.part
        if isinstance(part, NoPart):
            return {"how": None, "why": part.why.say(language())}
        return {"how": part.how, "said": part.said.say(language())}


def of_no_part(estimated: HumanScale, why: Text) -> HumanScale:
    """The same where the items that people rated are no random part, or nobody knows: what people would have given cannot be said."""
    from dataclasses import replace

    from haechi.stats.figure import Why, undefined

    none = undefined(Why(why.ko, why.say("en")), estimated.n_items)
    return replace(estimated, mean=none, these_items=none, new_raters=none, effective=None)


def _matrix(rows: pl.DataFrame, order: pl.Series, name: str) -> Floats:
    """(items, raters) of one kind, NaN where missing."""
    import numpy as np

    raters = rows["rater"].unique(maintain_order=True)
    place = {item: number for number, item in enumerate(order)}
    column = {rater: number for number, rater in enumerate(raters)}
    found = np.full((len(place), len(column)), np.nan)
    known = rows.drop_nulls(name)
    at = known["item"].replace_strict(place, return_dtype=pl.Int64).to_numpy()
    who = known["rater"].replace_strict(column, return_dtype=pl.Int64).to_numpy() if known.height else at
    found[at, who] = known[name].to_numpy()
    return found
