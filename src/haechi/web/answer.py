"""The first sentence of the dashboard: how good, how sure, what next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from haechi.report.numbers import number
from haechi.rubrics import Rubric
from haechi.stats import Figure
from haechi.text import Text
from haechi.web.asking import Standing
from haechi.web.dashboard import Dashboard

_WHO = {"human": Text("사람", "people"), "ai": Text("AI", "AI"), "code": Text("코드", "code")}


@dataclass(frozen=True)
class Answer:
    """Three short sentences, and where the next step is done (below the study's address)."""

    good: Text
    sure: Text
    todo: Text
    where: str


def answer_of(
    seen: Dashboard,
    rubric: Rubric,
    numbers: Mapping[str, int],
    overlap: int | None,
    standing: Standing | None = None,
) -> Answer:
    """What the owner would ask first; standing: how far it is, where people are asked until enough is known."""
    todo, where = _next(seen, numbers, overlap, standing)
    return Answer(_good(seen, rubric), _sure(seen), todo, where)


def _good(seen: Dashboard, rubric: Rubric) -> Text:
    if ranked := seen.figures.ranked:
        return Text(" ".join(one.ko for one in ranked), " ".join(one.en for one in ranked))
    main, means = seen.figures.main, seen.figures.means
    if main is None or not means:
        if rubric.item == "run" and seen.items:
            return Text("점수는 보고서에서 볼 수 있습니다.", "The scores are in the report.")
        return Text("아직 점수가 없습니다.", "There is no score yet.")
    label, (_, high) = rubric.name(main), rubric.range(main)
    said = [
        Text(f"{_WHO[kind].ko} {_with_interval(group.mean)}", f"{_WHO[kind].en} {_with_interval(group.mean)}")
        for kind, group in means.items()
    ]
    return Text(
        f"{label.say('ko')}, {high:g}점 만점: {', '.join(one.ko for one in said)}",
        f"{label.say('en')}, mean of {high:g}: {', '.join(one.en for one in said)}",
    )


def _with_interval(figure: Figure) -> str:
    value = number(float(figure))
    return f"{value} [{number(figure.ci95[0])}, {number(figure.ci95[1])}]" if figure.ci95 else value


def _sure(seen: Dashboard) -> Text:
    figures = seen.figures
    for rows, who in (
        (figures.agreement, Text("사람 사이", "among people")),
        (figures.judges_agreement, Text("AI 사이", "among AI raters")),
    ):
        own = next((one for one in rows if one.score == figures.headline), None)
        if own is None:
            continue
        if own.alpha.value is None:
            why = own.alpha.why
            reason = (why.say("ko"), why.say("en")) if why else ("", "")
            return Text(
                f"{who.ko} 일치도는 아직 없습니다: {reason[0]}",
                f"There is no agreement {who.en} yet: {reason[1]}",
            )
        value = number(own.alpha.value, "coefficient")
        ends = [number(end, "coefficient") for end in own.alpha.ci95 or ()]
        interval = f" [{', '.join(ends)}]" if ends else ""
        return Text(f"{who.ko} 일치도 α = {value}{interval}", f"Agreement {who.en}: α = {value}{interval}")
    return Text(
        "일치도를 보려면 두 사람 이상의 평가가 필요합니다.", "Agreement needs ratings of at least two raters."
    )


def _next(
    seen: Dashboard, numbers: Mapping[str, int], overlap: int | None, standing: Standing | None
) -> tuple[Text, str]:
    """The first thing that is left to do."""
    if not seen.items:
        return Text("평가할 자료를 올리세요", "Bring in what is to be judged"), "/owner/files"
    if not (seen.raters or seen.guests.began or seen.imported or seen.figures.judges):
        return Text("평가자를 초대하세요", "Invite raters"), "/owner/raters"
    concerned = sum(bool(rater.concerns) for rater in seen.raters)
    if concerned:
        return Text(
            f"살펴볼 평가자 {concerned}명을 확인하세요", f"Look at {_count(concerned, 'rater')}"
        ), "/owner#raters"
    if seen.waiting:
        words = Text(
            f"평가자의 메모 {seen.waiting}건에 답하세요", f"Answer {_count(seen.waiting, 'note')} of raters"
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
                f"Waiting for ratings of {_count(open_items, 'item')}",
            ),
            "/owner#raters",
        )
    disputed = [one.item for one in seen.figures.disputed if one.item not in seen.adjudicated]
    if disputed and disputed[0] in numbers:
        words = Text(
            f"갈린 항목 {len(disputed)}개를 결정하세요", f"Decide {_count(len(disputed), 'disputed item')}"
        )
        return words, f"/owner/items/{numbers[disputed[0]]}"
    return Text("보고서를 읽으세요", "Read the report"), "/owner/report"


def _count(n: int, thing: str) -> str:
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"
