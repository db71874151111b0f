"""How sure: do the raters agree, and do the AI judges agree with people?"""

from __future__ import annotations

from haechi.analysis.agreement import AgreementReport
from haechi.analysis.analysis import Analysis
from haechi.analysis.counts import GroupCounts
from haechi.data.fields import field_name
from haechi.report.document import Section, SectionPart
from haechi.report.numbers import number
from haechi.report.table import Cell, Column, Estimate, Table, table
from haechi.report.tables.agreement import coefficients, criteria_tables, in_words, raters_tables
from haechi.report.tables.agreement import headline as main_of
from haechi.report.tables.own_criteria import verdict_table
from haechi.report.words import said, score_label
from haechi.stats import interpret
from haechi.text import language


def reliability_section(figures: Analysis) -> Section | None:
    """Agreement of all raters and of each kind; every pair; severity."""
    found = figures.agreement
    if found is None:
        return None
    if len(found.raters) < 2:
        return Section(
            "agreement", said("신뢰도와 일치도", "Reliability and agreement"), _alone(figures, found)
        )
    parts: list[SectionPart] = [_reading(figures), *criteria_tables(figures.rubric, found)]
    parts += filter(None, map(verdict_table, found.own))
    parts += raters_tables(figures.rubric, found, headline(figures))
    parts += filter(None, [_by_rater(figures)])
    parts += [note.say(language()) for note in found.notes]
    if (field := figures.scored.cluster) is not None:
        parts.append(
            said(
                f"신뢰도와 일치도, 평가자 성향의 구간은 {field_name(field).ko} 값이 같은 항목의 묶음을 고려하지 않은 것이라 실제보다 좁을 수 있습니다.",
                f"The intervals of reliability, agreement and raters' habits take no account of clusters (items of one {field}) "
                "and may be too narrow.",
            )
        )
    return Section("agreement", said("신뢰도와 일치도", "Reliability and agreement"), tuple(parts))


def _alone(figures: Analysis, found: AgreementReport) -> tuple[SectionPart, ...]:
    """Of one rater who was asked repeatedly: how often the same was given again."""
    words = said(
        "평가자가 한 명이어서 일치도는 계산할 수 없습니다. 같은 항목을 되풀이해 평가했을 때 값이 같은지만 알 수 있습니다.",
        "With one rater there is no agreement to compute; all one can tell is whether the same was given when asked again.",
    )
    rows: list[list[Cell]] = [
        [
            score_label(figures.rubric, name),
            Estimate.of(habits.consistency.agreement, "share"),
            Estimate.of(habits.consistency.within_sd),
            Estimate.of(habits.consistency.icc, "coefficient"),
        ]
        for rater in found.raters
        for name, habits in rater.criteria.items()
        if habits.consistency is not None
    ]
    columns = [
        Column(said("점수", "score"), "words"),
        Column(said("다시 물었을 때 같은 값", "same again"), "share"),
        Column(said("항목 안 SD", "SD within items")),
        Column("ICC(1,1)", "coefficient"),
    ]
    title = said("자기 일관성", "Agreement with oneself")
    return words, *([table(title, columns, rows)] if rows else [])


def _by_rater(figures: Analysis) -> Table | None:
    """The mean that every rater gave, score by score, beside the mean of all; nothing where there are only labels."""
    if not any(map(figures.rubric.has_mean, figures.names)):
        return None
    counts = GroupCounts(figures.names, ["rater"])
    for frame in figures.batches(["rater", *figures.names]):
        counts.add(frame)
    given = counts.groups()
    raters = [rater for (rater,) in given]
    rows: list[list[Cell]] = [
        [
            score_label(figures.rubric, name),
            *(own.mean if (own := one.scores[name]).n else None for one in given.values()),
            figures.whole[name].mean.value,
        ]
        for name in figures.names
        if figures.rubric.has_mean(name)
    ]
    title = said("평가자별 평균", "Means by rater")
    note = said(
        "평가자마다 자신이 평가한 항목의 평균입니다. 결측 항목이 다르면 그대로 견줄 수 없습니다.",
        "Each rater's mean is over the items that rater scored; with different gaps they are not strictly comparable.",
    )
    return table(
        title, [said("점수", "score"), *raters, said("항목 단위 평균", "mean over items")], rows, note
    )


def headline(figures: Analysis) -> str:
    """The score on which agreement is summed up."""
    return figures.main if figures.agreement is None else main_of(figures.agreement, figures.main)


def _reading(figures: Analysis) -> str:
    """What the main score's reliability means, of people and of judges each among themselves."""
    found, main = figures.agreement, headline(figures)
    told = []
    for whose, one in in_words(found, main) if found else ():
        words = []
        for name, cut_offs, figure in coefficients(one):
            reading = interpret(cut_offs, figure) if name.startswith(("ICC", "Krippendorff")) else None
            if reading and figure.value is not None:
                words.append(f"{name} = {number(figure.value, 'coefficient')}: {reading.say(language())}")
        told += [(f"{whose}: " if whose else "") + "; ".join(words)] if words else []
    label = score_label(figures.rubric, main)
    return f"{label} — " + " · ".join(told) if told else ""
