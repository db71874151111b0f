"""The methods paragraph for a paper."""

from __future__ import annotations

from haechi.analysis.analysis import Analysis
from haechi.analysis.zero_by_rule import totals_without, zero_by_rule
from haechi.data.fields import field_name
from haechi.korean.particles import particle
from haechi.report.apa import apa, ends_of, groups_tested
from haechi.report.numbers import number
from haechi.report.rating_methods import changes_of_asking, who_rated
from haechi.report.sections.reliability import headline
from haechi.report.table import say
from haechi.report.words import panel_of, said, score_label, with_particle
from haechi.text import plural
from haechi.version import __version__


def methods(figures: Analysis) -> str:
    """One paragraph in APA style: instrument, items, raters, missing data, coefficients, tests, software."""
    sentences = [
        _instrument(figures),
        who_rated(figures),
        changes_of_asking(figures),
        _missing(figures),
        _scores(figures),
        _reliability(figures),
        _human_ai(figures),
        groups_tested(figures),
        _software(figures),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _instrument(figures: Analysis) -> str:
    rubric = figures.rubric
    edition = f" {rubric.edition}" if rubric.edition else ""
    n, rated = figures.n_items, figures.n_rated
    nouns = {
        "dialogue": ("대화", "dialogue", "dialogues"),
        "reply": ("답변", "reply", "replies"),
        "run": ("실행", "run", "runs"),
        "pair": ("쌍", "pair", "pairs"),
    }
    ko, *en = nouns[rubric.item]
    some = rated < n  # otherwise the number would stand there twice
    criteria = sum(criterion.scale.counted for criterion in rubric.criteria)
    by = with_particle(f"{rubric.title.ko}{edition}(기준 {criteria}개, 버전 {rubric.version})", "으로/로")
    return said(
        f"{ko} {n:,}건{f'(평가된 것 {rated:,}건)' if some else ''}을 {by} 평가하였다.",
        f"The sample comprised {plural(n, *en)}{f' ({rated:,} of them rated)' if some else ''}, scored with "
        f"{rubric.title.say('en')}{edition} ({plural(criteria, 'criterion', 'criteria')}, version {rubric.version}).",
    )


def _missing(figures: Analysis) -> str:
    summary = figures.scored.summary[0].scores[figures.main]
    lost, total = summary.missing, figures.n_rows
    label = score_label(figures.rubric, figures.main)
    handled = {
        "missing": ("결측은 대체하지 않았다", "missing values were not imputed"),
        "unmet": ("답이 없는 요소는 미충족으로 보았다", "unanswered elements counted as unmet"),
        "renormalise": (
            "가중치를 남은 지표로 다시 맞추었다",
            "weights were renormalised over the metrics present",
        ),
    }
    ko, en = handled[figures.scored.missing]
    words = said(
        f"{label} 값 {total:,}건 중 {lost:,}건이 결측이었으며, {ko}.",
        f"Of {plural(total, 'value')} of {label}, {lost:,} {'was' if lost == 1 else 'were'} missing; {en}.",
    )
    if not lost:
        words = said(
            f"{label} 값 {total:,}건에 결측은 없었다.",
            f"Of {plural(total, 'value')} of {label}, none was missing.",
        )
    if figures.scored.excluded:
        names = ", ".join(figures.scored.excluded)
        words += said(
            f" 기준 {with_particle(names, '은/는')} 제외하였다.", f" The criteria {names} were excluded."
        )
    return words


def _scores(figures: Analysis) -> str:
    """The main score of every panel, people and judges each on their own."""
    label = score_label(figures.rubric, figures.main)
    told = []
    for kind, group in figures.panels.items():
        if group.mean.value is None:
            continue
        who, figure = panel_of(figures, kind), f"M = {number(group.mean.value)}"
        if group.sd.value is not None:
            figure += f", SD = {say(group.sd.value)}"
        if group.mean.ci95 is not None:
            figure += f", 95% CI {ends_of(group.mean)}"
        told.append((f"{who.ko} {figure}(n = {group.n:,})", f"{who.en}, {figure} (n = {group.n:,})"))
    if not told:
        return ""
    ko, en = ("; ".join(one) for one in zip(*told, strict=True))
    words = said(
        f"{with_particle(label, '은/는')} 항목별로 평균한 뒤 구하였다: {ko}.",
        f"Averaged within items first, {label} was: {en}.",
    )
    if len(figures.raters) == 1 or set(figures.panels) == {"code"}:
        words = said(f"{with_particle(label, '은/는')} 다음과 같다: {ko}.", f"{label} was: {en}.")
    words += _ruled(figures)
    if all(group.mean.ci95 is None for group in figures.panels.values()):
        return words
    words += said(
        " 구간은 점수 범위 안에서 구한 Wilson 점수 구간이다.",
        " Intervals are Wilson's score intervals on the range of the score.",
    )
    runs = figures.rubric.item == "run"
    if (field := figures.scored.cluster) is not None:
        words += said(
            f" 구간의 분산은 {field_name(field).ko} 값이 같은 {'실행' if runs else '항목'}을 한 군집으로 본 군집 강건 분산이다.",
            f" Their variances are cluster-robust, the {'runs' if runs else 'items'} of one {field} being a cluster.",
        )
    return words


def _ruled(figures: Analysis) -> str:
    """What in the main score is 0 by rule, and the score without that."""
    without = totals_without(figures.scored).get(figures.main)
    whole = figures.whole[figures.main].mean.value
    if without is None or without.mean is None or without.mean == whole:
        return ""
    parts = [
        one
        for one in zero_by_rule(figures.scored).values()
        if one.score in figures.rubric.criteria_of(figures.main)
    ]
    ko = ", ".join(f"{score_label(figures.rubric, one.score)} {one.n:,}/{one.of:,}건" for one in parts)
    en = ", ".join(
        f"{score_label(figures.rubric, one.score)} in {one.n:,} of {one.of:,} runs" for one in parts
    )
    return said(
        f" 여기에는 잴 것이 없어 규칙에 따라 0점이 된 값이 들어 있으며({ko}), 이를 빼면 {_was(f'M = {number(without.mean)}')}.",
        f" It holds values that are 0 by rule, for want of anything to measure ({en}); without them M = {number(without.mean)}.",
    )


def _reliability(figures: Analysis) -> str:
    """The coefficients of people among themselves and of judges among themselves; what pools both is not reported."""
    main = headline(figures)
    sentences = []
    for kind, block in (figures.agreement.among if figures.agreement else {}).items():
        if main not in block or len(block[main].raters) < 2 or block[main].n_items < 2:
            continue
        found = block[main]
        named = [("ICC(2,1)", found.icc["ICC(2,1)"]), found.reported_mean]
        named += [("Cronbach's α", found.cronbach_alpha), ("Krippendorff's α", found.krippendorff_alpha)]
        parts = [f"{name} = {apa(figure)}" for name, figure in named if figure.value is not None]
        if not parts:
            continue
        listed, label, n = ", ".join(parts), score_label(figures.rubric, main), len(found.raters)
        incomplete = found.icc_method == "reml"
        alone = found.cronbach_alpha.value is None  # nothing was computed from the items that all have rated
        ko = "; ICC는 REML로 추정한 분산 성분" if incomplete else ""
        en = "; ICC from variance components estimated by REML" if incomplete else ""
        alone = alone or found.n_complete == found.n_items  # of which the number stands there already
        ko += (
            ""
            if alone
            else f"{', Cronbach α는' if incomplete else ';'} 전원이 평가한 항목 {found.n_complete:,}개"
        )
        complete = plural(found.n_complete, "item")
        en += "" if alone else f"{', Cronbach’s α' if incomplete else ';'} over the {complete} rated by all"
        sentences.append(
            said(
                f"{label}의 {f'사람 {n}명' if kind == 'human' else f'AI 평가자 {n}명'} 사이 신뢰도는 {_was(listed)}(항목 "
                f"{found.n_items:,}개{ko}).",
                f"Reliability of {label} among the {n} {'people' if kind == 'human' else 'AI judges'} was {listed} "
                f"({found.n_items:,} items{en}).",
            )
        )
    if sentences and (field := figures.scored.cluster) is not None:
        sentences.append(
            said(
                f"신뢰도의 구간은 {field_name(field).ko} 값이 같은 항목의 묶음을 고려하지 않은 것이다.",
                f"The intervals of reliability take no account of items of one {field} being a cluster.",
            )
        )
    return " ".join(sentences)


def _was(words: str) -> str:
    """Figures and the Korean verb that fits the last of them: .86이었다, .84였다."""
    return words + ("였다" if particle(words, "이/가") == "가" else "이었다")


def _human_ai(figures: Analysis) -> str:
    found, main = figures.agreement, headline(figures)
    if found is None or found.panels is None or main not in found.panels.human_ai:
        return ""
    panel = found.panels.human_ai[main].panel
    if panel.pearson.value is None:
        return ""
    df = panel.n - 2
    return said(
        f"AI 평균과 사람 평균의 상관은 {_was(f'r({df}) = {apa(panel.pearson)}')}.",
        f"The judges' mean correlated with the people's mean, r({df}) = {apa(panel.pearson)}.",
    )


def _software(figures: Analysis) -> str:
    return said(
        f"분석에는 Haechi {with_particle(__version__, '을/를')} 썼다(난수 시드 {figures.seed}).",
        f"Analyses were made with Haechi {__version__} (random seed {figures.seed}).",
    )
