"""What gates say, in words: the condition, what was found, and what is the matter."""

from __future__ import annotations

from collections.abc import Sequence

from haechi.analysis.coefficient_registry import in_tables
from haechi.analysis.gates import SIGNS, GateResult
from haechi.analysis.score_change import ScoreChange
from haechi.report.numbers import NumberKind
from haechi.report.table import Estimate, say
from haechi.report.words import said
from haechi.stats import Figure
from haechi.stats.figure import Why, undefined
from haechi.text import language

_PANELS = ("agree", "human_human", "ai_ai", "human_ai")


def gate_condition(checked: GateResult) -> str:
    """The gate as a condition.

    >>> from haechi.analysis.gates import Gate
    >>> gate_condition(GateResult(Gate("min", "total", 25), Figure(30.0, 12), True))
    'total ≥ 25'
    """
    gate = checked.of
    if isinstance(gate, ScoreChange):
        return checked.name
    low, high = said(" (구간의 아래 끝)", " (lower end)"), said(" (구간의 위 끝)", " (upper end)")
    of = {
        "min-lower": low,
        "max-upper": high,
        "max-drop": said(" (구간이 허용하는 하락)", " (loss that the interval allows)"),
    }
    if (
        checked.interval is not None
    ):  # only an interval that lies beyond the limit as a whole shows that the value does
        of |= {"min": high, "max": low}
    return f"{gate.name}{of.get(gate.kind, '')} {SIGNS[gate.kind]} {gate.limit:g}"


def gate_reason(checked: GateResult) -> str:
    """What is the matter; of a score that passes how large a loss may still be, or that it has no interval.

    That no loss was shown does not say that there is none.
    """
    if isinstance(checked.of, ScoreChange):
        return _why_of_change(checked.of, checked.passed)
    gate, found, end = checked.of, checked.found, checked.end
    if end is None:
        reason = found.why or found.why_no_ci
        return reason.say(language()) if reason else said("구간이 없음", "it has no interval")
    if checked.passed:
        # A loss without spread can be looked at, and is not certain.
        return found.why_no_ci.say(language()) if gate.kind == "max-drop" and found.why_no_ci else ""
    if gate.kind == "max-drop":
        return said(
            f"{end:.2g}까지의 하락이 데이터와 어긋나지 않습니다",
            f"a loss of up to {end:.2g} is compatible with the data",
        )
    apart, low = f"{end:.4g}: {abs(end - gate.limit):.2g}", SIGNS[gate.kind] == "≥"
    return said(f"{apart} {'미달' if low else '초과'}", f"{apart} too {'low' if low else 'high'}")


def comparable(one: ScoreChange) -> Figure:
    """The difference, where what was compared speaks for the whole."""
    return undefined(_few_pairs(one), one.pairs) if one.is_partial else one.difference


def _few_pairs(one: ScoreChange) -> Why:
    return Why(
        f"항목 {one.scored:,}개 중 {one.pairs:,}개만 같은 평가자가 두 번 다 평가해 비교할 수 없습니다",
        f"only {one.pairs:,} of {one.scored:,} items were rated by the same raters in both, too few to compare",
    )


def _why_of_change(one: ScoreChange, passed: bool) -> str:
    if one.is_partial:
        return _few_pairs(one).say(language())
    if one.is_untested or one.refused:
        return Estimate.of(one.difference).why or said("비교할 값이 없음", "there is nothing to compare")
    if passed:
        return _possible_loss(one.difference)
    from haechi.report.change_findings import test_words

    test = test_words(one) if one.p_corrected is not None else ""
    return said(f"나빠졌습니다. {test}", f"got worse, {test}").rstrip(" ,")


def gate_value(checked: GateResult) -> str:
    """What was found, with its interval."""
    return say(found_in(checked), digits=3)


def _possible_loss(difference: Figure) -> str:
    """What may be said of a loss that was not shown.

    >>> from haechi.text import choose_language
    >>> choose_language("en")
    >>> _possible_loss(Figure(0.1, 9, (-0.25, 0.45)))
    'no loss was shown; a loss of up to 0.25 is compatible with the data'
    >>> _possible_loss(Figure(0.5, 9, (0.2, 0.8)))
    ''
    >>> choose_language(None)
    """
    if difference.value is None:
        return said("양쪽 모두 값이 없어 비교할 것이 없습니다", "neither side has a value to compare")
    low, high = difference.ci95 or (None, None)
    if low is None or low == high:
        return said(
            "나빠졌다는 근거가 없습니다. 다만 자료에 산포가 없어 얼마까지의 하락이 가능한지는 말할 수 없습니다",
            "no loss was shown; without any spread the data do not say how large a loss is possible",
        )
    if low >= 0:
        return ""
    most = f"{-low:.2g}"
    return said(
        f"나빠졌다는 근거가 없습니다. 다만 최대 {most}만큼의 하락은 데이터와 어긋나지 않습니다",
        f"no loss was shown; a loss of up to {most} is compatible with the data",
    )


def verdict(checks: Sequence[GateResult]) -> str:
    """How many gates hold, in words.

    >>> from haechi.text import choose_language
    >>> from haechi.analysis.gates import Gate
    >>> choose_language("en")
    >>> verdict([GateResult(Gate("min", "total", 1), Figure(2.0, 3), True)] * 2)
    '2 of 2 gates passed'
    >>> choose_language(None)
    """
    n, failed = len(checks), sum(not one.passed for one in checks)
    if failed:
        return said(f"통과 기준 {n:,}개 중 {failed:,}개 실패", f"{failed:,} of {n:,} gates failed")
    return said(f"통과 기준 {n:,}개{' 모두' if n > 1 else ''} 통과", f"{n:,} of {n:,} gates passed")


def found_in(checked: GateResult) -> Estimate:
    """What was found, for a table."""
    return Estimate.of(checked.found, gate_format(checked.of.name))


def gate_format(name: str) -> NumberKind:
    """How a figure is written: agreement and correlation are coefficients, whatever else a gate names is not."""
    prefix, _, key = name.partition(".")
    others = {"mean_difference", *(name for name, one in in_tables().items() if one.is_share)}
    coefficient = prefix in _PANELS and key.rpartition(".")[2] not in others
    return "coefficient" if coefficient else "score"
