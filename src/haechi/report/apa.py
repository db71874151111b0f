"""Figures and tests as APA writes them."""

from __future__ import annotations

from collections.abc import Iterator

from haechi.analysis.analysis import Analysis
from haechi.analysis.compared_criterion import CategoryCounts, MainTest
from haechi.report.numbers import NumberKind, p_words
from haechi.report.sections.scores import criteria_of
from haechi.report.table import Estimate, in_two, say
from haechi.report.words import fields_label, said
from haechi.stats import Figure
from haechi.text import language

_SIGNS = {
    "friedman": "χ²",
    "kruskal_wallis": "H",
    "welch_anova": "F",
    "cluster_f": "F",
    "mann_whitney": "U",
    "wilcoxon": "V",
    "jonckheere_terpstra": "J",
}
"""The letters of the statistics; of all other tests t."""


def groups_tested(figures: Analysis) -> str:
    """The tests of the main score, each statistic with its own p: it is one question, so that nothing is corrected."""
    sentences = []
    for comparison in figures.comparisons:
        found, by = comparison.criteria[figures.main], fields_label(comparison.items.by)
        if found.counts is not None and not figures.rubric.has_mean(figures.main):
            sentences += [f"{by}, {counted}" for counted in _counted(found.counts)]
        for spoken in (found.of_two, found.of_trend, found.of_many):
            if spoken is not None and spoken.test.statistic is not None:
                sentences.append(f"{by}, {spoken.name.say(language())}: {_outcome(spoken)}")
    if not sentences:
        return ""
    listed = "; ".join(sentences)
    words = said(
        f"대표 점수의 집단 비교는 다음과 같다({listed}).",
        f"Groups were compared on the main score as follows ({listed}).",
    )
    if len(criteria_of(figures)) < 2:
        return words
    if figures.rubric.criterion(figures.main) is not None:  # one of those over which is corrected
        return words + said(
            " 여기 적은 p는 보정하지 않은 값이며, 기준들끼리 Holm 방법으로 보정한 p는 표에 따로 보였다.",
            " These p are uncorrected; p corrected over the criteria by Holm's method stand in the table.",
        )
    return words + said(
        " 다른 점수의 p는 기준들끼리 Holm 방법으로 보정하였다.",
        " For the other scores p was corrected over the criteria by Holm's method.",
    )


def _counted(found: CategoryCounts) -> Iterator[str]:
    """Labels, by how often each was given."""
    chi = found.tests.chi_squared
    if chi.statistic is None:
        return
    degrees = f"{chi.df[0]:.0f}, N = {chi.n:,}"
    yield f"χ²({degrees}) = {say(chi.statistic)}, {p_words('p', chi.p)}, Cramér V = {apa(found.tests.cramer_v)}"


def _outcome(spoken: MainTest) -> str:
    test, effect = spoken.test, spoken.effect
    degrees = ", ".join(f"{df:.0f}" if float(df).is_integer() else f"{df:.1f}" for df in test.df)
    words = f"{_SIGNS.get(test.test, 't')}{f'({degrees})' if degrees else ''} = {say(test.statistic)}"
    words += f", {p_words('p', test.p)}"
    if effect is not None and effect.value is not None:
        words += f", {spoken.sign} = {apa(effect, 'coefficient' if spoken.sign in ('τ', 'W') else 'score')}"
    return words


def ends_of(figure: Figure) -> str:
    """The interval of a figure.

    >>> ends_of(Figure(2.5, 9, (2.0, 3.0)))
    '[2.00, 3.00]'
    """
    return in_two(Estimate.of(figure))[1].strip() or "[–]"


def apa(figure: Figure, kind: NumberKind = "coefficient") -> str:
    """A figure as APA writes it: no zero before the point of a coefficient, which cannot exceed 1.

    >>> apa(Figure(0.5, 9, (0.25, 0.75)))
    '.50, 95% CI [.25, .75]'
    """
    point, ends = in_two(Estimate.of(figure), kind)
    return f"{point}, 95% CI{ends}" if ends else point
