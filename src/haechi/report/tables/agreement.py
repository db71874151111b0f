"""Tables of agreement: every criterion, pairs of raters, judges against people, raters' habits, what to read again."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from haechi.analysis.agreement import AgreementReport
from haechi.analysis.coefficient_registry import in_tables
from haechi.analysis.habits import ToRead
from haechi.report.table import Cell, Column, Estimate, ItemLink, Table, Tone, reasons, table
from haechi.report.words import left_out, said, score_name
from haechi.rubrics import Rubric
from haechi.stats import Agreement, Figure, HumanAI
from haechi.stats.agreement import MANY_VALUES
from haechi.stats.human_ai import AgainstPeople
from haechi.stats.interpretation import CUT_OFFS, CutOffs, Statistic, interpret
from haechi.text import language

_FORMS = ("ICC(2,1)", "ICC(2,k)")
_MOST_REASONS = 4


def grade_mark(statistic: Statistic | CutOffs, found: Figure) -> Estimate:
    """A coefficient with what its cut-offs make of it: the upper third is good, the lower a problem.

    One that `haechi.stats.interpret` has no word for is neither.

    >>> grade_mark("krippendorff_alpha", Figure(0.85, 9)).tone, grade_mark("icc", Figure(0.3, 9)).tone
    ('good', 'problem')
    """
    if found.value is None or interpret(statistic, found) is None:
        return Estimate.of(found, "coefficient")
    cuts = (statistic if isinstance(statistic, CutOffs) else CUT_OFFS[statistic]).cuts
    rank = bisect_right(cuts, found.value) / len(cuts)
    tone: Tone = "problem" if rank < 0.3 else "caution" if rank < 0.65 else "good"
    return Estimate.of(found, "coefficient", tone)


def in_words(found: AgreementReport, name: str) -> list[tuple[str, Agreement]]:
    """What may be put in words, and whose it is: people and AI judges each among themselves, or raters of one kind."""
    blocks = [(title, block[name]) for title, block in _kinds(found) if name in block]
    every = blocks if found.is_pooled else [("", found.criteria[name])]
    return [(title, one) for title, one in every if len(one.raters) > 1 or not title]


def coefficients(found: Agreement) -> list[tuple[str, CutOffs, Figure]]:
    """The coefficients that can be put in words, by name, in the order of every table; of the mean that is reported."""
    mean, reported = found.reported_mean
    return [
        ("ICC(2,1)", CUT_OFFS["icc"], found.icc["ICC(2,1)"]),
        (mean, CUT_OFFS["icc"], reported),
        *(
            (one.label.say(language()), one.cut_offs, found.coefficients[name])
            for name, one in in_tables().items()
            if one.cut_offs is not None and found.coefficients[name].note is not MANY_VALUES
        ),
    ]


def headline(found: AgreementReport, main: str) -> str:
    """The score on which agreement is summed up: the main one if raters give it, else the last."""
    return main if main in found.criteria else found.headline


def criteria_tables(rubric: Rubric | None, found: AgreementReport) -> list[Table]:
    """Agreement of all raters, then of people and of AI judges where there are several of both kinds."""
    several = [
        (title, block) for title, block in _kinds(found) if any(len(one.raters) > 1 for one in block.values())
    ]
    first = criteria_table(rubric, said("모든 평가자", "All raters"), found.criteria, not found.is_pooled)
    return [first, *(criteria_table(rubric, title, block) for title, block in several)]


def criteria_table(
    rubric: Rubric | None, title: str, block: Mapping[str, Agreement], is_graded: bool = True
) -> Table:
    """One row per score; what pools people and judges is not graded."""
    shown = in_tables()
    columns = [
        Column(said("점수", "score"), "words"),
        Column(
            said("항목/전원 평가/평가자", "items/complete/raters"),
            "count",
            short=said("항목/전원\n/평가자", "items/full\n/raters"),
            leave_out=1,
        ),
        Column("ICC(2,1)", "coefficient"),
        Column("ICC(2,k)", "coefficient", brief=True, leave_out=5),
        *(
            Column(
                one.label.say(language()),
                "share" if one.is_share else "coefficient",
                short=one.short.say(language()) if one.short else "",
                brief=one.brief,
                leave_out=one.leave_out,
            )
            for one in shown.values()
        ),
    ]
    rows: list[list[Cell]] = [
        [
            score_name(rubric, name),
            f"{found.n_items:,}/{found.n_complete:,}/{len(found.raters)}",
            *(_cell(CUT_OFFS["icc"] if is_graded else None, found.icc[form]) for form in _FORMS),
            *(
                _cell(one.cut_offs if is_graded else None, found.for_tables(key))
                for key, one in shown.items()
            ),
        ]
        for name, found in block.items()
    ]
    named = ((name, row) for name, row in zip(block, rows, strict=True))
    every = said("모든 점수", "every score")
    told = [
        f"{every if len(names) == len(block) > 1 else ', '.join(score_name(rubric, name).words for name in names)}: {why}"
        for why, names in reasons(named).items()
    ][:_MOST_REASONS]
    note = said("계산하지 않은 값 – ", "not defined – ") + "; ".join(told) if told else ""
    return table(title, columns, rows, note)


def _cell(cut_offs: CutOffs | None, found: Figure) -> Estimate:
    if cut_offs is None or found.note is MANY_VALUES:
        return Estimate.of(found)
    return grade_mark(cut_offs, found)


def raters_table(rubric: Rubric | None, title: str, name: str, found: Agreement) -> Table | None:
    """What the mean of 1, 2, 3 … raters would be worth; below it where the variance comes from, and how many it takes."""
    study = found.generalizability
    if not study.rows:
        return None
    here = f"{study.per_item:.2f}".rstrip("0").rstrip(".") if study.per_item else "–"
    columns = [
        Column(said("평가자 수", "raters"), "count"),
        Column(said("상대 Eρ²", "relative Eρ²"), "coefficient"),
        Column(said("절대 Φ", "absolute Φ"), "coefficient"),
    ]
    rows: list[list[Cell]] = [
        [row.raters, grade_mark("icc", row.relative), grade_mark("icc", row.absolute)] for row in study.rows
    ]
    label = score_name(rubric, name).words
    heading = said(f"평가자 수와 신뢰도 · {title} · {label}", f"Raters and reliability · {title} · {label}")
    shares = [f"{100 * share:.0f} %" for share in (study.shares or {}).values()]
    whence = (
        said(
            f"평가 하나의 분산: 항목 {shares[0]}, 평가자 {shares[1]}, 나머지 {shares[2]}. 항목당 평가자 평균 {here}명(조화평균).",
            f"Variance of one rating: items {shares[0]}, raters {shares[1]}, the rest {shares[2]}; {here} raters per item "
            "(harmonic mean).",
        )
        if shares
        else ""
    )
    return table(heading, columns, rows, f"{study.words(language())} {whence}".strip())


def raters_tables(rubric: Rubric | None, found: AgreementReport, main: str) -> list[Table]:
    """The same for people and for judges, each among themselves; for all raters where there is one kind."""
    blocks = [(title, block) for title, block in _kinds(found) if len(block[main].raters) > 1]
    if not blocks:
        blocks = [(said("모든 평가자", "all raters"), found.criteria)]
    tables = (raters_table(rubric, title, main, block[main]) for title, block in blocks)
    return [one for one in tables if one is not None]


def _kinds(found: AgreementReport) -> list[tuple[str, Mapping[str, Agreement]]]:
    """People and AI judges among themselves, where there are both."""
    if found.panels is None or len({rater.kind for rater in found.raters}) == 1:
        return []
    return [
        (said("사람끼리", "People among themselves"), found.panels.human_human),
        (said("AI 평가자끼리", "AI judges among themselves"), found.panels.ai_ai),
    ]


def pairs_table(rubric: Rubric | None, name: str, found: Agreement, most: int | None = None) -> Table:
    """Every pair of raters on one score, or the first of many."""
    columns = [
        Column(said("쌍", "pair"), "words"),
        Column("n", "count"),
        Column("Pearson r", "coefficient", short="r"),
        Column("Spearman ρ", "coefficient", short="ρ", brief=True, leave_out=2),
        Column("Kendall τ-b", "coefficient", short="τ-b", brief=True, leave_out=1),
        Column("Cohen κ", "coefficient", short="κ", brief=True, leave_out=3),
        Column(said("가중 κ", "weighted κ"), "coefficient", brief=True),
        Column(said("평균 차이", "mean difference")),
    ]
    many = found.is_many_valued
    rows: list[list[Cell]] = [
        [
            f"{pair.a} – {pair.b}",
            pair.n,
            grade_mark("correlation", pair.pearson),
            Estimate.of(pair.spearman),
            Estimate.of(pair.kendall),
            Estimate(None, why=MANY_VALUES.say(language()))
            if many
            else grade_mark("kappa", pair.cohen_kappa),
            Estimate.of(pair.weighted_kappa) if many else grade_mark("kappa", pair.weighted_kappa),
            Estimate.of(pair.mean_difference),
        ]
        for pair in found.pairs[:most]
    ]
    label, more = score_name(rubric, name).words, left_out(len(found.pairs) - len(rows))
    return table(said(f"평가자 쌍 · {label}", f"Pairs of raters · {label}"), columns, rows, more)


def people_table(rubric: Rubric | None, block: Mapping[str, HumanAI]) -> Table:
    """The mean of the judges against the mean of the people, on every score."""
    title = said("AI 평균과 사람 평균", "Mean of the judges and mean of the people")
    rows = ((score_name(rubric, name), name, found.panel) for name, found in block.items())
    return _against(rubric, title, said("점수", "score"), rows)


def judges_table(rubric: Rubric | None, name: str, found: HumanAI) -> Table:
    """Every judge against the mean of the people, on one score."""
    label = score_name(rubric, name).words
    title = said(f"AI 평가자마다 사람 평균과 · {label}", f"Every judge against the people · {label}")
    rows = ((str(judge), name, one) for judge, one in found.judges)
    return _against(rubric, title, said("AI 평가자", "judge"), rows)


def _against(
    rubric: Rubric | None, title: str, first: str, against: Iterable[tuple[Cell, str, AgainstPeople]]
) -> Table:
    columns = [
        Column(first, "words"),
        Column("n", "count"),
        Column("Pearson r", "coefficient", short="r"),
        Column("Spearman ρ", "coefficient", short="ρ", brief=True, leave_out=3),
        Column("Kendall τ-b", "coefficient", short="τ-b", brief=True, leave_out=2),
        Column(said("AI − 사람", "AI − people")),
    ]
    majority = Column(said("다수 의견 일치", "same majority"), "share", brief=True, leave_out=1)
    rows: list[list[Cell]] = []
    same: list[Cell] = []
    for cell, name, one in against:
        more = map(Estimate.of, (one.spearman, one.kendall, one.mean_difference))
        rows.append([cell, one.n, grade_mark("correlation", one.pearson), *more])
        # A computed score such as a total has no majority worth the name.
        given = rubric is None or rubric.criterion(name) is not None
        same.append(Estimate.of(one.majority_agreement) if given else None)
    if all(cell is None for cell in same):
        return table(title, columns, rows)
    return table(title, [*columns, majority], [[*row, cell] for row, cell in zip(rows, same, strict=True)])


def reading_table(rubric: Rubric | None, chosen: Sequence[ToRead]) -> Table:
    """The items to read again together, the largest disagreement first."""
    title = said(
        "함께 다시 읽어 볼 항목 · 평가가 가장 갈린 순서",
        "Items to read again together · largest disagreement first",
    )
    columns = [
        Column(said("항목", "item"), "words"),
        Column(said("점수", "score"), "words"),
        Column(said("산포", "spread")),
        Column(said("평가", "ratings"), "words"),
    ]
    rows: list[list[Cell]] = [
        [ItemLink(one.item), score_name(rubric, one.criterion), one.spread, _values(one)] for one in chosen
    ]
    return table(title, columns, rows)


def _values(one: ToRead) -> str:
    return " · ".join(
        f"{rater} {value if isinstance(value, str) else f'{value:g}'}" for rater, value in one.values.items()
    )
