"""Tables of the judge as an instrument: accuracy, what the panel is worth, severity and labels."""

from __future__ import annotations

from haechi.analysis.judge_quality import Instrument
from haechi.report.table import Cell, Column, Estimate, Table, say, table
from haechi.report.words import said, score_name
from haechi.rubrics import Rubric
from haechi.stats import DawidSkene, Figure, JudgePanels
from haechi.stats.figure import Why
from haechi.text import language

_LISTED = 12


def judges_tables(rubric: Rubric | None, found: Instrument, main: str) -> list[Table | str]:
    """How far the judges can be believed: yes-or-no criteria one by one, then the panel on the main score."""
    if not found.has_judges:
        return [
            said(
                "AI 평가자와 사람이 모두 있어야 AI 평가자를 사람과 견줄 수 있습니다.",
                "Judges are held against people: there must be both.",
            )
        ]
    things: list[Table | str] = []
    if found.accuracy:
        things.append(_accuracy(rubric, found))
    if main in found.worth:
        things += [_worth_words(found.worth[main]), *_panel_words(found.panels[main], bool(found.costs()))]
        if found.panels[main].panels:
            things.append(_panels(rubric, main, found.panels[main]))
    return [thing for thing in things if thing]


def _accuracy(rubric: Rubric | None, found: Instrument) -> Table:
    columns = [
        Column(said("점수", "score"), "words"),
        Column(said("AI 평가자", "judge"), "words"),
        Column("n", "count"),
        Column(said("민감도 [95 % 구간]", "sensitivity [95 % interval]"), "share"),
        Column(said("특이도 [95 % 구간]", "specificity [95 % interval]"), "share"),
        Column(said("AI가 찾은 비율", "rate by the judge"), "share", brief=True, leave_out=1),
        Column(said("보정한 비율 [95 % 구간]", "corrected rate [95 % interval]"), "share"),
    ]
    rows: list[list[Cell]] = []
    for name, judges in found.accuracy.items():
        for judge, one in judges.items():
            n = one.sensitivity.n + one.specificity.n
            shares = (one.sensitivity, one.specificity, one.apparent, one.corrected)
            rows.append(
                [score_name(rubric, name), judge, n, *(Estimate.of(share, "share") for share in shares)]
            )
    note = said(
        "사람들의 다수 의견을 기준으로 삼았습니다. 보정한 비율은 사람이라면 찾았을 비율(Rogan–Gladen)이고, n은 사람과 견준 항목 수입니다.",
        "Held against the majority of the people. The corrected rate is what people would have found (Rogan–Gladen); n counts "
        "the items that people rated too.",
    )
    return table(said("AI 평가자의 정확도", "How accurate the judges are"), columns, rows, note)


def _worth_words(found: Figure) -> str:
    """How many judges the panel is worth.

    >>> from haechi.text import choose_language
    >>> choose_language("en")
    >>> _worth_words(Figure(1.4, 40, (1.1, 1.9), details={"judges": 3, "correlation": 0.57}))
    'These 3 judges are worth 1.4 independent ones [1.1, 1.9]: the mean correlation of their errors is .57 (40 items).'
    >>> choose_language(None)
    """
    k = found.details.get("judges", 0)
    if found.value is None:
        return said(
            f"AI 평가자들이 독립인 몇 명 몫인지 계산할 수 없습니다: {_reason(found.why)}.",
            f"How many independent judges they are worth cannot be computed: {_reason(found.why)}.",
        )
    ends = f" [{found.ci95[0]:.1f}, {found.ci95[1]:.1f}]" if found.ci95 else ""
    r = say(float(found.details["correlation"]), "coefficient")
    note = f" {_sentence(found.note)}" if found.note else ""
    return said(
        f"AI 평가자 {k}명은 서로 독립인 {found.value:.1f}명 몫입니다{ends}. 오차끼리의 평균 상관이 {r}입니다(항목 {found.n:,}개).{note}",
        f"These {k} judges are worth {found.value:.1f} independent ones{ends}: the mean correlation of their errors is {r} "
        f"({found.n:,} items).{note}",
    )


def _panel_words(found: JudgePanels, priced: bool) -> list[str]:
    """Which panel is enough, and whether the data can tell."""
    best, cheapest = found.best, found.cheapest
    if best is None or cheapest is None:
        why = _reason(found.why)
        return [said(f"패널을 견줄 수 없습니다: {why}.", f"Panels cannot be compared: {why}.")]
    names = ", ".join(map(str, cheapest.judges))
    r, top, held = (
        say(one.value, "coefficient") for one in (cheapest.correlation, best.correlation, found.held_out)
    )
    cost = said("비용이", "cost") if priced else said("인원이", "number of judges")
    words = said(
        f"최고(r = {top})와 .01 안에서 {cost} 가장 적은 패널: {names} (r = {r}). 고를 때 쓰지 않은 항목에서는 r = {held}입니다.",
        f"The panel of the lowest {cost} within .01 of the best (r = {top}): {names} (r = {r}); on items that were not used to choose, r = {held}.",
    )
    if not found.told_apart:
        words += said(
            " 다만 어느 패널도 최고보다 나쁘다고 할 수 없으니, 이 자료로는 패널을 가릴 수 없습니다.",
            " But no panel is shown to be worse than the best: these data cannot tell them apart.",
        )
    if found.searched == "greedy":
        words += said(
            " AI 평가자가 8명을 넘어, 가장 도움이 되는 하나씩 더해 가며 찾았습니다.",
            " With more than 8 judges they were added one by one, always the one that helps most.",
        )
    return [words]


def _panels(rubric: Rubric | None, name: str, found: JudgePanels) -> Table:
    columns = [
        Column(said("패널", "panel"), "words"),
        Column(said("사람과의 상관 [95 % 구간]", "r with people [95 % interval]"), "coefficient"),
        Column(said("비용", "cost"), digits=2),
        Column(said("최고보다 나쁨, p(Holm)", "worse than the best, p (Holm)"), "p"),
    ]
    rows: list[list[Cell]] = [
        [", ".join(map(str, one.judges)), Estimate.of(one.correlation, "coefficient"), one.cost, one.worse_p]
        for one in found.panels[:_LISTED]
    ]
    label = score_name(rubric, name).words
    note = said(
        f"조합 {len(found.panels):,}개 중 {len(rows)}개. 비용은 호출 기록의 달러, 모르면 인원수입니다.",
        f"{len(rows)} of {len(found.panels):,} panels. Cost is in dollars by the journal; where it is not known, judges are counted.",
    )
    return table(said(f"패널 · {label}", f"Panels · {label}"), columns, rows, note)


def rasch_tables(found: Instrument) -> list[Table | str]:
    """Severity of every rater and difficulty of every criterion, in logits."""
    model = found.severity
    if model.why:
        why = _reason(model.why)
        return [said(f"다국면 Rasch 모형을 추정할 수 없습니다: {why}.", f"Many-facet Rasch: {why}.")]
    made: list[Table | str] = []
    for title, facets in (
        (said("평가자의 엄격함(로짓)", "Severity of raters (logits)"), model.raters),
        (said("기준의 어려움(로짓)", "Difficulty of criteria (logits)"), model.criteria),
    ):
        rows: list[list[Cell]] = [
            [str(one.name), one.n, Estimate.of(one.measure), _error(one.measure), one.infit, one.outfit]
            for one in facets
        ]
        columns = [
            Column(said("이름", "name"), "words"),
            Column("n", "count"),
            Column(said("로짓 [95 % 구간]", "logits [95 % interval]")),
            Column("SE"),
            Column("infit"),
            Column("outfit"),
        ]
        if len(facets) > 1:
            made.append(table(title, columns, rows))
    made.append(
        said(
            "평균이 0이고, 클수록 엄격하거나 어렵습니다. 항목별 공정한 평균은 --json에 있습니다.",
            "The mean is 0; above it is more severe or harder. --json has the fair average of every item.",
        )
    )
    if model.extreme:
        made.append(
            said(
                f"최저점이나 최고점만 받은 항목 {model.extreme:,}개는 평가자에 대해 말해 주는 것이 없어 엄격함을 추정할 때 뺐습니다.",
                f"{model.extreme:,} of the items have only lowest or only highest values; they say nothing about raters and were "
                "left out for severity.",
            )
        )
    return made


def _error(measure: Figure) -> float | None:
    return measure.details.get("se")


def labels_tables(rubric: Rubric | None, found: Instrument) -> list[Table | str]:
    """How often each rater gives the true label, by Dawid and Skene."""
    made: list[Table | str] = []
    for name, model in found.labels.items():
        label = score_name(rubric, name).words
        if model.why:
            made.append(f"{label}: {_reason(model.why)}.")
            continue
        made.append(_confusion(label, found.table.rated(name).declared.labels, model))
    return made or [
        said("범주형이나 0/1인 기준이 없습니다.", "There is no criterion of labels or of 0 and 1.")
    ]


def _confusion(label: str, names: tuple[str, ...], model: DawidSkene) -> Table:
    words = [names[int(one)] if names else f"{one:g}" for one in model.labels]
    columns = [Column(said("평가자", "rater"), "words")]
    columns += [Column(said(f"참 {one} → {one}", f"true {one} → {one}"), "share") for one in words]
    rows: list[list[Cell]] = [[said("참인 비율", "how often true"), *map(float, model.shares)]]
    rows += [
        [str(rater), *(float(matrix[c, c]) for c in range(len(words)))]
        for rater, matrix in model.confusion.items()
    ]
    note = said(
        f"Dawid–Skene, EM {model.rounds}회, 칸마다 {model.smoothing:g}을 더함. 혼동 행렬 전체는 --json에 있습니다.",
        f"Dawid–Skene, {model.rounds} rounds of EM, {model.smoothing:g} added to every cell; --json has the whole confusion matrices.",
    )
    return table(label, columns, rows, note)


def _reason(why: Why | None) -> str:
    return why.say(language()) if why else ""


def _sentence(why: Why) -> str:
    text = why.say(language())
    return f"{text[:1].upper()}{text[1:]}."
