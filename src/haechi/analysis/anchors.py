"""Anchors: items of a study that judges are asked about again, apart from its figures, to see whether they still judge alike.

They are a study of their own in the folder `anchors` of the study: every look is a replicate there, and nothing of it
comes into the study's scores.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from haechi.analysis.comparability import JudgingDifference, Ways, differences, ways_of
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.stats.drift import Drift, drift
from haechi.stats.linking import ScaleLink, mean_sigma
from haechi.stats.ratings import Floats
from haechi.store.connection import Connection
from haechi.store.draws import drawable
from haechi.store.folder import ANCHORS, is_study
from haechi.store.judging_protocols import ProtocolUse, answered_calls, asked_ways, askings
from haechi.study.scores import StoredStudy
from haechi.study.study import Study
from haechi.text import Text

if TYPE_CHECKING:  # a report reads anchors and asks nobody
    from haechi.judge.asks import Judge


@frozen
class AnchorRound:
    """One time at which a judge was asked about the anchors; number 0 is what it gave in the study itself."""

    number: int
    at: str
    way: Mapping[str, tuple[str, ...]]
    scores: Floats


@frozen
class AnchoredJudge:
    """What the looks at one judge say of the main score.

    changed: what is known to differ between the first look and the last, such as the version that answered; link: from
    the scale before that change to the one after it; drift: over the looks that were asked like the last, where a change
    would be silent.
    """

    rater: str
    score: str
    looks: tuple[AnchorRound, ...]
    changed: tuple[JudgingDifference, ...]
    link: ScaleLink | None
    drift: Drift


def anchors_of(study: StoredStudy) -> Study | None:
    """The anchors of a study, None where none were drawn."""
    folder = study.folder / ANCHORS
    return Study(folder) if is_study(folder) else None


def anchors_to_ask(study: StoredStudy) -> Study | None:
    """The same for those who ask judges or fetch what they answered: with the prices that the study has now."""
    anchors = anchors_of(study)
    if anchors is not None:
        from haechi.analysis.study_beside import copy_prices

        copy_prices(study, anchors.folder)
    return anchors


def draw_anchors(study: Study, n: int, seed: int) -> Study:
    """Draw anchors, all items with the same chance; once drawn they stay, as that is what they are for."""
    from haechi.analysis.study_beside import study_beside

    if study.rubric.item == "pair" or study.run_files():
        found = Text("쌍을 견주는 스터디나 큰 실행 스터디", "pairs, or a large study of runs")
        expected = Text("항목을 하나씩 평가하는 스터디", "a study whose items are rated one by one")
        todo = Text("이런 스터디에는 앵커를 쓸 수 없습니다", "such a study cannot have anchors")
        raise HaechiError.of(str(study.folder), found, expected, todo)
    if anchors_of(study) is not None:
        found = Text("이미 뽑은 앵커가 있음", "anchors are drawn already")
        todo = Text("haechi anchors 스터디로 봅니다", "haechi anchors DIR shows them")
        raise HaechiError.of(str(study.folder / ANCHORS), found, Text("앵커 없음", "no anchors"), todo)
    with study.database.read() as connection:
        everything = drawable(connection)
    if n > len(everything):
        expected = Text(f"항목 {len(everything):,}개 이하", f"at most the {len(everything):,} items")
        raise HaechiError.of("--draw", str(n), expected, Text("수를 줄이세요", "draw fewer"))
    # Which items are anchors is no secret; anybody can draw the same again.
    chosen = sorted(Random(f"anchors:{seed}").sample(everything, n))  # noqa: S311
    made = study_beside(study, study.folder / ANCHORS, study.items(chosen))
    about = {"seed": seed, "drawn": n, "of": len(everything)}
    (made.folder / "draw.json").write_text(json.dumps(about), "utf-8")
    return made


def next_look(anchors: Study, rater: str) -> int:
    """The number of the look that a judge takes next: one more than it has answered."""
    with anchors.database.read() as connection:
        query = "SELECT max(replicate) FROM calls WHERE rater = :rater AND state = 'answered'"
        return int(connection.value(query, rater=rater) or 0) + 1


def needs_look(study: Study, rater: str) -> bool:
    """Whether a judge is asked in a way by which it has not seen the anchors, neither in the study nor in a look."""
    with study.database.read() as connection:
        ways = [way for way in asked_ways(connection) if way.rater == rater]
    if not ways:
        return False
    # Times are kept to the second; of two ways in the same one the later one in the journal is that of now.
    return _is_unseen(study, max(enumerate(ways), key=lambda one: (one[1].last, one[0]))[1])


def will_need_look(study: Study, judge: Judge) -> bool:
    """As `needs_look`, before a judge answers that has rated in the study before: which version will is not known yet."""
    with study.database.read() as connection:
        known = any(way.rater == judge.rater for way in asked_ways(connection))
    return known and _is_unseen(study, ProtocolUse(judge.rater, judge.asking, None, 0, "", ""))


def _is_unseen(study: Study, asked: ProtocolUse) -> bool:
    anchors, rater = anchors_of(study), asked.rater
    if anchors is None:
        return False
    score = study.rubric.main_score(study.rubric.score_names)
    looks = judge_looks(study, anchors, rater, score)
    now = ways_of([asked])
    return all(differences({"A": now, "B": {rater: one.way}}) for one in looks)


def anchored_judges(study: StoredStudy) -> tuple[AnchoredJudge, ...]:
    """What the looks at every judge say."""
    anchors = anchors_of(study)
    if anchors is None:
        return ()
    with anchors.database.read() as connection:
        raters = list(dict.fromkeys(way.rater for way in asked_ways(connection)))
    score = study.rubric.main_score(study.rubric.score_names)
    return tuple(_judge(rater, score, judge_looks(study, anchors, rater, score)) for rater in raters)


def _judge(rater: str, score: str, looks: tuple[AnchorRound, ...]) -> AnchoredJudge:
    last = looks[-1]
    alike = [one for one in looks if not _changed(rater, one, last)]
    others = [one for one in looks if _changed(rater, one, last)]
    link, found = None, drift(np.array([one.scores for one in alike]))
    if others and not found.alarm:
        old = [one for one in others if not _changed(rater, one, others[-1])]
        link = mean_sigma(*(mean_scores([one.scores for one in own]) for own in (old, alike)))
    changed = _changed(rater, others[-1], last) if others else ()
    return AnchoredJudge(rater, score, looks, changed, link, found)


def links_to(
    study: StoredStudy, rater: str, way: Mapping[str, tuple[str, ...]], names: Sequence[str]
) -> dict[str, ScaleLink]:
    """By score the link from what a judge gave in the study to what it gives when asked in another way, from the anchors."""
    anchors = anchors_of(study)
    if anchors is None:
        return {}
    found = {}
    for name in names:
        looks = judge_looks(study, anchors, rater, name)
        there = [
            one for one in looks if one.number and not differences({"A": {rater: way}, "B": {rater: one.way}})
        ]
        if there and drift(np.array([one.scores for one in there])).alarm:
            continue  # it changed in silence since: these looks are not of one scale
        if looks and looks[0].number == 0 and there:
            found[name] = mean_sigma(looks[0].scores, mean_scores([one.scores for one in there]))
    return found


def _changed(rater: str, first: AnchorRound, second: AnchorRound) -> tuple[JudgingDifference, ...]:
    return differences({f"#{first.number}": {rater: first.way}, f"#{second.number}": {rater: second.way}})


def mean_scores(looks: Sequence[Floats]) -> Floats:
    """(anchors,) the mean of what several looks gave, NaN where none gave anything."""
    given = np.array(looks)
    known = ~np.isnan(given)
    means: Floats = np.full(given.shape[1], np.nan)
    some = known.any(axis=0)
    means[some] = np.nanmean(given[:, some], axis=0)
    return means


def judge_looks(study: StoredStudy, anchors: Study, rater: str, score: str) -> tuple[AnchorRound, ...]:
    """The looks at one judge in their order, its ratings in the study first."""
    items = sorted(item.id for item in anchors.items())
    own = scores_of(study, rater, score, items).get(1)
    found = []
    with study.database.read() as connection:
        ways = _ways(connection, rater, items).get(1)
    if own is not None and ways is not None and not np.isnan(own).all():
        found.append(AnchorRound(0, *ways, own))
    with anchors.database.read() as connection:
        asked = _ways(connection, rater, items)
    for number, scores in sorted(scores_of(anchors, rater, score, items).items()):
        if number in asked and not np.isnan(scores).all():
            found.append(AnchorRound(number, *asked[number], scores))
    return tuple(found)


def scores_of(study: StoredStudy, rater: str, score: str, items: list[str]) -> dict[int, Floats]:
    """The score of every anchor by replicate, NaN where there is none."""
    found: dict[int, Floats] = {}
    place = {item: at for at, item in enumerate(items)}
    for frame in study.rated_scores().batches(["item", "rater", "replicate", score]):
        rows = frame.filter(
            (pl.col("rater") == rater) & pl.col("item").is_in(items) & pl.col(score).is_not_null()
        )
        for item, replicate, value in rows.select("item", "replicate", score).iter_rows():
            found.setdefault(int(replicate), np.full(len(items), np.nan))[place[item]] = value
    return found


def _ways(
    connection: Connection, rater: str, items: list[str]
) -> dict[int, tuple[str, Mapping[str, tuple[str, ...]]]]:
    """By replicate when the anchors were asked about, and how."""
    by, written = "replicate, asking, version", askings(connection)
    asked: dict[int, list[ProtocolUse]] = {}
    for row in answered_calls(connection, by, "max(at) AS at", [rater], items):
        use = ProtocolUse(rater, written.get(row.asking), row.version, 0, row.at, row.at)
        asked.setdefault(row.replicate, []).append(use)
    known: dict[int, Ways] = {number: ways_of(own) for number, own in asked.items()}
    return {number: (max(one.last for one in own), known[number][rater]) for number, own in asked.items()}
