"""A comparison for the eye: the groups, then the tests that fit their number."""

from __future__ import annotations

from typing import Any

from rich.markup import escape

from haechi.analysis.comparison import Comparison
from haechi.analysis.repeated_runs import RepeatedRuns
from haechi.cli.figures import narrow, p_value, percent, plain_figure, short
from haechi.cli.output import table
from haechi.stats.figure import Figure
from haechi.stats.interpretation import CUT_OFFS, interpret
from haechi.text import Text, language

_LISTED = 20


def compare_tables(found: Comparison) -> list[Any]:
    """All tables of a comparison; each fits a terminal of 100 columns."""
    things: list[Any] = [_groups(found)]
    labels = list(found.items.groups)
    if len(labels) == 2:
        things.append(_two(found, labels))
        if found.items.pair:
            things.append(_paired(found, labels))
    elif len(labels) > 2:
        things += [_many(found), *_pairs(found)]
    if found.repeats:
        things.append(_repeats(found.repeats))
    return things


def _groups(found: Comparison) -> Any:
    by = ", ".join(found.items.by)
    columns: list[Text | str] = [
        Text("점수", "score"),
        by,
        "n",
        Text("평균 [95 %]", "mean [95 %]"),
        "SD",
        Text("중앙값", "median"),
    ]
    shares = any(group.share for criterion in found.criteria.values() for group in criterion.groups)
    columns += [Text("충족 비율", "share met")] if shares else []
    made = narrow(table(Text(f"{by}별 점수", f"scores by {by}"), columns, numeric_from=2))
    for name, criterion in found.criteria.items():
        for place, group in enumerate(criterion.groups):
            of = group.described
            made.add_row(
                "" if place else escape(name),
                escape(str(of.name)),
                f"{of.n:,}",
                plain_figure(of.mean),
                plain_figure(of.sd),
                plain_figure(of.median),
                *([plain_figure(group.share) if group.share else ""] if shares else []),
                end_section=place == len(criterion.groups) - 1,
            )
    return made


def _two(found: Comparison, labels: list[str]) -> Any:
    title = Text(f"{labels[0]} − {labels[1]}", f"{labels[0]} − {labels[1]}")
    columns: list[Text | str] = [
        Text("점수", "score"),
        Text("차이 [95 %]", "difference [95 %]"),
        "Hedges g [95 %]",
        "",
        "Cliff δ",
        "p (Welch t)",
        "Holm",
        "p (M–W)",
    ]
    made = narrow(table(title, columns))
    made.columns[3].justify = "left"
    for name, criterion in found.criteria.items():
        two = criterion.two
        if two is None:
            continue
        made.add_row(
            escape(name),
            plain_figure(two.difference),
            plain_figure(two.hedges_g),
            _word(two.hedges_g),
            plain_figure(two.cliff_delta, with_interval=False),
            p_value(two.welch_t.p),
            p_value(two.welch_t.p_corrected),
            p_value(two.mann_whitney.p),
        )
    made.caption = Text(
        f"효과 크기의 말: {CUT_OFFS['cohen_d'].source}",
        f"words for effect sizes: {CUT_OFFS['cohen_d'].source}",
    ).say()
    made.caption_justify = "left"
    made.may_lose(7, 4, 3)
    return made


def _word(effect: Figure) -> str:
    reading = interpret("cohen_d", effect)
    return f"[dim]{reading.word.say(language())}[/]" if reading else ""


def _paired(found: Comparison, labels: list[str]) -> Any:
    field = (found.items.pair or {}).get("field", "")
    title = Text(
        f"짝 비교({field}): {labels[0]} − {labels[1]}", f"in pairs by {field}: {labels[0]} − {labels[1]}"
    )
    columns: list[Text | str] = [
        Text("점수", "score"),
        Text("쌍", "pairs"),
        Text("차이 [95 %]", "difference [95 %]"),
        "d_z [95 %]",
        "p (t)",
        "Holm",
        "Wilcoxon",
        Text("부호 뒤집기", "sign flip"),
    ]
    made = narrow(table(title, columns))
    for name, criterion in found.criteria.items():
        one = criterion.paired
        if one is None:
            continue
        made.add_row(
            escape(name),
            f"{one.difference.n:,}",
            plain_figure(one.difference),
            plain_figure(one.cohen_dz),
            p_value(one.t_test.p),
            p_value(one.t_test.p_corrected),
            p_value(one.wilcoxon.p),
            p_value(one.sign_flip.p),
        )
    made.may_lose(6, 7)
    return made


def _many(found: Comparison) -> Any:
    columns: list[Text | str] = [
        Text("점수", "score"),
        "Welch F",
        "p",
        "Holm",
        "Kruskal–Wallis H",
        "p",
        "Holm",
    ]
    made = narrow(table(Text("집단들이 서로 다른가", "do the groups differ at all"), columns))
    for name, criterion in found.criteria.items():
        many = criterion.many
        if many is None:
            continue
        tests = (many.welch_anova, many.kruskal_wallis)
        cells = [
            cell
            for test in tests
            for cell in (short(test.statistic), p_value(test.p), p_value(test.p_corrected))
        ]
        made.add_row(escape(name), *cells)
    return made


def _pairs(found: Comparison) -> list[Any]:
    """The pairs of groups that differ after Holm's correction, the surest first."""
    rows = [
        (pair.comparison.welch_t.p_corrected, name, pair)
        for name, criterion in found.criteria.items()
        for pair in (criterion.many.pairs if criterion.many else ())
        if pair.comparison.welch_t.p_corrected is not None
    ]
    rows = sorted((row for row in rows if (row[0] or 0.0) < 0.05), key=lambda row: row[0] or 0.0)
    if not rows:
        none = Text(
            "Holm 보정 뒤에 서로 다르다고 할 수 있는 쌍은 없습니다 (p < .05).",
            "No pair of groups differs after Holm's correction (p < .05).",
        )
        return [none.say()]
    title = Text("서로 다른 쌍 (Holm 보정 p < .05)", "pairs that differ (Holm-corrected p < .05)")
    columns: list[Text | str] = [
        Text("점수", "score"),
        Text("쌍", "pair"),
        Text("차이 [95 %]", "difference [95 %]"),
        "g",
        "Holm p",
    ]
    made = narrow(table(title, columns, numeric_from=2))
    for p, name, pair in rows[:_LISTED]:
        of = pair.comparison
        made.add_row(
            escape(name),
            escape(f"{pair.a} − {pair.b}"),
            plain_figure(of.difference),
            plain_figure(of.hedges_g, with_interval=False),
            p_value(p),
        )
    return [made]


def _repeats(repeats: RepeatedRuns) -> Any:
    most = max(k for found in repeats.criteria.values() for k in found.pass_hat_k)
    title = Text(
        f"같은 질의의 반복 실행 · 질의 {repeats.n_queries:,}개, 만점이면 통과",
        f"repeated runs of a query · {repeats.n_queries:,} queries, a run passes with the highest score",
    )
    columns: list[Text | str] = [
        Text("점수", "score"),
        *(f"pass^{k}" for k in range(1, most + 1)),
        Text("늘 같음", "always same"),
        Text("가장 흔한 점수의 몫", "share of modal score"),
        Text("질의 안 SD", "SD within"),
    ]
    made = narrow(table(title, columns))
    for name, found in repeats.criteria.items():
        made.add_row(
            escape(name),
            *(plain_figure(found.pass_hat_k[k]) for k in range(1, most + 1)),
            percent(found.stability.always_same),
            percent(found.stability.modal_share),
            plain_figure(found.stability.within_sd),
        )
    return made
