"""Agreement for the eye: what the figures are, what they mean, and whom to talk to about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.markup import escape

from haechi.analysis.agreement import AgreementReport
from haechi.analysis.judges import SMALL_TEST, Judged
from haechi.cli.figures import NOTHING, graded, narrow, percent, plain_figure, short
from haechi.cli.output import table
from haechi.stats import Agreement, HumanAI
from haechi.stats.interpretation import CUT_OFFS, Statistic, interpret
from haechi.text import Text, language

_LISTED = 10


def agree_tables(report: AgreementReport) -> list[Any]:
    """All tables of a report; each fits a terminal of 100 columns."""
    things: list[Any] = [_criteria(Text("모든 평가자", "all raters"), report.criteria)]
    panels = report.panels
    if panels and len({rater.kind for rater in report.raters}) != 1:
        things += [
            _criteria(title, block)
            for title, block in (
                (Text("사람끼리", "people among themselves"), panels.human_human),
                (Text("AI 판정자끼리", "AI judges among themselves"), panels.ai_ai),
            )
            if any(len(found.raters) > 1 for found in block.values())
        ]
    things += _reading(report)
    if report.criteria[report.headline].pairs:
        things.append(_pairs(report.headline, report.criteria[report.headline]))
    if panels and any(found.panel.n for found in panels.human_ai.values()):
        things += [_human_ai(report, panels.human_ai), _judges(report, panels.human_ai[report.headline])]
    if report.judged:
        things += _stand_in(report.judged, report.headline)
    things += [_raters(report)] if report.raters else []  # a cluster only counts
    return things + _reading_list(report)


def _criteria(title: Text, block: Mapping[str, Agreement]) -> Any:
    columns: list[Text | str] = [
        Text("기준", "criterion"),
        Text("항목/완전\n/평가자", "items/full\n/raters"),
        "ICC(2,1)",
        "ICC(2,k)",
        "Cronb.\nα",
        "Kripp. α",
        "Fleiss\nκ",
        "AC",
        Text("일치", "agree"),
    ]
    made = narrow(table(title, columns))
    for name, found in block.items():
        made.add_row(
            escape(name),
            f"{found.n_items:,}/{found.n_complete:,}/{len(found.raters)}",
            graded("icc", found.icc["ICC(2,1)"], True),
            graded("icc", found.icc["ICC(2,k)"]),
            graded("cronbach_alpha", found.cronbach_alpha),
            graded("krippendorff_alpha", found.krippendorff_alpha, True),
            graded("kappa", found.fleiss_kappa),
            graded("gwet_ac", found.gwet_ac),
            percent(found.percent_agreement),
        )
    made.may_lose(1, 4, 8, 7, 3)
    return made


def _reading(report: AgreementReport) -> list[str]:
    """The headline in words, whose words they are, and where agreement is lowest."""
    name, lang = report.headline, language()
    found = report.criteria[name]
    figures: list[tuple[str, Statistic, Any]] = [
        ("ICC(2,1)", "icc", found.icc["ICC(2,1)"]),
        ("ICC(2,k)", "icc", found.icc["ICC(2,k)"]),
        ("Cronbach α", "cronbach_alpha", found.cronbach_alpha),
        ("Krippendorff α", "krippendorff_alpha", found.krippendorff_alpha),
        ("Fleiss κ", "kappa", found.fleiss_kappa),
        ("Gwet AC", "gwet_ac", found.gwet_ac),
    ]
    title = Text(f"말로 읽기 · {name}", f"in words · {name}").say()
    lines = [f"[bold]{escape(title)}[/]"]
    for label, statistic, figure in figures:
        reading = interpret(statistic, figure)
        value = "–" if figure.value is None else short(figure.value)
        words = reading.say(lang) if reading else figure.why.say(lang)
        lines.append(f"  {label:<15}{value:>6}  {escape(words)}")
    sources = ", ".join(dict.fromkeys(CUT_OFFS[statistic].source for _, statistic, _ in figures))
    lines.append(
        "  [dim]"
        + Text(
            f"색과 말은 다음 문헌의 기준: {sources}", f"colours and words by the cut-offs of {sources}"
        ).say()
        + "[/]"
    )
    if len(report.criteria) > 1 and report.lowest:
        worst = ", ".join(f"{name} ({short(figure.value)})" for name, figure in report.lowest[:3])
        lines.append(
            Text(
                f"  일치도가 가장 낮은 기준 (Krippendorff α): {worst}",
                f"  lowest agreement (Krippendorff's α): {worst}",
            ).say()
        )
    return [*lines, ""]


def _pairs(name: str, found: Agreement) -> Any:
    columns: list[Text | str] = [
        Text("쌍", "pair"),
        "n",
        "r",
        "ρ",
        "τ-b",
        "κ",
        Text("가중 κ", "weighted κ"),
        Text("평균 차이", "mean difference"),
    ]
    made = table(Text(f"평가자 쌍 · {name}", f"pairs of raters · {name}"), columns)
    narrow(made)
    for pair in found.pairs[: 2 * _LISTED]:
        made.add_row(
            escape(f"{pair.a} – {pair.b}"),
            f"{pair.n:,}",
            graded("correlation", pair.pearson, True),
            plain_figure(pair.spearman, with_interval=False),
            plain_figure(pair.kendall, with_interval=False),
            graded("kappa", pair.cohen_kappa),
            graded("kappa", pair.weighted_kappa),
            plain_figure(pair.mean_difference),
        )
    made.may_lose(4, 3, 5)
    return made


def _human_ai(report: AgreementReport, block: Mapping[str, HumanAI]) -> Any:
    title = Text(
        "사람과 AI · 판정자 평균 대 사람 평균",
        "people and AI · mean of the judges against mean of the people",
    )
    nominal = any(found.level == "nominal" for found in report.criteria.values())
    made = narrow(table(title, _against_columns(Text("기준", "criterion"), nominal)))
    for name, found in block.items():
        made.add_row(escape(name), *_against(found.panel, nominal))
    return made


def _judges(report: AgreementReport, found: HumanAI) -> Any:
    name = report.headline
    title = Text(f"판정자마다 사람 평균과 · {name}", f"every judge against the people · {name}")
    nominal = report.criteria[name].level == "nominal"
    made = narrow(table(title, _against_columns(Text("판정자", "judge"), nominal)))
    for judge, one in found.judges:
        made.add_row(escape(str(judge)), *_against(one, nominal))
    return made


def _against_columns(first: Text, nominal: bool) -> list[Text | str]:
    majority = [Text("다수 의견 일치", "majority agrees")] if nominal else []
    return [first, "n", "r", "ρ", "τ-b", Text("AI − 사람", "AI − people"), *majority]


def _against(one: Any, nominal: bool) -> tuple[str, ...]:
    return (
        f"{one.n:,}",
        graded("correlation", one.pearson, True),
        plain_figure(one.spearman, with_interval=False),
        plain_figure(one.kendall, with_interval=False),
        plain_figure(one.mean_difference),
        *([percent(one.majority_agreement)] if nominal else []),
    )


def _stand_in(judged: Judged, headline: str) -> list[str]:
    """Whether each judge may stand in for people, in words; then what the judges' ratings save."""
    if not any(found.alt_tests for found in judged.criteria.values()):
        return []
    title = Text(
        "AI 평가자가 사람을 대신할 수 있나? (대체 평가자 검정)",
        "Can an AI judge stand in for people? (alternative annotator test)",
    )
    lines = [f"[bold]{title.say()}[/]"]
    for judge, test in judged.criteria[headline].alt_tests.items():
        mark = {True: "[green]✓[/]", False: "[red]✗[/]", None: "[dim]–[/]"}[test.replaces]
        lines.append(f"  {mark} {escape(judge)} · {escape(headline)}: {escape(test.verdict.say(language()))}")
        others = [
            name
            for name, found in judged.criteria.items()
            if name != headline and judge in found.alt_tests and found.alt_tests[judge].replaces
        ]
        if others:
            names = escape(", ".join(others))
            lines.append(
                "    [dim]"
                + Text(f"대신할 수 있는 다른 기준: {names}", f"also replaces people on: {names}").say()
                + "[/]"
            )
    if judged.is_small(headline):
        lines.append(f"  [yellow]{escape(SMALL_TEST.say(language()))}[/]")
    return [*lines, *_saved(judged, headline), ""]


def _saved(judged: Judged, headline: str) -> list[str]:
    found = judged.criteria[headline].mean
    if found is None or found.mean.value is None or found.saved is None:
        return []
    ends = found.mean.ci95 or (found.mean.value, found.mean.value)
    said = Text(
        f"  사람 {found.n_human}개와 AI {found.n_judge}개의 평가로 추정한 {headline}의 사람 평균: "
        f"{found.mean.value:.2f} [{ends[0]:.2f}, {ends[1]:.2f}] (사람 평가 {found.saved:.0f}개를 아낀 셈)",
        f"  mean human {headline} from {found.n_human} human and {found.n_judge} AI ratings: "
        f"{found.mean.value:.2f} [{ends[0]:.2f}, {ends[1]:.2f}] (saves {found.saved:.0f} human ratings)",
    )
    return [escape(said.say())]


def _raters(report: AgreementReport) -> Any:
    name = report.headline
    columns: list[Text | str] = [
        Text("평가자", "rater"),
        "n",
        Text("다른 평가자 대비", "own − others"),
        "SD",
        Text("퍼짐 비", "spread ratio"),
        Text("가운데", "middle"),
        Text("양끝", "ends"),
        Text("후광 r", "halo r"),
        Text("자기 일관", "self"),
    ]
    made = narrow(table(Text(f"평가자의 버릇 · {name}", f"raters' habits · {name}"), columns))
    for rater in report.raters:
        if name not in rater.criteria:
            continue
        habits = rater.criteria[name]
        of = habits.behaviour
        made.add_row(
            escape(rater.rater),
            f"{of.n:,}",
            plain_figure(of.severity),
            plain_figure(of.spread),
            plain_figure(of.spread_ratio),
            percent(of.middle) if len(of.use) <= _LISTED else NOTHING,
            percent(of.ends) if len(of.use) <= _LISTED else NOTHING,
            plain_figure(rater.halo.mean),
            percent(habits.consistency.agreement) if habits.consistency else NOTHING,
        )
    made.may_lose(8, 4, 6, 5, 3)
    return made


def _reading_list(report: AgreementReport) -> list[Any]:
    if not report.reading_list:
        return []
    title = Text(
        "함께 다시 읽어 볼 항목 · 평가가 가장 갈린 순서",
        "items to read again together · largest disagreement first",
    )
    columns: list[Text | str] = [
        Text("항목", "item"),
        Text("기준", "criterion"),
        Text("퍼짐", "spread"),
        Text("평가", "ratings"),
    ]
    made = narrow(table(title, columns, numeric_from=2))
    made.columns[3].justify, made.columns[3].no_wrap, made.columns[3].overflow = "left", False, "fold"
    for one in report.reading_list[:_LISTED]:
        given = " · ".join(f"{rater} {_value(value)}" for rater, value in one.values.items())
        made.add_row(escape(one.item), escape(one.criterion), f"{one.spread:.2f}", escape(given))
    return [made]


def _value(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"
