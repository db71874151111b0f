"""Findings about criteria that items bring: what should not be and was, and what was mostly missed."""

from __future__ import annotations

from collections.abc import Iterator

from haechi.analysis.analysis import Analysis
from haechi.report.document import Finding
from haechi.report.numbers import percent
from haechi.report.words import said
from haechi.scoring.own_figures import CriterionFigures
from haechi.text import Text, cut

_NAMED = 5
_LONGEST = 80
_ANSWERS = Text("평가자마다 항목의 기준 하나에 하나", "one per rater and criterion of an item")


def own_findings(figures: Analysis) -> Iterator[Finding]:
    """What the answers to own criteria say, by the rules of docs/reports.md."""
    for own in figures.scored.own:
        unwanted = [one for one in own.criteria if one.points < 0]
        wanted = [one for one in own.criteria if one.points > 0]
        if own.wrong:
            yield _wrong(own.wrong, unwanted)
        if own.hardest:
            yield _missed(own.hardest, wanted)


def _wrong(found: list[CriterionFigures], unwanted: list[CriterionFigures]) -> Finding:
    met, answers = sum(one.met for one in unwanted), sum(one.answers for one in unwanted)
    words = said(
        f"감점 기준에 대한 답 {answers:,}개({_ANSWERS.ko}) 중 {met:,}개가 없어야 할 일이 있었다고 합니다. 가장 잦은 것: {_short(found[0])}",
        f"Of {answers:,} answers about what should not be ({_ANSWERS.en}), {met:,} say that it was. Most often: {_short(found[0])}",
    )
    numbers: dict[str, float | None] = {"wrong": met, "answers": answers}
    return Finding(
        "wrong",
        "problem",
        words,
        f"{met:,}/{answers:,} = {percent(met / answers)}",
        found[0].examples[:_NAMED],
        numbers,
    )


def _missed(found: list[CriterionFigures], wanted: list[CriterionFigures]) -> Finding:
    answers = sum(one.answers for one in wanted)
    missed = answers - sum(one.met for one in wanted)
    words = said(
        f"갖추어야 할 기준에 대한 답 {answers:,}개({_ANSWERS.ko}) 중 {missed:,}개가 미충족입니다. 가장 많이 놓친 것: {_short(found[0])}",
        f"Of {answers:,} answers about what should be met ({_ANSWERS.en}), {missed:,} say unmet. Most often: {_short(found[0])}",
    )
    numbers: dict[str, float | None] = {"missed": missed, "answers": answers}
    return Finding(
        "missed",
        "caution",
        words,
        f"{missed:,}/{answers:,} = {percent(missed / answers)}",
        found[0].examples[:_NAMED],
        numbers,
    )


def _short(one: CriterionFigures) -> str:
    text = " ".join(one.text.split())
    text = cut(text, _LONGEST)
    return said(f"“{text}”({percent(one.failed)})", f"“{text}” ({percent(one.failed)})")
