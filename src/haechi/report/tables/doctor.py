"""A rubric's check-up as tables: what to change, and what that would save."""

from __future__ import annotations

from haechi.analysis.rubric_doctor import ENOUGH_ITEMS, HALO, Checkup, Diagnosis
from haechi.report.numbers import number, percent
from haechi.report.table import AuthoredText, Cell, Column, Estimate, Table, say, table
from haechi.report.words import element_label, said
from haechi.rubrics import Rubric


def doctor_tables(found: Diagnosis, rubric: Rubric) -> list[Table | str]:
    """The criteria with something to change first, then all others; raters who let one impression decide last."""
    ill = sorted((one for one in found.checkups if one.complaints), key=_weight)
    well = [one for one in found.checkups if not one.complaints]
    parts: list[Table | str] = []
    if ill:
        columns = [said("기준", "criterion"), said("바꿀 것", "what to change"), said("근거", "because")]
        rows: list[list[Cell]] = [
            [element_label(rubric, one.name), AuthoredText(change), AuthoredText(because)]
            for one in ill
            for change, because in (_told(one, complaint, rubric) for complaint in one.complaints)
        ]
        parts.append(table(said("고칠 만한 기준", "Criteria to mend"), columns, rows, words=3))
    else:
        parts.append(
            said(
                "이 평가에서는 고칠 만한 기준이 드러나지 않습니다.",
                "These ratings show no criterion that needs mending.",
            )
        )
    parts.append(_figures(ill + well, rubric))
    led = {rater: figure for rater, figure in found.halo.items() if (figure.value or 0) >= HALO}
    if led:
        names = ", ".join(
            f"{rater} r = {number(figure.value or 0, 'coefficient')}" for rater, figure in led.items()
        )
        parts.append(
            said(
                f"기준마다 따로 보지 않고 인상 하나로 매긴 듯한 평가자: {names}(기준끼리의 상관 평균).",
                f"Raters who seem to let one impression decide: {names} (mean correlation between criteria).",
            )
        )
    if found.n_items < ENOUGH_ITEMS:
        parts.append(
            said(
                f"항목이 {ENOUGH_ITEMS}개 이상이면 서로 같은 것을 재는 기준도 찾습니다(지금 {found.n_items:,}개).",
                f"From {ENOUGH_ITEMS} items on it also says which criteria measure the same (there are {found.n_items:,}).",
            )
        )
    return parts


def _weight(one: Checkup) -> tuple[int, float]:
    order = ("ambiguous", "redundant", "neighbours", "unfounded", "unused", "crowded")
    return min(order.index(complaint) for complaint in one.complaints), one.people.value or 0.0


def _figures(checkups: list[Checkup], rubric: Rubric) -> Table:
    columns = [
        Column(said("기준", "criterion"), "words"),
        Column(said("평가", "ratings"), "count"),
        Column(said("사람끼리 α", "α, people"), "coefficient"),
        Column(said("AI끼리 α", "α, judges"), "coefficient"),
        Column(said("AI와 사람 r", "r, judges–people"), "coefficient"),
        Column(said("갈린 항목", "items split"), "share"),
        Column(said(".80에 필요한 평가자", "raters for .80"), "count"),
        Column(said("다른 기준만큼 분명하면", "if as clear as usual"), "count"),
    ]
    rows: list[list[Cell]] = [
        [
            element_label(rubric, one.name),
            one.n,
            Estimate.of(one.people),
            Estimate.of(one.judges),
            Estimate.of(one.against),
            Estimate.of(one.split),
            one.raters,
            one.raters_if_usual,
        ]
        for one in checkups
    ]
    note = said(
        "갈린 항목: 같은 항목에 둘 이상이 서로 다른 값을 준 비율. 필요한 평가자: 그 기준의 평균이 신뢰도 .80에 이르는 수(Spearman–Brown).",
        "Items split: the share on which two or more gave different values. Raters: how many a mean of reliability .80 takes (Spearman–Brown).",
    )
    return Table(said("기준마다", "Criterion by criterion"), tuple(columns), tuple(map(tuple, rows)), note)


def _told(one: Checkup, complaint: str, rubric: Rubric) -> tuple[str, str]:
    """What to change and why, for one complaint."""
    known, who = (
        (one.people, said("사람들이", "people"))
        if one.people.value is not None
        else (one.judges, said("AI 평가자들이", "judges"))
    )
    saved = ""
    if one.raters and one.raters_if_usual and one.raters_if_usual < one.raters:
        saved = said(
            f" 다른 기준만큼 분명해지면 평가자 {one.raters}명 대신 {one.raters_if_usual}명이면 됩니다.",
            f" As clear as the others it would take {one.raters_if_usual} raters instead of {one.raters}.",
        )
    others = ", ".join(element_label(rubric, name) for name in one.follows)
    unused = ", ".join(f"{point:g}" for point in one.unused)
    alpha = say(Estimate.of(known), "coefficient")
    told = {
        "ambiguous": (
            said("문구를 다시 쓰고 충족·미충족 예를 더하세요.", "Reword it, and give examples that meet it and that do not.") + saved,
            said(f"{who} 서로 다르게 씁니다: α {alpha}", f"{who} use it differently: α {alpha}"),
        ),
        "redundant": (
            said("하나로 합치거나 하나를 뺄 수 있는지 보세요.", "See whether they can be merged, or one left out."),
            said(f"이것이 충족되면 거의 언제나 함께 충족됩니다: {others}", f"met nearly always together with {others}")
            if one.neighbours is None
            else said(f"항목의 순서가 거의 같습니다: {others}", f"it ranks items like {others}"),
        ),
        "neighbours": (
            said("이웃한 두 단계의 설명을 더 뚜렷이 가르거나 합치세요.", "Draw the line between neighbouring anchors more clearly, or merge them."),
            said(
                f"갈린 평가의 {percent(one.neighbours.value or 0) if one.neighbours else ''}가 이웃한 점수 사이입니다",
                f"{percent(one.neighbours.value or 0) if one.neighbours else ''} of disagreements are between neighbouring points",
            ),
        ),
        "unused": (
            said("쓰이지 않는 단계를 빼거나 설명을 고치세요.", "Drop the points, or describe them so that somebody can choose them."),
            said(f"평가 {one.n:,}건에서 아무도 주지 않은 점수: {unused}", f"nobody gave {unused} in {one.n:,} ratings"),
        ),
        "crowded": (
            said("더 어려운 기준으로 바꾸거나 단계를 나누세요.", "Make it harder, or divide the points at that end."),
            said(
                f"평가의 {say(Estimate.of(one.crowded), 'share')}가 한쪽 끝에 있습니다",
                f"{say(Estimate.of(one.crowded), 'share')} of ratings stand at one end",
            ),
        ),
        "unfounded": (
            said("무엇을 근거로 인용해야 하는지 적으세요.", "Say what is to be quoted as evidence."),
            said(
                f"AI 인용의 {say(Estimate.of(one.unfounded), 'share')}가 원문에 없습니다",
                f"{say(Estimate.of(one.unfounded), 'share')} of judges' quotes are not in the text",
            ),
        ),
    }  # fmt: skip
    return told[complaint]
