"""What people would have given beside what AI judges gave: a sentence, and a table of all scores or groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from haechi.data.random_part import NoPart
from haechi.report.table import Cell, Column, Estimate, ScoreName, Table, say, table
from haechi.report.words import fields_label, said, score_label, score_name, with_particle
from haechi.rubrics import Rubric
from haechi.scoring.human_scale import HumanScores
from haechi.text import language

if TYPE_CHECKING:
    from haechi.stats.figure import Figure
    from haechi.stats.human_scale import HumanScale


def human_sentence(rubric: Rubric, human: HumanScores, name: str) -> str:
    """What people would have given, for whom that holds, and what it rests on; or why it cannot be said."""
    found, part = human[name], human.part
    label = score_label(rubric, name)
    if found.mean.value is None or isinstance(part, NoPart):
        why = found.mean.why.say(language()) if found.mean.why else ""
        return said(
            f"사람이 평가했다면 {with_particle(label, '이/가')} 몇 점이었을지는 말할 수 없습니다: {why}.",
            f"What people would have given for {label} cannot be said: {why}.",
        )
    estimate, how = say(Estimate.of(found.mean)), part.said
    if part.how == "all":
        return said(
            f"사람이 평가한 {with_particle(label, '은/는')} {estimate}입니다({how.ko}).",
            f"{label} as people rated it: {estimate} ({how.say('en')}).",
        )
    judges = say(found.judge_only.value)
    words = said(
        f"사람이 평가했다면 {with_particle(label, '은/는')} {estimate}입니다. AI 평가자의 평균은 {judges}이고, 사람이 평가한 항목 {found.n_human:,}개로 보정했습니다: {how.ko}.",
        f"Had people rated everything, {label} would be {estimate}. The AI judges' mean is {judges}, corrected by the {found.n_human:,} items "
        f"that people rated: {how.say('en')}.",
    )
    return f"{words} {_for_others(found, rubric.range(name))}"


def in_short(rubric: Rubric, human: HumanScores, name: str) -> str:
    """The same in one sentence for somebody who decides: what judges say, what people would have said."""
    found, label = human[name], score_label(rubric, name)
    if found.mean.value is None:
        return human_sentence(rubric, human, name)
    judges, estimate = say(found.judge_only.value), say(Estimate.of(found.mean))
    return said(
        f"AI 평가자는 항목 {found.n_items:,}개에 {label} 평균 {judges}점을 주었지만, 사람이 무작위로 뽑은 {found.n_human:,}개를 평가한 결과로 보면 사람이 모두 평가했다면 {estimate}점입니다.",
        f"AI judges gave {found.n_items:,} items a mean {label} of {judges}; going by the {found.n_human:,} drawn at random that people rated, people would have "
        f"given {estimate}.",
    )


def _for_others(found: HumanScale, bounds: tuple[float, float]) -> str:
    """For whom the interval holds, and the two others."""
    these = _ends(found.these_items) if found.these_items.ci95 else "–"
    words = said(
        f"구간은 이 사람들과 이런 항목들에 대한 것이고, 바로 이 항목들만이라면 {these}입니다.",
        f"The interval is for these people and items like these; for these very items alone it is {these}.",
    )
    ends, raters = found.new_raters.ci95, found.new_raters.details.get("raters", 1)
    if ends is None:
        return words
    if ends == bounds:
        return words + said(
            f" 사람 {raters}명만으로는 비슷한 다른 사람들이 어떻게 평가할지 말할 수 없습니다.",
            f" How other people like them would rate cannot be told from {raters} of them.",
        )
    return words + said(
        f" 이들과 비슷한 다른 사람들까지 생각하면 {_ends(found.new_raters)}입니다.",
        f" For other people like them it is {_ends(found.new_raters)}.",
    )


def _ends(figure: Figure) -> str:
    low, high = figure.ci95 or (None, None)
    return f"[{say(low)}, {say(high)}]"


def human_table(rubric: Rubric, human: HumanScores, names: Sequence[str]) -> Table | None:
    """Every score as the judges gave it and as people would have; nothing where it cannot be said of any."""
    known = [name for name in names if human[name].mean.value is not None]
    if not known or human.is_all:
        return None
    columns = [
        Column(said("점수", "score"), "words"),
        _judges_column(rubric),
        Column(
            said("사람이 평가했다면 [95 % 구간]", "had people rated [95 % interval]"),
            short=said("사람이 평가했다면\n[95 % 구간]", "had people rated\n[95 % interval]"),
        ),
        Column(said("이 항목들만", "these very items"), "words", leave_out=2),
        Column(said("비슷한 다른 사람들", "people like these"), "words", leave_out=1),
        Column(said("사람이 평가한 항목", "items people rated"), "count", short="n", leave_out=3),
    ]
    rated = [name for name in names if human[name].n_human]
    rows = [_row(score_name(rubric, name), human[name]) for name in rated]
    for name, limit in human.passes.items():
        words = said(
            f"{score_label(rubric, name)} {limit:g} 이상의 비율",
            f"share with {score_label(rubric, name)} ≥ {limit:g}",
        )
        rows.append(_row(ScoreName(f"{name}.pass{limit:g}", words), human.pass_rate(name, limit)))
    if rubric.item == "run":
        title = said(
            "AI 평가자와 코드의 점수와, 사람이 평가했다면",
            "As AI judges and code rated, and had people rated",
        )
    else:
        title = said("AI 평가자의 점수와, 사람이 평가했다면", "As AI judges rated, and had people rated")
    return table(title, columns, rows)


def _row(name: ScoreName, found: HumanScale) -> list[Cell]:
    return [
        name,
        Estimate.of(found.judge_only),
        Estimate.of(found.mean),
        _ends(found.these_items) if found.these_items.ci95 else "–",
        _ends(found.new_raters) if found.new_raters.ci95 else "–",
        found.n_human,
    ]


def _judges_column(rubric: Rubric) -> Column:
    """Of runs code is the judge of what it measures."""
    if rubric.item == "run":
        return Column(said("AI·코드 평균", "mean of AI or code"), brief=True)
    return Column(said("AI 평가자 평균", "AI judges' mean"), short=said("AI 평균", "AI mean"), brief=True)


def human_groups_table(
    rubric: Rubric,
    name: str,
    by: Sequence[str],
    groups: Mapping[str, HumanScale],
    differences: Mapping[str, Figure],
) -> Table:
    """One score of every group as the judges gave it and as people would have, and the differences from the first, if any."""
    label, first = score_label(rubric, name), next(iter(groups))
    apart = [Column(said(f"{first} − 이 집단", f"{first} − this group"))] if differences else []
    columns = [
        Column(fields_label(by), "words"),
        _judges_column(rubric),
        Column(said("사람이 평가했다면 [95 % 구간]", "had people rated [95 % interval]")),
        *apart,
        Column(said("사람이 평가한 항목", "items people rated"), "count", short="n"),
    ]
    rows: list[list[Cell]] = [
        [
            group,
            Estimate.of(found.judge_only),
            Estimate.of(found.mean),
            *([Estimate.of(differences[group]) if group in differences else None] if differences else []),
            found.n_human,
        ]
        for group, found in groups.items()
    ]
    return table(said(f"사람이 평가했다면 · {label}", f"Had people rated · {label}"), columns, rows)
