"""Where judges differ from people, and what a new version of the rubric gained, as tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence

from haechi.analysis.alignment import Cluster, JudgeDifference
from haechi.analysis.alignment_gain import AlignmentGain
from haechi.analysis.proposed_rubric import quote, words_of
from haechi.report.numbers import number, percent
from haechi.report.table import AuthoredText, Cell, Column, Estimate, ItemLink, Table, say, table
from haechi.report.words import element_label, said
from haechi.rubrics import Rubric
from haechi.text import language

_WORST, _CASES, _WORDS = 5, 3, 80


def disagreement_tables(found: Sequence[Cluster], rubric: Rubric) -> list[Table | str]:
    """Every criterion with how often and how far judges differ from people, then the largest cases of the worst."""
    columns: list[Column | str] = [
        said("기준", "criterion"),
        said("AI 평가자", "judge"),
        Column(said("사람과 다른 항목", "items that differ"), "share"),
        Column(said("사람과의 거리", "distance from people"), "share"),
        Column(said("AI − 사람(점)", "judge − people, points"), leave_out=1),
        Column(said("사례", "cases"), "count"),
    ]
    rows: list[list[Cell]] = [
        [
            element_label(rubric, one.name),
            one.judge,
            Estimate.of(one.differs, "share"),
            Estimate.of(one.distance, "share"),
            Estimate.of(one.difference),
            len(one.cases),
        ]
        for one in found
    ]
    note = said(
        "사람과 다른 항목: 사람끼리 뜻이 모인 항목 가운데 AI가 다르게 평가한 비율. 거리: 사람의 평균과의 차이를 척도 범위에 대한 비율로 나타낸 것(작을수록 가까움).",
        "Items that differ: of those on which people agree, the share that the judge rates otherwise. Distance: from the mean of people, as a share of the scale (less is closer).",
    )
    title = said("AI 평가자와 사람이 어긋나는 곳", "Where judges differ from people")
    return [table(title, columns, rows, note, words=2), *_case_tables(found, rubric)]


def _case_tables(found: Sequence[Cluster], rubric: Rubric) -> list[Table]:
    shown = [one for one in found if one.cases][:_WORST]
    rows: list[list[Cell]] = [
        [
            f"{element_label(rubric, one.name)} ({one.judge})" if at == 0 else "",
            ItemLink(case.item),
            _values(rubric, case, case.people),
            _values(rubric, case, (case.value,)),
            AuthoredText(quote(case.people_say, _WORDS)),
            AuthoredText(quote(case.judge_says, _WORDS)),
        ]
        for one in shown
        for at, case in enumerate(one.cases[:_CASES])
    ]
    columns = [
        said("기준", "criterion"),
        said("항목", "item"),
        said("사람", "people"),
        said("AI", "judge"),
        said("사람의 근거", "people say"),
        said("AI의 근거", "the judge says"),
    ]
    return [table(said("가장 크게 어긋난 사례", "The largest cases"), columns, rows, words=6)] if rows else []


def _values(rubric: Rubric, case: JudgeDifference, values: Sequence[float]) -> str:
    return words_of(rubric, case, values, language())


def gain_tables(found: AlignmentGain, rubric: Rubric) -> list[Table | str]:
    """All criteria together, which decides, then one by one; and what may be said."""
    columns: list[Column | str] = [
        said("기준", "criterion"),
        Column(said("이전 거리", "distance before"), "share", brief=True),
        Column(said("새 거리", "distance after"), "share", brief=True),
        Column(said("가까워진 정도", "gain"), "share"),
        Column(said("이전 κ", "κ before"), "coefficient", brief=True, leave_out=1),
        Column(said("새 κ", "κ after"), "coefficient", brief=True, leave_out=1),
    ]
    total = found.total
    rows: list[list[Cell]] = [
        [
            said("모든 기준", "all criteria"),
            *(Estimate.of(one, "share") for one in (total.before, total.after, total.gain)),
            "",
            "",
        ]
    ]
    rows += [
        [
            element_label(rubric, one.name),
            *(Estimate.of(each, "share") for each in (one.gain.before, one.gain.after, one.gain.gain)),
            *("" if k is None else Estimate.of(k) for k in (one.kappa_before, one.kappa_after)),
        ]
        for one in found.criteria
    ]
    note = said(
        f"아무도 보지 않은 항목 {total.gain.n:,}개에서 사람의 평균과의 거리(척도 범위에 대한 비율). 판단은 모든 기준을 합친 첫 줄로 하고, 나머지 줄은 참고용입니다.",
        f"On {total.gain.n:,} items that nobody looked at: distance from the mean of people, as a share of the scale. The first row decides; the others are for orientation.",
    )
    title = said(
        f"루브릭 {found.old} → {found.new}, {found.judge}", f"Rubric {found.old} → {found.new}, {found.judge}"
    )
    return [table(title, columns, rows, note), *gain_sentences(found)]


def gain_sentences(found: AlignmentGain) -> list[str]:
    """What may be said of a gain, and no more."""
    total = found.total
    if total.gain.value is None:
        why = total.gain.why.say(language()) if total.gain.why else ""
        return [said(f"나아졌다는 것이 보이지 않았습니다: {why}.", f"No improvement was shown: {why}.")]
    gain = number(100 * total.gain.value, "score", 1)
    ends = (
        f"[{number(100 * total.ends[0], 'score', 1)}, {number(100 * total.ends[1], 'score', 1)}]"
        if total.ends
        else "–"
    )
    level = f"{100 * total.level:.4g}"
    noise = number(100 * total.noise.value, "score", 1) if total.noise.value is not None else None
    told = said(
        f"새 버전은 사람에게 척도의 {gain} %만큼 가까워졌습니다({level} % 구간 {ends}).",
        f"The new version is closer to people by {gain} % of the scale ({level} % interval {ends}).",
    )
    if noise is None:
        twice = said(
            "두 번 평가했을 때 얼마나 달라지는지 모릅니다. haechi judge 스터디 --model … --repeat 2 --limit 30으로 일부를 한 번 더 평가한 뒤 이 명령을 다시 실행하세요.",
            "How much judging twice varies is unknown: judge a part again with haechi judge DIR --model … --repeat 2 --limit 30, and run this once more.",
        )
    else:
        twice = said(
            f"같은 루브릭으로 두 번 평가하기만 해도 이 값은 ±{noise} %까지 달라집니다.",
            f"Judging twice with the same rubric alone moves this figure by up to ±{noise} %.",
        )
    verdict = (
        said("그래서 나아졌다고 말할 수 있습니다.", "So it improved.")
        if total.improved
        else said("나아졌다는 것이 보이지 않았습니다.", "No improvement was shown.")
    )
    return [f"{told} {twice} {verdict}", _looks(found)]


def _looks(found: AlignmentGain) -> str:
    look = found.total.look
    level = say(found.total.level, "share") if look == 1 else f"{100 * found.total.level:.4g} %"
    return said(
        f"이 항목들로 판단한 것은 이번이 {look}번째입니다. 판단할 때마다 구간을 넓혀(이번 {level}), 몇 번을 되풀이해도 우연을 나아졌다고 말할 확률이 모두 합쳐 {percent(0.05)}를 넘지 않게 합니다.",
        f"This is look {look} at these items. Every look takes a wider interval (now {level}), so that chance is called an improvement at most {percent(0.05)} of the time over all looks together.",
    )
