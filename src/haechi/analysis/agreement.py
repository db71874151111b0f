"""Reliability and agreement of a study or a ratings table: every figure of `haechi agree`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from haechi.analysis.coefficient_registry import COEFFICIENTS
from haechi.analysis.habits import (
    READ_PER_CRITERION,
    Disputed,
    Habits,
    RaterHabits,
    ToRead,
    disputed_items,
    fitting_points,
    habits,
    reading_list,
)
from haechi.analysis.judges import Costs, Human, StandIns, judge_people
from haechi.analysis.rating_table import CriterionRatings, RatingTable
from haechi.frozen import frozen
from haechi.stats import SEED, Agreement, Figure, HumanAI, agreement, human_ai, lowest_agreement
from haechi.stats.figure import Lang, Why
from haechi.stats.human_ai import AgainstPeople
from haechi.stats.lazy import LazyMapping

if TYPE_CHECKING:
    from haechi.analysis.judge_quality import Instrument
    from haechi.scoring.own_figures import OwnFigures

COMPLETE_ITEMS = Why(
    "Cronbach α는 모든 평가자가 평가한 항목으로, 나머지는 있는 평가 모두로 계산했습니다. 모든 평가자가 모든 항목을 평가하지 않았으면 "
    "ICC는 REML로 추정한 분산 성분에서 나옵니다.",
    "Cronbach's α uses the items rated by all raters, all other figures use every rating. Where not every rater rated "
    "every item, the ICCs come from variance components (REML).",
)
FIRST_REPLICATE = Why(
    "같은 항목을 여러 번 평가한 평가자는 값이 있는 첫 번째 평가만 일치도에 쓰고, AI 평균과 사람 평균을 견줄 때는 점수처럼 그 평균을, 자기 일관성에는 모두를 씁니다.",
    "Of raters who rated an item repeatedly, agreement uses the first replicate with a value, the judges' mean against the "
    "people's their mean, as scores do, and self-consistency all of them.",
)
THESE_RATERS = Why(
    "Krippendorff α의 구간은 항목만 표본으로 보고 구했으므로 이 평가자들에 대한 구간입니다.",
    "Intervals of Krippendorff's α take items as the sample, so they hold for these raters.",
)


@frozen
class PanelAgreement:
    """People among themselves, AI judges among themselves, and the one against the other."""

    human_human: Mapping[str, Agreement]
    ai_ai: Mapping[str, Agreement]
    human_ai: Mapping[str, HumanAI]

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """Three blocks, each with its criteria."""
        blocks = {"human_human": self.human_human, "ai_ai": self.ai_ai, "human_ai": self.human_ai}
        said = {name: {"criteria": _each(block, lang)} for name, block in blocks.items()}
        # The criteria of the last block stand under their own names as well: scripts find them in both places.
        said["human_ai"] |= said["human_ai"]["criteria"]
        return said


@frozen
class AgreementReport:
    """What `haechi agree` found; every figure is computed when it is first asked for.

    `panels` and `judged` are there when the kinds of raters are known; `among` has the agreement of the raters of each
    kind among themselves; `table` the ratings behind it, where they are at hand; `costs` what every judge cost; `own` the
    criteria that items bring, on which raters agree criterion by criterion; `human` what people would have given.
    """

    criteria: Mapping[str, Agreement]
    labels: Mapping[str, tuple[str, ...]]
    panels: PanelAgreement | None
    judged: StandIns | None
    notes: tuple[Why, ...]
    seed: int
    among: Mapping[str, Mapping[str, Agreement]] = field(default_factory=dict)
    table: RatingTable | None = None
    costs: Costs = dict
    own: tuple[OwnFigures, ...] = ()
    human: Human | None = None

    @cached_property
    def instrument(self) -> Instrument | None:
        """The judges as instruments: accuracy, worth of the panel, severity, labels; None where only counts are kept."""
        from haechi.analysis.judge_quality import Instrument

        return None if self.table is None else Instrument(self.table, self.costs)

    @cached_property
    def habits(self) -> Mapping[str, Mapping[str, Habits]]:
        """Of every criterion how each rater behaves."""
        table = self.table
        return {} if table is None else LazyMapping(table.criteria, lambda name: habits(table.rated(name)))

    @cached_property
    def raters(self) -> tuple[RaterHabits, ...]:
        """How every rater behaves."""
        return () if self.table is None else RaterHabits.of(self.table, self.habits)

    @cached_property
    def reading_list(self) -> tuple[ToRead, ...]:
        """The items of every criterion on which raters differ most, the widest difference first."""
        return () if self.table is None else tuple(_to_read(self.table, READ_PER_CRITERION))

    @cached_property
    def disputed(self) -> tuple[Disputed, ...]:
        """Every item on which raters differ: in the order of the reading list, then the others by the same measure."""
        if self.table is None:
            return ()
        return disputed_items(_to_read(self.table, self.table.n_items))

    @property
    def is_pooled(self) -> bool:
        """Whether people and AI judges are together in `criteria`: such figures are put in no words."""
        if self.table is None:  # a cluster makes panels only where there are both
            return self.panels is not None
        return {"human", "ai"} <= set(self.table.kinds.values())

    @property
    def lowest(self) -> tuple[tuple[str, Figure], ...]:
        """The criteria with the lowest Krippendorff's α."""
        return lowest_agreement({name: found.krippendorff_alpha for name, found in self.criteria.items()})

    @property
    def headline(self) -> str:
        """The criterion to look at first: the last one (totals stand last) with a defined α, what code rates too after all others."""
        defined = [
            name for name, found in self.criteria.items() if found.krippendorff_alpha.value is not None
        ]
        table = self.table
        rated = [name for name in defined if table is None or "code" not in table.rated(name).kinds]
        return (rated or defined or list(self.criteria))[-1]

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """The contract of `haechi agree --json`."""
        readings = not self.is_pooled
        every = {name: found.as_json(lang, readings) for name, found in self.criteria.items()}
        said: dict[str, Any] = {"criteria": every}
        for name, labels in self.labels.items():
            if labels:
                said["criteria"][name]["labels"] = list(labels)
        said |= self.panels.as_json(lang) if self.panels else {}
        said["raters"] = [one.as_json(lang) for one in self.raters]
        said["lowest_agreement"] = [
            {"criterion": name, "krippendorff_alpha": found.as_json(lang)} for name, found in self.lowest
        ]
        said["reading_list"] = [one.as_json(lang) for one in self.reading_list]
        said |= self.judged.as_json(lang) if self.judged else {}
        said |= (
            {"verdicts": {one.criterion.score: one.agreement_json(lang) for one in self.own}}
            if self.own
            else {}
        )
        return said | {"notes": [note.say(lang) for note in self.notes], "seed": self.seed}


def _each(block: Mapping[str, Any], lang: Lang) -> dict[str, Any]:
    return {name: found.as_json(lang) for name, found in block.items()}


def agreement_report(
    table: RatingTable,
    panels: bool | None = None,
    *,
    seed: int = SEED,
    epsilon: float = 0.2,
    costs: Costs = dict,
    human: Human | None = None,
) -> AgreementReport:
    """All figures about the raters of a table, each when it is first asked for.

    panels: whether to set people and AI judges against each other; by default if there are both. human: what people would
    have given, of a study.

    >>> from haechi.analysis.rating_table import ColumnKey
    >>> import numpy as np
    >>> table = RatingTable(lambda i: f"s{i}")
    >>> for rater, values in {"ann": [4, 2, 5], "bo": [5, 2, 4]}.items():
    ...     table.put(ColumnKey("overall", rater, 1), "human", np.arange(3), np.array(values, float))
    >>> table.n_items = 3
    >>> found = agreement_report(table)
    >>> found.headline, found.criteria["overall"].n_ratings, [one.item for one in found.reading_list]
    ('overall', 6, ['s0', 's2'])
    """
    kinds = set(table.kinds.values())
    both = panels if panels is not None else {"human", "ai"} <= kinds
    names = table.criteria

    def of(kind: str) -> Mapping[str, Agreement]:
        if kinds == {kind}:
            return every
        return LazyMapping(names, lambda name: _agreement(table.rated(name), seed, kind))

    every = LazyMapping(names, lambda name: _agreement(table.rated(name), seed))
    among = {kind: of(kind) for kind in ("human", "ai")}
    tested = LazyMapping(names, lambda name: judge_people(table.rated(name), epsilon, human))
    return AgreementReport(
        criteria=every,
        labels={name: one.labels for name, one in table.declared.items()},
        panels=PanelAgreement(
            among["human"], among["ai"], LazyMapping(names, lambda name: against_people(table.rated(name)))
        )
        if both
        else None,
        judged=StandIns(epsilon, tested) if both else None,
        notes=(COMPLETE_ITEMS, *([FIRST_REPLICATE] if table.has_replicates else []), THESE_RATERS),
        seed=seed,
        among=among,
        table=table,
        costs=costs,
        human=human,
    )


def against_people(rated: CriterionRatings) -> HumanAI:
    """The AI judges against the people, item means as in scores; majorities are those of first replicates."""
    judges, who = rated.of("ai")
    level = rated.declared.level
    first = human_ai(rated.of("human")[0], judges, who, level)
    if level == "nominal" or not rated.replicates:
        return first
    means = human_ai(rated.means_of("human"), rated.means_of("ai"), who, level)
    return HumanAI(
        _with_majority(means.panel, first.panel),
        lambda: tuple(
            (name, _with_majority(one, own))
            for (name, one), (_, own) in zip(means.judges, first.judges, strict=True)
        ),
    )


def _with_majority(means: AgainstPeople, first: AgainstPeople) -> AgainstPeople:
    """A mean of replicates is no value that a majority could have chosen."""
    return replace(
        means,
        majority_agreement=first.majority_agreement,
        majority_kappa=first.majority_kappa,
        n_ties=first.n_ties,
    )


def _agreement(rated: CriterionRatings, seed: int, kind: str | None = None) -> Agreement:
    """The agreement of all raters, or of those of one kind."""
    ratings, raters = (rated.ratings, rated.raters) if kind is None else rated.of(kind)
    points = fitting_points(ratings, rated.declared.points)
    return agreement(ratings, raters, rated.declared.level, points, seed=seed, known=COEFFICIENTS.all())


def _to_read(table: RatingTable, most: int) -> list[ToRead]:
    """Of every criterion the items on which raters differ most, at most so many; the widest difference first."""
    found = [one for name in table.criteria for one in reading_list(table.rated(name), table.item_name, most)]
    return sorted(found, key=lambda one: -one.relative)
