"""Reliability and agreement of a study or a ratings table: every figure of `haechi agree`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from haechi.analysis.habits import RaterHabits, ToRead, fitting_points, habits, reading_list
from haechi.analysis.judges import Judged, judge_people
from haechi.analysis.rating_table import Rated, RatingTable
from haechi.stats import SEED, Agreement, Figure, HumanAI, agreement, human_ai, lowest_agreement
from haechi.stats.figure import Lang, Why

COMPLETE_ITEMS = Why(
    "ICC와 Cronbach α는 모든 평가자가 평가한 항목(n_complete)으로, 나머지는 있는 평가 모두로 계산했습니다.",
    "ICC and Cronbach's α use the items rated by all raters (n_complete); all other figures use every rating.",
)
FIRST_REPLICATE = Why(
    "같은 항목을 여러 번 평가한 평가자는 값이 있는 첫 번째 평가만 일치도에 쓰고, 자기 일관성에는 모두 씁니다.",
    "Of raters who rated an item repeatedly, agreement uses the first replicate with a value; "
    "self-consistency uses all.",
)
THESE_RATERS = Why(
    "Krippendorff α의 구간은 항목을 다시 뽑아 구했으므로 이 평가자들에 대한 구간입니다.",
    "Intervals of Krippendorff's α resample items, so they hold for these raters.",
)


@dataclass(frozen=True)
class Panels:
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


@dataclass(frozen=True)
class AgreementReport:
    """What `haechi agree` found. `panels` and `judged` are there when the kinds of raters are known."""

    criteria: Mapping[str, Agreement]
    labels: Mapping[str, tuple[str, ...]]
    panels: Panels | None
    raters: tuple[RaterHabits, ...]
    reading_list: tuple[ToRead, ...]
    judged: Judged | None
    notes: tuple[Why, ...]
    seed: int

    @property
    def lowest(self) -> tuple[tuple[str, Figure], ...]:
        """The criteria with the lowest Krippendorff's α."""
        return lowest_agreement({name: found.krippendorff_alpha for name, found in self.criteria.items()})

    @property
    def headline(self) -> str:
        """The criterion to look at first: the last one (totals stand last) with a defined α."""
        defined = [
            name for name, found in self.criteria.items() if found.krippendorff_alpha.value is not None
        ]
        return (defined or list(self.criteria))[-1]

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """The contract of `haechi agree --json`."""
        said: dict[str, Any] = {"criteria": _each(self.criteria, lang)}
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
        return said | {"notes": [note.say(lang) for note in self.notes], "seed": self.seed}


def _each(block: Mapping[str, Any], lang: Lang) -> dict[str, Any]:
    return {name: found.as_json(lang) for name, found in block.items()}


def agreement_report(
    table: RatingTable, panels: bool | None = None, *, seed: int = SEED, epsilon: float = 0.2
) -> AgreementReport:
    """All figures about the raters of a table, one criterion after the other.

    panels: whether to set people and AI judges against each other; by default if there are both.

    >>> from haechi.analysis.rating_table import Key
    >>> import numpy as np
    >>> table = RatingTable(lambda i: f"s{i}")
    >>> for rater, values in {"ann": [4, 2, 5], "bo": [5, 2, 4]}.items():
    ...     table.put(Key("overall", rater, 1), "human", np.arange(3), np.array(values, float))
    >>> table.n_items = 3
    >>> found = agreement_report(table)
    >>> found.headline, found.criteria["overall"].n_ratings, [one.item for one in found.reading_list]
    ('overall', 6, ['s0', 's2'])
    """
    kinds = set(table.kinds.values())
    both = panels if panels is not None else {"human", "ai"} <= kinds
    found: dict[str, Agreement] = {}
    people: dict[str, Agreement] = {}
    judges: dict[str, Agreement] = {}
    against: dict[str, HumanAI] = {}
    to_read: list[ToRead] = []
    behaviour: dict[str, dict[str, Any]] = {}
    judged = Judged.empty(epsilon)
    for name in table.criteria:
        rated = table.rated(name)
        found[name] = _agreement(rated, rated.ratings, rated.raters, seed)
        behaviour[name] = habits(rated)
        to_read += reading_list(rated, table.item_name)
        if both:
            human, ai = rated.of("human"), rated.of("ai")
            people[name] = _agreement(rated, *human, seed)
            judges[name] = _agreement(rated, *ai, seed)
            against[name] = human_ai(human[0], ai[0], ai[1], rated.declared.level)
            judged.add(name, judge_people(rated, epsilon))
    return AgreementReport(
        criteria=found,
        labels={name: one.labels for name, one in table.declared.items()},
        panels=Panels(people, judges, against) if both else None,
        raters=RaterHabits.of(table, behaviour),
        reading_list=tuple(sorted(to_read, key=lambda one: -one.relative)),
        judged=judged if both else None,
        notes=(COMPLETE_ITEMS, *([FIRST_REPLICATE] if table.has_replicates else []), THESE_RATERS),
        seed=seed,
    )


def _agreement(rated: Rated, ratings: Any, raters: tuple[str, ...], seed: int) -> Agreement:
    points = fitting_points(ratings, rated.declared.points)
    return agreement(ratings, raters, rated.declared.level, points, seed=seed)
