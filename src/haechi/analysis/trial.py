"""Ways of judging tried on items that people rated, in a study of their own beside the real one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from haechi.analysis.study_beside import copy_prices, study_beside
from haechi.data.item import Item
from haechi.data.judging_protocol import Decoding
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.judge.asks import Examples, Judge
from haechi.judge.examples import examples_for, spread
from haechi.judge.human_answers import settled_items
from haechi.judge.judges import judges_of
from haechi.scoring.panel import means_by_item
from haechi.stats.corrections import holm
from haechi.stats.correlation import pearson
from haechi.stats.figure import Figure
from haechi.stats.mean_interval import mean_figure
from haechi.stats.paired import paired
from haechi.stats.sample import Sample
from haechi.store.folder import is_study
from haechi.store.item_sets import ItemSet, Member, find_set, keep_set, sets_of
from haechi.study.study import Study
from haechi.text import Lang, Text

FOLDER = "trial"
ITEMS, FEWEST, SHOWN = 30, 10, 4


@frozen
class JudgingWay:
    """One way of judging: how far it is from people, what it costs and how long it takes, per item."""

    rater: str
    n: int
    distance: Figure
    """The mean distance from the mean of people, as a share of the scale."""
    correlation: Figure
    dollars: Figure
    seconds: Figure
    calls: int


@frozen
class JudgingWayPair:
    """Two variants on the same items: by how much the first is further from people, and the p corrected over all pairs."""

    a: str
    b: str
    difference: Figure
    p: float | None


@frozen
class Trial:
    """What the variants came to, and what may be said of them."""

    score: str
    items: int
    examples: int
    variants: tuple[JudgingWay, ...]
    pairs: tuple[JudgingWayPair, ...]

    @property
    def further(self) -> dict[str, list[str]]:
        """Which variants were shown to be further from people, and than which others."""
        found: dict[str, list[str]] = {}
        for pair in self.pairs:
            if pair.p is not None and pair.p < 0.05 and pair.difference.value:
                worse, better = (pair.a, pair.b) if pair.difference.value > 0 else (pair.b, pair.a)
                found.setdefault(worse, []).append(better)
        return found

    @property
    def recommended(self) -> JudgingWay | None:
        """The cheapest of those that were not shown to be further from people than another; None without a price or a figure."""
        left = [
            one for one in self.variants if one.rater not in self.further and one.distance.value is not None
        ]
        priced = [one for one in left if one.dollars.value is not None]
        return min(priced, key=lambda one: one.dollars.value or 0.0) if len(priced) == len(left) > 0 else None

    def as_json(self, lang: Lang) -> dict[str, Any]:
        """For machines."""
        variants = [
            {
                "rater": one.rater,
                "n": one.n,
                "distance": one.distance.as_json(lang),
                "pearson": one.correlation.as_json(lang),
                "dollars_per_item": one.dollars.as_json(lang),
                "seconds_per_item": one.seconds.as_json(lang),
                "calls": one.calls,
            }
            for one in self.variants
        ]
        pairs = [
            {"a": one.a, "b": one.b, "difference": one.difference.as_json(lang), "p_corrected": one.p}
            for one in self.pairs
        ]
        best = self.recommended.rater if self.recommended is not None else None
        told = {"score": self.score, "items": self.items, "examples": self.examples}
        return {**told, "variants": variants, "pairs": pairs, "further": self.further, "recommended": best}


def trial_study(study: Study, count: int = ITEMS) -> Study:
    """The study in which ways of judging are tried: so many items that people rated, and the items that are shown as examples.

    It lies in the folder `trial` of the study and is made once; what is judged there never enters the study's figures.
    """
    folder = study.folder / FOLDER
    if is_study(folder):
        copy_prices(study, folder)
        return Study(folder)
    if study.rubric.item == "run":
        expected = Text("대화나 답을 평가하는 루브릭", "a rubric of dialogues or replies")
        todo = Text("--try를 빼세요", "leave out --try")
        raise HaechiError.of("--try", Text("에이전트 실행", "agent runs"), expected, todo)
    with study.database.read() as connection:
        eligible = settled_items(connection, study.rubric, least=0.0)
    known = {item.id: item for item in study.items({one.item for one in eligible})}
    eligible = [one for one in eligible if one.item in known and known[one.item].kind == study.rubric.item]
    if len(eligible) < FEWEST:
        found = Text(
            f"사람이 모두 평가한 항목 {len(eligible):,}개", f"{len(eligible):,} items rated whole by people"
        )
        expected = Text(f"{FEWEST}개 이상", f"at least {FEWEST}")
        todo = Text("사람의 평가를 먼저 모으세요", "collect ratings of people first")
        raise HaechiError.of("--try", found, expected, todo)
    wanted = {one.item for one in spread(eligible, min(count + SHOWN, len(eligible)))}
    return _made(study, folder, [known[one.item] for one in eligible if one.item in wanted])


def _made(study: Study, folder: Path, items: Sequence[Item]) -> Study:
    made = study_beside(study, folder, items)
    ids = [one.id for one in items]
    people = study.ratings().filter(
        pl.col("kind") == "human", pl.col("item").is_in(ids), pl.col("status") == "ok"
    )
    made.import_ratings(
        people.select("item", "criterion", "rater", "kind", "value", "evidence", "replicate", "stance")
    )
    return made


_ASKED_OTHERWISE = {
    "audit": ("batch", "repeat", "one-order", "examples", "then"),
    "try": ("batch", "repeat", "one-order", "examples", "then", "per"),
}


def check_alone(way: Literal["audit", "try"], options: Iterable[tuple[str, Any]]) -> None:
    """Refuse options that an audit or a trial would leave aside in silence: both ask live, every item and way once.

    >>> check_alone("audit", [("audit", 30), ("batch", False), ("per", "criterion")])
    """
    found = ", ".join(f"--{name}" for name, value in options if value and name in _ASKED_OTHERWISE[way])
    if found:
        expected = Text(f"--{way}만", f"--{way} alone")
        todo = Text(f"{found} 없이 실행하세요", f"run it without {found}")
        raise HaechiError.of(f"--{way}", found, expected, todo)


def variants_of(
    trial: Study, models: list[str], lang: Lang = "ko", decoding: Decoding | None = None
) -> list[Judge]:
    """Every model in three ways: the whole rubric, criterion by criterion, and the whole rubric with examples.

    One thing is changed at a time. The items that are examples are asked of nobody: all variants are tried on the same ones.
    """
    examples = None
    with trial.database.read() as connection:
        enough = len(settled_items(connection, trial.rubric)) >= FEWEST + SHOWN
    if enough:
        examples = examples_for(trial, SHOWN, lang)
    tried = _tried(trial, examples)
    judges: list[Judge] = []
    for plain in judges_of(trial, models, "rubric", lang, decoding=decoding):
        judges.append(plain)
        if sum(criterion.scale.counted for criterion in trial.rubric.criteria) > 1:
            judges.append(replace(plain, per="criterion"))
        if examples is not None:
            judges.append(replace(plain, examples=examples))
    return [replace(judge, among=tried) for judge in judges]


def _tried(trial: Study, examples: Examples | None) -> str:
    """The set of the items that are asked about: all but the examples."""
    with trial.database.write_alone() as connection:
        known = find_set(connection, examples.name) if examples is not None else None
        shown = {member.item for member in known.members} if known is not None else set()
        asked = tuple(Member(item.id, "tried") for item in trial.items() if item.id not in shown)
        return keep_set(connection, ItemSet("tried", "tried", {"examples": sorted(shown)}, asked)).name


def trial_of(trial: Study, raters: Sequence[str]) -> Trial:
    """What the variants came to, on the items that all of them judged."""
    scored = trial.rated_scores()
    main = trial.rubric.main_score(scored.names)
    low, high = trial.rubric.range(main)
    people = means_by_item(scored.frame.filter(kind="human"), main)
    given = {rater: means_by_item(scored.frame.filter(rater=rater, kind="ai"), main) for rater in raters}
    common = sorted(set(people).intersection(*given.values())) if given else []
    human = np.array([people[item] for item in common])
    apart = {
        r: np.abs(np.array([own[item] for item in common]) - human) / (high - low) for r, own in given.items()
    }
    spent = {rater: _spent(trial, rater, common) for rater in raters}
    variants = tuple(
        JudgingWay(
            rater,
            len(common),
            mean_figure(Sample.of(apart[rater]), (0.0, 1.0)),
            pearson(human, np.array([given[rater][item] for item in common])),
            mean_figure(Sample.of(spent[rater][0])),
            mean_figure(Sample.of(spent[rater][1])),
            spent[rater][2],
        )
        for rater in raters
    )
    return Trial(main, len(common), _shown(trial), variants, _pairs(apart))


def _pairs(apart: dict[str, np.ndarray[Any, Any]]) -> tuple[JudgingWayPair, ...]:
    """All pairs of variants, their p corrected by Holm over all of them."""
    tests = [(a, b, paired(apart[a], apart[b])) for a, b in combinations(apart, 2)]
    known = [test.t_test.p for _, _, test in tests if test.t_test.p is not None]
    own = iter(holm(known).tolist() if known else [])
    return tuple(
        JudgingWayPair(a, b, test.difference, next(own) if test.t_test.p is not None else None)
        for a, b, test in tests
    )


def _spent(
    trial: Study, rater: str, items: list[str]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], int]:
    """Dollars and seconds of every item, over all its calls; NaN where nobody knows."""
    with trial.database.read() as connection:
        rows = connection.rows(
            """SELECT item, sum(cost) AS cost, sum(CASE WHEN cost IS NULL THEN 1 ELSE 0 END) AS unknown,
                sum(seconds) AS seconds, count(*) AS calls FROM calls
            WHERE rater = :rater AND state = 'answered' AND item = ANY(:items) GROUP BY item""",
            rater=rater,
            items=items,
        )
    known = {row.item: row for row in rows}
    nan = float("nan")
    cost = [nan if (r := known.get(i)) is None or r.unknown or r.cost is None else r.cost for i in items]
    seconds = [nan if (r := known.get(i)) is None or r.seconds is None else r.seconds for i in items]
    return np.array(cost), np.array(seconds), sum(row.calls for row in rows)


def _shown(trial: Study) -> int:
    with trial.database.read() as connection:
        return sum(len(one.members) for one in sets_of(connection, "examples"))
