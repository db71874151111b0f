"""How much of the judges' evidence is found in the items, and what is missing from the figures."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.analysis.certainty import SURE, judge_certainty
from haechi.prompt.injection import KINDS, injection_tries
from haechi.report.document import Section, SectionPart
from haechi.report.table import AuthoredText, Cell, Column, Estimate, ItemLink, Table, table
from haechi.report.words import element_label, said, score_label, shortened
from haechi.scoring.runs.points import in_words
from haechi.text import first_few

_LISTED, _MOST_READ = 30, 20_000
_STATUS = {
    "wrong_message": ("다른 메시지에 있음", "stands in another message"),
    "not_found": ("어디에도 없음", "stands nowhere"),
}


def evidence_section(figures: Analysis) -> Section | None:
    """Quotes per judge, the ones that are not where they should be, and items that try to move the judge."""
    parts = [*_quotes(figures), *_certainty(figures), *_tries(figures)]
    return Section("evidence", said("근거 확인", "Evidence"), tuple(parts)) if parts else None


def _certainty(figures: Analysis) -> list[SectionPart]:
    """How probable the judges' values were, where the probabilities of tokens were asked for."""
    if "ai" not in figures.raters.values() or figures.rubric.item == "run":
        return []
    found = judge_certainty(figures.study)
    if not found:
        return []
    columns: list[Column | str] = [
        said("AI 평가자", "judge"),
        Column(said("값", "values"), "count"),
        Column(said("값의 평균 확률", "mean probability"), "share"),
        Column(said(f"확률 {SURE:g} 이상일 때 사람과 같음", f"same as people, from {SURE:g}"), "share"),
        Column(said(f"{SURE:g} 미만일 때", f"below {SURE:g}"), "share"),
    ]
    rows: list[list[Cell]] = [
        [one.rater, one.n, *(Estimate.of(figure, "share") for figure in (one.mean, one.sure, one.unsure))]
        for one in found
    ]
    note = said(
        "모델이 값을 쓴 토큰의 확률입니다. 모델이 그 말을 얼마나 확신했는지일 뿐 값이 맞을 확률이 아니며, 어떤 점수에도 들어가지 않습니다.",
        "The probability of the tokens that write a value: how sure the model was of its words, not how likely the value is to be right. "
        "It enters no score.",
    )
    return [table(said("값의 확률", "Probability of values"), columns, rows, note)]


def _tries(figures: Analysis) -> list[SectionPart]:
    """Items that AI judges read and that seem to speak to the judge, or hide something from a reader."""
    if "ai" not in figures.raters.values() or figures.n_rated > _MOST_READ:
        return []
    found = list(injection_tries(figures.study.items(), figures.rubric))
    if not found:
        return []
    note = said(
        f"항목 {len(found):,}개에 AI 평가자를 움직이려는 것으로 보이는 글이나 숨은 글자가 있습니다. 자료는 구분선 안에서 평가 대상으로만 보내고, "
        "숨은 글자와 구분선을 흉내 낸 줄은 보이는 글자로 바꾸어 보냅니다. 이 항목의 평가는 직접 확인하세요.",
        f"{len(found):,} items hold what looks like an attempt to move the judge, or hidden signs. Material is sent inside its fence as what is judged; "
        "hidden signs and lines like the fence are spelt out. Look at the ratings of these items.",
    )
    rows: list[list[Cell]] = [
        [ItemLink(item), KINDS[one.kind].say(), AuthoredText(one.words)]
        for item, tries in found[:_LISTED]
        for one in tries
    ]
    heads = [said("항목", "item"), said("무엇이", "what"), said("글", "words")]
    title = said("AI 평가자를 움직이려는 항목", "Items that try to move the judge")
    return [table(title, heads, rows, " ".join((note, _more(len(found)))).strip(), words=3)]


def _quotes(figures: Analysis) -> list[SectionPart]:
    quoted = figures.quotes
    if not quoted.checked:
        return []
    columns: list[Column | str] = [
        said("AI 평가자", "judge"),
        said("확인됨", "verified"),
        said("다른 메시지", "other message"),
    ]
    columns += [
        said("없음", "not found"),
        said("인용 없음", "no quote"),
        Column(said("근거 없는 비율", "share unfounded"), "share"),
    ]
    rows: list[list[Cell]] = [
        [rater, *own.counts.values(), Estimate.of(own.share)] for rater, own in quoted.by("rater").items()
    ]
    note = said(
        f"근거 {quoted.total:,}건 중 원문을 인용한 {quoted.share.n:,}건을 찾아보았습니다. 비율은 이 근거에 대한 것입니다.",
        f"{quoted.share.n:,} of {quoted.total:,} pieces of evidence quote and were looked up. Shares are of these.",
    )
    parts: list[SectionPart] = [table(said("근거의 인용 확인", "Quotes looked up"), columns, rows, note)]
    if not quoted.unfounded.is_empty():
        listed: list[list[Cell]] = [
            [
                ItemLink(item),
                element_label(figures.rubric, criterion),
                rater,
                said(*_STATUS[status]),
                AuthoredText(shortened(evidence)),
            ]
            for item, rater, criterion, evidence, status in quoted.unfounded.head(_LISTED).iter_rows()
        ]
        names = [said("항목", "item"), said("기준", "criterion"), said("평가자", "rater")]
        names += [said("인용한 말이", "the quote"), said("근거", "evidence")]
        title = said("원문과 맞지 않는 근거", "Evidence that does not match the item")
        parts.append(table(title, names, listed, _more(quoted.unfounded.height), words=5))
    return parts


def missing_section(figures: Analysis) -> Section:
    """What was excluded and why; what has no value; how that was handled."""
    scored = figures.scored
    policy = {
        "missing": (
            "값이 없는 요소가 있으면 그 점수와 총점도 결측이 됩니다. 0으로 채우지 않습니다.",
            "Where an element has no value, its score and the totals are missing too; nothing is filled with 0.",
        ),
        "unmet": (
            "답이 없는 요소는 미충족(0)으로 계산했습니다(missing: unmet).",
            "Elements without an answer count as unmet (missing: unmet).",
        ),
        "renormalise": (
            "결측인 지표는 빼고 가중치를 다시 맞추었습니다(missing: renormalise).",
            "Weights were renormalised over the metrics that are there (missing: renormalise).",
        ),
    }
    lost = _lost(figures)
    parts: list[SectionPart] = [said(*policy[scored.missing])] if lost or scored.missing != "missing" else []
    if scored.excluded:
        names = ", ".join(score_label(figures.study.rubric, name) for name in scored.excluded)
        parts.append(
            said(f"제외한 기준: {names}. 총점도 그만큼 줄었습니다.", f"Left out: {names}; totals follow.")
        )
    gone = figures.n_items - figures.n_rated
    if gone > 0:
        parts.append(
            said(
                f"평가가 하나도 없는 항목 {gone:,}개는 어떤 수치에도 들어가지 않습니다.",
                f"{gone:,} items have no rating and enter no figure.",
            )
        )
    parts.append(lost if lost else said("결측 점수가 없습니다.", "No score is missing."))
    return Section("missing", said("결측과 제외", "Missing and excluded"), tuple(parts))


def _lost(figures: Analysis) -> Table | None:
    """Missing scores with the reason, gathered over criteria and items; what is computed from them follows."""
    own = [n for n in figures.names if (c := figures.rubric.criterion(n)) is not None and c.only is None]
    columns = ["item", "rater", *own, *(f"why:{name}" for name in own)]
    labels = {name: score_label(figures.rubric, name) for name in own}
    lost = (
        [gone for frame in figures.batches(columns) if (gone := _lost_in(frame, own, labels)).height]
        if own
        else []
    )
    if not lost:
        return None
    counted = (
        pl.concat(lost)
        .group_by("rater", "scores", "why", maintain_order=True)
        .agg(pl.col("n").sum(), pl.col("items").explode().head(6))
        .sort("n", "rater", "scores", "why", descending=[True, False, False, False])
    )
    rows: list[list[Cell]] = [
        [
            said("코드", "code") if figures.raters.get(row["rater"], "code") == "code" else row["rater"],
            row["scores"],
            row["why"],
            first_few(row["items"], 5),
            row["n"],
        ]
        for row in counted.head(_LISTED).iter_rows(named=True)
    ]
    heads = [
        said("평가자", "rater"),
        said("점수", "scores"),
        said("이유", "why"),
        said("항목", "items"),
        "n",
    ]
    return table(
        said("값이 없는 점수", "Scores without a value"), heads, rows, _more(counted.height), words=4
    )


def _lost_in(frame: pl.DataFrame, names: list[str], labels: Mapping[str, str]) -> pl.DataFrame:
    """What is missing in some rows, by rater, scores and reason, with the first items; of replicates a score is named once."""
    rows = frame.lazy()
    pieces = [
        rows.filter(pl.col(name).is_null()).select(
            "item", "rater", score=pl.lit(labels[name]), why=_reason(name)
        )
        for name in names
        if frame[name].null_count()
    ]
    if not pieces:
        return pl.DataFrame()
    times = pl.col("times").cast(pl.String)
    once = pl.when(pl.col("times") > 1).then(pl.format("{} ×{}", "score", times)).otherwise("score")
    by_item = (
        pl.concat(pieces)
        .group_by("rater", "item", "why", "score", maintain_order=True)
        .agg(times=pl.len())
        .group_by("rater", "item", "why", maintain_order=True)
        .agg(scores=once.str.join(", "), n=pl.col("times").sum())
    )
    return (
        by_item.group_by("rater", "scores", "why", maintain_order=True)
        .agg(pl.col("n").sum(), items=pl.col("item").head(6))
        .collect()
    )


def _reason(name: str) -> pl.Expr:
    """The reason that the rater or the provider gave, which stands in brackets at the end; else all of it."""
    why = in_words(name).fill_null("")
    return pl.coalesce(why.str.extract(r"\(([^()]+)\)$"), why)


def _more(count: int) -> str:
    if count <= _LISTED:
        return ""
    return said(f"{count:,}줄 중 {_LISTED}줄", f"{_LISTED} of {count:,} rows")
