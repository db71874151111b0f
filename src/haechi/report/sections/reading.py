"""Items with their texts: those to read first, then all others, with who gave what and where quotes stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import orjson
import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.analysis.score_figures import MOST_LISTED
from haechi.data.item import Item
from haechi.prompt.evidence import UNFOUNDED, check, transcript_of
from haechi.prompt.material import message_text, named_texts, run_texts, speaker_names, turn_of
from haechi.report.document import Finding, Passage, Section
from haechi.report.numbers import number, scale_end
from haechi.report.table import Cell, Table, table
from haechi.report.words import element_label, said, score_label, shortened
from haechi.scoring.panel import means_by_item
from haechi.text import language, quoted

MOST_PASSAGES = 12
_MOST_NAMED = 6
_MOST_TEXT = 3_000_000
_MOST_RATINGS = 20_000
_WHY = {
    "failures": ("실행이 실패함", "the run failed"),
    "evidence": ("근거의 인용이 원문과 맞지 않음", "evidence does not match the item"),
    "missing": ("점수 결측", "a score is missing"),
    "versions": ("이 버전에서 깨진 질의", "a query that this version broke"),
}


def items_to_read(figures: Analysis) -> dict[str, str]:
    """The items that a person should look at first, with the reason: disagreement, then the lowest scores."""
    chosen: dict[str, str] = {}
    for one in figures.agreement.reading_list if figures.agreement else ():
        values = _values(_in_words(figures, one.criterion, one.values))
        chosen.setdefault(one.item, f"{score_label(figures.rubric, one.criterion)}: {values}")
        if len(chosen) >= MOST_PASSAGES // 2:
            break
    main, of = figures.main, figures.whole[figures.main]
    if (
        not figures.rubric.has_mean(main) or of.sd.value == 0
    ):  # of labels, and of equal scores, none is the lowest
        return chosen
    few = min(MOST_PASSAGES // 2, -(-of.n // 4))
    for item, value in figures.extremes.lowest.head(few).iter_rows():
        chosen.setdefault(item, f"{score_label(figures.rubric, main)} {number(value)}")
    return chosen


def _in_words(figures: Analysis, name: str, given: Mapping[str, object]) -> Mapping[str, object]:
    """What raters gave; labels by their names."""
    criterion = figures.rubric.criterion(name)
    if criterion is None or criterion.scale.has_mean:
        return given
    called = criterion.scale.category
    return {rater: called(v) if isinstance(v, float) else v for rater, v in given.items()}


def _values(given: Mapping[str, object]) -> str:
    """Who gave what; of many raters how often each value was given.

    >>> _values({"kim": 3.0, "lee": 4.0}), _values(dict.fromkeys("abcdefg", 1.0) | {"h": 0.0})
    ('kim 3, lee 4', '0 × 1, 1 × 7')
    """
    shown = {rater: scale_end(v) if isinstance(v, float) else str(v) for rater, v in given.items()}
    if len(shown) <= _MOST_NAMED:
        return ", ".join(f"{rater} {value}" for rater, value in shown.items())
    counts = Counter(shown.values())
    return ", ".join(f"{value} × {counts[value]}" for value in sorted(counts))


def reading_list(figures: Analysis, findings: Sequence[Finding]) -> dict[str, str]:
    """The items to read, with the reason; every item that a finding names is among them, so that it can be reached."""
    chosen = items_to_read(figures)
    for finding in findings:
        for item in finding.items if finding.rule in _WHY else ():
            chosen.setdefault(item, said(*_WHY[finding.rule]))
    return chosen


def reading_section(figures: Analysis, findings: Sequence[Finding]) -> Section | None:
    """The items to read, with their text and ratings."""
    chosen = reading_list(figures, findings)
    if not chosen:
        return None
    wanted = {item.id: item for item in figures.study.items(chosen)}
    failing = _failing(figures, wanted) if figures.rubric.item == "run" else {}
    given = _ratings_of(figures, wanted)
    passages = [
        _passage(figures, wanted[item], why, failing.get(item), given.get(item))
        for item, why in chosen.items()
        if item in wanted
    ]
    several = len(figures.raters) > 1
    intro = said(
        f"{'평가가 가장 갈린 항목, ' if several else ''}점수가 가장 낮은 항목, 위의 핵심에서 가리킨 항목입니다.",
        f"{'The items on which raters differ most, those' if several else 'The items'} with the lowest scores, and those that "
        "the findings name.",
    )
    if not figures.rubric.has_mean(figures.main):
        intro = said(
            "평가가 가장 갈린 항목과 위의 핵심에서 가리킨 항목입니다.",
            "The items on which raters differ most, and those that the findings name.",
        )
    return Section("read", said("먼저 읽어 볼 항목", "Items to read first"), (intro, *passages))


def all_items_section(figures: Analysis, shown: Collection[str]) -> Section | None:
    """All items that are not shown above, folded, where that makes no page too large to open."""
    total = figures.n_items
    if total > MOST_LISTED:
        return _elsewhere(
            figures, said(f"항목이 {total:,}개여서", f"{total:,} items are too many for a page.")
        )
    rest, size = list[Item](), 0
    for item in figures.study.items():
        if item.id in shown:
            continue
        rest.append(item)
        size += len(orjson.dumps(item.content))
        if size > _MOST_TEXT:
            return _elsewhere(figures, said("항목의 글이 길어서", "The items are too long for a page."))
    given = _ratings_of(figures, [item.id for item in rest])
    rest = [item for item in rest if item.kind != "bare" or item.id in given]
    if not rest:
        return None
    failing = _failing(figures, [item.id for item in rest]) if figures.rubric.item == "run" else {}
    main = _mains(figures)
    told = [
        _passage(figures, item, main.get(item.id, "–"), failing.get(item.id), given.get(item.id))
        for item in rest
    ]
    return Section("all-items", said("나머지 항목", "All other items"), tuple(told), only_page=True)


def _elsewhere(figures: Analysis, why: str) -> Section:
    """Where to find items that the page cannot hold."""
    study, made_of = quoted(figures.study.name), figures.study.made_of
    where = (
        said("scores.csv에 모든 항목의 점수가 있습니다.", "scores.csv has the scores of all.")
        if made_of
        else said(f"브라우저에서 찾아보기: haechi serve {study}", f"To browse them: haechi serve {study}")
    )
    words = said(f"{why} 여기에는 싣지 않았습니다. {where}", f"{why} {where}")
    return Section("all-items", said("모든 항목", "All items"), (words,), only_page=True)


def _mains(figures: Analysis) -> dict[str, str]:
    """The main score of every item in words."""
    label = score_label(figures.rubric, figures.main)
    frames = figures.batches(["item", "rater", figures.main])
    means = (pair for frame in frames for pair in means_by_item(frame, figures.main).items())
    return {item: f"{label} {number(mean)}" for item, mean in means}


def _failing(figures: Analysis, items: Collection[str]) -> dict[str, str | None]:
    """The names of the checks that runs fail."""
    return dict(figures.rows_of(items, ["details:failing"]).unique("item", keep="first").iter_rows())


def _passage(
    figures: Analysis, item: Item, why: str, failing: str | None, given: Sequence[_Given] | None
) -> Passage:
    rubric, content = figures.rubric, item.content
    lines: list[tuple[str, str]] = []
    if item.kind == "dialogue":
        names = speaker_names(rubric, language())
        lines = [
            (f"[{index}] {turn_of(m, names, language()).speaker}", message_text(m))
            for index, m in enumerate(content["messages"])
        ]
    elif item.kind == "run":
        lines = _run_lines(item, failing)
    elif item.kind != "bare":
        lines = named_texts(rubric, content, language())
    told = tuple((who, shortened(text)) for who, text in lines)
    if given is None:
        return Passage(item.id, why, told)
    quotes, wrong = ({}, {}) if item.kind == "run" else _quoted(told, given)
    return Passage(item.id, why, told, quotes, _rated(figures, given, wrong))


def _run_lines(item: Item, failing: str | None) -> list[tuple[str, str]]:
    """A run as a person reads it; the recorded payload stays in the data."""
    from haechi.prompt.run_parts import run_parts  # and all that checks expectations
    from haechi.scoring.failing_checks import failing_checks

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
            "\n".join(f"- {line}" for line in failing_checks(item, failing).splitlines()),
        ),
        (said("화면에 보인 것", "What was shown"), "\n".join(cards)),
        (said("도구와 걸린 시간", "Tools and times"), "\n".join([*took, *total])),
    ]
    return [(label, text) for label, text in lines if text.strip()]


class _Given(NamedTuple):
    """A rating as it is shown beside its item."""

    rater: str
    kind: str
    criterion: str
    value: str | None
    status: str
    evidence: str | None
    reason: str | None


def _ratings_of(figures: Analysis, items: Collection[str]) -> dict[str, list[_Given]]:
    """The ratings of some items; where there are very many none, which the browser shows."""
    found: dict[str, list[_Given]] = {}
    if 0 < figures.ratings.height <= _MOST_RATINGS:
        own = figures.ratings.filter(pl.col("item").is_in(items))
        for item, *given in own.select("item", *_Given._fields).iter_rows():
            found.setdefault(item, []).append(_Given(*given))
    return found


def _quoted(
    lines: Sequence[tuple[str, str]], given: Sequence[_Given]
) -> tuple[dict[int, tuple[tuple[int, int], ...]], dict[str, bool]]:
    """Where quotes stand in the lines, and which pieces of evidence have a quote that stands nowhere."""
    transcript = transcript_of(tuple(text for _, text in lines))
    found: dict[tuple[str, int], None] = {}
    wrong: dict[str, bool] = {}
    for evidence in dict.fromkeys(one.evidence for one in given if one.evidence is not None):
        quotes = check(evidence, transcript).quotes
        wrong[evidence] = any(one.status in UNFOUNDED for one in quotes)
        found |= dict.fromkeys((one.text, index) for one in quotes for index in one.found_in)
    spans: dict[int, dict[tuple[int, int], None]] = {}
    for quote, index in found:
        spans.setdefault(index, {}).update(dict.fromkeys(transcript.located(quote, index)))
    return {index: tuple(own) for index, own in spans.items()}, wrong


def _rated(figures: Analysis, given: Sequence[_Given], wrong: Mapping[str, bool]) -> Table:
    """Who gave what, and why; an AI judge's quote that is not in the text is marked."""
    columns = [
        said("평가자", "rater"),
        said("기준", "criterion"),
        said("값", "value"),
        said("근거", "evidence"),
    ]
    unfounded = said("✗ 원문에 없는 인용", "✗ quote not in the text")
    labels = {name: element_label(figures.rubric, name) for name in {one.criterion for one in given}}
    rows: list[list[Cell]] = []
    for one in given:
        reason = one.evidence or one.reason or ""
        if one.kind == "ai" and wrong.get(one.evidence or ""):
            reason = f"{reason} ({unfounded})"
        value = one.value if one.status == "ok" else one.status
        rows.append(
            [
                one.rater,
                labels[one.criterion],
                shortened(str(value), 400),
                reason,
            ]
        )
    return table("", columns, rows, words=4)
