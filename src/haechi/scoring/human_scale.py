"""The scores that people would have given, beside those of the AI judges: of the whole set, and of groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from haechi.data.random_part import UNKNOWN_HOW, NoPart, RandomPart
from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches, no_items
from haechi.scoring.cells import KIND, Cells
from haechi.scoring.clusters import cluster_of
from haechi.scoring.panel import panel_means
from haechi.scoring.run_panels import BY_RULE, runs_as_rated
from haechi.text import Text, language

if TYPE_CHECKING:
    from haechi.stats.human_scale import HumanScale
    from haechi.stats.ratings import Floats, Integers

NOT_OF_THESE = Text(
    "둘씩 견준 답에서는 사람의 점수를 추정하지 않습니다",
    "of answers compared in pairs it is not estimated what people would have given",
)
NOBODY = Text("사람이 이 점수를 평가하지 않았습니다", "people did not rate this")
EVERYTHING_RATED = Text("사람이 모든 항목을 평가했습니다", "people rated every item")
_CODE = "cluster:"

PartSource = Callable[[], RandomPart | NoPart]


def unknown_part() -> NoPart:
    """Of ratings that came without a study nobody knows how their items were chosen."""
    return NoPart(UNKNOWN_HOW)


@frozen
class PanelScores:
    """One score: (items,) the names, (items, people) and (items, judges), NaN where missing, and (items,) the clusters.

    by_rule: (items,) the score of runs that failed, which a rule decides; None where items are no runs.
    """

    items: tuple[str, ...]
    people: Floats
    judges: Floats
    clusters: Integers | None = None
    by_rule: Floats | None = None


class ItemMeans(NamedTuple):
    """One item: what people and what judges gave in the mean, NaN where nothing; its cluster, and whether a rule decides it."""

    people: float
    judges: float
    cluster: int
    by_rule: bool


class HumanScores:
    """What people would have given, score by score, computed when it is first asked for.

    There is nothing to say where people or AI judges did not rate; nor of pairs, of which one system wins what the other
    loses. Of agent runs code is the judge of what it measures: `beside` are the scores for which people gave points too.

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
        self,
        batches: Batches,
        rubric: Rubric,
        names: Sequence[str],
        part: PartSource,
        cluster: str | None = None,
        beside: Sequence[str] = (),
        passes: Mapping[str, float] | None = None,
    ) -> None:
        self._batches, self._rubric, self.names, self._part = batches, rubric, tuple(names), part
        self._cluster, self._given = cluster, batches
        self.passes = {name: limit for name, limit in (passes or {}).items() if name in names}
        measured = {c.score for c in rubric.criteria if c.rated_by == "code"} & {*beside}
        self._enough = {"human"} if measured else {"human", "ai"}
        if rubric.item == "run":
            self._batches = runs_as_rated(batches, rubric, names, beside)
        self._found: dict[tuple[Any, ...], HumanScale] = {}
        self._placed: dict[frozenset[str] | None, Cells] = {}

    @cached_property
    def _rows(self) -> pl.DataFrame:
        """One row per item and rater, of a rater with replicates the mean of these."""
        kept = [self._cluster] if self._cluster else []
        codes = [pl.col(name).cast(pl.String).alias(_CODE) for name in kept]
        keys = ["item", "rater", KIND]
        pieces = [
            panel_means(
                frame.filter(pl.col(KIND).is_in(["human", "ai", BY_RULE])).with_columns(codes),
                self.names,
                keys,
                [_CODE] if kept else [],
            )
            for frame in self._batches([*keys, *self.names, *kept])
        ]
        return pl.concat(pieces) if pieces else pl.DataFrame()

    @cached_property
    def is_there(self) -> bool:
        """Whether both people and AI judges rated, or people what code measures of runs.

        Pairs are no scores, and of items that were left on a cluster nothing but the summary is there.
        """
        if self._rubric.item == "pair" or self._given is no_items:
            return False
        kinds: set[str] = set()
        for frame in self._given([KIND]):
            kinds |= set(frame[KIND].unique())
            if self._enough <= kinds:
                return True
        return False

    @cached_property
    def part(self) -> RandomPart | NoPart:
        """How the items that people rated were chosen; nothing has to be known where they rated all that judges did."""
        by_kind = self._rows.group_by("item").agg(pl.col(KIND).unique())
        judged = by_kind.filter(pl.col(KIND).list.contains("ai"))
        if judged.height and judged[KIND].list.contains("human").all():
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
        from haechi.data.group_order import group_orders, in_order

        found: dict[tuple[str, ...], set[str]] = {}
        for frame in self._batches(list(dict.fromkeys(["item", *by]))):
            rows = frame.select("item", *(pl.col(name).cast(pl.String) for name in by)).unique().drop_nulls()
            for item, *key in rows.iter_rows():
                found.setdefault(tuple(key), set()).add(item)
        return {key: frozenset(found[key]) for key in in_order(found, group_orders(by, found))}

    def values(self, field: str) -> dict[str, str]:
        """Of every item the value of a field; nothing where there is no such field."""
        try:
            frames = [frame.unique("item").drop_nulls() for frame in self._batches(["item", field])]
        except pl.exceptions.ColumnNotFoundError:  # pairs may also be found in the items' own names
            return {}
        return {item: str(value) for frame in frames for item, value in frame.iter_rows()}

    def panels(self, name: str, items: frozenset[str] | None = None) -> PanelScores:
        """What people and judges gave, item by item."""
        cells = self._cells(items)
        people, judges, ruled = cells.matrices(name)
        by_rule = ruled[:, 0] if ruled.shape[1] else None
        return PanelScores(cells.items, people, judges, cells.clusters, by_rule)

    def _cells(self, items: frozenset[str] | None) -> Cells:
        """Where everything that was given stands, the same for all scores."""
        if items not in self._placed:
            rows = self._rows if items is None else self._rows.filter(pl.col("item").is_in(list(items)))
            codes = None
            if self._cluster:
                first = rows.group_by("item", maintain_order=True).agg(pl.col(_CODE).first())
                codes = first.select(cluster_of(_CODE)).to_series().rank("dense").cast(pl.Int64) - 1
            self._placed[items] = Cells.of(rows, None if codes is None else codes.to_numpy())
        return self._placed[items]

    def means(self, name: str, items: frozenset[str]) -> dict[str, ItemMeans]:
        """By item what people, of the part that counts, and what judges gave in the mean; of what a rule decides that is both."""
        import numpy as np

        from haechi.stats.human_ai import panel_mean

        found = self.panels(name, items)
        people, judges = panel_mean(self._kept(found)), panel_mean(found.judges)
        codes = range(len(found.items)) if found.clusters is None else found.clusters.tolist()
        ruled = np.full(len(found.items), np.nan) if found.by_rule is None else found.by_rule
        decided = ~np.isnan(ruled)
        people, judges = (np.where(decided, ruled, one) for one in (people, judges))
        given = zip(people.tolist(), judges.tolist(), codes, decided.tolist(), strict=True)
        return {item: ItemMeans(*one) for item, one in zip(found.items, given, strict=True)}

    def _kept(self, found: PanelScores) -> Floats:
        """What people gave, of the items that count."""
        import numpy as np

        if not isinstance(self.part, RandomPart) or not self.part.chances:
            return found.people
        return np.where(np.array(self.part.keeps(found.items))[:, None], found.people, np.nan)

    def said_of(self, name: str, items: frozenset[str] | None = None) -> dict[str, Any]:
        """One score for machines, of all items or of some; where it can pass, the share that people would let pass too."""
        said = self.of(name, items).as_json(language())
        if name in self.passes:
            rate = self.pass_rate(name, self.passes[name], items)
            said["pass_rate"] = {"at_least": self.passes[name], **rate.as_json(language())}
        return said

    def pass_rate(self, name: str, at_least: float, items: frozenset[str] | None = None) -> HumanScale:
        """The share of items, of all or of some, that people would have given at least so much."""
        from haechi.stats.human_pass_rate import human_pass_rate

        found, part = self.panels(name, items), self.part
        known = (self._chances(found), found.clusters, found.by_rule)
        estimated = human_pass_rate(self._kept(found), found.judges, at_least, *known)
        return of_no_part(estimated, part.why) if isinstance(part, NoPart) else estimated

    def _chances(self, found: PanelScores) -> Floats | None:
        import numpy as np

        if not isinstance(self.part, RandomPart) or not self.part.chances:
            return None
        return np.array([self.part.chances.get(item, np.nan) for item in found.items])

    def _estimate(self, name: str, items: frozenset[str] | None) -> HumanScale:
        from haechi.stats.human_scale import human_scale_mean
        from haechi.stats.item_draws import always_valid
        from haechi.stats.reasons import NEED_NUMBERS

        found, part, bounds = self.panels(name, items), self.part, self._rubric.range(name)
        chances = self._chances(found)
        estimated = human_scale_mean(
            self._kept(found), found.judges, chances, bounds, found.clusters, found.by_rule
        )
        if self._rubric.item == "run" and not estimated.n_human:
            return of_no_part(estimated, NOBODY)
        if isinstance(part, NoPart):
            return of_no_part(estimated, part.why)
        if not self._rubric.has_mean(name):
            return of_no_part(estimated, Text(*NEED_NUMBERS))
        if part.goal is not None and part.goal[0] == name and items is None:
            # People were asked until this score was known: its interval may be looked at on the way.
            return always_valid(estimated, part.goal[1], bounds)
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
