"""A rubric as a page to read: what is judged, by which words, with which arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from haechi.rubrics.model import Rubric
from haechi.rubrics.parts import Criterion, Derived
from haechi.rubrics.scales import Scale
from haechi.rubrics.values import plain
from haechi.text import Lang, Text

_KINDS = {
    "dialogue": Text("대화", "dialogue"),
    "reply": Text("맥락과 답변", "context and reply"),
    "run": Text("에이전트 실행", "agent run"),
    "pair": Text("맥락과 답변 둘", "context and two replies"),
}
_WAYS = {
    "sum": Text("합", "sum"),
    "mean": Text("평균", "mean"),
    "weighted_mean": Text("가중 평균", "weighted mean"),
    "share": Text("얻을 수 있는 점수 중 얻은 비율", "share of the points that can be reached"),
    "first": Text("값이 있는 첫 점수", "the first that has a value"),
    "tag": Text("이 이름의 태그가 붙은 기준만", "only the criteria with a tag of this name"),
}


def rubric_markdown(rubric: Rubric, lang: Lang | None = None) -> str:
    """The whole instrument as Markdown, in Korean or English (Korean where there is no English).

    >>> from haechi.rubrics import find_rubric
    >>> print(rubric_markdown(find_rubric("diary-comment"), "en").splitlines()[0])
    # Quality of generated diary comments
    """
    return "\n".join(_page(rubric, lang)).rstrip() + "\n"


def _page(rubric: Rubric, lang: Lang | None) -> Iterator[str]:
    yield f"# {_line(rubric.title.say(lang))}\n"
    facts = [
        rubric.reference,
        rubric.edition,
        Text("대상", "item").say(lang) + f": {_KINDS[rubric.item].say(lang)}",
    ]
    yield " · ".join(fact for fact in facts if fact) + "\n"
    yield from _paragraphs([rubric.about.say(lang), rubric.task.say(lang)])
    yield from _bullets([*rubric.guidance, *rubric.reply_guidance], lang)
    for criterion in rubric.criteria:
        yield from _criterion(criterion, lang)
    if rubric.scores:
        yield _heading(Text("점수", "Scores"), lang)
        shown = [_derived(derived, rubric, lang) for derived in rubric.scores]
        head = (
            Text("점수", "score"),
            Text("이름", "name"),
            Text("계산", "arithmetic"),
            Text("범위", "range"),
        )
        yield from _table(tuple(text.say(lang) for text in head), shown)
    for floor in rubric.floors:
        yield _heading(floor.name, lang)
        yield from _paragraphs([floor.text.say(lang), f"`{floor.key}` → 0: {', '.join(floor.unmet)}"])
    if rubric.summary_by:
        yield Text("요약 단위", "Summaries by").say(lang) + f": {', '.join(rubric.summary_by)}\n"
    yield from _run(rubric, lang)
    if rubric.notes:
        yield _heading(Text("참고", "Notes"), lang)
        yield from _bullets(list(rubric.notes), lang)


def _criterion(criterion: Criterion, lang: Lang | None) -> Iterator[str]:
    yield f"## {criterion.score}. {_line(criterion.name.say(lang))}\n"
    key = f"`{criterion.key}`"
    yield (
        f"{key} · " + Text("코드가 잽니다", "measured by code").say(lang)
        if criterion.rated_by == "code"
        else key
    ) + "\n"
    words = (criterion.question, criterion.explanation, criterion.instruction)
    yield from _paragraphs([text.say(lang) for text in words if text is not None])
    yield from _bullets(list(criterion.standards), lang)
    yield from _scale(criterion.scale, lang)
    if criterion.failed_run is not None:
        yield Text("실패한 실행", "failed run").say(lang) + f": {_cell(criterion.failed_run)}\n"
    for example in criterion.examples:
        yield "\n".join(f"> {line}" for line in example.context.splitlines()) + "\n"
        yield from (f"- ✓ {_line(reply)}" for reply in example.met)
        for counter in example.unmet:
            yield f"- ✗ {_line(counter.text)}" + (f" — {_line(counter.reason)}" if counter.reason else "")
        yield ""


def _scale(scale: Scale, lang: Lang | None) -> Iterator[str]:
    explained = scale.page(lambda text: text.say(lang))
    if explained.head:
        yield from _table(explained.head, explained.rows)
    yield from _paragraphs(list(explained.notes))


def _derived(derived: Derived, rubric: Rubric, lang: Lang | None) -> tuple[str, ...]:
    weights = derived.weights or {}
    parts = [f"{part} × {plain(weights[part])}" if weights else part for part in derived.parts]
    low, high = rubric.range(derived.key)
    way = f"{_WAYS[derived.by].say(lang)}: {', '.join(parts)}"
    return f"`{derived.key}`", derived.name.say(lang), way, f"{plain(low)}–{plain(high)}"


def _run(rubric: Rubric, lang: Lang | None) -> Iterator[str]:
    if rubric.run is None:
        return
    yield _heading(Text("실행을 읽는 법", "How a run is read"), lang)
    rows = [(entry.label, ", ".join(entry.words)) for entry in rubric.run.labels]
    label, words = (
        Text("의도 라벨", "intent label"),
        Text("낱말 (위에서부터 먼저 맞는 것)", "words (first match from the top)"),
    )
    yield from _table((label.say(lang), words.say(lang)), [*rows, (rubric.run.otherwise, "")])
    yield f"signature: {', '.join(rubric.run.signature)}\n"


def _heading(text: Text, lang: Lang | None) -> str:
    return f"## {_line(text.say(lang))}\n"


def _paragraphs(texts: list[str]) -> Iterator[str]:
    yield from (f"{text}\n" for text in texts)


def _bullets(texts: list[Text], lang: Lang | None) -> Iterator[str]:
    yield from ("- " + text.say(lang).replace("\n", "\n  ") for text in texts)
    if texts:
        yield ""


def _table(head: tuple[str, ...], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(_cell(cell) for cell in row)} |"
    yield ""


def _cell(value: object) -> str:
    return _line(plain(value) if isinstance(value, float) else str(value)).replace("|", "\\|")


def _line(text: str) -> str:
    return " ".join(text.split())
