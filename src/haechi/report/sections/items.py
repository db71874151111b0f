"""Items one by one: scores side by side, what to read next, failures with reasons, comments."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.data.item import Item
from haechi.prompt.material import message_text, named_texts, run_texts, speaker_names, turn_of
from haechi.prompt.run_parts import run_parts
from haechi.report.document import Finding, Part, Passage, Section
from haechi.report.table import Cell, ItemLink, Table, Written, table
from haechi.report.tables.comparison import is_binary
from haechi.report.words import said, score_label, shortened
from haechi.scoring.failing_checks import failing_checks
from haechi.scoring.panel import panel_means
from haechi.text import language

MOST_ITEMS = 200
MOST_PASSAGES = 12
_MOST_COMMENTS = 200
_MOST_FAILURES = 5
_WHY = {
    "failures": ("실행이 실패함", "the run failed"),
    "evidence": ("근거의 인용이 원문과 맞지 않음", "evidence does not match the item"),
    "missing": ("점수 결측", "a score is missing"),
    "versions": ("이 버전에서 깨진 질의", "a query that this version broke"),
}


def items_section(figures: Analysis) -> Section:
    """Every item's main scores by rater; of many items those that need a look."""
    parts: list[Part] = [_side_by_side(figures)]
    return Section("items", said("항목별 점수", "Scores by item"), tuple(parts))


def _side_by_side(figures: Analysis) -> Table:
    main, label = figures.main, score_label(figures.rubric, figures.main)
    total = figures.n_rated
    chosen = None if total <= MOST_ITEMS else _worth_showing(figures)
    fields = [field for comparison in figures.comparisons for field in comparison.items.by]
    fields = [field for field in dict.fromkeys(fields) if field in figures.scored.meta]
    columns = ["rater", *fields, main]
    every = figures.rows_of(chosen, columns) if chosen else pl.concat(figures.batches(["item", *columns]))
    own = panel_means(every, [main], ["item", "rater"])
    raters = list(dict.fromkeys(cell.rater for cell in figures.who_rated))
    given = {(item, rater): value for item, rater, value in own.iter_rows()}
    means = {
        item: (mean, meta) for item, mean, *meta in panel_means(every, [main], ["item"], fields).iter_rows()
    }
    rows = [(item, *means[item]) for item in chosen or means]
    shown: list[list[Cell]] = [
        [
            ItemLink(item),
            *(str(v) if v is not None else "–" for v in meta),
            *_given(given, item, raters),
            mean,
        ]
        for item, mean, meta in rows
    ]
    note = ""
    if total > len(rows):
        note = said(
            f"항목 {total:,}개 중 점수가 가장 낮거나 평가가 가장 갈린 {len(rows):,}개입니다. 전부는 scores.csv에 있습니다.",
            f"{len(rows):,} of {total:,} items: the lowest, and those raters differ on most. scores.csv has all.",
        )
    heads = [said("항목", "item"), *fields, *(raters if len(raters) > 1 else []), said("평균", "mean")]
    return table(label, heads, shown, note, words=1 + len(fields))


def _worth_showing(figures: Analysis) -> list[str]:
    """Items without a score or with the lowest, then those on which raters differ most."""
    found, half = figures.extremes, MOST_ITEMS // 2
    worst = pl.concat([found.without["item"], found.lowest["item"]]).head(half)
    return list(dict.fromkeys([*worst.to_list(), *found.apart["item"].head(half).to_list()]))


def _given(given: Mapping[tuple[str, str], float | None], item: str, raters: list[str]) -> list[Cell]:
    return [given.get((item, rater)) for rater in raters] if len(raters) > 1 else []


def items_to_read(figures: Analysis) -> dict[str, str]:
    """The items that a person should look at first, with the reason: disagreement, then the lowest scores."""
    chosen: dict[str, str] = {}
    for one in figures.agreement.reading_list if figures.agreement else ():
        values = ", ".join(
            f"{rater} {v:g}" if isinstance(v, float) else f"{rater} {v}" for rater, v in one.values.items()
        )
        chosen.setdefault(one.item, f"{score_label(figures.rubric, one.criterion)}: {values}")
        if len(chosen) >= MOST_PASSAGES // 2:
            break
    main = figures.main
    few = min(MOST_PASSAGES // 2, -(-figures.whole[main].n // 4))
    for item, value in figures.extremes.lowest.head(few).iter_rows():
        chosen.setdefault(item, f"{score_label(figures.rubric, main)} {value:.2f}")
    return chosen


def reading_section(figures: Analysis, findings: Sequence[Finding]) -> Section | None:
    """The items to read, with their text; every item that a finding names is among them, so that it can be reached."""
    chosen = items_to_read(figures)
    for finding in findings:
        for item in finding.items if finding.rule in _WHY else ():
            chosen.setdefault(item, said(*_WHY[finding.rule]))
    if not chosen:
        return None
    wanted = {item.id: item for item in figures.study.items(chosen)}
    failing = _failing(figures, wanted) if figures.rubric.item == "run" else {}
    passages = [
        _passage(figures, wanted[item], why, failing.get(item))
        for item, why in chosen.items()
        if item in wanted
    ]
    intro = said(
        "평가가 가장 갈린 항목, 점수가 가장 낮은 항목, 위의 핵심에서 가리킨 항목입니다.",
        "The items on which raters differ most, those with the lowest scores, and those that the findings name.",
    )
    return Section("read", said("먼저 읽어 볼 항목", "Items to read first"), (intro, *passages))


def _failing(figures: Analysis, items: Collection[str]) -> dict[str, str | None]:
    """The names of the checks that runs fail."""
    return dict(figures.rows_of(items, ["details:failing"]).unique("item", keep="first").iter_rows())


def _passage(figures: Analysis, item: Item, why: str, failing: str | None = None) -> Passage:
    rubric, content = figures.rubric, item.content
    lines: list[tuple[str, str]] = []
    if item.kind == "dialogue":
        names = speaker_names(rubric, language())
        lines = [
            (f"[{index}] {turn_of(m, names, language()).speaker}", message_text(m))
            for index, m in enumerate(content["messages"])
        ]
    elif item.kind == "run":
        lines = _run_lines(item, failing_checks(item, failing))
    elif item.kind != "bare":
        lines = named_texts(rubric, content, language())
    return Passage(item.id, why, tuple((who, shortened(text)) for who, text in lines))


def _run_lines(item: Item, failing: str) -> list[tuple[str, str]]:
    """A run as a person reads it; the recorded payload stays in the data."""
    run, parts = run_texts(item.content), run_parts(item, language())
    cards = [card.say() for card in parts.cards]
    took = [
        f"- {tool.name}" + ("" if tool.seconds is None else f": {tool.seconds:g} s") for tool in parts.tools
    ]
    total = (
        []
        if parts.seconds is None
        else [said(f"- 전체: {parts.seconds:g} s", f"- in all: {parts.seconds:g} s")]
    )
    lines = [
        (said("질의", "Query"), run.query or str(item.content["query"])),
        (said("기대 결과", "Expected result"), "\n".join(f"- {line}" for line in parts.expected)),
        (said("답변 메시지", "Answer message"), run.answer),
        (said("오류", "Error"), run.error),
        (
            said("실패한 체크 ← 찾은 값", "Failing checks ← what was found"),
            "\n".join(f"- {line}" for line in failing.splitlines()),
        ),
        (said("화면에 보인 것", "What was shown"), "\n".join(cards)),
        (said("도구와 걸린 시간", "Tools and times"), "\n".join([*took, *total])),
    ]
    return [(label, text) for label, text in lines if text.strip()]


def failures_section(figures: Analysis) -> Section | None:
    """Examples of each unmet yes-or-no criterion with the raters' reasons; per system where systems differ."""
    binary = [name for name in figures.names if is_binary(figures.rubric, name)]
    if not binary:
        return None
    group = figures.comparisons[0].items.by[0] if figures.comparisons else None
    chosen = {name: made for name in binary if (made := _failures(figures, name, group))}
    if not chosen:
        return None
    wanted = {failure.item for made in chosen.values() for failure in made}
    replies = {item.id: _reply(item) for item in figures.study.items() if item.id in wanted}
    columns = [said("항목", "item"), *([group] if group else []), said("답", "reply")]
    columns += [said("평가자의 이유", "raters' reasons"), said("미충족 평가", "unmet ratings")]
    parts: list[Part] = []
    for name, made in chosen.items():
        rows: list[list[Cell]] = [
            [
                ItemLink(one.item),
                *one.group,
                Written(replies.get(one.item, "–")),
                Written(one.reasons),
                one.unmet,
            ]
            for one in made
        ]
        parts.append(table(score_label(figures.rubric, name), columns, rows, words=len(columns) - 1))
    return Section("failures", said("충족하지 못한 예", "Examples that fail"), tuple(parts))


class _Failure(NamedTuple):
    """An item that some raters call unmet, with the group it belongs to and their reasons."""

    item: str
    group: tuple[str, ...]
    reasons: str
    unmet: int


def _failures(figures: Analysis, name: str, group: str | None) -> list[_Failure]:
    """The items that most raters call unmet, a few of every group."""
    criterion = figures.rubric.criterion(name)
    key = criterion.key if criterion else name
    unmet = figures.ratings.filter((pl.col("criterion") == key) & (pl.col("value") == "0"))
    by_item = unmet.group_by("item", maintain_order=True).agg(
        n=pl.len(),
        reasons=pl.concat_str([pl.col("rater"), pl.lit(": "), pl.col("evidence")]).drop_nulls(),
    )
    by_item = by_item.sort(pl.col("n") + pl.col("reasons").list.len(), descending=True, maintain_order=True)
    meta = dict(figures.rows_of(by_item["item"].to_list(), [group]).iter_rows()) if group else {}
    taken: dict[str | None, int] = {}
    found = []
    for item, n, reasons in by_item.iter_rows():
        system = meta.get(item)
        taken[system] = taken.get(system, 0) + 1
        if taken[system] > _MOST_FAILURES or len(taken) > 8:
            continue
        own = (str(system),) if group else ()
        found.append(_Failure(item, own, shortened(" / ".join(reasons)) or "–", n))
    return found


def _reply(item: Item) -> str:
    if item.kind == "bare":
        return "–"
    if item.kind == "dialogue":
        replies = [str(m["content"]) for m in item.content["messages"] if m["role"] == "assistant"]
        return shortened(replies[-1]) if replies else "–"
    if item.kind == "pair":
        return shortened(" ⁄ ".join(str(item.content[name]) for name in ("response_a", "response_b")))
    reply = run_texts(item.content).answer if item.kind == "run" else str(item.content["response"])
    return shortened(reply or "–")


def comments(figures: Analysis) -> pl.DataFrame:
    """What raters wrote in answer to open questions: item, rater, kind, criterion, comment."""
    asked = [c.key for c in figures.rubric.criteria if not c.scale.counted]
    return figures.ratings.filter(pl.col("criterion").is_in(asked) & (pl.col("status") == "ok")).select(
        "item", "rater", "kind", "criterion", comment="value"
    )


def comments_section(figures: Analysis) -> Section | None:
    """The comments, listed; they enter no figure."""
    given = comments(figures)
    if given.is_empty():
        return None
    shown: list[list[Cell]] = [
        [ItemLink(row["item"]), row["rater"], Written(shortened(row["comment"]))]
        for row in given.head(_MOST_COMMENTS).iter_rows(named=True)
    ]
    note = said("의견은 어떤 수치에도 들어가지 않습니다.", "Comments enter no figure.")
    if given.height > _MOST_COMMENTS:
        note += said(f" {given.height:,}건 중 {_MOST_COMMENTS}건.", f" {_MOST_COMMENTS} of {given.height:,}.")
    columns = [said("항목", "item"), said("평가자", "rater"), said("의견", "comment")]
    return Section("comments", said("의견", "Comments"), (table("", columns, shown, note, words=3),))
