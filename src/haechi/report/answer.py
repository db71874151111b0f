"""What a reader asks first: how good is it, how sure are we, what is to be looked at. Three sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from haechi.analysis.analysis import Analysis
from haechi.analysis.zero_by_rule import zero_by_rule
from haechi.data.fields import field_name
from haechi.report.charts.canvas import NARROW, WIDTH
from haechi.report.charts.dots import DotRow, dot_chart
from haechi.report.document import Finding, ReportAnswer
from haechi.report.figure_items import behind_scores, behind_systems
from haechi.report.markup import Markup
from haechi.report.numbers import scale_end, span
from haechi.report.sections.ranking import strengths_plot
from haechi.report.sections.reliability import headline
from haechi.report.sections.scores import criteria_of
from haechi.report.table import Estimate, say
from haechi.report.tables.ranking import about_order, about_ranks
from haechi.report.words import is_of_few, many_of, panel_of, raters_of, said, score_label, with_particle
from haechi.stats import Agreement, Figure, Group, interpret
from haechi.stats.interpretation import Statistic
from haechi.text import language, plural

_NOT_TO_LOOK_AT = ("overall", "agreement")  # which the first two sentences have said


def answer_of(figures: Analysis, found: Sequence[Finding]) -> ReportAnswer:
    """The answer that a study's findings give.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from haechi.demo import make_studies
    >>> from haechi.report.findings import findings
    >>> from haechi.text import choose_language
    >>> choose_language("en")
    >>> figures = Analysis(next(make_studies(Path(tempfile.mkdtemp()) / "demo")))
    >>> answer_of(figures, findings(figures)).good
    'Overall: 2.98 [2.36, 3.61] on a scale from 1 to 5 (the mean of 3 people, 14 items).'
    >>> choose_language(None)
    """
    look = (one for one in found if one.tone in ("problem", "caution") and one.rule not in _NOT_TO_LOOK_AT)
    return ReportAnswer(how_good(figures), how_sure(figures), next(look, None), _gauge(figures))


def _gauge(figures: Analysis) -> tuple[Markup, Markup] | None:
    """The main score on its scale, or the strengths of systems: the sentence as a picture."""
    if figures.ranking is not None:
        criterion = figures.ranking.criterion
        label, pairs = score_label(figures.rubric, criterion), behind_systems(figures, criterion)
        plot = strengths_plot(figures.ranking, label, pairs)
        return (plot.svg, plot.narrow or plot.svg) if plot else None
    shown = {kind: group for kind, group in figures.panels.items() if group.mean.value is not None}
    if not shown or is_of_few(figures):
        return None
    label, (low, high) = score_label(figures.rubric, figures.main), figures.rubric.range(figures.main)
    whole = len(shown) == 1 or figures.rubric.item == "run"
    items = {
        kind: behind_scores(figures, [figures.main], None if whole else {"kind": kind}) for kind in shown
    }
    rows = [
        DotRow(panel_of(figures, kind).say(), (Estimate.of(group.mean),), (items[kind][figures.main],))
        for kind, group in shown.items()
    ]
    wide, narrow = (dot_chart(label, how_good(figures), rows, low, high, width=w) for w in (WIDTH, NARROW))
    return wide, narrow


def how_good(figures: Analysis) -> str:
    """The main score of each panel with its interval; people and judges are never one figure. Of pairs, who is first."""
    if figures.ranking is not None:
        told = [one.say() for one in about_ranks(figures.ranking)]
        return " ".join(told) or said("순위를 말할 수 없습니다.", "No ranking can be told.")
    label, (low, high) = score_label(figures.rubric, figures.main), figures.rubric.range(figures.main)
    shown = figures.panels
    if not figures.rubric.has_mean(figures.main):
        return _of_labels(figures, label)
    if not shown:
        return said(
            f"{with_particle(label, '은/는')} 아직 알 수 없습니다.", f"{label}: there is no value yet."
        )
    if is_of_few(figures):
        return _of_few(figures, label)
    scale = said(f"{span(low, high)}점", f"from {scale_end(low)} to {scale_end(high)}")
    if len(shown) == 1:
        ((kind, group),) = shown.items()
        mean, who = say(Estimate.of(group.mean)), _whose(figures, kind, group)
        words = said(
            f"{with_particle(label, '은/는')} {scale} 가운데 {mean}입니다({who}).",
            f"{label}: {mean} on a scale {scale} ({who}).",
        )
        return words + _against_target(figures, kind, group)
    told = [
        f"{say(Estimate.of(group.mean))} ({_whose(figures, kind, group)})" for kind, group in shown.items()
    ]
    words = said(f"{label}({scale}): {', '.join(told)}.", f"{label}, {scale}: {', '.join(told)}.")
    people = _against_target(figures, "human", shown["human"]) if "human" in shown else ""
    return words + _had_people_rated(figures) + people


def _against_target(figures: Analysis, kind: str, group: Group) -> str:
    """On which side of the study's own target a mean surely lies; nothing where the study has none."""
    limit = figures.scored.passes.get(figures.main)
    if limit is None or group.mean.value is None or group.mean.ci95 is None:
        return ""
    low, high = group.mean.ci95
    alone = len(figures.panels) == 1
    ko = "" if alone else f"{panel_of(figures, kind).ko}은 "
    en = "It" if alone else panel_of(figures, kind).en.capitalize()
    target = scale_end(limit)
    if low >= limit:
        return said(f" {ko}통과 기준 {target}점 이상입니다.", f" {en} reaches the pass mark of {target}.")
    if high < limit:
        return said(f" {ko}통과 기준 {target}점에 못 미칩니다.", f" {en} is below the pass mark of {target}.")
    return said(
        f" {ko}통과 기준 {target}점에 이르는지 이 자료로는 말할 수 없습니다.",
        f" Whether {en[:1].lower()}{en[1:]} reaches the pass mark of {target} these data do not say.",
    )


def _of_labels(figures: Analysis, label: str) -> str:
    """How often every label was given, where there is nothing else to tell."""
    given, criterion = figures.scored.summary[0].scores[figures.main], figures.rubric.criterion(figures.main)
    called = criterion.scale.category if criterion is not None else "{:g}".format
    told = ", ".join(f"{called(float(points))} {n:,}" for points, n in (given.distribution or {}).items())
    return said(
        f"{label}: 평가 {given.n:,}건 중 {told}. 범주형이어서 평균은 없습니다.",
        f"{label}: of {given.n:,} ratings {told}. Labels have no mean.",
    )


def _of_few(figures: Analysis, label: str) -> str:
    """How many have the main score, and what is known of most: a mean of the few would pass for one of all."""
    n, rated = figures.whole[figures.main].n, figures.n_rated
    runs = figures.rubric.item == "run"
    words = said(
        f"{with_particle(label, '은/는')} {'실행' if runs else '항목'} {rated:,}{'건' if runs else '개'} 중 {n:,}{'건' if runs else '개'}에만 "
        "값이 있어 전체를 말할 수 없습니다.",
        f"{label} cannot be told: only {n:,} of {rated:,} {'runs' if runs else 'items'} {'has' if n == 1 else 'have'} a value.",
    )
    zeros = zero_by_rule(figures.scored)
    known = [
        f"{score_label(figures.rubric, name)} {say(Estimate.of(figures.whole[name].mean))}"
        for name in criteria_of(figures)
        if figures.whole[name].n * 2 >= rated and not (name in zeros and zeros[name].is_most)
    ]
    return words + (
        said(f" 알 수 있는 것: {', '.join(known)}.", f" Known: {', '.join(known)}.") if known else ""
    )


def _had_people_rated(figures: Analysis) -> str:
    """What people would have given for everything, where they rated a random part."""
    if not figures.human.is_there or figures.human.is_all or figures.human[figures.main].mean.value is None:
        return ""
    estimate = say(Estimate.of(figures.human[figures.main].mean))
    return said(f" 사람이 모두 평가했다면 {estimate}.", f" Had people rated everything: {estimate}.")


def _whose(figures: Analysis, kind: str, group: Group) -> str:
    who = panel_of(figures, kind).say()
    return who if kind == "code" else who + said(f", 항목 {group.n:,}개", f", {plural(group.n, 'item')}")


def how_sure(figures: Analysis) -> str:
    """How reliable the reported mean of each panel is; where nobody can tell, over what the interval was taken."""
    if figures.ranking is not None:
        return " ".join(one.say() for one in about_order(figures.ranking))
    among = figures.agreement.among if figures.agreement else {}
    main, told = headline(figures), []
    for kind in (kind for kind in ("human", "ai") if kind in among):
        one = among[kind].get(main)
        if one is None or len(one.raters) < 2 or one.reported_mean[1].value is None:
            continue
        mean = one.reported_mean[1]
        told.append(f"{raters_of(figures, kind, one).say()} {_read(mean, 'icc')}")
    if told:
        words = said(
            f"평가의 신뢰도(1이 가장 높음): {'; '.join(told)}.",
            f"Reliability (1 is perfect): {'; '.join(told)}.",
        )
        return words + _nobody_but_judges(figures)
    if single := _single(figures, among, main):
        return single + _nobody_but_judges(figures)
    if is_of_few(figures):
        return said(
            "값이 없는 까닭은 ‘결측과 제외’에 있습니다.",
            "“Missing and excluded” says why "
            + ("the others have none." if figures.whole[figures.main].n else "there is none."),
        )
    if figures.rubric.item == "run":
        return _over_what(figures)
    if set(figures.raters.values()) == {"ai"}:
        return _nobody_but_judges(figures).strip()
    if (
        among.get("human")
        and main in among["human"]
        and among["human"][main].n_ratings > among["human"][main].n_items
    ):
        return said(
            "이 평가들로는 평균의 신뢰도를 계산할 수 없습니다. 까닭은 아래에 있습니다.",
            "The reliability of the mean cannot be computed from these ratings; why is said below.",
        )
    return said(
        "두 사람 이상이 같은 항목을 평가해야 얼마나 믿을 수 있는지 알 수 있습니다.",
        "How far the scores can be believed shows when two or more rate the same items.",
    )


def _read(figure: Figure, statistic: Statistic) -> str:
    """A coefficient with its interval, and in a word where one may be said."""
    reading = interpret(statistic, figure)
    unsure = said(" (항목이 적어 확실하지 않음)", " (too few items to be sure)")
    words = f" {reading.words(language())}" if reading else unsure
    return f"{say(Estimate.of(figure), 'coefficient')}{words}"


def _single(figures: Analysis, among: Mapping[str, Mapping[str, Agreement]], main: str) -> str:
    """How far single ratings agree, where no mean has a reliability, as of labels; else how often one judge answers alike."""
    several = {
        kind: one
        for kind in ("human", "ai")
        if (one := among.get(kind, {}).get(main)) is not None and len(one.raters) > 1
    }
    told = [
        f"{many_of(figures, kind).say()} {_read(one.krippendorff_alpha, 'krippendorff_alpha')}"
        for kind, one in several.items()
        if one.krippendorff_alpha.value is not None
    ]
    if told:
        return said(
            f"평가 하나하나의 일치도(Krippendorff α, 최대 1): {'; '.join(told)}.",
            f"Agreement of single ratings (Krippendorff's α, at most 1): {'; '.join(told)}.",
        )
    again = [
        (one.rater, one.criteria[main].consistency)
        for one in (figures.agreement.raters if figures.agreement else ())
        if one.kind == "ai" and main in one.criteria
    ]
    is_given = figures.rubric.criterion(main) is not None  # of a total hardly any value comes again
    known = [
        (rater, found.agreement if is_given else found.icc) for rater, found in again if found is not None
    ]
    listed = "; ".join(
        f"{rater} {say(Estimate.of(one), 'share' if is_given else 'coefficient')}"
        for rater, one in known
        if one.value is not None
    )
    if several or not listed:
        return ""
    if not is_given:
        return said(
            f"같은 것을 다시 물었을 때의 일치(ICC(1,1), 최대 1): {listed}.",
            f"Agreement with oneself when asked again (ICC(1,1), at most 1): {listed}.",
        )
    return said(
        f"같은 것을 다시 물었을 때 답이 같은 비율: {listed}.",
        f"How often the same question got the same answer again: {listed}.",
    )


def _several(field: str) -> str:
    return "queries" if field == "query" else f"values of {field}"


def _over_what(figures: Analysis) -> str:
    """Of runs: over how many queries the interval was taken, and how many runs have no value."""
    of, field = figures.whole[figures.main], figures.scored.cluster
    clusters = of.mean.details.get("clusters")
    if of.mean.ci95 is None:
        words = said(
            "구간을 구할 수 없어 얼마나 확실한지 말할 수 없습니다.",
            "There is no interval, so how sure that is cannot be said.",
        )
    elif field is None or clusters is None:
        words = said(
            f"대괄호는 실행 {of.n:,}건을 단위로 구한 95 % 구간입니다.",
            f"The brackets hold the 95 % interval over {of.n:,} runs.",
        )
    else:
        words = said(
            f"대괄호는 {field_name(field).ko} {clusters:,}개를 단위로 구한 95 % 구간입니다(같은 {field_name(field).ko}의 실행은 한 묶음).",
            f"The brackets hold the 95 % interval over {clusters:,} {_several(field)}; runs of one {field} are a cluster.",
        )
    lost = figures.n_rated - of.n
    if lost:
        words += said(
            f" 실행 {figures.n_rated:,}건 중 {lost:,}건은 값이 없어 들어 있지 않습니다.",
            f" Of {figures.n_rated:,} runs {lost:,} {'has' if lost == 1 else 'have'} no value and {'is' if lost == 1 else 'are'} not in it.",
        )
    return words


def _nobody_but_judges(figures: Analysis) -> str:
    """Judges who agree among themselves may all be wrong; that nobody has looked is said in the same breath."""
    if set(figures.raters.values()) != {"ai"}:
        return ""
    return said(
        " 사람의 평가가 없어, 이 점수가 사람의 판단과 맞는지는 알 수 없습니다.",
        " No person has rated, so nobody knows how well these scores match what people would say.",
    )
