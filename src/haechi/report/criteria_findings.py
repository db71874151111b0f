"""Findings about criteria: which is the weakest, which nobody can use, and what shape scores have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from haechi.analysis.analysis import Analysis
from haechi.analysis.range_shares import Weakest
from haechi.analysis.two_clusters import two_clusters
from haechi.report.document import Finding
from haechi.report.finding_items import lowest, most_apart, with_items
from haechi.report.numbers import number, percent
from haechi.report.sections.scores import criteria_of
from haechi.report.table import Estimate, Tone, say
from haechi.report.words import said, score_label, with_particle
from haechi.stats import Agreement, Figure
from haechi.text import Text

CROWDED = 0.8
"""A criterion with more of its ratings on one end of the scale tells systems no longer apart there."""
RELIABLE_MEAN = 0.75
"""Where the reliability of a mean begins to be good (Koo & Li 2016): such a mean can be used, whatever single ratings are."""
UNUSABLE = 0.4
"""Raters whose α is surely below this do not agree on a criterion."""
ENOUGH = 10
"""Items below which a shape is not told."""
_CROWDED = Text(
    "더 어려운 항목이나 더 촘촘한 척도로 이 기준을 나누어 보세요.",
    "To tell such items apart it takes harder items or a finer scale.",
)


def criteria_findings(figures: Analysis) -> Iterator[Finding]:
    """What the criteria say, by the rules of docs/reports.md."""
    for rule in (_weakest, _unusable, _crowded, _clusters):
        yield from rule(figures)


def _weakest(figures: Analysis) -> Iterator[Finding]:
    """The criteria whose mean lies lowest in its range; "clearly" only if the next one is surely above."""
    found = figures.weakest
    if found is None:
        return
    numbers: dict[str, float | None] = {}
    for name in (*found.worst, *([found.next] if found.next else [])):
        numbers[f"{name}.share"] = found.shares[name]
    figure = "; ".join(
        f"{name.removesuffix('.share')} {percent(share or 0)}" for name, share in numbers.items()
    )
    if found.above is not None and found.above.value is not None:
        ends = found.above.ci95 or (None, None)
        numbers |= {"above": found.above.value, "above_low": ends[0], "above_high": ends[1]}
        shares = [found.shares[found.worst[0]], found.shares[found.next or found.worst[0]]]
        same = abs(shares[1] - shares[0] - found.above.value) < 0.005
        words = (
            said("; 차이 ", "; difference ")
            if same
            else said("; 둘 다 있는 항목에서 차이 ", "; difference on the items with both ")
        )
        figure += words + _points(found.above)
    tone: Tone = "caution" if found.next else "plain"
    finding = Finding("weakest", tone, _weakest_words(figures, found), figure, numbers=numbers)
    yield with_items(finding, lowest(figures, found.worst[0])) if found.next else finding


def _points(above: Figure) -> str:
    """A difference of shares in percentage points; one digit more than the shares, so that what is clear looks so."""
    value, *ends = (number(100 * one, digits=1) for one in (above.value or 0.0, *(above.ci95 or ())))
    interval = f" [{', '.join(ends)}]" if ends else ""
    return said(f"{value} %p{interval}", f"{value} points{interval}")


def _weakest_words(figures: Analysis, found: Weakest) -> str:
    if found.next is None:
        return said(
            "값이 있는 기준은 모두 똑같아 가장 약한 기준이 따로 없습니다.",
            "No criterion is the weakest: all that have values are equal.",
        )
    names = ", ".join(score_label(figures.rubric, name) for name in found.worst)
    following, one = score_label(figures.rubric, found.next), len(found.worst) == 1
    share = percent(found.shares[found.worst[0]])
    words = said(
        f"척도 범위에 비추어 가장 약한 기준은 {names}입니다(범위의 {share}" + (")" if one else ", 동률)"),
        f"The weakest criterion in its range is {names} ({share} of the way up)"
        if one
        else f"The weakest criteria, equally low in their ranges, are {names} ({share} of the way up)",
    )
    if found.is_clear:
        return words + said(
            f". 다음인 {following}보다 뚜렷이 낮습니다.", f", clearly below the next, {following}."
        )
    if found.above is None or found.above.ci95 is None:
        return words + said(
            f". 항목이 적어 다음인 {with_particle(following, '과/와')} 뚜렷이 다른지는 알 수 없습니다.",
            f"; there are too few items to tell whether the next, {following}, is clearly above.",
        )
    return words + said(
        f". 다음인 {with_particle(following, '과/와')}의 차이는 우연일 수 있습니다.",
        f"; the difference from the next, {following}, may be chance.",
    )


def _of_no_run(figures: Analysis, name: str) -> bool:
    """Whether a criterion is for runs of one tool class, of which there are none: nobody could have had a value."""
    criterion = figures.rubric.criterion(name)
    return criterion is not None and criterion.only is not None


def _was_tried(figures: Analysis, names: Sequence[str]) -> bool:
    """Whether anybody said something of one of some criteria or of its elements, if only that it cannot be judged."""
    return any(one.split(".")[0] in names for one in figures.ratings["criterion"].unique())


def _unusable(figures: Analysis) -> Iterator[Finding]:
    """Criteria without any value, and those on which the raters of a kind surely do not agree."""
    empty = [
        name for name in criteria_of(figures) if not figures.samples[name].n and not _of_no_run(figures, name)
    ]
    if empty and len(empty) < len(criteria_of(figures)):
        names = ", ".join(score_label(figures.rubric, name) for name in empty)
        words = said(
            f"값이 하나도 없는 기준이 있습니다: {names}. 아무도 쓰지 못한 기준은 고치거나 --exclude로 빼세요.",
            f"Nobody gave a value for {names}. Mend a criterion that nobody can use, or leave it out with --exclude.",
        )
        if not _was_tried(figures, empty):
            words = said(
                f"아직 아무도 평가하지 않은 기준이 있습니다: {names}. 사람이나 AI 평가자가 평가하거나, 평가표를 가져오거나, --exclude로 빼세요.",
                f"Nobody has rated {names} yet. Have people or an AI judge rate it, import ratings, or leave it out with --exclude.",
            )
        figure = ", ".join(f"{name} 0/{figures.n_rated:,}" for name in empty)
        yield Finding("unusable", "problem", words, figure, numbers=dict.fromkeys(empty, 0))
    for kind, block in (figures.agreement.among if figures.agreement else {}).items():
        several = {
            name: block[name].krippendorff_alpha
            for name in criteria_of(figures)
            if name in block and len(block[name].raters) > 1 and not _is_worth(block[name])
        }
        apart = {name: alpha for name, alpha in several.items() if is_apart(alpha)}
        if apart:
            yield _apart(figures, kind, apart)


def is_apart(alpha: Figure) -> bool:
    """Whether raters surely do not agree.

    >>> is_apart(Figure(0.2, 40, (0.1, 0.3))), is_apart(Figure(0.2, 40, (0.1, 0.5)))
    (True, False)
    """
    return (
        alpha.value is not None and alpha.ci95 is not None and alpha.ci95[1] < UNUSABLE and alpha.n >= ENOUGH
    )


def _is_worth(found: Agreement) -> bool:
    """Whether the mean that is reported is surely reliable, however little a single rater's value says."""
    mean = found.reported_mean[1]
    return mean.value is not None and mean.ci95 is not None and mean.ci95[0] >= RELIABLE_MEAN


def _apart(figures: Analysis, kind: str, apart: dict[str, Figure]) -> Finding:
    """Criteria on which the raters of a kind do not agree; the figure does not say why, so neither does the sentence."""
    names = ", ".join(score_label(figures.rubric, name) for name in apart)
    who = said("사람들의", "People") if kind == "human" else said("AI 평가자들의", "The AI judges")
    words = said(
        f"{who} 평가가 서로 잘 맞지 않는 기준이 있습니다: {names}. 평가자 한 명의 점수로는 쓰기 어려우니, 기준의 설명이 분명한지 살펴보세요.",
        f"{who} do not agree on {names}: what one rater gives says little. See whether the description is clear.",
    )
    figure = "Krippendorff " + "; ".join(
        f"α({name}) = {say(Estimate.of(alpha), 'coefficient')}, n = {alpha.n:,}"
        for name, alpha in apart.items()
    )
    numbers = {f"{name}.alpha.{kind}": alpha.value for name, alpha in apart.items()}
    advice = ""  # the usual one, of one criterion
    if len(apart) == len(criteria_of(figures)):
        advice = said(
            "기준의 문구를 고쳐 다시 평가해 보세요.", "Reword the criteria and have some items rated again."
        )
    elif len(apart) > 1:
        advice = said(
            "이 기준들의 문구를 고치거나, 이 기준들을 빼고 보세요.",
            "Reword these criteria, or read the rest without them.",
        )
    finding = Finding("unusable", "problem", words, figure, numbers=numbers, advice=advice)
    return with_items(finding, most_apart(figures, next(iter(apart)), kind))


def _crowded(figures: Analysis) -> Iterator[Finding]:
    """Criteria most of whose ratings stand on the highest or the lowest of three points or more."""
    for name in criteria_of(figures):
        of = figures.scored.summary[0].scores[name]
        points = figures.rubric.points(name)
        if points is None or len(points) < 3 or of.n - of.zeros_by_rule < ENOUGH:
            continue
        for end, point in (("top", points[-1]), ("bottom", points[0])):
            counts = {float(level): n for level, n in (of.distribution or {}).items()}
            zeros = of.zeros_by_rule if point == 0 else 0
            share = (counts.get(point, 0) - zeros) / (of.n - of.zeros_by_rule)
            if share < CROWDED:
                continue
            label = score_label(figures.rubric, name)
            words = said(
                f"{with_particle(label, '은/는')} 값의 {percent(share)}가 {'최고점' if end == 'top' else '최저점'}에 몰려, "
                "그보다 나은지 못한지 가려내지 못합니다.",
                f"{percent(share)} of the values of {label} stand on the {'highest' if end == 'top' else 'lowest'} point: "
                "it cannot tell apart what lies there.",
            )
            figure = f"{name} = {point:g}: {percent(share)}, n = {of.n - of.zeros_by_rule:,}"
            finding = Finding("shape", "caution", words, figure, numbers={f"{name}.{end}": share})
            yield with_items(
                replace(finding, advice=_CROWDED.say()), lowest(figures, name, highest=end == "top")
            )


def _clusters(figures: Analysis) -> Iterator[Finding]:
    """Items whose main scores fall in two clusters: their mean describes neither."""
    found = two_clusters(figures.samples[figures.main])
    if found is None:
        return
    label = score_label(figures.rubric, figures.main)
    low, high = number(found.low), number(found.high)
    words = said(
        f"{with_particle(label, '은/는')} 두 무리로 갈립니다({low}점 안팎 {found.n_low:,}개, {high}점 안팎 {found.n_high:,}개). 평균은 어느 쪽도 "
        "나타내지 못하니 무리를 나누어 읽으세요.",
        f"{label} falls in two clusters, {found.n_low:,} items around {low} and {found.n_high:,} around {high}: the mean "
        "describes neither, so read them apart.",
    )
    figure = f"{low} (n = {found.n_low:,}), {high} (n = {found.n_high:,})"
    numbers = {"low": found.low, "high": found.high, "n_low": found.n_low, "n_high": found.n_high}
    yield with_items(
        Finding("shape", "caution", words, figure, numbers=numbers), lowest(figures, figures.main)
    )
