"""The first words of the dashboard: how good and how sure, as the report says it, and what comes next."""

from __future__ import annotations

from collections.abc import Mapping

from haechi.frozen import frozen
from haechi.report.answer import how_good, how_sure
from haechi.report.tables.human_scale import human_sentence
from haechi.report.words import said, score_label
from haechi.rubrics import Rubric
from haechi.text import Text, language, plural
from haechi.web.adaptive_desk import AdaptiveProgress, words_of
from haechi.web.dashboard import Dashboard
from haechi.web.figures import Figures


@frozen
class FirstWords:
    """Three short sentences, in the visitor's language, and where the next step is done (below the study's address)."""

    good: str
    sure: str
    todo: Text
    where: str


def first_words(
    seen: Dashboard,
    rubric: Rubric,
    numbers: Mapping[str, int],
    overlap: int | None,
    standing: AdaptiveProgress | None = None,
) -> FirstWords:
    """What the owner would ask first; standing: how far it is, where people are asked until enough is known."""
    todo, where = _next(seen, numbers, overlap, standing)
    scored = seen.figures.scored
    return FirstWords(_good(seen, rubric), how_sure(scored) if scored is not None else "", todo, where)


def _good(seen: Dashboard, rubric: Rubric) -> str:
    if seen.figures.scored is not None:
        return how_good(seen.figures.scored)
    if rubric.item == "run" and seen.items:
        return said("점수는 보고서에서 볼 수 있습니다.", "The scores are in the report.")
    return said("아직 점수가 없습니다.", "There is no score yet.")


def human_words(rubric: Rubric, figures: Figures, standing: AdaptiveProgress | None) -> list[str]:
    """What people would have given, and how far the asking is; nothing where there are no ratings of people and AI judges."""
    told: list[str] = []
    if standing is not None:
        told += [words.say(language()) for words in words_of(standing, score_label(rubric, standing.score))]
    scored = figures.scored
    if scored is not None and scored.human.is_there and not scored.human.is_all:
        told.append(human_sentence(rubric, scored.human, scored.main))
    return told


def _next(
    seen: Dashboard, numbers: Mapping[str, int], overlap: int | None, standing: AdaptiveProgress | None
) -> tuple[Text, str]:
    """The first thing that is left to do."""
    if not seen.items:
        return Text("평가할 자료를 올리세요", "Bring in what is to be judged"), "/owner/files"
    if not (seen.raters or seen.guests.began or seen.imported or seen.figures.judges):
        return Text("평가자를 초대하세요", "Invite raters"), "/owner/raters"
    concerned = sum(bool(rater.concerns) for rater in seen.raters)
    if concerned:
        return Text(
            f"살펴볼 평가자 {concerned}명을 확인하세요", f"Look at {plural(concerned, 'rater')}"
        ), "/owner#raters"
    if seen.waiting:
        words = Text(
            f"평가자의 메모 {seen.waiting}건에 답하세요", f"Answer {plural(seen.waiting, 'note')} of raters"
        )
        return words, "/owner#notes"
    wanted = overlap or len([rater for rater in seen.raters if rater.link == "open"])
    open_items = sum(items for raters, items in seen.coverage if raters < wanted)
    if standing is not None and not standing.reached:
        return Text(
            "사람의 평가를 더 기다리는 중입니다", "Waiting for more ratings of people"
        ), "/owner#human-scale"
    if seen.raters and open_items and standing is None:
        return (
            Text(
                f"평가가 남은 항목 {open_items}개를 기다리는 중입니다",
                f"Waiting for ratings of {plural(open_items, 'item')}",
            ),
            "/owner#raters",
        )
    disputed = seen.undecided
    if disputed and disputed[0] in numbers:
        words = Text(
            f"갈린 항목 {len(disputed)}개를 결정하세요", f"Decide {plural(len(disputed), 'disputed item')}"
        )
        return words, f"/owner/items/{numbers[disputed[0]]}"
    return Text("보고서를 읽으세요", "Read the report"), "/owner/report"
